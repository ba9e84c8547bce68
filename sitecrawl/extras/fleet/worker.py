"""A worker: takes the sites that are due and visits many at once, in one process. It loses none of them, and none for good."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import socket
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from scrapy import signals
from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.settings import Settings

from sitecrawl.crawl.config import ArgumentError, CrawlSettings
from sitecrawl.errors import DatabaseError, SitecrawlError
from sitecrawl.extras.fleet.postgresql import named
from sitecrawl.extras.fleet.schedule import Schedule, Watched, Work
from sitecrawl.extras.fleet.task_queue import LocalQueue, Queue, ServerQueue, Task
from sitecrawl.spiders.site import SiteSpider

logger = logging.getLogger(__name__)

_LEASE = 0.8
"""Part of the time after which a worker counts as lost within which it goes on without having reported."""
_LATER, _LATEST = 10.0, 3_600.0
"""Seconds until a visit that was broken off is tried again: longer than any pause between two requests that matters. They double each time that
the state of the site could not be written, up to the second figure."""


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """What a worker needs to know; spans in seconds."""

    crawl: CrawlSettings
    sites: int = 20
    """Sites visited at once."""
    lost_after: float = 60.0
    """Silence after which a worker counts as lost and its sites go to others."""

    @property
    def tick(self) -> float:
        """How often what is due is put up."""
        return min(60.0, self.lost_after)

    @property
    def poll(self) -> float:
        """How often a worker that has room looks for a site."""
        return min(1.0, self.lost_after / 10)

    @classmethod
    def from_settings(cls, settings: Settings) -> WorkerSettings:
        """From Scrapy settings. Raises ArgumentError for values that cannot be used."""
        try:
            sites = settings.getint("SITECRAWL_WORKER_SITES", 20)
            lost = settings.getfloat("SITECRAWL_LOST_AFTER", 60.0)
        except ValueError as error:
            raise ArgumentError(f"a setting cannot be read: {error}") from None
        if sites < 1 or lost < 1:
            raise ArgumentError("SITECRAWL_WORKER_SITES and SITECRAWL_LOST_AFTER are 1 or more")
        return cls(CrawlSettings.from_settings(settings), sites, lost)


@dataclass
class Visit:
    """A site under way."""

    task: Task
    watched: Watched
    crawler: Crawler
    crawl: asyncio.Task[SitecrawlError | None]


@dataclass
class Worker:
    """Visits sites until it is told to stop. ``say`` tells a person a line."""

    process: AsyncCrawlerProcess
    settings: WorkerSettings
    say: Callable[[str], None]
    name: str = field(default_factory=lambda: f"{socket.gethostname()[:40]}-{os.getpid()}-{secrets.token_hex(3)}")
    work: Work = field(default_factory=Work)
    stopping: bool = False
    _began: float = 0.0
    _beaten: float = 0.0
    """Moment, on the clock that never goes back, of the last sign of life."""
    _lapses: int = 0
    """How often a sign of life came too late."""
    _visits: dict[str, Visit] = field(default_factory=dict)
    _unsettled: dict[str, Task] = field(default_factory=dict)
    """Sites whose visits were broken off while the database was gone."""
    _failures: Counter[str] = field(default_factory=Counter)
    """How often in a row the state of a site could not be written."""

    async def run(self) -> None:
        """Work until told to stop; while the database is gone, wait for it."""
        said = ""
        while not self.stopping:
            try:
                await self._work()
            except DatabaseError as error:
                if not self.settings.crawl.database:
                    raise
                if not said:
                    self.say(f"{error}; waiting for it")
                said = str(error)
                await self._break_off()
                await asyncio.sleep(self.settings.poll)
        await self._break_off()

    # ---- with a database
    async def _work(self) -> None:
        schedule = Schedule(self.settings.crawl.stores.watched())
        queue: Queue | None = None
        try:
            queue = await self._queue(schedule)
            self._began = schedule.db.now()
            await self._loop(schedule, queue)
            await self._break_off()
            await self._settle(schedule, queue)
            schedule.gone(self.name)
        finally:
            await _close(schedule, queue)

    async def _queue(self, schedule: Schedule) -> Queue:
        url = self.settings.crawl.database
        if url:
            return await ServerQueue.open(named(url, f"{self.name} queue"), self.settings.lost_after)
        schedule.db.lock("work")
        schedule.free_all()
        return LocalQueue(schedule)

    async def _loop(self, schedule: Schedule, queue: Queue) -> None:
        put_up = beaten = -1e9
        while not self.stopping:
            now = time.monotonic()
            if now - beaten >= self.settings.lost_after / 4:
                await self._beat(schedule, queue)
                beaten = now
            await self._settle(schedule, queue)
            if now - put_up >= self.settings.tick:
                await queue.put_up(schedule.due())
                put_up = now
            if self.settings.sites > len(self._visits):
                for task in await queue.take(self.settings.sites - len(self._visits)):
                    self._take(schedule, task)
            await self._pause()

    async def _beat(self, schedule: Schedule, queue: Queue) -> None:
        """Give a sign of life. The lease is counted from before it was sent."""
        self._lapses += not self._may_send()
        now = time.monotonic()
        schedule.beat(self.name, self._began, len(self._visits), self.work)
        await queue.beat([visit.task for visit in self._visits.values()])
        self._beaten = now

    async def _pause(self) -> None:
        crawls = [visit.crawl for visit in self._visits.values()]
        if crawls:
            await asyncio.wait(crawls, timeout=self.settings.poll, return_when=asyncio.FIRST_COMPLETED)
        else:
            await asyncio.sleep(self.settings.poll)

    def _may_send(self) -> bool:
        """Whether nobody can have taken over yet."""
        return time.monotonic() - self._beaten < _LEASE * self.settings.lost_after

    # ---- visits
    def _take(self, schedule: Schedule, task: Task) -> None:
        """Begin to visit a site, unless it is held by another crawl, or watched no more."""
        if not schedule.let_in(task.site, self.settings.lost_after):
            self._unsettled[task.site] = task
            return
        watched = schedule.begin(task.site, self.name)
        if watched is None:
            self._unsettled[task.site] = task
            return
        crawler = self.process.create_crawler(SiteSpider)
        crawler.signals.connect(self._opened, signals.spider_opened)
        crawl = asyncio.ensure_future(_crawled(self.process, crawler, watched))
        self._visits[task.site] = Visit(task, watched, crawler, crawl)

    def _opened(self, spider: SiteSpider) -> None:
        """A crawl may send while no sign of life was late since it began: after a late one its site may be another's."""
        lapses = self._lapses
        spider.may_send = lambda: lapses == self._lapses and self._may_send()

    async def _settle(self, schedule: Schedule, queue: Queue) -> None:
        """Write down the visits that are over, and give back those that were broken off and that nobody else took."""
        for site, visit in list(self._visits.items()):
            if visit.crawl.done():
                await self._end(schedule, queue, visit)
                del self._visits[site]
        for site, task in list(self._unsettled.items()):
            watched = schedule.get(site)
            if watched is None:
                await queue.done(task)
            elif watched.worker in ("", self.name):
                delay = self._pause_before(site)
                schedule.put_back(site, self.name, delay)
                await queue.again(task, delay)
            del self._unsettled[site]

    def _pause_before(self, site: str) -> float:
        """Seconds until a visit that was broken off is tried again."""
        return float(min(_LATEST, _LATER * 2 ** max(0, self._failures[site] - 1)))

    async def _end(self, schedule: Schedule, queue: Queue, visit: Visit) -> None:
        """A visit is over, or was broken off; then it is given back."""
        told, known = _told(visit), schedule.get(visit.task.site)
        if told is None or known is None or known.worker != self.name:
            if isinstance(spider := visit.crawler.spider, SiteSpider) and spider.outcome.broken:
                self._failures[visit.task.site] += 1
                self.say(
                    f"{visit.task.site}: {spider.outcome.broken}; again in {self._pause_before(visit.task.site):.0f} s"
                )
            self._unsettled[visit.task.site] = visit.task
            return
        self._failures.pop(visit.task.site, None)
        done = Work(1, int(told["pages"]), int(told["articles"]))
        schedule.end(visit.watched, told, done)
        await queue.done(visit.task)
        self.work.visits += done.visits
        self.work.pages += done.pages
        self.work.articles += done.articles
        if told["problem"]:
            logger.warning("%s: %s", visit.task.site, told["problem"])

    async def _break_off(self) -> None:
        """End all crawls as an interrupted one ends: each goes on from there, whoever takes it."""
        for visit in self._visits.values():
            if not visit.crawl.done():
                await visit.crawler.stop_async()
        if self._visits:
            await asyncio.wait([visit.crawl for visit in self._visits.values()])
        if not self.stopping:
            self._unsettled |= {site: visit.task for site, visit in self._visits.items()}
            self._visits.clear()


async def _crawled(process: AsyncCrawlerProcess, crawler: Crawler, watched: Watched) -> SitecrawlError | None:
    """One crawl to its end; why it could not begin."""
    try:
        await process.crawl(crawler, **watched.given)
    except SitecrawlError as error:
        return error
    return None


def _told(visit: Visit) -> dict[str, Any] | None:
    """What came of a visit; None where it was broken off and is to be gone on with."""
    spider, error = visit.crawler.spider, visit.crawl.result()
    if error is not None and not isinstance(error, DatabaseError):
        return {"reason": "error", "pages": 0, "articles": 0, "problem": str(error)}
    if not isinstance(spider, SiteSpider):
        return None
    outcome = spider.outcome
    if outcome.broken or outcome.reason in ("shutdown", ""):
        return None
    problem = "; ".join(outcome.problems)
    return {"reason": outcome.reason, "pages": outcome.pages, "articles": outcome.articles, "problem": problem}


async def _close(schedule: Schedule, queue: Queue | None) -> None:
    schedule.close()
    if queue is not None:
        try:
            await queue.close()
        except DatabaseError as error:
            logger.debug("%s", error)
