"""What a report knows of a site: its visits, the checks that weigh them, and the causes of trouble that they find."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from statistics import mean
from typing import Any

from sitecrawl.crawl.visits import VisitRecord
from sitecrawl.extras.report.markup import day

PLAIN_NAMES = {"headline": "headlines", "datePublished": "dates", "articleBody": "texts"}
"""Fields without which an article is of little use, in words."""


class Level(StrEnum):
    """How bad it is, the worst first."""

    BROKEN = "broken"
    WATCH = "watch"
    FINE = "fine"


@dataclass(frozen=True, slots=True)
class Cause:
    """One thing that is wrong: ``kind`` names the check, ``text`` is a sentence, ``url`` a page that shows it, ``advice`` what to do,
    ``muted`` until when and why it is silent."""

    kind: str
    level: Level
    text: str
    url: str = ""
    advice: str = ""
    muted: str = ""


@dataclass(frozen=True, slots=True)
class History:
    """The visits of one row, oldest first, those under way left out. ``drifting`` names the templates that are out of use, ``now`` is
    the moment of the fleet's latest visit, ``limits`` are thresholds of checks by name that the user set, 0 switches one off."""

    visits: Sequence[VisitRecord]
    drifting: Sequence[str] = ()
    now: str = ""
    limits: Mapping[str, float] = field(default_factory=dict)

    @property
    def last(self) -> VisitRecord:
        return self.visits[-1]

    @property
    def first(self) -> Sequence[VisitRecord]:
        """The first half of the visits: what is usual."""
        return self.visits[: 1 + len(self.visits) // 2]

    @property
    def start(self) -> str:
        """The first start page, empty without one."""
        return next(iter(self.last.start), "")

    @property
    def barren(self) -> int:
        """Visits at the end that brought nothing new."""
        return next((at for at, visit in enumerate(reversed(self.visits)) if visit.articles), len(self.visits))

    @property
    def nothing_new(self) -> str:
        """Since when there are no new articles, as the beginning of a sentence."""
        good = [visit for visit in self.visits if visit.articles]
        since = f"0 articles since {self.day(good[-1])}: " if good else "No article yet: "
        return "" if self.last.articles else since

    @property
    def rate(self) -> float:
        """Articles that a visit usually brings; the first visit fetched the archive and tells no rate."""
        usual = [visit.articles for visit in self.visits[1:-1] if visit.ended]
        return mean(usual[: len(usual) + 1 - max(1, self.barren)] or [0])

    def day(self, visit: VisitRecord) -> str:
        return day(visit.began, self.now)


@dataclass(frozen=True, slots=True)
class Check:
    """A row of the table: its name, the one of ``FINDERS`` that looks for what is wrong (``find``), the one of ``TALLIES`` that counts what it weighs (``of``),
    the sentence, what to do, the threshold.

    A ``vague`` one says that something is wrong and not what: it is silent where another one knows. ``pattern`` is what pages or reasons say,
    ``least`` a share (0..1) that must be reached, ``enough`` the pages from which one visit is enough.
    """

    name: str
    find: str
    says: str
    advice: str
    of: str = ""
    limit: float = 0.0
    least: float = 0.5
    enough: int = 1
    level: Level = Level.BROKEN
    vague: bool = False
    pattern: str = ""

    @property
    def threshold(self) -> str:
        """The field that a user may set, empty where there is none."""
        return (
            "least" if self.find == "shift" and not self.limit else "limit" if self.limit and not self.pattern else ""
        )

    def with_threshold(self, value: float | None) -> Check:
        return replace(self, **{self.threshold: value}) if value and self.threshold else self  # type: ignore[arg-type]

    def cause(self, url: str, *said: Any, level: Level | None = None) -> Cause:
        """The cause whose sentence is filled with what is ``said``."""
        text = self.says.format(*said)
        return Cause(self.name, level or self.level, text[:1].upper() + text[1:], url, self.advice)


def drifts(visit: VisitRecord) -> list[dict[str, Any]]:
    """The events of templates that fell out of use."""
    return [event for event in visit.events if event["kind"] == "drifting"]


def number(count: int, name: str) -> str:
    return f"{count:,} {name}" + ("" if count == 1 else "s")
