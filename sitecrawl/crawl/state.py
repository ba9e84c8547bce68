"""What the crawls of a site must not forget: pages asked for, pages that wait, articles that left. One SQLite file a site."""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sitecrawl.crawl.lock import Lock
from sitecrawl.crawl.visits import Visits
from sitecrawl.errors import StoreError

PROTOCOL = 2
FOLDER = "crawls"
"""Folder of the data directory that holds a file for each site."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT);
CREATE TABLE IF NOT EXISTS pages (key TEXT PRIMARY KEY, url TEXT, status TEXT, label TEXT, kind TEXT, meta TEXT, run INTEGER);
CREATE TABLE IF NOT EXISTS tasks (task TEXT PRIMARY KEY, run INTEGER, ended TEXT, items INTEGER, pages INTEGER);
CREATE TABLE IF NOT EXISTS waiting (key TEXT PRIMARY KEY, run INTEGER, url TEXT, cluster TEXT, meta TEXT, body BLOB);
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


def state_path(data_dir: Path, hosts: Iterable[str]) -> Path:
    """Where the state of a site's crawls lies: a file named by its hosts.

    >>> state_path(Path("data"), {"example.org"}).as_posix(), state_path(Path("data"), {"example.org:81"}).name
    ('data/crawls/example.org.sqlite', 'example.org_81-8085ecd3.sqlite')
    """
    whole = ",".join(sorted(hosts))
    name = re.sub(r"[^a-z0-9.-]", "_", whole)[:100]
    if name != whole:
        name += "-" + hashlib.sha256(whole.encode("utf-8", "replace")).hexdigest()[:8]
    return data_dir / FOLDER / f"{name}.sqlite"


class CrawlState:
    """State of the crawls of one site. Raises StoreError when the file is damaged or of another protocol.

    A task is what was asked for; each has runs of its own, so that tasks of one site do not end one another's interrupted
    runs. What earlier runs wrote is known to all.
    """

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
        self.lock = Lock(path)
        self._before = (0, 0)

    def close(self) -> None:
        self.db.close()
        self.lock.release()

    def fact(self, name: str) -> str | None:
        row = self.db.execute("SELECT value FROM facts WHERE name=?", (name,)).fetchone()
        return str(row[0]) if row else None

    def set_fact(self, name: str, value: str) -> None:
        self.db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))

    # ---- runs
    def begin(self, task: str) -> str:
        """Begin a run of ``task`` (what was asked for), or go on with its last one; returns what became of that.

        ``interrupted``: the run goes on where it was. ``limited``: it came to a limit, and goes on with a new budget.
        Otherwise (``finished``, or empty where there was none) a new run begins.
        """
        row = self.db.execute("SELECT run, ended, items, pages FROM tasks WHERE task=?", (task,)).fetchone()
        run, ended, items, pages = row or (0, "", 0, 0)
        if ended in ("limited", "interrupted"):
            self.run = run
        else:
            self.run = (self.db.execute("SELECT MAX(run) FROM tasks").fetchone()[0] or 0) + 1
            self.visits.prune()
        if ended != "interrupted":
            items, pages = self._counts()
        self.db.execute(
            "INSERT OR REPLACE INTO tasks VALUES (?, ?, 'interrupted', ?, ?)", (task, self.run, items, pages)
        )
        self._before = items, pages
        return str(ended)

    def finish(self, limited: bool = False) -> None:
        """The run came to its own end and the next one is a new one, or to a limit and goes on from there."""
        if not limited:
            self.db.execute("DELETE FROM pages WHERE status='queued' AND run=?", (self.run,))
        ended = "limited" if limited else "finished"
        self.db.execute("UPDATE tasks SET ended=? WHERE run=?", (ended, self.run))

    def progress(self) -> tuple[int, int]:
        """Articles that left and pages dealt with since the run began, or went on with a new budget."""
        (items, pages), before = self._counts(), self._before
        return items - before[0], pages - before[1]

    def _counts(self) -> tuple[int, int]:
        items = "SELECT COUNT(*) FROM items WHERE run=?"
        pages = "SELECT COUNT(*) FROM pages WHERE run=? AND status='done'"
        return tuple(self.db.execute(query, (self.run,)).fetchone()[0] for query in (items, pages))

    def tasks(self) -> list[tuple[str, int, str]]:
        """What was asked for, the last run of it, and how that ended: finished, limited or interrupted."""
        return self.db.execute("SELECT task, run, ended FROM tasks ORDER BY run").fetchall()

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
        """Key, URL, label and notes of the pages that this run has still to fetch."""
        query = "SELECT key, url, label, meta FROM pages WHERE status='queued' AND run=? ORDER BY rowid"
        rows = self.db.execute(query, (self.run,)).fetchall()
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
        query = "SELECT rowid, key, url, meta FROM pages WHERE status='done' AND kind IN ('article', 'thread') AND run!=? AND rowid<?"
        last = 1 << 62
        while rows := self.db.execute(f"{query} ORDER BY rowid DESC LIMIT {_AT_ONCE}", (self.run, last)).fetchall():
            yield from ((key, url, json.loads(meta)) for _, key, url, meta in rows)
            last = rows[-1][0]

    def miss(self, key: str) -> None:
        """A page was fetched in vain: it is to be fetched again."""
        self.db.execute("UPDATE pages SET status='queued', kind='' WHERE key=?", (key,))
        self.visits.forget(key)

    # ---- waiting pages
    def hold(self, page: Waiting, cluster: str) -> None:
        self.db.execute(
            "INSERT OR REPLACE INTO waiting VALUES (?, ?, ?, ?, ?, ?)",
            (page.key, self.run, page.url, cluster, json.dumps(page.meta), zlib.compress(page.body, 1)),
        )

    def held(self, cluster: str | None = None) -> Iterator[Waiting]:
        """Waiting pages of this run, those of one cluster or all."""
        query = "SELECT key FROM waiting WHERE run=? AND (? IS NULL OR cluster=?) ORDER BY rowid"
        keys = [row[0] for row in self.db.execute(query, (self.run, cluster, cluster))]
        for key in keys:
            row = self.db.execute("SELECT url, body, meta FROM waiting WHERE key=?", (key,)).fetchone()
            if row:
                yield Waiting(key, row[0], zlib.decompress(row[1]), json.loads(row[2]))

    def held_count(self) -> int:
        return int(self.db.execute("SELECT COUNT(*) FROM waiting WHERE run=?", (self.run,)).fetchone()[0])

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

    # ---- for the report
    def page_counts(self) -> list[dict[str, Any]]:
        """Pages by what their link promised (``label``) and what they were (``kind``), most first."""
        query = "SELECT label, kind, COUNT(*) AS n FROM pages GROUP BY label, kind ORDER BY n DESC"
        return [{"label": label, "kind": kind, "count": count} for label, kind, count in self.db.execute(query)]

    def all_items(self) -> Iterator[dict[str, Any]]:
        """Articles of all runs."""
        for (data,) in self.db.execute("SELECT data FROM items ORDER BY rowid"):
            yield json.loads(zlib.decompress(data))
