"""The wording of a block: what it announces, dates and times, colons, incomplete ends, URLs,
repetitions, and what it shares with the titles. Date lines, heads of posts, teasers and repeated
headlines differ from prose in these features and not in densities."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

import numpy as np

from sitecrawl.dom.blocks import Blocks, Floats
from sitecrawl.limits import LIMITS, cached
from sitecrawl.resources import table_beside
from sitecrawl.text.dates import YEAR, find_date

_TIME = re.compile(r"(?<!\d)[0-2]?\d:[0-5]\d(?!\d)")  # a time of day, not a part of a longer number
_CUT = ("…", "...", "…]", "...]")  # endings of texts that are continued elsewhere
_OPENING = (
    120  # characters of a block in which colons and headlines are searched; part of the block model
)


def wording_features(blocks: Blocks, title: str, *, headline: int) -> Floats:
    """Eleven rows, one column for each block; ``title`` is the page's, ``headline`` the number of
    the headline's block, or -1. In order: holds a date, is a date, holds a time of day, colons by
    words, ends in a colon, breaks off, contains a URL, opens with a sign, occurs more than once,
    stands in headline or title, holds the headline."""
    texts, count = blocks.texts, Counter(blocks.texts)
    found = np.zeros((11, len(texts)))
    _mark_dates(blocks, found[:3])
    places = np.flatnonzero(
        blocks.punctuation
    )  # only blocks with punctuation can have a colon, a cut or a URL
    marked = [texts[at] for at in places.tolist()]
    found[3:7, places] = (
        [text.count(":", 0, _OPENING) + text.count("：", 0, _OPENING) for text in marked],
        [text.endswith((":", "：")) for text in marked],
        [text.endswith(_CUT) for text in marked],
        ["://" in text or "www." in text for text in marked],
    )
    found[3] = np.minimum(found[3], 5) / blocks.words.clip(1, 20)
    found[7:9] = [not text[:1].isalnum() for text in texts], [count[text] > 1 for text in texts]
    is_short = headline >= 0 and blocks.chars[headline] < _OPENING
    head = texts[headline].casefold() if is_short else ""
    titles = f"{head}\n{title.casefold()}"
    openings = "\n".join([text[:_OPENING] for text in texts]).casefold().split("\n")
    found[9] = [text in titles for text in openings]
    found[9] *= blocks.chars >= 4  # shorter texts are part of any title by chance
    if is_short:
        found[10] = [head in text for text in openings]
    return found


def _mark_dates(blocks: Blocks, found: Floats, *, line: int = 160, whole: int = 30) -> None:
    """Fill in which blocks of less than ``line`` characters contain a date, consist of one (less
    than ``whole``), and contain a time."""
    left = LIMITS.dates
    for at in np.flatnonzero((blocks.digits > 0) & (blocks.chars < line)).tolist():
        text = blocks.texts[at]
        if left and YEAR.search(text) and find_date(text, False):
            left -= 1
            found[0, at], found[1, at] = 1.0, len(text) < whole
        if ":" in text and _TIME.search(text):
            found[2, at] = 1.0


_TABLE: dict[str, list[str]] = table_beside(__file__)
"""Phrases that announce comments (``comments``) or other stories (``others``), and openings of
notices of rights (``rights``): what news sites in some twenty languages write, lower case."""
COMMENTS, STORIES = range(2)  # what a label announces
_FIRST_WORD = re.compile(r"\W*(?:\d+\W*)?([^\W\d_]+)")  # also after a number, as in "3 comments"


def _by_opening() -> dict[str, list[tuple[str, int]]]:
    """Phrases and what they announce, by their first word; phrases of scripts without blanks by
    their first two letters."""
    found: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for kind, phrases in ((COMMENTS, _TABLE["comments"]), (STORIES, _TABLE["others"])):
        for phrase in phrases:
            found[phrase[:2] if phrase[0] > "\u3000" else phrase.split()[0]].append((phrase, kind))
    return dict(found)


_PHRASES = _by_opening()


@cached(4_096)
def label_kind(text: str) -> int | None:
    """What a short text announces: ``COMMENTS``, other ``STORIES``, or None.

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
    """Seven rows, one column for each block: a label of each kind; for each kind, whether and how
    far the block is below the last label; a notice of rights. A label has at most ``most_words``
    words. A notice begins within the first ``notice`` characters."""
    found, places = np.zeros((7, len(blocks))), np.arange(len(blocks))
    for at in np.flatnonzero(blocks.words <= most_words).tolist():
        kind = label_kind(blocks.texts[at])
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
