"""The records that links belong to, measured: text, links, dates, pictures and headings of spans of a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sitecrawl.dom.tags import HEADINGS
from sitecrawl.dom.tree import Tree
from sitecrawl.links.groups import Ids
from sitecrawl.links.regions import Regions
from sitecrawl.links.texts import dated

_HEADINGS = frozenset(HEADINGS)


@dataclass(slots=True)
class Measures:
    """What lies before each place of a page, so that any span is measured by two look-ups.

    ``first`` and ``last`` are the chunks of each element, ``sizes`` (bytes of UTF-8) and ``dates`` running sums over the
    chunks; ``anchors``, ``images`` and ``headings`` are element numbers in order, ``heading_sizes`` the text of each
    heading, and a zero.
    """

    first: Ids
    last: Ids
    sizes: Ids
    dates: Ids
    anchors: Ids
    images: Ids
    headings: Ids
    heading_sizes: Ids


def measure(tree: Tree, anchors: list[int]) -> Measures:
    """Running sums and places of a page with links at ``anchors``."""
    sizes = _running(list(map(len, map(str.encode, tree.chunks))))
    dates = _running(dated(tree.chunks))
    tags = tree.tags
    images = [i for i, tag in enumerate(tags) if tag == "img"]
    headings = [i for i, tag in enumerate(tags) if tag in _HEADINGS]
    first, last = np.array(tree.first), np.array(tree.last)
    at = np.array(headings, np.int64)
    heading_sizes = np.append(sizes[last[at]] - sizes[first[at]], 0)
    places = np.array(anchors, np.int64), np.array(images, np.int64), at
    return Measures(first, last, sizes, dates, *places, heading_sizes)


def _running(values: Sequence[int]) -> Ids:
    """Sums of the first 0, 1, 2, ... values."""
    sums = np.zeros(len(values) + 1, np.int64)
    np.cumsum(values, out=sums[1:])
    return sums


def span_columns(tree: Tree, regions: Regions, measures: Measures) -> dict[str, Ids]:
    """Of each link: its record, the next outer one, the element it stands in, and its place in the text.

    A record ends where the next of its list begins. A link of no list has the page for its record.
    """
    parents, ends, links = np.array(tree.parents), np.array(tree.ends), measures.anchors
    record = np.array([regions.record[link] for link in links.tolist()], np.int64)
    listed = record >= 0
    family = np.where(listed, parents[record], -1)
    before, after, following = (
        np.array([counted[at] for at in record.tolist()], np.int64) * listed
        for counted in (regions.before, regions.after, regions.following)
    )
    outer = np.array([regions.record[at] for at in family.tolist()], np.int64)
    outer[~listed] = -1
    end = np.where(following > 0, following, np.where(listed, ends[family], len(tree)))
    around = parents[links]
    return {
        "record": record,
        "record_list": family,
        "ordinal": before,
        "list_size": before + after + 1,
        **_record_columns(measures, record, end),
        "outer": outer,
        **_outer_columns(measures, outer, np.where(outer >= 0, ends[outer], len(tree)), listed),
        "parent_size": measures.sizes[measures.last[around]] - measures.sizes[measures.first[around]],
        "offset": measures.sizes[measures.first[links]],
    }


def _record_columns(measures: Measures, record: Ids, end: Ids) -> dict[str, Ids]:
    start, sizes, dates = np.maximum(record, 0), measures.sizes, measures.dates
    first, last = measures.first[start], np.maximum(measures.last[end - 1], measures.last[start])
    heading = measures.headings.searchsorted(start)
    headings = measures.headings.searchsorted(end) - heading
    return {
        "record_size": sizes[last] - sizes[first],
        "record_links": _count(measures.anchors, start, end),
        "record_dates": dates[last] - dates[first],
        "record_images": _count(measures.images, start, end),
        "record_headings": headings,
        "heading_size": measures.heading_sizes[heading] * ((headings > 0) & (record >= 0)),
    }


def _outer_columns(measures: Measures, outer: Ids, end: Ids, listed: NDArray[np.bool_]) -> dict[str, Ids]:
    start, sizes, dates = np.maximum(outer, 0), measures.sizes, measures.dates
    first, last = measures.first[start], measures.last[start]
    return {
        "outer_size": (sizes[last] - sizes[first]) * listed,
        "outer_links": _count(measures.anchors, start, end) * listed,
        "outer_dates": (dates[last] - dates[first]) * listed,
    }


def _count(places: Ids, start: Ids, end: Ids) -> Ids:
    """How many of the ascending ``places`` lie in each span."""
    return places.searchsorted(end) - places.searchsorted(start)
