"""``scrapy crawl site -a start=URL``: from a section page to every article, with few requests."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from datetime import date
from typing import Any

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DontCloseSpider
from scrapy.http import Response

from sitecrawl.crawl.config import CrawlArguments, CrawlSettings
from sitecrawl.crawl.desk import Wanted
from sitecrawl.crawl.found import Flush, Found, Resume
from sitecrawl.crawl.guard import allow
from sitecrawl.crawl.outcome import LAST
from sitecrawl.crawl.pages import header, page_of, refresh_target
from sitecrawl.crawl.pool import HintPool
from sitecrawl.crawl.traps import kind_of
from sitecrawl.crawl.visits import Visit, digest_of
from sitecrawl.dom.page import Page
from sitecrawl.links.classify import classify
from sitecrawl.links.evidence import NO_GUESS
from sitecrawl.site.model import SiteModel
from sitecrawl.spiders.rendering import RenderingSpider
from sitecrawl.templates.store import open_store
from sitecrawl.urls.canonical import is_page, url_key


class SiteSpider(RenderingSpider):
    """Follows article links at once and listing pages as long as they bring new articles."""

    name = "site"

    def __init__(self, crawler: Crawler, arguments: CrawlArguments, settings: CrawlSettings) -> None:
        super().__init__(crawler, arguments, settings)
        self._site_name = ",".join(sorted(self.desk.scope.hosts))
        self.store = open_store(settings.store or settings.data_dir / "templates.sqlite")
        kept = self.store.load(self._site_name)
        self.site = SiteModel.from_dict(kept) if kept else SiteModel(self._site_name)
        self.site.method = settings.extractor
        self.site.today = date.today().isoformat()
        self.hints = HintPool(self.desk, self.site.profile)
        self.held = 0
        self.complete = self.goes_on = False

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> SiteSpider:
        arguments = CrawlArguments.parse(kwargs)
        spider = cls(crawler, arguments, CrawlSettings.from_settings(crawler.settings))
        spider._set_crawler(crawler)
        crawler.signals.connect(spider.idle, signals.spider_idle)
        crawler.signals.connect(spider.ended, signals.engine_stopped)
        for url in arguments.start:
            allow(url)
        return spider

    # ---- start, idle, end
    async def start(self) -> AsyncIterator[Any]:
        task = json.dumps([self.arguments.start, self.arguments.scope, self.arguments.since])
        self.state.lock.acquire()
        last = self.state.begin(task)
        self.goes_on = last == "interrupted"
        self.outcome.before, self.sent = self.state.progress()
        self.outcome.articles = self.outcome.before
        self.desk.recall()
        self.hints.begin()
        if last in ("interrupted", "limited") or self.config.rewrite:
            yield Request("data:,resume", callback=self.resume, dont_filter=True, priority=10_000)
        for url in self.arguments.start:
            yield self.request(Wanted(url, "start", {"article": 0.05}))

    def resume(self, response: Response) -> Iterator[Any]:
        """Take up what an interrupted or limited run left behind."""
        resume = Resume()
        yield resume
        for wanted in [*resume.wanted, *self.desk.left_over()]:
            yield self.request(wanted)

    def idle(self) -> None:
        """Fetch the next pages, else let go of what still waits, else end."""
        pending = self.due()
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
        """Keep what was learned, and say what came of the crawl."""
        self.complete = reason == "finished"
        self.outcome.reason = self.stopping or reason
        self.outcome.articles, _ = self.state.progress()
        self.advise()
        self.keep_site()
        self.count("frontier/parked", self.desk.frontier.parked())
        if reason == "finished" and not self.stopping:
            for url in self.desk.frontier.barren():
                self.count(f"traps/{kind_of(url)}")
        for pattern, tally in self.desk.frontier.tallies.items():
            self.logger.info("listing pattern %s: %d fetched, %d new articles", pattern, tally.fetched, tally.brought)
        self.store.close()
        LAST[:] = [self.outcome]

    def ended(self) -> None:
        """The feeds are written. A crawl that came to its own end is finished, an interrupted one goes on next time, and so
        does one whose feed could not be written.
        """
        stats = self.crawler.stats.get_stats() if self.crawler.stats else {}
        if any(name.startswith("feedexport/failed_count/") for name in stats):
            self.outcome.unwritten = True
        elif self.complete and not self.state.held_count():
            self.state.finish(limited=bool(self.stopping))
        self.state.close()

    def keep_site(self) -> None:
        """Write what is known about the site."""
        self.store.save(self._site_name, self.site.to_dict())

    # ---- pages
    def parse_page(self, response: Response) -> Iterator[Any]:
        """One fetched page: hand it to the template middleware, then follow its links."""
        meta = response.meta
        self.landed(meta["label"])
        self.named(meta)
        if self._is_as_before(response):
            self.outcome.pages += 1
            self.count("pages/unchanged")
            self.state.done(meta["key"], "article")
            self.hints.learn(meta["asked"], True)
        else:
            page, why = page_of(response)
            if page is None or not self.desk.arrived(response.url, meta["key"], meta["label"]):
                self.outcome.walled += url_key(response.url) in self.outcome.logins
                self.lost(meta, why or "elsewhere")
            else:
                yield from self._read(page, response)
        yield from self.release()

    def _is_as_before(self, response: Response) -> bool:
        """Whether an article that left has not changed since: the server says so, or it is the same byte for byte."""
        if response.status == 304:
            return True
        visit = self.state.visits.last(response.meta["key"])
        return visit is not None and not visit.kept and visit.digest == digest_of(response.body)

    def _read(self, page: Page, response: Response) -> Iterator[Any]:
        self.outcome.pages += 1
        meta = response.meta
        found = Found(page, url_key(response.url), meta["label"], meta["article"], {"section": meta.get("section")})
        found.meta |= {"type": header(response, "Content-Type"), "modified": header(response, "Last-Modified")}
        found.meta |= {"body": response.body, "asked": meta["key"], "part": meta.get("part"), "score": found.score}
        yield found
        yield from map(self.request, found.wanted)
        again = self.second_look(found, meta)
        if again is not None:
            yield from again
            return
        yield from self.looked_twice(found, meta)
        yield from self._follow(found, meta)
        if found.meta.get("missed"):
            self.state.miss(meta["key"])
            return
        self.state.done(meta["key"], found.kind)
        if meta["render"] or found.meta.get("joined"):
            return
        kept = meta["label"] != "article" or found.kind not in ("article", "thread")
        visit = Visit(
            header(response, "ETag"), found.meta["modified"], digest_of(response.body), found.meta["type"], kept
        )
        self.state.visits.remember(meta["key"], visit, response.body)

    # ---- links
    def _follow(self, found: Found, meta: dict[str, Any]) -> Iterator[Request]:
        """Requests for new article links; what a listing page brought is told to the frontier."""
        self.count(f"pages/{found.kind}")
        if meta["label"] != "start":
            guess = meta.get("guess") or NO_GUESS
            self.site.profile.record(found.page.url, meta.get("group") or "", profile_kind(found.kind), guess)
        is_article = found.kind in ("article", "thread")
        yield from map(self.request, self.desk.learn(meta["asked"], is_article))
        self.hints.learn(meta["asked"], is_article)
        if not is_article:
            self.hints.look_at(found.page)
        if "links" not in self.arguments.discover:
            return
        familiar = self.desk.familiar(found.page, meta) if is_article else None
        if familiar is not None:
            yield from map(self.request, familiar)
            return
        yield from self._refresh(found.page, meta)
        links = classify(found.page, profile=self.site.profile)
        wanted = self.desk.sort(links, found.page, {**meta, "kind": found.kind})
        for page in wanted:
            yield self.request(page)
        if meta["label"] != "article":
            new = len(wanted) + int(is_article and meta["label"] == "maybe")
            self.desk.frontier.record(meta["asked"], new, self.desk.met_again)
            self.desk.traps.record(meta["asked"], new, meta.get("section"))

    def _refresh(self, page: Page, meta: dict[str, Any]) -> Iterator[Request]:
        """The page that an empty page sends its readers on to."""
        target = refresh_target(page)
        if target and is_page(target) and url_key(target) not in self.desk.seen:
            if meta["label"] == "start":
                self.desk.widen(target)
            if self.desk.scope.holds(target):
                yield self.request(Wanted(target, meta["label"], {"article": meta["article"]}))


def profile_kind(kind: str) -> str:
    """A page's kind in the words of the link profile."""
    return "article" if kind == "thread" else kind if kind in ("article", "listing") else "other"
