"""No request that the user did not ask for: schemes, private addresses in every spelling,
redirects, DNS answers."""

from __future__ import annotations

import gzip
import resource
import threading
import zlib
from collections.abc import Callable
from contextlib import suppress
from email.message import Message
from functools import partial, reduce
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer

import brotli
import pytest
from backports import zstd
from scrapy.utils.project import get_project_settings
from scrapy.utils.test import get_crawler

from benchmarks.attacks import lengths, page_cost
from sitecrawl.crawl.permissions import Permissions
from sitecrawl.crawl.records import FetchedPage, RequestContext, Role
from sitecrawl.crawl.store import Stores
from sitecrawl.dom.parse import parse
from sitecrawl.limits import LIMITS
from sitecrawl.middlewares.codings import is_cut
from sitecrawl.spiders.site import SiteSpider
from sitecrawl.urls.scope import is_private
from tests.crawl.runner import Answer, command, crawl, items_of, scrapy, send, served
from tests.crawl.test_bad_input import complaint
from tests.pages import article_page, listing_page
from tests.process import finished


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "localhost", "a.localhost",
     "[64:ff9b::7f00:1]", "[64:ff9b:1::a00:1]", "[2002:7f00:1::]", "[2002:a00:1::1]", "[::127.0.0.1]", "[::10.0.0.1]", "[::]",
     "[fec0::1]", "[2001:0:7f00:1::]", "[::ffff:0:10.0.0.1]", "[2606:4700::5efe:10.0.0.1]", "[2606:4700::200:5efe:7f00:1]",
     "192.0.0.9", "192.0.0.192", "192.88.99.1", "[64:ff9b::c058:6301]", "[3fff::1]", "[5f00::1]", "0x7f.0.0.0x1", "127.0.0.1.", "[::1%25lo]", "localhost.localdomain", "0",  "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "0.0.0.0", "[fe80::1]", "[fd00::1]", "printer.local", "224.0.0.1"],
)  # fmt: skip
def test_private_hosts(host: str) -> None:
    assert is_private(host)


@pytest.mark.parametrize(
    "host",
    [
        "example.com",
        "8.8.8.8",
        "1.1.1.1",
        "[2606:4700::1111]",
        "[64:ff9b::808:808]",
        "[2606:4700::5efe:8.8.8.8]",
        "local.example.com",
        "12345.example",
    ],
)
def test_public_hosts(host: str) -> None:
    assert not is_private(host)


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://127.0.0.1/", "private"),
        ("http://0x7f.1:8080/", "private"),
        ("https://[::1]/", "private"),
        ("ftp://example.com/", "scheme"),
        ("file:///etc/hostname", "scheme"),
        ("http://example.com/", ""),
        ("http://[bad/", "scheme"),
    ],
)
def test_what_is_refused(url: str, why: str) -> None:
    assert Permissions().refusal(url) == why


def test_the_users_own_host_and_port_are_let_through_and_no_other() -> None:
    own = Permissions.of(["http://127.0.0.1:8000/"])
    assert own.refusal("http://127.0.0.1:8000/a") == ""
    assert own.refusal("http://127.0.0.1/") == "private"
    assert own.refusal("http://127.0.0.2:8000/") == "private"
    assert own.plus("127.0.0.1:3128").refusal("http://127.0.0.1:3128/") == ""
    assert Permissions().refusal("http://127.0.0.1:8000/a") == "private", (
        "one crawl's permissions are no other's"
    )


def test_a_public_name_with_a_private_address_is_refused() -> None:
    own = Permissions.of(["http://intranet.example.com/"])
    assert own.allowed("example.com", 80, addresses=["93.184.216.34"])
    assert not own.allowed("rebind.example.com", 80, addresses=["127.0.0.1"])
    assert own.allowed("intranet.example.com", 80, addresses=["10.0.0.5"])
    assert not own.allowed("intranet.example.com", 81, addresses=["10.0.0.5"])


def test_links_and_redirects_into_the_house_are_not_followed(tmp_path: Path) -> None:
    with served({"/secret.html": article_page(1).encode()}) as house:
        inside = house.url.replace("127.0.0.1", "127.0.0.2") + "/secret.html"
        links = "".join(
            f'<div class="teaser"><h2><a href="{target}">Harbour bridge number {n} opens to cyclists</a></h2></div>'
            for n, target in enumerate([inside, "file:///etc/hostname", "/2024/05/away.html"])
        )
        pages = {f"/2024/05/a-{n}.html": article_page(n).encode() for n in range(6)}
        pages["/2024/05/away.html"] = lambda handler: send(handler, 302, b"", Location=inside)
        pages["/"] = (
            listing_page(range(6))
            .replace('<div class="pager">', links + '<div class="pager">')
            .encode()
        )
        with served(pages) as site:
            run = crawl(f"{site.url}/", tmp_path / "out.jsonl", "-a", "scope=site")
        assert house.asked == []
    assert run.code == 0
    assert len(run.items) == 6


def test_settings_close_what_untrusted_pages_could_use() -> None:
    settings = get_project_settings()
    assert not settings.getbool("TELNETCONSOLE_ENABLED")
    assert settings.getbool("ROBOTSTXT_OBEY")
    assert settings.getint("DOWNLOAD_MAXSIZE") <= 16_000_000
    assert all(
        settings.getdict("DOWNLOAD_HANDLERS")[scheme] is None for scheme in ("file", "ftp", "s3")
    )


def test_a_name_that_the_user_typed_stays_where_it_was_at_the_start() -> None:
    own = Permissions.of(
        ["http://public.example.com/", "http://intranet.example.com/", "http://localhost:81/"]
    )
    assert own.allowed("public.example.com", 80, addresses=["93.184.216.34"]) == ["93.184.216.34"]
    assert own.allowed("public.example.com", 80, addresses=["127.0.0.1"]) == []
    assert (
        own.plus("http://127.0.0.1:3128").allowed("public.example.com", 80, addresses=["127.0.0.1"])
        == []
    )
    assert own.allowed("intranet.example.com", 80, addresses=["10.0.0.5"]) == ["10.0.0.5"]
    assert own.allowed("intranet.example.com", 80, addresses=["127.0.0.1", "169.254.169.254"]) == []
    assert own.allowed("intranet.example.com", 80, addresses=["10.0.0.6"]) == ["10.0.0.6"]
    assert own.allowed("localhost", 81, addresses=["127.0.0.1", "::1"]) == ["127.0.0.1", "::1"]
    assert own.public == ["public.example.com:80"]


def test_the_kind_of_a_sites_address_outlives_the_run(stores: Stores) -> None:
    """A name that was public on the first visit led to 127.0.0.1 on the second: what it served
    there was in the feed."""
    start = ("http://public.example.com/",)
    for addresses, reached in (
        (["93.184.216.34", "127.0.0.1"], ["93.184.216.34"]),
        (["127.0.0.1"], []),
        (["10.0.0.1"], []),
    ):
        store = stores.crawl("public.example.com")
        own = Permissions.of(start, store.fact("public") or ())
        assert own.allowed("public.example.com", 80, addresses=addresses) == reached
        store.keep_fact("public", own.public)
        store.close()
    other = stores.crawl("intranet.example.com")
    assert Permissions.of(["http://intranet.example.com/"], other.fact("public") or ()).public == []
    other.close()


def test_a_crawl_keeps_the_kind_of_its_sites_address(tmp_path: Path) -> None:
    """A spider writes it down with the first page that comes, so that a kill loses nothing of
    it."""
    given = {"SITECRAWL_DATA_DIR": str(tmp_path), "SITECRAWL_JS": "never"}
    for seen, reached in (("93.184.216.34", ["93.184.216.34"]), ("127.0.0.1", [])):
        spider = SiteSpider.from_crawler(
            get_crawler(SiteSpider, given), start="http://public.example.com/"
        )
        assert spider.permissions.allowed("public.example.com", 80, addresses=[seen]) == reached
        spider._run_verb(spider._begin)
        url = "http://public.example.com/"
        next(
            spider._steps_of(
                one for one in [FetchedPage(url, RequestContext(url, Role.START), b"x")]
            )
        )
        spider.crawl.state.close()
        spider._sites.close()


@pytest.mark.parametrize("command", ["crawl", "why"])
def test_the_users_proxy_is_reached_as_a_proxy_and_as_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """A public site behind a proxy on loopback whose pages lead to the proxy's own host, on its
    port and on others."""
    pages: dict[str, bytes | Answer] = {}
    with served(pages) as proxy, served({"/secret.html": article_page(7).encode()}) as house:
        start = "http://public.example/"
        leads = [f"{proxy.url}/secret.html", f"{house.url}/secret.html"]
        for number, target in enumerate(leads):
            pages[f"{start}2024/05/a-{number}.html"] = leading(target)
        pages["/secret.html"] = article_page(8).encode()
        pages |= {f"{start}2024/05/a-{n}.html": article_page(n).encode() for n in range(2, 6)}
        pages[start] = listing_page(range(6)).encode()
        monkeypatch.setenv("http_proxy", proxy.url)
        monkeypatch.setenv("no_proxy", "")
        if command == "crawl":
            run = crawl(start, tmp_path / "out.jsonl")
            assert len(run.items) == 4, run.said
        else:
            pages[start] = leading(leads[0])
            assert "refused" in scrapy("why", f"{start}2024/05/a-3.html").stderr
        assert start in proxy.asked
        assert not [path for path in proxy.asked + house.asked if path.endswith("/secret.html")]


def leading(target: str) -> Answer:
    return lambda handler: send(handler, 302, b"", Location=target)


def _to_next(handler: BaseHTTPRequestHandler) -> None:
    """A page without text that sends its readers on to the next one of its kind, for ever."""
    number = int(handler.path.rpartition("/")[2] or 0)
    target = f"http://{handler.headers['Host']}/wait/{number + 1}"
    send(
        handler,
        200,
        f"<head><meta http-equiv=refresh content='0; url={target}'></head><body>Wait".encode(),
    )


def test_pages_that_send_on_without_end(tmp_path: Path) -> None:
    with served({"*": _to_next, "/robots.txt": b""}) as site:
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl")
    assert run.code == 0
    assert len(site.asked) == 2 + LIMITS.refreshes


def test_redirects_without_end(tmp_path: Path) -> None:
    def onward(handler: BaseHTTPRequestHandler) -> None:
        send(handler, 302, b"", Location=f"{handler.path}x")

    with served({"*": onward, "/robots.txt": b""}) as site:
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl")
    assert (
        "redirects in circles (if it does not in your browser, it needs cookies: -a cookies=FILE)"
        in complaint(run)
    )
    assert len(site.asked) < 30


def test_line_ends_in_an_address_stay_in_it(tmp_path: Path) -> None:
    """What a redirect, a link or a meta refresh says never becomes a header."""
    heads: list[Message] = []

    def record(handler: BaseHTTPRequestHandler) -> None:
        heads.append(handler.headers)
        send(handler, 200, article_page(1).encode(), Set_Cookie="a=b", ETag='"1"')

    def away(handler: BaseHTTPRequestHandler) -> None:
        heads.append(handler.headers)
        send(
            handler,
            302,
            b"",
            Location="/2024/05/b.html%0d%0aX-Evil:%201?\x0b\x85X-Evil: 2",
            Set_Cookie="a=b",
        )

    links = "".join(
        f'<div class="teaser"><h2><a href="{href}">Harbour bridge opens to cyclists and all others</a></h2></div>'
        for href in (
            "/2024/05/a.html&#13;&#10;X-Evil: 3",
            "/2024/05/c.html?a=1&#13;&#10;X-Evil: 4",
            "/2024/05/away.html",
        )
    )
    start = (
        listing_page(range(2))
        .replace('<div class="pager">', links + '<div class="pager">')
        .encode()
    )
    with served({"*": record, "/": start, "/robots.txt": b"", "/2024/05/away.html": away}) as site:
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl", "-a", "scope=site")
    assert run.code == 0
    assert len(heads) > 5
    assert not [head for head in heads if "X-Evil" in head or "Cookie" in head]


class Flood(StreamRequestHandler):
    """Answers the robots.txt by 404, and any other request by headers without end."""

    def handle(self) -> None:
        asked = self.rfile.readline()
        self.wfile.write(
            b"HTTP/1.1 404 None\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            if b"robots" in asked
            else b"HTTP/1.1 200 OK\r\n"
        )
        with suppress(OSError):
            for number in range(0 if b"robots" in asked else 1_000_000):
                self.wfile.write(b"X-%d: %s\r\n" % (number, b"x" * 1_000))
                self.server.sent += 1  # type: ignore[attr-defined]


def test_headers_without_end(tmp_path: Path) -> None:
    """They took as much memory as the server sent before the time was up: 1 GB in five seconds."""
    with ThreadingTCPServer(("127.0.0.1", 0), Flood) as server:
        server.sent, server.daemon_threads = 0, True  # type: ignore[attr-defined]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        run = crawl(f"http://127.0.0.1:{server.server_address[1]}/", tmp_path / "out.jsonl")
        server.shutdown()
    assert "cannot be reached" in complaint(run)
    assert server.sent < 50_000  # type: ignore[attr-defined]


def _zstd(blanks: bytes) -> bytes:
    compressor = zstd.ZstdCompressor()
    return bytes(compressor.compress(blanks) + compressor.flush())


BOMBS: dict[str, Callable[[bytes], bytes]] = {
    "gzip, gzip": lambda blanks: gzip.compress(gzip.compress(blanks, 1)),
    "deflate": lambda blanks: zlib.compress(blanks, 1),
    "br": lambda blanks: brotli.compress(blanks, quality=2),
    "zstd": _zstd,
    ", ".join(["gzip"] * 20): lambda blanks: reduce(
        lambda body, _: gzip.compress(body, 0), range(20), b"x" * 500_000
    ),
}


def test_a_part_that_nobody_asked_for_is_no_page(tmp_path: Path) -> None:
    pages: dict[str, bytes | Answer] = {
        f"/2024/05/a-{n}.html": article_page(n).encode() for n in range(6)
    }
    pages["/2024/05/a-3.html"] = lambda handler: send(
        handler, 206, article_page(3).encode()[:2_000]
    )
    pages |= {"/": listing_page(range(6)).encode(), "/robots.txt": b""}
    with served(pages) as site:
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl")
        assert len(run.items) == 5, run.said
        assert site.asked.count("/2024/05/a-3.html") > 1


CODINGS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": _zstd,
    "gzip, br": lambda body: brotli.compress(gzip.compress(body)),
}


def test_a_body_cut_within_its_compression_is_no_page(tmp_path: Path) -> None:
    """Whole by its Content-Length, but its coding ends early: half of the article left as if it
    were all."""
    pages: dict[str, bytes | Answer] = {
        f"/2024/05/a-{n}.html": article_page(n).encode() for n in range(6)
    }
    cut = {f"/2024/05/a-{20 + n}.html": coding for n, coding in enumerate(CODINGS)}
    whole = {f"/2024/05/a-{30 + n}.html": coding for n, coding in enumerate(CODINGS)}
    for number, (path, coding) in enumerate([*cut.items(), *whole.items()]):
        body = CODINGS[coding](article_page(20 + number).encode())
        body = body[: len(body) * 3 // 4] if path in cut else body
        pages[path] = lambda handler, body=body, coding=coding: send(
            handler, 200, body, Content_Encoding=coding
        )  # type: ignore[misc]
    pages |= {
        "/city/": listing_page([*range(6), *range(20, 25), *range(30, 35)]).encode(),
        "/robots.txt": b"",
    }
    with served(pages) as site:
        run = crawl(f"{site.url}/city/", tmp_path / "out.jsonl", "-s", "LOG_LEVEL=INFO")
        assert {path: site.asked.count(path) for path in cut} == dict.fromkeys(cut, 2), run.said
        assert len(run.items) == 6 + len(whole)
        assert f"{len(cut)} articles could not be fetched" in run.said


@pytest.mark.parametrize("coding", [name for name in CODINGS if "," not in name])
def test_any_cut_is_seen_and_no_whole_body_is_one(coding: str) -> None:
    for body in (b"", b"x", b" " * 3_000_000, "".join(map(str, range(5_000))).encode()):
        packed = CODINGS[coding](body)
        assert not is_cut(packed, coding)
        assert len(body) < 2 or all(
            is_cut(packed[: len(packed) * part // 9], coding) for part in range(3, 9)
        )
    assert not is_cut(b"<html>in no coding", coding)


def test_bombs(tmp_path: Path) -> None:
    """Bodies of some kilobytes that unpack to 300 MB, and one that is compressed again and again:
    they are dropped."""

    def answer(packed: bytes, coding: str) -> Answer:
        return lambda handler: send(handler, 200, packed, Content_Encoding=coding)

    blanks = b" " * 300_000_000
    bombs = [answer(make(blanks), coding) for coding, make in BOMBS.items()]
    pages: dict[str, bytes | Answer] = {
        f"/2024/05/a-{n}.html": article_page(n).encode() for n in range(6)
    }
    pages |= {f"/2024/05/a-{10 + n}.html": bomb for n, bomb in enumerate(bombs)}
    pages |= {
        "/": listing_page([*range(6), *range(10, 15)]).encode(),
        "/robots.txt": b"",
        "/sitemap.xml": bombs[3],
    }
    with served(pages) as site:
        line = command(
            f"{site.url}/",
            tmp_path / "out.jsonl",
            "-a",
            "discover=links,sitemap",
            "-s",
            "LOG_LEVEL=INFO",
        )
        done = finished(line, timeout=60, first=_LITTLE_MEMORY)
    assert "Traceback" not in done.stderr
    assert len(items_of(tmp_path / "out.jsonl")) == 6
    assert f"'sitecrawl/pages/lost/too_large': {len(BOMBS)}" in done.stderr


def test_a_robots_txt_larger_than_any_answer_forbids_all(tmp_path: Path) -> None:
    """Compressed or not: what it says is not known."""
    body = gzip.compress(b"User-agent: *\nDisallow: /\n" + b"\n" * 20_000_000, 1)
    pages: dict[str, bytes | Answer] = {"/": listing_page(range(3)).encode()}
    pages["/robots.txt"] = lambda handler: send(handler, 200, body, Content_Encoding="gzip")
    with served(pages) as site:
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl", "-s", "LOG_LEVEL=ERROR")
        assert set(site.asked) == {"/robots.txt"}
    assert complaint(run).endswith("robots.txt cannot be reached (too large)")


_LITTLE_MEMORY = partial(resource.setrlimit, resource.RLIMIT_DATA, (600_000_000, 600_000_000))


@pytest.mark.parametrize("pair", lengths(0, 0))
def test_no_pair_of_lengths_multiplies(pair: str) -> None:
    """The base, a title, a class, an anchor, a srcset of 80 kB and 300 links: 24 million characters
    where they multiply, 10 s."""
    assert page_cost(lengths(80_000, 300)[pair]) < 1.5


def test_a_base_that_no_url_can_have_is_none() -> None:
    for base in ("/" + "a/" * 40_000, "http://" + "a" * 80_000, "/b/"):
        page = parse(f"<base href='{base}'><a href=c>d</a>", "http://example.com/x")
        assert page.base_url == ("http://example.com/b/" if base == "/b/" else page.url)
    assert (
        parse("<a href=/c>d</a>" * 12_000, f"http://example.com/{'x' * 400}").base_url
        == "http://example.com/"
    )
