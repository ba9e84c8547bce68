"""What pages said of their own version when they were last fetched, so that a later run need only ask whether they changed."""

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from dataclasses import dataclass

_SCHEMA = """
CREATE TABLE IF NOT EXISTS visits
    (key TEXT PRIMARY KEY, etag TEXT, modified TEXT, digest TEXT, type TEXT, body BLOB);
"""
_LONGEST = 2_000_000
"""Bytes of a page above which it is not kept, and so is asked for without a condition."""
_MOST = 2_000
"""Pages kept; the oldest go first. A crawl of a portal reads a few hundred listing pages."""


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


class Visits:
    """The visits of a crawl state, by key of the page asked for."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db
        self.db.executescript(_SCHEMA)

    def last(self, key: str) -> Visit | None:
        query = "SELECT etag, modified, digest, type, body IS NOT NULL FROM visits WHERE key=?"
        row = self.db.execute(query, (key,)).fetchone()
        return Visit(row[0], row[1], row[2], row[3], bool(row[4])) if row else None

    def body(self, key: str) -> bytes | None:
        """The page as it was last fetched, where it was kept."""
        row = self.db.execute("SELECT body FROM visits WHERE key=?", (key,)).fetchone()
        return zlib.decompress(row[0]) if row and row[0] is not None else None

    def remember(self, key: str, visit: Visit, body: bytes) -> None:
        """A page was dealt with; ``body`` is kept where ``visit`` says so. A page too large to be kept is forgotten."""
        if visit.kept and len(body) > _LONGEST:
            self.forget(key)
            return
        data = zlib.compress(body, 1) if visit.kept else None
        values = (key, visit.etag, visit.modified, visit.digest, visit.type, data)
        self.db.execute("INSERT OR REPLACE INTO visits VALUES (?, ?, ?, ?, ?, ?)", values)

    def forget(self, key: str) -> None:
        self.db.execute("DELETE FROM visits WHERE key=?", (key,))

    def prune(self) -> None:
        """Forget the oldest kept pages above the bound."""
        old = "SELECT rowid FROM visits WHERE body IS NOT NULL ORDER BY rowid DESC LIMIT -1 OFFSET ?"
        self.db.execute(f"DELETE FROM visits WHERE rowid IN ({old})", (_MOST,))


def digest_of(body: bytes) -> str:
    """Digest of a page byte for byte."""
    return hashlib.sha1(body, usedforsecurity=False).hexdigest()
