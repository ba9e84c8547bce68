"""Scrapy extensions: feeds that survive a kill."""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from itemadapter import ItemAdapter
from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.extensions.feedexport import FeedExporter, FeedSlot

from sitecrawl.items.feed_items import Identity, identity, whole_item

logger = logging.getLogger(__name__)


class FeedKeeper:
    """Reads the JSON-lines feeds to which this run appends, before they are opened, and checks that all items are written."""

    crawler: Crawler

    def __init__(self, paths: list[Path]) -> None:
        self.paths = paths
        self.held = set[Identity]().union(*map(mend_feed, paths))
        self.written: Counter[str] = Counter()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> FeedKeeper:
        feeds = crawler.settings.getdict("FEEDS").items()
        plain = {target: options for target, options in feeds if not options.get("postprocessing")}  # not compressed
        keeper = cls([path for path, does in old_feeds(plain) if does == "append"])
        keeper.crawler = crawler
        crawler.signals.connect(keeper.slot_closed, signals.feed_slot_closed)
        crawler.signals.connect(keeper.all_closed, signals.feed_exporter_closed)
        crawler.signals.connect(keeper.count_failure, signals.item_error)
        return keeper

    def items(self) -> Iterator[dict[str, Any]]:
        """The items of the feeds, as far as they are complete."""
        for path in self.paths:
            with open(path, "rb") as lines:
                for line in lines:
                    if (item := item_in(line)) is not None and isinstance(item.get("articleBody"), str):
                        yield whole_item(item)

    def slot_closed(self, slot: Any) -> None:
        """Flush one file of a feed to the disk, before the state says that the crawl is over."""
        self.written[slot.uri_template] += slot.itemcount
        path = _local(slot.uri)
        if path and path.is_file():
            with open(path, "rb") as feed:
                os.fsync(feed.fileno())

    def all_closed(self) -> None:
        """All feeds are closed. Scrapy ignores items that could not be written (a full disk); here they count as a failure."""
        assert self.crawler.stats is not None
        scraped = self.crawler.stats.get_value("item_scraped_count", 0)
        for target, options in self.crawler.settings.getdict("FEEDS").items():
            chosen = options.get("item_filter") or options.get("item_classes")
            if not chosen and self.written[str(target)] < scraped:
                self.count_failure()

    def count_failure(self) -> None:
        """Count an item that Scrapy only logs: a feed, or an item pipeline of Scrapy on the way to it, failed on it."""
        assert self.crawler.stats is not None
        self.crawler.stats.inc_value("feedexport/failed_count/items")


def keep_old(path: Path) -> Path:
    """Rename a feed so that it is kept beside earlier ones; returns its new name."""
    names = (path.with_name(f"{path.name}.bak{number or ''}") for number in count())
    return path.rename(next(name for name in names if not name.exists()))


def old_feeds(feeds: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[Path, str]]:
    """Existing files, and what a crawl does to each: it can ``overwrite`` it, ``append`` to it (JSON lines), or ``neither``."""
    for target, options in feeds.items():
        path = _local(str(target))
        if path and path.is_file():
            does = "append" if options.get("format") in ("jsonlines", "jsonl", "jl") else "neither"
            yield path, "overwrite" if options.get("overwrite") else does


def mend_feed(path: Path) -> set[Identity]:
    """The items of a JSON-lines feed. A last line without an end gets one; it is cut off if it is the beginning of an item."""
    held, good, line = set(), 0, b"\n"
    with open(path, "rb+") as feed:
        for line in feed:
            if (item := item_in(line)) is not None:
                held.add(identity(item))
            elif line.startswith((b"{", b"\0", b"\xef\xbb\xbf{")) and not line.endswith(b"\n"):
                break
            good += len(line)
        if good < feed.seek(0, os.SEEK_END):
            logger.warning("%s: cut off an unfinished last line", path)
            feed.truncate(good)
        elif not line.endswith(b"\n"):
            feed.write(b"\n")
    return held


def item_in(line: bytes) -> dict[str, Any] | None:
    """The item of a line of a feed; None for any other line."""
    try:
        item: dict[str, Any] = json.loads(line)
        identity(item)  # which only an object of JSON has
        return item
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None


class Feeds(FeedExporter):
    """Scrapy's extension, but the crawl ends if a feed cannot be written: later items would be lost."""

    _stop: asyncio.Future[None] | None = None

    def item_scraped(self, item: Any, spider: Spider) -> None:
        """Write an item to the feeds. Items after a failed one are written by the next run. What JSON cannot hold, as NaN, is refused."""
        try:
            if self._stop is None:
                json.dumps(ItemAdapter(item).asdict(), allow_nan=False, default=str)
                super().item_scraped(item, spider)
        except OSError as error:
            self._fail(error)
        except ValueError:
            logger.exception("An item is not written")

    async def _close_slot(self, slot: FeedSlot, spider: Spider) -> None:
        try:
            await super()._close_slot(slot, spider)
        except OSError as error:
            self._fail(error)

    def _fail(self, error: OSError) -> None:
        assert self.crawler.stats is not None
        self.crawler.stats.inc_value("feedexport/failed_count/items")
        logger.warning("A feed cannot be written: %s", error)
        self._stop = self._stop or asyncio.ensure_future(self.crawler.stop_async())


def _local(target: str) -> Path | None:
    parts = urlsplit(target)
    if parts.scheme in ("", "file"):
        return Path(url2pathname(parts.path) if parts.scheme else target)
    return None
