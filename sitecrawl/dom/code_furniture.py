"""What stands around and between the lines of code and is no part of it: line numbers, whatever
their elements are called, buttons that copy, and the words that confirm it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import compress, islice, pairwise
from operator import attrgetter

from lxml import etree

from sitecrawl.dom.tree import string_of
from sitecrawl.limits import Meter
from sitecrawl.text.chars import fold

_UNSELECTABLE = re.compile(r"user-select\s*:\s*none", re.I)
_NUMBERED = frozenset(("span", "a", "td", "th", "i", "em", "b", "div", "code"))
"""Elements that may hold the number of a line."""
_TEXT = attrgetter("text")
_COUNTS = re.compile(r"[ \t\r\n]*[0-9]{1,6}[.:|]?[ \t\r\n]*").fullmatch
"""Finds a text that is a number and no more: few in a block of code."""
_COPIES = re.compile(r"(?<![a-z])(?:copy|copied|clipboard|copier|copybtn)(?![a-z])", re.I)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_LINES = ("tr", "li", "div", "p")
_PATH = 4  # elements around a block of code that may hold its buttons
_BESIDE = 8  # elements that such an element may hold
_BRANCH = 60  # elements that hold buttons; more are no head of a block
_BESIDE_CHARS = 120  # and characters outside the code: more are text of the page
_LABEL_CHARS = 40  # of a button, or of what confirms that it was pressed
_STEM = 3  # letters that both begin with: Copy, Copied
_STEM_CJK = 2


def furniture_of_code(blocks: Iterable[etree._Element], meter: Meter) -> Iterator[etree._Element]:
    """The elements in and around blocks of code that are no part of it."""
    for pre in blocks:
        yield from _line_numbers(pre, meter)
        yield from pre.iter("button")
        for around in _wrappers(pre):
            yield from _buttons_beside(around, pre)


def _line_numbers(pre: etree._Element, meter: Meter) -> Iterator[etree._Element]:
    """Elements at the beginnings of lines that readers cannot select, or whose texts count."""
    kinds: dict[tuple[str, str, str], list[etree._Element]] = {}
    below = list(pre.iterdescendants(*_NUMBERED)) if len(pre) else []
    counts = compress(below, map(_COUNTS, map(str, map(_TEXT, below))))
    for node in [node for node in counts if not len(node)]:
        style = node.get("style") or ""
        kinds.setdefault((str(node.tag), node.get("class") or "", style), []).append(node)
    if not meter.pays(elements=sum(map(len, kinds.values()))):
        return
    for (_, _, style), nodes in kinds.items():
        if _UNSELECTABLE.search(style):
            yield from filter(_begins_line, nodes)
        # numbers of the code itself seldom count: only of others are the lines looked at
        elif 2 * _steps(nodes).count(1) >= len(nodes) > 1:
            first = [node for node in nodes if _begins_line(node) and _has_text_behind(node)]
            if len(first) > 1 and set(_steps(first)) == {1}:
                yield from first


def _steps(nodes: list[etree._Element]) -> list[int]:
    """By how much the numbers in elements grow from each to the next."""
    numbers = [int((node.text or "").strip(" .:|\t\r\n\f\v\xa0")) for node in nodes]
    return [after - before for before, after in pairwise(numbers)]


def _begins_line(node: etree._Element) -> bool:
    """Whether nothing stands before an element in its line of code."""
    for above in islice(node.iterancestors(), _PATH):
        before = node.getprevious()
        text = (above.text if before is None else before.tail) or ""
        line = text.rpartition("\n")
        if line[2].strip():
            return False
        if line[1] or above.tag in (*_LINES, "pre"):
            return before is None or bool(line[1]) or before.tag in (*_LINES, "br")
        if before is not None:
            return before.tag in (*_LINES, "br") or string_of(before).endswith("\n")
        node = above
    return True


def _has_text_behind(node: etree._Element) -> bool:
    """Whether a line goes on behind an element: a line that is a number is a result."""
    if "\n" in (node.text or "").lstrip():
        return False
    line = (node.tail or "").partition("\n")
    if line[0].strip():
        return True
    behind = node.getnext()
    if line[1] or behind is None:
        return False
    return behind.tag not in (*_LINES, "br") and not string_of(behind).startswith("\n")


def _wrappers(pre: etree._Element) -> Iterator[etree._Element]:
    """The elements around a block of code that hold nothing else but its name and its buttons."""
    own = len(string_of(pre))
    for around in islice(pre.iterancestors(), _PATH):
        is_alone = len(list(islice(around.iter("pre"), 2))) == 1
        # an element around one block alone is read for no other block
        if len(around) > _BESIDE or not is_alone:
            return
        if len(string_of(around)) - own > _BESIDE_CHARS:
            return
        yield around


def _buttons_beside(around: etree._Element, pre: etree._Element) -> Iterator[etree._Element]:
    """The buttons among the children of an element that do not hold the code."""
    path = set(islice(pre.iterancestors(), _PATH))
    for branch in around:
        nodes = list(islice(branch.iter("*"), _BRANCH + 1))
        if branch is pre or branch in path or len(nodes) > _BRANCH:
            continue
        text = string_of(branch)
        if len(text) > _BESIDE_CHARS:
            continue
        if _is_named(branch) and len(fold(text)) <= _LABEL_CHARS:
            yield branch
            continue
        buttons = [node for node in nodes if _is_button(node)]
        labels = [fold(string_of(node)) for node in buttons]
        yield from buttons
        for node in nodes:
            if not len(node) and node not in buttons and _confirms(fold(node.text or ""), labels):
                yield node


def _is_button(node: etree._Element) -> bool:
    is_control = node.tag == "button" or node.get("role") == "button"
    return is_control or (_is_named(node) and len(string_of(node)) <= _LABEL_CHARS)


def _is_named(node: etree._Element) -> bool:
    """Whether a name of an element says that it copies."""
    names = [str(node.tag), *map(node.get, ("class", "id", "title", "aria-label"))]
    return any(
        _COPIES.search(_CAMEL.sub("-", name[:200]).replace("_", "-")) for name in names if name
    )


def _confirms(text: str, labels: list[str]) -> bool:
    """Whether a text says that one of the buttons with these labels was pressed: it begins as the
    label does, or holds it.

    >>> _confirms("Kopiert!", ["Kopieren"]), _confirms("已复制", ["复制"]), _confirms("app.py", ["Copy"])
    (True, True, False)
    """
    if not text or len(text) > _LABEL_CHARS:
        return False
    for label in filter(None, labels):
        least = _STEM if label.isascii() or label[0].isupper() else _STEM_CJK
        if text[:least].casefold() == label[:least].casefold() or label in text:
            return True
    return False
