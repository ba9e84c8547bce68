"""The links of a page as they are written: address, text, and what their attributes and pictures say."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from lxml import etree

from sitecrawl.dom.tree import Tree
from sitecrawl.links.texts import words_of
from sitecrawl.values.chars import fold

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


@dataclass(slots=True)
class Anchors:
    """Every ``<a href>`` of a page in document order: element number, ``href``, text with folded white space.

    ``flags`` are bits of ``ATTRIBUTES``, ``titles`` the words of the title attribute, ``images`` the pictures inside,
    ``alts`` the words that describe the first of them where there is no text.
    """

    places: list[int]
    hrefs: list[str]
    texts: list[str]
    flags: list[int]
    titles: list[int]
    images: list[int]
    alts: list[int]


def read_anchors(tree: Tree, most: int) -> Anchors:
    """The first ``most`` links of a page."""
    nodes, chunks, first, last = tree.nodes, tree.chunks, tree.first, tree.last
    named = ((i, nodes[i].get("href")) for i, tag in enumerate(tree.tags) if tag == "a")
    links = [(i, href) for i, href in named if href is not None][:most]
    places, hrefs = [i for i, _ in links], [href for _, href in links]
    texts = [" ".join(" ".join(chunks[first[i] : last[i]]).split()) for i in places]
    anchors = Anchors(places, hrefs, texts, *([0] * len(places) for _ in range(4)))
    for number, i in enumerate(places):
        names = nodes[i].keys()
        if len(names) > 1:
            anchors.flags[number], anchors.titles[number] = _attributes(nodes[i], names)
        if tree.ends[i] > i + 1:
            inner = tree.tags[i + 1 : tree.ends[i]]
            anchors.images[number] = inner.count("img")
            if anchors.images[number] and not texts[number]:
                anchors.alts[number] = words_of(fold(nodes[i + 1 + inner.index("img")].get("alt")))
    return anchors


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
