"""The body of one page: a small trained network scores every text block; the blocks above a
threshold are the body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from lxml import etree

from sitecrawl.dom.blocks import ASIDE, Flags, Floats
from sitecrawl.dom.class_names import names_one_of, words_of
from sitecrawl.dom.outside import label_of
from sitecrawl.dom.page import Page
from sitecrawl.extract.belonging import without_foreign
from sitecrawl.extract.captions import with_captions
from sitecrawl.extract.collapsed import with_collapsed
from sitecrawl.extract.features import block_features
from sitecrawl.extract.published import Dated
from sitecrawl.extract.weights import default_model
from sitecrawl.text.dates import ANNOUNCED

_CAPTIONS = words_of("captions")
_names_caption = names_one_of(_CAPTIONS)
# probability from which a block belongs to the body: the threshold for which the network was
# trained
_KEEP = 0.5
_LEAST_GAP = 0.15  # probability of a text that its neighbours can make a part of the body
_LEAST_CAPTION = 0.3  # probability of a caption that belongs to the body
_LINKED_GAP = 0.5  # share of its characters that are links, from which they cannot


@dataclass(frozen=True, slots=True)
class Selection:
    """A body: its ``nodes`` in order, without the subtrees in ``skip`` and the direct texts of
    elements in ``mute``. ``scores`` holds the probability of every block, ``kept`` whether it
    belongs to the body, ``said`` whether it was left out as a comment of a reader (None: unknown)."""

    nodes: Sequence[etree._Element]
    skip: frozenset[etree._Element]
    mute: frozenset[etree._Element]
    scores: Floats
    kept: Flags
    said: Flags | None = None


def select_body(page: Page, headline: int) -> Selection:
    """The body by the network alone; ``headline`` is the number of the headline's block or -1."""
    scores = default_model().predict(block_features(page, headline))
    return selection(page, scores, kept=smoothed(scores) > _KEEP)


def revise_body(
    page: Page,
    found: Selection,
    *,
    headline: int = -1,
    dated: Dated | None = None,
    prose_words: int = 10,
    least: float = 0.2,
) -> Selection:
    """``found`` with a lower threshold on pages where the network is certain of nothing, without
    what does not belong to the article (``belonging``), and with the collapsed answers below its
    questions and the captions beside it.
    The threshold is scaled by the best score of a block of at least ``prose_words``, and is never
    below ``least``. This step is separate from
    ``select_body`` because the page type is read from what the network alone kept: nothing on
    listings, comments on threads."""
    sure = float(found.scores[page.document.blocks.words >= prose_words].max(initial=0.0)) or 1.0
    kept = smoothed(found.scores) > max(least, _KEEP * sure)
    kept = with_siblings(page, found.scores, kept=kept)
    belonging = without_foreign(page, kept, scores=found.scores, headline=headline, dated=dated)
    kept = belonging.kept
    kept = with_lone_paragraph(page, found.scores, kept=kept)
    kept = with_whole_parts(page, found.scores, kept=kept)
    kept = with_captions(page, with_collapsed(page, kept))
    revised = found
    if not np.array_equal(kept, found.kept):
        revised = selection(page, found.scores, kept=kept)
    return replace(revised, said=belonging.said)


def smoothed(scores: Floats, weight: float = 0.1) -> Floats:
    """Scores with ``weight`` of each neighbour's added, so that a single doubtful block inside the
    body is outvoted."""
    if not len(scores):
        return scores
    padded = np.concatenate((scores[:1], scores, scores[-1:]))
    return np.asarray((1 - 2 * weight) * scores + weight * (padded[:-2] + padded[2:]))


def with_lone_paragraph(
    page: Page,
    scores: Floats,
    *,
    kept: Flags,
    scant: int = 10,
    least_words: int = 25,
    least_expected: float = 8.0,
) -> Flags:
    """``kept``; if it has less than ``scant`` words, the paragraph with most expected words (words
    times probability) replaces it, with the blocks beside that paragraph that are at least .3 times
    as likely. A paragraph has ``least_words`` words, punctuation, and few links. It replaces
    nothing if it has less expected words than ``kept``, or less than ``least_expected``: such a
    paragraph usually belongs to a footer."""
    blocks, expected = page.document.blocks, page.document.blocks.words * scores
    if not len(blocks) or blocks.words[kept].sum() >= scant:
        return kept
    prose = (
        (blocks.words >= least_words)
        & (blocks.link_chars < 0.3 * blocks.chars)
        & (blocks.punctuation > 0)
    )
    best = int(np.where(prose & ~kept, expected, -1.0).argmax())
    if not prose[best] or expected[best] < max(least_expected, float(expected[kept].sum())):
        return kept
    parents = page.document.arrays.around[blocks.owner]
    beside = (parents == parents[best]) | (blocks.owner == blocks.owner[best])
    return np.asarray(beside & (scores >= 0.3 * scores[best]))


def with_siblings(page: Page, scores: Floats, *, kept: Flags) -> Flags:
    """``kept`` with the texts beside kept ones that are of their kind: elements with the tag, the
    class and the parent of some above and of some below, or of two above if they follow at once and
    have no label, as the day below a letter; and what stands in the parent itself between such
    elements. On 118 sites this gave 41 pages what they lacked, and 4 a line too much; with another
    tag a third of such texts was right."""
    document = page.document
    blocks = document.blocks
    places = np.flatnonzero(kept).tolist()
    likely = ~kept & (blocks.link_chars < _LINKED_GAP * blocks.chars) & (scores >= _LEAST_GAP)
    if not places or not likely[places[0] :].any():
        return kept
    owners = blocks.owner.tolist()
    classes = document.classes
    kinds = [(document.parents[owner], document.tags[owner], classes[owner]) for owner in owners]
    # the first and the last kept text of each kind, and below each parent
    last = {kinds[at]: at for at in places}
    first = {kinds[at]: at for at in reversed(places)}
    last_below = {kinds[at][0]: at for at in places}
    first_below = {kinds[at][0]: at for at in reversed(places)}
    size = len(blocks)
    whole = kept.copy()
    for at in np.flatnonzero(likely).tolist():
        begin = first.get(kinds[at], size)
        end = last.get(kinds[at], 0)
        is_of_two = begin < min(at, end)
        is_beside = at < end or (whole[at - 1] and not _is_labelled(blocks.texts[at]))
        is_between = first_below.get(owners[at], size) < at < last_below.get(owners[at], 0)
        whole[at] |= is_between or (is_of_two and is_beside)
    return whole


def _is_labelled(text: str) -> bool:
    """Whether a text is a fact about the article behind a label, as its day and its views are."""
    label, _ = label_of(text)
    return label != "" or ANNOUNCED.search(text) is not None


def with_whole_parts(
    page: Page, scores: Floats, *, kept: Flags, most_words: int = 60, most: int = 1_000
) -> Flags:
    """``kept`` with the captions of pictures and the heads of tables (at most ``most_words`` words)
    inside the body, and with embedded posts beside it. A caption counts only if the network does not
    reject it."""
    document = page.document
    blocks = document.blocks
    whole = kept.copy()
    edges = np.flatnonzero(kept)
    if not len(edges):
        return whole
    posts = document.embedded_posts
    first, last = document.ranges
    around_of = document.arrays.around
    captions = document.marked(_names_caption, "class", words=_CAPTIONS)
    figures = [document.parents[at] for at in captions] + document.tagged("figure")
    heads = frozenset(document.tagged("thead")[:most])
    for at in dict.fromkeys([*posts[:most], *figures[:most], *heads]):
        own = slice(first[at], last[at])
        around = around_of[at if at in heads else around_of[at]]
        is_beside = document.above[at] & ASIDE
        if is_beside or not kept[first[around] : last[around]].any():
            continue
        if at in posts:
            whole[own] = True
            continue
        is_inside = edges[0] < first[at] < edges[-1]
        is_small = blocks.words[own].sum() <= most_words
        is_text = blocks.link_chars[own].sum() <= 0.5 * blocks.chars[own].sum()
        if at in heads:
            whole[own] |= is_inside and is_small and is_text
        elif is_inside or not kept[own].any():
            is_likely = scores[own].max(initial=0.0) >= _LEAST_CAPTION
            is_picture = "img" in document.tags[at : document.ends[at]]
            whole[own] |= is_likely and is_picture and is_small and is_text
    return whole


def _with_pictures(page: Page, paragraph: int) -> int:
    """The element around a paragraph, if all that it holds beside it are pictures; else the
    paragraph."""
    document = page.document
    above = document.parents[paragraph]
    first, last = document.chunk_ranges
    has_more_text = last[above] - first[above] > last[paragraph] - first[paragraph]
    if has_more_text or document.tags[above] == "body":
        return paragraph
    return above if "img" in document.tags[above : document.ends[above]] else paragraph


def selection(page: Page, scores: Floats, *, kept: Flags) -> Selection:
    """The selection that renders exactly the ``kept`` blocks, rooted at the smallest element that
    contains them."""
    if not kept.any():
        return Selection((), frozenset(), frozenset(), scores, kept)
    document, owners = page.document, page.document.blocks.owner
    root, last_owner = int(owners[kept].min()), int(owners[kept].max())
    while root > 0 and document.ends[root] <= last_owner:
        root = document.parents[root]
    if document.tags[root] == "p":
        root = _with_pictures(page, root)
    blocks = document.blocks
    # by chunks of text: a link in a line has no block of its own
    shown = np.repeat(kept, blocks.stop - blocks.start)
    before = np.concatenate(([0], shown.cumsum()))
    first, last = document.chunk_ranges
    holds_kept = before[last] > before[first]
    # The largest elements without a kept block are left out completely; of elements with both kinds
    # of blocks, only their direct text.
    skipped = ~holds_kept & (last > first) & holds_kept[page.document.arrays.around]
    muted = np.zeros(len(document), bool)
    muted[owners[~kept]] = True
    muted[owners[kept]] = False
    skip, mute = (
        frozenset(
            document.nodes[at + root]
            for at in np.flatnonzero(flags[root : document.ends[root]]).tolist()
        )
        for flags in (skipped, muted & holds_kept)
    )
    return Selection((document.nodes[root],), skip, mute, scores, kept)
