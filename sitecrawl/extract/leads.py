"""Headings that lead on: a listing heads its entries with links to them, an article heads its parts with words."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from urllib.parse import urlsplit

import numpy as np
from lxml import etree

from sitecrawl.dom.blocks import BITS, Flags
from sitecrawl.extract.features import View
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

    The same array where there is none.
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
