"""robots.txt: what may be requested, and how fast."""

from __future__ import annotations

from time import monotonic
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import CannotResolveHostError, IgnoreRequest
from scrapy.http import Request, Response

from sitecrawl.crawl.config import CrawlSettings
from sitecrawl.crawl.permissions import rules_of
from sitecrawl.middlewares.retry_after import wait_until
from sitecrawl.spiders.answers import in_words, is_too_large

_AGAIN = 15.0  # seconds after which an unreachable robots.txt is requested again


class Unreached(NamedTuple):
    """Why a robots.txt cannot be reached, and until when it is not requested again (monotonic
    clock)."""

    why: Exception
    until: float


class RobotsRules(RobotsTxtMiddleware):
    """Scrapy's middleware, with answers interpreted as in RFC 9309, and with ``Crawl-delay`` up to
    ``SITECRAWL_MAX_WAIT`` seconds."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.most = CrawlSettings.from_settings(crawler.settings).max_wait
        self.free: dict[str, float] = {}
        """When the next request to each host is allowed, by the monotonic clock."""
        self.unreached: dict[str, Unreached] = {}
        """Hosts without robots.txt."""

    async def _parse_robots(self, response: Response, netloc: str, request: Request) -> None:
        rules = b""
        if response.status >= 500:
            why = IgnoreRequest(f"the server answered {response.status}")
            self.unreached[netloc] = Unreached(why, monotonic() + _AGAIN)
        else:
            rules = rules_of(response.body, response.status)
        await super()._parse_robots(response.replace(body=rules), netloc, request)

    async def robot_parser(self, request: Request) -> Any:
        """The rules of a host. Of the requests that wait for one robots.txt Scrapy gives them to
        two: others would be sent where it forbids them."""
        await super().robot_parser(request)
        return self._parsers.get(urlsplit(request.url).netloc)

    async def process_request(self, request: Request, spider: Spider | None = None) -> None:
        """Raises IgnoreRequest for forbidden URLs; waits for the host's next turn. A host whose
        robots.txt cannot be reached forbids everything for now, as with 5xx (RFC 9309, section
        2.3.1.4)."""
        host = urlsplit(request.url).netloc
        before = self.unreached.get(host)
        if before is not None and before.until < monotonic():
            del self.unreached[host]
            del self._parsers[host]
        await super().process_request(request)
        if request.meta.get("dont_obey_robotstxt"):
            return
        if host in self.unreached:
            raise _refusal(self.unreached[host].why)
        await self._wait_for_turn(request, host)

    async def _wait_for_turn(self, request: Request, host: str) -> None:
        """Wait as long as ``Crawl-delay`` asks for."""
        parser: Any = self._parsers.get(host)
        if parser is None:
            return
        own_agent = request.headers.get(b"User-Agent", self._default_useragent)
        agent = self._robotstxt_useragent or own_agent or ""
        delay = min(parser.crawl_delay(agent) or 0.0, self.most)
        if delay > 0:
            turn = max(monotonic(), self.free.get(host, 0.0))
            self.free[host] = turn + delay
            await wait_until(self.crawler, lambda: turn)

    def _robots_error(self, exc: Exception, netloc: str) -> None:
        if not isinstance(exc, IgnoreRequest) or is_too_large(str(exc)):
            self.unreached[netloc] = Unreached(exc, monotonic() + _AGAIN)
        super()._robots_error(exc, netloc)


def _refusal(why: Exception) -> Exception:
    """The error for pages whose robots.txt cannot be reached."""
    if isinstance(why, CannotResolveHostError):
        return why
    reason = "too large" if is_too_large(str(why)) else in_words(str(why))
    return IgnoreRequest(f"robots.txt cannot be reached ({reason})")
