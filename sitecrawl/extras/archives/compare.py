"""Compares two feeds of the same pages: which items differ, and in which fields."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from sitecrawl.errors import FileError
from sitecrawl.items.article import ITEM_FIELDS
from sitecrawl.text.chars import printable

_COMPARED = tuple(
    name
    for name in ITEM_FIELDS
    if name not in ("url", "canonicalUrl", "metadata", "provenance", "sectionUrl")
)
"""Fields of an item that depend on its page alone."""
_FEED_REMEDY = "name a .jsonl feed, or a folder of them"


class FeedError(FileError):
    """A feed cannot be read or written."""

    kind = "feed"


def compare(old: Path, new: Iterable[Path]) -> Iterator[str]:
    """A line for each item that differs: ``changed`` (with the fields), ``new`` or ``gone``; then
    the totals. Of several items of a page the last one counts. Memory: about 400 bytes per item of
    the old feed."""
    kinds, fields = Counter[str](), Counter[str]()
    before = {item["url"]: _digests(item) for item in _items(old)}
    after = {item["url"]: _digests(item) for path in new for item in _items(path)}
    for url in dict.fromkeys((*after, *before)):
        was, now = before.get(url, ()), after.get(url, ())
        names = [
            name for name, one, other in zip(_COMPARED, was, now, strict=False) if one != other
        ]
        fields.update(names)
        kind = _kind(was, now)
        kinds[kind] += 1
        if names:
            yield f"{kind} {printable(url)}: {', '.join(names)}"
        elif kind != "same":
            yield f"{kind} {printable(url)}"
    changed_fields = ", ".join(f"{name} {count}" for name, count in fields.most_common())
    changed = f"{kinds['changed']} changed" + (f" ({changed_fields})" if changed_fields else "")
    yield f"sitecrawl: {kinds['same']} same, {changed}, {kinds['new']} new, {kinds['gone']} gone"


def _kind(was: tuple[bytes, ...], now: tuple[bytes, ...]) -> str:
    if was == now:
        return "same"
    if was and now:
        return "changed"
    return "gone" if was else "new"


def _items(path: Path) -> Iterator[dict[str, Any]]:
    """The items of a feed, or of the feeds of a folder."""
    feeds = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    if not feeds:
        raise FeedError(path, "holds no .jsonl file", _FEED_REMEDY)
    for feed in feeds:
        try:
            with open(feed, "rb") as lines:
                yield from ({**item, "url": str(item["url"])} for item in map(json.loads, lines))
        except OSError as error:
            raise FeedError(feed, f"cannot be read ({error.strerror})", _FEED_REMEDY) from None
        except (ValueError, KeyError, TypeError):
            raise FeedError(feed, "is no feed of items as JSON lines", _FEED_REMEDY) from None


def _digests(item: dict[str, Any]) -> tuple[bytes, ...]:
    """A digest of each compared field; empty for every kind of empty value."""
    values = (item.get(name) for name in _COMPARED)
    return tuple(
        hashlib.blake2b(json.dumps(value, sort_keys=True).encode(), digest_size=8).digest()
        if value
        else b""
        for value in values
    )
