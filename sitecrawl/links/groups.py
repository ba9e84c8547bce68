"""Groups of links as numbers: ids for things, sums, means and ranks by group."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]
Ids = NDArray[np.int64]


def number(things: Iterable[Hashable]) -> Ids:
    """Ids 0..k-1 of things in the order in which they first occur.

    >>> number("abac").tolist()
    [0, 1, 0, 2]
    """
    known: dict[Hashable, int] = {}
    return np.array([known.setdefault(thing, len(known)) for thing in things], np.int64)


def compact(values: Ids) -> Ids:
    """Ids 0..k-1 of whole numbers.

    >>> compact(np.array([7, -1, 7])).tolist()
    [1, 0, 1]
    """
    _, ids = np.unique(values, return_inverse=True)
    return ids.astype(np.int64)


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
    """Maximum of each member's group; ids are 0..k-1 without gaps.

    >>> maxima(np.array([3, 1, 5]), np.array([0, 1, 0])).tolist()
    [5, 1, 5]
    """
    found: Ids = np.maximum.reduceat(values[np.argsort(ids, kind="stable")], starts_of(ids))[ids]
    return found


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


def build_groups(ways: Sequence[tuple[Ids, Ids, Ids]]) -> Groups:
    """Groups from members, their ids (0..k-1 without gaps) and the id that stands for each target, of every way.

    >>> one = np.array([0, 1, 2]), np.array([0, 1, 0]), np.array([0, 1, 0])
    >>> build_groups([one, one]).own.tolist()
    [[0, 2], [1, 3], [0, 2]]
    """
    sizes = [np.bincount(ids) for _, ids, _ in ways]
    firsts = np.cumsum([0, *map(len, sizes)])[:-1]
    ids = np.concatenate([ids + first for (_, ids, _), first in zip(ways, firsts, strict=True)])
    whole = np.concatenate(sizes).astype(np.float32)
    members = np.repeat(np.array([len(ids) for _, ids, _ in ways], np.float32), [len(way) for way in sizes])
    return Groups(
        members=np.concatenate([members for members, _, _ in ways])[np.argsort(ids, kind="stable")],
        starts=starts_of(ids),
        sizes=whole,
        portions=whole / members,
        firsts=firsts,
        own=np.stack([own + first for (_, _, own), first in zip(ways, firsts, strict=True)], axis=1),
    )


def percentiles(values: NDArray[np.generic]) -> Matrix:
    """Share of the values that lie below each, ties shared, 0..1.

    >>> percentiles(np.array([5, 1, 5, 9])).tolist()
    [0.5, 0.125, 0.5, 0.875]
    """
    ordered = np.sort(values)
    low, high = ordered.searchsorted(values, "left"), ordered.searchsorted(values, "right")
    return ((low + high) / (2.0 * max(1, len(values)))).astype(np.float32)
