"""Groups of links as numbers: ids for things, sums, means and maxima by group."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]
Ids = NDArray[np.int64]


def starts_of(ids: Ids) -> Ids:
    """Where each of the groups 0..k-1 begins once the ids are sorted.

    >>> starts_of(np.array([1, 0, 1, 2])).tolist()
    [0, 1, 3]
    """
    sizes = np.bincount(ids)
    starts: Ids = np.cumsum(sizes) - sizes
    return starts


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
