"""The body's container: the element whose address holds, on every page, what the pages agree to be the body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lxml import etree

from sitecrawl.dom.align import Names, addresses_of, path_from_end
from sitecrawl.templates.address import is_address
from sitecrawl.templates.sheet import Sheet

_MOST = 40
"""Candidate addresses that are tried."""
_PLACES = 3
"""Addresses of a container that are kept beside the one counted from the end."""
_COVER = 0.4
"""Share of a page's kept words that an element must hold to be a candidate."""


@dataclass(slots=True)
class Container:
    """Addresses that find the same element on each page, and that element (None where they find none)."""

    addresses: list[str]
    nodes: list[etree._Element | None]
    score: float = 0.0


def containers_of(sheets: Sequence[Sheet], names: Names) -> list[Container]:
    """Candidates for the body's container, best first, at most six."""
    votes: dict[str, int] = {}
    for sheet in sheets:
        for element in _candidates(sheet):
            for address in addresses_of(sheet.page.tree.nodes[element], names):
                votes[address] = votes.get(address, 0) + 1
    likely = sorted((address for address in votes if is_address(address)), key=lambda address: -votes[address])
    groups: dict[tuple[int, ...], Container] = {}
    for address in likely[: _MOST * 3]:
        nodes = [_resolve(address, sheet) for sheet in sheets]
        key = tuple(
            sheet.number.get(node, -1) if node is not None else -1 for sheet, node in zip(sheets, nodes, strict=True)
        )
        groups.setdefault(key, Container([], nodes)).addresses.append(address)
    for group in groups.values():
        group.score = _score(group, sheets)
    best = sorted(groups.values(), key=lambda group: -group.score)[:6]
    for group in best:
        group.addresses = list(dict.fromkeys([*group.addresses[:_PLACES], *_from_end(group)]))
    return best


def _from_end(group: Container) -> list[str]:
    """The address counted from the end, where it is the same on all pages."""
    found = {path_from_end(node) for node in group.nodes if node is not None}
    return [address for address in found if len(found) == 1 and is_address(address)]


def _resolve(address: str, sheet: Sheet) -> etree._Element | None:
    """The one element at ``address``, None when there are none or several, or it is beyond what is looked at of the page."""
    found = sheet.find(address)
    return found[0] if len(found) == 1 and found[0] in sheet.number else None


def _candidates(sheet: Sheet) -> list[int]:
    """Elements from the root down along the greatest share of kept words."""
    if not sheet.total:
        return []
    tree, found, at = sheet.page.tree, [], 0
    while at >= 0:
        found.append(at)
        inner = [(sheet.words(child)[0], child) for child in tree.children(at)]
        best = max(inner, default=(0.0, -1))
        at = best[1] if best[0] >= _COVER * sheet.total else -1
    return found[1:]


def _score(group: Container, sheets: Sequence[Sheet]) -> float:
    """Mean over pages of how much of the kept words the element holds, less a little for foreign ones."""
    total = 0.0
    for sheet, node in zip(sheets, group.nodes, strict=True):
        if node is None or not sheet.total:
            continue
        good, bad, same = sheet.words(sheet.number[node])
        total += good / sheet.total - 0.25 * bad / (good + bad + 1) - 0.1 * same / (good + same + 1)
    return total / len(sheets)
