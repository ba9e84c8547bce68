"""Where on the page an element stands: its tag path, the regions around it, and the record of a list it belongs to."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field
from functools import lru_cache

from sitecrawl.dom.tree import Tree
from sitecrawl.links.vocabulary import CLASS_WORDS, TAG_REGIONS

REGIONS = (*CLASS_WORDS, "heading", "li", "table", "p", "inline", "form", "dl")
"""Bits of a region mask, lowest first."""
_BIT = {name: 1 << number for number, name in enumerate(REGIONS)}
_WORD_BIT: dict[str, int] = {}
for _region, _words in CLASS_WORDS.items():
    for _word in _words.split():
        _WORD_BIT[_word] = _WORD_BIT.get(_word, 0) | _BIT[_region]
_TAG_BIT = {tag: _BIT[region] for tag, region in TAG_REGIONS.items()}
_TAG_BIT |= dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), _BIT["heading"])
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
"""An element that holds a larger share of the page's links wraps the page: its class names the page, not a region of it."""
_LOCAL = ~(_BIT["main"] | _BIT["entry"])
_NAME = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


@dataclass(slots=True)
class Regions:
    """Facts of every element that is or holds a link, by element number.

    ``path`` is a tag path from the root, ``mask`` the regions around an element (those of ``html`` and ``body`` say
    nothing and are left out), ``own`` its own, ``record`` the nearest element, itself included, that is one of several
    siblings of one tag that hold links (-1: none), ``siblings`` the numbers of those siblings by (parent, tag).
    """

    path: dict[int, str] = field(default_factory=dict)
    mask: dict[int, int] = field(default_factory=dict)
    own: dict[int, int] = field(default_factory=dict)
    record: dict[int, int] = field(default_factory=dict)
    siblings: dict[tuple[int, str], list[int]] = field(default_factory=dict)

    def next_sibling(self, tree: Tree, element: int) -> int:
        """Number of the element with which the record after ``element`` begins."""
        family = self.siblings[tree.parents[element], tree.tags[element]]
        place = bisect_left(family, element) + 1
        return family[place] if place < len(family) else tree.ends[tree.parents[element]]


def build_regions(tree: Tree, anchors: list[int]) -> Regions:
    """Regions of ``anchors`` and all their ancestors, one pass down."""
    regions = Regions()
    holders = _holders(tree.parents, anchors)
    tags, parents, siblings = tree.tags, tree.parents, regions.siblings
    for element in holders:
        siblings.setdefault((parents[element], tags[element]), []).append(element)
    most = max(3, int(_WRAPPER * len(anchors)))
    path, mask, own, record = regions.path, regions.mask, regions.own, regions.record
    for element in holders:
        tag, parent = tags[element], parents[element]
        if parent < 0 or tag == "body":
            path[element], mask[element], own[element], record[element] = tag, 0, 0, -1
            continue
        attributes = tree.nodes[element].attrib
        named = f"{attributes.get('class', '')} {attributes.get('id', '')}" if len(attributes) else ""
        mine = _TAG_BIT.get(tag, 0) | (_named(named) if named else 0)
        if mine & _LOCAL and _held(anchors, element, tree.ends[element]) > most:
            mine &= ~_LOCAL
        path[element], own[element] = f"{path[parent]}/{tag}", mine
        mask[element] = mask[parent] | mine
        record[element] = element if len(siblings[parent, tag]) > 1 else record[parent]
    return regions


def _held(anchors: list[int], start: int, end: int) -> int:
    return bisect_left(anchors, end) - bisect_left(anchors, start)


def _holders(parents: list[int], anchors: list[int]) -> list[int]:
    """Elements that are or hold an anchor, in document order."""
    seen: set[int] = set()
    for anchor in anchors:
        while anchor >= 0 and anchor not in seen:
            seen.add(anchor)
            anchor = parents[anchor]
    return sorted(seen)


@lru_cache(maxsize=16_384)
def _named(text: str) -> int:
    """Regions that class and id words speak of.

    >>> bool(_named("main-menu") & _BIT["nav"] or _named("navMenu") & _BIT["nav"]), _named("zz")
    (True, 0)
    """
    mask = 0
    for word in _NAME.findall(text[:200]):
        mask |= _WORD_BIT.get(word.lower(), 0)
    return mask
