"""The attacks of docs/research/attacks.md that are measured, each made in a process of its own; prints their rows. Needs no data. Tests call those that
damage a state, with fewer trials. The rows of that page that hold no figure are attacks that tests make."""

from __future__ import annotations

import gzip
import io
import json
import random
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from benchmarks.fuzz import check_model, damaged_file
from benchmarks.harness import parser, resident, run, spent
from sitecrawl.commands.crawl import _check_state
from sitecrawl.crawl.config import CrawlArguments
from sitecrawl.crawl.discovery import sitemaps_of
from sitecrawl.crawl.permissions import Permissions, parsed
from sitecrawl.crawl.records import FetchedPage, FileKind, RequestContext, Role
from sitecrawl.crawl.store import Stores, store_path
from sitecrawl.dom.parse import parse
from sitecrawl.errors import SitecrawlError
from sitecrawl.extras.demo import article_paths, serve, site_pages
from sitecrawl.limits import LIMITS
from sitecrawl.resources import model_path
from sitecrawl.urls.scope import is_private
from tests.crawl import runner
from tests.crawl.driver import HOME, Crawl, Network
from tests.process import finished

HOST = "news.example"
TRIALS = 50
Items = list[dict[str, Any]]
LostAndTwice = tuple[int, int]  # articles lost, and articles written twice


# ---- the state
def demo(folder: Path, feed: Items | None = None, **more: str) -> Crawl:
    """A crawl of the demonstration site without a network; ``feed`` is what was written, whoever ends it."""
    return Crawl.of(Network(dict(site_pages())), folder, feed, **more)


def killed(folder: Path, feed: Items, steps: int) -> None:
    """A crawl that ends after some steps as by a kill."""
    crawl = demo(folder, feed)
    for _, _ in zip(range(steps), crawl.steps(), strict=False):
        pass
    crawl.kill()


def gone_on(folder: Path, feed: Items) -> None:
    """Go on with a crawl as the command does: the state is checked first. Raises SitecrawlError where it is damaged."""
    _check_state(Stores(folder), CrawlArguments.parse({"start": f"{HOME}/", "scope": "site"}))
    crawl = demo(folder, feed)
    try:
        crawl.run()
    except SitecrawlError:
        crawl.kill()
        raise


def lost_and_twice(feed: Items) -> LostAndTwice:
    wanted, found = Counter(article_paths()), Counter(urlsplit(item["url"]).path for item in feed)
    return sum((wanted - found).values()), sum((found - wanted).values())


def in_folders(attack: Callable[[Path, int], Any], cases: Iterable[int]) -> list[Any]:
    """What an attack gives for each case, made in an empty folder."""
    found = []
    for case in cases:
        with tempfile.TemporaryDirectory() as name:
            found.append(attack(Path(name), case))
    return found


def _sum(counts: Iterable[LostAndTwice]) -> str:
    lost, twice = (sum(each) for each in zip(*counts, strict=True))
    return f"{lost} articles lost, {twice} twice"


def damaged_state() -> str:
    """20 random bytes in a state file, 50 trials"""
    said, counts = zip(*in_folders(damage, range(TRIALS)), strict=True)
    told = sum(len(lines.splitlines()) == 1 for lines in said)
    return f"{told} of {TRIALS} told in one line; after the advice {_sum(counts)}"


def damage(folder: Path, seed: int) -> tuple[str, LostAndTwice]:
    """One trial: what was said of the damage, and the articles lost and written twice once the advice was followed."""
    moments, feed = random.Random(seed), Items()
    killed(folder, feed, moments.randint(5, 60))
    file = store_path(folder, {HOST}) if moments.random() < 0.7 else folder / "templates.sqlite"
    data = bytearray(file.read_bytes())
    for _ in range(20):
        data[moments.randrange(len(data))] = moments.randrange(256)
    file.write_bytes(bytes(data))
    said = ""
    try:
        gone_on(folder, feed)
    except SitecrawlError as error:
        said = str(error)
        file.rename(folder / "away")
        gone_on(folder, feed)
    return said, lost_and_twice(feed)


def power_cut() -> str:
    """power cut: the end of the state's log is lost, the feed is not"""
    counts = in_folders(cut_off, range(5, 65, 5))
    return f"{len(counts)} cuts: {_sum(counts)}"


def cut_off(folder: Path, steps: int) -> LostAndTwice:
    """One power cut after so many steps: the database without its write-ahead log is what it may leave. Articles lost and twice."""
    feed, whole, cut = Items(), folder / "whole", folder / "cut"
    crawl = demo(whole, feed)
    for step, _ in enumerate(crawl.steps()):
        if step == steps // 2:
            crawl.session.state.db.rows("PRAGMA wal_checkpoint")
        if step == steps:
            break
    for file in ("templates.sqlite", f"crawls/{HOST}.sqlite"):
        (cut / file).parent.mkdir(parents=True, exist_ok=True)
        (cut / file).write_bytes((whole / file).read_bytes())
    crawl.kill()
    gone_on(cut, feed)
    return lost_and_twice(feed)


def smaller_limit() -> str:
    """interruption, then a smaller `max_articles`"""
    return _sum(in_folders(limited, [30]))


def limited(folder: Path, steps: int) -> LostAndTwice:
    """Articles lost and written twice where runs with a limit and without one follow an interruption after so many steps."""
    feed = Items()
    killed(folder, feed, steps)
    for limit in ("2", str(max(1, len(feed) // 2)), "0", "0"):
        demo(folder, feed, max_articles=limit).run()
    return lost_and_twice(feed)


def full_disk() -> str:
    """full disk"""
    codes, said, counts = zip(*in_folders(short_of_room, (4_000, 60_000, 200_000)), strict=True)
    told = {f"exit {code}, {len(lines.splitlines())} line" for code, lines in zip(codes, said, strict=True)}
    return f"{len(codes)} sizes: {'; '.join(sorted(told))}; with room again {_sum(counts)}"


def short_of_room(folder: Path, room: int) -> tuple[int, str, LostAndTwice]:
    """Exit code and words of a crawl whose files may grow to ``room`` bytes; articles lost and twice when it is run again."""
    feed = folder / "out.jsonl"
    limit = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (room, room))
    with serve() as url:
        line = runner.command(url, feed, "-a", "scope=site", "-o", str(feed))
        done = finished(line, first=limit)
        assert finished(line).returncode == 0
    items = [json.loads(line) for line in feed.read_text(encoding="utf8").splitlines()]
    return done.returncode, done.stderr, lost_and_twice(items)


# ---- one page or file
def private_addresses() -> str:
    """private addresses: translated, old, or a typed name that moves"""
    hosts = ("127.1", "0x7f.1", "[::1]", "[::ffff:10.0.0.1]", "[64:ff9b::a00:1]", "[64:ff9b:1::1]", "[2002:7f00:1::]",
             "[::127.0.0.1]", "[fec0::1]", "169.254.169.254", "printer.local")  # fmt: skip
    own = Permissions.of(["http://public.example/"]).plus("http://127.0.0.1:3128")
    own.allowed("public.example", 80, ["93.184.216.34"])
    moved = own.allowed("public.example", 80, ["127.0.0.1"])
    return f"{sum(map(is_private, hosts))} of {len(hosts)} spellings refused; the name that moved: {'passes' if moved else 'refused'}"


def robots_txt() -> str:
    """robots.txt of 12.5 MB"""
    body = b"User-agent: *\n" + b"".join(b"Disallow: /folder-%d/\n" % number for number in range(560_000))
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
    record = gzip.compress(f"{lines}Content-Length: {len(block)}\r\n\r\n".encode() + block + b"\r\n\r\n")
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "a.warc.gz").write_bytes(record)
        done = run(["-m", "scrapy", "batch", "-o", f"{name}/out.jsonl", f"{name}/a.warc.gz"])
    return f"{len(record) / 1000:.0f} kB: {done.megabytes:.0f} MB, exit {done.code}, {len(done.said.splitlines())} line"


def nested_rules() -> str:
    """a thousand nested `noscript` around 20,000 paragraphs"""
    page = "<html><body>" + "<noscript>" * 1000 + "<p>text</p>" * 20_000 + "</noscript>" * 1000
    return f"{len(page) / 1000:.0f} kB: {spent(lambda: parse(page, f'{HOME}/a')):.1f} s CPU"


def attributes() -> str:
    """a tag of 200,000 attributes without blanks between them"""
    page = "<p " + "".join(f'a{number}="1"' for number in range(200_000)) + ">x"
    return f"{len(page) / 1e6:.1f} MB: {spent(lambda: parse(page, f'{HOME}/a')):.1f} s CPU"


def model_bomb() -> str:
    """damaged model files, and one whose array claims 300,000 million numbers"""
    body, moments = model_path("links.npz").read_bytes(), random.Random(0)
    with tempfile.TemporaryDirectory() as name:
        refused = sum(check_model(damaged_file(body, moments), Path(name) / "m.npz") for _ in range(200))
    return f"{refused} of 200 damaged files refused in one line, the others harmless"


# ---- pages that a crawl takes
@contextmanager
def begun(**more: str) -> Iterator[tuple[Crawl, Path]]:
    """A crawl that has begun, and the folder of its state."""
    with tempfile.TemporaryDirectory() as name:
        crawl = demo(Path(name), **more)
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
            rows = "".join(f'<div class="row">{link.format(number, at)}</div>' for at in range(5000))
            fetched(crawl, f"{HOME}/list/{number}", f"<html><body>{rows}</body></html>".encode())
    early, late = (
        [(after - before) / 9 for before, after in zip(marks[at], marks[at + 9], strict=True)] for at in (1, 41)
    )
    shown = "{:.0f} MB, {:.0f} MB disk, {:.1f} s CPU"
    return f"{shown.format(*early)} a page, with {LIMITS.unread:,} links waiting {shown.format(*late)}"


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
            inside = "".join(shape.format(f"{number}x{at}", "k" * 1_000_000) for shape in shapes for at in range(4))
            page = f"<html><body><h1>Report {number}</h1>{inside}</body></html>".encode()
            fetched(crawl, f"{HOME}/2024/05/a-{number}.html", page)
            used.append(resident())
    return f"{max(0, used[-1] - used[9]) / 10:.1f} MB a page"


def lengths(long: int, many: int) -> dict[str, str]:
    """Pages on which something of ``long`` characters meets ``many`` links or pictures: their cost is no product of the two."""
    folders, words = "a/" * (long // 2), "word " * (long // 5)
    rows = "".join(f"<h2><a href='r-{at}.html'>Report {at} of the town</a></h2>" for at in range(many))
    dotted = "".join(f"<h2><a href='x/../r-{at}.html;a'>Report {at} of the town</a></h2>" for at in range(many))
    images = "".join(f"<p><img src='r-{at}.png' srcset='s-{at}.png 1x'>Report {at}</p>" for at in range(many))
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
    rows = "".join(f"<url><loc>{HOME}/2024/05/report-{number}.html</loc></url>" for number in range(50_000))
    body = f"<urlset>{rows}</urlset>".encode()
    with begun(discover="links,sitemap") as (crawl, _):
        seconds = [spent(lambda: fetched(crawl, f"{HOME}/map.xml", body, role=Role.FILE, file=FileKind.SITEMAP))]
        while crawl.session.is_reading:
            seconds.append(spent(crawl.session.read_on))
    return f"{sum(seconds):.1f} s CPU in {len(seconds)} parts, {max(seconds):.2f} s at a time"


def long_text() -> str:
    """articles of 8 MB of text"""
    seconds = []
    with begun() as (crawl, _):
        for number in range(6):
            url = f"{HOME}/2024/05/a-{number}.html"
            prose = "".join(f"<p>Part {at} of {number}. {'Words of a report. ' * 50_000}</p>" for at in range(8))
            page = f"<html><body><h1>Report {number}</h1><div class=text>{prose}</div></body></html>".encode()
            crawl.session.state.pages.queue(RequestContext(url, Role.ARTICLE, 0.9))
            seconds.append(spent(partial(fetched, crawl, url, page, role=Role.ARTICLE, promise=0.9)))
    return f"{max(seconds):.1f} s CPU a page at most"


ATTACKS: dict[str, Callable[[], str]] = {
    str(attack.__doc__): attack
    for attack in (
        damaged_state, power_cut, full_disk, smaller_limit, private_addresses, robots_txt, robots_blanks, batch_bomb,
        nested_rules, attributes, long_names, long_text, model_bomb, frontier, multiplied, many_links, sitemap_flood
    )
}  # fmt: skip
"""The attacks by their rows in docs/research/attacks.md."""


def main(arguments: list[str]) -> int:
    """One attack by its whole name, else the rows of those named in part or of all; 1 when one fails."""
    options = parser(__doc__)
    options.add_argument("names", nargs="*", help="parts of names")
    asked = options.parse_args(arguments).names
    if len(asked) == 1 and asked[0] in ATTACKS:
        print(ATTACKS[asked[0]]())
        return 0
    print("| attack | now |\n|---|---|")
    worst = 0
    for name in ATTACKS:
        if not asked or any(part in name for part in asked):
            done = run(["-m", "benchmarks", "attacks", name])
            told = f"FAILED: {done.said[-300:]}" if done.code else done.said.splitlines()[-1]
            print(f"| {name} | {told} |", flush=True)
            worst = max(worst, done.code)
    return worst
