"""Captions of the pictures of an article: short texts, which the network leaves out where they stand
behind the last paragraph or above the first."""

from __future__ import annotations

from sitecrawl.dom.blocks import ASIDE, Flags
from sitecrawl.dom.document import Document
from sitecrawl.dom.page import Page

_MOST = 300  # captions of a page that are looked at
_LEVELS = 6  # elements around a caption, such as those of a gallery


def with_captions(page: Page, kept: Flags) -> Flags:
    """``kept`` with the captions right beside it, in the element that holds it. The part of that
    element that a caption is in holds no other text, and a caption no link."""
    document = page.document
    captions = document.tagged("figcaption")[:_MOST]
    if not captions:
        return kept
    blocks = document.blocks
    first, last = document.ranges
    whole = kept.copy()
    for at in captions:
        begin = int(first[at])
        end = int(last[at])
        is_linked = bool(blocks.link_chars[begin:end].any())
        if begin == end or is_linked or document.above[at] & ASIDE or whole[begin:end].any():
            continue
        branch = _branch_of(document, at, kept=whole)
        if branch < 0:
            continue
        before = int(first[branch]) - 1
        behind = int(last[branch])
        around = document.parents[branch]
        is_below = before >= int(first[around]) and whole[before]
        is_above = behind < int(last[around]) and whole[behind]
        if (is_below or is_above) and _is_captions(document, branch):
            whole[first[branch] : last[branch]] = True
    return whole


def _branch_of(document: Document, at: int, *, kept: Flags) -> int:
    """The largest element around a caption that holds nothing kept; -1 if it is large."""
    first, last = document.ranges
    for _ in range(_LEVELS):
        above = document.parents[at]
        if above < 0:
            return -1
        if kept[first[above] : last[above]].any():
            return at
        at = above
    return -1


def _is_captions(document: Document, branch: int) -> bool:
    """Whether all blocks of an element are captions."""
    first, last = document.ranges
    end = document.ends[branch]
    inside = [at for at in document.tagged("figcaption")[:_MOST] if branch <= at < end]
    told = sum(int(last[at]) - int(first[at]) for at in inside)
    return told == int(last[branch]) - int(first[branch])
