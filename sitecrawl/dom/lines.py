"""Lines that only a style sheet makes: inline elements that it shows one below the other, as those
of a poem. In text they would be joined, the last word of a line and the first of the next one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from lxml import etree

from sitecrawl.dom.nodes import class_of, style_of, style_sheet
from sitecrawl.dom.tree import INLINE, string_of
from sitecrawl.limits import Meter
from sitecrawl.text.chars import CJK

_PARTS = ("span", "em", "i", "b", "strong", "small", "a")
_BLOCK_CLASSES = frozenset(("block", "d-block"))  # Tailwind and Bootstrap show them as blocks
_SELECTOR_CHARS = 500  # of a rule that are read
_SHOWS_BLOCK = re.compile(r"display\s*:\s*(?:block|flex|grid|table|list-item)\b")
_OF_ONE_CLASS = re.compile(r"(?:[a-z]{1,10}\s+)?[a-z]{0,10}\.([\w-]{1,80})")
"""A selector with one class, for whatever stands around it a rule of more would ask as well."""
_SIDE_BY_SIDE = re.compile(
    rb"</(?:(span|em|i|b|strong|small)>(?:<!--[^>]*-->)?<\1[\s/>]|([a-z][\w.]*-))", re.I
)
"""The end of an element before one of its kind, since the parser drops comments; or that of a custom
element: few pages have any."""
_BLOCK = re.compile(r"(?:^|;)\s*display\s*:\s*(?:block|flex|grid|table|list-item)\b", re.I)
_HOLDERS = frozenset("p div blockquote td dd li section article center span main".split())
"""Elements whose spans may be lines. In headings and links they are parts, in code they are words."""
_BLANK = re.compile(r"\S\s+\S")
_CJK = re.compile(f"[{CJK}]")
_CJK_CHARS = 4  # of a line in a script without blanks
_CLAUSE = re.compile(r"[，。、；：！？]")
_EVEN = 2  # how many times longer than the shortest the longest verse may be
_ENDS_LINE = re.compile(r"[,.;:!?…，。；：！？、؟،।—–-][^\w\s]{0,2}$")
_GOES_ON = ",.;:!?)]}…，。；：！？）」』、%"
_OPENING = "\"'“‘«„¿¡(—"
_SURELY_LINES = 3  # side by side without a blank: that many parts of sentences have one somewhere


def break_lines(root: etree._Element, source: bytes, *, meter: Meter) -> None:
    """Write a line break between inline elements that a page shows as lines. What its source does
    not hold is not looked for.

    >>> html = b"<p><span>Gone to bed,</span><span>the nets are dry</span></p>"
    >>> root = etree.HTML(html)
    >>> break_lines(root, html, meter=Meter())
    >>> etree.tostring(root[0][0]).decode()
    '<p><span>Gone to bed,</span><br/><span>the nets are dry</span></p>'
    """
    for run in _runs(_side_by_side(root, source)):
        if _are_lines(run, meter):
            for line in run[:-1]:
                line.addnext(line.makeelement("br"))
    for node in _shown_as_blocks(root):
        _break_around(node)


def _shown_as_blocks(root: etree._Element) -> Iterator[etree._Element]:
    """Inline elements that a style of their own, or the class that a style sheet gives one, shows as
    blocks."""
    of_sheets = _block_classes(root)
    parts = [*root.iter(*_PARTS)]
    styles = list(map(style_of, parts))
    classes = list(map(class_of, parts))
    names = set(classes) - {None}
    as_sheets_say = {one for one in names if not of_sheets.isdisjoint(one.split())}
    as_blocks = {one for one in names if not _BLOCK_CLASSES.isdisjoint(one.split())}
    if not as_blocks and not as_sheets_say and not any(styles):
        return
    for node, style, name in zip(parts, styles, classes, strict=True):
        has_style = style is not None and "display" in style
        is_block = _BLOCK.search(style) is not None if has_style else name in as_blocks
        if is_block or name in as_sheets_say:
            yield node


def _block_classes(root: etree._Element) -> frozenset[str]:
    """The classes that the style sheets in a page show as blocks."""
    sheets = style_sheet(root)
    found = set[str]()
    for rule in _SHOWS_BLOCK.finditer(sheets):
        begin = sheets.rfind("{", 0, rule.start())
        before = sheets[begin + 1 : rule.start()].rstrip()
        if begin < 0 or (before and before[-1] != ";"):
            continue  # another property, or the brace is that of another rule
        first = 1 + max(sheets.rfind("{", 0, begin), sheets.rfind("}", 0, begin))
        names = sheets[first:begin][:_SELECTOR_CHARS].split(",")
        classes = map(_OF_ONE_CLASS.fullmatch, map(str.strip, names))
        found.update([one[1] for one in classes if one])
    return frozenset(found - _BLOCK_CLASSES)


def _side_by_side(root: etree._Element, source: bytes) -> list[etree._Element]:
    """The inline elements of kinds that stand side by side in the source of a page, and that no
    text stands behind."""
    ends = set(_SIDE_BY_SIDE.findall(source))
    tags = [tag.decode().lower() for tag, _ in ends if tag]
    found = list(root.iter(*tags)) if tags else []
    if any(custom for _, custom in ends):
        found += [node for node in root.iter("*") if "-" in str(node.tag)]
    return [node for node in found if not node.tail]


def _runs(nodes: list[etree._Element]) -> Iterator[list[etree._Element]]:
    """Runs of elements of one kind that stand side by side; behind each of ``nodes`` is no text."""
    behind = {node: other for node in nodes if (other := _next_of_kind(node)) is not None}
    followers = set(behind.values())
    for first in [node for node in behind if node not in followers]:
        run = [first]
        while (last := run[-1]) in behind:
            run.append(behind[last])
        yield run


def _next_of_kind(node: etree._Element) -> etree._Element | None:
    """The element behind one, if both may be lines of one text."""
    parent = node.getparent()
    other = node.getnext()
    if parent is None or other is None or parent.tag not in _HOLDERS:
        return None
    is_same = other.tag == node.tag and other.get("class") == node.get("class")
    is_custom = "-" in str(node.tag) and "-" in str(other.tag)
    return other if is_same or is_custom else None


def _are_lines(run: list[etree._Element], meter: Meter) -> bool:
    """Whether elements side by side are lines: each has several words, no blank joins them, and
    they end as lines do."""
    texts = [string_of(line) if len(line) else line.text or "" for line in run]
    # lines may stand within lines, so that texts are read again at each depth
    nested = [text for line, text in zip(run, texts, strict=True) if len(line)]
    if nested and not meter.pays(elements=len(nested), chars=sum(map(len, nested))):
        return False
    if not all(map(_has_words, texts)):
        return False
    edges = list(pairwise(texts))
    if any(map(_is_joined, edges)):
        return False
    if len(run) >= _SURELY_LINES and (_BLANK.search(texts[0]) or _are_verses(texts)):
        return True
    borders = list(map(_is_border, edges))
    return 2 * borders.count(True) > len(borders) if len(run) > 2 else all(borders)


def _is_joined(edge: tuple[str, str]) -> bool:
    """Whether a blank joins two texts, or the second begins with a sign that ends a sentence or a
    clause."""
    left, right = edge
    return left[-1].isspace() or right[0].isspace() or right[0] in _GOES_ON


def _is_border(edge: tuple[str, str]) -> bool:
    """Whether the first of two texts ends as a line does, or the second begins with a capital."""
    left, right = edge
    begins = right.lstrip(_OPENING)[:1].isupper()
    return begins or _ENDS_LINE.search(left[-8:]) is not None


def _are_verses(texts: list[str]) -> bool:
    """Whether texts in a script without blanks are lines of a poem: all about as long, and without
    the signs that parts of sentences have somewhere."""
    lengths = list(map(len, texts))
    return max(lengths) <= _EVEN * min(lengths) and not any(map(_CLAUSE.search, texts))


def _has_words(text: str) -> bool:
    return _BLANK.search(text) is not None or len(_CJK.findall(text)) >= _CJK_CHARS


def _break_around(node: etree._Element) -> None:
    """Write line breaks before and behind an element that its own style makes a block, where text
    stands beside it."""
    parent = node.getparent()
    if parent is None or parent.tag not in _HOLDERS:
        return
    before = node.getprevious()
    text = parent.text if before is None else before.tail
    is_joined = before is not None and before.tag in INLINE and before.tag != "br"
    if (text and not text.isspace()) or is_joined:
        node.addprevious(node.makeelement("br"))
    behind = node.getnext()
    is_joined = behind is not None and behind.tag in INLINE and behind.tag != "br"
    if (node.tail and not node.tail.isspace()) or is_joined:
        line_end = node.makeelement("br")
        line_end.tail = node.tail
        node.tail = None
        node.addnext(line_end)
