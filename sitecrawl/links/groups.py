"""Groups of links as numbers: ids for things, sums, means and ranks by group."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property

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
    """Ids 0..k-1 of whole numbers."""
    _, ids = np.unique(values, return_inverse=True)
    return ids.astype(np.int64)


def counts(ids: Ids) -> Matrix:
    """Size of the group of each member."""
    return np.bincount(ids)[ids].astype(np.float32) if len(ids) else np.zeros(0, np.float32)


def reduce_groups(values: Matrix, ids: Ids, how: np.ufunc = np.add) -> Matrix:
    """``how`` over the rows of each group: rows x columns to groups x columns; ids are 0..k-1 without gaps."""
    order = np.argsort(ids, kind="stable")
    starts = np.searchsorted(ids[order], np.arange(int(ids.max()) + 1))
    reduced: Matrix = how.reduceat(values[order], starts, axis=0)
    return reduced


def means(values: Matrix, ids: Ids) -> Matrix:
    """Mean of each row's group, rows x columns."""
    sums = reduce_groups(values, ids)
    found: Matrix = (sums / np.bincount(ids).astype(np.float32)[:, None])[ids]
    return found


@dataclass(frozen=True)
class Grouping:
    """Which targets form groups. Member k is target ``members[k]`` in group ``ids[k]`` (0..g-1): a target linked from two
    lists is a member of both. ``own`` is the group that stands for each target.
    """

    members: Ids
    ids: Ids
    own: Ids

    @cached_property
    def sizes(self) -> Matrix:
        """Members of each group, g."""
        return np.bincount(self.ids).astype(np.float32)

    def means(self, values: Matrix) -> Matrix:
        """Mean over the members of each group, targets x columns to g x columns."""
        return reduce_groups(values[self.members], self.ids) / self.sizes[:, None]

    def maxima(self, values: Matrix) -> Matrix:
        """Maximum over the members of each group, targets x columns to g x columns."""
        return reduce_groups(values[self.members], self.ids, np.maximum)


def maxima(values: Matrix, ids: Ids) -> Matrix:
    """Maximum of each row's group."""
    return reduce_groups(values, ids, np.maximum)[ids]


def percentiles(values: Matrix) -> Matrix:
    """Share of the values that lie below each, ties shared, 0..1.

    >>> percentiles(np.array([5, 1, 5, 9], np.float32)).tolist()
    [0.5, 0.125, 0.5, 0.875]
    """
    ordered = np.sort(values)
    low, high = np.searchsorted(ordered, values, "left"), np.searchsorted(ordered, values, "right")
    return ((low + high) / (2.0 * max(1, len(values)))).astype(np.float32)
