"""Where sites are kept between runs: one JSON document a site, in SQLite."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from sitecrawl.errors import DatabaseError, StoreError

PROTOCOL = 1
_REMEDY = "move it away to start afresh; exported templates can be imported again"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS sites (site TEXT PRIMARY KEY, document TEXT NOT NULL);
"""


def open_store(path: str | Path) -> SiteStore:
    """The store in the file ``path``. Raises StoreError when it cannot be used."""
    if "://" in str(path):
        raise StoreError(path, "is not a file", "set SITECRAWL_STORE to a file")
    return SiteStore(Path(path))


class SiteStore:
    """Sites in one SQLite file, write-ahead log, so that several processes may read and write it.

    Documents are those of ``SiteModel.to_dict``.

    Raises StoreError when the file is damaged, of another protocol, or cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, isolation_level=None, timeout=30)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.executescript(_SCHEMA)
            self._db.execute("INSERT OR IGNORE INTO facts VALUES ('protocol', ?)", (str(PROTOCOL),))
            found = self._db.execute("SELECT value FROM facts WHERE name='protocol'").fetchone()[0]
        except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
            raise DatabaseError.of(path, error) from None
        if found != str(PROTOCOL):
            raise StoreError(path, f"protocol {found}, this version reads {PROTOCOL}", _REMEDY)

    def _run(self, statement: str, *values: str) -> list[tuple[Any, ...]]:
        try:
            return self._db.execute(statement, values).fetchall()
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise DatabaseError.of(self.path, error) from None

    def check(self) -> None:
        """Look for damage: tables, indexes and what they say of one another. Raises DatabaseError."""
        found = str(self._run("PRAGMA integrity_check(1)")[0][0])
        if found != "ok":
            raise DatabaseError.of(self.path, sqlite3.DatabaseError(found))

    def sites(self) -> list[str]:
        """Names of the sites, in order."""
        return [str(row[0]) for row in self._run("SELECT site FROM sites ORDER BY site")]

    def load(self, site: str) -> dict[str, Any] | None:
        """The document of a site, None when it is not known."""
        rows = self._run("SELECT document FROM sites WHERE site=?", site)
        return _decode(rows[0][0], self.path) if rows else None

    def save(self, site: str, document: dict[str, Any]) -> None:
        """Keep a site's document in place of the one before."""
        self._run("INSERT OR REPLACE INTO sites VALUES (?, ?)", site, json.dumps(document, ensure_ascii=False))

    def forget(self, site: str) -> bool:
        """Forget a site; whether it was known."""
        return bool(self._run("DELETE FROM sites WHERE site=? RETURNING site", site))

    def close(self) -> None:
        self._db.close()


def _decode(text: str, where: object) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        raise StoreError(where, "holds a damaged document", _REMEDY) from None
    if not isinstance(found, dict):
        raise StoreError(where, "holds a damaged document", _REMEDY)
    return found
