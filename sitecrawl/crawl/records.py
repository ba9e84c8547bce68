"""The typed records between a crawl and whoever fetches for it: requests, answers, decisions."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from sitecrawl.dom.page import Page
from sitecrawl.dom.parse import parse
from sitecrawl.items.kinds import PageKind
from sitecrawl.items.sameness import UNKNOWN, ArticleFacts
from sitecrawl.urls.canonical import url_key

PASSING_STATUS = frozenset(range(401, 600)) - {404, 410, 414, 451}
"""Of answers that may be others in a later run: firewalls refuse with 405, 412, 418."""
SHOWN_STATUS = frozenset((404, 410, 500))
"""Of answers that may come with the page all the same: some sites send articles with them."""
# reasons for lost pages
ASKED_OFTEN = "requested too often in one run"
ASKS_LOGIN = "they ask for a login"  # a login form came in place of articles
BLANK = "the page has hardly any text and no links"
CUT = "the page came without its end"
EMPTY_PAGE = "the page is empty"
FRONT_PAGE = "they lead to the front page"
GONE = "the page says that it does not exist"
# it has accepted a request and not answered it: a check of the reader, or a page in the making
NOT_YET = "the server answered 202"
REFUSED = "refused with status 200"
STEP_ERROR = "error in a step"  # of the user, or of ours; the class of the error follows
PASSING = frozenset(
    (ASKS_LOGIN, BLANK, CUT, EMPTY_PAGE, NOT_YET, REFUSED)
)  # those for which a later run tries again
ELSEWHERE = "elsewhere"  # they are known under another URL, or belong to another site
# promises: probabilities of an article, 0..1
# from here on a wrong link is counted, and the page of the link is tried in a browser
PROMISING = 0.5
SURE = 0.95  # of a link whose URL pattern is known to be that of articles


class Role(StrEnum):
    """Why a page is requested, and what is expected of it."""

    START = "start"
    ARTICLE = "article"
    PAGINATION = "pagination"  # a further part of a listing
    SECTION = "section"
    MAYBE = "maybe"  # its link looks like neither an article nor a listing
    FILE = "file"  # a feed, a sitemap or a robots.txt that names pages

    @property
    def is_opened_for_links(self) -> bool:
        return self not in (Role.ARTICLE, Role.FILE)

    @property
    def lists_articles(self) -> bool:
        """Whether links to articles are expected on the page."""
        return self in (Role.START, Role.PAGINATION, Role.SECTION)

    @property
    def is_unpromised(self) -> bool:
        """Whether the link promises no article."""
        return self in (Role.PAGINATION, Role.MAYBE)


class Drop(StrEnum):
    """Why a page that looks like an article gives no item."""

    REPEAT = "repeat"  # too many URLs have its text
    SINCE = "since"
    BASELINE = "baseline"  # it was there at the first visit, which writes nothing
    NO_DAY = "no_day"  # it has no day, so that it is not known to be as new as `since`
    MAX_ARTICLES = "max_articles"
    UNCHANGED = "unchanged"
    COPY = "copy"
    TWIN = "twin"  # another address of the site has the same headline, day, authors and text
    # its headline and text were written under another URL, as most articles of this site were
    KNOWN = "known"
    FILTERED = "filtered"  # a hook of the user, `include` or `exclude` rejected it
    PART = "part"  # a later part of an article that was already written
    FAILED = "failed"
    EMPTY = "empty"
    """There is no text, and no picture, player or file that could be the content; and no link was
    surely an article."""
    # pages of its family are not articles; the item is kept in the state and can be released
    FAMILY = "family"


class Way(StrEnum):
    """How a page is fetched, if that is decided."""

    OPEN = ""
    PLAIN = "plain"
    BROWSER = "browser"


class WaitKind(StrEnum):
    """What a page in the store waits for."""

    TEMPLATE = "template"  # the template of a family
    PARTS = "parts"  # the other parts of an article over several pages
    TEXT = "text"  # its text does not match its link and may be a standard answer
    LOOKALIKE = "unpromised"  # it looks like an article, but its link did not


class FileKind(StrEnum):
    """Kind of a file that names pages; later kinds are requested first."""

    ROBOTS = "robots"
    SITEMAP = "sitemap"
    FEED = "feed"


@dataclass(frozen=True, slots=True)
class PartNote:
    """Position of a page in an article over several pages: key and URL of the first part, URL of
    the next part (empty on the last)."""

    of: str
    first: str
    next: str = ""
    family: str = ""  # the family of the page, if it waits for a template
    is_turned: bool = False  # whether a link between the parts says that it leads to a page


@dataclass(frozen=True, slots=True)
class RequestContext:
    """What is known of a page before it is fetched: an entry of a request's ``meta``."""

    url: str
    role: Role
    promise: float = 0.05  # probability by its link, 0..1, that it is an article
    listing: float = 0.0  # the same for a listing page
    group: str = ""  # tag path of the link
    guess: tuple[float, ...] = ()  # the probabilities of the link model alone
    anchor: str = ""  # text of the link
    section: str | None = None  # the listing page that led to it, directly or through articles
    depth: int = 0  # number of links from a start page
    # whether the site's menu or a start page links to it, or the site calls the file a feed
    named: bool = False
    part: PartNote | None = None
    as_written: bool = False  # whether the URL is requested as the link writes it
    # the URL to request, if it has parameters that tell nothing and that the server may need
    written: str = ""
    posted: str = ""  # what is sent to that URL by POST: the number of a page
    way: Way = Way.OPEN
    # without a browser: the article links of a listing, the characters outside links of an article
    plain: int = 0
    file: FileKind | None = None
    day: str = ""  # date in a feed or sitemap, ISO 8601
    tries: int = 0  # number of later runs that tried again to fetch it
    hops: int = 0  # number of empty pages that redirected their readers on the way to this page
    # the request for an article in place of which this one waits
    declined: RequestContext | None = None
    probes: int = field(
        default=0, compare=False
    )  # of its family, if it was taken from the far end of a listing
    sends: int = field(default=0, compare=False)  # requests of this run for it, if more than one

    @property
    def key(self) -> str:
        return url_key(self.url)

    @property
    def is_promised(self) -> bool:
        """Whether a link promises an article."""
        return self.role is Role.ARTICLE and self.promise >= PROMISING

    def again(self, **changes: Any) -> RequestContext:
        return replace(self, **changes)


@dataclass(frozen=True, slots=True)
class PlannedRequest:
    """A request to send. ``headers`` make it conditional, ``render`` sends it through a browser,
    which may ``scroll``; with a ``body`` it is a POST."""

    url: str
    context: RequestContext
    headers: dict[str, str] = field(default_factory=dict)
    render: bool = False
    scroll: bool = False
    body: str = ""

    @property
    def any_status(self) -> bool:
        """Whether answers of any status are accepted."""
        return self.context.file is FileKind.ROBOTS


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """The answer to a planned request, after redirects. ``status`` 304 means that the page is
    unchanged."""

    url: str
    context: RequestContext
    body: bytes = b""
    status: int = 200
    content_type: str = ""
    etag: str = ""
    modified: str = ""
    rendered: bool = False
    fetched: str = ""  # time of the answer, ISO 8601
    link: str = ""  # its `Link` headers
    refresh: str = ""  # its `Refresh` header


@dataclass(frozen=True, slots=True)
class FailedPage:
    """A planned request without an answer; ``reason`` is for users. If it ``may_pass``, a later run
    tries again. If ``interrupted``, the failure says nothing about the page."""

    context: RequestContext
    reason: str
    may_pass: bool = False
    interrupted: bool = False

    @classmethod
    def of_status(cls, context: RequestContext, status: int) -> FailedPage:
        """The record of an answer whose status says that there is no page."""
        may_pass = status in PASSING_STATUS
        return cls(context, f"the server answered {status}", may_pass=may_pass)


@dataclass(frozen=True, slots=True)
class Reading:
    """What is stored of a page that was read, for the lessons of a crawl that goes on."""

    url: str  # after redirects; empty if the page is no evidence about URLs
    kind: PageKind | None = None  # the kind that it counts as
    lookalike: bool = False  # whether it looks like an article, though it does not count as one
    text: str = ""  # digest of its text
    key: str = ""  # the page key under which this text is counted
    repeats: bool | None = None  # whether other pages have this text


NOT_READ = Reading("")


@dataclass(frozen=True, slots=True)
class ArticleRecord:
    """What is stored of an article page, besides its bytes, until its item is written."""

    key: str  # key of the page that answered
    url: str
    asked: str  # key of the requested page
    promise: float = 0.5
    section: str | None = None
    anchor: str = ""
    content_type: str = ""
    modified: str = ""
    text: str = ""  # digest of its text
    listing: float = 0.0  # probability by its link, 0..1, that it is a listing page
    type: str = ""  # type of the page in its content management system
    kind: PageKind = PageKind.ARTICLE
    # the judge's log-odds that it is an article; None if only a template read it
    log_odds: float | None = None
    against: tuple[str, ...] = ()  # what speaks most against one, in words
    part: PartNote | None = None
    fetched: str = ""  # time of the answer, ISO 8601
    published: str = ""  # the day that a feed tells, ISO 8601
    status: int = 200  # of the answer
    facts: ArticleFacts = UNKNOWN  # what it says of its article


@dataclass(frozen=True, slots=True)
class WaitingPage:
    """A page, with its bytes as served, that waits (see :class:`WaitKind`)."""

    record: ArticleRecord
    body: bytes
    parsed: Page | None = field(default=None, compare=False)

    def opened(self) -> Page:
        """The page, parsed again if it is no longer in memory."""
        return self.parsed or parse(self.body, self.record.url, self.record.content_type or None)
