"""Repeated structure by tags alone: siblings, or elements anywhere on a page, that are built alike, and addresses that find just them.

As in MDR (Liu, Grossman and Zhai 2003) what repeats is looked for among the children of one parent; likeness is that of sets
of tag paths, which is linear in the elements, instead of an edit distance.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from lxml import etree

from sitecrawl.dom.align import Names, addresses_of
from sitecrawl.dom.tree import Tree
from sitecrawl.templates.address import is_address
from sitecrawl.templates.sheet import Sheet

_TAGS = frozenset("div li article section tr td table dl dt dd form blockquote".split())
_TEXTS, _GROUPS = 2, 12
"""Texts of a record at least (a name or date, and what was said), and groups of a page that are tried."""
_LONG = 60
"""Characters outside of links of an element that may be a record with one text."""
_BOXES = _TAGS | frozenset("ul ol table tbody header footer main aside".split())
_SCATTERED = 3
"""Parents at least of elements that are alike wherever they stand."""
_STRAY = 0.2
"""Share of other elements that an address may find beside those it is meant for."""
_KINDS = 4
"""Kinds of children that one parent may have; more are no repetition."""
_ALIKE = 0.5
"""Share of the smaller one's tag paths that two elements of one kind have in common."""


def repeats(sheet: Sheet, names: Names) -> dict[str, float]:
    """Addresses of elements that repeat on a page, each with several texts, and their share of the page's text beside links."""
    tree, shapes = sheet.page.tree, _Shapes(sheet)
    texts, chars = _sizes(tree)
    groups = _sibling_groups(tree, texts, chars) + _scattered_groups(tree, texts)
    weights = [sum(chars[at] for at in group) for group in groups]
    found: dict[str, float] = {}
    for number in sorted(range(len(groups)), key=lambda number: -weights[number])[:_GROUPS]:
        for kind in _kinds([tree.nodes[at] for at in groups[number]], shapes):
            share = sum(chars[sheet.number[node]] for node in kind) / max(1, chars[0])
            for address in _addresses(kind, shapes, names):
                found[address] = max(share, found.get(address, 0.0))
    return found


class _Shapes:
    """What elements of a page are built like, and how many of those that an address finds have a tag path; each looked up once."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet
        self._known: dict[etree._Element, frozenset[str]] = {}
        self._found: dict[str, tuple[frozenset[etree._Element], Counter[str]]] = {}

    def of(self, node: etree._Element) -> frozenset[str]:
        if node not in self._known:
            self._known[node] = frozenset(_shape(node))
        return self._known[node]

    def found(self, address: str) -> tuple[frozenset[etree._Element], Counter[str]]:
        """The elements with children that ``address`` finds, and the counts of their tag paths."""
        if address not in self._found:
            told = self._sheet.find(address) if is_address(address) else []  # a tag of another namespace has none
            nodes = frozenset(node for node in told if len(node))
            self._found[address] = nodes, self.count(nodes)
        return self._found[address]

    def count(self, nodes: Iterable[etree._Element]) -> Counter[str]:
        counts: Counter[str] = Counter()
        for node in nodes:
            counts.update(self.of(node))
        return counts


def _sizes(tree: Tree) -> tuple[list[int], list[int]]:
    """Number of texts of every element, and their characters outside of links.

    What only readers without scripts see is counted as well: forums whose pages scripts draw give their posts there.
    """
    linked: list[bool] = []
    for tag, parent in zip(tree.tags, tree.parents, strict=True):
        linked.append(tag == "a" or (parent >= 0 and linked[parent]))
    sums = [0, *accumulate(0 if linked[at] else len(text) for text, at in zip(tree.chunks, tree.owners, strict=True))]
    spans = list(zip(tree.first, tree.last, strict=True))
    texts, chars = [last - first for first, last in spans], [sums[last] - sums[first] for first, last in spans]
    end = 0
    for at, tag in enumerate(tree.tags):
        if tag == "noscript" and at >= end and tree.ends[at] - at > _TEXTS:
            end = tree.ends[at]
            _count_hidden(tree, at, texts, chars)
    return texts, chars


def _count_hidden(tree: Tree, start: int, texts: list[int], chars: list[int]) -> None:
    """Texts and characters of the elements below ``start``, which the tree left out."""
    for at in range(tree.ends[start] - 1, start - 1, -1):
        node = tree.nodes[at]
        own = [text for text in (node.text, *(child.tail for child in node)) if text and text.strip()]
        texts[at] = len(own) + sum(texts[child] for child in tree.children(at))
        chars[at] = sum(map(len, own)) + sum(chars[child] for child in tree.children(at))


def _sibling_groups(tree: Tree, texts: Sequence[int], chars: Sequence[int]) -> list[list[int]]:
    """Children of one tag by parent, with several texts or a long one: name and date may stand in the row above."""
    groups: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
    for at, tag in enumerate(tree.tags):
        parent = tree.parents[at]
        if tag in _TAGS and (texts[at] >= _TEXTS or chars[at] >= _LONG) and parent > 0 and tree.tags[parent] != "body":
            groups[parent, tag].append(at)
    return [group for group in groups.values() if len(group) > 1]


def _scattered_groups(tree: Tree, texts: Sequence[int]) -> list[list[int]]:
    """Elements below several parents whose tags agree from the parent to the grandchildren: answers to answers, each in a box of its own."""
    inner: defaultdict[int, set[str]] = defaultdict(set)
    for at, tag in enumerate(tree.tags):
        if tag in _BOXES:
            inner[tree.parents[at]].add(tag)
    below: defaultdict[int, set[tuple[str, frozenset[str]]]] = defaultdict(set)
    for at, tag in enumerate(tree.tags):
        if tag in _BOXES:
            below[tree.parents[at]].add((tag, frozenset(inner[at])))
    groups: defaultdict[tuple[str, str, frozenset[object]], list[int]] = defaultdict(list)
    for at, tag in enumerate(tree.tags):
        if tag in _TAGS and texts[at] >= _TEXTS and below[at]:
            groups[tree.tags[tree.parents[at]], tag, frozenset(below[at])].append(at)
    return [group for group in groups.values() if len({tree.parents[at] for at in group}) >= _SCATTERED]


def _kinds(nodes: Sequence[etree._Element], shapes: _Shapes) -> list[list[etree._Element]]:
    """``nodes`` parted by how they are built; those that stand alone are left out."""
    kinds: list[tuple[frozenset[str], list[etree._Element]]] = []
    for node in nodes:
        shape = shapes.of(node)
        kind = max(kinds, key=lambda kind: _likeness(kind[0], shape), default=None)
        if kind is not None and _likeness(kind[0], shape) >= _ALIKE:
            kind[1].append(node)
        elif len(kinds) < _KINDS:
            kinds.append((shape, [node]))
    return [kind for _, kind in kinds if len(kind) > 1]


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """Shared tag paths by all of both.

    >>> _likeness(frozenset({"a", "b"}), frozenset({"a", "b", "c", "d"}))
    0.5
    """
    return len(one & other) / len(one | other) if one and other else float(one == other)


def _addresses(kind: Sequence[etree._Element], shapes: _Shapes, names: Names) -> Iterator[str]:
    """Addresses of these elements: children of what holds them or of its tag; a tag path inside tells them from others."""
    parent, tag = kind[0].getparent(), str(kind[0].tag)
    if parent is None:
        return
    anywhere = f"//{parent.tag!s}"
    together = all(node.getparent() is parent for node in kind)
    own = shapes.count(kind)
    for place in [anywhere, *addresses_of(parent, names)] if together else [anywhere]:
        telling, left = _telling(kind, own, shapes.found(f"{place}/{tag}"))
        if place is not anywhere or left <= _STRAY * len(kind):
            yield f"{place}/{tag}{telling}"


def _telling(
    kind: Sequence[etree._Element], own: Counter[str], found: tuple[frozenset[etree._Element], Counter[str]]
) -> tuple[str, int]:
    """A predicate with a tag path that all of ``kind`` have and few others of those found, empty where none helps; how many others are left."""
    others = len(found[0].difference(kind))
    shared = (path for path, count in own.items() if count == len(kind))
    best = min(shared, key=lambda path: (found[1][path], path.count("/"), path), default="")
    left = found[1][best] - len(kind)
    return (f"[{best}]", left) if others and best and left < others else ("", others)


def alike(nodes: list[etree._Element]) -> list[etree._Element]:
    """Those of ``nodes`` that are built like most of them: they have half of the tag paths that at least half of them have."""
    shapes = [frozenset(_shape(node)) for node in nodes]
    counts = Counter(path for shape in shapes for path in shape)
    usual = {path for path, count in counts.items() if 2 * count >= len(nodes)}
    return [node for node, shape in zip(nodes, shapes, strict=True) if 2 * len(shape & usual) >= len(usual)]


def _shape(node: etree._Element) -> Iterator[str]:
    """Tag paths of an element's first descendants, three steps deep."""
    for child in node:
        yield str(child.tag)
        for inner in child:
            yield f"{child.tag!s}/{inner.tag!s}"
            yield from (f"{child.tag!s}/{inner.tag!s}/{last.tag!s}" for last in inner)
