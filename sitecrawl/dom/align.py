"""What pages of one template share: block paths (Wang et al. 2018, section 4.2), stable names, and
XPaths that match on several pages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain, islice
from zlib import crc32

from lxml import etree

from sitecrawl.dom.document import Document
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
    for node in root.iter(*CONTAINERS):
        above, between = node.getparent(), []
        while above is not None and above not in places:
            between.append(above)
            above = above.getparent()
        depth, path, parent = place = places[above]
        places.update(dict.fromkeys(between, place))
        tag = str(node.tag)
        path, name = (
            crc32(tag.encode(), path),
            crc32(step_name(tag, node.get("id"), node.get("class")).encode()),
        )
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
_TOKEN = re.compile(
    r"[^\s\"'<>&\x00-\x1f]{1,60}"
)  # characters that addresses of templates may contain


class Names:
    """Class tokens and ids of the template: those on half of the pages. A name with a number must
    be on two, and on all pages but one."""

    def __init__(self, trees: Sequence[Document]) -> None:
        self._trees = trees
        self._steps: tuple[dict[etree._Element, str], dict[etree._Element, str]] = ({}, {})
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

    def path(self, node: etree._Element, named: bool = True, *, most: int = 60) -> str:
        """Address of an element by the steps to it. They begin at the root, or if ``named`` at the
        nearest element around it with an id. Empty for more than ``most`` steps: no address has so
        many, and those of all elements in a deep nest would take quadratic time."""
        steps = list[str]()
        for at in chain([node], node.iterancestors()):
            ident = self.ident(at) if named and at is not node else None
            if ident:
                return "/".join([f'id("{ident}")', *reversed(steps)])
            if len(steps) == most:
                return ""
            steps.append(self._step(at, named))
        return "/" + "/".join(reversed(steps))

    def _step(self, node: etree._Element, named: bool) -> str:
        """The step to an element, kept because the addresses of all elements below it share it."""
        steps = self._steps[named]
        if node not in steps:
            steps[node] = (
                step(node, self if named else None)
                if node.getparent() is not None
                else str(node.tag)
            )
        return steps[node]

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
    token = next(iter(names.tokens(node)), None) if names else None
    name = str(node.tag) + (has_token(token) if token else "")

    def is_like(other: etree._Element) -> bool:
        classes = (other.get("class") or "") if token else ""
        return token is None or (token in classes and token in classes.split())

    ahead = list(islice(node.itersiblings(str(node.tag), preceding=True), LIMITS.children))
    before = sum(map(is_like, ahead))
    is_alone = not before and not any(
        map(is_like, islice(node.itersiblings(str(node.tag)), LIMITS.children))
    )
    return name if is_alone or len(ahead) == LIMITS.children else f"{name}[{before + 1}]"


def has_token(token: str) -> str:
    """The XPath predicate for a class token."""
    return f'[contains(concat(" ", @class, " "), " {token} ")]'
