"""Sample pages that wait for a template, kept between crawls: a site that publishes one article a day gets its template, too."""

from __future__ import annotations

import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lxml import etree

from sitecrawl.dom.page import Page
from sitecrawl.dom.parse import parse
from sitecrawl.limits import LIMITS
from sitecrawl.templates.family import REFINE, Family

Packed = dict[str, str]
"""A page as ``{"url": ..., "html": ...}``: UTF-8, deflated, base64."""


def wants_samples(family: Family) -> bool:
    """Whether a template is still to be induced from the family's samples, or refined with them, or is doubted by them."""
    current = family.current
    return bool(family.samples) or current is None or not current.is_trusted or family.checked < REFINE


def pack(page: Page) -> Packed:
    """A page for a JSON document; what was mended while it was parsed stays mended."""
    html = etree.tostring(page.root, encoding="utf-8", method="html")
    return {"url": page.url, "html": b64encode(zlib.compress(html, 6)).decode("ascii")}


def unpack(packed: Packed) -> Page | None:
    """The page, None where it is damaged or would grow larger than any page is."""
    inflater = zlib.decompressobj()
    try:
        html = inflater.decompress(b64decode(packed["html"]), LIMITS.body_bytes)
    except (zlib.error, ValueError):
        return None
    return parse(html, packed["url"], "text/html; charset=utf-8") if inflater.eof else None


def within_bounds(families: Mapping[str, Sequence[Packed]]) -> dict[str, list[Packed]]:
    """The waiting pages that a site's document may hold, those of the families that have most first.

    >>> one = {"url": "", "html": "x" * 1_500_000}
    >>> {name: len(kept) for name, kept in within_bounds({"a": [one], "b": [one, one, one]}).items()}
    {'b': 2}
    """
    left, kept = LIMITS.sample_chars, dict[str, list[Packed]]()
    for name, samples in sorted(families.items(), key=lambda one: -len(one[1])):
        for packed in reversed(samples):
            left -= len(packed["html"])
            if left >= 0:
                kept.setdefault(name, []).insert(0, packed)
    return kept


def shown(families: Mapping[str, Sequence[Packed]]) -> dict[str, list[Packed]]:
    """Of the pages that show what templates do, those that a site's document may hold: the latest of every family first, of the most used before others.

    >>> pages = [{"url": str(n), "html": "x" * 250_000} for n in range(3)]
    >>> {name: [one["url"] for one in kept] for name, kept in shown({"a": pages[:2], "b": pages[2:]}).items()}
    {'a': ['1'], 'b': ['2']}
    """
    left, kept = LIMITS.shown_chars, dict[str, list[Packed]]()
    for back in range(1, LIMITS.shown_pages + 1):
        for name, pages in families.items():
            if len(pages) >= back and len(pages[-back]["html"]) <= left:
                left -= len(pages[-back]["html"])
                kept.setdefault(name, []).insert(0, pages[-back])
    return kept


def read_packed(data: Any) -> list[Packed]:
    """Packed samples of a document. Raises TypeError or KeyError when it is damaged."""
    return [{"url": str(one["url"]), "html": str(one["html"])} for one in _sequence(data)[-LIMITS.shown_pages :]]


def _sequence(data: Any) -> list[Any]:
    if not isinstance(data, list):
        raise TypeError("expected a list of samples")
    return data


def pages_of(samples: Iterable[Packed]) -> list[Page]:
    """The pages that can be read."""
    return [page for packed in samples if (page := unpack(packed)) is not None]
