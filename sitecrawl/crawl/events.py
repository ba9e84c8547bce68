"""Events of a crawl, one frozen record each. They are its only bookkeeping: statistics, the last line, the visit record and the
log are folds over them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, dataclass_transform

from sitecrawl.crawl.records import Drop, FileKind, Role
from sitecrawl.dom.page import Page
from sitecrawl.items.kinds import PageKind
from sitecrawl.site.page_families import FamilyVerdict, Fate, PageFamily
from sitecrawl.site.verdict import Event, EventKind, event_line

logger = logging.getLogger(__name__)


@dataclass_transform(frozen_default=True)
class CrawlEvent:
    """Something that happened in a crawl. Every subclass is a frozen dataclass."""

    STATISTIC: ClassVar[str] = ""

    def __init_subclass__(cls, statistic: str = "") -> None:
        """``statistic`` is the name, below ``sitecrawl/``, of the statistic that an event adds one to; ``{0}`` stands for the event."""
        cls.STATISTIC = statistic
        dataclass(frozen=True)(cls)

    @property
    def statistics(self) -> tuple[str, ...]:
        return (self.STATISTIC.format(self),) if self.STATISTIC else ()


class PageEvent(CrawlEvent):
    """Something that happened to the page at ``url``."""

    url: str


Emit = Callable[[CrawlEvent], None]
"""Takes down an event of the current step."""


# ---- pages
class PageOpened(PageEvent):
    """An answer was a page, or tells that an article did not change; it is counted towards the pages of the crawl."""


class PageRead(PageEvent, statistic="pages/{0.kind}"):
    """A page was judged; ``role`` and ``promise`` (0..1) are what it was requested as."""

    kind: PageKind
    role: Role
    promise: float
    page: Page | None = None


class PageUnchanged(PageEvent, statistic="pages/unchanged"):
    """The article of a page left in an earlier run, and the page is the same."""


class NotModified(PageEvent, statistic="revisits/unchanged"):
    """A server answered a conditional request with status 304."""


class PageMoved(PageEvent, statistic="pages/moved"):
    """A page without text of its own sends its readers on to another one."""


class SoftErrorFound(PageEvent, statistic="pages/fake/{0.error}"):
    """A page with status 200 says that it does not exist (``missing``) or asks for a login (``login``)."""

    error: str
    role: Role


class RequestFailed(PageEvent, statistic="pages/lost/{0.reason}"):
    """A request led to no page that can be used. ``landed`` is the URL after redirects, empty without an answer."""

    why: str
    role: Role
    landed: str = ""

    @property
    def reason(self) -> str:
        return self.why.split(" (")[0].replace(" ", "_")


class PageFiltered(PageEvent, statistic="pages/filtered"):
    """A page filter of the user left a page out."""


# ---- articles
class ArticleLeft(CrawlEvent):
    """An item left; not ``is_new`` for a further revision of an article."""

    item: dict[str, Any]
    is_new: bool

    @property
    def statistics(self) -> tuple[str, ...]:
        method = self.item["provenance"]["method"]
        return (f"items/{method}",) if self.is_new else ("items/revised", f"items/{method}")


class ArticleHeld(PageEvent, statistic="items/waiting"):
    """An article page waits for a template."""


class PageDropped(PageEvent, statistic="items/dropped/{0.why}"):
    """No item leaves for a page that looks like an article."""

    why: Drop


class FamilyJudged(CrawlEvent):
    """The verdict on a page family of a site at the end of a run."""

    site: str
    family: PageFamily
    verdict: FamilyVerdict

    @property
    def statistics(self) -> tuple[str, ...]:
        names = (f"items/dropped/{Drop.FAMILY}", f"families/{self.verdict.by}/{self.family.name}")
        return names * self.family.withheld if self.verdict.fate is Fate.STAYS else ()


class TemplateChanged(CrawlEvent, statistic="templates/{0.change.kind}"):
    """The site model changed a template; ``url`` is the page that it met."""

    site: str
    change: Event
    url: str = ""


# ---- requests and links
class RequestPlanned(PageEvent):
    """A page is asked for, ``rendered`` by a browser, or on condition that it changed (``conditional``)."""

    rendered: bool
    conditional: bool

    @property
    def statistics(self) -> tuple[str, ...]:
        return ("js/pages",) * self.rendered + ("revisits/asked",) * self.conditional


class RenderingFailed(PageEvent, statistic="js/failed"):
    """The browser could not fetch a page, which is asked for without it."""


class LinkFound(PageEvent, statistic="links/{0.label}"):
    """A page was found that was not known; ``label`` is what it is requested as, or the label of its link."""

    label: str


class LinkDeclined(PageEvent, statistic="links/declined"):
    """An article link was put off: the pages of its URL pattern were no articles."""


class LinkFiltered(PageEvent, statistic="links/filtered"):
    """A link filter of the user, ``include`` or ``exclude`` left a link out."""


class LinkTrapped(PageEvent, statistic="traps/{0.trap}"):
    """A page was left alone because pages like it go on without end or hold nothing new."""

    trap: str


class LinksCrowdedOut(CrawlEvent):
    """Links to articles found no room in the queue."""

    count: int


class FileRead(PageEvent, statistic="hints/files"):
    """A feed, sitemap or robots.txt came."""


class FileFailed(PageEvent, statistic="hints/failed"):
    """A feed or sitemap could not be fetched."""


class HintTaken(PageEvent, statistic="hints/{0.file}"):
    """A feed or sitemap named a page that was not known."""

    file: FileKind


class HostAdopted(PageEvent, statistic="hosts/own"):
    """A host was recognised as one of the site's own."""


class ArticlesElsewhere(CrawlEvent):
    """Where more links that may be articles leave the site than stay: their number by host, most first. Empty: no longer so."""

    hosts: dict[str, int]


class ScriptsUnread(CrawlEvent):
    """Links of a page that are scripts and that cannot be followed."""

    calls: frozenset[str]


class PagerUnread(PageEvent):
    """A listing page has further pages that only a script shows."""


# ---- begin and end
@dataclass(frozen=True, slots=True)
class Completeness:
    """An estimate of how much of what listing pages lead to was found.

    ``found`` counts the articles known, ``expected`` the new ones that the ``left`` listing pages never opened are expected to
    bring, ``others`` the pages never opened whose links promised neither articles nor listings. ``unseen`` is the lower bound of Chao
    (1984, Scandinavian Journal of Statistics 11, page 267) on articles that no opened listing showed, from the numbers of those shown by
    one and by two listings; listings of one site overlap more than random samples do, so it is too low rather than too high.
    """

    found: int = 0
    expected: float = 0.0
    left: int = 0
    others: int = 0
    unseen: float = 0.0
    shown: int = 0
    """Articles that listing pages showed in this run, known ones included."""

    @property
    def share(self) -> float:
        """The estimate, 0..1."""
        return self.found / (self.found + self.expected) if self.found else 1.0


def chao(once: int, twice: int) -> float:
    """Chao's estimate, corrected for bias, of the number of kinds that no sample showed, from those shown once and twice.

    >>> chao(10, 4), chao(0, 9)
    (9.0, 0.0)
    """
    return once * (once - 1) / (2 * (twice + 1))


class CrawlBegan(CrawlEvent):
    """A run began, or went on with an interrupted one in which so many ``articles`` had left."""

    articles: int


class CrawlEnded(CrawlEvent):
    """A run ended. ``articles`` left in it; ``nothing_found`` tells that no article of the site ever left and none waits.

    ``starts`` counts the start pages, ``shown`` the articles that listing pages linked to, ``unread`` those known and not fetched; ``listings`` are URLs of listing pages
    never opened.
    """

    reason: str
    articles: int
    starts: int
    nothing_found: bool
    shown: int
    unread: int
    listings: tuple[str, ...]
    completeness: Completeness = Completeness()


def log_event(event: CrawlEvent) -> None:
    """Write what a user follows by the log: what happens to templates."""
    if isinstance(event, TemplateChanged):
        level = logging.WARNING if event.change.kind is EventKind.DRIFTING else logging.INFO
        logger.log(level, "%s", event_line(event.site, event.change, event.url))
