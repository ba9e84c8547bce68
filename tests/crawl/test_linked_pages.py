"""Which pages belong to a crawl."""

from __future__ import annotations

import pytest

from sitecrawl.crawl.linked_pages import SitePages


@pytest.mark.parametrize(
    "start", ["/news/", "/news/index.html", "/news/page/9/", "/news/list_3.html"]
)
def test_a_section_is_the_folder_of_its_start_page(start: str) -> None:
    pages = SitePages.of([f"http://www.a.example{start}"], "section")
    assert pages.holds("https://a.example/other/x.html")
    assert not pages.holds("http://b.example/news/x.html")
    assert pages.holds_section("http://a.example/news/page/2/")
    assert not pages.holds_section("http://a.example/sport/")
    assert not pages.is_whole("http://a.example/news/")


@pytest.mark.parametrize(
    ("start", "scope"), [("/", "section"), ("/Default.aspx", "section"), ("/news/", "site")]
)
def test_the_section_of_a_home_page_is_its_host(start: str, scope: str) -> None:
    pages = SitePages.of([f"http://a.example{start}"], scope)
    assert pages.holds_section("http://a.example/sport/")
    assert pages.is_whole("http://a.example/news/1.html")


def test_each_start_page_has_its_own_section() -> None:
    pages = SitePages.of(
        ["http://a.example/", "http://b.example/news/", "http://b.example/blog/"], "section"
    )
    assert pages.is_whole("http://a.example/x")
    held = [
        pages.holds_section(f"http://b.example/{folder}/") for folder in ("news", "blog", "shop")
    ]
    assert (held, pages.is_whole("http://b.example/news/")) == ([True, True, False], False)


@pytest.mark.parametrize(("start", "shop"), [("/", True), ("/news/", False)])
def test_a_start_page_that_moved_brings_its_new_section(start: str, shop: bool) -> None:
    pages = SitePages.of([f"http://a.example{start}"], "section")
    pages.widen("http://b.example/aktuell/")
    assert pages.holds_section("http://b.example/aktuell/2/")
    assert pages.holds_section("http://b.example/shop/") == shop


def test_a_host_of_the_same_owner_has_the_same_folders() -> None:
    pages = SitePages.of(["http://a.example/news/"], "section")
    pages.adopt("b.example")
    assert pages.holds_section("http://b.example/news/2/")
    assert not pages.holds_section("http://b.example/shop/")
