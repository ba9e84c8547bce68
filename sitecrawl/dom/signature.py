"""What a page is built like: the set of its block paths, and how much two sets share (Wang et al. 2018, section 3.2)."""

from __future__ import annotations

import re
from functools import lru_cache
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
    places: dict[etree._Element | None, tuple[int, int, int]] = {None: (1, 0, 0)}
    for node in root.iter(*CONTAINERS):
        above, between = node.getparent(), []
        while above is not None and above not in places:
            between.append(above)
            above = above.getparent()
        depth, path, parent = place = places[above]
        places.update(dict.fromkeys(between, place))
        tag = str(node.tag)
        path, name = crc32(tag.encode(), path), _number(tag, node.get("id"), node.get("class"))
        places[node] = depth + 1, path, name
        if depth < _DEEPEST:
            found.add(path ^ name ^ (parent << 1 & 0xFFFFFFFF))
            if len(found) == _MOST:
                break
    return frozenset(found)


def outer_classes(root: etree._Element) -> list[str]:
    """Classes of the page and of its body, sorted; those with digits are one page's own."""
    outer = [root, *root.iterchildren("body")]
    words = {word for node in outer for word in (node.get("class") or "").split()[:_MOST_CLASSES]}
    return sorted(word for word in words if not _PAGE_OWN.search(word))


@lru_cache(maxsize=4_096)
def _number(tag: str, ident: str | None, classes: str | None) -> int:
    return crc32(step_name(tag, ident, classes).encode())


def step_name(tag: str, ident: str | None, classes: str | None) -> str:
    """Tag, id and first class token of an element, without what is the page's own.

    >>> step_name("div", "main", "post-123 wide")
    'div#main.wide'
    """
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
