"""The data of a report about a site: its visits, the checks, and the causes that they find."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import pairwise
from statistics import mean
from typing import Any

from sitecrawl.crawl.config import EFFORT
from sitecrawl.crawl.visit import TemplateNote, Visit
from sitecrawl.extras.report.markup import day
from sitecrawl.site.verdict import EventKind

# probability below which it is not chance: one false alarm of a check in three days at 300 sites
CHANCE = 0.001
_OUT_OF_USE = (EventKind.DRIFTING, EventKind.REDESIGNED)


class Level(StrEnum):
    """Severity, the worst first."""

    BROKEN = "broken"
    WATCH = "watch"
    FINE = "fine"


@dataclass(frozen=True, slots=True)
class Cause:
    """One problem: ``kind`` names the check, ``text`` is a sentence, ``url`` an example, ``advice``
    what to do, ``muted`` until when and why."""

    kind: str
    level: Level
    text: str
    url: str = ""
    advice: str = ""
    muted: str = ""


@dataclass(frozen=True, slots=True)
class History:
    """The finished visits of one row, oldest first. ``now`` is the time of the fleet's latest visit,
    ``limits`` are the user's thresholds by check; 0 switches a check off."""

    visits: Sequence[Visit]
    now: str = ""
    limits: Mapping[str, float] = field(default_factory=dict)

    @property
    def last(self) -> Visit:
        return self.visits[-1]

    @property
    def start(self) -> str:
        """The first start page, empty without one."""
        return next(iter(self.last.start), "")

    @property
    def drifting(self) -> list[str]:
        """Template families that were redesigned and whose template is out of use."""
        redesigned = set[str]()
        latest: dict[str, str] = {}
        for visit in self.visits:
            redesigned.update(event.family for event in drifts(visit))
            latest.update({event.family: event.kind for event in visit.events})
        return [one for one, kind in latest.items() if one in redesigned and kind in _OUT_OF_USE]

    @property
    def barren(self) -> int:
        """Number of visits at the end without new articles."""
        return next(
            (at for at, visit in enumerate(reversed(self.visits)) if visit.articles),
            len(self.visits),
        )

    @property
    def nothing_new(self) -> str:
        """How long there have been no new articles, as the beginning of a sentence; empty if there
        are some."""
        good = [visit for visit in self.visits if visit.articles]
        since = f"0 articles since {self.day(good[-1])}: " if good else "No article yet: "
        return "" if self.last.articles else since

    @property
    def rate(self) -> float:
        """Usual number of new articles per visit."""
        return mean(self._usual or [0])

    @property
    def alike(self) -> History:
        """The visits with the effort of the last one: another effort opens other listing pages, and
        finds other articles there."""
        return replace(
            self, visits=[visit for visit in self.visits if visit.effort == self.last.effort]
        )

    @property
    def fresh(self) -> list[Visit]:
        """The visits that bring what is new: not the first one, which fetched the archive, nor
        those that continue one with a limit, ask for older articles than the one before, or go
        further."""
        pairs = [
            (before, visit)
            for before, visit in pairwise(self.visits)
            if before.reason == "finished"
        ]
        pairs = [
            pair for pair in pairs if EFFORT.index(pair[1].effort) <= EFFORT.index(pair[0].effort)
        ]
        return [visit for before, visit in pairs if visit.since >= before.since]

    @property
    def _usual(self) -> list[int]:
        """New articles of each fresh visit before the last one and the barren ones. Where a limit
        ended all visits before those, what they brought counts."""
        before = replace(self, visits=self.visits[: len(self.visits) - max(1, self.barren)])
        told = before.fresh
        if self.barren and not any(visit.articles for visit in told):
            told = list(before.visits[1:])
        return [visit.articles for visit in told if visit.ended]

    @property
    def barren_chance(self) -> float:
        """Probability that all articles of the visits that tell the rate came before the barren
        ones at the end, had each visit the same share of them. A single visit may have been one
        burst, and counts as one article."""
        usual, count = self._usual, len(self._usual)
        return (count / (count + self.barren)) ** (sum(usual) if count > 1 else 1) if usual else 1.0

    @property
    def is_silent(self) -> bool:
        """Whether chance does not explain the barren visits, though silence is looked for after
        every visit."""
        return self.barren_chance * max(1, len(self.visits) - 1) < CHANCE

    def day(self, visit: Visit) -> str:
        return day(visit.began, self.now)


@dataclass(frozen=True, slots=True)
class Check:
    """A row of the table: name, function in ``FINDERS`` (``find``), counter in ``TALLIES``
    (``of``), sentence, advice, threshold. A ``vague`` check only says that something is wrong; it
    is dropped if a more specific one fails. ``pattern`` is searched in pages or reasons, ``least``
    is the smallest share (0..1), ``enough`` the number of pages from which one visit suffices,
    ``worth`` the pages as which one counts (``shift_of``)."""

    name: str
    find: str
    says: str
    advice: str
    of: str = ""
    limit: float = 0.0
    least: float = 0.5
    enough: int = 1
    worth: int = 1
    level: Level = Level.BROKEN
    vague: bool = False
    pattern: str = ""

    @property
    def threshold(self) -> str:
        """Name of the field that a user may set; empty if there is none."""
        if self.limit:
            return "" if self.pattern else "limit"
        return "least" if self.find == "shift" else ""

    def with_threshold(self, value: float | None) -> Check:
        return replace(self, **{self.threshold: value}) if value and self.threshold else self  # type: ignore[arg-type]

    def cause(self, url: str, *said: Any, level: Level | None = None) -> Cause:
        """The cause, with ``said`` inserted into its sentence."""
        text = self.says.format(*said)
        return Cause(self.name, level or self.level, text[:1].upper() + text[1:], url, self.advice)


def drifts(visit: Visit) -> list[TemplateNote]:
    """The events of templates that went out of use."""
    return [event for event in visit.events if event.kind == "redesigned"]


def number(count: int, name: str) -> str:
    return f"{count:,} {name}" + ("" if count == 1 else "s")
