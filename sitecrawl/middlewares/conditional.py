"""Conditional requests: a page that did not change since its last visit is not sent again."""

from __future__ import annotations

from typing import Any

from scrapy.crawler import Crawler
from scrapy.http import Headers, Request, Response
from scrapy.responsetypes import responsetypes

from sitecrawl.crawl.visits import Visit
from sitecrawl.spiders.site import SiteSpider


class ConditionalRequests:
    """Downloader middleware: asks with the validators of the last visit. A rendered page has none: its parts change apart.

    On a 304 a page that was kept is read from the crawl state, links and all, as if it had been sent; the answer for
    an article that left goes to the spider as it is.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ConditionalRequests:
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        visit = self._last(request)
        if visit is not None and visit.conditions:
            request.headers.update(visit.conditions)
            request.meta["handle_httpstatus_list"] = [304]
            self._count("asked")

    def process_response(self, request: Request, response: Response) -> Response:
        if response.status != 304 or "key" not in request.meta:
            return response
        self._count("unchanged")
        visit = self._last(request)
        body = self.spider.state.visits.body(request.meta["key"]) if visit else None
        return response if visit is None or body is None else _as_it_was(response, visit, body)

    def _last(self, request: Request) -> Visit | None:
        key = request.meta.get("key")
        if request.meta.get("render"):
            return None
        return self.spider.state.visits.last(key) if key and isinstance(self.crawler.spider, SiteSpider) else None

    @property
    def spider(self) -> SiteSpider:
        spider = self.crawler.spider
        assert isinstance(spider, SiteSpider)
        return spider

    def _count(self, name: str) -> None:
        if self.crawler.stats:
            self.crawler.stats.inc_value(f"sitecrawl/revisits/{name}")


def _as_it_was(response: Response, visit: Visit, body: bytes) -> Response:
    """The kept page under the answer's URL; the answer's validators count before those of the last visit."""
    known = {"Content-Type": visit.type, "ETag": visit.etag, "Last-Modified": visit.modified}
    headers = Headers({name: value for name, value in known.items() if value})
    headers.update({name: response.headers[name] for name in ("ETag", "Last-Modified") if name in response.headers})
    kind: Any = responsetypes.from_args(headers=headers, url=response.url, body=body)
    made: Response = kind(response.url, status=200, headers=headers, body=body, flags=[*response.flags, "kept"])
    return made
