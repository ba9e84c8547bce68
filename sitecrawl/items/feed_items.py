"""Items as feeds write them: plain dictionaries with the fields of ``Article.to_dict``, their
identity and revisions."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from contextlib import suppress
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any

from sitecrawl.items.article import ITEM_FIELDS, Article
from sitecrawl.text.chars import words
from sitecrawl.text.dates import resolve_relative

FIELDS = tuple(name for name, row in ITEM_FIELDS.items() if not row.optional)
"""Names of the fields that every item has, in the order of the feed."""


def item_of(
    article: Article, section: str | None, *, fetched: str = "", fields: Collection[str] = ()
) -> dict[str, Any]:
    """The item of an article that the listing page ``section`` named, with all fields or only
    ``fields``. Its page was ``fetched`` then (ISO 8601)."""
    if fetched:
        article.metadata = {"dateDownloaded": fetched}
        if article.datePublishedRaw and not article.datePublished:
            article.datePublished = resolve_relative(article.datePublishedRaw, fetched)
    article.sectionUrl = section or article.sectionUrl
    return article.to_dict(fields)


def without_places(item: dict[str, Any]) -> dict[str, Any]:
    """The item as feeds hold it: without the places of its fields, which are a third of a short
    one.

    >>> without_places({"url": "a", "provenance": {"method": "template", "fields": {"headline": "//h1"}}})
    {'url': 'a', 'provenance': {'method': 'template'}}
    """
    provenance = item.get("provenance")
    if (
        not isinstance(provenance, dict) or "fields" not in provenance
    ):  # a user's step may change it
        return item
    short = {name: value for name, value in provenance.items() if name != "fields"}
    return item | {"provenance": short}


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
    """Set the revision of an item; ``before`` is the previous item of its page, ``modified`` the
    page's ``Last-Modified`` header.

    >>> item = {"url": "http://example.com/a", "dateModified": None}
    >>> revise(item, {"url": "http://example.com/a", "revision": 1}, modified="Wed, 21 Oct 2015 07:28:00 GMT")
    >>> item["revision"], item["dateModified"]
    (2, '2015-10-21T07:28:00Z')
    """
    item["revision"] = identity(before)[1] + 1 if before else 1
    if before and not item["dateModified"]:
        with suppress(ValueError, OverflowError):  # a header without a valid date
            item["dateModified"] = (
                f"{parsedate_to_datetime(modified or '').astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
            )


def body_digest(item: dict[str, Any]) -> str:
    """Digest of headline and body, ignoring white space and case: equal for copies of one
    article."""
    text = " ".join(words(f"{item.get('headline') or ''} {item['articleBody']}".casefold()))
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:24]
