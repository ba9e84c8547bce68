"""The sites of a data folder for the report: visits, causes of trouble, templates."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field
from typing import Any
from zlib import crc32

from sitecrawl.crawl.config import CrawlArguments
from sitecrawl.crawl.site_models import model_of
from sitecrawl.crawl.store import SiteStore, Stores, store_path
from sitecrawl.crawl.visit import Visit
from sitecrawl.errors import StoreError, TemplateError
from sitecrawl.extras.overrides.judged_families import family_table
from sitecrawl.extras.overrides.template_edits import shown_parts
from sitecrawl.extras.report.history import Cause, History, Level, drifts
from sitecrawl.extras.report.trends import Week, weeks_of
from sitecrawl.extras.report.watchlist import Watch, Watchlist
from sitecrawl.extras.visits import log_of, logs_of
from sitecrawl.records_json import to_document
from sitecrawl.site.model import SiteModel
from sitecrawl.templates.family import TemplateFamily

ITEM = ("url", "headline", "datePublished", "authors", "wordCount", "description", "provenance")
"""Fields of an item in the report."""


@dataclass(slots=True)
class SiteReport:
    """One row: a site and its start pages. ``visits`` are oldest first; ``model`` is empty if
    nothing was learned."""

    site: str
    start: list[str] = field(default_factory=list)
    visits: list[Visit] = field(default_factory=list)
    model: SiteModel = field(default_factory=SiteModel)
    running: bool = False
    causes: list[Cause] = field(default_factory=list)
    page_families: list[dict[str, Any]] = field(
        default_factory=list
    )  # as `sitecrawl families --json` prints them
    watch: Watch = field(default_factory=Watch)
    items: list[dict[str, Any]] = field(
        default_factory=list
    )  # latest items, newest first, if `take_items` was called

    @property
    def name(self) -> str:
        """The name given by the user, else its hosts."""
        return self.watch.name or self.site

    @property
    def key(self) -> str:
        """Names the row in a URL."""
        return f"site-{crc32(repr((self.site, self.watch.task)).encode()):08x}"

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
    def families(self) -> list[TemplateFamily]:
        """The families with a template, the most used first."""
        return sorted(
            (one for one in self.model.families if one.versions), key=lambda family: -family.uses
        )

    @property
    def drifting(self) -> list[str]:
        """Template families whose template is out of use since a visit found the site redesigned,
        without a trusted later version."""
        met = {event.family for visit in self.visits for event in drifts(visit)}
        return [
            one.name
            for one in self.families
            if one.name in met and not (one.current and one.current.is_trusted)
        ]

    @property
    def template_state(self) -> str:
        """The state of all templates in a word."""
        if self.drifting:
            return "drifting"
        current = [family.current for family in self.families if family.current]
        return (
            "trusted"
            if any(one.is_trusted for one in current)
            else "candidate"
            if current
            else "none"
        )

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
            "templates": [
                shown_parts(version) for family in self.families for version in family.versions
            ],
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


def fleet_of(stores: Stores) -> Fleet:
    """The sites that were crawled. Raises DatabaseError if their state cannot be read."""
    rows: defaultdict[tuple[str, ...], SiteReport] = defaultdict(lambda: SiteReport(""))
    watchlist = Watchlist(stores.data_dir)
    for log in logs_of(stores.data_dir):
        records = log.load()
        for record in records:
            row = rows[record.task]
            row.site, row.start, row.watch = (
                record.site,
                list(record.start),
                watchlist.of(record.task),
            )
            row.visits.append(record)
        if records and not records[-1].ended:
            rows[records[-1].task].running = log.is_running()
    sites, visited = list(rows.values()), {row.site for row in rows.values()}
    now = max((visit.began for site in sites for visit in site.visits), default="")
    if stores.database or (stores.data_dir / "templates.sqlite").is_file():
        with closing(stores.learned()) as store:
            sites += [SiteReport(name) for name in store.sites() if name not in visited]
            for site in sites:
                _take_model(site, store)
    for site in sites:
        _take_families(site, stores)
        ended = site.visits[:-1] if site.running else site.visits
        site.causes += site.watch.judge(History(ended, site.drifting, now))
    return Fleet(sorted(sites, key=_rank), now)


def causes_after(stores: Stores, arguments: CrawlArguments) -> tuple[list[Cause], set[str]]:
    """The causes of trouble at a site after its last visit, and the names of the muted checks and
    conditions."""
    task = Visit.of(arguments).task
    visits = log_of(stores.data_dir, arguments.site).load()
    site = SiteReport(arguments.site, visits=[one for one in visits if one.task == task])
    site.watch = Watchlist(stores.data_dir).of(task)
    with closing(stores.learned()) as store:
        _take_model(site, store)
    history = History(site.visits, site.drifting)
    muted = {mute.check for mute in site.watch.mutes if mute.until and mute.holds(history)}
    return [*site.causes, *site.watch.judge(history)], muted


def _take_model(site: SiteReport, store: SiteStore) -> None:
    """Add the model of a site; an unreadable document is itself a cause."""
    try:
        site.model = model_of(store, site.site)
    except (StoreError, TemplateError) as error:
        site.causes.append(
            Cause("state", Level.BROKEN, f"What was learned of the site cannot be read: {error}")
        )


def take_items(site: SiteReport, stores: Stores, *, most: int = 50) -> None:
    """Add the ``most`` latest items of a site; none if its store is damaged."""
    with suppress(StoreError), closing(stores.crawl(site.site)) as state:
        site.items = list(deque(state.items.all(), most))[::-1]


def _take_families(site: SiteReport, stores: Stores) -> None:
    """Add the page families of a crawled site; none if its store is damaged, since the visit
    already reports that."""
    if not site.visits or not (
        stores.database or store_path(stores.data_dir, site.site.split(",")).is_file()
    ):
        return
    with suppress(StoreError), closing(stores.crawl(site.site)) as state:
        site.page_families = family_table(state.families, site.model.choices)


def _rank(site: SiteReport) -> tuple[Any, ...]:
    """Sort key: the worst level first, then the longest time without articles, then the most
    causes, then by name."""
    barren = History(site.visits).barren if site.causes else 0
    return list(Level).index(site.level), -barren, -len(site.causes), site.site, site.start
