"""Features of text blocks: the block itself, its surroundings, and the names of its ancestors.

All are scale-free or logarithmic, and lengths count a CJK character as a word, so that one model serves all languages.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import log1p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sitecrawl.dom.blocks import BITS, Blocks, Flags, Floats, Ints, Layout, blocks_of, layout_of, unpack
from sitecrawl.dom.page import Page
from sitecrawl.dom.tree import Tree
from sitecrawl.extract.wording import label_features, wording_features

Singles = NDArray[np.float32]
_TAGS = tuple("p div li td h1 h2 h3 h4 pre dt dd figcaption section article body tr".split())
_TAG_NUMBER = {tag: number for number, tag in enumerate(_TAGS)}


@dataclass
class View:
    """A page as the extractors see it: tree, layout, blocks and what follows from them, each computed once."""

    page: Page
    tree: Tree
    layout: Layout
    blocks: Blocks
    scored: dict[str, Any] = field(default_factory=dict)
    """Candidates for the headline with their scores, by the text of the link that led to the page."""

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
        begins = np.zeros(len(self.tree.chunks) + 1, np.int64)
        begins[self.blocks.start + 1] = 1
        before = begins.cumsum()
        return before[self.layout.first], before[self.layout.last]

    @cached_property
    def prose(self) -> int:
        """Number of the element that holds most prose."""
        return prose_element(self)

    def hinted(self, hint: str) -> list[int]:
        """Numbers of the elements whose own names carry a hint."""
        return np.flatnonzero(self.layout.bits & BITS[hint]).tolist()


def view_of(page: Page) -> View:
    """The extractors' view of ``page``."""
    layout = layout_of(page.tree)
    return View(page, page.tree, layout, blocks_of(page.tree, layout))


def block_features(view: View, headline: int) -> Singles:
    """Matrix of features, a row a block; ``headline`` is the number of the block that holds the headline, or -1."""
    numbers = numbers_of(view.blocks)
    parts: list[NDArray[Any]] = [
        _own(view, numbers),
        _tags(view),
        _names(view),
        _position(numbers, headline),
        _neighbours(numbers),
        _containers(view, numbers),
        _page(numbers),
        label_features(view.blocks),
        sibling_features(view),
        wording_features(view.blocks),
    ]
    return np.concatenate(parts, dtype=np.float32, casting="same_kind").T


@dataclass(frozen=True, slots=True)
class Numbers:
    """Numbers of the blocks, a column a block: linked characters, marks, characters and words, in this order.

    ``sums`` are their sums before each block and at the end, ``ratios`` linked characters by characters and marks by words,
    ``logs`` logarithms of one plus linked characters, marks, characters and words.
    """

    counts: Floats
    sums: Floats
    ratios: Floats
    logs: Floats


def numbers_of(blocks: Blocks) -> Numbers:
    counts = np.array([blocks.link_chars, blocks.punctuation, blocks.chars, blocks.words])
    sums = np.zeros((4, len(blocks) + 1))
    counts.cumsum(axis=1, out=sums[:, 1:])
    return Numbers(counts, sums, counts[:2] / np.maximum(counts[2:], 1), np.log1p(counts))


def _own(view: View, numbers: Numbers, *, long: float = 10.0, very_long: float = 25.0) -> Floats:
    owner, words, (_, marks, chars, _) = view.blocks.owner, numbers.counts[3], numbers.logs
    upper = [text[:1].isupper() for text in view.blocks.texts]
    closed = np.bincount(view.layout.ends, minlength=1).cumsum()
    depth = (owner - closed[owner]) / 20
    logs = np.maximum(numbers.logs[3], log1p(1))
    return np.array([chars, logs, *numbers.ratios, marks, upper, words > long, words > very_long, depth])


def _tags(view: View) -> Flags:
    tags = view.tree.tags
    numbers = [_TAG_NUMBER.get(tags[owner], len(_TAGS)) for owner in view.blocks.owner.tolist()]
    flags: Flags = np.array(numbers, np.int64) == np.arange(len(_TAGS) + 1)[:, None]
    return flags


def _names(view: View) -> Flags:
    """Hints and zones around a block, then those of its element and the parent of that."""
    owner, layout = view.blocks.owner, view.layout
    return np.concatenate((unpack(layout.above[owner]), unpack(layout.bits[owner] | layout.bits[view.parents[owner]])))


def _position(numbers: Numbers, headline: int) -> Floats:
    sums = numbers.sums[2]
    count = len(sums) - 1
    at, found = np.arange(count), np.zeros((7, count))
    found[0], found[1] = sums[:-1] / max(1.0, float(sums[-1])), at / max(1, count)
    if headline >= 0:
        offset = at - headline
        steps = np.log1p(np.abs(offset))
        found[2:] = np.ones(count), np.sign(offset), steps, offset == 0, steps * (offset > 0)
    return found


def _neighbours(numbers: Numbers) -> Floats:
    """Length, link density and marks of the blocks up to two places away."""
    rows, count = np.pad(np.vstack((numbers.logs[3:], numbers.ratios)), ((0, 0), (2, 2))), numbers.counts.shape[1]
    return np.array([row[shift : shift + count] for row in rows for shift in (0, 1, 3, 4)])


def _containers(view: View, numbers: Numbers) -> Floats:
    """Densities of a block's element and three of its ancestors, and of the element with most prose."""
    (first, last), at, rows = view.ranges, view.blocks.owner, list[NDArray[Any]]()
    for _ in range(4):
        links, marks, chars, words = numbers.sums[:, last[at]] - numbers.sums[:, first[at]]
        rows += [chars / max(1.0, float(numbers.sums[2, -1])), links / np.maximum(chars, 1)]
        rows += [marks / np.maximum(words, 1), np.log1p(chars / (view.layout.ends[at] - at))]
        rows.append(np.log1p(last[at] - first[at]))
        at = view.parents[at]
    return np.array([*rows, _inside(view, view.prose), _inside(view, int(view.parents[view.prose]))])


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


def _page(numbers: Numbers, *, long: float = 25.0) -> Floats:
    """Features of the whole page, equal for all blocks."""
    counts, count = numbers.counts, numbers.counts.shape[1]
    chars = max(1.0, float(numbers.sums[2, -1]))
    shares = float(numbers.sums[0, -1]) / chars, float(counts[2][counts[3] > long].sum()) / chars
    return np.repeat(np.array([[log1p(chars)], [log1p(count)], [shares[0]], [shares[1]]]), count, axis=1)


def sibling_features(view: View) -> Floats:
    """Six rows, a column a block: how many siblings (blocks of one path and the same classes), how long, how linked, their share of the text, marks, and elements."""
    blocks = view.blocks
    parents = view.parents[blocks.owner]
    group = _sibling_groups(view, blocks.owner.tolist(), parents.tolist())
    begins = np.ones(len(group))
    begins[1:] = parents[1:] != parents[:-1]
    count = np.bincount(group)
    summed = (blocks.chars, blocks.link_chars, blocks.words, blocks.punctuation, begins)
    chars, links, words, marks, elements = (np.bincount(group, values) for values in summed)
    shares = links / np.maximum(chars, 1), chars / max(1.0, float(chars.sum())), marks / np.maximum(words, 1)
    found: Floats = np.array([np.log1p(count), np.log1p(words / count), *shares, elements / count])[:, group]
    return found


def _sibling_groups(view: View, owners: list[int], parents: list[int]) -> Ints:
    """Number of each block's group of siblings, from 0 in the order of the page."""
    path, name = view.tree.paths.__getitem__, view.layout.classes.__getitem__
    known: dict[tuple[int, str | None, str | None], int] = {}
    keys = zip(map(path, owners), map(name, owners), map(name, parents), strict=True)
    return np.array([known.setdefault(key, len(known)) for key in keys], np.int64)
