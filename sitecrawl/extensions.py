"""Scrapy extensions: feeds that survive a kill."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from io import BufferedWriter
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from itemadapter import ItemAdapter
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.extensions.feedexport import FeedExporter, FeedSlot, ItemFilter

from sitecrawl.crawl.config import switch
from sitecrawl.crawl.database import is_locked
from sitecrawl.errors import SitecrawlError
from sitecrawl.feed_formats import feed_formats
from sitecrawl.items.feed_items import Identity, identity, whole_item

logger = logging.getLogger(__name__)
_URL = re.compile(rb"https?://[^\s\"'<>()\\,]+")
UNWRITTEN = "feedexport/failed_count/items"  # statistic of items that did not reach a feed


def keep_old(path: Path) -> Path:
    """Rename a feed so that it is kept beside earlier ones; returns its new name."""
    names = (path.with_name(f"{path.name}.bak{number or ''}") for number in count())
    return path.rename(next(name for name in names if not name.exists()))


def holds(path: Path, old: Path, *, rewritten: bool) -> bool:
    """Whether a feed has each line of an ``old`` one; or each URL, if it was ``rewritten`` with all
    known articles and its entries are no lines of JSON. False for an old one that cannot be
    read."""
    with suppress(OSError):
        with open(old, "rb") as feed:
            begin = feed.readline()
        is_text = rewritten and b"\0" not in begin and not begin.endswith(b"}\n")
        if _parts(old, None) <= _parts(path, None):
            return True
        urls = _parts(old, _URL) if is_text else set()
        return bool(urls) and urls <= _parts(path, _URL)
    return False


def _parts(path: Path, pattern: re.Pattern[bytes] | None) -> set[int]:
    """Hashes of the lines of a file, or of what a pattern finds in them."""
    with open(path, "rb") as lines:
        return {
            hash(part) for line in lines for part in (pattern.findall(line) if pattern else [line])
        }


def old_feeds(feeds: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[Path, str]]:
    """Existing files, and what a crawl does to each: it can ``renew`` it (a feed of the newest
    articles), ``overwrite`` it, ``append`` to it (JSON lines), or ``neither``."""
    for target, options in feeds.items():
        path = _local(str(target))
        if path and path.is_file():
            yield path, _treatment(options)


def refuse_old(feeds: Mapping[str, Mapping[str, Any]]) -> None:
    """Raise SitecrawlError if a file is there to which a feed cannot be added."""
    for path, does in old_feeds(feeds):
        if does == "neither" and path.stat().st_size:
            raise SitecrawlError(
                f"{path} exists, and only .jsonl feeds can be added to:"
                " overwrite it with -O, or give another file"
            )


def _treatment(options: Mapping[str, Any]) -> str:
    name = options.get("format", "")
    form = feed_formats().get(name)
    if form is not None and form.is_newest and not options.get("postprocessing"):
        return "renew"
    if options.get("overwrite"):
        return "overwrite"
    return "append" if name in ("jsonlines", "jsonl", "jl") else "neither"


def mend_feed(path: Path) -> set[Identity]:
    """The items of a JSON-lines feed. A last line without an end gets one; it is cut off if it is
    the beginning of an item. Where another command adds to the feed, that line is still being
    written."""
    held, good, line = set(), 0, b"\n"
    with open(path, "rb+") as feed:
        is_alone = not is_locked(feed)
        for line in feed:
            if (item := item_in(line)) is not None:
                held.add(identity(item))
            elif line.startswith((b"{", b"\0", b"\xef\xbb\xbf{")) and not line.endswith(b"\n"):
                if is_alone:
                    logger.warning("%s: cut off an unfinished last line", path)
                    feed.truncate(good)
                return held
            good += len(line)
        if is_alone and not line.endswith(b"\n"):
            feed.seek(0, os.SEEK_END)
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


class _Lacks(ItemFilter):
    """Passes items on to a feed that are ``sent_again``, unless the feed ``held`` them when the run
    began; ``skipped`` counts these."""

    def __init__(self, other: ItemFilter, held: set[Identity]) -> None:
        super().__init__(None)
        self.other = other
        self.held = held
        self.sent_again = set[Identity]()
        self.skipped = 0

    def accepts(self, item: Any) -> bool:
        if self.sent_again and identity(ItemAdapter(item).asdict()) in self.sent_again:
            self.skipped += 1
            return False
        return self.other.accepts(item)


class Feeds(FeedExporter):
    """Scrapy's extension, but the JSON-lines feeds to which this run appends are read before they
    are opened, the crawl ends if a feed cannot be written (later items would be lost), all items
    must be written, and an overwritten feed is deleted only where the new one holds all of it."""

    _stop: asyncio.Future[None] | None = None

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.places = {name: self._place(name) for name in self.feeds}
        """Where each feed goes; its name in the settings may hold ``%(name)s``."""
        refuse_old({self.places[name]: options for name, options in self.feeds.items()})
        # a compressed one stays as it is
        plain = {
            self.places[name]: options
            for name, options in self.feeds.items()
            if not options.get("postprocessing")
        }
        self.paths = [path for path, does in old_feeds(plain) if does == "append"]
        self.lacking = list[_Lacks]()
        for name, place in self.places.items():
            path = _local(place)
            if place in plain and path in self.paths:
                lacks = _Lacks(self.filters[name], mend_feed(path))
                self.filters[name] = lacks
                self.lacking.append(lacks)
        self.held = set[Identity]().union(*(feed.held for feed in self.lacking))
        self.written: Counter[str] = Counter()
        self.sizes: Counter[str] = Counter()

    def _place(self, name: str) -> str:
        """The place of a feed of the settings. Raises SitecrawlError for an unknown word in it."""
        if "%(" not in name:
            return name
        options = self.feeds[name]
        spider = self.crawler.spider
        assert spider is not None
        try:
            return name % self._get_uri_params(spider, options["uri_params"])
        except (KeyError, ValueError, TypeError) as error:
            raise SitecrawlError(f"the feed {name} cannot be named ({error})") from None

    @property
    def complete(self) -> set[Identity]:
        """Items that every feed holds. Feeds of the newest articles read the state themselves."""
        others = len(self.feeds) - len(self.lacking)
        renewed = sum(_treatment(options) == "renew" for options in self.feeds.values())
        if not self.lacking or others > renewed:
            return set()
        return set.intersection(*(feed.held for feed in self.lacking))

    def send_again(self, items: Iterable[dict[str, Any]]) -> None:
        """Take note of items of earlier runs that come again: each feed takes those that it
        lacks."""
        found = {identity(item) for item in items}
        for feed in self.lacking:
            feed.sent_again = found & feed.held

    def items(self) -> Iterator[dict[str, Any]]:
        """The items of the feeds, as far as they are complete."""
        for path in self.paths:
            with open(path, "rb") as lines:
                for line in lines:
                    if (item := item_in(line)) is not None and isinstance(
                        item.get("articleBody"), str
                    ):
                        yield whole_item(item)

    def item_scraped(self, item: Any, spider: Spider) -> None:
        """Write an item to the feeds. Items after a failed one are written by the next run. What
        JSON cannot hold, as NaN, is refused."""
        self._look_after_feeds()
        try:
            if self._stop is None:
                json.dumps(ItemAdapter(item).asdict(), allow_nan=False, default=str)
                super().item_scraped(item, spider)
                self._look_after_feeds()
        except OSError as error:
            self._fail(error)
        except ValueError:
            logger.exception("An item is not written")

    def leave_old(self) -> None:
        """Leave the old files in place of feeds to which this run, which failed, wrote nothing."""
        for slot in self.slots:
            slot.store_empty = slot.store_empty and not any(
                old_feeds({slot.uri: slot.feed_options})
            )

    async def _close_slot(self, slot: FeedSlot, spider: Spider) -> None:
        """Close one file of a feed, and flush it to the disk before the state says that the crawl
        is over."""
        self.written[slot.uri_template] += slot.itemcount
        try:
            await super()._close_slot(slot, spider)
            if (path := _local(slot.uri)) and path.is_file():
                with open(path, "rb") as feed:
                    os.fsync(feed.fileno())
        except OSError as error:
            self._fail(error)
        path, old = _local(slot.uri), getattr(slot.storage, "old", None)
        if path and old:
            rewritten = switch("SITECRAWL_REWRITE", self.settings)
            if path.is_file() and holds(path, old, rewritten=rewritten):
                old.unlink()
            else:
                logger.warning("%s held other items: it is kept as %s", path, old.name)

    async def close_spider(self, spider: Spider) -> None:
        """Close all feeds. Scrapy ignores items that could not be written (a full disk); here they
        count as a failure."""
        self._look_after_feeds()
        await super().close_spider(spider)
        scraped = self.crawler.stats.get_value("item_scraped_count", 0)
        for target, options in self.feeds.items():
            if (
                not (options.get("item_filter") or options.get("item_classes"))
                and self.written[target] + getattr(self.filters[target], "skipped", 0) < scraped
            ):
                self.crawler.stats.inc_value(UNWRITTEN)

    def _look_after_feeds(self) -> None:
        """Fail if somebody removed or emptied a file while it was written: the next run writes what
        it lost."""
        for slot in self.slots:
            if _local(slot.uri) and isinstance(slot.file, BufferedWriter) and self._stop is None:
                found = os.fstat(slot.file.fileno())
                if not found.st_nlink or found.st_size < self.sizes[slot.uri]:
                    self._fail(OSError(f"somebody removed or emptied {slot.uri}"))
                self.sizes[slot.uri] = found.st_size

    def _fail(self, error: OSError) -> None:
        self.crawler.stats.inc_value(UNWRITTEN)
        logger.warning("A feed cannot be written: %s", error)
        self.leave_old()
        self._stop = self._stop or asyncio.ensure_future(self.crawler.stop_async())


def _local(target: str) -> Path | None:
    parts = urlsplit(target)
    if parts.scheme in ("", "file"):
        return Path(url2pathname(parts.path) if parts.scheme else target)
    return None
