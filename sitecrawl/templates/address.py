"""Addresses: the subset of XPath 1.0 that templates use. An address is checked before it is
evaluated.

An address starts at ``id("x")``, ``/html`` or ``.`` and continues with child (``/``) or descendant
(``//``) steps. A step names a tag or ``*``; it may require an id, class tokens, another attribute,
the beginning of an id or a link, an exact text or a position; it may also select siblings. The
address may end in an attribute. The source of a value is an address, a key of the page's JSON-LD,
or the page's URL."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import Any

from lxml import etree

from sitecrawl.dom.document import Document
from sitecrawl.dom.tree import line_below
from sitecrawl.errors import TemplateError
from sitecrawl.limits import cached
from sitecrawl.text.chars import fold

_CLASS_TEST = re.compile(r'\[contains\(concat\(" ", @class, " "\), " ([^"]+) "\)\]')
_ID_TEST = re.compile(r'\[@id="([^"]+)"\]|id\("([^"]+)"\)')

_TEXT = r'"[^"\x00-\x1f]{0,200}"'
_PREDICATE = rf"""\[(?:\d{{1,4}}|last\(\)(?:-\d{{1,3}})?|@[\w:.-]{{1,40}}(?:={_TEXT})?|normalize-space\(\)={_TEXT}
|contains\(concat\("\ ",\ @class,\ "\ "\),\ {_TEXT}\)|starts-with\(@(?:id|href),\ {_TEXT}\)
|[a-zA-Z][\w-]{{0,40}}(?:/[a-zA-Z][\w-]{{0,40}}){{0,4}})\]"""
_STEP = rf"/{{1,2}}(?:(?:following|preceding)-sibling::)?(?:\*|[a-zA-Z][\w-]{{0,40}})(?:{_PREDICATE}){{0,6}}"
_ADDRESS = re.compile(rf"(?:id\({_TEXT}\)|\.)?(?:{_STEP}){{0,60}}(?:/@[\w:.-]{{1,40}})?", re.X)
_COMMON = re.compile(
    r'(\.?)//([a-zA-Z][\w-]*)(?:\[contains\(concat\(" ", @class, " "\), " ([^" ]+) "\)\])?(?:/([a-zA-Z][\w-]*))?'
)
"""The common form: a descendant of the start or of the page, with at most one class token, and at
most one child step behind it."""
_LINKED = re.compile(
    r"json-ld:(headline|name|datePublished|dateCreated|dateModified|author|description)"
)
URL = "url"  # the source that reads the page's own URL


def is_address(address: object, *, longest: int = 2_000) -> bool:
    """Whether ``address`` belongs to the subset.

    >>> is_address('id("main")/div[2]/p[@class]'), is_address("//p[system-property('x')]"), is_address("")
    (True, False, False)
    """
    if not isinstance(address, str) or not 0 < len(address) <= longest:
        return False
    return address[-1] != "/" and _ADDRESS.fullmatch(address) is not None


def is_source(source: object) -> bool:
    """Whether ``source`` is one a template may use.

    >>> is_source("json-ld:headline"), is_source("url"), is_source("//h1"), is_source("os:system")
    (True, True, True, False)
    """
    return isinstance(source, str) and (
        source == URL or bool(_LINKED.fullmatch(source)) or is_address(source)
    )


@cached(2_048)
def compiled(address: str) -> etree.XPath:
    """The compiled address. Raises TemplateError if it does not belong to the subset."""
    if not is_address(address):
        raise TemplateError(
            address, "not an address that templates may use", "see docs/templates.md for the subset"
        )
    return etree.XPath(address)


def find(address: str, root: etree._Element) -> list[Any]:
    """The result of evaluating ``address`` from ``root``: elements in document order, or
    strings."""
    found = compiled(address)(root)
    return found if isinstance(found, list) else []


def numbers_below(address: str, document: Document, *, start: int = 0) -> list[int] | None:
    """Numbers of the elements that :func:`find` finds from element ``start``, looked up in the
    page's index, which is faster; None if the address has no common form."""
    form = _COMMON.fullmatch(address)
    if form is None:
        return None
    relative, tag, token, child = form.groups()
    tags, parents = document.tags, document.parents
    found = document.named.get(f".{token}", []) if token else document.tagged(tag)
    if relative:
        found = found[bisect_right(found, start) : bisect_left(found, document.ends[start])]
    if token:
        found = [number for number in found if tags[number] == tag]
    if child:
        above = set(found)
        found = [number for number in document.tagged(child) if parents[number] in above]
    return found


def text_of(found: Any, most: int | None = None) -> str:
    """Text of a result of :func:`find`, white space folded, without scripts and styles; at most
    ``most`` characters."""
    if isinstance(found, str):
        return fold(found)[:most]
    return line_below(found)[:most]


def specificity(address: str) -> int:
    """How specific a rule below a container is: 0 names the element itself, 1 its tag, 2 its
    parent's name, 3 a position only."""
    if not address.startswith(".//"):
        return 3
    return 0 if address.endswith("]") else 1 if address.count("/") == 2 else 2


def readable(address: str) -> str:
    """An address in CSS notation: classes after a dot, ids after a hash.

    >>> readable('id("main")/p[contains(concat(" ", @class, " "), " meta ")]/time/@datetime')
    '#main/p.meta/time/@datetime'
    """
    return _ID_TEST.sub(lambda found: f"#{found[1] or found[2]}", _CLASS_TEST.sub(r".\1", address))
