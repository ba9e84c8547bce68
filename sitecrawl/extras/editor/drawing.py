"""A page redrawn for the editors, with numbered links to label or numbered elements to click."""

from __future__ import annotations

from dataclasses import dataclass, field

from lxml import etree
from markupsafe import Markup, escape

from sitecrawl.dom.page import Page
from sitecrawl.extras.editor.inert_drawing import Drawing
from sitecrawl.limits import LIMITS

_SHAPED = frozenset(
    "h1 h2 h3 h4 h5 h6 p li ul ol dl dt dd table tr td th nav header footer aside article section form pre b strong em i small".split()
)
"""Elements that keep their tag in the drawing; all others become plain blocks or plain text."""


def draw(page: Page, every: bool = False) -> Markup:
    """The page as inert HTML; link ``n`` of ``page_facts(page)`` is the element with
    ``data-link="n"``. With ``every``, links are plain text and element ``n`` of the page's tree has
    ``data-n="n"``.

    >>> from sitecrawl.dom.parse import parse
    >>> print(draw(parse('<p onclick="x()">One <a href="/a">two</a></p>', "http://a.org/")))
    <div class="d"><div class="d"><div class="d t-p">One <span class="link" data-link="0" role="button" tabindex="0">two</span></div></div></div>
    """
    nodes = enumerate(() if every else page.document.nodes)
    places = [at for at, node in nodes if node.tag == "a" and node.get("href") is not None]
    links = {place: number for number, place in enumerate(places[: LIMITS.links])}
    return _EditorDrawing(page.document, links=links, numbered=every).html()


@dataclass(slots=True)
class _EditorDrawing(Drawing):
    links: dict[int, int] = field(default_factory=dict)  # numbers of the links, by element
    numbered: bool = False  # whether every element has its number

    def look(self, place: int) -> tuple[str, str]:
        node, tag = self.document.nodes[place], self.document.tags[place]
        if place in self.links:
            attributes = f'class="link" data-link="{self.links[place]}" role="button" tabindex="0"'
            return attributes, "" if self.document.text(place) else escape(_name_of(node))
        if tag == "br":
            return 'class="t-br"', ""
        if tag == "img" or self.drawn >= self.depth:
            return "", ""
        number = f' data-n="{place}"' if self.numbered else ""
        return f'class="d{f" t-{tag}" if tag in _SHAPED else ""}"{number}', ""


def _name_of(link: etree._Element) -> str:
    """The label of a link without text: the ``alt`` of its picture, else the end of its URL.

    >>> _name_of(etree.HTML("<a href='/a/b.html'><img><img alt='A bridge'></a>")[0][0]), _name_of(etree.HTML("<a href='/?p=7'>")[0][0])
    ('A bridge', '[?p=7]')
    """
    description = next(
        (alt for image in link.iter("img") if (alt := (image.get("alt") or "").strip())), ""
    )
    return description[:200] or f"[{end_of(link.get('href') or '') or 'picture'}]"


def end_of(url: str) -> str:
    """The last part of a URL, at most 60 characters; of a home page the host.

    >>> end_of("http://a.org/b/c/"), end_of("http://a.org/b/?p=7"), end_of("http://a.org/")
    ('c', '?p=7', 'a.org')
    """
    return url.strip().partition("#")[0].rstrip("/").rpartition("/")[2][-60:]
