"""The finished visits of a row of the report, oldest first: what is usual, and how long there was
nothing new."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from statistics import mean

from sitecrawl.crawl.config import EFFORT
from sitecrawl.crawl.visit import PageSample, TemplateNote, Visit
from sitecrawl.extras.report.markup import day
from sitecrawl.site.verdict import EventKind

# probability below which it is not chance: one false alarm of a rule in three days at 300 sites
CHANCE = 0.001
_OUT_OF_USE = (EventKind.DRIFTING, EventKind.REDESIGNED)


@dataclass(frozen=True)
class History:
    """The visits. ``now`` is the time of the latest visit of all sites, ``limits`` are the user's
    thresholds by kind of cause; 0 switches one off."""

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

    def day(self, visit: Visit) -> str:
        return day(visit.began, self.now)

    # ---- pages, by visit
    @cached_property
    def written(self) -> list[list[PageSample]]:
        """Samples of the articles that were written."""
        return [[one for one in visit.samples if one.left] for visit in self.visits]

    @cached_property
    def unwritten(self) -> list[list[PageSample]]:
        """Samples of pages that links promised as articles and that gave none."""
        found = []
        for visit in self.visits:
            found.append([one for one in visit.samples if not one.left and not one.start])
        return found

    @cached_property
    def promised(self) -> list[Counter[str]]:
        """Pages that were requested as articles, by what they were."""
        found = []
        for visit in self.visits:
            kinds = Counter[str]()
            for role, kind, count in visit.pages_as:
                if role == "article":
                    kinds[kind] += count
            found.append(kinds)
        return found

    # ---- templates
    @cached_property
    def drifting(self) -> list[str]:
        """Template families that were redesigned and whose template is out of use."""
        redesigned = set[str]()
        latest: dict[str, str] = {}
        for visit in self.visits:
            redesigned.update(event.family for event in drifts(visit))
            latest.update({event.family: event.kind for event in visit.events})
        return [one for one, kind in latest.items() if one in redesigned and kind in _OUT_OF_USE]

    # ---- new articles
    @cached_property
    def barren(self) -> int:
        """Number of visits at the end without new articles."""
        count = 0
        for visit in reversed(self.visits):
            if visit.articles:
                break
            count += 1
        return count

    @property
    def nothing_new(self) -> str:
        """How long there have been no new articles, as the beginning of a sentence; empty if there
        are some."""
        if self.last.articles:
            return ""
        if self.barren == len(self.visits):
            return "No article yet: "
        return f"0 articles since {self.day(self.visits[-self.barren - 1])}: "

    @property
    def rate(self) -> float:
        """Usual number of new articles per visit."""
        return mean(self._usual or [0])

    @property
    def alike(self) -> History:
        """The visits with the effort of the last one: another effort opens other listing pages, and
        finds other articles there."""
        alike = [visit for visit in self.visits if visit.effort == self.last.effort]
        return replace(self, visits=alike)

    @cached_property
    def fresh(self) -> list[int]:
        """The numbers of the visits that bring what is new: not the first one, which fetched the
        archive, nor those that continue one with a limit, ask for older articles than the one
        before, or go further. Where a limit ended all visits, all but the first one."""
        if all(visit.reason != "finished" for visit in self.visits):
            return list(range(1, len(self.visits)))
        return [at for at, (one, two) in enumerate(pairwise(self.visits), 1) if _is_fresh(one, two)]

    @cached_property
    def _usual(self) -> list[int]:
        """New articles of each fresh visit before the last one and the barren ones. Where a limit
        ended all visits before those, what they brought counts."""
        end = len(self.visits) - max(1, self.barren)
        before = self.visits[:end]
        pairs = pairwise(before)
        told = [two for one, two in pairs if _is_fresh(one, two)]
        if self.barren and not any(visit.articles for visit in told):
            told = list(before[1:])
        return [visit.articles for visit in told if visit.ended]

    @cached_property
    def barren_chance(self) -> float:
        """Probability that all articles of the visits that tell the rate came before the barren
        ones at the end, had each visit the same share of them. A single visit may have been one
        burst, and counts as one article."""
        usual = self._usual
        if not usual:
            return 1.0
        count = len(usual)
        articles = sum(usual) if count > 1 else 1
        return float((count / (count + self.barren)) ** articles)

    @property
    def is_silent(self) -> bool:
        """Whether chance does not explain the barren visits, though silence is looked for after
        every visit."""
        return self.barren_chance * max(1, len(self.visits) - 1) < CHANCE


def _is_fresh(before: Visit, visit: Visit) -> bool:
    goes_no_further = EFFORT.index(visit.effort) <= EFFORT.index(before.effort)
    return before.reason == "finished" and goes_no_further and visit.since >= before.since


def drifts(visit: Visit) -> list[TemplateNote]:
    """The events of templates that went out of use."""
    return [event for event in visit.events if event.kind == EventKind.REDESIGNED]
