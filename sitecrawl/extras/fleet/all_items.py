"""The feed of all sites: each article and revision exactly once, in an order that never changes, from any point on."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy import bindparam

from sitecrawl.crawl.config import ArgumentError
from sitecrawl.crawl.database import ITEMS, RANGES, Database
from sitecrawl.crawl.store import CrawlStore, Stores

_AT_ONCE = 500
_AFTER = sa.text(
    "SELECT xid::text AS number, seq, data FROM items WHERE (xid, seq) > (CAST(:xid AS xid8), :seq)"
    " AND xid < pg_snapshot_xmin(pg_current_snapshot()) ORDER BY items.xid, items.seq LIMIT :most"
)
"""Items of transactions that ended, and before which none is open any more: none can come later and stand earlier."""
_BETWEEN = (
    sa.select(ITEMS.c.seq, ITEMS.c.data)
    .where(ITEMS.c.seq > bindparam("low"), ITEMS.c.seq <= bindparam("high"))
    .order_by(ITEMS.c.seq)
    .limit(_AT_ONCE)
)
_LAST_ITEM = sa.select(sa.func.max(ITEMS.c.seq))
_RANGES = sa.select(RANGES).where(RANGES.c.seq > bindparam("after")).order_by(RANGES.c.seq)
_LAST_OF = sa.select(sa.func.max(RANGES.c.last)).where(
    RANGES.c.site == bindparam("at_site"), RANGES.c.born == bindparam("at_born")
)
_ADD_RANGE = sa.insert(RANGES)
_END = sa.select(sa.func.max(RANGES.c.seq))


@dataclass(frozen=True, slots=True)
class Entry:
    """An article or a revision, and the cursor behind it; empty where the feed cannot go on from there."""

    item: dict[str, Any]
    cursor: str


def entries(stores: Stores, after: str = "") -> Iterator[Entry]:
    """The feed behind a cursor, from its beginning without one. Raises ArgumentError for a cursor of another feed."""
    return _of_server(stores, after) if stores.database else _of_files(stores, after)


def _of_server(stores: Stores, after: str) -> Iterator[Entry]:
    xid, _, seq = (after or "0.0").partition(".")
    if not (xid.isdecimal() and seq.isdecimal()):
        raise ArgumentError(f"after={after} is no cursor of this database: give the one that the last feed ended with")
    db = stores.watched()
    try:
        while rows := db.rows(_AFTER, xid=xid, seq=int(seq), most=_AT_ONCE):
            for xid, seq, data in rows:
                yield Entry(_item(db, data), f"{xid}.{seq}")
    finally:
        db.close()


# ---- files: each site's own order, and the order in which the feed met their new parts
def _of_files(stores: Stores, after: str) -> Iterator[Entry]:
    if not (after or "0").isdecimal():
        raise ArgumentError(f"after={after} is no cursor of this folder: give the one that the last feed ended with")
    db = stores.watched()
    crawls = {crawl.db.born(): crawl for crawl in stores.crawls()}
    try:
        for born, crawl in crawls.items():
            _extend(db, crawl, born)
        if int(after or 0) > db.number(_END):
            raise ArgumentError(
                f"after={after} is no cursor of this folder: give the one that the last feed ended with"
            )
        for row in db.named_rows(_RANGES, after=int(after or 0)):
            if row.born in crawls:
                yield from _part(crawls[row.born].db, row)
    finally:
        db.close()
        for crawl in crawls.values():
            crawl.close()


def _extend(db: Database, crawl: CrawlStore, born: str) -> None:
    """Put what is new of a site at the end of the feed."""
    with db.at_once():
        last = db.number(_LAST_OF, at_site=crawl.site, at_born=born)
        found = crawl.db.number(_LAST_ITEM)
        if found > last:
            db.write(_ADD_RANGE, site=crawl.site, born=born, first=last, last=found)


def _part(db: Database, row: Any) -> Iterator[Entry]:
    """The items of one part; the last of them has the cursor."""
    low = row.first
    while rows := db.rows(_BETWEEN, low=low, high=row.last):
        for low, data in rows:
            yield Entry(_item(db, data), str(row.seq) if low == row.last else "")


def _item(db: Database, data: bytes) -> dict[str, Any]:
    with db.undamaged():
        return dict(json.loads(zlib.decompress(data)))
