"""What a crawl decides without a network: arguments, URLs, scope, the frontier, the state."""

from __future__ import annotations

from pathlib import Path

import pytest
from scrapy.settings import Settings

from sitecrawl.crawl.config import ArgumentError, CrawlArguments, CrawlSettings
from sitecrawl.crawl.desk import Desk
from sitecrawl.crawl.frontier import Frontier
from sitecrawl.crawl.state import CrawlState
from sitecrawl.dom.parse import parse
from sitecrawl.links.classify import Link, classify
from sitecrawl.urls.canonical import clean_url, is_page, url_key
from sitecrawl.urls.pattern import url_folder, url_pattern
from sitecrawl.urls.scope import Scope
from tests.pages import listing_page


@pytest.mark.parametrize(
    ("given", "starts"),
    [
        ("http://a.example/x,y.html", ("http://a.example/x,y.html",)),
        ("http://a.example/,https://b.example/c", ("http://a.example/", "https://b.example/c")),
        ("a.example, b.example/c", ("http://a.example/", "http://b.example/c")),
        ("http://a.example", ("http://a.example/",)),
    ],
)
def test_start_addresses(given: str, starts: tuple[str, ...]) -> None:
    assert CrawlArguments.parse({"start": given}).start == starts


@pytest.mark.parametrize("given", ["", " , ", "ftp://a.example/", "http://[bad/", "http://a.example:port/"])
def test_start_addresses_that_are_none(given: str) -> None:
    with pytest.raises(ArgumentError):
        CrawlArguments.parse({"start": given})


@pytest.mark.parametrize("given", ["2024-13-01", "2026-02-31", "20260131", "2026-01-31\n", "2026-1-31"])
def test_days_that_are_none(given: str) -> None:
    with pytest.raises(ArgumentError, match="not a day"):
        CrawlArguments.parse({"start": "a.example", "since": given})


def test_credentials_in_an_address_are_refused_and_not_repeated() -> None:
    with pytest.raises(ArgumentError, match="not taken") as told:
        CrawlArguments.parse({"start": "http://ann:secret@a.example/"})
    assert "secret" not in str(told.value)


@pytest.mark.parametrize(("name", "least"), [("PATIENCE", 1), ("HOLD", 0), ("MAX_WAIT", 0)])
def test_settings_have_a_least(name: str, least: int) -> None:
    CrawlSettings.from_settings(Settings({f"SITECRAWL_{name}": least}))
    with pytest.raises(ArgumentError, match=f"SITECRAWL_{name}={least - 1} is too small"):
        CrawlSettings.from_settings(Settings({f"SITECRAWL_{name}": least - 1}))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://www.a.example/x", "https://a.example/x#top"),
        ("http://a.example/x/", "http://a.example/x"),
        ("http://a.example/%E4%B8%AD", "http://a.example/中"),
        ("http://a.example/x?utm_source=y&id=1", "http://a.example/x?id=1"),
        ("http://a.example/x;jsessionid=5F", "http://a.example/x"),
        ("http://a.example:80/", "http://a.example"),
        ("http://www.BÜCHER.example:81/x", "http://xn--bcher-kva.example:81/x"),
    ],
)
def test_spellings_of_one_page(one: str, other: str) -> None:
    assert url_key(one) == url_key(other)


def test_different_pages_have_different_keys() -> None:
    urls = [
        "http://a.example/x?id=1",
        "http://a.example/x?id=2",
        "http://a.example/X?id=1",
        "http://b.example/x?id=1",
        "http://a.example:81/x?id=1",
        "http://a.example/x%3Fid=1",
    ]
    assert len({url_key(url) for url in urls}) == len(urls)


@pytest.mark.parametrize("end", ["ref=101", "shareid=7", "from=us&to=uk", "from=2024-05-01", "from=20"])
def test_what_only_looks_like_tracking_stays(end: str) -> None:
    url = f"http://a.example/story?{end}"
    assert (clean_url(url), url_key(url)) == (url, f"a.example/story?{end}")


@pytest.mark.parametrize("end", ["ref=home", "share=twitter", "from=timeline", "from=", "utm_id=5"])
def test_tracking_is_no_part_of_an_address(end: str) -> None:
    url = f"http://a.example/story?{end}"
    assert (clean_url(url), url_key(url)) == ("http://a.example/story", "a.example/story")


def test_clean_urls_can_be_requested() -> None:
    assert clean_url("http://a.example/a b?fbclid=1#x") == "http://a.example/a%20b"
    assert clean_url("http://a.example/?q=a%20b&x=") == "http://a.example/?q=a%20b&x="


@pytest.mark.parametrize(
    "url",
    [
        "mailto:a@b.c",
        "http://a.example/x.pdf",
        "javascript:x",
        "http://a.example/" + "x" * 3000,
        "http://[bad/",
        "http://a.example/\ud83d",
    ],
)
def test_what_is_no_page(url: str) -> None:
    assert not is_page(url)


def test_patterns_and_families() -> None:
    assert url_pattern("http://a.example/2024/05/one-story.html") == url_pattern(
        "http://a.example/2023/11/more-news.html"
    )
    assert url_pattern("http://a.example/tag/red/") == url_pattern("http://a.example/tag/%E7%BA%A2/")
    assert url_pattern("http://a.example/tag/red/") != url_pattern("http://a.example/topic/red/")
    assert url_folder("http://a.example/c/x/2020/notes/") == url_folder("http://a.example/c/y/2021/texts/")


def test_scope() -> None:
    section = Scope.of(("http://www.a.example/news/index.html",), "section")
    assert section.holds("https://a.example/other/x.html")
    assert not section.holds("http://b.example/news/x.html")
    assert section.holds_section("http://a.example/news/page/2/")
    assert not section.holds_section("http://a.example/sport/")
    assert Scope.of(("http://a.example/news/",), "site").holds_section("http://a.example/sport/")


def test_a_link_is_asked_for_under_the_host_that_answered(tmp_path: Path) -> None:
    arguments = CrawlArguments.parse({"start": "http://www.a.example/"})
    state = CrawlState(tmp_path / "crawl.sqlite")
    desk = Desk(arguments, Scope.of(arguments.start, "site"), Frontier(), state, lambda name: None)
    page = parse(b"<html><body><p>News</p></body></html>", "http://www.a.example/")
    scores = {"article": 0.99, "section": 0.0, "other": 0.01}
    links = [
        Link(url, "The bridge", "article", 0.99, scores)
        for url in ("https://a.example/1.html", "http://www.a.example/2.html", "https://www.a.example/3.html")
    ]
    found = [wanted.url for wanted in desk.sort(links, page, {"kind": "listing"})]
    assert found == ["http://www.a.example/1.html", "http://www.a.example/2.html", "https://www.a.example/3.html"]


@pytest.mark.parametrize("start", ["http://bücher.example/", "http://xn--bcher-kva.example/"])
def test_an_international_host_is_one_host_in_both_spellings(tmp_path: Path, start: str) -> None:
    arguments = CrawlArguments.parse({"start": start})
    state = CrawlState(tmp_path / "crawl.sqlite")
    desk = Desk(arguments, Scope.of(arguments.start, "site"), Frontier(), state, lambda name: None)
    text = listing_page(range(12)).replace('href="/2024/05/a-1.html', 'href="http://bücher.example/2024/05/a-1.html')
    page = parse(text, "http://xn--bcher-kva.example/")
    found = [wanted.url for wanted in desk.sort(classify(page), page, {"kind": "listing"}) if wanted.label == "article"]
    assert sorted(found) == sorted(f"http://xn--bcher-kva.example/2024/05/a-{n}.html" for n in range(12))


def test_what_was_known_before_a_restart_proves_nothing(tmp_path: Path) -> None:
    """A listing page that an interrupted run had read shows known articles only, and so does every page of a second run."""
    state = CrawlState(tmp_path / "crawl.sqlite")
    state.begin("task")
    for n in range(10):
        state.queue(f"a.example/{n}.html", f"http://a.example/{n}.html", "article", {})
    arguments = CrawlArguments.parse({"start": "http://a.example/"})
    desk = Desk(arguments, Scope.of(arguments.start, "site"), Frontier(), state, lambda name: None)
    desk.recall()
    desk.seen.update(wanted.key for wanted in desk.left_over())
    page = parse(b"<html><body><p>News</p></body></html>", "http://a.example/news/")
    scores = {"article": 0.99, "section": 0.0, "other": 0.01}
    for sort in (1, 2):
        links = [Link(f"http://a.example/{n}.html", "The bridge", "article", 0.99, scores) for n in range(20)]
        found = desk.sort(links, page, {"kind": "listing"})
        assert len(found) == (10 if sort == 1 else 0)
    assert desk.met_again == {f"a.example/{n}.html" for n in range(10, 20)}
    for n in range(3):
        desk.frontier.record(f"http://a.example/{n}/", 0, desk.met_again)
    assert desk.frontier.exhausted
    desk.frontier.found = 40
    assert not desk.frontier.exhausted


def test_what_pages_were_is_known_after_a_restart(tmp_path: Path) -> None:
    state = CrawlState(tmp_path / "crawl.sqlite")
    state.begin("task")
    for n in range(9):
        for kind in ("article", "listing", "failed"):
            state.queue(f"{kind} {n}", f"http://a.example/{kind}/{n}.html", "article", {})
            state.done(f"{kind} {n}", kind)
    arguments = CrawlArguments.parse({"start": "http://a.example/"})
    desk = Desk(arguments, Scope.of(arguments.start, "site"), Frontier(), state, lambda name: None)
    desk.recall()
    assert desk.tallies.is_hopeless("http://a.example/listing/99.html")
    assert desk.tallies.is_article_family("http://a.example/article/99.html")
    assert not desk.tallies.is_hopeless("http://a.example/failed/99.html")
    assert desk.frontier.found == 9


def test_untried_patterns_come_by_promise_then_by_order_and_a_tried_one_in_between() -> None:
    frontier = Frontier()
    for number, (folder, score) in enumerate([("ab", 0.5), ("cd", 0.9), ("ef", 0.5), ("cd", 0.9), ("ab", 0.5)]):
        frontier.add(f"http://a.example/{folder}/x/{number}", "section", score, 1)
    taken = [frontier.pop() for _ in range(2)]
    frontier.add("http://a.example/cd/x/5", "section", 0.9, 1)
    frontier.record("http://a.example/ef/x/9", 3)
    taken += [frontier.pop() for _ in range(5)]
    assert [candidate.url[-6:] if candidate else "" for candidate in taken] == [
        *("cd/x/1", "cd/x/3", "cd/x/5", "ef/x/2", "ab/x/0", "ab/x/4"),
        "",
    ]


def test_the_frontier_prefers_what_brings_articles_and_parks_what_does_not() -> None:
    frontier = Frontier(patience=6)
    for number in range(20):
        frontier.add(f"http://a.example/tag/t{number}x/", "section", 0.9, 1)
        frontier.add(f"http://a.example/page/{number}/", "pagination", 0.9, 1)
    fetched = []
    while (candidate := frontier.pop()) is not None:
        fetched.append(candidate.url)
        frontier.record(candidate.url, 5 if "/page/" in candidate.url else 0)
    pages = [url for url in fetched if "/page/" in url]
    assert len(pages) == 20
    assert fetched[:20] == pages
    assert len(fetched) - len(pages) <= 3
    assert frontier.parked() >= 17
