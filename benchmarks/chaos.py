"""A crawl among faults, killed again and again. Needs no data. A site on loopback answers one
request in four with a fault (reset, 5xx, truncation, hang,
redirect: each on 5 pages in a hundred, the first time that the page is asked for). The crawl is
killed, terminated or interrupted at random moments, the
last time while it lets go of what waited; some runs have a clock that is wrong or a disk that is
full. It is started again with the same command until it
ends by itself. Then every article must stand in the feed, once. What does not is told with its
fault and what happened to the runs, and with the command
that plays the same again. Then other sites have faults that last through the first visit: two
undisturbed visits must bring every article."""

from __future__ import annotations

import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import urlsplit
from zlib import crc32

from benchmarks import cluster
from benchmarks.harness import asked
from tests.crawl.runner import command, items_of, reset, send, served, truncate
from tests.process import Started
from tests.synthetic import TEASERS, article, listing, numbered
from tests.synthetic import path as story_path

# pages in a hundred that have each fault, and runs in a hundred with a wrong clock, and with a full
# disk
_SHARE = 5
_PATIENCE = 1.0  # seconds after which the crawl gives up a request
_QUICK = f"RETRY_TIMES=2 DOWNLOAD_TIMEOUT={_PATIENCE} SITECRAWL_JS=never SITECRAWL_MAX_WAIT=1 RETRY_PRIORITY_ADJUST=1".split()
_CLOCKS = (-400 * 86_400, -3_600, 86_400)  # seconds by which a clock is wrong
_CLOCKED = (
    "import sys, time; real = time.time; off = float(sys.argv.pop(1)); time.time = lambda: real() + off; "
    "from scrapy.cmdline import execute; execute()"
)
_ROOM = 30_000  # bytes by which files may grow on a disk that is about to be full
_RECOVERIES = 3  # sites whose faults last through the first visit
_RECOVERED = 400  # most pages of each
_LONGEST = 900.0  # seconds after which a run is taken for one that hangs


def _hang(handler: BaseHTTPRequestHandler) -> None:
    time.sleep(2 * _PATIENCE)
    handler.close_connection = True


FAULTS: dict[str, Callable[[BaseHTTPRequestHandler], None]] = {
    "reset": reset,
    "5xx": lambda handler: send(
        handler, random.Random(handler.path).choice((500, 502, 503, 504)), b"broken"
    ),
    "truncation": truncate,
    "hang": _hang,
    "redirect": lambda handler: send(handler, 302, b"", Location=handler.path),
}


class Trouble(Enum):
    """How long the faults of a site last."""

    PASSING = "one request of each page"
    LASTING = "all requests"
    OVER = "none"


@dataclass
class Site:
    """The site, its faults by ``seed``, and how many requests it had."""

    pages: int
    seed: int
    trouble: Trouble = Trouble.PASSING
    asked: Counter[str] = field(default_factory=Counter)
    served: set[int] = field(default_factory=set)  # numbers of the articles that were sent whole

    @property
    def listings(self) -> int:
        return max(1, self.pages // (TEASERS + 1))

    @property
    def articles(self) -> int:
        return self.listings * TEASERS

    def fault(self, path: str) -> str:
        """The fault of a page, empty where it has none."""
        number = crc32(f"{self.seed} {path}".encode()) % 100 // _SHARE
        return [*FAULTS, *[""] * 20][number] if path not in ("/", "/robots.txt") else ""

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        path = handler.path
        self.asked[path] += 1
        fault, (kind, number) = self.fault(path), numbered(path)
        is_first = self.asked[path] == 1 and self.trouble is Trouble.PASSING
        if fault and (is_first or self.trouble is Trouble.LASTING):
            FAULTS[fault](handler)
        elif kind == "story" and number < self.articles:
            send(handler, 200, article(number).encode())
            self.served.add(number)
        elif kind == "page" and number < self.listings:
            send(handler, 200, listing(number, self.listings).encode())
        else:
            send(handler, 404, b"")


@dataclass
class Soak:
    """Runs of one crawl in one folder; ``told`` says what happened to each."""

    site: Site
    url: str
    folder: Path
    moments: random.Random
    told: list[str] = field(default_factory=list)

    def run(self, until: int | None, stop: signal.Signals = signal.SIGKILL) -> int:
        """One run, stopped when so many requests have been made, or when all articles have been
        sent where ``until`` is -1; its exit code."""
        trouble = self.moments.randrange(100)
        off = self.moments.choice(_CLOCKS) if until is not None and trouble < _SHARE else 0
        full = until is not None and _SHARE <= trouble < 2 * _SHARE
        before, said = sum(self.site.asked.values()), self.folder / "said.txt"
        said.unlink(missing_ok=True)
        with Started(
            self._line(off), out=said, err=said, first=self._full_disk() if full else dict
        ) as process:
            self._wait(process, until, before)
            stopped = process.poll() is None
            if stopped:
                process.send_signal(stop)
            code = self._end(process)
        lines = said.read_text("utf8", "replace").splitlines() if said.exists() else []
        asked, how = (
            sum(self.site.asked.values()) - before,
            stop.name if stopped else f"exit {code}",
        )
        trouble_told = (f", clock {off:+d} s" if off else "") + (", full disk" if full else "")
        self.told.append(f"{asked} requests, {how}{trouble_told}")
        if any("Traceback" in line for line in lines):
            self.told[-1] += "; TRACEBACK: " + " | ".join(lines[-12:])
        return code

    def _line(self, off: int) -> list[str]:
        start = ["-c", _CLOCKED, str(off)] if off else ["-m", "scrapy"]
        quick = (word for setting in _QUICK for word in ("-s", setting))
        feed = self.folder / "out.jsonl"
        return [sys.executable, *start, *command(self.url, feed, "-o", str(feed), *quick)[3:]]

    def _full_disk(self) -> Callable[[], None]:
        """Leaves room for a little more in the largest file."""
        room = (
            max([0, *(file.stat().st_size for file in self.folder.rglob("*") if file.is_file())])
            + _ROOM
        )
        return partial(resource.setrlimit, resource.RLIMIT_FSIZE, (room, room))

    def _wait(self, process: Started, until: int | None, before: int) -> None:
        end = time.monotonic() + _LONGEST
        while process.poll() is None and time.monotonic() < end:
            time.sleep(0.005)
            asked = sum(self.site.asked.values())
            if until is None or asked == before:
                continue
            if until == -1 and len(self.site.served) == self.site.articles:
                time.sleep(self.moments.uniform(0, 0.3))
                return
            if 0 <= until <= asked:
                return

    def _end(self, process: Started) -> int:
        try:
            return process.wait(60)
        except subprocess.TimeoutExpired:
            self.told.append("did not end within a minute of being told to")
            process.kill()
            return process.wait()

    def numbers(self) -> Counter[int]:
        """How often each article stands in the feed."""
        return Counter(
            numbered(urlsplit(item["url"]).path)[1] for item in items_of(self.folder / "out.jsonl")
        )


def soak(pages: int, kills: int, *, seed: int, folder: Path) -> list[str]:
    """What is wrong after all the runs, a line each; empty when every article stands in the feed
    once."""
    site, moments = Site(pages, seed), random.Random(seed)
    with served({"*": site.answer}) as at:
        runs = Soak(site, f"{at.url}/", folder, moments)
        for kill in range(kills):
            stop = moments.choice([signal.SIGKILL] * 8 + [signal.SIGTERM, signal.SIGINT])
            left = site.pages - len(site.served)
            share = int(moments.uniform(0.3, 1.7) * left / (kills - kill + 1))
            runs.run(-1 if kill >= kills - 2 else sum(site.asked.values()) + max(1, share), stop)
            if kill % 10 == 9:
                print(
                    f"{kill + 1} stops, {len(site.served)} of {site.articles} articles sent",
                    file=sys.stderr,
                )
        code = runs.run(None)
        found = runs.numbers()
    wrong = [f"the last run ends with exit code {code}"] if code else []
    for number in (number for number in range(site.articles) if found[number] != 1):
        path = next((path for path in site.asked if path.startswith(f"/story/{number}-")), "")
        asked = f"asked for {site.asked[path]} times, fault: {site.fault(path) or 'none'}"
        wrong.append(f"article {number} stands {found[number]} times in the feed ({asked})")
    broken = any("TRACEBACK" in run or "did not end" in run for run in runs.told)
    return (
        [*wrong, *(f"run {at}: {run}" for at, run in enumerate(runs.told, 1))]
        if wrong or broken
        else []
    )


def recovery(pages: int, *, seed: int, folder: Path, visits: int = 2) -> list[str]:
    """What is wrong after a visit among faults and some undisturbed ``visits``, a line each; empty
    when every article stands in the feed once."""
    site = Site(pages, seed, Trouble.LASTING)
    with served({"*": site.answer}) as at:
        runs = Soak(site, f"{at.url}/", folder, random.Random(seed))
        runs.run(None)
        before = len(runs.numbers())
        site.trouble = Trouble.OVER
        for _ in range(visits):
            runs.run(None)
        found = runs.numbers()
    wrong = []
    for number in range(site.articles):
        if found[number] != 1:
            fault = site.fault(story_path(number)) or "none"
            wrong.append(f"article {number} stands {found[number]} times (fault: {fault})")
    told = f"seed {seed}: {before} of {site.articles} after the visit among faults"
    return [told, *wrong] if wrong else []


def main(arguments: list[str]) -> int:
    """One soak; 1 and what to type to play it again when something was lost or written twice.
    ``fleet`` in place of the options kills parts of many machines instead."""
    if arguments[:1] == ["fleet"]:
        codes = [cluster.main([what, *arguments[1:]]) for what in ("kills", "poison")]
        return max(codes)
    args = asked(__doc__, arguments, pages=10_000, kills=100, seed=0)
    with tempfile.TemporaryDirectory() as folder:
        wrong = soak(args.pages, args.kills, seed=args.seed, folder=Path(folder))
    for seed in range(args.seed, args.seed + _RECOVERIES):
        with tempfile.TemporaryDirectory() as folder:
            wrong += recovery(min(args.pages, _RECOVERED), seed=seed, folder=Path(folder))
    print("\n".join(wrong) or f"{args.kills} stops: every article once, no traceback")
    if wrong:
        print(
            f"again: python -m benchmarks chaos --pages {args.pages} --kills {args.kills} --seed {args.seed}"
        )
    return int(bool(wrong))
