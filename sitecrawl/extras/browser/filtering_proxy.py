"""The filtering proxy of the browser: every request of a rendered page goes through it, on
loopback. Playwright cannot intercept redirects, workers, sockets and name resolution; a proxy sees
all of them. It resolves a name once, refuses private addresses that the user did not name, and
connects to the address that it checked."""

from __future__ import annotations

import asyncio
import re
import socket
from base64 import b64encode
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit
from urllib.request import proxy_bypass

from sitecrawl.crawl.permissions import Permissions

_PATIENCE = 30.0  # timeout in seconds for the head of a request and for a connection
_CHUNK = 65_536
_LENGTH = re.compile(r"^content-length:\s*(\d+)\s*$", re.I | re.M)  # of a request that has a body
_DROPPED = (
    "proxy-",
    "connection:",
    "keep-alive:",
)  # hop-by-hop header lines, which are not passed on


Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class RefusedError(Exception):
    """An address that the browser must not reach."""


class FilteringProxy:
    """A forward proxy for CONNECT and plain http. ``proxies`` are the user's own by scheme;
    ``refused`` is called for every refusal."""

    def __init__(
        self, proxies: Mapping[str, str], permissions: Permissions, *, refused: Callable[[], None]
    ) -> None:
        self.permissions, self.refused = permissions, refused
        self.proxies = {scheme: _split(url) for scheme, url in proxies.items()}
        self.proxy_of: Callable[[str], str] = lambda host: (
            ""
        )  # the proxy that the user set for a host, or empty
        self._server: asyncio.Server | None = None
        self._serving: set[asyncio.Task[None]] = set()

    async def open(self) -> str:
        """Listen on a free port of loopback; returns the proxy's address."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        for task in self._serving:
            task.cancel()
        await asyncio.gather(*self._serving, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(self._serve(reader, writer))
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), _PATIENCE)
            await self._pass_on(head.decode("latin-1"), reader, writer=writer)
        except RefusedError:
            self.refused()
            await _answer(writer, "403 Forbidden")
        except (
            OSError,
            ValueError,
            TimeoutError,
            asyncio.IncompleteReadError,
            asyncio.LimitOverrunError,
        ):
            await _answer(writer, "502 Bad Gateway")
        finally:
            writer.close()

    async def _pass_on(
        self, head: str, reader: asyncio.StreamReader, *, writer: asyncio.StreamWriter
    ) -> None:
        method, target, _ = head.split("\r\n", 1)[0].split(" ")
        tunnel = method == "CONNECT"
        parts = urlsplit(f"https://{target}" if tunnel else target)
        host = parts.hostname
        if not host or (not tunnel and parts.scheme != "http"):
            raise RefusedError
        upstream = self._upstream(host, parts.scheme)
        port = parts.port or (443 if tunnel else 80)
        far_reader, far_writer = await self._connect(host, port, upstream=upstream)
        try:
            if tunnel and upstream is None:
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            else:
                far_writer.write(_head(head, upstream).encode("latin-1"))
            if tunnel:
                await asyncio.gather(_pump(reader, far_writer), _pump(far_reader, writer))
            else:
                length = _LENGTH.search(head)
                far_writer.write(await reader.readexactly(int(length[1]) if length else 0))
                await _first(_pump(far_reader, writer), _pump(reader))
        finally:
            far_writer.close()

    def _upstream(self, host: str, scheme: str) -> SplitResult | None:
        """The user's proxy for a host."""
        if own := self.proxy_of(host):
            return _split(own)
        return None if proxy_bypass(host) else self.proxies.get(scheme)

    async def _connect(self, host: str, port: int, *, upstream: SplitResult | None) -> Streams:
        """A connection to a permitted address of the host, or to the user's proxy."""
        named = f"[{host}]" if ":" in host else host
        if self.permissions.refusal(f"http://{named}:{port}/"):
            raise RefusedError
        if upstream is not None:
            return await _dial(upstream.hostname or "", upstream.port or 80)
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses = self.permissions.allowed(
            host, port, addresses=[str(entry[4][0]) for entry in found]
        )
        if not addresses:
            raise RefusedError
        for address in addresses[:-1]:
            with suppress(OSError, TimeoutError):
                return await _dial(address, port)
        return await _dial(addresses[-1], port)


def _split(proxy: str) -> SplitResult:
    return urlsplit(proxy if "://" in proxy else f"http://{proxy}")


async def _dial(address: str, port: int) -> Streams:
    return await asyncio.wait_for(asyncio.open_connection(address, port), _PATIENCE)


def _head(head: str, upstream: SplitResult | None) -> str:
    """The head for the next server: one request for each connection, and a relative URL unless the
    next server is a proxy."""
    first, *lines = head.rstrip("\r\n").split("\r\n")
    kept = [line for line in lines if not line.casefold().startswith(_DROPPED)]
    if upstream is None:
        method, target, version = first.split(" ")
        parts = urlsplit(target)
        query = f"?{parts.query}" if parts.query else ""
        first = f"{method} {parts.path or '/'}{query} {version}"
    elif upstream.username:
        pair = f"{unquote(upstream.username)}:{unquote(upstream.password or '')}"
        kept.append(f"Proxy-Authorization: Basic {b64encode(pair.encode()).decode()}")
    return "\r\n".join(
        [first, *kept, *([] if first.startswith("CONNECT") else ["Connection: close"]), "", ""]
    )


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter | None = None) -> None:
    """Pass on data until the other side closes the connection; without a writer it is discarded."""
    with suppress(OSError):
        while chunk := await reader.read(_CHUNK):
            if writer is not None:
                writer.write(chunk)
                await writer.drain()
        if writer is not None and writer.can_write_eof():
            writer.write_eof()


async def _first(*steps: Coroutine[Any, Any, None]) -> None:
    """Run coroutines until one of them ends."""
    tasks = [asyncio.ensure_future(step) for step in steps]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()


async def _answer(writer: asyncio.StreamWriter, status: str) -> None:
    with suppress(OSError):
        writer.write(
            f"HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode()
        )
        await writer.drain()
