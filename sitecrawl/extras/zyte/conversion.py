"""Articles and links as objects of zyte-common-items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import zyte_common_items as zyte

from sitecrawl.dom.page import Page
from sitecrawl.items.kinds import LinkLabel
from sitecrawl.links.anchors import TEXT_BIT, text_facts
from sitecrawl.links.classify import Link
from sitecrawl.links.pagination import first_part, next_part, turning_links

_DATES = ("datePublished", "dateModified")
_NEXT = TEXT_BIT["t_next"]


def zyte_article(item: Mapping[str, Any], *, is_article: bool = True) -> zyte.Article:
    """An item as an Article of zyte-common-items. Fields that it does not define stay with it, and
    Scrapy exports them as well. Its probability is the confidence in the text, and 0 where the page
    is not an article."""
    known = {name: value if value or value in ("", False) else None for name, value in item.items()}
    known |= {name: _moment(str(known[name])) for name in _DATES if known.get(name)}
    probability = item["provenance"].get("confidence", 0.0) if is_article else 0.0
    known["metadata"] = {**(item.get("metadata") or {}), "probability": probability}
    found: zyte.Article = zyte.Article.from_dict(known)
    return found


def zyte_list(page: Page, links: Iterable[Link], *, fetched: str) -> zyte.ArticleList:
    """The articles that a page links to: their URLs, link texts and probabilities."""
    found = [
        zyte.ArticleFromList(url=link.url, headline=link.text or None, metadata=_probability(link))
        for link in _once(links, LinkLabel.ARTICLE)
    ]
    return zyte.ArticleList(
        url=page.url, articles=found, metadata=zyte.ArticleListMetadata(dateDownloaded=fetched)
    )


def zyte_navigation(page: Page, links: list[Link], *, fetched: str) -> zyte.ArticleNavigation:
    """Where a listing page leads: articles, sections and its next page, told by ``rel``, by the
    number in its URL, or by the words of a link."""
    named = (link.url for link in turning_links(page) if "next" in link.rel)
    worded = (link.url for link in links if link.pagination and text_facts(link.text)[2] & _NEXT)
    turned = (
        next(named, None) or next_part(page, first_part(page) or page.url) or next(worded, None)
    )
    items, sections = (
        [
            zyte.ProbabilityRequest(
                url=link.url, name=link.text or None, metadata=_probability(link)
            )
            for link in _once(links, label)
            if not link.pagination and link.url != turned
        ]
        for label in (LinkLabel.ARTICLE, LinkLabel.SECTION)
    )
    return zyte.ArticleNavigation(
        url=page.url,
        categoryName=page.metadata.title or None,
        items=items,
        subCategories=sections,
        nextPage=zyte.Request(url=turned) if turned else None,
        metadata=zyte.ArticleNavigationMetadata(dateDownloaded=fetched),
    )


def _once(links: Iterable[Link], label: LinkLabel) -> Iterable[Link]:
    """The links with a label, one a URL: the first that has a text."""
    found: dict[str, Link] = {}
    for link in links:
        if link.label is label and not (link.url in found and found[link.url].text):
            found[link.url] = link
    return found.values()


def _probability(link: Link) -> zyte.ProbabilityMetadata:
    return zyte.ProbabilityMetadata(probability=round(link.score, 3))


def _moment(value: str) -> str:
    """A date with a time of day, as zyte-common-items has it; one that names no day stays as it is.

    >>> _moment("2024-05-06"), _moment("2024-05-06T07:08+00:00"), _moment("2024-05")
    ('2024-05-06T00:00:00', '2024-05-06T07:08:00Z', '2024-05')
    """
    try:
        return datetime.fromisoformat(value).isoformat(timespec="seconds").replace("+00:00", "Z")
    except ValueError:
        return value
