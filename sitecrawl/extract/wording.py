"""The wording of a block: what it announces, dates and times, colons, incomplete ends, URLs,
repetitions, and what it shares with the titles. Date lines, heads of posts, teasers and repeated
headlines differ from prose in these features and not in densities."""

from __future__ import annotations

import re
from collections import Counter
from itertools import repeat
from operator import add

import numpy as np

from sitecrawl.dom.blocks import Blocks, Floats
from sitecrawl.limits import LIMITS
from sitecrawl.resources import table_beside
from sitecrawl.text.announcements import COMMENTS, STORIES, label_kind
from sitecrawl.text.dates import shows_date

_TIME = re.compile(r"(?<!\d)[0-2]?\d:[0-5]\d(?!\d)")  # a time of day, not a part of a longer number
_COLONS = (":", "：")
_CUT = ("…", "...", "…]", "...]")  # endings of texts that are continued elsewhere
_CUT_ENDS = frozenset("….]")
_LINE = 160  # characters of a block that may be a line with a date
_WHOLE = 30  # characters of a block that is nothing but a date
# characters of a block in which colons and headlines are searched; part of the block model
_OPENING = 120


def wording_features(blocks: Blocks, title: str, *, headline: int) -> Floats:
    """Eleven rows, one column for each block; ``title`` is the page's, ``headline`` the number of
    the headline's block, or -1. In order: holds a date, is a date, holds a time of day, colons by
    words, ends in a colon, breaks off, contains a URL, opens with a sign, occurs more than once,
    stands in headline or title, holds the headline."""
    texts = blocks.texts
    openings = [text[:_OPENING] for text in texts]
    count = Counter(texts)
    found = np.zeros((11, len(texts)))
    _mark_dates(blocks, found[:3])
    _mark_signs(blocks, openings, found=found[3:7])
    found[3] = np.minimum(found[3], 5) / blocks.words.clip(1, 20)
    found[7] = [not begins for begins in map(str.isalnum, [text[:1] for text in texts])]
    found[8] = [count[text] > 1 for text in texts]

    is_short = headline >= 0 and blocks.chars[headline] < _OPENING
    head = texts[headline].casefold() if is_short else ""
    titles = f"{head}\n{title.casefold()}"
    folded = "\n".join(openings).casefold().split("\n")
    found[9] = [text in titles for text in folded]
    found[9] *= blocks.chars >= 4  # shorter texts are part of any title by chance
    if is_short:
        found[10] = [head in text for text in folded]
    return found


def _mark_signs(blocks: Blocks, openings: list[str], *, found: Floats) -> None:
    """Fill in how many colons open a block, and whether it ends in one, breaks off or contains a
    URL. Only blocks with punctuation can."""
    places = np.flatnonzero(blocks.punctuation)
    numbers = places.tolist()
    marked = [blocks.texts[at] for at in numbers]
    beginnings = [openings[at] for at in numbers]
    colons = map(str.count, beginnings, repeat(":"))
    wide_colons = map(str.count, beginnings, repeat("："))
    found[0, places] = list(map(add, colons, wide_colons))
    found[1, places] = [text[-1:] in _COLONS for text in marked]
    found[2, places] = [text[-1:] in _CUT_ENDS and text.endswith(_CUT) for text in marked]
    found[3, places] = ["://" in text or "www." in text for text in marked]


def _mark_dates(blocks: Blocks, found: Floats) -> None:
    """Fill in which blocks of less than ``_LINE`` characters contain a date, consist of one (less
    than ``_WHOLE``), and contain a time."""
    left = LIMITS.dates
    for at in np.flatnonzero((blocks.digits > 0) & (blocks.chars < _LINE)).tolist():
        text = blocks.texts[at]
        if left and shows_date(text):
            left -= 1
            found[0, at] = 1.0
            found[1, at] = len(text) < _WHOLE
        if ":" in text and _TIME.search(text):
            found[2, at] = 1.0


_TABLE: dict[str, list[str]] = table_beside(__file__)
"""Openings of notices of rights (``rights``): what news sites in some twenty languages write, lower
case."""


def label_features(blocks: Blocks, *, most_words: int = 6, notice: int = 200) -> Floats:
    """Seven rows, one column for each block: a label of each kind; for each kind, whether and how
    far the block is below the last label; a notice of rights. A label has at most ``most_words``
    words. A notice begins within the first ``notice`` characters."""
    found = np.zeros((7, len(blocks)))
    places = np.arange(len(blocks))
    short = np.flatnonzero(blocks.words <= most_words).tolist()
    kinds = label_kind.each([blocks.texts[at] for at in short])
    for at, kind in zip(short, kinds, strict=True):
        if kind is not None:
            found[kind, at] = 1.0
    for kind in (COMMENTS, STORIES) if found.any() else ():
        last = np.maximum.accumulate(np.where(found[kind] > 0, places, -1))
        below = last >= 0
        distance = np.where(below, places - last, 0)
        found[2 + 2 * kind] = below
        found[3 + 2 * kind] = np.log1p(distance) if kind == COMMENTS else below / (1 + distance)
    openings = "\n".join([text[:notice] for text in blocks.texts]).lower()
    for word in _TABLE["rights"]:
        number, before, at = 0, 0, openings.find(word)
        while at >= 0:  # a word that follows itself within a notice was not counted in training
            number += openings.count("\n", before, at)
            found[6, number], before, at = 1.0, at, openings.find(word, at + notice)
    return found
