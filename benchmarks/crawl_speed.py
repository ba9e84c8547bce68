"""What a crawl costs in CPU time: ``python -m benchmarks.crawl_speed [crawl|state|growth] [--sites A,B] [--svg FILE]``.

``crawl`` serves sites on loopback and crawls each with this project, with a bare Scrapy spider that asks for the same URLs, and with one that
parses each page with lxml as well, interleaved, medians of the rounds; then the same pages through the session alone, without Scrapy and network.
``state`` needs no data: what a transaction of the crawl's state costs by SQLite's ``synchronous``. ``growth`` needs none either: a site made up on
the fly, of 10 to 100,000 pages, through the session; milliseconds a page, the slope on logarithmic axes (1 is linear) and peak memory.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import statistics
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import sqlalchemy as sa

from benchmarks.corpora import site_file, site_meta, site_names
from benchmarks.crawl import crawl_command, measured, proxied, start_of
from benchmarks.load import article, listing
from benchmarks.speed import bare, picture
from sitecrawl.crawl.config import CrawlArguments, CrawlSettings
from sitecrawl.crawl.database import CRAWL_TABLES, PAGES, Database
from sitecrawl.crawl.records import FailedPage, FetchedPage, PageOutcome, PlannedRequest
from sitecrawl.crawl.session import CrawlSession
from sitecrawl.crawl.site_models import Sites
from sitecrawl.crawl.store import Stores
from sitecrawl.demo import headline

_SPIDER = """
import sys, scrapy
from lxml import etree
class Bare(scrapy.Spider):
    name = "bare"
    async def start(self):
        for url in open(sys.argv[-1]).read().split():
            yield scrapy.Request(url, dont_filter=True)
    def parse(self, response):
        root = etree.fromstring(response.body or b"<p>", parser=etree.HTMLParser(huge_tree=True)) if PARSES else None
        return [{"url": response.url, "links": len(root.xpath("//a/@href")) if root is not None else 0}]
from scrapy.crawler import CrawlerProcess
feeds = {"bare.jsonl": {"format": "jsonlines"}}
process = CrawlerProcess({"CONCURRENT_REQUESTS_PER_DOMAIN": 16, "LOG_LEVEL": "ERROR", "FEEDS": feeds})
process.crawl(Bare)
process.start()
"""
_SITES = 6
SIZES = (10, 100, 1_000, 10_000, 30_000, 100_000)
_TEASERS, _TAGGED = 20, 5
"""Articles that a listing page and that a tag names."""
_HOST = "news.example"

_ROWS = 2_000
_INSERT = sa.insert(PAGES)

Body = Callable[[str], bytes | None]


@dataclass
class Crawled:
    """One crawl by the session: requests, pages that were there, items, seconds of CPU in the session and in a bare parse of the pages."""

    asked: int = 0
    pages: int = 0
    items: int = 0
    seconds: float = 0.0
    parsing: float = 0.0


def session_crawl(start: str, body: Body, parses: bool = False) -> Crawled:
    """Crawl a site by the session alone; ``body`` gives the page of a URL, None where there is none."""
    found, waiting = Crawled(), deque[PlannedRequest]()
    with tempfile.TemporaryDirectory() as folder:
        arguments = CrawlArguments.parse({"start": start, "scope": "site"})
        settings = CrawlSettings(js="never", data_dir=Path(folder))
        store, learned = Stores(Path(folder)).site(arguments.site)
        sites = Sites(learned, today="2026-01-31")
        session = CrawlSession(arguments, settings, (store, sites.model(arguments.site)))

        def step(verb: Callable[[], PageOutcome]) -> bool:
            begin = time.process_time()
            outcome = verb()
            found.seconds += time.process_time() - begin
            found.items += len(outcome.items)
            waiting.extend(outcome.requests)
            return bool(outcome)

        step(session.begin)
        while waiting or step(session.idle):
            if not waiting:
                continue
            planned = waiting.popleft()
            page = body(planned.url)
            found.asked += 1
            if page is None:
                step(
                    lambda planned=planned: session.page_failed(FailedPage(planned.context, "the server answered 404"))
                )
                continue
            found.pages += 1
            if parses:
                begin = time.process_time()
                bare((planned.url, page))
                found.parsing += time.process_time() - begin
            fetched = FetchedPage(planned.url, planned.context, page, content_type="text/html")
            step(lambda fetched=fetched: session.page_fetched(fetched))
        session.close("finished")
        sites.close()
        session.ended(True, True)
    return found


# ---- real sites
def crawl(options: argparse.Namespace) -> None:
    """Ours, a bare spider and one that parses, on each site; then the session alone."""
    names = options.sites.split(",") if options.sites else site_names()[:_SITES]
    rows = [one_site(name, options.rounds) for name in names]
    print(
        f"{'site':16} requests   ours s   bare s  parsing s  x bare  x parsing  first article s  session ms/page  x parse"
    )
    for name, row in zip(names, rows, strict=True):
        print(f"{name:16} {_columns(row)}")
    whole = {key: sum(row[key] for row in rows) for key in rows[0]}
    print(f"{'all':16} {_columns(whole, len(rows))}")


def _columns(row: dict[str, float], sites: int = 1) -> str:
    return (
        f"{row['asked']:8.0f} {row['ours']:8.2f} {row['bare']:8.2f} {row['parsing']:10.2f} {row['ours'] / row['bare']:7.2f} "
        f"{row['ours'] / row['parsing']:10.2f} {row['first'] / sites:16.2f} {1e3 * row['session'] / row['pages']:16.2f} {row['session'] / row['parse']:8.1f}"
    )


def one_site(name: str, rounds: int) -> dict[str, float]:
    """Seconds of CPU of each way to crawl a site, medians of interleaved rounds."""
    host = site_meta(name)["host"]
    start = f"http://{host}{start_of(name)}"
    spent: dict[str, list[float]] = {"ours": [], "bare": [], "parsing": [], "first": []}
    with proxied(name) as (proxy, asked):
        for _ in range(rounds):
            with tempfile.TemporaryDirectory() as folder:
                line = crawl_command(start, f"{folder}/out.jsonl", f"{folder}/state")
                asked.clear()
                spent["ours"].append(measured(line, proxy))
                urls = Path(folder) / "urls"
                urls.write_text("\n".join(url for url, _ in asked))
                for kind in ("bare", "parsing"):
                    code = _SPIDER.replace("PARSES", str(kind == "parsing"))
                    spent[kind].append(measured([sys.executable, "-c", code, str(urls)], proxy, folder))
                first = [*line, "-s", f"SITECRAWL_DATA_DIR={folder}/first", "-a", "max_articles=1"]
                spent["first"].append(measured(first, proxy))
        found = session_crawl(start, lambda url: _served(name, host, url), parses=True)
    counts = {"asked": found.asked, "pages": found.pages, "session": found.seconds, "parse": found.parsing}
    return {kind: statistics.median(values) for kind, values in spent.items()} | counts


def _served(name: str, host: str, url: str) -> bytes | None:
    file = site_file(name, url) if urlsplit(url).hostname == host else None
    return file.read_bytes().replace(b"https://" + host.encode(), b"http://" + host.encode()) if file else None


# ---- state
def state(options: argparse.Namespace) -> None:
    """What a transaction with one row costs, by how SQLite is told to wait for the disk."""
    for mode in ("OFF", "NORMAL", "FULL"):
        with tempfile.TemporaryDirectory() as folder:
            db = Database(Path(folder) / "state.sqlite", CRAWL_TABLES, "a")
            db.connection.connection.driver_connection.execute(f"PRAGMA synchronous={mode}")  # type: ignore[union-attr]
            row = {"site": "a", "run": 1, "status": "queued", "kind": "", "context": "x" * 400}
            cpu, wall = time.process_time(), time.perf_counter()
            for number in range(_ROWS):
                with db.at_once():
                    db.write(_INSERT, key=str(number), **row)
            cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
            db.close()
        print(f"synchronous={mode}: {1e6 * cpu / _ROWS:.0f} us CPU, {1e6 * wall / _ROWS:.0f} us a transaction")


# ---- growth
def growth(options: argparse.Namespace) -> None:
    """CPU and peak memory by the size of a site, each size in a process of its own; then of a site where every fifth page is a listing."""
    drawn = {}
    for name, tagged in (("a crawl by pages of the site", False), ("the same, every fifth page a tag", True)):
        points: list[tuple[int, float]] = []
        for size in [size for size in SIZES if size <= options.most]:
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                found, memory = pool.apply(made_up, (size, tagged))
            points.append((found.pages, 1e3 * found.seconds))
            cost = 1e3 * found.seconds / found.pages
            print(
                f"{name}: {found.pages:6} pages, {found.items} items: {cost:.2f} ms a page, peak {memory:.0f} MB",
                flush=True,
            )
        slope = float(np.polyfit(*np.log10(points[-3:]).T, 1)[0])
        print(f"{name}: slope over the last three {slope:.2f}", flush=True)
        drawn[f"{name} (slope {slope:.2f})"] = points
    if options.svg:
        Path(options.svg).write_text(picture(drawn, "pages of the site"), encoding="utf8")


def made_up(size: int, tagged: bool) -> tuple[Crawled, float]:
    """The crawl of a made-up site with about so many pages, and the peak of resident memory in megabytes."""
    listings = max(1, size // (_TEASERS + 1 + _TEASERS // _TAGGED * tagged))

    def body(url: str) -> bytes | None:
        _, kind, name, *_ = [*urlsplit(url).path.split("/"), ""]
        if kind == "tag":
            first = _TAGGED * _number(name)
            links = "".join(
                f'<li><a href="{_story(n)}">{headline(n)}, case {n}</a></li>' for n in range(first, first + _TAGGED)
            )
            return f"<html><head><title>{name}</title></head><body><h1>{name}</h1><ul>{links}</ul>".encode()
        if kind == "story":
            number = int(name.partition("-")[0])
            tag = _name(number // _TAGGED)
            return (
                article(number)
                .replace(
                    "</body>", f'<p class="tags"><a href="/tag/{tag}/">{tag}</a></p></body>' if tagged else "</body>"
                )
                .encode()
            )
        return listing(int(name) if kind else 0, listings).encode() if kind in ("", "page") else None

    found = session_crawl(f"http://{_HOST}/", body)
    return found, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _story(number: int) -> str:
    return f"/story/{number}-{'-'.join(headline(number).casefold().split())}.html"


def _name(number: int) -> str:
    """A number in letters, so that the names of tags hold none."""
    return "".join(chr(ord("a") + int(digit)) for digit in f"{number:05}")


def _number(name: str) -> int:
    return int("".join(str(ord(letter) - ord("a")) for letter in name))


PARTS = {"crawl": crawl, "state": state, "growth": growth}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", default="crawl", choices=PARTS)
    parser.add_argument("--sites", default="", help=f"names of sites (default: the first {_SITES} at hand)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--most", type=int, default=10_000, help="pages of the largest site of growth")
    parser.add_argument("--svg", default="", help="file that growth draws its plot to")
    options = parser.parse_args()
    PARTS[options.what](options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
