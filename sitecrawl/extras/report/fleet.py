"""The sites of a data folder for the report: their visits, and the causes of trouble."""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from sitecrawl.crawl.config import CrawlArguments
from sitecrawl.crawl.site_models import model_of
from sitecrawl.crawl.store import Stores, store_path
from sitecrawl.crawl.visit import Visit
from sitecrawl.errors import StoreError, TemplateError
from sitecrawl.extras.overrides.judged_families import family_table
from sitecrawl.extras.overrides.template_edits import shown_parts
from sitecrawl.extras.report.history import Cause, History, Level
from sitecrawl.extras.report.trends import Week, weeks_of
from sitecrawl.extras.report.watchlist import Watch, Watchlist
from sitecrawl.extras.visits import VisitLog, log_of, logs_of
from sitecrawl.records_json import to_document
from sitecrawl.site.verdict import EventKind

ITEM = ("url", "headline", "datePublished", "authors", "wordCount", "description", "provenance")
"""Fields of an item in the report."""


_DETAILED = 2  # visits, the last ones, whose samples the report shows
_ITEMS = 50  # latest items of a site that is asked for by its name


@dataclass(slots=True)
class SiteReport:
    """One row: a site and its start pages. ``visits`` are oldest first; families, templates and
    items are those of a site that is asked for by its name (``take_details``)."""

    site: str
    start: list[str] = field(default_factory=list)
    visits: list[Visit] = field(default_factory=list)
    running: bool = False
    causes: list[Cause] = field(default_factory=list)
    usual: float = 0.0  # new articles of a visit, as a rule
    watch: Watch = field(default_factory=Watch)
    page_families: list[dict[str, Any]] = field(default_factory=list)
    """As `sitecrawl families --json` prints them."""
    templates: list[dict[str, Any]] = field(default_factory=list)
    items: list[dict[str, Any]] = field(default_factory=list)  # the latest first

    @property
    def name(self) -> str:
        """The name given by the user, else its hosts."""
        return self.watch.name or self.site

    @property
    def level(self) -> Level:
        return min(
            (cause.level for cause in self.causes if not cause.muted),
            key=list(Level).index,
            default=Level.FINE,
        )

    @property
    def last(self) -> Visit:
        """The last finished visit, else the last one; an empty record without any."""
        return (
            [visit for visit in self.visits if visit.ended] or self.visits or [Visit(self.site)]
        )[-1]

    @property
    def bars(self) -> Iterator[tuple[Visit, float, str]]:
        """Each visit, the height of its bar (0..1) and its kind. A first visit that fetched the
        archive is cut to the height of the others."""
        counts = [visit.articles for visit in self.visits]
        most, last = max([*counts[len(counts) > 2 :], 1]), len(counts) - 1
        for at, visit in enumerate(self.visits):
            kind = "now" if at == last else "first" if at == 0 else "then"
            yield visit, min(1.0, visit.articles / most), kind if visit.articles else "zero"

    @property
    def coverage(self) -> Mapping[str, float]:
        """Share of articles that have a field, from the last visit with articles."""
        return next((visit.coverage for visit in reversed(self.visits) if visit.coverage), {})

    @property
    def drifting(self) -> list[str]:
        """Template families whose template is out of use."""
        return History(self.visits).drifting

    @property
    def template_state(self) -> str:
        """The state of all templates in a word, by what happened to them and by the last visit with
        articles."""
        if self.drifting:
            return "drifting"
        answered: Mapping[str, int] = {}
        kinds = set[str]()
        for visit in self.visits:
            answered = visit.answered or answered
            kinds.update(note.kind for note in visit.events)
        if any(answered) or not kinds.isdisjoint((EventKind.TRUSTED, EventKind.REPLACED)):
            return "trusted"
        return "candidate" if EventKind.INDUCED in kinds else "none"

    def is_red(self, *checks: str) -> bool:
        """Whether one of these checks found something: a figure is red only beside its cause."""
        return any(cause.kind in checks and not cause.muted for cause in self.causes)

    def to_dict(self) -> dict[str, Any]:
        """The row as JSON, without the pages of its templates."""
        return {
            "site": self.site,
            "start": self.start,
            "name": self.name,
            "group": self.watch.group,
            "owner": self.watch.owner,
            "status": self.level.value,
            "running": self.running,
            "causes": [asdict(cause) for cause in self.causes],
            "lastVisit": self.visits[-1].began if self.visits else "",
            "lastArticle": self.last.newest,
            "articles": [visit.articles for visit in self.visits],
            "completeness": self.last.share if self.last.pages else None,
            "coverage": self.coverage,
            "families": self.page_families,
            "weeks": [asdict(week) for week in weeks_of(self.visits)],
            "items": [{name: item.get(name) for name in ITEM} for item in self.items],
            "templateState": self.template_state,
            "templates": self.templates,
            "visits": [to_document(visit) for visit in self.visits],
        }


@dataclass(slots=True)
class Fleet:
    """All sites, the worst first; ``now`` is the moment of the latest visit."""

    sites: list[SiteReport]
    now: str = ""

    def count(self, level: Level) -> int:
        return sum(site.level is level for site in self.sites)

    @property
    def weeks(self) -> list[Week]:
        return weeks_of(visit for site in self.sites for visit in site.visits)

    def to_dict(self) -> dict[str, Any]:
        """The whole report as JSON, by ``report.schema.json``."""
        totals: dict[str, Any] = {level.value: self.count(level) for level in Level}
        totals |= {
            "sites": len(self.sites),
            "articles": sum(site.last.articles for site in self.sites),
        }
        weeks = [asdict(week) for week in self.weeks]
        return {
            "now": self.now,
            "totals": totals,
            "weeks": weeks,
            "sites": [site.to_dict() for site in self.sites],
        }


def fleet_of(stores: Stores, *, is_whole: bool = False) -> Fleet:
    """The sites that were crawled. Site by site, so that few visits are in memory at a time: of old
    ones only figures are kept, unless the report ``is_whole``. Raises DatabaseError if their state
    cannot be read."""
    watchlist = Watchlist(stores.data_dir)
    logs = logs_of(stores.data_dir)
    now = max(map(_last_moment, logs), default="")
    sites: list[SiteReport] = []
    for log in logs:
        for site in _sites_of(log, watchlist):
            _judge(site, now)
            if not is_whole:
                site.visits[:-_DETAILED] = map(_figures, site.visits[:-_DETAILED])
            sites.append(site)
    return Fleet(sorted(sites, key=_rank), now)


def _last_moment(log: VisitLog) -> str:
    """When the last visit of a log began."""
    lines = log.path.read_bytes().splitlines()
    with suppress(ValueError, LookupError, TypeError):
        return str(json.loads(lines[-1])["began"])
    return max((visit.began for visit in log.load()), default="")


def _sites_of(log: VisitLog, watchlist: Watchlist) -> Iterator[SiteReport]:
    """The rows of a log, one for each list of start pages."""
    tasks = defaultdict[tuple[str, ...], list[Visit]](list)
    visits = log.load()
    for visit in visits:
        tasks[visit.task].append(visit)
    for task, found in tasks.items():
        last = found[-1]
        site = SiteReport(last.site, list(last.start), found, watch=watchlist.of(task))
        site.running = last is visits[-1] and not last.ended and log.is_running()
        yield site


def _judge(site: SiteReport, now: str) -> None:
    ended = site.visits[:-1] if site.running else site.visits
    history = History(ended, now)
    site.causes = site.watch.judge(history)
    site.usual = history.rate if ended else 0.0


def _figures(visit: Visit) -> Visit:
    """A visit without its pages."""
    return replace(visit, samples=(), pages_as=(), counts={}, listings=())


def causes_after(stores: Stores, arguments: CrawlArguments) -> tuple[list[Cause], set[str]]:
    """The causes of trouble at a site after its last visit, and the names of the muted checks and
    conditions."""
    task = Visit.of(arguments).task
    visits = log_of(stores.data_dir, arguments.site).load()
    history = History([one for one in visits if one.task == task])
    watch = Watchlist(stores.data_dir).of(task)
    muted = {mute.check for mute in watch.mutes if mute.until and mute.holds(history)}
    return watch.judge(history), muted


def take_details(site: SiteReport, stores: Stores) -> None:
    """Add what the stores know of a site: page families, templates and the latest items. What is
    damaged is a cause; what is not there is not made."""
    is_there = store_path(stores.data_dir, site.site.split(",")).is_file()
    if not (stores.database or is_there):
        return
    try:
        with closing(stores.learned()) as learned:
            model = model_of(learned, site.site)
        with closing(stores.crawl(site.site)) as state:
            site.page_families = family_table(state.families, model.choices)
            site.items = list(deque(state.items.all(), _ITEMS))[::-1]
    except (StoreError, TemplateError) as error:
        told = f"What is known of the site cannot be read: {error}"
        site.causes.insert(0, Cause("state", Level.BROKEN, told))
        return
    versions = (version for family in model.families for version in family.versions)
    site.templates = [shown_parts(version) for version in versions]


def _rank(site: SiteReport) -> tuple[Any, ...]:
    """Sort key: the worst level first, then the longest time without articles, then the most
    causes, then by name."""
    barren = History(site.visits).barren if site.causes else 0
    return list(Level).index(site.level), -barren, -len(site.causes), site.site, site.start
