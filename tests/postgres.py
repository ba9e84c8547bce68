"""A PostgreSQL server of our own for tests and benchmarks: in a temporary folder, without fsync,
stopped with the process that started it."""

from __future__ import annotations

import atexit
import os
import shutil
import socket
import subprocess
import tempfile
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from glob import glob
from pathlib import Path

import psycopg

from sitecrawl.crawl.store import Stores

_USER = "postgres"
"""The server refuses to run as root."""
_OPTIONS = {
    "fsync": "off",
    "autovacuum": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "max_connections": "200",
    "shared_buffers": "16MB",
    "listen_addresses": "127.0.0.1",
}


@dataclass(frozen=True)
class Server:
    """A server with its data in ``folder``."""

    folder: Path
    port: int
    options: Mapping[str, str] = field(default_factory=dict)

    def url(self, name: str) -> str:
        """Where a database is."""
        return f"postgresql://{_USER}@127.0.0.1:{self.port}/{name}"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = " ".join(
            f"-c {name}={value}" for name, value in {**_OPTIONS, **self.options}.items()
        )
        sockets = f"-c unix_socket_directories={self.folder} -p {self.port}"
        self._control("-l", str(self.folder / "log"), "-o", f"{options} {sockets}", "start")

    def stop(self) -> None:
        """Stop it at once: open connections are cut."""
        self._control("-m", "immediate", "stop")

    def _control(self, *words: str) -> None:
        _run("pg_ctl", "-D", str(self.folder / "data"), "-w", *words)

    def create(self) -> str:
        """A new empty database; its URL."""
        name = f"t{uuid.uuid4().hex[:12]}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return self.url(name)


def _run(program: str, *arguments: str) -> None:
    """Run a program of PostgreSQL as a user that it accepts."""
    found = shutil.which(program) or sorted(glob(f"/usr/lib/postgresql/*/bin/{program}"))[-1]
    user = _USER if os.geteuid() == 0 else None
    given = {"user": user, "group": user, "extra_groups": [] if user else None, "cwd": "/"}
    done = subprocess.run(
        [found, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False, **given
    )
    assert done.returncode == 0, done.stderr.decode(errors="replace")


def new_server(**options: str) -> Server:
    """A server that runs until this process ends, with options of its own."""
    folder = Path(tempfile.mkdtemp(prefix="sitecrawl-pg-"))
    if os.geteuid() == 0:
        shutil.chown(folder, _USER, _USER)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        server = Server(folder, free.getsockname()[1], options)
    _run(
        "initdb",
        "-D",
        str(folder / "data"),
        "-U",
        _USER,
        "-A",
        "trust",
        "-E",
        "UTF8",
        "--no-sync",
        "--locale=C",
    )
    server.start()
    atexit.register(_end, server)
    return server


def _end(server: Server) -> None:
    with suppress(AssertionError):
        server.stop()
    shutil.rmtree(server.folder, ignore_errors=True)


@cache
def server() -> Server:
    """The server that one process shares."""
    return new_server()


@contextmanager
def places(kind: str, folder: Path) -> Iterator[Stores]:
    """Stores in a folder (``sqlite``) or in a database of their own (``postgresql``)."""
    yield Stores(folder, server().create() if kind == "postgresql" else "")
