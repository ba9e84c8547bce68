"""A parsed page, with values computed from it on demand, and its metadata: meta elements, JSON-LD,
title, links of the head."""

from __future__ import annotations

import re
import zlib
from base64 import b64encode
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, islice
from typing import Any, cast
from urllib.parse import urljoin, urlsplit

import numpy as np
from lxml import etree

from sitecrawl.dom.align import signature
from sitecrawl.dom.blocks import Flags, bits_of
from sitecrawl.dom.class_names import names_one_of, words_of
from sitecrawl.dom.document import Document
from sitecrawl.dom.linked_data import read_linked_data
from sitecrawl.dom.tree import by_tag, line_below
from sitecrawl.limits import LIMITS, Meter
from sitecrawl.resources import table_beside
from sitecrawl.text.chars import fold, unescaped
from sitecrawl.text.names import JOINS_NAMES
from sitecrawl.urls.canonical import absolute_url, clean_url

_OPINION = re.compile(r"(?:comment|review|(?:suggested|accepted)Answer)s?$", re.I)
_NO_DRAWING = (
    "head",
    "body",
    "div",
    "p",
    "foreignobject",
)  # parents of a `title` that is the page's, not a drawing's
_REFERENCES = cast(
    Callable[[etree._Element], float], etree.XPath("count(//*[@href or @src or @srcset])")
)


@dataclass(slots=True)
class Metadata:
    """``meta`` maps name or property (casefolded) to the first content; ``linked`` is the JSON-LD
    object of the article, ``linked_page`` what that of the page says where there is none of an
    article: no sign of an article, because static pages have it, too. ``links`` maps a
    ``rel`` to its first href; ``tags`` are the contents of all ``article:tag``, ``people`` those of
    all elements that name an author, by name, ``cited`` those of all ``citation_author``. ``crumbs``
    are name and URL of the steps from the home page, ``site`` is the site's name, both from
    JSON-LD."""

    meta: dict[str, str] = field(default_factory=dict)
    linked: dict[str, Any] = field(default_factory=dict)
    is_linked_article: bool = False
    linked_page: dict[str, Any] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    tags: list[str] = field(default_factory=list)
    cited: list[str] = field(default_factory=list)
    people: dict[str, list[str]] = field(default_factory=dict)
    crumbs: list[tuple[str, str]] = field(default_factory=list)
    site: str = ""
    title: str = ""
    language: str = ""
    base: str | None = None  # `href` of the first `<base>` that has one

    def first(self, *names: str) -> str | None:
        """The first non-empty meta content of ``names``."""
        return next((self.meta[name] for name in names if self.meta.get(name)), None)


DESCRIBING = ("meta", "link", "title", "script", "base")  # elements that hold metadata
_TABLE = table_beside(__file__)
PUBLISHED_META, MODIFIED_META, AUTHOR_META = (
    tuple(_TABLE[what]) for what in ("published", "modified", "author")
)
"""Names, casefolded, of ``meta`` elements that hold the date of publication, that of the last
change and the author, the most exact first."""


def read_metadata(root: etree._Element, elements: Mapping[str, list[etree._Element]]) -> Metadata:
    """Metadata of a page from its ``elements`` by tag; only tags in ``DESCRIBING`` are read."""
    language = root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang") or ""
    bases = [node.get("href") for node in elements["base"]]
    metadata = Metadata(
        language=language.strip(),
        title=next(filter(None, map(_title_of, elements["title"])), ""),
        base=next((href for href in bases if href is not None), None),
    )
    for node in elements["meta"]:
        _read_meta(node, metadata)
    for node in elements["link"]:
        for rel in (node.get("rel") or "").casefold().split():
            metadata.links.setdefault(rel, unescaped(node.get("href") or "").strip())
    scripts = [
        node.text for node in elements["script"] if "ld+json" in (node.get("type") or "").casefold()
    ]
    linked = read_linked_data([script for script in scripts if script], metadata.title)
    metadata.linked = linked.article
    metadata.is_linked_article = linked.is_article
    metadata.linked_page = linked.page
    metadata.crumbs = linked.crumbs
    metadata.site = linked.site
    return metadata


def _read_meta(node: etree._Element, metadata: Metadata) -> None:
    """Add what a ``meta`` element says."""
    name = node.get("property") or node.get("name") or _itemprop(node) or node.get("http-equiv")
    content = unescaped(node.get("content") or "").strip()
    if not name or not content:
        return
    name = name.strip().casefold()
    metadata.meta.setdefault(name, content)
    if name == "article:tag":
        metadata.tags.append(content)
    elif name == "citation_author":
        metadata.cited.append(content)
    elif name in AUTHOR_META:
        metadata.people.setdefault(name, []).append(content)


def _itemprop(node: etree._Element, *, levels: int = 20) -> str | None:
    """The property in a ``meta`` element, unless it is one of a comment or a review that begins at
    most ``levels`` above."""
    name = node.get("itemprop")
    around = islice(node.iterancestors(), levels) if name else ()
    return None if any(_OPINION.match(above.get("itemprop") or "") for above in around) else name


def _title_of(node: etree._Element, *, levels: int = 20) -> str:
    """Text of a ``title`` element; empty when it belongs to a drawing that begins at most
    ``levels`` above."""
    for above in islice(node.iterancestors(), levels):
        if above.tag in _NO_DRAWING:
            break
        if above.tag == "svg":
            return ""
    return fold(unescaped("".join(node.itertext())[: LIMITS.title_chars]))


_FACT = re.compile(r"[\d:：]")  # what no name holds, but labelled facts beside a name do
_FULL_NAME = re.compile(r"[^\W\d_a-z][\w.'’-]*(?:\s[\w.'’-]+){1,4}$")


def listed_behind(node: etree._Element, *, levels: int = 3, most: int = 20) -> list[str]:
    """Texts of the elements behind a name that continue a list of names: their structure is the
    same (:func:`_structure`), and only a comma or a word for "and" stands between, or nothing if all
    elements of this structure hold full names. An element that contains nothing but the name counts
    as the name, on ``levels`` levels.

    >>> listed_behind(etree.XML('<p>By <a href="/authors/ann">Ann</a>, <a href="/authors/bo">Bo</a> in <a href="/authors/cy">Cy</a></p>')[0])
    ['Bo']
    """
    for above in islice(node.iterancestors(), levels):
        if len(above) > 1 or fold(above.text) or fold(node.tail):
            break
        node = above
    found = list[str]()
    tail = fold(node.tail)
    structure = _structure(node)
    is_list = _FULL_NAME.match(line_below(node)) is not None
    for other in islice(node.itersiblings("*"), most):
        if _structure(other) != structure:
            break
        text = line_below(other)
        is_list = is_list and _FULL_NAME.match(text) is not None
        if not tail and not is_list:
            return []
        is_joined = not tail or JOINS_NAMES.fullmatch(tail)
        if not is_joined or _FACT.search(text):
            break
        found.append(text)
        tail = fold(other.tail)
    return found


def _structure(node: etree._Element, *, most: int = 20) -> list[tuple[object, ...]]:
    """What elements of one list have in common: tags, classes, and the folders of links, of
    ``most`` elements."""
    parts, names = islice(node.iter("*"), most), ("class", "rel", "itemprop")
    return [
        (one.tag, *map(one.get, names), (one.get("href") or "").rstrip("/").rpartition("/")[0])
        for one in parts
    ]


_FORUM_URL = re.compile(rf"(?:^|[/.?&=])(?:{'|'.join(_TABLE['forums'])})(?=[/.?&=]|-?\d|$)", re.I)
"""A host, folder, file or parameter of a forum; whole names only, because titles of articles
contain the words too."""
_FORUM_CRUMBS = 12  # breadcrumbs whose URLs are read
_FORUM_KINDS = ("DiscussionForumPosting", "QAPage")
_FORUM_TYPE = re.compile("|".join(f"schema.org/{kind}" for kind in _FORUM_KINDS))
names_author = names_one_of(words_of("persons"))
"""Whether a class or id is one of elements that hold the name of the author of a comment or
post."""
AUTHOR_WORDS = (
    "author user nick poster fn creator comment member display vcard screen uname authi".split()
)  # a class that names an author holds the letters of one of these
_names_byline = names_one_of(words_of("by-lines"))
_DESCRIBES = re.compile(rf"[-_](?:{'|'.join(_TABLE['describes'])})(?![a-z])", re.I)
"""The part of a name of what tells about an author: ``author-job``."""
_CRUMBS = names_one_of(words_of("breadcrumbs"))
NAMES_PERSON = re.compile(r"/(?:authors?|autor|autore|auteurs?)/[^/#?]", re.I)


@dataclass
class Page:
    """A parsed page: its URL and its root element. All code but the Scrapy layer sees this instead
    of a response. ``truncated``: content was cut at a bound; ``ends_early``: its end did not come;
    ``encoding`` is the encoding from which it was decoded; ``meter`` is what it may still cost."""

    url: str
    root: etree._Element
    encoding: str = "utf-8"
    truncated: bool = False
    tags: int = LIMITS.tags  # an upper bound of the number of its elements
    ends_early: bool = False
    meter: Meter = field(default_factory=Meter)

    @cached_property
    def document(self) -> Document:
        return Document(self.root, self.meter)

    @cached_property
    def found(self) -> dict[str, list[Any]]:
        """What addresses of templates found on the page (``templates.address.find_on``)."""
        return {}

    @cached_property
    def packed(self) -> str:
        """The repaired tree as text (UTF-8, deflated, base64), from which it can be parsed again.
        Cached, because samples are stored repeatedly."""
        return b64encode(
            zlib.compress(etree.tostring(self.root, encoding="utf-8", method="html"), 3)
        ).decode("ascii")

    @property
    def is_cut(self) -> bool:
        """Whether content was cut: while parsing, from the document, or where it cost too much."""
        return self.truncated or self.document.truncated

    @cached_property
    def metadata(self) -> Metadata:
        """What the page says about itself for machines, read on first use."""
        return read_metadata(self.root, by_tag(self.root.iter(*DESCRIBING)))

    @cached_property
    def signature(self) -> frozenset[int]:
        """Numbers of the page's containers, by which pages of one template are recognised."""
        return signature(self.root)

    @cached_property
    def base_url(self) -> str:
        """Base of relative links: ``<base href>``, else the page's URL, else its host; the first
        whose length times the links is in bounds."""
        href, most = (self.metadata.base or "")[: LIMITS.url_chars + 1].strip(), LIMITS.based_chars
        for base in (href, "", "/"):
            with suppress(ValueError):
                url = urljoin(self.url, base)
                is_short = (
                    len(url) * self.tags <= most or len(url) * (1 + _REFERENCES(self.root)) <= most
                )
                if len(url) <= LIMITS.url_chars and is_short:
                    return url
        return ""

    @cached_property
    def crumbs(self) -> list[etree._Element]:
        """Links of the first element whose class, id or schema.org type or property speaks of
        breadcrumbs and that has any. Where each breadcrumb is an element of its own, with one link,
        they are those of all such elements beside the first."""
        document = self.document
        marked = document.marked(_CRUMBS, "class", "id", words=("crumb",))
        marked += document.marked(bool, "itemtype", "itemprop", words=("crumb",))
        nodes = [
            node
            for at in sorted({*marked})
            if (node := document.nodes[at]).tag not in ("html", "body")
        ]
        first, links = next(
            ((node, links) for node in nodes if (links := list(node.iter("a")))), (None, [])
        )
        if first is None or len(links) > 1:
            return links
        beside = [
            node
            for node in nodes
            if node.getparent() is first.getparent() and node.tag == first.tag
        ]
        return [link for node in beside for link in node.iter("a")]

    @cached_property
    def bylines(self) -> list[etree._Element]:
        """Elements with an attribute that names an author, and links to people's pages, in document
        order."""
        marked = self.document.marked
        named = marked(
            _marks_byline, "class", "rel", "itemprop", "property", words=("author", "byline")
        )
        if self.is_forum:
            named += marked(_names_poster, "class", words=(*AUTHOR_WORDS, "name"))
        linked = marked(NAMES_PERSON.search, "href", words=("/author", "/autor", "/auteur"))
        return [self.document.nodes[at] for at in sorted({*named, *linked})]

    @cached_property
    def related(self) -> list[etree._Element]:
        """Links with an attribute ``rel``."""
        if "document" not in vars(self):  # a page that a template answers needs none
            return [link for link in self.root.iter("a") if link.get("rel")]
        document = self.document
        return [
            document.nodes[at]
            for at, rel in document.attributes["rel"].items()
            if rel and document.tags[at] == "a"
        ]

    def bits_of(self, node: etree._Element) -> int:
        """Bits of one element without its ancestors. A page that has a document asks it: that knows
        which elements wrap the page."""
        if "document" in vars(self) and node in self.document.number:
            return self.document.own_bits[self.document.number[node]]
        return bits_of(node)

    @cached_property
    def is_forum(self) -> bool:
        """Whether the page belongs to a forum or a question-and-answer site, by its URL, its
        schema.org type and the URLs of its breadcrumbs: then the texts below its first text are
        replies.

        >>> Page("http://example.com/forum/viewtopic.php?t=5", etree.HTML("<p>Hello</p>")).is_forum
        True
        >>> Page("http://example.com/ten-questions-for-ann", etree.HTML("<p>Hello</p>")).is_forum
        False
        """
        if _FORUM_URL.search(self.url) or self.metadata.linked.get("@type") in _FORUM_KINDS:
            return True
        crumbs = [link.get("href") or "" for link in self.crumbs[:_FORUM_CRUMBS]]
        return bool(self.forum_types) or any(map(_FORUM_URL.search, crumbs))

    @cached_property
    def forum_types(self) -> list[int]:
        """Numbers of the elements that are of a forum by their schema.org type."""
        return self.document.marked(_FORUM_TYPE.search, "itemtype", words=("schema.org/",))

    @cached_property
    def leading(self) -> Flags:
        """The blocks that are headings and lead to another page of the site, as a listing has them
        above its entries. The link is in the heading, or around it on at most three levels. What
        the page calls its own URL is no other page."""
        document = self.document
        blocks = document.blocks
        leading = np.zeros(len(blocks), bool)
        own = absolute_url(self.base_url, self.metadata.links.get("canonical", ""))
        is_link = document.heading_blocks & (blocks.link_chars > 0.7 * blocks.chars)
        for at in np.flatnonzero(is_link)[: LIMITS.links].tolist():
            heading = document.nodes[int(blocks.owner[at])]
            near = chain(heading.iter("a"), islice(heading.iterancestors("*"), 3))
            href = next(filter(None, (node.get("href") for node in near if node.tag == "a")), None)
            target = absolute_url(self.base_url, href or "")
            leading[at] = href is not None and target != own and _leads_on(self.url, target)
        return leading


def _leads_on(url: str, target: str) -> bool:
    """Whether ``target`` is another page of the same site, and not one post of this page.

    >>> [_leads_on("http://a.org/x-3/", to) for to in ("http://a.org/x-3#top", "http://a.org/y", "http://b.org/", "http://a.org/x-3/?post=7#7")]
    [False, True, False, False]
    """
    try:
        here, there = urlsplit(clean_url(url)), urlsplit(clean_url(target))
    except ValueError:
        return False
    path = there.path.strip("/")
    other = path != here.path.strip("/") or there.query != here.query
    return there.netloc == here.netloc and other and bool(path or there.query)


def _marks_byline(value: str) -> bool:
    """Whether a class, or the value of another attribute, which may have a prefix
    (``article:author``), marks an author."""
    names = value.replace(":", " ") if ":author" in value else value
    return _names_byline(names) and _DESCRIBES.search(names) is None


def _names_poster(names: str) -> bool:
    return "name" in names.split() or names_author(names)
