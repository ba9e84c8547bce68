"""A visit among faults of the server loses no article for good: later visits, undisturbed, bring
it."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from sitecrawl.extras.demo import headline
from tests.crawl.chaos import site_of
from tests.crawl.driver import Crawl, Network, Pages, Reply, crawled
from tests.synthetic import article

_PLAN = {
    "articles": 104,
    "teasers": 8,
    "layouts": 1,
    "sections": 1,
    "related": 0,
    "paragraphs": 3,
    "etags": False,
}
_DEEP = "/page/0/8/"  # a listing page that a visit without news does not reach


def site() -> tuple[Pages, set[str]]:
    """An archive of 13 listing pages in a row, and the paths of its articles."""
    pages, texts = site_of(_PLAN)
    return dict(pages), set(texts)


def visits(folder: Path, first: Pages, later: Pages, *, count: int = 2, **last: str) -> Crawl:
    """The last of some visits; its feed holds the items of all. ``last`` are its arguments."""
    feed: list[dict[str, Any]] = []
    Crawl.of(Network(first), folder, feed).run()
    for _ in range(count - 1):
        Crawl.of(Network(later), folder, feed).run()
    crawl = Crawl.of(Network(later), folder, feed, **last)
    crawl.run()
    return crawl


def cut(page: str, mark: str) -> str:
    assert mark in page
    return page[: page.index(mark)]


def faulty(page: str, fault: str, chance: Random) -> str | Reply:
    """What a server in trouble sends in place of a page."""
    match fault:
        case "5xx":
            return Reply(status=chance.choice((500, 502, 503, 504)))
        case "no answer":
            return Reply(status=0)
        case "cut":
            return page[: chance.randrange(len(page))]
        case _:
            return page[: page.index("<h1>")]


FAULTS = ("5xx", "no answer", "cut", "cut below the menu")


@pytest.mark.parametrize("fault", [*FAULTS, "all"])
@pytest.mark.parametrize("seed", range(2))
def test_every_article_comes_by_the_third_visit(tmp_path: Path, fault: str, seed: int) -> None:
    pages, articles = site()
    chance = Random(seed)
    first: Pages = dict(pages)
    for path, page in pages.items():
        if path != "/" and chance.random() < chance.choice((0.1, 0.5)):
            one = chance.choice(FAULTS) if fault == "all" else fault
            first[path] = faulty(page, one, chance)
    crawl = visits(tmp_path, first, pages)
    assert set(crawl.paths) == articles


@pytest.mark.parametrize("mark", ["<h1>", 'class="teaser"', "</h1>"])
def test_a_listing_page_that_came_cut_is_read_whole_by_the_next_visit(
    tmp_path: Path, mark: str
) -> None:
    pages, articles = site()
    crawl = visits(tmp_path, pages | {_DEEP: cut(pages[_DEEP], mark)}, pages, count=1)
    assert crawl.paths == sorted(articles)


def test_an_article_that_came_cut_is_read_whole_by_the_next_visit(tmp_path: Path) -> None:
    pages, articles = site()
    path = next(path for path in sorted(articles) if path in pages[_DEEP])
    crawl = visits(tmp_path, pages | {path: cut(pages[path], "<h1>")}, pages, count=1)
    assert crawl.paths == sorted(articles)


def _with_reports(pages: Pages, *, gone: int, count: int = 30) -> tuple[Pages, list[str]]:
    """The site with a list of links on a deep page, of which the first ones lead nowhere; and the
    paths of the others."""
    paths = [f"/archive/1999/{n}-an-old-report-of-the-town.html" for n in range(count)]
    rows = "".join(
        f'<li><a href="{path}">Old report: {headline(500 + n)}, case {500 + n}</a></li>'
        for n, path in enumerate(paths)
    )
    listed = pages[_DEEP].replace("<h1>", f"<ul>{rows}</ul><h1>")
    there = {path: article(500 + n) for n, path in enumerate(paths) if n >= gone}
    return pages | there | {_DEEP: listed}, list(there)


def test_faults_are_no_evidence_against_links_beside_dead_ones(tmp_path: Path) -> None:
    pages, articles = site()
    later, reports = _with_reports(pages, gone=14, count=60)
    first = later | dict.fromkeys(reports[:5], Reply(status=503))
    crawl = visits(tmp_path, first, later)
    assert crawl.paths == sorted([*articles, *reports])


def test_full_effort_asks_for_articles_that_were_left_out_beside_dead_links(
    tmp_path: Path,
) -> None:
    """Also where no page names them any more."""
    pages, _ = site()
    dead, _ = _with_reports(pages, gone=60, count=60)
    there, reports = _with_reports(pages, gone=0, count=60)
    there[_DEEP] = pages[_DEEP]
    first = Network(dead)
    Crawl.of(first, tmp_path).run()
    left_out = set(reports) - set(first.asked)
    assert left_out
    assert not left_out & set(crawled(there, tmp_path).paths)
    assert set(crawled(there, tmp_path, effort="full").paths) == left_out
