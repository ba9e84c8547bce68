"""Changes over time: pages of some kind are counted per visit, and the moment is found since when
there are more than chance explains."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import comb
from typing import NamedTuple

from sitecrawl.extras.report.history import CHANCE, History

_SEVERAL = 3  # pages of several visits that show a change
_TAIL = 300  # pages from which on more are ignored


@dataclass(frozen=True, slots=True)
class Bad:
    """The pages of a kind in a visit: how many, and what shows the last of them, with its URL."""

    count: int = 0
    why: str = ""
    url: str = ""


NONE = Bad()
ByUsual = Callable[[Sequence[int]], Sequence[Bad]]


@dataclass(frozen=True, slots=True)
class Tally:
    """``totals`` are the pages of each visit, ``bad`` those of a kind. Where that depends on what
    was usual before a moment, ``by_usual`` tells them, given the numbers of the visits before it.
    ``begin`` is the first visit that may show a change: if the first one itself, half of the pages
    count as usual. Before a change, ``known`` pages or more must have come."""

    totals: Sequence[int]
    bad: Sequence[Bad] = ()
    by_usual: ByUsual | None = None
    begin: int = 1
    known: int = 4


class Shift(NamedTuple):
    """How many of all pages are of a kind since which day, and which share was before, in words;
    and the latest such page."""

    said: str
    last: Bad


@dataclass(frozen=True, slots=True)
class _Split:
    """Pages of a kind and all pages before a moment, and since then."""

    before: int
    earlier: int
    since: int
    total: int

    def is_change(self, *, least: float, usual: float) -> bool:
        """Whether a share of at least ``least`` came after one of at most ``usual``."""
        return self.since >= least * self.total and self.before <= usual * self.earlier

    def chance(self, worth: int) -> float:
        """Probability of so many if the share had stayed as it was."""
        share = (worth * self.before + 0.25) / (worth * self.earlier + 0.5)
        return _at_least(worth * self.since, worth * self.total, share=share)

    def said(self, day: str) -> str:
        """How many since a day, and which share before, if it was more than next to none."""
        said = f"{self.since} of {self.total} since {day}"
        if self.before < 0.01 * max(1, self.earlier):
            return said
        return f"{said}, {100 * (self.before / self.earlier):.0f} % before"


def shift_of(
    history: History, tally: Tally, *, least: float = 0.5, enough: int = 1, worth: int = 1
) -> Shift | None:
    """The most significant moment since when at least the share ``least`` of the pages is of a
    kind, and at most half of that before. None if chance explains it (binomial test, corrected for
    the number of moments), if too few earlier pages are known, or if fewer than ``enough`` pages
    show it, three of several visits. After the first visit, which fetched the archive, all pages
    must be of the kind: old articles often differ from new ones. ``worth`` is the number of pages
    as which one counts: more for a whole visit, which is a mean of many."""
    told = [number for number, total in enumerate(tally.totals) if total]
    moments = _moments(tally, told)
    smallest = CHANCE
    found: Shift | None = None
    for at in moments:
        bad = tally.by_usual(told[:at]) if tally.by_usual else tally.bad
        split = _split_of(tally, bad, told=told, at=at)
        if not split.is_change(least=1.0 if at == 1 else least, usual=least / 2):
            continue
        is_last = at == len(told) - 1
        if split.since < (enough if is_last else min(_SEVERAL, enough)):
            continue
        chance = split.chance(worth) * len(moments)
        if chance < smallest:
            smallest = chance
            day = history.day(history.visits[told[at]])
            found = Shift(split.said(day), _latest(bad, told))
    return found


def _moments(tally: Tally, told: Sequence[int]) -> list[int]:
    """The visits, of those with pages, since which something may have changed."""
    if not tally.by_usual and not any(tally.bad[number].count for number in told):
        return []
    earlier = accumulate((tally.totals[number] for number in told), initial=0)
    known = [not at or before >= tally.known for at, before in enumerate(earlier)]
    return [at for at in range(tally.begin, len(told)) if known[at]]


def _split_of(tally: Tally, bad: Sequence[Bad], *, told: Sequence[int], at: int) -> _Split:
    before, since = told[:at], told[at:]
    return _Split(
        sum(bad[number].count for number in before),
        sum(tally.totals[number] for number in before),
        sum(bad[number].count for number in since),
        sum(tally.totals[number] for number in since),
    )


def _latest(bad: Sequence[Bad], told: Sequence[int]) -> Bad:
    return next(bad[number] for number in reversed(told) if bad[number].count)


def by_usual(
    usual: Callable[[Sequence[int]], object], bad: Callable[..., Sequence[Bad]]
) -> ByUsual:
    """What ``bad`` tells of each visit, by what is ``usual``; counted once for each usual value."""
    known: dict[object, Sequence[Bad]] = {}

    def count(before: Sequence[int]) -> Sequence[Bad]:
        value = usual(before)
        if value not in known:
            known[value] = bad(value)
        return known[value]

    return count


def pages(counts: Iterable[int], *, url: str, why: Callable[[int], str] = str) -> list[Bad]:
    """So many pages of each visit, which one URL shows."""
    return [Bad(count, why(count), url) if count > 0 else NONE for count in counts]


def _at_least(found: int, count: int, *, share: float) -> float:
    """Probability of ``found`` or more of ``count`` if each has the probability ``share``; the tail
    above 300 is ignored.

    >>> round(_at_least(3, 3, share=0.1), 6)
    0.001
    """
    count = min(count, _TAIL)
    found = min(found, _TAIL)
    numbers = range(found, count + 1)
    return sum(comb(count, at) * share**at * (1 - share) ** (count - at) for at in numbers)
