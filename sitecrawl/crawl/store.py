"""The crawl store: what the crawls of a site must not forget. One SQLite file a site, all its SQL in this file."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from sitecrawl.crawl.records import ArticlePage, RequestContext, WaitingPage
from sitecrawl.errors import StoreError
from sitecrawl.items.kinds import PageKind
from sitecrawl.limits import LIMITS

PROTOCOL = 3
FOLDER = "crawls"
"""Folder of the data directory that holds a file for each site."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT);
CREATE TABLE IF NOT EXISTS pages (seq INTEGER PRIMARY KEY, key TEXT UNIQUE, run INTEGER, status TEXT, kind TEXT, shown INTEGER,
    brought INTEGER, turn INTEGER, context TEXT);
CREATE TABLE IF NOT EXISTS tasks (task TEXT PRIMARY KEY, run INTEGER, ended TEXT, items INTEGER, pages INTEGER);
CREATE TABLE IF NOT EXISTS shown (key TEXT PRIMARY KEY, run INTEGER, times INTEGER, listing TEXT);
CREATE TABLE IF NOT EXISTS waiting (seq INTEGER PRIMARY KEY, key TEXT UNIQUE, run INTEGER, cluster TEXT, page TEXT, body BLOB);
CREATE TABLE IF NOT EXISTS items (seq INTEGER PRIMARY KEY, key TEXT UNIQUE, run INTEGER, digest TEXT, data BLOB);
CREATE TABLE IF NOT EXISTS visits (seq INTEGER PRIMARY KEY, key TEXT UNIQUE, etag TEXT, modified TEXT, digest TEXT, type TEXT,
    body BLOB);
CREATE INDEX IF NOT EXISTS pages_status ON pages (status, run);
"""
_AT_ONCE = 200
"""Known articles read at a time."""
_REMEDY = "delete it to start afresh (articles already written stay in their feeds)"
_ARTICLES = "kind IN ('article', 'thread')"


class RunEnd(StrEnum):
    """What became of the last run of a task."""

    NONE = ""
    """There was none."""
    FINISHED = "finished"
    LIMITED = "limited"
    """It came to a limit; the next one goes on from there with a new budget."""
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class DonePage:
    """A page that was dealt with: what it was asked for as, what it was, how many articles and new articles it led to.

    ``kind`` is None for a page that could not be fetched or read.
    """

    context: RequestContext
    kind: PageKind | None
    shown: int
    brought: int


@dataclass(frozen=True, slots=True)
class Visit:
    """Validators (``ETag``, ``Last-Modified``), digest and ``Content-Type`` of a page as it was last fetched.

    ``kept`` tells that its bytes were kept as well: those of articles that left are not, nobody reads them again.
    """

    etag: str = ""
    modified: str = ""
    digest: str = ""
    type: str = ""
    kept: bool = False

    @property
    def conditions(self) -> dict[str, str]:
        """Headers that ask for the page only if it changed (RFC 9110, section 13)."""
        known = {"If-None-Match": self.etag, "If-Modified-Since": self.modified}
        return {name: value for name, value in known.items() if value}


def page_digest(body: bytes) -> str:
    """Digest of a page byte for byte."""
    return hashlib.sha1(body, usedforsecurity=False).hexdigest()


def store_path(data_dir: Path, hosts: Iterable[str]) -> Path:
    """Where the store of a site's crawls lies: a file named by its hosts.

    >>> store_path(Path("data"), {"example.org"}).as_posix(), store_path(Path("data"), {"example.org:81"}).name
    ('data/crawls/example.org.sqlite', 'example.org_81-8085ecd3.sqlite')
    """
    whole = ",".join(sorted(hosts))
    name = re.sub(r"[^a-z0-9.-]", "_", whole)[:100]
    if name != whole:
        name += "-" + hashlib.sha256(whole.encode("utf-8", "replace")).hexdigest()[:8]
    return data_dir / FOLDER / f"{name}.sqlite"


class CrawlStore:
    """State of the crawls of one site. Raises StoreError when the file is damaged or of another protocol.

    A task is what was asked for; each has runs of its own, so that tasks of one site do not end one another's interrupted
    runs. What earlier runs wrote is known to all. Another database needs another class with these verbs, no more.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self.db = sqlite3.connect(path, isolation_level=None, timeout=30)
            self.db.execute("PRAGMA journal_mode=WAL")
            self.db.execute("PRAGMA synchronous=NORMAL")
            found = self._protocol()
            if found in (None, str(PROTOCOL)):
                self.db.executescript(_SCHEMA)
                self.set_fact("protocol", str(PROTOCOL))
        except sqlite3.DatabaseError as error:
            raise StoreError(path, f"damaged ({error})", _REMEDY) from None
        if found not in (None, str(PROTOCOL)):
            raise StoreError(path, f"protocol {found}, this version reads {PROTOCOL}", _REMEDY)
        self.run = 0
        self._turn = int(self.db.execute("SELECT COALESCE(MAX(turn), 0) FROM pages").fetchone()[0])
        self._before = (0, 0)
        self._lock = -1

    def _protocol(self) -> str | None:
        known = self.db.execute("SELECT 1 FROM sqlite_master WHERE name='facts'").fetchone()
        return self.fact("protocol") if known else None

    def lock(self) -> None:
        """Keep other processes out until :meth:`close` or the end of this one. Raises StoreError where one holds the lock."""
        self._lock = os.open(self.path.with_suffix(".lock"), os.O_CREAT | os.O_RDWR, 0o644)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._unlock()
            raise StoreError(self.path, "in use", "wait for the other crawl of this site, or stop it") from None

    def _unlock(self) -> None:
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def close(self) -> None:
        """Close the database and let other processes in."""
        self.db.close()
        self._unlock()

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Make what is written inside one transaction: all of it, or, after a kill or an error, nothing."""
        if self.db.in_transaction:
            yield
            return
        self.db.execute("BEGIN")
        end = "ROLLBACK"
        try:
            yield
            end = "COMMIT"
        finally:
            self.db.execute(end)

    def fact(self, name: str) -> str | None:
        """A value kept by name, None without one."""
        row = self.db.execute("SELECT value FROM facts WHERE name=?", (name,)).fetchone()
        return str(row[0]) if row else None

    def set_fact(self, name: str, value: str) -> None:
        """Keep a value by name."""
        self.db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))

    # ---- runs
    def begin(self, task: str) -> RunEnd:
        """Begin a run of ``task`` (what was asked for), or go on with its last one; what became of that.

        An interrupted run goes on where it was, a limited one with a new budget; else a new run begins.
        """
        row = self.db.execute("SELECT run, ended, items, pages FROM tasks WHERE task=?", (task,)).fetchone()
        run, ended, items, pages = row or (0, "", 0, 0)
        if ended in (RunEnd.LIMITED, RunEnd.INTERRUPTED):
            self.run = run
        else:
            self.run = (self.db.execute("SELECT MAX(run) FROM tasks").fetchone()[0] or 0) + 1
            self._prune_visits()
        if ended != RunEnd.INTERRUPTED:
            items, pages = self._counts()
        values = (task, self.run, RunEnd.INTERRUPTED, items, pages)
        self.db.execute("INSERT OR REPLACE INTO tasks VALUES (?, ?, ?, ?, ?)", values)
        self._before = items, pages
        return RunEnd(ended)

    def finish(self, limited: bool = False) -> None:
        """The run came to its own end and the next one is a new one, or to a limit and goes on from there."""
        if not limited:
            self.db.execute("DELETE FROM pages WHERE status='queued' AND run=?", (self.run,))
        ended = RunEnd.LIMITED if limited else RunEnd.FINISHED
        self.db.execute("UPDATE tasks SET ended=? WHERE run=?", (ended, self.run))

    def progress(self) -> tuple[int, int]:
        """Articles that left and pages dealt with since the run began, or went on with a new budget."""
        (items, pages), before = self._counts(), self._before
        return items - before[0], pages - before[1]

    def _counts(self) -> tuple[int, int]:
        items = "SELECT COUNT(*) FROM items WHERE run=?"
        pages = "SELECT COUNT(*) FROM pages WHERE run=? AND status='done'"
        first, second = (int(self.db.execute(query, (self.run,)).fetchone()[0]) for query in (items, pages))
        return first, second

    def tasks(self) -> list[tuple[str, int, str]]:
        """What was asked for, the last run of it, and how that ended."""
        return self.db.execute("SELECT task, run, ended FROM tasks ORDER BY run").fetchall()

    # ---- pages
    def queue(self, context: RequestContext) -> None:
        """A page is to be fetched."""
        values = (context.key, self.run, json.dumps(context.to_dict(), ensure_ascii=False))
        self.db.execute(
            "INSERT INTO pages (key, run, status, kind, shown, brought, turn, context) VALUES (?, ?, 'queued', '', 0, 0, 0, ?) ON CONFLICT"
            " (key) DO UPDATE SET run=excluded.run, status='queued', kind='', brought=0, context=excluded.context",
            values,
        )

    def done(self, key: str, kind: PageKind | None, shown: int = 0, brought: int = 0) -> None:
        """A page was dealt with: its kind (None where it is of no use), the articles that it showed, the new ones among them."""
        self._turn += 1
        values = (kind or "failed", shown, brought, self._turn, key)
        self.db.execute("UPDATE pages SET status='done', kind=?, shown=?, brought=?, turn=? WHERE key=?", values)

    def miss(self, key: str) -> None:
        """A page was fetched in vain: it is to be fetched again."""
        self.db.execute("UPDATE pages SET status='queued', kind='' WHERE key=?", (key,))
        self.forget_visit(key)

    def queued(self) -> list[RequestContext]:
        """The pages that this run has still to fetch, in the order in which they were found."""
        query = "SELECT context FROM pages WHERE status='queued' AND run=? ORDER BY seq"
        return [RequestContext.from_dict(json.loads(text)) for (text,) in self.db.execute(query, (self.run,))]

    def done_pages(self, most: int) -> list[DonePage]:
        """The pages of any run dealt with last, the oldest of them first."""
        query = "SELECT context, kind, shown, brought FROM pages WHERE status='done' ORDER BY turn DESC LIMIT ?"
        rows = self.db.execute(query, (most,)).fetchall()
        return [
            DonePage(
                RequestContext.from_dict(json.loads(text)),
                None if kind in ("", "failed") else PageKind(kind),
                shown,
                brought,
            )
            for text, kind, shown, brought in reversed(rows)
        ]

    def settled(self, earlier: bool) -> set[str]:
        """Keys of the pages dealt with in this run and, with ``earlier``, of the articles of earlier runs."""
        query = f"SELECT key FROM pages WHERE status='done' AND kind!='failed' AND (run=? OR (? AND {_ARTICLES}))"
        return {key for (key,) in self.db.execute(query, (self.run, earlier))}

    def earlier_articles(self) -> Iterator[RequestContext]:
        """The articles of earlier runs that this run has not asked for, the latest first; read bit by bit."""
        query = f"SELECT seq, context FROM pages WHERE status='done' AND {_ARTICLES} AND run!=? AND seq<?"
        last = 1 << 62
        while rows := self.db.execute(f"{query} ORDER BY seq DESC LIMIT {_AT_ONCE}", (self.run, last)).fetchall():
            yield from (RequestContext.from_dict(json.loads(text)) for _, text in rows)
            last = rows[-1][0]

    def count_pages(self) -> list[tuple[str, str, int]]:
        """Role, kind and number of the pages known, the most first."""
        query = "SELECT json_extract(context, '$.role'), kind, COUNT(*) AS n FROM pages GROUP BY 1, 2 ORDER BY n DESC"
        return self.db.execute(query).fetchall()

    # ---- sightings
    def show(self, keys: Iterable[str], listing: str) -> None:
        """A listing, all its pages taken as one, shows these articles."""
        self.db.executemany(
            "INSERT INTO shown VALUES (?, ?, 1, ?) ON CONFLICT (key) DO UPDATE SET"
            " times=CASE WHEN run!=excluded.run THEN 1 WHEN listing=excluded.listing THEN times ELSE times+1 END,"
            " run=excluded.run, listing=excluded.listing",
            [(key, self.run, listing) for key in keys],
        )

    def sightings(self) -> tuple[int, int, int]:
        """Number of the articles that listings of this run showed, of those shown by one listing only, and by two."""
        query = "SELECT COUNT(*), SUM(times=1), SUM(times=2) FROM shown WHERE run=?"
        count, once, twice = self.db.execute(query, (self.run,)).fetchone()
        return int(count), int(once or 0), int(twice or 0)

    # ---- waiting pages
    def hold(self, waiting: WaitingPage, cluster: str) -> None:
        """Keep a page until its ``cluster`` (a family, or the parts of an article) may go."""
        page = waiting.page
        values = (page.key, self.run, cluster, json.dumps(page.to_dict()), zlib.compress(waiting.body, 1))
        self.db.execute("DELETE FROM waiting WHERE key=?", (page.key,))
        self.db.execute("INSERT INTO waiting (key, run, cluster, page, body) VALUES (?, ?, ?, ?, ?)", values)

    def held(self, cluster: str | None = None) -> Iterator[WaitingPage]:
        """Waiting pages of this run, those of one cluster or all."""
        query = "SELECT key FROM waiting WHERE run=? AND (? IS NULL OR cluster=?) ORDER BY seq"
        for (key,) in self.db.execute(query, (self.run, cluster, cluster)).fetchall():
            row = self.db.execute("SELECT page, body FROM waiting WHERE key=?", (key,)).fetchone()
            if row:
                yield WaitingPage(ArticlePage.from_dict(json.loads(row[0])), zlib.decompress(row[1]))

    def held_count(self) -> int:
        """Number of the waiting pages of this run."""
        return int(self.db.execute("SELECT COUNT(*) FROM waiting WHERE run=?", (self.run,)).fetchone()[0])

    def let_go(self, key: str) -> None:
        """A page waits no more."""
        self.db.execute("DELETE FROM waiting WHERE key=?", (key,))

    # ---- articles
    def save_item(self, key: str, item: dict[str, Any], digest: str) -> None:
        """An article leaves: kept, so that a feed cut short can be completed."""
        data = zlib.compress(json.dumps(item, ensure_ascii=False).encode("utf-8", "surrogatepass"), 1)
        with self.at_once():
            self.db.execute("DELETE FROM items WHERE key=?", (key,))
            values = (key, self.run, digest, data)
            self.db.execute("INSERT INTO items (key, run, digest, data) VALUES (?, ?, ?, ?)", values)
            self.let_go(key)

    def item(self, key: str) -> dict[str, Any] | None:
        """The article that left last for a page."""
        row = self.db.execute("SELECT data FROM items WHERE key=?", (key,)).fetchone()
        return _item(row[0]) if row else None

    def has_left(self, key: str) -> bool:
        """Whether an article left for a page in this run: one revision a run, however often a run is interrupted."""
        return bool(self.db.execute("SELECT 1 FROM items WHERE key=? AND run=?", (key, self.run)).fetchone())

    def item_digest(self, key: str) -> str | None:
        """Digest of the article that left last for a page."""
        row = self.db.execute("SELECT digest FROM items WHERE key=?", (key,)).fetchone()
        return str(row[0]) if row else None

    def items_of_run(self) -> Iterator[dict[str, Any]]:
        """Articles that left in this run, in order."""
        query = "SELECT data FROM items WHERE run=? ORDER BY seq"
        return (_item(data) for (data,) in self.db.execute(query, (self.run,)).fetchall())

    def all_items(self) -> Iterator[dict[str, Any]]:
        """Articles of all runs, in order."""
        return (_item(data) for (data,) in self.db.execute("SELECT data FROM items ORDER BY seq"))

    # ---- visits
    def last_visit(self, key: str) -> Visit | None:
        """What a page said of its own version when it was last fetched."""
        query = "SELECT etag, modified, digest, type, body IS NOT NULL FROM visits WHERE key=?"
        row = self.db.execute(query, (key,)).fetchone()
        return Visit(row[0], row[1], row[2], row[3], bool(row[4])) if row else None

    def visited_body(self, key: str) -> bytes | None:
        """The page as it was last fetched, where it was kept."""
        row = self.db.execute("SELECT body FROM visits WHERE key=?", (key,)).fetchone()
        return zlib.decompress(row[0]) if row and row[0] is not None else None

    def remember_visit(self, key: str, visit: Visit, body: bytes) -> None:
        """A page was dealt with; ``body`` is kept where ``visit`` says so. A page too large to be kept is forgotten."""
        self.forget_visit(key)
        if visit.kept and len(body) > LIMITS.kept_bytes:
            return
        data = zlib.compress(body, 1) if visit.kept else None
        values = (key, visit.etag, visit.modified, visit.digest, visit.type, data)
        self.db.execute(
            "INSERT INTO visits (key, etag, modified, digest, type, body) VALUES (?, ?, ?, ?, ?, ?)", values
        )

    def forget_visit(self, key: str) -> None:
        """Let the next request for a page be one without a condition."""
        self.db.execute("DELETE FROM visits WHERE key=?", (key,))

    def _prune_visits(self) -> None:
        old = "SELECT seq FROM visits WHERE body IS NOT NULL ORDER BY seq DESC LIMIT -1 OFFSET ?"
        self.db.execute(f"DELETE FROM visits WHERE seq IN ({old})", (LIMITS.kept_pages,))


def _item(data: bytes) -> dict[str, Any]:
    return dict(json.loads(zlib.decompress(data)))


def stores_of(data_dir: Path) -> list[CrawlStore]:
    """The stores of all sites that were crawled into a data directory, by name."""
    return [CrawlStore(path) for path in sorted((data_dir / FOLDER).glob("*.sqlite"))]
