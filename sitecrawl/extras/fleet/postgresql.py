"""PostgreSQL for the state of crawls: engine, locks and clock. A model for other database
servers."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable

import sqlalchemy as sa

from sitecrawl.crawl.database import ITEMS, Database

WORKER = "sitecrawl-worker-"
"""How the connections of workers call themselves. A crawl that a person started has another
name."""
CONNECTION_OPTIONS = {
    "connect_timeout": 10,
    "keepalives_idle": 20,
    "keepalives_interval": 10,
    "keepalives_count": 3,
}
"""With these a connection notices within a minute that the server no longer answers."""
_HOLDER = (
    "SELECT a.pid, a.application_name FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE l.locktype = 'advisory'"
    " AND l.granted AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    " AND ((l.classid::bigint << 32) | l.objid::bigint) = :key AND l.objsubid = 1"
)

for _statement in (
    "ALTER TABLE items ADD COLUMN xid xid8 NOT NULL DEFAULT pg_current_xact_id()",
    "CREATE INDEX items_xid ON items (xid, seq)",
):  # the feed of all sites must not run ahead of a transaction that is still open
    sa.event.listen(ITEMS, "after_create", sa.DDL(_statement).execute_if(dialect="postgresql"))  # type: ignore[no-untyped-call]


class PostgreSQL:
    """:class:`~sitecrawl.crawl.database.Server` with psycopg."""

    package = "psycopg"
    extra = "cluster"

    def engine(self, url: str) -> sa.Engine:
        """An engine whose connections notice within a minute that the server no longer answers."""
        place = sa.make_url(url).set(drivername="postgresql+psycopg")
        return sa.create_engine(place, poolclass=sa.NullPool, connect_args=CONNECTION_OPTIONS)

    def now(self, db: Database) -> float:
        return float(db.rows("SELECT extract(epoch FROM clock_timestamp())")[0][0])

    def guard_schema(self, db: Database) -> None:
        db.rows("SELECT pg_advisory_xact_lock(:key)", key=lock_key("sitecrawl schema"))

    def lock(self, db: Database, name: str) -> bool:
        return bool(db.number("SELECT pg_try_advisory_lock(:key)::int", key=lock_key(name)))

    def unlock(self, db: Database, name: str) -> None:
        db.number("SELECT pg_advisory_unlock(:key)::int", key=lock_key(name))


def free_lock(
    db: Database, name: str, *, is_lost: Callable[[str], bool], patience: float = 5.0
) -> bool:
    """Terminate the connection that holds a lock if its application ``is_lost``. Returns whether
    the lock is free within ``patience`` seconds."""
    until = time.monotonic() + patience
    while (holder := db.row(_HOLDER, key=lock_key(name))) is not None:
        if not is_lost(holder.application_name) or time.monotonic() > until:
            return False
        db.number("SELECT pg_terminate_backend(:pid)::int", pid=holder.pid)
        time.sleep(0.02)
    return True


def lock_key(name: str) -> int:
    """The signed 64-bit number of PostgreSQL's lock for a name."""
    return int.from_bytes(
        hashlib.sha256(name.encode("utf-8", "replace")).digest()[:8], "big", signed=True
    )


def conninfo(url: str) -> str:
    """A server's URL as the driver itself reads it."""
    return sa.make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)


def application(url: str) -> str:
    """The name of the application in a server's URL, or empty."""
    return str(sa.make_url(url).query.get("application_name", ""))


def named(url: str, name: str) -> str:
    """A server's URL with the name of the application that connects."""
    return (
        sa.make_url(url)
        .update_query_dict({"application_name": name})
        .render_as_string(hide_password=False)
    )
