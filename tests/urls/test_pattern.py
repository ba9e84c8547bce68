"""One pattern function: what pages of one kind share, whatever the spelling; and what is coarser
than a pattern."""

from __future__ import annotations

import pytest

from sitecrawl.links.url_facts import url_facts
from sitecrawl.urls.canonical import url_key
from sitecrawl.urls.pattern import turns_pages, url_folder, url_pattern
from sitecrawl.urls.scope import registered_domain

HOST = "http://www.example.com"
URLS = [
    "/",
    "/news/",
    "/news/index.html",
    "/news/2024/05/a-story-of-the-town.html",
    "/forum-4.html",
    "/topic-138.html",
    "/viewtopic.php?t=7&start=15",
    "/%E6%96%B0%E9%97%BB/12",
    "/a/43c09f.html",
    "/?p=12",
]


@pytest.mark.parametrize("path", URLS)
def test_spellings_of_a_page_share_a_pattern(path: str) -> None:
    other = f"https://example.com{path}#top"
    assert url_key(HOST + path) == url_key(other)
    assert url_pattern(HOST + path) == url_pattern(other)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("/forum-4.html", "/forum-12.html", True),
        ("/forum-4.html", "/topic-4.html", False),
        ("/profile-9", "/topic-9", False),
        ("/thread-12-1-1.html", "/thread-9-2-1.html", True),
        ("/viewtopic.php?t=7", "/viewforum.php?f=7", False),
        ("/viewtopic.php?t=7", "/viewtopic.php?t=8", True),
        ("/about", "/contact", True),
        ("/about", "/a-longer-story-of-the-day", False),
        ("/news/1.html", "/notes/1.html", False),
        ("/news/a-story-of-2024.html", "/news/the-bridge-9.html", True),
    ],
)
def test_pages_of_one_kind_share_a_pattern(one: str, other: str, same: bool) -> None:
    assert (url_pattern(HOST + one) == url_pattern(HOST + other)) is same


@pytest.mark.parametrize("path", URLS)
def test_the_folder_depends_on_the_pattern_alone(path: str) -> None:
    assert url_folder(HOST + path).count("/") == url_pattern(HOST + path).count("/")
    assert url_facts(HOST + path).pattern == "example.com" + url_pattern(HOST + path)


@pytest.mark.parametrize(
    ("path", "turns"),
    [
        ("/page/2/", True),
        ("/list_3.html", True),
        ("/news?page=2", True),
        ("/news/", False),
        ("/page/about", False),
    ],
)
def test_urls_that_turn_pages(path: str, turns: bool) -> None:
    assert turns_pages(HOST + path) is turns


@pytest.mark.parametrize("url", ["", "mailto:x", "http://[", "http://a.org/%ff%fe/"])
def test_junk_has_a_pattern(url: str) -> None:
    assert url_pattern(url).startswith("/")


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("news.example.co.uk", "example.co.uk"),
        ("www.example.gov.cn", "example.gov.cn"),
        ("ann.github.io", "ann.github.io"),
        ("localhost:8000", "localhost"),
        ("", ""),
    ],
)
def test_registered_domains(host: str, domain: str) -> None:
    assert registered_domain(host) == domain


def test_many_digits_before_a_letter_take_no_longer_than_others() -> None:
    """A link to `a111…1x` with 40 digits stopped a crawl for hours: its expression tried each way
    to divide the digits."""
    assert url_pattern(f"http://a.example/news/a{'1' * 40}x.html") == "/news/*#.html"
