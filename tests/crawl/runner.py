"""Real crawls for the tests: `scrapy crawl site` in a process of its own, against servers on
loopback."""

from __future__ import annotations

import json
import os
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

from sitecrawl.__main__ import main
from tests.process import finished

FAST = (
    *(
        "-s",
        "DOWNLOAD_DELAY=0",
        "-s",
        "AUTOTHROTTLE_ENABLED=False",
        "-s",
        "RETRY_TIMES=1",
        "-s",
        "DOWNLOAD_TIMEOUT=5",
    ),
)


@dataclass
class Run:
    """Exit code, what was said, and the items of a feed."""

    code: int
    said: str
    items: list[dict[str, Any]]

    @property
    def urls(self) -> list[str]:
        return [item["url"] for item in self.items]


def command(url: str, feed: Path, *more: str) -> list[str]:
    """The command line of a crawl whose state lies beside its feed."""
    state = feed.parent / "state"
    start = [
        "-m",
        "scrapy",
        "crawl",
        "site",
        "-a",
        f"start={url}",
        "-s",
        f"SITECRAWL_DATA_DIR={state}",
    ]
    output = [] if any(word in ("-o", "-O") for word in more) else ["-O", str(feed)]
    return [sys.executable, *start, *FAST, *output, *more]


def crawl(url: str, feed: Path, *more: str) -> Run:
    """Run a crawl to its end."""
    done = finished(command(url, feed, *more))
    return Run(done.returncode, done.stderr, items_of(feed))


def scrapy(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run one of our commands to its end."""
    return finished([sys.executable, "-m", "sitecrawl", *arguments])


def typed(*words: str) -> subprocess.CompletedProcess[str]:
    """Run one of our commands that needs no reactor in this process, which spares the start of
    another."""
    out, err = StringIO(), StringIO()
    settings = {"SCRAPY_SETTINGS_MODULE": "sitecrawl.settings"}
    with patch.dict(os.environ, settings), redirect_stdout(out), redirect_stderr(err):
        code = main(words)
    return subprocess.CompletedProcess(list(words), code, out.getvalue(), err.getvalue())


def items_of(feed: Path) -> list[dict[str, Any]]:
    if not feed.is_file() or feed.suffix != ".jsonl":
        return []
    return [json.loads(line) for line in feed.read_text(encoding="utf8").splitlines()]


@dataclass
class Site:
    """A served site: its address and the paths that were asked for."""

    url: str
    asked: list[str] = field(default_factory=list)


Answer = Callable[[BaseHTTPRequestHandler], None]


@contextmanager
def served(
    pages: dict[str, bytes | Answer],
    host: str = "127.0.0.1",
    *,
    certificate: Path | None = None,
) -> Iterator[Site]:
    """Serve ``pages`` by path: bytes are HTML, a function answers by itself; a foreign path is
    served by ``*``, else 404. With a ``certificate`` (PEM, with its key) by https."""
    site = Site("")

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            site.asked.append(self.path)
            page = pages.get(self.path, pages.get("*"))
            if callable(page):
                page(self)
            else:
                send(self, 404 if page is None else 200, page or b"")

        do_POST = do_PUT = do_GET

        def log_message(self, format: str, *args: object) -> None: ...

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        # five by default: where this process is slow, a sixth connection waits a second or three
        # for its first packet
        request_queue_size = 128

    server = Server((host, 0), Handler)
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  # a client that was killed is no error
    site.url = f"http://{host}:{server.server_port}"
    if certificate is not None:
        site.url = f"https://{host}:{server.server_port}"
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        # the handshake belongs to the thread of its connection: it would keep others waiting
        server.socket = context.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()


def send(handler: BaseHTTPRequestHandler, status: int, body: bytes, **headers: str) -> None:
    """One whole answer; header names are written with ``_`` for ``-``."""
    handler.send_response(status)
    known = {"Content_Type": "text/html", "Content_Length": str(len(body))} | headers
    for name, value in known.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(body)


def reset(handler: BaseHTTPRequestHandler) -> None:
    """The connection breaks before anything was said."""
    handler.connection.setsockopt(
        socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00"
    )
    os.close(handler.connection.detach())
    handler.close_connection, handler.wfile = True, BytesIO()


def truncate(handler: BaseHTTPRequestHandler) -> None:
    """A body that ends before its end."""
    send(handler, 200, b"<html><body><p>Only the beg", Content_Length="5000")
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_WR)
