"""Where the feeds and sitemaps of a site are: named in a page, in a ``Link`` header or in
``robots.txt``, or at one of the usual places. What comes decides what a file is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

from lxml import etree

from sitecrawl.crawl.permissions import parsed
from sitecrawl.crawl.records import FileKind
from sitecrawl.dom.page import Page
from sitecrawl.dom.render import absolute
from sitecrawl.dom.tree import string_of
from sitecrawl.urls.scope import host_of, registered_domain

USUAL_PLACES = {
    FileKind.SITEMAP: (
        "/sitemap.xml",  # the protocol, Drupal, Ghost, Hugo, Jekyll, Joomla with most extensions
        "/sitemap_index.xml",  # WordPress with Yoast or Rank Math
        "/wp-sitemap.xml",  # WordPress
        "/sitemap-index.xml",  # Astro, Gatsby
        "/sitemap.xml.gz",
        "/news-sitemap.xml",  # news sitemaps of WordPress
        "/sitemap.txt",
        "/sitemap/sitemap.xml",
    ),
    FileKind.FEED: (
        "/feed/",  # WordPress
        "/rss.xml",  # Drupal, Astro, Eleventy
        "/feed.xml",  # Jekyll
        "/index.xml",  # Hugo
        "/rss/",  # Ghost
        "/atom.xml",  # Hexo, Movable Type
        "/feed.json",
        "/index.php?format=feed&type=rss",  # Joomla
    ),
}
"""Where content management systems keep the files that no page names, by their manuals; the most
frequent first."""
_HEADER = re.compile(r"<([^<>]{1,2000})>((?:\s*;\s*[\w*]+\s*=\s*(?:\"[^\"]*\"|[^\s;,\"]+))*)")
_PAIR = re.compile(r"([\w*]+)\s*=\s*\"?([^\";]*)")
_FEED_TYPE = re.compile(r"(?:application|text)/(?:(?:\w+\+)?xml|(?:feed\+)?json)\s*(?:;|$)", re.I)
_NO_FEED_TYPE = re.compile(r"oembed|xhtml", re.I)
_COMMENTS = re.compile(r"(?<!/)[/?=&_-]comments(?![a-z])")  # feeds of comments
_FEED_URL = re.compile(
    r"\.(?:rss|atom|rdf)$|/(?:[\w.]+[-_.])?(?:rss|atom|feeds?|flux|backend)\d{0,2}(?:\.\w{2,4})?/?$"
    r"|[?&](?:\w+=)?(?:rss|atom|feed|backend)\w{0,4}(?:&|=|$)",
    re.I,
)
_SITEMAP_URL = re.compile(r"/[\w.-]*site_?-?map[\w.-]*\.(?:xml|txt)(?:\.gz)?$", re.I)
_SAYS = re.compile(r"(?<![a-z])(?:rss|atom)(?![a-z])|^(?:news)?feeds?$", re.I)
_SAID = 40  # longest text of a link to a feed
_ANCHORS = 20  # feeds that the links of one page may name


class NamedFile(NamedTuple):
    """A file that names pages. It ``is_named`` if the site calls it one; else it only looks so."""

    url: str
    kind: FileKind
    is_named: bool = True


class _Reference(NamedTuple):
    """What a ``<link>`` or a header says of another file."""

    href: str
    rel: frozenset[str]
    type: str


def sitemaps_of(robots: bytes, url: str) -> list[str]:
    """The sitemaps named in a ``robots.txt``."""
    found = (absolute(name, url) for name in parsed(robots).sitemaps)
    return list(filter(None, found))


def feeds_of(page: Page) -> list[str]:
    """Feeds of articles named in a page's head, without feeds of comments.

    >>> from sitecrawl.dom.parse import parse
    >>> feeds_of(parse('<link rel="alternate" type="application/rss+xml" href="/feed/">', "http://example.com/"))
    ['http://example.com/feed/']
    """
    named = (file for file in files_of(page) if file.is_named)
    return [file.url for file in named if file.kind is FileKind.FEED]


def files_of(page: Page) -> list[NamedFile]:
    """The feeds and sitemaps that a page names, each once, those of its head first."""
    return _each_once(chain(_referred(_links(page), page.base_url), _linked(page)))


def files_of_header(header: str, url: str) -> list[NamedFile]:
    """The feeds and sitemaps that the ``Link`` header of an answer names (RFC 8288).

    >>> [file.url for file in files_of_header('</f.xml>; rel="alternate"; type="application/rss+xml"', "http://a.example/")]
    ['http://a.example/f.xml']
    """
    references = []
    for href, pairs in _HEADER.findall(header):
        values = {name.casefold(): value for name, value in _PAIR.findall(pairs)}
        rel = frozenset(values.get("rel", "").casefold().split())
        references.append(_Reference(href, rel, values.get("type", "")))
    return _each_once(_referred(references, url))


def _each_once(files: Iterable[NamedFile]) -> list[NamedFile]:
    found = dict[str, NamedFile]()
    for file in files:
        found.setdefault(file.url, file)
    return [*found.values()]


def next_place(url: str, kind: FileKind) -> str:
    """The usual place to try after one at which there is no file; empty after the last one, and for
    a file that is at none.

    >>> next_place("http://a.example/sitemap.xml", FileKind.SITEMAP)
    'http://a.example/sitemap_index.xml'
    """
    places = USUAL_PLACES.get(kind, ())
    path = urlsplit(url)._replace(scheme="", netloc="").geturl()
    following = places.index(path) + 1 if path in places else len(places)
    return urljoin(url, places[following]) if following < len(places) else ""


def _links(page: Page) -> Iterator[_Reference]:
    """What the ``<link>`` elements of a page say, and its links with ``rel=alternate``."""
    for node in page.root.iter("link", "a"):
        rel = frozenset((node.get("rel") or "").casefold().split())
        if rel:
            yield _Reference(node.get("href") or "", rel, node.get("type") or "")


def _referred(references: Iterable[_Reference], base: str) -> Iterator[NamedFile]:
    for href, rel, kind in references:
        url = absolute(href, base)
        if not url or not url.startswith("http"):
            continue
        is_feed = _FEED_TYPE.match(kind.strip()) and not _NO_FEED_TYPE.search(kind)
        if "sitemap" in rel:
            yield NamedFile(url, FileKind.SITEMAP)
        elif "alternate" in rel and is_feed and not _COMMENTS.search(href):
            # `application/json` may be data of any kind
            yield NamedFile(url, FileKind.FEED, is_named=not kind.strip().endswith("/json"))


def _linked(page: Page) -> Iterator[NamedFile]:
    """Files to which a page links, by their addresses or by what the links say."""
    own = registered_domain(host_of(page.url))
    feeds = 0
    for node in page.root.iter("a", "area"):
        href = node.get("href") or ""
        if not _looks_like_file(node, href) or _COMMENTS.search(href):
            continue
        url = absolute(href, page.base_url)
        if not url or registered_domain(host_of(url)) != own:
            continue
        if _SITEMAP_URL.search(urlsplit(url).path):
            yield NamedFile(url, FileKind.SITEMAP, is_named=False)
        elif feeds < _ANCHORS:
            feeds += 1
            yield NamedFile(url, FileKind.FEED, is_named=False)


def _looks_like_file(node: etree._Element, href: str) -> bool:
    address = href.partition("#")[0]
    if _FEED_URL.search(address) or _SITEMAP_URL.search(address):
        return True
    said = [node.get("title") or "", node.get("aria-label") or "", string_of(node).strip()]
    said += (node.get("class") or "").split()
    said += [image.get("alt") or "" for image in node.iter("img")]
    return any(len(text) <= _SAID and _SAYS.search(text) for text in said)
