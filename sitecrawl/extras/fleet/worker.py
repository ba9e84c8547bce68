"""A worker: an engine that says which site is visited, and the visits, in one process."""

from __future__ import annotations

import logging
import os
import secrets
import socket
from dataclasses import replace

from scrapy.crawler import AsyncCrawlerProcess
from scrapy.settings import Settings

from sitecrawl.crawl.articles import FAULTS
from sitecrawl.errors import SitecrawlError, error_line
from sitecrawl.extras.fleet.engine import Engine, WorkerSettings
from sitecrawl.extras.fleet.local_engine import LocalEngine
from sitecrawl.extras.fleet.lone_visits import LoneVisits
from sitecrawl.extras.fleet.postgresql import WORKER, named
from sitecrawl.extras.fleet.preloaded import preload
from sitecrawl.extras.fleet.runner import Say, Stopper, run_in_reactor
from sitecrawl.extras.fleet.schedule import End, VisitEnd, Watched
from sitecrawl.extras.fleet.visitor import visit

logger = logging.getLogger(__name__)


def work(given: Settings, known: WorkerSettings, *, say: Say) -> None:
    """Visit sites that are due until this process is told to stop. Raises SitecrawlError."""
    if known.crawl.database:
        known = _named(given, known)
    preload()
    lone = LoneVisits(given, known)
    process = AsyncCrawlerProcess(given)
    engine = _engine_of(known, say=say)
    stopper = Stopper(say=say, patience=known.lost_after)

    async def visit_one(watched: Watched) -> VisitEnd:
        may_send = engine.may_send()
        try:
            if watched.is_suspect:
                return await lone.visit(watched, may_send=may_send)
            return await visit(watched, process, settings=known.crawl, may_send=may_send)
        except (SitecrawlError, *FAULTS, OSError) as error:
            logger.exception("%s: the visit failed", watched.site)
            return VisitEnd(End.BROKEN, why=error_line(error))

    async def main() -> None:
        stopper.listen()
        await engine.run(visit_one, stopper.event)

    run_in_reactor(process, main)


def _engine_of(settings: WorkerSettings, *, say: Say) -> Engine:
    if not settings.crawl.database:
        return LocalEngine(settings, say=say)
    from sitecrawl.extras.fleet.procrastinate_engine import ProcrastinateEngine

    return ProcrastinateEngine(settings, say=say)


def _named(given: Settings, settings: WorkerSettings) -> WorkerSettings:
    """Settings whose connections bear the name of this worker, so that the lock of a site tells who
    holds it."""
    name = f"{WORKER}{socket.gethostname()[:20]}-{os.getpid()}-{secrets.token_hex(3)}"
    url = named(settings.crawl.database, name)
    given.set("SITECRAWL_DATABASE", url, priority="cmdline")
    return replace(settings, crawl=replace(settings.crawl, database=url))
