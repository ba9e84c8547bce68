"""Discovery: the pages that feeds and sitemaps name, as hints where articles are. Sizes are bounded, entities are not expanded."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from io import BytesIO
from itertools import islice

import numpy as np
from lxml import etree

from sitecrawl.crawl.config import CrawlArguments
from sitecrawl.crawl.records import FileKind, RequestContext, Role
from sitecrawl.crawl.seen import Seen
from sitecrawl.dom.page import Page
from sitecrawl.dom.render import absolute
from sitecrawl.limits import LIMITS
from sitecrawl.links.classify import Profile
from sitecrawl.links.url_facts import URL_FEATURES, UrlFacts, url_facts
from sitecrawl.text.dates import parse_date
from sitecrawl.urls.canonical import clean_url, is_page, url_key
from sitecrawl.urls.scope import Scope

_MOST = 50_000
"""Entries of one file that are read: the most that the sitemap protocol allows."""
_SLICE = 1_000
"""Entries of a file that are read at a time, in a tenth of a second: other answers wait meanwhile."""
_GZIP = b"\x1f\x8b"
_DAYS = ("publication_date", "lastmod", "pubDate", "published", "date", "updated")
"""Elements that date an entry, the most telling first."""
_LONE = re.compile(r"[\ud800-\udfff]")
"""Half a character, as a text cut off in its middle has it."""
_GROUP = "hint"
"""Group under which the evidence of the site counts what hinted pages turned out to be."""
_FILES = 50
"""Feeds and sitemaps fetched in a run; a large archive has one a month, and the newest come first."""
_NEWS, _SHAPED, _PLAIN = 0.9, 0.6, 0.4
"""Promise of an entry of a feed, of a URL with a date, number or long name, and of any other."""
_DATE, _WORDS = URL_FEATURES.index("date"), URL_FEATURES.index("slug_words")
_SITEMAP = re.compile(rb"^[ \t]*sitemap[ \t]*:[ \t]*(\S+)", re.I | re.M)
"""Within one line: blanks that span lines would be read once for each line."""
_FEEDS = ("application/rss+xml", "application/atom+xml", "application/feed+json")


@dataclass(frozen=True, slots=True)
class Hint:
    """A page, or a sitemap of an index, that a file names.

    ``day`` is ISO 8601 or empty; ``news`` tells that the file lists articles only (a feed, a news sitemap).
    """

    url: str
    day: str = ""
    news: bool = False


def read_hints(body: bytes, url: str) -> Iterator[tuple[bool, Hint]]:
    """The hints of an RSS, Atom or JSON feed, a sitemap, a sitemap index or a list of URLs, plain or compressed, one by one as
    they are read; each with whether it is a sitemap of an index.

    Never raises: of a damaged file counts what could be read.
    """
    body = _unpacked(body)[: LIMITS.body_bytes].lstrip(b"\xef\xbb\xbf \t\r\n")
    reader = _entries if body.startswith(b"<") else _items if body.startswith(b"{") else _lines
    for kind, hint in islice(reader(body, url), _MOST):
        yield kind == "sitemap", hint


def sitemaps_of(robots: bytes, url: str) -> list[str]:
    """Sitemaps that a ``robots.txt`` names, else the usual place."""
    named = [found.decode("utf-8", "replace") for found in _SITEMAP.findall(robots[: LIMITS.robots_bytes])]
    return [found for name in named if (found := absolute(name, url))] or [absolute("/sitemap.xml", url) or ""]


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


@dataclass
class Discovery:
    """The files that name pages, and what they name. ``seen`` holds the keys of the pages that were asked for already."""

    arguments: CrawlArguments
    scope: Scope
    evidence: Profile
    seen: Seen
    files: list[RequestContext] = field(default_factory=list)
    met: set[str] = field(default_factory=set)

    def begin(self) -> None:
        """Sitemaps are asked for at the robots.txt of every host of the start pages."""
        if "sitemap" in self.arguments.discover:
            for url in self.arguments.start:
                self._put_up([_file("/".join(url.split("/")[:3]) + "/robots.txt", FileKind.ROBOTS)])

    def look_at(self, page: Page) -> None:
        """Take up the feeds that a section page names."""
        if "feeds" in self.arguments.discover:
            self._put_up(_file(url, FileKind.FEED, section=page.url) for url in feeds_of(page))

    def next_file(self) -> RequestContext | None:
        """The file to fetch next, the newest first, feeds before sitemaps."""
        return self.files.pop() if self.files else None

    def read(self, context: RequestContext, body: bytes, url: str) -> Iterator[list[RequestContext]]:
        """The pages that a fetched file names, to be asked for as articles, some entries at a time; the files that it names are
        taken up."""
        if context.file is FileKind.ROBOTS:
            self._put_up(_file(found, FileKind.SITEMAP) for found in sitemaps_of(body, url))
            return
        hints = read_hints(body, url)
        while part := list(islice(hints, _SLICE)):
            files = [hint for is_file, hint in part if is_file and not self.arguments.is_too_old(hint.day)]
            self._put_up(_file(hint.url, FileKind.SITEMAP, hint.day) for hint in files)
            yield self._named([hint for is_file, hint in part if not is_file and is_page(hint.url)], context)

    def _named(self, hints: list[Hint], context: RequestContext) -> list[RequestContext]:
        self.seen.look_up(url_key(hint.url) for hint in hints)
        whole = context.file is FileKind.FEED and self.scope.holds_section(context.url)
        return self._pages([hint for hint in hints if self._is_wanted(hint, whole)], context)

    def _put_up(self, files: Iterable[RequestContext]) -> None:
        for file in files:
            if file.url not in self.met and self.scope.holds(file.url) and len(self.met) < _FILES:
                self.met.add(file.url)
                self.files.insert(0, file)
        self.files.sort(key=lambda file: (file.file is FileKind.FEED, file.day))

    def _is_wanted(self, hint: Hint, whole: bool) -> bool:
        """Whether a hint is new, not older than asked for, and of the section; a section's own feed lists its articles."""
        if self.arguments.is_too_old(hint.day) or url_key(hint.url) in self.seen:
            return False
        return self.scope.holds(hint.url) if whole else self.scope.holds_section(hint.url)

    def _pages(self, hints: list[Hint], context: RequestContext) -> list[RequestContext]:
        """The requests for hinted pages, their promise by the URL alone and by what such pages were on this site."""
        if not hints:
            return []
        facts = [url_facts(hint.url) for hint in hints]
        guesses = [_guess(hint, known) for hint, known in zip(hints, facts, strict=True)]
        promises = self.evidence.adapt(np.array(guesses, np.float32), [_GROUP] * len(hints), facts)[:, 0].tolist()
        section = context.section
        return [
            RequestContext(
                clean_url(hint.url),
                Role.ARTICLE,
                promise,
                group=_GROUP,
                guess=guess,
                section=section,
                depth=1,
                day=hint.day,
            )
            for hint, guess, promise in zip(hints, guesses, promises, strict=True)
        ]


def _file(url: str, kind: FileKind, day: str = "", section: str | None = None) -> RequestContext:
    return RequestContext(url, Role.FILE, 0.0, file=kind, day=day, section=section)


def _guess(hint: Hint, facts: UrlFacts) -> tuple[float, float, float]:
    """Probabilities of article, listing and other by the shape of a URL."""
    shaped = facts.values[_DATE] or facts.stem[-1:].isdigit() or facts.values[_WORDS] >= np.log1p(3)
    article = _NEWS if hint.news else _SHAPED if shaped else _PLAIN
    return article, (1 - article) / 2, (1 - article) / 2


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
