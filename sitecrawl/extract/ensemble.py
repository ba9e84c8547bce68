"""The ensemble: a small trained model scores every text block, the best scored subtree is the body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from lxml import etree

from sitecrawl.dom.blocks import Flags, Floats, Ints
from sitecrawl.extract.features import View, block_features
from sitecrawl.extract.leads import Leads, without_teasers
from sitecrawl.extract.second_look import with_lone_block, without_comments, without_hidden_copies
from sitecrawl.extract.weights import BlockModel, default_model

_KEEP = 0.5
_LONGEST_HEADLINE = 60
"""Words up to which the headline's block is the headline and no more; a longer one holds the article as well."""
_PROSE, _LEAST = 10, 0.2
"""Words of a block whose score says how sure the model is on a page, and the least score it keeps when it is not."""
_NO_TEXT = 400
"""Characters by words from which a block is no text of any language: the model has seen none such and may say anything.

Lines of code, in ASCII, are cut at blanks alone and may be as long.
"""
_SMOOTH = 0.1
"""Weight of each neighbour when scores are smoothed along the page."""


@dataclass(frozen=True, slots=True)
class Selection:
    """A body: its ``nodes`` in order, the subtrees in ``skip`` and direct texts in ``mute`` that are left out.

    ``scores`` holds the probability of every block, ``kept`` whether it belongs to the body.
    """

    nodes: Sequence[etree._Element]
    skip: frozenset[etree._Element]
    mute: frozenset[etree._Element]
    scores: Floats
    kept: Flags


def headline_block(view: View, element: int) -> int:
    """Number of the block that holds the headline's element, or -1."""
    if element < 0 or not len(view.blocks):
        return -1
    at = int(view.blocks.start.searchsorted(view.tree.first[element], side="right")) - 1
    return max(0, at)


def select_body(view: View, headline: int, model: BlockModel | None = None) -> Selection:
    """The body of a page; ``headline`` is the number of the headline's block or -1."""
    scores = (model or default_model()).predict(block_features(view, headline))
    if 0 <= headline < len(scores) and view.blocks.words[headline] <= _LONGEST_HEADLINE:
        scores[headline] = min(scores[headline], 0.05)
    scores[_gibberish(view)] = 0.0
    kept = without_hidden_copies(view, _smooth(scores) > _KEEP)
    return selection(view, scores, kept)


def _gibberish(view: View) -> list[int]:
    """Numbers of the blocks whose words are too long for any language."""
    blocks = view.blocks
    long = np.flatnonzero(blocks.chars > _NO_TEXT * blocks.words.clip(1)).tolist()
    return [at for at in long if not blocks.texts[at].isascii()]


def settled(view: View, found: Selection, leads: Leads) -> Selection:
    """``found`` with what the model is less sure of where it is sure of nothing, without comments and teasers below an article,
    or a body of a single block where the model left next to nothing.

    The lower bar gains .004 of word F1 on sites left out of training, .001 on news and .010 on web pages of all kinds. Apart from
    ``select_body``, since the page type is told from what the model itself kept: on listings that is nothing, on threads comments.
    """
    bar = _KEEP * _sureness(view, found.scores)
    kept = without_hidden_copies(view, _smooth(found.scores) > max(_LEAST, bar))
    kept = with_lone_block(view, found.scores, without_teasers(view, without_comments(view, kept), leads))
    return found if np.array_equal(kept, found.kept) else selection(view, found.scores, kept)


def _sureness(view: View, scores: Floats) -> float:
    """The best score of a block of some length, 0..1; 1 where there is none."""
    return float(scores[view.blocks.words >= _PROSE].max(initial=0.0)) or 1.0


def selection(view: View, scores: Floats, kept: Flags) -> Selection:
    """The selection that renders just the ``kept`` blocks, rooted at the smallest element that holds them."""
    if not kept.any():
        return Selection((), frozenset(), frozenset(), scores, kept)
    first, last = view.ranges
    root = _common(view, kept)
    skip, mute = _left_out(view, kept, (root, first, last))
    return Selection((view.tree.nodes[root],), skip, mute, scores, kept)


def _smooth(scores: Floats) -> Floats:
    """Scores with a share of their neighbours', so that a lone doubt inside the body is outvoted."""
    padded = np.concatenate((scores[:1], scores, scores[-1:])) if len(scores) else scores
    if not len(scores):
        return scores
    smoothed: Floats = (1 - 2 * _SMOOTH) * scores + _SMOOTH * (padded[:-2] + padded[2:])
    return smoothed


def _common(view: View, kept: Flags) -> int:
    """The smallest element whose subtree holds every kept block."""
    owners = view.blocks.owner[kept]
    low, high = int(owners.min()), int(owners.max())
    at = low
    while at > 0 and view.tree.ends[at] <= high:
        at = view.tree.parents[at]
    return max(0, at)


def _left_out(
    view: View, kept: Flags, where: tuple[int, Ints, Ints]
) -> tuple[frozenset[etree._Element], frozenset[etree._Element]]:
    """Largest elements below the root none of whose blocks is kept, and elements whose own text alone is left out."""
    tree, (root, first, last) = view.tree, where
    own, end = view.blocks.owner, tree.ends[root]
    count = np.zeros(len(kept) + 1, np.int64)
    kept.cumsum(out=count[1:])
    held = count[last] > count[first]
    out = ~held & (last > first) & held[view.parents]
    skip = np.flatnonzero(out[root:end]) + root
    silent = np.zeros(len(tree), bool)
    silent[own[~kept]] = True
    silent[own[kept]] = False
    mute = np.flatnonzero((silent & held)[root:end]) + root
    nodes = tree.nodes
    return frozenset(nodes[at] for at in skip.tolist()), frozenset(nodes[at] for at in mute.tolist())
