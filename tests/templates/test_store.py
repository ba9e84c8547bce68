"""The store keeps documents and says clearly when it cannot."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sitecrawl.errors import StoreError
from sitecrawl.templates.store import SiteStore, open_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SiteStore]:
    found = open_store(tmp_path / "deep" / "t.sqlite")
    yield found
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
    one = SiteStore(tmp_path / "t.sqlite")
    one.save("a.example", {"n": 1})
    two = SiteStore(tmp_path / "t.sqlite")
    assert two.load("a.example") == {"n": 1}


@pytest.mark.parametrize(
    "content", [b"no database at all, just a text of some length" * 40, b"SQLite format 3\0" + b"x" * 5000]
)
def test_a_damaged_file_is_one_clear_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "t.sqlite"
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"t\.sqlite") as caught:
        SiteStore(path)
    assert "\n" not in str(caught.value)


def test_another_protocol_is_refused(tmp_path: Path) -> None:
    store = SiteStore(tmp_path / "t.sqlite")
    store._run("UPDATE facts SET value='99' WHERE name='protocol'")
    store.close()
    with pytest.raises(StoreError, match="protocol 99"):
        SiteStore(tmp_path / "t.sqlite")


def test_a_damaged_document_is_refused(tmp_path: Path) -> None:
    store = SiteStore(tmp_path / "t.sqlite")
    store._run("INSERT INTO sites VALUES ('a', '{')")
    with pytest.raises(StoreError, match="damaged document"):
        store.load("a")


def test_an_address_of_a_server_is_refused() -> None:
    with pytest.raises(StoreError, match="is not a file"):
        open_store("redis://127.0.0.1:1/0")
