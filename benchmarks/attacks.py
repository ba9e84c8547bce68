"""The attacks of docs/research/attacks.md that are measured, each made in a process of its own;
prints their rows. Needs no data. Tests call those that damage a state, with fewer trials. The rows
of that page that hold no figure are attacks that tests make."""

from __future__ import annotations

import gzip
import io
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from scrapy.http import Request, Response

from benchmarks.harness import apart, asked, peak, resident, run, spent
from benchmarks.live_markup import foreign
from sitecrawl import RawPage, SiteModel
from sitecrawl.crawl.named_files import sitemaps_of
from sitecrawl.crawl.permissions import Permissions, parsed
from sitecrawl.crawl.records import FetchedPage, FileKind, RequestContext, Role
from sitecrawl.dom.page import Page
from sitecrawl.dom.parse import parse
from sitecrawl.exporters import FolderFile
from sitecrawl.extract.single import Extraction
from sitecrawl.extras.access.access_file import Access
from sitecrawl.extras.access.browser_access import headers_for
from sitecrawl.extras.access.named_origins import NamedOrigins
from sitecrawl.extras.demo import site_pages
from sitecrawl.extras.sinks.markdown_files import MarkdownExporter
from sitecrawl.items.article import Article
from sitecrawl.limits import LIMITS
from sitecrawl.links.classify import classify
from sitecrawl.middlewares.cookie_walls import CookieWalls
from sitecrawl.templates.address import find, is_address
from sitecrawl.urls.scope import is_private
from tests.crawl.driver import HOME, Crawl, Network


# ---- one page or file
def private_addresses() -> str:
    """private addresses: translated, old, or a typed name that moves"""
    hosts = ("127.1", "0x7f.1", "[::1]", "[::ffff:10.0.0.1]", "[64:ff9b::a00:1]", "[64:ff9b:1::1]", "[2002:7f00:1::]",
             "[::127.0.0.1]", "[fec0::1]", "169.254.169.254", "printer.local")  # fmt: skip
    own = Permissions.of(["http://public.example/"]).plus("http://127.0.0.1:3128")
    own.allowed("public.example", 80, addresses=["93.184.216.34"])
    moved = own.allowed("public.example", 80, addresses=["127.0.0.1"])
    return f"{sum(map(is_private, hosts))} of {len(hosts)} spellings refused; the name that moved: {'passes' if moved else 'refused'}"


def robots_txt() -> str:
    """robots.txt of 12.5 MB"""
    body = b"User-agent: *\n" + b"".join(
        b"Disallow: /folder-%d/\n" % number for number in range(560_000)
    )
    before, began = resident(), time.process_time()
    rules = parsed(body)
    for number in range(10):
        rules.can_fetch(f"{HOME}/a/{number}", "sitecrawl")
    return f"{resident() - before:.0f} MB, {(time.process_time() - began) / 10:.3f} s a URL, the parse of the file shared by ten"


def robots_blanks() -> str:
    """robots.txt of half a megabyte of blank lines"""
    body = b"\n \n" * 160_000
    return f"{len(body) / 1000:.0f} kB: {spent(lambda: sitemaps_of(body, HOME)):.2f} s CPU"


def batch_bomb() -> str:
    """WARC of some kilobytes that unpacks to a gigabyte"""
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb") as stream:
        for _ in range(1000):
            stream.write(b"<p>" + b" " * 999_997)
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n"
    block = head + packed.getvalue()
    lines = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {HOME}/a\r\nContent-Type: application/http; msgtype=response\r\n"
    record = gzip.compress(
        f"{lines}Content-Length: {len(block)}\r\n\r\n".encode() + block + b"\r\n\r\n"
    )
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "a.warc.gz").write_bytes(record)
        done = run(["-m", "sitecrawl", "batch", "-o", f"{name}/out.jsonl", f"{name}/a.warc.gz"])
    return f"{len(record) / 1000:.0f} kB: {done.megabytes:.0f} MB, exit {done.code}, {len(done.said.splitlines())} line"


# ---- pages whose work is a product of two lengths
_BEGIN = "<html><body>"
_URL = f"{HOME}/2024/05/a.html"


def _measured(html: str) -> str:
    """Seconds of CPU of the steps of a page, memory, characters of Markdown, and whether the page
    says that it was cut."""
    before = peak()
    pages = list[Page]()
    articles = list[Article]()
    seconds = [
        spent(lambda: pages.append(parse(html, _URL))),
        spent(lambda: classify(pages[0])),
        spent(lambda: articles.append(Extraction(pages[0]).article)),
        spent(lambda: articles[0].to_dict() and articles[0].articleBodyMarkdown),
    ]
    written = len(articles[0].articleBodyMarkdown)
    cut = "truncated" if "truncated" in articles[0].provenance.flags else "whole"
    return (
        f"{len(html) / 1000:.0f} kB: {sum(seconds):.1f} s CPU, {peak() - before:.0f} MB, "
        f"{written / 1e6:.1f} MB of Markdown, {cut}"
    )


def code_in_code(depth: int = 1_900) -> str:
    """nested `<code>` beside a script of formulas"""
    return _measured(_nested_code(depth))


def _nested_code(depth: int) -> str:
    script = f"{_BEGIN}<script src=/mathjax.js></script>"
    return script + "<code>" * depth + "<b>x</b>" * 60_000


def learning_code() -> str:
    """learning on four pages of nested `<code>`"""
    site = SiteModel()
    pages = [RawPage(_nested_code(1_900), f"{HOME}/2024/05/a-{at}.html") for at in range(4)]
    return f"{spent(lambda: site.learn(pages)):.1f} s CPU"


def long_hosts() -> str:
    """300 links to host names of 1,900 letters beyond ASCII"""
    link = "<h2><a href='http://{}{}.example/a'>Report {} of the town</a></h2>"
    return _measured(_BEGIN + "".join(link.format("ü" * 1_900, at, at) for at in range(300)))


def nested_headings() -> str:
    """700 nested headings with links"""
    link = "<h2><a href='/a/{}'>" + "Words of a link. " * 60
    return _measured(_BEGIN + "".join(link.format(at) for at in range(700)))


def spanned_cells() -> str:
    """a table whose cells span 99 columns and rows each"""
    rows = "<tr><td colspan=99 rowspan=99>x" * 15_000
    return _measured(f"{_BEGIN}<article><p>{'Words of prose. ' * 60}</p><table>{rows}</table>")


def costly_tests() -> str:
    """the tests that say how many seconds they may cost"""
    ended = run(["-m", "pytest", "-m", "costs", "-p", "benchmarks.costs", "tests"])
    if ended.code:
        raise AssertionError(ended.said)
    return next(line for line in ended.said.splitlines() if " passed" in line)


def places_on_the_page() -> str:
    """85,000 links to places on the page"""
    rows = "".join(f"<p><a href=#x{at}>place {at} of the page</a></p>" for at in range(85_000))
    return _measured(_BEGIN + rows)


def vast_pages() -> str:
    """a crawl of 20 pages of 15.8 MB"""
    before = peak()
    prose = f" with words of a report that says {'so ' * 60}</p>"
    with begun() as (crawl, _):
        for number in range(20):
            rows = "".join(f"<p>Paragraph {number} {at}{prose}" for at in range(63_000))
            page = f"<html><body><h1>Report {number} of the day</h1><div class=text>{rows}</div>"
            url = f"{HOME}/2024/05/a-{number}.html"
            crawl.session.state.pages.queue(RequestContext(url, Role.ARTICLE, 0.9))
            fetched(crawl, url, page.encode(), role=Role.ARTICLE, promise=0.9)
    return f"{len(page) / 1e6:.1f} MB each: {peak() - before:.0f} MB of memory"


# ---- pages that a crawl takes
@contextmanager
def begun(**more: str) -> Iterator[tuple[Crawl, Path]]:
    """A crawl that has begun, and the folder of its state."""
    with tempfile.TemporaryDirectory() as name:
        crawl = Crawl.of(Network(dict(site_pages())), Path(name), **more)
        crawl.session.begin()
        yield crawl, Path(name)
        crawl.kill()


def fetched(crawl: Crawl, url: str, body: bytes, **more: Any) -> None:
    """Give a page to a crawl that did not ask for it."""
    context = RequestContext(url, **{"role": Role.SECTION, **more})
    crawl.session.page(FetchedPage(url, context, body, content_type="text/html"))


def frontier() -> str:
    """5,000 new links on each page"""
    marks = []
    with begun() as (crawl, folder):
        for number in range(51):
            disk = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6
            marks.append((resident(), disk, time.process_time()))
            link = '<h2><a href="/2024/05/report-{0}-{1}.html">Report {0} of {1} opens the harbour</a></h2>'
            rows = "".join(
                f'<div class="row">{link.format(number, at)}</div>' for at in range(5000)
            )
            fetched(crawl, f"{HOME}/list/{number}", f"<html><body>{rows}</body></html>".encode())
    early, late = (
        [(after - before) / 9 for before, after in zip(marks[at], marks[at + 9], strict=True)]
        for at in (1, 41)
    )
    shown = "{:.0f} MB, {:.0f} MB disk, {:.1f} s CPU"
    return (
        f"{shown.format(*early)} a page, with {LIMITS.unread:,} links waiting {shown.format(*late)}"
    )


def long_names() -> str:
    """classes, links and hosts of a megabyte each"""
    shapes = (
        '<p class="c{0} {1}">words',
        '<a href="/2024/05/c{0}{1}">a link</a>',
        '<a href="http://c{0}.{1}.com/">a link</a>',
    )
    used = []
    with begun() as (crawl, _):
        for number in range(20):
            inside = "".join(
                shape.format(f"{number}x{at}", "k" * 1_000_000)
                for shape in shapes
                for at in range(4)
            )
            page = f"<html><body><h1>Report {number}</h1>{inside}</body></html>".encode()
            fetched(crawl, f"{HOME}/2024/05/a-{number}.html", page)
            used.append(resident())
    return f"{max(0, used[-1] - used[9]) / 10:.1f} MB a page"


def lengths(long: int, many: int) -> dict[str, str]:
    """Pages on which something of ``long`` characters meets ``many`` links or pictures: their cost
    is no product of the two."""
    folders, words = "a/" * (long // 2), "word " * (long // 5)
    rows = "".join(
        f"<h2><a href='r-{at}.html'>Report {at} of the town</a></h2>" for at in range(many)
    )
    dotted = "".join(
        f"<h2><a href='x/../r-{at}.html;a'>Report {at} of the town</a></h2>" for at in range(many)
    )
    images = "".join(
        f"<p><img src='r-{at}.png' srcset='s-{at}.png 1x'>Report {at}</p>" for at in range(many)
    )
    return {
        "base and links": f"<base href='/{folders}'>{rows}",
        "base and dotted links": f"<base href='/{folders}'>{dotted}",
        "base and pictures": f"<base href='/{folders}'><article>{images}",
        "title and links": f"<title>{words}</title><h1>{words}</h1>{rows}",
        "classes and links": f"<div class='{'c' * long}'><div class='{'c ' * (long // 2)}'>{rows}",
        "anchor and links": f"<p><a href='/2024/05/a.html'>{words}</a></p>{rows}",
        "href and links": f"<p><a href='/{folders}'>word</a></p>{rows}",
        "srcset and pictures": f"<article><img srcset='{'a.png 1x, ' * (long // 10)}'>{images}",
        "canonical and links": f"<link rel=canonical href='/{folders}'><meta property=og:url content='/{folders}'>{rows}",
    }


def multiplied(long: int = 80_000, many: int = 300) -> str:
    """a `<base href>` of 80 kB over 300 links, and other pairs of lengths"""
    found = {name: page_cost(body) for name, body in lengths(long, many).items()}
    return f"{len(found)} pairs, {max(found.values()):.1f} s CPU a page at most"


def page_cost(body: str) -> float:
    """Seconds of CPU that a page costs a crawl."""
    with begun() as (crawl, _):
        fetched(crawl, f"{HOME}/list", b"<p><a href=/b>first</a>")
        return spent(lambda: fetched(crawl, f"{HOME}/list/2", f"<html><body>{body}".encode()))


def many_links() -> str:
    """a page of 100,000 links"""
    return f"{page_cost(lengths(10, 100_000)['base and links']):.1f} s CPU"


def sitemap_flood() -> str:
    """sitemap of 50,000 addresses"""
    rows = "".join(
        f"<url><loc>{HOME}/2024/05/report-{number}.html</loc></url>" for number in range(50_000)
    )
    body = f"<urlset>{rows}</urlset>".encode()
    with begun(discover="links,sitemap") as (crawl, _):
        seconds = spent(
            lambda: fetched(crawl, f"{HOME}/map.xml", body, role=Role.FILE, file=FileKind.SITEMAP)
        )
    return f"{seconds:.1f} s CPU at a time"


def moved_secrets() -> str:
    """a redirect of a page with secrets to another scheme, host or port"""
    rule = Access("a.example", headers={"X-Key": "secret"})
    origins = NamedOrigins([rule], ["https://a.example:8443/", "http://a.example/"])
    targets = ("http://a.example/", "http://a.example:8443/", "https://a.example/", "http://www.a.example/",
               "https://a.example:8444/", "https://aa.example:8443/", "https://a.example@b.example:8443/")  # fmt: skip
    kept = [url for url in targets if not headers_for(url, [rule], origins=origins)]
    return f"{len(kept)} of {len(targets)} addresses get nothing"


def cookie_wall(pages: int = 300) -> str:
    """a cookie of a new name with each page, from a host that redirects every page to itself"""
    walls, sizes, before = CookieWalls(), list[int](), resident()
    for number in range(pages):
        url = f"{HOME}/2024/05/a-{number}.html"
        asked = Request(url)
        names = [f"c{number}x{at}={'v' * 100}; Path=/" for at in range(100)]
        headers = {"Location": url, "Set-Cookie": names}
        walls.process_response(asked, Response(url, status=302, headers=headers))
        back = asked.replace(meta={**asked.meta, "redirect_urls": [url]}, dont_filter=True)
        walls.process_request(back)
        sizes.append(len(back.headers.get("Cookie") or b""))
        walls.process_response(back, Response(url))
    return (
        f"{pages} pages: {max(sizes) / 1000:.0f} kB of cookies a request at most, "
        f"{sum(sizes) / 1e6:.1f} MB in all, {resident() - before:.0f} MB of memory"
    )


def long_text() -> str:
    """articles of 8 MB of text"""
    seconds = []
    with begun() as (crawl, _):
        for number in range(6):
            url = f"{HOME}/2024/05/a-{number}.html"
            prose = "".join(
                f"<p>Part {at} of {number}. {'Words of a report. ' * 50_000}</p>" for at in range(8)
            )
            page = f"<html><body><h1>Report {number}</h1><div class=text>{prose}</div></body></html>".encode()
            crawl.session.state.pages.queue(RequestContext(url, Role.ARTICLE, 0.9))
            seconds.append(
                spent(partial(fetched, crawl, url, page, role=Role.ARTICLE, promise=0.9))
            )
    return f"{max(seconds):.1f} s CPU a page at most"


# ---- what is written, and what is taken from others
def live_markup() -> str:
    """text made to be read as markup, in code, titles, languages and addresses"""
    shapes = (
        "<p><code>x<br>&lt;script>alert(1)&lt;/script></code>",
        "<pre data-lang='x\n<script>alert(1)</script>'>x</pre>",
        "<ul><li><pre>x\n\n&lt;img src=x onerror=alert(1)></pre></ul>",
        "<p>&lt;\x7fimg src=x onerror=alert(1)>",
        "<a>!</a><a href='http://x.example/'>x</a>",
        "<a href='javascript&amp;colon;alert(1)'>x</a>",
    )
    found = [foreign(shape, base) for shape in shapes for base in ("http://e.example/", "")]
    return f"{len(shapes)} shapes, 2 readers: {sum(map(len, found))} elements or URLs that the page lacks"


def long_file_names() -> str:
    """a URL of 80 letters of four bytes in a folder of Markdown files"""
    with tempfile.TemporaryDirectory() as name:
        exporter = MarkdownExporter(FolderFile(Path(name)))
        for end in ("a", "\U00020000" * 80):
            exporter.export_item({"url": f"{HOME}/{end}", "articleBody": "Words."})
        return f"{len(list(Path(name).iterdir()))} of 2 articles written"


def costly_addresses() -> str:
    """a template whose address asks for the siblings of siblings"""
    wide = parse("<p>x</p>" * 20_000).root
    asked_for = ("//p/following-sibling::p/following-sibling::p", "//p/following-sibling::p")
    refused = [address for address in asked_for if not is_address(address)]
    seconds = spent(lambda: find(asked_for[1], wide))
    return f"{len(refused)} of {len(asked_for)} refused, {seconds:.1f} s CPU for 20,000 paragraphs"


ATTACKS: dict[str, Callable[[], str]] = {
    str(attack.__doc__): attack
    for attack in (
        private_addresses, robots_txt, robots_blanks, batch_bomb, long_names, long_text, frontier, multiplied, many_links, moved_secrets,
        sitemap_flood, cookie_wall,
        code_in_code, learning_code, long_hosts, nested_headings, spanned_cells, costly_tests, places_on_the_page, vast_pages,
        live_markup, long_file_names, costly_addresses,
    )
}  # fmt: skip
"""The attacks by their rows in docs/research/attacks.md."""


def main(arguments: list[str]) -> int:
    """The rows of the attacks named in part, or of all; 1 when one fails."""
    args = asked(__doc__, arguments, only=("", "a part of the name of an attack"))
    print("| attack | now |\n|---|---|")
    rows = {name: "" for name in ATTACKS if args.only in name}
    for name in rows:
        rows[name] = apart(ATTACKS[name]) or "FAILED"
        print(f"| {name} | {rows[name]} |", flush=True)
    return int("FAILED" in rows.values())
