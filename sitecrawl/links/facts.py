"""The facts of a page's links: small whole numbers, tag paths and URLs, no text. Features are
computed from these alone. Crawl and training share this form: a record in ``training_data/`` is one
page's :class:`PageFacts` with labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain, repeat

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from sitecrawl.dom.document import Document
from sitecrawl.dom.page import Page
from sitecrawl.limits import LIMITS
from sitecrawl.links.anchors import anchor_columns, link_texts, text_facts
from sitecrawl.links.regions import HEADING, lent_headings, link_places, place_columns
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
    links, hrefs = _links_of(document)
    if not links:
        return PageFacts(page.url)
    texts = link_texts(document, links)
    sizes = _running_sizes(document.chunks)
    # paths are numbered in the order of their first links
    paths = [document.paths[link] for link in links]
    number = {path: number for number, path in enumerate(dict.fromkeys(paths))}
    columns = {
        "path": [number[path] for path in paths],
        **anchor_columns(document, links, texts=texts),
        **_placed_columns(document, links, texts=texts, sizes=sizes),
    }
    urls = absolute_urls(page.base_url, set(hrefs))
    return PageFacts(
        url=page.url,
        urls=[urls[href] for href in hrefs],
        hrefs=hrefs,
        table=np.array([columns[name] for name in COLUMNS], np.int64).T,
        paths=[document.path_texts[path] for path in number],
        total=sizes[-1],
        texts=texts,
    )


def _links_of(document: Document) -> tuple[list[int], list[str]]:
    """Numbers and references of the elements ``<a href>``."""
    anchors = document.tagged("a")
    found = zip(anchors, document.values("href", anchors), strict=True)
    linked = [(at, href) for at, href in found if href is not None][: LIMITS.links]
    return [at for at, _ in linked], [href for _, href in linked]


def _placed_columns(
    document: Document, links: list[int], *, texts: list[str], sizes: list[int]
) -> dict[str, Sequence[int]]:
    """The columns of places, and of the texts: a link without one may have that of a heading."""
    places = link_places(document, links)
    empty = [link for link, text in zip(links, texts, strict=True) if not text]
    lent = lent_headings(document, places, empty=empty)
    columns = place_columns(document, places, links=links, sizes=sizes)
    if lent:
        near = zip(columns["near"], links, strict=True)
        columns["near"] = [mask | HEADING if at in lent else mask for mask, at in near]
        texts = [text or lent.get(at, "") for at, text in zip(links, texts, strict=True)]
    words, lengths, flags = zip(*text_facts.each(texts), strict=True)
    return {**columns, "words": words, "size": lengths, "text_flags": flags}


def _running_sizes(chunks: list[str]) -> list[int]:
    """Bytes of UTF-8 before each chunk of text, and of all."""
    encoded = map(str.encode, chunks, repeat("utf-8"), repeat("replace"))
    return list(accumulate(map(len, encoded), initial=0))


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
