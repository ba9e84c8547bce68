"""The table of attacks: ``python -m benchmarks.attacks [NAME...]``. Needs no data.

Every attack runs in a process of its own; the table gives what it did to the version before and what it does now. The figures
before were measured when the attacks were first made, on the version that they were made against.
"""

from __future__ import annotations

import gzip
import io
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

from benchmarks.fuzz import check_model, damaged_file
from sitecrawl.commands.crawl import _check_state
from sitecrawl.crawl.config import CrawlArguments, CrawlSettings
from sitecrawl.crawl.discovery import sitemaps_of
from sitecrawl.crawl.permissions import Permissions
from sitecrawl.crawl.records import FailedPage, FetchedPage, FileKind, PlannedRequest, RequestContext, Role
from sitecrawl.crawl.robots import parsed
from sitecrawl.crawl.session import CrawlSession
from sitecrawl.crawl.site_models import Sites
from sitecrawl.crawl.store import Stores, store_path
from sitecrawl.demo import article_paths, site_pages
from sitecrawl.dom.parse import parse
from sitecrawl.errors import SitecrawlError
from sitecrawl.items.feed_items import identity
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
            failed = FailedPage(planned.context, "the server answered 404", gone=True)
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
        moments, feed = random.Random(seed), Items()
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            Crawl(folder, feed).run(moments.randint(5, 60))
            file = store_path(folder, {HOST}) if moments.random() < 0.7 else folder / "templates.sqlite"
            data = bytearray(file.read_bytes())
            for _ in range(20):
                data[moments.randrange(len(data))] = moments.randrange(256)
            file.write_bytes(bytes(data))
            try:
                _go_on(folder, feed)
            except SitecrawlError:
                told += 1
                file.rename(folder / "away")
                _go_on(folder, feed)
        counts = _state(feed)
        lost, twice = lost + counts[0], twice + counts[1]
    return f"{told} of {TRIALS} told in one line; after the advice {lost} articles lost, {twice} twice"


def _go_on(folder: Path, feed: Items) -> None:
    _check_state(Stores(folder), CrawlArguments.parse({"start": f"{HOME}/", "scope": "site"}))
    Crawl(folder, feed).run()


def power_cut() -> str:
    """The end of the write-ahead log is lost at some moment, the feed is not."""
    lost = twice = 0
    for steps in range(5, 65, 5):
        feed = Items()
        with tempfile.TemporaryDirectory() as name:
            whole, cut = Path(name) / "whole", Path(name) / "cut"
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
        counts = _state(feed)
        lost, twice = lost + counts[0], twice + counts[1]
    return f"12 cuts: {lost} articles lost, {twice} twice"


def smaller_limit() -> str:
    """An interruption, then the same command with a smaller max_articles, then without."""
    feed = Items()
    with tempfile.TemporaryDirectory() as name:
        Crawl(Path(name), feed).run(30)
        for limit in ("2", "0", "0"):
            crawl = Crawl(Path(name), feed, max_articles=limit)
            for _ in crawl.steps():
                pass
            crawl.session.close("finished")
            crawl.sites.close()
            crawl.session.ended(written=True, finished=True)
    return "{} articles lost, {} twice".format(*_state(feed))


def full_disk() -> str:
    """A crawl of the demonstration site where no file may grow beyond some size."""
    said = Counter[str]()
    with tempfile.TemporaryDirectory() as name:
        server = subprocess.Popen(
            [sys.executable, "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", name],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={"PYTHONUNBUFFERED": "1"},
        )  # fmt: skip
        try:
            for path, body in site_pages().items():
                file = Path(name) / (path.lstrip("/") + ("index.html" if path.endswith("/") else ""))
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(body)
            port = str(server.stdout.readline() if server.stdout else "").split("port ")[1].split()[0]
            for room in (4_000, 60_000, 200_000):
                said[_short_of_room(f"http://127.0.0.1:{port}/", Path(name) / f"state-{room}", room)] += 1
        finally:
            server.terminate()
            server.wait()
    return "; ".join(f"{count} x {line}" for line, count in said.items())


def _short_of_room(url: str, folder: Path, room: int) -> str:
    quick = ("-s", "DOWNLOAD_DELAY=0", "-s", "AUTOTHROTTLE_ENABLED=False", "-s", f"SITECRAWL_DATA_DIR={folder}")
    line = [sys.executable, "-m", "scrapy", "crawl", "site", "-a", f"start={url}", "-o", f"{folder}.jsonl", *quick]
    done = subprocess.run(
        line,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room)),
    )
    return f"exit {done.returncode}, {len(done.stderr.splitlines())} line"


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
    """Ten pages of five thousand new links each."""
    with tempfile.TemporaryDirectory() as name:
        crawl = Crawl(Path(name), [])
        crawl.session.begin()
        before, began = 0.0, 0.0
        for number in range(11):
            if number == 1:
                before, began = _memory(), time.process_time()
            url = f"{HOME}/list/{number}"
            context = RequestContext(url, Role.SECTION)
            crawl.session.page_fetched(FetchedPage(url, context, _listing(number), content_type="text/html"))
        used, spent = _memory() - before, time.process_time() - began
        disk = sum(file.stat().st_size for file in Path(name).rglob("*") if file.is_file()) / 1e6
        crawl.session.store.close()
    return f"{used / 10:.1f} MB, {disk / 11:.1f} MB disk and {spent / 10:.1f} s CPU a page"


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


ATTACKS: dict[str, tuple[str, Callable[[], str]]] = {
    "damaged_state": ("5 of 50 told, 38 exit 0, 37 of these with tracebacks and fewer articles", damaged_state),
    "power_cut": ("19 of 60 articles twice", power_cut),
    "full_disk": ("exit 0, tracebacks, 0 of 40 articles", full_disk),
    "smaller_limit": ("42 of 70 articles lost for all later runs", smaller_limit),
    "private_addresses": ("translated and old IPv6 addresses pass, a name that moves passes", private_addresses),
    "robots_txt": ("1 GB, .3 s a URL", robots_txt),
    "batch_bomb": ("18 kB: 3 GB", batch_bomb),
    "nested_rules": ("1.3 MB: 106 s CPU", nested_rules),
    "attributes": ("2.1 MB: 39 s CPU", attributes),
    "model_bomb": ("MemoryError, AttributeError: tracebacks", model_bomb),
    "frontier": ("30 MB, 7 MB disk and 4 s CPU a page", frontier),
    "robots_blanks": ("300 s CPU", robots_blanks),
    "codecs": ("tracebacks; punycode: quadratic time, .6 s CPU for 80 kB", codecs),
    "sitemap_flood": ("2.8 s CPU at a time", sitemap_flood),
}


def main() -> int:
    """One attack by its name with ``--one``, else the table of those named or of all."""
    if sys.argv[1:2] == ["--one"]:
        print(ATTACKS[sys.argv[2]][1]())
        return 0
    print("| attack | before | now |\n|---|---|---|")
    worst = 0
    for name in sys.argv[1:] or ATTACKS:
        line = [sys.executable, "-m", "benchmarks.attacks", "--one", name]
        done = subprocess.run(line, capture_output=True, text=True, check=False)
        said = done.stdout.strip().splitlines() or [f"failed: {done.stderr.strip()[-200:]}"]
        print(f"| {name.replace('_', ' ')} | {ATTACKS[name][0]} | {said[-1]} |", flush=True)
        worst = max(worst, done.returncode)
    return worst


if __name__ == "__main__":
    sys.exit(main())
