"""Which section links lead to another part of the same listing: next, previous, numbers, rel=next, ?page=2."""

from __future__ import annotations

from sitecrawl.links.facts import C, PageFacts
from sitecrawl.links.features import Targets
from sitecrawl.links.regions import REGIONS
from sitecrawl.links.texts import TEXT_FLAGS
from sitecrawl.links.urls import URL_FEATURES, url_facts

_TURN = 1 << TEXT_FLAGS.index("t_next") | 1 << TEXT_FLAGS.index("t_prev")
_NUMBER = 1 << TEXT_FLAGS.index("t_number") | 1 << TEXT_FLAGS.index("t_symbol")
_PAGER = 1 << REGIONS.index("pager")
_PAGE_NUMBER = URL_FEATURES.index("page_number")
_QUERY_PAGE = URL_FEATURES.index("query_page")
_FLAGS, _ATTRIBUTES, _MASK = C["text_flags"], C["attributes"], C["mask"]


def is_pagination(facts: PageFacts, targets: Targets, link: int) -> bool:
    """Whether a section link turns the pages of a listing: by rel, by its words or its number, backed by URL or place."""
    row = facts.table[link]
    target = targets.of[link]
    if target < 0:
        return False
    if row[_ATTRIBUTES] & 1 or row[_FLAGS] & _TURN:
        return True
    values = targets.facts[target].values
    numbered = bool(values[_PAGE_NUMBER] or values[_QUERY_PAGE])
    return numbered or bool(row[_FLAGS] & _NUMBER and row[_MASK] & _PAGER)


def turns_pages(url: str) -> bool:
    """Whether a URL alone says that it is a further page of something (``/page/2/``, ``?page=2``).

    >>> turns_pages("http://example.com/2007/10/page/2/"), turns_pages("http://example.com/2007/10/a-page-turner/")
    (True, False)
    """
    values = url_facts(url).values
    return bool(values[_PAGE_NUMBER] or values[_QUERY_PAGE])
