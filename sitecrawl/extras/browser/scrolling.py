"""Loads listing pages that grow: scrolls to their end, or clicks "load more", as long as that
brings new article links."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from sitecrawl.limits import LIMITS
from sitecrawl.links.vocabulary import LOAD_MORE

SCRIPT = (
    Path(__file__)
    .with_suffix(".js")
    .read_text(encoding="utf8")
    .replace("WORDS", json.dumps(LOAD_MORE))
)


class GrowingPage:
    """A listing in a page of Playwright's. ``new_articles`` gives the article links of an HTML text
    that the crawl has not met yet."""

    def __init__(self, page: Any, new_articles: Callable[[str], set[str]]) -> None:
        self.page, self.new_articles = page, new_articles
        self.pending: set[Any] = set()
        self.document, self.html, self.found = 0.0, "", set[str]()

    async def grown(self, *, tries: int = 3) -> str:
        """The HTML after the last scroll or click that brought new article links, and before it if
        links are gone since, within the bounds of ``LIMITS`` and up to ``tries`` without any. The
        page stays where it is: navigations are refused before they reach a server. Raises
        Playwright's Error for a page that cannot be read."""
        from playwright.async_api import Error

        misses = 0
        self.document, self.html = await self._do("read")
        self.found = self.new_articles(self.html)
        await self.page.route("**", self._refuse_navigation)
        self.page.on("request", lambda request: self.pending.add(request))
        for ended in ("requestfinished", "requestfailed"):
            self.page.on(ended, lambda request: self.pending.discard(request))
        with suppress(Error, TimeoutError):
            async with asyncio.timeout(LIMITS.scroll_seconds):
                for _ in range(LIMITS.scrolls):
                    gained = await self._gains("scroll") or await self._gains("click")
                    misses = 0 if gained else misses + 1
                    if gained is None or misses == tries:
                        break
        return self.html

    async def _gains(self, what: str, *, patience: float = 20.0) -> bool | None:
        """Whether a step brings new article links; None where there is nothing to do, or the page
        is another or too long. Raises TimeoutError if it hangs."""
        async with asyncio.timeout(patience):
            before = await self._do("links")
            if not await self._do(what):
                return None
            await self._rest(before)
            document, html = await self._do("read")
        if document != self.document or len(html) > LIMITS.scroll_chars:
            return None
        shown = self.new_articles(html)
        if new := shown - self.found:
            # a list that shows one part at a time has removed the rows before: they are kept behind
            # the new ones
            self.html = html if self.found <= shown else (html + self.html)[: LIMITS.scroll_chars]
            self.found |= shown
        return bool(new)

    async def _rest(self, links: str, *, tenths: int = 50) -> None:
        """Wait until no request is open and the links have changed, or a second passed; ``tenths``
        of a second at most."""
        for tenth in range(tenths):
            await asyncio.sleep(0.1)
            changed = await self._do("links") != links
            if not self.pending and (changed or tenth >= 9):
                return

    async def _do(self, what: str) -> Any:
        return await self.page.evaluate(SCRIPT, what)

    async def _refuse_navigation(self, route: Any) -> None:
        request = route.request
        if request.is_navigation_request() and request.frame == self.page.main_frame:
            await route.abort("aborted")  # the page stays as it is
        else:
            await route.fallback()
