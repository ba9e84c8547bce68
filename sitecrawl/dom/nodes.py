"""What the rooms ask of single elements of lxml, and how they write a text in the place of one."""

from __future__ import annotations

from collections.abc import Callable
from operator import methodcaller
from typing import cast

from lxml import etree

Find = Callable[[etree._Element], list[etree._Element]]
class_of = methodcaller("get", "class")
style_of = methodcaller("get", "style")
href_of = methodcaller("get", "href")
"""Called for many elements, as by ``map``, they cost less than ``get`` in a loop."""
_SHEET_CHARS = 50_000  # of style sheets in the page that are read


def finder(path: str) -> Find:
    """A function that gives the elements which an XPath finds from an element, in document order."""
    return cast(Find, etree.XPath(path))


def style_sheet(node: etree._Element) -> str:
    """The beginning of the style sheets that stand in the page of an element."""
    sheets = node.getroottree().getroot().iter("style")
    return "".join([sheet.text or "" for sheet in sheets])[:_SHEET_CHARS]


def write_text(node: etree._Element, text: str, *, tag: str = "span") -> None:
    """Write a text in the place of an element and all that it holds; its tail stays.

    >>> root = etree.HTML("<p>Rain <img src=1.png alt=soon> falls</p>")
    >>> write_text(root.find(".//img"), "soon")
    >>> etree.tostring(root[0][0]).decode()
    '<p>Rain <span>soon</span> falls</p>'
    """
    node.clear(keep_tail=True)
    node.tag = tag
    node.text = text
