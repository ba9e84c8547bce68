"""What a crawl decides before it begins: arguments, URLs, scope."""

from __future__ import annotations

import pytest
from scrapy.settings import Settings

from sitecrawl.crawl.config import ArgumentError, CrawlArguments, CrawlSettings
from sitecrawl.urls.canonical import clean_url, is_page, url_key
from sitecrawl.urls.pattern import url_folder, url_pattern


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


@pytest.mark.parametrize(
    "given", ["", " , ", "ftp://a.example/", "http://[bad/", "http://a.example:port/"]
)
def test_start_addresses_that_are_none(given: str) -> None:
    with pytest.raises(ArgumentError):
        CrawlArguments.parse({"start": given})


@pytest.mark.parametrize(
    "given", ["2024-13-01", "2026-02-31", "20260131", "2026-01-31\n", "2026-1-31"]
)
def test_days_that_are_none(given: str) -> None:
    with pytest.raises(ArgumentError, match="not a day"):
        CrawlArguments.parse({"start": "a.example", "since": given})


def test_credentials_in_an_address_are_refused_and_not_repeated() -> None:
    with pytest.raises(ArgumentError, match="not taken") as told:
        CrawlArguments.parse({"start": "http://ann:secret@a.example/"})
    assert "secret" not in str(told.value)


def test_a_setting_has_a_least() -> None:
    CrawlSettings.from_settings(Settings({"SITECRAWL_MAX_WAIT": 0}))
    with pytest.raises(ArgumentError, match="SITECRAWL_MAX_WAIT=-1 is too small"):
        CrawlSettings.from_settings(Settings({"SITECRAWL_MAX_WAIT": -1}))


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


@pytest.mark.parametrize(
    "end", ["ref=101", "shareid=7", "from=us&to=uk", "from=2024-05-01", "from=20"]
)
def test_what_only_looks_like_tracking_stays(end: str) -> None:
    url = f"http://a.example/story?{end}"
    assert (clean_url(url), url_key(url)) == (url, f"a.example/story?{end}")


@pytest.mark.parametrize("end", ["ref=home", "share=twitter", "from=timeline", "from=", "utm_id=5"])
def test_tracking_is_no_part_of_an_address(end: str) -> None:
    url = f"http://a.example/story?{end}"
    assert clean_url(url) == "http://a.example/story"


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
    assert url_pattern("http://a.example/2024/05/old-story.html") == url_pattern(
        "http://a.example/2023/11/more-news.html"
    )
    assert url_pattern("http://a.example/tag/red/") == url_pattern(
        "http://a.example/tag/%E7%BA%A2/"
    )
    assert url_pattern("http://a.example/tag/red/") != url_pattern("http://a.example/topic/red/")
    assert url_folder("http://a.example/c/x/2020/notes/") == url_folder(
        "http://a.example/c/y/2021/texts/"
    )
