"""Feeds and sitemaps as hints: the pages they name, with the day they give. Sizes are bounded, entities are not expanded."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO

from lxml import etree
from scrapy.utils.sitemap import sitemap_urls_from_robots

from sitecrawl.dom.page import Page
from sitecrawl.dom.render import absolute
from sitecrawl.limits import LIMITS
from sitecrawl.text.dates import parse_date

_MOST = 50_000
"""Entries of one file that are read: the most that the sitemap protocol allows."""
_GZIP = b"\x1f\x8b"
_DAYS = ("publication_date", "lastmod", "pubDate", "published", "date", "updated")
"""Elements that date an entry, the most telling first."""
_LONE = re.compile(r"[\ud800-\udfff]")
"""Half a character, as a text cut off in its middle has it."""
_FEEDS = ("application/rss+xml", "application/atom+xml", "application/feed+json")


@dataclass(frozen=True, slots=True)
class Hint:
    """A page, or a sitemap of an index, that a file names.

    ``day`` is ISO 8601 or empty; ``news`` tells that the file lists articles only (a feed, a news sitemap).
    """

    url: str
    day: str = ""
    news: bool = False


@dataclass(slots=True)
class HintFile:
    """What one feed or sitemap names: pages, and further sitemaps."""

    pages: list[Hint] = field(default_factory=list)
    files: list[Hint] = field(default_factory=list)


def read_hints(body: bytes, url: str) -> HintFile:
    """The hints of an RSS, Atom or JSON feed, a sitemap, a sitemap index or a list of URLs, plain or compressed.

    Never raises: of a damaged file counts what could be read.
    """
    body = _unpacked(body)[: LIMITS.body_bytes].lstrip(b"\xef\xbb\xbf \t\r\n")
    found = HintFile()
    reader = _entries if body.startswith(b"<") else _items if body.startswith(b"{") else _lines
    for kind, hint in reader(body, url):
        (found.files if kind == "sitemap" else found.pages).append(hint)
        if len(found.files) + len(found.pages) >= _MOST:
            break
    return found


def sitemaps_of(robots: bytes, url: str) -> list[str]:
    """Sitemaps that a ``robots.txt`` names, else the usual place."""
    return list(sitemap_urls_from_robots(robots[:500_000], url)) or [absolute("/sitemap.xml", url) or ""]


def feeds_of(page: Page) -> list[str]:
    """Feeds of articles that a page's head names; feeds of comments are left out.

    >>> from sitecrawl.dom.parse import parse
    >>> feeds_of(parse('<link rel="alternate" type="application/rss+xml" href="/feed/">', "http://example.com/"))
    ['http://example.com/feed/']
    """
    found = []
    for node in page.root.iter("link"):
        kind, href = (node.get("type") or "").strip().casefold(), node.get("href") or ""
        if kind in _FEEDS and "alternate" in (node.get("rel") or "").casefold() and "comment" not in href:
            found.append(absolute(href, page.base_url))
    return list(dict.fromkeys(url for url in found if url and url.startswith("http")))


def _unpacked(body: bytes) -> bytes:
    if not body.startswith(_GZIP):
        return body
    try:
        return zlib.decompressobj(wbits=31).decompress(body, LIMITS.body_bytes)
    except zlib.error:
        return b""


def _items(body: bytes, base: str) -> Iterator[tuple[str, Hint]]:
    """The items of a JSON feed (jsonfeed.org, version 1.1)."""
    try:
        items = json.loads(body).get("items", [])
    except (ValueError, RecursionError):
        return
    for item in items if isinstance(items, list) else []:
        named = item.get("url") or item.get("id") if isinstance(item, dict) else None
        url = absolute(_LONE.sub("\ufffd", named), base) if isinstance(named, str) else None
        if url and url.startswith("http"):
            day = item.get("date_published") or item.get("date_modified") or ""
            yield "item", Hint(url, parse_date(str(day)) or "", True)


def _lines(body: bytes, base: str) -> Iterator[tuple[str, Hint]]:
    for line in body.decode("utf-8", "replace").splitlines():
        if line.strip().startswith(("http://", "https://")):
            yield "url", Hint(line.strip())


def _entries(body: bytes, base: str) -> Iterator[tuple[str, Hint]]:
    """Kind (sitemap, url, item, entry) and hint of each entry; an entry's elements are freed once it is read."""
    tags = ("{*}url", "{*}sitemap", "{*}item", "{*}entry")
    reader = etree.iterparse(
        BytesIO(body), ("end",), tag=tags, recover=True, resolve_entities=False, no_network=True, load_dtd=False
    )
    try:
        for _, node in reader:
            kind = etree.QName(node).localname
            address = _address(node)
            url = absolute(address, base) if address else None
            if url and url.startswith("http"):
                yield kind, _hint(node, url, kind)
            node.clear()
            parent = node.getparent()
            while parent is not None and node.getprevious() is not None:
                del parent[0]
    except etree.XMLSyntaxError:
        return


def _hint(node: etree._Element, url: str, kind: str) -> Hint:
    texts = {etree.QName(inner).localname: inner.text or "" for inner in node.iter("{*}*")}
    day = next((texts[name] for name in _DAYS if texts.get(name)), "")
    return Hint(url, parse_date(day) or "", kind in ("item", "entry") or "publication_date" in texts)


def _address(node: etree._Element) -> str:
    """Where an entry leads: ``loc``, the text of ``link``, its ``href`` (Atom), or a ``guid`` that is an address."""
    for inner in node.iterchildren("{*}loc", "{*}link"):
        if inner.text and inner.text.strip():
            return inner.text.strip()
        if inner.get("href") and (inner.get("rel") or "alternate") == "alternate":
            return str(inner.get("href"))
    guid = node.find("{*}guid")
    text = (guid.text or "").strip() if guid is not None else ""
    return text if text.startswith("http") else ""
