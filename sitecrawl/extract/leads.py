"""Headings that lead on: a listing heads its entries with links to them, an article heads its parts with words."""

from __future__ import annotations

from urllib.parse import urlsplit

import numpy as np
from lxml import etree

from sitecrawl.dom.addresses import join
from sitecrawl.dom.blocks import Flags
from sitecrawl.extract.features import View

_HEADINGS = frozenset(("h1", "h2", "h3", "h4"))
_LINKED = 0.7
"""Share of a heading's text that must be linked."""
_LEVELS = 3
"""Levels above a heading at which a link may stand around it."""


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


def without_teasers(view: View, kept: Flags) -> Flags:
    """``kept`` without the headings at its end that lead on to other pages; the same array where there are none."""
    places = np.flatnonzero(kept)
    if not len(places) or view.tree.tags[int(view.blocks.owner[places[-1]])] not in _HEADINGS:
        return kept
    leading = leading_headings(view, heading_blocks(view))[places]
    body = np.flatnonzero(~leading)
    if not len(body) or body[-1] == len(places) - 1:
        return kept
    shorter = kept.copy()
    shorter[places[body[-1] + 1 :]] = False
    return shorter


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
