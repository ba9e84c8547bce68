"""Features of text blocks: what a block is, what stands around it, what its ancestors are called.

All are scale-free or logarithmic, and lengths count a CJK character as a word, so that one model serves all languages.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import log1p
from typing import Any, cast

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from sitecrawl.dom.blocks import Blocks, Flags, Floats, Ints, Layout, blocks_of, layout_of, unpack
from sitecrawl.dom.hints import BITS
from sitecrawl.dom.page import Page
from sitecrawl.dom.tree import Tree

Singles = NDArray[np.float32]
_TAGS = tuple("p div li td h1 h2 h3 h4 pre dt dd figcaption section article body tr".split())
_TAG_NUMBERS = np.arange(len(_TAGS) + 1)[:, None]
_TAG_NUMBER = {tag: number for number, tag in enumerate(_TAGS)}
_REACH = 5
"""Blocks on either side over which means are taken."""
_ENDS = frozenset('.!?。！？…:：;；"”」』')
_MARKED = etree.XPath("descendant-or-self::*[@itemprop or @rel or self::time]")


@dataclass
class View:
    """A page as the extractors see it: tree, layout, blocks and what follows from them, each computed once."""

    page: Page
    tree: Tree
    layout: Layout
    blocks: Blocks

    @cached_property
    def parents(self) -> Ints:
        """Parent numbers; the root is its own parent."""
        return np.maximum(self.layout.parents, 0)

    @cached_property
    def starts(self) -> list[int]:
        """First chunk of every block."""
        found: list[int] = self.blocks.start.tolist()
        return found

    @cached_property
    def ranges(self) -> tuple[Ints, Ints]:
        """First and one past the last block of every element's subtree."""
        return element_ranges(self)

    @cached_property
    def prose(self) -> int:
        """Number of the element that holds most prose."""
        return prose_element(self)

    @cached_property
    def marked(self) -> list[int]:
        """Numbers of the ``time`` elements and of those with ``itemprop`` or ``rel``."""
        found = set(cast(list[Any], _MARKED(self.page.root)))
        return [number for number, node in enumerate(self.tree.nodes) if node in found] if found else []

    def hinted(self, hint: str) -> list[int]:
        """Numbers of the elements whose own names carry a hint."""
        return np.flatnonzero(self.layout.bits & BITS[hint]).tolist()


def view_of(page: Page) -> View:
    """The extractors' view of ``page``."""
    layout = layout_of(page.tree)
    return View(page, page.tree, layout, blocks_of(page.tree, layout))


def block_features(view: View, headline: int) -> Singles:
    """Matrix of features, a row a block; ``headline`` is the number of the block that holds the headline, or -1."""
    blocks = view.blocks
    parts: list[NDArray[Any]] = [
        _own(view),
        _tags(blocks, view.tree),
        unpack(view.layout.above[blocks.owner]),
        unpack(_near_bits(view)),
        _position(blocks, headline),
        _neighbours(blocks),
        _containers(view),
        _path_groups(view),
        _page(blocks),
    ]
    return np.concatenate(parts, dtype=np.float32, casting="same_kind").T


def _own(view: View) -> Floats:
    blocks, ends = view.blocks, view.layout.ends
    chars, words = blocks.chars, np.maximum(blocks.words, 1)
    depth = blocks.owner - np.bincount(ends, minlength=1).cumsum()[blocks.owner]
    return np.array(
        [
            np.log1p(chars),
            np.log1p(words),
            blocks.link_chars / np.maximum(chars, 1),
            blocks.punctuation / words,
            np.log1p(blocks.punctuation),
            blocks.digits,
            [text[-1:] in _ENDS for text in blocks.texts],
            [text[:1].isupper() for text in blocks.texts],
            words > 10,
            words > 25,
            depth / 20,
        ],
        np.float64,
    )


def _tags(blocks: Blocks, tree: Tree) -> Flags:
    numbers = np.array([_TAG_NUMBER.get(tree.tags[owner], len(_TAGS)) for owner in blocks.owner.tolist()], np.int64)
    flags: Flags = numbers == _TAG_NUMBERS
    return flags


def _near_bits(view: View) -> Ints:
    """Hints of a block's element and its parent."""
    owner = view.blocks.owner
    return view.layout.bits[owner] | view.layout.bits[view.parents[owner]]


def _position(blocks: Blocks, headline: int) -> Floats:
    count = len(blocks)
    at, found = np.arange(count), np.zeros((7, count))
    found[0] = (blocks.chars.cumsum() - blocks.chars) / max(1.0, float(blocks.chars.sum()))
    found[1] = at / max(1, count)
    if headline >= 0:
        offset = at - headline
        found[2] = 1.0
        np.sign(offset, out=found[3])
        np.log1p(np.abs(offset), out=found[4])
        found[5] = offset == 0
        np.log1p(np.maximum(offset, 0), out=found[6])
    return found


def _neighbours(blocks: Blocks) -> Floats:
    """Length, link density and marks of the blocks up to two places away, and their means over five either side."""
    count = len(blocks)
    padded = np.zeros((3, count + 4))
    padded[0, 2:-2] = np.log1p(blocks.words)
    padded[1, 2:-2] = blocks.link_chars / np.maximum(blocks.chars, 1)
    padded[2, 2:-2] = blocks.punctuation / np.maximum(blocks.words, 1)
    found = np.empty((15, count))
    for column, shift in enumerate((0, 1, 3, 4)):
        found[column:12:4] = padded[:, shift : shift + count]
    total = np.zeros((3, count + 1))
    padded[:, 2:-2].cumsum(axis=1, out=total[:, 1:])
    at = np.arange(count)
    low, high = np.maximum(at - _REACH, 0), np.minimum(at + _REACH + 1, count)
    found[12:] = (total[:, high] - total[:, low]) / np.maximum(high - low, 1)
    return found


def _containers(view: View) -> Floats:
    """Densities of a block's element and three of its ancestors, and of the element with most prose."""
    blocks, parents = view.blocks, view.parents
    first, last = view.ranges
    count = len(blocks)
    sums = np.zeros((4, count + 1))
    np.array([blocks.chars, blocks.link_chars, blocks.punctuation, blocks.words]).cumsum(axis=1, out=sums[:, 1:])
    at = np.empty((4, count), np.int64)
    at[0] = blocks.owner
    for step in range(3):
        at[step + 1] = parents[at[step]]
    low, high = first[at], last[at]
    text, links, marks, words = sums[:, high] - sums[:, low]
    found = np.empty((22, count))
    found[0:20:5] = text / max(1.0, float(blocks.chars.sum()))
    found[1:20:5] = links / np.maximum(text, 1)
    found[2:20:5] = marks / np.maximum(words, 1)
    found[3:20:5] = np.log1p(text / (view.layout.ends[at] - at))
    found[4:20:5] = np.log1p(high - low)
    found[20] = _inside(view, view.prose)
    found[21] = _inside(view, int(parents[view.prose]))
    return found


def element_ranges(view: View) -> tuple[Ints, Ints]:
    """First and one past the last block of every element's subtree."""
    begins = np.zeros(len(view.tree.chunks) + 1, np.int64)
    begins[view.blocks.start + 1] = 1
    before = begins.cumsum()
    return before[view.layout.first], before[view.layout.last]


def prose_element(view: View) -> int:
    """The element whose children and grandchildren hold most prose (blocks of over ten words with few links)."""
    blocks, parents = view.blocks, view.parents
    weight = blocks.words * ((blocks.words > 10) & (blocks.link_chars < 0.3 * blocks.chars))
    above = parents[blocks.owner]
    near = np.concatenate((blocks.owner, above, parents[above]))
    score = np.bincount(near, np.concatenate((weight * 0.5, weight, weight * 0.6)), minlength=1)
    return int(score.argmax())


def _inside(view: View, element: int) -> Flags:
    owners, end = view.blocks.owner, view.tree.ends[element]
    flags: Flags = (owners >= element) & (owners < end)
    return flags


def _path_groups(view: View) -> Floats:
    """Blocks of one tag path: how many, how long, how linked, which share of the page's text."""
    blocks, path, known = view.blocks, view.layout.path, dict[int, int]()
    group = np.array([known.setdefault(path[owner], len(known)) for owner in blocks.owner.tolist()], np.int64)
    count = np.bincount(group)
    chars, links, words = (np.bincount(group, values) for values in (blocks.chars, blocks.link_chars, blocks.words))
    means = words / count
    shares = np.array(
        [np.log1p(count), np.log1p(means), links / np.maximum(chars, 1), chars / max(1.0, chars.sum()), means]
    )
    found: Floats = shares[:, group]
    found[4] = (blocks.words / np.maximum(found[4], 1)).clip(0, 5)
    return found


def _page(blocks: Blocks) -> Floats:
    """What holds for the whole page, the same for all blocks."""
    chars = max(1.0, float(blocks.chars.sum()))
    found = np.empty((4, len(blocks)))
    found[0], found[1] = log1p(chars), log1p(len(blocks))
    found[2] = float(blocks.link_chars.sum()) / chars
    found[3] = float(blocks.chars[blocks.words > 25].sum()) / chars
    return found
