"""`scrapy feed`: the articles of all sites, each and each revision exactly once."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from sitecrawl.cluster.all_items import Entry, entries
from sitecrawl.commands._help import Help
from sitecrawl.commands._output import OneLineErrors
from sitecrawl.crawl.config import CrawlSettings
from sitecrawl.exporters import NEEDS_ARROW, JsonFeedExporter, ParquetExporter

_BATCH = 500
"""Lines after which the cursor is written down."""


class Command(OneLineErrors, ScrapyCommand):
    """Writes the feed of all sites behind a cursor."""

    explains = Help(
        "Write the articles of all sites, each and each revision exactly once",
        {},
        ("sitecrawl feed --output all.jsonl", "sitecrawl feed -o today.parquet --after 8134.20311"),
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "-o", "--output", type=Path, help="FILE.jsonl to add to, or FILE.json (JSON Feed) or FILE.parquet to write"
        )
        parser.add_argument("--after", default=None, metavar="CURSOR", help="begin behind this cursor")

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        write = _WRITERS.get(opts.output.suffix) if opts.output else None
        if args or write is None:
            raise UsageError("give -o FILE that ends in .jsonl, .json or .parquet", print_help=False)
        stores = CrawlSettings.from_settings(self.settings).stores
        mark = Mark(opts.output)
        after = mark.cursor if opts.after is None else opts.after
        try:
            count, cursor = write(entries(stores, after), mark, opts.after is not None)
        except OSError as error:
            raise UsageError(
                f"{opts.output} cannot be written ({error.strerror}); nothing is lost, run it again", print_help=False
            ) from None
        print(f"{count} articles and revisions; the next feed begins after {cursor or after or 0}")


class Mark:
    """The cursor of a feed file, kept beside it with the size of the feed at that point."""

    def __init__(self, feed: Path) -> None:
        self.feed, self.path = feed, feed.with_name(feed.name + ".cursor")
        self.cursor, self.size = "", 0
        if self.path.is_file():
            try:
                known = json.loads(self.path.read_text())
                self.cursor, self.size = str(known["cursor"]), int(known["size"])
            except (ValueError, KeyError, TypeError):
                raise UsageError(
                    f"{self.path} is damaged: give --after CURSOR and another file", print_help=False
                ) from None

    def put(self, cursor: str, size: int) -> None:
        """The feed holds all up to a cursor and is so many bytes long."""
        fresh = self.path.with_name(self.path.name + ".new")
        with open(fresh, "w") as file:
            file.write(json.dumps({"cursor": cursor, "size": size}))
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self.path)


def _lines(found: Iterator[Entry], mark: Mark, anew: bool) -> tuple[int, str]:
    """Add JSON lines to the feed; what a kill left behind the last cursor is cut off and written again."""
    count = unsettled = 0
    cursor = ""
    with open(mark.feed, "ab") as feed:
        if not anew and mark.path.is_file():
            feed.truncate(mark.size)
        for entry in found:
            feed.write(json.dumps(entry.item, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n")
            count, unsettled, cursor = count + 1, unsettled + 1, entry.cursor or cursor
            if entry.cursor and unsettled >= _BATCH:
                _settle(feed, mark, cursor)
                unsettled = 0
        _settle(feed, mark, cursor or ("" if anew else mark.cursor))
    return count, cursor


def _settle(feed: Any, mark: Mark, cursor: str) -> None:
    feed.flush()
    os.fsync(feed.fileno())
    mark.put(cursor, feed.tell())


def _anew(exporter_of: Callable[[Any], Any]) -> Callable[[Iterator[Entry], Mark, bool], tuple[int, str]]:
    """A writer that puts a whole new file in place of the old one."""

    def write(found: Iterator[Entry], mark: Mark, anew: bool) -> tuple[int, str]:
        count, cursor, fresh = 0, "", mark.feed.with_name(mark.feed.name + ".new")
        with open(fresh, "wb") as file:
            exporter = exporter_of(file)
            for entry in found:
                exporter.export_item(entry.item)
                count, cursor = count + 1, entry.cursor or cursor
            exporter.finish_exporting()
        fresh.replace(mark.feed)
        return count, cursor

    return write


def _parquet(file: Any) -> ParquetExporter:
    if find_spec("pyarrow") is None:
        raise UsageError(NEEDS_ARROW, print_help=False)
    return ParquetExporter(file)


_WRITERS = {".jsonl": _lines, ".json": _anew(JsonFeedExporter), ".parquet": _anew(_parquet)}
