"""What an engine is: it takes the sites that are due from the schedule and writes how their visits
ended. How a site is visited it does not know."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol
from zlib import crc32

from scrapy.settings import Settings

from sitecrawl.crawl.config import ArgumentError, CrawlSettings
from sitecrawl.extras.fleet.schedule import VisitEnd, Watched

Visit = Callable[[Watched], Awaitable[VisitEnd]]
"""Visits a site. One that is cancelled breaks the visit off in order, and is then cancelled."""


class Engine(Protocol):
    """Decides which site is visited when, and by whom."""

    async def run(
        self, visit: Visit, stop: asyncio.Event, *, ready: Callable[[], object] = dict
    ) -> None:
        """Visit sites that are due until ``stop`` is set, then wait for the visits that run: they
        end as interrupted ones. ``ready`` is called before the first visit begins. Raises
        SitecrawlError if it cannot begin."""

    def may_send(self) -> Callable[[], bool] | None:
        """A check for a visit that begins now: false once another worker may have its site. None
        if there is no other worker."""


@dataclass(frozen=True, slots=True)
class WorkerState:
    """A worker: its name, seconds since its last sign of life (0 in a folder, where its lock is
    that), and how many sites it visits."""

    name: str
    heard_of: float
    sites: int


@dataclass(frozen=True, slots=True)
class Activity:
    """The workers, and the names of the sites that they visit."""

    workers: list[WorkerState] = field(default_factory=list)
    under_way: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class SharedWork:
    """The sites of one of several processes of a folder."""

    number: int = 0
    count: int = 1

    @property
    def has_others(self) -> bool:
        """Whether there are other processes; then the one that made them locks the folder."""
        return self.count > 1

    def has(self, site: str) -> bool:
        return crc32(site.encode()) % self.count == self.number


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """Settings of a worker; times in seconds."""

    crawl: CrawlSettings
    sites: int = 20  # number of sites visited at once
    lost_after: float = 60.0
    """Time without a sign of life after which a worker counts as lost and its sites go to others.
    It is more than a second for each site: between two signs every site may have a page to process,
    and a busy worker must not count as lost."""
    part: SharedWork = SharedWork()

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
        return cls(CrawlSettings.from_settings(settings), sites, lost_after=lost)
