"""Changes over time: pages of some kind are counted per visit, and the moment is found since when
there are more than chance explains."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from math import comb, inf
from statistics import median
from typing import Any, NamedTuple

from sitecrawl.crawl.records import Drop, FileKind
from sitecrawl.crawl.visit import Loss, PageSample, Visit
from sitecrawl.extras.report.history import CHANCE, Check, History

Counted = tuple[list[Loss], int]
"""The pages of some kind in a visit, each with its reason (``why``), URL and number of similar
ones, and the number of all pages."""


_SEVERAL = 3  # pages of several visits that show a change


def nothing_usual(before: Sequence[Visit]) -> None:
    """What a tally says whose pages do not depend on what came before."""


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts the pages of some kind in a visit, by what was ``usual`` in the visits before some
    moment. ``begin`` is the first visit that may show a
    change: if the first one itself, half of the pages count as usual. Before a change, ``known``
    pages or more must have come."""

    count: Callable[[Visit, Any], Counted]
    usual: Callable[[Sequence[Visit]], Any] = nothing_usual
    begin: int = 1
    known: int = 4


class Shift(NamedTuple):
    """How many of all pages are of a kind since which day, and which share was before, in words;
    and the latest such page."""

    said: str
    last: Loss


def shift_of(
    history: History, tally: Tally, *, least: float = 0.5, enough: int = 1, worth: int = 1
) -> Shift | None:
    """The most significant moment since when at least the share ``least`` of the pages is of a
    kind, and at most half of that before. None if chance explains it (binomial test, corrected for
    the number of moments), if too few earlier pages are known, or if fewer than ``enough`` pages
    show it, three of several visits. After the first visit, which fetched the archive, all pages
    must be of the kind: old articles often differ from new ones. ``worth`` is the number of pages
    as which one counts: more for a whole visit, which is a mean of many."""
    counts = _Counts(history.visits, tally)
    moments = counts.moments()
    smallest = CHANCE
    found: _Split | None = None
    for at in moments:
        split = counts.split(at)
        if not split.is_change(least=1.0 if at == 1 else least, usual=least / 2):
            continue
        is_last = at == len(counts.visits) - 1
        if split.bad < (enough if is_last else min(_SEVERAL, enough)):
            continue
        chance = split.chance(worth) * len(moments)
        if chance < smallest:
            smallest = chance
            found = split
    if found is None:
        return None
    since = history.day(counts.visits[found.at])
    return Shift(f"{found.bad} of {found.total} since {since}{found.was}", found.last)


class _Counts:
    """The pages of each visit that has any: how many, and which are of a kind by what was usual."""

    def __init__(self, visits: Sequence[Visit], tally: Tally) -> None:
        self._tally = tally
        self._usual = tally.usual(())
        self.visits: list[Visit] = []
        self._losses: list[list[Loss]] = []
        self._totals = [0]  # of all visits before each
        for visit in visits:
            losses, total = tally.count(visit, self._usual)
            if total:
                self.visits.append(visit)
                self._losses.append(losses)
                self._totals.append(self._totals[-1] + total)
        self._bad = self._counted()

    def _counted(self) -> list[int]:
        return [sum(loss.count for loss in losses) for losses in self._losses]

    def moments(self) -> list[int]:
        """The visits since which something may have changed."""
        tally = self._tally
        if tally.usual is nothing_usual and not any(self._bad):
            return []
        every = range(tally.begin, len(self.visits))
        return [at for at in every if not at or self._totals[at] >= tally.known]

    def split(self, at: int) -> _Split:
        """The pages before a visit, and those from it on, by what was usual before it."""
        usual = self._tally.usual(self.visits[:at])
        if usual != self._usual:
            self._usual = usual
            self._losses = [self._tally.count(visit, usual)[0] for visit in self.visits]
            self._bad = self._counted()
        last = next((losses[-1] for losses in reversed(self._losses) if losses), Loss("", ""))
        return _Split(
            at,
            before=sum(self._bad[:at]),
            earlier=self._totals[at],
            bad=sum(self._bad[at:]),
            total=self._totals[-1] - self._totals[at],
            last=last,
        )


@dataclass(frozen=True, slots=True)
class _Split:
    """Pages of a kind and all pages: ``before`` of ``earlier`` ones, and ``bad`` of ``total`` since
    the visit ``at``; and the latest of the kind."""

    at: int
    before: int
    earlier: int
    bad: int
    total: int
    last: Loss

    def is_change(self, *, least: float, usual: float) -> bool:
        """Whether a share of at least ``least`` came after one of at most ``usual``."""
        return self.bad >= least * self.total and self.before <= usual * self.earlier

    def chance(self, worth: int) -> float:
        """Probability of so many if the share had stayed as it was."""
        share = (worth * self.before + 0.25) / (worth * self.earlier + 0.5)
        return _at_least(worth * self.bad, worth * self.total, share=share)

    @property
    def was(self) -> str:
        """The share before, in words; empty if it was next to none."""
        if self.before < 0.01 * max(1, self.earlier):
            return ""
        return f", {100 * (self.before / self.earlier):.0f} % before"


def _at_least(found: int, count: int, *, share: float) -> float:
    """Probability of ``found`` or more of ``count`` if each has the probability ``share``; the tail
    above 300 is ignored.

    >>> round(_at_least(3, 3, share=0.1), 6)
    0.001
    """
    count, found = min(count, 300), min(found, 300)
    return sum(
        comb(count, at) * share**at * (1 - share) ** (count - at) for at in range(found, count + 1)
    )


# ---- pages behind article links
def promised(visit: Visit) -> Counter[str]:
    """Pages requested as articles, by what they were."""
    kinds = ({kind: count} for role, kind, count in visit.pages_as if role == "article")
    return sum(map(Counter[str], kinds), Counter[str]())


def promised_in_vain(history: History, check: Check | None = None) -> Tally:
    """Pages that links promised as articles and that gave no item, as pages that say that nothing
    is there. Some do not count: unwanted articles, listings that were opened again, later parts of
    an article. Neither does a crawl that was interrupted, since its articles wait."""

    def count(visit: Visit, usual: None) -> Counted:
        came = sum(
            count
            for kind, count in promised(visit).items()
            if kind not in ("listing", "lost", "part")
        )
        expected = visit.articles + visit.revised + _unwanted(visit)
        page = next(iter(_unwritten(visit)), PageSample(history.start))
        is_so = came > expected and visit.ended and visit.reason != "shutdown"
        return [Loss(page.title, page.url, came - expected)] if is_so else [], came

    return Tally(count)


def _unwanted(visit: Visit) -> int:
    """Number of articles that were read and are not to be written."""
    reasons = (
        Drop.BASELINE,
        Drop.SINCE,
        Drop.NO_DAY,
        Drop.MAX_ARTICLES,
        Drop.UNCHANGED,
        Drop.KNOWN,
        Drop.TWIN,
        Drop.FILTERED,
        Drop.PART,
    )
    return sum(visit.counts.get(f"items/dropped/{why}", 0) for why in reasons)


def is_fruitless(history: History) -> bool:
    """Whether no article was ever written, though the last visit read all that it found and none
    was unwanted."""
    last = history.last
    return not last.known and last.reason == "finished" and not _unwanted(last)


def _unwritten(visit: Visit) -> list[PageSample]:
    return [one for one in visit.samples if not one.left and not one.start]


def unwritten_pages(history: History) -> list[PageSample]:
    """Samples of such pages, of the latest visit that has any, if there are more than chance
    explains, or no page links to articles, or none was written."""
    pages = next(filter(None, map(_unwritten, reversed(history.visits))), [])
    is_so = is_fruitless(history) or not history.last.shown
    return (
        pages if pages and (is_so or shift_of(history, promised_in_vain(history), enough=6)) else []
    )


def is_misled(loss: Loss) -> bool:
    """Whether pages redirected elsewhere, or say that they do not exist."""
    return not loss.start and (bool(loss.landed) or "does not exist" in loss.why)


def _first_met(visit: Visit, is_so: Callable[[Loss], object]) -> list[Loss]:
    """Losses of a kind, of links to articles that no earlier visit met; every old site has links to
    pages that are gone."""
    return [replace(one, count=one.new) for one in visit.lost if one.new and is_so(one)]


def misled(history: History, check: Check) -> Tally:
    return Tally(lambda visit, _: (_first_met(visit, is_misled), promised(visit).total()))


def gone(history: History, check: Check) -> Tally:
    """Links to articles that do not exist, or in whose place the front page comes (the pattern)."""

    def count(visit: Visit, usual: None) -> Counted:
        links, missing = (
            promised(visit),
            _first_met(visit, lambda one: re.search(check.pattern, one.why)),
        )
        return missing, links.total() - links["lost"] + sum(one.count for one in missing)

    return Tally(count)


def lost(history: History, check: Check) -> Tally:
    """Lost pages; a page requested in every visit counts once. Every old site has links to missing
    pages, which match the pattern: they count only after too many visits without articles."""
    is_barren = history.barren_chance < check.least / 10
    spared = "login" if is_barren else f"login|{check.pattern}"
    known, fresh = set[tuple[str, str]](), dict[str, Counted]()
    for visit in history.visits:
        lost = [
            one
            for one in visit.lost
            if not (one.start or is_misled(one) or re.search(spared, one.why))
        ]
        lost = (
            lost if promised(visit)["lost"] or not visit.pages_as else []
        )  # a listing that fails is no article
        new = [one for one in lost if one.count > 1 or (one.url, one.why) not in known]
        known.update((one.url, one.why) for one in lost)
        fresh[visit.began] = new, sum(one.count for one in new) + visit.articles
    return Tally(lambda visit, _: fresh[visit.began], begin=int(is_barren))


def repeats(history: History, check: Check) -> Tally:
    """Articles that were dropped because their text is known."""

    def count(visit: Visit, usual: None) -> Counted:
        repeated = sum(
            visit.counts.get(f"items/dropped/{why}", 0) for why in (Drop.REPEAT, Drop.COPY)
        )
        return [Loss("", history.start, repeated)] * (repeated > 0), repeated + visit.articles

    return Tally(count)


# ---- written items
def _articles(visits: Sequence[Visit]) -> list[PageSample]:
    return [one for visit in visits for one in visit.samples if one.left]


def are(
    is_bad: Callable[[PageSample, Any], bool],
    name: str,
    *,
    of: Callable[[PageSample], bool] = lambda one: one.left,
) -> Callable[[Visit, Any], Counted]:
    """Counts pages with a defect among the samples that are ``of`` a kind. The field ``name`` of
    the sample shows it."""

    def count(visit: Visit, usual: Any) -> Counted:
        pages = [one for one in visit.samples if of(one)]
        return [Loss(str(getattr(one, name)), one.url) for one in pages if is_bad(one, usual)], len(
            pages
        )

    return count


def lacks(history: History, check: Check) -> Tally:
    return Tally(are(lambda one, _: check.pattern in one.lacks, "title"))


def repeated(history: History, check: Check) -> Tally:
    """Headlines that ``limit`` pages have, of those that are written and of those that have the
    text of another."""

    def has_title(one: PageSample) -> bool:
        return bool(one.title) and (one.left or "copy" in one.flags)

    titled = {
        (one.title.casefold(), one.url)
        for visit in history.visits
        for one in visit.samples
        if has_title(one)
    }
    known = Counter(title for title, _ in titled)
    return Tally(
        are(lambda one, _: known[one.title.casefold()] >= check.limit, "title", of=has_title)
    )


def garbled(history: History, check: Check) -> Tally:
    return Tally(are(lambda one, _: one.garbled >= check.limit, "title"))


def short(history: History, check: Check) -> Tally:
    """Texts shorter than ``limit`` times the shortest tenth of the usual texts, which the first
    visit alone, of the archive, does not tell."""

    def usual(before: Sequence[Visit]) -> int:
        lengths = sorted(one.characters for one in _articles(before)) or [0]
        return lengths[len(lengths) // 10]

    return Tally(
        are(lambda one, least: one.characters < check.limit * least, "characters"), usual, begin=2
    )


def drawn(history: History, check: Check) -> Tally:
    """Articles without a text, and pages promised as articles with less than ``limit`` characters,
    that have scripts."""

    def is_bad(one: PageSample, usual: None) -> bool:
        is_bare = "articleBody" in one.lacks if one.left else one.characters < check.limit
        return is_bare and "scripts" in one.flags and "copy" not in one.flags

    return Tally(are(is_bad, "title", of=lambda one: not one.start))


def dated(history: History, check: Check) -> Tally:
    """Articles dated on the day of their visit, or less than ``limit`` days later. Most new
    articles of a site that is visited daily are of that day, so only a change counts. Visits that
    fetch the archive do not tell what is usual, nor do few articles. Where a limit ends all visits,
    all but the first one tell."""
    is_limited = all(visit.reason != "finished" for visit in history.visits)
    fresh = {visit.began for visit in (history.visits[1:] if is_limited else history.fresh)}
    return Tally(
        lambda visit, _: _of_days(visit, 0, check.limit) if visit.began in fresh else ([], 0),
        known=20,
    )


def future(history: History, check: Check) -> Tally:
    return Tally(lambda visit, _: _of_days(visit, check.limit))


def _of_days(visit: Visit, first: float, end: float = inf) -> Counted:
    """The articles of a visit that are dated ``first`` days after it or later, and less than
    ``end`` days after it."""
    articles, today = _articles([visit]), date.fromisoformat(visit.began[:10])
    days = [Loss(one.day, one.url) for one in articles if first <= _age(one.day, today) < end]
    return days, len(articles)


def _age(day: str, today: date) -> int:
    """How many days after ``today`` a day is; -1 for what is none, which an item pipeline may
    write."""
    try:
        return (date.fromisoformat(day) - today).days
    except ValueError:
        return -1


def foreign(history: History, check: Check) -> Tally:
    def usual(before: Sequence[Visit]) -> set[str]:
        spoken = Counter(one.language[:2] for one in _articles(before))
        return {code for code, count in spoken.items() if count > check.limit * spoken.total()}

    return Tally(
        are(lambda one, known: bool(one.language) and one.language[:2] not in known, "language"),
        usual,
    )


def template(history: History, check: Check) -> Tally:
    """Articles read by another template than usual, or by none (the pattern). After a thorough
    redesign the new pages no longer match the old template, so no event of a template shows it."""

    def usual(before: Sequence[Visit]) -> str:
        read = sum((Counter(visit.answered) for visit in before), Counter[str]())
        return max(read, key=read.__getitem__, default="")

    def count(visit: Visit, old: str) -> Counted:
        others = {
            name or "none": count for name, count in visit.answered.items() if old not in ("", name)
        }
        meant = [
            Loss(name, history.start, count)
            for name, count in others.items()
            if check.pattern in name
        ]
        return meant, sum(visit.answered.values())

    return Tally(count, usual)


# ---- listings, time
def few(history: History, check: Check) -> Tally:
    """Visits whose listings show at most ``limit`` times the articles of the three visits before
    the change: a new site lists more from visit to visit. A visit without a fetched page tells
    nothing, nor does one of another effort than the last."""

    def count(visit: Visit, usual: float) -> Counted:
        tells = visit.pages > 0 and visit.effort == history.last.effort
        is_few = tells and visit.shown <= check.limit * usual
        return [Loss(f"{visit.shown} articles", history.start)] * is_few, int(tells)

    return Tally(count, lambda before: median([visit.shown for visit in before[-3:]] or [0]))


def by_feed(history: History, check: Check) -> Tally:
    """Articles that no listing showed before a feed or a sitemap named them."""

    def count(visit: Visit, usual: None) -> Counted:
        named = sum(
            visit.counts.get(f"hints/{file}", 0) for file in (FileKind.FEED, FileKind.SITEMAP)
        )
        return [Loss("", history.start, min(named, visit.articles))] * (named > 0), visit.articles

    return Tally(count)


def slow(history: History, check: Check) -> Tally:
    """Visits in which a page took ``limit`` times the usual time, and at least two seconds."""

    def count(visit: Visit, usual: float) -> Counted:
        took = _seconds(visit)
        return [Loss(f"{took:.0f} s", history.start)] * (took > max(2, check.limit * usual)), int(
            visit.pages > 0
        )

    return Tally(count, lambda before: median(map(_seconds, before)) if before else 0.0)


def _seconds(visit: Visit) -> float:
    """Seconds that a page of a visit took."""
    took = datetime.fromisoformat(visit.ended or visit.began) - datetime.fromisoformat(visit.began)
    return took.total_seconds() / max(1, visit.pages + sum(loss.count for loss in visit.lost))


TALLIES: dict[str, Callable[[History, Check], Tally]] = {
    one.__name__: one
    for one in (
        promised_in_vain, misled, gone, lost, repeats, lacks, repeated, garbled, short, drawn, dated, future, foreign, template, few, by_feed, slow,
    )
}  # fmt: skip
"""Counters for checks with ``find`` = ``shift``, by the name in their ``of``."""
