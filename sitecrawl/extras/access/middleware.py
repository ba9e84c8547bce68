"""Cookies, headers, proxies and a login for the hosts that a user named, and for no other; in the
browser too."""

from __future__ import annotations

import asyncio
import warnings
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest, NotConfigured, ScrapyDeprecationWarning
from scrapy.http import FormRequest, HtmlResponse, Request, Response
from scrapy.http.cookies import CookieJar

from sitecrawl.extras.access.access_file import Access, read_access, read_cookies, rule_of
from sitecrawl.middlewares.page_handler import ACCESS


class BrowserAccess:
    """Adds to each request of a page what belongs to its host. ``jar`` is shared with requests
    outside the browser."""

    def __init__(self, rules: list[Access], jar: CookieJar) -> None:
        self.rules, self.jar = rules, jar
        self.known: list[dict[str, Any]] = []
        """The cookies that the browser was given. What its pages make of them stays in the
        browser."""

    def proxy_of(self, host: str) -> str:
        """The next proxy of a host; empty if it has none."""
        rule = rule_of(self.rules, f"//{host}")
        return next(rule.turns) if rule else ""

    async def prepare(self, page: Any) -> None:
        """Called before Playwright opens a page: sets its cookies; and its headers through a
        DevTools session, which also sees redirects. Playwright's own interception would send the
        headers to any redirect target."""
        from playwright.async_api import Error

        for cookie in self.jar.jar:  # it calls a host without a dot ``localhost.local``
            domain = (
                cookie.domain.removesuffix(".local")
                if cookie.domain.count(".") == 1
                else cookie.domain
            )
            given: dict[str, Any] = {
                "name": cookie.name,
                "value": cookie.value or "",
                "domain": domain,
            }
            given |= {"path": cookie.path, "secure": cookie.secure, "expires": cookie.expires or -1}
            if given not in self.known:
                self.known.append(given)
                with suppress(
                    Error
                ):  # expired, or one that Chromium does not take, as a __Host- cookie with a domain
                    await page.context.add_cookies([given])
        session = await page.context.new_cdp_session(page)
        session.on(
            "Fetch.requestPaused",
            lambda event: asyncio.ensure_future(self._send_on(session, event)),
        )
        await session.send("Fetch.enable", {"patterns": [{"urlPattern": "http*"}]})

    async def _send_on(self, session: Any, event: dict[str, Any]) -> None:
        from playwright.async_api import Error

        asked, answer = event["request"], {"requestId": event["requestId"]}
        if rule := rule_of(self.rules, asked["url"]):
            names = {name.casefold() for name in rule.headers}
            kept = {
                name: value
                for name, value in asked["headers"].items()
                if name.casefold() not in names
            }
            answer["headers"] = [
                {"name": name, "value": value} for name, value in (kept | rule.headers).items()
            ]
        with suppress(Error):  # the page was closed meanwhile
            await session.send("Fetch.continueRequest", answer)


_LOGIN = "sitecrawl_login"  # marks the requests of a login, which wait for none, with its host
_SESSION = "sitecrawl_session"  # the number of the login with which a page was requested
# how often a page was requested again because its answer was the login form
_ROUNDS = "sitecrawl_login_rounds"
# logins for the sake of one page: the login may end again meanwhile, or the page is not for this
# user
_MOST_ROUNDS = 2
_REDIRECTED = ("redirect_urls", "redirect_reasons", "redirect_times")
_PASSWORD = "//form//input[translate(@type, 'PASWORD', 'pasword') = 'password']"
_USER = "preceding::input[not(@type) or @type = 'text' or @type = 'email'][1]/@name"


class _Form(NamedTuple):
    """The names of ``user`` and ``password`` in the login form of a page, and the title of the
    page."""

    user: str | None
    password: str
    title: str | None


def _login_form(response: Response) -> _Form | None:
    field = response.xpath(_PASSWORD) if isinstance(response, HtmlResponse) else []
    title = response.xpath("//title/text()").get()
    return (
        _Form(field[0].xpath(_USER).get(), field[0].attrib.get("name", ""), title)
        if field
        else None
    )


@dataclass(slots=True)
class _Session:
    """The login of this ``number`` at a host, and how many ``pages`` came with it."""

    number: int
    done: asyncio.Future[None]
    pages: int = 0


class SiteAccess:
    """Downloader middleware. Requests to hosts without a rule carry nothing from the rules; cookies
    go to their own hosts only."""

    def __init__(self, crawler: Crawler, *, rules: list[Access], jar: CookieJar) -> None:
        self.crawler, self.rules, self.jar = crawler, rules, jar
        self.secret = {name for rule in rules for name in rule.headers} - {"User-Agent"}
        self.sessions: dict[str, _Session] = {}
        self.forms: dict[str, _Form] = {}  # the login form of each host
        self.shown = set[
            str
        ]()  # hosts whose pages show that form to members as well, as in their headers
        crawler.signals.connect(self.keep_cookies, signals.response_downloaded)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> SiteAccess:
        """Raises AccessError if the rules or cookies cannot be read, because a crawl without them
        would read other pages."""
        file, cookies = (
            crawler.settings.get(f"SITECRAWL_{name}") for name in ("ACCESS", "COOKIES")
        )
        if not file and not cookies:
            raise NotConfigured
        jar, rules = CookieJar(), read_access(Path(file)) if file else []
        for name in filter(None, [cookies, *(rule.cookies for rule in rules)]):
            read_cookies(Path(name), jar.jar)
        ACCESS[crawler] = BrowserAccess(rules, jar)
        return cls(crawler, rules=rules, jar=jar)

    async def process_request(self, request: Request) -> None:
        """Raises IgnoreRequest if the login failed, because a crawl without them would read other
        pages."""
        rule = rule_of(self.rules, request.url)
        host = rule.host if rule else ""
        for name in self.secret:
            request.headers.pop(name, None)
        if (
            rule
            and rule.login
            and not request.meta.get(_LOGIN)
            and urlsplit(request.url).path != "/robots.txt"
        ):
            session = self.sessions.get(rule.host) or self._begin(rule, number=1)
            await asyncio.shield(session.done)
            request.meta[_SESSION] = session.number
        elif request.meta.get(_LOGIN, host) != host and request.body:
            raise IgnoreRequest("the login is sent on to another host")
        request.headers.pop("Cookie", None)
        if request.meta.get("playwright"):
            return  # the browser asks for what belongs to each of its requests
        if rule:
            request.headers.update(rule.headers)
            if proxy := next(rule.turns):
                request.meta["proxy"] = proxy
        self.jar.add_cookie_header(request)

    def keep_cookies(self, request: Request, response: Response) -> None:
        """Called for every answer, also for one that redirects."""
        if rule_of(self.rules, request.url) or request.headers.get("Cookie"):
            self.jar.extract_cookies(response, request)

    def process_response(self, request: Request, response: Response) -> Request | Response:
        """The answer; or its page requested again after another login, if the site has forgotten
        the login. Raises IgnoreRequest if that is no use."""
        rule = rule_of(self.rules, request.url)
        if (
            rule is None
            or rule.host not in self.forms
            or request.meta.get(_LOGIN)
            or _SESSION not in request.meta
        ):
            return response
        session, number, rounds = (
            self.sessions[rule.host],
            request.meta[_SESSION],
            request.meta.get(_ROUNDS, 0),
        )
        form, asked_for = _login_form(response), self.forms[rule.host]
        is_other = (
            form is None
            or form[:2] != asked_for[:2]
            or (rule.host in self.shown and form != asked_for)
        )
        if is_other and response.status != 401:
            session.pages += number == session.number
            return response
        # each login needs more pages than the one before it, else pages that are not for this user
        # cause logins without end
        if rounds == _MOST_ROUNDS or (number == session.number and session.pages < number):
            if response.status == 401 or form == asked_for:
                raise IgnoreRequest(f"the login does not last ({rule.login['page']})")
            self.shown.add(rule.host)
            return response
        if number == session.number:
            self._begin(rule, number=number + 1)
        asked = request.meta.get("redirect_urls", [request.url])[0]
        meta = {name: value for name, value in request.meta.items() if name not in _REDIRECTED}
        return request.replace(url=asked, meta=meta | {_ROUNDS: rounds + 1}, dont_filter=True)

    def _begin(self, rule: Access, *, number: int) -> _Session:
        self.sessions[rule.host] = session = _Session(
            number, asyncio.ensure_future(self._log_in(rule))
        )
        return session

    async def _log_in(self, rule: Access) -> None:
        """Submit the form of the login page. Raises IgnoreRequest if there is none, or if it is
        returned again."""
        page = rule.login["page"]
        form = await self._fetch(Request(page), rule)
        fields = _login_form(form)
        if fields is None or not fields.user or not isinstance(form, HtmlResponse):
            raise IgnoreRequest(f"no login form at {page}")
        self.forms[rule.host] = fields
        given = {fields.user: rule.login["user"], fields.password: rule.login["password"]}
        with (
            warnings.catch_warnings()
        ):  # Scrapy names a package of its own for this from 2.19 on; older ones have none
            warnings.simplefilter("ignore", ScrapyDeprecationWarning)
            sent = FormRequest.from_response(
                form, formxpath="//form[.//input[@type='password']]", formdata=given
            )
        if (
            urlsplit(sent.url)[:2] != urlsplit(form.url)[:2]
            or rule_of(self.rules, sent.url) is not rule
        ):
            raise IgnoreRequest(f"the login form of {page} is sent to another host")
        answer = await self._fetch(sent, rule)
        if answer.status >= 400 or _login_form(answer):
            raise IgnoreRequest(f"the login at {page} failed")

    async def _fetch(self, request: Request, rule: Access) -> Response:
        assert self.crawler.engine is not None
        marked: dict[str, Any] = {_LOGIN: rule.host, "dont_obey_robotstxt": True}
        return await self.crawler.engine.download_async(
            request.replace(meta=request.meta | marked, dont_filter=True)
        )
