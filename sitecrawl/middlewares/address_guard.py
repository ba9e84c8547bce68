"""What a spider may connect to: the guard between a page's links and the network checks schemes,
private addresses and DNS answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Request
from scrapy.resolver import CachingThreadedResolver
from twisted.internet.interfaces import IHostnameResolver, IResolutionReceiver
from zope.interface import implementer

from sitecrawl.crawl.permissions import CURRENT, Permissions


class PermittedSpider(Spider):
    """A spider with permissions of its own. Without permissions it reaches public addresses
    only."""

    permissions = Permissions()
    may_send: Callable[[], bool] | None = None
    """Called before each request, if another worker may have taken over the site; None if that is
    impossible."""
    # whether another worker has taken over: no requests are sent, and failures say nothing
    taken = False


def is_taken_over(crawler: Crawler) -> bool:
    """Whether another worker has taken over the site of a crawler's spider."""
    spider = crawler.spider
    if not isinstance(spider, PermittedSpider):
        return False
    if spider.may_send is not None and not spider.may_send():
        spider.taken = True
    return spider.taken


def permissions_of(crawler: Crawler) -> Permissions:
    spider = crawler.spider
    return spider.permissions if isinstance(spider, PermittedSpider) else Permissions()


class AddressGuard:
    """Downloader middleware: refuses foreign schemes and private hosts that the user did not
    name."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> AddressGuard:
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Raises IgnoreRequest for a URL that must not be fetched."""
        if why := permissions_of(self.crawler).refusal(request.url):
            if self.crawler.stats:
                self.crawler.stats.inc_value(f"sitecrawl/refused/{why}")
            raise IgnoreRequest(f"refused: {why} address that was not asked for")


class GuardedResolver(CachingThreadedResolver):
    """A resolver that returns private addresses only for hosts and ports that the crawl may reach.
    Names are resolved for the whole process; the permissions are those of the connection that is
    being made."""

    def install_on_reactor(self) -> None:
        super().install_on_reactor()
        reactor: Any = self.reactor
        reactor.installNameResolver(_CheckedResolver(reactor.nameResolver))


@implementer(IHostnameResolver)
class _CheckedResolver:
    def __init__(self, resolver: Any) -> None:
        self.resolver = resolver

    def resolveHostName(  # noqa: N802
        self,
        receiver: Any,
        hostName: str,  # noqa: N803
        portNumber: int = 0,  # noqa: N803
        **more: Any,
    ) -> Any:
        """Twisted's verb, by its names: the addresses of a host go to ``receiver``."""
        checked = _CheckedReceiver(receiver, (hostName, portNumber))
        return self.resolver.resolveHostName(checked, hostName, portNumber=portNumber, **more)


@implementer(IResolutionReceiver)
class _CheckedReceiver:
    """Passes on the permitted addresses once all are known."""

    def __init__(self, receiver: Any, place: tuple[str, int]) -> None:
        self.receiver = receiver
        self.place = place
        self.permissions = CURRENT.get()
        self.resolutionBegan = receiver.resolutionBegan
        self.found: list[Any] = []

    def addressResolved(self, address: Any) -> None:  # noqa: N802 (Twisted's name)
        self.found.append(address)

    def resolutionComplete(self) -> None:  # noqa: N802 (Twisted's name)
        hosts = [address.host for address in self.found]
        allowed = self.permissions.allowed(*self.place, addresses=hosts)
        for address in self.found:
            if address.host in allowed:
                self.receiver.addressResolved(address)
        self.receiver.resolutionComplete()
