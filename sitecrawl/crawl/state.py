"""What a crawl must not forget: pages asked for, pages that wait, articles that left. One SQLite file, no server."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sitecrawl.crawl.visits import Visits
from sitecrawl.errors import StoreError

PROTOCOL = 1
_SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT);
CREATE TABLE IF NOT EXISTS pages (key TEXT PRIMARY KEY, url TEXT, status TEXT, label TEXT, kind TEXT, meta TEXT, run INTEGER);
CREATE TABLE IF NOT EXISTS waiting (key TEXT PRIMARY KEY, url TEXT, cluster TEXT, meta TEXT, body BLOB);
CREATE TABLE IF NOT EXISTS items (key TEXT PRIMARY KEY, run INTEGER, digest TEXT, data BLOB);
CREATE INDEX IF NOT EXISTS pages_status ON pages (status);
"""
_AT_ONCE = 200
"""Known articles read at a time."""
_REMEDY = "delete it to start afresh (articles already written stay in their feeds)"


@dataclass(frozen=True, slots=True)
class Waiting:
    """A page that waits for a template: its key, URL, body as UTF-8 bytes, and the spider's notes about it."""

    key: str
    url: str
    body: bytes
    meta: dict[str, Any]


class CrawlState:
    """State of the crawls of one data directory. Raises StoreError when the file is damaged or of another protocol."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self.db = sqlite3.connect(path, isolation_level=None, timeout=30)
            self.db.execute("PRAGMA journal_mode=WAL")
            self.db.execute("PRAGMA synchronous=NORMAL")
            self.db.executescript(_SCHEMA)
            self.visits = Visits(self.db)
            found = self.fact("protocol")
        except sqlite3.DatabaseError as error:
            raise StoreError(path, f"damaged ({error})", _REMEDY) from None
        if found not in (None, str(PROTOCOL)):
            raise StoreError(path, f"protocol {found}, this version reads {PROTOCOL}", _REMEDY)
        self.set_fact("protocol", str(PROTOCOL))
        self.run = 0

    def close(self) -> None:
        self.db.close()

    def fact(self, name: str) -> str | None:
        row = self.db.execute("SELECT value FROM facts WHERE name=?", (name,)).fetchone()
        return str(row[0]) if row else None

    def set_fact(self, name: str, value: str) -> None:
        self.db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))

    # ---- runs
    def begin(self, task: str) -> bool:
        """Begin a run of ``task`` (what was asked for); True when an interrupted run of it goes on."""
        resumes = self.fact("task") == task and self.fact("finished") == "no"
        self.run = int(self.fact("run") or 0) + (0 if resumes else 1)
        if not resumes:
            self.db.execute("DELETE FROM pages WHERE status='queued'")
            self.visits.prune()
            self.set_fact("run", str(self.run))
            self.set_fact("task", task)
        self.set_fact("finished", "no")
        return resumes

    def finish(self) -> None:
        """The run came to its own end; the next one is a new one."""
        self.set_fact("finished", "yes")

    # ---- pages
    def queue(self, key: str, url: str, label: str, meta: dict[str, Any]) -> None:
        """A page is to be fetched."""
        self.db.execute(
            "INSERT OR REPLACE INTO pages VALUES (?, ?, 'queued', ?, '', ?, ?)",
            (key, url, label, json.dumps(meta), self.run),
        )

    def done(self, key: str, kind: str) -> None:
        """A page was dealt with and turned out to be of ``kind``."""
        self.db.execute("UPDATE pages SET status='done', kind=? WHERE key=?", (kind, key))

    def queued(self) -> list[tuple[str, str, str, dict[str, Any]]]:
        """Key, URL, label and notes of the pages still to be fetched."""
        rows = self.db.execute(
            "SELECT key, url, label, meta FROM pages WHERE status='queued' ORDER BY rowid"
        ).fetchall()
        return [(key, url, label, json.loads(meta)) for key, url, label, meta in rows]

    def outcomes(self, most: int) -> list[tuple[str, str]]:
        """URL and kind of the pages dealt with last, in any run, the latest first."""
        query = "SELECT url, kind FROM pages WHERE status='done' AND kind!='failed' ORDER BY rowid DESC LIMIT ?"
        return self.db.execute(query, (most,)).fetchall()

    def keys(self) -> set[str]:
        """Keys of all pages that are known, of any run."""
        return {key for (key,) in self.db.execute("SELECT key FROM pages")}

    def count_articles(self) -> int:
        """Number of pages known as articles, of any run: fetched ones, and those that a link promises."""
        query = (
            "SELECT COUNT(*) FROM pages WHERE kind IN ('article', 'thread') OR (status='queued' AND label='article')"
        )
        return int(self.db.execute(query).fetchone()[0])

    def settled(self, earlier: bool) -> set[str]:
        """Keys of the pages dealt with in this run and, with ``earlier``, of the articles of earlier runs."""
        query = "SELECT key FROM pages WHERE status='done' AND kind!='failed' AND (run=? OR (? AND kind IN ('article', 'thread')))"
        return {key for (key,) in self.db.execute(query, (self.run, earlier))}

    def earlier_articles(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """Key, URL and notes of the articles of earlier runs that this run has not asked for, the latest first; read bit by bit."""
        query = (
            "SELECT rowid, key, url, meta FROM pages WHERE status='done' AND kind IN ('article', 'thread') AND run<?"
            " AND rowid<? ORDER BY rowid DESC LIMIT ?"
        )
        last = 1 << 62
        while rows := self.db.execute(query, (self.run, last, _AT_ONCE)).fetchall():
            yield from ((key, url, json.loads(meta)) for _, key, url, meta in rows)
            last = rows[-1][0]

    def miss(self, key: str) -> None:
        """A page was fetched in vain: the next run asks for it as if it had not been."""
        self.done(key, "failed")
        self.visits.forget(key)

    # ---- waiting pages
    def hold(self, page: Waiting, cluster: str) -> None:
        self.db.execute(
            "INSERT OR REPLACE INTO waiting VALUES (?, ?, ?, ?, ?)",
            (page.key, page.url, cluster, json.dumps(page.meta), zlib.compress(page.body, 1)),
        )

    def held(self, cluster: str | None = None) -> Iterator[Waiting]:
        """Waiting pages, those of one cluster or all."""
        where, given = ("WHERE cluster=?", (cluster,)) if cluster is not None else ("", ())
        keys = [row[0] for row in self.db.execute(f"SELECT key FROM waiting {where} ORDER BY rowid", given)]
        for key in keys:
            row = self.db.execute("SELECT url, body, meta FROM waiting WHERE key=?", (key,)).fetchone()
            if row:
                yield Waiting(key, row[0], zlib.decompress(row[1]), json.loads(row[2]))

    def held_count(self) -> int:
        return int(self.db.execute("SELECT COUNT(*) FROM waiting").fetchone()[0])

    # ---- articles
    def save_item(self, key: str, item: dict[str, Any], digest: str) -> None:
        """An article leaves: kept until the next run, so that a feed cut short can be completed."""
        data = zlib.compress(json.dumps(item, ensure_ascii=False).encode(), 1)
        self.db.execute("BEGIN")
        self.db.execute("INSERT OR REPLACE INTO items VALUES (?, ?, ?, ?)", (key, self.run, digest, data))
        self.db.execute("DELETE FROM waiting WHERE key=?", (key,))
        self.db.execute("COMMIT")

    def drop_waiting(self, key: str) -> None:
        self.db.execute("DELETE FROM waiting WHERE key=?", (key,))

    def item(self, key: str) -> dict[str, Any] | None:
        """The article that left last for a page."""
        row = self.db.execute("SELECT data FROM items WHERE key=?", (key,)).fetchone()
        return dict(json.loads(zlib.decompress(row[0]))) if row else None

    def has_left(self, key: str) -> bool:
        """Whether an article left for a page in this run: one revision a run, however often a run is interrupted."""
        return bool(self.db.execute("SELECT 1 FROM items WHERE key=? AND run=?", (key, self.run)).fetchone())

    def item_digest(self, key: str) -> str | None:
        row = self.db.execute("SELECT digest FROM items WHERE key=?", (key,)).fetchone()
        return str(row[0]) if row else None

    def items_of_run(self) -> Iterator[dict[str, Any]]:
        """Articles that left in this run, in order."""
        for (data,) in self.db.execute("SELECT data FROM items WHERE run=? ORDER BY rowid", (self.run,)).fetchall():
            yield json.loads(zlib.decompress(data))

    def count_items(self) -> int:
        """Number of articles that left in this run."""
        return int(self.db.execute("SELECT COUNT(*) FROM items WHERE run=?", (self.run,)).fetchone()[0])

    # ---- for the report
    def page_counts(self) -> list[dict[str, Any]]:
        """Pages by what their link promised (``label``) and what they were (``kind``), most first."""
        query = "SELECT label, kind, COUNT(*) AS n FROM pages GROUP BY label, kind ORDER BY n DESC"
        return [{"label": label, "kind": kind, "count": count} for label, kind, count in self.db.execute(query)]

    def all_items(self) -> Iterator[dict[str, Any]]:
        """Articles of all runs."""
        for (data,) in self.db.execute("SELECT data FROM items ORDER BY rowid"):
            yield json.loads(zlib.decompress(data))
