"""`scrapy feed`: the articles of all sites, each and each revision exactly once."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.utils.misc import load_object

from sitecrawl.commands._help import Help
from sitecrawl.commands._output import OneLineErrors
from sitecrawl.crawl.config import CrawlSettings
from sitecrawl.extras.fleet.all_items import Entry, entries
from sitecrawl.feed_formats import feed_formats, lacking

_BATCH = 500
"""Lines after which the cursor is written down."""


class FeedCommand(OneLineErrors, ScrapyCommand):
    """Writes the feed of all sites behind a cursor."""

    explains = Help(
        "Write the articles of all sites, each and each revision exactly once",
        {},
        ("sitecrawl feed --output all.jsonl", "sitecrawl feed -o today.parquet --after 8134.20311"),
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "-o",
            "--output",
            type=Path,
            help="FILE.jsonl to add to, or FILE.json (JSON Feed), FILE.parquet, FILE.csv ... to write",
        )
        parser.add_argument("--after", default=None, metavar="CURSOR", help="begin behind this cursor")

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        suffix = opts.output.suffix if opts.output else ""
        form = next((name for name, one in feed_formats().items() if suffix and one.suffix == suffix), "")
        if args or not form or lacking(form):
            ends = ", ".join(one.suffix for one in feed_formats().values() if one.suffix)
            raise UsageError(lacking(form) or f"give -o FILE that ends in one of {ends}", print_help=False)
        write = _lines if form == "jsonl" else partial(_anew, form=form)
        stores = CrawlSettings.from_settings(self.settings).stores
        mark = Mark(opts.output)
        is_told = opts.after is not None
        mark.cursor = after = opts.after if is_told else mark.cursor
        try:
            count, cursor = write(entries(stores, after), mark, is_told)
        except OSError as error:
            raise UsageError(
                f"{opts.output} cannot be written ({error.strerror}); nothing is lost, run it again", print_help=False
            ) from None
        print(f"{count} articles and revisions; the next feed begins after {cursor or after or 0}")


class Mark:
    """The cursor of a feed file, kept beside it with the number (inode) of the file and its size at that point."""

    def __init__(self, feed: Path) -> None:
        self.feed, self.path = feed, feed.with_name(feed.name + ".cursor")
        self.cursor, self.size, self.inode = "", 0, 0
        if self.path.is_file():
            try:
                known = json.loads(self.path.read_text())
                self.cursor, self.size = str(known["cursor"]), int(known["size"])
                self.inode = int(known.get("inode") or 0)
            except (ValueError, KeyError, TypeError):
                raise UsageError(
                    f"{self.path} is damaged: give --after CURSOR and another file", print_help=False
                ) from None

    def cut(self, feed: Any) -> None:
        """Cut off what a kill left behind the last cursor. A feed that was moved away is begun anew behind it; raises UsageError for another
        file in its place, which is left as it is."""
        found = os.fstat(feed.fileno())
        if self.path.is_file() and found.st_size:
            if found.st_size < self.size or self.inode not in (0, found.st_ino):
                raise UsageError(
                    f"{self.feed} is not the file that was written: move it away, or add to it by --after {self.cursor or 0}",
                    print_help=False,
                )
            feed.truncate(self.size)

    def put(self, cursor: str, *, size: int, inode: int) -> None:
        """The feed holds all up to a cursor and is so many bytes long."""
        fresh = self.path.with_name(self.path.name + ".new")
        with open(fresh, "w") as file:
            file.write(json.dumps({"cursor": cursor, "size": size, "inode": inode}))
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self.path)


def _lines(found: Iterator[Entry], mark: Mark, anew: bool) -> tuple[int, str]:
    """Add JSON lines to the feed; what a kill left behind the last cursor is cut off and written again."""
    count = unsettled = 0
    cursor = ""
    with open(mark.feed, "ab") as feed:
        if not anew:
            mark.cut(feed)
        _settle(feed, mark, mark.cursor)
        for entry in found:
            feed.write(json.dumps(entry.item, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n")
            count, unsettled, cursor = count + 1, unsettled + 1, entry.cursor or cursor
            if entry.cursor and unsettled >= _BATCH:
                _settle(feed, mark, cursor)
                unsettled = 0
        _settle(feed, mark, cursor or mark.cursor)
    return count, cursor


def _settle(feed: Any, mark: Mark, cursor: str) -> None:
    feed.flush()
    os.fsync(feed.fileno())
    found = os.fstat(feed.fileno())
    mark.put(cursor, size=found.st_size, inode=found.st_ino)


def _anew(found: Iterator[Entry], mark: Mark, anew: bool, *, form: str) -> tuple[int, str]:
    """Put a whole new file in place of the old one."""
    count, cursor, fresh = 0, "", mark.feed.with_name(mark.feed.name + ".new")
    with open(fresh, "wb") as file:
        exporter = load_object(feed_formats()[form].writer)(file)
        exporter.start_exporting()
        for entry in found:
            exporter.export_item(entry.item)
            count, cursor = count + 1, entry.cursor or cursor
        exporter.finish_exporting()
    fresh.replace(mark.feed)
    return count, cursor
