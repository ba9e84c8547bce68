"""The database layer: one schema and one way to read and write it, for SQLite files and for PostgreSQL."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import secrets
import sqlite3
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from sitecrawl.errors import NEWER, DatabaseError, StoreError
from sitecrawl.urls.scope import Scope

PROTOCOL = 4
_OLDER = ("1", "3")
"""Protocols of SQLite files that are taken over: of templates and of crawls."""
_KEY = 400
"""Characters of a key that are kept as they are; PostgreSQL indexes no more than 2,700 bytes."""
_NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")
_METADATA = sa.MetaData()
"""Every table's key begins with the site, so that one database may hold all sites."""


def _table(name: str, *columns: sa.schema.SchemaItem, **options: Any) -> sa.Table:
    return sa.Table(name, _METADATA, *columns, **options)


def _text(name: str, **options: Any) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=False, **options)


def _count(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, nullable=False, server_default="0")


def _number(name: str) -> sa.Column[int]:
    return sa.Column(name, _NUMBER, nullable=False)


def _moment(name: str) -> sa.Column[float]:
    """Seconds since 1970, by the clock of the database."""
    return sa.Column(name, sa.Double, nullable=False, server_default="0")


def _first(name: str) -> sa.Column[str]:
    return _text(name, primary_key=True)


def _seq() -> sa.Column[int]:
    """Order in which rows were first written."""
    return sa.Column("seq", _NUMBER, primary_key=True)


FACTS = _table("facts", _first("site"), _first("name"), _text("value"))
PAGES = _table(
    "pages",
    _seq(),
    _text("site"),
    _text("key"),
    _count("run"),
    _text("status"),
    _text("kind"),
    _count("shown"),
    _count("brought"),
    _count("turn"),
    _count("counted"),
    _text("context"),
    sa.UniqueConstraint("site", "key"),
    sa.Index("pages_status", "site", "status", "run"),
    sa.Index("pages_counted", "site", "counted", "status"),
)
TASKS = _table("tasks", _first("site"), _first("task"), _count("run"), _text("ended"), _count("items"), _count("pages"))
SHOWN = _table(
    "shown",
    _first("site"),
    _first("key"),
    _count("run"),
    _count("times"),
    _text("listing"),
    sa.Index("shown_run", "site", "run"),
    sqlite_with_rowid=False,
)
WAITING = _table(
    "waiting",
    _seq(),
    _text("site"),
    _text("key"),
    _count("run"),
    _text("cluster"),
    _text("page"),
    sa.Column("body", sa.LargeBinary, nullable=False),
    sa.UniqueConstraint("site", "key"),
)
ITEMS = _table(
    "items",
    _seq(),
    _text("site"),
    _text("key"),
    _count("revision"),
    _count("run"),
    _text("digest"),
    sa.Column("data", sa.LargeBinary, nullable=False),
    sa.UniqueConstraint("site", "key", "revision"),
    sa.Index("items_run", "site", "run", "seq"),
)
VISITS = _table(
    "visits",
    _first("site"),
    _first("key"),
    _count("run"),
    _text("etag"),
    _text("modified"),
    _text("digest"),
    _text("type"),
    sa.Column("body", sa.LargeBinary),
)
SITES = _table("sites", _first("site"), _text("document"))

SCHEDULE = _table(
    "schedule",
    _first("site"),
    _text("start"),
    _text("arguments"),
    _count("every"),
    _moment("next_visit"),
    _text("worker"),
    _moment("taken"),
    _moment("ended"),
    _text("outcome"),
    _count("visits"),
    _count("articles"),
    sa.Index("schedule_next_visit", "next_visit"),
)
"""The sites to be visited: every so many seconds; ``worker`` is who visits a site now, empty when none does."""
WORKERS = _table(
    "workers",
    _first("worker"),
    _moment("began"),
    _moment("beat"),
    _count("sites"),
    _count("visits"),
    _count("pages"),
    _count("articles"),
)
RANGES = _table("ranges", _seq(), _text("site"), _text("born"), _number("first"), _number("last"))
"""Items of one site's SQLite file, in the order in which the feed of all sites gave them."""

CRAWL_TABLES = (FACTS, PAGES, TASKS, SHOWN, WAITING, ITEMS, VISITS)
SITE_TABLES = (FACTS, SITES)
WATCH_TABLES = (FACTS, SCHEDULE, WORKERS, RANGES)
SERVER_TABLES = (*CRAWL_TABLES, SITES, SCHEDULE, WORKERS)

for _statement in (
    "ALTER TABLE items ADD COLUMN xid xid8 NOT NULL DEFAULT pg_current_xact_id()",
    "CREATE INDEX items_xid ON items (xid, seq)",
):
    sa.event.listen(ITEMS, "after_create", sa.DDL(_statement).execute_if(dialect="postgresql"))  # type: ignore[no-untyped-call]
"""The transaction that wrote an item: who reads the items of all sites must not run ahead of one that is still open."""

_TAKE_OVER = {
    "facts": "INSERT INTO facts SELECT :site, name, value FROM old_facts WHERE name!='protocol'",
    "pages": "INSERT INTO pages (site, key, run, status, kind, shown, brought, turn, counted, context)"
    " SELECT :site, key, run, status, kind, shown, brought, turn, 0, context FROM old_pages ORDER BY seq",
    "tasks": "INSERT INTO tasks SELECT :site, task, run, ended, items, pages FROM old_tasks",
    "shown": "INSERT INTO shown SELECT :site, key, run, times, listing FROM old_shown",
    "waiting": "INSERT INTO waiting (site, key, run, cluster, page, body)"
    " SELECT :site, key, run, cluster, page, body FROM old_waiting ORDER BY seq",
    "items": "INSERT INTO items (site, key, revision, run, digest, data)"
    " SELECT :site, key, 1, run, digest, data FROM old_items ORDER BY seq",
    "visits": "INSERT INTO visits SELECT :site, key, 0, etag, modified, digest, type, body FROM old_visits ORDER BY seq",
    "sites": "INSERT INTO sites SELECT site, document FROM old_sites",
}
"""How each table of an older SQLite file is taken over."""


_SQLITE = sqlite.dialect(paramstyle="qmark")
_NOW = sa.text("SELECT extract(epoch FROM clock_timestamp())")


def short(key: str) -> str:
    """A key that any database can index: a long one ends in its digest.

    >>> short("a.example/1"), len(short("x" * 5_000))
    ('a.example/1', 464)
    """
    if len(key) <= _KEY:
        return key
    return key[:_KEY] + hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()


class Database:
    """One connection to a database, with the given tables. Raises DatabaseError where it cannot be used.

    ``target`` is the path of an SQLite file, or the URL of a PostgreSQL database. Writes inside :meth:`at_once` are gathered
    by table, and written before that table is read or the step ends: each statement once for all its rows.
    """

    def __init__(self, target: Path | str, tables: Sequence[sa.Table], site: str = "") -> None:
        self.path = target if isinstance(target, Path) else None
        self.place = str(target) if isinstance(target, Path) else without_password(target)
        self.tables = tables
        self._users = 1
        self._is_new = False
        self._inside = False
        self._pending: dict[str, list[tuple[sa.Executable, Mapping[str, Any]]]] = {}
        self._lock = -1
        self._lock_key: int | None = None
        with self.told(), self.undamaged():
            if self.path:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            self.connection = _engine(target).connect()
            self._file: sqlite3.Connection | None = None
            if self.path:
                self._file = self.connection.connection.driver_connection
            self._prepare(site)

    # ---- schema
    def _prepare(self, site: str) -> None:
        """Make the tables where there are none; take over those of an older file. Raises StoreError for another protocol."""
        if self._protocol() == str(PROTOCOL):
            return
        with self.at_once():
            if not self.path:
                self.rows(sa.text("SELECT pg_advisory_xact_lock(:key)"), key=lock_key("sitecrawl schema"))
            found = self._protocol()
            if found is None:
                self._is_new = True
                _METADATA.create_all(self.connection, self.tables)
            elif self.path and found in _OLDER:
                self._take_over(site)
            elif found != str(PROTOCOL):
                raise StoreError(self.place, f"protocol {found}, this version reads {PROTOCOL}", NEWER)
            facts = {"protocol": str(PROTOCOL), "born": secrets.token_hex(8)}
            for name, value in facts.items():
                self.connection.execute(sa.insert(FACTS), {"site": "", "name": name, "value": value})

    def _protocol(self) -> str | None:
        """The protocol of the tables, None where there are none."""
        known = (
            "SELECT 1 FROM sqlite_master WHERE name='facts'"
            if self.path
            else "SELECT 1 WHERE to_regclass('facts') IS NOT NULL"
        )
        if not self.rows(sa.text(known)):
            return None
        found = self.row(sa.text("SELECT value FROM facts WHERE name='protocol'"))
        return str(found[0]) if found else None

    def born(self) -> str:
        """What tells this database from one that takes its place."""
        return str(self.rows(sa.text("SELECT value FROM facts WHERE site='' AND name='born'"))[0][0])

    def _take_over(self, site: str) -> None:
        """Copy an older SQLite file into tables of today."""
        names = self.rows(sa.text("SELECT name FROM sqlite_master WHERE type='table'"))
        known = [str(name) for (name,) in names if name in _TAKE_OVER]
        site = site or self._site_of_tasks(known)
        self.rows(sa.text("DROP INDEX IF EXISTS pages_status"))
        for name in known:
            self.rows(sa.text(f"ALTER TABLE {name} RENAME TO old_{name}"))
        _METADATA.create_all(self.connection, self.tables)
        for name in known:
            statement = _TAKE_OVER[name]
            self.rows(sa.text(statement), **({"site": site} if ":site" in statement else {}))
            self.rows(sa.text(f"DROP TABLE old_{name}"))

    def _site_of_tasks(self, known: Sequence[str]) -> str:
        """The site that an older file is about, by what was asked for."""
        task = self.row(sa.text("SELECT task FROM tasks")) if "tasks" in known else None
        if task is None:
            return ""
        start, scope, _ = json.loads(task[0])
        return ",".join(sorted(Scope.of(start, scope).hosts))

    def check(self) -> None:
        """Look for damage in an SQLite file that was there before: tables, indexes and what they say of one another. Raises DatabaseError."""
        if not self.path or self._is_new:
            return
        fresh = sa.create_engine("sqlite://")
        tables = sa.text("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name")
        with self.told(), self.undamaged(), fresh.begin() as other:
            _METADATA.create_all(other, self.tables)
            found = str(self.rows(sa.text("PRAGMA integrity_check(1)"))[0][0])
            if self.rows(tables) != other.execute(tables).fetchall():
                found = "the tables are not those that were made"
        fresh.dispose()
        if found != "ok":
            raise DatabaseError.of(self.place, sqlite3.DatabaseError(found))

    # ---- reading and writing
    @property
    def in_step(self) -> bool:
        """Whether a step is open."""
        return self._inside

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Make what is written inside one transaction: all of it, or, after a kill or an error, nothing.

        Raises DatabaseError where the database cannot be read or written.
        """
        if self._inside:
            yield
            return
        with self.told():
            if self.connection.invalidated:
                raise DatabaseError.of(self.place, ConnectionError("the connection was lost"))
            self._inside = True
            try:
                with self.connection.begin():
                    yield
                    for table in list(self._pending):
                        self._flush(table)
            finally:
                self._inside = False
                self._pending.clear()

    def write(self, statement: sa.Executable, **values: Any) -> None:
        """Run a statement that changes one table, with these values, in the order of calls for that table."""
        if not self._inside:
            with self.at_once():
                self.write(statement, **values)
            return
        self._pending.setdefault(_tables_of(statement)[0], []).append((statement, values))

    def rows(self, statement: sa.Executable, **values: Any) -> Sequence[Any]:
        """The rows that a statement gives, as tuples; what was written before counts."""
        plain = _plain(statement, tuple(values)) if self._file and self._inside else None
        if not self._file or not plain:
            return self.named_rows(statement, **values)
        for table in _tables_of(statement):
            self._flush(table)
        return self._file.execute(plain.text, plain.row(values)).fetchall()

    def named_rows(self, statement: sa.Executable, **values: Any) -> Sequence[Any]:
        """The same, each row with the names of its columns."""
        if not self._inside:
            with self.at_once():
                return self.named_rows(statement, **values)
        for table in _tables_of(statement):
            self._flush(table)
        found = self.connection.execute(statement, values)
        return found.fetchall() if found.returns_rows else ()

    def row(self, statement: sa.Executable, **values: Any) -> Any:
        """The first row that a statement gives, None without one."""
        found = self.rows(statement, **values)
        return found[0] if found else None

    def number(self, statement: sa.Executable, **values: Any) -> int:
        """The whole number that a statement gives, 0 without one."""
        found = self.row(statement, **values)
        return int(found[0] or 0) if found else 0

    def now(self) -> float:
        """Seconds since 1970 by the clock of the server, which all its users share."""
        if self.path:
            return time.time()
        return float(self.rows(_NOW)[0][0])

    def _flush(self, table: str) -> None:
        """Write what was gathered for a table: neighbours of one statement go together."""
        pending = self._pending.pop(table, [])
        while pending:
            statement = pending[0][0]
            count = next((n for n, entry in enumerate(pending) if entry[0] is not statement), len(pending))
            rows = [values for _, values in pending[:count]]
            plain = _plain(statement, tuple(rows[0])) if self._file else None
            if self._file and plain:
                self._file.executemany(plain.text, map(plain.row, rows))
            else:
                self.connection.execute(statement, rows)
            del pending[:count]

    # ---- one at a time
    def lock(self, name: str) -> None:
        """Keep others out of a site until :meth:`close` or the end of this process. Raises StoreError where one holds the lock.

        On PostgreSQL the lock belongs to this connection: whoever loses it can write no more.
        """
        taken = self._lock_file() if self.path else self._lock_row(name)
        if not taken:
            raise StoreError(self.place, f"{name} is in use", "wait for the other crawl of this site, or stop it")

    def _lock_file(self) -> bool:
        assert self.path
        with self.told():
            self._lock = os.open(self.path.with_suffix(".lock"), os.O_CREAT | os.O_RDWR, 0o644)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._unlock()
            return False
        return True

    def _lock_row(self, name: str) -> bool:
        key = lock_key(name)
        taken = bool(self.number(sa.text("SELECT pg_try_advisory_lock(:key)::int"), key=key))
        self._lock_key = key if taken else None
        return taken

    def _unlock(self) -> None:
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def shared(self) -> Database:
        """The same connection for one more user, who closes it as well."""
        self._users += 1
        return self

    def close(self) -> None:
        """Close the connection and let others in, once all its users did so."""
        self._users -= 1
        if self._users != 0:
            return
        with suppress(DatabaseError):
            if self._lock_key is not None:
                self.number(sa.text("SELECT pg_advisory_unlock(:key)::int"), key=self._lock_key)
        with suppress(SQLAlchemyError):
            self.connection.close()
        self._unlock()

    # ---- what may go wrong
    @contextmanager
    def told(self) -> Iterator[None]:
        """Tell what goes wrong with the database by a DatabaseError."""
        try:
            yield
        except DBAPIError as error:
            raise DatabaseError.of(self.place, error.orig or error) from None
        except (SQLAlchemyError, sqlite3.Error, OSError) as error:
            raise DatabaseError.of(self.place, error) from None

    @contextmanager
    def undamaged(self) -> Iterator[None]:
        """Tell by a DatabaseError that what the database gave is not what was put there."""
        try:
            yield
        except (zlib.error, ValueError, KeyError, TypeError, AttributeError) as error:
            raise DatabaseError.of(self.place, error) from None


def lock_key(name: str) -> int:
    """The number under which PostgreSQL locks a name, 64 bits with a sign."""
    return int.from_bytes(hashlib.sha256(name.encode("utf-8", "replace")).digest()[:8], "big", signed=True)


def is_server(url: str) -> bool:
    """Whether a value of ``SITECRAWL_DATABASE`` names a server."""
    return bool(re.match(r"postgres(ql)?(\+psycopg)?://", url))


def without_password(url: str) -> str:
    """The URL of a server as it may be shown."""
    return sa.make_url(url).render_as_string(hide_password=True)


def _engine(target: Path | str) -> sa.Engine:
    if isinstance(target, str):
        return server_engine(target)
    known = {"isolation_level": None, "timeout": 30}
    engine = sa.create_engine(sa.URL.create("sqlite", database=str(target)), poolclass=sa.NullPool, connect_args=known)

    @sa.event.listens_for(engine, "connect")
    def connected(connection: sqlite3.Connection, record: object) -> None:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")

    @sa.event.listens_for(engine, "begin")
    def begun(connection: sa.Connection) -> None:
        connection.exec_driver_sql("BEGIN")

    return engine


def server_dsn(url: str) -> str:
    """A server's URL as its own library takes it."""
    return sa.make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)


def named(url: str, name: str) -> str:
    """A server's URL whose connections say who uses them."""
    return sa.make_url(url).update_query_dict({"application_name": name}).render_as_string(hide_password=False)


def server_engine(url: str) -> sa.Engine:
    """The engine of a PostgreSQL database; a server that answers no more is noticed within a minute."""
    options = {"connect_timeout": 10, "keepalives_idle": 20, "keepalives_interval": 10, "keepalives_count": 3}
    place = sa.make_url(url).set(drivername="postgresql+psycopg")
    return sa.create_engine(place, poolclass=sa.NullPool, connect_args=options)


class _Plain(NamedTuple):
    """A statement as SQL for SQLite: ``names`` of its parameters in order, ``given`` the values of those that the statement holds itself."""

    text: str
    names: tuple[str, ...]
    given: Mapping[str, Any]

    def row(self, values: Mapping[str, Any]) -> tuple[Any, ...]:
        """The values in order."""
        return tuple([values[name] if name in values else self.given[name] for name in self.names])


@cache
def _plain(statement: sa.Executable, names: tuple[str, ...]) -> _Plain | None:
    """A statement made once for values of these ``names``: SQLAlchemy takes four times as long to run it as SQLite. None where its text
    depends on the values, and for SQL that is text already."""
    if not isinstance(statement, sa.Insert | sa.Update | sa.Delete | sa.Select):
        return None
    made = statement.compile(dialect=_SQLITE, column_keys=list(names))
    if any(bind.expanding for bind in made.binds.values()):
        return None
    return _Plain(str(made), tuple(made.positiontup or ()), dict(made.params))


@cache
def _tables_of(statement: sa.Executable) -> tuple[str, ...]:
    """Names of the tables that a statement of this module's callers reads or changes; of SQL as text none are known."""
    if isinstance(statement, sa.Insert | sa.Update | sa.Delete):
        return (str(statement.table.description),)
    if isinstance(statement, sa.Select):
        return tuple(str(table.description) for table in _leaves(statement.get_final_froms()))
    return ()


def _leaves(tables: Iterable[sa.FromClause]) -> Iterator[sa.FromClause]:
    for table in tables:
        inner = table.element if isinstance(table, sa.Subquery) else None
        yield from _leaves(inner.get_final_froms()) if isinstance(inner, sa.Select) else (table,)
