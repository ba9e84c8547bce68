"""Load figures: ``python -m benchmarks.load memory|hostile``. Needs no data.

``memory`` crawls a synthetic site of ten thousand pages, made on the fly by a server on loopback, and prints the resident
memory of the crawl at every thousandth page. ``hostile`` takes pages made to cost through the whole path (classify its
links, extract it, observe it with four more of its kind) and prints time, memory and what provenance says of cuts.
"""

from __future__ import annotations

import argparse
import multiprocessing
import multiprocessing.connection
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from benchmarks.crawl import FAST
from sitecrawl.demo import headline, paragraphs
from sitecrawl.dom.parse import parse
from sitecrawl.links.classify import classify
from sitecrawl.site.model import SiteModel

_TEASERS = 20
_STEP = 1_000
_SAMPLES = 5
"""Hostile pages of one kind: enough for a template to be induced from them."""


# ---- memory
def article(number: int) -> str:
    """An article like no other of the site."""
    prose = "".join(f"<p>Report {number}, part {at}. {text}</p>" for at, text in enumerate(paragraphs(number, 6)))
    title = f"{headline(number)}, case {number}"
    return _page(
        title,
        f'<h1>{title}</h1><div class="by">2026-01-{number % 28 + 1:02d} by Jun Okabe</div><div class="text">{prose}</div>',
    )


def listing(number: int, pages: int) -> str:
    """A listing page: twenty teasers and the way to the next page."""
    at = number * _TEASERS
    teasers = "".join(
        f'<div class="teaser"><h2><a href="/story/{n}-{"-".join(headline(n).casefold().split())}.html">{headline(n)}, case {n}</a></h2></div>'
        for n in range(at, at + _TEASERS)
    )
    more = f'<div class="pager"><a href="/page/{number + 1}/" rel="next">Older</a></div>' if number + 1 < pages else ""
    return _page("All reports", f"<h1>All reports</h1>{teasers}{more}")


def _page(title: str, content: str) -> str:
    menu = '<div class="nav"><a href="/">Front page</a> <a href="/about.html">About us</a></div>'
    return f"<!DOCTYPE html><html lang=en><head><title>{title} - Gazette</title></head><body>{menu}<div id=main>{content}</div></body></html>"


class Site:
    """Counts what it serves and calls ``tell`` at every thousandth page."""

    def __init__(self, pages: int) -> None:
        self.listings = pages // (_TEASERS + 1)
        self.served = 0
        self.lock = threading.Lock()
        self.tell: Callable[[int], None] = lambda served: None

    def body(self, path: str) -> str | None:
        if path == "/":
            return listing(0, self.listings)
        kind, _, rest = path[1:].partition("/")
        number = int(rest.partition("-")[0].strip("/") or 0) if rest[:1].isdigit() else -1
        if kind == "story" and number >= 0:
            return article(number)
        return listing(number, self.listings) if kind == "page" and 0 <= number < self.listings else None

    def count(self) -> None:
        with self.lock:
            self.served += 1
            if self.served % _STEP == 0:
                self.tell(self.served)

    @contextmanager
    def serve(self) -> Iterator[str]:
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                text = site.body(self.path)
                body = (text or "").encode()
                self.send_response(404 if text is None else 200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
                site.count()

            def log_message(self, format: str, *args: object) -> None: ...

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()


def memory(args: argparse.Namespace) -> int:
    """Resident memory by pages served. The growth is from page 2,000 on, when models and caches are filled."""
    site, seen = Site(args.pages), dict[int, float]()
    began = time.monotonic()
    with site.serve() as url, tempfile.TemporaryDirectory() as folder:
        line = [sys.executable, "-m", "scrapy", "crawl", "site", "-a", f"start={url}", "-O", f"{folder}/out.jsonl"]
        crawl = subprocess.Popen([*line, *FAST, "-s", f"SITECRAWL_DATA_DIR={folder}/state"], stderr=subprocess.PIPE)

        def tell(served: int) -> None:
            seen[served] = resident(crawl.pid)
            print(f"{served:6} pages  {seen[served]:7.1f} MB  {time.monotonic() - began:6.0f} s", flush=True)

        site.tell = tell
        said = crawl.communicate()[1].decode().strip()
    later = [value for pages, value in seen.items() if pages >= 2 * _STEP]
    print(said)
    if later:
        print(f"growth from {2 * _STEP} pages on: {later[-1] - later[0]:.1f} MB; most {max(later):.1f} MB")
    return crawl.returncode


def resident(pid: int) -> float:
    """Resident memory of a process in MB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024


# ---- hostile
def _story(number: int, inside: str) -> str:
    return article(number).replace('<div class="text">', f'<div class="text">{inside}')


def _adversary(number: int) -> str:
    """Every name repeats, rows differ from page to page in number and order, and ids are not unique."""
    rows = "".join(
        f'<div id="x" class="text text-{(at * 7 + number) % 13}"><span class="date">2026-01-{at % 28 + 1:02d}</span>'
        f"<b>{'<i>' * (at % 5)}row {at * number % 97}{'</i>' * (at % 5)}</b></div>"
        for at in range(6_000 + 37 * number)
    )
    return _story(number, rows)


HOSTILE: dict[str, Callable[[int], str | bytes]] = {
    "an ordinary page": article,
    "100,000 nested tags": lambda n: _story(n, "<div>" * 100_000 + "deep" + "</div>" * 100_000),
    "100,000 nested, never closed": lambda n: _story(n, "<b><p>" * 50_000),
    "a text node of 20 MB": lambda n: _story(n, f"<p>{f'word {n} ' * 2_600_000}</p>"),
    "a million links": lambda n: _story(n, "".join(f"<a href=/{at}>{at}</a>" for at in range(1_000_000))),
    "100,000 long links": lambda n: _story(
        n, "".join(f'<li><a href="/story/{at}-a-link.html">A link of the list, number {at}</a></li>' for at in range(100_000))
    ),
    "60,000 dates": lambda n: _story(
        n, "".join(f"<time datetime=2026-01-{at % 28 + 1:02d}>{at % 28 + 1} January</time>\n" for at in range(60_000))
    ),
    "60,000 authors": lambda n: _story(n, "".join(f"<span class=author>Ann {n} {at}</span>\n" for at in range(60_000))),
    "control characters": lambda n: _story(n, "".join(map(chr, range(32))) * 20_000 + "&#0;&#1;&#xFFFF;" * 20_000),
    "broken encodings": lambda n: _story(n, "x").encode() + b"\xff\xfe\x81\x30\xe4\xb8" * 500_000,
    "entities without end": lambda n: _story(n, "&amp" * 1_000_000),
    "attributes without end": lambda n: _story(n, "<p " + " ".join(f"a{at}=1" for at in range(200_000)) + ">x</p>"),
    "a JSON-LD of 5 MB, nested": lambda n: _story(
        n, '<script type="application/ld+json">' + '{"a":[' * 400_000 + "</script>" + "[" * 1_000_000
    ),
    "an adversarial template": _adversary,
}  # fmt: skip


def _measure(name: str, out: multiprocessing.connection.Connection) -> None:
    """Take the pages of one kind through the whole path; runs in a process of its own."""
    make, model, worst, flags = HOSTILE[name], SiteModel("example.com"), 0.0, set[str]()
    parse("<p>warm", "http://example.com/")
    classify(parse(article(1), "http://example.com/"))
    model.observe_page(parse(article(1), "http://example.com/0"), 0.9)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    articles = 0
    for number in range(_SAMPLES):
        html, url = make(number), f"http://example.com/story/{number}.html"
        began = time.process_time()
        page = parse(html, url)
        classify(page)
        verdict = model.observe_page(page, 0.9)
        item = verdict.article.to_dict() if verdict.article else {}
        worst = max(worst, time.process_time() - began)
        articles += bool(item)
        flags.update(item.get("provenance", {}).get("flags", ()))
    size = len(html) / 1e6
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 - before
    out.send(f"{name:30} {size:6.1f} {worst:9.2f} {grown:9.0f} {articles:9}  {', '.join(sorted(flags)) or '-'}")


def hostile(args: argparse.Namespace) -> int:
    """The table of hostile pages; 1 when one of them broke its process."""
    print(f"{'page':30} {'MB':>6} {'s, worst':>9} {'MB grown':>9} {'articles':>9}  flags")
    context, broken = multiprocessing.get_context("spawn"), 0
    for name in HOSTILE:
        if args.only and args.only not in name:
            continue
        here, there = context.Pipe(duplex=False)
        process = context.Process(target=_measure, args=(name, there))
        process.start()
        there.close()
        try:
            print(here.recv(), flush=True)
        except EOFError:
            print(f"{name:30} BROKEN", flush=True)
            broken = 1
        process.join()
    return broken


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(required=True)
    step = steps.add_parser("memory")
    step.add_argument("--pages", type=int, default=10_000)
    step.set_defaults(run=memory)
    step = steps.add_parser("hostile")
    step.add_argument("--only", default="", help="a part of the name of one page")
    step.set_defaults(run=hostile)
    args = parser.parse_args()
    return int(args.run(args))


if __name__ == "__main__":
    sys.exit(main())
