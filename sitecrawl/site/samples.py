"""Sample pages that wait for a template, kept between crawls: a site that publishes one article a day gets its template, too."""

from __future__ import annotations

import zlib
from base64 import b64decode, b64encode
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lxml import etree

from sitecrawl.dom.page import Page
from sitecrawl.dom.parse import parse
from sitecrawl.limits import LIMITS
from sitecrawl.templates.family import REFINE, Family

Packed = dict[str, str]
"""A page as ``{"url": ..., "html": ...}``: UTF-8, deflated, base64."""


@dataclass(frozen=True, slots=True)
class Portrait:
    """A page that a template answered, and the version that did."""

    version: int
    page: Packed


def kept_portraits(portraits: Mapping[str, Portrait], families: Collection[str]) -> dict[str, Any]:
    """The portraits of the families that are left as JSON, those too large for a document left out."""
    return {
        name: {"version": one.version, **one.page}
        for name, one in portraits.items()
        if name in families and len(one.page["html"]) <= LIMITS.portrait_chars
    }


def read_portraits(data: Any) -> dict[str, Portrait]:
    """Portraits of a document. Raises TypeError, KeyError, ValueError or AttributeError when it is damaged."""
    return {str(name): Portrait(int(one["version"]), read_packed([one])[0]) for name, one in data.items()}


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


def within_bounds(families: Mapping[str, Sequence[Packed]], most: int = LIMITS.sample_chars) -> dict[str, list[Packed]]:
    """The pages that a site's document may hold, ``most`` characters of them, those of the families that have most first.

    >>> one = {"url": "", "html": "x" * 1_500_000}
    >>> {name: len(kept) for name, kept in within_bounds({"a": [one], "b": [one, one, one]}).items()}
    {'b': 2}
    """
    left, kept = most, dict[str, list[Packed]]()
    for name, samples in sorted(families.items(), key=lambda one: -len(one[1])):
        for packed in reversed(samples):
            left -= len(packed["html"])
            if left >= 0:
                kept.setdefault(name, []).insert(0, packed)
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
