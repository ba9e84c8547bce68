"""The links of a page as they are written: address, text, and what their attributes and pictures say."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from lxml import etree

from sitecrawl.dom.tree import Tree
from sitecrawl.links.texts import words_of
from sitecrawl.text.chars import fold

ATTRIBUTES = (
    "rel_next",
    "rel_tag",
    "rel_category",
    "rel_author",
    "rel_bookmark",
    "nofollow",
    "blank",
    "itemprop",
    "aria",
    "onclick",
)
_GET, _KEYS = etree._Element.get, etree._Element.keys
_BIT = {name: 1 << number for number, name in enumerate(ATTRIBUTES)}
_REL = {"nofollow": _BIT["nofollow"], "prev": _BIT["rel_next"]}
_REL |= {name.removeprefix("rel_"): bit for name, bit in _BIT.items() if name.startswith("rel_")}
_NAMES = {
    "itemprop": _BIT["itemprop"],
    "aria-label": _BIT["aria"],
    "aria-current": _BIT["aria"],
    "onclick": _BIT["onclick"],
}
"""Attributes whose presence is a flag."""
_SPEAK = frozenset((*_NAMES, "title", "rel", "target"))


@dataclass(slots=True)
class Anchors:
    """Every ``<a href>`` of a page in document order: element number, ``href``, text with folded white space.

    ``flags`` are bits of ``ATTRIBUTES``, ``titles`` the words of the title attribute, ``images`` the pictures inside,
    ``others`` the most words that the title and the first picture have, where there is no text.
    """

    places: list[int]
    hrefs: list[str]
    texts: list[str]
    flags: list[int]
    titles: list[int]
    images: list[int]
    others: list[int]


def read_anchors(tree: Tree, most: int) -> Anchors:
    """The first ``most`` links of a page."""
    nodes, tags, ends = tree.nodes, tree.tags, tree.ends
    named = [(i, _GET(nodes[i], "href")) for i, tag in enumerate(tags) if tag == "a"]
    links = [(i, href) for i, href in named if href is not None][:most]
    places = [i for i, _ in links]
    texts = [_text(tree, i) for i in places]
    anchors = Anchors(places, [href for _, href in links], texts, *([0] * len(places) for _ in range(4)))
    for number, i in enumerate(places):
        names = _KEYS(nodes[i])
        if len(names) > 1 and not _SPEAK.isdisjoint(names):
            anchors.flags[number], anchors.titles[number] = _attributes(nodes[i], names)
            if not texts[number]:
                anchors.others[number] = anchors.titles[number]
        if ends[i] > i + 1:
            inner = tags[i + 1 : ends[i]]
            anchors.images[number] = inner.count("img")
            if anchors.images[number] and not texts[number]:
                described = words_of(fold(nodes[i + 1 + inner.index("img")].get("alt")))
                anchors.others[number] = max(described, anchors.others[number])
    return anchors


def _text(tree: Tree, number: int) -> str:
    """Text of a link, mostly one chunk or none."""
    first, last = tree.first[number], tree.last[number]
    if first == last:
        return ""
    return " ".join((tree.chunks[first] if last == first + 1 else " ".join(tree.chunks[first:last])).split())


def _attributes(node: etree._Element, names: list[str]) -> tuple[int, int]:
    """Flags of the attributes, words of the title."""
    flags = title = 0
    for name in names:
        if name == "title":
            title = words_of(fold(node.get(name)))
        elif name == "rel":
            flags |= _rel(node.get(name, ""))
        elif name == "target":
            flags |= _BIT["blank"] * (node.get(name) == "_blank")
        elif name in _NAMES:
            flags |= _NAMES[name]
    return flags, title


@lru_cache(maxsize=256)
def _rel(text: str) -> int:
    """Flags of a ``rel`` attribute.

    >>> _rel("next nofollow") == _rel("PREV nofollow") == _BIT["rel_next"] | _BIT["nofollow"]
    True
    """
    flags = 0
    for word in text.lower().split():
        flags |= _REL.get(word, 0)
    return flags
