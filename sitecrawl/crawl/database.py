"""The database layer: one schema and one way to read and write it, for SQLite files and for
database servers."""

from __future__ import annotations

import fcntl
import hashlib
import os
import secrets
import sqlite3
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import IO, Any, Protocol

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from sitecrawl.errors import NEWER, DatabaseError, StoreError
from sitecrawl.plugins import DATABASES, plugged
from sitecrawl.text.chars import storable

PROTOCOL = 8
_KEY = 400  # characters of a key that are stored unchanged; PostgreSQL indexes at most 2,700 bytes
ROWS_AT_ONCE = 200  # rows in one statement or one read, and rows kept in memory after a read
_NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")
_METADATA = (
    sa.MetaData()
)  # the key of every table begins with the site, so one database can hold all sites


def _table(name: str, *columns: sa.schema.SchemaItem, **options: Any) -> sa.Table:
    return sa.Table(name, _METADATA, *columns, **options)


def _columns(
    kind: Any, *names: str, nullable: bool = False, **options: Any
) -> Iterator[sa.Column[Any]]:
    return (sa.Column(name, kind, nullable=nullable, **options) for name in names)


_texts = partial(_columns, sa.Text)
_key = partial(_columns, sa.Text, primary_key=True)
_counts = partial(_columns, sa.Integer, server_default="0")
_moments = partial(
    _columns, sa.Double, server_default="0"
)  # seconds since 1970 by the clock of the database
_seq = partial(_columns, _NUMBER, "seq", primary_key=True)  # order in which rows were first written
_packed = partial(_columns, sa.LargeBinary)

FACTS = _table("facts", *_key("name"), *_texts("value"))
"""Facts of the database itself: its protocol, and an id that differs from that of a new database at
the same place."""
SITE_FACTS = _table(
    "site_facts",
    *_key("site"),
    *_texts("own_urls", "candidate_urls", "browser_duties", server_default="[]"),
    *_texts("url_counts", server_default="null"),
)
"""What crawls learned about a whole site; each column holds JSON."""
PAGES = _table(
    "pages",
    *_seq(),
    *_texts("site", "key"),
    *_counts("run"),
    *_texts("status", "kind"),
    *_counts("shown", "brought", "turn", "counted"),
    *_texts("context"),
    sa.UniqueConstraint("site", "key"),
    sa.Index("pages_status", "site", "status", "run"),
    sa.Index("pages_counted", "site", "counted", "status"),
    sa.Index("pages_kind", "site", "kind"),
)
TASKS = _table(
    "tasks", *_key("site", "task"), *_counts("run"), *_texts("ended"), *_counts("items", "pages")
)
SHOWN = _table(
    "shown",
    *_key("site", "key"),
    *_counts("run", "times"),
    *_texts("listing"),
    sa.Index("shown_run", "site", "run"),
    sqlite_with_rowid=False,
)
WAITING = _table(
    "waiting",
    *_seq(),
    *_texts("site", "key"),
    *_counts("run"),
    *_texts("kind", "of", "page"),
    *_packed("body"),
    sa.UniqueConstraint("site", "key"),
)
ITEMS = _table(
    "items",
    *_seq(),
    *_texts("site", "key"),
    *_counts("revision", "run"),
    *_texts("digest"),
    *_packed("data"),
    sa.UniqueConstraint("site", "key", "revision"),
    sa.Index("items_run", "site", "run", "seq"),
    sa.Index("items_digest", "site", "digest"),
)
FAMILY_PAGES = _table(
    "family_pages",
    *_key("site", "key"),
    *_counts("run"),
    *_texts("family", "kind", "headline"),
    *_counts("dated", "weighed"),
    *_columns(sa.Float, "log_odds"),
    *_texts("digest"),
    *_packed("data", nullable=True),
    sa.Index("family_pages_family", "site", "family"),
    sa.Index("family_pages_headline", "site", "headline"),
)
"""The evidence of each article for its family; ``data`` is the item if it is withheld."""
FAMILIES = _table(
    "families",
    *_key("site", "family", "kind"),
    *_counts("pages", "dated", "weighed"),
    *_columns(sa.Float, "log_odds"),
    *_counts("withheld"),
)
"""The sums over the pages of each family, by their kind. No step counts all pages again."""
VERSIONS = _table(
    "visits",
    *_key("site", "key"),
    *_counts("run"),
    *_texts("etag", "modified", "digest", "type"),
    *_packed("body", nullable=True),
)
MEMORY = _table("memory", *_key("site", "key"), *_texts("data"), sqlite_with_rowid=False)
"""What the current run has learned, in JSON, so that it continues after a kill as if nothing had
happened."""
SITES = _table("sites", *_key("site"), *_texts("document"))

SCHEDULE = _table(
    "schedule",
    *_key("site"),
    *_texts("start", "arguments"),
    *_columns(sa.Text, "file", "wishes", server_default=""),
    *_counts("every"),
    *_moments("next_visit", "begun", "ended"),
    *_texts("outcome"),
    *_counts("visits", "articles", "tries", "deaths", "paused", "stop"),
    sa.Index("schedule_next_visit", "next_visit"),
)
"""Sites with the interval of their visits in seconds. ``file`` is the file of sites that names one,
or empty, ``wishes`` what it says beside arguments. ``begun`` is when the visit under way began
(in a folder only; with a server the engine knows), ``tries`` counts visits in a row that did not
come to their end, ``deaths`` those whose process died, and ``stop`` asks for the end of a visit."""
RANGES = _table("ranges", *_seq(), *_texts("site", "born"), *_columns(_NUMBER, "first", "last"))
"""Items of one site's SQLite file, in the order in which the common feed returned them."""

CRAWL_TABLES = (
    FACTS,
    SITE_FACTS,
    PAGES,
    TASKS,
    SHOWN,
    WAITING,
    ITEMS,
    FAMILY_PAGES,
    FAMILIES,
    VERSIONS,
    MEMORY,
)
SITE_TABLES = (FACTS, SITES)
WATCH_TABLES = (FACTS, SCHEDULE, RANGES)
SERVER_TABLES = (*CRAWL_TABLES, SITES, SCHEDULE)


@cache
def upsert(table: sa.Table, names: tuple[str, ...]) -> str:
    """SQL that inserts a row, or updates the given columns of the row with the same key."""
    unique = next(
        (one for one in table.constraints if isinstance(one, sa.UniqueConstraint)),
        table.primary_key,
    )
    keys = [column.name for column in unique.columns]
    values = ", ".join(f":{name}" for name in names)
    changed = ", ".join(f"{name}=excluded.{name}" for name in names if name not in keys)
    into = f"INSERT INTO {table.name} ({', '.join(names)}) VALUES ({values})"
    return f"{into} ON CONFLICT ({', '.join(keys)}) DO UPDATE SET {changed}"


_parsed = lru_cache(maxsize=500)(sa.text)


def short(key: str) -> str:
    """A key that every database can index: a long one is cut and ends in its digest.

    >>> short("a.example/1"), len(short("x" * 5_000))
    ('a.example/1', 464)
    """
    if (
        len(key) <= _KEY + 64
    ):  # as long as a short key, so that the short key of a short key is itself
        return key
    return key[:_KEY] + hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()


def is_locked(file: IO[bytes] | int, *, shared: bool = False) -> bool:
    """Whether another process has locked a file; else it is locked until it is closed, where the
    file system knows locks."""
    try:
        fcntl.flock(file, fcntl.LOCK_NB | (fcntl.LOCK_SH if shared else fcntl.LOCK_EX))
    except OSError as error:
        return isinstance(error, BlockingIOError)
    return False


def locked_file(path: Path) -> int | None:
    """File descriptor of ``path`` with an exclusive lock until it is closed; the file is created if
    it is missing. None if another process holds the lock. Raises OSError if the file cannot be
    opened."""
    opened = os.open(path, os.O_CREAT | os.O_RDWR, 0o644)
    if not is_locked(opened):
        return opened
    os.close(opened)
    return None


def is_path_locked(path: Path) -> bool:
    """Whether another process has locked ``path``, which is not created."""
    try:
        opened = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        return is_locked(opened)
    finally:
        os.close(opened)


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file, in a new folder if need be, which others find as it was before or complete,
    also after a power failure. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    fresh.write_bytes(content.encode("utf-8", "replace") if isinstance(content, str) else content)
    with open(fresh, "r+b") as file:
        os.fsync(file.fileno())
    fresh.replace(path)


class Database:
    """One connection to a database with the given tables. Raises DatabaseError if it cannot be
    used. ``target`` is the path of an SQLite file or the URL of a database server. Writes inside
    :meth:`at_once` are collected, and executed before the next read or at the end; consecutive rows
    of the same statement are written together."""

    def __init__(self, target: Path | str, tables: Sequence[sa.Table]) -> None:
        self.path = target if isinstance(target, Path) else None
        self.server = None if isinstance(target, Path) else server_of(target)
        self.place = str(target) if isinstance(target, Path) else without_password(target)
        self.tables = tables
        self._users = 1
        self._is_new = False
        self._inside = False
        self._pending: list[tuple[str, Mapping[str, Any]]] = []
        self._lock: int | None = None
        self._lock_name = ""
        with self.database_errors(OSError), self.undamaged():
            if self.path:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            engine = self.server.engine(str(target)) if self.server else _sqlite_engine(target)
            self.connection = engine.connect()
            self._prepare()

    # ---- schema
    def _prepare(self) -> None:
        """Create missing tables. Raises StoreError for another protocol than today's."""
        if self._protocol() == str(PROTOCOL):
            return
        with self.at_once():
            if self.server:
                self.server.guard_schema(self)
            found = self._protocol()
            if found not in (None, str(PROTOCOL)):
                kind = DatabaseError if self.server else StoreError
                raise kind(self.place, f"protocol {found}, this version reads {PROTOCOL}", NEWER)
            _METADATA.create_all(self.connection, self.tables)
            self.put(FACTS, name="protocol", value=str(PROTOCOL))
            if found is None:
                self._is_new = True
                self.put(FACTS, name="born", value=secrets.token_hex(8))

    def _protocol(self) -> str | None:
        """The protocol of the tables; None if there are no tables."""
        with self.at_once(reads=True):
            return self.fact("protocol") if sa.inspect(self.connection).has_table("facts") else None

    def fact(self, name: str) -> str | None:
        """A fact about the database itself; ``born`` is an id that tells it from a new one at the
        same place."""
        found = self.row("SELECT value FROM facts WHERE name=:name", name=name)
        return str(found[0]) if found else None

    def check(self) -> None:
        """Check an existing SQLite file for damage, in tables, indexes and references. Raises
        DatabaseError."""
        if not self.path or self._is_new:
            return
        fresh = sa.create_engine("sqlite://")
        tables = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name"
        with self.database_errors(), self.undamaged(), fresh.begin() as other:
            _METADATA.create_all(other, self.tables)
            found = str(self.rows("PRAGMA integrity_check(1)")[0][0])
            if self.rows(tables) != list(map(tuple, other.exec_driver_sql(tables))):
                found = "the tables are not those that were made"
        fresh.dispose()
        if found != "ok":
            raise DatabaseError.of(self.place, sqlite3.DatabaseError(found))

    # ---- reading and writing
    @contextmanager
    def at_once(self, *, reads: bool = False) -> Iterator[None]:
        """One transaction: all writes inside it take effect, or none after a kill or error. It
        waits for other writers of an SQLite file before its first statement, unless it only
        ``reads``: one that has read cannot wait any more. Raises DatabaseError if the database
        cannot be used."""
        if self._inside:
            yield
            return
        with self.database_errors():
            if self.connection.invalidated:
                raise DatabaseError.of(self.place, ConnectionError("the connection was lost"))
            self._inside = True
            try:
                with self.connection.begin():
                    if self.path:
                        self.connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")
                    yield
                    self._flush()
            finally:
                self._inside = False
                self._pending.clear()

    def put(self, table: sa.Table, **values: Any) -> None:
        """Insert a row, or update the given columns of the row with the same key."""
        self.write(upsert(table, tuple(values)), **values)

    def write(self, sql: str, **values: Any) -> None:
        """Run SQL that changes one table, with values for its ``:names``. Additional values are
        ignored."""
        with self.at_once():
            self._pending.append((sql, _gated(values)))

    def rows(self, sql: str, **values: Any) -> Sequence[Any]:
        """The rows of a query. Earlier writes are visible."""
        with self.at_once(reads=True):
            self._flush()
            found: Sequence[Any] = self._run(sql, [_gated(values)]).fetchall()
        return found

    def row(self, sql: str, **values: Any) -> Any:
        """The first row of a query, or None."""
        found = self.rows(sql, **values)
        return found[0] if found else None

    def number(self, sql: str, **values: Any) -> int:
        """The integer result of a query, 0 if it has no row."""
        found = self.row(sql, **values)
        return int(found[0] or 0) if found else 0

    def now(self) -> float:
        """Seconds since 1970 by the clock of the server, which all its users share."""
        return self.server.now(self) if self.server else time.time()

    def _flush(self) -> None:
        """Execute the collected writes; consecutive rows of the same statement are written
        together."""
        pending, self._pending = self._pending, []
        for sql, entries in groupby(pending, key=itemgetter(0)):
            self._run(sql, [values for _, values in entries])

    def _run(self, sql: str, rows: list[Mapping[str, Any]]) -> Any:
        """Run SQL once for each row of values. For SQLite this bypasses SQLAlchemy, which takes
        four times as long."""
        if not self.path:
            return self.connection.execute(_parsed(sql), rows)
        file: Any = self.connection.connection.driver_connection
        return file.executemany(sql, rows) if len(rows) > 1 else file.execute(sql, rows[0])

    # ---- one at a time
    def lock(self, name: str) -> None:
        """Lock a site until :meth:`close` or the end of this process. Raises StoreError if it is
        locked already. On a server the lock belongs to this
        connection: a process that loses the lock can no longer write."""
        if self.path:
            with self.database_errors(OSError):
                self._lock = locked_file(self.path.with_suffix(".lock"))
        taken = self.server.lock(self, name) if self.server else self._lock is not None
        if not taken:
            raise StoreError(
                self.place, f"{name} is in use", "wait for the other crawl of this site, or stop it"
            )
        self._lock_name = name

    def shared(self) -> Database:
        """The same connection for another user, who must close it as well."""
        self._users += 1
        return self

    def close(self) -> None:
        """Close the connection and release the locks, when the last user closes it."""
        self._users -= 1
        if self._users != 0:
            return
        with suppress(DatabaseError):
            if self.server and self._lock_name:
                self.server.unlock(self, self._lock_name)
        with suppress(SQLAlchemyError):
            self.connection.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    # ---- what may go wrong
    @contextmanager
    def database_errors(self, *more: type[Exception]) -> Iterator[None]:
        """Turn errors of the database into DatabaseError, and ``more`` where all that is done
        inside is done for the database."""
        kinds: tuple[type[Exception], ...] = (SQLAlchemyError, sqlite3.Error, *more)
        try:
            yield
        except kinds as error:
            raise DatabaseError.of(self.place, getattr(error, "orig", None) or error) from None

    @contextmanager
    def undamaged(self) -> Iterator[None]:
        """Turn errors caused by damaged contents of the database into DatabaseError."""
        try:
            yield
        except (zlib.error, ValueError, KeyError, TypeError, AttributeError) as error:
            raise DatabaseError.of(self.place, error) from None


def _gated(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values of a statement in a form that every database can store. All text from the network
    passes through here."""
    return {
        name: storable(value) if value.__class__ is str else value for name, value in values.items()
    }


@dataclass(eq=False)
class SiteRows:
    """The rows of one site in a database, and the number of the current run."""

    db: Database
    site: str
    run: int = 0

    def put(self, table: sa.Table, key: str, **values: Any) -> None:
        """Insert a row with a key, or update the given columns."""
        self.db.put(table, site=self.site, key=short(key), **values)

    def write(self, sql: str, key: str = "", **values: Any) -> None:
        """Run SQL; ``:site``, ``:run`` and ``:key`` are filled in."""
        self.db.write(sql, **self._given(key, values))

    def rows(self, sql: str, key: str = "", **values: Any) -> Sequence[Any]:
        return self.db.rows(sql, **self._given(key, values))

    def row(self, sql: str, key: str = "", **values: Any) -> Any:
        return self.db.row(sql, **self._given(key, values))

    def number(self, sql: str, **values: Any) -> int:
        return self.db.number(sql, **self._given("", values))

    def pieces(self, sql: str, last: int) -> Iterator[Any]:
        """The rows of a query, read lazily: its first column, by which it is ordered, is compared
        with ``:last``."""
        while rows := self.rows(f"{sql} LIMIT {ROWS_AT_ONCE}", last=last):
            yield from rows
            last = rows[-1][0]

    def _given(self, key: str, values: Mapping[str, Any]) -> dict[str, Any]:
        return {"site": self.site, "run": self.run, "key": short(key), **values}


class Server(Protocol):
    """A database server. One class by entry point, named by the scheme of its URLs. It must support
    PostgreSQL's ``INSERT ... ON CONFLICT``."""

    package: str  # the package of its driver
    extra: str  # the extra of the package that installs the driver

    def engine(self, url: str) -> sa.Engine:
        """An engine without a pool."""

    def now(self, db: Database) -> float:
        """Seconds since 1970 by the clock of the server, which all its users share."""

    def guard_schema(self, db: Database) -> None:
        """Let only one connection create the tables, until the end of its transaction."""

    def lock(self, db: Database, name: str) -> bool:
        """Take a lock that belongs to the connection; False if another connection has it."""

    def unlock(self, db: Database, name: str) -> None:
        """Release a lock."""


def is_server(url: str) -> bool:
    with suppress(SQLAlchemyError, ValueError):  # of a text that is no URL
        return sa.make_url(url).get_backend_name() in plugged(DATABASES)
    return False


@cache
def server_of(url: str) -> Server:
    """The server that a URL names. Raises KeyError if there is no plug-in for its scheme."""
    found: Server = plugged(DATABASES)[sa.make_url(url).get_backend_name()].load()()
    return found


def without_password(url: str) -> str:
    """The URL of a server without its password, also where it stands in the query.

    >>> without_password("postgresql://ann:secret@db/news?password=secret&sslmode=require")
    'postgresql://ann:***@db/news?password=hidden&sslmode=require'
    """
    parts = sa.make_url(url)
    secret = [key for key in parts.query if "password" in key.casefold()]
    parts = parts.update_query_dict(dict.fromkeys(secret, "hidden"))
    return parts.render_as_string(hide_password=True)


def _sqlite_engine(path: Path | str) -> sa.Engine:
    known = {"isolation_level": None, "timeout": 30}
    engine = sa.create_engine(
        sa.URL.create("sqlite", database=str(path)), poolclass=sa.NullPool, connect_args=known
    )
    sa.event.listen(engine, "connect", _log_ahead)
    return engine


def _log_ahead(connection: sqlite3.Connection, _: object) -> None:
    """Turn on the write-ahead log. SQLite waits for other processes, but not for one that turns the
    log on as well."""
    until = time.monotonic() + connection.execute("PRAGMA busy_timeout").fetchone()[0] / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            break
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.01)
    connection.execute("PRAGMA synchronous=NORMAL")
