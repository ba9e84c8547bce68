"""Fields that are lists of links, tags and breadcrumbs: the element that holds them, agreed on by the pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from lxml import etree

from sitecrawl.dom.align import Names, addresses_of
from sitecrawl.dom.page import Page
from sitecrawl.dom.render import absolute
from sitecrawl.templates.address import find, is_address, text_of
from sitecrawl.templates.labels import known_name, labels_in
from sitecrawl.templates.sheet import Sheet
from sitecrawl.templates.template import Field

_AGREE = 0.8
_LEAST = 3
_MOST = {"tags": 20, "breadcrumbs": 8}
_PRESENT = {"tags": 0.4, "breadcrumbs": 0.7}
"""Share of the pages that must have the field: an article may go without tags."""
_TRIED = 12
_CHUNKS = 60
"""Pieces of text of a region."""
_LONGEST = 40
"""Characters of one tag; of what stands before the links of a region, too."""


def lists_of(sheets: Sequence[Sheet], names: Names) -> dict[str, Field]:
    """Sources of tags and breadcrumbs, where the pages agree on one."""
    if len(sheets) < _LEAST:
        return {}
    chosen = {name: _source(name, sheets, names) for name in _MOST}
    return {name: Field([source], [("", "")]) for name, source in chosen.items() if source}


def read_links(rule: Field, page: Page) -> list[tuple[str, str | None]]:
    """Text and URL of the links that the first source with any finds."""
    for source in rule.sources:
        nodes = [node for node in find(source, page.root) if isinstance(node, etree._Element)]
        found = [(text_of(node).strip("# "), absolute(node.get("href") or "", page.base_url)) for node in nodes]
        if any(text for text, _ in found):
            return [(text, url) for text, url in found if text]
    return []


def _source(name: str, sheets: Sequence[Sheet], names: Names) -> str:
    votes: Counter[str] = Counter()
    for sheet in sheets:
        places = dict.fromkeys(address for node in _regions(name, sheet) for address in addresses_of(node, names))
        votes.update(dict.fromkeys((f"{place}//a" for place in places), 1))
    likely = [source for source, count in votes.most_common(_TRIED) if is_address(source)]
    return next((source for source in likely if _holds(name, source, sheets)), "")


def _regions(name: str, sheet: Sheet) -> Iterator[etree._Element]:
    """Elements whose class or id, or the word before their links, speaks of the field."""
    tree = sheet.page.tree
    near = dict.fromkeys(tree.parents[at] for at, tag in enumerate(tree.tags) if tag == "a")
    for number in dict.fromkeys(up for at in near for up in [at, *tree.ancestors(at)[:2]]):
        if not 0 < tree.last[number] - tree.first[number] <= _CHUNKS:
            continue
        node = tree.nodes[number]
        words, before = f"{node.get('class') or ''} {node.get('id') or ''}", tree.chunks[tree.first[number]].lstrip()
        label = next(iter(labels_in(before[:_LONGEST])), "")
        if known_name(words) == name or (label and before.startswith(label) and known_name(label) == name):
            yield node


def _holds(name: str, source: str, sheets: Sequence[Sheet]) -> bool:
    """Whether a source gives what the extractors found; where they found nothing, a short list on enough pages."""
    rule = Field([source], [("", "")])
    given = [[text for text, _ in read_links(rule, sheet.page)] for sheet in sheets]
    wanted = [_guessed(name, sheet) for sheet in sheets]
    told = [(have, want) for have, want in zip(given, wanted, strict=True) if want]
    if len(told) >= 0.5 * len(sheets):
        return sum(have == want for have, want in told) >= _AGREE * len(told)
    there = [texts for texts in given if texts]
    short = all(len(texts) <= _MOST[name] and max(map(len, texts)) <= _LONGEST for texts in there)
    varied = name == "breadcrumbs" or len(set(map(tuple, there))) > 1
    return len(there) >= max(2, _PRESENT[name] * len(sheets)) and short and varied


def _guessed(name: str, sheet: Sheet) -> list[str]:
    article = sheet.sample.guess.article
    return article.tags if name == "tags" else [crumb["name"] for crumb in article.breadcrumbs]
