"""Hosts that send every request back to its page until it has the cookie that they set."""

from __future__ import annotations

from contextlib import suppress
from urllib.parse import parse_qsl, urljoin, urlsplit

from scrapy.http import Request, Response
from scrapy.http.cookies import CookieJar


class CookieWalls:
    """Downloader middleware: sends a host the cookies that it sets on the way back to a page, until
    the end of the crawl, and no others. With all cookies a page would depend on the pages before
    it, for example in its language."""

    def __init__(self) -> None:
        self.jar = CookieJar()

    def process_request(self, request: Request) -> None:
        self.jar.add_cookie_header(request)

    def process_response(self, request: Request, response: Response) -> Response:
        if response.status in (301, 302, 303, 307, 308) and "Set-Cookie" in response.headers:
            with suppress(ValueError):  # of a target that is no URL
                if _leads_back(
                    request.url, (response.headers.get("Location") or b"").decode("latin-1")
                ):
                    self.jar.extract_cookies(response, request)
                    request.headers.pop(
                        "Cookie", None
                    )  # else the way back would have the cookies of this request
        return response


def _leads_back(url: str, target: str) -> bool:
    """Whether a redirect leads to the same page, perhaps with one parameter more. One with a
    parameter less may be a choice of the language.

    >>> _leads_back("http://a.example/b", "http://a.example/b?test=1"), _leads_back("http://a.example/b?lang=de", "http://a.example/b")
    (True, False)
    """
    here, there = urlsplit(url), urlsplit(urljoin(url, target))
    return here[:3] == there[:3] and {*parse_qsl(here.query)} <= {*parse_qsl(there.query)}
