"""Content of a page as text, clean HTML and Markdown, each rendered when first asked for."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from itertools import islice
from typing import Any

from lxml import etree

from sitecrawl.dom.markdown import markdown_of
from sitecrawl.dom.tree import CELLS, INLINE, KEPT, KEPT_ATTRIBUTES, SILENT
from sitecrawl.urls.canonical import join

_BREAK = "\x1e"
_NEWLINE = "\x1f"
_INLINE, _BLOCK, _CELL, _PRE, _BR, _SILENT = range(6)
_KINDS = (
    dict.fromkeys(INLINE, _INLINE)
    | dict.fromkeys(CELLS, _CELL)
    | dict.fromkeys(SILENT, _SILENT)
    | {"pre": _PRE, "br": _BR}
)
"""How a tag affects text; a tag that is not listed is a block."""
_DROPPED, _CLOSED = INLINE - KEPT, KEPT - {"br", "hr", "img"}
"""Tags that clean HTML leaves out, and those that it closes."""
_PLAIN = {tag: "" if tag in KEPT_ATTRIBUTES else f"<{tag}>" for tag in KEPT}
"""How clean HTML opens a tag of which it keeps no attribute; empty for the others."""
_SPECIAL = re.compile("[&<>]")
"""What needs an escape in text; most texts hold none of it."""
_SAFE = ("http://", "https://", "mailto:")
_EMBEDDED = frozenset(("iframe", "video", "audio"))
"""Elements without text that clean HTML gives a link for."""
_NUMBERS, _NUMBER = ("start", "colspan", "rowspan"), re.compile(r"[0-9]{1,5}")
"""Attributes that must be numbers, because readers of clean HTML rely on it."""
_SOURCES = 10
"""Sources of one video or sound that are looked at."""
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.I)
_BLANKS = re.compile(r"[\x00-\x20]+")
"""Characters that browsers ignore in a scheme: ``java script:`` runs."""
_TINY = ("0", "1", "0px", "1px")
_LAZY = ("data-src", "data-original", "data-lazy-src")


@dataclass
class Content:
    """Content to render: ``nodes`` in order, without the subtrees in ``skip`` and the direct text of elements in ``mute``.

    Relative links are resolved against ``base_url``; ``lines`` are whole lines that the plain text leaves out.
    """

    nodes: Sequence[etree._Element]
    skip: Collection[etree._Element] = field(default_factory=frozenset)
    base_url: str = ""
    mute: Collection[etree._Element] = field(default_factory=frozenset)
    lines: Collection[str] = frozenset()

    @cached_property
    def text(self) -> str:
        """Plain text, a paragraph a line; line ends of preformatted text are kept."""
        parts: list[str] = []
        for node in self.nodes:
            _collect(node, self.skip, self.mute, parts)
            parts.append(_BREAK)
        lines = [
            " ".join(line.split()) if _NEWLINE not in line else _code(line)
            for line in "".join(parts).split(_BREAK)
            if line and not line.isspace()
        ]
        return "\n".join(line for line in lines if line and line not in self.lines)

    @cached_property
    def html(self) -> str:
        """Clean HTML: structure, links and images; no classes, scripts, styles or foreign schemes."""
        return "".join(_html(node, self) for node in self.nodes).strip()

    @cached_property
    def markdown(self) -> str:
        """Markdown (CommonMark) of what the clean HTML holds."""
        return markdown_of(self.nodes, self._url, self.skip, self.mute)

    def _url(self, node: etree._Element, name: str) -> str | None:
        if node.tag in SILENT:
            return _embedded(node, self.base_url)
        return _attribute(node, name, self.base_url)


def _code(line: str) -> str:
    return "\n".join(part.rstrip() for part in line.strip(_NEWLINE + " ").split(_NEWLINE))


def _collect(
    root: etree._Element, skip: Collection[etree._Element], mute: Collection[etree._Element], parts: list[str]
) -> None:
    """Append the text of ``root`` to ``parts``, block boundaries marked; one loop, since templates run on it."""
    add, kind_of, kinds = parts.append, _KINDS.get, list[int]()
    pre, push, pop = 0, kinds.append, kinds.pop
    walk: Any = etree.iterwalk(root, events=("start", "end"))
    for event, node in walk:
        if event == "start":
            kind = kind_of(node.tag, _BLOCK)
            if kind == _SILENT or node in skip:
                push(_SILENT)
                walk.skip_subtree()
                continue
            push(kind)
            if kind == _BR:
                add(_NEWLINE if pre else _BREAK)
            elif kind:
                add(" " if kind == _CELL else _BREAK)
                pre += kind == _PRE
            text = node.text
            if text and node not in mute:
                add(text.replace("\n", _NEWLINE) if pre else text)
            continue
        kind = pop()
        if 0 < kind < _BR:
            add(" " if kind == _CELL else _BREAK)
            pre -= kind == _PRE
        tail = node.tail
        if tail and node is not root and (not mute or node.getparent() not in mute):
            add(tail.replace("\n", _NEWLINE) if pre else tail)


def _html(root: etree._Element, content: Content) -> str:
    parts: list[str] = []
    add, skip, mute, special = parts.append, content.skip, content.mute, _SPECIAL.search
    walk: Any = etree.iterwalk(root, events=("start", "end"))
    for event, node in walk:
        tag = node.tag
        hidden = tag in SILENT or node in skip
        if event == "start":
            if hidden:
                add(_left_of(node, content))
                walk.skip_subtree()
                continue
            if tag not in _DROPPED:
                add(_PLAIN.get(tag, "\n") or _opening(node, content.base_url))
            text = node.text
            if text and node not in mute:
                add(escape(text, quote=False) if special(text) else text)
            continue
        if tag in _CLOSED and not hidden:
            add(f"</{tag}>")
        tail = node.tail
        if tail and node is not root and (not mute or node.getparent() not in mute):
            add(escape(tail, quote=False) if special(tail) else tail)
    return "".join(parts)


def _left_of(node: etree._Element, content: Content) -> str:
    """Replacement for an element that clean HTML hides: an empty cell, or a link to embedded content."""
    tag = str(node.tag)
    if node in content.skip:
        return f"{_opening(node, content.base_url)}</{tag}>" if tag in CELLS else ""
    url = _embedded(node, content.base_url)
    return f'<a href="{escape(url)}">{escape(node.get("title") or url)}</a>' if url else ""


def _embedded(node: etree._Element, base_url: str) -> str | None:
    """URL of embedded content; None when it is too small to see."""
    if node.tag not in _EMBEDDED or node.get("width") in _TINY or node.get("height") in _TINY:
        return None
    sources = (_attribute(part, "src", base_url) or "" for part in (node, *islice(node.iter("source"), _SOURCES)))
    return next((url for url in sources if url.startswith(("http://", "https://"))), None)


def _opening(node: etree._Element, base_url: str) -> str:
    tag = str(node.tag)
    plain = _PLAIN.get(tag, "\n")
    if plain or not node.attrib:
        return plain or f"<{tag}>"
    pairs = [(name, _attribute(node, name, base_url)) for name in KEPT_ATTRIBUTES[tag]]
    return f"<{tag}" + "".join(f' {name}="{escape(value)}"' for name, value in pairs if value) + ">"


def _attribute(node: etree._Element, name: str, base_url: str) -> str | None:
    value = node.get(name)
    if name in _NUMBERS:
        return value if value and _NUMBER.fullmatch(value) else None
    if name == "src":
        value = next((node.get(lazy) for lazy in _LAZY if node.get(lazy)), value)
    if name not in ("href", "src") or value is None:
        return value
    return absolute(value, base_url)


def absolute(href: str, base_url: str) -> str | None:
    """``href`` as an absolute http(s) or mailto URL, None when it is neither.

    Without a base URL, one that names no scheme stays relative.

    >>> absolute("/a", "http://example.com/b"), absolute("javascript:x()", "http://example.com/b")
    ('http://example.com/a', None)
    >>> absolute("/a", ""), absolute("java\\tscript:x()", ""), absolute(" data:text/html,x", "")
    ('/a', None, None)
    """
    url = join(base_url, href)
    if url.startswith(_SAFE):
        return url
    named = _SCHEME.match(_BLANKS.sub("", url))
    return (url or None) if not base_url and named is None else None
