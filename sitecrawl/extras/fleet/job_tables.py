"""Procrastinate's tables: created once, migrated when the package is newer than they are. The
package has SQL files for that and no record of those that were applied: ours is a table beside."""

from __future__ import annotations

from pathlib import Path
from typing import LiteralString

import psycopg
from procrastinate.schema import SchemaManager

from sitecrawl.crawl.database import without_password
from sitecrawl.errors import DatabaseError
from sitecrawl.extras.fleet.postgresql import conninfo, lock_key

_ANSWER = 5.0  # seconds within which a server passes a notification on
_KNOWN = "CREATE TABLE IF NOT EXISTS engine_migrations (name text PRIMARY KEY)"
_EXISTS = "SELECT to_regclass('procrastinate_jobs') IS NOT NULL"
_CHANNEL: LiteralString = "sitecrawl_hears"


def prepare(url: str) -> None:
    """Create or migrate the tables. Raises DatabaseError for a database that Procrastinate cannot work
    with, psycopg.Error for one that cannot be used."""
    place = without_password(url)
    with psycopg.connect(conninfo(url), autocommit=True) as connection:
        if not _hears(connection, conninfo(url)):
            remedy = "give the server itself, or a pooler that keeps sessions"
            raise DatabaseError(place, "passes no notifications on (LISTEN)", remedy)
        with connection.transaction():
            # of two workers that start at once the second finds what the first has made
            connection.execute("SELECT pg_advisory_xact_lock(%s)", [lock_key("sitecrawl engine")])
            _migrate(connection, place)


def _hears(connection: psycopg.Connection, info: str) -> bool:
    """Whether one connection hears what another one tells. Behind a pooler that lends sessions for
    one transaction it does not, and a lock of the session would protect nothing."""
    connection.execute(f"LISTEN {_CHANNEL}")
    with psycopg.connect(info, autocommit=True) as other:
        other.execute(f"NOTIFY {_CHANNEL}")
    heard = next(connection.notifies(timeout=_ANSWER, stop_after=1), None)
    connection.execute(f"UNLISTEN {_CHANNEL}")
    return heard is not None


def _migrate(connection: psycopg.Connection, place: str) -> None:
    connection.execute(_KNOWN)
    applied = {str(name) for (name,) in connection.execute("SELECT name FROM engine_migrations")}
    files = sorted(Path(SchemaManager.get_migrations_path()).glob("*.sql"))
    if foreign := applied - {file.name for file in files}:
        raise DatabaseError(
            place,
            f"the tables of Procrastinate are newer than the package ({max(foreign)})",
            "upgrade it: pip install -U procrastinate",
        )
    (exists,) = connection.execute(_EXISTS).fetchone() or (False,)
    if exists and not applied:
        raise DatabaseError(
            place,
            "has tables of Procrastinate that sitecrawl did not make",
            "give sitecrawl a database of its own",
        )
    missing = [file for file in files if file.name not in applied]
    if not exists:
        connection.execute(SchemaManager.get_schema())
    for file in missing:
        if exists:
            connection.execute(file.read_text("utf-8"))
        connection.execute("INSERT INTO engine_migrations VALUES (%s)", [file.name])
