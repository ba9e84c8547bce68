"""Cookies, headers and proxies in the browser: each goes to the addresses for which the user gave
it."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from http.cookiejar import Cookie
from typing import Any
from urllib.parse import urlsplit

from scrapy.http.cookies import CookieJar

from sitecrawl.extras.access.access_file import Access, rule_of
from sitecrawl.extras.access.named_origins import NamedOrigins


class BrowserAccess:
    """Adds to each request of a page what belongs to its address. ``jar`` is shared with requests
    outside the browser."""

    def __init__(self, rules: list[Access], jar: CookieJar, *, origins: NamedOrigins) -> None:
        self.rules = rules
        self.jar = jar
        self.origins = origins
        self.hosts = _hosts_of(jar)
        """Hosts of the cookies that the user gave in files."""
        self.known: list[dict[str, Any]] = []
        """The cookies that the browser was given. What its pages make of them stays in the
        browser."""

    def proxy_of(self, host: str) -> str:
        """The next proxy of a host; empty if it has none."""
        rule = rule_of(self.rules, f"//{host}")
        return next(rule.turns) if rule else ""

    def verifies(self, host: str) -> bool:
        """Whether a host must prove by its certificate who it is, because it gets secrets."""
        rule = rule_of(self.rules, f"//[{host}]" if ":" in host else f"//{host}")
        if rule is not None:
            return rule.verify
        return _is_within(host, self.hosts)

    async def prepare(self, page: Any) -> None:
        """Called before Playwright opens a page: sets its cookies; and its headers through a
        DevTools session, which also sees redirects. Playwright's own interception would send the
        headers to any redirect target."""
        from playwright.async_api import Error

        for cookie in self.jar.jar:
            given = self._for_browser(cookie)
            if given not in self.known:
                self.known.append(given)
                # it may have expired, or Chromium does not take it: a __Host- cookie with a domain
                with suppress(Error):
                    await page.context.add_cookies([given])
        session = await page.context.new_cdp_session(page)
        session.on(
            "Fetch.requestPaused",
            lambda event: asyncio.ensure_future(self._send_on(session, event)),
        )
        await session.send("Fetch.enable", {"patterns": [{"urlPattern": "http*"}]})

    def _for_browser(self, cookie: Cookie) -> dict[str, Any]:
        """A cookie as Playwright takes it, for http only if the user named that."""
        domain = _host_of(cookie)
        is_bound = not self.origins.names_http(domain.removeprefix("."))
        return {
            "name": cookie.name,
            "value": cookie.value or "",
            "domain": domain,
            "path": cookie.path,
            "secure": cookie.secure or is_bound,
            "expires": cookie.expires or -1,
        }

    def _is_foreign_port(self, url: str) -> bool:
        """Whether a host has cookies of the user that are not for this scheme and port of it."""
        if self.origins.are_named(url):
            return False
        host = urlsplit(url).hostname or ""
        return _is_within(host, _hosts_of(self.jar))

    async def _send_on(self, session: Any, event: dict[str, Any]) -> None:
        from playwright.async_api import Error

        asked = event["request"]
        answer: dict[str, Any] = {"requestId": event["requestId"]}
        ours = headers_for(asked["url"], self.rules, origins=self.origins)
        if self._is_foreign_port(asked["url"]):
            ours["Cookie"] = ""  # in place of the cookies that the browser has for the host
        if ours:
            names = {name.casefold() for name in ours}
            theirs = asked["headers"].items()
            kept = {name: value for name, value in theirs if name.casefold() not in names}
            pairs = (kept | ours).items()
            answer["headers"] = [{"name": name, "value": value} for name, value in pairs]
        with suppress(Error):  # the page was closed meanwhile
            await session.send("Fetch.continueRequest", answer)


def headers_for(url: str, rules: list[Access], *, origins: NamedOrigins) -> dict[str, str]:
    """The headers of a request: the user agent of its host, and what the user gave for its
    origin."""
    rule = rule_of(rules, url)
    if rule is None:
        return {}
    headers = dict(rule.headers) if origins.are_named(url) else {}
    if rule.user_agent:
        headers["User-Agent"] = rule.user_agent
    return headers


def _hosts_of(jar: CookieJar) -> set[str]:
    """The domains of the cookies of a jar, without a leading dot."""
    return {_host_of(cookie).removeprefix(".") for cookie in jar.jar}


def _is_within(host: str, domains: set[str]) -> bool:
    return any(f".{host}".endswith(f".{domain}") for domain in domains)


def _host_of(cookie: Cookie) -> str:
    """The domain of a cookie; the jar calls a host without a dot ``localhost.local``."""
    is_alone = cookie.domain.count(".") == 1
    return cookie.domain.removesuffix(".local") if is_alone else cookie.domain
