"""Addresses: the subset of XPath 1.0 that templates use. An address is checked before it is
evaluated.

An address starts at ``id("x")``, ``/html`` or ``.`` and continues with child (``/``) or descendant
(``//``) steps. A step names a tag or ``*``; it may require an id, class tokens, another attribute,
the beginning of an id or a link, an exact text or a position; it may also select siblings, at most
twice in an address, and once without a position. The address may end in an attribute. The source of
a value is an address, a key of the page's JSON-LD, or the page's URL.

An address is evaluated in parts, since libxml2 compares what it finds from each of many elements
with all that it found before: ``//p/following-sibling::p`` takes time in the cube of the number of
paragraphs, ``//div//div`` in the cube of the depth. Here each part starts from elements of which no
two find the same."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from enum import Enum, auto
from typing import Any, NamedTuple

from lxml import etree

from sitecrawl.dom.document import Document
from sitecrawl.dom.page import Page
from sitecrawl.dom.tree import line_below
from sitecrawl.errors import TemplateError
from sitecrawl.limits import LIMITS, cached
from sitecrawl.text.chars import fold

_CLASS_TEST = re.compile(r'\[contains\(concat\(" ", @class, " "\), " ([^"]+) "\)\]')
_ID_TEST = re.compile(r'\[@id="([^"]+)"\]|id\("([^"]+)"\)')

_TEXT = r'"[^"\x00-\x1f]{0,200}"'
_PREDICATE = rf"""\[(?:\d{{1,4}}|last\(\)(?:-\d{{1,3}})?|@[\w:.-]{{1,40}}(?:={_TEXT})?|normalize-space\(\)={_TEXT}
|contains\(concat\("\ ",\ @class,\ "\ "\),\ {_TEXT}\)|starts-with\(@(?:id|href),\ {_TEXT}\)
|[a-zA-Z][\w-]{{0,40}}(?:/[a-zA-Z][\w-]{{0,40}}){{0,4}})\]"""
_STEP = rf"/{{1,2}}(?:(?:following|preceding)-sibling::)?(?:\*|[a-zA-Z][\w-]{{0,40}})(?:{_PREDICATE}){{0,6}}"
_ADDRESS = re.compile(
    rf"(?P<start>id\({_TEXT}\)|\.)?(?P<steps>(?:{_STEP}){{0,60}})(?P<attribute>/@[\w:.-]{{1,40}})?",
    re.X,
)
_STEPS = re.compile(_STEP, re.X)
_SIBLING = re.compile(r"(/{1,2})(following|preceding)-sibling::")
_POSITION = re.compile(r"\[(?:\d|last\(\))")
_QUOTED = re.compile(_TEXT)
_LONGEST = 2_000  # characters of an address
_SIBLING_STEPS = 2  # of an address; those that are learned have one
_TEXT_TESTS = 2  # of an address: each reads the text of every element that encloses it
_SIBLING_STARTS = 1_000
"""Elements from which a sibling at a position is looked for, each past all of its siblings; a list of
terms and values has dozens."""
_COMMON = re.compile(
    r'(\.?)//([a-zA-Z][\w-]*)(?:\[contains\(concat\(" ", @class, " "\), " ([^" ]+) "\)\])?(?:/([a-zA-Z][\w-]*))?'
)
"""The common form: a descendant of the start or of the page, with at most one class token, and at
most one child step behind it."""
_LINKED = re.compile(
    r"json-ld:(headline|name|datePublished|dateCreated|dateModified|author|description)"
)
URL = "url"  # the source that reads the page's own URL


def is_address(address: object) -> bool:
    """Whether ``address`` belongs to the subset.

    >>> is_address('id("main")/div[2]/p[@class]'), is_address("//p[system-property('x')]"), is_address("")
    (True, False, False)
    """
    return isinstance(address, str) and 0 < len(address) <= _LONGEST and _is_in_subset(address)


@cached(4_096)
def _is_in_subset(address: str) -> bool:
    form = _ADDRESS.fullmatch(address)
    return address[-1] != "/" and form is not None and _is_cheap(form["steps"])


def _is_cheap(steps: str) -> bool:
    """Whether what is looked for from many elements is bounded."""
    bare = _QUOTED.sub('""', steps)
    if bare.count("normalize-space") > _TEXT_TESTS:
        return False
    if "-sibling::" not in bare:
        return True
    siblings = [found for found in map(_sibling_step, _STEPS.findall(bare)) if found]
    without_position = [step for step in siblings if not _POSITION.search(step)]
    is_below = any(step.startswith("//") for step in siblings)
    return len(siblings) <= _SIBLING_STEPS and len(without_position) <= 1 and not is_below


def _sibling_step(step: str) -> str:
    return step if _SIBLING.match(step) else ""


def is_source(source: object) -> bool:
    """Whether ``source`` is one a template may use.

    >>> is_source("json-ld:headline"), is_source("url"), is_source("//h1"), is_source("os:system")
    (True, True, True, False)
    """
    return isinstance(source, str) and (
        source == URL or bool(_LINKED.fullmatch(source)) or is_address(source)
    )


class _Way(Enum):
    """Where the steps of a part of an address lead from the elements that the part before found."""

    START = auto()
    BELOW = auto()
    FOLLOWING = auto()
    PRECEDING = auto()
    NEAR = auto()  # to siblings at a position
    ATTRIBUTE = auto()


class _AddressPart(NamedTuple):
    way: _Way
    xpath: etree.XPath


@cached(2_048)
def compiled(address: str) -> tuple[_AddressPart, ...]:
    """The compiled parts of an address. Raises TemplateError if it does not belong to the
    subset."""
    form = _ADDRESS.fullmatch(address) if is_address(address) else None
    if form is None:
        raise TemplateError(
            address, "not an address that templates may use", "see docs/templates.md for the subset"
        )
    ways = [_Way.START]
    texts = [form["start"] or ""]
    for at, step in enumerate(_STEPS.findall(form["steps"])):
        way = _way_of(step) if at else None
        if way is None:
            texts[-1] += step
        else:
            ways.append(way)
            texts.append(f".{step}")
    if form["attribute"] and len(texts) == 1:
        texts[0] += form["attribute"]
    elif form["attribute"]:
        ways.append(_Way.ATTRIBUTE)
        texts.append(f".{form['attribute']}")
    return tuple(map(_AddressPart, ways, map(etree.XPath, texts)))


def _way_of(step: str) -> _Way | None:
    """Where a step leads; None to children, of which no two elements have the same."""
    sibling = _SIBLING.match(step)
    if sibling is None:
        return _Way.BELOW if step.startswith("//") else None
    if _POSITION.search(_QUOTED.sub('""', step)):
        return _Way.NEAR
    return _Way.FOLLOWING if sibling[2] == "following" else _Way.PRECEDING


def find(address: str, root: etree._Element) -> list[Any]:
    """The result of evaluating ``address`` from ``root``: elements in document order, or
    strings."""
    first, *parts = compiled(address)
    result = first.xpath(root)
    found: list[Any] = result if isinstance(result, list) else []
    for part in parts:
        found = _found_from(found, part)
    return found


def find_on(address: str, page: Page) -> list[Any]:
    """The result of evaluating ``address`` from the root of a page. It is kept with the page, of
    which learning asks the same again and again; a page whose document is read is asked by that."""
    known = page.found
    if address not in known:
        nodes = page.document.nodes if "document" in page.__dict__ else []
        is_whole = 0 < len(nodes) < LIMITS.nodes
        numbers = None
        if is_whole and address[:2] == "//":
            numbers = numbers_below(address, page.document)
        by_path = find(address, page.root) if numbers is None else []
        known[address] = by_path or [nodes[at] for at in numbers or ()]
    return known[address]


def _found_from(nodes: list[etree._Element], part: _AddressPart) -> list[Any]:
    """What a part of an address finds from elements in document order, in document order."""
    if len(nodes) < 2:
        return [hit for node in nodes for hit in part.xpath(node)]
    starts = nodes
    match part.way:
        case _Way.BELOW:
            starts = _outermost(nodes)
        case _Way.FOLLOWING:  # what follows the first of some siblings follows the others, too
            starts = list({node.getparent(): node for node in reversed(nodes)}.values())[::-1]
        case _Way.PRECEDING:
            starts = list({node.getparent(): node for node in nodes}.values())
        case _Way.NEAR:
            starts = nodes[:_SIBLING_STARTS]
    found = [hit for node in starts for hit in part.xpath(node)]
    is_ordered = part.way in (_Way.BELOW, _Way.ATTRIBUTE) or len(starts) == 1
    return found if is_ordered else _in_order(found)


def _outermost(nodes: list[etree._Element]) -> list[etree._Element]:
    """Those of some elements in document order that are in no other of them. Each element of the
    page is looked at once.

    >>> root = etree.fromstring("<a><b><c/></b><c/></a>")
    >>> [node.tag for node in _outermost(root.findall(".//*"))]
    ['b', 'c']
    """
    is_within: dict[etree._Element, bool] = {}
    found: list[etree._Element] = []
    for node in nodes:
        path: list[etree._Element] = []
        above = node.getparent()
        while above is not None and above not in is_within:
            path.append(above)
            above = above.getparent()
        is_inside = above is not None and is_within[above]
        is_within.update(dict.fromkeys(path, is_inside))
        is_within[node] = True
        if not is_inside:
            found.append(node)
    return found


def _in_order(nodes: list[etree._Element]) -> list[etree._Element]:
    """Elements of one page in document order, each once."""
    unique = dict.fromkeys(nodes)
    if len(unique) < 2:
        return list(unique)
    root = nodes[0].getroottree().getroot()
    return [node for node in root.iter() if node in unique]


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
