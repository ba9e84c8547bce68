"""What pages of one template share: block paths (Wang et al. 2018, section 4.2), stable names, and
XPaths that match on several pages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import Any
from zlib import crc32

from lxml import etree

from sitecrawl.dom.document import Document
from sitecrawl.dom.nodes import class_of
from sitecrawl.limits import LIMITS, cached

CONTAINERS = frozenset(
    "div section article main header footer nav aside form table ul ol dl td h1 h2 fieldset center".split()
)
_PAGE_OWN = re.compile(
    r"\d|[0-9a-f]{8}"
)  # names of a single page: they contain a number or a digest


def signature(root: etree._Element, *, most: int = 400, levels: int = 14) -> frozenset[int]:
    """Digests of the page's containers: CRC-32 of the tag path, xor those of the own and of the
    parent's name (:func:`step_name`). Repeated blocks count once. Templates differ in their outer
    elements, so only containers with at most ``levels`` containers around them count, at most
    ``most``."""
    found: set[int] = set()
    places: dict[etree._Element | None, tuple[int, int, int]] = {None: (1, 0, 0)}
    names: dict[tuple[str, str | None, str | None], int] = {}
    paths: dict[tuple[str, int], int] = {}
    for node in root.iter(*CONTAINERS):
        above = node.getparent()
        between = []
        while above not in places:
            between.append(above)
            above = above.getparent()  # type: ignore[union-attr]  # the place of None is known
        place = places[above]
        for inner in between:
            places[inner] = place
        depth, path, parent = place
        tag: Any = node.tag
        path_key = tag, path
        if path_key not in paths:
            paths[path_key] = crc32(tag.encode(), path)
        name_key = tag, node.get("id"), node.get("class")
        if name_key not in names:
            names[name_key] = crc32(step_name(*name_key).encode())
        path, name = paths[path_key], names[name_key]
        places[node] = depth + 1, path, name
        if depth < levels:
            found.add(path ^ name ^ (parent << 1 & 0xFFFFFFFF))
            if len(found) == most:
                break
    return frozenset(found)


@cached(4_096)
def step_name(tag: str, ident: str | None, classes: str | None) -> str:
    """Tag, id and first class token of an element, without names of a single page.

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


_DIGITS = re.compile(
    r"\d{2}|^\d|[0-9a-f]{8}"
)  # names that may be numbered by page: "post-123", hashes
_MOST_STEPS = 60  # of an address
_Steps = dict[etree._Element, str]
_Begins = dict[etree._Element, tuple[str, int]]
_TOKEN = re.compile(
    r"[^\s\"'<>&\x00-\x1f]{1,60}"
)  # characters that addresses of templates may contain


class Names:
    """Class tokens and ids of the template: those on half of the pages. A name with a number must
    be on two, and on all pages but one."""

    def __init__(self, trees: Sequence[Document]) -> None:
        self._trees = trees
        # of bare paths, and of those that begin at a name
        self._steps: tuple[_Steps, _Steps] = ({}, {})
        self._begins: tuple[_Begins, _Begins] = ({}, {})
        self._tokens: dict[str, list[str]] = {}
        self._stable: dict[str, bool] = {}

    def is_stable(self, name: str) -> bool:
        """Whether a class token (``.wide``) or id (``#main``) is one of the template."""
        if name not in self._stable:
            count, pages = sum(name in document.named for document in self._trees), len(self._trees)
            least = max(2, pages - 1) if _DIGITS.search(name) else pages / 2
            self._stable[name] = count >= least and _TOKEN.fullmatch(name[1:]) is not None
        return self._stable[name]

    def is_shared(self, token: str) -> bool:
        """Whether a class token stands on two pages or more: what only some pages have, such as
        comments, may still have a name."""
        is_name = _TOKEN.fullmatch(token) is not None and not _DIGITS.search(token)
        return is_name and sum(f".{token}" in document.named for document in self._trees) > 1

    def path(self, node: etree._Element, named: bool = True) -> str:
        """Address of an element by the steps to it. They begin at the root, or if ``named`` at the
        nearest element around it with an id. Empty for more than ``_MOST_STEPS``: no address has so
        many, and those of all elements in a deep nest would take quadratic time."""
        above, steps = self._above(node.getparent(), named)
        return "" if steps >= _MOST_STEPS else f"{above}/{self._step(node, named)}"

    def _above(self, node: etree._Element | None, named: bool) -> tuple[str, int]:
        """Where the addresses of the children of an element begin, and how many steps that has.
        Kept, because the addresses of all elements below it share it."""
        known = self._begins[named]
        waiting = []
        while node is not None and node not in known:
            ident = self.ident(node) if named else None
            if ident:
                known[node] = f'id("{ident}")', 0
                break
            waiting.append(node)
            node = node.getparent()
        begin = known[node] if node is not None else ("", 0)
        for inner in reversed(waiting):
            text, steps = begin
            text = f"{text}/{self._step(inner, named)}" if steps < _MOST_STEPS else ""
            begin = known[inner] = text, steps + 1
        return begin

    def _step(self, node: etree._Element, named: bool) -> str:
        """The step to an element."""
        known = self._steps[named]
        if node not in known:
            is_root = node.getparent() is None
            known[node] = str(node.tag) if is_root else step(node, self if named else None)
        return known[node]

    def tokens(self, node: etree._Element) -> list[str]:
        """Stable class tokens of an element."""
        return self.tokens_of(node.get("class") or "")

    def tokens_of(self, classes: str) -> list[str]:
        """Stable tokens of the value of a class attribute."""
        if classes not in self._tokens:
            self._tokens[classes] = [
                token for token in classes.split() if self.is_stable("." + token)
            ]
        return self._tokens[classes]

    def ident(self, node: etree._Element) -> str | None:
        """The element's id if it is stable."""
        ident = node.get("id")
        return ident if ident and self.is_stable("#" + ident) else None


def addresses_of(node: etree._Element, names: Names) -> list[str]:
    """Addresses of ``node`` from the root, fastest first: id, path with class names, class
    anywhere, bare path."""
    found = []
    ident = names.ident(node)
    if ident:
        found.append(f'id("{ident}")')
    found.append(names.path(node))
    tokens = names.tokens(node)[
        :3
    ]  # further names of an element seldom find it where the first three do not
    if tokens:
        found.extend(f"//{node.tag!s}{has_token(token)}" for token in tokens)
    elif node.tag in ("article", "main", "h1", "time"):
        found.append(f"//{node.tag!s}")
    found.append(names.path(node, False))
    return [*dict.fromkeys(filter(None, found))]


def step(node: etree._Element, names: Names | None) -> str:
    """One child step: the tag, a class token if there is a stable one, and a position if that is
    not unique. Beyond ``LIMITS.children`` siblings there are no positions: counting them for each
    child takes quadratic time."""
    tag = str(node.tag)
    ahead = list(islice(node.itersiblings(tag, preceding=True), LIMITS.children))
    is_far = len(ahead) == LIMITS.children
    tokens = names.tokens(node) if names else []
    if tokens:
        tag += has_token(tokens[0])
        ahead = _with_token(ahead, tokens[0])
    if is_far:
        return tag
    if ahead:
        return f"{tag}[{len(ahead) + 1}]"
    behind = list(islice(node.itersiblings(str(node.tag)), LIMITS.children if tokens else 1))
    if tokens:
        behind = _with_token(behind, tokens[0])
    return f"{tag}[1]" if behind else tag


def _with_token(nodes: list[etree._Element], token: str) -> list[etree._Element]:
    """Those elements that have a class token."""
    classes = map(class_of, nodes)
    return [
        node
        for node, own in zip(nodes, classes, strict=True)
        if own and token in own and token in own.split()
    ]


def has_token(token: str) -> str:
    """The XPath predicate for a class token."""
    return f'[contains(concat(" ", @class, " "), " {token} ")]'
