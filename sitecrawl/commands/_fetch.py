"""Fetch one page for a command, from a URL or a file, under the rules of a crawl: robots.txt, http(s) only, no private address unless the user named it."""

from __future__ import annotations

import gzip
import socket
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import lru_cache
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from io import BytesIO
from pathlib import Path
from threading import Timer
from time import monotonic
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

from sitecrawl.crawl.permissions import CURRENT, Permissions
from sitecrawl.crawl.robots_rules import parsed
from sitecrawl.errors import SitecrawlError
from sitecrawl.limits import LIMITS
from sitecrawl.settings import USER_AGENT

TIMEOUT = 30
WHOLE = 90.0
"""Seconds that one answer may take from its first byte to its last, however it drips."""
_TYPED: ContextVar[Permissions] = ContextVar("_TYPED", default=Permissions())  # noqa: B039 (immutable)
"""What the user named: a proxy may be connected to, but no page may lead to it."""


_OPENED: ContextVar[list[socket.socket]] = ContextVar("_OPENED")
"""Connections made for one answer, each by a second handle."""


class RefusedError(OSError):
    """A page that must not be fetched; the message says why."""


class SourceError(SitecrawlError):
    """A page or file that a command was given cannot be read."""


def read_source(source: str, typed: bool = True) -> bytes:
    """Bytes of a URL (http, https) or, where the user ``typed`` it, of a file. Raises SourceError with one line when it cannot be read.

    robots.txt is obeyed for URLs; a private address is reached only through a host that the user typed.
    """
    try:
        web = urlsplit(source).scheme in ("http", "https")
        body = fetch(source, typed) if web or not typed else Path(source).read_bytes()[: LIMITS.body_bytes]
    except (OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "reason", None)
        why = reason if isinstance(error, URLError) and not isinstance(error, HTTPError) and reason else error
        raise SourceError(f"cannot read {source}: {why}") from error
    return _unzip(body)


def _unzip(body: bytes) -> bytes:
    """A gzipped sitemap decompressed, up to ``LIMITS.body_bytes``; any other body unchanged."""
    if body[:2] != b"\x1f\x8b":
        return body
    try:
        with gzip.open(BytesIO(body)) as file:
            return file.read(LIMITS.body_bytes)
    except (OSError, EOFError, zlib.error) as error:
        raise SourceError(f"cannot unzip: {error}") from error


def fetch(url: str, typed: bool) -> bytes:
    """At most ``LIMITS.body_bytes`` bytes of ``url``. ``typed`` says that the user named the URL, so its host may be private.

    Raises OSError (``RefusedError`` is one) or HTTPException when the page cannot be fetched.
    """
    own = Permissions.of([url]) if typed else Permissions()
    tokens = _TYPED.set(own), CURRENT.set(own)
    for proxy in getproxies().values():
        CURRENT.set(CURRENT.get().plus(proxy))
    try:
        return _open(url, _Polite(), LIMITS.body_bytes)
    finally:
        _TYPED.reset(tokens[0])
        CURRENT.reset(tokens[1])


def _open(url: str, redirects: HTTPRedirectHandler, limit: int) -> bytes:
    _check(url)
    if isinstance(redirects, _Polite):
        _ask_robots(url)
    began = monotonic()
    asked = Request(url, headers={"User-Agent": USER_AGENT})
    body: bytes = b""
    try:
        with _cut_off(), _opener(redirects).open(asked, timeout=TIMEOUT) as answer:
            body = answer.read(limit)
    finally:  # a connection that was cut off may end in an error or in an answer that looks whole
        if monotonic() - began >= WHOLE:
            raise TimeoutError(f"not answered within {WHOLE:.0f} seconds")
    return body


def _opener(redirects: HTTPRedirectHandler) -> OpenerDirector:
    """An opener for http and https only; proxies set in the environment are honoured and may be private."""
    opener = OpenerDirector()
    errors = (HTTPErrorProcessor(), HTTPDefaultErrorHandler(), UnknownHandler())
    for handler in (ProxyHandler(getproxies()), _Http(), _Https(), redirects, *errors):
        opener.add_handler(handler)
    return opener


def _check(url: str) -> None:
    why = _TYPED.get().refusal(url)
    if why:
        raise RefusedError(f"refused: {why} address that was not asked for ({url[:80]})")


def _ask_robots(url: str) -> None:
    parts = urlsplit(url)
    if not _rules(f"{parts.scheme}://{parts.netloc}").can_fetch(url, USER_AGENT):
        raise RefusedError(f"forbidden by robots.txt ({url[:80]})")


@lru_cache(maxsize=256)
def _rules(origin: str) -> Protego:
    """The rules of a host, by the parser that a crawl uses. Raises RefusedError when its robots.txt cannot be reached."""
    try:
        return parsed(_open(f"{origin}/robots.txt", _Guarded(), LIMITS.robots_bytes + 1))
    except HTTPError as error:
        return parsed(b"", error.code)
    except RefusedError:
        return parsed(b"")
    except (OSError, HTTPException) as error:
        raise RefusedError(f"robots.txt cannot be reached ({getattr(error, 'reason', error)})") from error


def _connect(address: tuple[str, int], timeout: float, source: Any = None) -> socket.socket:
    """A connection to the first permitted address of a host: the address that was checked is the address that is used."""
    host, port = address
    found = {str(entry[4][0]) for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)}
    public = sorted(CURRENT.get().allowed(host, port, found), key=lambda each: (":" in each, each))
    if not public:
        raise RefusedError(f"refused: {host} has a private address that was not asked for")
    connection = socket.create_connection((public[0], port), timeout, source)
    _OPENED.get().append(connection.dup())
    return connection


@contextmanager
def _cut_off() -> Iterator[None]:
    """End the connections that are made inside after ``WHOLE`` seconds; a timeout counts anew from each byte."""
    opened: list[socket.socket] = []

    def cut() -> None:
        for connection in opened:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    timer, token = Timer(WHOLE, cut), _OPENED.set(opened)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        _OPENED.reset(token)
        for connection in opened:
            connection.close()


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
