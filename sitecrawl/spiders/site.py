"""``scrapy crawl site -a start=URL``: passes pages to the crawl and sends the requests that it
plans."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from scrapy import Request, signals
from scrapy.core.scraper import Slot
from scrapy.crawler import Crawler
from scrapy.exceptions import DontCloseSpider
from scrapy.http import Response
from scrapy.settings import BaseSettings
from twisted.python.failure import Failure

from sitecrawl.crawl.articles import FAULTS
from sitecrawl.crawl.config import ArgumentError, CrawlArguments, CrawlSettings
from sitecrawl.crawl.hooks import NO_HOOKS, Hooks, StepError, log_failure
from sitecrawl.crawl.permissions import Permissions
from sitecrawl.crawl.pipeline import Crawl, CrawlStep
from sitecrawl.crawl.records import SHOWN_STATUS, FailedPage, PlannedRequest
from sitecrawl.crawl.site_models import Sites
from sitecrawl.crawl.visit import Visit
from sitecrawl.errors import SitecrawlError, error_line
from sitecrawl.extensions import UNWRITTEN, Feeds
from sitecrawl.feed_formats import item_form
from sitecrawl.items.feed_items import without_places
from sitecrawl.middlewares.address_guard import PermittedSpider
from sitecrawl.middlewares.page_handler import NEEDS, SCROLL, browser_path, lacks_browser
from sitecrawl.spiders.answers import CONTEXT, NUMBER, failed_page, fetched_page
from sitecrawl.spiders.order import Answer, AnswerOrder


def hooks_of(settings: BaseSettings) -> Hooks:
    """The user's own steps that the settings name. Raises HookError if one cannot be loaded."""
    names = ("SITECRAWL_PAGE_FILTERS", "SITECRAWL_LINK_FILTERS", "SITECRAWL_ITEM_PIPELINES")
    pages, links, items = map(settings.getlist, names)
    return Hooks.load(pages=pages, links=links, items=items)


class SiteSpider(PermittedSpider):
    """One crawl of one site. The address guard reads ``permissions``, the command that runs the
    crawl reads ``visit``."""

    name = "site"

    def __init__(
        self, arguments: CrawlArguments, settings: CrawlSettings, *, hooks: Hooks = NO_HOOKS
    ) -> None:
        super().__init__()
        self.arguments = arguments
        self._lacks_browser = settings.js == "auto" and not browser_path(settings.chromium)
        state, learned = settings.stores.site(arguments.site)
        with ExitStack() as opened:
            opened.callback(learned.close)
            opened.callback(state.close)
            self._public = state.fact("public") or []
            self.permissions = Permissions.of(arguments.start, self._public)
            lacks = lacks_browser(settings, scroll=arguments.scroll)
            self._refusal: SitecrawlError | None = ArgumentError(lacks) if lacks else None
            try:
                state.lock()  # before the site model is read, which another crawl may be changing
            except SitecrawlError as error:
                self._refusal = error
            self._sites = Sites(learned, settings.extractor)
            self.crawl = Crawl(
                arguments,
                replace(settings, js="never") if self._lacks_browser else settings,
                state=state,
                site=self._sites.model(arguments.site),
                hooks=hooks,
                keep=lambda: self._sites.save(arguments.site),
            )
            self.release = opened.pop_all().close
        self._order = AnswerOrder(patience=60.0, overtake=self._overtake)
        self._delivery: asyncio.Future[None] | None = None
        self._stop: asyncio.Future[None] | None = None
        self._finished = False

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> SiteSpider:
        given = crawler.settings
        spider = cls(
            CrawlArguments.parse(kwargs), CrawlSettings.from_settings(given), hooks=hooks_of(given)
        )
        spider._set_crawler(crawler)
        spider._order.patience = (
            given.getfloat("DOWNLOAD_TIMEOUT") / 3
        )  # a dead page must not stop the crawl for long
        crawler.signals.connect(spider.idle, signals.spider_idle)
        crawler.signals.connect(spider.ended, signals.engine_stopped)
        crawler.signals.connect(spider.item_failed, signals.item_error)
        return spider

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        super().update_settings(settings)
        if form := item_form(settings.get("SITECRAWL_ITEMS") or ""):
            settings.set(
                "ITEM_PIPELINES", form | settings.getdict("ITEM_PIPELINES"), priority="spider"
            )
        # Scrapy imports extensions that are switched off too, and with one of them a web server
        off = {path for path, place in settings.getdict("EXTENSIONS").items() if place is None}
        for name in ("EXTENSIONS", "EXTENSIONS_BASE"):
            on = {path: place for path, place in settings.getdict(name).items() if path not in off}
            settings.set(name, on, priority="spider")

    @property
    def visit(self) -> Visit:
        return self.crawl.visit

    async def start(self) -> AsyncIterator[Any]:
        """Items that an interrupted run's feed lost, then the first requests."""
        step = self._run_verb(self._begin)
        self._send_items(step.items)
        for request in [*map(self._request, step.requests)]:  # numbered before an answer comes
            yield request

    def _begin(self) -> CrawlStep:
        if self._refusal is not None:
            raise self._refusal
        feeds = self.crawler.get_extension(Feeds)
        if not feeds:
            return self.crawl.begin()
        step = self.crawl.begin(feeds.held, feeds.items, complete=feeds.complete)
        feeds.send_again(step.items)
        return step

    def written_items(self, *, of_run: bool) -> Iterator[dict[str, Any]]:
        """The items that this run wrote, also before it was interrupted, or those of all runs."""
        items = self.crawl.state.items
        return map(self._shown, items.of_run() if of_run else items.all())

    def _step_of(self, answer: Answer) -> CrawlStep:
        """The step of the crawl for an answer. The first page settles whether the site's addresses
        are public or private. A page on which a user's own step fails is counted, and does not keep
        the answers behind it from being read."""
        if more := {*self.permissions.public}.difference(self._public):
            self._public += sorted(more)
            self.crawl.state.keep_fact("public", self._public)
        try:
            return (
                self.crawl.failed(answer)
                if isinstance(answer, FailedPage)
                else self.crawl.page(answer)
            )
        except FAULTS as error:
            log_failure(self.logger, "An error ends the page", url=answer.context.url, error=error)
            why = str(error) if isinstance(error, StepError) else type(error).__name__
            return self.crawl.erred(answer.context, why)

    def _run_verb(self, verb: Callable[[], CrawlStep]) -> CrawlStep:
        """The step of a verb of the crawl; an empty step once an error ended the crawl."""
        step = CrawlStep()
        if not self.crawl.fold.so_far.broken:
            with self._breaks_if_it_fails():
                step = self._count_events(verb())
            if self.crawl.fold.so_far.broken:
                self._stop = asyncio.ensure_future(self.crawler.stop_async())
        return step

    @contextmanager
    def _breaks_if_it_fails(self) -> Iterator[None]:
        """Note the first error that ends the crawl, which the next run continues. Scrapy would log
        one of a plug-in and call the crawl finished."""
        try:
            yield
        except (SitecrawlError, *FAULTS, OSError) as error:
            self._finished = False
            self.crawl.fold.so_far.broken = self.crawl.fold.so_far.broken or error_line(error)
            if not isinstance(error, SitecrawlError):
                self.logger.exception("The crawl failed")

    async def parse(self, response: Response) -> AsyncIterator[Any]:
        """Items and requests from the answers whose turn it is."""
        for step in self._steps_of(self._order.came(response.meta[NUMBER], fetched_page(response))):
            for entry in self._items_and_requests(step):
                yield entry
            await asyncio.sleep(0)  # many answers may have waited for this one

    def failed(self, failure: Failure) -> Iterator[Any]:
        if self.taken and self._stop is None:
            self._stop = asyncio.ensure_future(self.crawler.stop_async())
        interrupted = self.taken or not self.crawler.crawling
        meta = failure.request.meta  # type: ignore[attr-defined]
        failed = replace(failed_page(failure, meta[CONTEXT]), interrupted=interrupted)
        for step in self._steps_of(self._order.came(meta[NUMBER], failed)):
            yield from self._items_and_requests(step)

    def _overtake(self) -> None:
        """Handle the answers that waited for a request that lost its place."""
        if not self._stop:
            self._schedule_steps([*self._steps_of(self._order.ready())])

    def _steps_of(self, answers: Generator[Answer, None, None]) -> Iterator[CrawlStep]:
        """The steps of the crawl for answers, one after the other."""
        with closing(answers):
            for answer in answers:
                yield self._run_verb(partial(self._step_of, answer))

    def _schedule_steps(self, steps: list[CrawlStep]) -> None:
        """Give requests and items to Scrapy that belong to no response."""
        assert self.crawler.engine is not None
        for request in [self._request(planned) for step in steps for planned in step.requests]:
            self.crawler.engine.crawl(request)
        self._send_items([item for step in steps for item in step.items])

    def _items_and_requests(self, step: CrawlStep) -> Iterator[Any]:
        """The items and requests of a step in Scrapy's types."""
        requests = [*map(self._request, step.requests)]
        yield from map(self._shown, step.items)
        yield from requests

    def _shown(self, item: dict[str, Any]) -> dict[str, Any]:
        """An item as the feeds hold it; the state holds all that is known of it."""
        return item if self.arguments.provenance == "full" else without_places(item)

    def _request(self, planned: PlannedRequest) -> Request:
        number = self._order.number(in_browser=planned.render)
        meta: dict[str, Any] = {CONTEXT: planned.context, NUMBER: number}
        if planned.any_status:
            meta["handle_httpstatus_list"] = list(range(400, 600))
        else:
            unchanged = [304] if planned.headers else []
            meta["handle_httpstatus_list"] = [*SHOWN_STATUS, *unchanged]
        if planned.render:
            meta |= {"playwright": True, "max_retry_times": 1}
        if planned.scroll:
            meta[SCROLL] = partial(self.crawl.new_articles, url=planned.url)
        return Request(
            planned.url,
            self.parse,
            method="POST" if planned.body else "GET",
            body=planned.body,
            errback=self.failed,
            headers=planned.headers,
            meta=meta,
            priority=-number,
            dont_filter=True,
        )

    # ---- idle and end
    def idle(self) -> None:
        """Ask the crawl what to do next. An empty step ends it."""
        if self.taken or (self._delivery is not None and not self._delivery.done()):
            raise DontCloseSpider
        steps = [*self._steps_of(self._order.rest())]
        if not any(steps):
            steps = [self._run_verb(self.crawl.idle)]
        if any(steps):
            self._schedule_steps(steps)
            raise DontCloseSpider

    def _send_items(self, items: list[dict[str, Any]]) -> None:
        """Send items that belong to no response through the pipelines. A crawl that is stopped
        meanwhile ends after the last of them."""
        assert self.crawler.engine is not None
        if items and (slot := self.crawler.engine.scraper.slot) is not None:
            slot.itemproc_size += 1
            shown = [*map(self._shown, items)]
            self._delivery = asyncio.ensure_future(self._deliver(shown, slot))

    async def _deliver(self, items: list[dict[str, Any]], slot: Slot) -> None:
        engine = self.crawler.engine
        assert engine is not None
        try:
            for item in items:
                await engine.scraper.start_itemproc_async(item, response=None)
        finally:
            slot.itemproc_size -= 1
            # Scrapy checks whether it may close only after a response: it would wait without end
            # for items without one
            if slot.closing is not None and not slot.closing.called and slot.is_idle():
                slot.closing.callback(self)
        if (
            engine._slot is not None
        ):  # or the engine asks again at its next heartbeat, up to five seconds later
            engine._slot.nextcall.schedule()

    def closed(self, reason: str) -> None:
        """Store what was learned and report how the visit went."""
        self._order.clear()
        self._finished = reason == "finished" and not self.crawl.fold.so_far.broken
        with self._breaks_if_it_fails():
            self._count_events(self.crawl.close(reason))
            known = self.visit.completeness
            figures: dict[str, float] = {"left": known.unopened, "opened": known.opened}
            if known.share is not None:
                figures["share"] = round(known.share, 4)
            for name, figure in figures.items() if self.crawler.stats else ():
                self.crawler.stats.set_value(f"sitecrawl/completeness/{name}", figure)
            if self._lacks_browser and self.crawl.may_need_browser:
                advice = "no article found; if JavaScript draws the pages: " + NEEDS
                self.crawl.fold.so_far.problems += (advice,)
        with self._breaks_if_it_fails():
            self._sites.close(saves=self.crawl.begun)
        feeds = self.crawler.get_extension(Feeds)
        if feeds and (self.visit.is_failed or not self._finished):
            feeds.leave_old()

    def item_failed(self) -> None:
        """An item pipeline of Scrapy failed on an item, which Scrapy only logs."""
        if self.crawler.stats:
            self.crawler.stats.inc_value(UNWRITTEN)

    def ended(self) -> None:
        known = self.crawler.stats.get_stats() if self.crawler.stats else {}
        if dropped := known.get("item_dropped_count", 0):
            self.crawl.fold.so_far.written -= dropped
            lacking = f"items that an item pipeline of Scrapy dropped, and no feed has: {dropped}"
            self.crawl.fold.so_far.problems += (lacking,)
        written = not any(name.startswith("feedexport/failed_count/") for name in known)
        with self._breaks_if_it_fails():
            self.crawl.ended(written=written, finished=self._finished)

    def _count_events(self, step: CrawlStep) -> CrawlStep:
        for event in step.events if self.crawler.stats else ():
            for name in event.statistics:
                self.crawler.stats.inc_value(f"sitecrawl/{name}")
        return step
