"""The local server of the editors: that of the report with POST requests, which only its own pages
may send."""

from __future__ import annotations

import json
from typing import Any, Protocol

from sitecrawl.extras.editor.loopback import LoopbackHandler, LoopbackServer, whole_number
from sitecrawl.extras.report.markup import asset

EDITOR = "sitecrawl.extras.editor"
_ASSETS = ("editor.css", "editor.js", "label.js", "template.js")
_BODY = 1_000_000  # bytes of a request; the numbers of 20,000 links take a fifth of it


class EditorPages(Protocol):
    """What an editor serves. Methods raise LookupError, TypeError or ValueError for an invalid
    request, SitecrawlError or OSError on failure."""

    def page(self, number: int) -> str:
        """The HTML of one page."""

    def act(self, number: int, action: str, *, asked: dict[str, Any]) -> dict[str, Any]:
        """Carry out an action of page ``number``; returns the state afterwards."""


class EditorServer(LoopbackServer):
    """Serves an editor, one request at a time."""

    def __init__(self, work: EditorPages) -> None:
        self.work = work
        super().__init__(_EditorHandler)


class _EditorHandler(LoopbackHandler):
    server: EditorServer
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
    """Each page may load its own script and style and connect to its own server only; no other page
    may frame it."""

    def get(self, path: list[str]) -> tuple[str, str]:
        (name,) = path  # ValueError: not understood
        if name in _ASSETS:
            return f"text/{'css' if name.endswith('css') else 'javascript'}", asset(name, EDITOR)
        with self.server.lock:
            return "text/html", self.server.work.page(whole_number(name))

    def post(self, path: list[str]) -> tuple[str, str]:
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
            return "application/json", json.dumps(
                self.server.work.act(whole_number(number), action, asked=asked)
            )
