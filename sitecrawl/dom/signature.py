"""What a page is built like: the set of its block paths, and how much two sets share (Wang et al. 2018, section 3.2)."""

from __future__ import annotations

import re
from typing import Any
from zlib import crc32

from lxml import etree

CONTAINERS = frozenset(
    "div section article main header footer nav aside form table ul ol dl td h1 h2 fieldset center".split()
)
_DEEPEST = 14
_MOST = 400
_MOST_CLASSES = 40
_PAGE_OWN = re.compile(r"\d|[0-9a-f]{8}")


def signature(root: etree._Element) -> frozenset[int]:
    """Numbers of the page's containers: tag path, own name and its parent's (id, class token; no digits), by CRC-32.

    A name that is a page's own spoils only its element. At most 400 numbers, no deeper than 14; repeated blocks count once.
    """
    found: set[int] = set()
    tags: list[int] = [0]
    names: list[int] = [0]
    walk: Any = etree.iterwalk(root, events=("start", "end"), tag=tuple(CONTAINERS))
    for event, node in walk:
        if event == "end":
            tags.pop()
            names.pop()
            continue
        tags.append(crc32(str(node.tag).encode(), tags[-1]))
        names.append(crc32(step_name(node).encode()))
        if len(tags) <= _DEEPEST and len(found) < _MOST:
            found.add(tags[-1] ^ names[-1] ^ (names[-2] << 1 & 0xFFFFFFFF))
    return frozenset(found)


def outer_classes(root: etree._Element) -> list[str]:
    """Classes of the page and of its body, sorted; those with digits are one page's own."""
    outer = [root, *root.iterchildren("body")]
    words = {word for node in outer for word in (node.get("class") or "").split()[:_MOST_CLASSES]}
    return sorted(word for word in words if not _PAGE_OWN.search(word))


def step_name(node: etree._Element) -> str:
    """Tag, id and first class token of an element, without what is the page's own.

    >>> step_name(etree.HTML('<div id="main" class="post-123 wide">').find(".//div"))
    'div#main.wide'
    """
    tag, ident, classes = str(node.tag), node.get("id"), node.get("class")
    if ident and not _PAGE_OWN.search(ident):
        tag += f"#{ident}"
    token = next((token for token in (classes or "").split() if not _PAGE_OWN.search(token)), None)
    return f"{tag}.{token}" if token else tag


def similarity(one: frozenset[int], other: frozenset[int]) -> float:
    """|A and B| / min(|A|, |B|), 0..1.

    >>> similarity(frozenset({1, 2, 3}), frozenset({2, 3, 4, 5}))
    0.6666666666666666
    """
    return len(one & other) / min(len(one), len(other)) if one and other else float(one == other)
