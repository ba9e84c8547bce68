"""Text blocks of a page and properties of every element, as arrays that extractors and templates
share."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from sitecrawl.dom.tree import INLINE, Tree, is_hidden
from sitecrawl.limits import cached
from sitecrawl.resources import table_beside
from sitecrawl.text.chars import DIGIT, PUNCT, WORD, begin_words, fold, kinds_of

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

HINTS: dict[str, str] = table_beside(__file__)
"""Names of hints, each with a pattern of words in casefolded classes and ids. Their order gives the
bits, which models know."""
BITS = {name: 1 << number for number, name in enumerate(HINTS)}
_PATTERNS = tuple((BITS[name], re.compile(words)) for name, words in HINTS.items())
_NUMBER = re.compile("[0-9]+")
_EMBEDDED_POST = re.compile(
    r"\b(?:twitter-tweet|instagram-media|tiktok-|reddit-|mastodon-|bluesky-|fb-(?:post|xfbml)|text-post)"
)
"""Classes that networks give to their posts embedded in an article."""
_NETWORKS = "twitter-tweet instagram-media tiktok- reddit- mastodon- bluesky- fb- text-post".split()

HIDDEN = 1 << 40  # between the bits of hints and those of zones
_WHOLE = ("body", "html")  # their classes describe the page, and scripts show them later
_ZONES = "nav header footer aside article main form table ul ol li pre blockquote figure".split()
ZONE = {tag: 1 << (41 + number) for number, tag in enumerate(_ZONES)}
"""Bits of elements whose tag tells what they contain; the lower bits are those of ``BITS``."""
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
    """Bits of the hints in the first 200 characters of ``names`` (a class, an id, or both).

    >>> hint_bits("Comment-List") == BITS["comment"], hint_bits("x7")
    (True, 0)
    """
    found, tokens = 0, names[:200].casefold().split()
    # no pattern reaches over a blank, so ten names or more are looked up at once: hostile pages
    # must not fill the cache
    for token in tokens if len(tokens) <= 10 else (" ".join(tokens),):
        found |= _token_bits(_NUMBER.sub("0", token))
    return found


@cached(4_096)
def _token_bits(token: str) -> int:
    """Bits of one name; cached, because many classes share their names. No pattern contains a
    digit, so digits are ignored."""
    return sum(bit for bit, pattern in _PATTERNS if pattern.search(token))


@dataclass(slots=True)
class Blocks:
    """Runs of text between block boundaries, in document order. ``owner`` is the number of the
    element whose block a run is, ``start:stop`` are its chunks
    of text. ``lengths`` are those of all chunks. Lengths are numbers of characters without
    surrounding blanks. A CJK character counts as a word.
    ``digits`` is the share of digits in the first 80 characters."""

    owner: Ints
    start: Ints
    stop: Ints
    chars: Floats
    words: Floats
    punctuation: Floats
    digits: Floats
    link_chars: Floats
    texts: list[str]
    lengths: Floats

    def __len__(self) -> int:
        return len(self.texts)


@dataclass(slots=True)
class Layout:
    """For each element of a tree: ``bits`` of its own names, ``above`` those of it and its
    ancestors. ``linked`` tells whether it is in a link,
    ``block`` is the element whose block its text belongs to, ``paths`` is a number for each tag
    path. Elements without visible text only have
    ``linked``. ``parents``, ``ends``, ``first`` and ``last`` are the tree's lists as arrays."""

    bits: Ints
    above: Ints
    linked: Flags
    block: list[int]
    paths: list[int]
    parents: Ints
    ends: Ints
    first: Ints
    last: Ints


def layout_of(tree: Tree) -> Layout:
    """Names, zones and links of the elements with text."""
    size, tags, parents, ends, own = len(tree), tree.tags, tree.parents, tree.ends, _own_bits(tree)
    first, last = _array(tree.first), _array(tree.last)
    (above, block, paths), linked, has_text = (
        ([0] * size for _ in range(3)),
        np.zeros(size, bool),
        first < last,
    )
    for number in has_text.nonzero()[0].tolist():
        tag, parent = tags[number], parents[number]
        block[number] = block[parent] if tag in INLINE and number else number
        paths[number] = hash((paths[parent], tag))
        above[number] = above[parent] | own[number]
    for number in tree.tagged.get("a", ()):
        linked[number : ends[number]] = True
    bits = _array(own) * has_text
    return Layout(
        bits, _array(above), linked, block, paths, _array(parents), _array(ends), first, last
    )


def _own_bits(tree: Tree) -> list[int]:
    """Bits of every element without its ancestors, as :func:`bits_of` finds them one by one."""
    found, names = [ZONE.get(tag, 0) for tag in tree.tags], tree.attributes["class"]
    hints = {name: hint_bits(name) for name in {*names.values()}}
    for number, name in names.items():
        found[number] |= hints[name]
    for number, ident in tree.attributes["id"].items():
        found[number] |= hint_bits(f"{names.get(number, '')} {ident}")
    hiding = [number for number, style in tree.attributes["style"].items() if is_hidden(style)]
    for number in (*hiding, *tree.attributes["hidden"]):
        found[number] |= HIDDEN
    for number in (*tree.tagged.get("html", ()), *tree.tagged.get("body", ())):
        found[number] = 0
    return found


def _array(numbers: list[int]) -> Ints:
    return np.fromiter(numbers, np.int64, len(numbers))


def embedded_posts(tree: Tree) -> list[int]:
    """Posts of social networks that are embedded in a page."""
    return tree.marked(lambda name: _EMBEDDED_POST.search(name[:200]), "class", words=_NETWORKS)


def bits_above(tree: Tree, layout: Layout, *, number: int) -> int:
    """Bits of an element and its ancestors, also for an element without text."""
    found = 0
    while number >= 0 and tree.first[number] == tree.last[number]:
        found |= bits_of(tree.nodes[number])
        number = tree.parents[number]
    return found | (int(layout.above[number]) if number >= 0 else 0)


def bits_of(node: etree._Element) -> int:
    """Bits of one element without its ancestors."""
    if node.tag in _WHOLE:
        return 0
    hides = node.get("hidden") is not None or is_hidden(node.get("style"))
    named = hint_bits(f"{node.get('class', '')} {node.get('id', '')}")
    return ZONE.get(str(node.tag), 0) | named | (HIDDEN if hides else 0)


def blocks_of(tree: Tree, layout: Layout) -> Blocks:
    """The text blocks of a page."""
    owners, chunks = _array([layout.block[owner] for owner in tree.owners]), tree.chunks
    begins = np.ones(len(chunks) + 1, bool)
    np.not_equal(owners[1:], owners[:-1], out=begins[1:-1])
    bounds = np.flatnonzero(begins)
    texts = [
        fold(chunks[a] if b == a + 1 else "".join(chunks[a:b]))
        for a, b in pairwise(bounds.tolist())
    ]
    words, punctuation, digits = _counts(texts) if texts else np.zeros((3, 0))
    sums, lengths = (
        np.zeros((2, len(chunks) + 1)),
        np.array([len(chunk.strip()) for chunk in chunks], float),
    )
    sums[0, 1:], sums[1, 1:] = lengths, lengths * layout.linked[_array(tree.owners)]
    totals = sums.cumsum(axis=1)[:, bounds]
    chars, link_chars = totals[:, 1:] - totals[:, :-1]
    start, stop = bounds[:-1], bounds[1:]
    return Blocks(
        owners[start], start, stop, chars, words, punctuation, digits, link_chars, texts, lengths
    )


def _counts(texts: list[str], *, opening: int = 80) -> tuple[Floats, Floats, Floats]:
    """Words and marks of texts, and the shares of digits in their first ``opening`` characters."""
    codes, kinds = kinds_of("\n".join([*texts, ""]))
    sizes = _array(list(map(len, texts)))
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
