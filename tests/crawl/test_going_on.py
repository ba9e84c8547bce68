"""A crawl that goes on after a kill knows what it knew: field by field, after every answer."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from sitecrawl.crawl.ledger import Ledger, Row, State
from sitecrawl.crawl.records import Role
from sitecrawl.extras.demo import headline, site_pages
from sitecrawl.items.feed_items import body_digest, identity
from tests.crawl.chaos import site_of
from tests.crawl.driver import HOME, Crawl, Network, Pages, Reply, crawled
from tests.crawl.test_page_kinds import shop
from tests.synthetic import article, listing, path

_PLAN = {
    "articles": 12,
    "teasers": 8,
    "layouts": 2,
    "sections": 3,
    "related": 3,
    "paragraphs": 4,
    "etags": False,
}
_PAGED: Pages = {path(number): article(number) for number in range(24)}
_PAGED |= {f"/page/{at}/": listing(at, 1) for at in range(1)} | {"/": listing(0, 1)}
_FEED = '<rss version="2.0"><channel>{}</channel></rss>'.format(
    "".join(f"<item><link>{HOME}{path(number)}</link></item>" for number in range(18, 24))
)
_ROBOTS = f"Sitemap: {HOME}/map.xml\nSitemap: {HOME}/more.xml"
_MAP = "<urlset>{}</urlset>".format(
    "".join(f"<url><loc>{HOME}{path(number)}</loc></url>" for number in range(24))
)
_NAMED = _PAGED | {"/robots.txt": _ROBOTS, "/map.xml": _MAP, "/more.xml": _FEED}
# a list: the front page links it by a sign, and the third page as an article
_HELP = "/news/help-desk.html"
_MENU, _TEASER = (
    f'<a href="{_HELP}">?</a>',
    f'<h2><a href="{_HELP}">{headline(77)} and tells its readers why</a></h2>',
)
_PROMISED: Pages = {path(number): article(number) for number in range(60)} | {
    "/": listing(0, 3).replace("<a", f"{_MENU} <a", 1),
    "/page/1/": listing(1, 3),
    "/page/2/": listing(2, 3).replace("<h1>", f"{_TEASER}<h1>"),
    _HELP: listing(0, 1),
}
_WALL = "<title>Sorry</title><h1>Sorry</h1><p>Too many of your requests came at a time. Come back tomorrow.</p>"
SITES: dict[str, Pages] = {
    "chaos": dict(site_of(_PLAN)[0]),
    "demo": dict(site_pages()),
    "shop": shop(),
    "paged": _PAGED,
    "named": _NAMED,
    "promised": _PROMISED,
    "refusing": _PAGED | {path(number): Reply(b"", 503) for number in range(20)},
    "walled": _PAGED | {path(number): _WALL for number in range(20)},
    "checking": _PAGED
    | {path(number): _WALL.replace("Sorry", "Just a moment") for number in range(9)},
    "gone": _PAGED
    | {path(number): _WALL.replace("Sorry", "Page not found") for number in range(20)},
    "blank": _PAGED | {path(number): "<p>No." for number in range(9)},
    "losing": _PAGED
    | {path(number): Reply(b"", 503) for number in range(4)}
    | {path(5): Reply(b"", 404)},
}


def rows_of(ledger: Ledger) -> dict[str, Row]:
    """The rows of pages. What is in progress is requested again after a kill; rows that are only
    known are not kept, and those of files are not restored: no file is met twice."""
    return {
        key: replace(row, sends=0)
        for key, row in ledger.rows.items()
        if row.state is not State.KNOWN and row.role is not Role.FILE
    }


def known(crawl: Crawl) -> dict[str, Any]:
    """What a crawl knows, for comparison; sums without entries that count nothing."""
    parts, site = crawl.session.parts, next(iter(crawl.sites.models.values()))
    schedule, frontier, stats = parts.schedule, parts.schedule.frontier, parts.schedule.stats
    chains = {
        (name, at): ([page.key for page in chain.waiting], asdict(chain.seen), chain.backwards)
        for name, family in frontier.folders.items()
        for at, chain in family.chains.items()
        if chain.waiting or chain.seen.pages
    }
    found: dict[str, Any] = {
        "in progress": list(schedule.ledger.in_progress),
        "rows": rows_of(schedule.ledger),
        "articles": [entry[:2] + entry[3:] for entry in sorted(schedule.articles._heap)],
        "put aside": {name: pages for name, pages in schedule.articles.put_aside.items() if pages},
        "chains": chains,
        "probes": {
            name: family.probes for name, family in frontier.folders.items() if family.probes
        },
        "folder yields": {
            name: asdict(family.seen)
            for name, family in frontier.folders.items()
            if family.seen.pages
        },
        "site yield": asdict(frontier.site),
        "first": frontier.first,
        "found": schedule.ledger.articles,
        "missed": schedule.ledger.missed,
        "files": (parts.discovery.files, parts.discovery.met),
        "urgent": parts.requester.urgent,
        "texts": parts.evidence.texts,
        "written": parts.evidence.written,
        "pages by text": (stats.known, stats.fresh),
        "pages by slash": (stats.slashed, stats.gone),
        "links": {
            key: [round(total, 4) for total in sums] for key, sums in site.profile.seen.items()
        },
        "traps": (schedule.traps.chains, schedule.traps.barren, schedule.traps.fruitful),
        "rendering": parts.rendering,
    }
    for name in ("groups", "lists", "roles"):
        found[f"yields of {name}"] = {
            key: asdict(one)
            for key, one in getattr(frontier, name).items()
            if one.pages or one.links
        }
    for name in ("patterns", "folders", "groups"):
        found[f"counts of {name}"] = {
            key: asdict(one)
            for key, one in getattr(stats, name).items()
            if any(asdict(one).values())
        }
    for family in site.families:
        waiting = site.families.samples_of(family)
        found[f"family {family.name}"] = family.to_dict() | {
            "samples": [one["url"] for one in waiting]
        }
    return found


@pytest.mark.parametrize("site", SITES)
def test_a_killed_crawl_knows_what_it_knew(tmp_path: Path, site: str) -> None:
    crawl = Crawl.of(Network(SITES[site]), tmp_path)
    crawl.take(crawl.session.begin(frozenset(), tuple))
    for _ in range(500):
        step = crawl.answer()
        if not step and not crawl.waiting:
            break
        before = known(crawl)
        crawl.kill()
        crawl = Crawl.of(crawl.network, tmp_path, crawl.feed)
        crawl.take(crawl.session.begin(frozenset(map(identity, crawl.feed)), tuple))
        assert known(crawl) == before
    undisturbed = Crawl.of(Network(SITES[site]), tmp_path / "undisturbed")
    undisturbed.run()
    assert list(map(body_digest, crawl.feed)) == list(map(body_digest, undisturbed.feed))


def test_what_an_earlier_run_could_not_fetch_may_come_after_a_kill(tmp_path: Path) -> None:
    """It was requested again, read and written, but counted as unread, and its page was
    forgotten."""
    Crawl.of(Network(_PAGED | {path(3): Reply(b"", 503)}), tmp_path).run()
    killed = Crawl.of(Network(_PAGED), tmp_path)
    for _ in killed.steps():
        if any(planned.url.endswith(path(3)) for planned in killed.waiting):
            break
    killed.kill()
    again = Crawl.of(Network(_PAGED), tmp_path, killed.feed)
    assert again.run().completeness.unread == 0
    assert again.paths == [path(3)]


@pytest.mark.parametrize("after", range(1, 18))
def test_a_crawl_that_goes_on_with_a_filter_requests_nothing_that_it_rejects(
    tmp_path: Path, after: int
) -> None:
    """What was queued or under way was requested, dropped, and never requested again, also without
    the filter; what waited for its template was dropped, too."""
    crawl = Crawl.of(Network(_PAGED), tmp_path)
    for _, _ in zip(range(after), crawl.steps(), strict=False):
        pass
    crawl.kill()
    filtered = Crawl.of(Network(_PAGED), tmp_path, crawl.feed, exclude="/story/*trial*")
    filtered.run()
    assert not [asked for asked in filtered.network.asked if "trial" in asked]
    later = Crawl.of(Network(_PAGED), tmp_path, crawl.feed)
    later.run()
    assert later.paths == crawled(_PAGED, tmp_path / "whole").paths


@pytest.mark.parametrize("after", range(0, 20, 3))
def test_a_crawl_that_cannot_begin_leaves_the_interrupted_one_as_it_was(
    tmp_path: Path, after: int
) -> None:
    crawl = Crawl.of(Network(SITES["named"]), tmp_path)
    for _, _ in zip(range(after + 2), crawl.steps(), strict=False):
        pass
    feed, memory = crawl.feed, _documents(crawl)
    crawl.kill()
    refused = Crawl.of(Network({}), tmp_path)
    with pytest.raises(
        OSError, match="the feed cannot be read"
    ):  # it was told as a fault of the database
        refused.session.begin(frozenset({("http://elsewhere.example/", 1)}), _unreadable)
    refused.session.close("shutdown")
    refused.session.ended(written=True, finished=False)
    refused.sites.close(saves=refused.session.begun)
    later = Crawl.of(Network(SITES["named"]), tmp_path, feed)
    assert _documents(later) == memory
    later.run()
    assert later.paths == crawled(SITES["named"], tmp_path / "whole").paths


def _documents(crawl: Crawl) -> list[Any]:
    """What the state remembers of the current run."""
    return [*crawl.session.state.rows("SELECT key, data FROM memory WHERE site=:site ORDER BY key")]


def _unreadable() -> list[dict[str, Any]]:
    raise OSError("the feed cannot be read")
