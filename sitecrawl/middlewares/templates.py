"""The template middleware: pages in, articles out. It compares pages of one template, and induces and caches templates."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Any

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.http import Response

from sitecrawl.addon import ArticlePage
from sitecrawl.crawl.config import CrawlSettings
from sitecrawl.crawl.pages import open_page
from sitecrawl.crawl.records import FetchedPage, RequestContext, Role
from sitecrawl.crawl.site_models import Sites
from sitecrawl.dom.page import Page
from sitecrawl.items.feed_items import item_of
from sitecrawl.site.model import SiteModel
from sitecrawl.spiders.answers import FetchedAnswer, header, now
from sitecrawl.urls.scope import host_of


class TemplateMiddleware:
    """Replaces the pages that a spider yields by items and requests.

    The site spider yields a :class:`FetchedAnswer`; its crawl answers with items and requests. Any other spider yields an :class:`ArticlePage`, which
    is replaced by its article, with the site model of its host. Everything else passes unchanged.
    """

    def __init__(self, settings: CrawlSettings) -> None:
        self.settings = settings
        self._sites: Sites | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> TemplateMiddleware:
        self = cls(CrawlSettings.from_settings(crawler.settings))
        crawler.signals.connect(self.closed, signals.spider_closed)
        return self

    def process_spider_output(self, response: Response, result: Iterable[Any]) -> Iterator[Any]:
        for entry in result:
            yield from self._answer(entry)

    async def process_spider_output_async(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        async for entry in result:
            for answer in self._answer(entry):
                yield answer
            while isinstance(entry, FetchedAnswer) and entry.spider.reading and entry.page.context.role is Role.FILE:
                await asyncio.sleep(0)
                for answer in entry.spider.entries(entry.spider.read_on()):
                    yield answer

    def _answer(self, entry: Any) -> Iterator[Any]:
        if isinstance(entry, FetchedAnswer):
            yield from entry.spider.entries(entry.spider.fetched(entry.page))
        elif isinstance(entry, ArticlePage):
            yield from self._article(entry)
        else:
            yield entry

    def _article(self, entry: ArticlePage) -> Iterator[dict[str, Any]]:
        page = page_of(entry.response)
        article = page and self.site(page).observe_page(page, entry.promise).article
        if article:
            yield item_of(article, entry.section, fetched=now())

    def site(self, page: Page) -> SiteModel:
        """The site model of a page's host, shared with crawls of that host."""
        if self._sites is None:
            self._sites = Sites(self.settings.stores.learned(), self.settings.extractor)
        return self._sites.model(host_of(page.url))

    def closed(self) -> None:
        if self._sites is not None:
            self._sites.close()


def page_of(response: Response) -> Page | None:
    """The page of a response of any spider; None if it is not HTML."""
    context, kind = RequestContext(response.url, Role.ARTICLE), header(response, "Content-Type")
    return open_page(FetchedPage(response.url, context, response.body, content_type=kind))[0]
