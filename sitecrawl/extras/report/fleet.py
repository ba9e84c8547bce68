"""The sites of a data folder as a report tells of them: visits, what is wrong, templates."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from sitecrawl.crawl.store import SiteStore, Stores
from sitecrawl.crawl.visits import VisitRecord, logs_of
from sitecrawl.errors import StoreError, TemplateError
from sitecrawl.extras.report.causes import Cause, CauseKind, History, Level, causes_of, level_of
from sitecrawl.items.kinds import TemplateState
from sitecrawl.site.model import SiteModel
from sitecrawl.templates.family import Family
from sitecrawl.templates.template import Template

_SHOWN = ("headline", "datePublished", "articleBody")
"""Fields that every article should have: the worst of them stands on the first screen."""


@dataclass(slots=True)
class SiteReport:
    """One row: a site and the start pages asked for. ``visits`` are oldest first, ``model`` is None where nothing was learned."""

    site: str
    start: list[str]
    scope: str
    visits: list[VisitRecord]
    model: SiteModel | None = None
    running: bool = False
    causes: list[Cause] = field(default_factory=list)

    @property
    def level(self) -> Level:
        return level_of(self.causes)

    @property
    def last(self) -> VisitRecord:
        """The last visit that brought something to tell of, an empty record without any."""
        ended = [visit for visit in self.visits if visit.ended]
        return (ended or self.visits or [VisitRecord(self.site)])[-1]

    @property
    def coverage(self) -> dict[str, float]:
        """Share of articles that have a field, of the last visit that brought any."""
        return next((visit.coverage for visit in reversed(self.visits) if visit.coverage), {})

    @property
    def worst_field(self) -> tuple[str, float] | None:
        """The field, of those that every article should have, that fewest articles have."""
        known = self.coverage
        return min(((name, known.get(name, 0.0)) for name in _SHOWN), key=lambda one: one[1]) if known else None

    @property
    def templates(self) -> list[list[Template]]:
        """The versions of each family that has any, oldest first; the family used most is first."""
        families = sorted(self.model.families, key=lambda family: -family.uses) if self.model else []
        return [family.versions for family in families if family.versions]

    @property
    def drifting(self) -> list[str]:
        """Families whose template is out of use since the site changed, while no later version is trusted."""
        return [family.name for family in self.model.families if _drifts(family)] if self.model else []

    @property
    def template_state(self) -> str:
        """The state of all templates in a word."""
        if self.drifting:
            return "drifting"
        current = [family.current for family in self.model.families if family.current] if self.model else []
        trusted = [template for template in current if template.is_trusted]
        return "trusted" if trusted else "candidate" if current else "none"

    def to_dict(self) -> dict[str, Any]:
        """The row as JSON, without the pages of its templates."""
        visits = [asdict(visit) for visit in self.visits]
        return {
            "site": self.site,
            "start": self.start,
            "status": self.level.value,
            "running": self.running,
            "causes": [asdict(cause) for cause in self.causes],
            "lastVisit": self.visits[-1].began if self.visits else "",
            "lastArticle": self.last.newest,
            "articles": [visit.articles for visit in self.visits],
            "completeness": self.last.share,
            "coverage": self.coverage,
            "templateState": self.template_state,
            "templates": [_told(version) for versions in self.templates for version in versions],
            "visits": visits,
        }


def _drifts(family: Family) -> bool:
    fallen = any(version.state is TemplateState.DRIFTING for version in family.versions)
    return fallen and not (family.current and family.current.is_trusted)


def _told(template: Template) -> dict[str, Any]:
    known = template.to_dict()
    return {name: value for name, value in known.items() if name not in ("signature", "furniture", "pages")}


@dataclass(slots=True)
class Fleet:
    """All sites, the worst first; ``now`` is the moment of the latest visit."""

    sites: list[SiteReport]
    now: str = ""

    def count(self, level: Level) -> int:
        """Number of the sites that are so bad."""
        return sum(site.level is level for site in self.sites)

    def to_dict(self) -> dict[str, Any]:
        """The whole report as JSON."""
        totals: dict[str, Any] = {level.value: self.count(level) for level in Level}
        totals |= {"sites": len(self.sites), "articles": sum(site.last.articles for site in self.sites)}
        return {"now": self.now, "totals": totals, "sites": [site.to_dict() for site in self.sites]}


def fleet_of(stores: Stores) -> Fleet:
    """The sites that were crawled. Raises DatabaseError where what was kept of them cannot be read."""
    rows: defaultdict[tuple[str, ...], list[VisitRecord]] = defaultdict(list)
    running: dict[tuple[str, ...], bool] = {}
    for log in logs_of(stores.data_dir):
        records = log.load()
        for record in records:
            rows[record.task].append(record)
        if records and not records[-1].ended:
            running[records[-1].task] = log.is_running()
    known = bool(stores.database) or (stores.data_dir / "templates.sqlite").is_file()
    store = stores.learned() if known else None
    now = max((visit.began for visits in rows.values() for visit in visits), default="")
    sites = [_site(visits, store, (now, running.get(task, False))) for task, visits in rows.items()]
    sites += _unvisited({site.site for site in sites}, store)
    if store is not None:
        store.close()
    return Fleet(sorted(sites, key=_rank), now)


def _rank(site: SiteReport) -> tuple[Any, ...]:
    """The worst first; as bad, those that have brought nothing for longest, then those with more that is wrong; then by name."""
    barren = History(site.visits).barren if site.causes else 0
    return list(Level).index(site.level), -barren, -len(site.causes), site.site, site.start


def _site(visits: Sequence[VisitRecord], store: SiteStore | None, moment: tuple[str, bool]) -> SiteReport:
    last, (now, running) = visits[-1], moment
    model, damage = _model(last.site, store)
    row = SiteReport(last.site, last.start, last.scope, list(visits), model, running)
    row.causes = [*damage, *causes_of(History(row.visits[:-1] if running else row.visits, row.drifting, now))]
    return row


def _model(site: str, store: SiteStore | None) -> tuple[SiteModel | None, list[Cause]]:
    """What was learned of a site; a document that cannot be read is a cause of its own."""
    try:
        kept = store.load(site) if store else None
        return (SiteModel.from_dict(kept) if kept else None), []
    except (StoreError, TemplateError) as error:
        return None, [Cause(CauseKind.STATE, Level.BROKEN, f"What was learned of the site cannot be read: {error}")]


def _unvisited(known: set[str], store: SiteStore | None) -> list[SiteReport]:
    """Sites with templates that no crawl of this version visited."""
    names = [name for name in store.sites() if name not in known] if store else []
    return [SiteReport(name, [], "", [], _model(name, store)[0]) for name in names]
