"""The drawings of the guide, made from a real run on the demonstration site, as small SVG files in
docs/images. `links.svg`: the links of a section page, coloured by label. `template.svg`: two pages
of a template and what they share. `overview.svg`: both and an item, for the README."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any
from urllib.parse import urlsplit

import sitecrawl
from benchmarks.harness import ROOT, asked
from sitecrawl.dom.page import Page
from sitecrawl.dom.parse import parse
from sitecrawl.extras.demo import article_paths, site_pages
from sitecrawl.templates.address import find, is_address, readable
from sitecrawl.templates.template import Template

IMAGES = ROOT / "docs" / "images"
SITE = "https://gazette.example"
COLOURS = {
    "article": "#1f7a4d", "section": "#1d5fa8", "other": "#6b7280", "headline": "#7b3fb3", "date": "#a85a00", "author": "#1d5fa8", "body": "#1f7a4d",
    "comment": "#0b7680", "same": "#9aa1a9", "ink": "#1f2937", "dim": "#5b6470", "line": "#c9ced6", "paper": "#ffffff", "wash": "#f4f6f8",
}  # fmt: skip
BAR = 4  # width of the bar beside a text
_FONT = "system-ui,-apple-system,Segoe UI,Roboto,sans-serif"
FIELDS = {
    "headline": "headline",
    "date": "datePublished",
    "author": "authors",
}  # fields of an item by their colour
_WIDE = 0.54  # width of a letter in heights of the font, on average


@dataclass
class Drawing:
    """An SVG that grows: positions and sizes are pixels."""

    width: int
    height: int
    parts: list[str] = field(default_factory=list)

    def box(
        self,
        at: tuple[float, float],
        size: tuple[float, float],
        fill: str = "paper",
        *,
        round: int = 5,
    ) -> None:
        """A rectangle with round corners."""
        place = f'x="{at[0]:.0f}" y="{at[1]:.0f}" width="{size[0]:.0f}" height="{size[1]:.0f}" rx="{round}"'
        edge = f' stroke="{COLOURS["line"]}"' if size[0] > BAR else ""
        self.parts.append(f'<rect {place} fill="{COLOURS[fill]}"{edge}/>')

    def bar(self, at: tuple[float, float], height: float, colour: str) -> None:
        """A coloured bar beside a text."""
        self.box(at, (BAR, height), colour, round=2)

    def say(
        self,
        at: tuple[float, float],
        text: str,
        *,
        size: float = 13,
        colour: str = "ink",
        most: float = 0,
        bold: bool = False,
        end: bool = False,
    ) -> None:
        """A line of text, cut at ``most`` pixels; with ``end`` it ends at the place."""
        room = int(most / (size * _WIDE)) if most else len(text)
        shown = text if len(text) <= room else text[: max(1, room - 1)].rstrip() + "…"
        style = (' font-weight="600"' if bold else "") + (' text-anchor="end"' if end else "")
        place = f'x="{at[0]:.0f}" y="{at[1]:.0f}" font-size="{size:g}"'
        self.parts.append(f'<text {place} fill="{COLOURS[colour]}"{style}>{escape(shown)}</text>')

    def arrow(self, start: tuple[float, float], stop: tuple[float, float]) -> None:
        """A straight arrow."""
        line = f'x1="{start[0]:.0f}" y1="{start[1]:.0f}" x2="{stop[0]:.0f}" y2="{stop[1]:.0f}"'
        self.parts.append(
            f'<line {line} stroke="{COLOURS["dim"]}" stroke-width="1.6" marker-end="url(#head)"/>'
        )

    def put(self, other: Drawing, at: tuple[float, float], scale: float) -> None:
        """Another drawing, smaller."""
        self.parts.append(f'<g transform="translate({at[0]:.0f} {at[1]:.0f}) scale({scale:g})">')
        self.parts += [*other.parts, "</g>"]

    def svg(self, title: str) -> str:
        """The file; ``title`` says what is seen to those who do not see it."""
        head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" font-family="{_FONT}" role="img" aria-label="{escape(title)}">'
        arrow = f'<defs><marker id="head" markerWidth="9" markerHeight="8" refX="8" refY="4" orient="auto"><path d="M0 0L9 4L0 8z" fill="{COLOURS["dim"]}"/></marker></defs>'
        paper = f'<rect width="{self.width}" height="{self.height}" fill="#fff"/>'
        return "\n".join(
            [head, f"<title>{escape(title)}</title>", arrow, paper, *self.parts, "</svg>", ""]
        )


# ---- links by label
def links_drawing(path: str = "/city/") -> Drawing:
    """The links of a section page in their order, coloured by label, with the probability of the
    label."""
    links = sitecrawl.classify_links(site_pages()[path], SITE + path)
    drawing = Drawing(640, 70 + 25 * len(links))
    _window(drawing, SITE + path)
    for number, link in enumerate(links):
        top = 56 + 25 * number
        label = str(link.label)
        drawing.bar((16, top), 18, label)
        drawing.say((28, top + 14), link.text, colour=label, most=370)
        place = "pagination" if link.pagination else label
        drawing.say((530, top + 14), place, size=12, colour=label, end=True)
        drawing.say((616, top + 14), f"{link.score:.2f}", size=12, colour="dim", end=True)
    return drawing


def _window(drawing: Drawing, url: str) -> None:
    """The frame of a page and its URL."""
    drawing.box((1, 1), (drawing.width - 2, drawing.height - 2))
    drawing.box((10, 10), (drawing.width - 20, 26), "wash")
    drawing.say((20, 28), url, size=12, colour="dim", most=drawing.width - 40)


# ---- two pages and their template
def learned() -> tuple[sitecrawl.SiteModel, list[tuple[str, bytes]]]:
    """The model of the demonstration site, and the pages that it learned from."""
    paths = sorted(path for path in article_paths() if path.startswith("/city/"))[:8]
    pages = [(SITE + path, site_pages()[path]) for path in paths]
    site = sitecrawl.SiteModel()
    site.learn(pages)
    return site, pages


def template_drawing() -> Drawing:
    """Two pages of one template side by side: what differs is coloured by field, what both share is
    grey; below stands what was learned."""
    site, pages = learned()
    template = site.templates[0]
    shown = [parse(body, url) for url, body in pages[2:4]]
    rows = [_rows(page, template) for page in shown]
    common = {text for _, text in rows[0]} & {text for _, text in rows[1]}
    height = max(map(len, rows)) * 22 + 60
    drawing = Drawing(980, height + 150)
    for number, (page, lines) in enumerate(zip(shown, rows, strict=True)):
        part = Drawing(480, height)
        _window(part, urlsplit(page.url).path.rpartition("/")[2])
        for at, (kind, text) in enumerate(lines):
            colour = "same" if text in common and kind == "same" else kind
            part.bar((16, 48 + 22 * at), 16, colour)
            part.say(
                (28, 61 + 22 * at),
                text,
                size=12,
                colour="dim" if colour == "same" else colour,
                most=440,
            )
        drawing.put(part, (5 + 490 * number, 5), 1)
    _legend(drawing, template, height + 30)
    return drawing


def _rows(page: Page, template: Template) -> list[tuple[str, str]]:
    """The lines of text of a page with the field that each belongs to; ``same`` for those that no
    field holds."""
    fields = {name: kind for kind, name in FIELDS.items() if name in template.fields}
    held: dict[Any, str] = {}
    for name, kind in fields.items():
        held |= dict.fromkeys(_elements([*template.fields[name].sources], page), kind)
    held |= dict.fromkeys(_elements(template.body.addresses, page), "body")
    if template.records:
        held |= dict.fromkeys(find(template.records.unit, page.root), "comment")
    return list(_lines(page, held))


def _elements(addresses: Sequence[str], page: Page) -> list[Any]:
    """The elements of the first address that finds any."""
    for address in addresses:
        found = find(address.partition("/@")[0], page.root) if is_address(address) else []
        if found:
            return list(found)
    return []


def _lines(page: Page, held: dict[Any, str]) -> Iterator[tuple[str, str]]:
    """Blocks of text below the body of a page; a paragraph is a line."""
    for node in page.root.iter("nav", "h1", "h2", "span", "time", "p", "div", "li", "b"):
        within = any(one.tag in ("nav", "li", "p", "h1", "h2") for one in node.iterancestors())
        text = " ".join("".join(node.itertext()).split())
        if text and not within and (node.tag != "div" or node.get("class") == "share"):
            yield (
                next((held[one] for one in (node, *node.iterancestors()) if one in held), "same"),
                text,
            )


def _legend(drawing: Drawing, template: Template, top: float) -> None:
    """What each colour is, and by which address the template finds it."""
    body = readable(template.body.addresses[0])
    told = [
        (kind, readable(next(iter(template.fields[name].sources)))) for kind, name in FIELDS.items()
    ]
    told += [
        ("body", body),
        ("comment", readable(template.records.unit) if template.records else ""),
    ]
    for at, (kind, address) in enumerate(told):
        drawing.bar((16, top + 22 * at), 16, kind)
        drawing.say((28, top + 13 + 22 * at), kind, size=12, colour=kind, bold=True)
        drawing.say((110, top + 13 + 22 * at), address, size=12, colour="dim", most=840)
    drawing.say(
        (16, top + 18 + 22 * len(told)),
        "grey: the same on both pages, or in no field: part of the template, left out",
        size=12,
        colour="dim",
    )


# ---- all in one
def overview_drawing() -> Drawing:
    """For the README: a section page, two pages of its articles, an item."""
    drawing = Drawing(1200, 376)
    links, template = links_drawing(), template_drawing()
    for left, title in (
        (16, "1  links by label"),
        (400, "2  a template from pages alike"),
        (908, "3  items"),
    ):
        drawing.say((left, 26), title, size=16, bold=True)
    drawing.put(links, (10, 40), 0.58)
    drawing.put(template, (396, 40), 0.51)
    drawing.arrow((382, 180), (394, 180))
    drawing.arrow((898, 180), (910, 180))
    drawing.box((914, 40), (276, 326), "wash")
    for number, (name, value, colour) in enumerate(_item()):
        top = 60 + 40 * number
        drawing.say((928, top), name, size=11, colour=colour, bold=True)
        drawing.say((928, top + 16), value, size=11, most=245)
    return drawing


def _item() -> Iterator[tuple[str, str, str]]:
    """Fields of an item that the template gave, and their colours."""
    site, pages = learned()
    item = site.extract(html=pages[3][1], url=pages[3][0]).to_dict()
    yield "headline", item["headline"], "headline"
    yield "datePublished", item["datePublished"], "date"
    yield "authors", item["authors"][0]["name"], "author"
    yield "articleBody", item["articleBody"], "body"
    yield "comments", f"{len(item['comments'])}, each with author, date, text", "comment"
    yield "url", item["url"], "ink"
    yield "provenance.method", item["provenance"]["method"], "dim"
    yield "provenance.fields.headline", readable(item["provenance"]["fields"]["headline"]), "dim"


def main(arguments: list[str]) -> None:
    """Draw all pictures anew."""
    asked(__doc__, arguments)
    site = "of the demonstration site"
    for name, drawing, title in (
        ("links", links_drawing(), f"The links of a section page {site}, coloured by label"),
        ("template", template_drawing(), f"Two pages {site} and the template they share"),
        ("overview", overview_drawing(), "Links by label, a template from pages alike, items"),
    ):
        (IMAGES / f"{name}.svg").write_text(drawing.svg(title), encoding="utf8")
        print(f"{name}.svg is drawn")
