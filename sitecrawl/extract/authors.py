"""Who wrote an article and where it came from: metadata first, then the by-line near the headline."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import Any, cast

from lxml import etree

from sitecrawl.dom.blocks import ASIDE, Blocks, bits_of
from sitecrawl.dom.page import Metadata, Page, linked_names
from sitecrawl.dom.tree import SILENT, build_tree
from sitecrawl.text.names import clean_names

_BYLINE = re.compile(
    r"(?:^|[\s|·])(?:作者|记者|撰文|文/|责任编辑|编辑)\s*[:：]?\s*([^\s|：:,，；;（(]{2,20})|^(?:by|von|par|por|di|autor|author|posted by|written by)[:\s]+([^|,\d\n]{2,50}?)(?=\s+(?:on|at|am|le|el|il|\d)\b|\s*[|,·•\d]|$)",
    re.I,
)
_SOURCE = re.compile(r"(?:来源|來源|稿源|信息来源|出处|出典|출처)\s*[:：]\s*([^\s|：:,，；;（(]{2,30})")
_NAMED = 'translate(., "AUTHORBYLINE", "authorbyline")'
_MARKED = etree.XPath(
    'descendant-or-self::*/@*[(name()="rel" or name()="itemprop" or name()="class")'
    f' and (contains({_NAMED}, "author") or contains({_NAMED}, "byline"))]'
)
_MARKS, _ELEMENTS = 500, 200
"""Marks that are looked at, each with its ancestors, and elements from which a part of the page is no by-line."""
_REACH = 10
"""Blocks on either side of the headline in which a by-line is looked for."""


def find_authors(page: Page, near: Sequence[str]) -> tuple[list[str], str]:
    """Names of the authors and their origin; empty without one. ``near`` are the texts from ``near_headline``."""
    meta = page.metadata
    named = clean_names(linked_names(meta.linked.get("author")))
    if named:
        return named, "json-ld"
    given = clean_names(
        [
            meta.first("author", "article:author", "dc.creator", "dcterms.creator", "parsely-author", "sailthru.author")
            or ""
        ]
    )
    marked = _marked(page)
    if marked:
        return marked, "byline"
    return (given, "meta") if given else (_written(near), "text")


def _marked(page: Page) -> list[str]:
    """Names in the first element marked as the author by rel, itemprop or class."""
    marks = cast(list[Any], _MARKED(page.root))
    for node in dict.fromkeys(mark.getparent() for mark in marks[:_MARKS]):
        if len(list(islice(node.iter("*"), _ELEMENTS))) == _ELEMENTS:
            continue
        text = build_tree(node).text(0)
        if 1 < len(text) <= 60 and _in_sight(node):
            found = clean_names([text])
            if found:
                return found
    return []


def _in_sight(node: etree._Element) -> bool:
    """Whether an element stands in a part of the page that is read and speaks of the article."""
    return not any(part.tag in SILENT or bits_of(part) & ASIDE for part in (node, *node.iterancestors()))


def _written(near: Sequence[str]) -> list[str]:
    """Names in the first text that begins as a by-line; "By the end of the day" is prose."""
    for text in near:
        match = _BYLINE.search(text)
        if match and not (match[1] or match[2])[0].islower():
            return clean_names([match[1] or match[2]])
    return []


def find_source(metadata: Metadata, near: Sequence[str]) -> str | None:
    """The source an article names (来源) in the texts ``near`` its headline, None without one."""
    for text in near:
        match = _SOURCE.search(text)
        if match:
            return match[1]
    return metadata.first("source", "mediaid")


def near_headline(blocks: Blocks, headline: int) -> list[str]:
    """Short texts around the headline's block."""
    at = max(0, headline)
    return [text for text in blocks.texts[max(0, at - 3) : at + _REACH] if len(text) < 200]
