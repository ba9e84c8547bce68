"""URL facts: dates, pages, ids, patterns."""

from __future__ import annotations

from urllib.parse import urljoin

import pytest

from sitecrawl.links.url_facts import URL_FEATURES, UrlFacts, url_facts
from sitecrawl.urls.canonical import absolute_url


def value(url: str, name: str) -> float:
    return url_facts(url).values[URL_FEATURES.index(name)]


def test_one_value_a_feature() -> None:
    for url in (
        "",
        "http://a.org",
        "http://a.org/x?y=1",
        "mailto:x",
        "http://[",
        "http://a.org/%ff%fe/",
    ):
        facts = url_facts(url)
        assert isinstance(facts, UrlFacts)
        assert len(facts.values) == len(URL_FEATURES)


@pytest.mark.parametrize(
    ("url", "date", "end"),
    [
        ("http://a.org/2007/07/06/first-race-2007/", 1, 0),
        ("http://a.org/2007/07/", 0, 1),
        ("http://a.org/archives/2004_01.html", 0, 1),
        ("http://a.org/news/t20190705_12.html", 1, 0),
        ("http://a.org/race-2007/", 0, 0),
    ],
)
def test_dates(url: str, date: int, end: int) -> None:
    assert (value(url, "date"), value(url, "date_end")) == (date, end)


@pytest.mark.parametrize(
    "url",
    [
        "http://a.org/page/2/",
        "http://a.org/news/index_3.html",
        "http://a.org/page12",
        "http://a.org/list-4.html",
    ],
)
def test_numbered_pages(url: str) -> None:
    assert value(url, "page_number") == 1


def test_patterns_blur_what_varies() -> None:
    one, two = url_facts("http://a.org/news/743.html"), url_facts("http://a.org/news/18.html")
    assert one.pattern == two.pattern == "a.org/news/#.html"
    assert url_facts("http://a.org/x/index.html").stem == url_facts("http://a.org/x/").stem


def test_an_archive_is_a_listing_and_what_lies_below_it_may_be_articles() -> None:
    assert value("http://a.org/archives/", "last_u_section") == 1
    assert value("http://a.org/archives/12.html", "dir_u_section") == 0
    assert value("http://a.org/archives/12.html", "dir_u_article") == 1


def test_numbered_pictures_are_attachments() -> None:
    assert value("http://a.org/2009/09/a-house/img_3960/", "last_u_attachment") == 1
    assert value("http://a.org/2009/09/a-house/", "last_u_attachment") == 0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://a.org/x/", "https://A.org/x#top"),
        ("http://a.org/x/?a=b", "http://a.org/x/?a=b#c"),
    ],
)
def test_spellings_of_one_url_share_a_key(one: str, other: str) -> None:
    assert url_facts(one).key == url_facts(other).key


def test_pages_below_lie_at_home() -> None:
    assert (
        url_facts("http://a.org/news/city.html").home
        == url_facts("http://a.org/news/city/1.html").above
    )
    assert (
        url_facts("http://a.org/index.html").home
        == url_facts("http://a.org/x.html").above
        == "a.org/"
    )


@pytest.mark.parametrize(
    ("url", "leads"),
    [
        ("http://a.org/x.html", True),
        ("http://a.org/x.pdf", False),
        ("http://a.org/feed/", False),
        ("http://a.org/author/ann/", False),
        ("http://a.org/author/", True),
        ("http://a.org/x?share=y", False),
    ],
)
def test_what_may_lead_to_a_page(url: str, leads: bool) -> None:
    assert url_facts(url).leads is leads


def test_feeds_are_no_directories() -> None:
    assert value("http://a.org/posts/index.xml", "file") == 1


@pytest.mark.parametrize(
    "base",
    ["http://a.org/b/c/d.html?x=/../y", "http://a.org", "http://a.org/b//c/", "http://a.org/b/"],
)
@pytest.mark.parametrize(
    "href",
    [
        *(
            "x.html",
            "../x.html",
            "../../x",
            "../../../../x",
            "./x",
            "././x",
            "../",
            "..",
            ".",
            "",
            "?p=2",
            "#top",
            "x#top",
            "x?",
        ),
        *(
            "/x",
            "//b.org/x",
            "/x/../y",
            "x/../y",
            "../x//y",
            "http://b.org",
            "HTTP://b.org/x",
            "mailto:a@b.org",
            "x;p",
        ),
    ],
)
def test_join_is_that_of_the_standard_library(base: str, href: str) -> None:
    assert absolute_url(base, href) == urljoin(base, href)


def test_join_survives_junk() -> None:
    assert absolute_url("http://a.org/b/", " ../c\n?d ") == "http://a.org/c?d"
    assert absolute_url("http://a.org/", "http://[::1") == ""
