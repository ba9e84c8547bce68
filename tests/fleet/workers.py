"""Workers and the sites that they visit, real processes, real servers, and every request on
record."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from scrapy.crawler import Crawler

from sitecrawl.crawl.store import Stores
from sitecrawl.extras.demo import article_paths, site_pages
from sitecrawl.extras.fleet import schedule as product
from sitecrawl.extras.fleet.activity import activity_of
from sitecrawl.extras.fleet.all_items import entries
from sitecrawl.extras.fleet.engine import WorkerState
from sitecrawl.extras.fleet.schedule import Schedule
from sitecrawl.spiders.site import SiteSpider
from tests.crawl.runner import send, served
from tests.process import Started

LOST_AFTER = 6.0
DELAY = 0.05
"""Seconds between two requests to one site."""


@dataclass
class ServedSite:
    """A site on loopback, and the moments of its requests."""

    url: str = ""
    asked: list[tuple[float, str]] = field(default_factory=list)
    """Moment and path of each request."""
    by: list[str] = field(default_factory=list)
    """Who sent each of them."""
    gate: threading.Event = field(
        default_factory=threading.Event
    )  # no answer leaves while it is not set
    patience: float = 30.0
    """Seconds after which one leaves all the same."""

    @property
    def name(self) -> str:
        return urlsplit(self.url).netloc

    @property
    def handovers(self) -> list[float]:
        """Seconds from the last request of one worker to the first of the next."""
        known = sorted(zip((moment for moment, _ in self.asked), self.by, strict=True))
        return [after - before for (before, one), (after, other) in pairwise(known) if one != other]


@contextmanager
def served_site(pages: Mapping[str, bytes]) -> Iterator[ServedSite]:
    """Serve pages by path."""
    site = ServedSite()

    def answer(handler: BaseHTTPRequestHandler) -> None:
        site.asked.append((time.monotonic(), handler.path))
        site.by.append(handler.headers.get("User-Agent", ""))
        site.gate.wait(timeout=site.patience)
        body = pages.get(handler.path, b"")
        send(handler, 200 if body else 404, body, Content_Type="text/html; charset=utf-8")

    site.gate.set()
    with served({"*": answer}) as server:
        site.url = f"{server.url}/"
        yield site


class Failing:
    """A plug-in that fails when the crawls of some sites begin, or when nothing remains to fetch on
    others; each has a setting that names them."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Failing:
        spider = crawler.spider
        assert isinstance(spider, SiteSpider)
        if spider.arguments.site == crawler.settings["FAILS_AT_BEGIN"]:
            raise RuntimeError("no begin")
        if spider.arguments.site == crawler.settings["FAILS_AT_END"]:
            spider.crawl.parts.articles.site.settle = cls._fail  # type: ignore[method-assign]
        return cls()

    @staticmethod
    def _fail() -> Any:
        raise ValueError("no end")


class Killing:
    """A plug-in that kills the process whenever the crawl of one site begins, like a page that needs
    more memory than there is."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Killing:
        spider = crawler.spider
        assert isinstance(spider, SiteSpider)
        if spider.arguments.site == crawler.settings["KILLS"]:
            os.kill(os.getpid(), signal.SIGKILL)
        return cls()


def _try_again_soon() -> None:
    """What a worker could not visit twice is tried again after a second instead of ten."""
    product._FIRST_PAUSE = 1.0


@dataclass
class Fleet:
    """Workers of one database. What they say goes to a file each in ``folder``."""

    folder: Path
    database: str = ""
    options: tuple[str, ...] = ()
    lost_after: float = LOST_AFTER
    hurries: bool = True
    """Whether what could not be visited is tried again soon."""
    workers: list[Started] = field(default_factory=list)

    @property
    def stores(self) -> Stores:
        return Stores(self.folder / "state", self.database)

    def schedule(self) -> Schedule:
        """The schedule; the caller closes it."""
        return Schedule(self.stores.watched())

    def watch(self, sites: list[ServedSite], every: int = 3_600) -> None:
        """Put the sites on the schedule."""
        schedule = self.schedule()
        for site in sites:
            schedule.add(site.url, {"scope": "site"}, every=every)
        schedule.close()

    def start(self, count: int = 1) -> None:
        """Start workers."""
        for _ in range(count):
            log = self.folder / f"worker-{len(self.workers)}.log"
            first = _try_again_soon if self.hurries else dict
            self.workers.append(Started(self._command(), out=log, err=log, first=first))

    def _command(self) -> list[str]:
        ours = {
            "SITECRAWL_DATA_DIR": self.folder / "state",
            "SITECRAWL_DATABASE": self.database,
            "SITECRAWL_LOST_AFTER": self.lost_after,
            "SITECRAWL_WORKER_SITES": 3,
            "SITECRAWL_JS": "never",
            "AUTOTHROTTLE_ENABLED": False,
            "DOWNLOAD_DELAY": DELAY,
            "USER_AGENT": f"worker {len(self.workers)}",
        }
        given = [word for name, value in ours.items() for word in ("-s", f"{name}={value}")]
        return [sys.executable, "-m", "sitecrawl", "work", *given, *self.options]

    def said(self, worker: int) -> str:
        """What a worker said."""
        path = self.folder / f"worker-{worker}.log"
        return path.read_text(errors="replace") if path.exists() else ""

    def signal(self, worker: int, number: signal.Signals) -> None:
        """Send a signal to a worker."""
        self.workers[worker].send_signal(number)

    def kill(self, worker: int) -> None:
        """kill -9."""
        self.signal(worker, signal.SIGKILL)
        self.workers[worker].wait()

    def end(self) -> list[int]:
        """Tell the workers to stop, and wait; their exit codes."""
        for worker in self.workers:
            worker.terminate()
        return [worker.wait(60) for worker in self.workers]

    def kill_all(self) -> None:
        """Leave no process behind."""
        for worker in self.workers:
            worker.kill()
            worker.wait()

    def workers_known(self) -> list[WorkerState]:
        """The workers that the database knows."""
        with closing(self.schedule()) as schedule:
            return activity_of(self.stores, schedule).workers

    def visited(self, visits: int = 1) -> bool:
        """Whether each site was visited so often."""
        schedule = self.schedule()
        try:
            return all(site.visits >= visits for site in schedule.all())
        finally:
            schedule.close()

    def wait(self, patience: float = 300.0) -> None:
        """Wait until each site was visited. Raises TimeoutError."""
        until = time.monotonic() + patience
        while not self.visited():
            if time.monotonic() > until:
                raise TimeoutError(
                    "\n".join(self.said(n)[-2_000:] for n in range(len(self.workers)))
                )
            time.sleep(0.2)

    def articles(self) -> Counter[str]:
        """How often the feed of all sites holds each article, by URL."""
        return Counter(str(entry.item["url"]) for entry in entries(self.stores))


def demo_pages() -> dict[str, bytes]:
    """The pages of the demonstration site but those of its Chinese section."""
    return {path: page for path, page in site_pages().items() if not path.startswith("/zh/")}


def wanted(sites: list[ServedSite]) -> Counter[str]:
    """Each article of the demonstration sites once."""
    served = article_paths() & demo_pages().keys()
    return Counter(site.url.rstrip("/") + path for site in sites for path in served)
