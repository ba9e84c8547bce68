"""The facts of a page's links: small whole numbers, tag paths and URLs, no text. Features are computed from these alone.

Crawl and training share this form: a record in ``training_data/`` is one page's :class:`PageFacts` with labels.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from sitecrawl.dom.addresses import join
from sitecrawl.dom.page import Page
from sitecrawl.dom.tree import Tree
from sitecrawl.limits import LIMITS
from sitecrawl.links.regions import Regions, build_regions
from sitecrawl.links.texts import looks_like_date, size, text_facts

COLUMNS = (
    *("path", "words", "size", "text_flags", "title_words", "alt_words", "images", "mask", "near", "own", "attributes"),
    *("text_id", "record", "record_list", "ordinal", "record_size", "record_links", "record_dates", "record_images"),
    *("record_headings", "heading_size", "outer", "outer_size", "outer_links", "outer_dates", "parent_size", "offset"),
    *("depth", "list_size"),
)
"""Whole numbers of a link, in order; sizes are UTF-8 bytes of visible text, masks are bits, ids number things on the page."""
C = {name: number for number, name in enumerate(COLUMNS)}
ATTRIBUTES = (
    "rel_next",
    "rel_tag",
    "rel_category",
    "rel_author",
    "rel_bookmark",
    "nofollow",
    "blank",
    "itemprop",
    "aria",
    "onclick",
)
HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_REL = {"next": 1, "prev": 1, "tag": 2, "category": 4, "author": 8, "bookmark": 16, "nofollow": 32}


@dataclass(slots=True)
class PageFacts:
    """Links of one page: ``urls`` absolute, ``hrefs`` as written, ``table`` links x ``COLUMNS``, ``paths`` tag paths by id.

    ``total`` is the size of the page's text. ``texts`` is empty in training data.
    """

    url: str
    urls: list[str] = field(default_factory=list)
    hrefs: list[str] = field(default_factory=list)
    table: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, len(COLUMNS)), np.int64))
    paths: list[str] = field(default_factory=list)
    total: int = 0
    texts: list[str] = field(default_factory=list)

    def column(self, name: str) -> NDArray[np.int64]:
        """One column of the table, a whole number for every link."""
        values: NDArray[np.int64] = self.table[:, C[name]]
        return values


@dataclass(slots=True)
class _Sums:
    """Running sums over a page, so that any span of elements is measured in constant time."""

    sizes: list[int]
    dates: list[int]
    anchors: list[int]
    images: list[int]
    headings: list[int]


def page_facts(page: Page) -> PageFacts:
    """Facts of every ``<a href>`` of a page in document order, at most ``LIMITS.links``."""
    tree, base = page.tree, page.base_url
    anchors = [i for i, tag in enumerate(tree.tags) if tag == "a" and tree.nodes[i].get("href") is not None]
    anchors = anchors[: LIMITS.links]
    if not anchors:
        return PageFacts(page.url)
    hrefs = [tree.nodes[i].get("href", "") for i in anchors]
    texts = [" ".join(" ".join(tree.chunks[tree.first[i] : tree.last[i]]).split()) for i in anchors]
    regions, sums = build_regions(tree, anchors), _sums(tree, anchors)
    names: dict[str, int] = {}
    ids: dict[str, int] = {}
    spans: dict[int, tuple[int, ...]] = {}
    rows = [
        (
            names.setdefault(regions.path[i], len(names)),
            *text_facts(text),
            *_attributes(tree, i, text),
            *_place(tree, regions, i),
            ids.setdefault(text, len(ids)),
            *_spans(tree, regions, i, (sums, spans)),
        )
        for i, text in zip(anchors, texts, strict=True)
    ]
    table = np.array(rows, np.int64)[:, _ORDER]
    known = {href: join(base, href) for href in set(hrefs)}
    urls = [known[href] for href in hrefs]
    return PageFacts(page.url, urls, hrefs, table, list(names), sums.sizes[-1], texts)


_BUILT = (
    *(
        "path",
        "words",
        "size",
        "text_flags",
        "title_words",
        "alt_words",
        "images",
        "attributes",
        "mask",
        "own",
        "depth",
    ),
    *("text_id", "record", "near", "record_list", "ordinal", "record_size", "record_links", "record_dates"),
    *(
        "record_images",
        "record_headings",
        "heading_size",
        "outer",
        "outer_size",
        "outer_links",
        "outer_dates",
        "list_size",
    ),
    *("parent_size", "offset"),
)
_ORDER = [_BUILT.index(name) for name in COLUMNS]


def _sums(tree: Tree, anchors: list[int]) -> _Sums:
    dates = (len(c) < 60 and any(map(str.isdigit, c)) and looks_like_date(c) for c in tree.chunks)
    tags = tree.tags
    return _Sums(
        sizes=[0, *accumulate(map(size, tree.chunks))],
        dates=[0, *accumulate(dates)],
        anchors=anchors,
        images=[i for i, tag in enumerate(tags) if tag == "img"],
        headings=[i for i, tag in enumerate(tags) if tag in HEADINGS],
    )


def _attributes(tree: Tree, anchor: int, text: str) -> tuple[int, int, int, int]:
    """Words of the title attribute, words of the picture's description, pictures inside, flags of the attributes."""
    node = tree.nodes[anchor]
    inner = range(anchor + 1, tree.ends[anchor])
    pictures = [tree.nodes[i] for i in inner if tree.tags[i] == "img"]
    alt = text_facts(" ".join((pictures[0].get("alt") or "").split()))[0] if pictures and not text else 0
    flags, title = 0, 0
    if len(node.attrib) > 1:
        for word in (node.get("rel") or "").lower().split():
            flags |= _REL.get(word, 0)
        flags |= 64 * (node.get("target") == "_blank") + 128 * ("itemprop" in node.attrib)
        flags |= 256 * ("aria-label" in node.attrib or "aria-current" in node.attrib) + 512 * ("onclick" in node.attrib)
        title = text_facts(" ".join((node.get("title") or "").split()))[0]
    return title, alt, len(pictures), flags


def _place(tree: Tree, regions: Regions, anchor: int) -> tuple[int, int, int]:
    return regions.mask[anchor], regions.own[anchor], tree.depths[anchor]


def _spans(
    tree: Tree, regions: Regions, anchor: int, memo: tuple[_Sums, dict[int, tuple[int, ...]]]
) -> tuple[int, ...]:
    """Facts of the record the link belongs to, of the next outer record, of its parent, and its place in the text."""
    sums, spans = memo
    record = regions.record[anchor]
    if record not in spans:
        spans[record] = _record(tree, regions, record, sums)
    parent = tree.parents[anchor]
    around = sums.sizes[tree.last[parent]] - sums.sizes[tree.first[parent]]
    near, at = 0, anchor
    while at != record and at > 0:
        near |= regions.own[at]
        at = tree.parents[at]
    near |= regions.own.get(record, 0)
    return (record, near, *spans[record], around, sums.sizes[tree.first[anchor]])


def _record(tree: Tree, regions: Regions, record: int, sums: _Sums) -> tuple[int, ...]:
    """Facts of one record: its list, ordinal, size, links, dates, pictures, headings, and those of the outer record."""
    if record < 0:
        return (
            -1,
            0,
            sums.sizes[-1],
            len(sums.anchors),
            sums.dates[-1],
            len(sums.images),
            len(sums.headings),
            0,
            -1,
            0,
            0,
            0,
            1,
        )
    parent = tree.parents[record]
    family = regions.siblings[parent, tree.tags[record]]
    end = regions.next_sibling(tree, record)
    first, last = tree.first[record], tree.last[end - 1] if end - 1 >= record else tree.last[record]
    last = max(last, tree.last[record])
    head = bisect_left(sums.headings, record)
    heads = bisect_left(sums.headings, end) - head
    heading = sums.headings[head] if heads else 0
    outer = regions.record[parent]
    return (
        parent,
        bisect_left(family, record),
        sums.sizes[last] - sums.sizes[first],
        _count(sums.anchors, record, end),
        sums.dates[last] - sums.dates[first],
        _count(sums.images, record, end),
        heads,
        sums.sizes[tree.last[heading]] - sums.sizes[tree.first[heading]] if heads else 0,
        outer,
        *_outer(tree, outer, sums),
        len(family),
    )


def _outer(tree: Tree, outer: int, sums: _Sums) -> tuple[int, int, int]:
    """Size, links and dates of the outer record."""
    if outer < 0:
        return sums.sizes[-1], len(sums.anchors), sums.dates[-1]
    first, last = tree.first[outer], tree.last[outer]
    links = _count(sums.anchors, outer, tree.ends[outer])
    return sums.sizes[last] - sums.sizes[first], links, sums.dates[last] - sums.dates[first]


def _count(places: list[int], start: int, end: int) -> int:
    return bisect_left(places, end) - bisect_left(places, start)
