"""Features of text blocks: the block itself, its surroundings, and the names of its ancestors. All are independent of scale or logarithmic, and a CJK
character counts as a word, so that one model serves all languages."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import log1p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sitecrawl.dom.blocks import Blocks, Flags, Floats, Ints, Layout, blocks_of, layout_of, unpack
from sitecrawl.dom.page import Page
from sitecrawl.dom.tree import Tree
from sitecrawl.extract.wording import label_features, wording_features

Singles = NDArray[np.float32]
_TAGS = tuple("p div li td h1 h2 h3 h4 pre dt dd figcaption section article body tr".split())
_TAG_NUMBERS = np.arange(len(_TAGS) + 1)[:, None]
_TAG_NUMBER = {tag: number for number, tag in enumerate(_TAGS)}
_REACH = 5  # blocks on either side that means are taken over
_ENDS = frozenset('.!?。！？…:：;；"”」』')
_LONG = np.array([[10.0], [25.0]])  # numbers of words from which a block is long, and very long


@dataclass
class View:
    """A page as the extractors use it: tree, layout, blocks and derived values, each computed once."""

    page: Page
    tree: Tree
    layout: Layout
    blocks: Blocks
    scored: dict[str, Any] = field(default_factory=dict)
    """Candidates for the headline with their scores, by the text of the link to the page."""

    @cached_property
    def parents(self) -> Ints:
        """Parent numbers; the root is its own parent."""
        return np.maximum(self.layout.parents, 0)

    @cached_property
    def ranges(self) -> tuple[Ints, Ints]:
        """Number of the first block of every element's subtree, and the number after its last one."""
        begins = np.zeros(len(self.tree.chunks) + 1, np.int64)
        begins[self.blocks.start + 1] = 1
        before = begins.cumsum()
        return before[self.layout.first], before[self.layout.last]

    @cached_property
    def prose(self) -> int:
        """Number of the element whose children and grandchildren hold most prose (blocks of over ten words with few links)."""
        blocks, parents = self.blocks, self.parents
        weight = blocks.words * ((blocks.words > 10) & (blocks.link_chars < 0.3 * blocks.chars))
        above = parents[blocks.owner]
        near = np.concatenate((blocks.owner, above, parents[above]))
        score = np.bincount(near, np.concatenate((weight * 0.5, weight, weight * 0.6)), minlength=1)
        return int(score.argmax())


def view_of(page: Page) -> View:
    """The extractors' view of ``page``."""
    layout = layout_of(page.tree)
    return View(page, page.tree, layout, blocks_of(page.tree, layout))


def block_features(view: View, headline: int) -> Singles:
    """Matrix of features, one row for each block; ``headline`` is the number of the headline's block, or -1."""
    numbers = numbers_of(view.blocks)
    parts: list[NDArray[Any]] = [
        _own(view, numbers),
        _tags(view.blocks, view.tree),
        _names(view),
        _position(numbers, headline),
        _neighbours(numbers),
        _containers(view, numbers),
        _path_groups(view),
        _page(numbers),
        label_features(view.blocks),
        sibling_features(view),
        wording_features(view.blocks, view.page.metadata.title, headline=headline),
    ]
    return np.concatenate(parts, dtype=np.float32, casting="same_kind").T


@dataclass(frozen=True, slots=True)
class Numbers:
    """Counts for the blocks, one column for each block: linked characters, punctuation marks, characters and words. ``sums`` are their cumulative
    sums, ``ratios`` linked characters by characters and marks by words, ``logs`` the logarithms of one plus each count."""

    counts: Floats
    sums: Floats
    ratios: Floats
    logs: Floats


def numbers_of(blocks: Blocks) -> Numbers:
    counts = np.array([blocks.link_chars, blocks.punctuation, blocks.chars, blocks.words])
    sums = np.zeros((4, len(blocks) + 1))
    counts.cumsum(axis=1, out=sums[:, 1:])
    return Numbers(counts, sums, counts[:2] / np.maximum(counts[2:], 1), np.log1p(counts))


def _own(view: View, numbers: Numbers) -> Floats:
    blocks, words = view.blocks, numbers.counts[3]
    found = np.empty((11, len(blocks)))
    found[0] = numbers.logs[2]
    np.maximum(numbers.logs[3], log1p(1), out=found[1])
    found[2:4] = numbers.ratios
    found[4] = numbers.logs[1]
    found[5] = blocks.digits
    found[6] = [text[-1:] in _ENDS for text in blocks.texts]
    found[7] = [text[:1].isupper() for text in blocks.texts]
    np.greater(words, _LONG, out=found[8:10])
    closed = np.bincount(view.layout.ends, minlength=1).cumsum()
    found[10] = (blocks.owner - closed[blocks.owner]) / 20
    return found


def _tags(blocks: Blocks, tree: Tree) -> Flags:
    numbers = np.array([_TAG_NUMBER.get(tree.tags[owner], len(_TAGS)) for owner in blocks.owner.tolist()], np.int64)
    flags: Flags = numbers == _TAG_NUMBERS
    return flags


def _names(view: View) -> Flags:
    """Hints and zones of a block's ancestors, then those of its own element and its parent."""
    owner, layout = view.blocks.owner, view.layout
    return np.concatenate((unpack(layout.above[owner]), unpack(layout.bits[owner] | layout.bits[view.parents[owner]])))


def _position(numbers: Numbers, headline: int) -> Floats:
    sums = numbers.sums[2]
    count = len(sums) - 1
    at, found = np.arange(count), np.zeros((7, count))
    np.divide(sums[:-1], max(1.0, float(sums[-1])), out=found[0])
    np.divide(at, max(1, count), out=found[1])
    if headline >= 0:
        offset = at - headline
        found[2] = 1.0
        np.sign(offset, out=found[3])
        np.log1p(np.abs(offset), out=found[4])
        found[5, headline] = 1.0
        found[6, headline:] = found[4, headline:]
    return found


def _neighbours(numbers: Numbers) -> Floats:
    """Length, link density and marks of the two blocks on either side, and means over five on either side."""
    count = numbers.counts.shape[1]
    padded = np.zeros((3, count + 4))
    padded[0, 2:-2] = numbers.logs[3]
    padded[1:, 2:-2] = numbers.ratios
    found = np.empty((15, count))
    for column, shift in enumerate((0, 1, 3, 4)):
        found[column:12:4] = padded[:, shift : shift + count]
    total = np.zeros((3, count + 1))
    padded[:, 2:-2].cumsum(axis=1, out=total[:, 1:])
    at = np.arange(count)
    low, high = np.maximum(at - _REACH, 0), np.minimum(at + _REACH + 1, count)
    np.divide(total[:, high] - total[:, low], np.maximum(high - low, 1), out=found[12:])
    return found


def _containers(view: View, numbers: Numbers) -> Floats:
    """Densities of a block's element, of three of its ancestors, and of the element with most prose."""
    parents = view.parents
    first, last = view.ranges
    count = len(view.blocks)
    at = np.empty((4, count), np.int64)
    at[0] = view.blocks.owner
    for step in range(3):
        parents.take(at[step], out=at[step + 1])
    low, high = first[at], last[at]
    inside = numbers.sums[:, high] - numbers.sums[:, low]
    found = np.empty((22, count))
    rows = found[:20].reshape(4, 5, count)
    rows[:, 0] = inside[2] / max(1.0, float(numbers.sums[2, -1]))
    rows[:, 1:3] = (inside[:2] / np.maximum(inside[2:], 1)).transpose(1, 0, 2)
    rows[:, 3] = inside[2] / (view.layout.ends[at] - at)
    rows[:, 4] = high - low
    np.log1p(rows[:, 3:], out=rows[:, 3:])
    found[20] = _inside(view, view.prose)
    found[21] = _inside(view, int(parents[view.prose]))
    return found


def _inside(view: View, element: int) -> Flags:
    owners, end = view.blocks.owner, view.tree.ends[element]
    flags: Flags = (owners >= element) & (owners < end)
    return flags


def _path_groups(view: View) -> Floats:
    """Blocks with the same tag path: their number, length, link density, and share of the page's text."""
    blocks, path, known = view.blocks, view.layout.paths, dict[int, int]()
    group = np.array([known.setdefault(path[owner], len(known)) for owner in blocks.owner.tolist()], np.int64)
    shares, count, words = group_shares(blocks, group, more=1)
    np.maximum(words / count, 1, out=shares[4])
    found: Floats = shares[:, group]
    np.minimum(blocks.words / found[4], 5, out=found[4])
    return found


def _page(numbers: Numbers) -> Floats:
    """Features of the whole page, the same for all blocks."""
    counts, count = numbers.counts, numbers.counts.shape[1]
    links, _, chars, _ = numbers.sums[:, -1].tolist()
    long = float(counts[2][counts[3] > 25].sum())
    chars = max(1.0, chars)
    return np.full((count, 4), [log1p(chars), log1p(count), links / chars, long / chars]).T


def sibling_features(view: View) -> Floats:
    """Six rows, one column per block: number, length, link density, share, marks and elements of blocks with its path and classes."""
    blocks = view.blocks
    parents = view.parents[blocks.owner]
    group = _sibling_groups(view, blocks.owner.tolist(), parents=parents.tolist())
    begins = np.ones(len(group))
    begins[1:] = parents[1:] != parents[:-1]
    marks, elements = np.bincount(group, blocks.punctuation), np.bincount(group, begins)
    shares, count, words = group_shares(blocks, group, more=2)
    shares[4], shares[5] = marks / np.maximum(words, 1), elements / count
    found: Floats = shares[:, group]
    return found


def group_shares(blocks: Blocks, group: Ints, *, more: int) -> tuple[Floats, NDArray[Any], NDArray[Any]]:
    """For groups of blocks: four rows (number, length, link density, share of the text), and ``more`` rows to be filled; sizes; words."""
    count = np.bincount(group)
    chars, links, words = (np.bincount(group, values) for values in (blocks.chars, blocks.link_chars, blocks.words))
    shares = np.empty((4 + more, len(count)))
    shares[0], shares[1] = count, words / count
    np.log1p(shares[:2], out=shares[:2])
    shares[2], shares[3] = links / np.maximum(chars, 1), chars / max(1.0, float(chars.sum()))
    return shares, count, words


def _sibling_groups(view: View, owners: list[int], *, parents: list[int]) -> Ints:
    """Number of each block's group of siblings, numbered in document order."""
    path, name = view.layout.paths.__getitem__, view.tree.attributes["class"].get
    known: dict[tuple[int, str | None, str | None], int] = {}
    keys = zip(map(path, owners), map(name, owners), map(name, parents), strict=True)
    return np.array([known.setdefault(key, len(known)) for key in keys], np.int64)
