"""Another database server is one class and one entry point, as CONTRIBUTING says."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace

import pytest
import sqlalchemy as sa

from sitecrawl.crawl import database
from sitecrawl.crawl.config import CrawlSettings
from sitecrawl.crawl.database import Database
from sitecrawl.crawl.records import RequestContext, Role
from sitecrawl.crawl.store import RunEnd
from sitecrawl.errors import StoreError
from sitecrawl.items.kinds import PageKind

LOCKS = set[str]()


class Toy:
    """A server whose dialect knows ON CONFLICT: SQLite, reached by a URL as a server is."""

    package, extra = "sqlite3", "toy"

    def engine(self, url: str) -> sa.Engine:
        return sa.create_engine(sa.make_url(url).set(drivername="sqlite"), poolclass=sa.NullPool)

    def now(self, db: Database) -> float:
        return time.time()

    def guard_schema(self, db: Database) -> None: ...

    def lock(self, db: Database, name: str) -> bool:
        is_free = name not in LOCKS
        LOCKS.add(name)
        return is_free

    def unlock(self, db: Database, name: str) -> None:
        LOCKS.discard(name)


def test_a_class_and_an_entry_point_are_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        database, "plugged", lambda group: {"toy": SimpleNamespace(load=lambda: Toy)}
    )
    url = f"toy:///{tmp_path / 'all.sqlite'}"
    stores = CrawlSettings.from_settings(SettingsOf(SITECRAWL_DATABASE=url)).stores
    one, learned = stores.site("a.example")
    one.lock()
    assert one.begin("task") is RunEnd.NONE
    one.pages.queue(RequestContext("http://a.example/1", Role.ARTICLE))
    one.pages.done("a.example/1", PageKind.ARTICLE)
    one.save_item("a.example/1", {"url": "http://a.example/1"}, digest="d")
    learned.save("a.example", {"n": 1})
    other = stores.crawl("a.example")
    with pytest.raises(StoreError, match="in use"):
        other.lock()
    other.close()
    learned.close()
    one.close()
    (again,) = stores.crawls()
    again.lock()
    assert again.begin("task") is RunEnd.INTERRUPTED
    assert list(again.items.all()) == [{"url": "http://a.example/1"}]
    again.close()


def test_the_database_may_be_named_by_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        database, "plugged", lambda group: {"toy": SimpleNamespace(load=lambda: Toy)}
    )
    monkeypatch.setenv("SITECRAWL_DATABASE", f"toy:///{tmp_path / 'all.sqlite'}")
    assert CrawlSettings.from_settings(SettingsOf()).database == f"toy:///{tmp_path / 'all.sqlite'}"
    assert (
        CrawlSettings.from_settings(SettingsOf(SITECRAWL_DATABASE="toy:///b")).database
        == "toy:///b"
    )


class SettingsOf(dict[str, str]):
    """Scrapy settings that hold these values."""

    def getint(self, name: str, usual: int) -> int:
        return usual
