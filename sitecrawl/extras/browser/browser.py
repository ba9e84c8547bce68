"""Pages drawn by JavaScript: requests that are marked with ``playwright`` in a browser, which
starts with the first of them. All its requests go through the filtering proxy."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib.util import find_spec
from typing import Any
from urllib.request import getproxies
from weakref import WeakKeyDictionary

from scrapy.crawler import Crawler
from scrapy.exceptions import DownloadFailedError, DownloadTimeoutError
from scrapy.http import Request, Response, TextResponse

from sitecrawl.extras.browser.filtering_proxy import FilteringProxy
from sitecrawl.extras.browser.scrolling import SCRIPT, GrowingPage
from sitecrawl.limits import LIMITS
from sitecrawl.middlewares.address_guard import permissions_of
from sitecrawl.middlewares.page_handler import ACCESS, SCROLL

_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""Browsers in the order of preference; the first one starts in a third of the time of the others,
and renders the same."""
_SKIPPED = ("image", "media", "font")  # resources that hold no text
_QUIET = 5_000  # milliseconds to wait for a page's own requests; then the page is taken as it is
_GRACE = 15.0  # seconds beyond `DOWNLOAD_TIMEOUT` in which the browser starts and returns a page
# pages open at a time in a process, however many sites it crawls; a page takes 50 to 200 MB
_PAGES = 4
_TURNS = WeakKeyDictionary[
    asyncio.AbstractEventLoop, asyncio.Semaphore
]()  # a semaphore serves one event loop
_EMPTY = "ERR_HTTP_RESPONSE_CODE_FAILURE"  # what Chromium says of an error page without text
_ARGS = (
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--block-new-web-contents",
    "--disable-quic",
)


def browser_path(named: str = "") -> str | None:
    """The browser that renders pages: the configured one, or the first one installed; None without
    a browser or without the extra."""
    if find_spec("scrapy_playwright") is None:
        return None
    return next((path for path in map(shutil.which, [named] if named else _NAMES) if path), None)


class GuardedBrowser:
    """A browser provider for scrapy-playwright that starts the browser late and behind the
    proxy."""

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
    """scrapy-playwright for one crawler, created on first use and ended when no page was asked for
    in ``idle`` seconds: it takes 350 MB, and most crawls need it for their first pages only. The
    next page starts another."""

    def __init__(self, crawler: Crawler, *, idle: float = 60.0) -> None:
        self.crawler, self.idle = crawler, idle
        self.patience = crawler.settings.getfloat("DOWNLOAD_TIMEOUT")
        self.handler: Any = None
        self.access = ACCESS.get(crawler)
        self.pages: dict[Request, Any] = {}
        self._lock = asyncio.Lock()
        self._asked = 0  # pages that are asked for now
        self._timer: asyncio.TimerHandle | None = None
        self._ending: asyncio.Future[None] | None = None

    async def fetch(self, request: Request) -> Response:
        """The page of a request as its scripts left it, in UTF-8. Raises DownloadFailedError or
        DownloadTimeoutError. Its time counts from its turn."""
        from playwright.async_api import Error

        patience = self.patience + _GRACE + LIMITS.scroll_seconds * (SCROLL in request.meta)
        async with self._turn():
            drawing = asyncio.ensure_future(self._draw(request))
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

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """A turn among the pages of this process. When the last one is over, the browser is
        idle."""
        loop = asyncio.get_running_loop()
        self._asked += 1
        try:
            async with _TURNS.setdefault(loop, asyncio.Semaphore(_PAGES)):
                yield
        finally:
            self._asked -= 1
            if self._timer is not None:
                self._timer.cancel()
            self._timer = loop.call_later(self.idle, self._end)

    def _end(self) -> None:
        if self.handler is not None and not self._asked:
            self._ending, self.handler = asyncio.ensure_future(self.handler.close()), None

    async def _draw(self, request: Request) -> Response:
        from playwright.async_api import TimeoutError

        async with self._lock:
            self.handler = self.handler or await self._made()
        # scrapy-playwright returns the page as soon as its answer begins; waiting and closing is
        # done here
        agent = (request.headers.get("User-Agent") or b"").decode("latin-1")
        context = {"accept_downloads": False, "service_workers": "block"} | (
            {"user_agent": agent} if agent else {}
        )
        request.meta["playwright_context_kwargs"] = context
        request.meta["playwright_page_goto_kwargs"] = {"wait_until": "commit"}
        request.meta["playwright_page_init_callback"] = self._opened
        request.meta["playwright_include_page"] = True
        response: Response = await self.handler.download_request(request)
        page = self.pages[request]
        with suppress(TimeoutError):  # a page that never rests is read as it is by then
            await page.wait_for_load_state("networkidle", timeout=_QUIET)
            await page.wait_for_function(SCRIPT, arg="text", timeout=_QUIET / 2)
        url, articles = page.url, request.meta.get(SCROLL) if response.status == 200 else None
        grown = await GrowingPage(page, articles).grown() if articles else ""
        text = grown or (await page.evaluate(SCRIPT, "read"))[1]
        if not isinstance(response, TextResponse):
            return response
        headers = response.headers.copy()
        kind = (headers.get("Content-Type") or b"text/html").decode("latin-1").partition(";")[0]
        headers["Content-Type"] = f"{kind}; charset=utf-8"
        return response.replace(
            url=url, headers=headers, body=text.encode("utf-8", "replace"), encoding="utf-8"
        )

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

        def is_refused(request: Any) -> bool:
            is_foreign = not request.url.startswith("data:") and bool(
                permissions.refusal(request.url)
            )
            return is_foreign or request.resource_type in _SKIPPED

        handler.browser_provider_cls, handler.abort_request = provider, is_refused
        if self.access:
            # it would send headers of one host on to those that it redirects to
            handler.process_request_headers = None
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
        if self._timer is not None:
            self._timer.cancel()
        if self._ending is not None:
            await self._ending
        if self.handler is not None:
            await self.handler.close()
