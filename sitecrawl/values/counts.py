"""Words, marks and digits of many short texts at once: one table look-up a character, sums by text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sitecrawl.values.chars import CJK, PUNCTUATION

Floats = NDArray[np.float64]
_SIZE = 0x32400
"""Characters the table knows: all planes with letters; what lies beyond belongs to no class."""
_LETTER, _CHARACTER, _MARK, _DIGIT, _WIDE = 1, 2, 4, 8, 16
_OPENING = 80
"""Characters of a text whose digits are counted."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Words (a CJK character being one; text in ASCII is cut at blanks), punctuation marks, share of digits, a value a text."""

    words: Floats
    punctuation: Floats
    digits: Floats


@lru_cache(maxsize=1)
def _table() -> NDArray[np.uint8]:
    """Classes of every character, as bits."""
    known = "".join(chr(code) if not 0xD800 <= code < 0xE000 else " " for code in range(_SIZE - 1)) + " "
    table = np.zeros(_SIZE, np.uint8)
    table[128:] |= _WIDE
    for pattern, bit in (
        (re.compile(f"[{CJK}]+"), _CHARACTER),
        (re.compile(rf"[^\W{CJK}]+"), _LETTER),
        (PUNCTUATION, _MARK),
    ):
        for match in pattern.finditer(known):
            table[match.start() : match.end()] |= bit
    table[[number for number, char in enumerate(known) if char.isdigit()]] |= _DIGIT
    return table


def count_chars(texts: Sequence[str]) -> Counts:
    """Counts of every text; white space must be folded.

    >>> count_chars(["It is 7, no more.", "抓取 news"]).words
    array([5., 3.])
    """
    if not texts:
        return Counts(np.zeros(0), np.zeros(0), np.zeros(0))
    codes = np.frombuffer("\n".join(["", *texts]).encode("utf-32-le", "replace"), np.uint32)
    kinds = _table()[np.minimum(codes, _SIZE - 1)]
    sizes = np.array([len(text) for text in texts], np.int64)
    low = np.cumsum(sizes + 1) - sizes
    high = low + sizes

    def sums(flags: NDArray[np.bool_], stop: NDArray[np.int64]) -> Floats:
        total = np.concatenate(([0], np.cumsum(flags)))
        found: Floats = (total[stop] - total[low]).astype(np.float64)
        return found

    letters = (kinds & _LETTER) != 0
    begins = letters.copy()
    begins[1:] &= ~letters[:-1]
    wide = sums((kinds & _WIDE) != 0, high) > 0
    words = np.where(wide, sums(begins | ((kinds & _CHARACTER) != 0), high), sums(codes == 32, high) + 1)
    opening = np.minimum(sizes, _OPENING)
    digits = sums((kinds & _DIGIT) != 0, low + opening) / np.maximum(opening, 1)
    return Counts(words, sums((kinds & _MARK) != 0, high), digits)
