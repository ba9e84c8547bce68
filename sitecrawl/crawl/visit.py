"""The one record of a visit: what was asked, read, written, withheld, left out, learned and broken.
Statistics, the last lines, the status, alerts, the report and the metrics are views of it. The
events of a crawl fold into it (:mod:`sitecrawl.crawl.visit_fold`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from sitecrawl.crawl.config import CrawlArguments
from sitecrawl.crawl.events import Completeness, CrawlBegan
from sitecrawl.crawl.reasons import numbered
from sitecrawl.crawl.records import STEP_ERROR, Drop

FIELDS = ("headline", "datePublished", "authors", "articleBody", "mainImage", "comments")
"""Fields of items whose share of filled ones is recorded."""
ARTICLE = "article"  # what lost pages were expected to be
LISTING = "listing page"
START = "start page"
REDUCED = "reduced"  # flag of a sample whose text is its headline and day, and no more


@dataclass(frozen=True, slots=True)
class Loss:
    """Pages that were lost for one reason: their number, URL and redirect target (``landed``) of
    the first, whether a ``start`` page is one, how many are ``new`` (links to articles that no
    earlier visit met), and ``failed``: how many requests failed, by what was expected. Pages that
    came, but do not exist by their own words, and redirects to other articles did not fail."""

    why: str
    url: str
    count: int = 1
    start: bool = False
    landed: str = ""
    new: int = 0
    failed: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_error(self) -> bool:
        """Whether a step of ours failed on them."""
        return self.why.startswith(STEP_ERROR)


@dataclass(frozen=True, slots=True)
class PageSample:
    """A page of a visit, kept for the report: an article that was written (``left``), a start page,
    or a page that a link promised as an article and that was not written."""

    url: str
    title: str = ""
    left: bool = False
    start: bool = False
    characters: int = 0
    text: str = ""  # its beginning
    day: str = ""
    language: str = ""
    garbled: float = 0.0  # share (0..1) of non-ASCII letters that were encoded twice
    lacks: tuple[str, ...] = ()  # fields without a value
    flags: tuple[str, ...] = ()
    confidence: float = 0.0


@dataclass(frozen=True, slots=True)
class TemplateNote:
    """Something that happened to a template."""

    kind: str
    family: str
    version: int
    detail: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class FamilyNote:
    """What was decided about a page family, and ``by`` whom; ``withheld`` items are not written."""

    name: str
    pages: int
    withheld: int
    by: str
    is_doubtful: bool = False


@dataclass(frozen=True, slots=True)
class Seen:
    """How often something was seen, and the first example."""

    count: int = 0
    first: str = ""


@dataclass(frozen=True, slots=True)
class Gaps:
    """What a crawl saw and could not reach or read."""

    elsewhere: Seen = Seen()  # possible article links to the host that most of them lead to
    redirected: Seen = Seen()  # article links that lead to one page or host, most of all
    scripts: int = 0  # links that only work with scripts
    files: int = 0  # documents in lists of articles
    emptied: Seen = Seen()  # listing pages that show no articles any more
    bare: Seen = Seen()  # listing pages with one link at most
    article_starts: int = 0  # start pages that are articles
    longest: int = 0  # most articles that a listing page without further ones shows
    cut: int = 0  # number of listing pages that show so many


@dataclass(slots=True)
class Visit:
    """One crawl of a site."""

    # what was asked
    site: str = ""
    start: tuple[str, ...] = ()
    scope: str = "section"
    effort: str = "normal"
    since: str = ""  # the day before which articles were left out
    # how it went: moments in UTC (ISO 8601); ``ended`` is empty where the crawl was killed
    began: str = ""
    ended: str = ""
    resumed: CrawlBegan = field(
        default_factory=CrawlBegan
    )  # what the run had done before it was interrupted
    reason: str = ""
    broken: str = ""  # why the state could not be read or written, which ended the crawl
    unwritten: bool = False  # a feed could not be written
    barred: bool = False  # nothing was written, and half of the pages ask for a login
    problems: tuple[str, ...] = ()  # lines for the user
    # what was read and written
    pages: int = 0
    written: int = 0  # items of the run, revisions and those before an interruption included
    articles: int = 0  # new ones of the visit
    revised: int = 0  # changed ones of the visit
    known: int = 0  # articles of all visits
    newest: str = ""  # the latest day of publication known
    completeness: Completeness = field(default_factory=Completeness)
    # what was withheld, left out, lost
    counts: Counter[str] = field(default_factory=Counter)  # the crawl's statistics
    families: tuple[FamilyNote, ...] = ()
    lost: tuple[Loss, ...] = ()
    gaps: Gaps = Gaps()
    listings: tuple[str, ...] = ()  # some listing pages that were not opened
    # what was learned
    events: tuple[TemplateNote, ...] = ()
    answered: Counter[str] = field(default_factory=Counter)
    """New articles by template (empty name: none)."""
    coverage: Mapping[str, float] = field(default_factory=dict)
    """Share (0..1) of the visit's articles that have a field."""
    pages_as: tuple[tuple[str, str, int], ...] = ()  # role, kind and number of requested pages
    samples: tuple[PageSample, ...] = ()

    @classmethod
    def of(cls, asked: CrawlArguments) -> Visit:
        """A visit that has not begun."""
        return cls(asked.site, asked.start, asked.scope, asked.effort, asked.since)

    @property
    def task(self) -> tuple[str, ...]:
        """Identifies the row of a report: site, scope and start pages."""
        return self.site, self.scope, *self.start

    # ---- views
    @property
    def share(self) -> float | None:
        """Estimate, 0..1, of how much of what listing pages lead to was fetched; None without a
        basis."""
        share = self.completeness.share
        return None if share is None else round(share, 4)

    @property
    def is_stopped(self) -> bool:
        """Whether it was interrupted, or killed before its end."""
        return self.reason in ("", "shutdown")

    @property
    def lost_starts(self) -> int:
        """Start pages that could not be fetched."""
        return sum(loss.failed.get(START, 0) for loss in self.lost)

    @property
    def is_failed(self) -> bool:
        """Whether no page could be fetched, or the site asks for a login."""
        is_silent = self.pages + self.resumed.pages == 0
        return self.barred or (is_silent and self.reason != "shutdown")

    @property
    def code(self) -> int:
        """1 if it failed, else 0."""
        has_erred = self.erred > 0 and not self.written
        return int(self.is_failed or self.unwritten or bool(self.broken) or has_erred)

    @property
    def erred(self) -> int:
        """Articles on which a step failed."""
        lost = (loss.failed.get(ARTICLE, 0) for loss in self.lost if loss.is_error)
        return self.dropped(Drop.FAILED) + sum(lost)

    def dropped(self, *reasons: Drop) -> int:
        """Number of articles that were left out for one of these reasons."""
        return sum(self.counts.get(f"items/dropped/{why}", 0) for why in reasons)

    @property
    def summary(self) -> str:
        """What was written, from how much, and how the crawl ended."""
        earlier = self.resumed.articles
        before = f" ({earlier} of them before the interruption)" if earlier else ""
        counts = f"{numbered(self.written, 'article')}{before} from {numbered(self.pages, 'page')}"
        return f"{counts} ({self.reason or 'shutdown'})"


def seconds_since(moment: str) -> float:
    """Seconds since a moment, as records write it; 0 for none."""
    if not moment:
        return 0.0
    return (datetime.now(UTC) - datetime.fromisoformat(moment)).total_seconds()


def now() -> str:
    """The moment, as records write it.

    >>> len(now()), now()[-1]
    (27, 'Z')
    """
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
