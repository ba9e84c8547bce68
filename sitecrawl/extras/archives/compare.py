"""Two feeds of the same pages compared: which items differ, and in which fields."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from sitecrawl.errors import FileError
from sitecrawl.items.article import ITEM_FIELDS

_COMPARED = tuple(
    name for name in ITEM_FIELDS if name not in ("url", "canonicalUrl", "metadata", "provenance", "sectionUrl")
)
"""Fields of an item that its page alone decides."""
_FEED_REMEDY = "name a .jsonl feed, or a folder of them"


class FeedError(FileError):
    """A feed cannot be read."""

    kind = "feed"


def differences(old: Path, new: Iterable[Path]) -> Iterator[tuple[str, str]]:
    """What became of each item that is not the same: ``changed`` (with the fields), ``new`` or ``gone``, and its URL.

    Of several items of a page the last one counts. Memory: about 400 bytes an item of the old feed.
    """
    before = {item["url"]: _digests(item) for item in _items(_files(old))}
    seen: dict[str, tuple[bytes, ...]] = {}
    for item in _items(path for name in new for path in _files(name)):
        seen[item["url"]] = _digests(item)
    for url, found in seen.items():
        known = before.pop(url, None)
        if known is None:
            yield "new", url
        elif known != found:
            pairs = zip(_COMPARED, known, found, strict=True)
            yield f"changed {', '.join(name for name, was, now in pairs if was != now)}", url
        else:
            yield "same", url
    yield from (("gone", url) for url in before)


def summary(kinds: Counter[str], fields: Counter[str]) -> str:
    """The last line of a comparison.

    >>> summary(Counter(same=3, changed=1), Counter(headline=1))
    '3 same, 1 changed (headline 1), 0 new, 0 gone'
    """
    told = ", ".join(f"{name} {count}" for name, count in fields.most_common())
    changed = f"{kinds['changed']} changed" + (f" ({told})" if told else "")
    return f"{kinds['same']} same, {changed}, {kinds['new']} new, {kinds['gone']} gone"


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
    return tuple(_short(item.get(name)) for name in _COMPARED)


def _short(value: Any) -> bytes:
    """A digest of a value; nothing for what is empty, whichever way it is."""
    if not value:
        return b""
    return hashlib.blake2b(json.dumps(value, sort_keys=True).encode(), digest_size=8).digest()
