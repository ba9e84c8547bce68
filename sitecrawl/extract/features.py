"""Features of text blocks: the block itself, its surroundings, and the names of its ancestors. All
are independent of scale or logarithmic, and a CJK character counts as a word, so that one model
serves all languages."""

from __future__ import annotations

from collections import defaultdict
from itertools import chain, count
from math import log1p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sitecrawl.dom.blocks import Blocks, Flags, Floats, bit_rows
from sitecrawl.dom.document import Document
from sitecrawl.dom.page import Page
from sitecrawl.extract.wording import label_features, wording_features

Singles = NDArray[np.float32]
_TAGS = tuple("p div li td h1 h2 h3 h4 pre dt dd figcaption section article body tr".split())
_TAG_NUMBERS = np.arange(len(_TAGS) + 1)[:, None]
_TAG_NUMBER = {tag: number for number, tag in enumerate(_TAGS)}
_REACH = 5  # blocks on either side that means are taken over
_ENDS = frozenset('.!?。！？…:：;；"”」』')
_LONG = np.array([[10.0], [25.0]])  # numbers of words from which a block is long, and very long
_AROUND = 3  # ancestors of a block's element whose densities count


def block_features(page: Page, headline: int) -> Singles:
    """Matrix of features, one row for each block; ``headline`` is the number of the headline's
    block, or -1."""
    document = page.document
    blocks = document.blocks
    groups = group_features(document)
    parts: list[NDArray[Any]] = [
        _own(document),
        _tags(document),
        _names(document),
        _position(blocks, headline),
        _neighbours(blocks),
        _containers(document),
        groups[:5],
        _page(blocks),
        label_features(blocks),
        groups[5:],
        wording_features(blocks, page.metadata.title, headline=headline),
    ]
    return np.concatenate(parts, dtype=np.float32, casting="same_kind").T


def _own(document: Document) -> Floats:
    """Eleven features of the block itself: lengths, densities, its first and last character, and
    the depth of its element."""
    blocks = document.blocks
    found = np.empty((11, len(blocks)))
    found[0] = blocks.logs[2]
    np.maximum(blocks.logs[3], log1p(1), out=found[1])
    found[2:4] = blocks.ratios
    found[4] = blocks.logs[1]
    found[5] = blocks.digits
    found[6] = [text[-1:] in _ENDS for text in blocks.texts]
    found[7] = list(map(str.isupper, [text[:1] for text in blocks.texts]))
    np.greater(blocks.words, _LONG, out=found[8:10])
    closed = np.bincount(document.arrays.ends, minlength=1).cumsum()
    found[10] = (blocks.owner - closed.take(blocks.owner)) / 20
    return found


def _tags(document: Document) -> Flags:
    tags = [document.tags[owner] for owner in document.blocks.owner.tolist()]
    known = {tag: _TAG_NUMBER.get(tag, len(_TAGS)) for tag in set(tags)}
    flags: Flags = np.array([known[tag] for tag in tags], np.int64) == _TAG_NUMBERS
    return flags


def _names(document: Document) -> Flags:
    """Hints and zones of a block's ancestors, then those of its own element and its parent."""
    owner = document.blocks.owner
    own = document.bits[owner] | document.bits[document.arrays.around[owner]]
    return np.concatenate((bit_rows(document.above[owner]), bit_rows(own)))


def _position(blocks: Blocks, headline: int) -> Floats:
    sums = blocks.sums[2]
    size = len(blocks)
    at = np.arange(size)
    found = np.zeros((7, size))
    np.divide(sums[:-1], max(1.0, float(sums[-1])), out=found[0])
    np.divide(at, max(1, size), out=found[1])
    if headline >= 0:
        offset = at - headline
        found[2] = 1.0
        np.sign(offset, out=found[3])
        np.log1p(np.abs(offset), out=found[4])
        found[5, headline] = 1.0
        found[6, headline:] = found[4, headline:]
    return found


def _neighbours(blocks: Blocks) -> Floats:
    """Length, link density and marks of the two blocks on either side, and means over five on
    either side."""
    size = len(blocks)
    width = 2 * _REACH + 1
    # a column before the first sum, five of zeros on either side
    padded = np.zeros((4, size + width))
    own = padded[:, _REACH + 1 : _REACH + 1 + size]
    own[0] = blocks.logs[3]
    own[1:3] = blocks.ratios
    own[3] = 1.0
    found = np.empty((15, size))
    for column, shift in enumerate((-2, -1, 1, 2)):
        found[column:12:4] = padded[:3, _REACH + 1 + shift : _REACH + 1 + shift + size]
    sums = padded.cumsum(axis=1)
    means = sums[:, width:] - sums[:, :size]
    np.divide(means[:3], means[3], out=found[12:])
    return found


def _containers(document: Document) -> Floats:
    """Densities of a block's element, of three of its ancestors, and of the element with most
    prose."""
    blocks, around = document.blocks, document.arrays.around
    first, last = document.ranges
    size = len(blocks)
    at = np.empty((1 + _AROUND, size), np.int64)
    at[0] = blocks.owner
    for step in range(_AROUND):
        around.take(at[step], out=at[step + 1])
    low, high = first.take(at), last.take(at)  # far quicker than an index
    inside = blocks.sums.take(high, axis=1) - blocks.sums.take(low, axis=1)
    found = np.empty((22, size))
    rows = found[:20].reshape(1 + _AROUND, 5, size)
    rows[:, 0] = inside[2] / max(1.0, float(blocks.sums[2, -1]))
    rows[:, 1:3] = (inside[:2] / np.maximum(inside[2:], 1)).transpose(1, 0, 2)
    rows[:, 3] = inside[2] / (document.arrays.ends.take(at) - at)
    rows[:, 4] = high - low
    np.log1p(rows[:, 3:], out=rows[:, 3:])
    for row, element in ((20, document.prose), (21, int(around[document.prose]))):
        found[row] = (blocks.owner >= element) & (blocks.owner < document.ends[element])
    return found


def _page(blocks: Blocks) -> Floats:
    """Features of the whole page, the same for all blocks."""
    links, _, chars, _ = blocks.sums[:, -1].tolist()
    long = float(blocks.chars[blocks.words > 25].sum())
    chars = max(1.0, chars)
    row = [log1p(chars), log1p(len(blocks)), links / chars, long / chars]
    return np.full((len(blocks), 4), row).T


def group_features(document: Document) -> Floats:
    """Eleven rows, one column for each block. Five tell of the blocks with the same tag path:
    number, mean length, link density, share of the page's text, and the block's own length by the
    mean. Six tell of the blocks that also share its classes and its parent's: the first four,
    punctuation by words, and elements by blocks."""
    blocks, classes = document.blocks, document.classes
    size = len(blocks)
    above = document.arrays.around.take(blocks.owner)
    paths = [document.paths[owner] for owner in blocks.owner.tolist()]
    own_names = [classes[at] for at in blocks.owner.tolist()]
    names_above = [classes[at] for at in above.tolist()]
    ids = defaultdict[Any, int](count().__next__)
    keys = chain(paths, zip(paths, own_names, names_above, strict=True))
    group = np.fromiter(map(ids.__getitem__, keys), np.int64, 2 * size)

    begins = np.ones(size)
    begins[1:] = above[1:] != above[:-1]
    counts = np.array([blocks.link_chars, blocks.chars, blocks.words, blocks.punctuation, begins])
    links, chars, words, marks, elements = (
        np.bincount(group, row) for row in np.concatenate((counts, counts), axis=1)
    )
    members = np.bincount(group)
    shares = np.empty((7, len(members)))
    shares[0] = members
    shares[1] = words / members
    np.maximum(shares[1], 1, out=shares[6])
    np.log1p(shares[:2], out=shares[:2])
    shares[2] = links / np.maximum(chars, 1)
    shares[3] = chars / max(1.0, float(blocks.chars.sum()))
    shares[4] = marks / np.maximum(words, 1)
    shares[5] = elements / members

    found = np.empty((11, size))
    found[:4] = shares[:4].take(group[:size], axis=1)
    np.minimum(blocks.words / shares[6].take(group[:size]), 5, out=found[4])
    found[5:] = shares[:6].take(group[size:], axis=1)
    return found
