"""Authors, tags and breadcrumbs: the sources that the pages agree on, and which lesser fields a kind of page has at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from lxml import etree

from sitecrawl.dom.align import Names, addresses_of
from sitecrawl.items.article import ITEM_FIELDS
from sitecrawl.templates.address import is_address
from sitecrawl.templates.field_values import read, read_links
from sitecrawl.templates.induction.extras import known_name, labels_in
from sitecrawl.templates.induction.headlines import Choice
from sitecrawl.templates.sheet import Sheet
from sitecrawl.templates.template import Field
from sitecrawl.text.names import clean_names

HEAD_SOURCES = (
    '/html/head/meta[@name="author"]/@content',
    '/html/head/meta[@property="article:author"]/@content',
    "json-ld:author",
)
_LEAST = 0.8
_TRIED = 24


def authors_of(sheets: Sequence[Sheet], names: Names) -> Choice:
    """Sources that name the same people as the extractors do on most pages; none where the pages name nobody."""
    wanted = [(sheet, [author["name"] for author in sheet.sample.guess.article.authors]) for sheet in sheets]
    wanted = [(sheet, people) for sheet, people in wanted if people]
    if len(wanted) < 2:
        return Choice()
    votes = Counter(source for sheet, people in wanted for source in dict.fromkeys(_places(sheet, people, names)))
    tried = [*HEAD_SOURCES, *(source for source, _ in votes.most_common(_TRIED))]
    scored = [
        (sum(clean_names([read(source, sheet.page) or ""]) == people for sheet, people in wanted), source)
        for source in tried
    ]
    best = max(scored, key=lambda one: (one[0], "@class" in one[1] or one[1].startswith("id(")))
    return Choice([best[1]], [("", "")], best[0] / len(wanted)) if best[0] >= _LEAST * len(wanted) else Choice()


def _places(sheet: Sheet, people: list[str], names: Names) -> Iterator[str]:
    for node in islice(_naming(sheet, people), 4):
        yield from filter(is_address, addresses_of(node, names))


def _naming(sheet: Sheet, people: list[str]) -> Iterator[etree._Element]:
    """Elements whose own text is just the names."""
    tree = sheet.page.tree
    for owner, chunk in zip(tree.owners, tree.chunks, strict=True):
        if people[0] in chunk and len(chunk) < 100 and clean_names([chunk]) == people:
            yield tree.nodes[owner]


def presence(sheets: Sequence[Sheet]) -> dict[str, float]:
    """Share of the pages on which the extractors found each of the fields that whole sites may lack."""
    articles = [sheet.sample.guess.article for sheet in sheets]
    rare = [row.name for row in ITEM_FIELDS.values() if row.rare]
    return {f"has_{name}": sum(bool(getattr(article, name)) for article in articles) / len(articles) for name in rare}


_PAGES = 3
"""Pages from which lists are looked for."""
_MOST = {"tags": 20, "breadcrumbs": 8}
_PRESENT = {"tags": 0.4, "breadcrumbs": 0.7}
"""Share of the pages that must have the field: an article may go without tags."""
_CHUNKS = 60
"""Pieces of text of a region."""
_LONGEST = 40
"""Characters of one tag; of what stands before the links of a region, too."""


def lists_of(sheets: Sequence[Sheet], names: Names) -> dict[str, Field]:
    """Sources of tags and breadcrumbs, where the pages agree on one."""
    if len(sheets) < _PAGES:
        return {}
    chosen = {name: _source(name, sheets, names) for name in _MOST}
    return {name: Field([source], [("", "")]) for name, source in chosen.items() if source}


def _source(name: str, sheets: Sequence[Sheet], names: Names) -> str:
    votes: Counter[str] = Counter()
    for sheet in sheets:
        places = dict.fromkeys(address for node in _regions(name, sheet) for address in addresses_of(node, names))
        votes.update(dict.fromkeys((f"{place}//a" for place in places), 1))
    likely = [source for source, count in votes.most_common(_TRIED // 2) if is_address(source)]
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
        return sum(have == want for have, want in told) >= _LEAST * len(told)
    there = [texts for texts in given if texts]
    short = all(len(texts) <= _MOST[name] and max(map(len, texts)) <= _LONGEST for texts in there)
    varied = name == "breadcrumbs" or len(set(map(tuple, there))) > 1
    return len(there) >= max(2, _PRESENT[name] * len(sheets)) and short and varied


def _guessed(name: str, sheet: Sheet) -> list[str]:
    article = sheet.sample.guess.article
    return article.tags if name == "tags" else [crumb["name"] for crumb in article.breadcrumbs]
