"""Who wrote an article and where it came from: metadata first, then the by-line near the headline."""

from __future__ import annotations

import re

from sitecrawl.dom.blocks import HIDDEN, ZONE
from sitecrawl.dom.hints import BITS
from sitecrawl.dom.metadata import linked_names
from sitecrawl.extract.features import View
from sitecrawl.values.names import clean_names

_BYLINE = re.compile(
    r"(?:^|[\s|·])(?:作者|记者|撰文|文/|责任编辑|编辑)\s*[:：]?\s*([^\s|：:,，；;（(]{2,20})|^(?:by|von|par|por|di|autor|author|posted by|written by)[:\s]+([^|,\d\n]{2,50}?)(?=\s+(?:on|at|am|le|el|il|\d)\b|\s*[|,·•\d]|$)",
    re.I,
)
_SOURCE = re.compile(r"(?:来源|來源|稿源|信息来源|出处|出典|출처)\s*[:：]\s*([^\s|：:,，；;（(]{2,30})")
_BAD = (
    BITS["comment"] | BITS["side"] | BITS["foot"] | BITS["nav"] | ZONE["footer"] | ZONE["aside"] | ZONE["nav"] | HIDDEN
)
_REACH = 10
"""Blocks on either side of the headline in which a by-line is looked for."""


def find_authors(view: View, headline: int) -> tuple[list[str], str]:
    """Names of the authors and their origin; empty without one."""
    meta = view.page.metadata
    named = clean_names(linked_names(meta.linked.get("author")))
    if named:
        return named, "json-ld"
    given = clean_names(
        [
            meta.first("author", "article:author", "dc.creator", "dcterms.creator", "parsely-author", "sailthru.author")
            or ""
        ]
    )
    marked = _marked(view)
    if marked:
        return marked, "byline"
    return (given, "meta") if given else (_written(view, headline), "text")


def _marked(view: View) -> list[str]:
    """Elements marked as the author by rel, itemprop or class."""
    for number in sorted({*view.marked, *view.hinted("meta")}):
        node = view.tree.nodes[number]
        names = f"{node.get('rel') or ''} {node.get('itemprop') or ''} {node.get('class') or ''}".casefold()
        if ("author" not in names and "byline" not in names) or int(view.layout.above[number]) & _BAD:
            continue
        text = view.tree.text(number)
        if 1 < len(text) <= 60:
            found = clean_names([text])
            if found:
                return found
    return []


def _written(view: View, headline: int) -> list[str]:
    for text in _around(view, headline):
        match = _BYLINE.search(text)
        if match:
            return clean_names([match[1] or match[2]])
    return []


def find_source(view: View, headline: int) -> str | None:
    """The source an article names (来源), None without one."""
    for text in _around(view, headline):
        match = _SOURCE.search(text)
        if match:
            return match[1]
    return view.page.metadata.first("source", "mediaid")


def _around(view: View, headline: int) -> list[str]:
    at = max(0, headline)
    return [text[:200] for text in view.blocks.texts[max(0, at - 3) : at + _REACH] if len(text) < 200]
