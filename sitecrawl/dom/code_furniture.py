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
_BLANKS = (" ", "\t", "\xa0")
_COLUMNS = ("pre", "div", "ol", "ul", "span", "code")
"""Elements that may hold the numbers of all lines, beside the code."""
_COLUMN_LEVELS = 3  # a block of code, and elements around it, beside which they may stand
_MOST_BREAKS = 1_000  # lines of a block that are elements and are counted
_LEAST_NUMBERS = 2
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
        numbers = list(_line_numbers(pre, meter))
        _close_gap(numbers)
        yield from numbers
        yield from pre.iter("button")
        yield from _columns_beside(pre)
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
        else:
            yield from _counting(nodes)


def _counting(nodes: list[etree._Element]) -> list[etree._Element]:
    """Those of some elements with numbers that begin lines, if these count; of numbers of the code
    itself, which seldom count, the lines are not looked at."""
    if len(nodes) < _LEAST_NUMBERS or 2 * _steps(nodes).count(1) < len(nodes):
        return []
    first = [node for node in nodes if _begins_line(node) and _has_text_behind(node)]
    return first if len(first) > 1 and set(_steps(first)) == {1} else []


def _close_gap(numbers: list[etree._Element]) -> None:
    """Remove the blank behind line numbers, if each has one."""
    behind = [node.tail or "" for node in numbers]
    has_gap = all(text[:1] in _BLANKS for text in behind)
    # code that is indented as a whole stays so
    if has_gap and any(text[1:2] not in _BLANKS for text in behind):
        for node, text in zip(numbers, behind, strict=True):
            node.tail = text[1:]


def _columns_beside(pre: etree._Element) -> Iterator[etree._Element]:
    """An element right before or behind a block of code, or what is around it alone, that numbers as
    many lines as it has, and holds nothing else."""
    breaks = len(list(islice(pre.iter("br", "li", "div"), _MOST_BREAKS)))
    count = string_of(pre).strip("\n").count("\n") + 1 + breaks
    node = pre
    for _ in range(_COLUMN_LEVELS):
        for beside in (node.getprevious(), node.getnext()):
            if beside is None or beside.tag not in _COLUMNS or len(beside) > 2 * count:
                continue
            numbers = " ".join(beside.itertext()).split()
            if _LEAST_NUMBERS <= len(numbers) <= count and _do_count(numbers):
                yield beside
        above = node.getparent()
        # what stands beside an element around many blocks is read for none of them
        if above is None or len(above) > _LEAST_NUMBERS:
            break
        node = above


def _do_count(words: list[str]) -> bool:
    """Whether words are numbers, each larger by one than that before it."""
    if not _COUNTS(words[0]) or not words[0].isdecimal():
        return False
    first = int(words[0])
    return words == [str(first + at) for at in range(len(words))]


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
    beside = list[etree._Element]()
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
        beside += nodes
    buttons = list(filter(_is_button, beside))
    labels = [fold(string_of(node)) for node in buttons]
    yield from buttons
    for node in beside:
        if not len(node) and node not in buttons and _confirms(fold(node.text or ""), labels):
            yield node


def _is_button(node: etree._Element) -> bool:
    href = node.get("href") if node.tag == "a" else None
    # a link that leads nowhere is a button
    leads_nowhere = href is not None and (href.startswith("javascript:") or href in ("#", ""))
    is_drawn = leads_nowhere and bool(node.get("class") or node.get("title"))
    is_pressed = node.tag == "button" or node.get("role") == "button" or "onclick" in node.attrib
    is_control = is_pressed or is_drawn
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
