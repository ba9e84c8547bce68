"""Short elements near headline and body that belong to the article and not to the rest of the page."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from lxml import etree

from sitecrawl.dom.blocks import BITS, HIDDEN, ZONE
from sitecrawl.dom.tree import HEADINGS
from sitecrawl.templates.apply import first_element
from sitecrawl.templates.sheet import Sheet
from sitecrawl.templates.template import Template

_ELSEWHERE = HIDDEN | ZONE["nav"] | ZONE["aside"] | ZONE["footer"] | ZONE["form"]
for _hint in ("comment", "nav", "side", "share", "foot", "gutter", "toc", "code", "caption", "signature", "title"):
    _ELSEWHERE |= BITS[_hint]
_LONGEST = 160
"""Characters of an element."""


def short_elements(template: Template, sheet: Sheet) -> Iterator[etree._Element]:
    """Elements with text of their own near headline and body, that hold nothing of the body."""
    tree = sheet.page.tree
    start = _scope(template, sheet)
    if start < 0:
        return
    bits = sheet.sample.guess.view.layout.bits
    at = start + 1
    while at < tree.ends[start]:
        if int(bits[at]) & _ELSEWHERE and not sheet.words(at)[0]:
            at = tree.ends[at]
            continue
        if _speaks(sheet, at) and not sheet.words(at)[0] and sum(map(len, _chunks(sheet, at))) <= _LONGEST:
            yield tree.nodes[at]
        at += 1


def _speaks(sheet: Sheet, at: int) -> bool:
    """Whether an element has text of its own, or holds one link, and is neither a heading nor one link of several."""
    tree = sheet.page.tree
    node, tag = tree.nodes[at], tree.tags[at]
    if tag in HEADINGS or tree.first[at] >= tree.last[at]:
        return False
    if tag == "a":
        parent = node.getparent()
        return parent is None or len(list(islice(parent.iterchildren("a"), 2))) == 1
    return at in tree.owners[tree.first[at] : tree.last[at]] or (len(node) == 1 and node[0].tag == "a")


def _chunks(sheet: Sheet, at: int) -> list[str]:
    return sheet.page.tree.chunks[sheet.page.tree.first[at] : sheet.page.tree.last[at]]


def _scope(template: Template, sheet: Sheet) -> int:
    """Number of the smallest element that holds headline and body, its parent where that is the body's container."""
    tree = sheet.page.tree
    _, body = first_element(template.body.addresses, sheet.page.root)
    if body is None:
        return -1
    at = container = sheet.number[body]
    headline = sheet.sample.guess.nodes.get("headline")
    wanted = sheet.number.get(headline, container) if headline is not None else container
    while at > 0 and not at <= wanted < tree.ends[at]:
        at = tree.parents[at]
    return tree.parents[at] if at == container and at > 0 else at
