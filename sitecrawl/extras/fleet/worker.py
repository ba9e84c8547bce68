"""A worker: takes sites that are due and visits many at once in one process. Every site is visited
again, whatever happens."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import signal
import socket
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import Any

from scrapy import signals
from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.settings import Settings

from sitecrawl.crawl.articles import FAULTS
from sitecrawl.crawl.config import ArgumentError, CrawlArguments, CrawlSettings
from sitecrawl.crawl.outcome import Outcome
from sitecrawl.crawl.pipeline import recorders_of
from sitecrawl.errors import DatabaseError, SitecrawlError, error_line
from sitecrawl.extras.fleet.schedule import Schedule, Watched, WorkerState
from sitecrawl.spiders.site import SiteSpider

logger = logging.getLogger(__name__)

_LEASE = 0.8  # fraction of `lost_after` during which a worker continues without having reported
_LATER, _LATEST = 10.0, 3_600.0
"""Seconds until an aborted visit is tried again. They double each time the state of the site could
not be written, up to the second number."""


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """Settings of a worker; times in seconds."""

    crawl: CrawlSettings
    sites: int = 20  # number of sites visited at once
    lost_after: float = 60.0
    """Time without a report after which a worker counts as lost and its sites go to others. It is
    more than a second for each site: between two reports every site may have a page to process, and
    a busy worker must not count as lost."""

    @property
    def poll(self) -> float:
        """Interval at which a worker with room looks for a site."""
        return min(1.0, self.lost_after / 10)

    @classmethod
    def from_settings(cls, settings: Settings) -> WorkerSettings:
        """From Scrapy settings. Raises ArgumentError for invalid values."""
        try:
            sites = settings.getint("SITECRAWL_WORKER_SITES", 20)
            lost = settings.getfloat("SITECRAWL_LOST_AFTER", 60.0)
        except ValueError as error:
            raise ArgumentError(f"a setting cannot be read: {error}") from None
        if sites < 1 or lost < 1:
            raise ArgumentError("SITECRAWL_WORKER_SITES and SITECRAWL_LOST_AFTER are 1 or more")
        if lost <= sites:
            small = f"SITECRAWL_LOST_AFTER={lost:g} is too small for SITECRAWL_WORKER_SITES={sites}"
            raise ArgumentError(f"{small}: {sites + 1} is the least")
        return cls(CrawlSettings.from_settings(settings), sites, lost)


@dataclass
class Visit:
    """A site that is being visited."""

    watched: Watched
    crawler: Crawler
    crawl: asyncio.Future[None]


class Worker:
    """Visits sites until it is stopped. ``say`` prints a line for users."""

    def __init__(
        self, process: AsyncCrawlerProcess, settings: WorkerSettings, *, say: Callable[[str], None]
    ) -> None:
        self.process, self.settings, self.say = process, settings, say
        self.state = WorkerState(
            f"{socket.gethostname()[:40]}-{os.getpid()}-{secrets.token_hex(3)}"
        )
        self.stopping = False
        self.visits: dict[str, Visit] = {}
        self.failures: Counter[str] = Counter()
        """Number of consecutive failed crawls of a site."""
        self._beaten = 0.0
        """Time of the last report, by the monotonic clock."""
        self._lapses = 0
        """Number of reports that came too late."""

    @property
    def name(self) -> str:
        return self.state.worker

    async def run(self) -> None:
        """Work until stopped; if the database is unreachable, wait for it."""
        reported = ""
        while not self.stopping:
            try:
                await self._work()
            except DatabaseError as error:
                if not self.settings.crawl.database:
                    raise
                if not reported:
                    self.say(f"{error}; waiting for it")
                reported = str(error)
                self.visits.clear()
                await asyncio.sleep(self.settings.poll)

    # ---- with a database
    async def _work(self) -> None:
        with closing(Schedule(self.settings.crawl.stores.watched())) as schedule:
            if not self.settings.crawl.database:
                schedule.db.lock("work")
                schedule.free_all()
            for site in schedule.sites_of(self.name):  # broken off while the database was gone
                schedule.put_back(site, self.name, delay=_LATER)
            self.state.began = self.state.began or schedule.db.now()
            try:
                await self._loop(schedule)
            finally:
                await self._break_off()
            self.settle(schedule)
            schedule.gone(self.name)

    async def _loop(self, schedule: Schedule) -> None:
        beaten = -1e9
        while not self.stopping:
            now = time.monotonic()
            if now - beaten >= self.settings.lost_after / 4:
                self._lapses += not self._may_send()
                self.state.sites = len(self.visits)
                schedule.beat(self.state)
                self._beaten = beaten = (
                    now  # the lease is counted from before the sign of life was sent
                )
            self.settle(schedule)
            room = self.settings.sites - len(self.visits)
            for watched in (
                schedule.take(self.name, most=room, lost_after=self.settings.lost_after)
                if room
                else ()
            ):
                self._begin(schedule, watched)
            if crawls := [visit.crawl for visit in self.visits.values()]:
                await asyncio.wait(
                    crawls, timeout=self.settings.poll, return_when=asyncio.FIRST_COMPLETED
                )
            else:
                await asyncio.sleep(self.settings.poll)

    def _may_send(self) -> bool:
        """Whether no other worker can have taken over yet."""
        return time.monotonic() - self._beaten < _LEASE * self.settings.lost_after

    # ---- visits
    def _begin(self, schedule: Schedule, watched: Watched) -> None:
        """Begin the visit of a site, unless another crawl has locked it."""
        if not schedule.let_in(watched.site, self.settings.lost_after):
            schedule.put_back(watched.site, self.name, delay=_LATER)
            return
        crawler = self.process.create_crawler(SiteSpider)
        lapses = self._lapses

        def opened(spider: SiteSpider) -> None:
            # while no sign of life was late since the crawl began: after a late one its site may be
            # another's
            spider.may_send = lambda: lapses == self._lapses and self._may_send()

        crawler.signals.connect(opened, signals.spider_opened, weak=False)
        crawl = self.process.crawl(crawler, **watched.arguments, start=",".join(watched.start))
        self.visits[watched.site] = Visit(watched, crawler, crawl)

    def settle(self, schedule: Schedule) -> None:
        """Record finished visits and reschedule aborted ones; nothing is written for a site that
        another worker took."""
        for site, visit in list(self.visits.items()):
            if not visit.crawl.done():
                continue
            if error := visit.crawl.exception():
                self._record_failure(visit, error)
            outcome = _outcome_of(visit)
            if outcome.broken or outcome.reason in ("shutdown", ""):
                self._put_back(schedule, site, broken=outcome.broken)
            else:
                self._end(schedule, visit, outcome=outcome)
            del self.visits[site]

    def _put_back(self, schedule: Schedule, site: str, *, broken: str) -> None:
        """Reschedule an aborted visit; the delay doubles if the crawl failed again."""
        delay = _LATER
        if broken:
            delay = min(_LATEST, _LATER * 2 ** self.failures[site])
            self.failures[site] += 1
            self.say(f"{site}: {broken}; again in {delay:.0f} s")
        schedule.put_back(site, self.name, delay=delay)

    def _end(self, schedule: Schedule, visit: Visit, *, outcome: Outcome) -> None:
        """Record a finished visit."""
        site, problem = visit.watched.site, "; ".join(outcome.problems)
        self.failures.pop(site, None)
        counts = {"pages": outcome.pages, "articles": outcome.articles}
        schedule.end(visit.watched, {"reason": outcome.reason, **counts, "problem": problem})
        self.state.visits += 1
        self.state.pages += outcome.pages
        self.state.articles += outcome.articles
        if problem:
            logger.warning("%s: %s", site, problem)

    def _record_failure(self, visit: Visit, error: BaseException) -> None:
        """Log and record a visit that could not begin, and release what it holds."""
        spider, watched = visit.crawler.spider, visit.watched
        if isinstance(spider, SiteSpider):
            spider.release()
        if not isinstance(error, SitecrawlError):
            logger.error("%s: the crawl failed", watched.site, exc_info=error)
        with suppress(SitecrawlError, *FAULTS, OSError):  # a recorder may be a plug-in, too
            asked = CrawlArguments.parse({**watched.arguments, "start": ",".join(watched.start)})
            for recorder in recorders_of(asked, self.settings.crawl.data_dir):
                recorder.refuse(error_line(error))

    async def _break_off(self) -> None:
        """Interrupt all crawls. Whoever takes the site continues from there."""
        await asyncio.gather(*map(_broken_off, self.visits.values()))


async def _broken_off(visit: Visit, *, look: float = 0.05) -> None:
    """Stop a crawl properly. Scrapy ignores the stop of a crawl whose engine is not running yet,
    and would wait forever at its end."""
    while not visit.crawl.done():
        if visit.crawler.spider is not None and visit.crawler.engine.running:
            await visit.crawler.stop_async()
            await asyncio.wait([visit.crawl])
        else:
            await asyncio.sleep(look)
    visit.crawl.exception()  # asyncio would log one that nobody asks for


def _outcome_of(visit: Visit) -> Outcome:
    """How a visit ended; without a reason if it was interrupted and continues later."""
    spider, error = visit.crawler.spider, visit.crawl.exception()
    if isinstance(error, DatabaseError):
        return Outcome(broken=error_line(error))
    if error is not None:
        return Outcome(reason="error", problems=[error_line(error)])
    return spider.outcome if isinstance(spider, SiteSpider) else Outcome()


def run_until_stopped(process: AsyncCrawlerProcess, worker: Worker, *, patience: int = 90) -> None:
    """Run the reactor until the worker ends. A second signal ends it at once, and so does a stop
    that takes longer than ``patience`` seconds (more than any download): a hanging database blocks
    the loop, but not Python's signals. Raises the error that ended the worker."""
    from twisted.internet import reactor

    ended: list[asyncio.Future[None]] = []

    def begin() -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM):
            signal.signal(number, stop)
        asyncio.get_event_loop().create_task(worker.run()).add_done_callback(end)

    def stop(number: int, _: Any) -> None:
        if worker.stopping:
            worker.say("ended at once: the next worker continues the open crawls")
            os._exit(1)
        worker.say("stopping: the next worker continues the open crawls")
        worker.stopping = True
        signal.alarm(patience)

    def end(work: asyncio.Future[None]) -> None:
        ended.append(work)
        reactor.stop()  # type: ignore[misc]

    reactor.callWhenRunning(begin)
    process.start(stop_after_crawl=False, install_signal_handlers=False)
    for work in ended:
        work.result()
