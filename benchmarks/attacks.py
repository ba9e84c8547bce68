"""The attacks of docs/security.md, each made in a process of its own; the table gives what it does now. Needs no data.

Attacks that are measured are functions here, and tests call those that damage a state; attacks on a whole crawl are tests: their row is printed when
these pass.
"""

from __future__ import annotations

import gzip
import io
import json
import random
import resource
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import sqlalchemy as sa

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
from sitecrawl.links.link_model import default_path
from sitecrawl.urls.scope import is_private
from tests.crawl import runner
from tests.crawl.driver import HOME, Crawl, Network

HOST = "news.example"
TRIALS = 50
Items = list[dict[str, Any]]


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


def lost_and_twice(feed: Items) -> tuple[int, int]:
    """Articles lost and articles written twice."""
    wanted, found = Counter(article_paths()), Counter(urlsplit(item["url"]).path for item in feed)
    return sum((wanted - found).values()), sum((found - wanted).values())


def damaged_state() -> str:
    """Twenty random bytes in a state file, then the advice that is given."""
    told = lost = twice = 0
    for seed in range(TRIALS):
        with tempfile.TemporaryDirectory() as name:
            said, counts = damage(Path(name), seed)
        told, lost, twice = told + (len(said.splitlines()) == 1), lost + counts[0], twice + counts[1]
    return f"{told} of {TRIALS} told in one line; after the advice {lost} articles lost, {twice} twice"


def damage(folder: Path, seed: int) -> tuple[str, tuple[int, int]]:
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
    """The end of the write-ahead log is lost at some moment, the feed is not."""
    counts = []
    for steps in range(5, 65, 5):
        with tempfile.TemporaryDirectory() as name:
            counts.append(cut_off(Path(name), steps))
    lost, twice = (sum(each) for each in zip(*counts, strict=True))
    return f"{len(counts)} cuts: {lost} articles lost, {twice} twice"


def cut_off(folder: Path, steps: int) -> tuple[int, int]:
    """One power cut after so many steps: the database without its write-ahead log is what it may leave. Articles lost and twice."""
    feed, whole, cut = Items(), folder / "whole", folder / "cut"
    crawl = demo(whole, feed)
    for step, _ in enumerate(crawl.steps()):
        if step == steps // 2:
            crawl.session.state.db.rows(sa.text("PRAGMA wal_checkpoint"))
        if step == steps:
            break
    for file in ("templates.sqlite", f"crawls/{HOST}.sqlite"):
        (cut / file).parent.mkdir(parents=True, exist_ok=True)
        (cut / file).write_bytes((whole / file).read_bytes())
    crawl.kill()
    gone_on(cut, feed)
    return lost_and_twice(feed)


def smaller_limit() -> str:
    """An interruption, then the same command with a smaller max_articles, then without."""
    with tempfile.TemporaryDirectory() as name:
        return "{} articles lost, {} twice".format(*limited(Path(name), 30))


def limited(folder: Path, steps: int) -> tuple[int, int]:
    """Articles lost and written twice where runs with a limit and without one follow an interruption after so many steps."""
    feed = Items()
    killed(folder, feed, steps)
    for limit in ("2", str(max(1, len(feed) // 2)), "0", "0"):
        demo(folder, feed, max_articles=limit).run()
    return lost_and_twice(feed)


def full_disk() -> str:
    """A crawl of the demonstration site where no file may grow beyond some size, then the same command with room."""
    with tempfile.TemporaryDirectory() as name:
        said = [short_of_room(Path(name) / str(room), room) for room in (4_000, 60_000, 200_000)]
    codes = "; ".join(sorted({f"exit {code}, {len(lines.splitlines())} line" for code, lines, _ in said}))
    lost, twice = (sum(each) for each in zip(*(state for _, _, state in said), strict=True))
    return f"{len(said)} sizes: {codes}; with room again {lost} articles lost, {twice} twice"


def short_of_room(folder: Path, room: int) -> tuple[int, str, tuple[int, int]]:
    """Exit code and words of a crawl whose files may grow to ``room`` bytes; articles lost and twice when it is run again."""
    folder.mkdir(parents=True)
    feed = folder / "out.jsonl"

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

    with serve() as url:
        line = runner.command(url, feed, "-a", "scope=site", "-o", str(feed))
        done = subprocess.run(line, capture_output=True, text=True, check=False, preexec_fn=limit)
        subprocess.run(line, capture_output=True, check=True)
    items = [json.loads(line) for line in feed.read_text(encoding="utf8").splitlines()]
    return done.returncode, done.stderr, lost_and_twice(items)


def private_addresses() -> str:
    """Spellings of private addresses, and a typed public name that moves into the house."""
    hosts = ("127.1", "0x7f.1", "[::1]", "[::ffff:10.0.0.1]", "[64:ff9b::a00:1]", "[64:ff9b:1::1]", "[2002:7f00:1::]",
             "[::127.0.0.1]", "[fec0::1]", "169.254.169.254", "printer.local")  # fmt: skip
    own = Permissions.of(["http://public.example/"]).plus("http://127.0.0.1:3128")
    own.allowed("public.example", 80, ["93.184.216.34"])
    moved = own.allowed("public.example", 80, ["127.0.0.1"])
    return f"{sum(map(is_private, hosts))} of {len(hosts)} spellings refused; the name that moved: {'passes' if moved else 'refused'}"


def robots_txt() -> str:
    """A robots.txt of 12.5 MB."""
    body = b"User-agent: *\n" + b"".join(b"Disallow: /folder-%d/\n" % number for number in range(560_000))
    before, began = resident(), time.process_time()
    rules = parsed(body)
    for number in range(10):
        rules.can_fetch(f"{HOME}/a/{number}", "sitecrawl")
    return f"{resident() - before:.0f} MB, {(time.process_time() - began) / 10:.3f} s a URL, the parse of the file shared by ten"


def batch_bomb() -> str:
    """A WARC file of some kilobytes whose one body unpacks to a gigabyte."""
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
    """A page of a thousand noscript elements around twenty thousand paragraphs."""
    page = "<html><body>" + "<noscript>" * 1000 + "<p>text</p>" * 20_000 + "</noscript>" * 1000
    return f"{len(page) / 1000:.0f} kB: {spent(lambda: parse(page, f'{HOME}/a')):.1f} s CPU"


def attributes() -> str:
    """A tag of two hundred thousand attributes with no blank between them."""
    page = "<p " + "".join(f'a{number}="1"' for number in range(200_000)) + ">x"
    return f"{len(page) / 1e6:.1f} MB: {spent(lambda: parse(page, f'{HOME}/a')):.1f} s CPU"


def model_bomb() -> str:
    """A model file of some kilobytes one of whose arrays claims 300,000 million numbers."""
    body, moments = default_path().read_bytes(), random.Random(0)
    with tempfile.TemporaryDirectory() as name:
        refused = sum(check_model(damaged_file(body, moments), Path(name) / "m.npz") for _ in range(200))
    return f"{refused} of 200 damaged files refused in one line, the others harmless"


def fetched(crawl: Crawl, url: str, body: bytes, **more: Any) -> None:
    """Give a page to a crawl that did not ask for it."""
    context = RequestContext(url, **{"role": Role.SECTION, **more})
    crawl.session.page(FetchedPage(url, context, body, content_type="text/html"))


def frontier() -> str:
    """Fifty pages of five thousand new links each: the first ten, and those after ``LIMITS.unread`` links."""
    with tempfile.TemporaryDirectory() as name:
        crawl = demo(Path(name))
        crawl.session.begin()
        marks = {}
        for number in range(51):
            disk = sum(file.stat().st_size for file in Path(name).rglob("*") if file.is_file()) / 1e6
            marks[number] = resident(), disk, time.process_time()
            fetched(crawl, f"{HOME}/list/{number}", _listing(number))
        crawl.kill()
    early, late = (
        [(after - before) / 9 for after, before in zip(marks[end], marks[end - 9], strict=True)] for end in (10, 50)
    )
    shown = "{:.0f} MB, {:.0f} MB disk, {:.1f} s CPU"
    return f"{shown.format(*early)} a page, with {LIMITS.unread:,} links waiting {shown.format(*late)}"


def _listing(number: int) -> bytes:
    rows = (
        f'<div class="row"><h2><a href="/2024/05/report-{number}-{at}.html">Report {number} of {at} opens the harbour</a></h2></div>'
        for at in range(5000)
    )
    return f"<html><body>{''.join(rows)}</body></html>".encode()


def long_names() -> str:
    """Pages whose classes, links and hosts have a megabyte each, parsed, classified and extracted as a crawl does."""
    shapes = (
        '<p class="c{0} {1}">words</p>',
        '<a href="/2024/05/c{0}{1}">a link</a>',
        '<a href="http://c{0}.{1}.com/">a link</a>',
    )
    with tempfile.TemporaryDirectory() as name:
        crawl, used = demo(Path(name)), []
        crawl.session.begin()
        for number in range(20):
            inside = "".join(shape.format(f"{number}x{at}", "k" * 1_000_000) for shape in shapes for at in range(4))
            page = f"<html><body><h1>Report {number}</h1>{inside}</body></html>".encode()
            fetched(crawl, f"{HOME}/2024/05/a-{number}.html", page)
            used.append(resident())
        crawl.kill()
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
    """Every pair of lengths; the base alone took minutes with a thousand links."""
    found = {name: page_cost(body) for name, body in lengths(long, many).items()}
    return f"{len(found)} pairs, {max(found.values()):.1f} s CPU a page at most"


def page_cost(body: str) -> float:
    """Seconds of CPU that a page costs a crawl."""
    with tempfile.TemporaryDirectory() as name:
        crawl = demo(Path(name))
        crawl.session.begin()
        fetched(crawl, f"{HOME}/list", b"<p><a href=/b>first</a>")
        seconds = spent(lambda: fetched(crawl, f"{HOME}/list/2", f"<html><body>{body}".encode()))
        crawl.kill()
    return seconds


def many_links() -> str:
    """A page of a hundred thousand headings that are links: those beyond ``LIMITS.links`` cost no more than their parse."""
    return f"{page_cost(lengths(10, 100_000)['base and links']):.1f} s CPU"


def sitemap_flood() -> str:
    """A sitemap of fifty thousand addresses."""
    rows = "".join(f"<url><loc>{HOME}/2024/05/report-{number}.html</loc></url>" for number in range(50_000))
    with tempfile.TemporaryDirectory() as name:
        crawl = demo(Path(name), discover="links,sitemap")
        crawl.session.begin()
        body = f"<urlset>{rows}</urlset>".encode()
        seconds = [spent(lambda: fetched(crawl, f"{HOME}/map.xml", body, role=Role.FILE, file=FileKind.SITEMAP))]
        while crawl.session.is_reading:
            seconds.append(spent(crawl.session.read_on))
        crawl.kill()
    return f"{sum(seconds):.1f} s CPU in {len(seconds)} parts, {max(seconds):.2f} s at a time"


def robots_blanks() -> str:
    """A robots.txt of half a megabyte of blank lines."""
    body = b"\n \n" * 160_000
    return f"{len(body) / 1000:.0f} kB: {spent(lambda: sitemaps_of(body, HOME)):.2f} s CPU"


def codecs() -> str:
    """Pages that declare a codec of Python's own as their encoding."""
    names = (
        "base64 bz2 hex idna palmos punycode quopri raw_unicode_escape rot13 undefined unicode_escape uu zip".split()
    )
    pages = [b"<meta charset=%s><p>\xff\xfe text-" % name.encode() + b"9" * 200_000 for name in names]
    seconds = [spent(lambda page=page: parse(page, f"{HOME}/a")) for page in pages]  # type: ignore[misc]
    return f"{len(seconds)} of {len(names)} read, {max(seconds):.2f} s CPU at most"


def long_text() -> str:
    """Articles of eight megabytes of text, which templates compare."""
    with tempfile.TemporaryDirectory() as name:
        crawl, seconds = demo(Path(name)), []
        crawl.session.begin()
        for number in range(6):
            url = f"{HOME}/2024/05/a-{number}.html"
            prose = "".join(f"<p>Part {at} of {number}. {'Words of a report. ' * 50_000}</p>" for at in range(8))
            page = f"<html><body><h1>Report {number}</h1><div class=text>{prose}</div></body></html>".encode()
            crawl.session.state.pages.queue(RequestContext(url, Role.ARTICLE, 0.9))
            seconds.append(spent(lambda url=url, page=page: fetched(crawl, url, page, role=Role.ARTICLE, promise=0.9)))  # type: ignore[misc]
        crawl.kill()
    return f"{max(seconds):.1f} s CPU a page at most"


def _tests(now: str, *names: str) -> Callable[[], str]:
    """An attack that is made by tests: what they show, when they pass."""

    def attack() -> str:
        done = run(["-m", "pytest", "-q", "-p", "no:cacheprovider", *(f"tests/{name}" for name in names)])
        if done.code:
            raise SystemExit(done.said[-2_000:])
        return now

    return attack


_SECURITY, _MANNERS = "crawl/test_security.py::test_", "crawl/test_manners.py::test_"
ATTACKS: dict[str, Callable[[], str]] = {
    "20 random bytes in a state file, 50 trials": damaged_state,
    "power cut: the end of the state's log is lost, the feed is not": power_cut,
    "full disk": full_disk,
    "interruption, then a smaller `max_articles`": smaller_limit,
    "`-O` on a second incremental run": _tests(
        "the old feed is kept as `FILE.bak`",
        "crawl/test_damage.py::test_a_feed_written_anew_without_what_is_known_is_kept",
    ),
    "a feed with lines of others, of arrays, of numbers without end": _tests(
        "they stay, and the feed is completed",
        "crawl/test_interrupt.py::test_a_feed_that_holds_other_lines_is_added_to",
    ),
    "private addresses: translated, old, or a typed name that moves": private_addresses,
    "a proxy on loopback": _tests(
        "is reached as a proxy and as nothing else",
        _SECURITY + "the_users_proxy_is_reached_as_a_proxy_and_as_nothing_else",
    ),
    "robots.txt of 12.5 MB": robots_txt,
    "robots.txt of half a megabyte of blank lines": robots_blanks,
    "robots.txt that cannot be reached, or is too large to be": _tests(
        "forbids all until it can be reached",
        _MANNERS + "a_robots_txt_that_cannot_be_reached_forbids_all_for_now",
        _SECURITY + "a_robots_txt_larger_than_any_answer_forbids_all",
    ),
    "WARC of some kilobytes that unpacks to a gigabyte": batch_bomb,
    "a thousand nested `noscript` around 20,000 paragraphs": nested_rules,
    "a tag of 200,000 attributes without blanks between them": attributes,
    "classes, links and hosts of a megabyte each": long_names,
    "articles of 8 MB of text": long_text,
    "attribute names such as `xml:lang` on a paragraph around a section": _tests(
        "read", "dom/test_parse.py::test_attribute_names_that_cannot_be_written"
    ),
    "damaged model files, and one whose array claims 300,000 million numbers": model_bomb,
    "model files of other shapes": _tests("refused in one line before it", "extract/test_weights.py"),
    "damaged template documents": _tests("refused in one line, or harmless", "test_fuzz.py"),
    "5,000 new links on each page": frontier,
    "a `<base href>` of 80 kB over 300 links, and other pairs of lengths": multiplied,
    "a page of 100,000 links": many_links,
    "a feed of `sitecrawl feed` that is moved away, or another file in its place": _tests(
        "a new file begins behind the cursor; the other is left as it is, exit 2",
        "fleet/test_all_items.py::test_a_rotated_feed_begins_anew_and_another_file_is_left_as_it_is",
    ),
    "tags and marks in a headline, a description, a body without HTML": _tests(
        "text in every format", "feeds/test_formats.py::test_no_plain_text_is_markup"
    ),
    "NUL and halves of surrogate pairs in links, `ETag`, `Last-Modified`, `Content-Type`": _tests(
        "the same articles from SQLite and PostgreSQL; a site whose state cannot be written waits twice as long each time, and is named",
        "crawl/test_store.py::test_no_text_of_a_stranger_stops_a_database",
        "fleet/test_worker.py::test_a_site_that_fails_waits_longer_each_time",
    ),
    "template documents with escape sequences in names, a body without an address, a version of 400 digits": _tests(
        "refused in one line", "commands/test_templates.py::test_documents_of_strangers_are_refused"
    ),
    "a damaged `index.json`; `{date}` in the name of a feed; U+FFFE in XML; fullwidth formulas in CSV": _tests(
        "put aside; refused in one line; left out; a text",
        "feeds/test_formats.py::test_a_damaged_index_of_section_feeds_is_put_aside",
        "feeds/test_formats.py::test_xml_and_csv_hold_what_they_can",
        "commands/test_run.py::test_a_mistake_in_the_file_is_named",
    ),
    "206 answers": _tests(
        "asked for again, then given up",
        _SECURITY + "a_part_that_nobody_asked_for_is_no_page",
    ),
    "a typed name that moves into the house between two visits; a mixed answer to the browser's proxy": _tests(
        "refused on every later visit; the public part is connected to",
        _SECURITY + "the_kind_of_a_sites_address_outlives_the_run",
        _SECURITY + "a_crawl_keeps_the_kind_of_its_sites_address",
        "crawl/test_filtering_proxy.py::test_a_mixed_answer_counts_as_its_public_part",
    ),
    "sitemap of 50,000 addresses": sitemap_flood,
    "a page that declares a codec of Python's own (`zip`, `punycode`)": codecs,
    "headers of an answer without end": _tests("cut off at 256 kB", _SECURITY + "headers_without_end"),
    "pages that send readers on (`meta refresh`) without end": _tests(
        "8 of them, as with redirects", _SECURITY + "pages_that_send_on_without_end"
    ),
    "gzip, deflate, Brotli, zstd: 300 MB from some kilobytes; 20 compressions within one another": _tests(
        "dropped beyond 16 MB or 5 compressions", _SECURITY + "bombs"
    ),
    "line ends in links and redirects; cookies": _tests(
        "stay in the address; none are kept", _SECURITY + "line_ends_in_an_address_stay_in_it"
    ),
    "clock set back during a pause": _tests(
        "the pause ends when it should", _MANNERS + "a_clock_set_back_prolongs_no_pause"
    ),
    "an answer of 4 bytes a second to `why` and `label`": _tests("cut off after 90 seconds", "commands/test_fetch.py"),
    "escape sequences, line ends and formulas from the site": _tests(
        "spelled out in log and terminal, left out of feeds; CSV cells begin with an apostrophe",
        _MANNERS + "what_a_site_says_steers_no_terminal_and_forges_no_line",
        _MANNERS + "no_feed_holds_what_steers_a_terminal",
        _MANNERS + "cells_of_a_csv_feed_are_no_formulas",
    ),
}


def main(arguments: list[str]) -> int:
    """One attack by its whole name, else the table of those named in part or of all; 1 when one fails."""
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
            print(
                f"| {name} | {done.said.splitlines()[-1] if not done.code else f'FAILED: {done.said[-300:]}'} |",
                flush=True,
            )
            worst = max(worst, done.code)
    return worst
