"""Traps: every article is found, and few requests go where nothing is."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler
from itertools import islice
from pathlib import Path

import pytest

from sitecrawl.crawl.traps import Traps
from sitecrawl.extras.demo import headline
from sitecrawl.urls.canonical import clean_url, has_session, url_key
from tests.crawl.driver import HOME, Crawl, Network, crawled
from tests.crawl.runner import crawl, send, served
from tests.crawl.test_page_kinds import story
from tests.crawl.traps import ALWAYS_NEW, ANSWERS, ARTICLES, trap_site
from tests.links.models import credulous
from tests.pages import article_page, listing_page

_ORDINARY = ("/robots.txt", "/", "/city/page/2/", "/politics/", "/sport/", "/about.html", "/staff/")
COUNTED = {
    "calendar": "barren",
    "calendar by query": "",
    "days": "",
    "sessions": "sessions",
    "facets": "facets",
    "empty pages": "barren",
    "repeated pages": "barren",
    "folders": "folders",
}
"""The statistic of each trap; none where the link model leaves it alone."""


@pytest.mark.parametrize("scope", ["section", "site"])
@pytest.mark.parametrize("kind", sorted(ANSWERS))
def test_a_trap_costs_few_requests(tmp_path: Path, kind: str, scope: str) -> None:
    found = crawled(trap_site(kind), tmp_path, scope=scope, max_pages=150)
    asked = [
        path
        for path in found.network.asked
        if not path.startswith(("/2024/",)) and path not in _ORDINARY
    ]
    assert found.session.visit.code == 0
    assert {path.rpartition("/")[2].partition("?")[0] for path in found.paths} >= {
        f"a-{n}.html" for n in ARTICLES
    }
    assert len(found.feed) <= len(ARTICLES) + 3
    assert len(asked) <= 50, asked
    if COUNTED[kind] and (scope == "site" or kind != "sessions"):
        assert found.counts[f"traps/{COUNTED[kind]}"]


@pytest.mark.parametrize("kind", sorted(ALWAYS_NEW))
def test_articles_under_new_urls_without_end_come_to_an_end(tmp_path: Path, kind: str) -> None:
    """Twenty articles were written as 170 items, and the crawl asked on without end."""
    page = trap_site(kind)["*"]

    def answer(handler: BaseHTTPRequestHandler) -> None:
        text = None if handler.path == "/robots.txt" else page(handler.path)
        send(handler, 404 if text is None else 200, (text or "").encode())

    with served({"*": answer}) as site:
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl", "-a", "max_pages=400")
        assert len(site.asked) < 260
    assert run.code == 0
    assert len({item["headline"] for item in run.items}) == len(ARTICLES)
    assert len(run.items) <= len(ARTICLES) + 2


@pytest.mark.parametrize("kind", sorted(ALWAYS_NEW))
def test_each_text_under_new_urls_leaves_once_when_answers_come_one_by_one(
    tmp_path: Path, kind: str
) -> None:
    """All copies of ten articles waited and were then refused, each as a repetition of the
    others."""
    found = crawled(trap_site(kind), tmp_path)
    assert len({item["headline"] for item in found.feed}) == len(found.feed) == len(ARTICLES)
    assert len(found.network.asked) < 220


def repeated(folder: Path, *, again: int) -> Crawl:
    """A crawl of twelve posts, the first ``again`` of which were published under another number as
    well; both are listed apart."""
    paths = [f"/news/{n}.html" for n in range(12)], [f"/town/{40 + n}.html" for n in range(again)]
    lists = (
        "".join(f"<li><a href='{path}'>{headline(n)} {n}</a></li>" for n, path in enumerate(one))
        for one in paths
    )
    first, other = (
        f"<html><body><a href='/town/'>Town</a><ul>{links}</ul></body></html>" for links in lists
    )
    posts = {path: story(n, "single single-post") for one in paths for n, path in enumerate(one)}
    crawl = Crawl.of(
        Network({"/": first, "/town/": other, **posts}), folder, link_model=str(credulous(folder))
    )
    crawl.run()
    return crawl


def test_a_site_may_publish_some_texts_twice(tmp_path: Path) -> None:
    assert len(repeated(tmp_path, again=5).feed) == 17


def one_text(url: str) -> str:
    """What a server answers that sends one article for whatever is asked."""
    return (
        listing_page(range(12))
        if url == f"{HOME}/"
        else article_page(3).replace("8:30", f"8:{len(url)}")
    )


@pytest.mark.parametrize("kill", range(1, 16, 2))
def test_texts_are_known_after_a_kill(tmp_path: Path, kill: int) -> None:
    whole = Crawl.of(Network({"*": one_text}), tmp_path / "whole")
    whole.run()
    killed = Crawl.of(Network({"*": one_text}), tmp_path / "killed")
    for _ in islice(killed.steps(), kill):
        pass
    killed.kill()
    again = Crawl.of(Network({"*": one_text}), tmp_path / "killed", killed.feed)
    again.run()
    assert again.paths == whole.paths
    assert len(whole.paths) <= 2


@pytest.mark.parametrize(
    "end",
    ["?PHPSESSID=a1", ";jsessionid=5F.node1", "?sid=0a1b2c3d4e5f60718293", "?s=0a1b2c3d4e5f60718293", "?osCsid=1&CFTOKEN=2"],
)  # fmt: skip
def test_a_session_is_no_part_of_an_address(end: str) -> None:
    url = f"http://a.example/story.html{end}"
    assert has_session(url)
    assert clean_url(url) == "http://a.example/story.html"
    assert url_key(clean_url(url)) == "a.example/story.html"


def test_a_session_may_be_a_folder() -> None:
    assert url_key("http://a.example/(S(x1y2z3))/story.html") == "a.example/story.html"
    assert clean_url("http://a.example/(A(k)S(x1y2z3))/story.html") == "http://a.example/story.html"


@pytest.mark.parametrize(
    "end", ["?sid=42", "?s=bridge", "?session=morning", "?from=20", "?token=abc"]
)
def test_what_only_looks_like_a_session_stays(end: str) -> None:
    assert not has_session(f"http://a.example/story{end}")
    assert url_key(f"http://a.example/story{end}") == f"a.example/story{end}"


def test_the_order_of_parameters_does_not_count() -> None:
    assert url_key("http://a.example/x?b=2&a=1") == url_key("http://a.example/x?a=1&b=2")
    assert url_key("http://a.example/x?a=2&a=1") != url_key("http://a.example/x?a=1&a=2")


def test_a_chain_of_barren_pages_ends() -> None:
    traps, url = Traps(patience=3), "http://a.example/"
    traps.record(url, 5, found_on=None)
    for number in range(3):
        deeper = f"http://a.example/{'x' * number}y/"
        assert not traps.holds(deeper, url)
        traps.record(deeper, 0, found_on=url)
        url = deeper
    assert traps.holds("http://a.example/page/9/", url) == "barren"
    assert not traps.holds("http://a.example/page/9/", "http://a.example/")


def test_parameters_that_brought_something_are_no_facets() -> None:
    traps = Traps()
    for name in ("sort", "color", "size", "view"):
        traps.record(f"http://a.example/list?{name}=1", 0, found_on=None)
    traps.record("http://a.example/list?cat=1", 3, found_on=None)
    assert traps.holds("http://a.example/list?sort=2&page=3", None) == "facets"
    assert not traps.holds("http://a.example/list?cat=2&page=3", None)
    assert not traps.holds("http://a.example/other?sort=2", None)


def test_a_thorough_crawl_leaves_out_circles_and_what_has_no_end() -> None:
    traps, url = Traps(patience=10), "http://a.example/"
    for name in ("sort", "color", "size", "view"):
        traps.record(f"http://a.example/list?{name}=1", 0, found_on=None)
    assert not traps.holds("http://a.example/list?tone=2", None, thorough=True)
    assert traps.bars("http://a.example/a/b/a/b/") == "folders"
    for number in range(10):
        deeper = f"http://a.example/{'x' * number}y/"
        assert not traps.holds(deeper, url, thorough=True)
        traps.record(deeper, 0, found_on=url)
        url = deeper
    assert traps.holds("http://a.example/page/9/", url, thorough=True) == "barren"


def test_a_page_below_another_with_the_same_relative_links_leads_nowhere() -> None:
    traps, links = Traps(), [("news/", "News"), ("town/", "Town"), ("/", "Home")]
    assert not traps.reflects("http://a.example/", links)
    assert traps.reflects("http://a.example/town/", links)
    assert not traps.reflects("http://b.example/town/", links)
    assert not traps.reflects("http://a.example/town/", [*links, ("old/", "Old")])


def test_pages_with_links_that_lead_everywhere_alike_are_no_circle() -> None:
    traps, links = Traps(), [("/news/", "News"), ("/town/", "Town"), ("/", "Home")]
    assert not any(
        traps.reflects(f"http://a.example/{folder}", links) for folder in ("", "town/", "town/old/")
    )


def test_what_makes_an_address_new_each_time_is_no_part_of_it() -> None:
    assert url_key("http://a.example/story?_=1700000000000") == "a.example/story"
    assert url_key("http://a.example/story?_=7") == "a.example/story?_=7"
