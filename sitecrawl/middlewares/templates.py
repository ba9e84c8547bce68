"""The template middleware of the add-on: pages in, articles out. It asks the site model of the
page's host, which learns templates."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.python.failure import Failure

from sitecrawl.addon import ArticlePage
from sitecrawl.crawl.config import CrawlSettings
from sitecrawl.crawl.pages import open_page
from sitecrawl.crawl.parts import COMPARED, alone, may_be_part, part_of
from sitecrawl.crawl.records import FetchedPage, PartNote, RequestContext, Role
from sitecrawl.crawl.site_models import Sites
from sitecrawl.dom.page import Page
from sitecrawl.items.article import Article
from sitecrawl.items.feed_items import item_of, without_places
from sitecrawl.items.sameness import ArticleFacts
from sitecrawl.limits import LIMITS
from sitecrawl.links.pagination import part_number
from sitecrawl.site.joining import join
from sitecrawl.site.model import SiteModel
from sitecrawl.spiders.answers import header, now
from sitecrawl.urls.canonical import url_key
from sitecrawl.urls.scope import host_of

logger = logging.getLogger(__name__)


class _Part(NamedTuple):
    """One part of an article, and its position; None for a page without another one."""

    article: Article
    note: PartNote | None

    @property
    def facts(self) -> ArticleFacts:
        return ArticleFacts.of(self.article.to_dict(COMPARED))


class TemplateMiddleware:
    """Replaces each :class:`ArticlePage` that a spider yields by its article, with the site model
    of its host. All else passes unchanged."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.settings = CrawlSettings.from_settings(crawler.settings)
        self._sites: Sites | None = None
        self._joined: dict[str, str] = {}
        """Keys of the first parts of articles, and of the pages for which they were joined."""
        self._firsts: dict[str, ArticleFacts] = {}
        """What these first parts say."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> TemplateMiddleware:
        self = cls(crawler)
        crawler.signals.connect(self.closed, signals.spider_closed)
        return self

    async def process_spider_output(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        async for entry in result:
            if isinstance(entry, ArticlePage):
                if article := await self.article(entry.response, entry.promise):
                    yield without_places(item_of(article, entry.section, fetched=now()))
            else:
                yield entry

    async def article(self, response: Response, promise: float) -> Article | None:
        """The article of a page, joined with its other parts, which are fetched as the page was.
        None if the page has no article, or is a part of one that was joined for another page
        before. A part that cannot be fetched or read ends the article there, with the flag
        ``incomplete``."""
        page = page_of(response)
        if page is None:
            return None
        found = self.site(page).observe_page(page, promise).article
        if found is None:
            return found
        key = url_key(page.url)
        request = response.request or Request(page.url)
        read = _Part(found, part_of(page, key))
        first = await self._first_of(read, page, request=request)
        if first is not None and not _belongs(first, read, url=page.url):
            read, first = _Part(found, alone(page, key)), None
        if read.note is None:
            return found
        if self._joined.setdefault(read.note.of, key) != key:
            return None
        return await self._join(read, page, first=first, request=request)

    async def _first_of(
        self, read: _Part, page: Page, *, request: Request
    ) -> _Part | ArticleFacts | None:
        """The first part of the article of a later one, or what it said if it was joined before.
        None for a page that is no later part, and where the first one cannot be read."""
        note = read.note
        if note is None or note.first == page.url:
            return None
        return self._firsts.get(note.of) or await self._part(note.first, note, request=request)

    async def _part(self, url: str, note: PartNote, *, request: Request) -> _Part | None:
        reading = deferred_from_coro(self._read_part(url, note.first, request=request))
        return await maybe_deferred_to_future(reading.addErrback(_log_failure, url))

    async def _join(
        self, found: _Part, page: Page, *, first: _Part | ArticleFacts | None, request: Request
    ) -> Article:
        """The article of the parts from the first on; ``found`` is that of ``page``. It ends before
        a page that says another headline or day than the first part."""
        note = found.note
        assert note is not None
        parts = list[_Part]()
        url = note.first
        while url and len(parts) < LIMITS.parts:
            if url == page.url:
                read: _Part | None = found
            elif isinstance(first, _Part) and not parts:
                read = first
            else:
                read = await self._part(url, note, request=request)
            if read is None:
                break
            if parts and not _belongs(parts[0], read, url=url):
                url = ""
                break
            self._firsts.setdefault(note.of, read.facts)
            parts.append(read)
            url = read.note.next if read.note else ""
        if not parts:
            del self._joined[note.of]
        articles = [part.article for part in parts] or [found.article]
        # where a URL is left, its part did not come, or there are too many
        return join(articles, is_whole=not url)

    async def _read_part(self, url: str, first: str, *, request: Request) -> _Part | None:
        """One part, fetched as the page of ``request`` was; None if the answer is not that
        part."""
        assert self.crawler.engine is not None
        wanted = request.replace(
            cls=None,
            url=url,
            method="GET",
            body=b"",
            callback=NO_CALLBACK,
            errback=None,
            cb_kwargs={},
            meta={**request.meta, "retry_times": 0, "redirect_times": 0},
            dont_filter=True,
        )
        response = await self.crawler.engine.download_async(wanted)
        page = page_of(response) if response.status == 200 else None
        if page is None:
            return None
        number = part_number(first, url)
        # a server that does not know the part may lead to another page: the first part, or a login
        is_same_page = url_key(page.url) == url_key(url)
        is_same_part = number > 0 and part_number(first, page.url) == number
        if not is_same_page and not is_same_part:
            return None
        article = self.site(page).extract_page(page, later=number > 0)
        given = PartNote(url_key(first), first)
        return _Part(article, part_of(page, url_key(page.url), given=given))

    def site(self, page: Page) -> SiteModel:
        """The site model of a page's host, shared with crawls of that host."""
        if self._sites is None:
            self._sites = Sites(self.settings.stores.learned(), self.settings.extractor)
        return self._sites.model(host_of(page.url))

    def closed(self) -> None:
        if self._sites is not None:
            self._sites.close()


def _belongs(first: _Part | ArticleFacts, part: _Part, *, url: str) -> bool:
    """Whether a page may be a later part of the article that the first part says."""
    facts = first.facts if isinstance(first, _Part) else first
    if part.note is None:
        return True
    is_thread = bool(part.article.comments)
    return may_be_part(facts, part.facts, note=part.note, url=url, is_thread=is_thread)


def _log_failure(failure: Failure, url: str) -> None:
    logger.warning("The part %s of an article cannot be used: %r", url, failure.value)


def page_of(response: Response) -> Page | None:
    """The page of a response of any spider; None if it is not HTML."""
    context = RequestContext(response.url, Role.ARTICLE)
    kind = header(response, "Content-Type")
    fetched = FetchedPage(response.url, context, response.body, content_type=kind)
    return open_page(fetched)[0]
