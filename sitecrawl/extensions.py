"""Scrapy extensions: feeds that survive a kill, JSON Feed 1.1 as a feed format (``-O out.feed.json:jsonfeed``), a progress line."""

from __future__ import annotations

import json
import logging
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from rich.console import Console
from rich.live import Live
from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.exporters import BaseItemExporter

from sitecrawl.crawl.config import CrawlSettings
from sitecrawl.items.feed_items import VERSION, Identity, feed_item, identity

logger = logging.getLogger(__name__)


class FeedKeeper:
    """Reads the JSON-lines feeds that this run appends to before they are opened, and checks that all items are written."""

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
        """Count the items of a feed file that was closed."""
        self.written[slot.uri_template] += slot.itemcount

    def all_closed(self) -> None:
        """Count a feed with missing items as failed; Scrapy ignores items that could not be written (a full disk)."""
        assert self.crawler.stats is not None
        scraped = self.crawler.stats.get_value("item_scraped_count", 0)
        for target, options in self.crawler.settings.getdict("FEEDS").items():
            chosen = options.get("item_filter") or options.get("item_classes")
            if not chosen and self.written[str(target)] < scraped:
                self.crawler.stats.inc_value("feedexport/failed_count/items")


def closed_feeds(feeds: Mapping[str, Mapping[str, Any]]) -> list[Path]:
    """Existing feed files to which a crawl cannot append, because their format does not show what they already hold."""
    return [path for path, is_lines in _continued(feeds) if not is_lines and path.stat().st_size]


def _continued(feeds: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[Path, bool]]:
    """Existing files that this run appends to, and whether they are JSON lines."""
    for target, options in feeds.items():
        path = _local(str(target))
        if path and not options.get("overwrite") and path.is_file():
            yield path, options.get("format") in ("jsonlines", "jsonl", "jl")


def mend_feed(path: Path) -> set[Identity]:
    """Identities of the items in a JSON-lines feed; an unfinished last line is removed from the file."""
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


class JsonFeedExporter(BaseItemExporter):
    """Writes a JSON Feed."""

    def __init__(self, file: IO[bytes], **kwargs: Any) -> None:
        super().__init__(dont_fail=True, **kwargs)
        self.file = file
        self.first = True

    def start_exporting(self) -> None:
        self.file.write(f'{{"version": "{VERSION}", "title": "sitecrawl", "items": [\n'.encode())

    def export_item(self, item: Any) -> None:
        row = json.dumps(feed_item(dict(item)), ensure_ascii=False)
        self.file.write((("" if self.first else ",\n") + row).encode())
        self.first = False

    def finish_exporting(self) -> None:
        self.file.write(b"\n]}\n")


class Progress:
    """Shows one line, rewritten in place, while a spider runs; off when standard error is not a terminal."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.live = Live("", console=Console(stderr=True), refresh_per_second=4, transient=True)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Progress:
        if not CrawlSettings.from_settings(crawler.settings).progress or not sys.stderr.isatty():
            raise NotConfigured
        self = cls(crawler)
        crawler.signals.connect(self.opened, signals.spider_opened)
        crawler.signals.connect(self.moved, signals.response_received)
        crawler.signals.connect(self.closed, signals.spider_closed)
        return self

    def opened(self, spider: Spider) -> None:
        self.live.start()

    def moved(self, spider: Spider) -> None:
        self.live.update(self.line())

    def closed(self, spider: Spider) -> None:
        self.live.stop()

    def line(self) -> str:
        """The current progress line."""
        stats: Any = self.crawler.stats
        pages = stats.get_value("response_received_count", 0)
        items = stats.get_value("item_scraped_count", 0)
        waiting = stats.get_value("sitecrawl/items/waiting", 0)
        return f"{pages} pages  {items} articles  ({waiting} held for a template)"
