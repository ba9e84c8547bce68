"""Second looks at the blocks that the model keeps: hidden copies of the text, comments below it, bodies of a single block.

Looked at and dropped, since the truth of other sites holds more than half of what they would take away: visible blocks that
repeat (36 of 108 pages right), blocks that are one link amid prose (42 of 109), captions (14 of 20, the other 6 from two sites
whose own feeds hold them), runs far below the body (4 of 11). Filling gaps in the body and keeping the lead gain on some
corpora what they lose on others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from sitecrawl.dom.blocks import BITS, HIDDEN, Flags, Floats
from sitecrawl.dom.page import is_forum
from sitecrawl.extract.features import View
from sitecrawl.text.chars import words

_POST = re.compile(r"thread|topic|message|forum|floor|postbody|postbit|question", re.I)
_SHINGLE = 4
_COPIED = 0.5
"""Share of the hidden text that must stand in the visible text as well for it to be a copy."""
_BODY = 40
"""Words of an article that has comments rather than consists of them."""
_BODY_SHARE = 0.15
"""Words of the article by those of its comments from which it is no opening post with replies."""
_CAPTION = 10
"""Words of the article on a page that says itself to be one: what stands below is no thread, however short the article."""
_SCANT = 10
"""Words below which a body is doubted."""
_PROSE = 25
"""Words from which a block can be the body on its own."""
_EXPECTED = 8.0
"""Expected words of content, words by probability, that such a block must bring; less is mostly a notice in the foot."""
_KINDRED = 0.3
"""Share of that block's probability that the blocks beside it need."""


def without_hidden_copies(view: View, kept: Flags) -> Flags:
    """``kept`` without hidden blocks where these repeat the visible ones, as forms for mail and print do.

    Hidden text alone is kept: many themes show the body by script.
    """
    hidden = kept & ((view.layout.above[view.blocks.owner] & HIDDEN) != 0)
    if not hidden.any():
        return kept
    seen = set(_shingles(view, kept & ~hidden))
    found = list(_shingles(view, hidden))
    copied = sum(shingle in seen for shingle in found)
    return kept & ~hidden if copied > _COPIED * len(found) else kept


def without_comments(view: View, kept: Flags) -> Flags:
    """``kept`` without the comments below an article; those of a forum are its posts and stay."""
    words, above = view.blocks.words, view.layout.above[view.blocks.owner]
    comments = kept & ((above & BITS["comment"]) != 0)
    if not comments.any():
        return kept
    body = kept.copy()
    body[int(comments.argmax()) :] = False
    length, replies = float(words[body].sum()), float(words[comments].sum())
    opens = bool((above[body] & BITS["forum"]).any()) and _is_post(view, body)
    least = _CAPTION if view.page.metadata.marks_article else max(_BODY, _BODY_SHARE * replies)
    return kept if opens or length < least or is_forum(view.page) else kept & ~comments


def _is_post(view: View, body: Flags) -> bool:
    """Whether an element around some of the ``body`` is named as forums name theirs; a bare "post" is a blog's as well."""
    tree, seen = view.tree, set[int]()
    for at in view.blocks.owner[body].tolist():
        while at > 0 and at not in seen:
            seen.add(at)
            at = tree.parents[at]
    names = (tree.nodes[at] for at in sorted(seen) if tree.tags[at] != "body")
    return any(_POST.search(f"{node.get('class') or ''} {node.get('id') or ''}") for node in names)


def with_lone_block(view: View, scores: Floats, kept: Flags) -> Flags:
    """``kept``, or where it holds next to nothing the block of prose with most expected content, and its kin beside it."""
    blocks = view.blocks
    expected = blocks.words * scores
    if not len(blocks) or blocks.words[kept].sum() >= _SCANT:
        return kept
    prose = (blocks.words >= _PROSE) & (blocks.link_chars < 0.3 * blocks.chars) & (blocks.punctuation > 0)
    best = int(np.where(prose & ~kept, expected, -1.0).argmax())
    if not prose[best] or expected[best] < max(_EXPECTED, float(expected[kept].sum())):
        return kept
    parents = view.parents[blocks.owner]
    beside = (parents == parents[best]) | (blocks.owner == blocks.owner[best])
    found: Flags = beside & (scores >= _KINDRED * scores[best])
    return found


def _shingles(view: View, chosen: Flags) -> Iterable[tuple[str, ...]]:
    """Runs of four words within each of the ``chosen`` blocks; a shorter block is one run."""
    for at in np.flatnonzero(chosen).tolist():
        found = words(view.blocks.texts[at])
        for start in range(max(1, len(found) - _SHINGLE + 1)):
            yield tuple(found[start : start + _SHINGLE])
