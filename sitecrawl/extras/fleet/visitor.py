"""Visits sites: in this process, many at once in one reactor, or alone in a process of its own if
one died during the last visit of the site."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from scrapy import signals
from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.settings import BaseSettings, Settings

from sitecrawl.crawl.articles import FAULTS
from sitecrawl.crawl.config import CrawlArguments, CrawlSettings
from sitecrawl.crawl.pipeline import recorders_of
from sitecrawl.crawl.visit import Visit, seconds_since
from sitecrawl.errors import DatabaseError, SitecrawlError, error_line
from sitecrawl.extras.fleet.feeds import put_own_feeds
from sitecrawl.extras.fleet.schedule import End, VisitEnd, Watched
from sitecrawl.settings import USER_AGENT
from sitecrawl.spiders.site import SiteSpider

logger = logging.getLogger(__name__)

_LOOK = 0.05  # seconds between two looks whether a crawl that is to be stopped runs already

MaySend = Callable[[], bool]


async def visit(
    watched: Watched,
    process: AsyncCrawlerProcess,
    *,
    settings: CrawlSettings,
    may_send: MaySend | None = None,
) -> VisitEnd:
    """Crawl a site in this process; how the visit ended. ``may_send`` is asked before each request.
    A visit that is cancelled is broken off in order, and raises CancelledError."""
    crawler = Crawler(SiteSpider, settings_of(watched, process.settings))

    def opened(spider: SiteSpider) -> None:
        spider.may_send = may_send

    crawler.signals.connect(opened, signals.spider_opened, weak=False)
    crawl = process.crawl(crawler, **watched.arguments, start=",".join(watched.start))
    try:
        # a cancelled crawl would leave its site locked
        await asyncio.wait([crawl])
    except asyncio.CancelledError:
        await to_its_end(asyncio.ensure_future(_break_off(crawler, crawl)))
        raise
    if error := crawl.exception():
        _record_failure(watched, settings, crawler=crawler, error=error)
    return _end_of(crawler, error=crawl.exception())


def settings_of(watched: Watched, given: BaseSettings) -> Settings:
    """The settings of a visit: those of the worker, then those of the site, with its own feed.
    Raises SitecrawlError for a feed that cannot be written."""
    own = Settings()
    own.update(given.copy())
    for name, value in watched.wishes.settings.items():
        own.set(name, value, priority="cmdline")
    contact = own.get("SITECRAWL_CONTACT")
    if contact and own.get("USER_AGENT") == USER_AGENT:
        own.set("USER_AGENT", USER_AGENT.replace(")", f"; +{contact})"), priority="cmdline")
    put_own_feeds(own, watched.wishes.feeds, name=watched.name)
    return own


def _end_of(crawler: Crawler, *, error: BaseException | None) -> VisitEnd:
    visit = _visit_of(crawler, error)
    if visit.broken:
        return VisitEnd(End.BROKEN, why=visit.broken, visit=visit)
    if visit.is_stopped:
        return VisitEnd(End.INTERRUPTED, visit=visit)
    problem = "; ".join(visit.problems)
    known = {
        "reason": visit.reason,
        "pages": visit.pages,
        "articles": visit.written,
        "problem": problem,
        "code": visit.code,
        "requests": visit.pages + sum(loss.count for loss in visit.lost),
        "seconds": round(seconds_since(visit.began), 1),
    }
    return VisitEnd(End.FINISHED, known, visit=visit)


def _visit_of(crawler: Crawler, error: BaseException | None) -> Visit:
    """How a crawl ended; without a reason if it was interrupted and continues later."""
    if isinstance(error, DatabaseError):
        return Visit(broken=error_line(error))
    if error is not None:
        return Visit(reason="error", problems=(error_line(error),))
    return crawler.spider.visit if isinstance(crawler.spider, SiteSpider) else Visit()


def _record_failure(
    watched: Watched, settings: CrawlSettings, *, crawler: Crawler, error: BaseException
) -> None:
    """Log and record a visit that could not begin, and release what it holds."""
    if isinstance(crawler.spider, SiteSpider):
        crawler.spider.release()
    if not isinstance(error, SitecrawlError):
        logger.error("%s: the crawl failed", watched.site, exc_info=error)
    record_refusal(watched, settings, why=error_line(error))


def record_refusal(watched: Watched, settings: CrawlSettings, *, why: str) -> None:
    """Put a visit without an outcome into the records of visits."""
    with suppress(SitecrawlError, *FAULTS, OSError):  # a recorder may be a plug-in, too
        asked = CrawlArguments.parse({**watched.arguments, "start": ",".join(watched.start)})
        for recorder in recorders_of(asked, settings.data_dir):
            recorder.refuse(why)


async def to_its_end(work: asyncio.Future[Any]) -> None:
    """Wait for what must end in order, however often the wait is cancelled."""
    while not work.done():
        with suppress(asyncio.CancelledError):
            await asyncio.wait([work])


async def _break_off(crawler: Crawler, crawl: asyncio.Future[Any]) -> None:
    """Stop a crawl in order. Scrapy ignores the stop of a crawl whose engine is not running yet,
    and would wait forever at its end."""
    while not crawl.done():
        if crawler.spider is not None and crawler.engine.running:
            await crawler.stop_async()
            await asyncio.wait([crawl])
        else:
            await asyncio.sleep(_LOOK)
    crawl.exception()  # asyncio would log one that nobody asks for
