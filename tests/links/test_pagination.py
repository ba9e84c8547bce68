"""Which link leads to the next part of an article, and which only to the next article."""

from __future__ import annotations

import pytest

from sitecrawl.dom.parse import parse
from sitecrawl.links.pagination import first_part, next_part, part_number

HOST = "http://news.example"
A = "/city/2024/bridge-9.html"


def part(path: str, links: str, head: str = "") -> tuple[str | None, str | None]:
    page = parse(
        f"<html><head>{head}</head><body><h1>A bridge</h1><p>Text.</p>{links}</body></html>",
        HOST + path,
    )
    return next_part(page), first_part(page)


@pytest.mark.parametrize(
    ("first", "other", "number"),
    [
        ("/a/b.html", "/a/b_2.html", 2), ("/a/b.html", "/a/b-2.html", 2), ("/a/b/", "/a/b/2/", 2), ("/a/b", "/a/b/page/2", 2),
        ("/a/b.html", "/a/b.html?page=3", 3), ("/v.php?t=1", "/v.php?t=1&start=15", 15), ("/v.php?t=1&page=1", "/v.php?t=1&page=2", 2),
        ("/t/7", "/t/7?page=1", 1), ("/t/7?page=0", "/t/7?page=1", 1), ("/t/7?page=1", "/t/7?page=0", 0), ("/thread-12-1-1.html", "/thread-12-2-1.html", 2), ("/a/b_1.html", "/a/b_2.html", 2), ("/a/index.html", "/a/index_1.html", 1),
        ("/thread-12-1-1.html", "/thread-13-1-1.html", 0), ("/a/1.html", "/a/2.html", 0), ("/a/b_3.html", "/a/b_4.html", 0), ("/a/b", "/a/c", 0),
        ("/a/b", "/a/b?page=1", 1), ("/a/b?page=0", "/a/b?page=1", 1), ("/v.php?t=1", "/v.php?t=1&sid=5f0a93b1c2d4e6f708192a3b4c5d6e7f&start=15", 15),
        ("/index.php?topic=7.0", "/index.php?topic=7.15", 15), ("/index.php?topic=7.0", "/index.php?topic=8.15", 0), ("/index.php?topic=7.15", "/index.php?topic=7.30", 0),
        ("/showthread.php?7-bridge", "/showthread.php?7-bridge/page2", 2), ("/showthread.php?7-bridge", "/showthread.php?8-tram/page2", 0),
        ("/a/b?x=1", "/a/b?x=2", 0), ("/", "/2", 0), ("/a-9.html", "/a-10.html", 0), ("/a/b?page=2", "/a/b?page=3", 0), ("/a/b", "/a/b", 0),
    ],
)  # fmt: skip
def test_urls_of_one_article_differ_in_a_page_number(first: str, other: str, number: int) -> None:
    assert part_number(HOST + first, HOST + other) == number


@pytest.mark.parametrize(
    ("links", "found"),
    [
        ('<a href="/city/2024/bridge-9_2.html">下一页</a>', "/city/2024/bridge-9_2.html"),
        ('1 <a href="?page=2">2</a> <a href="?page=3">3</a>', A + "?page=2"),
        ('<a href="?page=2">Next »</a>', A + "?page=2"),
        (
            '1 <a href="?page=1">2</a> <a href="?page=2">3</a> <a href="?page=1">next ›</a>',
            A + "?page=1",
        ),
        (
            '<a href="?page=1">1</a> <a href="?page=2">2</a> <a href="?page=1">« first</a>',
            A + "?page=2",
        ),
        ('Page 1 <a href="?page=2">Page 2</a> <a href="?page=3">Page 3</a>', A + "?page=2"),
        ('<a href="?page=2">Seite 2</a>', A + "?page=2"),
        ('<a href="?page=2">第 2 頁</a>', A + "?page=2"),
        ('<a href="?page=1">Page 1</a>', None),
        ('<a href="?page=2">Chapter 2</a>', None),
        ('<a href="bridge-9-2.html">2</a>', "/city/2024/bridge-9-2.html"),
        ('<a href="bridge-9-2.html">Next</a>', None),
        ('<a rel="next" href="/city/2024/tram-10.html">The tram</a>', None),
        ('<a href="/city/2024/bridge-10.html">Next</a>', None),
        ('<a href="?page=2">A long text that happens to be linked there</a>', None),
        ('<a href="http://[broken">2</a><a href="?comments=2">2</a>', None),
    ],
)
def test_url_and_words_both_speak(links: str, found: str | None) -> None:
    assert part(A, links) == (found and HOST + found, None)


def test_rel_next_of_the_head_needs_the_url_as_well() -> None:
    assert part(A, "", f'<link rel="next" href="{A}?page=2">')[0] == f"{HOST}{A}?page=2"
    assert part(A, "", '<link rel="next" href="/city/2024/tram-10.html">')[0] is None


def test_a_later_part_knows_the_first_and_the_next() -> None:
    links = f'<a href="{A}">1</a> <b>2</b> <a href="{A}?page=3">3</a> <a href="{A}?page=9">9</a>'
    page = parse(f"<body><h1>x</h1>{links}</body>", f"{HOST}{A}?page=2")
    assert first_part(page) == HOST + A
    assert next_part(page, HOST + A) == f"{HOST}{A}?page=3"
    assert first_part(parse(f'<a href="{A}">Page 1</a> Page 2', f"{HOST}{A}?page=2")) == HOST + A
    last = parse(f"<body><h1>x</h1>{links}</body>", f"{HOST}{A}?page=9")
    assert next_part(last, HOST + A) is None


def test_a_canonical_url_names_the_first_part() -> None:
    page = parse(
        f'<head><link rel="canonical" href="{A}"></head><body><p>x</p></body>', f"{HOST}{A}?page=2"
    )
    assert first_part(page) == HOST + A


def test_a_site_that_counts_its_parts_from_0() -> None:
    """Drupal: ``?page=1`` is the second part, as the text of its link says. On other sites it is
    the first one again."""
    last = '<a href="?page=2">3</a> <a href="?page=2">last »</a>'
    assert part(A, f'<b>1</b> <a href="?page=1">2</a> {last} <a href="?page=1">next ›</a>') == (
        f"{HOST}{A}?page=1",
        None,
    )
    second = parse(f'<body><a href="{A}">1</a> <b>2</b> {last}</body>', f"{HOST}{A}?page=1")
    assert (first_part(second), next_part(second, HOST + A)) == (HOST + A, f"{HOST}{A}?page=2")
    assert part(A, '<a href="?page=1">1</a> <a href="?page=2">2</a>') == (f"{HOST}{A}?page=2", None)


def test_a_session_in_the_links_of_a_thread_does_not_hide_its_next_page() -> None:
    url, session = f"{HOST}/topic.php?t=7", "0a1b2c3d4e5f60718293a4b5c6d7e8f9"
    page = parse(f'<a href="/topic.php?t=7&amp;sid={session}&amp;start=10" rel="next">2</a>', url)
    assert next_part(page) == f"{url}&start=10"


def test_a_topic_counts_its_posts_behind_a_dot() -> None:
    assert part_number(f"{HOST}/index.php?topic=7.0", f"{HOST}/index.php?topic=7.15") == 15
    assert part_number(f"{HOST}/index.php?topic=7.0", f"{HOST}/index.php?topic=8.15") == 0
    assert part_number(f"{HOST}/index.php?topic=7.15", f"{HOST}/index.php?topic=7.0") == 0


def test_the_page_of_a_post_is_that_of_its_thread() -> None:
    named = f'<link rel="canonical" href="{HOST}/topic.php?t=7"><a href="/topic.php?t=7&amp;start=10">2</a>'
    assert first_part(parse(named, f"{HOST}/topic.php?p=70")) == f"{HOST}/topic.php?t=7"
    later = f'<link rel="canonical" href="{HOST}/topic.php?t=7&amp;start=10"><a href="/topic.php?t=7">1</a>'
    assert first_part(parse(later, f"{HOST}/topic.php?p=82")) == f"{HOST}/topic.php?t=7"
    assert first_part(parse(named, f"{HOST}/other.php?p=70")) is None
