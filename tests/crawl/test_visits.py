"""Visit records: kept one by one, read back whatever happened to the file."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from sitecrawl.crawl.events import PageRead
from sitecrawl.crawl.records import RequestContext, Role
from sitecrawl.crawl.site_state import FAILED
from sitecrawl.crawl.visit import Loss, Visit
from sitecrawl.crawl.visit_fold import VisitFold
from sitecrawl.dom.parse import parse
from sitecrawl.errors import DatabaseError
from sitecrawl.extras.report.history import History
from sitecrawl.extras.report.rules import promised_in_vain
from sitecrawl.extras.visits import VisitLog, log_of, logs_of
from sitecrawl.items.kinds import PageKind
from sitecrawl.limits import LIMITS
from tests.crawl.driver import Crawl, Network, crawled, story_of
from tests.links.models import credulous
from tests.pages import article_page, listing_page
from tests.synthetic import article, listing, path

PAGES = {
    "/": listing_page(range(12)),
    **{f"/2024/05/a-{n}.html": article_page(n) for n in range(12)},
}


def record(number: int) -> Visit:
    return Visit(
        "a.example",
        ("http://a.example/",),
        began=f"2026-11-01T00:{number:02d}:00.000000Z",
        articles=number,
    )


def test_a_crawl_leaves_its_record(tmp_path: Path) -> None:
    crawl = crawled(PAGES, tmp_path)
    (visit,) = crawl.session.recorders[0].log.load()
    assert (visit.articles, visit.known, visit.completeness.shown, visit.reason) == (
        12,
        12,
        12,
        "finished",
    )
    assert visit.began < visit.ended
    assert visit.newest == "2024-05-12"
    assert visit.coverage["headline"] == visit.coverage["datePublished"] == 1.0
    assert sum(visit.answered.values()) == 12
    assert visit.counts["pages/article"] == crawl.counts["pages/article"]
    assert [event.kind for event in visit.events][:2] == ["induced", "trusted"]
    assert [loss.why for loss in visit.lost] == ["the server answered 404"]
    crawl = crawled(PAGES, tmp_path)
    assert [(visit.articles, visit.known) for visit in crawl.session.recorders[0].log.load()] == [
        (12, 12),
        (0, 12),
    ]


def test_a_visit_is_running_until_its_end(tmp_path: Path) -> None:
    crawl = Crawl.of(Network(dict(PAGES)), tmp_path)
    log = VisitLog(crawl.session.recorders[0].log.path)
    assert not log.is_running()
    next(crawl.steps())
    assert log.is_running()
    assert log.load()[0].ended == ""
    crawl.session.close("shutdown")
    crawl.session.ended(written=True, finished=False)
    assert not log.is_running()
    assert log.load()[0].reason == "shutdown"


@pytest.mark.parametrize("stop", ["max_articles", "shutdown"])
def test_record_and_last_line_tell_the_same_completeness(tmp_path: Path, stop: str) -> None:
    crawl = Crawl.of(
        Network(dict(PAGES)), tmp_path, max_articles=3 if stop == "max_articles" else 0
    )
    if stop == "shutdown":
        for _, _ in zip(crawl.steps(), range(6), strict=False):
            pass
        crawl.session.close("shutdown")
        crawl.session.ended(written=True, finished=False)
    else:
        crawl.run()
    (visit,) = crawl.session.recorders[0].log.load()
    assert visit.completeness.unread > 0
    said = story_of(crawl.session.visit)
    if visit.share is None:
        assert " % of the articles" not in said
    else:
        assert f"about {100 * visit.share:.0f} % of the articles" in said


def test_an_unchanged_site_has_no_percentage_that_moves(tmp_path: Path) -> None:
    """A later visit opens few listing pages: what it does not open is counted, not guessed."""
    pages = {path(number): article(number) for number in range(240)}
    pages |= {f"/page/{number}/": listing(number, 12) for number in range(12)}
    pages |= {"/": listing(0, 12)}
    told = set()
    for _ in range(4):
        crawl = Crawl.of(Network(dict(pages)), tmp_path)
        crawl.run()
        told |= set(re.findall(r"\d+ %", story_of(crawl.session.visit)))
        assert crawl.session.visit.completeness.share in (None, 1.0)
    assert told <= {"100 %"}


def test_a_crawl_that_never_began_leaves_no_record(tmp_path: Path) -> None:
    crawl = Crawl.of(Network({}), tmp_path)
    crawl.session.ended(written=True, finished=False)
    assert logs_of(tmp_path) == []


def test_the_latest_records_are_kept(tmp_path: Path) -> None:
    log = log_of(tmp_path, "a.example")
    for number in range(3):
        log.save(record(number))
    again = replace(record(1), lost=(Loss("no answer in time", "http://a.example/b", 3),))
    log.save(again)
    assert [one.articles for one in log.load()] == [0, 2, 1]
    assert log.load()[-1] == again
    log.save_all([record(number % 60) for number in range(LIMITS.visits + 5)])
    assert len(log.load()) == LIMITS.visits


def test_damaged_lines_are_passed_over(tmp_path: Path) -> None:
    log = log_of(tmp_path, "a.example")
    log.save(record(1))
    later = json.dumps({"site": "a.example", "began": "2026-11-02", "of_a_later_version": 1})
    foreign = [
        '{"site": "a.exa',
        "[]",
        '{"start": []}',
        "\x00\xff",
        '{"site": "b", "lost": [1]}',
        later,
    ]
    with log.path.open("a", encoding="latin-1") as lines:
        lines.write("\n".join(foreign))
    assert [one.began[:10] for one in log.load()] == ["2026-11-01", "2026-11-02"]


def test_a_log_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "visits").write_text("a file where a folder should be")
    with pytest.raises(DatabaseError, match="cannot be used"):
        log_of(tmp_path, "a.example").save(record(1))


def test_a_listing_that_once_looks_like_an_article_is_opened_again(tmp_path: Path) -> None:
    """On a real forum a board looked like a thread on the second visit, and no later visit opened
    it."""
    home = f'<main>{"Welcome. " * 9}</main><a href="/city/">City</a>'
    pages = {**PAGES, "/": home, "/city/": listing_page(range(8))}
    crawled(pages, tmp_path)
    pages["/city/"], model = article_page(40), str(credulous(tmp_path))
    second = crawled(pages, tmp_path, link_model=model)
    pages["/city/"] = listing_page(range(10))
    third = crawled(pages, tmp_path, link_model=model)
    assert second.kinds["/city/"] == PageKind.LISTING
    assert (second.paths, third.paths) == ([], ["/2024/05/a-8.html", "/2024/05/a-9.html"])


def test_a_start_page_that_once_looks_like_an_article_is_opened_again(tmp_path: Path) -> None:
    """A real page of tags was no listing to the model, and an article on the tenth visit: no later
    visit found anything."""
    store, found = Crawl.of(Network(PAGES), tmp_path).session.state, []
    kinds = (
        ("a", PageKind.OTHER, 12),
        ("b", PageKind.ARTICLE, 12),
        ("c", PageKind.OTHER, 2),
        ("d", PageKind.LISTING, 2),
    )
    for key, kind, shown in kinds:
        context = RequestContext(f"http://news.example/{key}", Role.START)
        store.pages.queue(context)
        store.pages.done(context.key, kind, shown=shown)
        store.pages.queue(context)
        found.append(store.pages.was_listing(context))
        store.pages.done(context.key, FAILED)  # a day on which the server is down
        store.pages.queue(context)
        assert store.pages.was_listing(context) == (key != "b")
    assert found == [True, False, False, True]


def test_the_start_page_is_kept_beside_many_pages_without_an_article() -> None:
    """A site that had moved was not called so on days with many such pages: the sample of its start
    page had to make room."""
    fold = VisitFold(record(1))
    for number in range(-1, 60):
        page, role = (
            parse(b"<p>Nothing</p>", f"http://b.example/{number}"),
            Role.ARTICLE if number >= 0 else Role.START,
        )
        fold.take(PageRead(page.url, PageKind.OTHER, role, 0.9, page))
    assert [one.url for one in fold.visit().samples if one.start] == ["http://b.example/-1"]
    assert len(fold.visit().samples) == 12


def test_later_pages_of_threads_are_no_pages_without_an_article(tmp_path: Path) -> None:
    """A forum whose threads grew was called broken: each page of a thread after the first counted
    as one behind whose link no article is."""
    pages = {"/": listing_page(range(12))}
    for number in range(12):
        path, page = f"/2024/05/a-{number}.html", article_page(number)
        more = (
            f'<div class="pages"><a href="{path}?page=2" rel="next">2</a></div><div class="share">'
        )
        pages[path] = page.replace('<div class="share">', more)
        pages[f"{path}?page=2"] = page.replace("the first paragraph", "the second part")
    crawl = crawled(pages, tmp_path)
    (visit,) = crawl.session.recorders[0].log.load()
    assert len(crawl.feed) == 12
    assert [tuple(one) for one in visit.pages_as if one[1] in ("article", "part")] == [
        ("article", "article", 12),
        ("article", "part", 12),
    ]
    tally = promised_in_vain(History([visit]))
    assert tally.totals == [12]
    assert [one.count for one in tally.bad] == [0]
