"""Elements that are what their role, their style or their content says, not what their tag is:
headings, lists, code and raised text in divisions and spans. They get the tag that means it."""

from __future__ import annotations

import re
from itertools import islice

from lxml import etree

from sitecrawl.dom.nodes import finder
from sitecrawl.dom.tree import HEADINGS

_NAMED = re.compile(rb"role=[\"']?(?:heading|code|list)\b")
_WITH_ROLE = finder(
    "//body//*[self::div or self::span or self::section or self::p]"
    "[@role='heading' or @role='code' or @role='list']"
)
_RAISED_STYLE = re.compile(rb"vertical-align:\s*(?:super|sub)\b")  # of a source in small letters
_WITH_STYLE = finder("//body//span[contains(@style, 'vertical-align')]")
_RAISES = re.compile(r"vertical-align:\s*(super|sub)\b", re.I)
_LINES_OF_CODE = finder(
    "//body//*[self::div or self::td][count(div) > 1][div[1][code] and div[last()][code]]"
    "[not(*[not(self::div)])][not(ancestor::pre)]"
)
_BROKEN_CODE = finder("descendant::br/parent::code[not(ancestor::pre)][not(.//pre)]")
_LINE_OF_CODE = re.compile(rb"<(?!pre[\s>])[^<>]*+>\s*+<code", re.I)
_BLOCKS = ("p", "div", "ul", "ol", "table", "pre", "section", *HEADINGS)
_MOST_LINES = 20_000


def give_tags(root: etree._Element, raw: bytes) -> None:
    """Give the elements of a page the tags that their roles and styles mean; ``raw`` is its source.

    >>> root = etree.HTML("<p>10<span style='vertical-align: super'>9</span><div role=heading aria-level=4>Ice")
    >>> give_tags(root, b"vertical-align: super role=heading")
    >>> [node.tag for node in root.iter()][3:]
    ['sup', 'h4']
    """
    if b"role=" in raw and _NAMED.search(raw):
        for node in _WITH_ROLE(root):
            _give_role(node)
    if b"vertical-align" in raw and _RAISED_STYLE.search(raw.lower()):
        for node in _WITH_STYLE(root):
            found = _RAISES.search(node.get("style") or "")
            if found:
                node.tag = "sup" if found[1].casefold() == "super" else "sub"
    if b"<code" not in raw:
        return
    lines = _LINES_OF_CODE(root) if _LINE_OF_CODE.search(raw) else []
    for node in [*lines, *_BROKEN_CODE(root)]:
        if node.tag == "code" or _is_code(node):
            _make_code(node)


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
