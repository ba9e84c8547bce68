"""What an anchor text says: its length in any script, and what kind of label it is."""

from __future__ import annotations

import re
from functools import lru_cache

from sitecrawl.links.vocabulary import TEXT_WORDS
from sitecrawl.text.chars import word_count

TEXT_FLAGS = (
    *TEXT_WORDS,
    *("t_number", "t_symbol", "t_count", "t_date", "t_period", "t_capital"),
)
"""Bits of a text's flags, lowest first."""
_BIT = {name: 1 << number for number, name in enumerate(TEXT_FLAGS)}
_PHRASES: dict[str, int] = {}
for _kind, _words in TEXT_WORDS.items():
    for _word in _words.split("|"):
        _PHRASES[_word] = _PHRASES.get(_word, 0) | _BIT[_kind]
_TRIM = re.compile(r"\(\s*\d+\s*\)|（\s*\d+\s*）|\[\s*\d+\s*\]|^\W+|\W+$|^\d+\s+(?=\D)|\s+\d+$")
_BRACKETS = "(（["
_COUNT = re.compile(r"[(（\[]\s*\d{1,6}\s*[)）\]]\s*$|\S\s*\d{1,5}$")
_YEAR = r"(?:19[89]\d|20[0-4]\d)"
_DATE = re.compile(
    rf"(?<!\d)(?:{_YEAR}\s?[-/.年]\s?\d{{1,2}}(?:\s?[-/.月]\s?\d{{1,2}})?"
    rf"|\d{{1,2}}[-/.]\d{{1,2}}[-/.](?:{_YEAR}|\d\d(?!\d))|\d{{1,2}}\s?月\s?\d{{1,2}}"
    rf"|\d{{1,2}}(?:st|nd|rd|th|\.)?\s+(?:de\s+)?[^\W\d_]{{3,9}}\.?,?\s+(?:de\s+)?{_YEAR}"
    rf"|(?:(?<=[^\W\d_]\s)|(?<=[^\W\d_]\.\s))\d{{1,2}}(?:st|nd|rd|th)?,?\s+(?:at\s+)?{_YEAR}"
    rf"|{_YEAR}\.\s+[^\W\d_]{{3,10}}\s+\d{{1,2}})"
)
"""A date as sites print it beside a headline; it begins with a digit, or a search would try every word."""
_HINT = re.compile(r"\d(?:(?<=1)9[89]\d|(?<=2)0[0-4]\d|\s?[-/.:月]\s?\d)")
"""What every date has: a year, or two numbers with a mark between them. One quick look spares two slow ones."""
_SHORT_DATE = re.compile(r"^\W*(?:[01]?\d[-/.月][0-3]?\d日?|\d{1,2}:\d{2})\W*$")
_PERIOD = re.compile(
    r"^\W*(?:[^\W\d_]{3,12}\.?,?\s*)?(?:19[89]\d|20[0-4]\d)\s*(?:年\s*\d{0,2}\s*月?)?[^\W\d_]{0,10}\W*(?:\d+\W*)?$"
)
_WORD, _DIGIT = re.compile(r"\w+", re.ASCII), re.compile(r"\d")


def looks_like_date(text: str) -> bool:
    """Whether a short text is, or holds, a date.

    >>> looks_like_date("2019年7月5日"), looks_like_date("12 March 2014"), looks_like_date("07-05"), looks_like_date("x")
    (True, True, True, False)
    """
    return _HINT.search(text) is not None and (_DATE.search(text) or _SHORT_DATE.match(text)) is not None


@lru_cache(maxsize=4_096)
def text_facts(text: str) -> tuple[int, int, int]:
    """Words (a CJK character is one), bytes as UTF-8, and flags of an anchor text with folded white space."""
    return words_of(text), size(text), _flags(text[:400])


def words_of(text: str) -> int:
    """Words at the beginning of a text, a CJK character being one.

    >>> words_of("A bridge"), words_of("桥梁 bridge")
    (2, 3)
    """
    return len(_WORD.findall(text[:400])) if text.isascii() else word_count(text[:400])


def size(text: str) -> int:
    """Length that treats scripts alike: bytes of UTF-8, so that a CJK character counts three."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def _flags(text: str) -> int:
    if not text:
        return 0
    flags = _BIT["t_capital"] if text[0].isupper() else 0
    if text.isdigit():
        flags |= _BIT["t_number"]
    elif not any(map(str.isalnum, text)):
        flags |= _BIT["t_symbol"]
    if len(text) > 40:
        return flags
    return flags | _phrase(text) | (_short(text) if _DIGIT.search(text) else 0)


def _phrase(text: str) -> int:
    """Kinds of a known phrase; a count, arrows and outer punctuation are taken off first."""
    lowered = text.casefold()
    known = _PHRASES.get(lowered)
    if known is None:
        if lowered[0].isalpha() and lowered[-1].isalpha() and not any(map(lowered.__contains__, _BRACKETS)):
            return 0
        bare = _TRIM.sub("", _TRIM.sub("", lowered)).strip()
        known = _PHRASES.get(bare, 0)
    return known


def _short(text: str) -> int:
    flags = _BIT["t_count"] if _COUNT.search(text) and not text.isdigit() else 0
    if _PERIOD.match(text):
        flags |= _BIT["t_period"]
    return flags | (_BIT["t_date"] if looks_like_date(text) else 0)
