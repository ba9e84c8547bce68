"""The common feed of all sites: each article and revision exactly once, in a fixed order, from any
cursor on."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any

from scrapy.utils.misc import load_object

from sitecrawl.commands._help import OptionError
from sitecrawl.crawl.config import ArgumentError
from sitecrawl.crawl.database import Database, locked_file, write_whole
from sitecrawl.crawl.store import CrawlStore, Stores
from sitecrawl.feed_formats import feed_formats
from sitecrawl.items.feed_items import without_places

_AT_ONCE = 500  # items read at a time, and lines after which the cursor of a feed is saved
_AFTER = (
    "SELECT xid::text, seq, data, site FROM items WHERE (xid, seq) > (CAST(:xid AS xid8), :seq)"
    " AND xid < pg_snapshot_xmin(pg_current_snapshot()) ORDER BY items.xid, items.seq LIMIT :most"
)
"""Items whose transactions ended before every open one began, so that no item can be inserted
before them later."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An article or a revision, and the cursor after it; empty if the feed cannot continue
    there."""

    item: dict[str, Any]
    cursor: str
    site: str


def entries(stores: Stores, after: str = "") -> Iterator[Entry]:
    """The feed from a cursor, or from its beginning. Raises ArgumentError for the cursor of another
    feed."""
    return _of_server(stores, after) if stores.database else _of_files(stores, after)


def _of_server(stores: Stores, after: str) -> Iterator[Entry]:
    xid, _, seq = (after or "0.0").partition(".")
    if not (xid.isdecimal() and seq.isdecimal()):
        raise _foreign(after, "database")
    with closing(stores.watched()) as db:
        while rows := db.rows(_AFTER, xid=xid, seq=int(seq), most=_AT_ONCE):
            for xid, seq, data, site in rows:
                yield Entry(_item(db, data), f"{xid}.{seq}", site)


def _foreign(after: str, place: str) -> ArgumentError:
    return ArgumentError(
        f"after={after} is no cursor of this {place}: give the one that the last feed ended with"
    )


# ---- files: each site's own order, and the order in which the feed met their new parts
def _of_files(stores: Stores, after: str) -> Iterator[Entry]:
    if not (after or "0").isdecimal():
        raise _foreign(after, "folder")
    with ExitStack() as opened:
        db = opened.enter_context(closing(stores.watched()))
        found = (opened.enter_context(closing(crawl)) for crawl in stores.crawls())
        crawls = {crawl.db.fact("born") or "": crawl for crawl in found}
        for born, crawl in crawls.items():
            _extend(db, crawl, born=born)
        if int(after or 0) > db.number("SELECT max(seq) FROM ranges"):
            raise _foreign(after, "folder")
        parts = "SELECT seq, born, first, last FROM ranges WHERE seq>:after ORDER BY seq"
        for seq, born, first, last in db.rows(parts, after=int(after or 0)):
            if born in crawls:
                yield from _part(crawls[born], str(seq), first=first, last=last)


def _extend(db: Database, crawl: CrawlStore, *, born: str) -> None:
    """Append the new items of a site to the feed."""
    with db.at_once():
        last = db.number(
            "SELECT max(last) FROM ranges WHERE site=:site AND born=:born",
            site=crawl.site,
            born=born,
        )
        found = crawl.db.number("SELECT max(seq) FROM items")
        if found > last:
            sql = (
                "INSERT INTO ranges (site, born, first, last) VALUES (:site, :born, :last, :found)"
            )
            db.write(sql, site=crawl.site, born=born, last=last, found=found)


def _part(crawl: CrawlStore, cursor: str, *, first: int, last: int) -> Iterator[Entry]:
    """The items of one part, after the number ``first`` up to ``last``; only the last one has the
    cursor."""
    sql = f"SELECT seq, data FROM items WHERE seq>:at AND seq<=:last ORDER BY seq LIMIT {_AT_ONCE}"
    while rows := crawl.db.rows(sql, at=first, last=last):
        for first, data in rows:
            yield Entry(_item(crawl.db, data), cursor if first == last else "", crawl.site)


def _item(db: Database, data: bytes) -> dict[str, Any]:
    with db.undamaged():
        item: dict[str, Any] = json.loads(zlib.decompress(data))
        return without_places(item)


# ---- files of the feed
def write_feed(
    stores: Stores,
    path: Path,
    *,
    form: str,
    after: str | None,
    settings: Any = MappingProxyType({}),
) -> str:
    """Write a feed file from its own cursor, or from ``after``: JSON lines are appended, other
    formats rewritten; returns a message. ``settings`` are those of the feed. Raises OSError,
    OptionError for a file that this feed did not write, ArgumentError for the cursor of another
    feed."""
    writer = load_object(feed_formats()[form].writer)
    if feed_formats()[form].is_newest:
        items = (one.item for one in entries(stores, after or ""))
        given = writer.renew(path, items, settings=settings, keeps_old=False)
        return f"the newest of {given} articles and revisions are in {path}"
    if form == "jsonl":
        count, cursor = _add(stores, path, writer=writer, after=after)
    else:
        count, cursor = _rewrite(stores, path, writer=writer, after=after or "")
    return f"{count} articles and revisions; the next feed begins after {cursor or 0}"


def _add(stores: Stores, path: Path, *, writer: Any, after: str | None) -> tuple[int, str]:
    """Add what a file lacks; how many items that were, and the cursor after them. What a kill
    leaves behind the last cursor is cut off by the next command."""
    with closing(stores.watched()) as db:
        mark = Mark(path, db.fact("born") or "")
    count = 0
    unsettled = 0
    with _locked(path, "ab") as file:
        if after is None:
            mark.cut(file)
        cursor = mark.cursor if after is None else after
        mark.put(file, cursor)
        exporter = writer(file, encoding="utf-8")
        exporter.start_exporting()
        for entry in entries(stores, cursor):
            exporter.export_item(entry.item)
            count += 1
            unsettled += 1
            cursor = entry.cursor or cursor
            if entry.cursor and unsettled >= _AT_ONCE:
                mark.put(file, cursor)
                unsettled = 0
        exporter.finish_exporting()
        mark.put(file, cursor)
    return count, cursor


def _rewrite(stores: Stores, path: Path, *, writer: Any, after: str) -> tuple[int, str]:
    """Write a file anew, which takes the place of the old one once it is whole."""
    target = path.with_name(path.name + ".new")
    count = 0
    cursor = after
    with _locked(target, "wb") as file:
        file.truncate()
        exporter = writer(file, encoding="utf-8")
        exporter.start_exporting()
        for entry in entries(stores, after):
            exporter.export_item(entry.item)
            count += 1
            cursor = entry.cursor or cursor
        exporter.finish_exporting()
        file.flush()
        target.replace(path)
    return count, cursor


@contextmanager
def _locked(path: Path, mode: str) -> Iterator[IO[bytes]]:
    """A file that no other command writes meanwhile. Raises OptionError if one does."""
    path.parent.mkdir(parents=True, exist_ok=True)
    locked = locked_file(path)
    if locked is None:
        raise OptionError(f"{path} is being written by another command: wait for it")
    with open(locked, mode) as file:
        yield file


class Mark:
    """The cursor of a feed file, stored beside it with the inode and the size of the file at that
    point, and the id of the database (``born``)."""

    def __init__(self, feed: Path, born: str = "") -> None:
        self.feed = feed
        self.path = feed.with_name(feed.name + ".cursor")
        self.born = born
        known: dict[str, Any] = {"cursor": "", "size": 0}
        try:
            if self.path.is_file():
                known = json.loads(self.path.read_text())
            self.cursor = str(known["cursor"])
            self.size = int(known["size"])
            self.inode = int(known.get("inode") or 0)
            is_foreign = str(known.get("born") or born) != born
        except (ValueError, KeyError, TypeError):
            raise OptionError(
                f"{self.path} is damaged: give --after CURSOR and another file"
            ) from None
        if is_foreign:
            raise OptionError(
                f"{feed} was written from another data folder or database: name another file"
            )

    def cut(self, feed: Any) -> None:
        """Cut off the lines of a killed command after the last cursor. If the feed was moved away,
        a new file begins after the cursor; raises OptionError if another file took its place, which
        is not touched."""
        found = os.fstat(feed.fileno())
        if not found.st_size:
            return
        is_other = found.st_size < self.size or self.inode not in (0, found.st_ino)
        if is_other or not self.path.is_file():
            remedy = f"move it away, or add to it by --after {self.cursor or 0}"
            raise OptionError(f"{self.feed} is not the file that was written: {remedy}")
        feed.seek(self.size)
        feed.truncate()

    def put(self, feed: Any, cursor: str) -> None:
        """Record that the feed, an open file, is complete up to a cursor."""
        feed.flush()
        os.fsync(feed.fileno())
        found = os.fstat(feed.fileno())
        known = {"cursor": cursor, "size": found.st_size, "inode": found.st_ino, "born": self.born}
        write_whole(self.path, json.dumps(known))
