"""Feeds for readers: the newest articles first, those of earlier runs too."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, NamedTuple
from urllib.parse import urljoin

from scrapy.crawler import Crawler
from scrapy.exporters import BaseItemExporter

from sitecrawl.crawl.database import write_whole
from sitecrawl.exporters import RewrittenFile
from sitecrawl.extensions import keep_old
from sitecrawl.extras.sinks.feed_channel import Channel, ChannelFacts, title_of
from sitecrawl.extras.sinks.feed_writing import article_fields

logger = logging.getLogger(__name__)
Item = dict[str, Any]


class OldEntry(NamedTuple):
    """An entry that a feed holds, as its text; ``day`` (ISO 8601) is empty if the entry tells
    none."""

    key: str
    day: str
    text: str


class OldFeed(NamedTuple):
    """What a feed held before this run, the newest first."""

    channel: Channel = Channel("")
    entries: tuple[OldEntry, ...] = ()


class NotAFeedError(ValueError):
    """A file that is no feed of this format."""


class _Ranked(NamedTuple):
    moment: float  # seconds since 1970
    order: int  # of two at one moment, that which came later is the newer one
    key: str
    made: Item | str


class Newest:
    """Takes articles and keeps the newest, 0: all of them. An article that comes again replaces
    what it was."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.by_key: dict[str, _Ranked] = {}
        self.count = 0

    def add(self, key: str, made: Item | str, *, moment: float) -> None:
        self.count += 1
        self.by_key[key] = _Ranked(moment, self.count, key, made)
        # sorted once for as many articles as are kept, not for each
        if self.most and len(self.by_key) > 2 * self.most + 1_000:
            self.by_key = {one.key: one for one in self._kept()}

    def add_item(self, item: Item) -> None:
        """An article by its date, else by when it was first seen."""
        seen = (item.get("metadata") or {}).get("dateDownloaded")
        moment = seconds_of(item.get("datePublished")) or seconds_of(seen) or time.time()
        self.add(item["url"], item, moment=moment)

    def add_entries(self, entries: Iterable[OldEntry]) -> None:
        """Entries of a feed, the newest first. One without a day stays above the next one."""
        moment = 0.0
        for entry in reversed([*entries]):
            moment = seconds_of(entry.day) or moment
            self.add(entry.key, entry.text, moment=moment)

    def made(self) -> list[Item | str]:
        """The articles, the newest first."""
        return [one.made for one in self._kept()]

    def _kept(self) -> list[_Ranked]:
        ranked = sorted(self.by_key.values(), reverse=True, key=lambda one: one[:2])
        return ranked[: self.most] if self.most else ranked


def seconds_of(day: Any) -> float | None:
    """The moment of a date in ISO 8601; None if it is none. A day begins at midnight in UTC."""
    with suppress(ValueError, TypeError, OverflowError):
        moment = datetime.fromisoformat(day)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    return None


class ArticleExporter(BaseItemExporter):
    """An exporter of a feed with a title. A format says how it is written: ``head`` and ``tail``
    stand around the entries, and ``between`` two; ``read`` takes a file apart that it wrote."""

    tail = ""
    between = ""

    def __init__(self, file: IO[bytes], facts: ChannelFacts | None = None, **kwargs: Any) -> None:
        super().__init__(dont_fail=True, **kwargs)
        self.file = file
        self.facts = facts or ChannelFacts()
        self.newest = Newest(self.facts.most)
        self.path = Path(str(getattr(file, "path", "") or getattr(file, "name", "")))
        self.keeps_old = isinstance(file, RewrittenFile)

    @classmethod
    def from_crawler(cls, crawler: Crawler, file: IO[bytes], **kwargs: Any) -> ArticleExporter:
        return cls(file, crawler.get_extension(ChannelFacts), **kwargs)

    @property
    def feed_url(self) -> str:
        """URL of the feed on the web; empty if unknown."""
        folder, name = self.facts.published_at, self.path.name
        return urljoin(f"{folder.rstrip('/')}/", name) if folder and name else ""

    def head(self, channel: Channel) -> str:
        raise NotImplementedError

    def entry(self, item: Item) -> str:
        raise NotImplementedError

    def read(self, document: bytes) -> OldFeed:
        """Raises NotAFeedError."""
        raise NotImplementedError

    def export_item(self, item: Any) -> None:
        self.newest.add_item(article_fields(item))

    @classmethod
    def renew(
        cls, path: Path, items: Iterable[Item], *, settings: Any, keeps_old: bool = True
    ) -> int:
        """Write items of several sites into their feed, and what it held; returns how many were
        given. Raises OSError."""
        file = RewrittenFile(path)
        exporter = cls(file, ChannelFacts.of_all(settings, title_of(path)))
        exporter.keeps_old = keeps_old
        for item in items:
            exporter.export_item(item)
        exporter.finish_exporting()
        write_whole(path, file.getvalue())
        return exporter.newest.count

    def finish_exporting(self) -> None:
        old = self._old_feed()
        whole = Newest(self.facts.most)
        whole.add_entries(old.entries)
        for item in self.facts.written_items(of_run=bool(old.entries)):
            whole.add_item(article_fields(item))
        for one in self.newest.by_key.values():
            whole.add(one.key, one.made, moment=one.moment)
        made = whole.made()
        channel = self.facts.channel(
            title_of(self.path), old.channel, items=[one for one in made if isinstance(one, dict)]
        )
        entries = [one if isinstance(one, str) else self.entry(one) for one in made]
        document = self.head(channel) + self.between.join(entries) + self.tail
        self.file.write(document.encode("utf-8", "replace"))

    def _old_feed(self) -> OldFeed:
        """What the file holds. Another file is kept beside the feed."""
        if not (self.keeps_old and self.path.is_file()):
            return OldFeed()
        try:
            document = self.path.read_bytes()
            return self.read(document) if document else OldFeed()
        except (NotAFeedError, RecursionError):
            kept = keep_old(self.path)
            logger.warning("%s was no feed of this kind: it is kept as %s", self.path, kept.name)
            return OldFeed()
