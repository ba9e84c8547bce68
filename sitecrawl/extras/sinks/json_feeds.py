"""JSON Feed 1.1: one file, or a folder with a feed for each section of a site."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import copy
from io import BytesIO
from pathlib import Path
from typing import IO, Any

from scrapy.exceptions import NotConfigured

from sitecrawl.crawl.database import write_whole
from sitecrawl.exporters import FolderFile
from sitecrawl.extensions import keep_old
from sitecrawl.extras.sinks.feed_writing import (
    ArticleExporter,
    ChannelFacts,
    fields_of,
    file_name,
    instant,
    part_of,
)
from sitecrawl.items.article import ITEM_FIELDS, FieldKind

VERSION = "https://jsonfeed.org/version/1.1"


class JsonFeedExporter(ArticleExporter):
    """JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/)."""

    tail = "\n]}\n"

    def head(self, item: dict[str, Any] | None) -> str:
        title, home, icon = self.facts.of(item)
        known = {
            "version": VERSION,
            "title": title,
            "home_page_url": home,
            "feed_url": self.feed_url,
            "favicon": icon,
        }
        head = json.dumps(
            {name: value for name, value in known.items() if value}, ensure_ascii=False
        )
        return head[:-1] + ', "items": [\n'

    def entry(self, item: dict[str, Any]) -> str:
        return (",\n" if self.count else "") + json.dumps(feed_item(item), ensure_ascii=False)


class _SectionFeed(JsonFeedExporter):
    """The JSON Feed of one section: items of this crawl, then those already in the file. It is open
    only while it is written, since a site may have more sections than a process may open files."""

    def __init__(self, path: Path, facts: ChannelFacts) -> None:
        super().__init__(BytesIO(), facts)
        self.path, self.ids, self.name = path, set[str](), f"{path.parent.name}/{path.name}"
        self.new = path.with_suffix(".new")
        self.new.write_bytes(b"")

    def export_item(self, item: Any) -> None:
        with open(self.new, "ab") as self.file:
            super().export_item(item)

    def entry(self, item: dict[str, Any]) -> str:
        self.ids.add(item["url"])
        return super().entry(item)

    def finish_exporting(self) -> None:
        old = [
            row
            for row in _document(self.path, "items").get("items", ())
            if row.get("id") not in self.ids
        ]
        self.tail = "".join(f",\n{json.dumps(row, ensure_ascii=False)}" for row in old) + self.tail
        with open(self.new, "ab") as self.file:
            super().finish_exporting()
        self.new.replace(self.path)


def _document(path: Path, needed: str = "") -> dict[str, Any]:
    """A file with a JSON object that has a list of objects under the name ``needed``. A damaged
    file is renamed."""
    try:
        found = json.loads(path.read_text(encoding="utf8"))
    except FileNotFoundError:
        return {}
    except (ValueError, RecursionError):
        found = None
    rows = found.get(needed, None if needed else []) if isinstance(found, dict) else None
    if isinstance(rows, list) and all(isinstance(row, dict) for row in rows):
        return dict(found)
    keep_old(path)
    return {}


class SectionFeedsExporter(ArticleExporter):
    """A JSON Feed for each section, in a folder; ``index.json`` maps files to the sections'
    URLs."""

    def __init__(self, file: IO[bytes], facts: ChannelFacts | None = None, **kwargs: Any) -> None:
        super().__init__(file, facts, **kwargs)
        if not isinstance(file, FolderFile):
            raise NotConfigured(
                "this feed format writes a folder: -O FOLDER:FORMAT, with FEED_STORAGES of sitecrawl"
            )
        self.folder, self.feeds = file.folder, dict[str, _SectionFeed]()

    def export_item(self, item: Any) -> None:
        section = str(fields_of(item).get("sectionUrl") or "")
        with part_of(self.folder, fields_of(item)["url"]):
            self._feed_of(section).export_item(item)

    def _feed_of(self, section: str) -> _SectionFeed:
        if section not in self.feeds:
            facts = copy(self.facts)
            facts.home = section or facts.home
            self.feeds[section] = _SectionFeed(self.folder / f"{file_name(section)}.json", facts)
        return self.feeds[section]

    def finish_exporting(self) -> None:
        path = self.folder / "index.json"
        index = _document(path)
        for section, feed in self.feeds.items():
            with part_of(self.folder, section or "the feed of no section"):
                feed.finish_exporting()
                index[feed.path.name] = section or None
        write_whole(path, json.dumps(index, indent=1, ensure_ascii=False))


def feed_item(item: dict[str, Any]) -> dict[str, Any]:
    """The feed item of an article item; ``_sitecrawl`` holds the fields that the standard lacks or
    holds less exactly.

    >>> feed_item({"url": "http://example.com/a", "headline": "A", "articleBody": "b", "dateModified": "2024-05-06"})
    {'id': 'http://example.com/a', 'url': 'http://example.com/a', 'title': 'A', 'content_text': 'b', '_sitecrawl': {'dateModified': '2024-05-06'}}
    """
    found: dict[str, Any] = {"id": item["url"]}
    for name, row in ITEM_FIELDS.items():
        if row.feed:
            value = item.get(name) or ""
            value = _AS[row.kind](value) if row.kind in _AS else value
            if value or row.feed == "content_text":  # which every feed item has
                found[row.feed] = value
    own = {
        name: value
        for name, value in item.items()
        if (value or value is False) and _is_own(name, value)
    }
    return found | {"_sitecrawl": own}


def _is_own(name: str, value: Any) -> bool:
    """Whether the standard's fields hold less than the item's field."""
    row = ITEM_FIELDS.get(name)
    return row is None or not row.feed or (row.kind in _LESS and _AS[row.kind](value) != value)


def _people(authors: list[dict[str, str]]) -> list[dict[str, str]]:
    """Authors with the keys that JSON Feed knows."""
    known = ({key: author[key] for key in ("name", "url") if author.get(key)} for author in authors)
    return [author for author in known if author]


_LESS = (
    FieldKind.DATE,
    FieldKind.PEOPLE,
)  # kinds of which the standard may hold less than the item
_AS: dict[FieldKind, Callable[[Any], Any]] = {
    FieldKind.DATE: instant,
    FieldKind.IMAGE: lambda image: image.get("url") if image else None,
    FieldKind.PEOPLE: _people,
}
