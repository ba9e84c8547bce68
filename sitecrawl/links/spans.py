"""The records that links belong to, measured: text and links of spans of a page."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from itertools import accumulate, chain

import numpy as np

from sitecrawl.dom.tree import Tree
from sitecrawl.links.groups import Ids
from sitecrawl.links.regions import Regions
from sitecrawl.links.texts import size

RECORD_COLUMNS = ("listed", "ordinal", "list_size", "record_size", "record_links")
"""What is known of a record, in order."""


@dataclass(slots=True)
class Measures:
    """What lies before each place of a page, so that any span is measured by two look-ups.

    ``sizes`` are running sums over the chunks, bytes of UTF-8; ``anchors`` are element numbers in order.
    """

    tree: Tree
    sizes: list[int]
    anchors: list[int]


def measure(tree: Tree, anchors: list[int]) -> Measures:
    """Running sums of a page with links at ``anchors``."""
    return Measures(tree, list(accumulate(map(size, tree.chunks), initial=0)), anchors)


def span_columns(tree: Tree, regions: Regions, measures: Measures) -> dict[str, Ids]:
    """Of each link: its record, the element it stands in, and its place in the text.

    A record ends where the next of its list begins. A link of no list has the page for its record.
    """
    numbers: dict[int, int] = {}
    of = [numbers.setdefault(regions.record[link], len(numbers)) for link in measures.anchors]
    rows = [_record(measures, regions, record) for record in numbers]
    table = np.fromiter(chain.from_iterable(rows), np.int64).reshape(len(rows), -1)
    columns: dict[str, Ids] = dict(zip(RECORD_COLUMNS, table.T[:, of], strict=True))
    first, last, sizes = tree.first, tree.last, measures.sizes
    around = [tree.parents[link] for link in measures.anchors]
    columns["parent_size"] = np.array([sizes[last[at]] - sizes[first[at]] for at in around], np.int64)
    columns["offset"] = np.array([sizes[first[link]] for link in measures.anchors], np.int64)
    return columns


def _record(measures: Measures, regions: Regions, record: int) -> tuple[int, ...]:
    """``RECORD_COLUMNS`` of a record; -1 stands for the page."""
    tree, sizes, anchors = measures.tree, measures.sizes, measures.anchors
    if record < 0:
        return 0, 0, 1, sizes[-1], len(anchors)
    end = regions.following[record] or tree.ends[tree.parents[record]]
    first, last = tree.first[record], max(tree.last[end - 1], tree.last[record])
    links = bisect_left(anchors, end) - bisect_left(anchors, record)
    return 1, regions.before[record], regions.size[record], sizes[last] - sizes[first], links
