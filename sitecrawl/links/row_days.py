"""The rows of a listing page: which of its articles have a day beside their link."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import groupby

from sitecrawl.dom.tree import Tree
from sitecrawl.items.kinds import LinkLabel
from sitecrawl.links.anchors import looks_like_date
from sitecrawl.links.classify import Link

_SHORT = 200
"""Characters of a text up to which a day in it is that of a row, and none that prose tells of."""


def days_of(tree: Tree, links: Sequence[Link]) -> dict[str, bool]:
    """The URLs of a page's article links, each with whether a day stands in its row; ``links`` are all of the page's, in order.

    The row of a link is the largest element around it that holds no link to another article.
    """
    days = [
        at for at, text in enumerate(tree.chunks) if len(text) <= _SHORT and looks_like_date(" ".join(text.split()))
    ]
    times = [at for at, tag in enumerate(tree.tags) if tag == "time"]
    found: dict[str, bool] = {}
    for url, row in _rows(tree, links):
        dated = _any(days, tree.first[row], tree.last[row]) or _any(times, row, tree.ends[row])
        found[url] = dated or found.get(url, False)
    return found


def _rows(tree: Tree, links: Sequence[Link]) -> Iterator[tuple[str, int]]:
    """The URL and the row of each article link; links to one URL that follow one another share a row."""
    anchors = [at for at, tag in enumerate(tree.tags) if tag == "a" and tree.nodes[at].get("href") is not None]
    told = [(link.url, at) for link, at in zip(links, anchors, strict=False) if link.label == LinkLabel.ARTICLE]
    runs = [(url, [at for _, at in run]) for url, run in groupby(told, key=lambda pair: pair[0])]
    ends = [-1, *(places[-1] for _, places in runs)]
    begins = [*(places[0] for _, places in runs[1:]), len(tree)]
    for (url, places), before, behind in zip(runs, ends, begins, strict=False):
        row = places[0]
        while (above := tree.parents[row]) > before and tree.ends[above] <= behind:
            row = above
        yield url, row


def _any(places: list[int], first: int, last: int) -> bool:
    """Whether one of the places, which ascend, lies in ``first:last``."""
    at = bisect_left(places, first)
    return at < len(places) and places[at] < last
