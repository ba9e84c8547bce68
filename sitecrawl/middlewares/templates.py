"""The template middleware: pages in, articles out; pages of a young template wait on disk for their partners."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator
from typing import Any

from scrapy.crawler import Crawler

from sitecrawl.article import Article
from sitecrawl.crawl.found import Flush, Found, Resume
from sitecrawl.crawl.state import Waiting
from sitecrawl.crawl.urls import url_key
from sitecrawl.dom.parse import decode, parse
from sitecrawl.items import body_digest, identity, item_of, revise
from sitecrawl.middlewares.answers import Answering
from sitecrawl.spiders.site import SiteSpider

logger = logging.getLogger(__name__)


class TemplateMiddleware(Answering):
    """Replaces every ``Found`` of the site spider by its article, now or when its template can be trusted.

    ``listings`` holds digests of pages that are no articles: the same page under another URL is none either.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.listings: set[bytes] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> TemplateMiddleware:
        return cls(crawler)

    def answer(self, entry: Any) -> Iterator[Any]:
        """Pages become articles; the rest passes."""
        if isinstance(entry, Found):
            yield from self._meet(entry)
        elif isinstance(entry, Flush):
            self.spider.site.settle()
            yield from self._let_go(None)
        elif isinstance(entry, Resume):
            yield from self._resume()
        else:
            yield entry

    @property
    def spider(self) -> SiteSpider:
        spider = self.crawler.spider
        assert isinstance(spider, SiteSpider)
        return spider

    def _meet(self, found: Found) -> Iterator[dict[str, Any]]:
        """Judge a page; an article leaves, or waits when a template for it may be near."""
        body = hashlib.sha1(found.meta["body"], usedforsecurity=False).digest()
        if body in self.listings:
            found.kind = "listing"
            self._count("pages/copy")
            return
        verdict = self.spider.site.observe(found.page, found.score)
        found.kind = "article" if verdict.article is not None else verdict.page_type
        if verdict.article is None:
            self.listings.add(body)
        elif verdict.waits and self.spider.state.held_count() < self.spider.config.hold:
            self._hold(found, verdict.cluster)
        else:
            yield from self._leave(verdict.article, found.key, found.meta)
        for event in verdict.events:
            self._count(f"templates/{event.kind}")
            logger.info("template %s of %s: version %s", event.kind, event.cluster, event.version)
            if event.kind in ("trusted", "replaced"):
                self.spider.keep_site()
                yield from self._let_go(event.cluster)

    def _hold(self, found: Found, cluster: str) -> None:
        meta = {name: found.meta.get(name) for name in ("section", "type", "modified", "asked")} | {
            "score": found.score
        }
        self.spider.state.hold(Waiting(found.key, found.page.url, found.meta["body"], meta), cluster)
        self._count("items/waiting")

    def _let_go(self, cluster: str | None) -> Iterator[dict[str, Any]]:
        """Extract the waiting pages again, those of a cluster or all, with the best template there is now."""
        for waiting in self.spider.state.held(cluster):
            text, _ = decode(waiting.body, waiting.meta.get("type"))
            yield from self._leave(self.spider.site.extract(waiting.url, text), waiting.key, waiting.meta)

    def _resume(self) -> Iterator[dict[str, Any]]:
        """Articles the feed lost with the interrupted run, then the pages that waited."""
        for item in self.spider.state.items_of_run():
            if identity(item) not in self.crawler.settings.get("SITECRAWL_FEED_ITEMS", ()):
                yield item
        for waiting in list(self.spider.state.held()):
            page = parse(waiting.body, waiting.url, waiting.meta.get("type"))
            meta = {**waiting.meta, "body": waiting.body}
            yield from self._meet(Found(page, waiting.key, "article", waiting.meta.get("score", 0.9), meta))

    def _leave(self, article: Article, key: str, meta: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """The item of an article, unless it is too old, a copy, or one too many."""
        item = item_of(article, meta.get("section"))
        drop = self._unwanted(item, key)
        if drop:
            self._count(f"items/dropped/{drop}")
            self.spider.state.drop_waiting(key)
            if drop == "max_articles":
                meta["missed"] = True
                self.spider.state.miss(meta.get("asked") or key)
            return
        before = self.spider.state.item(key)
        revise(item, before, meta.get("modified"))
        if before:
            self._count("items/revised")
        self.spider.state.save_item(key, item, body_digest(item))
        self._count(f"items/{item['provenance']['method']}")
        self.spider.outcome.articles += 1
        limit = self.spider.arguments.max_articles
        if limit and self.spider.outcome.articles >= limit:
            self.spider.stopping = "max_articles"
        yield item

    def _unwanted(self, item: dict[str, Any], key: str) -> str:
        arguments, state = self.spider.arguments, self.spider.state
        if arguments.max_articles and self.spider.outcome.articles >= arguments.max_articles:
            return "max_articles"
        if arguments.since and (item["datePublished"] or arguments.since)[:10] < arguments.since:
            return "since"
        digest = body_digest(item)
        if state.item_digest(key) == digest or state.has_left(key):
            return "unchanged"
        return "copy" if self._is_twin(item, key, digest) else ""

    def _is_twin(self, item: dict[str, Any], key: str, digest: str) -> bool:
        """Whether an article has left already under the URL that this page calls its own, with the same text."""
        own = url_key(item["canonicalUrl"] or item["url"])
        return own != key and self.spider.state.item_digest(own) == digest

    def _count(self, name: str) -> None:
        if self.crawler.stats:
            self.crawler.stats.inc_value(f"sitecrawl/{name}")
