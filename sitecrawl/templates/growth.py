"""Growth of units: a text whose author stands in the next cell belongs to the row that holds both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from lxml import etree

from sitecrawl.dom.align import Names, addresses_of
from sitecrawl.templates.address import is_address
from sitecrawl.templates.sheet import Sheet
from sitecrawl.templates.signs import Signs
from sitecrawl.templates.units import Unit, found_by, holders, points, some, speaks

_HALF = 0.5
_STRAY = 0.1
"""Share of the elements that may stand less deep than the rest."""
_PRECISE, _COMPLETE = 0.35, 0.9
"""Shares: of what an address finds that are units, of the units that it finds."""


def grown(unit: Unit, sheets: Sequence[Sheet], names: Names, signs: Signs) -> Unit:
    """The largest elements around each of the unit's, where date or author stand there and not in the unit itself."""
    own = _most(unit.sample, signs)
    if own == (True, True):
        return unit
    around = _around(unit.pages)
    outer = [node for page in around for node in page]
    if not outer or sum(_most(some(outer), signs)) <= sum(own):
        return unit
    found = {
        address: {node for page in found_by(address, sheets) for node in page} for address in _addresses(around, names)
    }
    good = [address for address, nodes in found.items() if len(nodes.intersection(outer)) >= _COMPLETE * len(outer)]
    best = min(good, key=lambda address: (len(found[address]), not speaks(address)), default="")
    if not best or len(outer) < _PRECISE * len(found[best]):
        return unit
    return Unit(best, unit.called, around)


def _most(nodes: Sequence[etree._Element], signs: Signs) -> tuple[bool, bool]:
    """Whether most of ``nodes`` hold a date, and whether most hold the name of an author."""
    dated, signed = sum(map(signs.dated, nodes)), sum(map(signs.signed, nodes))
    return dated > _HALF * len(nodes), signed > _HALF * len(nodes)


def _around(pages: Sequence[list[etree._Element]]) -> list[list[etree._Element]]:
    """For each page the highest elements that hold one of its units and stand equally far above it."""
    chains = [[_chain(node, held) for node in page] for page in pages if len(page) > 1 for held in [holders(page)]]
    depths = sorted(len(chain) for page in chains for chain in page)
    depth = depths[int(_STRAY * len(depths))] if depths else 0
    if depth == 0:
        return []
    return [[chain[depth - 1] for chain in page if len(chain) >= depth] for page in chains]


def _chain(node: etree._Element, held: Counter[etree._Element]) -> list[etree._Element]:
    """The elements above ``node`` that hold no other unit, nearest first."""
    chain: list[etree._Element] = []
    for above in node.iterancestors():
        if held[above] > 1 or above.tag in ("body", "html") or held[node]:
            break
        chain.append(above)
    return chain


def _addresses(pages: Sequence[list[etree._Element]], names: Names) -> Iterator[str]:
    """Addresses that may find all these elements: by their own names, else as children of what holds them."""
    nodes = [node for page in pages for node in page]
    ways = Counter(way for node in nodes for way in points(node, names))
    yield from (address for address, _ in ways.most_common(6) if is_address(address))
    parent = nodes[0].getparent()
    if parent is not None:
        children = (f"{address}/{nodes[0].tag!s}" for address in addresses_of(parent, names))
        yield from filter(is_address, children)
