"""The links of a page as they are written: ``href``, text and its meaning in any script, attributes
and pictures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from sitecrawl.dom.document import Document
from sitecrawl.limits import cached
from sitecrawl.links.vocabulary import TEXT_ENDINGS, TEXT_WORDS
from sitecrawl.text.chars import fold, fold_all, word_count

ATTRIBUTES = tuple("rel_next rel_tag rel_category rel_author rel_bookmark nofollow blank".split())
"""Names of the bits of a link's attributes, lowest first."""
ATTRIBUTE_BIT = {name: 1 << number for number, name in enumerate(ATTRIBUTES)}
_REL = {name.removeprefix("rel_"): bit for name, bit in ATTRIBUTE_BIT.items() if name != "blank"}
_REL["prev"] = ATTRIBUTE_BIT["rel_next"]
TEXT_FLAGS = (*TEXT_WORDS, *("t_number", "t_symbol", "t_count", "t_date", "t_period", "t_capital"))
"""Names of the bits of a text's flags, lowest first."""
TEXT_BIT = {name: 1 << number for number, name in enumerate(TEXT_FLAGS)}
_PHRASES: dict[str, int] = {}
for _kind, _words in TEXT_WORDS.items():
    for _word in _words.split("|"):
        _PHRASES[_word] = _PHRASES.get(_word, 0) | TEXT_BIT[_kind]
_ENDING = {ending: TEXT_BIT[kind] for kind, text in TEXT_ENDINGS.items() for ending in text.split()}
_TRIM = re.compile(r"\(\s*\d+\s*\)|（\s*\d+\s*）|\[\s*\d+\s*\]|^\W+|\W+$|^\d+\s+(?=\D)|\s+\d+$")
_BRACKETS, _CLOSING = "(（[", ")）]"  # those that may hold a count
_COUNT = re.compile(r"[(（\[]\s*\d{1,6}\s*[)）\]]\s*$|\S\s*\d{1,5}$")  # "Sport (12)", "Sport 12"
_YEAR = r"(?:19[89]\d|20[0-4]\d)"
_DATE = re.compile(
    rf"(?<!\d)(?:{_YEAR}\s?[-/.年]\s?\d{{1,2}}(?:\s?[-/.月]\s?\d{{1,2}})?"
    rf"|\d{{1,2}}[-/.]\d{{1,2}}[-/.](?:{_YEAR}|\d\d(?!\d))|\d{{1,2}}\s?月\s?\d{{1,2}}"
    rf"|\d{{1,2}}(?:st|nd|rd|th|\.)?\s+(?:de\s+)?[^\W\d_]{{3,9}}\.?,?\s+(?:de\s+)?{_YEAR}"
    rf"|(?:(?<=[^\W\d_]\s)|(?<=[^\W\d_]\.\s))\d{{1,2}}(?:st|nd|rd|th)?,?\s+(?:at\s+)?{_YEAR}"
    rf"|{_YEAR}\.\s+[^\W\d_]{{3,10}}\s+\d{{1,2}})"
)
"""A date as sites print it beside a headline. It begins with a digit, because a search for other
beginnings would try every word."""
_HINT = re.compile(r"\d(?:(?<=1)9[89]\d|(?<=2)0[0-4]\d|\s?[-/.:月]\s?\d)")
"""A year, or two numbers with a separator between them. Every date has one of these: a quick test
before two slow ones."""
_SHORT_DATE = re.compile(r"^\W*(?:[01]?\d[-/.月][0-3]?\d日?|\d{1,2}:\d{2})\W*$")  # without a year
_PERIOD = re.compile(
    r"^\W*(?:[^\W\d_]{3,12}\.?,?\s*)?(?:19[89]\d|20[0-4]\d)\s*(?:年\s*\d{0,2}\s*月?)?[^\W\d_]{0,10}\W*(?:\d+\W*)?$"
)
_DIGIT = re.compile(r"\d")


def anchor_columns(
    document: Document, links: list[int], *, texts: Sequence[str]
) -> dict[str, Sequence[int]]:
    """Of each link: the bits of ``ATTRIBUTES``, the words of its title, the pictures inside, and
    for a link without text the greater number of words in the title and in the ``alt`` of the first
    picture."""
    titles = document.values("title", links)
    title_words = [_words_of_attribute(title) if title else 0 for title in titles]
    pictures = document.tagged("img")
    first = np.searchsorted(pictures, links)
    last = np.searchsorted(pictures, [document.ends[link] for link in links])
    images = (last - first).tolist()
    other_words = [0] * len(links)
    silent = [at for at, text in enumerate(texts) if not text]
    for at in silent:
        other_words[at] = title_words[at]
    pictured = [at for at in silent if images[at]]
    alts = document.values("alt", [pictures[first[at]] for at in pictured])
    for at, alt in zip(pictured, alts, strict=True):
        other_words[at] = max(title_words[at], _words_of_attribute(alt))
    return {
        "attributes": _attribute_bits(document, links),
        "title_words": title_words,
        "images": images,
        "other_words": other_words,
    }


def _attribute_bits(document: Document, links: list[int]) -> list[int]:
    """The bits of ``ATTRIBUTES`` of each link."""
    rels = document.values("rel", links)
    known = {rel: _rel(rel) if rel else 0 for rel in set(rels)}
    bits = [known[rel] for rel in rels]
    for number, target in enumerate(document.values("target", links)):
        if target == "_blank":
            bits[number] |= ATTRIBUTE_BIT["blank"]
    return bits


def link_texts(document: Document, links: list[int]) -> list[str]:
    """The text of each link, white space folded."""
    first, last, chunks = document.first, document.last, document.chunks
    held = sum(map(last.__getitem__, links)) - sum(map(first.__getitem__, links))
    if held > len(chunks):
        return fold_all(_shared_texts(document, links))
    # most links have one chunk of text or none, which needs no join
    joined = [
        chunks[first[at]] if last[at] == first[at] + 1 else " ".join(chunks[first[at] : last[at]])
        for at in links
    ]
    return fold_all(joined)


def _shared_texts(document: Document, links: list[int]) -> list[str]:
    """The texts of links that are within one another, so that each holds those of many; empty for
    links whose texts the page cannot pay for."""
    first, last, chunks = document.first, document.last, document.chunks
    before = list(accumulate(map(len, chunks), initial=0))
    texts = []
    for at in links:
        begin, end = first[at], last[at]
        chars = before[end] - before[begin] + end - begin
        is_paid = document.meter.pays(chars=chars)
        texts.append(" ".join(chunks[begin:end]) if is_paid else "")
    return texts


def _words_of_attribute(text: str | None) -> int:
    """Number of words in an attribute. Most attributes repeat the link's text, so both share a
    cache."""
    return text_facts(fold(text))[0] if text else 0


@cached(256)
def _rel(text: str) -> int:
    """Flags of a ``rel`` attribute.

    >>> _rel("next nofollow") == _rel("PREV nofollow") == ATTRIBUTE_BIT["rel_next"] | ATTRIBUTE_BIT["nofollow"]
    True
    """
    flags = 0
    for word in text.lower().split():
        flags |= _REL.get(word, 0)
    return flags


def looks_like_date(text: str) -> bool:
    """Whether a short text is, or holds, a date.

    >>> looks_like_date("2019年7月5日"), looks_like_date("12 March 2014"), looks_like_date("07-05"), looks_like_date("x")
    (True, True, True, False)
    """
    return (
        _HINT.search(text) is not None
        and (_DATE.search(text) or _SHORT_DATE.match(text)) is not None
    )


@cached(4_096)
def text_facts(text: str) -> tuple[int, int, int]:
    """Words (a CJK character is one), bytes as UTF-8, and flags of an anchor text with folded white
    space."""
    head = text[:400]
    return word_count(head), size(text), _flags(head)


def size(text: str) -> int:
    """Length that treats scripts alike: bytes of UTF-8, so that a CJK character counts three."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def _flags(text: str, *, longest: int = 40) -> int:
    """Flags of an anchor text. A text of more than ``longest`` characters is a headline, whose
    words name no kind."""
    if not text:
        return 0
    is_number = text.isdigit()
    flags = TEXT_BIT["t_capital"] if text[0].isupper() else 0
    if is_number:
        flags |= TEXT_BIT["t_number"]
    elif not any(map(str.isalnum, text)):
        flags |= TEXT_BIT["t_symbol"]
    if len(text) > longest:
        return flags
    if not is_number:  # no number is a phrase or a count
        flags |= _phrase(text.casefold())
    if text.isalpha() or not _DIGIT.search(text):
        return flags
    may_be_count = text[-1].isdecimal() or text[-1] in _CLOSING
    if may_be_count and not is_number and _COUNT.search(text):
        flags |= TEXT_BIT["t_count"]
    return flags | _date_flags(text)


def _date_flags(text: str) -> int:
    """Flags of a text that is a month or a year, or holds a date."""
    flags = 0
    if _PERIOD.match(text):
        flags |= TEXT_BIT["t_period"]
    if looks_like_date(text):
        flags |= TEXT_BIT["t_date"]
    return flags


def _phrase(text: str, *, longest_name: int = 10) -> int:
    """Kinds of a known phrase in lower case, without counts, arrows and outer punctuation; or of a
    short East Asian name by its ending. An East Asian text of more than ``longest_name`` characters
    is a headline.

    >>> _phrase("学院简介") == _phrase("» about (3)") == TEXT_BIT["t_fixed"], _phrase("a bridge")
    (True, 0)
    """
    known = _PHRASES.get(text)
    if known is None and not (
        text[0].isalpha() and text[-1].isalpha() and not any(map(text.__contains__, _BRACKETS))
    ):
        if (trimmed := _TRIM.sub("", text)) != text:
            text = _TRIM.sub("", trimmed).strip()
        known = _PHRASES.get(text)
    if known is None:
        return _ENDING.get(text[-2:], 0) if len(text) <= longest_name and not text.isascii() else 0
    return known
