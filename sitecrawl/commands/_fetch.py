"""Fetch one page for a command, from a URL or a file, under the rules of a crawl: robots.txt, http(s) only, no private address unless the user named it."""

from __future__ import annotations

import gzip
import socket
import zlib
from functools import lru_cache
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
    UnknownHandler,
    getproxies,
)

from protego import Protego
from scrapy.exceptions import UsageError

from sitecrawl.crawl.permissions import CURRENT, Permissions
from sitecrawl.limits import LIMITS
from sitecrawl.settings import USER_AGENT

TIMEOUT = 30
_ROBOTS_BYTES = 500_000
"""Bytes of a robots.txt that are read (RFC 9309, section 2.5)."""


class RefusedError(OSError):
    """A page that must not be fetched; the message says why."""


def read_source(source: str, typed: bool = True) -> bytes:
    """Bytes of a URL (http, https) or, where the user ``typed`` it, of a file. Raises UsageError with one line when it cannot be read.

    robots.txt is obeyed for URLs; a private address is reached only through a host that the user typed.
    """
    try:
        web = urlsplit(source).scheme in ("http", "https")
        body = fetch(source, typed) if web or not typed else Path(source).read_bytes()[: LIMITS.body_bytes]
    except (OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "reason", None)
        why = reason if isinstance(error, URLError) and not isinstance(error, HTTPError) and reason else error
        raise UsageError(f"cannot read {source}: {why}", print_help=False) from error
    return _unzip(body)


def _unzip(body: bytes) -> bytes:
    """A gzipped sitemap decompressed, up to ``LIMITS.body_bytes``; any other body unchanged."""
    if body[:2] != b"\x1f\x8b":
        return body
    try:
        with gzip.open(BytesIO(body)) as file:
            return file.read(LIMITS.body_bytes)
    except (OSError, EOFError, zlib.error) as error:
        raise UsageError(f"cannot unzip: {error}", print_help=False) from error


def fetch(url: str, typed: bool) -> bytes:
    """At most ``LIMITS.body_bytes`` bytes of ``url``. ``typed`` says that the user named the URL, so its host may be private.

    Raises OSError (``RefusedError`` is one) or HTTPException when the page cannot be fetched.
    """
    own = Permissions.of([url]) if typed else Permissions()
    for proxy in getproxies().values():
        own = own.plus(proxy)
    token = CURRENT.set(own)
    try:
        return _open(url, _Polite(), LIMITS.body_bytes)
    finally:
        CURRENT.reset(token)


def _open(url: str, redirects: HTTPRedirectHandler, limit: int) -> bytes:
    _check(url)
    if isinstance(redirects, _Polite):
        _ask_robots(url)
    with _opener(redirects).open(Request(url, headers={"User-Agent": USER_AGENT}), timeout=TIMEOUT) as answer:
        body: bytes = answer.read(limit)
    return body


def _opener(redirects: HTTPRedirectHandler) -> OpenerDirector:
    """An opener for http and https only; proxies set in the environment are honoured and may be private."""
    opener = OpenerDirector()
    errors = (HTTPErrorProcessor(), HTTPDefaultErrorHandler(), UnknownHandler())
    for handler in (ProxyHandler(getproxies()), _Http(), _Https(), redirects, *errors):
        opener.add_handler(handler)
    return opener


def _check(url: str) -> None:
    why = CURRENT.get().refusal(url)
    if why:
        raise RefusedError(f"refused: {why} address that was not asked for ({url[:80]})")


def _ask_robots(url: str) -> None:
    parts = urlsplit(url)
    if not _rules(f"{parts.scheme}://{parts.netloc}").can_fetch(url, USER_AGENT):
        raise RefusedError(f"forbidden by robots.txt ({url[:80]})")


@lru_cache(maxsize=256)
def _rules(origin: str) -> Protego:
    """The robots.txt rules of a host, read by the parser that a crawl uses. Without a robots.txt everything is allowed; where it asks
    for a login, nothing is (RFC 9309 would allow it)."""
    try:
        text = _open(f"{origin}/robots.txt", _Guarded(), _ROBOTS_BYTES).decode("utf-8", "replace")
    except HTTPError as error:
        text = "User-agent: *\nDisallow: /" if error.code in (401, 403) else ""
    except (OSError, HTTPException):
        text = ""
    return Protego.parse(text)


def _connect(address: tuple[str, int], timeout: float, source: Any = None) -> socket.socket:
    """A connection to the first permitted address of a host: the address that was checked is the address that is used."""
    host, port = address
    found = {str(entry[4][0]) for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)}
    public = sorted(
        (each for each in found if CURRENT.get().may_connect(host, port, each)), key=lambda each: (":" in each, each)
    )
    if not public:
        raise RefusedError(f"refused: {host} has a private address that was not asked for")
    return socket.create_connection((public[0], port), timeout, source)


class _Connection(HTTPConnection):
    def __init__(self, host: str, **options: Any) -> None:
        super().__init__(host, **options)
        self._create_connection = _connect


class _SafeConnection(HTTPSConnection):
    def __init__(self, host: str, **options: Any) -> None:
        super().__init__(host, **options)
        self._create_connection = _connect


class _Http(HTTPHandler):
    def http_open(self, req: Request) -> HTTPResponse:
        return self.do_open(_Connection, req)


class _Https(HTTPSHandler):
    def https_open(self, req: Request) -> HTTPResponse:
        return self.do_open(_SafeConnection, req)


class _Guarded(HTTPRedirectHandler):
    """Follows redirects to permitted hosts only."""

    max_redirections = 8

    def redirect_request(self, req: Request, *rest: Any) -> Request | None:
        _check(rest[-1])
        return super().redirect_request(req, *rest)


class _Polite(_Guarded):
    """Follows redirects only to pages that robots.txt allows as well."""

    def redirect_request(self, req: Request, *rest: Any) -> Request | None:
        _check(rest[-1])
        _ask_robots(rest[-1])
        return super().redirect_request(req, *rest)
