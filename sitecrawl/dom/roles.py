"""Elements that are what their role, their style or their content says, not what their tag is:
headings, lists, code and raised text in divisions and spans. They get the tag that means it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from lxml import etree

from sitecrawl.dom.tree import HEADINGS

_NAMED = re.compile(rb"role=[\"']?(?:heading|code|list)\b")
_ROLES = ("heading", "code", "list")
_HAVE_ROLES = ("div", "span", "section", "p")
_RAISED_STYLE = re.compile(rb"vertical-align:\s*(?:super|sub)\b")  # of a source in small letters
_RAISES = re.compile(r"vertical-align:\s*(super|sub)\b", re.I)
_BLOCKS = ("p", "div", "ul", "ol", "table", "pre", "section", *HEADINGS)
_MOST_LINES = 20_000


def give_tags(root: etree._Element, codes: Sequence[etree._Element], *, raw: bytes) -> bool:
    """Give the elements of a page the tags that their roles, styles and contents mean; returns
    whether any was given one. ``codes`` are its elements of code, ``raw`` is its source.

    >>> root = etree.HTML("<p>10<span style='vertical-align: super'>9</span><div role=heading aria-level=4>Ice")
    >>> give_tags(root, (), raw=b"vertical-align: super role=heading")
    True
    >>> [node.tag for node in root.iter()][3:]
    ['sup', 'h4']
    """
    may_be_named = b"role=" in raw and _NAMED.search(raw) is not None
    holders = root.iter(*_HAVE_ROLES) if may_be_named else ()
    named = [node for node in holders if node.get("role") in _ROLES]
    for node in named:
        _give_role(node)
    may_be_raised = b"vertical-align" in raw and _RAISED_STYLE.search(raw.lower()) is not None
    spans = root.iter("span") if may_be_raised else ()
    styled = [(node, found) for node in spans if (found := _RAISES.search(node.get("style") or ""))]
    for node, found in styled:
        node.tag = "sup" if found[1].casefold() == "super" else "sub"
    blocks = [*_holders_of_lines(codes), *filter(_is_broken, codes)]
    for node in blocks:
        _make_code(node)
    return bool(named or styled or blocks)


def _holders_of_lines(codes: Sequence[etree._Element]) -> list[etree._Element]:
    """The divisions and cells outside ``pre`` that hold nothing but lines of code, each a division."""
    lines = [code.getparent() for code in codes]
    holders = [line.getparent() for line in lines if line is not None and line.tag == "div"]
    return [node for node in dict.fromkeys(holders) if node is not None and _holds_lines(node)]


def _holds_lines(node: etree._Element) -> bool:
    if node.tag not in ("div", "td") or len(node) < 2:
        return False
    if node[0].find("code") is None or node[-1].find("code") is None:
        return False
    is_whole = all(line.tag == "div" for line in node)
    return is_whole and next(node.iterancestors("pre"), None) is None and _is_code(node)


def _is_broken(code: etree._Element) -> bool:
    """Whether an element of code outside ``pre`` has line breaks."""
    if code.find("br") is None or next(code.iterdescendants("pre"), None) is not None:
        return False
    return next(code.iterancestors("pre"), None) is None


def _give_role(node: etree._Element) -> None:
    role = node.get("role")
    if role == "heading":
        level = node.get("aria-level") or ""
        blocks = list(islice(node.iterdescendants(*_BLOCKS), 2))
        if len(blocks) < 2:
            node.tag = f"h{level}" if f"h{level}" in HEADINGS else "h2"
    elif role == "code":
        node.tag = "pre"
    else:
        items = [item for item in node if item.get("role") == "listitem"]
        if items and len(items) == len(node):
            node.tag = "ul"
            for item in items:
                item.tag = "li"


def _is_code(node: etree._Element) -> bool:
    """Whether all lines in an element are code."""
    lines = list(node)[:_MOST_LINES]
    return all(
        not (line.text or "").strip() and all(part.tag == "code" for part in line) for line in lines
    )


def _make_code(node: etree._Element) -> None:
    """Turn an element whose lines are code into a block of code; a cell keeps its tag."""
    if node.tag == "td":
        inner = node.makeelement("pre")
        inner.text = node.text
        inner.extend(list(node))
        node.text = None
        node.append(inner)
        node = inner
    node.tag = "pre"
    etree.strip_tags(node, "code")
