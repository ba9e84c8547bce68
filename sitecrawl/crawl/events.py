"""Events of a crawl, one frozen record each. Statistics, the last line, the visit record and the
log are computed from them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, dataclass_transform

from sitecrawl.crawl.records import Drop, Role
from sitecrawl.dom.page import Page
from sitecrawl.items.kinds import PageKind
from sitecrawl.site.judge import FamilyVerdict
from sitecrawl.site.page_families import PageFamily
from sitecrawl.site.verdict import Event, EventKind, event_line

logger = logging.getLogger(__name__)


@dataclass_transform(frozen_default=True)
class CrawlEvent:
    """Something that happened in a crawl. Every subclass is a frozen dataclass."""

    STATISTIC: ClassVar[str] = ""

    def __init_subclass__(cls, statistic: str = "") -> None:
        """``statistic`` is the name, below ``sitecrawl/``, of the counter that the event
        increments; ``{0}`` stands for the event."""
        cls.STATISTIC = statistic
        dataclass(frozen=True)(cls)

    @property
    def statistics(self) -> tuple[str, ...]:
        return (self.STATISTIC.format(self),) if self.STATISTIC else ()


class PageEvent(CrawlEvent):
    """Something that happened to the page at ``url``."""

    url: str


class Counted(PageEvent, statistic="{0.name}"):
    """Something that is only counted, under the ``name`` of a statistic; docs/failures.md says what
    each counts."""

    name: str


ENOUGH_OPENED = 8
"""Listing pages whose yield tells what others would bring. A later visit of an unchanged site opens
a few, which bring nothing: what it did not open it can only count."""

Emit = Callable[[CrawlEvent], None]  # adds an event to the current step


# ---- pages
class PageOpened(PageEvent):
    """An answer was a page, or said that a known article is unchanged. Both count as a page of the
    crawl."""


class PageRead(PageEvent, statistic="pages/{0.kind}"):
    """A page was judged; ``role`` and ``promise`` (0..1) are those of its request. ``is_later``: it
    is a later part of an article."""

    kind: PageKind
    role: Role
    promise: float
    page: Page | None = None
    is_later: bool = False


class SoftErrorFound(PageEvent, statistic="pages/fake/{0.error}"):
    """A page with status 200 says that it does not exist (``missing``) or asks for a login
    (``login``)."""

    error: str
    role: Role


class RequestFailed(PageEvent, statistic="pages/lost/{0.reason}"):
    """A request brought no usable page. ``final_url`` is the URL after redirects, empty if there
    was no answer. ``is_new``: a link led to it as to an article, none was ever written, and it did
    not fail for good in an earlier run. ``page`` is a refusal that came in its place."""

    why: str
    role: Role
    final_url: str = ""
    is_new: bool = False
    page: Page | None = None

    @property
    def reason(self) -> str:
        return self.why.split(" (")[0].replace(" ", "_")


# ---- articles
class ArticleWritten(CrawlEvent):
    """An item was written; ``is_new`` is False for a revision."""

    item: dict[str, Any]
    is_new: bool

    @property
    def statistics(self) -> tuple[str, ...]:
        method = self.item["provenance"].get("method")  # a user's pipeline may have removed it
        return (f"items/{method}",) if self.is_new else ("items/revised", f"items/{method}")


class PageDropped(PageEvent, statistic="items/dropped/{0.why}"):
    """A page looked like an article, but no item was written for it."""

    why: Drop


class FamilyJudged(CrawlEvent):
    """The verdict on a page family of a site at the end of a run."""

    site: str
    family: PageFamily
    verdict: FamilyVerdict

    @property
    def statistics(self) -> tuple[str, ...]:
        names = (f"items/dropped/{Drop.FAMILY}", f"families/{self.verdict.by}/{self.family.name}")
        return names * self.family.withheld if not self.verdict.written else ()


class TemplateChanged(CrawlEvent, statistic="templates/{0.change.kind}"):
    """The site model changed a template; ``url`` is the page that caused it."""

    site: str
    change: Event
    url: str = ""


# ---- requests and links
class ScriptsUnread(CrawlEvent):
    """Links of a page that run scripts and cannot be followed."""

    calls: frozenset[str]


class ListingEmptied(PageEvent, statistic="pages/emptied"):
    """A listing page that showed articles in an earlier run shows none, or leads elsewhere."""

    role: Role


class ListingRead(PageEvent):
    """A listing page led to ``shown`` articles. Its further pages are ``linked``, only a script can
    load them (``scripted``), or a browser has
    ``scrolled`` it to its end and it still offers more; ``pager`` is empty if it names none."""

    shown: int
    pager: str


# ---- begin and end
@dataclass(frozen=True, slots=True)
class Completeness:
    """What is known of the articles that listing pages lead to, and how many of them were fetched.

    ``found`` counts the known articles, ``unread`` those of them that were not fetched,
    ``expected`` the new ones on the ``unopened`` listing pages, by the ``opened`` ones of this run.
    ``others`` are pages not opened whose links promised neither articles nor listings."""

    found: int = 0
    expected: float = 0.0
    unopened: int = 0
    others: int = 0
    shown: int = 0  # articles that listing pages showed in this run, including known ones
    unread: int = 0
    opened: int = 0

    @property
    def fetched(self) -> int:
        return max(0, self.found - self.unread)

    @property
    def total(self) -> float:
        """The known articles, and those expected on unopened listing pages."""
        return self.found + self.expected

    @property
    def has_basis(self) -> bool:
        """Whether the share is more than a guess: all listing pages were opened, or enough of them,
        and as many as were not."""
        return not self.unopened or self.opened >= max(ENOUGH_OPENED, self.unopened)

    @property
    def share(self) -> float | None:
        """The estimated share of the articles that were fetched, 0..1; None without a basis."""
        if not self.has_basis:
            return None
        return self.fetched / self.total if self.found else 1.0


class CrawlBegan(CrawlEvent):
    """A run began or continued. Before an interruption it had written ``articles`` and handled
    ``pages``; both are 0 for a new run.
    ``rewritten`` are the articles of earlier runs that go to the feeds once more."""

    articles: int = 0
    pages: int = 0
    rewritten: int = 0


class CrawlEnded(CrawlEvent):
    """A run ended. It wrote ``articles``. ``nothing_found``: no article of the site was ever
    written, and none waits. ``starts`` counts the start pages, ``crowded_out`` article links that
    were dropped because the queue was full. ``listings`` are URLs of unopened listing pages.
    ``elsewhere``: more links of listing pages lead to other hosts than to articles of the site: the
    number of pages by host, the largest first."""

    reason: str
    articles: int
    starts: int
    nothing_found: bool
    crowded_out: int
    listings: tuple[str, ...]
    elsewhere: dict[str, int]
    completeness: Completeness = Completeness()


def log_event(event: CrawlEvent) -> None:
    """Log the events that users follow: changes of templates."""
    if isinstance(event, TemplateChanged):
        level = logging.WARNING if event.change.kind is EventKind.REDESIGNED else logging.INFO
        logger.log(level, "%s", event_line(event.site, event.change, url=event.url))
