"""What a template reads from a page, with the elements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lxml import etree

from sitecrawl.dom.page import Page
from sitecrawl.dom.tree import SILENT
from sitecrawl.items.kinds import PageKind
from sitecrawl.templates.address import find, is_address, readable
from sitecrawl.templates.apply import apply
from sitecrawl.templates.field_values import value_of
from sitecrawl.templates.template import Template

_KINDS = {
    "headline": "headline",
    "datePublished": "date",
    "dateModified": "date",
    "authors": "author",
}
"""Names of the fields with a colour of their own."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A value that a template reads: colour (``kind``), field (``name``), shortened ``value``,
    address (``where``). Excluded parts have no name."""

    kind: str
    name: str
    value: str
    where: str
    nodes: Sequence[etree._Element] = ()

    @property
    def said(self) -> str:
        return readable(self.where)


def fields_on(template: Template, page: Page) -> Iterator[Taken]:
    """The fields with an address, in the order of the template."""
    for name, rule in template.fields.items():
        value, source = value_of(rule, page)
        kind = _KINDS.get(name, "field")
        if value is None:
            yield Taken(
                kind,
                name,
                "",
                f"not found by {next(iter(rule.sources))}" if rule.sources else "no address",
            )
        else:
            yield Taken(kind, name, value[:160], source, _elements(source, page))


def _elements(source: str, page: Page) -> list[etree._Element]:
    """The visible elements that a source reads, also those of attributes."""
    found: list[Any] = find(source, page.root)[:3] if is_address(source) else []
    nodes = [
        node.getparent() if isinstance(node, str) and hasattr(node, "getparent") else node
        for node in found
    ]
    return [node for node in nodes if isinstance(node, etree._Element) and node.tag not in SILENT]


def body_on(template: Template, page: Page) -> Iterator[Taken]:
    """The body, the comments or posts, and the parts excluded from the body with the rule that
    excludes each."""
    applied, addresses = apply(template, page), template.body.addresses
    if (body := applied.body) is None:
        yield Taken("body", "articleBody", "", f"not found by {addresses[0]}")
        return
    yield Taken(
        "body", "articleBody", body.content.text[:160], addresses[applied.rank], [body.node]
    )
    units: list[etree._Element] = []
    if template.records:
        units = find(template.records.unit, page.root)
        name = "comments" if template.kind is PageKind.ARTICLE else "posts"
        yield Taken("comment", name, f"{len(units)} on this page", template.records.unit, units)
    rules = {
        node: address for address in template.body.without for node in find(address, body.node)
    }
    for node in body.removed.difference(units):
        yield Taken(
            "removed", "", "", f"left out: {rules.get(node, 'a text of the template')}", [node]
        )
