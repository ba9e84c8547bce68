"""Text blocks of a page and the numbers of every element, as arrays that the extractors and templates share."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, repeat

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from sitecrawl.dom.hints import BITS, hint_bits, is_hidden
from sitecrawl.dom.tags import INLINE
from sitecrawl.dom.tree import Tree
from sitecrawl.values.counts import count_chars

_GET = etree._Element.get
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

HIDDEN = 1 << 40
_WHOLE = ("body", "html")
_ZONES = (
    "nav",
    "header",
    "footer",
    "aside",
    "article",
    "main",
    "form",
    "table",
    "ul",
    "ol",
    "li",
    "pre",
    "blockquote",
    "figure",
)
ZONE = {tag: 1 << (41 + number) for number, tag in enumerate(_ZONES)}
"""Bits of the elements whose name says what stands in them; the lower bits are those of ``hints.BITS``."""


@dataclass(slots=True)
class Blocks:
    """Runs of text between block boundaries, in document order.

    ``owner`` is the element (number in the tree) whose block the run is; ``start:stop`` its chunks. Lengths are
    characters without surrounding blanks; a CJK character is a word. ``digits`` is their share of the first 80 characters.
    """

    owner: Ints
    start: Ints
    stop: Ints
    chars: Floats
    words: Floats
    punctuation: Floats
    digits: Floats
    link_chars: Floats
    texts: list[str]

    def __len__(self) -> int:
        return len(self.texts)


@dataclass(slots=True)
class Layout:
    """Per element of a tree: ``bits`` of its own names, ``above`` those of it and its ancestors.

    ``linked`` tells whether it stands within a link, ``path`` is one number for one tag path. Elements without visible text
    have neither names nor path.
    """

    bits: Ints
    above: Ints
    linked: Flags
    path: Ints


def layout_of(tree: Tree, hides: bool = True) -> Layout:
    """Names, zones and links of the elements with text; ``hides`` is False where no attribute or style can hide any."""
    size, tags, parents = len(tree), tree.tags, tree.parents
    filled = [number for number, (a, b) in enumerate(zip(tree.first, tree.last, strict=True)) if a < b]
    bits, above, path, linked = [0] * size, [0] * size, [0] * size, bytearray(size)
    for number, own in zip(filled, _name_bits(tree, filled, hides), strict=True):
        tag, parent = tags[number], parents[number]
        own |= ZONE.get(tag, 0)
        bits[number] = own
        above[number] = own | above[parent]
        path[number] = hash((path[parent], tag))
        if tag == "a":
            linked[number : tree.ends[number]] = b"\1" * (tree.ends[number] - number)
    return Layout(
        np.array(bits, np.int64), np.array(above, np.int64), np.frombuffer(linked, bool), np.array(path, np.int64)
    )


def bits_above(tree: Tree, layout: Layout, number: int) -> int:
    """Names of an element and its ancestors, also where it holds no text."""
    chain = []
    while number >= 0 and tree.first[number] == tree.last[number]:
        chain.append(number)
        number = tree.parents[number]
    found = int(layout.above[number]) if number >= 0 else 0
    for own, at in zip(_name_bits(tree, chain, True), chain, strict=True):
        found |= own | ZONE.get(tree.tags[at], 0)
    return found


def _name_bits(tree: Tree, chosen: list[int], hides: bool) -> list[int]:
    """Hint bits of class, id and what hides; ``body`` and ``html`` speak of the page, not of a part."""
    nodes = [tree.nodes[number] for number in chosen]
    names, idents = map(_GET, nodes, repeat("class")), map(_GET, nodes, repeat("id"))
    bits = [
        hint_bits(f"{name or ''} {ident or ''}") if name or ident else 0
        for name, ident in zip(names, idents, strict=True)
    ]
    if hides:
        hidden, styles = map(_GET, nodes, repeat("hidden")), map(_GET, nodes, repeat("style"))
        for at, (flag, style) in enumerate(zip(hidden, styles, strict=True)):
            if flag is not None or (style and is_hidden(style)):
                bits[at] |= HIDDEN
    return [0 if tree.tags[number] in _WHOLE else own for own, number in zip(bits, chosen, strict=True)]


def blocks_of(tree: Tree, layout: Layout) -> Blocks:
    """The text blocks of a page."""
    owner, start = _starts(tree)
    edges = [*start, len(tree.owners)]
    chunks = tree.chunks
    texts = [" ".join("".join(chunks[a:b]).split()) for a, b in pairwise(edges)]
    bounds = np.array(edges, np.int64)
    lengths = np.array([len(chunk.strip()) for chunk in chunks], np.float64)
    inside = layout.linked[np.array(tree.owners, np.int64)]
    links = np.concatenate(([0.0], np.cumsum(lengths * inside)))
    total = np.concatenate(([0.0], np.cumsum(lengths)))
    counts = count_chars(texts)
    return Blocks(
        owner=np.array(owner, np.int64),
        start=bounds[:-1],
        stop=bounds[1:],
        chars=total[bounds[1:]] - total[bounds[:-1]],
        words=counts.words,
        punctuation=counts.punctuation,
        digits=counts.digits,
        link_chars=links[bounds[1:]] - links[bounds[:-1]],
        texts=texts,
    )


def _starts(tree: Tree) -> tuple[list[int], list[int]]:
    """The nearest block element of every run of text, and its first chunk."""
    owner: list[int] = []
    start: list[int] = []
    tags, parents = tree.tags, tree.parents
    here = last = -1
    for number, element in enumerate(tree.owners):
        if element == last:
            continue
        last = element
        while tags[element] in INLINE and parents[element] >= 0:
            element = parents[element]
        if element != here:
            here = element
            owner.append(here)
            start.append(number)
    return owner, start


def unpack(bits: Ints) -> NDArray[np.float64]:
    """Matrix of hint and zone bits, a row an element, a column a bit (hints, HIDDEN, zones)."""
    masks = np.array([*BITS.values(), HIDDEN, *ZONE.values()], np.int64)
    flags: Floats = np.not_equal(bits[:, None] & masks[None, :], 0).astype(np.float64)
    return flags
