"""The body's container, and the rules for what stands inside it and is not body."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from lxml import etree

from sitecrawl.dom.align import Names, addresses_of, has_token, path_from_end
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


_TAGS = frozenset("h1 nav form header footer time aside button dl figcaption".split())
_PURE = 0.12
"""Share of kept words up to which a rule may be used."""
_RULES = 40
"""Rules of one template at most."""
_WORTH = (1.0, 0.8, 0.5, 0.4)
"""What a word taken out is worth by the rule's rank."""
_FOREIGN = 5_000
"""Elements of one page that are to be left out, in document order."""
_TRIED = 50
"""Rules that are tried on every page."""


@dataclass(slots=True)
class Rule:
    """An address below the container: how many kept and dropped words it takes, on which pages, in which elements."""

    address: str
    good: float = 0.0
    bad: float = 0.0
    pages: set[int] = field(default_factory=set)
    elements: set[tuple[int, int]] = field(default_factory=set)


def exclusions_of(sheets: Sequence[Sheet], nodes: Sequence[etree._Element | None], names: Names) -> list[str]:
    """Addresses, relative to the container ``nodes``, of what is left out; greedy, the widest rule first."""
    wanted: dict[tuple[int, int], float] = {}
    weights: dict[str, float] = {}
    held = [
        (page, sheet, node) for page, (sheet, node) in enumerate(zip(sheets, nodes, strict=True)) if node is not None
    ]
    for page, sheet, node in held:
        places = _positions(node)
        for element, words in islice(_foreign(sheet, sheet.number[node]), _FOREIGN):
            wanted[page, element] = words
            found = sheet.page.tree.nodes[element]
            for address in (*features(found, node, names), *places.get(found, ())):
                weights[address] = weights.get(address, 0.0) + words
    likely = sorted((address for address in weights if is_address(address)), key=lambda address: -weights[address])
    rules = [_rule(address, held) for address in likely[:_TRIED]]
    return _cover([rule for rule in rules if _usable(rule, len(sheets))], wanted)


def _rule(address: str, held: Sequence[tuple[int, Sheet, etree._Element]]) -> Rule:
    """What ``address`` takes out of each container, nested finds counted once."""
    rule = Rule(address)
    for page, sheet, node in held:
        end = -1
        for element in sheet.numbers(address, sheet.number[node]):
            rule.elements.add((page, element))
            if element >= end:
                good, bad, same = sheet.words(element)
                rule.good, rule.bad, end = rule.good + good, rule.bad + bad + same, sheet.page.tree.ends[element]
                rule.pages.add(page)
    return rule


def features(node: etree._Element, root: etree._Element, names: Names) -> Iterator[str]:
    """Addresses below ``root`` that would take ``node`` out, most readable first."""
    tag, parent = str(node.tag), node.getparent()
    ident = names.ident(node)
    if ident:
        yield f'.//{tag}[@id="{ident}"]'
    tokens = names.tokens(node)[:4]
    for token in tokens:
        yield f".//{tag}{has_token(token)}"
    if tag in _TAGS:
        yield f".//{tag}"
    if parent is None:
        return
    above = names.tokens(parent)[:2] if parent is not root else []
    for token in above:
        yield f".//{parent.tag!s}{has_token(token)}/{tag}"


def _positions(root: etree._Element) -> dict[etree._Element, list[str]]:
    """Addresses by position of the first three and the last three children of each tag."""
    children: dict[str, list[etree._Element]] = {}
    for node in root.iterchildren():
        children.setdefault(str(node.tag), []).append(node)
    found: dict[etree._Element, list[str]] = {}
    for tag, same in children.items():
        for at, node in enumerate(same[:3]):
            found.setdefault(node, []).append(f"./{tag}[{at + 1}]")
        for back, node in enumerate(same[:-4:-1]):
            found.setdefault(node, []).append(f"./{tag}[last(){f'-{back}' if back else ''}]")
    return found


def _foreign(sheet: Sheet, start: int) -> Iterator[tuple[int, float]]:
    """Largest elements below the container that hold dropped words and no kept ones, with their words."""
    good, bad, same = sheet.held
    ends, at = sheet.page.tree.ends, start + 1
    while at < ends[start]:
        words = bad[at] + same[at]
        if words and not good[at]:
            yield at, words
        at = at + 1 if words and good[at] else ends[at]


def rank(address: str) -> int:
    """How much a rule tells: 0 asks for a name of the element itself, 1 for its tag, 2 for its parent's name, 3 for a position."""
    if not address.startswith(".//"):
        return 3
    last = address.rpartition("/")[2] if address.endswith(("]",)) else ""
    return 0 if last else 1 if address.count("/") == 2 else 2


def _usable(rule: Rule, pages: int) -> bool:
    enough = 2 if pages > 2 else 1
    positional = rank(rule.address) == 3
    if len(rule.pages) < (max(enough, 0.7 * pages) if positional else enough):
        return False
    return rule.bad > 0 and rule.good <= _PURE * (rule.good + rule.bad)


def _cover(rules: list[Rule], wanted: dict[tuple[int, int], float]) -> list[str]:
    """Rules until no further one takes out anything that is still there; names go before tags, tags before positions."""
    left = dict(wanted)
    chosen: list[str] = []
    while left and len(chosen) < _RULES:
        gains = [
            (_WORTH[rank(rule.address)] * sum(left.get(element, 0.0) for element in rule.elements), rule)
            for rule in rules
        ]
        gain, best = max(gains, key=lambda pair: pair[0], default=(0.0, None))
        if best is None or gain <= 0:
            break
        chosen.append(best.address)
        for element in best.elements:
            left.pop(element, None)
    return chosen
