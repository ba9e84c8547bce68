"""Cookies, headers and proxies of an access file for pages that the browser fetches."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from http.cookiejar import Cookie
from typing import Any

from scrapy.http.cookies import CookieJar

from sitecrawl.extras.access.access_file import Access, rule_of


class BrowserAccess:
    """Adds to each request of a page what belongs to its host. ``jar`` is shared with requests outside the browser."""

    def __init__(self, rules: list[Access], jar: CookieJar) -> None:
        self.rules, self.jar = rules, jar
        self.known: list[dict[str, Any]] = []
        """The cookies that the browser was given. What its pages make of them stays in the browser."""

    def proxy_of(self, host: str) -> str:
        """The next proxy of a host; empty if it has none."""
        rule = rule_of(self.rules, f"//{host}")
        return next(rule.turns) if rule else ""

    async def prepare(self, page: Any) -> None:
        """Called before Playwright opens a page: sets its cookies; and its headers through a DevTools session, which also sees redirects.
        Playwright's own interception would send the headers to any redirect target."""
        from playwright.async_api import Error

        for given in map(_for_browser, self.jar.jar):
            if given not in self.known:
                self.known.append(given)
                with suppress(Error):  # expired, or one that Chromium does not take, as a __Host- cookie with a domain
                    await page.context.add_cookies([given])
        session = await page.context.new_cdp_session(page)
        session.on("Fetch.requestPaused", lambda event: asyncio.ensure_future(self._send_on(session, event)))
        await session.send("Fetch.enable", {"patterns": [{"urlPattern": "http*"}]})

    async def _send_on(self, session: Any, event: dict[str, Any]) -> None:
        from playwright.async_api import Error

        asked, answer = event["request"], {"requestId": event["requestId"]}
        if rule := rule_of(self.rules, asked["url"]):
            names = {name.casefold() for name in rule.headers}
            kept = {name: value for name, value in asked["headers"].items() if name.casefold() not in names}
            answer["headers"] = [{"name": name, "value": value} for name, value in (kept | rule.headers).items()]
        with suppress(Error):  # the page was closed meanwhile
            await session.send("Fetch.continueRequest", answer)


def _for_browser(cookie: Cookie) -> dict[str, Any]:
    """A cookie in Playwright's form. The jar calls a host without a dot ``localhost.local``."""
    domain = cookie.domain.removesuffix(".local") if cookie.domain.count(".") == 1 else cookie.domain
    plain = {"name": cookie.name, "value": cookie.value or "", "domain": domain, "path": cookie.path}
    return plain | {"secure": cookie.secure, "expires": cookie.expires or -1}
