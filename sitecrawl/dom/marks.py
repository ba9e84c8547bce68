"""Signs that a page shows by other means than text, written as text: the marks around a quotation,
emoji that are pictures, addresses that are coded against robots, check boxes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import chain, dropwhile, islice
from operator import methodcaller
from typing import cast

from lxml import etree

from sitecrawl.dom.tree import BLOCKS
from sitecrawl.limits import cached
from sitecrawl.resources import table_beside

_TABLE = table_beside(__file__)
_QUOTES: dict[str, str] = _TABLE["quotes"]
"""The marks that browsers put around a quotation and around one within, by language (delimiters of
CLDR)."""
_QUOTE_SIGNS = frozenset(_TABLE["quote_signs"])
_PICTURES_OF_TEXT = frozenset(_TABLE["picture_of_text"].split())
"""Classes of pictures that stand for a sign, in WordPress, phpBB, Discourse, Twitter, Aozora Bunko."""
_NAME = re.compile("[a-z]{3}", re.I)
_SIGN_CHARS = 16  # a longer text describes a picture, it is none
_NAME_CHARS = 40  # of the name of a sign whose class says that it is one
_LEVELS = 30  # elements above one in which its language is looked for
_ALT = methodcaller("get", "alt")
_CODED = etree.XPath("//*[@data-cfemail or contains(@href, '/email-protection#')]")
drawn_boxes = cast(
    Callable[[etree._Element], list[etree._Element]],
    etree.XPath("//*[@role='checkbox'][@aria-checked]"),
)
"""The check boxes of a page that are no elements of forms."""
_TASK = re.compile(r"task|to-?do(?![a-z])|check-?list|data-checked", re.I)
_NAMED = 12  # elements whose attributes are read for the word
_ITEM_LEVELS = 5  # elements between a box and its item
_ITEM_NODES = 20  # elements behind a box that its text is looked for in
_HEX = re.compile(r"(?:[0-9a-fA-F]{2}){3,320}")
_ADDRESS = re.compile(r"[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+")


def write_quotes(nodes: Iterable[etree._Element], language: str) -> None:
    """Write the marks that browsers show around the text of ``q`` elements, which become spans.

    >>> root = etree.HTML("<p>He said <q>no, <q>never</q></q>.</p>")
    >>> write_quotes(root.iter("q"), "en")
    >>> "".join(root.itertext())
    'He said “no, ‘never’”.'
    """
    for node in list(nodes):
        above = list(islice(node.iterancestors(), _LEVELS))
        depth = sum(up.get("data-q") is not None for up in above)
        named = (up.get("lang") for up in (node, *above))
        marks = _marks_in(next(filter(None, named), language))
        node.tag = "span"
        node.set("data-q", "")
        if not _is_quoted(node):
            _surround(node, marks=marks[:2] if depth % 2 == 0 else marks[2:])


def _marks_in(language: str) -> str:
    """The quotation marks of a language: of its region or script, else of the language alone."""
    name = language[:20].strip().casefold().replace("_", "-")
    for known in (name, name.partition("-")[0]):
        if known in _QUOTES:
            return _QUOTES[known]
    return _QUOTES[""]


def _is_quoted(node: etree._Element) -> bool:
    """Whether the page writes the marks itself, within or around a quotation."""
    beside = node.getprevious()
    parent = node.getparent()
    before = beside.tail if beside is not None else parent.text if parent is not None else None
    edges = (before or "")[-1:] + (_holder(node, first=True).text or "").lstrip()[:1]
    return not _QUOTE_SIGNS.isdisjoint(edges)


def _surround(node: etree._Element, *, marks: str) -> None:
    first = _holder(node, first=True)
    first.text = marks[0] + (first.text or "")
    last = _holder(node, first=False)
    if len(last):
        last[-1].tail = (last[-1].tail or "") + marks[1]
    else:
        last.text = (last.text or "") + marks[1]


def _holder(node: etree._Element, *, first: bool) -> etree._Element:
    """The element within a quotation that its first or last text is in: a block, if it holds any."""
    while len(node):
        inner = node[0] if first else node[-1]
        text = node.text if first else inner.tail
        if inner.tag not in BLOCKS or (text and not text.isspace()):
            break
        node = inner
    return node


def write_signs(images: Sequence[etree._Element]) -> None:
    """Turn pictures that stand for a sign or a letter into the text that they show."""
    for image, alt in zip(images, map(_ALT, images), strict=True):
        if alt and not alt[_NAME_CHARS:]:
            _write_sign(image, alt)


def _write_sign(image: etree._Element, alt: str) -> None:
    begins_word = len(alt) == 1 and alt.isalpha() and (image.tail or "")[:1].isalpha()
    if begins_word or _is_sign(alt.strip(), image.get("class") or ""):
        image.clear(keep_tail=True)
        image.tag = "span"
        image.text = alt.strip()


@cached(1_024)
def _is_sign(alt: str, classes: str) -> bool:
    """Whether a picture with this text in its place is one of a sign.

    >>> [_is_sign(alt, "") for alt in ("👍🏽", "❤️", "1️⃣", "🇫🇷", "Thumb", "-", "…")]
    [True, True, True, True, False, False, False]
    >>> _is_sign(":)", "wp-smiley"), _is_sign(":mrgreen:", "smilies"), _is_sign(":)", "")
    (True, False, False)
    """
    if not alt:
        return False
    tokens = classes.casefold().split()
    # smileys have names that no reader sees, :mrgreen:; those of emoji are how they are written
    is_named = _NAME.search(alt) is not None and "emoji" not in tokens
    if not is_named and not _PICTURES_OF_TEXT.isdisjoint(tokens):
        return True
    if len(alt) > _SIGN_CHARS or alt.isascii():
        return False
    is_keycap = "\u20e3" in alt
    if not is_keycap and any(map(str.isalnum, alt)):
        return False
    return is_keycap or any(unicodedata.category(char) == "So" for char in alt)


def decode_addresses(root: etree._Element) -> None:
    """Write the addresses that Cloudflare hides from robots: each byte is coded by XOR with the
    first (Email Address Obfuscation, developers.cloudflare.com)."""
    for node in _CODED(root):
        coded = node.get("data-cfemail")
        shown = _decoded(coded or (node.get("href") or "").rpartition("#")[2])
        if not shown:
            continue
        if coded:
            node.text = shown
            for child in list(node):
                node.remove(child)
        if node.tag == "a":
            _lead_to(node, shown)


def _decoded(coded: str) -> str:
    """The text behind hexadecimal digits; empty if they are none or hide no text."""
    if not _HEX.fullmatch(coded):
        return ""
    key, *codes = bytes.fromhex(coded)
    with suppress(UnicodeDecodeError):
        text = bytes(code ^ key for code in codes).decode()
        return text if text.isprintable() else ""
    return ""


def _lead_to(link: etree._Element, address: str) -> None:
    if _ADDRESS.fullmatch(address):
        link.set("href", f"mailto:{address}")
    else:
        link.tag = "span"  # the network takes all that has an at sign for an address


def write_boxes(inputs: Iterable[etree._Element], drawn: Iterable[etree._Element]) -> None:
    """Write the check boxes of lists of tasks as signs, before the first text of their items. Boxes
    of forms, menus and shopping lists, which readers may tick, say nothing."""
    boxes = [node for node in inputs if (node.get("type") or "").casefold() == "checkbox"]
    boxes += drawn
    lists: dict[etree._Element, list[etree._Element]] = {}
    items = {box: item for box in boxes if (item := _item_of(box)) is not None}
    for box, item in items.items():
        parent = item.getparent()
        lists.setdefault(item if parent is None else parent, []).append(box)
    for around, own in lists.items():
        if _are_tasks(around, own, items=items):
            for box in own:
                _write_box(box, items[box])


def _item_of(box: etree._Element) -> etree._Element | None:
    """The item or paragraph that begins with a box."""
    node = box
    for above in islice(box.iterancestors(), _ITEM_LEVELS):
        before = node.getprevious()
        text = above.text if before is None else before.tail
        is_first = before is None or (before.getprevious() is None and not before.text)
        if not is_first or (text and not text.isspace()):
            return None
        if above.tag in ("li", "p"):
            return above
        node = above
    return None


def _are_tasks(
    around: etree._Element,
    boxes: Sequence[etree._Element],
    *,
    items: Mapping[etree._Element, etree._Element],
) -> bool:
    """Whether the boxes in an element show what is done: nobody can change them, or the page calls
    them tasks."""
    if any(box.get("disabled") is not None for box in boxes):
        return True
    if next(around.iterancestors("form"), None) is not None:
        return False
    named = [around, *boxes, *(items[box] for box in boxes)]
    words = " ".join([" ".join(map(str, chain(*node.items()))) for node in named[:_NAMED]])
    return _TASK.search(words) is not None or any(map(_is_ticked, boxes))


def _is_ticked(box: etree._Element) -> bool:
    return box.get("checked") is not None or box.get("aria-checked") == "true"


def _write_box(box: etree._Element, item: etree._Element) -> None:
    sign = "☑ " if _is_ticked(box) else "☐ "
    box.clear(keep_tail=True)
    box.tag = "span"
    if box.tail and not box.tail.isspace():
        box.tail = sign + box.tail.lstrip()
        return
    behind = islice(dropwhile(lambda node: node is not box, item.iter("*")), 1, _ITEM_NODES)
    for node in behind:
        if node.text and not node.text.isspace():
            node.text = sign + node.text.lstrip()
            return
        if not len(node) and node.tail and not node.tail.isspace():
            node.tail = sign + node.tail.lstrip()
            return
