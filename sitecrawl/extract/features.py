"""Features of text blocks: what a block is, what stands around it, what its ancestors are called.

All are scale-free or logarithmic, and lengths count a CJK character as a word, so that one model serves all languages.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
from lxml import etree

from sitecrawl.dom.blocks import Blocks, Floats, Ints, Layout, blocks_of, layout_of, unpack
from sitecrawl.dom.hints import BITS
from sitecrawl.dom.page import Page
from sitecrawl.dom.tree import Tree

_TAGS = tuple("p div li td h1 h2 h3 h4 pre dt dd figcaption section article body tr".split())
_TAG_NUMBER = {tag: number for number, tag in enumerate(_TAGS)}
_REACH = 5
"""Blocks on either side over which means are taken."""
_ENDS = tuple('.!?。！？…:：;；"”」』')


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
        return np.maximum(np.array(self.tree.parents, np.int64), 0)

    @cached_property
    def starts(self) -> list[int]:
        """First chunk of every block."""
        return [int(chunk) for chunk in self.blocks.start]

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
    layout = layout_of(page.tree, page.hides)
    return View(page, page.tree, layout, blocks_of(page.tree, layout))


def block_features(view: View, headline: int) -> Floats:
    """Matrix of features, a row a block; ``headline`` is the number of the block that holds the headline, or -1."""
    blocks = view.blocks
    parts = [
        _own(blocks, view.tree),
        _tags(blocks, view.tree),
        unpack(view.layout.above[blocks.owner]),
        unpack(_near_bits(view)),
        _position(blocks, headline),
        _neighbours(blocks),
        _containers(view),
        _path_groups(view),
        _page(blocks),
    ]
    return np.hstack(parts)


def _own(blocks: Blocks, tree: Tree) -> Floats:
    chars, words = blocks.chars, np.maximum(blocks.words, 1)
    ends = np.array([text.endswith(_ENDS) for text in blocks.texts], np.float64)
    upper = np.array([text[:1].isupper() for text in blocks.texts], np.float64)
    depth = np.array(tree.depths, np.float64)[blocks.owner]
    return np.array(
        [
            np.log1p(chars),
            np.log1p(words),
            blocks.link_chars / np.maximum(chars, 1),
            blocks.punctuation / words,
            np.log1p(blocks.punctuation),
            blocks.digits,
            ends,
            upper,
            words > 10,
            words > 25,
            depth / 20,
        ],
        np.float64,
    ).T


def _tags(blocks: Blocks, tree: Tree) -> Floats:
    numbers = np.array([_TAG_NUMBER.get(tree.tags[owner], len(_TAGS)) for owner in blocks.owner.tolist()], np.int64)
    return np.eye(len(_TAGS) + 1)[numbers] if len(numbers) else np.zeros((0, len(_TAGS) + 1))


def _near_bits(view: View) -> Ints:
    """Hints of a block's element and its parent."""
    owner = view.blocks.owner
    return view.layout.bits[owner] | view.layout.bits[view.parents[owner]]


def _position(blocks: Blocks, headline: int) -> Floats:
    count = len(blocks)
    before = np.cumsum(blocks.chars) - blocks.chars
    offset = np.arange(count) - headline if headline >= 0 else np.zeros(count)
    return np.array(
        [
            before / max(1.0, float(blocks.chars.sum())),
            np.arange(count) / max(1, count),
            np.full(count, headline >= 0, np.float64),
            np.sign(offset),
            np.log1p(np.abs(offset)),
            offset == 0 if headline >= 0 else np.zeros(count),
            np.log1p(np.maximum(offset, 0)),
        ],
        np.float64,
    ).T


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
    np.cumsum(padded[:, 2:-2], axis=1, out=total[:, 1:])
    at = np.arange(count)
    low, high = np.maximum(at - _REACH, 0), np.minimum(at + _REACH + 1, count)
    found[12:] = (total[:, high] - total[:, low]) / np.maximum(high - low, 1)
    return found.T


def _containers(view: View) -> Floats:
    """Densities of a block's element and three of its ancestors, and of the element with most prose."""
    tree, blocks = view.tree, view.blocks
    first, last = view.ranges
    sums = np.zeros((len(blocks) + 1, 4))
    np.cumsum(np.array([blocks.chars, blocks.link_chars, blocks.punctuation, blocks.words]).T, axis=0, out=sums[1:])
    size = np.array(tree.ends, np.float64) - np.arange(len(tree))
    parents, whole = view.parents, max(1.0, float(blocks.chars.sum()))
    at = np.empty((4, len(blocks)), np.int64)
    at[0] = blocks.owner
    for step in range(3):
        at[step + 1] = parents[at[step]]
    low, high = first[at], last[at]
    text, links, marks, words = np.moveaxis(sums[high] - sums[low], 2, 0)
    found = np.empty((22, len(blocks)))
    found[0:20:5] = text / whole
    found[1:20:5] = links / np.maximum(text, 1)
    found[2:20:5] = marks / np.maximum(words, 1)
    found[3:20:5] = np.log1p(text / size[at])
    found[4:20:5] = np.log1p(high - low)
    best = view.prose
    found[20] = _inside(tree, best, blocks.owner)
    found[21] = _inside(tree, int(parents[best]), blocks.owner)
    return found.T


def element_ranges(view: View) -> tuple[Ints, Ints]:
    """First and one past the last block of every element's subtree."""
    chunk = view.blocks.start
    return (
        np.searchsorted(chunk, np.array(view.tree.first, np.int64)),
        np.searchsorted(chunk, np.array(view.tree.last, np.int64)),
    )


def prose_element(view: View) -> int:
    """The element whose children and grandchildren hold most prose (blocks of over ten words with few links)."""
    blocks, parents = view.blocks, view.parents
    weight = np.where((blocks.words > 10) & (blocks.link_chars < 0.3 * blocks.chars), blocks.words, 0.0)
    score = np.zeros(max(1, len(view.tree)))
    np.add.at(score, blocks.owner, weight * 0.5)
    np.add.at(score, parents[blocks.owner], weight)
    np.add.at(score, parents[parents[blocks.owner]], weight * 0.6)
    return int(score.argmax())


def _inside(tree: Tree, element: int, owners: Ints) -> Floats:
    end = tree.ends[element] if len(tree) else 0
    return ((owners >= element) & (owners < end)).astype(np.float64)


def _path_groups(view: View) -> Floats:
    """Blocks of one tag path: how many, how long, how linked, which share of the page's text."""
    blocks = view.blocks
    if not len(blocks):
        return np.zeros((0, 5))
    _, group = np.unique(view.layout.path[blocks.owner], return_inverse=True)
    count = np.bincount(group)
    chars, links, words = (np.bincount(group, v) for v in (blocks.chars, blocks.link_chars, blocks.words))
    return np.array(
        [
            np.log1p(count)[group],
            np.log1p(words / count)[group],
            (links / np.maximum(chars, 1))[group],
            (chars / max(1.0, chars.sum()))[group],
            (blocks.words / np.maximum(words / count, 1)[group]).clip(0, 5),
        ],
        np.float64,
    ).T


def _page(blocks: Blocks) -> Floats:
    """What holds for the whole page, repeated in every row."""
    chars = max(1.0, float(blocks.chars.sum()))
    long = float(blocks.chars[blocks.words > 25].sum()) / chars
    row = [np.log1p(chars), np.log1p(len(blocks)), float(blocks.link_chars.sum()) / chars, long]
    return np.tile(row, (len(blocks), 1))
