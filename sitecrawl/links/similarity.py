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
    if len(paths) < 2:
        return np.ones(len(paths))
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
    best, number = int(counts.argmax()), len(ids)
    order = ids.argsort(kind="stable")
    ends = counts.cumsum()
    starts = ends - counts
    places = order[starts[best] : ends[best]]
    steps = np.maximum(1, counts // _SAMPLE)
    paths = ids[order]
    distances = _nearest(places, order)
    if steps[best] > 1:
        kept = (np.arange(number) - starts[paths]) % steps[paths] == 0
        sums, members = np.bincount(paths[kept], distances[kept], len(counts)), -(-counts // steps)
    else:
        sums, members = np.bincount(paths, distances, len(counts)), counts
    there = sums / np.maximum(1, members)
    places = places[:: steps[best]]
    rows = (slice(first, first + _ROWS) for first in range(0, len(counts), _ROWS))
    keys = paths * number + order
    back = [_return(places, (np.arange(len(counts))[at], starts[at], ends[at]), (keys, order)) for at in rows]
    return np.where(counts > 0, 1.0 - (there + np.concatenate(back)) / (2.0 * number), 0.0)


def _nearest(places: Ids, others: Ids) -> Ids:
    """Distance of each of ``others`` to the nearest of ``places``, which ascend."""
    right = places.searchsorted(others)
    after = places[np.minimum(right, len(places) - 1)]
    before = places[np.maximum(right - 1, 0)]
    found: Ids = np.minimum(np.abs(after - others), np.abs(before - others))
    return found


def _return(places: Ids, paths: tuple[Ids, Ids, Ids], links: tuple[Ids, Ids]) -> NDArray[np.float64]:
    """Mean distance of ``places`` to the nearest link of each path; paths are numbers, starts and ends in ``links``.

    ``links`` are keys, which ascend by path and then by place, and places.
    """
    numbers, starts, ends = paths
    keys, order = links
    right = keys.searchsorted(numbers[:, None] * len(keys) + places)
    after = order[np.minimum(right, np.maximum(ends - 1, 0)[:, None])]
    before = order[np.minimum(np.maximum(right - 1, starts[:, None]), len(keys) - 1)]
    distances = np.minimum(np.abs(after - places), np.abs(before - places))
    sums: NDArray[np.int64] = np.add.reduce(distances, axis=1)
    return sums / len(places)
