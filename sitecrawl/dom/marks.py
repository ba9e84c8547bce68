"""Signs that a page shows by other means than text, written as text: the marks around a quotation,
emoji that are pictures, addresses that are coded against robots."""

from __future__ import annotations

import re
import unicodedata
from base64 import b64decode
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import islice
from operator import methodcaller

from lxml import etree

from sitecrawl.dom.nodes import finder, write_text
from sitecrawl.dom.tree import BLOCKS, string_of
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
_CODED = etree.XPath(
    "//body//*[@data-cfemail or contains(@href, '/email-protection#') or self::joomla-hidden-mail"
    " or contains(@style, 'bidi-override')]"
)
_DRAWN = finder("//body//*[not(node())][@data-emoji or (@role='img' and @aria-label)]")
_PLACEHOLDER = re.compile(r"\s*\[.{1,40}\]\s*", re.S)  # what stands where an address is hidden
_BASE64 = re.compile(r"[\w+/]{4,400}={0,2}")
_REVERSES = re.compile(r"direction:\s*rtl", re.I)
_FACE = re.compile(r"\[[^\[\]\s]{1,8}\]")  # how Weibo, QQ and Tieba write their smileys
_FACES = ("face", "emo", "expression")
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
        write_text(image, alt.strip())


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
    if _FACE.fullmatch(alt) and not alt.isascii():
        return any(map(classes.casefold().__contains__, _FACES))
    if len(alt) > _SIGN_CHARS or alt.isascii():
        return False
    is_keycap = "\u20e3" in alt
    if not is_keycap and any(map(str.isalnum, alt)):
        return False
    return is_keycap or any(unicodedata.category(char) == "So" for char in alt)


def may_draw_signs(raw: bytes) -> bool:
    """Whether the source of a page may draw signs by elements without text."""
    return b"emoji" in raw or b'role="img"' in raw or b"role=img" in raw or b"role='img'" in raw


def write_drawn_signs(root: etree._Element) -> None:
    """Write the signs that empty elements draw, and name in an attribute."""
    for node in _DRAWN(root):
        named = [node.get(name) or "" for name in ("data-emoji", "aria-label")]
        sign = next((name.strip() for name in named if _is_sign(name.strip(), "")), "")
        if sign:
            write_text(node, sign)


def may_hide_addresses(raw: bytes) -> bool:
    """Whether the source of a page may hold addresses that are coded against robots."""
    is_coded = b"email-protection" in raw or b"data-cfemail" in raw
    return is_coded or b"joomla-hidden-mail" in raw or b"bidi-override" in raw


def decode_addresses(root: etree._Element) -> None:
    """Write the addresses that pages hide from robots. Cloudflare codes each byte by XOR with the first
    (Email Address Obfuscation, developers.cloudflare.com), Joomla by base64; others write the
    letters backwards, and let a style turn them."""
    for node in _CODED(root):
        if node.tag == "joomla-hidden-mail":
            _replace_text(node, _from_base64(node.get("text") or ""))
        elif node.get("data-cfemail") or node.get("href"):
            _decode_address(node)
        elif _REVERSES.search(node.get("style") or "") and not len(node):
            node.text = (node.text or "")[::-1]


def _decode_address(node: etree._Element) -> None:
    coded = node.get("data-cfemail")
    shown = _decoded(coded or (node.get("href") or "").rpartition("#")[2])
    if shown and (coded or _PLACEHOLDER.fullmatch(string_of(node))):
        _replace_text(node, shown)
    if shown and node.tag == "a":
        _lead_to(node, shown)


def _replace_text(node: etree._Element, text: str) -> None:
    if text:
        node.text = text
        for child in list(node):
            node.remove(child)


def _from_base64(coded: str) -> str:
    if not _BASE64.fullmatch(coded):
        return ""
    with suppress(ValueError):  # UnicodeDecodeError and binascii.Error are such errors
        text = b64decode(coded).decode()
        return text if text.isprintable() else ""
    return ""


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
