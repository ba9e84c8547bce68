"""What the feed formats of this folder share: the fields of items, and the names of their files."""

from __future__ import annotations

import errno
import hashlib
import json
import logging
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any
from urllib.parse import quote, unquote, urlsplit
from uuid import NAMESPACE_URL, uuid5

from itemadapter import ItemAdapter

from sitecrawl.errors import NO_ROOM, SitecrawlError
from sitecrawl.items.feed_items import whole_item
from sitecrawl.text.chars import printable

logger = logging.getLogger(__name__)
_NAME_CHARS = 80
_NAME_BYTES = 240
"""Characters and bytes of a URL in the name of a file. File systems take 255 bytes: nine are the
digest, five the ending."""
_OF_ALL = (*NO_ROOM, errno.EIO)  # troubles of a disk: the next file would have them, too
_UNNAMED = re.compile(r"[^\w-]+")  # unsafe in file names
_RFC3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)")
_USUAL_NAMES = {
    "url": ("link", "id"),
    "headline": ("title", "name"),
    "articleBody": ("text", "content", "body"),
    "articleBodyHtml": ("html", "content_html"),
    "datePublished": ("date", "published"),
}
"""The names that plain items have for our fields: those of the model of RSS and Atom, of JSON Feed,
and of the extractors that `docs/coming-from.md` lists."""
_VARIABLE = re.compile(r"\$([A-Z_][A-Z0-9_]*)")


def fields_of(item: Any) -> dict[str, Any]:
    """The fields of an item of any type that Scrapy supports."""
    return dict(item) if isinstance(item, dict) else whole_item(ItemAdapter(item).asdict())


def article_fields(item: Any) -> dict[str, Any]:
    """The same with a URL, for feeds of articles. An item pipeline may have made another item with
    names of its own: title, text and date are found under the usual ones.

    >>> article_fields({"link": "http://example.com/a", "title": "A", "text": "b", "stars": 3})
    {'stars': 3, 'url': 'http://example.com/a', 'headline': 'A', 'articleBody': 'b'}
    """
    found = fields_of(item)
    if "headline" not in found or "articleBody" not in found:
        for name, others in _USUAL_NAMES.items():
            known = [other for other in others if found.get(other)]
            if known and not found.get(name):
                found[name] = _text(found.pop(known[0]))
    if not found.get("url"):
        text = json.dumps(found, sort_keys=True, default=str)
        found["url"] = uuid5(NAMESPACE_URL, text).urn
    return found


def _text(value: Any) -> str:
    if isinstance(value, list | tuple):
        return " ".join(map(_text, value))
    return value.isoformat() if isinstance(value, date) else str(value)


def instant(value: str) -> str | None:
    """An ISO 8601 date in RFC 3339, as feeds require, where it names an instant; None for a day, or
    a time without its zone.

    >>> instant("2024-05-06T07:08+02:00"), instant("2024-05-06T07:08:09Z"), instant("2024-05-06"), instant("2024-05-06T07:08:09")
    ('2024-05-06T07:08:00+02:00', '2024-05-06T07:08:09Z', None, None)
    """
    if _RFC3339.fullmatch(value):
        return value
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    return moment.isoformat(timespec="seconds") if moment.tzinfo else None


def file_name(url: str) -> str:
    """A readable file name for a URL that no other URL has.

    >>> file_name("http://example.com/news/a-bridge.html?x=1")
    'news-a-bridge-html-x-1-38d4da46'
    """
    parts = urlsplit(unquote(url))
    name = _UNNAMED.sub("-", f"{parts.path} {parts.query}").strip("-")[:_NAME_CHARS]
    # the last character is left out where the cut is in the middle of it
    name = name.encode()[:_NAME_BYTES].decode("utf-8", "ignore").strip("-")
    digest = hashlib.sha256(url.encode("utf-8", "replace")).hexdigest()[:8]
    return f"{name or 'index'}-{digest}"


@contextmanager
def part_of(folder: Path, what: str) -> Iterator[None]:
    """Leave out ``what``, with a line in the log, if its file in a folder of a feed cannot be
    written. Raises OSError if no other file could be written there, either."""
    try:
        yield
    except OSError as error:
        if error.errno in _OF_ALL or not _takes_files(folder):
            raise
        why = error.strerror or type(error).__name__
        logger.warning("%s is left out of the feed %s: %s", printable(what), folder, why)


def _takes_files(folder: Path) -> bool:
    try:
        with TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def with_secrets(url: str) -> str:
    """A URL with the values of the environment, percent-encoded, in place of ``$NAME``: secrets
    stand in no list of processes and in no log. Raises SitecrawlError for a variable that is not
    set, and for a password that is written out."""
    password = urlsplit(url).password or "$"
    if not password.startswith("$"):
        raise SitecrawlError(
            "others can see a password in a URL: write $NAME instead, and set NAME in the environment"
        )
    if missing := [name for name in _VARIABLE.findall(url) if name not in os.environ]:
        raise SitecrawlError(f"${missing[0]} is not set in the environment")
    return _VARIABLE.sub(lambda found: quote(os.environ[found[1]], safe=""), url)
