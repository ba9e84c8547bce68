"""Discovery: the pages that feeds and sitemaps name, as hints where articles are. Sizes are
bounded, entities are not expanded."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, islice

import numpy as np
from lxml import etree

from sitecrawl.crawl.config import CrawlArguments
from sitecrawl.crawl.ledger import Ledger
from sitecrawl.crawl.linked_pages import SitePages, origin_of
from sitecrawl.crawl.pages import gunzipped
from sitecrawl.crawl.permissions import parsed
from sitecrawl.crawl.records import FileKind, RequestContext, Role
from sitecrawl.dom.encoding import decode
from sitecrawl.dom.page import Page
from sitecrawl.dom.render import absolute
from sitecrawl.links.classify import Profile
from sitecrawl.links.url_facts import URL_FEATURES, UrlFacts, url_facts
from sitecrawl.text.chars import without_controls
from sitecrawl.text.dates import parse_date, parse_short_date
from sitecrawl.urls.canonical import is_page, url_key

_DAYS = (
    "publication_date lastmod pubDate published issued date created modified updated".split()
)  # of an entry
_ENTRY = re.compile(r"<((?:\w+:)?(?:url|sitemap|item|entry))[\s>]")
_AMPERSAND = re.compile(
    r"&amp;|&(?!(?:lt|gt|quot|apos|#(?!0*5[5-7]\d{3};)\d+|#x(?!0*d[89a-f]..;)[\da-f]+);)", re.I
)
"""An ampersand that begins no character. Halves of characters (55296 to 57343), as some feeds write
emoji, are none."""
_LESS, _PREFIX = re.compile(r"<(?![\w/!?])"), re.compile(r"(</?)\w+:")
_BASE = re.compile(
    r"""<(?:\w+:)?(?:feed|rss|RDF|channel)\s[^<>]*?\bxml:base\s*=\s*["']([^"'<>]{1,2000})["']"""
)
_LONE = re.compile(r"[\ud800-\udfff]")  # half of a character at the end of a truncated text
_DATE, _WORDS = URL_FEATURES.index("date"), URL_FEATURES.index("slug_words")
HINTED = "hint"  # group of pages that feeds and sitemaps name; links have a tag path instead
_PARSER = etree.XMLParser(recover=True, resolve_entities=False, no_network=True, load_dtd=False)
_FEEDS = frozenset(
    f"application/{kind}" for kind in "rss+xml atom+xml rdf+xml xml feed+json".split()
) | {"text/xml"}


@dataclass(frozen=True, slots=True)
class FileEntry:
    """An entry of a feed or sitemap: a page, or another sitemap (``is_sitemap``). ``day`` is ISO
    8601 or empty; ``news`` tells that the file lists articles only (a feed or a news sitemap)."""

    url: str
    day: str = ""
    news: bool = False
    is_sitemap: bool = False


def read_hints(body: bytes, url: str, *, most: int = 50_000) -> Iterator[FileEntry]:
    """The entries of an RSS, Atom or JSON feed, a sitemap, a sitemap index or a list of URLs, plain
    or compressed; read lazily. Never raises: of a damaged file the readable part counts. ``most``
    is the limit of the sitemap protocol for one file."""
    text = decode(gunzipped(body))[0].lstrip("\ufeff \t\r\n")
    reader = _entries if text.startswith("<") else _items if text.startswith("{") else _lines
    return islice(reader(text, url), most)


def sitemaps_of(robots: bytes, url: str) -> list[str]:
    """Sitemaps named in a ``robots.txt``, else the default location."""
    found = (absolute(name, url) for name in parsed(robots).sitemaps)
    return list(filter(None, found)) or [absolute("/sitemap.xml", url) or ""]


def feeds_of(page: Page) -> list[str]:
    """Feeds of articles named in a page's head, without feeds of comments.

    >>> from sitecrawl.dom.parse import parse
    >>> feeds_of(parse('<link rel="alternate" type="application/rss+xml" href="/feed/">', "http://example.com/"))
    ['http://example.com/feed/']
    """
    nodes = (
        node for node in page.root.iter("link") if "alternate" in (node.get("rel") or "").casefold()
    )
    hrefs = [
        node.get("href") or ""
        for node in nodes
        if (node.get("type") or "").strip().casefold() in _FEEDS
    ]
    found = (
        absolute(href, page.base_url)
        for href in hrefs
        if not re.search(r"(?<!/)[/?=&_-]comments(?![a-z])", href)
    )
    return list(dict.fromkeys(url for url in found if url and url.startswith("http")))


@dataclass(slots=True)
class Discovery:
    """The feeds and sitemaps of a site and the pages that they name."""

    arguments: CrawlArguments
    pages: SitePages
    evidence: Profile
    ledger: Ledger
    files: list[RequestContext] = field(default_factory=list)
    met: set[str] = field(default_factory=set)
    barren: int = 0  # files read that named no new page
    crowded_out: int = 0  # files for which there was no room

    def begin(self) -> None:
        """Queue the robots.txt of every host of the start pages; it names the sitemaps."""
        if "sitemap" in self.arguments.discover:
            self._add(
                _file(f"{origin_of(url)}/robots.txt", FileKind.ROBOTS)
                for url in self.arguments.start
            )

    def take_feeds(self, page: Page) -> None:
        if "feeds" in self.arguments.discover:
            self._add(_file(url, FileKind.FEED, section=page.url) for url in feeds_of(page))

    def next_file(self, *, patience: int = 50) -> RequestContext | None:
        """The next file to fetch: feeds before sitemaps, the newest first; None after ``patience``
        files that named no new page."""
        return self.files.pop() if self.files and self.barren < patience else None

    def read(self, context: RequestContext, body: bytes, *, url: str) -> list[RequestContext]:
        """The pages that a file names, to be requested as articles. Files that it names are
        queued."""
        if context.file is FileKind.ROBOTS:
            self._add(_file(found, FileKind.SITEMAP) for found in sitemaps_of(body, url))
            return []
        hints, before = [*read_hints(body, url)], len(self.met)
        files = (
            hint for hint in hints if hint.is_sitemap and not self.arguments.is_too_old(hint.day)
        )
        self._add(_file(hint.url, FileKind.SITEMAP, day=hint.day) for hint in files)
        whole = context.file is FileKind.FEED and self.pages.holds_section(context.url)
        clean = self.pages.parameters.clean
        wanted = [hint for hint in hints if self._is_wanted(hint, whole)]
        self.pages.learn_links((hint.url, hint.url) for hint in wanted)
        entries = {url_key(clean(hint.url)): hint for hint in wanted}
        self.ledger.look_up(entries)
        wanted = [hint for key, hint in entries.items() if not self.ledger.is_settled(key)]
        self.barren = 0 if wanted or len(self.met) > before else self.barren + 1
        return self._contexts(wanted, context.section)

    def _add(self, files: Iterable[RequestContext], *, most: int = 1_000) -> None:
        """Queue files, at most ``most`` in a run. The newest come first, since large archives have
        a sitemap for every month; of those without a day, the first and the last ones of a list."""
        found = {
            file.url: file
            for file in files
            if file.url not in self.met and self.pages.holds(file.url)
        }
        taken = list(islice(found.values(), max(0, most - len(self.met))))
        self.crowded_out += len(found) - len(taken)
        self.met.update(file.url for file in taken)
        ends = sorted(range(len(taken)), key=lambda at: -min(at, len(taken) - 1 - at))
        self.files = [taken[at] for at in ends] + self.files
        self.files.sort(key=lambda file: (file.file is FileKind.FEED, file.day))

    def _is_wanted(self, hint: FileEntry, whole: bool) -> bool:
        """Whether a hint is a page, not too old, and in the section. Entries of the section's own
        feed always are."""
        if hint.is_sitemap or not is_page(hint.url) or self.arguments.is_too_old(hint.day):
            return False
        return self.pages.holds(hint.url) if whole else self.pages.holds_section(hint.url)

    def _contexts(self, hints: list[FileEntry], section: str | None) -> list[RequestContext]:
        """The requests for hinted pages. Their promise comes from the URL and from similar pages of
        this site."""
        if not hints:
            return []
        facts = [url_facts(hint.url) for hint in hints]
        guesses = [_guess(hint, known) for hint, known in zip(hints, facts, strict=True)]
        promises = self.evidence.adapt(
            np.array(guesses, np.float32), [HINTED] * len(hints), facts=facts
        )[:, 0].tolist()
        common = RequestContext("", Role.ARTICLE, group=HINTED, section=section, depth=1)
        clean = self.pages.parameters.clean
        return [
            common.again(url=clean(hint.url), promise=promise, guess=guess, day=hint.day)
            for hint, guess, promise in zip(hints, guesses, promises, strict=True)
        ]


def _file(url: str, kind: FileKind, *, day: str = "", section: str | None = None) -> RequestContext:
    return RequestContext(url, Role.FILE, 0.0, file=kind, day=day, section=section)


def _guess(hint: FileEntry, facts: UrlFacts) -> tuple[float, float, float]:
    """Probabilities of article, listing and other: one row for entries of a feed, one for URLs
    shaped like those of articles, one for others."""
    is_shaped = (
        facts.values[_DATE] or facts.stem[-1:].isdigit() or facts.values[_WORDS] >= np.log1p(3)
    )
    article = 0.9 if hint.news else 0.6 if is_shaped else 0.4
    return article, (1 - article) / 2, (1 - article) / 2


def _items(text: str, base: str) -> Iterator[FileEntry]:
    """The items of a JSON Feed (jsonfeed.org, version 1.1)."""
    items = None
    with suppress(ValueError, RecursionError):
        items = json.loads(text).get("items")
    for item in items if isinstance(items, list) else []:
        named = item.get("url") or item.get("id") if isinstance(item, dict) else None
        url = absolute(_LONE.sub("\ufffd", named), base) if isinstance(named, str) else None
        if url and url.startswith("http"):
            day = item.get("date_published") or item.get("date_modified") or ""
            yield FileEntry(url, parse_date(str(day)) or "", True)


def _lines(text: str, base: str) -> Iterator[FileEntry]:
    lines = map(str.strip, text.splitlines())
    return (FileEntry(line) for line in lines if line.startswith(("http://", "https://")))


def _entries(text: str, base: str) -> Iterator[FileEntry]:
    """The entries of an XML file. Each is parsed by itself, so that an error, such as a tag that is
    not closed, spoils one entry at most."""
    end, named = 0, _BASE.search(text)
    base = (absolute(named[1], base) if named else None) or base
    while (start := _ENTRY.search(text, end)) is not None:
        close = text.find(f"</{start[1]}", start.end())
        end = close if close > 0 else len(text)
        node = etree.fromstring(_mended(text[start.start() : end]), _PARSER, base_url=base)
        url = _address(node, base) if node is not None else None
        if url and url.startswith("http"):
            yield _hint(node, url)


def _mended(entry: str) -> bytes:
    """An entry in UTF-8, without prefixes of names. Ampersands become numbers: behind an error
    libxml2 leaves out every ``&amp;``, in URLs too."""
    first, *others = without_controls(entry).split("<![CDATA[")
    parts = [_escaped(first)]
    for part in others:
        literal, closed, rest = part.partition("]]>")
        parts.append(f"<![CDATA[{literal}{closed}{_escaped(rest)}")
    return "".join(parts).encode("utf-8", "replace")


def _escaped(xml: str) -> str:
    return _LESS.sub("&lt;", _AMPERSAND.sub("&#38;", _PREFIX.sub(r"\1", xml)))


def _hint(node: etree._Element, url: str) -> FileEntry:
    texts = {str(inner.tag): inner.text or "" for inner in node.iter("*")}
    day = next((texts[name] for name in _DAYS if texts.get(name)), "")
    news = node.tag in ("item", "entry") or "publication_date" in texts
    return FileEntry(
        url, parse_date(day) or parse_short_date(day) or "", news, node.tag == "sitemap"
    )


def _address(node: etree._Element, base: str) -> str | None:
    """The URL of an entry: ``loc``, the text of ``link``, its ``href`` (Atom), or a ``guid`` or
    ``id`` that is a URL. ``xml:base`` holds."""
    names = "loc", "link"
    for inner in chain(
        node.iterchildren(*names), node.iter(*names)
    ):  # in a tag that is not closed they stand deeper
        is_page = (inner.get("rel") or "alternate") == "alternate"
        address = (inner.text or "").strip() or (is_page and inner.get("href")) or ""
        if address:
            address = address.replace("&amp;", "&")  # in CDATA it is escaped twice
            return absolute(address, inner.base or base) or absolute(address, base)
    ids = ((inner.text or "").strip() for inner in node.iter("guid", "id"))
    return next((text for text in ids if text.startswith("http")), None)
