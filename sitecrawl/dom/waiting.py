"""Pictures whose URL waits for a script in an attribute, whatever its name: what tells it is the
value, a URL of a picture."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from operator import methodcaller

from lxml import etree

from sitecrawl.dom.nodes import finder
from sitecrawl.limits import LIMITS
from sitecrawl.resources import table_beside

_TABLE = {name: frozenset(words.split()) for name, words in table_beside(__file__).items()}
_USUAL = _TABLE["usual"]  # attributes of pictures that hold no other URL of the same picture
_PICTURE = re.compile(
    r"(?!data:)[^\s<>{}\"']+\.(?:jpe?g|png|webp|avif|gif|bmp|jxl|heic)(?:[?#!@:,/][^\s<>\"']*)?",
    re.I,
)
_PHOTO = re.compile(
    r"(?!data:)[^\s<>{}\"']+\.(?:jpe?g|png|webp|avif|jxl|heic)(?:[?#!@][^\s<>\"']*)?", re.I
)
_BLANK_FORMAT = re.compile(r"[^?#]*\.(?:gif|svg)(?:[?#].*)?", re.I)
"""Formats of what stands in the place of a photo until that is loaded."""
_TINY = re.compile(
    r"(?:^data:|(?:^|[/_.-])(?:1x1|blank|placeholder|spacer|transparent|pixel)\b)", re.I
)
_PARTS = re.compile(r"[a-z]+")
_SRC, _KEYS = methodcaller("get", "src"), methodcaller("keys")
_EMPTY = finder(
    "//*[not(node())][self::div or self::span or self::figure or self::i or contains(name(), '-')]"
    "[@*[contains(., '.jp') or contains(., '.png') or contains(., '.webp') or contains(., '.avif')]]"
)
_BACKGROUND = re.compile(r"background(?:-image)?\s*:[^;]{0,40}?url\(\s*[\"']?([^\"')]+)", re.I)
_WIDTH = re.compile(r"\{w(?:idth)?\}|%7Bw(?:idth)?%7D", re.I)
"""Where a script would write the width that it needs."""
_WIDE = "1200"
_WITHIN = re.compile(
    r"[^\s<>\"'\[\](){}|,]+\.(?:jpe?g|png|webp|avif|jxl|heic)(?:\?[^\s<>\"'\[\](){}|]*)?", re.I
)
"""A picture's URL among other values: in JSON, or in a list with sizes."""
_DRAWN = re.compile(
    rb"<(?:div|span|figure|i|DIV|SPAN|FIGURE|I|[a-zA-Z][\w.]*-[\w.-]*)\s"
    rb"(?=[^<]*\.(?:jp|png|webp|avif))[^<]*+(?<=>)</"
)
"""An empty element whose tag names a picture. What stands behind the tag is passed once, however many
pictures it names."""


def find_waiting(images: Sequence[etree._Element]) -> Iterator[tuple[etree._Element, str]]:
    """The pictures that wait, with their URLs."""
    odd = [
        image
        for image, keys in zip(images, map(_KEYS, images), strict=True)
        if not _USUAL.issuperset(keys)
    ]
    if not odd:
        return
    times = Counter(map(_SRC, images))
    for image in odd:
        given = image.get("src") or ""
        stands_in = times[given] > 1 or is_blank(given)
        url = _waiting_url(dict(image.items()), stands_in=stands_in)
        if url:
            yield image, url


def is_blank(url: str) -> bool:
    """Whether a URL names what stands in the place of a photo, as its format or its name says.

    >>> [is_blank(url) for url in ("", "/px.gif", "/a.svg?1", "/1x1.png", "/a.jpg")]
    [True, True, True, True, False]
    """
    return (
        not url
        or _BLANK_FORMAT.fullmatch(url[: LIMITS.url_chars]) is not None
        or _TINY.search(url) is not None
    )


def names_photo(url: str) -> bool:
    """Whether a URL names a photo, as its format says."""
    return _PHOTO.fullmatch(url[: LIMITS.url_chars]) is not None


def may_hold_drawn(source: bytes) -> bool:
    """Whether the source of a page names a picture in an empty element: most pages name theirs in
    elements of pictures and links, and are not searched."""
    return _DRAWN.search(source) is not None


def show_drawn(root: etree._Element) -> None:
    """Turn empty elements whose attribute names the source of a picture into that picture."""
    for node in _EMPTY(root):
        attributes = {name: value for name, value in node.items() if name != "style"}
        url = _waiting_url(attributes, stands_in=False)
        if not url and node.get("role") == "img":
            background = _BACKGROUND.search(node.get("style") or "")
            url = background[1] if background else ""
        if not url and "-" in str(node.tag):
            sources = [attributes.get(name, "") for name in ("src", "url", "image")]
            url = next(filter(_PHOTO.fullmatch, sources), "")
        if not url:
            continue
        words = [node.get(name) for name in ("alt", "data-alt", "aria-label", "title")]
        node.tag = "img"
        node.set("src", url)
        node.set("alt", next(filter(None, words), ""))


def _waiting_url(attributes: Mapping[str, str], *, stands_in: bool) -> str:
    """The URL in the attributes of a picture; empty without one. If what is shown is not blank, the
    name of the attribute must say that it holds the source of the picture.

    >>> _waiting_url({"src": "/px.gif", "data-x1": "/a.jpg", "data-full": "/b.jpg"}, stands_in=True)
    '/b.jpg'
    >>> _waiting_url({"src": "/a.jpg", "data-hover-src": "/b.jpg"}, stands_in=False)
    ''
    """
    best, best_worth = "", 0
    for name, value in attributes.items():
        words = {*_PARTS.findall(name)} - {"data"}
        if name in _USUAL or not words.isdisjoint(_TABLE["lesser"]):
            continue
        url = largest(value) if "srcset" in words else url_in(value)
        is_source = words <= _TABLE["source"] and not words.isdisjoint(_TABLE["source_needs"])
        is_picture = _PHOTO.fullmatch(url) is not None if stands_in else is_source
        if not is_picture or not _PICTURE.fullmatch(url):
            continue
        worth = 1 if words.isdisjoint(_TABLE["better"]) else 2
        if worth > best_worth:
            best, best_worth = url, worth
    return best


def url_in(value: str) -> str:
    r"""The URL of a picture in the value of an attribute, which may also hold JSON, or a list in
    brackets.

    >>> url_in("/a_{width}x.jpg"), url_in('{"src":"\\/b.jpg","w":9}'), url_in("[/s.jpg, small], [/c.jpg, large]")
    ('/a_1200x.jpg', '/b.jpg', '/c.jpg')
    """
    url = _WIDTH.sub(_WIDE, value.strip().strip("'"))
    if url[:1] not in ("{", "["):
        return url
    found = _WITHIN.findall(url[: LIMITS.url_chars].replace("\\/", "/"))
    return found[-1] if found else ""


def largest(candidates: str, *, most: int = 50, longest: int = 20_000) -> str:
    """The URL of the largest picture of a ``srcset``."""
    parts = [
        part.split()
        for part in re.split(r",\s+|,(?=https?:|/)", candidates[:longest])[:most]
        if part.strip()
    ]
    sizes = [
        float(part[1][:-1]) if part[1:] and re.fullmatch(r"\d{1,6}(\.\d+)?[wx]", part[1]) else 0
        for part in parts
    ]
    return parts[sizes.index(max(sizes))][0] if parts else ""
