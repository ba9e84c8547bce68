"""Pages of a site that are stored between crawls, so that a site with one new article a day gets a
template as well."""

from __future__ import annotations

import zlib
from base64 import b64decode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sitecrawl.dom.page import Page
from sitecrawl.dom.parse import parse
from sitecrawl.limits import LIMITS

Packed = dict[str, str]  # a page as `{"url": ..., "html": ...}`: UTF-8, deflated, base64


def pack(page: Page | Packed) -> Packed:
    """A page for a JSON document."""
    return {"url": page.url, "html": page.packed} if isinstance(page, Page) else page


def unpack(packed: Page | Packed) -> Page | None:
    """The page; None if it is damaged or unpacks to more than ``LIMITS.body_bytes``."""
    if isinstance(packed, Page):
        return packed
    inflater = zlib.decompressobj()
    try:
        html = inflater.decompress(b64decode(packed["html"]), LIMITS.body_bytes)
    except (zlib.error, ValueError):
        return None
    return parse(html, packed["url"], "text/html; charset=utf-8") if inflater.eof else None


def unpack_pages(pages: Iterable[Page | Packed]) -> list[Page]:
    return [page for packed in pages if (page := unpack(packed)) is not None]


@dataclass
class StoredPages:
    """Packed pages by the name of their family. ``waiting`` are samples of earlier crawls whose
    family this crawl has not met yet; ``shown`` are up to ``LIMITS.shown_pages`` pages that a
    family's template was induced from or answered; the former are packed when they are asked
    for."""

    waiting: dict[str, list[Packed]] = field(default_factory=dict)
    shown: dict[str, Sequence[Page | Packed]] = field(default_factory=dict)

    def show(self, family: str, pages: Iterable[Page]) -> None:
        """Replace the shown pages of a family. Those of other families are packed, so that the
        elements of one family's pages at most stay in memory."""
        self.shown = {name: [*map(pack, kept)] for name, kept in self.shown.items()}
        self.shown[family] = [*pages][-LIMITS.shown_pages :]

    def show_one(self, family: str, page: Page) -> None:
        """Add a page to the shown ones of a family if there is room."""
        shown = [pack(one) for one in self.shown.get(family, ())]
        if len(shown) < LIMITS.shown_pages and all(page.url != one["url"] for one in shown):
            shown.append(pack(page))
        self.shown[family] = shown

    def of(self, family: str) -> list[Page]:
        """The shown pages of a family, else its waiting samples."""
        return unpack_pages(self.shown.get(family) or self.waiting.get(family) or ())

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> StoredPages:
        """The pages of a site's document. Raises TypeError, KeyError or AttributeError if it is
        damaged."""
        return cls(_read(data.get("samples", {})), {**_read(data.get("kept", {}))})


def _read(data: Any) -> dict[str, list[Packed]]:
    if not all(isinstance(pages, list) for pages in data.values()):
        raise TypeError("expected lists of samples")
    return {
        str(name): [
            {"url": str(one["url"]), "html": str(one["html"])}
            for one in pages[-LIMITS.shown_pages :]
        ]
        for name, pages in data.items()
    }


def within_bounds(pages: Iterable[tuple[str, Packed]], chars: int) -> dict[str, list[Packed]]:
    """The pages that fit into ``chars`` characters, by family. ``pages`` are ordered by priority,
    those of one family latest first.

    >>> pages = [("a", {"url": str(n), "html": "x" * n}) for n in (4, 9, 3)]
    >>> {name: [one["url"] for one in kept] for name, kept in within_bounds(pages, 8).items()}
    {'a': ['3', '4']}
    """
    kept: dict[str, list[Packed]] = {}
    for name, packed in pages:
        if len(packed["html"]) <= chars:
            chars -= len(packed["html"])
            kept.setdefault(name, []).insert(0, packed)
    return kept
