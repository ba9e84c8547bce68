"""Items as feeds write them: plain dictionaries with the fields of ``Article.to_dict``, their identity and revisions, and JSON Feed 1.1
(https://www.jsonfeed.org/version/1.1/) by the table of item fields."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from sitecrawl.items.article import ITEM_FIELDS, Article, FieldKind
from sitecrawl.text.chars import words
from sitecrawl.text.dates import resolve_relative

FIELDS = tuple(name for name, row in ITEM_FIELDS.items() if not row.optional)
"""Names of the fields that every item has, in the order of the feed."""


def item_of(
    article: Article, section: str | None, *, fetched: str = "", fields: Collection[str] = ()
) -> dict[str, Any]:
    """The item of an article found on the listing page ``section``, whose page was ``fetched`` at a moment of ISO 8601, with all ``fields`` or these."""
    if fetched:
        article.metadata = {"dateDownloaded": fetched}
        if article.datePublishedRaw and not article.datePublished:
            article.datePublished = resolve_relative(article.datePublishedRaw, fetched)
    article.sectionUrl = section or article.sectionUrl
    return article.to_dict(fields)


_EMPTY_ITEM = Article().to_dict()


def whole_item(item: dict[str, Any]) -> dict[str, Any]:
    """An item with all fields: other forms of items leave out those without a value."""
    return item if "provenance" in item and "authors" in item else _EMPTY_ITEM | item


Identity = tuple[str, int]  # URL and revision, which identify an item among all items of a crawl


def identity(item: dict[str, Any]) -> Identity:
    """Identity of an item; an item without a ``revision`` is revision 1.

    >>> identity({"url": "http://example.com/a"})
    ('http://example.com/a', 1)
    """
    return str(item["url"]), int(item.get("revision") or 1)


def revise(item: dict[str, Any], before: dict[str, Any] | None, *, modified: str | None) -> None:
    """Set the revision of an item; ``before`` is the previous item of its page, ``modified`` the page's ``Last-Modified`` header.

    >>> item = {"url": "http://example.com/a", "dateModified": None}
    >>> revise(item, {"url": "http://example.com/a", "revision": 1}, modified="Wed, 21 Oct 2015 07:28:00 GMT")
    >>> item["revision"], item["dateModified"]
    (2, '2015-10-21T07:28:00Z')
    """
    item["revision"] = identity(before)[1] + 1 if before else 1
    if before and not item["dateModified"]:
        with suppress(ValueError, OverflowError):  # a header without a valid date
            item["dateModified"] = f"{parsedate_to_datetime(modified or '').astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def body_digest(item: dict[str, Any]) -> str:
    """Digest of headline and body, ignoring white space and case: equal for copies of one article."""
    text = " ".join(words(f"{item.get('headline') or ''} {item['articleBody']}".casefold()))
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:24]


VERSION = "https://jsonfeed.org/version/1.1"


def feed_item(item: dict[str, Any]) -> dict[str, Any]:
    """The feed item of an article item; ``_sitecrawl`` holds the fields that the standard lacks or holds less exactly.

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
    own = {name: value for name, value in item.items() if (value or value is False) and _is_own(name, value)}
    return found | {"_sitecrawl": own}


def _is_own(name: str, value: Any) -> bool:
    """Whether the standard's fields hold less than the item's field."""
    row = ITEM_FIELDS.get(name)
    return row is None or not row.feed or (row.kind in _LESS and _AS[row.kind](value) != value)


def instant(value: str) -> str | None:
    """An ISO 8601 date in RFC 3339, as feeds require, where it names an instant; None for a day, or a time without its zone.

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


def _people(authors: list[dict[str, str]]) -> list[dict[str, str]]:
    """Authors with the keys that JSON Feed knows."""
    known = ({key: author[key] for key in ("name", "url") if author.get(key)} for author in authors)
    return [author for author in known if author]


_LESS = (FieldKind.DATE, FieldKind.PEOPLE)  # kinds of which the standard may hold less than the item
_RFC3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)")
_AS: dict[FieldKind, Callable[[Any], Any]] = {
    FieldKind.DATE: instant,
    FieldKind.IMAGE: lambda image: image.get("url") if image else None,
    FieldKind.PEOPLE: _people,
}
