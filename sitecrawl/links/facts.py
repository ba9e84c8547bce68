"""The facts of a page's links: small whole numbers, tag paths and URLs, no text. Features are
computed from these alone. Crawl and training share this form: a record in ``training_data/`` is one
page's :class:`PageFacts` with labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from sitecrawl.dom.page import Page
from sitecrawl.limits import LIMITS
from sitecrawl.links.anchors import read_anchors, size, text_facts
from sitecrawl.links.regions import HEADING, build_regions, lent_headings, span_columns
from sitecrawl.urls.canonical import absolute_urls

COLUMNS = tuple(
    "path depth mask near words size text_flags title_words other_words images attributes "
    "listed ordinal list_size record_size record_links parent_size offset".split()
)
"""Whole numbers of a link, in order; sizes are UTF-8 bytes of visible text, masks are bits, ids
number things on the page."""
COLUMN = {name: number for number, name in enumerate(COLUMNS)}


@dataclass(slots=True)
class PageFacts:
    """Links of one page: ``urls`` absolute, ``hrefs`` as written, ``table`` links x ``COLUMNS``,
    ``paths`` tag paths by id. ``total`` is the size of the page's text. ``texts`` is empty in
    training data."""

    url: str
    urls: list[str] = field(default_factory=list)
    hrefs: list[str] = field(default_factory=list)
    table: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, len(COLUMNS)), np.int64))
    paths: list[str] = field(default_factory=list)
    total: int = 0
    texts: list[str] = field(default_factory=list)

    def column(self, name: str) -> NDArray[np.int64]:
        """One column of the table, a whole number for every link."""
        return self.table[:, COLUMN[name]]


def page_facts(page: Page) -> PageFacts:
    """Facts of every ``<a href>`` of a page in document order, at most ``LIMITS.links``."""
    document = page.document
    anchors = read_anchors(document, LIMITS.links)
    if not anchors.places:
        return PageFacts(page.url)
    places = anchors.places
    sizes = list(
        accumulate(
            [len(text) if text.isascii() else size(text) for text in document.chunks], initial=0
        )
    )
    regions = build_regions(document, places)
    named = dict(zip(places, anchors.texts, strict=True))
    lent = lent_headings(document, regions, empty=[at for at, text in named.items() if not text])
    texts = (text or lent.get(at, "") for at, text in named.items())
    words, lengths, flags = zip(*map(text_facts, texts), strict=True)
    paths: dict[int, int] = {}
    columns: dict[str, Sequence[int]] = {
        "path": [paths.setdefault(regions.path[at], len(paths)) for at in places],
        "depth": [regions.depths[regions.path[at]] for at in places],
        "mask": [regions.mask[at] for at in places],
        "near": [regions.near[at] | HEADING * (at in lent) for at in places],
        "words": words,
        "size": lengths,
        "text_flags": flags,
        "title_words": anchors.title_words,
        "other_words": anchors.other_words,
        "images": anchors.images,
        "attributes": anchors.attributes,
        **span_columns(document, regions, anchors=places, sizes=sizes),
    }
    known = absolute_urls(page.base_url, set(anchors.hrefs))
    return PageFacts(
        url=page.url,
        urls=[known[href] for href in anchors.hrefs],
        hrefs=anchors.hrefs,
        table=np.array([columns[name] for name in COLUMNS], np.int64).T,
        paths=[regions.paths[path] for path in paths],
        total=sizes[-1],
        texts=anchors.texts,
    )


def tag_path(link: etree._Element, known: dict[etree._Element, str]) -> str:
    """Tag path of a link, as in ``PageFacts.paths``; ``known`` is filled with the paths of the
    elements around it."""
    below, path = list[etree._Element](), ""
    for node in chain([link], link.iterancestors()):
        if (below and below[-1].tag == "body") or (path := known.get(node, "")):
            break
        below.append(node)
    for node in reversed(below):
        path = known[node] = (
            path if len(path) > LIMITS.cached_chars else f"{path}/{node.tag!s}".removeprefix("/")
        )
    return path
