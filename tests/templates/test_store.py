"""Stores keep documents, say clearly when they cannot, and are the same from outside."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sitecrawl.errors import StoreError
from sitecrawl.templates.store import RedisStore, SiteStore, SqliteStore, open_store


@pytest.fixture(scope="module")
def redis_url() -> Iterator[str]:
    pytest.importorskip("redis")
    if not shutil.which("redis-server"):
        pytest.skip("no redis-server on this machine")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        ["redis-server", "--port", str(port), "--save", "", "--bind", "127.0.0.1"], stdout=subprocess.DEVNULL
    )
    try:
        _wait(port)
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        server.terminate()
        server.wait()


def _wait(port: int) -> None:
    for _ in range(100):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)


@pytest.fixture(params=["sqlite", "redis"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SiteStore]:
    address = str(tmp_path / "deep" / "t.sqlite") if request.param == "sqlite" else request.getfixturevalue("redis_url")
    found = open_store(address)
    yield found
    for site in found.sites():
        found.forget(site)
    found.close()


def test_documents_are_kept_replaced_and_forgotten(store: SiteStore) -> None:
    assert store.load("b.example") is None
    store.save("b.example", {"name": "新闻"})
    store.save("a.example", {"n": 1})
    store.save("a.example", {"n": 2})
    assert store.sites() == ["a.example", "b.example"]
    assert store.load("a.example") == {"n": 2}
    assert store.load("b.example") == {"name": "新闻"}
    assert store.forget("a.example")
    assert not store.forget("a.example")


def test_a_file_survives_its_process(tmp_path: Path) -> None:
    one = SqliteStore(tmp_path / "t.sqlite")
    one.save("a.example", {"n": 1})
    two = SqliteStore(tmp_path / "t.sqlite")
    assert two.load("a.example") == {"n": 1}


@pytest.mark.parametrize(
    "content", [b"no database at all, just a text of some length" * 40, b"SQLite format 3\0" + b"x" * 5000]
)
def test_a_damaged_file_is_one_clear_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "t.sqlite"
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"t\.sqlite") as caught:
        SqliteStore(path)
    assert "\n" not in str(caught.value)


def test_another_protocol_is_refused(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "t.sqlite")
    store._run("UPDATE facts SET value='99' WHERE name='protocol'")
    store.close()
    with pytest.raises(StoreError, match="protocol 99"):
        SqliteStore(tmp_path / "t.sqlite")


def test_a_damaged_document_is_refused(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "t.sqlite")
    store._run("INSERT INTO sites VALUES ('a', '{')")
    with pytest.raises(StoreError, match="damaged document"):
        store.load("a")


def test_no_server_is_one_clear_line() -> None:
    pytest.importorskip("redis")
    with pytest.raises(StoreError, match="cannot be used"):
        RedisStore("redis://127.0.0.1:1/0")
