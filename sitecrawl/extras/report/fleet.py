"""The rows of the report: the visits of each site, and the causes of trouble."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any

from sitecrawl.crawl.config import CrawlArguments
from sitecrawl.crawl.reasons import FINE, Severity
from sitecrawl.crawl.store import Stores
from sitecrawl.crawl.visit import TemplateNote, Visit
from sitecrawl.extras.report.history import History, drifts
from sitecrawl.extras.report.rules import Cause
from sitecrawl.extras.report.watchlist import Watch, watches_of
from sitecrawl.extras.visits import VisitLog, log_of, logs_of
from sitecrawl.records_json import to_document
from sitecrawl.site.verdict import EventKind

_NOTES = 12  # last events of templates that are kept of a site
_TRUSTED = frozenset((EventKind.TRUSTED, EventKind.REPLACED))


@dataclass(slots=True)
class SiteReport:
    """One row: a site and its start pages. ``visits`` are oldest first; the report of all sites
    keeps the last one only, and the figures of those before."""

    site: str
    start: list[str] = field(default_factory=list)
    visits: list[Visit] = field(default_factory=list)
    running: bool = False
    causes: list[Cause] = field(default_factory=list)
    usual: float = 0.0  # new articles of a visit, as a rule
    watch: Watch = field(default_factory=Watch)
    figures: SiteFigures = field(default_factory=lambda: SiteFigures())

    @classmethod
    def of(cls, visits: list[Visit], *, watch: Watch, running: bool, now: str) -> SiteReport:
        """The row of some visits of one task, judged."""
        last = visits[-1]
        made = cls(last.site, list(last.start), visits, running, watch=watch)
        history = History(visits[:-1] if running else visits, now)
        made.causes = watch.judge(history)
        made.usual = history.rate if history.visits else 0.0
        made.figures = SiteFigures.of(History(visits))
        return made

    @property
    def name(self) -> str:
        """The name given by the user, else its hosts."""
        return self.watch.wishes.name or self.site

    @property
    def level(self) -> Severity:
        levels = list(Severity)
        spoken = (cause.level for cause in self.causes if not cause.muted)
        return min(spoken, key=levels.index, default=FINE)

    @property
    def last(self) -> Visit:
        """The last finished visit, else the last one; an empty record without any."""
        ended = (visit for visit in reversed(self.visits) if visit.ended)
        return next(ended, self.visits[-1] if self.visits else Visit(self.site))

    def forget_old(self) -> None:
        """Keep the last visit, and the last finished one."""
        last = self.last
        newest = self.visits[-1]
        self.visits = [newest] if last is newest else [last, newest]

    def is_red(self, *kinds: str) -> bool:
        """Whether a cause of these kinds was found: a figure is red only beside its cause."""
        return any(cause.kind in kinds and not cause.muted for cause in self.causes)

    def to_dict(self) -> dict[str, Any]:
        """The row as JSON."""
        figures = self.figures
        return {
            "site": self.site,
            "start": self.start,
            "name": self.name,
            "group": self.watch.wishes.group,
            "owner": self.watch.wishes.owner,
            "status": self.level.value,
            "running": self.running,
            "causes": [asdict(cause) for cause in self.causes],
            "lastVisit": self.visits[-1].began if self.visits else "",
            "lastArticle": self.last.newest,
            "articles": figures.articles,
            "completeness": self.last.share if self.last.pages else None,
            "coverage": figures.coverage,
            "templateState": figures.template_state,
            "visits": [to_document(visit) for visit in self.visits],
        }


@dataclass(frozen=True, slots=True)
class SiteFigures:
    """Figures of all visits of a row: the new ``articles`` of each, its ``moments``, the share of
    articles that have a field in the last visit with articles (``coverage``), the state of all templates in a word, when one drifted last, and the last events of
    templates with their moments."""

    articles: Sequence[int] = ()
    moments: Sequence[str] = ()
    coverage: Mapping[str, float] = field(default_factory=dict)
    template_state: str = "none"
    drifted: str = ""
    notes: Sequence[tuple[str, TemplateNote]] = ()

    @classmethod
    def of(cls, history: History) -> SiteFigures:
        visits = history.visits
        covered = (visit.coverage for visit in reversed(visits) if visit.coverage)
        notes = [(visit.began, event) for visit in visits for event in visit.events]
        return cls(
            articles=[visit.articles for visit in visits],
            moments=[visit.began for visit in visits],
            coverage=next(covered, {}),
            template_state=_template_state(history),
            drifted=max((visit.began for visit in visits if drifts(visit)), default=""),
            notes=notes[: -_NOTES - 1 : -1],
        )


def _template_state(history: History) -> str:
    """The state of all templates in a word, by what happened to them and by the last visit with
    articles."""
    if history.drifting:
        return "drifting"
    answered: Mapping[str, int] = {}
    kinds = set[str]()
    for visit in history.visits:
        answered = visit.answered or answered
        kinds.update(note.kind for note in visit.events)
    if any(answered) or not kinds.isdisjoint(_TRUSTED):
        return "trusted"
    return "candidate" if EventKind.INDUCED in kinds else "none"


@dataclass(slots=True)
class Fleet:
    """All sites, the worst first; ``now`` is the moment of the latest visit."""

    sites: list[SiteReport]
    now: str = ""

    def count(self, level: Severity) -> int:
        return sum(site.level is level for site in self.sites)

    def to_dict(self) -> dict[str, Any]:
        """The whole report as JSON, by ``report.schema.json``."""
        totals: dict[str, Any] = {level.value: self.count(level) for level in Severity}
        totals["sites"] = len(self.sites)
        totals["articles"] = sum(site.last.articles for site in self.sites)
        return {
            "now": self.now,
            "totals": totals,
            "sites": [site.to_dict() for site in self.sites],
        }


def fleet_of(stores: Stores, *, is_whole: bool = False) -> Fleet:
    """The sites that were crawled. Site by site, so that few visits are in memory at a time: of old
    ones only figures are kept, unless the report ``is_whole``. Raises DatabaseError if their state
    cannot be read."""
    watches = watches_of(stores)
    logs = logs_of(stores.data_dir)
    now = max(map(_last_moment, logs), default="")
    sites: list[SiteReport] = []
    for log in logs:
        for site in _sites_of(log, watches, now=now):
            if not is_whole:
                site.forget_old()
            sites.append(site)
    return Fleet(sorted(sites, key=_rank), now)


def _last_moment(log: VisitLog) -> str:
    """When the last visit of a log began."""
    lines = log.path.read_bytes().splitlines()
    with suppress(ValueError, LookupError, TypeError):
        return str(json.loads(lines[-1])["began"])
    return max((visit.began for visit in log.load()), default="")


def _sites_of(
    log: VisitLog, watches: Mapping[tuple[str, tuple[str, ...]], Watch], *, now: str
) -> Iterator[SiteReport]:
    """The rows of a log, one for each list of start pages."""
    tasks = defaultdict[tuple[str, ...], list[Visit]](list)
    visits = log.load()
    for visit in visits:
        tasks[visit.task].append(visit)
    for found in tasks.values():
        last = found[-1]
        is_running = last is visits[-1] and not last.ended and log.is_running()
        watch = watches.get((last.site, last.start), Watch())
        yield SiteReport.of(found, watch=watch, running=is_running, now=now)


def causes_after(stores: Stores, arguments: CrawlArguments) -> tuple[list[Cause], set[str]]:
    """The causes of trouble at a site after its last visit, and the names of the muted kinds and
    conditions."""
    asked = Visit.of(arguments)
    visits = log_of(stores.data_dir, arguments.site).load()
    history = History([one for one in visits if one.task == asked.task])
    watch = watches_of(stores).get((asked.site, asked.start), Watch())
    return watch.judge(history), set(watch.muted(history))


def _rank(site: SiteReport) -> tuple[Any, ...]:
    """Sort key: the worst level first, then the longest time without articles, then the most
    causes, then by name."""
    barren = 0
    if site.causes:
        counts = site.figures.articles
        news = [at for at, count in enumerate(counts, 1) if count]
        barren = len(counts) - max(news, default=0)
    return list(Severity).index(site.level), -barren, -len(site.causes), site.site, site.start
