"""Visit records: what each crawl of a site requested, found and lost. Reports and alerts read them;
crawls do not. They are stored beside the crawl stores, one file of JSON lines for each site. To
store them elsewhere, write another :class:`VisitLog`."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zlib import crc32

from sitecrawl.crawl import events
from sitecrawl.crawl.config import CrawlArguments
from sitecrawl.crawl.database import locked_file, write_whole
from sitecrawl.crawl.outcome import Outcome
from sitecrawl.crawl.records import ELSEWHERE, GONE, REFUSED, Drop, Role
from sitecrawl.crawl.rendering import has_scripts
from sitecrawl.crawl.store import store_path
from sitecrawl.dom.page import Page
from sitecrawl.errors import DatabaseError
from sitecrawl.limits import LIMITS
from sitecrawl.records_json import from_document

FOLDER = "visits"  # folder of the data directory that holds a file for each site
FIELDS = ("headline", "datePublished", "authors", "articleBody", "mainImage", "comments")
"""Fields of items whose share of filled ones is recorded."""
NAMED = 20  # most events of templates, listing pages and losses that a record lists
_FOLLOWING = "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ\x80-\xbf"
_TWICE = re.compile(f"[\xc2-\xdf][{_FOLLOWING}]|[\xe0-\xf4][{_FOLLOWING}]{{1,3}}")
"""A letter in UTF-8 whose bytes were decoded as single characters. Some bytes are undefined in
Windows-1252 and are missing."""
_SOFT_ERRORS = {"missing": GONE, "login": "the page asks for a login", "refused": REFUSED}
"""Soft errors in words for a user."""


@dataclass(slots=True)
class Loss:
    """Failed pages with one reason: their number, URL and redirect target (``landed``) of the
    first, whether a ``start`` page is one, and how many are
    ``new``: links to articles that no earlier visit met."""

    why: str
    url: str
    count: int = 1
    start: bool = False
    landed: str = ""
    new: int = 0


@dataclass(slots=True)
class PageSample:
    """A page of a visit, kept for the report: an article that was written, a start page, or a page
    that a link promised as an article and that was not written."""

    url: str
    title: str = ""
    left: bool = False  # whether it was written
    start: bool = False
    characters: int = 0
    text: str = ""  # its beginning
    day: str = ""
    language: str = ""
    garbled: float = 0.0  # share (0..1) of non-ASCII letters that were encoded twice
    lacks: list[str] = field(default_factory=list)  # fields without a value
    flags: list[str] = field(default_factory=list)
    confidence: float = 0.0


@dataclass(slots=True)
class VisitRecord:
    """One crawl of a site."""

    site: str
    start: list[str] = field(default_factory=list)
    scope: str = "section"
    effort: str = "normal"
    since: str = ""  # the day before which articles were left out
    began: str = ""  # moment in UTC (ISO 8601)
    ended: str = ""  # the same; empty where the crawl was killed
    reason: str = ""
    code: int = 0
    broken: str = ""
    unwritten: bool = False
    articles: int = 0  # new ones of the visit
    revised: int = 0  # changed ones of the visit
    known: int = 0  # those of all visits
    shown: int = 0  # those that the listing pages of the visit linked to
    pages: int = 0
    newest: str = ""  # the latest day of publication known
    # estimate, 0..1, of how much of what listing pages lead to was fetched; None without a basis
    share: float | None = 1.0
    left: int = 0  # listing pages that were not opened
    unread: int = 0  # articles known and not fetched
    coverage: dict[str, float] = field(
        default_factory=dict
    )  # share (0..1) of the visit's articles that have a field
    answered: dict[str, int] = field(
        default_factory=dict
    )  # new articles by template (empty name: none)
    counts: dict[str, int] = field(default_factory=dict)  # the crawl's statistics
    problems: list[str] = field(default_factory=list)
    lost: list[Loss] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    listings: list[str] = field(default_factory=list)
    pages_as: list[tuple[str, str, int]] = field(
        default_factory=list
    )  # role, kind and number of requested pages
    samples: list[PageSample] = field(default_factory=list)

    @property
    def task(self) -> tuple[str, ...]:
        """Identifies the row of a report: site, scope and start pages."""
        return self.site, self.scope, *self.start


class VisitLog:
    """The visit records of one site, oldest first, the latest ``LIMITS.visits``. Raises
    DatabaseError if the file cannot be used."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock: int | None = None

    def load(self) -> list[VisitRecord]:
        """The records. Unreadable lines are skipped."""
        with file_errors(self.path):
            lines = (
                self.path.read_text("utf-8", "replace").splitlines() if self.path.is_file() else []
            )
        found = []
        for line in lines:
            with suppress(ValueError, TypeError, AttributeError):
                found.append(from_document(VisitRecord, json.loads(line)))
        return found

    def save(self, record: VisitRecord) -> None:
        """Store a record in place of one that began at the same time; the file is replaced
        atomically."""
        self.save_all(
            [
                *(
                    one
                    for one in self.load()
                    if one.began != record.began or one.task != record.task
                ),
                record,
            ]
        )

    def save_all(self, records: Sequence[VisitRecord]) -> None:
        """Keep these records, oldest first, and no others."""
        text = "".join(
            json.dumps(asdict(one), ensure_ascii=False) + "\n" for one in records[-LIMITS.visits :]
        )
        with file_errors(self.path):
            write_whole(self.path, text)

    def begin(self, record: VisitRecord) -> None:
        """Store the record of a visit that begins. :meth:`is_running` is true until :meth:`close`
        or the end of the process."""
        self.save(record)
        with file_errors(self.path):
            self._lock = locked_file(self.path.with_suffix(".lock"))

    def close(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def is_running(self) -> bool:
        path = self.path.with_suffix(".lock")
        if not path.exists():
            return False
        with file_errors(path):
            free = locked_file(path)
            if free is not None:
                os.close(free)
        return free is None


def log_of(data_dir: Path, site: str) -> VisitLog:
    """The visit records of a site, named by its hosts with commas between.

    >>> log_of(Path("data"), "example.org").path.as_posix()
    'data/visits/example.org.jsonl'
    """
    return VisitLog(data_dir / FOLDER / f"{store_path(data_dir, site.split(',')).stem}.jsonl")


def logs_of(data_dir: Path) -> list[VisitLog]:
    """The visit records of all sites that were crawled into a data directory, by name."""
    return [VisitLog(path) for path in sorted((data_dir / FOLDER).glob("*.jsonl"))]


@contextmanager
def file_errors(path: Path) -> Iterator[None]:
    """Turn errors of the file at ``path`` into DatabaseError."""
    try:
        yield
    except OSError as error:
        raise DatabaseError.of(path, error) from None


def now() -> str:
    """The moment, as records write it.

    >>> len(now()), now()[-1]
    (27, 'Z')
    """
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


@dataclass(slots=True)
class VisitFold:
    """Collects the contents of a visit record from a crawl's events."""

    record: VisitRecord
    log: VisitLog
    filled: Counter[str] = field(default_factory=Counter)  # items that have a field, by field
    written: set[str] = field(default_factory=set)  # URLs of the articles that are written
    flags: dict[str, list[str]] = field(
        default_factory=dict
    )  # by URL: a page of ``scripts``, or a ``copy``
    asked: Counter[tuple[str, str]] = field(
        default_factory=Counter
    )  # pages by role of their request and kind
    lost: dict[str, Loss] = field(default_factory=dict)
    soft: set[str] = field(
        default_factory=set
    )  # URLs of pages that say that they do not exist, or ask for a login
    counts: Counter[str] = field(default_factory=Counter)
    answered: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, arguments: CrawlArguments, data_dir: Path) -> VisitFold:
        record = VisitRecord(
            arguments.site,
            list(arguments.start),
            arguments.scope,
            arguments.effort,
            arguments.since,
        )
        return cls(record, log_of(data_dir, arguments.site))

    def begin(self) -> None:
        self._continue()
        self.log.begin(self.record)

    def refuse(self, why: str) -> None:
        """Record that the crawl could not begin, unless another crawl of the site is running."""
        if not self.log.is_running():
            self._continue()
            self.record.ended, self.record.broken, self.record.code = self.record.began, why, 1
            self.log.save(self.record)

    def _continue(self) -> None:
        earlier = self.log.load()
        self.record.began = now()
        self.record.known = earlier[-1].known if earlier else 0
        self.record.newest = max((one.newest for one in earlier), default="")

    def take(self, event: events.CrawlEvent) -> None:
        record = self.record
        self.counts.update(event.statistics)
        match event:
            case events.PageRead():
                self.asked[str(event.role), "part" if event.is_later else str(event.kind)] += 1
                if event.page is not None:
                    self._look_at(event.page, event.role, is_article=event.kind.is_article)
            case events.RequestFailed():
                self.asked[str(event.role), "lost"] += 1
                target = event.final_url if event.why == ELSEWHERE else ""
                loss = self._lose(
                    f"redirected to {target}" if target else event.why, event, target=target
                )
                loss.new += event.is_new
                if event.page is not None:
                    self._look_at(event.page, event.role, is_article=False)
            case events.SoftErrorFound(
                role=Role.ARTICLE, error="missing"
            ):  # its request counts as failed
                pass
            case events.SoftErrorFound() if (
                event.url not in self.soft
            ):  # a page in the browser comes twice
                self.soft.add(event.url)
                self._lose(_SOFT_ERRORS[event.error], event).new += event.role is Role.ARTICLE
            case events.ListingEmptied() if event.role is not Role.START or len(record.start) > 1:
                # beside others, a start page is a listing like the rest; that a single one shows
                # nothing is told by other checks
                self._lose("it shows no articles any more", replace(event, role=Role.SECTION))
            case events.TemplateChanged():
                change = event.change
                known = {
                    "kind": str(change.kind),
                    "family": change.family,
                    "version": change.version,
                }
                record.events = [
                    *record.events,
                    known | {"detail": change.detail, "url": event.url},
                ][-NAMED:]
            case events.PageDropped(why=Drop.REPEAT | Drop.COPY):
                self.flags[event.url] = ["copy"]
            case events.ArticleWritten():
                self._take_item(event.item, event.is_new)
            case events.CrawlEnded():
                self._end(event)

    def _lose(
        self,
        why: str,
        event: events.RequestFailed | events.SoftErrorFound | events.ListingEmptied,
        *,
        target: str = "",
    ) -> Loss:
        loss = self.lost.setdefault(why, Loss(why, event.url, 0, landed=target))
        loss.count += 1
        if event.role is Role.START and not loss.start:
            loss.url, loss.start = event.url, True
        return loss

    def _look_at(
        self, page: Page, role: Role, *, is_article: bool, few_characters: int = 2_000
    ) -> None:
        """Keep samples of start pages, and of pages that links promised as articles until one is
        written; note articles that scripts may draw."""
        if role is Role.START or (role is Role.ARTICLE and page.url not in self.written):
            text = " ".join(" ".join(page.tree.chunks).split())
            found = PageSample(
                page.url, page.metadata.title[:160], start=role is Role.START, characters=len(text)
            )
            found.text, found.flags = text[:400], ["scripts"] if has_scripts(page) else []
            self._keep(found)
        if is_article and sum(map(len, page.tree.chunks)) < few_characters and has_scripts(page):
            self.flags.setdefault(page.url, ["scripts"])

    def _keep(self, sample: PageSample, *, most: int = 12) -> None:
        """Keep at most ``most`` samples of articles and as many of other pages, start pages first,
        chosen by a digest of their URLs; of an article its latest revision."""
        self.record.samples = [
            one for one in self.record.samples if (one.url, one.start) != (sample.url, sample.start)
        ] + [sample]
        alike = [one for one in self.record.samples if one.left is sample.left]
        if len(alike) > most:
            self.record.samples.remove(
                max(alike, key=lambda one: (not one.start, crc32(one.url.encode())))
            )

    def _take_item(self, item: dict[str, Any], is_new: bool) -> None:
        record, origin, day = (
            self.record,
            item["provenance"],
            str(item.get("datePublished") or "")[:10],
        )
        record.articles, record.revised = record.articles + is_new, record.revised + (not is_new)
        self.filled.update(name for name in FIELDS if item.get(name))
        record.newest = max(record.newest, day) if day <= record.began[:10] else record.newest
        if (
            is_new
        ):  # a corrected page may have another layout, which is no sign of a redesign of the site
            self.answered[str(origin.get("templateId") or "").rpartition("/")[2]] += 1
        headline, body = str(item["headline"] or ""), str(item["articleBody"] or "")
        sample = PageSample(item["url"], headline[:160], left=True, characters=len(body), day=day)
        sample.language, sample.garbled = (
            str(item.get("inLanguage") or ""),
            garbled_share(f"{headline} {body[:4000]}"),
        )
        sample.lacks = [name for name in FIELDS if not item.get(name)]
        sample.flags, sample.confidence = origin.get("flags", []), origin.get("confidence", 0.0)
        self.written.add(sample.url)
        self._keep(sample)

    def _end(self, event: events.CrawlEnded) -> None:
        record, known = self.record, event.completeness
        record.reason, record.shown, record.unread = event.reason, known.shown, known.unread
        record.share = None if known.share is None else round(known.share, 4)
        record.left, record.listings = known.unopened, list(event.listings)
        for sample in record.samples:
            sample.flags = list(dict.fromkeys(sample.flags + self.flags.get(sample.url, [])))

    def finish(self, outcome: Outcome) -> None:
        record = self.record
        if not record.began:
            return
        count = max(1, record.articles + record.revised)
        record.coverage = (
            {name: round(self.filled[name] / count, 3) for name in FIELDS} if self.filled else {}
        )
        record.known += record.articles
        record.counts, record.answered = dict(self.counts), dict(self.answered)
        record.pages, record.problems = outcome.pages, list(outcome.problems)
        record.pages_as = [(role, kind, count) for (role, kind), count in self.asked.most_common()]
        record.lost = sorted(self.lost.values(), key=lambda loss: (not loss.start, -loss.count))[
            :NAMED
        ]
        record.broken, record.unwritten, record.code = (
            outcome.broken,
            outcome.unwritten,
            outcome.code,
        )
        record.ended = now()
        self.log.save(record)
        self.log.close()


def garbled_share(text: str) -> float:
    """Share (0..1) of the non-ASCII characters that are UTF-8 decoded as Windows-1252 or Latin-1.

    >>> garbled_share("Brücke über «déjà vu»"), garbled_share("BrÃ¼cke Ã¼ber Â«dÃ©jÃ\xa0 vuÂ»")
    (0.0, 1.0)
    """
    return round(
        sum(map(len, _TWICE.findall(text)))
        / max(1, len(text) - len(text.encode("ascii", "ignore"))),
        3,
    )
