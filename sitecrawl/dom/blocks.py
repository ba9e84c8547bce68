"""What names and tags tell of an element, as bits, and the text blocks of a page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from sitecrawl.dom.class_names import HINTS, bits_by_word, words_in
from sitecrawl.dom.tree import is_hidden
from sitecrawl.limits import cached
from sitecrawl.text.chars import DIGIT, PUNCT, WORD, begin_words, fold_all, kinds_of

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

BITS = {name: 1 << number for number, name in enumerate(HINTS)}
_BITS_OF_WORD = bits_by_word("hints", HINTS)
_EMBEDDED_POST = re.compile(
    r"\b(?:twitter-tweet|instagram-media|tiktok-|reddit-|mastodon-|bluesky-|fb-(?:post|xfbml)|text-post)"
)
"""Classes that networks give to their posts embedded in an article."""

HIDDEN = 1 << 40  # between the bits of hints and those of zones
_WHOLE = ("body", "html")  # their classes describe the page, and scripts show them later
_ZONES = "nav header footer aside article main form table ul ol li pre blockquote figure".split()
ZONE = {tag: 1 << (41 + number) for number, tag in enumerate(_ZONES)}
"""Bits of elements whose tag tells what they contain; the lower bits are those of ``BITS``."""
BESIDE = BITS["side"] | BITS["foot"] | BITS["nav"] | BITS["share"]
"""Names of what stands beside an article."""
ASIDE = (
    BITS["comment"]
    | BITS["side"]
    | BITS["foot"]
    | BITS["nav"]
    | ZONE["footer"]
    | ZONE["aside"]
    | ZONE["nav"]
    | HIDDEN
)
"""Parts of a page that do not describe its article."""
_MASKS = np.array([*BITS.values(), HIDDEN, *ZONE.values()], np.int64)[:, None]


@cached(4_096)
def hint_bits(names: str) -> int:
    """Bits of the hints that the words of ``names`` (a class, an id, or both) give.

    >>> hint_bits("Comment-List") == BITS["comment"], hint_bits("x7 commentary")
    (True, 0)
    """
    found = 0
    for word in words_in(names):
        if word in _BITS_OF_WORD:
            found |= _BITS_OF_WORD[word]
    return found


@dataclass
class Blocks:
    """Runs of text between block boundaries, in document order. ``owner`` is the number of the
    element whose block a run is, ``start:stop`` are its chunks of text. ``lengths`` are those of
    all chunks, in characters without surrounding blanks. ``digits`` is the share of digits in the
    first 80 characters. A CJK character counts as a word."""

    owner: Ints
    start: Ints
    stop: Ints
    texts: list[str]
    digits: Floats
    lengths: Floats
    counts: Floats
    """Linked characters, punctuation marks, characters and words, a row each."""

    def __post_init__(self) -> None:
        self.link_chars, self.punctuation, self.chars, self.words = self.counts

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def sums(self) -> Floats:
        """Sums of the counts before each block, and over all."""
        found = np.zeros((4, len(self) + 1))
        self.counts.cumsum(axis=1, out=found[:, 1:])
        return found

    @cached_property
    def ratios(self) -> Floats:
        """Linked characters by characters, and marks by words."""
        return self.counts[:2] / np.maximum(self.counts[2:], 1)

    @cached_property
    def logs(self) -> Floats:
        """Logarithms of one plus each count."""
        return np.log1p(self.counts)


def array(numbers: list[int]) -> Ints:
    return np.fromiter(numbers, np.int64, len(numbers))


def embedded_post(name: str) -> bool:
    """Whether a class is one that a network gives to its embedded posts."""
    return _EMBEDDED_POST.search(name[:200]) is not None


def bits_of(node: etree._Element) -> int:
    """Bits of one element without its ancestors."""
    if node.tag in _WHOLE:
        return 0
    hides = node.get("hidden") is not None or is_hidden(node.get("style"))
    named = hint_bits(f"{node.get('class', '')} {node.get('id', '')}")
    return ZONE.get(str(node.tag), 0) | named | (HIDDEN if hides else 0)


def blocks_of(chunks: list[str], owners: Ints, *, linked: Flags) -> Blocks:
    """The text blocks of a page: its chunks of text, of each the element that its block belongs to,
    and whether it is in a link."""
    begins = np.ones(len(chunks) + 1, bool)
    np.not_equal(owners[1:], owners[:-1], out=begins[1:-1])
    bounds = np.flatnonzero(begins)
    start, stop = bounds[:-1], bounds[1:]
    places = zip(start.tolist(), stop.tolist(), strict=True)
    texts = fold_all([chunks[a] if b == a + 1 else "".join(chunks[a:b]) for a, b in places])
    words, punctuation, digits = _counts(texts) if texts else np.zeros((3, 0))
    sizes = map(len, map(str.strip, chunks))
    lengths = np.fromiter(sizes, np.float64, len(chunks))
    sums = np.zeros((2, len(chunks) + 1))
    sums[0, 1:] = lengths
    sums[1, 1:] = lengths * linked
    totals = sums.cumsum(axis=1)[:, bounds]
    chars, link_chars = totals[:, 1:] - totals[:, :-1]
    counts = np.array([link_chars, punctuation, chars, words])
    return Blocks(owners[start], start, stop, texts, digits, lengths, counts)


def _counts(texts: list[str], *, opening: int = 80) -> tuple[Floats, Floats, Floats]:
    """Words and marks of texts, and the shares of digits in their first ``opening`` characters."""
    codes, kinds = kinds_of("\n".join([*texts, ""]))
    sizes = np.fromiter(map(len, texts), np.int64, len(texts))
    starts = (sizes + 1).cumsum() - sizes - 1
    marks = np.add.reduceat((kinds & PUNCT) != 0, starts, dtype=np.float64)
    heads = np.stack([starts, starts + np.minimum(sizes, opening)], axis=1).ravel()
    digits = np.add.reduceat((kinds & DIGIT) != 0, heads, dtype=np.float64)[::2] / np.minimum(
        sizes, opening
    )
    words, highest = (
        np.add.reduceat(codes == 32, starts, dtype=np.float64) + 1,
        np.maximum.reduceat(codes, starts),
    )
    if (highest > 127).any():  # ASCII text is cut at blanks, other text into words
        words = np.where(
            highest > 127, np.add.reduceat(begin_words(kinds), starts, dtype=np.float64), words
        )
        for at in np.flatnonzero(highest > 0xFFFF).tolist():  # emoji, rare letters
            words[at] = len(WORD.findall(texts[at]))
            digits[at] = sum(map(str.isdigit, texts[at][:opening])) / min(opening, len(texts[at]))
    return words, marks, digits


def bit_rows(bits: Ints) -> Flags:
    """Matrix of hint and zone bits: one row for each bit (hints, HIDDEN, zones), one column for
    each element."""
    flags: Flags = (_MASKS & bits) != 0
    return flags
