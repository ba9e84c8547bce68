"""Pages redrawn as inert HTML: only their text and the layout of their blocks. A page may be
hostile, so it is not cleaned but written again in
``div`` and ``span`` elements with our own classes and escaped text. Scripts, styles, URLs, ids and
attributes are left out."""

from __future__ import annotations

from dataclasses import dataclass, field

from markupsafe import Markup, escape

from sitecrawl.dom.document import Document
from sitecrawl.dom.tree import SILENT
from sitecrawl.limits import LIMITS


@dataclass(slots=True)
class Drawing:
    """Draws a page; a subclass decides how an element and a text look."""

    document: Document
    # elements within one another that are drawn; deeper ones are drawn in the deepest
    depth: int = 60
    parts: list[str] = field(default_factory=list)
    open: list[tuple[int, str]] = field(default_factory=list)
    """Open elements of the page, each with its tag in the drawing (empty if it is not drawn)."""
    drawn: int = 0  # open elements of the drawing
    written: int = 0  # texts of the page that were written

    def html(self, *, elements: int = LIMITS.nodes) -> Markup:
        """HTML of the first ``elements`` elements of the page, with all of its text."""
        silent_until = 0
        for place in range(min(len(self.document), elements)):
            if place < silent_until:
                continue
            if self.document.tags[place] in SILENT:
                silent_until = self.document.ends[place]
                continue
            self._close_before(place)
            self._write_texts(self.document.first[place])
            self._begin(place)
        self._close_before(len(self.document))
        return Markup("".join(self.parts))

    def look(self, place: int) -> tuple[str, str]:
        """Attributes of an element in the drawing (empty if it is not drawn), and HTML to insert
        before its text."""
        raise NotImplementedError

    def text(self, at: int) -> str:
        """The HTML of text ``at`` of the page."""
        return escape(self.document.chunks[at])

    def _begin(self, place: int) -> None:
        attributes, inner = self.look(place)
        tag = ("span" if self.document.inline[place] else "div") if attributes else ""
        self.parts += [
            f"<{tag} {attributes}>" if tag else "",
            inner,
            _blank(self.document.nodes[place].text),
        ]
        self.open.append((place, tag))
        self.drawn += bool(tag)

    def _close_before(self, place: int) -> None:
        """Close the elements that end before element ``place`` begins."""
        while self.open and self.document.ends[self.open[-1][0]] <= place:
            closed, tag = self.open[-1]
            self._write_texts(self.document.last[closed])
            self.open.pop()
            self.parts.append(
                (f"</{tag}>" if tag else "") + _blank(self.document.nodes[closed].tail)
            )
            self.drawn -= bool(tag)

    def _write_texts(self, end: int) -> None:
        self.parts += [self.text(at) for at in range(self.written, end)]
        self.written = max(self.written, end)


def _blank(text: str | None) -> str:
    """The text if it is only white space, else empty. White space separates words and lines of
    code."""
    return text if text and text.isspace() else ""
