"""The ensemble: a small trained model scores every text block, the best scored subtree is the body. Second looks at the blocks that it
keeps: hidden copies, comments below the text, bodies of a single block, headings that lead on (a listing heads its entries with links
to them, an article heads its parts with words)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

import numpy as np
from lxml import etree

from sitecrawl.dom.blocks import BITS, HIDDEN, Flags, Floats, Ints
from sitecrawl.dom.page import is_forum
from sitecrawl.extract.features import View, block_features
from sitecrawl.extract.weights import BlockModel, default_model
from sitecrawl.text.chars import words
from sitecrawl.urls.canonical import join

_HEADINGS = frozenset(("h1", "h2", "h3", "h4"))
_LINKED = 0.7
"""Share of a heading's text that must be linked."""
_LEVELS = 3
"""Levels above a heading at which a link may stand around it."""

_OPENING, _SHARE, _CLOSING = 40, 0.1, 20
"""Words of an article above entries that are teasers, their share by the words of these, and most words below them.

On sites and corpora left out of training, of the text in entries below articles next to none stands in the truth; in lists of
things within an article, with text of its own below them, most does.
"""


@dataclass(frozen=True, slots=True)
class Leads:
    """Which blocks are ``headings``, and which of these are ``leading``: links to other pages of the site."""

    headings: Flags
    leading: Flags


def leads_of(view: View) -> Leads:
    """The headings of a page."""
    headings = heading_blocks(view)
    return Leads(headings, leading_headings(view, headings))


def heading_blocks(view: View) -> Flags:
    """Blocks that are headings."""
    tags = view.tree.tags
    return np.array([tags[owner] in _HEADINGS for owner in view.blocks.owner.tolist()], bool)


def leading_headings(view: View, headings: Flags) -> Flags:
    """Those of ``headings`` that are links to another page of the site."""
    blocks, found = view.blocks, np.zeros(len(view.blocks), bool)
    for at in np.flatnonzero(headings & (blocks.link_chars > _LINKED * blocks.chars)).tolist():
        link = _link_of(view.tree.nodes[int(blocks.owner[at])])
        found[at] = link is not None and _leads_on(view.page.url, join(view.page.base_url, link.get("href") or ""))
    return found


def without_teasers(view: View, kept: Flags, leads: Leads) -> Flags:
    """``kept`` without what leads on below an article: entries under headings alike, and headings at the end.

    The same array when there is nothing to remove.
    """
    kept = _without_entries(view, kept, leads)
    places = np.flatnonzero(kept)
    if not len(places) or not leads.headings[places[-1]]:
        return kept
    body = np.flatnonzero(~leads.leading[places])
    if not len(body) or body[-1] == len(places) - 1:
        return kept
    shorter = kept.copy()
    shorter[places[body[-1] + 1 :]] = False
    return shorter


def _without_entries(view: View, kept: Flags, leads: Leads) -> Flags:
    """``kept`` without entries that other pages of the site are announced by, where an article stands above them."""
    out = kept & _entries(view, leads)
    if not out.any():
        return kept
    left, words = kept & ~out, view.blocks.words
    above, length = int(out.argmax()), float(words[left].sum())
    opening = float(words[:above][left[:above]].sum())
    teased = length - opening <= _CLOSING and opening >= max(_OPENING, _SHARE * words[out].sum())
    return left if teased else kept


def _entries(view: View, leads: Leads) -> Flags:
    """Blocks of the largest elements with one leading heading each, two or more alike; comments are none."""
    first, last = view.ranges
    parents, path, found = view.tree.parents, view.layout.path, np.zeros(len(view.blocks), bool)
    heads = view.blocks.owner[leads.leading].tolist()
    alike = Counter(path[head] for head in heads)
    if max(alike.values(), default=0) < 2:
        return found
    before = np.concatenate(([0], leads.leading.cumsum()))
    single = (before[last] - before[first]) < 2
    for head in heads:
        if alike[path[head]] > 1:
            while parents[head] > 0 and single[parents[head]]:
                head = parents[head]
            found[first[head] : last[head]] = True
    found &= (view.layout.above[view.blocks.owner] & BITS["comment"]) == 0
    return found


def _link_of(heading: etree._Element) -> etree._Element | None:
    """The link within a heading or around it."""
    inner = next((node for node in heading.iter("a") if node.get("href")), None)
    if inner is not None:
        return inner
    around = (node for node, _ in zip(heading.iterancestors(), range(_LEVELS), strict=False))
    return next((node for node in around if node.tag == "a" and node.get("href")), None)


def _leads_on(url: str, target: str) -> bool:
    """Whether ``target`` is another page of the same site.

    >>> [_leads_on("http://a.org/x/", to) for to in ("http://a.org/x#top", "http://a.org/y", "http://b.org/", "http://a.org/")]
    [False, True, False, False]
    """
    try:
        here, there = urlsplit(url), urlsplit(target)
    except ValueError:
        return False
    path = there.path.strip("/")
    other = path != here.path.strip("/") or there.query != here.query
    return there.netloc == here.netloc and other and bool(path or there.query)


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
"""Words below which a body is doubtful."""
_LONE_WORDS = 25
"""Words from which a block can be the body on its own."""
_EXPECTED = 8.0
"""Least expected words of content (words times probability) of such a block; a block with fewer is usually a notice in the footer."""
_KINDRED = 0.3
"""Share of that block's probability that its neighbours need."""


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
    """Whether an element around some of the ``body`` has a name that forums use; a bare "post" is used by blogs as well."""
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
    prose = (blocks.words >= _LONE_WORDS) & (blocks.link_chars < 0.3 * blocks.chars) & (blocks.punctuation > 0)
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


_KEEP = 0.5
_LONGEST_HEADLINE = 60
"""Words up to which the headline's block is the headline and no more; a longer one holds the article as well."""
_PROSE, _LEAST = 10, 0.2
"""Words of a block whose score shows how certain the model is on a page, and the least score that is kept when it is not."""
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
    """Numbers of the blocks whose words are too long for a language."""
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
    """The best score of a block of some length, 0..1; 1 when there is no such block."""
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
