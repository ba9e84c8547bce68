"""How a block is worded: what it announces, dates and times of day, colons, cut ends, copies.

Lines of dates, heads of posts and teasers differ from prose in these and in nothing that densities tell.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict

import numpy as np

from sitecrawl.dom.blocks import Blocks, Floats
from sitecrawl.limits import LIMITS, cached
from sitecrawl.resources import table_beside
from sitecrawl.text.dates import YEAR, find_date

_TIME = re.compile(r"(?<!\d)[0-2]?\d:[0-5]\d(?!\d)")
_CUT = ("…", "...", "…]", "...]")
"""Endings of texts that continue elsewhere."""
_OPENING = 120
"""Characters of a block in which colons are counted; the block model was trained so."""


def wording_features(blocks: Blocks) -> Floats:
    """Five rows, a column a block: holds a date, holds a time of day, colons by words, breaks off, occurs more than once."""
    texts, count = blocks.texts, Counter(blocks.texts)
    found = np.zeros((5, len(texts)))
    _mark_dates(blocks, found[:2])
    colons = np.array([text.count(":", 0, _OPENING) + text.count("：", 0, _OPENING) for text in texts], float)
    found[2] = np.minimum(colons, 5) / blocks.words.clip(1, 20)
    found[3] = [text.endswith(_CUT) for text in texts]
    found[4] = [count[text] > 1 for text in texts]
    return found


def _mark_dates(blocks: Blocks, found: Floats, *, line: int = 160) -> None:
    """Fill in which blocks of less than ``line`` characters hold a date, and which hold a time of day."""
    left = LIMITS.dates
    for at in np.flatnonzero(blocks.chars < line).tolist():
        text = blocks.texts[at]
        if left and YEAR.search(text) and find_date(text, False):
            left -= 1
            found[0, at] = 1.0
        if ":" in text and _TIME.search(text):
            found[1, at] = 1.0


_TABLE: dict[str, list[str]] = table_beside(__file__)
"""Phrases that announce comments (``comments``) or other stories (``others``), and openings of notices of rights (``rights``): what news
sites in some twenty languages write, lower case."""
_FIRST_WORD = re.compile(r"\W*(?:\d+\W*)?([^\W\d_]+)")


def _by_opening() -> dict[str, list[tuple[str, int]]]:
    """Phrases and their kinds (0 comments, 1 others) by their first word; those without blanks by two letters as well."""
    found: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for kind, phrases in enumerate((_TABLE["comments"], _TABLE["others"])):
        for phrase in phrases:
            found[phrase[:2] if phrase[0] > "\u3000" else phrase.split()[0]].append((phrase, kind))
    return dict(found)


_PHRASES = _by_opening()


@cached(4_096)
def label_kind(text: str) -> int | None:
    """What a short text announces: 0 comments, 1 other stories, None neither.

    >>> [label_kind(text) for text in ("12 Comments:", "Read also: a bridge", "相关阅读", "Commented out")]
    [0, 1, 1, None]
    """
    match = _FIRST_WORD.match(text)
    if match is None:
        return None
    word = match[1].casefold()
    phrases = _PHRASES.get(word) or _PHRASES.get(word[:2])
    if not phrases:
        return None
    rest = text[match.start(1) :].casefold()
    return next((kind for phrase, kind in phrases if rest.startswith(phrase)), None)


def label_features(blocks: Blocks, *, most_words: int = 6, notice: int = 200) -> Floats:
    """Seven rows, a column a block: a label of either kind, how far below the last of each it stands, a notice of rights.

    A label has at most ``most_words`` words; a notice stands in the first ``notice`` characters.
    """
    found, places = np.zeros((7, len(blocks))), np.arange(len(blocks))
    for at in np.flatnonzero(blocks.words <= most_words).tolist():
        kind = label_kind(blocks.texts[at])
        if kind is not None:
            found[kind, at] = 1.0
    for kind in (0, 1):
        last = np.maximum.accumulate(np.where(found[kind] > 0, places, -1))
        below = last >= 0
        distance = np.where(below, places - last, 0)
        found[2 + 2 * kind] = below
        found[3 + 2 * kind] = np.log1p(distance) if kind == 0 else below / (1 + distance)
    openings = [text[:notice].lower() for text in blocks.texts]
    found[6] = [any(map(text.__contains__, _TABLE["rights"])) for text in openings]
    return found
