"""How a block is worded: dates and times of day, colons, cut ends, addresses, copies, and what it shares with the titles.

Lines of dates, heads of posts, teasers and repeated headlines differ from prose in these and in nothing that densities tell.
"""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

from sitecrawl.dom.blocks import Blocks, Floats
from sitecrawl.text.dates import find_date

_SHORT, _DATE = 160, 30
"""Characters below which a block can be a line of particulars, and below which a date is all of it."""
_OPENING = 120
"""Characters of a block in which colons are counted and headlines are looked for."""
_YEAR = re.compile(r"(?:19[89]|20[0-4])\d")
_TIME = re.compile(r"(?<!\d)[0-2]?\d:[0-5]\d(?!\d)")
_COLONS = (":", "：")
_CUT = ("…", "...", "…]", "...]")
"""How texts end that go on elsewhere."""
_TITLE = 4
"""Characters of the shortest text that counts as part of a title."""
_MOST_COLONS, _WORDS = 5, 20


def wording_features(blocks: Blocks, title: str, headline: int) -> Floats:
    """Eleven rows, a column a block; ``title`` is the page's, ``headline`` the number of the headline's block, or -1.

    In order: holds a date, is a date, holds a time of day, colons by words, ends in a colon, breaks off, names an address,
    opens with a sign, occurs more than once, stands in headline or title, holds the headline.
    """
    texts = blocks.texts
    found = np.zeros((11, len(texts)))
    _dates(blocks, found[:3])
    _marks(blocks, found[3:7])
    found[7] = [not text[:1].isalnum() for text in texts]
    count = Counter(texts)
    found[8] = [count[text] > 1 for text in texts]
    _titles(blocks, (title, headline), found[9:])
    return found


def _marks(blocks: Blocks, found: Floats) -> None:
    """Fill in colons by words, and which blocks end in one, break off, and name an address: only where there are marks at all."""
    places = np.flatnonzero(blocks.punctuation)
    texts = [blocks.texts[at] for at in places.tolist()]
    found[0, places] = [text.count(":", 0, _OPENING) + text.count("：", 0, _OPENING) for text in texts]
    found[1, places] = [text.endswith(_COLONS) for text in texts]
    found[2, places] = [text.endswith(_CUT) for text in texts]
    found[3, places] = ["://" in text or "www." in text for text in texts]
    np.minimum(found[0], _MOST_COLONS, out=found[0])
    found[0] /= blocks.words.clip(1, _WORDS)


def _dates(blocks: Blocks, found: Floats) -> None:
    """Fill in which short blocks hold a date, are one, and hold a time of day."""
    for at in np.flatnonzero((blocks.digits > 0) & (blocks.chars < _SHORT)).tolist():
        text = blocks.texts[at]
        if _YEAR.search(text) and find_date(text, False):
            found[0, at], found[1, at] = 1.0, len(text) < _DATE
        if ":" in text and _TIME.search(text):
            found[2, at] = 1.0


def _titles(blocks: Blocks, given: tuple[str, int], found: Floats) -> None:
    """Fill in which blocks stand in the headline or the page's title, and which hold the headline."""
    texts, (title, headline) = blocks.texts, given
    short = headline >= 0 and blocks.chars[headline] < _OPENING
    head = texts[headline].casefold() if short else ""
    titles = f"{head}\n{title.casefold()}"
    openings = "\n".join([text[:_OPENING] for text in texts]).casefold().split("\n")
    found[0] = [text in titles for text in openings]
    found[0] *= blocks.chars >= _TITLE
    if short:
        found[1] = [head in text for text in openings]
