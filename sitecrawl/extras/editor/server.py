"""The local server of the editors: loopback only, a random token in every path, no foreign Host, no foreign Origin."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from typing import Any, Protocol

from sitecrawl.commands._help import OptionError
from sitecrawl.errors import SitecrawlError
from sitecrawl.extras.report.markup import asset

EDITOR = "sitecrawl.extras.editor"
_ASSETS = ("editor.css", "editor.js", "label.js", "template.js")
_BODY = 1_000_000
"""Bytes of a request; the numbers of 20,000 links take a fifth of it."""
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
"""The page may load its own script and style and talk to its own server, nothing else; no other page may frame it."""


class EditorPages(Protocol):
    """What is edited: pages of HTML by number, and what their scripts ask for.

    Both raise LookupError, TypeError or ValueError for what makes no sense, SitecrawlError or OSError for what cannot be done.
    """

    def page(self, number: int) -> str:
        """The HTML of one page."""

    def act(self, number: int, action: str, asked: dict[str, Any]) -> dict[str, Any]:
        """Do what page ``number`` asks for; its state afterwards."""


class EditorServer(ThreadingHTTPServer):
    """Serves a work on 127.0.0.1 to whoever knows ``url``, one request at a time."""

    daemon_threads = True

    def __init__(self, work: EditorPages, port: int = 0) -> None:
        self.work, self.token, self.lock = work, secrets.token_urlsafe(24), Lock()
        super().__init__(("127.0.0.1", port), _EditorHandler)

    @property
    def host(self) -> str:
        """The one Host header that is answered."""
        return f"127.0.0.1:{self.server_port}"

    @property
    def url(self) -> str:
        """Where the editor is."""
        return f"http://{self.host}/{self.token}/0"


def serve(work: EditorPages, port: int, *, what: str) -> None:
    """Serve an editor until Ctrl-C, its URL printed. Raises OptionError where the port cannot be used."""
    try:
        editor = EditorServer(work, port)
    except (OSError, OverflowError) as error:
        raise OptionError(f"port {port} cannot be used ({error})") from error
    with editor:
        print(f"{what} at {editor.url} (Ctrl-C ends)", flush=True)
        with suppress(KeyboardInterrupt):
            editor.serve_forever()


class _EditorHandler(BaseHTTPRequestHandler):
    server: EditorServer
    timeout = 30

    def do_GET(self) -> None:
        self._answer(self._get)

    def do_POST(self) -> None:
        self._answer(self._post)

    def _answer(self, work: Callable[[list[str]], tuple[str, str]]) -> None:
        """Check who asks, then answer; all errors are one line of text."""
        try:
            kind, body = work(self._path())
            self._send(HTTPStatus.OK, kind, body)
        except PermissionError as error:
            self._send(HTTPStatus.FORBIDDEN, "text/plain", f"refused: {error}")
        except (LookupError, TypeError, ValueError) as error:
            self._send(HTTPStatus.BAD_REQUEST, "text/plain", f"not understood: {type(error).__name__}")
        except (SitecrawlError, OSError) as error:
            self._send(HTTPStatus.INTERNAL_SERVER_ERROR, "text/plain", f"not done: {error}")

    def _path(self) -> list[str]:
        """Parts of the path after the token. Raises PermissionError for a foreign host or a wrong token."""
        if self.headers.get_all("Host") != [self.server.host]:
            raise PermissionError("foreign host")
        _, token, *rest = self.path.split("/")[:5]
        if not secrets.compare_digest(token.encode(), self.server.token.encode()):
            raise PermissionError("wrong token")
        return rest

    def _get(self, path: list[str]) -> tuple[str, str]:
        if len(path) != 1:
            raise LookupError("path")
        if path[0] in _ASSETS:
            return f"text/{'css' if path[0].endswith('css') else 'javascript'}; charset=utf-8", asset(path[0], EDITOR)
        with self.server.lock:
            return "text/html; charset=utf-8", self.server.work.page(_number(path[0]))

    def _post(self, path: list[str]) -> tuple[str, str]:
        if self.headers.get_all("Origin") != [f"http://{self.server.host}"]:
            raise PermissionError("foreign origin")
        if self.headers.get_content_type() != "application/json":
            raise PermissionError("not JSON")
        length = int(self.headers.get("Content-Length") or 0)
        if not 0 <= length <= _BODY:
            raise ValueError("length")
        asked = json.loads(self.rfile.read(length) or b"{}")
        number, action = path
        with self.server.lock:
            return "application/json", json.dumps(self.server.work.act(_number(number), action, asked))

    def _send(self, status: HTTPStatus, kind: str, body: str) -> None:
        data = body.encode("utf-8", "replace")
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(data)), **_HEADERS}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def version_string(self) -> str:
        return "sitecrawl"

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is printed for a request: its path holds the token."""


def _number(text: str) -> int:
    """The number of a page; raises ValueError for a negative one too, which would count from the end."""
    if not text.isdecimal():
        raise ValueError(text)
    return int(text)
