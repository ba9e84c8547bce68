"""Similarity of tag paths (Peng and Xie 2017, after Liao et al. 2012): common tags from the root and near positions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sitecrawl.links.groups import Ids

WEIGHT = 0.6
"""w: what common tags weigh against near positions. .5 to .8 differ by less than .002 F1 on the open sites."""
_SAMPLE = 400
"""Positions of one path that are compared; more of them move the mean by less than a thousandth."""
_ROWS = 500
"""Paths that are compared at a time."""


def tag_similarity(left: Sequence[str], right: Sequence[str]) -> float:
    """st = clen / max(len): the longest common prefix of tags from the root.

    >>> tag_similarity("html body ul li a".split(), "html body div a".split())
    0.4
    """
    common = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        common += 1
    return common / max(len(left), len(right), 1)


def path_similarities(paths: Sequence[str], ids: Ids, weight: float = WEIGHT) -> NDArray[np.float64]:
    """Similarity of every path to the one with most links, which has 1; ``ids`` gives the path of each link in order."""
    if not len(ids):
        return np.zeros(len(paths))
    counts = np.bincount(ids, minlength=len(paths))
    best = int(np.argmax(counts))
    tags = [path.split("/") for path in paths]
    found = weight * np.array([tag_similarity(tags[best], path) for path in tags])
    found += (1 - weight) * position_similarities(ids, counts)
    found[best] = 1.0
    return found


def position_similarities(ids: Ids, counts: Ids) -> NDArray[np.float64]:
    """sp = 1 - (mean md(s_ik)/pn + mean md(s_jk)/pn) / 2 of every path with that of most links: pn is the number of links,
    md the distance to the nearest link of the other path. A path without links has 0.

    >>> position_similarities(np.array([0, 1, 0, 1, 0]), np.array([3, 2])).tolist()
    [1.0, 0.8]
    """
    best = int(np.argmax(counts))
    order = np.argsort(ids, kind="stable")
    starts = np.cumsum(counts) - counts
    places = order[starts[best] : starts[best] + counts[best]]
    sampled = order[(np.arange(len(ids)) - starts[ids[order]]) % _step(counts)[ids[order]] == 0]
    sums = np.bincount(ids[sampled], _nearest(places, sampled), len(counts))
    there = sums / np.maximum(1, np.bincount(ids[sampled], minlength=len(counts)))
    back = np.zeros(len(counts))
    places = places[:: _step(counts)[best]]
    for number in range(0, len(counts), _ROWS):
        rows = np.arange(number, min(number + _ROWS, len(counts)))
        back[rows] = _return(places, rows, (ids[order], order, starts, counts))
    return np.where(counts > 0, 1.0 - (there + back) / (2.0 * len(ids)), 0.0)


def _step(counts: Ids) -> Ids:
    return np.maximum(1, counts // _SAMPLE)


def _nearest(places: Ids, others: Ids) -> Ids:
    """Distance of each of ``others`` to the nearest of ``places``, which ascend."""
    right = places.searchsorted(others)
    after = places[np.minimum(right, len(places) - 1)]
    before = places[np.maximum(right - 1, 0)]
    found: Ids = np.minimum(np.abs(after - others), np.abs(before - others))
    return found


def _return(places: Ids, rows: Ids, links: tuple[Ids, Ids, Ids, Ids]) -> NDArray[np.float64]:
    """Mean distance of ``places`` to the nearest link of each of the paths ``rows``."""
    ids, order, starts, counts = links
    first, last = starts[rows][:, None], (starts + counts)[rows][:, None] - 1
    right = (ids * len(ids) + order).searchsorted(rows[:, None] * len(ids) + places)
    after, before = order[np.minimum(right, np.maximum(last, 0))], order[np.maximum(right - 1, first) % len(ids)]
    found: NDArray[np.float64] = np.minimum(np.abs(after - places), np.abs(before - places)).mean(axis=1)
    return found
