"""The guard between a page's links and the network: schemes, private addresses, DNS answers."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Request
from scrapy.resolver import CachingThreadedResolver
from twisted.internet.defer import Deferred
from twisted.internet.error import DNSLookupError

from sitecrawl.urls.join import ascii_host
from sitecrawl.urls.private import is_private

ALLOWED: set[str] = set()
"""Hosts the user named (start pages, proxies): they may be private. One per process, as the resolver is."""


def allow(url: str) -> None:
    """Let the host of ``url`` be reached whatever its address."""
    host = urlsplit(url).hostname
    if host:
        ALLOWED.add(ascii_host(host))


class AddressGuard:
    """Downloader middleware: refuses foreign schemes and private hosts that the user did not name."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> AddressGuard:
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Raises IgnoreRequest for what must not be fetched."""
        proxy = request.meta.get("proxy")
        if proxy:
            allow(proxy if "://" in proxy else f"http://{proxy}")
        why = refusal(request.url)
        if why:
            self.crawler.stats.inc_value(f"sitecrawl/refused/{why}")
            raise IgnoreRequest(f"refused: {why} address that was not asked for")


def refusal(url: str) -> str:
    """Why ``url`` must not be fetched, ``scheme`` or ``private``; empty when it may."""
    parts = urlsplit(url)
    if parts.scheme == "data":
        return ""
    if parts.scheme not in ("http", "https"):
        return "scheme"
    host = ascii_host(parts.hostname or "")
    return "private" if host not in ALLOWED and is_private(host) else ""


class Budget:
    """Downloader middleware: drops the queued requests that a spider does not want any more."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Budget:
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Raises IgnoreRequest with the spider's reason; only requests of the site spider are asked about."""
        refuse = getattr(self.crawler.spider, "refuse", None)
        why = refuse(request) if refuse is not None and "key" in request.meta else ""
        if why:
            raise IgnoreRequest(f"not fetched: {why}")


class GuardedResolver(CachingThreadedResolver):
    """Resolver that does not answer with a private address, except for hosts the user named."""

    def getHostByName(self, name: str, timeout: Any = None) -> Deferred[str]:  # noqa: N802 (Twisted's name)
        found = super().getHostByName(name, timeout or ())
        return found.addCallback(lambda address: _checked(name, address))


def may_reach(name: str, address: str) -> bool:
    """Whether a host may be reached at an address that its name has."""
    return ascii_host(name) in ALLOWED or not is_private(address)


def _checked(name: str, address: str) -> str:
    if not may_reach(name, address):
        raise DNSLookupError(f"{name} has the private address {address}")
    return address
