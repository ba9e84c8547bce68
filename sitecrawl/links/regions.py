"""The place of an element on the page: its tag path, the regions around it, and the record of a list to which it belongs, with sizes."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, compress, repeat

from lxml import etree

from sitecrawl.dom.tree import HEADINGS, Tree
from sitecrawl.limits import cached
from sitecrawl.links.anchors import size
from sitecrawl.links.vocabulary import CLASS_WORDS, TAG_REGIONS

REGIONS = (*CLASS_WORDS, "heading", "li", "table", "p", "inline", "form", "dl")
"""Bits of a region mask, lowest first."""
_BIT = {name: 1 << number for number, name in enumerate(REGIONS)}
HEADING = _BIT["heading"]
_WORD_BIT: dict[str, int] = {}
for _region, _words in CLASS_WORDS.items():
    for _word in _words.split():
        _WORD_BIT[_word] = _WORD_BIT.get(_word, 0) | _BIT[_region]
_TAG_BIT = {tag: _BIT[region] for tag, region in TAG_REGIONS.items()}
_HEADINGS = frozenset(HEADINGS)
_TAG_BIT |= dict.fromkeys(HEADINGS, HEADING)
_TAG_BIT |= dict.fromkeys(("td", "th", "tr", "table"), _BIT["table"])
_TAG_BIT |= dict.fromkeys(("b", "strong", "em", "i", "span", "font"), _BIT["inline"])
_TAG_BIT |= {
    "li": _BIT["li"],
    "p": _BIT["p"],
    "form": _BIT["form"],
    "dt": _BIT["dl"],
    "dd": _BIT["dl"],
    "dl": _BIT["dl"],
}
_WRAPPER = 0.6
"""Share of the page's links above which an element wraps the page, so that its class names the page and no region."""
_LOCAL = ~(_BIT["main"] | _BIT["entry"])
_GET = etree._Element.get
_NAME = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
RECORD_COLUMNS = ("listed", "ordinal", "list_size", "record_size", "record_links")
"""Columns of a record, in order."""


@dataclass(slots=True)
class Regions:
    """Facts of every element that is or holds a link, by element number; others have zeros.

    ``path`` is the number of its tag path from the root in ``paths``, ``mask`` the regions around an element (those of
    ``html`` and ``body`` say nothing and are left out), ``record`` the nearest element, itself included, that is one of
    several siblings of one tag that hold links (-1: none), ``near`` the regions up to its record. ``before`` counts the
    siblings before a record, ``size`` all of them, ``following`` is the next (0: none). ``depths`` are those of ``paths``.
    """

    paths: list[str]
    depths: list[int]
    path: list[int]
    mask: list[int]
    record: list[int]
    near: list[int]
    before: list[int]
    size: list[int]
    following: list[int]


def build_regions(tree: Tree, anchors: list[int]) -> Regions:
    """Regions of ``anchors`` and all their ancestors, one pass down."""
    regions = Regions([], [], *([0] * len(tree) for _ in range(7)))
    holders = _holders(tree.parents, anchors)
    _find_siblings(tree, holders, regions)
    tags, parents, ends = tree.tags, tree.parents, tree.ends
    path, mask, record, near, size = regions.path, regions.mask, regions.record, regions.near, regions.size
    most, numbers, marks = max(3, int(_WRAPPER * len(anchors))), _Numbers(), _TAG_BIT.get
    for element, style, name in zip(
        holders, _values(tree, holders, "class"), _values(tree, holders, "id"), strict=True
    ):
        tag, parent = tags[element], parents[element]
        if parent < 0 or tag == "body":
            path[element], record[element] = numbers[-1, tag], -1
            continue
        path[element], mine = numbers[path[parent], tag], marks(tag, 0)
        if name:
            mine |= _named(f"{style} {name}" if style else name)
        elif style:
            mine |= _named(style)
        if mine & _LOCAL and ends[element] - element > most and _held(anchors, element, ends[element]) > most:
            mine &= ~_LOCAL
        mask[element] = mask[parent] | mine
        if size[element]:
            record[element], near[element] = element, mine
        else:
            record[element], near[element] = record[parent], near[parent] | mine
    for parent, tag in numbers:
        regions.paths.append(f"{regions.paths[parent]}/{tag}" if parent >= 0 else tag)
        regions.depths.append(regions.depths[parent] + 1 if parent >= 0 else tag == "body")
    return regions


class _Numbers(dict[tuple[int, str], int]):
    """Numbers of tag paths by the number of the path above and the tag, in the order in which they are asked for."""

    def __missing__(self, key: tuple[int, str]) -> int:
        self[key] = number = len(self)
        return number


def _find_siblings(tree: Tree, holders: list[int], regions: Regions) -> None:
    """Fill in ``before``, ``size`` and ``following`` of the elements with siblings of their tag that hold links as well."""
    parents, tags = tree.parents, tree.tags
    before, size, following = regions.before, regions.size, regions.following
    latest: dict[tuple[int, str], int] = {}
    pairs: list[tuple[int, int]] = []
    for element in holders:
        key = parents[element], tags[element]
        if key in latest:
            previous = latest[key]
            pairs.append((previous, element))
            following[previous], before[element] = element, before[previous] + 1
        latest[key] = element
    for previous, element in reversed(pairs):
        size[previous] = size[element] = size[element] or before[element] + 1


def _held(anchors: list[int], start: int, end: int) -> int:
    return bisect_left(anchors, end) - bisect_left(anchors, start)


def _holders(parents: list[int], anchors: list[int]) -> list[int]:
    """Elements that are or hold an anchor, in document order."""
    seen = bytearray(len(parents))
    for anchor in anchors:
        while anchor >= 0 and not seen[anchor]:
            seen[anchor] = 1
            anchor = parents[anchor]
    return list(compress(range(len(parents)), seen))


def _values(tree: Tree, elements: list[int], name: str) -> Iterator[str | None]:
    """An attribute of elements, from what was read of the whole page where it was."""
    known = tree.__dict__.get("attributes")
    if known is not None:
        return map(known[name].get, elements)
    return map(_GET, map(tree.nodes.__getitem__, elements), repeat(name))


@cached(4_096)
def _named(text: str) -> int:
    """Regions named by class and id words.

    >>> bool(_named("main-menu") & _BIT["nav"] or _named("navMenu") & _BIT["nav"]), _named("zz")
    (True, 0)
    """
    mask = 0
    for word in _NAME.findall(text[:200]):
        mask |= _WORD_BIT.get(word.lower(), 0)
    return mask


@dataclass(slots=True)
class Measures:
    """Running sums over a page, so that any span is measured by two look-ups.

    ``sizes`` are running sums over the chunks, bytes of UTF-8; ``anchors`` are element numbers in order.
    """

    tree: Tree
    sizes: list[int]
    anchors: list[int]


def measure(tree: Tree, anchors: list[int]) -> Measures:
    """Running sums of a page with links at ``anchors``."""
    return Measures(tree, list(accumulate(map(size, tree.chunks), initial=0)), anchors)


def span_columns(tree: Tree, regions: Regions, measures: Measures) -> dict[str, Sequence[int]]:
    """Of each link: its record, the element it stands in, and its place in the text.

    A record ends where the next of its list begins. A link of no list has the page for its record.
    """
    links, first, last, sizes = measures.anchors, tree.first, tree.last, measures.sizes
    of = [regions.record[link] for link in links]
    known = {record: _record(measures, regions, record) for record in set(of)}
    columns: dict[str, Sequence[int]] = dict(
        zip(RECORD_COLUMNS, zip(*map(known.__getitem__, of), strict=True), strict=True)
    )
    around = [tree.parents[link] for link in links]
    columns["parent_size"] = [sizes[last[at]] - sizes[first[at]] for at in around]
    columns["offset"] = [sizes[first[link]] for link in links]
    return columns


def lent_headings(tree: Tree, regions: Regions, empty: list[int]) -> dict[int, str]:
    """Text of the only heading of the card that each of the links ``empty`` stands in, where there is one and no link is in it.

    A picture or an overlay without words on a card leads to the page that the card's heading names.
    """
    if not empty:
        return {}
    headings = [number for number, tag in enumerate(tree.tags) if tag in _HEADINGS]
    found: dict[int, str] = {}
    for link in empty:
        card = regions.record[link]
        inside = headings[bisect_left(headings, card) : bisect_left(headings, tree.ends[card])] if card >= 0 else []
        if len(inside) == 1 and not regions.path[inside[0]]:
            first, last = tree.first[inside[0]], tree.last[inside[0]]
            found[link] = " ".join(" ".join(tree.chunks[first:last]).split())
    return found


def _record(measures: Measures, regions: Regions, record: int) -> tuple[int, ...]:
    """``RECORD_COLUMNS`` of a record; -1 stands for the page."""
    tree, sizes, anchors = measures.tree, measures.sizes, measures.anchors
    if record < 0:
        return 0, 0, 1, sizes[-1], len(anchors)
    end = regions.following[record] or tree.ends[tree.parents[record]]
    first, last = tree.first[record], max(tree.last[end - 1], tree.last[record])
    links = bisect_left(anchors, end) - bisect_left(anchors, record)
    return 1, regions.before[record], regions.size[record], sizes[last] - sizes[first], links
