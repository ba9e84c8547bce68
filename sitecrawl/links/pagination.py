"""Which section links lead to another part of the same listing: next, previous, numbers, rel=next, ?page=2."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sitecrawl.links.anchors import ATTRIBUTES
from sitecrawl.links.columns import AT
from sitecrawl.links.facts import PageFacts
from sitecrawl.links.features import Targets
from sitecrawl.links.regions import REGIONS
from sitecrawl.links.texts import TEXT_FLAGS
from sitecrawl.links.urls import URL_FEATURES, url_facts

_NEXT = 1 << ATTRIBUTES.index("rel_next")
_TURN = 1 << TEXT_FLAGS.index("t_next") | 1 << TEXT_FLAGS.index("t_prev")
_NUMBER = 1 << TEXT_FLAGS.index("t_number") | 1 << TEXT_FLAGS.index("t_symbol")
_PAGER = 1 << REGIONS.index("pager")
_PAGE_NUMBER = URL_FEATURES.index("page_number")
_QUERY_PAGE = URL_FEATURES.index("query_page")
_PAGE_NUMBER_AT, _QUERY_PAGE_AT = AT["url"].start + _PAGE_NUMBER, AT["url"].start + _QUERY_PAGE


def links_that_turn(facts: PageFacts, targets: Targets) -> NDArray[np.bool_]:
    """Which links turn the pages of a listing where they lead to a section: by rel, by words or number backed by place,
    or by URL.
    """
    if not len(targets.matrix):
        return np.zeros(len(facts.urls), np.bool_)
    flags = facts.column("text_flags")
    told = (facts.column("attributes") & _NEXT | flags & _TURN) != 0
    placed = (flags & _NUMBER != 0) & (facts.column("mask") & _PAGER != 0)
    numbered = (targets.matrix[:, _PAGE_NUMBER_AT] + targets.matrix[:, _QUERY_PAGE_AT] > 0)[targets.of]
    found: NDArray[np.bool_] = (targets.of >= 0) & (told | placed | numbered)
    return found


def turns_pages(url: str) -> bool:
    """Whether a URL alone says that it is a further page of something (``/page/2/``, ``?page=2``).

    >>> turns_pages("http://example.com/2007/10/page/2/"), turns_pages("http://example.com/2007/10/a-page-turner/")
    (True, False)
    """
    values = url_facts(url).values
    return bool(values[_PAGE_NUMBER] or values[_QUERY_PAGE])
