"""The one HTTP client of the commands, with the rules of a crawl: robots.txt, http(s) only, and no
private addresses unless the user named them."""

from __future__ import annotations

import gzip
import socket
import ssl
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial, reduce
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection, InvalidURL
from io import BytesIO
from pathlib import Path
from threading import Timer
from time import monotonic
from typing import Any, NamedTuple
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import (
    HTTPCookieProcessor,
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

from protego import Protego

from sitecrawl.crawl.permissions import Permissions, parsed
from sitecrawl.errors import SitecrawlError
from sitecrawl.limits import LIMITS
from sitecrawl.settings import USER_AGENT
from sitecrawl.urls.scope import without_secrets

_RULES: dict[
    str, Protego
] = {}  # robots.txt of each origin (scheme, host and port), kept while the command runs


class ForbiddenPageError(OSError):
    """A page that must not be fetched; the message is the reason, without the URL, which a server
    may have chosen."""


class DeliveryError(OSError):
    """What was posted did not arrive; the message shows no more of the URL than its host."""


class SourceError(SitecrawlError):
    """A page or file named on the command line cannot be read."""


class Source(NamedTuple):
    """The bytes of a page or file, and the URL that answered, which redirects may have changed;
    None for a file."""

    body: bytes
    url: str | None = None


def is_web(source: str) -> bool:
    """Whether a source is an http(s) URL; anything else is a file name."""
    return urlsplit(source).scheme in ("http", "https")


def read_source(source: str, *, named_by: str | None = None) -> Source:
    """A page by its URL or, if no page ``named_by`` the user names it, a file (``-`` is standard
    input), unzipped; at most ``LIMITS.body_bytes``. robots.txt is obeyed; private addresses are
    reached only for hosts that the user typed. Raises SourceError with one line."""
    if is_web(source) and "@" in urlsplit(source).netloc:  # the message must not print it
        raise SourceError(
            "the URL holds a name and a password before the host: they are not taken, leave them out"
        )
    try:
        if is_web(source) or named_by is not None:
            read = HttpClient(source if named_by is None else named_by).get(source)
        elif source == "-":
            read = Source(sys.stdin.buffer.read(LIMITS.body_bytes))
        else:
            with open(Path(source), "rb") as file:
                read = Source(file.read(LIMITS.body_bytes))
        if read.body[:2] == b"\x1f\x8b":
            with gzip.open(BytesIO(read.body)) as unpacked:
                return Source(unpacked.read(LIMITS.body_bytes), read.url)
        return read
    except (OSError, EOFError, HTTPException, ValueError, zlib.error) as error:
        hint = (
            ""
            if is_web(source) or Path(source).parent.exists()
            else " (a URL begins with http:// or https://)"
        )
        raise SourceError(f"cannot read {source}: {_reason(error)}{hint}") from error


def _reason(error: Exception) -> str:
    """Why a page or file could not be read, in words of ours and of the system. What a server sent,
    such as the reason of a status or where a redirect leads, is not repeated: an agent reads this."""
    if isinstance(error, HTTPError):
        return f"HTTP Error {error.code}"
    cause = error.reason if isinstance(error, URLError) else error
    if isinstance(cause, ForbiddenPageError | TimeoutError):
        return str(cause)
    if isinstance(cause, socket.gaierror):
        return "no such host: check the address"
    if isinstance(cause, ssl.SSLError):
        return f"no secure connection: {_tls_reason(cause)}"
    if isinstance(cause, OSError) and cause.errno is not None:
        return cause.strerror or type(cause).__name__
    if isinstance(cause, InvalidURL | ValueError | str):
        return f"not an address that can be asked ({type(error).__name__})"
    return f"damaged data ({type(cause).__name__})"


def _tls_reason(error: ssl.SSLError) -> str:
    """What OpenSSL says of a connection, without the name of the host."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return error.verify_message.partition(",")[0]
    return (error.reason or type(error).__name__).replace("_", " ").casefold()


class HttpClient:
    """Sends requests for a user who named the URL ``typed``: only its host and port may be private.
    ``timeout`` is seconds without data, ``total`` seconds for the whole answer (a server may send a
    byte at a time). All methods raise OSError (such as ``ForbiddenPageError``) or HTTPException."""

    def __init__(self, typed: str = "", *, timeout: float = 30.0, total: float = 90.0) -> None:
        self.permissions = Permissions.of([typed])
        self.timeout, self.total = timeout, total
        # a proxy may be connected to, but no page may lead to it
        self.reachable = reduce(Permissions.plus, getproxies().values(), self.permissions)
        self.opened: list[socket.socket] = []

    def get(self, url: str) -> Source:
        """A page, at most ``LIMITS.body_bytes`` of it; robots.txt is obeyed."""
        self.refuse_forbidden(url)
        return self._send(Request(url), LIMITS.body_bytes, check=self.refuse_forbidden)

    def post_json(self, url: str, body: bytes, **headers: str) -> None:
        """Send JSON to a URL. robots.txt is for robots that read pages, so it is not asked; a
        redirect is refused, since it would lose the body. Raises DeliveryError."""
        if why := self.permissions.refusal(url):
            where = without_secrets(url)
            raise DeliveryError(f"refused: {why} address that was not asked for ({where})")
        try:
            asked = Request(url, body, {"Content-Type": "application/json", **headers})
            self._send(asked, 1, check=_refuse_redirect)
        except (OSError, ValueError, HTTPException) as error:
            raise DeliveryError(_reason(error)) from None

    def refuse_private(self, url: str) -> None:
        """Raise ForbiddenPageError for a private host that the user did not name, and for schemes
        other than http(s)."""
        if why := self.permissions.refusal(url):
            raise ForbiddenPageError(f"refused: {why} address that was not asked for")

    def refuse_forbidden(self, url: str) -> None:
        """Raise ForbiddenPageError for a private URL, or if robots.txt forbids it or is
        unreachable."""
        self.refuse_private(url)
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        if origin not in _RULES:
            _RULES[origin] = self._rules(f"{origin}/robots.txt")
        if not _RULES[origin].can_fetch(url, USER_AGENT):
            raise ForbiddenPageError("forbidden by robots.txt")

    def _rules(self, url: str) -> Protego:
        try:
            return parsed(
                self._send(Request(url), LIMITS.robots_bytes + 1, check=self.refuse_private).body
            )
        except HTTPError as error:
            return parsed(b"", error.code)
        except (
            ForbiddenPageError
        ):  # it redirects to a private address: that counts as no robots.txt
            return parsed(b"")
        except (OSError, HTTPException) as error:
            raise ForbiddenPageError(f"robots.txt cannot be reached ({_reason(error)})") from error

    def _send(self, asked: Request, limit: int, *, check: Callable[[str], None]) -> Source:
        """The first ``limit`` bytes of the answer; ``check`` is called for every redirect. Proxies
        of the environment are used."""
        asked.add_header("User-Agent", USER_AGENT)
        opener, began = OpenerDirector(), monotonic()
        answers = (
            HTTPCookieProcessor(),
            HTTPErrorProcessor(),
            HTTPDefaultErrorHandler(),
            UnknownHandler(),
        )
        for handler in (
            ProxyHandler(getproxies()),
            _Connections(self),
            _Redirects(check),
            *answers,
        ):
            opener.add_handler(handler)
        try:
            with self._cut_off(), opener.open(asked, timeout=self.timeout) as answer:
                read = Source(answer.read(limit), answer.geturl())
        # a connection that was cut off may end in an error, or in an answer that looks complete
        finally:
            if monotonic() - began >= self.total:
                raise TimeoutError(f"not answered within {self.total:.0f} seconds")
        return read

    @contextmanager
    def _cut_off(self) -> Iterator[None]:
        """Close the connections made inside after ``total`` seconds: a socket's own timeout
        restarts with each byte."""
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

    def connect(
        self, address: tuple[str, int], timeout: float, source: Any = None
    ) -> socket.socket:
        """A connection to the first permitted IP address of a host; the address that is checked is
        the one that is used."""
        host, port = address
        found = {
            str(entry[4][0]) for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        }
        permitted = sorted(
            self.reachable.allowed(host, port, addresses=found),
            key=lambda each: (":" in each, each),
        )
        if not permitted:
            raise ForbiddenPageError("refused: private address that was not asked for")
        connection = socket.create_connection((permitted[0], port), timeout, source)
        self.opened.append(connection.dup())
        return connection


def _refuse_redirect(_: str) -> None:
    raise ForbiddenPageError("redirected to another URL: name that one instead")


class _Connections(HTTPSHandler):
    """Opens http and https with the connections of the client."""

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
