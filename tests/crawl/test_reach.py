"""Sites that lead to their articles in unusual ways: a crawl finds all of them, and does not end in silence."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from lxml import etree

from sitecrawl.crawl.pages import home_of, refresh_target
from sitecrawl.crawl.references import other_references
from sitecrawl.crawl.soft_errors import Echoes
from sitecrawl.crawl.traps import Traps
from sitecrawl.dom.page import Page
from sitecrawl.urls.canonical import join
from tests.crawl.driver import HOME, Pages, crawled
from tests.pages import article_page, listing_page

_COUNT = 16
_NEXT = '<a href="/city/page/2/" rel="next">Older stories</a>'
_HREF = re.compile(r'href="(/[^"]*)"')
_LINK = re.compile(r'<a href="(/[^"]*)"[^>]*>(.*?)</a>')


def town(next_page: str = _NEXT) -> Pages:
    """Articles on two listing pages, and what leads from the first to the second."""
    half = _COUNT // 2
    pages = {f"/2024/05/a-{n}.html": article_page(n) for n in range(_COUNT)}
    first = listing_page(range(half)).replace(_NEXT, next_page)
    return pages | {"/": first, "/city/page/2/": listing_page(range(half, _COUNT)).replace(_NEXT, "")}


def found(pages: Pages, folder: Path, **more: str) -> int:
    return len(crawled(pages, folder, **more).feed)


_SESSIONS = count(2**60)
SPELLINGS: dict[str, Callable[[re.Match[str]], str]] = {
    "www": lambda link: f'href="http://www.news.example{link[1]}"',
    "https and port": lambda link: f'href="https://news.example:443{link[1]}"',
    "sessions": lambda link: f'href="{link[1]};jsessionid={next(_SESSIONS):X}.node1"',
    "backslashes": lambda link: 'href="' + link[1].replace("/", "\\") + '"',
    "another port": lambda link: f'href="http://news.example:8080{link[1]}"',
}


@pytest.mark.parametrize("spelling", sorted(SPELLINGS))
def test_links_are_spelled_in_many_ways(tmp_path: Path, spelling: str) -> None:
    pages = {path: _HREF.sub(SPELLINGS[spelling], page) for path, page in town().items()}
    assert found(pages, tmp_path) == _COUNT


MENUS = {
    "image map": '<map name="m"><area href="/city/page/2/" coords="0,0,9,9"></map>',
    "choice": '<select onchange="location=this.value"><option value="/city/page/2/">Older</option></select>',
    "script": """<span onclick="location.href='/city/page/2/'">Older</span>""",
    "button": '<button data-url="/city/page/2/">Load more</button>',
    "inner frame": '<iframe src="/city/page/2/"></iframe>',
    "head": '<link rel="next" href="/city/page/2/">',
}


@pytest.mark.parametrize("menu", sorted(MENUS))
def test_a_listing_is_reached_without_a_link(tmp_path: Path, menu: str) -> None:
    assert found(town(MENUS[menu]), tmp_path) == _COUNT


def test_links_may_be_scripts(tmp_path: Path) -> None:
    pages = {path: _LINK.sub(r"""<a href="javascript:go('\1')">\2</a>""", page) for path, page in town().items()}
    assert found(pages, tmp_path) == _COUNT


@pytest.mark.parametrize(
    "start",
    [
        '<script>window.location.href = "/home.html";</script>',
        '<frameset><frame src="menu.html"><frame src="home.html"></frameset>',
    ],
)
def test_a_start_page_may_be_an_entrance(tmp_path: Path, start: str) -> None:
    pages = town()
    pages["/home.html"] = pages["/"]
    assert found(pages | {"/": f"<html><head><title>The Example</title></head>{start}</html>"}, tmp_path) == _COUNT


def test_a_start_page_tells_where_it_is_at_home(tmp_path: Path) -> None:
    base = '<head><base href="http://www.example.org/">'
    pages = {path: page.replace("<head>", base) for path, page in town().items()}
    assert found(pages, tmp_path) == _COUNT


@pytest.mark.parametrize(
    ("html", "home"),
    [
        ('<a href="http://blog.example.org/a">A</a>', "http://blog.example.org/x"),
        ('<a href="http://blog.example.org/a">A</a><a href="/b">B</a>', ""),
        ('<a href="http://www.other.net/a">A</a>', ""),
        (
            '<link rel="canonical" href="http://www.other.net/x"><a href="http://www.other.net/a">A</a>',
            "http://www.other.net/x",
        ),
    ],
)
def test_only_what_a_page_calls_its_own_is_its_home(html: str, home: str) -> None:
    assert home_of(Page("http://example.org/x", etree.HTML(html))) == home


def test_articles_may_be_named_by_p(tmp_path: Path) -> None:
    pages = {
        path.replace("/2024/05/a-", "/?p=10").replace(".html", ""): re.sub(r"/2024/05/a-(\d+)\.html", r"/?p=10\1", page)
        for path, page in town().items()
    }
    assert found(pages, tmp_path) == _COUNT


def test_numbered_reports_with_one_text_are_articles(tmp_path: Path) -> None:
    def report(page: str) -> str:
        return re.sub(
            r'<div class="text">.*?</div>', '<div class="text"><p>See the attached file.</p></div>', page, flags=re.S
        )

    assert found({path: report(page) for path, page in town().items()}, tmp_path) == _COUNT


def test_a_number_counts_where_the_link_has_it() -> None:
    echoes, text = Echoes(), "Nothing of importance happened today."
    digests = [echoes.meet(f"/{n}", f"Report {n}", text, f"Report {n}") for n in range(4)]
    assert not any(map(echoes.repeats, digests))
    digests = [echoes.meet(f"/{n}", f"Report {n}", text, "next day") for n in range(4)]
    assert echoes.repeats(digests[0])


def test_a_site_may_repeat_its_folders(tmp_path: Path) -> None:
    pages = {
        re.sub(r"^/2024/05", "/site/city/site/city", path): page.replace("/2024/05/", "/site/city/site/city/")
        for path, page in town().items()
    }
    assert found(pages, tmp_path) == _COUNT


def test_a_path_that_grows_in_circles_is_a_trap() -> None:
    traps, url = Traps(), f"{HOME}/a/b/a/b/"
    assert traps.bars(url, f"{HOME}/a/b/", "a/b/") == "folders"
    assert traps.bars(url, f"{HOME}/a/b/", "/a/b/a/b/") == ""
    assert traps.bars(url, f"{HOME}/a/b/a/b/c.html", "/a/b/a/b/") == ""
    assert traps.bars(f"{url}a/b/", url, "/a/b/a/b/a/b/") == "folders"


def test_only_a_short_page_sends_its_readers_on() -> None:
    script = "<script>location.replace('/home.html')</script>"
    assert refresh_target(Page(f"{HOME}/", etree.HTML(f"<p>Hello</p>{script}"))) == f"{HOME}/home.html"
    assert refresh_target(Page(f"{HOME}/", etree.HTML(f"<p>{'Hello ' * 80}</p>{script}"))) is None


def test_what_is_no_page_is_no_reference() -> None:
    html = """<a href="javascript:void(0)" onclick="go('/a.html')"></a><option value="5">5</option><p data-url="/a.jpg" data-href="/b">"""
    assert other_references(Page(f"{HOME}/", etree.HTML(html))) == [f"{HOME}/a.html", f"{HOME}/b"]


def test_a_backslash_in_a_query_stays() -> None:
    assert join(f"{HOME}/a/", "\\b\\c?d=\\e") == f"{HOME}/b/c?d=\\e"
