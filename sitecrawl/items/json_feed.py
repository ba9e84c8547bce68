"""JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/): what an item is called there, by the table of item fields."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sitecrawl.items.article import ITEM_FIELDS
from sitecrawl.items.fields import FieldKind

VERSION = "https://jsonfeed.org/version/1.1"
_ALWAYS = ("content_text",)
"""Names that stand in a feed item even where they are empty."""


def feed_item(item: dict[str, Any]) -> dict[str, Any]:
    """The feed item of an article item; what the standard does not know, or knows less exactly, stands in ``_sitecrawl``.

    >>> feed_item({"url": "http://example.com/a", "headline": "A", "articleBody": "b", "dateModified": "2024-05-06"})
    {'id': 'http://example.com/a', 'url': 'http://example.com/a', 'title': 'A', 'date_modified': '2024-05-06T00:00:00Z',
     'content_text': 'b', '_sitecrawl': {'dateModified': '2024-05-06'}}
    """
    found: dict[str, Any] = {"id": item["url"]}
    for name, row in ITEM_FIELDS.items():
        if row.feed and (item.get(name) or row.feed in _ALWAYS):
            found[row.feed] = _AS.get(row.kind, _same)(item.get(name) or "")
    return found | {"_sitecrawl": {name: value for name, value in item.items() if value and _is_own(name, value)}}


def _is_own(name: str, value: Any) -> bool:
    """Whether the feed's own fields do not say all that the item's field says."""
    row = ITEM_FIELDS.get(name)
    return row is None or not row.feed or (row.kind is FieldKind.DATE and _moment(value) != value)


def _moment(value: str) -> str:
    """RFC 3339, as JSON Feed asks; a day alone begins at midnight, a missing zone is UTC."""
    full = value if "T" in value else f"{value}T00:00:00"
    return full if full[-1] == "Z" or full[-6] in "+-" else f"{full}Z"


def _same(value: Any) -> Any:
    return value


_AS: dict[FieldKind, Callable[[Any], Any]] = {FieldKind.DATE: _moment, FieldKind.IMAGE: lambda image: image.get("url")}
