"""Items: plain dictionaries with the fields of ``Article.to_dict``; nothing else leaves a crawl."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from scrapy.http import Response

from sitecrawl.article import Article
from sitecrawl.values.chars import words


@dataclass(frozen=True, slots=True)
class ArticlePage:
    """What a spider yields in a project with the add-on: a response whose article it wants.

    ``promise`` is the probability, 0..1, that the page is an article; ``section`` the listing page that led to it.
    """

    response: Response
    promise: float = 0.9
    section: str | None = None


FIELDS = tuple(Article().to_dict())
"""Names of an item's fields, in the order of the feed."""


def item_of(article: Article, section: str | None) -> dict[str, Any]:
    """The item of an article found on the listing page ``section``."""
    article.sectionUrl = section or article.sectionUrl
    return article.to_dict()


def body_digest(item: dict[str, Any]) -> str:
    """Digest of headline and body, blanks and case aside: equal for copies of one article."""
    text = " ".join(words(f"{item.get('headline') or ''} {item['articleBody']}".casefold()))
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:24]
