"""The body: addresses of its container, exclusions inside it, and texts that are boilerplate."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from operator import add

from lxml import etree

from sitecrawl.dom.align import Names, addresses_of, has_token
from sitecrawl.templates.address import is_address, specificity
from sitecrawl.templates.aligned_pages import AlignedPage
from sitecrawl.templates.shared_texts import shared_labels, shared_lines
from sitecrawl.templates.template import Body
from sitecrawl.templates.unknown_elements import dropped

_TELLING_TAGS = frozenset("h1 nav form header footer time aside button dl figcaption".split())
"""Tags that by themselves identify an element as boilerplate."""


@dataclass(slots=True)
class Container:
    """Addresses that match the same element of each page, and these elements (None on pages where
    they match none)."""

    addresses: list[str]
    nodes: list[etree._Element | None]
    score: float = 0.0


@dataclass(slots=True)
class ExclusionRule:
    """An address below the container: how many kept (``good``) and dropped (``bad``) words it
    removes, and from which pages and elements."""

    address: str
    good: float = 0.0
    bad: float = 0.0
    elements: set[tuple[int, int]] = field(default_factory=set)


def best_body(
    pages: Sequence[AlignedPage], names: Names, *, behind: float = 0.1, rule_cost: float = 0.003
) -> tuple[Body, float] | None:
    """The body that agrees best with the extractor, and its agreement, 0..1; None if fewer than two
    pages share a container. Containers that score at most ``behind`` less than the best are tried
    with their exclusions too. Each exclusion must raise the agreement by ``rule_cost``: a narrow
    container works better on unseen pages than a wide one with many exclusions."""
    tried = containers_of(pages, names)
    best, score = (0.0, Container([], []), list[str]()), -1.0
    for container in [
        container for container in tried if container.score >= tried[0].score - behind
    ]:
        alone, ideal = (
            agreement_of(pages, container, rules=rules) for rules in (list[str](), None)
        )
        if (
            round(max(alone, ideal - rule_cost), 3) > score
        ):  # else no exclusions could make it the best
            rules = exclusions_of(pages, container.nodes, names=names)
            agreement = agreement_of(pages, container, rules=rules)
            if (reached := round(agreement - rule_cost * len(rules), 3)) > score:
                best, score = (agreement, container, rules), reached
    agreement, container, rules = best
    if sum(node is not None for node in container.nodes) < 2:
        return None
    body = Body(container.addresses, rules, _fixed_texts(pages, container, rules=rules))
    body.fixed_texts += shared_lines(pages)
    body.labels = shared_labels(pages)
    return body, agreement


def containers_of(
    pages: Sequence[AlignedPage], names: Names, *, tried: int = 120, kept: int = 3
) -> list[Container]:
    """At most six candidates for the body's container, best first, each with at most ``kept``
    addresses."""
    votes = Counter(
        address
        for page in pages
        for element in _dense_elements(page)
        for address in addresses_of(page.document.nodes[element], names)
    )
    groups: dict[tuple[int, ...], Container] = {}
    for address in islice(
        (address for address, _ in votes.most_common() if is_address(address)), tried
    ):
        # an address counts where it finds one element
        key = tuple(
            found[0] if len(found) == 1 else -1
            for found in (page.numbers(address) for page in pages)
        )
        groups.setdefault(key, Container([], [])).addresses.append(address)
    for key, group in groups.items():
        group.nodes = [
            page.document.nodes[at] if at >= 0 else None
            for page, at in zip(pages, key, strict=True)
        ]
        group.score, group.addresses = _score(group, pages), group.addresses[:kept]
    return sorted(groups.values(), key=lambda group: -group.score)[:6]


def _dense_elements(page: AlignedPage, *, share: float = 0.4) -> list[int]:
    """Elements on the way down from the root: always the child with most kept words, while it has
    at least ``share`` of the page's."""
    document, kept = page.document, page.kept_words
    found = list[int]()
    at = 0
    while at >= 0 and page.total:
        found.append(at)
        children = document.children(at)
        children.reverse()  # of several with as many words the last counts
        child = max(children, key=kept.__getitem__, default=-1)
        at = child if child >= 0 and kept[child] >= share * page.total else -1
    return found[1:]


def _score(group: Container, pages: Sequence[AlignedPage]) -> float:
    """Mean over the pages of the share of kept words that the element contains, with a small
    penalty for other words."""
    total = 0.0
    for page, node in zip(pages, group.nodes, strict=True):
        if node is not None and page.total:
            good, bad, fixed = page.words(page.number[node])
            total += (
                good / page.total - 0.25 * bad / (good + bad + 1) - 0.1 * fixed / (good + fixed + 1)
            )
    return total / len(pages)


def exclusions_of(
    pages: Sequence[AlignedPage],
    nodes: Sequence[etree._Element | None],
    *,
    names: Names,
    tried: int = 50,
    most: int = 5_000,
) -> list[str]:
    """Addresses of exclusions, relative to the containers ``nodes``; a greedy cover, the rule that
    removes most words first."""
    wanted: dict[tuple[int, int], float] = {}
    weights: defaultdict[str, float] = defaultdict(float)
    held = [
        (at, page, node)
        for at, (page, node) in enumerate(zip(pages, nodes, strict=True))
        if node is not None
    ]
    for at, page, node in held:
        places = _positions(node)
        good, bad, fixed = page.word_counts
        dropped_words = list(map(add, bad, fixed))
        outermost = dropped(page.document, page.number[node], good=good, bad=dropped_words)
        for element in islice(outermost, most):
            wanted[at, element] = words = dropped_words[element]
            found = page.document.nodes[element]
            for address in (*rule_addresses(found, node, names=names), *places.get(found, ())):
                weights[address] += words
    likely = filter(is_address, sorted(weights, key=lambda address: -weights[address]))
    rules = [_rule(address, held) for address in islice(likely, tried)]
    return _cover(
        [rule for rule in rules if _is_usable(rule, len(pages))], wanted, pages=len(pages)
    )


def rule_addresses(node: etree._Element, root: etree._Element, *, names: Names) -> Iterator[str]:
    """Addresses below ``root`` that match ``node``, the most readable first."""
    tag, parent = str(node.tag), node.getparent()
    if ident := names.ident(node):
        yield f'.//{tag}[@id="{ident}"]'
    yield from (f".//{tag}{has_token(token)}" for token in names.tokens(node)[:4])
    if tag in _TELLING_TAGS:
        yield f".//{tag}"
    if parent is not None and parent is not root:
        yield from (
            f".//{parent.tag!s}{has_token(token)}/{tag}" for token in names.tokens(parent)[:2]
        )


def _positions(root: etree._Element) -> dict[etree._Element, list[str]]:
    """Addresses by position of the first three and the last three children of each tag."""
    children: defaultdict[str, list[etree._Element]] = defaultdict(list)
    for node in root.iterchildren():
        children[str(node.tag)].append(node)
    found: defaultdict[etree._Element, list[str]] = defaultdict(list)
    for tag, same in children.items():
        for at, node in enumerate(same[:3]):
            found[node].append(f"./{tag}[{at + 1}]")
        for back, node in enumerate(same[:-4:-1]):
            found[node].append(f"./{tag}[last(){f'-{back}' if back else ''}]")
    return found


def _rule(address: str, held: Sequence[tuple[int, AlignedPage, etree._Element]]) -> ExclusionRule:
    """The elements that ``address`` removes from each container; nested matches count once."""
    rule = ExclusionRule(address)
    for at, page, node in held:
        end = -1
        for element in page.numbers(address, page.number[node]):
            rule.elements.add((at, element))
            if element >= end:
                good, bad, fixed = page.words(element)
                rule.good, rule.bad, end = (
                    rule.good + good,
                    rule.bad + bad + fixed,
                    page.document.ends[element],
                )
    return rule


def _is_usable(rule: ExclusionRule, pages: int, *, impurity: float = 0.12) -> bool:
    """Whether a rule matches on two pages (by position: on 70 % of them) and removes at most the
    share ``impurity`` of kept words."""
    least = max(_enough(pages), 0.7 * pages) if specificity(rule.address) == 3 else _enough(pages)
    found_on = len({at for at, _ in rule.elements})
    return found_on >= least and rule.bad > 0 and rule.good <= impurity * (rule.good + rule.bad)


def _enough(pages: int) -> int:
    """Number of pages that are evidence for a rule."""
    return 2 if pages > 2 else 1


def _cover(
    rules: list[ExclusionRule], wanted: dict[tuple[int, int], float], *, pages: int, most: int = 40
) -> list[str]:
    """Rules, until no further rule removes anything new on two pages; rules by name come before
    rules by tag, and these before rules by position. What earlier rules remove is no evidence for a
    later one."""
    left, chosen = dict(wanted), list[str]()
    worth = (1.0, 0.8, 0.5, 0.4)  # of a word taken out, by the rule's specificity

    def gain(rule: ExclusionRule) -> float:
        new = rule.elements & left.keys()
        is_enough = len({at for at, _ in new}) >= _enough(pages)
        return (
            worth[specificity(rule.address)] * sum(left[element] for element in sorted(new))
            if is_enough
            else 0.0
        )

    gains = [gain(rule) for rule in rules]
    while len(chosen) < most and max(gains, default=0.0) > 0:
        best = rules[gains.index(max(gains))]
        chosen.append(best.address)
        for element in best.elements:
            left.pop(element, None)
        is_same = [best.elements.isdisjoint(rule.elements) for rule in rules]
        gains = [
            old if same else gain(rule)
            for rule, old, same in zip(rules, gains, is_same, strict=True)
        ]
    return chosen


def agreement_of(
    pages: Sequence[AlignedPage],
    container: Container,
    *,
    rules: list[str] | None,
    missed: float = 0.6,
) -> float:
    """Mean over the pages of the word F1 between the extractor's body and the container's with the
    exclusions ``rules`` (None: with all that the extractor drops). A page without the container
    counts as ``missed``: the extractor answers there, which is better than a wrong body."""
    total = 0.0
    for page, node in zip(pages, container.nodes, strict=True):
        if node is None or not page.total:
            total += missed * (page.total > 0)
            continue
        start, end = page.number[node], -1
        good, bad, fixed = page.words(start)
        for element in sorted(
            number for rule in rules or () for number in page.numbers(rule, start)
        ):
            if element >= end:
                kept, dropped, repeated = page.words(element)
                good, bad, fixed = good - kept, bad - dropped, fixed - repeated
                end = page.document.ends[element]
        bad, fixed = (bad, fixed) if rules is not None else (0.0, 0.0)
        total += 2 * good / (good + bad + 0.1 * fixed + page.total)
    return total / len(pages)


def _fixed_texts(
    pages: Sequence[AlignedPage],
    best: Container,
    *,
    rules: list[str],
    longest: int = 600,
    most: int = 60,
) -> list[str]:
    """Texts inside the container that are boilerplate: marked as such, or repeated on several pages
    and not body on any of them."""
    found, liked = Counter[str](), set[str]()
    for page, node in zip(pages, best.nodes, strict=True):
        if node is None:
            continue
        start = page.number[node]
        out = {
            at
            for rule in rules
            for number in page.numbers(rule, start)
            for at in range(page.ranges[0][number], page.ranges[1][number])
        }
        inside = range(page.ranges[0][start], page.ranges[1][start])
        found.update({page.blocks.texts[at]: 1 for at in inside if page.fixed[at] or at not in out})
        liked.update(
            page.blocks.texts[at] for at in inside if page.keep[at] > 0.5 and not page.fixed[at]
        )
    likely = (text for text, count in found.most_common() if count > 1 and 0 < len(text) <= longest)
    return [text for text in likely if text not in liked][:most]
