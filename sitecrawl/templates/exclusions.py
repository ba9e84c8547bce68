"""What stands inside the body's container and is not body: rules that hold over all pages, as addresses below it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from lxml import etree

from sitecrawl.dom.align import Names, has_token
from sitecrawl.templates.address import is_address
from sitecrawl.templates.sheet import Sheet

_TAGS = frozenset("h1 nav form header footer time aside button dl figcaption".split())
_PURE = 0.12
"""Share of kept words up to which a rule may be used."""
_MOST = 40
_BLOCKLESS = 2_000
"""Elements of a container that are looked at."""


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
    rules: dict[str, Rule] = {}
    wanted: dict[tuple[int, int], float] = {}
    for page, (sheet, node) in enumerate(zip(sheets, nodes, strict=True)):
        if node is None:
            continue
        _count(sheet, (page, node), names, rules)
        wanted |= {(page, element): words for element, words in _foreign(sheet, sheet.number[node])}
    usable = [rule for rule in rules.values() if _usable(rule, len(sheets)) and is_address(rule.address)]
    return _cover(usable, wanted)


def _count(sheet: Sheet, where: tuple[int, etree._Element], names: Names, rules: dict[str, Rule]) -> None:
    page, root = where
    start, tree = sheet.number[root], sheet.page.tree
    for element in range(start + 1, min(tree.ends[start], start + _BLOCKLESS)):
        if sheet.first[element] == sheet.last[element]:
            continue
        good, bad, same = sheet.words(element)
        for address in _features(tree.nodes[element], root, names):
            rule = rules.setdefault(address, Rule(address))
            rule.good += good
            rule.bad += bad + same
            rule.pages.add(page)
            rule.elements.add((page, element))


def _features(node: etree._Element, root: etree._Element, names: Names) -> Iterator[str]:
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
        yield f".//{parent.tag}{has_token(token)}/{tag}"
    if parent is root:
        yield from _positions(node, root)


def _positions(node: etree._Element, root: etree._Element) -> Iterator[str]:
    same = list(root.iterchildren(str(node.tag)))
    at = same.index(node)
    if at < 3:
        yield f"./{node.tag}[{at + 1}]"
    back = len(same) - 1 - at
    if back < 3:
        yield f"./{node.tag}[last(){f'-{back}' if back else ''}]"


def _foreign(sheet: Sheet, start: int) -> Iterator[tuple[int, float]]:
    """Largest elements below the container that hold dropped words and no kept ones, with their words."""
    tree, at = sheet.page.tree, start + 1
    while at < tree.ends[start]:
        good, bad, same = sheet.words(at)
        if bad + same and not good:
            yield at, bad + same
            at = tree.ends[at]
        else:
            at += 1


def _usable(rule: Rule, pages: int) -> bool:
    enough = 2 if pages > 2 else 1
    positional = not rule.address.startswith(".//")
    if len(rule.pages) < (max(enough, 0.7 * pages) if positional else enough):
        return False
    return rule.bad > 0 and rule.good <= _PURE * (rule.good + rule.bad)


def _cover(rules: list[Rule], wanted: dict[tuple[int, int], float]) -> list[str]:
    """Rules until no further one takes out anything that is still there."""
    left, chosen = dict(wanted), []
    while left and len(chosen) < _MOST:
        gains = [(sum(left.get(element, 0.0) for element in rule.elements), rule) for rule in rules]
        gain, best = max(gains, key=lambda pair: (pair[0], pair[1].address.startswith(".//")), default=(0.0, None))
        if best is None or gain <= 0:
            break
        chosen.append(best.address)
        for element in best.elements:
            left.pop(element, None)
    return chosen
