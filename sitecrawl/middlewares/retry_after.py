"""Pauses that servers ask for: until they are over, no request is sent to the host."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from math import ceil
from time import monotonic, time
from urllib.parse import urlsplit

from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Request, Response

from sitecrawl.crawl.config import CrawlSettings
from sitecrawl.spiders.answers import header

_USUAL_PAUSE = 2.0  # seconds of a pause if a server answers 429 without a time
# seconds between checks for an interruption: Scrapy reports it after all requests only
_CHECK_EVERY = 0.5


class RetryAfter:
    """Downloader middleware that honours ``Retry-After`` (RFC 9110, section 10.2.3) on 429 and 503,
    at most ``most`` seconds at a time. The pause holds for the whole host; the request is repeated
    by Scrapy's own middleware."""

    def __init__(self, crawler: Crawler, most: int) -> None:
        self.crawler = crawler
        self.most = float(most)
        self.until: dict[str, float] = {}
        """By the monotonic clock, since the system clock may be set while a crawl waits."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RetryAfter:
        return cls(crawler, CrawlSettings.from_settings(crawler.settings).max_wait)

    async def process_request(self, request: Request) -> None:
        """Wait until requests to the host are allowed again. Raises IgnoreRequest if the crawl is
        interrupted before."""
        host = urlsplit(request.url).netloc
        await wait_until(self.crawler, lambda: self.until.get(host, 0.0))

    def process_response(self, request: Request, response: Response) -> Response:
        if response.status in (429, 503):
            self._pause(urlsplit(request.url).netloc, response)
        return response

    def _pause(self, host: str, response: Response) -> None:
        """Send nothing to a host for the time that its answer asks for."""
        asked = seconds_of(header(response, "Retry-After"), time())
        if asked is None:
            asked = _USUAL_PAUSE if response.status == 429 else 0.0
        wait = min(self.most, asked)
        if wait <= 0:
            return
        until = monotonic() + wait
        self.until[host] = max(self.until.get(host, 0.0), until)
        if self.crawler.stats:
            self.crawler.stats.inc_value("sitecrawl/pauses/asked")
            self.crawler.stats.inc_value("sitecrawl/pauses/seconds", ceil(wait))


async def wait_until(crawler: Crawler, moment: Callable[[], float]) -> None:
    """Wait for a time of the monotonic clock, which may be postponed meanwhile. Raises
    IgnoreRequest if the crawl is interrupted."""
    while (seconds := moment() - monotonic()) > 0:
        if not crawler.crawling:
            raise IgnoreRequest("not fetched: interrupted")
        await asyncio.sleep(min(seconds, _CHECK_EVERY))


def seconds_of(value: str, now: float) -> float | None:
    """Seconds from ``now`` (since 1970) that a ``Retry-After`` asks to wait; None if it is invalid.

    >>> seconds_of("120", 0.0), seconds_of("Thu, 01 Jan 1970 00:01:00 GMT", 10.0), seconds_of("soon", 0.0)
    (120.0, 50.0, None)
    """
    value = value.strip()
    if value.isascii() and value.isdigit():
        return float(value[:9])
    try:
        moment = parsedate_to_datetime(value).timestamp()
    except (ValueError, OverflowError):
        return None
    return max(0.0, moment - now)
