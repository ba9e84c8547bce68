"""A picture of a page: what a template takes from it, drawn as a document of its own that holds nothing of the page but its text.

The page is hostile until shown otherwise, so nothing of it is let through and then cleaned: the picture is written anew, in ``div`` and
``span`` elements with classes of ours, every text escaped. Scripts, styles, addresses and attributes of the page are not in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from typing import Any

from lxml import etree

from sitecrawl.dom.page import Page
from sitecrawl.dom.tree import INLINE, SILENT
from sitecrawl.items.kinds import PageKind
from sitecrawl.site.answer import LazyExtraction, complete
from sitecrawl.templates.address import find, is_address, readable
from sitecrawl.templates.apply import TemplateBody, apply, first_element
from sitecrawl.templates.field_values import value_of
from sitecrawl.templates.template import Template
from sitecrawl.text.chars import fold

_MARKED_CHARS, _OTHER_CHARS = 6_000, 2_000
"""Characters of a picture inside and outside of what the template takes: a reader sees where things stand, the page itself is a link away."""
_CHUNK, _RUN = 280, 200
"""Characters of one text inside of what the template takes, and of all texts between two such places: menus are as long as articles."""
_ELEMENTS = 20_000
"""Elements of a page that are walked through for a picture."""
_DEPTH = 40
"""Elements within one another that a picture draws; deeper ones are drawn in the deepest."""
_KINDS = {"headline": "headline", "datePublished": "date", "dateModified": "date", "authors": "author"}
"""How the fields that have a colour of their own are called in a picture."""
_MAIN = ("headline", "datePublished", "authors")
_OWN = "the page's own evidence, the template has no address"
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_CSS = """:root{color-scheme:light dark;--ink:#24292b;--dim:#6a7072;--bg:#fff;--a:18%}
@media(prefers-color-scheme:dark){:root{--ink:#dfe3e1;--dim:#98a09e;--bg:#14181a;--a:30%}}
body{font:14px/1.55 ui-sans-serif,system-ui,sans-serif;color:var(--dim);background:var(--bg);margin:0;padding:14px 16px 64px;overflow-wrap:anywhere}
body>div.b,body{font-size:12.5px}.m{font-size:14px}div.b{margin:0 0 .45em}.h{font-weight:650}.h1{font-size:1.45em;line-height:1.25}.i{border:1px dashed currentColor;border-radius:3px;padding:0 .4em;font-size:.85em}
.m{--c:#777;color:var(--ink);background:color-mix(in srgb,var(--c) var(--a),transparent);box-shadow:inset 3px 0 var(--c);padding:.1em .35em .1em .55em;border-radius:2px}
div.m{padding:.45em .6em .45em .8em;margin:.35em 0}.m:focus,.m:hover{outline:2px solid var(--c);outline-offset:1px}
.k{font:600 10px/1 ui-sans-serif,system-ui,sans-serif;letter-spacing:.06em;text-transform:uppercase;color:var(--ink);margin-right:.5em}
.headline{--c:#7b4bb3}.date{--c:#b06a00}.author{--c:#1d6fb8}.body{--c:#2c8a5b}.comment{--c:#0e8c93}.field{--c:#8a7a2c}.removed{--c:#b3402e;text-decoration:line-through;text-decoration-thickness:1px}.removed .k{display:inline-block}
.m:is(:hover,:focus):not(:has(.m:is(:hover,:focus)))>.w{display:block}
.w{display:none;position:fixed;left:0;right:0;bottom:0;padding:10px 16px;background:#16201e;color:#eef3f0;font:12.5px/1.45 ui-monospace,monospace;text-decoration:none;text-transform:none;letter-spacing:0;z-index:9}
.cut{text-align:center;font-style:italic}"""


@dataclass(frozen=True, slots=True)
class Mark:
    """What the template takes from an element: ``kind`` names the colour, ``why`` says by which address."""

    kind: str
    why: str

    @property
    def said(self) -> str:
        return readable(self.why)


@dataclass(frozen=True, slots=True)
class Found:
    """A line of the legend: a field, its value on the page (cut short), where it was found."""

    kind: str
    name: str
    value: str
    where: str

    @property
    def said(self) -> str:
        return readable(self.where)


@dataclass(slots=True)
class Picture:
    """The document to be shown in a sandbox, the URL of the page, and what was found on it."""

    html: str
    url: str
    legend: list[Found] = field(default_factory=list)


def picture_of(template: Template, page: Page) -> Picture:
    """What ``template`` takes from ``page``."""
    applied = apply(template, page)
    body = applied.article.body
    marks: dict[Any, Mark] = {}
    legend = [*_fields(template, page, marks), *_own_evidence(template, page, marks)]
    if isinstance(body, TemplateBody):
        rank, _ = first_element(template.body.addresses, page.root)
        marks.setdefault(body.node, Mark("body", template.body.addresses[rank]))
        _mark_left_out(template, body, marks)
        legend.append(Found("body", "articleBody", body.text[:160], template.body.addresses[rank]))
        legend += _records(template, page, marks)
    else:
        legend.append(Found("body", "articleBody", "", f"not found by {template.body.addresses[0]}"))
    return Picture(_document(page, marks), page.url, legend)


def _fields(template: Template, page: Page, marks: dict[Any, Mark]) -> Iterator[Found]:
    """The fields that stand at an address, in the order of the template; elements of the page are marked."""
    for name, rule in template.fields.items():
        value, source = value_of(rule, page)
        kind = _KINDS.get(name, "field")
        if value is None:
            yield Found(kind, name, "", f"not found by {rule.sources[0]}" if rule.sources else "no address")
            continue
        for node in _elements(source, page):
            marks.setdefault(node, Mark(kind, f"{name}: {source}"))
        yield Found(kind, name, value[:160], source)


def _own_evidence(template: Template, page: Page, marks: dict[Any, Mark]) -> Iterator[Found]:
    """The main fields that the template has no address for and that the page gives by itself; marked where their text stands alone."""
    missing = [name for name in _MAIN if name not in template.fields]
    article = complete(apply(template, page), LazyExtraction(page), template=template) if missing else None
    for name in missing:
        value = getattr(article, name)
        texts = [one["name"] for one in value] if isinstance(value, list) else [value] if value else []
        for text in texts[:3]:
            for node in _saying(page, text):
                marks.setdefault(node, Mark(_KINDS[name], f"{name}: {_OWN}"))
        if texts:
            yield Found(_KINDS[name], name, ", ".join(texts)[:160], _OWN)


def _saying(page: Page, text: str) -> list[Any]:
    """The first element that says nothing but ``text``."""
    return next(
        (
            [page.tree.nodes[owner]]
            for chunk, owner in zip(page.tree.chunks, page.tree.owners, strict=True)
            if fold(chunk) == text
        ),
        [],
    )


def _elements(source: str, page: Page) -> list[Any]:
    """The visible elements that a source reads, those of its attributes too."""
    found = find(source, page.root)[:3] if is_address(source) else []
    nodes = [node.getparent() if isinstance(node, str) and hasattr(node, "getparent") else node for node in found]
    return [node for node in nodes if isinstance(node, etree._Element) and node.tag not in SILENT]


def _mark_left_out(template: Template, body: TemplateBody, marks: dict[Any, Mark]) -> None:
    """Parts of the container that are no part of the body, with the rule that says so."""
    rules = {node: address for address in template.body.without for node in find(address, body.node)}
    for node in body.units:
        marks.setdefault(node, Mark("comment", body.comments))
    for node in body.removed:
        marks.setdefault(node, Mark("removed", f"left out: {rules.get(node, 'a text of the template')}"))


def _records(template: Template, page: Page, marks: dict[Any, Mark]) -> list[Found]:
    """Comments or posts."""
    if template.records is None:
        return []
    units = find(template.records.unit, page.root)
    for node in units:
        marks.setdefault(node, Mark("comment", template.records.unit))
    name = "comments" if template.kind is PageKind.ARTICLE else "posts"
    return [Found("comment", name, f"{len(units)} on this page", template.records.unit)]


# ---- drawing
@dataclass(slots=True)
class _Pen:
    """Writes the picture within its bounds. ``open`` holds, for each element of the page that is open, its tag in the picture (empty
    where it is not drawn) and the kind of its mark; ``run`` counts the characters since the last mark ended."""

    left: dict[bool, int] = field(default_factory=lambda: {True: _MARKED_CHARS, False: _OTHER_CHARS})
    parts: list[str] = field(default_factory=list)
    open: list[tuple[str, str]] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    depth: int = 0
    run: int = 0

    def text(self, text: str | None) -> None:
        """A text of the page, cut to its share."""
        said, inside = fold(text or ""), bool(self.kinds)
        most = self._room
        if not said or most <= 0:
            return
        self.left[inside] -= min(len(said), most)
        self.run = 0 if inside else self.run + len(said)
        self.parts.append(escape(said if len(said) <= most else f"{said[:most]} …") + " ")

    @property
    def _room(self) -> int:
        """Characters that the next text may have."""
        return min(_CHUNK if self.kinds else _RUN - self.run, self.left[bool(self.kinds)])

    def begin(self, node: Any, mark: Mark | None) -> None:
        """An element begins; one that adds nothing to see is not drawn."""
        tag, deep = "span" if node.tag in INLINE else "div", self.depth >= _DEPTH
        if mark is not None and not (deep and self.kinds) and "removed" not in self.kinds:
            why = escape(mark.said)
            self._write(tag, f'm {mark.kind}{_look(node)}" tabindex="0" role="note" aria-label="{why}')
            self.parts.append(f'<span class="k">{mark.kind}</span><span class="w" aria-hidden="true">{why}</span>')
            self.kinds.append(mark.kind)
            self.open.append((tag, mark.kind))
        elif tag == "div" and not deep and self._room > 0 and fold(node.text or ""):
            self._write(tag, f"b{_look(node)}")
            self.open.append((tag, ""))
        else:
            self.open.append(("", ""))

    def _write(self, tag: str, attributes: str) -> None:
        self.parts.append(f'<{tag} class="{attributes}">')
        self.depth += 1

    def end(self) -> None:
        """The element that began last ends."""
        tag, kind = self.open.pop()
        if tag:
            self.depth -= 1
            self.parts.append(f"</{tag}>")
        if kind:
            self.kinds.pop()


def _look(node: Any) -> str:
    return f" h {node.tag}" if node.tag in _HEADINGS else ""


def _document(page: Page, marks: dict[Any, Mark]) -> str:
    """The picture as an HTML document that may load nothing and run nothing."""
    pen = _Pen()
    body = page.root.find("body")
    _draw(pen, page.root if body is None else body, marks)
    if min(pen.left.values()) <= 0:
        pen.parts.append('<div class="b cut">… the rest of the page is not drawn</div>')
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    head = f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}"><style>{_CSS}</style>'
    return f'<!doctype html><html lang="en"><head>{head}<title>What the template takes</title></head><body>{"".join(pen.parts)}</body></html>'


def _draw(pen: _Pen, root: Any, marks: dict[Any, Mark]) -> None:
    walk = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
    for number, (event, node) in enumerate(walk):
        if event == "start" and (node.tag in SILENT or number > 2 * _ELEMENTS):
            walk.skip_subtree()
            pen.open.append(("", ""))
        elif event == "start":
            pen.begin(node, marks.get(node))
            pen.text(f"[{node.get('alt') or 'image'}]" if node.tag == "img" else node.text)
        elif event == "end":
            pen.end()
        if event != "start" and node is not root:
            pen.text(node.tail)
