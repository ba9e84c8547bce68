"""Items: plain dictionaries with the fields of ``Article.to_dict``; nothing else leaves a crawl."""

from __future__ import annotations

import hashlib
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any

from sitecrawl.items.article import ITEM_FIELDS, Article
from sitecrawl.text.chars import words

FIELDS = tuple(name for name, row in ITEM_FIELDS.items() if not row.optional)
"""Names of the fields that every item has, in the order of the feed."""


def item_of(article: Article, section: str | None) -> dict[str, Any]:
    """The item of an article found on the listing page ``section``."""
    article.sectionUrl = section or article.sectionUrl
    return article.to_dict()


Identity = tuple[str, int]
"""URL and revision: what tells an item from every other that leaves."""


def identity(item: dict[str, Any]) -> Identity:
    """Identity of an item; one without a ``revision`` is the first.

    >>> identity({"url": "http://example.com/a"})
    ('http://example.com/a', 1)
    """
    return str(item["url"]), int(item.get("revision") or 1)


def revise(item: dict[str, Any], before: dict[str, Any] | None, modified: str | None) -> None:
    """Number an item that leaves; ``before`` is what left last for its page, ``modified`` the page's ``Last-Modified``.

    >>> item = {"url": "http://example.com/a", "dateModified": None}
    >>> revise(item, {"url": "http://example.com/a", "revision": 1}, "Wed, 21 Oct 2015 07:28:00 GMT")
    >>> item["revision"], item["dateModified"]
    (2, '2015-10-21T07:28:00Z')
    """
    item["revision"] = identity(before)[1] + 1 if before else 1
    if before:
        item["dateModified"] = item["dateModified"] or _moment(modified or "")


def _moment(header: str) -> str | None:
    """A date of HTTP as ISO 8601, None where it is none."""
    try:
        return parsedate_to_datetime(header).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError):
        return None


def body_digest(item: dict[str, Any]) -> str:
    """Digest of headline and body, blanks and case aside: equal for copies of one article."""
    text = " ".join(words(f"{item.get('headline') or ''} {item['articleBody']}".casefold()))
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:24]
