"""Feeds that survive a kill: a half line is cut off, and what a feed holds already is not written twice."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from scrapy.crawler import Crawler

from sitecrawl.items import Identity, identity

logger = logging.getLogger(__name__)


class FeedKeeper:
    """Reads the JSON-lines feeds that this run appends to, before they are opened."""

    def __init__(self, held: set[Identity]) -> None:
        self.held = held

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> FeedKeeper:
        held: set[Identity] = set()
        for target, options in crawler.settings.getdict("FEEDS").items():
            path = _local(str(target))
            if (
                path
                and options.get("format") in ("jsonlines", "jsonl", "jl")
                and not options.get("overwrite")
                and path.is_file()
            ):
                held |= mend_feed(path)
        crawler.settings.set("SITECRAWL_FEED_ITEMS", held, priority="cmdline")
        return cls(held)


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
