"""Groups of links as numbers (ids for things, sums, means and ranks by group), and the similarity of their tag paths
(Peng and Xie 2017, after Liao et al. 2012): common tags from the root and near positions."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]
Ids = NDArray[np.int64]


def counts(ids: Ids) -> Ids:
    """Size of the group of each member.

    >>> counts(np.array([0, 1, 0])).tolist()
    [2, 1, 2]
    """
    return np.bincount(ids)[ids]


def starts_of(ids: Ids) -> Ids:
    """Where each of the groups 0..k-1 begins once the ids are sorted.

    >>> starts_of(np.array([1, 0, 1, 2])).tolist()
    [0, 1, 3]
    """
    sizes = np.bincount(ids)
    starts: Ids = np.cumsum(sizes) - sizes
    return starts


def maxima(values: Ids, ids: Ids) -> Ids:
    """Maximum of each member's group; values are not negative, ids whole numbers from -1.

    >>> maxima(np.array([3, 1, 5]), np.array([7, -1, 7])).tolist()
    [5, 1, 5]
    """
    found = np.zeros(int(ids.max()) + 2, np.int64)
    np.maximum.at(found, ids, values)
    return found[ids]


@dataclass(frozen=True, slots=True)
class Groups:
    """Several ways to group targets, one after the other: each has its groups, and its members are sorted by them.

    ``members`` are targets, a target linked from two lists being a member of both; group k begins at ``starts[k]`` and
    has ``sizes[k]`` members, ``portions[k]`` of those of its way. ``firsts`` is the first group of each way, ``own`` the
    group of each way that stands for a target, targets x ways.
    """

    members: Ids
    starts: Ids
    sizes: Matrix
    portions: Matrix
    firsts: Ids
    own: Ids

    def means(self, values: Matrix) -> Matrix:
        """Mean over the members of each group, targets x columns to groups x columns."""
        sums: Matrix = np.add.reduceat(values[self.members], self.starts, axis=0)
        return sums / self.sizes[:, None]

    def maxima(self, values: Matrix) -> Matrix:
        """Maximum over the members of each group, targets x columns to groups x columns."""
        found: Matrix = np.maximum.reduceat(values[self.members], self.starts, axis=0)
        return found


def build_groups(ways: Sequence[tuple[Ids, Iterable[Hashable]]], stands: Ids) -> Groups:
    """Groups from the members of every way and the value that members of one group share.

    ``stands`` is the member that represents each target when a way's members are not the targets in order.

    >>> one = np.array([0, 1, 2])
    >>> build_groups([(one, "aba"), (one, "xxy")], one).own.tolist()
    [[0, 2], [1, 2], [0, 3]]
    """
    ids: list[Ids] = []
    groups = [0]
    for _, things in ways:
        known: dict[Hashable, int] = {}
        first = groups[-1]
        ids.append(np.array([known.setdefault(thing, first + len(known)) for thing in things], np.int64))
        groups.append(first + len(known))
    whole = np.concatenate(ids)
    sizes = np.bincount(whole)
    portions = sizes.astype(np.float32)
    for numbers, first, end in zip(ids, groups, groups[1:], strict=False):
        portions[first:end] /= len(numbers)
    return Groups(
        members=np.concatenate([members for members, _ in ways])[whole.argsort(kind="stable")],
        starts=sizes.cumsum() - sizes,
        sizes=sizes.astype(np.float32),
        portions=portions,
        firsts=np.array(groups[:-1]),
        own=np.stack([n if len(n) == len(stands) else n[stands] for n in ids], axis=1),
    )


WEIGHT = 0.6
"""w: weight of common tags; near positions weigh 1 - w. .5 to .8 differ by less than .002 F1 on the open sites."""
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
