"""Local servers of the editors: on loopback only, with a random token in every path,
and only for their own Host."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from typing import ClassVar

from sitecrawl.commands._help import OptionError
from sitecrawl.errors import SitecrawlError

_HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}


class LoopbackServer(ThreadingHTTPServer):
    """Serves ``handler`` on 127.0.0.1; only those who know ``url`` get an answer. Raises
    OptionError if the port cannot be used."""

    daemon_threads = True

    def __init__(self, handler: type[LoopbackHandler], port: int = 0) -> None:
        self.token, self.lock = secrets.token_urlsafe(24), Lock()
        try:
            super().__init__(("127.0.0.1", port), handler)
        except (OSError, OverflowError) as error:
            raise OptionError(f"port {port} cannot be used ({error})") from error

    @property
    def host(self) -> str:
        """The only Host header that is accepted."""
        return f"127.0.0.1:{self.server_port}"

    @property
    def url(self) -> str:
        """URL of the first page."""
        return f"http://{self.host}/{self.token}/0"

    def run(self, what: str) -> None:
        """Print the URL and serve until Ctrl-C."""
        with self:
            print(f"{what} at {self.url} (Ctrl-C ends)", flush=True)
            with suppress(KeyboardInterrupt):
                self.serve_forever()


class LoopbackHandler(BaseHTTPRequestHandler):
    """Checks host and token, then answers; all errors are one line of text."""

    server: LoopbackServer
    timeout = 30
    # content security policy of every answer
    policy: ClassVar[str] = "default-src 'none'; frame-ancestors 'none'"

    def do_GET(self) -> None:
        self._answer(self.get)

    def do_POST(self) -> None:
        self._answer(self.post)

    def get(self, path: list[str]) -> tuple[str, str]:
        """Content type and text for the parts of a path after the token. Raises LookupError,
        TypeError or ValueError for an invalid path, PermissionError for a forbidden one,
        SitecrawlError or OSError if it fails."""
        raise NotImplementedError

    def post(self, path: list[str]) -> tuple[str, str]:
        """As :meth:`get`, for POST requests."""
        raise PermissionError("nothing is changed here")

    def _answer(self, work: Callable[[list[str]], tuple[str, str]]) -> None:
        try:
            kind, body = work(self._path())
            self._send(HTTPStatus.OK, kind, body=body)
        except PermissionError as error:
            self._send(HTTPStatus.FORBIDDEN, "text/plain", body=f"refused: {error}")
        except (LookupError, TypeError, ValueError) as error:
            self._send(
                HTTPStatus.BAD_REQUEST, "text/plain", body=f"not understood: {type(error).__name__}"
            )
        except (SitecrawlError, OSError) as error:
            self._send(HTTPStatus.INTERNAL_SERVER_ERROR, "text/plain", body=f"not done: {error}")

    def _path(self) -> list[str]:
        """Parts of the path after the token. Raises PermissionError for a wrong host or token."""
        if self.headers.get_all("Host") != [self.server.host]:
            raise PermissionError("foreign host")
        _, token, *rest = self.path.split("/")[:5]
        if not secrets.compare_digest(token.encode(), self.server.token.encode()):
            raise PermissionError("wrong token")
        return rest

    def _send(self, status: HTTPStatus, kind: str, *, body: str) -> None:
        data = body.encode("utf-8", "replace")
        self.send_response(status)
        sent = {"Content-Type": f"{kind}; charset=utf-8", "Content-Length": str(len(data))}
        for name, value in (sent | _HEADERS | {"Content-Security-Policy": self.policy}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def version_string(self) -> str:
        return "sitecrawl"

    def log_message(self, format: str, *args: object) -> None:
        """Requests are not logged, because their paths contain the token."""


def whole_number(text: str) -> int:
    """A number from a path. Raises ValueError also for a negative one, which would count from the
    end."""
    if not text.isdecimal():
        raise ValueError(text)
    return int(text)
