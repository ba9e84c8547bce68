"""Changes over time: pages of some kind are counted per visit, and the moment is found since when there are more than chance explains."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate
from math import comb
from statistics import median

from sitecrawl.crawl.records import Drop, FileKind
from sitecrawl.crawl.visits import Loss, PageSample, VisitRecord
from sitecrawl.extras.report.history import CHANCE, Check, History, drifts

Tally = Callable[[VisitRecord], tuple[list[Loss], int]]
"""From a visit to its pages of some kind, each with its reason (``why``), URL and number of similar ones, and the number of all pages."""


@dataclass(frozen=True, slots=True)
class Shift:
    """In the last ``visits``, the first of which began on the day ``since``, ``count`` of ``all`` pages are of a kind; before, the ``share`` (0..1)
    was. ``last`` is the latest such page."""

    count: int
    all: int
    share: float
    since: str
    visits: int
    last: Loss

    def __str__(self) -> str:
        before = f", {100 * self.share:.0f} % before" if self.share >= 0.01 else ""
        return f"{self.count} of {self.all} since {self.since}{before}"


def shift_of(
    history: History, tally: Tally, *, least: float = 0.5, enough: int = 1, begin: int = 1, worth: int = 1
) -> Shift | None:
    """The most significant moment since when at least the share ``least`` of the pages is of a kind, and at most half of that before. None if chance
    explains it (binomial test, corrected for the number of moments that can be told), if fewer than four earlier pages are known, or if fewer than
    ``enough`` pages show it, three of several visits. With ``begin`` 0 the first visit counts too, as if half of the pages had been usual. After the first
    visit, which fetched the archive, all pages must be of the kind: old articles often differ from new ones. ``worth`` is the number of pages
    as which one counts: more for a whole visit, which is a mean of many."""
    told = [(visit, *tally(visit)) for visit in history.visits]
    known = [(visit, sum(one.count for one in bad), of, bad) for visit, bad, of in told if of]
    bads, counts = [0, *accumulate(one[1] for one in known)], [0, *accumulate(one[2] for one in known)]
    moments = [at for at in range(begin, len(known)) if not at or counts[at] >= 4]
    best, found = CHANCE, None
    for at in moments:
        before, earlier = bads[at], counts[at]
        bad, of = bads[-1] - before, counts[-1] - earlier
        is_usual = bad < (1.0 if at == 1 else least) * of or before > least * earlier / 2
        if is_usual or bad < (enough if at == len(known) - 1 else min(3, enough)):
            continue
        usual = (worth * before + 0.25) / (worth * earlier + 0.5)
        chance = _at_least(worth * bad, worth * of, usual) * len(moments)
        if chance < best:
            visit, last = known[at][0], [one for _, _, _, pages in known[at:] for one in pages][-1]
            visits = sum(one.began >= visit.began for one in history.visits)
            best, found = chance, Shift(bad, of, before / max(1, earlier), history.day(visit), visits, last)
    return found


def _at_least(found: int, count: int, share: float) -> float:
    """Probability of ``found`` or more of ``count`` if each has the probability ``share``; the tail above 300 is ignored.

    >>> round(_at_least(3, 3, 0.1), 6)
    0.001
    """
    count, found = min(count, 300), min(found, 300)
    return sum(comb(count, at) * share**at * (1 - share) ** (count - at) for at in range(found, count + 1))


# ---- pages behind article links
def promised(visit: VisitRecord) -> Counter[str]:
    """Pages requested as articles, by what they were."""
    found = Counter[str]()
    for role, kind, count in visit.pages_as:
        found[kind] += count * (role == "article")
    return found


def refused(visit: VisitRecord) -> tuple[list[Loss], int]:
    """Pages that are no articles, or have a text that is known: an error page sometimes looks like an article."""
    kinds = promised(visit)
    came = kinds.total() - kinds["lost"]
    count = max(came - kinds["article"] - kinds["thread"], min(came, copies(visit)))
    return [Loss("", "", count)] * (count > 0), came


def refusals(history: History) -> Shift | None:
    """Since when pages behind article links are not articles, unless the last visit brought only articles."""
    return shift_of(history, refused) if refused(history.last)[0] or not history.last.articles else None


def refused_pages(history: History, visits: int = 0) -> list[PageSample]:
    """Samples of such pages, from the latest visit that has any, of the last ``visits`` (0: of all)."""
    late = reversed(history.visits[-visits:])
    return next(filter(None, ([one for one in visit.samples if not one.left and not one.start] for visit in late)), [])


def is_misled(loss: Loss) -> bool:
    """Whether pages redirected elsewhere, or say that they do not exist."""
    return not loss.start and (bool(loss.landed) or "does not exist" in loss.why)


def misled(history: History, check: Check) -> Tally:
    return lambda visit: (list(filter(is_misled, visit.lost)), promised(visit).total())


def lost(history: History, check: Check) -> Tally:
    """Lost pages; a page requested in every visit counts once. Every old site has links to missing pages, which match the pattern: they count only
    after too many visits without articles."""
    is_barren = history.barren_chance < check.least / 10
    spared = "login" if is_barren else f"login|{check.pattern}"
    known, fresh = set[tuple[str, str]](), dict[str, list[Loss]]()
    for visit in history.visits:
        lost = [one for one in visit.lost if not (one.start or is_misled(one) or re.search(spared, one.why))]
        lost = lost if promised(visit)["lost"] or not visit.pages_as else []  # a listing that fails is no article
        fresh[visit.began] = [one for one in lost if one.count > 1 or (one.url, one.why) not in known]
        known.update((one.url, one.why) for one in lost)
    return lambda visit: (fresh[visit.began], sum(one.count for one in fresh[visit.began]) + visit.articles)


def copies(visit: VisitRecord) -> int:
    """Articles that were dropped because their text is known."""
    return sum(visit.counts.get(f"items/dropped/{why}", 0) for why in (Drop.REPEAT, Drop.COPY))


def repeats(history: History, check: Check) -> Tally:
    def tally(visit: VisitRecord) -> tuple[list[Loss], int]:
        repeated = copies(visit)
        return [Loss("", history.start, repeated)] * (repeated > 0), repeated + visit.articles

    return tally


# ---- written items
def _articles(visits: Sequence[VisitRecord]) -> list[PageSample]:
    """The articles among the samples of visits."""
    return [one for visit in visits for one in visit.samples if one.left]


def are(is_bad: Callable[[PageSample], bool], name: str) -> Tally:
    """Counts articles with a defect, shown in the field ``name`` of the sample."""

    def tally(visit: VisitRecord) -> tuple[list[Loss], int]:
        left = _articles([visit])
        return [Loss(str(getattr(one, name)), one.url) for one in left if is_bad(one)], len(left)

    return tally


def lacks(history: History, check: Check) -> Tally:
    return are(lambda one: check.pattern in one.lacks, "title")


def repeated(history: History, check: Check) -> Tally:
    known = Counter(title for title, _ in {(one.title.casefold(), one.url) for one in _articles(history.visits)})
    return are(lambda one: bool(one.title) and known[one.title.casefold()] >= check.limit, "title")


def garbled(history: History, check: Check) -> Tally:
    return are(lambda one: one.garbled >= check.limit, "title")


def short(history: History, check: Check) -> Tally:
    """Texts shorter than ``limit`` times the shortest tenth of the usual texts."""
    lengths = sorted(one.characters for one in _articles(history.first)) or [0]
    return are(lambda one: one.characters < check.limit * lengths[len(lengths) // 10], "characters")


def drawn(history: History, check: Check) -> Tally:
    """Articles without a text, of a page with scripts and hardly any text."""
    return are(lambda one: "scripts" in one.flags and "articleBody" in one.lacks, "title")


def dated(history: History, check: Check) -> Tally:
    """Articles dated on the day of their visit (usual at sites that are visited daily, so only a change counts), or ``limit`` days after it."""
    came = {id(one): visit.began[:10] for visit in history.visits for one in visit.samples}

    def is_bad(one: PageSample) -> bool:
        with suppress(ValueError):
            late = datetime.fromisoformat(one.day) - datetime.fromisoformat(came[id(one)])
            return late == timedelta(0) or late >= timedelta(days=check.limit)
        return False

    return are(is_bad, "day")


def foreign(history: History, check: Check) -> Tally:
    spoken = Counter(one.language[:2] for one in _articles(history.first))
    usual = {code for code, count in spoken.items() if count > check.limit * spoken.total()}
    return are(lambda one: bool(one.language) and one.language[:2] not in usual, "language")


def template(history: History, check: Check) -> Tally:
    """Articles read by another template than usual, or by none (the pattern). After a thorough redesign the new pages no longer match the old
    template, so no event of a template shows it."""
    before = sum((Counter(visit.answered) for visit in history.first), Counter[str]())
    old = max(before, key=before.__getitem__, default="")
    is_told = history.drifting or drifts(history.last) or not old

    def tally(visit: VisitRecord) -> tuple[list[Loss], int]:
        others = {name or "none": count for name, count in visit.answered.items() if name != old}
        meant = [Loss(name, history.start, count) for name, count in others.items() if check.pattern in name]
        return meant, 0 if is_told else sum(visit.answered.values())

    return tally


# ---- listings, time
def few(history: History, check: Check) -> Tally:
    """Visits whose listings show at most ``limit`` times the articles of the upper quartile: a new site lists more from visit to visit.
    A visit without a fetched page does not count."""
    usual = sorted(visit.shown for visit in history.visits)[3 * len(history.visits) // 4]
    return lambda visit: (
        [Loss(f"{visit.shown} articles", history.start)] * (visit.pages > 0 and visit.shown <= check.limit * usual),
        int(visit.pages > 0),
    )


def by_feed(history: History, check: Check) -> Tally:
    """Articles that no listing showed before a feed or a sitemap named them."""

    def tally(visit: VisitRecord) -> tuple[list[Loss], int]:
        named = sum(visit.counts.get(f"hints/{file}", 0) for file in (FileKind.FEED, FileKind.SITEMAP))
        return [Loss("", history.start, min(named, visit.articles))] * (named > 0), visit.articles

    return tally


def slow(history: History, check: Check) -> Tally:
    """Visits in which a page took ``limit`` times the usual time, and at least two seconds."""
    usual = median(_seconds(visit) for visit in history.first)
    return lambda visit: (
        [Loss(f"{_seconds(visit):.0f} s", history.start)] * (_seconds(visit) > max(2, check.limit * usual)),
        int(visit.pages > 0),
    )


def _seconds(visit: VisitRecord) -> float:
    """Seconds that a page of a visit took."""
    took = datetime.fromisoformat(visit.ended or visit.began) - datetime.fromisoformat(visit.began)
    return took.total_seconds() / max(1, visit.pages + sum(loss.count for loss in visit.lost))


TALLIES: dict[str, Callable[[History, Check], Tally]] = {
    one.__name__: one
    for one in (
        misled, lost, repeats, lacks, repeated, garbled, short, drawn, dated, foreign, template, few, by_feed, slow,
    )
}  # fmt: skip
"""Counters for checks with ``find`` = ``shift``, by the name in their ``of``."""
