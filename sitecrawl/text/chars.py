"""Characters, words and white space of texts; a Chinese, Japanese or Korean character counts as one
word, as in StandardTokenizer."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from html import unescape
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\U00020000-\U0002ffff"
Kinds = NDArray[np.uint8]
WORD_PART, CJK_WORD, PUNCT, DIGIT = (1 << bit for bit in range(4))
"""Bits of the kind of a character: part of a word, a word of its own (CJK), punctuation, digit. At
most one of the first two is set."""
WORD = re.compile(rf"[{CJK}]|[^\W{CJK}]+")
PUNCTUATION = re.compile(
    r"[,;:.!?\u3001\u3002\uff0c\uff1b\uff1a\uff01\uff1f\u2026\u201c\u201d\u300c\u300d\u300a\u300b]"
)
_NO_WORDS = {code: " " for code in range(128) if not chr(code).isalnum() and chr(code) != "_"}
"""ASCII characters between words as blanks: a table cuts text much faster than an expression
does."""
# frequent beyond ASCII in Latin texts
_MARKS = "\u2018\u2019\u201c\u201d\u2013\u2014\u2026\xa0\xab\xbb"
_SHORT = 60  # characters of a text that is searched sooner than its marks are replaced
_ESCAPES = re.compile(
    r"(\\u(?:d[89ab][\da-f]{2}\\ud[c-f]|(?!d[89a-f]))|\\[^u])|\\ud[89a-f][\da-f]{2}", re.I
)


def words(text: str) -> list[str]:
    """The words of ``text``; each CJK character is a word.

    >>> words("sitecrawl 抓取新闻, fast")
    ['sitecrawl', '抓', '取', '新', '闻', 'fast']
    """
    if len(text) > _SHORT:
        text = without_marks(text)
    return text.translate(_NO_WORDS).split() if text.isascii() else WORD.findall(text)


def without_marks(text: str) -> str:
    """``text`` with the quotes, dashes and blanks beyond ASCII that typesetting puts between words
    as blanks: most texts in English are ASCII then, which is cut many times faster.

    >>> without_marks("“So,” it’s")
    ' So,  it s'
    """
    if not text.isascii():
        for mark in _MARKS:
            text = text.replace(mark, " ")
    return text


@cache
def _kinds() -> Kinds:
    """The kinds of all characters up to U+FFFF."""
    text = "".join(map(chr, range(0x10000)))
    alphanumeric, digits = (
        np.fromiter(map(test, text), np.uint8) for test in (str.isalnum, str.isdigit)
    )
    kinds = WORD_PART * alphanumeric + DIGIT * digits
    kinds[ord("_")] = WORD_PART
    for match in re.finditer(f"[{CJK}]+", text):
        kinds[slice(*match.span())] = CJK_WORD
    kinds[[match.start() for match in PUNCTUATION.finditer(text)]] |= PUNCT
    return kinds


def kinds_of(text: str) -> tuple[NDArray[np.uint32], Kinds]:
    """Code points of the characters of ``text``, and their kinds (see ``WORD_PART``). Beyond U+FFFF
    the kind is 0."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    return codes, _kinds()[np.minimum(codes, 0xFFFF)]


def begin_words(kinds: Kinds) -> NDArray[np.bool_]:
    """For each character whether a word begins with it."""
    is_part: NDArray[np.bool_] = (kinds & WORD_PART) != 0
    begins: NDArray[np.bool_] = ((kinds & CJK_WORD) != 0) | (
        is_part & ~np.concatenate(([False], is_part[:-1]))
    )
    return begins


def word_count(text: str, *, long: int = 500) -> int:
    """Number of words; each CJK character is a word."""
    if text.isascii() or len(text) < long:
        return len(words(text))
    codes, kinds = kinds_of(text)
    rare = (
        codes[codes > 0xFFFF].tobytes().decode("utf-32-le")
    )  # mostly emoji, which are no words, as their kind says
    return len(words(text)) if WORD.search(rare) else int(np.count_nonzero(begin_words(kinds)))


def fold(text: str | None) -> str:
    """``text`` trimmed, with each run of white space replaced by one blank.

    >>> fold(" a\\n\\u3000 b ")
    'a b'
    """
    if not text:
        return ""
    trimmed = text.strip()
    is_folded = (
        trimmed.isprintable() and "  " not in trimmed
    )  # a blank is the only white space that is printable
    return trimmed if is_folded else " ".join(trimmed.split())


def fold_all(texts: list[str]) -> list[str]:
    """:func:`fold` of each of many texts."""
    trimmed = list(map(str.strip, texts))
    return [
        text if is_printable and "  " not in text else " ".join(text.split())
        for text, is_printable in zip(trimmed, map(str.isprintable, trimmed), strict=True)
    ]


_SEAM = re.compile(
    rf"\0(?:(?<=[^\W{CJK}]\0)(?=\w)|(?<=\w\0)(?=[^\W{CJK}]|[{CJK}]{{2,6}}\s?[:\uff1a]))"
)
"""Where two runs of text meet in words, unless both are Chinese, Japanese or Korean and the second
is no label."""


def line_of(runs: Iterable[str]) -> str:
    """Runs of text in one line: words of two runs do not become one, as boxes side by side have no
    blank between them.

    >>> line_of(["Ann Onym", "05-Jul-19", ", 3 min"]), line_of(["港口", "晚报"])
    ('Ann Onym 05-Jul-19, 3 min', '港口晚报')
    """
    line = "\0".join(runs)
    return fold(_SEAM.sub(" ", line).replace("\0", "") if "\0" in line else line)


def mend_escapes(source: str) -> str:
    r"""JSON with lone surrogates replaced by U+FFFD: text that holds one cannot be encoded.

    >>> print(mend_escapes(r'"\ud83d\ude00 cut \ud83d"'))
    "\ud83d\ude00 cut \ufffd"
    """
    if r"\ud" not in source and r"\uD" not in source:
        return source
    return _ESCAPES.sub(lambda match: match[1] or r"\ufffd", source)


_REFERENCE = re.compile(r"&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]\w{1,30});", re.I)


def unescaped(text: str) -> str:
    """Text with its character references replaced: many sites escape the text of metadata twice,
    and that of JSON-LD, which is not escaped.

    >>> unescaped("Ferries &amp; trams&hellip; &#8211; ?a=1&copy=2")
    'Ferries & trams… – ?a=1&copy=2'
    """
    return _REFERENCE.sub(lambda found: unescape(found[0]), text) if "&" in text else text


_UNPRINTABLE = re.compile(
    r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]+")
_FORMULA = frozenset("=+-@")  # a cell of CSV that begins so is run by spreadsheets


def printable(text: str) -> str:
    r"""Text from the network as a line of a terminal or a log: what would steer a terminal or begin
    a line is spelled out.

    >>> print(printable("red \x1b[31m, a line\nmore"))
    red \x1b[31m, a line\x0amore
    """
    return _UNPRINTABLE.sub(
        lambda sign: ascii(sign[0])[1:-1] if sign[0] > "\xff" else f"\\x{ord(sign[0]):02x}", text
    )


def plain_name(text: str) -> str:
    """A text as the name of a file: runs of characters other than letters, digits, ``_``, ``.`` and
    ``-`` become ``-``."""
    return re.sub(r"[^\w.-]+", "-", text)


def storable(text: str) -> str:
    r"""Text as every database can hold it: no NUL, which PostgreSQL refuses, and no half of a
    surrogate pair, which UTF-8 lacks.

    >>> storable("a\0b\ud83d")
    'a\ufffdb?'
    """
    return (text if text.isascii() else text.encode("utf-8", "replace").decode()).replace(
        "\0", "\ufffd"
    )


def without_controls(text: str) -> str:
    r"""Text without control characters, line ends and tabs aside: they say nothing, and steer the
    terminal that shows them. XML refuses two more.

    >>> without_controls("a\x1b[31m\x9b b\ufffe\n")
    'a[31m b\n'
    """
    plain = text.replace(
        "\n", ""
    )  # of a page's text most lines hold nothing else that is not printable
    return text if plain.isprintable() else _CONTROL.sub("", text)


def csv_cell(text: str) -> str:
    """Text as a cell of a CSV file: one that a spreadsheet would take for a formula begins with an
    apostrophe.

    >>> csv_cell("=1+1"), csv_cell("\uff1d1"), csv_cell("a=1")
    ("'=1+1", "'\uff1d1", 'a=1')
    """
    first = normalize(
        "NFKC", text.lstrip()[:1]
    )  # a spreadsheet reads the signs of East Asian keyboards as well
    return f"'{text}" if first in _FORMULA or text[:1] in ("\t", "\r") else text
