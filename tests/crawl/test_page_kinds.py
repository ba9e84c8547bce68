"""What leaves is an article: not the listing page that looks like one or was promised as one, not the picture below one."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitecrawl.crawl.config import CrawlArguments
from sitecrawl.crawl.planner import Planner
from sitecrawl.crawl.records import RequestContext, Role
from sitecrawl.crawl.store import Stores
from sitecrawl.crawl.url_stats import UrlStats
from sitecrawl.demo import headline, paragraphs
from sitecrawl.dom.parse import parse
from sitecrawl.items.kinds import PageKind
from sitecrawl.links.classify import Link, Profile
from sitecrawl.site.conventions import LooksConvention
from sitecrawl.site.model import SiteModel
from sitecrawl.urls.scope import Scope
from tests.crawl.driver import HOME, Crawl, Network, Pages, crawled
from tests.links.models import credulous

STORY = "http://a.example/2012/05/disk/"
PICTURE = f"{STORY}disk-2/"


def story(number: int) -> str:
    text = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs(number, 4))
    day = f"2024-05-{number % 28 + 1:02d}"
    return f"<html><body><a href='/'>Home</a><article><h1>{headline(number)} {number}</h1><time>{day}</time>{text}</article></body></html>"


def room(number: int, stories: range) -> str:
    """A section with a few words of its own."""
    rows = "".join(
        f"<li><a href='/s/{n}.html'>{headline(n)} {n}, as it was told to us</a> 2024-05-{n % 28 + 1:02d}</li>"
        for n in stories
    )
    return f"<html><body><a href='/'>Home</a><h1>Room {number}</h1><p>All that was told in room {number}.</p><ul>{rows}</ul></body></html>"


def house() -> Pages:
    """Stories in rooms, each shown in its room only."""
    pages: Pages = {f"/s/{n}.html": story(n) for n in range(32)}
    pages |= {f"/room/{at}/{7 * at}.html": room(at, range(8 * at, 8 * at + 8)) for at in range(4)}
    doors = "".join(f"<li><a href='{path}'>Room {path[6]}</a></li>" for path in pages if path.startswith("/room/"))
    return pages | {"/": f"<html><body><ul>{doors}</ul></body></html>"}


def test_a_page_that_looks_like_a_listing_and_lists_what_no_other_does_is_one(tmp_path: Path) -> None:
    crawl = crawled(house(), tmp_path, link_model=str(credulous(tmp_path)))
    assert crawl.paths == sorted(f"/s/{n}.html" for n in range(32))
    assert crawl.counts["items/dropped/lists-articles"] == 4


def test_where_most_articles_look_like_listings_looks_tell_nothing() -> None:
    looks = LooksConvention()
    for number in range(8):
        looks.record("template-1", number < 4)
    assert looks.tell
    assert looks.of_family("template-1") is None
    looks.record("template-1", False)
    assert not looks.tell
    assert looks.of_family("template-1") is False
    assert looks.of_family("template-2") is True


def test_looks_are_kept() -> None:
    site = SiteModel("example.com")
    site.conventions.looks.record("template-1", True)
    site.conventions.looks.record("template-2", False)
    assert SiteModel.from_dict(site.to_dict()).conventions.looks == site.conventions.looks


# ---- pictures below an article
def planner(folder: Path) -> Planner:
    arguments = CrawlArguments.parse({"start": "http://a.example/", "scope": "site"})
    store = Stores(folder).crawl("a.example")
    store.begin("task")
    return Planner(arguments, Scope.of(arguments.start, "site"), store, UrlStats(Profile()), lambda name: None)


@pytest.mark.parametrize(
    ("url", "text", "kind", "wanted"),
    [
        (PICTURE, "", PageKind.ARTICLE, False),
        (PICTURE, "The disk again", PageKind.ARTICLE, True),
        (PICTURE, "", PageKind.LISTING, True),
        ("http://a.example/2012/05/drum/", "", PageKind.ARTICLE, True),
    ],
)
def test_a_link_without_words_from_an_article_to_one_step_below_it_waits(
    tmp_path: Path, url: str, text: str, kind: PageKind, wanted: bool
) -> None:
    plan = planner(tmp_path)
    scores = {"article": 0.97, "section": 0.02, "other": 0.01}
    source = RequestContext(STORY, Role.ARTICLE, 0.97), kind
    plan.sort([Link(url, text, "article", 0.97, scores)], parse(b"<p>Disk</p>", STORY), source)
    context = plan.next_article()
    assert (context is not None) is wanted
    assert wanted or [page.url for page in plan.frontier.waiting()] == [url]


# ---- archives in full text
def month(number: int) -> str:
    """One story of a month, whole, with a link to its own page."""
    text = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs(number, 6))
    end = f"<p>Posted by Ann on 2004-{number + 1:02d}-03 | <a href='/archives/0001{number:02d}.html'>{headline(number)} {number}</a></p>"
    return f"<html><body><a href='/'>Main</a><h1>2004-{number + 1:02d}</h1><h3>{headline(number)} {number}</h3>{text}{end}</body></html>"


def test_an_archive_in_full_text_keeps_its_promise(tmp_path: Path) -> None:
    pages: Pages = {f"/archives/0001{n:02d}.html": story(n) for n in range(12)}
    pages |= {f"/archives/2004_{n + 1:02d}.html": month(n) for n in range(12)}
    names = "January February March April May June July August September October November December".split()
    months = "".join(f"<a href='/archives/2004_{n + 1:02d}.html'>{name} 2004</a><br>" for n, name in enumerate(names))
    side = f"<div class='sidebar'><h2>Archives</h2>{months}</div>"
    crawl = crawled(pages | {"/": f"<html><body><h1>Diary</h1>{side}</body></html>"}, tmp_path)
    assert crawl.paths == sorted(path for path in pages if "/0001" in path)
    assert {item["url"] for item in crawl.feed} <= {HOME + path for path in pages}


# ---- pages that share no article
RULES = "".join(
    f"<h{n}>Rule {n}</h{n}><div class='r{n}'><p>What rule {n} asks of all who enter.</p></div>" for n in (2, 3, 4, 5, 6)
)


def entry(number: int) -> str:
    """An entry of a competition between its rules: a line of words, in each entry somewhere else."""
    line = f"<{(tag := ('b', 'q', 'dt', 'td', 'li', 'pre', 'th')[number % 7])}>{headline(number)} by class {number}</{tag}>"
    shown = f"<div class='e{number}'><div class='f{number}'>{line}</div></div>"
    return f"<html><head><title>Entry</title></head><body><a href='/'>Home</a>{RULES}{shown}<i>2024-05-{number % 28 + 1:02d}</i></body></html>"


def competition(stories: int) -> Pages:
    """So many stories, and sixteen entries of a competition."""
    pages: Pages = {f"/s/{n}.html": story(n) for n in range(stories)}
    pages |= {f"/entry/{n}.html": entry(n) for n in range(16)}
    links = "".join(f"<li><a href='{path}'>{headline(n)} {n}</a></li>" for n, path in enumerate(pages))
    return pages | {"/": f"<html><body><ul>{links}</ul></body></html>"}


def test_many_pages_that_share_no_article_leave_only_where_the_extractor_is_sure(tmp_path: Path) -> None:
    crawl = crawled(competition(32), tmp_path, link_model=str(credulous(tmp_path)))
    entries = [item for item in crawl.feed if "/entry/" in item["url"]]
    assert len(crawl.feed) == 32 + len(entries)
    assert crawl.counts["items/dropped/no-template"] == 16 - len(entries) >= 12
    assert all(item["provenance"]["confidence"] >= 0.3 for item in entries)


def test_where_no_larger_template_holds_all_leave(tmp_path: Path) -> None:
    crawl = crawled(competition(8), tmp_path, link_model=str(credulous(tmp_path)))
    assert len(crawl.feed) == 24


def test_what_shares_no_article_waits_for_the_run_that_goes_on(tmp_path: Path) -> None:
    pages, model = competition(32), str(credulous(tmp_path))
    first = Crawl.of(Network(pages), tmp_path / "state", link_model=model, max_pages=47)
    first.run()
    assert not first.counts["items/dropped/no-template"]
    again = Crawl.of(Network(pages), tmp_path / "state", feed=first.feed, link_model=model)
    again.run()
    assert again.counts["items/dropped/no-template"] >= 12
    assert len(again.paths) == len(set(again.paths)) == 48 - again.counts["items/dropped/no-template"]
