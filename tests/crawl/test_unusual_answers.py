"""Answers that browsers follow or show: the ``Refresh`` header, pages under the status of an error,
redirects in every form, and mazes of redirects."""

from __future__ import annotations

import random
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from sitecrawl.crawl.last_lines import lines_of
from sitecrawl.crawl.soft_errors import shows_asked
from sitecrawl.dom.parse import parse
from tests.crawl.driver import HOME, Crawl, Network, Pages, Reply, crawled
from tests.crawl.runner import crawl, send, served
from tests.pages import FOOTER, NAVIGATION, article_page, listing_page

_ALL = range(8)


def path_of(number: int) -> str:
    return f"/2024/05/a-{number}.html"


def town() -> Pages:
    return {"/": listing_page(_ALL)} | {path_of(n): article_page(n) for n in _ALL}


REFRESHES = {
    "a header": "0; url={}",
    "no blank, capitals": "0;URL={}",
    "quotes": "1; url='{}'",
    "no word": "0; {}",
    "a fraction and a comma": "0.5, url={}",
}


@pytest.mark.parametrize("form", REFRESHES)
@pytest.mark.parametrize("body", [b"", b"<html><body>Moved.</body></html>"])
def test_a_refresh_header_leads_on(tmp_path: Path, form: str, body: bytes) -> None:
    """An empty answer was lost, though browsers follow its header."""
    pages = town()
    home, article = pages.pop("/"), pages.pop(path_of(3))
    pages |= {"/": Reply(body, refresh=REFRESHES[form].format("/start/")), "/start/": home}
    pages |= {
        path_of(3): Reply(body, refresh=REFRESHES[form].format("/moved/3")),
        "/moved/3": article,
    }
    found = crawled(pages, tmp_path)
    assert set(found.paths) == {path_of(n) for n in _ALL if n != 3} | {"/moved/3"}


FRONTS = {
    "refresh": '<head><meta http-equiv="refresh" content="0; url={}"></head>',
    "link": '<p><a href="#top">Top</a> <a href="{}"><img src="enter.gif"></a></p>',
    "map": '<map name="m"><area href="{}"></map><a href="mailto:a@news.example">Mail</a>',
    "languages": '<a href="/fr/">Français</a> <a href="{}">English</a> <a href="/about.html">?</a>',
}


@pytest.mark.parametrize("form", FRONTS)
@pytest.mark.parametrize("name", ["index.html", "default.htm", "/Index.shtml", "/?utm_source=a"])
def test_a_front_that_leads_to_its_index_file_is_no_dead_end(
    tmp_path: Path, form: str, name: str
) -> None:
    """Both URLs are one page, and the start page was read once: the site had no articles."""
    pages = town()
    front = f"<html><body>{FRONTS[form].format(name)}</body></html>"
    pages |= {"/": front, f"/{name.removeprefix('/')}": pages["/"]}
    assert {*crawled(pages, tmp_path).paths} >= {path_of(n) for n in _ALL}


@pytest.mark.parametrize(
    ("refresh", "is_read"),
    [("300", True), ("300; url=/", True), ("0; url=http://other.example/", True), ("", True)],
)
def test_a_page_that_reloads_itself_is_read(tmp_path: Path, refresh: str, is_read: bool) -> None:
    pages = town()
    pages["/"] = Reply(pages["/"].encode(), refresh=refresh)
    assert (len(crawled(pages, tmp_path).feed) == len(_ALL)) is is_read


@pytest.mark.parametrize("refresh", ["0; url=/", "0; url=/b", "0; url=http://10.0.0.1/", "0"])
def test_an_empty_page_that_leads_nowhere_is_lost(tmp_path: Path, refresh: str) -> None:
    pages = {"/": Reply(refresh=refresh), "/b": Reply(refresh="0; url=/")}
    found = crawled(pages, tmp_path)
    assert found.session.visit.code == 1 or not found.feed
    assert len(found.network.asked) <= 3


def _headed(number: int, headline: str) -> str:
    title = f"Harbour bridge number {number} opens to cyclists"
    return article_page(number).replace(title, headline)


SHOWN: dict[str, tuple[int, Callable[[int], str]]] = {
    "missing": (404, article_page),
    "gone": (410, article_page),
    "failed": (500, article_page),
    "German": (404, lambda n: _headed(n, f"Hafenbrücke Nummer {n} öffnet für Räder")),
    "Chinese": (404, lambda n: _headed(n, f"第{n}座港口大桥今天正式向自行车开放通行")),
}


@pytest.mark.parametrize("kind", SHOWN)
def test_an_article_under_the_status_of_an_error_is_read_and_flagged(
    tmp_path: Path, kind: str
) -> None:
    status, page = SHOWN[kind]
    pages: Pages = {path_of(n): Reply(page(n).encode(), status) for n in _ALL}
    pages["/"] = listing_page(_ALL)
    for n in _ALL:
        title = f"Harbour bridge number {n} opens to cyclists"
        headline = parse(page(n)).root.findtext(".//h1")
        pages["/"] = pages["/"].replace(title, headline)
    found = crawled(pages, tmp_path)
    assert found.paths == sorted(path_of(n) for n in _ALL)
    flags = [item["provenance"].get("flags", []) for item in found.feed]
    assert all("error-status" in one for one in flags)


def missing_page(number: int) -> str:
    """A long page in place of an article that is not there."""
    news = listing_page(range(30, 36))
    body = news[news.index("<h1>") :].replace("<h1>City</h1>", "<h1>{}</h1>")
    text = "<p>The page you are looking for may have been moved. " * 20
    return f"<!doctype html><title>The Example</title><body>{NAVIGATION}{text}{body}{FOOTER}"


@pytest.mark.parametrize(
    "heading",
    ["404", "Seite nicht gefunden", "Our latest stories", "找不到页面", "Page a-3.html not found"],
)
def test_a_long_page_of_an_error_stays_one(tmp_path: Path, heading: str) -> None:
    pages = town()
    pages |= {path_of(n): Reply(missing_page(n).format(heading).encode(), 404) for n in (3, 5)}
    found = crawled(pages, tmp_path)
    assert found.paths == sorted(path_of(n) for n in _ALL if n not in (3, 5))
    # two more stand beside each article, and are not there
    told = "; ".join(lines_of(found.session.visit))
    assert "4 articles could not be fetched (the server answered 404)" in told


def test_what_a_url_names_shows_an_article_without_the_text_of_a_link() -> None:
    page = parse(_headed(1, "A bridge for cyclists opens at last"))
    assert shows_asked(page, "", key="news.example/city/a-bridge-for-cyclists-opens-at-last")
    assert shows_asked(page, "A bridge for cyclists...", key="news.example/12")
    assert not shows_asked(page, "Read more", key="news.example/12")


LOCATIONS: dict[str, tuple[int, bytes]] = {
    "303": (303, b"/neu/%s"),
    "308": (308, b"/neu/%s"),
    "raw UTF-8": (302, "/\u00e4rzte/%s".encode()),
    "raw Latin-1": (302, b"/\xe4rzte/%s"),
    "raw Chinese": (301, "/\u65b0\u95fb/%s".encode()),
    "relative": (307, b"../../neu/%s"),
    "with blanks": (302, b"  /neu/%s "),
}


@pytest.mark.parametrize("form", LOCATIONS)
def test_redirects_are_followed_in_every_form(tmp_path: Path, form: str) -> None:
    status, location = LOCATIONS[form]

    def moved(number: int) -> Callable[[BaseHTTPRequestHandler], None]:
        def answer(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response_only(status)
            handler.wfile.write(b"")
            place = (location % str(number).encode()).decode("latin-1")
            send_raw(handler, place)

        return answer

    def send_raw(handler: BaseHTTPRequestHandler, place: str) -> None:
        handler.send_header("Location", place)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    def answer(handler: BaseHTTPRequestHandler) -> None:
        number = handler.path.rpartition("/")[2]
        known = number.isdecimal() and handler.path != "/robots.txt"
        send(handler, 200 if known else 404, article_page(int(number)).encode() if known else b"")

    numbers = range(4)
    pages: dict[str, Any] = {path_of(n): moved(n) for n in numbers}
    pages |= {"/": listing_page(numbers).encode(), "*": answer}
    with served(pages) as site:
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl")
    assert len(run.items) == 4, run.said


def _words(chance: random.Random, least: int = 1, most: int = 1) -> str:
    letters = "abcdefghijklmnop"
    number = chance.randint(least, most)
    return "/".join("".join(chance.choices(letters, k=8)) for _ in range(number))


MAZES: dict[str, Callable[[random.Random], str]] = {
    "one folder": lambda chance: f"/hub/{_words(chance)}/{chance.getrandbits(30)}",
    "ids": lambda chance: f"/go/{chance.getrandbits(40):x}",
    "slugs": lambda chance: f"/{_words(chance, 2, 2)}/{_words(chance)}-{_words(chance)}.html",
    "many depths": lambda chance: f"/{_words(chance, 1, 6)}",
    "a query": lambda chance: f"/r.php?{_words(chance)}={chance.getrandbits(20)}",
}


@pytest.mark.parametrize("kind", MAZES)
def test_a_maze_of_redirects_is_left(tmp_path: Path, kind: str) -> None:
    """Twenty articles under links without end, each of which leads to one of them or home, took
    5,000 requests."""
    chance = random.Random(3)
    seeds = count()

    def links() -> str:
        rows = (f'<a href="{MAZES[kind](chance)}">The {_words(chance, 3, 3)}</a>' for _ in range(8))
        return "<ul>" + "".join(f"<li>{row}</li>" for row in rows) + "</ul></body>"

    def answer(url: str) -> str | Reply:
        path = url.removeprefix(HOME)
        if path in ("/", "/city/page/2/"):
            return listing_page(range(10 * (path != "/"), 10 + 10 * (path != "/"))).replace(
                "</body>", links()
            )
        if path in (path_of(n) for n in range(20)):
            return article_page(int(path[11:-5])).replace("</body>", links())
        if path.startswith(("/politics", "/sport", "/about", "/staff", "/2024/04", "/robots")):
            return Reply(status=404)
        turn = next(seeds) % 10
        if turn < 5:
            return Reply(status=302, to=path_of(chance.randrange(20)))
        if turn < 9:
            return Reply(status=302, to="/")
        return listing_page(range(10)).replace("</body>", links())

    crawl = Crawl.of(Network({"*": answer}), tmp_path)
    crawl.run()
    assert {path_of(n) for n in range(20)} <= set(crawl.paths)
    assert len(crawl.network.asked) <= 150
