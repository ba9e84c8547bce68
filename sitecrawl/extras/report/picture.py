"""What a template reads from a page, as a list and as a picture: a separate document that contains
only the text of the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from lxml import etree
from markupsafe import Markup, escape

from sitecrawl.dom.page import Page
from sitecrawl.dom.tree import HEADINGS, SILENT
from sitecrawl.extras.report.inert_drawing import Drawing
from sitecrawl.extras.report.markup import asset, render
from sitecrawl.items.kinds import PageKind
from sitecrawl.site.answer import LazyExtraction, complete
from sitecrawl.templates.address import find, is_address, readable
from sitecrawl.templates.apply import apply
from sitecrawl.templates.field_values import value_of
from sitecrawl.templates.template import Template
from sitecrawl.text.chars import fold

_KINDS = {
    "headline": "headline",
    "datePublished": "date",
    "dateModified": "date",
    "authors": "author",
}
"""Names of the fields with a colour of their own."""
_OWN = "the page's own evidence, the template has no address"


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


@dataclass(frozen=True, slots=True)
class Picture:
    """The document for a sandbox, the URL of the page, and the values found."""

    html: str
    url: str
    legend: list[Taken]


def picture_of(template: Template, page: Page) -> Picture:
    """The picture of what ``template`` reads from ``page``."""
    taken = [*fields_on(template, page), *_own_evidence(template, page), *body_on(template, page)]
    number = page.document.number
    marks = {number[node]: one for one in reversed(taken) for node in one.nodes if node in number}
    drawing = _PictureDrawing(page.document, 40, marks=marks)
    body = drawing.html(elements=20_000)
    html = render(
        "picture.html",
        style=Markup(asset("picture.css")),
        body=body,
        cut=min(drawing.left.values()) <= 0,
    )
    return Picture(html, page.url, [one for one in taken if one.name])


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


def _own_evidence(template: Template, page: Page) -> Iterator[Taken]:
    """The main fields without an address in the template that the page itself provides."""
    missing = [
        name for name in ("headline", "datePublished", "authors") if name not in template.fields
    ]
    article = complete(apply(template, page), LazyExtraction(page)) if missing else None
    for name in missing:
        value = getattr(article, name)
        texts = (
            [one["name"] for one in value] if isinstance(value, list) else [value] if value else []
        )
        if texts:
            owners = dict(
                zip(map(fold, page.document.chunks[::-1]), page.document.owners[::-1], strict=True)
            )
            nodes = [page.document.nodes[owners[text]] for text in texts[:3] if text in owners]
            yield Taken(_KINDS[name], name, ", ".join(texts)[:160], _OWN, nodes)


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


@dataclass(slots=True)
class _PictureDrawing(Drawing):
    """Draws marked elements and a little of their surroundings, because menus can be as long as
    articles. Bounds in characters: ``left`` for all texts inside and outside marks, ``chunk`` for
    one text inside, ``between`` for all texts between two marks."""

    marks: dict[int, Taken] = field(default_factory=dict)
    left: dict[bool, int] = field(default_factory=lambda: {True: 6_000, False: 2_000})
    chunk: int = 280
    between: int = 200
    run: int = 0  # characters since the last mark ended
    outer: int | None = None  # the outermost element with a mark that is open, or was open last
    removed: int | None = None  # the same of those left out of the body

    def look(self, place: int) -> tuple[str, str]:
        node, tag, mark = (
            self.document.nodes[place],
            self.document.tags[place],
            self.marks.get(place),
        )
        deep, inside = self.drawn >= self.depth, self._is_in(self.outer, place)
        heading = f" h {tag}" if tag in HEADINGS else ""
        if mark and not (deep and inside) and not self._is_in(self.removed, place):
            self.outer = self.outer if inside else place
            self.removed = place if mark.kind == "removed" else self.removed
            why = escape(f"{mark.name}: {mark.said}" if mark.name else mark.said)
            label = (
                f'<span class="k">{mark.kind}</span><span class="w" aria-hidden="true">{why}</span>'
            )
            return (
                f'class="m {mark.kind}{heading}" tabindex="0" role="note" aria-label="{why}"',
                label,
            )
        if tag == "img":
            return "", self._cut(f"[{node.get('alt') or 'image'}]", inside=inside)
        is_block = not self.document.inline[place] and fold(node.text or "")
        return f'class="b{heading}"' if is_block and not deep and self._room(inside) > 0 else "", ""

    def _is_in(self, outer: int | None, place: int) -> bool:
        return outer is not None and place < self.document.ends[outer]

    def text(self, at: int) -> str:
        inside = self.outer is not None and at < self.document.last[self.outer]
        return self._cut(self.document.chunks[at], inside=inside)

    def _cut(self, text: str, *, inside: bool) -> str:
        """A text, shortened to the remaining room."""
        said, most = fold(text), self._room(inside)
        if not said or most <= 0:
            return ""
        self.left[inside] -= min(len(said), most)
        self.run = 0 if inside else self.run + len(said)
        return escape(said if len(said) <= most else f"{said[:most]} …") + " "

    def _room(self, inside: bool) -> int:
        """Characters left for the next text."""
        return min(self.chunk if inside else self.between - self.run, self.left[inside])
