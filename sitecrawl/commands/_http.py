"""The one HTTP client of the commands. It follows the rules of a crawl: robots.txt, http(s) only, and no private address unless the user named it."""

from __future__ import annotations

import gzip
import socket
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from io import BytesIO
from pathlib import Path
from threading import Timer
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
    UnknownHandler,
    getproxies,
)

from sitecrawl.crawl.permissions import Permissions, parsed
from sitecrawl.errors import SitecrawlError
from sitecrawl.limits import LIMITS
from sitecrawl.settings import USER_AGENT

if TYPE_CHECKING:
    from protego import Protego

_RULES: dict[str, Protego] = {}
"""robots.txt of each origin (scheme, host and port) that was asked, for as long as the command runs."""


class ForbiddenPageError(OSError):
    """A page that must not be fetched; the message says why."""


class SourceError(SitecrawlError):
    """A page or file that a command was given cannot be read."""


def is_web(source: str) -> bool:
    """Whether a source is an http(s) URL; any other is the name of a file."""
    return urlsplit(source).scheme in ("http", "https")


def read_source(source: str, *, typed: bool = True) -> bytes:
    """Bytes of a URL or, where the user ``typed`` it, of a file; gzipped ones are unpacked. At most ``LIMITS.body_bytes``.

    robots.txt is obeyed; a private address is reached only through a host that the user typed. Raises SourceError, in one line.
    """
    try:
        if is_web(source) or not typed:
            body = HttpClient(source if typed else "").get(source)
        else:
            with open(Path(source), "rb") as file:
                body = file.read(LIMITS.body_bytes)
        if body[:2] == b"\x1f\x8b":
            with gzip.open(BytesIO(body)) as unpacked:
                return unpacked.read(LIMITS.body_bytes)
        return body
    except (OSError, EOFError, HTTPException, ValueError, zlib.error) as error:
        reason = getattr(error, "reason", None)
        why = reason if isinstance(error, URLError) and not isinstance(error, HTTPError) and reason else error
        raise SourceError(f"cannot read {source}: {why}") from error


class HttpClient:
    """Sends requests on behalf of a user who named the URL ``typed``: its host and port may be private, no other may.

    ``timeout`` is seconds without a byte, ``total`` seconds from the first byte to the last (a server may drip). All methods raise
    OSError (``ForbiddenPageError`` is one) or HTTPException.
    """

    def __init__(self, typed: str = "", *, timeout: float = 30.0, total: float = 90.0) -> None:
        self.permissions = Permissions.of([typed])
        self.timeout, self.total = timeout, total
        self.reachable = self.permissions  # a proxy may be connected to, but no page may lead to it
        for proxy in getproxies().values():
            self.reachable = self.reachable.plus(proxy)
        self.opened: list[socket.socket] = []

    def get(self, url: str) -> bytes:
        """The body of a page that robots.txt allows, at most ``LIMITS.body_bytes``."""
        self.refuse_forbidden(url)
        return self._send(Request(url), LIMITS.body_bytes, self.refuse_forbidden)

    def post_json(self, url: str, body: bytes) -> None:
        """Send JSON to a URL. robots.txt is for robots that read pages, so it is not asked."""
        self.refuse_private(url)
        self._send(Request(url, body, {"Content-Type": "application/json"}), 1, self.refuse_private)

    def refuse_private(self, url: str) -> None:
        """Raise ForbiddenPageError for a private host that the user did not name, and for any scheme but http(s)."""
        if why := self.permissions.refusal(url):
            raise ForbiddenPageError(f"refused: {why} address that was not asked for ({url[:80]})")

    def refuse_forbidden(self, url: str) -> None:
        """Raise ForbiddenPageError for a URL that is private, or that robots.txt forbids or cannot be asked about."""
        self.refuse_private(url)
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        if origin not in _RULES:
            _RULES[origin] = self._rules(f"{origin}/robots.txt")
        if not _RULES[origin].can_fetch(url, USER_AGENT):
            raise ForbiddenPageError(f"forbidden by robots.txt ({url[:80]})")

    def _rules(self, url: str) -> Protego:
        try:
            return parsed(self._send(Request(url), LIMITS.robots_bytes + 1, self.refuse_private))
        except HTTPError as error:
            return parsed(b"", error.code)
        except ForbiddenPageError:  # it redirects to where nobody may go: there is no robots.txt
            return parsed(b"")
        except (OSError, HTTPException) as error:
            raise ForbiddenPageError(f"robots.txt cannot be reached ({getattr(error, 'reason', error)})") from error

    def _send(self, asked: Request, limit: int, check: Callable[[str], None]) -> bytes:
        """The first ``limit`` bytes of the answer; every redirect goes through ``check``. Proxies of the environment are honoured."""
        asked.add_header("User-Agent", USER_AGENT)
        opener, began = OpenerDirector(), monotonic()
        errors = (HTTPErrorProcessor(), HTTPDefaultErrorHandler(), UnknownHandler())
        for handler in (ProxyHandler(getproxies()), _Connections(self), _Redirects(check), *errors):
            opener.add_handler(handler)
        try:
            with self._cut_off(), opener.open(asked, timeout=self.timeout) as answer:
                body: bytes = answer.read(limit)
        finally:  # a connection that was cut off may end in an error or in an answer that looks whole
            if monotonic() - began >= self.total:
                raise TimeoutError(f"not answered within {self.total:.0f} seconds")
        return body

    @contextmanager
    def _cut_off(self) -> Iterator[None]:
        """End the connections that are made inside after ``total`` seconds: a socket's own timeout begins anew with each byte."""
        opened = self.opened = []

        def cut() -> None:
            for connection in opened:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

        timer = Timer(self.total, cut)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            for connection in opened:
                connection.close()

    def connect(self, address: tuple[str, int], timeout: float, source: Any = None) -> socket.socket:
        """A connection to the first permitted IP address of a host: the one that was checked is the one that is used."""
        host, port = address
        found = {str(entry[4][0]) for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)}
        permitted = sorted(self.reachable.allowed(host, port, found), key=lambda each: (":" in each, each))
        if not permitted:
            raise ForbiddenPageError(f"refused: {host} has a private address that was not asked for")
        connection = socket.create_connection((permitted[0], port), timeout, source)
        self.opened.append(connection.dup())
        return connection


class _Connections(HTTPSHandler):
    """Opens http and https by connections of the client."""

    def __init__(self, client: HttpClient) -> None:
        super().__init__()
        self.client = client

    def http_open(self, req: Request) -> HTTPResponse:
        return self.do_open(partial(self._connection, HTTPConnection), req)

    def https_open(self, req: Request) -> HTTPResponse:
        return self.do_open(partial(self._connection, HTTPSConnection), req)

    http_request = HTTPSHandler.https_request

    def _connection(self, kind: type[HTTPConnection], host: str, **options: Any) -> HTTPConnection:
        connection = kind(host, **options)
        connection._create_connection = self.client.connect  # type: ignore[attr-defined]
        return connection


class _Redirects(HTTPRedirectHandler):
    max_redirections = 8

    def __init__(self, check: Callable[[str], None]) -> None:
        self.check = check

    def redirect_request(self, req: Request, *rest: Any) -> Request | None:
        self.check(rest[-1])
        return super().redirect_request(req, *rest)
