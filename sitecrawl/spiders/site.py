"""``scrapy crawl site -a start=URL``: from a section page to every article, with few requests."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from datetime import date
from typing import Any

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DontCloseSpider
from scrapy.http import Response
from twisted.python.failure import Failure

from sitecrawl.crawl.config import CrawlArguments, CrawlSettings
from sitecrawl.crawl.desk import Desk, Wanted
from sitecrawl.crawl.found import Flush, Found, Resume
from sitecrawl.crawl.frontier import Frontier
from sitecrawl.crawl.guard import allow
from sitecrawl.crawl.outcome import LAST, Outcome
from sitecrawl.crawl.pages import page_of, reason_of, refresh_target
from sitecrawl.crawl.state import CrawlState
from sitecrawl.crawl.urls import Scope, is_page, url_key
from sitecrawl.dom.page import Page
from sitecrawl.links.classify import classify
from sitecrawl.site import SiteModel
from sitecrawl.templates.store import open_store

_OPEN_LISTINGS = 2
"""Listing pages fetched at a time: what one brings decides whether the next is worth a request."""
_BUSY = 6
"""Article pages under way above which no listing page is asked for."""


class SiteSpider(Spider):
    """Follows article links at once and listing pages as long as they bring new articles."""

    name = "site"

    def __init__(self, crawler: Crawler, arguments: CrawlArguments, settings: CrawlSettings) -> None:
        super().__init__()
        self.arguments, self.config = arguments, settings
        self.crawler = crawler
        self.outcome = Outcome()
        self.state = CrawlState(settings.data_dir / "crawl.sqlite")
        scope = Scope.of(arguments.start, arguments.scope)
        self.desk = Desk(arguments, scope, Frontier(settings.patience), self.state, self.count)
        self._site_name = ",".join(sorted(scope.hosts))
        self.store = open_store(settings.store or settings.data_dir / "templates.sqlite")
        kept = self.store.load(self._site_name)
        self.site = SiteModel.from_dict(kept) if kept else SiteModel(self._site_name)
        self.site.method = settings.extractor
        self.site.today = date.today().isoformat()
        self.open_listings = self.open_articles = self.sent = 0
        self.held = 0
        self.stopping = ""

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> SiteSpider:
        arguments = CrawlArguments.parse(kwargs)
        spider = cls(crawler, arguments, CrawlSettings.from_settings(crawler.settings))
        spider._set_crawler(crawler)
        crawler.signals.connect(spider.idle, signals.spider_idle)
        for url in arguments.start:
            allow(url)
        return spider

    # ---- start, idle, end
    async def start(self) -> AsyncIterator[Any]:
        task = json.dumps([self.arguments.start, self.arguments.scope, self.arguments.since])
        resumes = self.state.begin(task)
        self.desk.recall(resumes)
        if resumes:
            yield Request("data:,resume", callback=self.resume, dont_filter=True, priority=10_000)
        for url in self.arguments.start:
            yield self._request(Wanted(url, "start", {"article": 0.05}))

    def resume(self, response: Response) -> Iterator[Any]:
        """Take up what an interrupted run left behind."""
        resume = Resume()
        yield resume
        for wanted in [*resume.wanted, *self.desk.left_over()]:
            yield self._request(wanted)

    def idle(self) -> None:
        """Fetch the next listing pages, else let go of what still waits, else end."""
        pending = list(self._release())
        held = self.state.held_count()
        if not pending and held and held != self.held:
            self.held = held
            pending = [Request("data:,flush", callback=self.flush, dont_filter=True)]
        for request in pending:
            assert self.crawler.engine is not None
            self.crawler.engine.crawl(request)
        if pending:
            raise DontCloseSpider

    def flush(self, response: Response) -> Iterator[Any]:
        yield Flush()

    def closed(self, reason: str) -> None:
        """Keep what was learned; a crawl that came to its own end is finished, an interrupted one goes on next time."""
        self.outcome.reason = self.stopping or reason
        self.outcome.articles = self.state.count_items()
        self.keep_site()
        if reason == "finished" and not self.state.held_count():
            self.state.finish()
        self.count("frontier/parked", self.desk.frontier.parked())
        for pattern, tally in self.desk.frontier.tallies.items():
            self.logger.info("listing pattern %s: %d fetched, %d new articles", pattern, tally.fetched, tally.brought)
        self.state.close()
        self.store.close()
        LAST[:] = [self.outcome]

    def keep_site(self) -> None:
        """Write what is known about the site."""
        self.store.save(self._site_name, self.site.to_dict())

    # ---- pages
    def parse_page(self, response: Response) -> Iterator[Any]:
        """One fetched page: hand it to the template middleware, then follow its links."""
        meta = response.meta
        self._landed(meta["label"])
        page, why = page_of(response)
        if page is None or not self.desk.arrived(response.url, meta["key"], meta["label"]):
            self._lost(meta, why or "elsewhere")
        else:
            self.outcome.pages += 1
            found = Found(page, url_key(response.url), meta["label"], meta["article"], {"section": meta.get("section")})
            found.meta["type"] = (response.headers.get("Content-Type") or b"").decode("latin-1")
            found.meta["body"] = response.body
            found.meta["part"] = meta.get("part")
            yield found
            yield from map(self._request, found.wanted)
            yield from self._follow(found, meta)
            self.state.done(meta["key"], found.kind)
        yield from self._release()

    def failed(self, failure: Failure) -> Iterator[Any]:
        """A page that could not be fetched."""
        request = failure.request  # type: ignore[attr-defined]
        self._landed(request.meta["label"])
        if not self.stopping:
            self._lost(request.meta, reason_of(failure))
        yield from self._release()

    def _landed(self, label: str) -> None:
        if label == "article":
            self.open_articles -= 1
        else:
            self.open_listings -= 1

    def _lost(self, meta: dict[str, Any], why: str) -> None:
        self.count(f"pages/lost/{why.split(' (')[0].replace(' ', '_')}")
        self.state.done(meta["key"], "failed")
        if meta["label"] == "start":
            self.outcome.problems.append(f"{meta['asked']}: {why}")

    def spend(self) -> bool:
        """Whether one more page may be fetched; counts it."""
        limit = self.arguments.max_pages
        if limit and self.sent >= limit:
            self.stopping = self.stopping or "max_pages"
        self.sent += not self.stopping
        return not self.stopping

    # ---- links
    def _follow(self, found: Found, meta: dict[str, Any]) -> Iterator[Request]:
        """Requests for new article links; what a listing page brought is told to the frontier."""
        self.count(f"pages/{found.kind}")
        if meta["label"] != "start":
            self.site.profile.record(found.page.url, meta.get("group") or "", profile_kind(found.kind))
        is_article = found.kind in ("article", "thread")
        self.desk.learn(meta["asked"], is_article)
        familiar = self.desk.familiar(found.page, meta) if is_article else None
        if self.stopping:
            return
        if familiar is not None:
            yield from map(self._request, familiar)
            return
        yield from self._refresh(found.page, meta)
        links = classify(found.page, profile=self.site.profile)
        wanted = self.desk.sort(links, found.page, {**meta, "kind": found.kind})
        for page in wanted:
            yield self._request(page)
        if meta["label"] != "article":
            self.desk.frontier.record(meta["asked"], len(wanted) + int(is_article and meta["label"] == "maybe"))

    def _refresh(self, page: Page, meta: dict[str, Any]) -> Iterator[Request]:
        """The page that an empty page sends its readers on to."""
        target = refresh_target(page)
        if target and is_page(target) and url_key(target) not in self.desk.seen:
            if meta["label"] == "start":
                self.desk.widen(target)
            if self.desk.scope.holds(target):
                yield self._request(Wanted(target, meta["label"], {"article": meta["article"]}))

    # ---- requests
    def _release(self) -> Iterator[Request]:
        """The next listing pages, while few are under way and the article pages are nearly done."""
        while not self.stopping and self.open_listings < _OPEN_LISTINGS and self.open_articles <= _BUSY:
            wanted = self.desk.next_listing()
            if wanted is None:
                return
            yield self._request(wanted)

    def _request(self, wanted: Wanted) -> Request:
        self.desk.seen.add(wanted.key)
        if wanted.label == "article":
            self.open_articles += 1
        else:
            self.open_listings += 1
        self.state.queue(wanted.key, wanted.url, wanted.label, wanted.notes)
        meta = {**wanted.notes, "label": wanted.label, "key": wanted.key, "asked": wanted.url}
        priority = 100 if wanted.label == "article" else 10
        return Request(wanted.url, self.parse_page, errback=self.failed, meta=meta, priority=priority, dont_filter=True)

    def count(self, name: str, by: int = 1) -> None:
        """Add to a statistic of the crawl."""
        if self.crawler.stats:
            self.crawler.stats.inc_value(f"sitecrawl/{name}", by)


def profile_kind(kind: str) -> str:
    """A page's kind in the words of the link profile."""
    return "article" if kind == "thread" else kind if kind in ("article", "listing") else "other"
