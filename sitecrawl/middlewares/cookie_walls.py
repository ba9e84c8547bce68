"""Hosts that send every request back to its page until it has the cookies that they set on the
way."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

from scrapy.http import Request, Response
from scrapy.http.cookies import CookieJar

from sitecrawl.crawl.linked_pages import origin_of
from sitecrawl.limits import LIMITS

_CHAIN = "sitecrawl_cookie_chain"  # key in `meta` of the cookies of a request's redirects
_REDIRECTS = (301, 302, 303, 307, 308)


class _Chain:
    """The cookies that the redirects of one request set, each for its own origin (scheme, host and
    port)."""

    def __init__(self) -> None:
        self.jars: dict[str, CookieJar] = {}
        self.is_sent = False
        """Whether the request that is being answered has cookies of this chain."""

    def keep(self, request: Request, response: Response) -> None:
        """Keep the cookies of an answer, as many as a request may have; a later one counts more."""
        jar = self.jars.setdefault(origin_of(request.url), CookieJar())
        jar.extract_cookies(response, request)
        room = LIMITS.cookie_bytes
        for cookie in reversed(list(jar)):
            size = len(f"{cookie.name}={cookie.value}; ".encode())
            if size <= room:
                room -= size
            else:
                jar.clear(cookie.domain, cookie.path, cookie.name)

    def put_on(self, request: Request) -> None:
        """Add the cookies of a request's own origin, unless it has cookies that the user gave."""
        jar = self.jars.get(origin_of(request.url))
        if jar is not None and "Cookie" not in request.headers:
            jar.add_cookie_header(request)
            self.is_sent = "Cookie" in request.headers

    def take_off(self, request: Request) -> None:
        """Remove what :meth:`put_on` added: a redirect or a repeated request would inherit it."""
        if self.is_sent:
            request.headers.pop("Cookie", None)
            self.is_sent = False


class CookieWalls:
    """Downloader middleware: the redirects of one request have the cookies that they set
    themselves, and no others; with its answer the cookies are gone. With cookies of other pages, a
    page would depend on the pages before it, for example in its language."""

    def __init__(self) -> None:
        self.checks: dict[str, bool] = {}
        """By origin: whether its redirects to other pages come back, as a check for cookies does.
        Not where a page was shown without cookies, since a wall stands before every page."""

    def process_request(self, request: Request) -> None:
        chain = request.meta.get(_CHAIN)
        if chain is None:
            return
        before = _pages_before(request)
        is_back = any(_leads_back(url, request.url) for url in before)
        is_choice = not is_back and any(_is_same_page(url, request.url) for url in before)
        is_check = self.checks.get(origin_of(request.url), True) or _names(request.url, before)
        if is_back or (is_check and not is_choice):
            chain.put_on(request)

    def process_response(self, request: Request, response: Response) -> Request | Response:
        """The answer; or its page requested again without cookies, if they may have chosen what it
        shows."""
        chain: _Chain | None = request.meta.get(_CHAIN)
        if response.status in _REDIRECTS and "Location" in response.headers:
            _keep_cookies(request, response, chain=chain)
            return response

        if chain is None:
            # robots.txt is often outside of a wall
            if response.status == 200 and urlsplit(request.url).path != "/robots.txt":
                self._learn(request, is_check=False)
            return response
        del request.meta[_CHAIN]
        if not chain.is_sent:
            return response
        chain.take_off(request)
        if self._came_back(request):
            return response
        return request.replace(dont_filter=True)

    def _came_back(self, request: Request) -> bool:
        """Whether the redirects of a request came back to a page that they left."""
        before = _pages_before(request)
        came_back = any(_leads_back(url, request.url) for url in before)
        by_other_page = not _is_same_page(before[-1], request.url)
        if by_other_page or not came_back:
            self._learn(request, is_check=came_back)
        return came_back

    def _learn(self, request: Request, *, is_check: bool) -> None:
        origin = origin_of(request.url)
        if len(self.checks) >= LIMITS.wall_origins:
            self.checks.clear()
        self.checks[origin] = is_check or self.checks.get(origin, False)


def _keep_cookies(request: Request, response: Response, *, chain: _Chain | None) -> None:
    """Keep the cookies of a redirect for the request to which it leads."""
    if chain is None:
        if "Set-Cookie" not in response.headers:
            return
        chain = _Chain()
        request.meta[_CHAIN] = chain
    chain.take_off(request)
    chain.keep(request, response)


def _pages_before(request: Request) -> list[str]:
    """The URLs whose redirects led to a request."""
    urls: list[str] = request.meta.get("redirect_urls", [])
    return urls


def _is_same_page(url: str, target: str) -> bool:
    """Whether two URLs differ in their parameters at most."""
    return urlsplit(url)[:3] == urlsplit(target)[:3]


def _names(url: str, pages: list[str]) -> bool:
    """Whether a parameter of a URL is the address of one of some pages, as of one to return to.

    >>> _names("http://a.example/check?to=%2Fb%3Fc", ["http://a.example/b?c"]), _names("http://a.example/bb", ["http://a.example/b"])
    (True, False)
    """
    values = {value for _, value in parse_qsl(urlsplit(url).query)}
    paths = [urlsplit(page)._replace(scheme="", netloc="", fragment="").geturl() for page in pages]
    return not values.isdisjoint([*pages, *paths])


def _leads_back(url: str, target: str) -> bool:
    """Whether a redirect leads to the same page, perhaps with one parameter more. One with a
    parameter less may be a choice of the language.

    >>> _leads_back("http://a.example/b", "http://a.example/b?test=1"), _leads_back("http://a.example/b?lang=de", "http://a.example/b")
    (True, False)
    """
    here, there = urlsplit(url), urlsplit(target)
    return _is_same_page(url, target) and {*parse_qsl(here.query)} <= {*parse_qsl(there.query)}
