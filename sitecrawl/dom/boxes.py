"""Check boxes of lists of tasks, in all the forms that pages draw them, written as signs: ☑ and ☐."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, dropwhile, islice
from typing import NamedTuple

from lxml import etree

from sitecrawl.dom.nodes import finder
from sitecrawl.dom.tree import BLOCKS, string_of
from sitecrawl.resources import table_beside

_TABLE = {name: frozenset(words.split()) for name, words in table_beside(__file__).items()}
_DRAWN = finder(
    "//body//*[(@role='checkbox' and @aria-checked) or @data-list='checked' or @data-list='unchecked'"
    " or (@data-checked and (self::li or self::ul))"
    # the cheapest test first: a label may be that of a whole menu, and its text is read last
    " or ((@aria-label or contains(@class, 'check')) and not(*[not(self::path)]) and not(@type)"
    " and ancestor::li and not(normalize-space()))"
    " or (self::ul and contains(@class, 'task') and li[contains(@class, 'check')])]"
)
_TASK = re.compile(r"task|to-?do(?![a-z])|check-?list|data-checked|data-list", re.I)
_NAME = re.compile(r"[a-z]+")
_NAMED = 12  # elements whose attributes are read for the word
_ITEM_LEVELS = 5  # elements between a box and its item
_ITEM_NODES = 20  # elements behind a box that its text is looked for in
_CELLS = ("td", "th")
_ITEMS = ("li", "p", *_CELLS)


class _Box(NamedTuple):
    """A box, its item, and whether it is ticked. An item that is its own box says so itself."""

    node: etree._Element
    item: etree._Element
    is_ticked: bool


def may_hold_boxes(raw: bytes) -> bool:
    """Whether the source of a page may hold check boxes; most hold none, and are not searched."""
    return b"checkbox" in raw or b"checked" in raw or b"task" in raw


def write_boxes(inputs: Iterable[etree._Element], root: etree._Element) -> None:
    """Write the check boxes of lists of tasks as signs, before the first text of their items. Boxes
    of forms, menus and shopping lists, which readers may tick, say nothing.

    >>> root = etree.HTML("<ul><li><input type=checkbox checked disabled> read<li data-list=unchecked>write</ul>")
    >>> write_boxes(root.iter("input"), root)
    >>> "".join(root.itertext())
    '☑ read☐ write'
    """
    lists: dict[etree._Element, list[_Box]] = {}
    items: set[etree._Element] = set()
    for box in chain(_boxes_of_forms(inputs), _drawn_boxes(root)):
        parent = box.item.getparent()
        if box.item not in items and parent is not None:
            items.add(box.item)
            lists.setdefault(parent, []).append(box)
    for around, boxes in lists.items():
        if _are_tasks(around, boxes):
            for box in boxes:
                _write_box(box)


def _boxes_of_forms(inputs: Iterable[etree._Element]) -> Iterator[_Box]:
    for node in inputs:
        if (node.get("type") or "").casefold() == "checkbox":
            item = _item_of(node)
            if item is not None:
                yield _Box(node, item, node.get("checked") is not None)


def _drawn_boxes(root: etree._Element) -> Iterator[_Box]:
    """Boxes that are no inputs: elements of the role, empty elements or drawings whose name says
    whether they are ticked, and items that say it themselves."""
    for node in _DRAWN(root):
        state = _state_of(node)
        if node.tag == "ul":
            for own in node.iterchildren("li"):
                is_ticked = _is_done(own.get("class")) if state is None else state
                yield _Box(own, own, is_ticked)
            continue
        item = node if node.tag == "li" else _item_of(node)
        if item is not None and state is not None:
            yield _Box(node, item, state)


def _state_of(node: etree._Element) -> bool | None:
    """Whether an element says that something is done, or that it is not; None if it says neither."""
    for name in ("aria-checked", "data-checked", "data-list"):
        value = node.get(name)
        if value is not None:
            return value.casefold() in _TABLE["done"]
    words = {*_words_in(node.get("class")), *_words_in(node.get("aria-label"))}
    if not words.isdisjoint(_TABLE["open"]):
        return False
    return None if words.isdisjoint(_TABLE["done"]) else True


def _is_done(names: str | None) -> bool:
    return not _TABLE["done"].isdisjoint(_words_in(names))


def _words_in(names: str | None) -> list[str]:
    return _NAME.findall((names or "")[:200].casefold())


def _item_of(box: etree._Element) -> etree._Element | None:
    """The item, paragraph or cell that begins with a box, else the division around its text."""
    node = box
    division = None
    for above in islice(box.iterancestors(), _ITEM_LEVELS):
        before = node.getprevious()
        text = above.text if before is None else before.tail
        is_first = before is None or (before.getprevious() is None and not before.text)
        if not is_first or (text and not text.isspace()):
            break
        if above.tag in _ITEMS:
            return above
        if division is None and above.tag == "div" and not string_of(above).isspace():
            division = above
        node = above
    return division


def _are_tasks(around: etree._Element, boxes: Sequence[_Box]) -> bool:
    """Whether the boxes in an element show what is done: nobody can change them, or the page calls
    them tasks. A box may also open what stands behind it."""
    if any(box.node.get("disabled") is not None for box in boxes):
        return True
    item = boxes[0].item
    if item.tag in _CELLS or next(around.iterancestors("form"), None) is not None:
        return False
    named = [around, *(node for box in boxes for node in (box.node, box.item))]
    words = " ".join([" ".join(map(str, chain(*node.items()))) for node in named[:_NAMED]])
    if _TASK.search(words):
        return True
    is_list = item.tag in ("li", "p") and not any(map(_opens_block, boxes))
    return is_list and any(box.is_ticked for box in boxes)


def _opens_block(box: _Box) -> bool:
    """Whether a box stands beside its label and a block: ticked, it shows the block."""
    label = box.node.getnext()
    behind = label.getnext() if label is not None and label.tag == "label" else None
    return behind is not None and behind.tag in BLOCKS


def _write_box(box: _Box) -> None:
    sign = "☑ " if box.is_ticked else "☐ "
    node = box.node
    if node is box.item:
        _write_before(sign, [node, *islice(node.iterdescendants("*"), _ITEM_NODES)])
        return
    node.clear(keep_tail=True)
    node.tag = "span"
    if node.tail and not node.tail.isspace():
        node.tail = sign + node.tail.lstrip()
        return
    behind = islice(dropwhile(lambda one: one is not node, box.item.iter("*")), 1, _ITEM_NODES)
    if not _write_before(sign, list(behind)):
        node.text = sign.strip()


def _write_before(sign: str, nodes: Sequence[etree._Element]) -> bool:
    """Write a sign before the first text of elements; returns whether there is one."""
    for node in nodes:
        if node.text and not node.text.isspace():
            node.text = sign + node.text.lstrip()
            return True
        if not len(node) and node.tail and not node.tail.isspace() and node is not nodes[0]:
            node.tail = sign + node.tail.lstrip()
            return True
    return False
