"""The download handler: Scrapy's own, with checks of an answer before it is read, and the browser
of the extra ``js`` for requests with ``playwright`` in their meta."""

from __future__ import annotations

from typing import Any, Protocol
from weakref import WeakKeyDictionary

from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest, ResponseDataLossError
from scrapy.http import Request, Response
from twisted.internet.ssl import optionsForClientTLS
from twisted.web.client import HTTPConnectionPool
from twisted.web.iweb import IPolicyForHTTPS
from zope.interface import implementer

from sitecrawl.crawl.config import CrawlSettings
from sitecrawl.crawl.permissions import CURRENT
from sitecrawl.limits import LIMITS
from sitecrawl.middlewares.address_guard import is_taken_over, permissions_of
from sitecrawl.middlewares.codings import is_cut
from sitecrawl.middlewares.prompt_stop import answer_until_stop
from sitecrawl.plugins import BROWSER, install_hint, plugged

# key in `meta` of the function that finds new article links of a scrolled listing
SCROLL = "sitecrawl_scroll"
# key in `meta` of the requests of a login, which wait for none and stand in no archive, with its
# host
LOGIN = "sitecrawl_login"
NEEDS = f"install Chromium and the extra js ({install_hint('js')})"
_HEAD = ("STATUS", "HEADER")  # states of Twisted's parser before the body of an answer begins


def browser_path(named: str = "") -> str | None:
    """The browser that renders pages: the configured one, or the first one installed; None without
    a browser or without the extra."""
    if not plugged(BROWSER):
        return None
    found: str | None = plugged(BROWSER)["path"].load()(named)
    return found


def lacks_browser(settings: CrawlSettings, *, scroll: bool) -> str:
    """Why a crawl cannot use the browser that its settings need, and what to do; empty if it
    can."""
    if scroll and settings.js == "never":
        return "scroll needs a browser: leave out SITECRAWL_JS=never"
    needs_browser = scroll or settings.js == "always"
    if needs_browser and not browser_path(settings.chromium):
        what = "scroll" if scroll else "SITECRAWL_JS=always"
        return f"{what} needs a browser: {NEEDS}"
    return ""


class HostAccess(Protocol):
    """Cookies, headers and proxies that the user gave for some hosts, and that pages of the browser
    get as well."""

    async def prepare(self, page: Any) -> None: ...
    def proxy_of(self, host: str) -> str: ...
    def verifies(self, host: str) -> bool: ...


ACCESS: WeakKeyDictionary[Crawler, HostAccess] = WeakKeyDictionary()
# the browser of each crawler, for http and https
_BROWSERS: WeakKeyDictionary[Crawler, Any] = WeakKeyDictionary()


class PageHandler(HTTP11DownloadHandler):
    """Scrapy's own handler, and the browser for requests with ``playwright`` in their meta. The
    browser is opened with its first request."""

    lazy = False

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        bound_heads(self._pool)
        # Scrapy does; Twisted's second connection would know no permissions
        self._pool.retryAutomatically = False
        policy: Any = HostCertificates(crawler, self._contextFactory)
        self._contextFactory = policy

    async def download_request(self, request: Request) -> Response:
        if is_taken_over(self._crawler):
            raise IgnoreRequest("another worker crawls this site now")
        if request.meta.get("playwright"):
            return await answer_until_stop(self._crawler, self._draw(request))
        permissions = permissions_of(self._crawler)
        proxy = request.meta.get("proxy")
        token = CURRENT.set(permissions.plus(proxy) if proxy else permissions)
        try:
            sending = super().download_request(request)
            response = await answer_until_stop(self._crawler, sending)
            return refuse_partial(response)
        finally:
            CURRENT.reset(token)

    async def _draw(self, request: Request) -> Response:
        """A page as the browser draws it."""
        if self._crawler not in _BROWSERS:
            _BROWSERS[self._crawler] = plugged(BROWSER)["open"].load()(self._crawler)
        drawn: Response = await _BROWSERS[self._crawler].fetch(request)
        return drawn

    async def close(self) -> None:
        await super().close()
        if browser := _BROWSERS.pop(self._crawler, None):
            await browser.close()


@implementer(IPolicyForHTTPS)
class HostCertificates:
    """Verifies the certificates of the hosts that get what a user gave for them. Of other hosts
    every certificate is taken, as ``usual`` does: their pages are public, and many have expired
    ones."""

    def __init__(self, crawler: Crawler, usual: Any) -> None:
        self.crawler = crawler
        self.usual = usual

    def creatorForNetloc(self, hostname: bytes, port: int) -> Any:  # noqa: N802 (Twisted's name)
        access = ACCESS.get(self.crawler)
        name = hostname.decode("ascii")
        if access is None or not access.verifies(name):
            return self.usual.creatorForNetloc(hostname, port)
        return optionsForClientTLS(name)


# ---- checks of an answer before it is read: its headers, its compressions, and whether it is complete
def bound_heads(pool: HTTPConnectionPool) -> None:
    """Close every connection of a pool whose answer has endless headers. Its requests fail as if
    the server had closed it."""
    usual: Any = pool._factory

    class Bounded(usual):  # type: ignore[misc]
        def buildProtocol(self, address: Any) -> Any:  # noqa: N802 (Twisted's name)
            protocol = super().buildProtocol(address)
            read = protocol.dataReceived
            size = 0

            def received(data: bytes) -> None:
                nonlocal size
                read(data)
                parser = protocol._parser
                is_in_head = parser is not None and parser.state in _HEAD
                size = size + len(data) if is_in_head else 0
                if size > LIMITS.head_bytes:
                    protocol.transport.abortConnection()

            protocol.dataReceived = received
            return protocol

    pool._factory = Bounded


def refuse_partial(response: Response) -> Response:
    """Returns the answer unchanged. Raises IgnoreRequest if it is compressed many times over, and
    ResponseDataLossError if it is partial: a range that was not requested, or a truncated
    compressed body."""
    named = b",".join(response.headers.getlist("Content-Encoding"))
    codings = named.decode("latin-1").lower().split(",")
    if len(codings) > LIMITS.codings:
        raise IgnoreRequest("too large: compressed too often (max size)")
    last = codings[-1].strip()
    if response.status == 206 or is_cut(response.body, last):
        raise ResponseDataLossError("half a body")
    return response
