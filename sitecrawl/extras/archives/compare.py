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
    name for name in ITEM_FIELDS if name not in ("url", "canonicalUrl", "metadata", "provenance", "sectionUrl")
)
"""Fields of an item that depend on its page alone."""
_FEED_REMEDY = "name a .jsonl feed, or a folder of them"


class FeedError(FileError):
    """A feed cannot be read or written."""

    kind = "feed"


def compare(old: Path, new: Iterable[Path]) -> Iterator[str]:
    """A line for each item that differs: ``changed`` (with the fields), ``new`` or ``gone``; then the totals. Of several items of a page the last one
    counts. Memory: about 400 bytes per item of the old feed."""
    kinds, fields = Counter[str](), Counter[str]()
    before = {item["url"]: _digests(item) for item in _items(_files(old))}
    after = {item["url"]: _digests(item) for item in _items(path for name in new for path in _files(name))}
    for url in dict.fromkeys((*after, *before)):
        was, now = before.get(url), after.get(url)
        kind = "same" if was == now else "new" if not was else "gone" if not now else "changed"
        kinds[kind] += 1
        names = [name for name, one, other in zip(_COMPARED, was or (), now or (), strict=False) if one != other]
        fields.update(names)
        if kind != "same":
            yield f"{kind} {printable(url)}{': ' * bool(names)}{', '.join(names)}"
    changed_fields = ", ".join(f"{name} {count}" for name, count in fields.most_common())
    changed = f"{kinds['changed']} changed" + (f" ({changed_fields})" if changed_fields else "")
    yield f"sitecrawl: {kinds['same']} same, {changed}, {kinds['new']} new, {kinds['gone']} gone"


def _files(path: Path) -> list[Path]:
    """The feeds of a folder, or the one feed."""
    if not path.is_dir():
        return [path]
    found = sorted(path.glob("*.jsonl"))
    if not found:
        raise FeedError(path, "holds no .jsonl file", _FEED_REMEDY)
    return found


def _items(paths: Iterable[Path]) -> Iterator[dict[str, Any]]:
    for path in paths:
        try:
            with open(path, "rb") as lines:
                yield from (_item(line) for line in lines)
        except OSError as error:
            raise FeedError(path, f"cannot be read ({error.strerror})", _FEED_REMEDY) from None
        except (ValueError, KeyError, TypeError):
            raise FeedError(path, "is no feed of items as JSON lines", _FEED_REMEDY) from None


def _item(line: bytes) -> dict[str, Any]:
    item: dict[str, Any] = json.loads(line)
    return item | {"url": str(item["url"])}


def _digests(item: dict[str, Any]) -> tuple[bytes, ...]:
    """A digest of each compared field; empty for every kind of empty value."""
    values = (item.get(name) for name in _COMPARED)
    return tuple(
        hashlib.blake2b(json.dumps(value, sort_keys=True).encode(), digest_size=8).digest() if value else b""
        for value in values
    )
