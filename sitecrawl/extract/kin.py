"""Kin of a block: the blocks of the same tag path whose elements, and the parents of these, bear the same classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sitecrawl.dom.blocks import Blocks, Floats, Ints, Layout


def kin_features(blocks: Blocks, layout: Layout) -> Floats:
    """Six rows, a column a block: how many kin, how long, how linked, their share of the text, marks, and elements."""
    parents = np.maximum(layout.parents, 0)[blocks.owner]
    group = _kin(blocks.owner.tolist(), parents.tolist(), layout)
    begins = np.ones(len(group))
    begins[1:] = parents[1:] != parents[:-1]
    marks, elements = np.bincount(group, blocks.punctuation), np.bincount(group, begins)
    shares, count, words = group_shares(blocks, group, 2)
    shares[4], shares[5] = marks / np.maximum(words, 1), elements / count
    found: Floats = shares[:, group]
    return found


def group_shares(blocks: Blocks, group: Ints, more: int) -> tuple[Floats, NDArray[Any], NDArray[Any]]:
    """Of groups of blocks: four rows (how many, how long, how linked, share of the text) and ``more`` to be filled; sizes; words."""
    count = np.bincount(group)
    chars, links, words = (np.bincount(group, values) for values in (blocks.chars, blocks.link_chars, blocks.words))
    shares = np.empty((4 + more, len(count)))
    shares[0], shares[1] = count, words / count
    np.log1p(shares[:2], out=shares[:2])
    shares[2], shares[3] = links / np.maximum(chars, 1), chars / max(1.0, float(chars.sum()))
    return shares, count, words


def _kin(owners: list[int], parents: list[int], layout: Layout) -> Ints:
    """Number of each block's kin, from nought in the order of the page."""
    path, name = layout.path.__getitem__, layout.classes.__getitem__
    known: dict[tuple[int, str | None, str | None], int] = {}
    keys = zip(map(path, owners), map(name, owners), map(name, parents), strict=True)
    return np.array([known.setdefault(key, len(known)) for key in keys], np.int64)
