"""The authors' sources, and which of the lesser fields a kind of page has at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from lxml import etree

from sitecrawl.dom.align import Names, addresses_of
from sitecrawl.items.article import ITEM_FIELDS
from sitecrawl.templates.address import is_address
from sitecrawl.templates.headlines import Choice
from sitecrawl.templates.sheet import Sheet
from sitecrawl.templates.sources import read
from sitecrawl.text.names import clean_names

HEAD_SOURCES = (
    '/html/head/meta[@name="author"]/@content',
    '/html/head/meta[@property="article:author"]/@content',
    "json-ld:author",
)
_LEAST = 0.8
_MOST = 24


def authors_of(sheets: Sequence[Sheet], names: Names) -> Choice:
    """Sources that name the same people as the extractors do on most pages; none where the pages name nobody."""
    wanted = [(sheet, [author["name"] for author in sheet.sample.guess.article.authors]) for sheet in sheets]
    wanted = [(sheet, people) for sheet, people in wanted if people]
    if len(wanted) < 2:
        return Choice()
    votes = Counter(source for sheet, people in wanted for source in dict.fromkeys(_places(sheet, people, names)))
    tried = [*HEAD_SOURCES, *(source for source, _ in votes.most_common(_MOST))]
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
