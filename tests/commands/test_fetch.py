"""What the link commands fetch: with robots.txt, over http(s) only, and from no private address
that nobody typed."""

from __future__ import annotations

import gzip
import subprocess
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from sitecrawl.commands._http import ForbiddenPageError, HttpClient, read_source
from sitecrawl.limits import LIMITS
from tests.crawl.runner import Answer, crawl, items_of, send, served, typed
from tests.pages import article_page, listing_page

RULES = b"User-agent: somebody-else\nDisallow:\n\nUser-agent: *\nDisallow: /closed/\n"


def refusal(done: subprocess.CompletedProcess[str]) -> str:
    """The one line that a refused command says."""
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    return lines[0]


def pages(more: dict[str, bytes | Answer]) -> dict[str, bytes | Answer]:
    listing = listing_page(range(12)).encode()
    return {"/robots.txt": RULES, "/": listing, "/closed/": listing} | more


def walled(page: bytes, *, by: str, value: int) -> Answer:
    """A page that comes only with the cookie that it sets, with a ``value``; ``by`` is the
    parameter that it adds to find out whether the reader keeps it."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        path, _, query = handler.path.partition("?")
        if f"test={value}" in handler.headers.get("Cookie", ""):
            send(handler, 302 if query else 200, b"" if query else page, Location=path)
        else:
            send(handler, 302, b"", Location=f"{path}{by}", Set_Cookie=f"test={value}; path=/")

    return answer


@pytest.mark.parametrize("later", [1, 2])
@pytest.mark.parametrize("by", ["", "?cookies=1"])
def test_a_page_that_wants_the_cookie_that_it_sets(tmp_path: Path, by: str, later: int) -> None:
    """A crawl of such a site ended at its start page, which redirected in circles; and where a
    cookie was no longer good, at the pages behind it."""
    listing = walled(listing_page([3]).encode(), by=by, value=1)
    article = walled(article_page(3).encode(), by=by, value=later)
    known = [f"{path}{end}" for path in ("/", "/2024/05/a-3.html") for end in {"", by}]
    with served({path: article if "a-3" in path else listing for path in known}) as site:
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl")
        body = HttpClient(site.url).get(f"{site.url}/2024/05/a-3.html").body
    assert [item["url"] for item in items_of(tmp_path / "out.jsonl")] == [
        f"{site.url}/2024/05/a-3.html"
    ]
    assert run.code == 0
    assert body == article_page(3).encode()


@pytest.mark.parametrize("command", ["why", "label"])
def test_robots_are_obeyed(tmp_path: Path, command: str) -> None:
    with served(pages({})) as site:
        link = f"{site.url}/2024/05/a-1.html"
        arguments = (
            [link, "--page", f"{site.url}/closed/"] if command == "why" else [f"{site.url}/closed/"]
        )
        done = typed(command, *arguments)
        assert site.asked == ["/robots.txt"]
    assert "forbidden by robots.txt" in refusal(done)


def test_a_page_that_robots_allow_is_fetched(tmp_path: Path) -> None:
    with served(pages({})) as site:
        done = typed("why", f"{site.url}/2024/05/a-1.html")
        assert site.asked == ["/robots.txt", "/", "/2024/05/a-1.html"]
    assert done.returncode == 0, done.stderr
    assert "article" in done.stdout


def test_redirects_obey_robots_too() -> None:
    moved = {"/moved": lambda handler: send(handler, 302, b"", Location="/closed/")}
    with served(pages(moved)) as site:
        done = typed("label", f"{site.url}/moved")
        assert "/closed/" not in site.asked
    assert "forbidden by robots.txt" in refusal(done)


@pytest.mark.parametrize("target", ["private", "file:///etc/hostname", "ftp://example.com/"])
def test_redirects_into_the_house_are_refused(target: str) -> None:
    with served({"/secret.html": article_page(1).encode()}) as house:
        inside = house.url.replace("127.0.0.1", "127.0.0.2") + "/secret.html"
        to = inside if target == "private" else target
        with served(
            pages({"/moved": lambda handler: send(handler, 302, b"", Location=to)})
        ) as site:
            done = typed("label", f"{site.url}/moved")
        assert house.asked == []
    refusal(done)


def test_a_feed_that_a_page_names_may_not_be_private(tmp_path: Path) -> None:
    with served({"/feed.xml": b"<rss></rss>"}) as house:
        inside = house.url.replace("127.0.0.1", "127.0.0.2") + "/feed.xml"
        link = f'<link rel="alternate" type="application/rss+xml" href="{inside}"></head>'
        page = tmp_path / "city.html"
        page.write_text(listing_page(range(12)).replace("</head>", link), encoding="utf8")
        done = typed("label", str(page), "--url", "http://news.example/city/")
        assert house.asked == []
    assert "private address that was not asked for" in refusal(done)


def test_a_feed_that_a_page_names_is_no_file(tmp_path: Path) -> None:
    link = '<link rel="alternate" type="application/rss+xml" href="file:///etc/hostname"></head>'
    page = tmp_path / "city.html"
    page.write_text(listing_page(range(12)).replace("</head>", link), encoding="utf8")
    assert "no feed with articles" in refusal(
        typed("label", str(page), "--url", "http://news.example/city/")
    )


def test_a_public_name_with_a_private_address_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: [(2, 1, 6, "", ("127.0.0.1", 9))])
    with pytest.raises(ForbiddenPageError, match="private address"):
        HttpClient("http://other.example.com/").connect(("rebind.example.com", 9), 1.0)


def test_a_zip_bomb_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "sitemap.xml.gz"
    path.write_bytes(gzip.compress(b"a" * (LIMITS.body_bytes + 5_000_000)))
    assert len(read_source(str(path)).body) == LIMITS.body_bytes


def test_an_answer_that_drips_is_cut_off() -> None:
    def drip(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
        with suppress(OSError):
            for _ in range(100):
                handler.wfile.write(b"<p>x")
                time.sleep(0.2)

    with served({"/": drip}) as site:
        began = time.monotonic()
        with pytest.raises(TimeoutError, match="not answered within"):
            HttpClient(site.url, total=1.0).get(f"{site.url}/")
    assert time.monotonic() - began < 5
