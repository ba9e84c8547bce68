"""Features of text blocks: the block itself, its surroundings, and the names of its ancestors. All
are independent of scale or logarithmic, and a CJK character counts as a word, so that one model
serves all languages."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from itertools import chain, count, islice
from math import log1p
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from sitecrawl.dom.blocks import Blocks, Flags, Floats, Ints, bit_rows, blocks_of, layout_of
from sitecrawl.dom.page import Page
from sitecrawl.dom.tree import HEADINGS, Tree
from sitecrawl.extract.wording import label_features, wording_features
from sitecrawl.limits import LIMITS
from sitecrawl.urls.canonical import absolute_url, clean_url

Singles = NDArray[np.float32]
_TAGS = tuple("p div li td h1 h2 h3 h4 pre dt dd figcaption section article body tr".split())
_TAG_NUMBERS = np.arange(len(_TAGS) + 1)[:, None]
_TAG_NUMBER = {tag: number for number, tag in enumerate(_TAGS)}
_REACH = 5  # blocks on either side that means are taken over
_ENDS = frozenset('.!?。！？…:：;；"”」』')
_LONG = np.array([[10.0], [25.0]])  # numbers of words from which a block is long, and very long


class View:
    """A page as the extractors use it: tree, layout, blocks and derived values, each computed
    once."""

    def __init__(self, page: Page) -> None:
        self.page, self.tree = page, page.tree
        self.layout = layout_of(self.tree)
        self.blocks = blocks_of(self.tree, self.layout)

    @cached_property
    def parents(self) -> Ints:
        """Parent numbers; the root is its own parent."""
        return np.maximum(self.layout.parents, 0)

    @cached_property
    def ranges(self) -> tuple[Ints, Ints]:
        """Number of the first block of every element's subtree, and the number after its last
        one."""
        begins = np.zeros(len(self.tree.chunks) + 1, np.int64)
        begins[self.blocks.start + 1] = 1
        before = begins.cumsum()
        return before.take(self.layout.first), before.take(self.layout.last)

    @cached_property
    def prose(self) -> int:
        """Number of the element whose children and grandchildren hold most prose (blocks of over
        ten words with few links)."""
        blocks, parents = self.blocks, self.parents
        weight = blocks.words * ((blocks.words > 10) & (blocks.link_chars < 0.3 * blocks.chars))
        above = parents.take(blocks.owner)
        near = np.concatenate((blocks.owner, above, parents.take(above)))
        return int(
            np.bincount(
                near, np.concatenate((weight * 0.5, weight, weight * 0.6)), minlength=1
            ).argmax()
        )

    @cached_property
    def prose_start(self) -> int:
        """Number of the first block of prose in the element that contains most prose; 0 on a page
        without blocks."""
        (first, last), blocks = self.ranges, self.blocks
        low, high = int(first[self.prose]), int(last[self.prose])
        prose = (blocks.words[low:high] > 10) & (
            blocks.link_chars[low:high] < 0.3 * blocks.chars[low:high]
        )
        return low + int(prose.argmax()) if prose.any() else low

    @cached_property
    def headings(self) -> Flags:
        """Blocks that are headings of the first four levels."""
        return np.array(
            [self.tree.tags[owner] in HEADINGS[:4] for owner in self.blocks.owner.tolist()], bool
        )

    @cached_property
    def leading(self) -> Flags:
        """The headings that lead to another page of the site, as a listing has them above its
        entries. The link is in the heading, or around it on at most three levels. What the page
        calls its own URL is no other page."""
        blocks, page, leading = self.blocks, self.page, np.zeros(len(self.blocks), bool)
        own = absolute_url(page.base_url, page.metadata.links.get("canonical", ""))
        for at in np.flatnonzero(self.headings & (blocks.link_chars > 0.7 * blocks.chars))[
            : LIMITS.links
        ].tolist():
            heading = self.tree.nodes[int(blocks.owner[at])]
            near = chain(heading.iter("a"), islice(heading.iterancestors("*"), 3))
            href = next(filter(None, (node.get("href") for node in near if node.tag == "a")), None)
            target = absolute_url(page.base_url, href or "")
            leading[at] = href is not None and target != own and _leads_on(page.url, target)
        return leading

    def block_at(self, element: int) -> int:
        """Number of the block in which an element begins; -1 for no element (-1), and on a page
        without blocks."""
        if element < 0 or not len(self.blocks):
            return -1
        return max(
            0, int(self.blocks.start.searchsorted(self.tree.first[element], side="right")) - 1
        )


def _leads_on(url: str, target: str) -> bool:
    """Whether ``target`` is another page of the same site, and not one post of this page.

    >>> [_leads_on("http://a.org/x-3/", to) for to in ("http://a.org/x-3#top", "http://a.org/y", "http://b.org/", "http://a.org/x-3/?post=7#7")]
    [False, True, False, False]
    """
    try:
        here, there = urlsplit(clean_url(url)), urlsplit(clean_url(target))
    except ValueError:
        return False
    path = there.path.strip("/")
    other = path != here.path.strip("/") or there.query != here.query
    return there.netloc == here.netloc and other and bool(path or there.query)


def block_features(view: View, headline: int) -> Singles:
    """Matrix of features, one row for each block; ``headline`` is the number of the headline's
    block, or -1."""
    numbers, groups = Numbers(view.blocks), group_features(view)
    parts: list[NDArray[Any]] = [
        _own(view, numbers),
        _tags(view.blocks, view.tree),
        _names(view),
        _position(numbers, headline),
        _neighbours(numbers),
        _containers(view, numbers),
        groups[:5],
        _page(numbers),
        label_features(view.blocks),
        groups[5:],
        wording_features(view.blocks, view.page.metadata.title, headline=headline),
    ]
    return np.concatenate(parts, dtype=np.float32, casting="same_kind").T


class Numbers:
    """Counts for the blocks, one column for each block: linked characters, punctuation marks,
    characters and words. ``sums`` are their cumulative sums, ``ratios`` linked characters by
    characters and marks by words, ``logs`` the logarithms of one plus each count."""

    def __init__(self, blocks: Blocks) -> None:
        self.counts = np.array([blocks.link_chars, blocks.punctuation, blocks.chars, blocks.words])
        self.sums = np.zeros((4, len(blocks) + 1))
        self.counts.cumsum(axis=1, out=self.sums[:, 1:])
        self.ratios = self.counts[:2] / np.maximum(self.counts[2:], 1)
        self.logs = np.log1p(self.counts)


def _own(view: View, numbers: Numbers) -> Floats:
    """Eleven features of the block itself: lengths, densities, its first and last character, and
    the depth of its element."""
    blocks, texts = view.blocks, view.blocks.texts
    found = np.empty((11, len(blocks)))
    found[0] = numbers.logs[2]
    np.maximum(numbers.logs[3], log1p(1), out=found[1])
    found[2:4] = numbers.ratios
    found[4] = numbers.logs[1]
    found[5] = blocks.digits
    found[6:8] = [text[-1:] in _ENDS for text in texts], [text[:1].isupper() for text in texts]
    np.greater(blocks.words, _LONG, out=found[8:10])
    closed = np.bincount(view.layout.ends, minlength=1).cumsum()
    found[10] = (blocks.owner - closed.take(blocks.owner)) / 20
    return found


def _tags(blocks: Blocks, tree: Tree) -> Flags:
    numbers = np.array(
        [_TAG_NUMBER.get(tree.tags[owner], len(_TAGS)) for owner in blocks.owner.tolist()], np.int64
    )
    flags: Flags = numbers == _TAG_NUMBERS
    return flags


def _names(view: View) -> Flags:
    """Hints and zones of a block's ancestors, then those of its own element and its parent."""
    owner, layout = view.blocks.owner, view.layout
    own = layout.bits[owner] | layout.bits[view.parents[owner]]
    return np.concatenate((bit_rows(layout.above[owner]), bit_rows(own)))


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
    """Length, link density and marks of the two blocks on either side, and means over five on
    either side."""
    count, width = numbers.counts.shape[1], 2 * _REACH + 1
    padded = np.zeros(
        (4, count + width)
    )  # a column before the first sum, five of zeros on either side
    own = padded[:, _REACH + 1 : _REACH + 1 + count]
    own[0], own[1:3], own[3] = numbers.logs[3], numbers.ratios, 1.0
    found = np.empty((15, count))
    for column, shift in enumerate((-2, -1, 1, 2)):
        found[column:12:4] = padded[:3, _REACH + 1 + shift : _REACH + 1 + shift + count]
    sums = padded.cumsum(axis=1)
    means = sums[:, width:] - sums[:, :count]
    np.divide(means[:3], means[3], out=found[12:])
    return found


def _containers(view: View, numbers: Numbers) -> Floats:
    """Densities of a block's element, of three of its ancestors, and of the element with most
    prose."""
    (first, last), owners, count = view.ranges, view.blocks.owner, len(view.blocks)
    at = np.empty((4, count), np.int64)
    at[0] = owners
    for step in range(3):
        view.parents.take(at[step], out=at[step + 1])
    low, high = first.take(at), last.take(at)  # far quicker than an index
    inside = numbers.sums.take(high, axis=1) - numbers.sums.take(low, axis=1)
    found = np.empty((22, count))
    rows = found[:20].reshape(4, 5, count)
    rows[:, 0] = inside[2] / max(1.0, float(numbers.sums[2, -1]))
    rows[:, 1:3] = (inside[:2] / np.maximum(inside[2:], 1)).transpose(1, 0, 2)
    rows[:, 3] = inside[2] / (view.layout.ends.take(at) - at)
    rows[:, 4] = high - low
    np.log1p(rows[:, 3:], out=rows[:, 3:])
    for row, element in ((20, view.prose), (21, int(view.parents[view.prose]))):
        found[row] = (owners >= element) & (owners < view.tree.ends[element])
    return found


def _page(numbers: Numbers) -> Floats:
    """Features of the whole page, the same for all blocks."""
    counts, count = numbers.counts, numbers.counts.shape[1]
    links, _, chars, _ = numbers.sums[:, -1].tolist()
    long = float(counts[2][counts[3] > 25].sum())
    chars = max(1.0, chars)
    return np.full((count, 4), [log1p(chars), log1p(count), links / chars, long / chars]).T


def group_features(view: View) -> Floats:
    """Eleven rows, one column for each block. Five tell of the blocks with the same tag path:
    number, mean length, link density, share of the page's text, and the block's own length by the
    mean. Six tell of the blocks that also share its classes and its parent's: the first four,
    punctuation by words, and elements by blocks."""
    blocks, size, ids = view.blocks, len(view.blocks), defaultdict[Any, int](count().__next__)
    owners, above, name = (
        blocks.owner.tolist(),
        view.parents.take(blocks.owner),
        view.tree.attributes["class"].get,
    )
    paths = [view.layout.paths[owner] for owner in owners]
    siblings = zip(paths, map(name, owners), map(name, above.tolist()), strict=True)
    group = np.fromiter(map(ids.__getitem__, chain(paths, siblings)), np.int64, 2 * size)
    begins = np.ones(size)
    begins[1:] = above[1:] != above[:-1]
    counts = np.array([blocks.link_chars, blocks.chars, blocks.words, blocks.punctuation, begins])
    links, chars, words, marks, elements = (
        np.bincount(group, row) for row in np.concatenate((counts, counts), axis=1)
    )
    members = np.bincount(group)
    shares = np.empty((7, len(members)))
    shares[0], shares[1] = members, words / members
    np.maximum(shares[1], 1, out=shares[6])
    np.log1p(shares[:2], out=shares[:2])
    shares[2], shares[3] = links / np.maximum(chars, 1), chars / max(1.0, float(blocks.chars.sum()))
    shares[4], shares[5] = marks / np.maximum(words, 1), elements / members
    found = np.empty((11, size))
    found[:4] = shares[:4].take(group[:size], axis=1)
    np.minimum(blocks.words / shares[6].take(group[:size]), 5, out=found[4])
    found[5:] = shares[:6].take(group[size:], axis=1)
    return found
