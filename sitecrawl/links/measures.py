"""Measures of every link of a page, from its facts: lengths as logarithms, shares, ranks."""

from __future__ import annotations

import numpy as np

from sitecrawl.links.columns import LOGGED, MEASURES
from sitecrawl.links.facts import PageFacts
from sitecrawl.links.groups import Matrix, counts, maxima, percentiles
from sitecrawl.links.regions import REGIONS
from sitecrawl.links.similarity import path_similarities

_HEADING = REGIONS.index("heading")
_LOGGED_AT = [MEASURES.index(name) for name in LOGGED]
_PLAIN_AT = [number for number, name in enumerate(MEASURES) if name not in LOGGED]
_PLAIN = tuple(MEASURES[number] for number in _PLAIN_AT)


def link_measures(page: PageFacts) -> Matrix:
    """Measures of every link, links x ``MEASURES``."""
    found = np.empty((len(page.urls), len(MEASURES)), np.float32)
    found[:, _LOGGED_AT] = np.log1p(_lengths(page)).T
    shares = _shares(page)
    for at, name in zip(_PLAIN_AT, _PLAIN, strict=True):
        found[:, at] = shares[name]
    return found


def _lengths(page: PageFacts) -> np.ndarray:
    """Measures whose logarithm counts, ``LOGGED`` x links."""
    c = page.column
    words, size = c("words"), c("size")
    title = np.where(words == 0, c("title_words"), 0)
    return np.array(
        [
            words,
            size,
            c("title_words"),
            c("alt_words"),
            c("record_size"),
            np.maximum(0, c("record_size") - size),
            c("record_links"),
            c("heading_size"),
            c("ordinal"),
            c("list_size"),
            c("outer_size"),
            c("outer_links"),
            np.maximum(0, c("parent_size") - size),
            c("depth"),
            counts(c("text_id")),
            counts(c("path")),
            np.maximum(words, np.maximum(c("alt_words"), title)),
        ],
        np.float64,
    )


def _shares(page: PageFacts) -> dict[str, np.ndarray]:
    """The other measures."""
    c = page.column
    number, size, record, path = len(page.urls), c("size"), c("record"), c("path")
    listed = record >= 0
    longest = (size >= maxima(size, record)) & (size > 0)
    return {
        "pictured": c("images") > 0,
        "empty": c("words") == 0,
        "heading": (c("near") | c("own")) >> _HEADING & 1,
        "record_share": size / np.maximum(1, c("record_size")),
        "record_dates": np.minimum(3, c("record_dates")),
        "record_dated": (c("record_dates") == 1) & listed,
        "record_images": c("record_images") > 0,
        "record_headings": c("record_headings") > 0,
        "outer_dates": c("outer_dates") / np.maximum(1, c("outer_links")),
        "parent_share": size / np.maximum(1, c("parent_size")),
        "offset": c("offset") / max(1, page.total),
        "place": np.arange(number) / number,
        "listed": listed,
        "words_rank": percentiles(c("words")),
        "longest": longest,
        "similarity": path_similarities(page.paths, path)[path],
    }
