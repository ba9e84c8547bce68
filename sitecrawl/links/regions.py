"""The place of a link on the page: its tag path, the regions around it, and the record (list entry)
that it belongs to."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress

from sitecrawl.dom.document import Document
from sitecrawl.dom.tree import HEADINGS
from sitecrawl.limits import LIMITS, cached
from sitecrawl.links.vocabulary import CLASS_WORDS, TAG_REGIONS

REGIONS = (
    *CLASS_WORDS,
    "heading",
    "li",
    "table",
    "p",
    "inline",
    "form",
    "dl",
)  # bits of a region mask, lowest first
REGION_BIT = {name: 1 << number for number, name in enumerate(REGIONS)}
HEADING = REGION_BIT["heading"]
_WORD_BIT: dict[str, int] = {}
for _region, _words in CLASS_WORDS.items():
    for _word in _words.split():
        _WORD_BIT[_word] = _WORD_BIT.get(_word, 0) | REGION_BIT[_region]
_TAG_BIT = {tag: REGION_BIT[region] for tag, region in TAG_REGIONS.items()}
_HEADINGS = frozenset(HEADINGS)
_TAG_BIT |= dict.fromkeys(HEADINGS, HEADING)
_TAG_BIT |= dict.fromkeys(("td", "th", "tr", "table"), REGION_BIT["table"])
_TAG_BIT |= dict.fromkeys(("b", "strong", "em", "i", "span", "font"), REGION_BIT["inline"])
_TAG_BIT |= dict.fromkeys(("dt", "dd"), REGION_BIT["dl"]) | {
    tag: REGION_BIT[tag] for tag in ("li", "p", "form", "dl")
}
_LOCAL = ~(REGION_BIT["main"] | REGION_BIT["entry"])
_NAME = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")  # words of camelCase names, too


@dataclass(slots=True)
class Regions:
    """Facts of every element that is or holds a link, by element number; others have zeros.

    ``path`` is the number of its tag path from the root in ``paths``, ``mask`` the regions around
    an element (those of ``html`` and
    ``body`` are left out, they cover the page), ``record`` the nearest element, itself included,
    that is one of several siblings
    of one tag that hold links (-1: none), ``near`` the regions up to its record. ``before`` counts
    the siblings before a record,
    ``size`` all of them, ``following`` is the next (0: none). ``depths`` are those of ``paths``."""

    paths: list[str]
    depths: list[int]
    path: list[int]
    mask: list[int]
    record: list[int]
    near: list[int]
    before: list[int]
    size: list[int]
    following: list[int]


def build_regions(document: Document, anchors: list[int], *, wrapper_share: float = 0.6) -> Regions:
    """Regions of ``anchors`` and all their ancestors, in one pass down. An element with more than
    ``wrapper_share`` of the page's links wraps the page, so its class names no region but the main
    one."""
    regions = Regions([], [], *([0] * len(document) for _ in range(7)))
    nodes, tags, parents, ends = document.nodes, document.tags, document.parents, document.ends
    path, mask, record, near, size = (
        regions.path,
        regions.mask,
        regions.record,
        regions.near,
        regions.size,
    )
    held = bytearray(len(parents))
    for anchor in anchors:
        while anchor >= 0 and not held[anchor]:
            held[anchor] = 1
            anchor = parents[anchor]
    holders = list(compress(range(len(parents)), held))
    _find_siblings(document, holders, regions=regions)
    most, numbers = max(3, int(wrapper_share * len(anchors))), dict[tuple[int, str], int]()
    known: dict[tuple[str | None, str | None], int] = {(None, None): 0}
    for element in holders:
        tag, parent = tags[element], parents[element]
        if parent < 0 or tag == "body":
            path[element], record[element] = numbers.setdefault((-1, tag), len(numbers)), -1
            continue
        path[element], own = (
            numbers.setdefault((path[parent], tag), len(numbers)),
            _TAG_BIT.get(tag, 0),
        )
        names = nodes[element].get("class"), nodes[element].get("id")
        if names not in known:
            known[names] = _named(" ".join(filter(None, names)))
        own |= known[names]
        # an element of few descendants cannot hold most links: no need to count them
        large = own & _LOCAL and ends[element] - element > most
        if large and bisect_left(anchors, ends[element]) - bisect_left(anchors, element) > most:
            own &= ~_LOCAL
        mask[element] = mask[parent] | own
        if size[element]:
            record[element], near[element] = element, own
        else:
            record[element], near[element] = record[parent], near[parent] | own
    for parent, tag in numbers:
        above = regions.paths[parent] if parent >= 0 else ""
        # a longer path shares the text of its beginning: depth times links is no length that a page
        # may choose
        regions.paths.append(
            above if len(above) > LIMITS.cached_chars else f"{above}/{tag}" if above else tag
        )
        regions.depths.append(regions.depths[parent] + 1 if parent >= 0 else tag == "body")
    return regions


def _find_siblings(document: Document, holders: list[int], *, regions: Regions) -> None:
    """Fill in ``before``, ``size`` and ``following`` of the elements with siblings of their tag
    that hold links as well."""
    before, size, following = regions.before, regions.size, regions.following
    latest: dict[tuple[int, str], int] = {}
    pairs: list[tuple[int, int]] = []
    for element in holders:
        key = document.parents[element], document.tags[element]
        if (previous := latest.get(key)) is not None:
            pairs.append((previous, element))
            following[previous], before[element] = element, before[previous] + 1
        latest[key] = element
    for previous, element in reversed(pairs):
        size[previous] = size[element] = size[element] or before[element] + 1


@cached(4_096)
def _named(text: str) -> int:
    """Regions named by class and id words.

    >>> bool(_named("main-menu") & REGION_BIT["nav"] or _named("navMenu") & REGION_BIT["nav"]), _named("zz")
    (True, 0)
    """
    mask = 0
    for word in _NAME.findall(text[:200]):
        mask |= _WORD_BIT.get(word.lower(), 0)
    return mask


def span_columns(
    document: Document, regions: Regions, *, anchors: list[int], sizes: list[int]
) -> dict[str, Sequence[int]]:
    """Of each link: its record, the size of the element around it, and its place in the text.
    ``sizes`` are running sums over the chunks of text, bytes of UTF-8. A record ends where the next
    of its list begins; a link of no list has the page for its record."""
    first, last = document.first, document.last
    records = [regions.record[link] for link in anchors]
    known: dict[int, tuple[int, ...]] = {-1: (0, 0, 1, sizes[-1], len(anchors))}
    for record in set(records) - {-1}:
        end = regions.following[record] or document.ends[document.parents[record]]
        text = sizes[max(last[end - 1], last[record])] - sizes[first[record]]
        links = bisect_left(anchors, end) - bisect_left(anchors, record)
        known[record] = 1, regions.before[record], regions.size[record], text, links
    names = ("listed", "ordinal", "list_size", "record_size", "record_links")
    values = zip(*map(known.__getitem__, records), strict=True)
    columns: dict[str, Sequence[int]] = dict(zip(names, values, strict=True))
    around = [document.parents[link] for link in anchors]
    columns["parent_size"] = [sizes[last[at]] - sizes[first[at]] for at in around]
    columns["offset"] = [sizes[first[link]] for link in anchors]
    return columns


def lent_headings(document: Document, regions: Regions, *, empty: list[int]) -> dict[int, str]:
    """The only heading of the card around each of the links ``empty``, if there is exactly one and
    it contains no link. A picture or an overlay without words leads to the page that this heading
    names."""
    if not empty:
        return {}
    headings = [number for number, tag in enumerate(document.tags) if tag in _HEADINGS]
    found: dict[int, str] = {}
    for link in empty:
        card = regions.record[link]
        inside = (
            headings[bisect_left(headings, card) : bisect_left(headings, document.ends[card])]
            if card >= 0
            else []
        )
        if len(inside) == 1 and not regions.path[inside[0]]:
            first, last = document.first[inside[0]], document.last[inside[0]]
            found[link] = " ".join(" ".join(document.chunks[first:last]).split())
    return found
