"""Text blocks of a page and the numbers of every element, as arrays that the extractors and templates share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sitecrawl.dom.hints import BITS, hint_bits, is_hidden
from sitecrawl.dom.tags import INLINE
from sitecrawl.dom.tree import Tree
from sitecrawl.values.chars import PUNCTUATION, WORD

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

HIDDEN = 1 << 40
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
    characters without surrounding blanks; a CJK character is a word.
    """

    owner: Ints
    start: Ints
    stop: Ints
    chars: Floats
    words: Floats
    punctuation: Floats
    link_chars: Floats
    texts: list[str]

    def __len__(self) -> int:
        return len(self.texts)


@dataclass(slots=True)
class Layout:
    """Per element of a tree: ``bits`` of its own names, ``above`` those of it and its ancestors.

    ``linked`` tells whether it stands within a link, ``block`` its nearest block element, ``path`` numbers its tag path.
    """

    bits: Ints
    above: Ints
    linked: Flags
    block: list[int]
    path: Ints


def layout_of(tree: Tree) -> Layout:
    """Names, zones, links and block element of every element, one pass."""
    bits: list[int] = []
    above: list[int] = []
    linked: list[bool] = []
    block: list[int] = []
    path: list[int] = []
    zones, known = ZONE, dict[tuple[int, str], int]()
    for number, (node, tag, parent) in enumerate(zip(tree.nodes, tree.tags, tree.parents, strict=True)):
        own = zones.get(tag, 0) | _name_bits(node)
        path.append(known.setdefault((path[parent] if parent >= 0 else -1, tag), len(known)))
        bits.append(own)
        if parent < 0:
            above.append(own)
            linked.append(tag == "a")
            block.append(number)
            continue
        above.append(own | above[parent])
        linked.append(tag == "a" or linked[parent])
        block.append(block[parent] if tag in INLINE else number)
    return Layout(
        np.array(bits, np.int64), np.array(above, np.int64), np.array(linked, bool), block, np.array(path, np.int64)
    )


def _name_bits(node: Any) -> int:
    """Hint bits of an element's class, id, itemprop and role; ``body`` and ``html`` speak of the page, not of a part."""
    if node.tag in ("body", "html"):
        return 0
    get = node.get
    names, ident = get("class"), get("id")
    found = hint_bits(f"{names or ''} {ident or ''}") if names or ident else 0
    if get("hidden") is not None or (get("style") and is_hidden(get("style"))):
        found |= HIDDEN
    return found


def blocks_of(tree: Tree, layout: Layout) -> Blocks:
    """The text blocks of a page."""
    owner: list[int] = []
    start: list[int] = []
    here = -1
    block = layout.block
    for number, element in enumerate(tree.owners):
        if block[element] != here:
            here = block[element]
            owner.append(here)
            start.append(number)
    stop = [*start[1:], len(tree.owners)] if start else []
    texts = [" ".join("".join(tree.chunks[a:b]).split()) for a, b in zip(start, stop, strict=True)]
    return _measured(owner, start, texts, (tree, layout))


def _measured(owner: list[int], start: list[int], texts: list[str], page: tuple[Tree, Layout]) -> Blocks:
    tree, layout = page
    edges = np.array([*start, len(tree.owners)], np.int64)
    lengths = np.array([len(chunk.strip()) for chunk in tree.chunks], np.float64)
    inside = layout.linked[np.array(tree.owners, np.int64)] if tree.owners else np.zeros(0, bool)
    links = np.concatenate(([0.0], np.cumsum(lengths * inside)))
    total = np.concatenate(([0.0], np.cumsum(lengths)))
    return Blocks(
        owner=np.array(owner, np.int64),
        start=edges[:-1],
        stop=edges[1:],
        chars=total[edges[1:]] - total[edges[:-1]],
        words=np.array([_words(text) for text in texts], np.float64),
        punctuation=np.array([len(PUNCTUATION.findall(text)) for text in texts], np.float64),
        link_chars=links[edges[1:]] - links[edges[:-1]],
        texts=texts,
    )


def _words(text: str) -> int:
    return text.count(" ") + 1 if text.isascii() else len(WORD.findall(text))


def unpack(bits: Ints) -> NDArray[np.float64]:
    """Matrix of hint and zone bits, a row an element, a column a bit (hints, HIDDEN, zones)."""
    masks = np.array([*BITS.values(), HIDDEN, *ZONE.values()], np.int64)
    flags: Floats = np.not_equal(bits[:, None] & masks[None, :], 0).astype(np.float64)
    return flags
