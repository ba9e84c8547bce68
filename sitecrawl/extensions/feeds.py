"""Feeds that survive a kill: a half line is cut off, and what a feed holds already is not written twice."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from scrapy import signals
from scrapy.crawler import Crawler

from sitecrawl.items.feed_items import Identity, identity

logger = logging.getLogger(__name__)


class FeedKeeper:
    """Reads the JSON-lines feeds that this run appends to, before they are opened, and sees that all items are written."""

    crawler: Crawler

    def __init__(self, held: set[Identity]) -> None:
        self.held = held
        self.written: Counter[str] = Counter()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> FeedKeeper:
        held: set[Identity] = set()
        for path, is_lines in _continued(crawler.settings.getdict("FEEDS")):
            if is_lines:
                held |= mend_feed(path)
        keeper = cls(held)
        keeper.crawler = crawler
        crawler.signals.connect(keeper.slot_closed, signals.feed_slot_closed)
        crawler.signals.connect(keeper.all_closed, signals.feed_exporter_closed)
        return keeper

    def slot_closed(self, slot: Any) -> None:
        """One file of a feed is written."""
        self.written[slot.uri_template] += slot.itemcount

    def all_closed(self) -> None:
        """All feeds are written. Scrapy goes on when an item could not be (a full disk); here it counts as a failure."""
        assert self.crawler.stats is not None
        scraped = self.crawler.stats.get_value("item_scraped_count", 0)
        for target, options in self.crawler.settings.getdict("FEEDS").items():
            chosen = options.get("item_filter") or options.get("item_classes")
            if not chosen and self.written[str(target)] < scraped:
                self.crawler.stats.inc_value("feedexport/failed_count/items")


def closed_feeds(feeds: Mapping[str, Mapping[str, Any]]) -> list[Path]:
    """Files that a crawl is to add to and whose format does not bear that: it cannot be told what they hold already."""
    return [path for path, is_lines in _continued(feeds) if not is_lines and path.stat().st_size]


def _continued(feeds: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[Path, bool]]:
    """Files that are there and are added to, and whether they are JSON lines."""
    for target, options in feeds.items():
        path = _local(str(target))
        if path and not options.get("overwrite") and path.is_file():
            yield path, options.get("format") in ("jsonlines", "jsonl", "jl")


def mend_feed(path: Path) -> set[Identity]:
    """The items in a JSON-lines feed; an unfinished last line is cut off."""
    held, good = set(), 0
    with open(path, "rb") as lines:
        for line in lines:
            if not line.endswith(b"\n"):
                break
            good += len(line)
            try:
                held.add(identity(json.loads(line)))
            except (ValueError, KeyError, TypeError):
                continue
    if good < path.stat().st_size:
        logger.warning("%s: cut off an unfinished last line", path)
        with open(path, "rb+") as feed:
            feed.truncate(good)
    return held


def _local(target: str) -> Path | None:
    parts = urlsplit(target)
    if parts.scheme in ("", "file"):
        return Path(url2pathname(parts.path) if parts.scheme else target)
    return None
