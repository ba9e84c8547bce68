"""Block density H(b) of Wang 2018, section 5.1: blocks are containers, scored by their text and links."""

from __future__ import annotations

import numpy as np

from sitecrawl.dom.blocks import Floats
from sitecrawl.extract.ensemble import Selection, selection
from sitecrawl.extract.features import View
from sitecrawl.extras.papers.densities import Counts, body_of, counts_of

_CONTAINERS = frozenset(("div", "table", "td", "article", "section", "main", "body"))
"""Elements that H(b) is computed of."""
_ALPHA = 0.01  # weight a of a container's size in elements
_SHARE = 0.5  # link share of a run of text inside the best container above which it is left out


def block_density(counts: Counts, body: int) -> Floats:
    """H(b) = p_text * p_textl * (1 - p_link) / (1 + a * size), an array over elements. p_text = T/(1 + T_doc) with T the text outside links, p_textl
    = T/(1 + T_all) with T_all all text of the block, and p_link = l/(1 + l_doc) the block's share of the page's links, used as the words of the paper
    say: links are bad."""
    text = counts.chars - counts.link_chars
    p_text = text / (1 + text[body])
    p_textl = text / (1 + counts.chars)
    p_link = counts.link_tags / (1 + counts.link_tags[body])
    density: Floats = p_text * p_textl * (1 - p_link) / (1 + _ALPHA * counts.tags)
    return density


def extract_block_density(view: View) -> Selection:
    """The container of greatest H(b), without its runs of text that are mostly links."""
    tree, blocks = view.tree, view.blocks
    scores = block_density(counts_of(view), body_of(tree))
    scores[[tag not in _CONTAINERS for tag in tree.tags]] = -1.0
    best = int(scores.argmax())
    inside = (blocks.owner >= best) & (blocks.owner < tree.ends[best])
    kept = inside & (blocks.link_chars <= _SHARE * np.maximum(blocks.chars, 1))
    return selection(view, kept.astype(np.float64), kept)
