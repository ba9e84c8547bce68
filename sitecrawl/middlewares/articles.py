"""Extraction in any spider: every ``ArticlePage`` that a callback yields becomes an article item."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scrapy import signals
from scrapy.crawler import Crawler

from sitecrawl.addon import ArticlePage
from sitecrawl.crawl.config import CrawlSettings
from sitecrawl.crawl.pages import page_of
from sitecrawl.items.revisions import item_of
from sitecrawl.middlewares.answers import Answering
from sitecrawl.site.model import SiteModel
from sitecrawl.templates.store import SiteStore, open_store
from sitecrawl.urls.scope import host_of


class ArticleMiddleware(Answering):
    """Keeps one site model a host, learns from every page, and saves what was learned when the spider closes."""

    def __init__(self, store: SiteStore, method: str) -> None:
        self.store, self.method = store, method
        self.sites: dict[str, SiteModel] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ArticleMiddleware:
        settings = CrawlSettings.from_settings(crawler.settings)
        self = cls(open_store(settings.store or settings.data_dir / "templates.sqlite"), settings.extractor)
        crawler.signals.connect(self.closed, signals.spider_closed)
        return self

    def answer(self, entry: Any) -> Iterator[Any]:
        """Pages become articles; the rest passes."""
        if not isinstance(entry, ArticlePage):
            yield entry
            return
        page, _ = page_of(entry.response)
        if page is not None:
            verdict = self._site(host_of(page.url)).observe_page(page, entry.promise)
            if verdict.article is not None:
                yield item_of(verdict.article, entry.section)

    def _site(self, host: str) -> SiteModel:
        if host not in self.sites:
            kept = self.store.load(host)
            self.sites[host] = SiteModel.from_dict(kept) if kept else SiteModel(host)
            self.sites[host].method = self.method
        return self.sites[host]

    def closed(self) -> None:
        """Keep what was learned for the next run."""
        for host, site in self.sites.items():
            self.store.save(host, site.to_dict())
        self.store.close()
