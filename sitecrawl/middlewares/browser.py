"""Pages drawn by JavaScript: a download handler that sends marked requests to a browser (extra ``js``), and the others to Scrapy's own handler. The
browser starts with the first page that needs it. All its requests go through the filtering proxy."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Awaitable, Callable
from contextlib import suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol
from urllib.request import getproxies
from weakref import WeakKeyDictionary

from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.crawler import Crawler
from scrapy.exceptions import DownloadFailedError, DownloadTimeoutError, IgnoreRequest, ResponseDataLossError
from scrapy.http import Request, Response, TextResponse
from twisted.web.client import HTTPConnectionPool

from sitecrawl.crawl.filtering_proxy import FilteringProxy
from sitecrawl.crawl.permissions import CURRENT, Permissions
from sitecrawl.limits import LIMITS
from sitecrawl.middlewares.address_guard import connecting, lost_its_site, permissions_of
from sitecrawl.middlewares.codings import is_cut
from sitecrawl.middlewares.scrolling import GrowingPage
from sitecrawl.plugins import install_hint

if TYPE_CHECKING:
    from sitecrawl.crawl.config import CrawlSettings

SCROLL = "sitecrawl_scroll"  # key in `meta` of the function that finds new article links of a scrolled listing
_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""Browsers in the order of preference; the first one starts in a third of the time of the others, and renders the same."""
NEEDS = f"install Chromium and the extra js ({install_hint('js')})"
_SKIPPED = ("image", "media", "font")  # resources that hold no text
_QUIET = 5_000  # milliseconds to wait for a page's own requests; then the page is taken as it is
_GRACE = 15.0  # seconds beyond `DOWNLOAD_TIMEOUT` in which the browser starts and returns a page
_PAGES = 4  # pages open at a time; a page takes 50 to 200 MB
_EMPTY = "ERR_HTTP_RESPONSE_CODE_FAILURE"  # what Chromium says of an error page without text
_ARGS = (
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--block-new-web-contents",
    "--disable-quic",
)


_HEAD = ("STATUS", "HEADER")  # states of Twisted's parser before the body of an answer begins


def browser_path(named: str = "") -> str | None:
    """The browser that renders pages: the configured one, or the first one installed; None without a browser or without the extra."""
    if find_spec("scrapy_playwright") is None:
        return None
    return next((path for path in map(shutil.which, [named] if named else _NAMES) if path), None)


def lacks_browser(settings: CrawlSettings, *, scroll: bool) -> str:
    """Why a crawl cannot use the browser that its settings need, and what to do; empty if it can."""
    scroll |= settings.scroll
    if scroll and settings.js == "never":
        return "scroll needs a browser: leave out SITECRAWL_JS=never"
    if (scroll or settings.js == "always") and not browser_path(settings.chromium):
        return f"{'scroll' if scroll else 'SITECRAWL_JS=always'} needs a browser: {NEEDS}"
    return ""


class HostAccess(Protocol):
    """Cookies, headers and proxies that the user gave for some hosts, and that pages of the browser get as well."""

    async def prepare(self, page: Any) -> None: ...
    def proxy_of(self, host: str) -> str: ...


ACCESS: WeakKeyDictionary[Crawler, HostAccess] = WeakKeyDictionary()


def must_abort(request: Any, permissions: Permissions) -> bool:
    """Whether a request of a rendered page (Playwright's record) is refused: a foreign scheme, a private address, an image."""
    is_foreign = not request.url.startswith("data:") and bool(permissions.refusal(request.url))
    return is_foreign or request.resource_type in _SKIPPED


class GuardedBrowser:
    """A browser provider for scrapy-playwright that starts the browser late and behind the proxy."""

    def __init__(self, options: dict[str, Any], proxy: FilteringProxy) -> None:
        self.options, self.proxy = options, proxy
        self.playwright: Any = None

    async def start(self) -> None:
        """Does nothing: the browser starts with its first page."""

    async def launch_browser(self) -> Any:
        from playwright.async_api import async_playwright

        if self.playwright is None:
            self.options["proxy"] = {"server": await self.proxy.open()}
            self.playwright = await async_playwright().start()
        return await self.playwright.chromium.launch(**self.options)

    async def close(self) -> None:
        if self.playwright is not None:
            await self.playwright.stop()
        await self.proxy.close()


class Browser:
    """scrapy-playwright for one crawler, created on first use."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.patience = crawler.settings.getfloat("DOWNLOAD_TIMEOUT")
        self.handler: Any = None
        self.access = ACCESS.get(crawler)
        self.pages: dict[Request, Any] = {}
        self._lock = asyncio.Lock()

    async def fetch(self, request: Request) -> Response:
        """The page of a request as its scripts left it, in UTF-8. Raises DownloadFailedError or DownloadTimeoutError."""
        from playwright.async_api import Error

        drawing = asyncio.ensure_future(self._draw(request))
        patience = self.patience + _GRACE + LIMITS.scroll_seconds * (SCROLL in request.meta)
        try:
            done, _ = await asyncio.wait({drawing}, timeout=patience)
            if not done:
                drawing.cancel()
                request.meta["dont_retry"] = True
                raise DownloadTimeoutError(f"{request.url} took too long in the browser")
            return drawing.result()
        except Error as error:
            request.meta["dont_retry"] = _EMPTY in str(error)
            raise DownloadFailedError(str(error).partition("\n")[0]) from None
        finally:
            request.meta.pop("playwright_page", None)
            page = self.pages.pop(request, None)
            if page is not None:
                with suppress(Error):
                    await page.close()

    async def _draw(self, request: Request) -> Response:
        from playwright.async_api import TimeoutError

        async with self._lock:
            self.handler = self.handler or await self._made()
        _prepare(request, self._opened)
        response: Response = await self.handler.download_request(request)
        page = self.pages[request]
        with suppress(TimeoutError):  # a page that never rests is read as it is by then
            await page.wait_for_load_state("networkidle", timeout=_QUIET)
        url, articles = page.url, request.meta.get(SCROLL) if response.status == 200 else None
        text = await GrowingPage(page, articles).grown() if articles else await page.content()
        return _as_drawn(response, url, text=text)

    async def _made(self) -> Any:
        from scrapy_playwright.handler import ScrapyPlaywrightDownloadHandler

        handler = ScrapyPlaywrightDownloadHandler.from_crawler(self.crawler)
        permissions = permissions_of(self.crawler)
        proxy = FilteringProxy(getproxies(), permissions, refused=self._count_refused)
        if self.access:
            proxy.proxy_of = self.access.proxy_of
        path = browser_path(self.crawler.settings.get("SITECRAWL_CHROMIUM") or "")
        # Chromium's own sandbox works for every user but root
        ours = {"executable_path": path, "chromium_sandbox": os.geteuid() != 0}

        def provider(config: Any) -> GuardedBrowser:
            given = config.launch_options
            return GuardedBrowser(ours | given | {"args": [*_ARGS, *given.get("args", ())]}, proxy)

        handler.browser_provider_cls = provider
        handler.abort_request = lambda request: must_abort(request, permissions)
        if self.access:
            handler.process_request_headers = None  # it would send headers of one host on to those that it redirects to
        handler.config.max_pages_per_context = _PAGES
        handler.config.navigation_timeout_ms = 1000 * self.patience
        handler.config.download_timeout_secs = 2
        await handler._launch()
        return handler

    async def _opened(self, page: Any, request: Request) -> None:
        self.pages[request] = page
        if self.access:
            await self.access.prepare(page)

    def _count_refused(self) -> None:
        if self.crawler.stats:
            self.crawler.stats.inc_value("sitecrawl/refused/browser")

    async def close(self) -> None:
        if self.handler is not None:
            await self.handler.close()


_BROWSERS: WeakKeyDictionary[Crawler, Browser] = WeakKeyDictionary()  # the browser of each crawler, for http and https


class PageHandler(HTTP11DownloadHandler):
    """Scrapy's own handler, and the browser for requests with ``playwright`` in their meta."""

    lazy = False

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        bound_heads(self._pool)
        self._pool.retryAutomatically = (
            False  # Scrapy retries; Twisted's own second connection would know no permissions
        )

    async def download_request(self, request: Request) -> Response:
        if lost_its_site(self._crawler):
            raise IgnoreRequest("the site was taken over")
        if not request.meta.get("playwright"):
            token = CURRENT.set(connecting(self._crawler, request))
            try:
                return whole_answer(await super().download_request(request))
            finally:
                CURRENT.reset(token)
        if self._crawler not in _BROWSERS:
            _BROWSERS[self._crawler] = Browser(self._crawler)
        return await _BROWSERS[self._crawler].fetch(request)

    async def close(self) -> None:
        await super().close()
        browser = _BROWSERS.pop(self._crawler, None)
        if browser is not None:
            await browser.close()


def _prepare(request: Request, opened: Callable[[Any, Request], Awaitable[None]]) -> None:
    """Let scrapy-playwright return the page as soon as its answer begins; waiting and closing is done here."""
    agent = (request.headers.get("User-Agent") or b"").decode("latin-1")
    context = {"accept_downloads": False, "service_workers": "block"} | ({"user_agent": agent} if agent else {})
    request.meta["playwright_context_kwargs"] = context
    request.meta["playwright_page_goto_kwargs"] = {"wait_until": "commit"}
    request.meta["playwright_page_init_callback"] = opened
    request.meta["playwright_include_page"] = True


def _as_drawn(response: Response, url: str, *, text: str) -> Response:
    """A response with what the browser shows, encoded as UTF-8."""
    if not isinstance(response, TextResponse):
        return response
    headers = response.headers.copy()
    kind = (headers.get("Content-Type") or b"text/html").decode("latin-1").partition(";")[0]
    headers["Content-Type"] = f"{kind}; charset=utf-8"
    return response.replace(url=url, headers=headers, body=text.encode("utf-8", "replace"), encoding="utf-8")


# ---- checks of an answer before it is read: its headers, its compressions, and whether it is complete
def bound_heads(pool: HTTPConnectionPool) -> None:
    """Close every connection of a pool whose answer has endless headers. Its requests fail as if the server had closed it."""
    usual: Any = pool._factory

    class Bounded(usual):  # type: ignore[misc]
        def buildProtocol(self, address: Any) -> Any:  # noqa: N802 (Twisted's name)
            return _bounded(super().buildProtocol(address))

    pool._factory = Bounded


def whole_answer(response: Response) -> Response:
    """The answer unchanged. Raises IgnoreRequest if it is compressed many times over, and ResponseDataLossError for a partial answer: a range that
    was not requested, or a truncated compressed body."""
    codings = b",".join(response.headers.getlist("Content-Encoding")).decode("latin-1").lower().split(",")
    if len(codings) > LIMITS.codings:
        raise IgnoreRequest("too large: compressed too often (max size)")
    if response.status == 206 or is_cut(response.body, codings[-1].strip()):
        raise ResponseDataLossError("half a body")
    return response


def _bounded(protocol: Any) -> Any:
    usual, size = protocol.dataReceived, 0

    def received(data: bytes) -> None:
        nonlocal size
        usual(data)
        parser = protocol._parser
        size = size + len(data) if parser is not None and parser.state in _HEAD else 0
        if size > LIMITS.head_bytes:
            protocol.transport.abortConnection()

    protocol.dataReceived = received
    return protocol
