"""What a page says about itself for machines: meta elements, JSON-LD, title, links of the head."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from sitecrawl.limits import LIMITS
from sitecrawl.text.chars import fold, mend_escapes

_ARTICLE = re.compile(r"(article|posting|report|newsitem|blogpost|review|recipe)$", re.I)
_CONTROL = re.compile(r"[\x00-\x1f]+")
_HTML, _DRAWING_LEVELS = ("head", "body", "div", "p", "foreignobject"), 20
"""Elements that are no part of a drawing, and levels above a title that are searched for one."""
_TRAILING_COMMA = re.compile(r",\s*([}\]])")


@dataclass(slots=True)
class Metadata:
    """``meta`` maps name or property (casefolded) to the first content; ``linked`` is the JSON-LD object of the article.

    ``links`` maps a ``rel`` to its first href; ``tags`` are the contents of all ``article:tag``.
    """

    meta: dict[str, str] = field(default_factory=dict)
    linked: dict[str, Any] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    tags: list[str] = field(default_factory=list)
    title: str = ""
    language: str = ""

    def first(self, *names: str) -> str | None:
        """The first non-empty meta content of ``names``."""
        return next((self.meta[name] for name in names if self.meta.get(name)), None)

    @property
    def marks_article(self) -> bool:
        """Whether the page says itself that it is an article."""
        return bool(self.linked or "article:published_time" in self.meta) or "article" in (
            self.meta.get("og:type") or ""
        )


def read_metadata(root: etree._Element) -> Metadata:
    """Metadata of a page; damaged JSON-LD is mended where a trailing comma or a control character is all that is wrong."""
    found = Metadata(
        language=(root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang") or "").strip()
    )
    scripts: list[str] = []
    for node in root.iter("meta", "link", "title", "script"):
        if node.tag == "meta":
            _read_meta(node, found)
        elif node.tag == "link":
            for rel in (node.get("rel") or "").casefold().split():
                found.links.setdefault(rel, (node.get("href") or "").strip())
        elif node.tag == "title":
            found.title = found.title or _title_of(node)
        elif node.text and "ld+json" in (node.get("type") or "").casefold():
            scripts.append(node.text)
    found.linked = _article_of(scripts)
    return found


def _title_of(node: etree._Element) -> str:
    """Text of a ``title`` element, empty for one that names a part of a drawing."""
    above, levels = node.getparent(), 0
    while above is not None and above.tag not in _HTML and levels < _DRAWING_LEVELS:
        if above.tag == "svg":
            return ""
        above, levels = above.getparent(), levels + 1
    return fold("".join(node.itertext())[: LIMITS.title_chars])


def _read_meta(node: etree._Element, found: Metadata) -> None:
    name = node.get("property") or node.get("name") or node.get("itemprop") or node.get("http-equiv")
    content = node.get("content")
    if name and content and content.strip():
        name = name.strip().casefold()
        found.meta.setdefault(name, content.strip())
        if name == "article:tag":
            found.tags.append(content)


def _article_of(scripts: list[str]) -> dict[str, Any]:
    """The object that describes the page's article, empty without one."""
    for script in scripts:
        for item in _objects(_load(script)):
            kinds = item.get("@type")
            kinds = kinds if isinstance(kinds, list) else [kinds]
            if any(isinstance(kind, str) and _ARTICLE.search(kind) for kind in kinds):
                return item
    return {}


def _load(script: str) -> Any:
    if len(script) > LIMITS.jsonld_chars:
        return None
    text = mend_escapes(script.strip().removeprefix("<!--").removesuffix("-->").strip().rstrip(";"))
    for attempt in (text, _TRAILING_COMMA.sub(r"\1", _CONTROL.sub(" ", text))):
        try:
            return json.loads(attempt, strict=False)
        except (ValueError, RecursionError):
            continue
    return None


def _objects(data: Any) -> Iterator[dict[str, Any]]:
    """Objects of a JSON-LD document: itself, lists of it, its graph and main entity."""
    queue, seen = [data], 0
    while queue and seen < 1000:
        seen += 1
        item = queue.pop(0)
        if isinstance(item, list):
            queue.extend(item)
        elif isinstance(item, dict):
            yield item
            queue.extend(item[key] for key in ("@graph", "mainEntity", "mainEntityOfPage") if key in item)


def linked_text(value: Any) -> str | None:
    """A JSON-LD value as text: a string, the name or value of an object, the first of a list.

    >>> linked_text([{"@type": "Person", "name": " Ann "}])
    'Ann'
    """
    for _ in range(5):
        if isinstance(value, list):
            value = value[0] if value else None
        elif isinstance(value, dict):
            value = value.get("name") or value.get("@value") or value.get("url")
        else:
            break
    return fold(value) or None if isinstance(value, str) else None


def linked_names(value: Any) -> list[str]:
    """Names of a JSON-LD author value, one or many."""
    items = value if isinstance(value, list) else [value]
    names = [linked_text(item.get("name")) if isinstance(item, dict) else linked_text(item) for item in items]
    return [name for name in names if name]
