"""The place of a link on the page: the regions around it, and the record (list entry) that it
belongs to. A record is one of several siblings of one tag that hold links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np

from sitecrawl.dom.class_names import REGIONS as NAMED_REGIONS
from sitecrawl.dom.class_names import bits_by_word, words_of_names
from sitecrawl.dom.document import Document
from sitecrawl.dom.tree import HEADINGS
from sitecrawl.limits import cached
from sitecrawl.links.vocabulary import TAG_REGIONS

REGIONS = (
    *NAMED_REGIONS,
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
_WORD_BIT = bits_by_word("regions", NAMED_REGIONS)
_TAG_BIT = {tag: REGION_BIT[region] for tag, region in TAG_REGIONS.items()}
_TAG_BIT |= dict.fromkeys(HEADINGS, HEADING)
_TAG_BIT |= dict.fromkeys(("td", "th", "tr", "table"), REGION_BIT["table"])
_TAG_BIT |= dict.fromkeys(("b", "strong", "em", "i", "span", "font"), REGION_BIT["inline"])
_TAG_BIT |= dict.fromkeys(("dt", "dd"), REGION_BIT["dl"]) | {
    tag: REGION_BIT[tag] for tag in ("li", "p", "form", "dl")
}
_LOCAL = ~(REGION_BIT["main"] | REGION_BIT["entry"])
_WRAPPER_SHARE = 0.6  # of the page's links; an element with more wraps the page


@dataclass(slots=True)
class LinkPlaces:
    """Columns of the elements of a page that are or hold a link; other elements have zeros.
    ``mask`` are the regions around an element; those of ``html`` and ``body`` are left out, they
    cover the page. ``record`` is the nearest record, the element itself included (-1: none), and
    ``near`` are the regions up to it. ``ordinal`` counts the siblings before a record, ``size`` all
    of them, ``following`` is the next one (0: none). ``before`` counts the links before each
    element of the page, and all of them."""

    before: list[int]
    holds: bytearray
    mask: list[int]
    near: list[int]
    record: list[int]
    ordinal: list[int]
    size: list[int]
    following: list[int]


def link_places(document: Document, links: list[int]) -> LinkPlaces:
    """The places of ``links`` and of all their ancestors, in one pass down."""
    size = len(document)
    before = np.searchsorted(links, np.arange(size + 1)).tolist()
    empty = ([0] * size for _ in range(6))
    places = LinkPlaces(before, _holders(document, links), *empty)
    holders = list(compress(range(size), places.holds))
    _find_siblings(document, holders, places=places)
    _find_regions(document, holders, places=places)
    return places


def _holders(document: Document, links: list[int]) -> bytearray:
    """Whether each element is a link or holds one."""
    parents = document.parents
    held = bytearray(len(document))
    for link in links:
        at = link
        while at >= 0 and not held[at]:
            held[at] = 1
            at = parents[at]
    return held


def _find_siblings(document: Document, holders: list[int], *, places: LinkPlaces) -> None:
    """Fill in ``ordinal``, ``size`` and ``following`` of the records."""
    tags, parents = document.tags, document.parents
    ordinal, size, following = places.ordinal, places.size, places.following
    latest: dict[tuple[int, str], int] = {}
    for element in holders:
        key = parents[element], tags[element]
        if key in latest:
            previous = latest[key]
            following[previous] = element
            ordinal[element] = ordinal[previous] + 1
        latest[key] = element
    for element in reversed(holders):
        after = following[element]
        if after:
            if not size[after]:
                size[after] = ordinal[after] + 1
            size[element] = size[after]


def _find_regions(document: Document, holders: list[int], *, places: LinkPlaces) -> None:
    """Fill in ``mask``, ``near`` and ``record``. The class of an element that wraps the page names
    no region but the main one."""
    parents, ends, before = document.parents, document.ends, places.before
    mask, near, record = places.mask, places.near, places.record
    most = max(3, int(_WRAPPER_SHARE * before[-1]))
    own_regions = _own_regions(document, holders)
    for element, own in zip(holders, own_regions, strict=True):
        parent = parents[element]
        if parent < 0 or document.tags[element] == "body":
            record[element] = -1
            continue
        if before[ends[element]] - before[element] > most:
            own &= ~_LOCAL
        mask[element] = mask[parent] | own
        if places.size[element]:
            record[element] = element
            near[element] = own
        else:
            record[element] = record[parent]
            near[element] = near[parent] | own


def _own_regions(document: Document, holders: list[int]) -> list[int]:
    """Regions that the tags, classes and ids of elements name."""
    tags = [document.tags[at] for at in holders]
    names = document.names_of(holders)
    by_tag = {tag: _TAG_BIT.get(tag, 0) for tag in set(tags)}
    known = set(names)
    by_name = dict(zip(known, _named.each(known), strict=True))
    return [by_tag[tag] | by_name[name] for tag, name in zip(tags, names, strict=True)]


@cached(4_096)
def _named(text: str) -> int:
    """Regions named by class and id words.

    >>> bool(_named("main-menu") & REGION_BIT["nav"] or _named("navMenu") & REGION_BIT["nav"]), _named("zz")
    (True, 0)
    """
    mask = 0
    # the model learned from names whose compounds told nothing
    for word in words_of_names(text).whole:
        if word in _WORD_BIT:
            mask |= _WORD_BIT[word]
    return mask


def place_columns(
    document: Document, places: LinkPlaces, *, links: list[int], sizes: list[int]
) -> dict[str, Sequence[int]]:
    """Of each link: its tag path and regions, its record, the size of the element around it, and
    its place in the text. ``sizes`` are running sums over the chunks of text, bytes of UTF-8. A
    record ends where the next of its list begins; a link of no list has the page for its record."""
    first, last = document.first, document.last
    parents = [document.parents[link] for link in links]
    known = _records(document, places, links=links, sizes=sizes)
    records = zip(*[known[places.record[link]] for link in links], strict=True)
    names = ("listed", "ordinal", "list_size", "record_size", "record_links")
    columns: dict[str, Sequence[int]] = dict(zip(names, records, strict=True))
    columns["depth"] = [document.path_depths[document.paths[link]] for link in links]
    columns["mask"] = [places.mask[link] for link in links]
    columns["near"] = [places.near[link] for link in links]
    columns["parent_size"] = [sizes[last[at]] - sizes[first[at]] for at in parents]
    columns["offset"] = [sizes[first[link]] for link in links]
    return columns


def _records(
    document: Document, places: LinkPlaces, *, links: list[int], sizes: list[int]
) -> dict[int, tuple[int, ...]]:
    """Whether each record is one, its place in its list, the list's size, its text and its
    links."""
    first, last, ends = document.first, document.last, document.ends
    found: dict[int, tuple[int, ...]] = {-1: (0, 0, 1, sizes[-1], len(links))}
    for record in {places.record[link] for link in links} - {-1}:
        end = places.following[record] or ends[document.parents[record]]
        behind = last[end - 1] if last[end - 1] > last[record] else last[record]
        text = sizes[behind] - sizes[first[record]]
        inside = places.before[end] - places.before[record]
        found[record] = 1, places.ordinal[record], places.size[record], text, inside
    return found


def lent_headings(document: Document, places: LinkPlaces, *, empty: list[int]) -> dict[int, str]:
    """The only heading of the card around each of the links ``empty``, if there is exactly one and
    it contains no link. A picture or an overlay without words leads to the page that this heading
    names."""
    cards = {link: places.record[link] for link in empty if places.record[link] >= 0}
    if not cards:
        return {}
    headings = document.tagged(*HEADINGS)
    before = np.searchsorted(headings, np.arange(len(document) + 1)).tolist()
    found: dict[int, str] = {}
    for link, card in cards.items():
        first = before[card]
        is_alone = before[document.ends[card]] == first + 1
        if is_alone and not places.holds[headings[first]]:
            begin, end = document.first[headings[first]], document.last[headings[first]]
            found[link] = " ".join(" ".join(document.chunks[begin:end]).split())
    return found
