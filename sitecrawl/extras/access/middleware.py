"""Cookies, headers, proxies and a login for the hosts that a user named, and for no other; in the
browser too."""

from __future__ import annotations

import asyncio
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.http import Request, Response
from scrapy.http.cookies import CookieJar

from sitecrawl.crawl.config import CrawlArguments
from sitecrawl.extras.access.access_file import Access, read_access, read_cookies, rule_of
from sitecrawl.extras.access.browser_access import BrowserAccess, headers_for
from sitecrawl.extras.access.login import Logins, Session, login_form
from sitecrawl.extras.access.named_origins import NamedOrigins
from sitecrawl.middlewares.page_handler import ACCESS, LOGIN

_SESSION = "sitecrawl_session"  # the number of the login with which a page was requested
_PROXIED = "sitecrawl_own_proxy"  # marks requests whose proxy is that of a rule
# how often a page was requested again because its answer was the login form
_ROUNDS = "sitecrawl_login_rounds"
# logins for the sake of one page: the login may end again meanwhile, or the page is not for this
# user
_MOST_ROUNDS = 2
_REDIRECTED = ("redirect_urls", "redirect_reasons", "redirect_times")


class SiteAccess:
    """Downloader middleware. Requests to hosts without a rule carry nothing from the rules. Cookies
    go to their own hosts only, and no secret goes to an origin that the user did not name."""

    def __init__(
        self, crawler: Crawler, *, rules: list[Access], jar: CookieJar, origins: NamedOrigins
    ) -> None:
        self.rules = rules
        self.jar = jar
        self.origins = origins
        self.logins = Logins(crawler, rules, origins=origins)
        self.secret = {name for rule in rules for name in rule.headers} - {"User-Agent"}
        # hosts whose pages show the login form to members as well, as in their headers
        self.shown = set[str]()
        crawler.signals.connect(self.keep_cookies, signals.response_downloaded)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> SiteAccess:
        """Raises AccessError if the rules or cookies cannot be read, because a crawl without them
        would read other pages."""
        file = crawler.settings.get("SITECRAWL_ACCESS")
        asked = getattr(crawler.spider, "arguments", None)
        cookies = asked.cookies if asked else ""
        if not file and not cookies:
            raise NotConfigured
        jar = CookieJar()
        rules = read_access(Path(file)) if file else []
        for name in (cookies, *(rule.cookies for rule in rules)):
            if name:
                read_cookies(Path(name), jar.jar)
        origins = NamedOrigins(rules, _typed(crawler.spider))
        ACCESS[crawler] = BrowserAccess(rules, jar, origins=origins)
        return cls(crawler, rules=rules, jar=jar, origins=origins)

    async def process_request(self, request: Request) -> None:
        """Raises IgnoreRequest if the login failed, because a crawl without them would read other
        pages."""
        self._clear(request)
        self.logins.refuse_sent_on(request)
        rule = rule_of(self.rules, request.url)
        is_named = self.origins.are_named(request.url)
        if rule and is_named and _needs_login(request, rule):
            await self._logged_in(request, rule)
        if request.meta.get("playwright"):
            return  # the browser asks for what belongs to each of its requests
        if rule:
            request.headers.update(headers_for(request.url, self.rules, origins=self.origins))
            if proxy := next(rule.turns):
                request.meta["proxy"] = proxy
                request.meta[_PROXIED] = True
        if is_named:
            self.jar.add_cookie_header(request)
        if rule or "Cookie" in request.headers:
            request.meta["dont_cache"] = True  # Scrapy's cache would store the headers on disk

    def _clear(self, request: Request) -> None:
        """Remove what belongs to the host that led to a request by a redirect."""
        for name in self.secret:
            request.headers.pop(name, None)
        request.headers.pop("Cookie", None)
        if request.meta.pop(_PROXIED, False):
            request.meta.pop("proxy", None)

    async def _logged_in(self, request: Request, rule: Access) -> None:
        session = self.logins.sessions.get(rule.host) or self.logins.begin(rule, number=1)
        await asyncio.shield(session.done)
        request.meta[_SESSION] = session.number

    def keep_cookies(self, request: Request, response: Response) -> None:
        """Called for every answer, also for one that redirects."""
        target = (response.headers.get("Location") or b"").decode("latin-1")
        if target and 300 <= response.status < 400:
            self.origins.moved(request.url, urljoin(request.url, target))
        is_ours = rule_of(self.rules, request.url) or request.headers.get("Cookie")
        if is_ours and self.origins.are_named(request.url):
            self.jar.extract_cookies(response, request)

    def process_response(self, request: Request, response: Response) -> Request | Response:
        """The answer; or its page requested again after another login, if the site has forgotten
        the login. Raises IgnoreRequest if that is no use."""
        rule = rule_of(self.rules, request.url)
        is_member = _SESSION in request.meta and not request.meta.get(LOGIN)
        if rule is None or rule.host not in self.logins.forms or not is_member:
            return response
        session = self.logins.sessions[rule.host]
        number = request.meta[_SESSION]
        is_latest = number == session.number
        if response.status != 401 and not self._asks_for_login(response, rule):
            if is_latest:
                session.pages += 1
            return response
        if _is_no_use(request, session):
            return self._given_up(response, rule)
        if is_latest:
            self.logins.begin(rule, number=number + 1)
        return _again(request)

    def _asks_for_login(self, response: Response, rule: Access) -> bool:
        """Whether a page is the login form of its host."""
        form = login_form(response)
        asked_for = self.logins.forms[rule.host]
        if form is None or form[:2] != asked_for[:2]:
            return False
        return rule.host not in self.shown or form == asked_for

    def _given_up(self, response: Response, rule: Access) -> Response:
        """A page that shows the login form to members, too. Raises IgnoreRequest for one that asks
        for a login after each login."""
        if response.status == 401 or login_form(response) == self.logins.forms[rule.host]:
            raise IgnoreRequest(f"the login does not last ({rule.login['page']})")
        self.shown.add(rule.host)
        return response


def _typed(spider: Spider | None) -> tuple[str, ...]:
    """The start URLs that a user typed."""
    arguments = getattr(spider, "arguments", None)
    if isinstance(arguments, CrawlArguments):
        return arguments.start
    return tuple(getattr(spider, "start_urls", ()))


def _needs_login(request: Request, rule: Access) -> bool:
    is_robots = urlsplit(request.url).path == "/robots.txt"
    return bool(rule.login) and not request.meta.get(LOGIN) and not is_robots


def _is_no_use(request: Request, session: Session) -> bool:
    """Whether another login would not bring a page either. Each login needs more pages than the one
    before it, else pages that are not for this user cause logins without end."""
    number: int = request.meta[_SESSION]
    brings_less = number == session.number and session.pages < number
    rounds: int = request.meta.get(_ROUNDS, 0)
    return brings_less or rounds == _MOST_ROUNDS


def _again(request: Request) -> Request:
    """The request for the page that was asked for first, before redirects."""
    asked = request.meta.get("redirect_urls", [request.url])[0]
    meta = {name: value for name, value in request.meta.items() if name not in _REDIRECTED}
    meta[_ROUNDS] = request.meta.get(_ROUNDS, 0) + 1
    return request.replace(url=asked, meta=meta, dont_filter=True)
