"""The parts of records: elements below (or beside) the repeated units, by the addresses that may name them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from lxml import etree

from sitecrawl.dom.align import Names, has_token
from sitecrawl.templates.address import is_address, text_of
from sitecrawl.templates.comments.signs import AUTHOR, profile_stem

PLAIN = frozenset("cite time blockquote p h2 h3 h4 h5 a b strong abbr em i dt dd".split())
"""Tags by which an element is named where it has no class."""
_QUOTED = re.compile(r'"([^"]*)"')
_STEM = re.compile(r"([A-Za-z][A-Za-z_:.-]{2,40}?)\d+")
_WORD = re.compile(r"[\w:.-]{1,40}")
_ELEMENTS = 600
"""Elements of one unit that are looked at."""
_LEAST = 0.6
"""Share of the units that an address must find something in."""
_BESIDE = 2
"""Siblings before and after a unit that may belong to it."""


@dataclass(slots=True, eq=False)
class Part:
    """An address below the unit, and the first element it finds in each unit (None in some); ``count`` is all it finds."""

    address: str
    nodes: list[etree._Element | None]
    count: int


def parts_of(units: Sequence[etree._Element], names: Names, way: str = "names") -> list[Part]:
    """Addresses that find something in most of ``units``.

    ``way`` is ``names`` for addresses by class, id, link or tag; ``paths`` for bare paths; ``beside`` for what stands
    next to the units, up to the next one.
    """
    found: defaultdict[str, list[etree._Element | None]] = defaultdict(lambda: [None] * len(units))
    counts: defaultdict[str, int] = defaultdict(int)
    marks = frozenset(units)
    for number, unit in enumerate(units):
        for address, node in _WAYS[way](unit, marks, names):
            counts[address] += 1
            first = found[address][number]
            if first is None or (is_empty(first) and not is_empty(node)):
                found[address][number] = node
    return [
        Part(address, nodes, counts[address])
        for address, nodes in found.items()
        if sum(node is not None for node in nodes) >= _LEAST * len(units) and is_address(address)
    ]


def names_in(part: Part) -> str:
    """The names in an address, blanks between them."""
    return " ".join(quoted(part.address)).replace("  ", " ")


def quoted(address: str) -> list[str]:
    """What stands between quotes in an address."""
    return _QUOTED.findall(address)


def length_of(part: Part) -> float:
    """Mean length of the texts, in characters."""
    found = [text_of(node) for node in part.nodes if node is not None]
    return sum(map(len, found)) / max(1, len(found))


def own_elements(unit: etree._Element, units: Collection[etree._Element]) -> Iterator[etree._Element]:
    """Elements below ``unit`` in document order, those of units inside it left out."""
    stack = [child for child in reversed(unit) if child not in units]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(child for child in reversed(node) if child not in units)


def is_empty(node: etree._Element) -> bool:
    """Whether an element has neither text nor a date for machines."""
    return not (node.get("datetime") or node.get("content") or any(map(str.strip, node.itertext())))


def id_stem(node: etree._Element) -> str | None:
    """The beginning of an id that ends in a number.

    >>> id_stem(etree.fromstring('<div id="post_message_77"/>'))
    'post_message_'
    """
    found = _STEM.fullmatch(node.get("id") or "")
    return found[1] if found else None


def _beside(
    unit: etree._Element, marks: frozenset[etree._Element], names: Names
) -> Iterator[tuple[str, etree._Element]]:
    yield from _next_to(unit, marks, names, ("preceding", True))
    yield from _next_to(unit, marks, names, ("following", False))


def _paths(
    unit: etree._Element, marks: frozenset[etree._Element], names: Names
) -> Iterator[tuple[str, etree._Element]]:
    """Elements below ``unit`` with their bare paths."""
    yield from _places(".", unit, marks)


def _named(
    unit: etree._Element, marks: frozenset[etree._Element], names: Names
) -> Iterator[tuple[str, etree._Element]]:
    return _parts("./", unit, marks, names)


def _next_to(
    unit: etree._Element, marks: frozenset[etree._Element], names: Names, way: tuple[str, bool]
) -> Iterator[tuple[str, etree._Element]]:
    """Parts of the siblings up to the next unit."""
    nth: defaultdict[str, int] = defaultdict(int)
    for sibling in islice(unit.itersiblings(preceding=way[1]), _BESIDE):
        if sibling in marks or not marks.isdisjoint(sibling.iter()):
            return
        tag = str(sibling.tag)
        nth[tag] += 1
        address = f"./{way[0]}-sibling::{tag}[{nth[tag]}]"
        yield address, sibling
        yield from _parts(address + "/", sibling, marks, names)


def _parts(
    start: str, unit: etree._Element, marks: frozenset[etree._Element], names: Names
) -> Iterator[tuple[str, etree._Element]]:
    """Elements below ``unit`` with their addresses, which begin with ``start``."""
    named: dict[etree._Element, str] = {}
    for place, node in _places(start[:-1], unit, marks):
        parent = node.getparent()
        tokens, above = names.tokens(node)[:3], named.get(parent, "") if parent is not None else ""
        tag = str(node.tag)
        own = f"{start}/{tag}{has_token(max(tokens, key=_tells))}" if tokens else ""
        named[node] = own or above
        for point in _points(node, tag, tokens):
            yield f"{start}/{point}", node
        if above and not own:
            yield f"{above}//{tag}", node
        elif not own:
            yield place, node


def _places(start: str, unit: etree._Element, marks: frozenset[etree._Element]) -> Iterator[tuple[str, etree._Element]]:
    """Elements below ``unit`` with their paths, each step with its position: an optional sibling changes no address before it."""
    places = {unit: start}
    for node in chain((unit,), islice(own_elements(unit, marks), _ELEMENTS)):
        counts: Counter[str] = Counter()
        for child in node.iterchildren("*"):
            tag = str(child.tag)
            counts[tag] += 1
            places[child] = f"{places[node]}/{tag}[{counts[tag]}]"
        if node is not unit:
            yield places[node], node


def _tells(token: str) -> bool:
    """Whether a class token speaks of an author: the one of several to go by."""
    return AUTHOR.search(token) is not None


def _points(node: etree._Element, tag: str, tokens: list[str]) -> Iterator[str]:
    for token in tokens:
        yield f"{tag}{has_token(token)}"
    prop = node.get("itemprop")
    if prop and _WORD.fullmatch(prop):
        yield f'{tag}[@itemprop="{prop}"]'
    if tag == "a" and (stem := profile_stem(node)):
        yield f'a[starts-with(@href, "{stem}")]'
    if stem := id_stem(node):
        yield f'{tag}[starts-with(@id, "{stem}")]'
    if tag in PLAIN:
        yield tag


_WAYS = {"names": _named, "paths": _paths, "beside": _beside}
