"""Serves the demonstration site on loopback."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from sitecrawl.demo.site import site_pages


class _Handler(BaseHTTPRequestHandler):
    pages = site_pages()
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        body = self.pages.get(self.path)
        self.send_response(404 if body is None else 200)
        self.send_header("Content-Type", "text/plain" if self.path.endswith(".txt") else "text/html")
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, format: str, *args: object) -> None:
        """A demonstration keeps no log."""


@contextmanager
def serve(port: int = 0) -> Iterator[str]:
    """The site's front page URL, served until the block is left; a free port unless one is given."""
    server = ThreadingHTTPServer(("127.0.0.1", port), _Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
