"""The entries of feeds and sitemaps: RSS, Atom and JSON Feed, sitemaps, their indexes, and lists of
URLs. Sizes are bounded, entities are not expanded."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any

from lxml import etree

from sitecrawl.crawl.pages import gunzipped
from sitecrawl.dom.encoding import decode
from sitecrawl.dom.render import absolute
from sitecrawl.text.chars import without_controls
from sitecrawl.text.dates import parse_date, parse_short_date
from sitecrawl.urls.canonical import is_page
from sitecrawl.urls.scope import host_of

_DAYS = (
    "publication_date lastmod pubDate published issued date created modified updated".split()
)  # of an entry
_ENTRY = re.compile(r"<((?:\w+:)?(?:url|sitemap|item|entry))[\s>]")
_ROOT = re.compile(r"<((?:\w+:)?(?:rss|feed|RDF|urlset|sitemapindex))\b[^<>]*?(/?)>")
_AMPERSAND = re.compile(
    r"&amp;|&(?!(?:lt|gt|quot|apos|#(?!0*5[5-7]\d{3};)\d+|#x(?!0*d[89a-f]..;)[\da-f]+);)", re.I
)
"""An ampersand that begins no character. Halves of characters (55296 to 57343), as some feeds write
emoji, are none."""
_LESS, _PREFIX = re.compile(r"<(?![\w/!?])"), re.compile(r"(</?)\w+:")
_BASE = re.compile(
    r"""<(?:\w+:)?(?:feed|rss|RDF|channel)\s[^<>]*?\bxml:base\s*=\s*["']([^"'<>]{1,2000})["']"""
)
_HOME = re.compile(r"<link>\s*(?:<!\[CDATA\[\s*)?(https?://[^\s<>\]]{1,2000})")
_LINK = re.compile(r"<(?:\w+:)?link\b([^<>]{1,4000})>")
_ATTRIBUTE = re.compile(r"""([\w:-]+)\s*=\s*["']([^"'<>]*)["']""")
_LONE = re.compile(r"[\ud800-\udfff]")  # half of a character at the end of a truncated text
_PARSER = etree.XMLParser(recover=True, resolve_entities=False, no_network=True, load_dtd=False)
_SLASHES = re.compile(r"^(https?://[^/?#]+)/{2,}")
_CHILD = re.compile(r"\.(?:xml|txt)(?:\.gz)?$|\.gz$", re.I)  # a sitemap among the pages of another
_ITEMS = re.compile(r'"items"\s*:\s*\[')
_MOST = 50_000  # entries of one file, by the sitemap protocol
_BETWEEN = re.compile(r"[\s,]*")
_DECODER = json.JSONDecoder()
_CDATA = "<![CDATA["


@dataclass(frozen=True, slots=True)
class FileEntry:
    """An entry of a feed or sitemap: a page, another sitemap (``is_sitemap``), or the next part of
    the feed (``is_next``). ``day`` is ISO 8601 or empty; ``news`` tells that the file lists
    articles only (a feed or a news sitemap)."""

    url: str
    day: str = ""
    news: bool = False
    is_sitemap: bool = False
    is_next: bool = False

    @property
    def is_file(self) -> bool:
        return self.is_sitemap or self.is_next


@dataclass(frozen=True, slots=True)
class NamingFile:
    """The text of a file that names pages, plain or compressed."""

    text: str

    @classmethod
    def of(cls, body: bytes) -> NamingFile:
        return cls(decode(gunzipped(body))[0].lstrip("\ufeff \t\r\n"))

    def entries(self, url: str) -> Iterator[FileEntry]:
        """The entries of a file at ``url``, read lazily. Never raises: of a damaged file the
        readable part counts."""
        if self.text.startswith("<"):
            found = _entries(self.text, url)
        elif self.text.startswith("{"):
            found = _items(self.text, url)
        else:
            found = _lines(self.text)
        return map(_with_one_slash, islice(found, _MOST))

    @property
    def is_whole(self) -> bool:
        """Whether the file came with its end."""
        if self.text.startswith("{"):
            return _decoded(self.text) is not None
        root = _ROOT.search(self.text)
        return root is None or bool(root[2]) or f"</{root[1]}" in self.text


def _with_one_slash(entry: FileEntry) -> FileEntry:
    """An entry without the second slash that a program writes where it joins the URL of the site,
    which ends in one, and a path. Links name the page with one slash.

    >>> _with_one_slash(FileEntry("https://example.com//2024/a.html?u=http://b//c")).url
    'https://example.com/2024/a.html?u=http://b//c'
    """
    url = _SLASHES.sub(r"\1/", entry.url, count=1)
    return entry if url == entry.url else replace(entry, url=url)


def _lines(text: str) -> Iterator[FileEntry]:
    for line in text.splitlines():
        url = line.strip()
        if url.startswith(("http://", "https://")):
            yield FileEntry(url, is_sitemap=_CHILD.search(url) is not None)


# ---- JSON
def _items(text: str, base: str) -> Iterator[FileEntry]:
    """The items of a JSON Feed (jsonfeed.org, versions 1 and 1.1), and its next part."""
    feed = _decoded(text)
    items = _readable_items(text) if feed is None else feed.get("items")
    feed = feed or {}
    home = feed.get("home_page_url")
    base = _base_of(base, home if isinstance(home, str) else "")
    for item in items if isinstance(items, list) else []:
        named = item.get("url") or item.get("id") if isinstance(item, dict) else None
        url = _absolute(named, base)
        if url:
            day = item.get("date_published") or item.get("date_modified") or ""
            yield FileEntry(url, parse_date(str(day)) or "", True)
    following = _absolute(feed.get("next_url"), base)
    if following:
        yield FileEntry(following, is_next=True)


def _decoded(text: str) -> dict[str, Any] | None:
    with suppress(ValueError, RecursionError):
        found = json.loads(text)
        return found if isinstance(found, dict) else None
    return None


def _readable_items(text: str) -> list[Any]:
    """The items of a damaged file up to the damage."""
    found = list[Any]()
    start = _ITEMS.search(text)
    at = start.end() if start else len(text)
    with suppress(ValueError, RecursionError):
        while True:
            item, at = _DECODER.raw_decode(text, _BETWEEN.match(text, at).end())  # type: ignore[union-attr]
            found.append(item)
    return found


def _absolute(named: object, base: str) -> str:
    """The URL that a text of a file names; empty if it names none."""
    url = absolute(_LONE.sub("\ufffd", named), base) if isinstance(named, str) else None
    return url if url and url.startswith("http") else ""


def _base_of(url: str, home: str) -> str:
    """The URL to which the addresses of a file are relative: that of the site (``home``) if the
    file is kept on another host."""
    is_away = home.startswith("http") and host_of(home) != host_of(url)
    return home if is_away else url


# ---- XML
def _entries(text: str, base: str) -> Iterator[FileEntry]:
    """The entries of an XML file. Each is parsed by itself, so that an error, such as a tag that is
    not closed, spoils one entry at most."""
    end = 0
    start = _ENTRY.search(text)
    head = text[: start.start()] if start else text
    base = _xml_base(head, base)
    while start is not None:
        close = _close_of(text, start[1], at=start.end())
        end = close if close > 0 else len(text)
        node = etree.fromstring(_mended(text[start.start() : end]), _PARSER, base_url=base)
        url = _address(node, base) if node is not None else None
        if url and url.startswith("http"):
            yield _hint(node, url)
        start = _ENTRY.search(text, end)
    for around in (head, text[end:] if end else ""):
        for url in _next_parts(around, base):
            yield FileEntry(url, is_next=True)


def _xml_base(head: str, base: str) -> str:
    """The URL to which the addresses of a file are relative, by the part before its entries."""
    named = _BASE.search(head)
    if named:
        return absolute(named[1], base) or base
    home = _HOME.search(head)
    return _base_of(base, home[1] if home else "")


def _next_parts(text: str, base: str) -> Iterator[str]:
    """The next, older parts of a feed, which the links outside of its entries name (RFC 5005)."""
    for link in _LINK.finditer(text):
        attributes = dict(_ATTRIBUTE.findall(link[1]))
        if attributes.get("rel", "").casefold() in ("next", "prev-archive"):
            yield from filter(None, [_absolute(_unescaped(attributes.get("href", "")), base)])


def _close_of(text: str, name: str, *, at: int) -> int:
    """The place of the end tag of an entry, not of one in a CDATA section of it; -1 for none."""
    marks = re.compile(rf"</{name}|<!\[CDATA\[")
    while (mark := marks.search(text, at)) is not None:
        if mark[0] != _CDATA:
            return mark.start()
        end = text.find("]]>", mark.end())
        close = text.find(f"</{name}", mark.end(), max(end, mark.end()))
        # a section that is not closed ends with its entry
        is_open = end < 0 or (close >= 0 and text.find(f"<{name}", close, end) >= 0)
        if is_open:
            return text.find(f"</{name}", mark.end())
        at = end
    return -1


def _mended(entry: str) -> bytes:
    """An entry in UTF-8, without prefixes of names. Ampersands become numbers: behind an error
    libxml2 leaves out every ``&amp;``, in URLs too."""
    first, *others = without_controls(entry).split(_CDATA)
    parts = [_escaped(first)]
    for part in others:
        literal, closed, rest = part.partition("]]>")
        parts.append(f"{_CDATA}{literal}{closed}{_escaped(rest)}")
    return "".join(parts).encode("utf-8", "replace")


def _escaped(xml: str) -> str:
    return _LESS.sub("&lt;", _AMPERSAND.sub("&#38;", _PREFIX.sub(r"\1", xml)))


def _unescaped(address: str) -> str:
    return address.replace("&amp;", "&")


def _hint(node: etree._Element, url: str) -> FileEntry:
    texts = {str(inner.tag): inner.text or "" for inner in node.iter("*")}
    day = next((texts[name] for name in _DAYS if texts.get(name)), "")
    is_item = node.tag in ("item", "entry")
    # some indexes list their sitemaps as pages
    is_sitemap = node.tag == "sitemap" or (not is_item and _CHILD.search(url) is not None)
    is_news = is_item or "publication_date" in texts
    return FileEntry(url, parse_date(day) or parse_short_date(day) or "", is_news, is_sitemap)


def _address(node: etree._Element, base: str) -> str | None:
    """The URL of an entry: ``origLink`` (before a service counted its readers), ``loc``, the text
    of ``link`` or its ``href`` (Atom), or a ``guid`` or ``id`` that is a URL. ``xml:base`` holds.
    A sitemap has ``link`` elements too, for other languages of the page. Of several addresses the
    first that can be a page."""
    names = ("origLink", "link") if node.tag in ("item", "entry") else ("loc",)
    found = []
    for name in names:
        # in a tag that is not closed they stand deeper
        for inner in chain(node.iterchildren(name), node.iter(name)):
            leads = (inner.get("rel") or "alternate") == "alternate"
            address = (inner.text or "").strip() or (leads and inner.get("href")) or ""
            if address:
                address = _unescaped(address)  # in CDATA it is escaped twice
                found.append(absolute(address, inner.base or base) or absolute(address, base))
    urls = [url for url in found if url]
    if urls:
        return next(filter(is_page, urls), urls[0])
    return _identifier(node, base)


def _identifier(node: etree._Element, base: str) -> str | None:
    """The ``guid`` or ``id`` of an entry that is its URL. Only a ``guid`` may be relative."""
    for inner in node.iter("guid", "id"):
        text = (inner.text or "").strip()
        is_path = (
            inner.tag == "guid" and text.startswith("/") and inner.get("isPermaLink") != "false"
        )
        if text.startswith("http") or is_path:
            return absolute(_unescaped(text), base)
    return None
