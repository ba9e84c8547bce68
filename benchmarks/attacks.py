"""The table of attacks: ``python -m benchmarks.attacks [PART OF A NAME...]``. Needs no data.

Every attack runs in a process of its own; the table gives what it did to the version before and what it does now. The figures
before were measured when the attacks were first made, on the version that they were made against. Attacks on a whole crawl are
tests: their row is printed when these pass. Attacks that are measured are functions here, and tests call them.
"""

from __future__ import annotations

import gzip
import io
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import sqlalchemy as sa

from benchmarks.crawl import crawl_command
from benchmarks.fuzz import check_model, damaged_file
from sitecrawl.commands.crawl import _check_state
from sitecrawl.crawl.config import CrawlArguments, CrawlSettings
from sitecrawl.crawl.discovery import sitemaps_of
from sitecrawl.crawl.permissions import Permissions
from sitecrawl.crawl.records import FailedPage, FetchedPage, FileKind, PlannedRequest, RequestContext, Role
from sitecrawl.crawl.robots_rules import parsed
from sitecrawl.crawl.session import CrawlSession
from sitecrawl.crawl.site_models import Sites
from sitecrawl.crawl.store import Stores, store_path
from sitecrawl.demo import article_paths, serve, site_pages
from sitecrawl.dom.parse import parse
from sitecrawl.errors import SitecrawlError
from sitecrawl.items.feed_items import identity
from sitecrawl.limits import LIMITS
from sitecrawl.links.link_model import default_path
from sitecrawl.urls.scope import is_private

HOST = "news.example"
HOME = f"http://{HOST}"
TRIALS = 50
Items = list[dict[str, Any]]


class Crawl:
    """A crawl of the demonstration site without a network; ``feed`` is what was written, whoever ends it."""

    def __init__(self, folder: Path, feed: Items, **more: str) -> None:
        arguments = CrawlArguments.parse({"start": f"{HOME}/", "scope": "site", **more})
        store, learned = Stores(folder).site(HOST)
        self.sites = Sites(learned)
        knowledge = (store, self.sites.model(HOST))
        self.session = CrawlSession(arguments, CrawlSettings(data_dir=folder, js="never"), knowledge)
        self.session.articles.keep = lambda: self.sites.save(HOST)
        self.pages, self.feed = dict(site_pages()), feed

    def steps(self) -> Iterator[None]:
        """One verb of the session a step."""
        outcome = self.session.begin(frozenset(map(identity, self.feed)), lambda: list(self.feed))
        waiting: list[PlannedRequest] = []
        while outcome or waiting:
            self.feed.extend(outcome.items)
            waiting = sorted([*waiting, *outcome.requests], key=lambda planned: -planned.priority)
            yield
            if not waiting:
                outcome = self.session.idle()
                continue
            planned = waiting.pop(0)
            body = self.pages.get(urlsplit(planned.url).path)
            failed = FailedPage(planned.context, "the server answered 404")
            page = FetchedPage(planned.url, planned.context, body or b"", content_type="text/html; charset=utf-8")
            outcome = self.session.page_failed(failed) if body is None else self.session.page_fetched(page)
            outcome = outcome if outcome or waiting else self.session.idle()

    def run(self, steps: int = 1 << 30) -> None:
        """Some steps, then an end as of a kill."""
        try:
            for _, _ in zip(range(steps), self.steps(), strict=False):
                pass
        finally:
            self.session.store.close()
            self.sites.store.close()


def _state(feed: Items) -> tuple[int, int]:
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
    Crawl(folder, feed).run(moments.randint(5, 60))
    file = store_path(folder, {HOST}) if moments.random() < 0.7 else folder / "templates.sqlite"
    data = bytearray(file.read_bytes())
    for _ in range(20):
        data[moments.randrange(len(data))] = moments.randrange(256)
    file.write_bytes(bytes(data))
    said = ""
    try:
        _go_on(folder, feed)
    except SitecrawlError as error:
        said = str(error)
        file.rename(folder / "away")
        _go_on(folder, feed)
    return said, _state(feed)


def _go_on(folder: Path, feed: Items) -> None:
    _check_state(Stores(folder), CrawlArguments.parse({"start": f"{HOME}/", "scope": "site"}))
    Crawl(folder, feed).run()


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
    crawl = Crawl(whole, feed)
    for step, _ in enumerate(crawl.steps()):
        if step == steps // 2:
            crawl.session.store.db.rows(sa.text("PRAGMA wal_checkpoint"))
        if step == steps:
            break
    for file in ("templates.sqlite", f"crawls/{HOST}.sqlite"):
        (cut / file).parent.mkdir(parents=True, exist_ok=True)
        (cut / file).write_bytes((whole / file).read_bytes())
    crawl.session.store.close()
    crawl.sites.store.close()
    _go_on(cut, feed)
    return _state(feed)


def smaller_limit() -> str:
    """An interruption, then the same command with a smaller max_articles, then without."""
    with tempfile.TemporaryDirectory() as name:
        return "{} articles lost, {} twice".format(*limited(Path(name), 30))


def limited(folder: Path, steps: int) -> tuple[int, int]:
    """Articles lost and written twice where runs with a limit and without one follow an interruption after so many steps."""
    feed = Items()
    Crawl(folder, feed).run(steps)
    for limit in ("2", str(max(1, len(feed) // 2)), "0", "0"):
        crawl = Crawl(folder, feed, max_articles=limit)
        for _ in crawl.steps():
            pass
        crawl.session.close("finished")
        crawl.sites.close()
        crawl.session.ended(written=True, finished=True)
    return _state(feed)


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
    feed, site = folder / "out.jsonl", serve()
    with site as url:
        line = crawl_command(url, str(feed), str(folder / "state"), "-o")
        done = subprocess.run(
            line,
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room)),
        )
        subprocess.run(line, capture_output=True, check=True)
    items = [json.loads(line) for line in feed.read_text(encoding="utf8").splitlines()]
    return done.returncode, done.stderr, _state(items)


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
    before, began = _memory(), time.process_time()
    rules = parsed(body)
    for number in range(10):
        rules.can_fetch(f"{HOME}/a/{number}", "sitecrawl")
    return f"{_memory() - before:.0f} MB, {(time.process_time() - began) / 10:.3f} s a URL, the parse of the file shared by ten"


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
        line = [sys.executable, "-m", "scrapy", "batch", "-o", f"{name}/out.jsonl", f"{name}/a.warc.gz"]
        done = subprocess.run(line, capture_output=True, text=True, check=False)
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000
    return f"{len(record) / 1000:.0f} kB: {used:.0f} MB, exit {done.returncode}, {len(done.stderr.splitlines())} line"


def nested_rules() -> str:
    """A page of a thousand noscript elements around twenty thousand paragraphs."""
    page = "<html><body>" + "<noscript>" * 1000 + "<p>text</p>" * 20_000 + "</noscript>" * 1000
    began = time.process_time()
    parse(page, f"{HOME}/a")
    return f"{len(page) / 1000:.0f} kB: {time.process_time() - began:.1f} s CPU"


def attributes() -> str:
    """A tag of two hundred thousand attributes with no blank between them."""
    page = "<p " + "".join(f'a{number}="1"' for number in range(200_000)) + ">x"
    began = time.process_time()
    parse(page, f"{HOME}/a")
    return f"{len(page) / 1e6:.1f} MB: {time.process_time() - began:.1f} s CPU"


def model_bomb() -> str:
    """A model file of some kilobytes one of whose arrays claims 300,000 million numbers."""
    body, moments = default_path().read_bytes(), random.Random(0)
    with tempfile.TemporaryDirectory() as name:
        refused = sum(check_model(damaged_file(body, moments), Path(name) / "m.npz") for _ in range(200))
    return f"{refused} of 200 damaged files refused in one line, the others harmless"


def frontier() -> str:
    """Fifty pages of five thousand new links each: the first ten, and those after ``LIMITS.unread`` links."""
    with tempfile.TemporaryDirectory() as name:
        crawl = Crawl(Path(name), [])
        crawl.session.begin()
        marks = {}
        for number in range(51):
            disk = sum(file.stat().st_size for file in Path(name).rglob("*") if file.is_file()) / 1e6
            marks[number] = _memory(), disk, time.process_time()
            url = f"{HOME}/list/{number}"
            context = RequestContext(url, Role.SECTION)
            crawl.session.page_fetched(FetchedPage(url, context, _listing(number), content_type="text/html"))
        crawl.session.store.close()
    early, late = (
        [(after - before) / 9 for after, before in zip(marks[end], marks[end - 9], strict=True)] for end in (10, 50)
    )
    shown = "{:.0f} MB, {:.0f} MB disk, {:.1f} s CPU"
    return f"{shown.format(*early)} a page, with {LIMITS.unread:,} links waiting {shown.format(*late)}"


def long_names() -> str:
    """Pages whose classes, links and hosts have a megabyte each, parsed, classified and extracted as a crawl does."""
    shapes = (
        '<p class="c{0} {1}">words</p>',
        '<a href="/2024/05/c{0}{1}">a link</a>',
        '<a href="http://c{0}.{1}.com/">a link</a>',
    )
    with tempfile.TemporaryDirectory() as name:
        crawl = Crawl(Path(name), [])
        crawl.session.begin()
        used = []
        for number in range(20):
            url, inside = (
                f"{HOME}/2024/05/a-{number}.html",
                "".join(shape.format(f"{number}x{at}", "k" * 1_000_000) for shape in shapes for at in range(4)),
            )
            page = f"<html><body><h1>Report {number}</h1>{inside}</body></html>".encode()
            context = RequestContext(url, Role.SECTION)
            crawl.session.page_fetched(FetchedPage(url, context, page, content_type="text/html"))
            used.append(_memory())
        crawl.session.store.close()
    return f"{max(0, used[-1] - used[9]) / 10:.1f} MB a page"


def _listing(number: int) -> bytes:
    rows = (
        f'<div class="row"><h2><a href="/2024/05/report-{number}-{at}.html">Report {number} of {at} opens the harbour</a></h2></div>'
        for at in range(5000)
    )
    return f"<html><body>{''.join(rows)}</body></html>".encode()


def sitemap_flood() -> str:
    """A sitemap of fifty thousand addresses."""
    rows = "".join(f"<url><loc>{HOME}/2024/05/report-{number}.html</loc></url>" for number in range(50_000))
    with tempfile.TemporaryDirectory() as name:
        crawl = Crawl(Path(name), [], discover="links,sitemap")
        crawl.session.begin()
        context = RequestContext(f"{HOME}/map.xml", Role.FILE, file=FileKind.SITEMAP)
        page = FetchedPage(context.url, context, f"<urlset>{rows}</urlset>".encode())
        spent = [_spent(lambda: crawl.session.page_fetched(page))]
        while crawl.session.reading:
            spent.append(_spent(crawl.session.read_on))
        crawl.session.store.close()
    return f"{sum(spent):.1f} s CPU in {len(spent)} parts, {max(spent):.2f} s at a time"


def _spent(step: Callable[[], object]) -> float:
    """Seconds of CPU that a step takes."""
    began = time.process_time()
    step()
    return time.process_time() - began


def _memory() -> float:
    """Resident memory, MB."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * resource.getpagesize() / 1e6


def robots_blanks() -> str:
    """A robots.txt of half a megabyte of blank lines."""
    body = b"\n \n" * 160_000
    return f"{len(body) / 1000:.0f} kB: {_spent(lambda: sitemaps_of(body, HOME)):.2f} s CPU"


def codecs() -> str:
    """Pages that declare a codec of Python's own as their encoding."""
    names = (
        "base64 bz2 hex idna palmos punycode quopri raw_unicode_escape rot13 undefined unicode_escape uu zip".split()
    )
    pages = [b"<meta charset=%s><p>\xff\xfe text-" % name.encode() + b"9" * 200_000 for name in names]
    spent = [_spent(lambda page=page: parse(page, f"{HOME}/a")) for page in pages]  # type: ignore[misc]
    return f"{len(spent)} of {len(names)} read, {max(spent):.2f} s CPU at most"


def long_text() -> str:
    """Articles of eight megabytes of text, which templates compare."""
    with tempfile.TemporaryDirectory() as name:
        crawl, spent = Crawl(Path(name), []), []
        crawl.session.begin()
        for number in range(6):
            url = f"{HOME}/2024/05/a-{number}.html"
            prose = "".join(f"<p>Part {at} of {number}. {'Words of a report. ' * 50_000}</p>" for at in range(8))
            page = f"<html><body><h1>Report {number}</h1><div class=text>{prose}</div></body></html>".encode()
            context = RequestContext(url, Role.ARTICLE, 0.9)
            crawl.session.store.queue(context)
            fetched = FetchedPage(url, context, page, content_type="text/html")
            spent.append(_spent(lambda fetched=fetched: crawl.session.page_fetched(fetched)))  # type: ignore[misc]
        crawl.session.store.close()
    return f"{max(spent):.1f} s CPU a page at most"


def _tests(now: str, *names: str) -> Callable[[], str]:
    """An attack that is made by tests: what they show, when they pass."""

    def attack() -> str:
        line = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *(f"tests/{name}" for name in names)]
        done = subprocess.run(line, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(done.stdout[-2_000:])
        return now

    return attack


_SECURITY, _MANNERS = "crawl/test_security.py::test_", "crawl/test_manners.py::test_"
ATTACKS: dict[str, tuple[str, Callable[[], str]]] = {
    "20 random bytes in a state file, 50 trials": (
        "5 of 50 told, 38 exit 0, 37 of these with tracebacks and fewer articles",
        damaged_state,
    ),
    "power cut: the end of the state's log is lost, the feed is not": ("19 of 60 articles twice", power_cut),
    "full disk": ("exit 0, tracebacks, 0 of 40 articles", full_disk),
    "interruption, then a smaller `max_articles`": ("42 of 70 articles lost for all later runs", smaller_limit),
    "`-O` on a second incremental run": (
        "the feed emptied",
        _tests(
            "the old feed is kept as `FILE.bak`",
            "crawl/test_damage.py::test_a_feed_written_anew_without_what_is_known_is_kept",
        ),
    ),
    "a feed with lines of others, of arrays, of numbers without end": (
        "traceback, 0 articles",
        _tests(
            "they stay, and the feed is completed",
            "crawl/test_interrupt.py::test_a_feed_that_holds_other_lines_is_added_to",
        ),
    ),
    "private addresses: translated, old, or a typed name that moves": ("pass", private_addresses),
    "a proxy on loopback": (
        "opens every port of its host",
        _tests(
            "is reached as a proxy and as nothing else",
            _SECURITY + "the_users_proxy_is_reached_as_a_proxy_and_as_nothing_else",
        ),
    ),
    "robots.txt of 12.5 MB": ("1 GB, .3 s a URL", robots_txt),
    "robots.txt of half a megabyte of blank lines": ("300 s CPU", robots_blanks),
    "robots.txt that cannot be reached, or is too large to be": (
        "allows all",
        _tests(
            "forbids all until it can be reached",
            _MANNERS + "a_robots_txt_that_cannot_be_reached_forbids_all_for_now",
            _SECURITY + "a_robots_txt_larger_than_any_answer_forbids_all",
        ),
    ),
    "WARC of some kilobytes that unpacks to a gigabyte": ("3 GB", batch_bomb),
    "a thousand nested `noscript` around 20,000 paragraphs": ("106 s CPU (1.3 MB)", nested_rules),
    "a tag of 200,000 attributes without blanks between them": ("39 s CPU", attributes),
    "classes, links and hosts of a megabyte each": ("30 MB a page, for ever", long_names),
    "articles of 8 MB of text": ("2.7 s CPU a page, 12 s for a template", long_text),
    "attribute names such as `xml:lang` on a paragraph around a section": (
        "traceback, the page lost",
        _tests("read", "dom/test_parse.py::test_attribute_names_that_cannot_be_written"),
    ),
    "damaged model files, and one whose array claims 300,000 million numbers": ("tracebacks", model_bomb),
    "model files of other shapes": (
        "tracebacks in the middle of a crawl",
        _tests("refused in one line before it", "extract/test_weights.py"),
    ),
    "damaged template documents": (
        "tracebacks, lines of 100 kB",
        _tests("refused in one line, or harmless", "test_fuzz.py"),
    ),
    "5,000 new links on each page": ("30 MB, 7 MB disk, 4 s CPU a page, without end", frontier),
    "sitemap of 50,000 addresses": ("2.8 s CPU at a time", sitemap_flood),
    "a page that declares a codec of Python's own (`zip`, `punycode`)": (
        "tracebacks; punycode: quadratic time, .6 s CPU for 80 kB",
        codecs,
    ),
    "headers of an answer without end": (
        "1.2 GB in five seconds",
        _tests("cut off at 256 kB", _SECURITY + "headers_without_end"),
    ),
    "pages that send readers on (`meta refresh`) without end": (
        "never ends",
        _tests("8 of them, as with redirects", _SECURITY + "pages_that_send_on_without_end"),
    ),
    "gzip, deflate, Brotli, zstd: 300 MB from some kilobytes; 20 compressions within one another": (
        "held; each compression cost a page",
        _tests("dropped beyond 16 MB or 5 compressions", _SECURITY + "bombs"),
    ),
    "line ends in links and redirects; cookies": (
        "held",
        _tests("stay in the address; none are kept", _SECURITY + "line_ends_in_an_address_stay_in_it"),
    ),
    "clock set back during a pause": (
        "the crawl hangs",
        _tests("the pause ends when it should", _MANNERS + "a_clock_set_back_prolongs_no_pause"),
    ),
    "an answer of 4 bytes a second to `why` and `label`": (
        "read for ever",
        _tests("cut off after 90 seconds", "commands/test_fetch.py"),
    ),
    "escape sequences, line ends and formulas from the site": (
        "reach terminal, log, feeds and spreadsheet",
        _tests(
            "spelled out in log and terminal, left out of feeds; CSV cells begin with an apostrophe",
            _MANNERS + "what_a_site_says_steers_no_terminal_and_forges_no_line",
            _MANNERS + "no_feed_holds_what_steers_a_terminal",
            _MANNERS + "cells_of_a_csv_feed_are_no_formulas",
        ),
    ),
}


def main() -> int:
    """One attack by its name with ``--one``, else the table of those named in part or of all; 1 when one fails."""
    if sys.argv[1:2] == ["--one"]:
        print(ATTACKS[sys.argv[2]][1]())
        return 0
    print("| attack | before | now |\n|---|---|---|")
    worst, asked = 0, sys.argv[1:]
    for name, (before, _) in ATTACKS.items():
        if asked and not any(part in name for part in asked):
            continue
        line = [sys.executable, "-m", "benchmarks.attacks", "--one", name]
        done = subprocess.run(line, capture_output=True, text=True, check=False)
        said = (done.stdout.strip() if not done.returncode else f"FAILED: {done.stderr.strip()[-300:]}").splitlines()
        print(f"| {name} | {before} | {said[-1] if said else 'FAILED'} |", flush=True)
        worst = max(worst, done.returncode)
    return worst


if __name__ == "__main__":
    sys.exit(main())
