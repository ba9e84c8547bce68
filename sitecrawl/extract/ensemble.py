"""The body of one page: a small trained network scores every text block; the blocks above a
threshold are the body."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from lxml import etree

from sitecrawl.dom.blocks import ASIDE, BITS, Flags, Floats
from sitecrawl.dom.page import Page, is_forum
from sitecrawl.extract.collapsed import with_collapsed
from sitecrawl.extract.features import block_features
from sitecrawl.extract.fields import SOURCE_LABEL
from sitecrawl.extract.published import Dated
from sitecrawl.extract.weights import default_model
from sitecrawl.text.dates import ANNOUNCED
from sitecrawl.text.names import squeeze

# probability from which a block belongs to the body: the threshold for which the network was
# trained
_KEEP = 0.5


@dataclass(frozen=True, slots=True)
class Selection:
    """A body: its ``nodes`` in order, without the subtrees in ``skip`` and the direct texts of
    elements in ``mute``. ``scores`` holds the probability of every block, ``kept`` whether it
    belongs to the body."""

    nodes: Sequence[etree._Element]
    skip: frozenset[etree._Element]
    mute: frozenset[etree._Element]
    scores: Floats
    kept: Flags


def select_body(page: Page, headline: int) -> Selection:
    """The body by the network alone; ``headline`` is the number of the headline's block or -1."""
    scores = default_model().predict(block_features(page, headline))
    return selection(page, scores, kept=smoothed(scores) > _KEEP)


def revise_body(
    page: Page,
    found: Selection,
    *,
    dated: Dated | None = None,
    prose_words: int = 10,
    least: float = 0.2,
) -> Selection:
    """``found`` with a lower threshold on pages where the network is certain of nothing, without
    comments below the article, and the line of its date and an
    excerpt above it; with the collapsed answers below its questions.
    The threshold is scaled by the best score of a block of at least ``prose_words``, and is never
    below ``least``. This step is separate from
    ``select_body`` because the page type is read from what the network alone kept: nothing on
    listings, comments on threads."""
    sure = float(found.scores[page.document.blocks.words >= prose_words].max(initial=0.0)) or 1.0
    kept = without_cards(
        page, without_comments(page, smoothed(found.scores) > max(least, _KEEP * sure))
    )
    kept = without_excerpt(page, found.scores, kept=without_date_line(page, dated, kept=kept))
    kept = with_whole_parts(page, with_lone_paragraph(page, found.scores, kept=kept))
    kept = with_collapsed(page, kept)
    return found if np.array_equal(kept, found.kept) else selection(page, found.scores, kept=kept)


def without_cards(page: Page, kept: Flags) -> Flags:
    """``kept`` without excerpts of other pages below the article: the texts of like elements side
    by side, each with one heading, which leads to another page. Where such a heading is kept, the
    page is a list. The posts of a thread may have headings that lead to their authors."""
    parents, (first, last), without = page.document.arrays.around, page.document.ranges, kept.copy()
    before = np.concatenate(([0], page.document.heading_blocks.cumsum()))
    counts, cards = before[last] - before[first], defaultdict[Hashable, list[int]](list)
    for card in page.document.blocks.owner[page.leading].tolist():
        while card and counts[parents[card]] == 1:
            card = int(parents[card])
        cards[
            int(parents[card]),
            page.document.tags[card],
            page.document.attributes["class"].get(card),
        ].append(card)
    for card in (card for alike in cards.values() if len(alike) > 1 for card in alike):
        without[first[card] : last[card]] = False
    is_article = without[kept.nonzero()[0][:1]].any() and not (
        (page.leading & kept).any() or is_forum(page)
    )
    return without if is_article else kept


def without_date_line(
    page: Page, dated: Dated | None, *, kept: Flags, most_more: int = 40
) -> Flags:
    """``kept`` without its first block if the date of publication was read from it, and it is a
    line about the publication: it has a word that announces it, or names the source, and
    ``most_more`` characters at most besides the date. Other dates there are often part of the text,
    as those of events."""
    if dated is None or kept.sum() < 2:
        return kept
    first = int(kept.argmax())
    is_its_own = (
        dated.origin == "text"
        and dated.node is page.document.nodes[int(page.document.blocks.owner[first])]
    )
    text, without = page.document.blocks.texts[first], kept.copy()
    is_short = len(text) <= len(dated.raw) + most_more
    without[first] = not (
        is_its_own and is_short and (ANNOUNCED.search(text) or SOURCE_LABEL.search(text))
    )
    return without


def smoothed(scores: Floats, weight: float = 0.1) -> Floats:
    """Scores with ``weight`` of each neighbour's added, so that a single doubtful block inside the
    body is outvoted."""
    if not len(scores):
        return scores
    padded = np.concatenate((scores[:1], scores, scores[-1:]))
    return np.asarray((1 - 2 * weight) * scores + weight * (padded[:-2] + padded[2:]))


def without_comments(page: Page, kept: Flags, *, least_share: float = 0.15) -> Flags:
    """``kept`` without the comments below an article. The posts of a forum are kept, since they are
    its text. Text with less than ``least_share`` of the words of its comments is an opening post
    with replies, which are kept."""
    comments = kept & ((page.document.above[page.document.blocks.owner] & BITS["comment"]) != 0)
    if not comments.any():
        return kept
    body = kept.copy()
    body[int(comments.argmax()) :] = False
    length, replies = (
        float(page.document.blocks.words[chosen].sum()) for chosen in (body, comments)
    )
    is_article = length >= least_share * replies and not is_forum(page)
    return kept & ~comments if is_article else kept


def without_excerpt(
    page: Page,
    scores: Floats,
    *,
    kept: Flags,
    least_words: int = 20,
    longest_label: int = 20,
    sure: float = 0.9,
) -> Flags:
    """``kept`` without its first block if that is an excerpt, perhaps after a label: the text below
    begins with it, or, if the network is not ``sure`` of the block, repeats it anywhere. Authors
    return to their first quotation, and repeat sentences of less than ``least_words`` words: these
    are kept."""
    places = np.flatnonzero(kept)
    if len(places) < 2 or page.document.blocks.words[places[0]] < least_words:
        return kept
    first, *others = (page.document.blocks.texts[at] for at in places.tolist())
    label, _, rest = first.partition(":" if ":" in first[:longest_label] else "：")
    is_sure = scores[places[0]] >= sure
    text = squeeze(rest if rest and len(label) < longest_label else first)
    below = squeeze("".join(others)[: 4 * len(first) if is_sure else None])
    is_repeated = below.startswith(text) if is_sure else text in below
    kept = kept.copy()
    kept[places[0]] = not is_repeated
    return kept


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


def with_whole_parts(page: Page, kept: Flags, *, most_words: int = 60, most: int = 1_000) -> Flags:
    """``kept`` with the captions of pictures and the heads of tables (at most ``most_words`` words)
    inside the body, and with embedded posts beside it."""
    document, blocks, whole, edges = (
        page.document,
        page.document.blocks,
        kept.copy(),
        np.flatnonzero(kept),
    )
    posts, (first, last) = document.embedded_posts, page.document.ranges
    captions = document.marked(lambda name: "caption" in name[:200], "class", words=("caption",))
    figures = [document.parents[at] for at in captions] + document.tagged("figure")
    heads = frozenset(document.tagged("thead")[:most])
    for at in dict.fromkeys([*posts[:most], *figures[:most], *heads]) if len(edges) else ():
        own, around = (
            slice(first[at], last[at]),
            page.document.arrays.around[at if at in heads else page.document.arrays.around[at]],
        )
        if page.document.above[at] & ASIDE or not kept[first[around] : last[around]].any():
            continue
        words, chars, linked = (
            sizes[own].sum() for sizes in (blocks.words, blocks.chars, blocks.link_chars)
        )
        is_inside = (
            edges[0] < first[at] < edges[-1] and words <= most_words and linked <= 0.5 * chars
        )
        whole[own] |= at in posts or (
            is_inside and (at in heads or "img" in document.tags[at : document.ends[at]])
        )
    return whole


def selection(page: Page, scores: Floats, *, kept: Flags) -> Selection:
    """The selection that renders exactly the ``kept`` blocks, rooted at the smallest element that
    contains them."""
    if not kept.any():
        return Selection((), frozenset(), frozenset(), scores, kept)
    document, owners = page.document, page.document.blocks.owner
    root, last_owner = int(owners[kept].min()), int(owners[kept].max())
    while root > 0 and document.ends[root] <= last_owner:
        root = document.parents[root]
    first, last = page.document.ranges
    before = np.concatenate(([0], kept.cumsum()))
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
