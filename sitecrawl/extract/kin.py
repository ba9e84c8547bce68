"""Kin of a block: the blocks of the same tag path whose elements, and the parents of these, bear the same classes."""

from __future__ import annotations

import numpy as np

from sitecrawl.dom.blocks import Blocks, Floats, Layout
from sitecrawl.dom.tree import Tree


def kin_features(blocks: Blocks, tree: Tree, layout: Layout) -> Floats:
    """Six rows, a column a block: how many kin, how long, how linked, their share of the text, marks, and elements."""
    parents = np.maximum(layout.parents, 0)[blocks.owner]
    nodes, known = tree.nodes, dict[tuple[int, str | None, str | None], int]()
    group = np.array(
        [
            known.setdefault((layout.path[owner], nodes[owner].get("class"), nodes[parent].get("class")), len(known))
            for owner, parent in zip(blocks.owner.tolist(), parents.tolist(), strict=True)
        ],
        np.int64,
    )
    moved = np.ones(len(group))
    moved[1:] = parents[1:] != parents[:-1]
    weights = (blocks.chars, blocks.link_chars, blocks.words, blocks.punctuation, moved)
    chars, links, words, marks, parts = (np.bincount(group, weight) for weight in weights)
    count = np.bincount(group)
    shares = np.array(
        [
            np.log1p(count),
            np.log1p(words / np.maximum(count, 1)),
            links / np.maximum(chars, 1),
            chars / max(1.0, chars.sum()),
            marks / np.maximum(words, 1),
            parts / np.maximum(count, 1),
        ]
    )
    found: Floats = shares[:, group]
    return found
