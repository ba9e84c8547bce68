"""The typed records that pass between a crawl and whoever fetches for it: what is asked for, what came, what follows."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from sitecrawl.dom.page import Page
from sitecrawl.dom.parse import parse
from sitecrawl.items.kinds import PageKind
from sitecrawl.urls.canonical import url_key

ELSEWHERE = "elsewhere"
"""Why a page is of no use that was found under another URL, or on another site."""


class Role(StrEnum):
    """What a page is asked for as."""

    START = "start"
    ARTICLE = "article"
    PAGINATION = "pagination"
    """A further part of a listing."""
    SECTION = "section"
    MAYBE = "maybe"
    """A page whose link promises neither an article nor a listing for sure."""
    FILE = "file"
    """A feed, a sitemap or a robots.txt that names pages."""

    @property
    def is_listing(self) -> bool:
        """Whether the page is asked for because of the links that it holds."""
        return self is not Role.ARTICLE and self is not Role.FILE


class Drop(StrEnum):
    """Why no item leaves for a page that looks like an article."""

    REPEAT = "repeat"
    """Its text came under too many URLs."""
    SINCE = "since"
    MAX_ARTICLES = "max_articles"
    UNCHANGED = "unchanged"
    COPY = "copy"
    KNOWN = "known"
    """The same headline and text left under another URL, as most articles of the site did."""
    FILTERED = "filtered"
    """A hook of the user, ``include`` or ``exclude`` left it out."""
    PART = "part"
    """A later part of an article that left already."""
    FAILED = "failed"
    EMPTY = "empty"
    """No text was found, and no picture, player or file beside the headline that could be the content; no link promised an article for sure."""
    FAMILY = "family"
    """The pages of its family are no articles; :mod:`sitecrawl.site.page_families` says why. Its item is withheld and can be had."""


class Way(StrEnum):
    """How a page is fetched, where that is settled."""

    OPEN = ""
    PLAIN = "plain"
    BROWSER = "browser"


class WaitKind(StrEnum):
    """What a page in the store waits for."""

    TEMPLATE = "template"
    """The template of a family."""
    PARTS = "parts"
    """The other parts of an article over several pages."""
    TEXT = "text"
    """Its text is not what its link said, and may be that of every page."""
    UNPROMISED = "unpromised"
    """It looks like an article, but no link promised one."""
    ANSWERED = "answered"
    """Its article left. A new template of its family may give a better one, which leaves as a revision."""


class FileKind(StrEnum):
    """What a file that names pages is, the one asked for first last."""

    ROBOTS = "robots"
    SITEMAP = "sitemap"
    FEED = "feed"


@dataclass(frozen=True, slots=True)
class PartNote:
    """Place of a page in an article over several pages: key and URL of the first part, URL of the next, empty on the last."""

    of: str
    first: str
    next: str = ""
    family: str = ""
    """The family of the page where that waits for a template."""


@dataclass(frozen=True, slots=True)
class RequestContext:
    """What is known of a page before it is fetched; the one entry of a request's ``meta`` that is ours.

    ``promise`` is the probability (0..1) that the page is an article, ``listing`` that it is a listing page, both by its link.
    ``guess`` holds the link model's own probabilities, ``group`` the tag path of the link, ``anchor`` its text. ``section`` is the listing page that led here and ``depth`` the number of steps from
    a start page. ``named`` tells that the site's menu or a start page names the page.
    """

    url: str
    role: Role
    promise: float = 0.05
    listing: float = 0.0
    group: str = ""
    guess: tuple[float, ...] = ()
    anchor: str = ""
    section: str | None = None
    depth: int = 0
    named: bool = False
    part: PartNote | None = None
    as_written: bool = False
    """Whether the URL of a folder's index file is asked for as it is written."""
    way: Way = Way.OPEN
    links: int = 0
    """Article links that a page had when it was fetched without a browser."""
    file: FileKind | None = None
    day: str = ""
    """Day that a feed or sitemap gives, ISO 8601."""
    hops: int = 0
    """Pages next to empty that sent their readers on, one to the next and the last one to this page."""

    @property
    def key(self) -> str:
        return url_key(self.url)

    def again(self, **changes: Any) -> RequestContext:
        """The same page, to be asked for once more in another way."""
        return replace(self, **changes)


@dataclass(frozen=True, slots=True)
class PlannedRequest:
    """A request to send: ``headers`` ask on condition, ``render`` sends it through a browser, a higher ``priority`` goes first."""

    url: str
    context: RequestContext
    priority: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    render: bool = False
    any_status: bool = False
    """Whether an answer of any status is an answer."""


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """An answer to a planned request, redirects followed. ``status`` 304 tells that the page is as it was."""

    url: str
    context: RequestContext
    body: bytes = b""
    status: int = 200
    content_type: str = ""
    etag: str = ""
    modified: str = ""
    rendered: bool = False
    fetched: str = ""
    """When it came, ISO 8601."""


@dataclass(frozen=True, slots=True)
class FailedPage:
    """A planned request without an answer: ``reason`` in words for a user.

    ``interrupted`` tells that the crawl was stopped meanwhile: then the failure says nothing about the page.
    """

    context: RequestContext
    reason: str
    interrupted: bool = False


@dataclass(frozen=True, slots=True)
class ArticleRecord:
    """What is kept of an article page beside its body until its item leaves."""

    key: str
    """Key of the page that answered."""
    url: str
    asked: str
    """Key of the page that was asked for."""
    promise: float = 0.5
    section: str | None = None
    anchor: str = ""
    content_type: str = ""
    modified: str = ""
    text: str = ""
    """Digest of its text."""
    listing: float = 0.0
    """Probability by its link, 0..1, that it is a listing page."""
    type: str = ""
    """What the site's content management system calls the page."""
    kind: PageKind = PageKind.ARTICLE
    headline: float | None = None
    """How certain the extractor is of its headline, 0..1; None where only a template has read the page."""
    confidence: float = 0.0
    """How certain the extractor is of its body, 0..1."""
    part: PartNote | None = None
    fetched: str = ""
    """When it came, ISO 8601."""


@dataclass(frozen=True, slots=True)
class WaitingPage:
    """A page that waits, with its bytes as they were served, for a template or for the other parts of its article."""

    page: ArticleRecord
    body: bytes
    parsed: Page | None = field(default=None, compare=False)

    def opened(self) -> Page:
        """The page, parsed again where it is no more in memory."""
        return self.parsed or parse(self.body, self.page.url, self.page.content_type or None)
