"""JSON Feed 1.1."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from sitecrawl.extras.sinks.feed_channel import Channel
from sitecrawl.extras.sinks.feed_writing import instant
from sitecrawl.extras.sinks.newest import (
    ArticleExporter,
    Item,
    NotAFeedError,
    OldEntry,
    OldFeed,
)
from sitecrawl.items.article import ITEM_FIELDS, FieldKind

VERSION = "https://jsonfeed.org/version/1.1"


class JsonFeedExporter(ArticleExporter):
    """JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/)."""

    between = ",\n"
    tail = "\n]}\n"

    def head(self, channel: Channel) -> str:
        known = {
            "version": VERSION,
            "title": channel.title,
            "home_page_url": channel.home,
            "feed_url": self.feed_url,
            "favicon": channel.icon,
        }
        given = {name: value for name, value in known.items() if value}
        return json.dumps(given, ensure_ascii=False)[:-1] + ', "items": [\n'

    def entry(self, item: Item) -> str:
        return json.dumps(feed_item(item), ensure_ascii=False, default=str)

    def read(self, document: bytes) -> OldFeed:
        try:
            feed = json.loads(document)
            channel = Channel(
                str(feed["title"]), feed.get("home_page_url", ""), feed.get("favicon", "")
            )
            return OldFeed(channel, tuple(_old_entry(row) for row in feed["items"]))
        except (ValueError, KeyError, TypeError, AttributeError):
            raise NotAFeedError from None


def _old_entry(row: Item) -> OldEntry:
    own = row.get("_sitecrawl", {})
    seen = own.get("metadata", {}).get("dateDownloaded", "")
    day = row.get("date_published") or own.get("datePublished") or seen
    return OldEntry(row["id"], day, json.dumps(row, ensure_ascii=False))


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
