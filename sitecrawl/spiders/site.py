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
from sitecrawl.crawl.found import Flush, Found, Resume
from sitecrawl.crawl.frontier import Frontier
from sitecrawl.crawl.guard import allow
from sitecrawl.crawl.outcome import LAST, Outcome
from sitecrawl.crawl.pages import page_of, reason_of
from sitecrawl.crawl.state import CrawlState
from sitecrawl.crawl.urls import Scope, clean_url, is_page, url_key
from sitecrawl.dom.page import Page
from sitecrawl.dom.render import absolute
from sitecrawl.links.classify import classify
from sitecrawl.links.link import Link
from sitecrawl.site import SiteModel
from sitecrawl.templates.store import open_store

_OPEN_LISTINGS = 4
"""Listing pages fetched at a time: what one brings decides whether the next is worth a request."""
_BUSY = 6
"""Article pages under way above which no listing page is asked for."""
_MAYBE = 0.2
"""Least probability of an article at which a link labelled otherwise is tried at the end."""


class SiteSpider(Spider):
    """Follows article links at once and listing pages as long as they bring new articles."""

    name = "site"

    def __init__(self, crawler: Crawler, arguments: CrawlArguments, settings: CrawlSettings) -> None:
        super().__init__()
        self.arguments, self.config = arguments, settings
        self.crawler = crawler
        self.outcome = Outcome()
        self.scope = Scope.of(arguments.start, arguments.scope)
        self.frontier = Frontier(settings.patience)
        self.state = CrawlState(settings.data_dir / "crawl.sqlite")
        self.store = open_store(settings.store or settings.data_dir / "templates.sqlite")
        kept = self.store.load(self._site_name)
        self.site = SiteModel.from_dict(kept) if kept else SiteModel(self._site_name)
        self.site.today = date.today().isoformat()
        self.seen: set[str] = set()
        self.offered: set[str] = set()
        self.notes: dict[str, dict[str, Any]] = {}
        self.open_listings = self.open_articles = 0
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

    @property
    def _site_name(self) -> str:
        return ",".join(sorted(self.scope.hosts))

    # ---- start, idle, end
    async def start(self) -> AsyncIterator[Any]:
        task = json.dumps([self.arguments.start, self.arguments.scope, self.arguments.since])
        resumes = self.state.begin(task)
        for key, kind in self.state.known().items():
            if kind != "failed" and (resumes or kind == "article") and not (self.arguments.refresh and not resumes):
                self.seen.add(key)
        if resumes:
            yield Request("data:,resume", callback=self.resume, dont_filter=True, priority=10_000)
        for url in self.arguments.start:
            self.seen.discard(url_key(url))
            yield self._request(url, "start", {"article": 0.05})

    def resume(self, response: Response) -> Iterator[Any]:
        """Take up what an interrupted run left behind."""
        yield Resume()
        for key, url, label, meta in self.state.queued():
            if key not in self.seen and key not in self.offered:
                if label in ("article", "start"):
                    yield self._request(url, "article", meta)
                else:
                    self.offered.add(key)
                    self.frontier.add(url, label, 0.9, int(meta.get("depth", 0)))

    def idle(self) -> None:
        """Fetch the next listing pages, else let go of what still waits, else end."""
        pending = list(self._release())
        if not pending and self.state.held_count():
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
        if reason == "finished":
            self.state.finish()
        self._count("frontier/parked", self.frontier.parked())
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
        key = url_key(response.url)
        if page is None or not self._arrived(response, key):
            self._lost(meta, why or "elsewhere")
        else:
            self.outcome.pages += 1
            found = Found(page, key, meta["label"], meta["article"], {"section": meta.get("section")})
            found.meta["type"] = (response.headers.get("Content-Type") or b"").decode("latin-1")
            found.meta["body"] = response.body
            yield found
            yield from self._follow(found, meta)
            self.state.done(meta["key"], found.kind)
            if self.arguments.max_pages and self.outcome.pages >= self.arguments.max_pages:
                self.stopping = "max_pages"
        yield from self._release()

    def failed(self, failure: Failure) -> Iterator[Any]:
        """A page that could not be fetched."""
        request = failure.request  # type: ignore[attr-defined]
        self._landed(request.meta["label"])
        self._lost(request.meta, reason_of(failure))
        yield from self._release()

    def _landed(self, label: str) -> None:
        if label == "article":
            self.open_articles -= 1
        else:
            self.open_listings -= 1

    def _arrived(self, response: Response, key: str) -> bool:
        """Whether a page, after redirects, is one to look at: in scope and not seen under another URL."""
        asked = response.meta["key"]
        if response.meta["label"] == "start" and not self.scope.holds(response.url):
            self.scope = Scope.of((*self.arguments.start, response.url), self.arguments.scope)
        if key == asked:
            return True
        fresh = key not in self.seen and self.scope.holds(response.url)
        self.seen.add(key)
        return fresh

    def _lost(self, meta: dict[str, Any], why: str) -> None:
        self._count(f"pages/lost/{why.split(' (')[0].replace(' ', '_')}")
        self.state.done(meta["key"], "failed")
        if meta["label"] == "start":
            self.outcome.problems.append(f"{meta['asked']}: {why}")

    # ---- links
    def _follow(self, found: Found, meta: dict[str, Any]) -> Iterator[Request]:
        """Requests for new article links; listing links are offered to the frontier."""
        self._learn(found, meta)
        if self.stopping or (found.kind == "article" and not self._leads_on(found.page)):
            return
        new = int(found.kind == "article" and meta["label"] == "maybe")
        for link in classify(found.page, profile=self.site.profile):
            request = self._take(link, found, meta)
            if request is not None:
                new += 1
                yield request
        if meta["label"] != "article":
            self.frontier.record(found.page.url, new)

    def _learn(self, found: Found, meta: dict[str, Any]) -> None:
        self._count(f"pages/{found.kind}")
        if meta["label"] != "start":
            self.site.profile.record(found.page.url, meta.get("group") or "", found.kind)

    def _leads_on(self, page: Page) -> bool:
        """Whether an article page links to pages of the site that were not met before."""
        if self.arguments.scope == "section":
            return False
        for anchor in page.root.iter("a"):
            url = absolute(anchor.get("href") or "#", page.base_url)
            if url and is_page(url) and self.scope.holds(url):
                key = url_key(url)
                if key not in self.seen and key not in self.offered:
                    return True
        return False

    def _take(self, link: Link, found: Found, meta: dict[str, Any]) -> Request | None:
        """The request for an article link that is new; other links of use are offered to the frontier."""
        if not is_page(link.url) or not self.scope.holds(link.url):
            return None
        key, depth = url_key(link.url), int(meta.get("depth", 0)) + 1
        if key in self.seen or (self.arguments.depth and depth > self.arguments.depth):
            return None
        section = found.page.url if found.kind != "article" else meta.get("section")
        notes = {"article": link.scores["article"], "group": link.group, "section": section, "depth": depth}
        if link.label == "article":
            self._count("links/article")
            return self._request(clean_url(link.url), "article", notes)
        self._offer(link, key, notes)
        return None

    def _offer(self, link: Link, key: str, notes: dict[str, Any]) -> None:
        if key in self.offered:
            return
        self.offered.add(key)
        kind = "pagination" if link.pagination else "section" if link.label == "section" else "maybe"
        self._count(f"links/{kind if kind != 'maybe' else 'other'}")
        if kind == "maybe" and (link.scores["article"] < _MAYBE or self.arguments.scope == "section"):
            return
        if kind == "section" and not self.scope.holds_section(link.url):
            return
        url = clean_url(link.url)
        self.frontier.add(url, kind, link.score, notes["depth"])
        self.notes[url] = notes
        self.state.queue(key, url, kind, notes)

    # ---- requests
    def _release(self) -> Iterator[Request]:
        """The next listing pages, while few are under way and the article pages are nearly done."""
        while not self.stopping and self.open_listings < _OPEN_LISTINGS and self.open_articles <= _BUSY:
            candidate = self.frontier.pop()
            if candidate is None:
                return
            if url_key(candidate.url) not in self.seen:
                notes = self.notes.pop(candidate.url, {"article": 0.3, "depth": candidate.depth})
                yield self._request(candidate.url, candidate.kind, notes)

    def _request(self, url: str, label: str, notes: dict[str, Any]) -> Request:
        key = url_key(url)
        self.seen.add(key)
        if label == "article":
            self.open_articles += 1
        else:
            self.open_listings += 1
        self.state.queue(key, url, label, notes)
        meta = {**notes, "label": label, "key": key, "asked": url}
        priority = 100 if label == "article" else 10
        return Request(url, self.parse_page, errback=self.failed, meta=meta, priority=priority, dont_filter=True)

    def _count(self, name: str, by: int = 1) -> None:
        if self.crawler.stats:
            self.crawler.stats.inc_value(f"sitecrawl/{name}", by)
