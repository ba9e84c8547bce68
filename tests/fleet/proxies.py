"""A proxy before a PostgreSQL server that falls silent, or keeps its notifications."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import sqlalchemy as sa

_NOTIFICATION = b"A"
_LENGTH = 4  # bytes of the length of a message, which counts itself


@dataclass
class Proxy:
    """Where the proxy is, and what it does."""

    url: str
    passes: threading.Event = field(default_factory=threading.Event)
    """Cleared, no byte passes, and no connection ends."""
    keeps_notifications: bool = False


@contextmanager
def proxy(database: str, *, keeps_notifications: bool = False) -> Iterator[Proxy]:
    """A proxy before the server of a database."""
    place = sa.make_url(database)
    with socket.create_server(("127.0.0.1", 0)) as door:
        url = place.set(port=door.getsockname()[1]).render_as_string(hide_password=False)
        found = Proxy(url, keeps_notifications=keeps_notifications)
        found.passes.set()
        target = (str(place.host), int(place.port or 5432))
        threading.Thread(target=_let_in, args=(door, target, found), daemon=True).start()
        yield found
        found.passes.set()


def _let_in(door: socket.socket, target: tuple[str, int], known: Proxy) -> None:
    with suppress(OSError):  # the door is closed at the end
        while True:
            client, _ = door.accept()
            server = socket.create_connection(target)
            back = _without_notifications if known.keeps_notifications else _pass_on
            for carry, one, other in ((_pass_on, client, server), (back, server, client)):
                threading.Thread(target=carry, args=(one, other, known), daemon=True).start()


def _pass_on(source: socket.socket, drain: socket.socket, known: Proxy) -> None:
    with suppress(OSError):
        while data := source.recv(65_536):
            known.passes.wait()
            drain.sendall(data)
    _close(drain)


def _without_notifications(source: socket.socket, drain: socket.socket, known: Proxy) -> None:
    """What a pooler that lends sessions for one transaction lets through."""
    with suppress(OSError, EOFError):
        answer = _read(source, 1)  # to the question for encryption
        drain.sendall(answer)
        while True:
            kind = _read(source, 1)
            length = _read(source, _LENGTH)
            body = _read(source, struct.unpack("!I", length)[0] - _LENGTH)
            if kind != _NOTIFICATION:
                drain.sendall(kind + length + body)
    _close(drain)


def _read(source: socket.socket, count: int) -> bytes:
    found = b""
    while len(found) < count:
        more = source.recv(count - len(found))
        if not more:
            raise EOFError
        found += more
    return found


def _close(one: socket.socket) -> None:
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()
