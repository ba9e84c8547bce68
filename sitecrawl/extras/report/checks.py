"""What is wrong with a site: a table of checks, ``checks.json``, that weigh the last visits of a site against those before."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import groupby, pairwise
from math import comb, exp
from statistics import mean, median
from typing import Any

from sitecrawl.crawl.records import Drop, FileKind
from sitecrawl.crawl.visits import Loss, PageSample, VisitRecord
from sitecrawl.extras.report.markup import day
from sitecrawl.records_json import from_document
from sitecrawl.resources import table_beside
from sitecrawl.urls.scope import host_of, registered_domain

_CHANCE = 0.001
"""Probability below which what visits brought is no accident: at 300 sites a day, one false alarm in three days at most."""


class Level(StrEnum):
    """How bad it is, the worst first."""

    BROKEN = "broken"
    WATCH = "watch"
    FINE = "fine"


@dataclass(frozen=True, slots=True)
class Cause:
    """One thing that is wrong: ``kind`` names the check, ``text`` is a sentence, ``url`` a page that shows it, ``advice`` what to do."""

    kind: str
    level: Level
    text: str
    url: str = ""
    advice: str = ""


@dataclass(frozen=True, slots=True)
class History:
    """The visits of one row, oldest first, those under way left out. ``drifting`` names the templates that are out of use, ``now`` is
    the moment of the fleet's latest visit, ``limits`` are thresholds of checks by name that the user set."""

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

    def day(self, visit: VisitRecord) -> str:
        return day(visit.began, self.now)


@dataclass(frozen=True, slots=True)
class Check:
    """A row of the table: its name, the function below that looks for what is wrong (``find``), the one that tells what it weighs (``of``), the sentence, what to
    do, the threshold.

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

    def cause(self, url: str, *said: Any, level: Level | None = None) -> Cause:
        """The cause whose sentence is filled with what is ``said``."""
        text = self.says.format(*said)
        return Cause(self.name, level or self.level, text[:1].upper() + text[1:], url, self.advice)


def causes_of(history: History) -> list[Cause]:
    """All that is wrong, the worst first, in the order of the table, each check once."""
    found: list[tuple[Check, Cause]] = []
    for check in CHECKS if history.visits else ():
        own = replace(check, limit=history.limits.get(check.name, check.limit))
        found += [(check, cause) for cause in globals()[f"_{check.find}"](history, own)]
    is_known = any(not check.vague and cause.level is Level.BROKEN for check, cause in found)
    told: dict[str, Cause] = {}
    for check, cause in found:
        if not (check.vague and is_known):
            told.setdefault(cause.kind, cause)
            is_known = is_known or cause.level is Level.BROKEN
    return sorted(told.values(), key=lambda cause: list(Level).index(cause.level))


# ---- since when something is so
Tally = Callable[[VisitRecord], tuple[list[Loss], int]]
"""The pages of a visit that are of some kind, each with what it shows (``why``), its URL and how many are like it, and the number of all."""


@dataclass(frozen=True, slots=True)
class Shift:
    """In the last ``visits``, the first of which began on the day ``since``, ``count`` of ``all`` pages are of a kind, of which a ``share`` (0..1) was
    before; ``last`` is the latest."""

    count: int
    all: int
    share: float
    since: str
    visits: int
    last: Loss

    def __str__(self) -> str:
        before = f", {100 * self.share:.0f} % before" if self.share >= 0.01 else ""
        return f"{self.count} of {self.all} since {self.since}{before}"


def shift_of(history: History, tally: Tally, *, least: float = 0.5, enough: int = 1, begin: int = 1) -> Shift | None:
    """The most surprising moment since when at least a share ``least`` of the pages is of a kind, at most half of that before; None where
    that can be chance (binomial, for all moments together), no page is known from before, or a single visit shows it by fewer than ``enough`` pages.
    With ``begin`` 0 the first visit counts too, as if half of the pages were usual."""
    told = [(visit, *tally(visit)) for visit in history.visits]
    known = [(visit, sum(one.count for one in bad), of, bad) for visit, bad, of in told if of]
    best, found = _CHANCE, None
    for at in range(begin, len(known)):
        (bad, of), (before, earlier) = (
            (sum(one[1] for one in part), sum(one[2] for one in part)) for part in (known[at:], known[:at])
        )
        is_usual = bad < least * of or before > least * earlier / 2
        if is_usual or (at and earlier < 4) or (bad < enough and at == len(known) - 1):
            continue
        chance = _at_least(bad, of, (before + 0.25) / (earlier + 0.5)) * len(known)
        if chance < best:
            visit, last = known[at][0], [one for _, _, _, pages in known[at:] for one in pages][-1]
            visits = sum(one.began >= visit.began for one in history.visits)
            best, found = chance, Shift(bad, of, before / max(1, earlier), history.day(visit), visits, last)
    return found


def _at_least(found: int, count: int, share: float) -> float:
    """Probability of ``found`` or more of ``count`` where each has the probability ``share`` (the tail above 300 is not worth it).

    >>> round(_at_least(3, 3, 0.1), 6)
    0.001
    """
    count, found = min(count, 300), min(found, 300)
    return sum(comb(count, at) * share**at * (1 - share) ** (count - at) for at in range(found, count + 1))


# ---- how the last visit ended
def _ended(history: History, check: Check) -> Iterator[Cause]:
    last = history.last
    if check.of == "broken" and last.broken:
        yield check.cause("", last.broken)
    elif check.of == "unwritten" and last.unwritten:
        yield check.cause("")
    elif check.of == "killed" and not last.ended:
        yield check.cause("", f"the crawl of {history.day(last)} was killed or crashed")
    elif check.of == "killed" and last.reason == "shutdown":
        yield check.cause("", f"interrupted after {_number(last.pages, 'page')}", level=Level.WATCH)


def _start_lost(history: History, check: Check) -> Iterator[Cause]:
    """Start pages that were lost for a reason that the pattern finds."""
    lost = ((loss.url, re.search(check.pattern, loss.why, re.S)) for loss in history.last.lost if loss.start)
    yield from (check.cause(url, history.nothing_new, *match.groups()) for url, match in lost if match)


def _moved(history: History, check: Check) -> Iterator[Cause]:
    """Start pages that lead to other domains."""
    homes = {registered_domain(host_of(url)) for url in history.last.start}
    landed = [one.url for one in history.last.samples if one.start]
    landed += [loss.landed for loss in history.last.lost if loss.start and loss.landed]
    if landed and homes.isdisjoint(registered_domain(host_of(url)) for url in landed):
        yield check.cause(landed[0], history.nothing_new, host_of(landed[0]))


def _wall(history: History, check: Check) -> Iterator[Cause]:
    """Pages with at most ``limit`` characters that say what the pattern knows, in the languages of web sites: start pages without links to
    articles, or pages that links promised as articles."""
    shown = history.last.shown
    starts = [one for one in history.last.samples if one.start and not one.left and not shown]
    for pages in (starts, _refused_pages(history) if not shown or _refusals(history) else []):
        said = (one for one in pages if one.characters <= check.limit)
        walls = [one for one in said if re.search(check.pattern, f"{one.title} {one.text}", re.I)]
        if 2 * len(walls) > len(pages):
            yield check.cause(walls[0].url, history.nothing_new, walls[0].title or walls[0].text[:60])


# ---- pages that links promised as articles
def _promised(visit: VisitRecord) -> Counter[str]:
    """Pages asked for as articles, by what they were."""
    found = Counter[str]()
    for role, kind, count in visit.pages_as:
        found[kind] += count * (role == "article")
    return found


def _refused(visit: VisitRecord) -> tuple[list[Loss], int]:
    kinds = _promised(visit)
    came = kinds.total() - kinds["lost"]
    count = came - kinds["article"] - kinds["thread"]
    return [Loss("", "", count)] * (count > 0), came


def _refusals(history: History) -> Shift | None:
    """Since when pages that links promised as articles are none, unless the last visit brought articles only."""
    return shift_of(history, _refused) if _refused(history.last)[0] or not history.last.articles else None


def _refused_pages(history: History) -> list[PageSample]:
    """Samples of such pages of the latest visit that met any."""
    found = ([one for one in visit.samples if not one.left and not one.start] for visit in reversed(history.visits))
    return next(filter(None, found), [])


def _not_articles(history: History, check: Check) -> Iterator[Cause]:
    """Pages that are no articles; with a ``limit``, where most have scripts and fewer characters of text."""
    found, pages = _refusals(history), _refused_pages(history)
    meant = [one for one in pages if not check.limit or ("scripts" in one.flags and one.characters < check.limit)]
    if found and 2 * len(meant) > len(pages):
        yield check.cause(meant[-1].url, found, meant[-1].title)


def _is_misled(loss: Loss) -> bool:
    """Whether pages led elsewhere, or said that they do not exist."""
    return not loss.start and (bool(loss.landed) or "does not exist" in loss.why)


def _misled(history: History, check: Check) -> Tally:
    return lambda visit: (list(filter(_is_misled, visit.lost)), _promised(visit).total())


def _lost(history: History, check: Check) -> Tally:
    """Pages that are asked for again and again count once. Links to pages that are gone, which the pattern finds, stand on every old site: they count
    where too many visits in turn brought no article."""
    is_barren = exp(-_rate(history) * history.barren) < check.least / 10
    spared = "login" if is_barren else f"login|{check.pattern}"
    known, fresh = set[tuple[str, str]](), dict[str, list[Loss]]()
    for visit in history.visits:
        lost = [one for one in visit.lost if not (one.start or _is_misled(one) or re.search(spared, one.why))]
        fresh[visit.began] = [one for one in lost if one.count > 1 or (one.url, one.why) not in known]
        known.update((one.url, one.why) for one in lost)
    return lambda visit: (fresh[visit.began], sum(one.count for one in fresh[visit.began]) + visit.articles)


def _repeats(history: History, check: Check) -> Tally:
    def tally(visit: VisitRecord) -> tuple[list[Loss], int]:
        repeated = sum(visit.counts.get(f"items/dropped/{why}", 0) for why in (Drop.REPEAT, Drop.COPY))
        return [Loss("", history.start, repeated)] * (repeated > 0), repeated + visit.articles

    return tally


# ---- what left
def _articles(visits: Sequence[VisitRecord]) -> list[PageSample]:
    """The articles that visits kept as samples."""
    return [one for visit in visits for one in visit.samples if one.left]


def _are(is_bad: Callable[[PageSample], bool], name: str) -> Tally:
    """Articles of a bad kind; the field ``name`` of the sample shows it."""

    def tally(visit: VisitRecord) -> tuple[list[Loss], int]:
        left = _articles([visit])
        return [Loss(str(getattr(one, name)), one.url) for one in left if is_bad(one)], len(left)

    return tally


def _lacks(history: History, check: Check) -> Tally:
    return _are(lambda one: check.pattern in one.lacks, "title")


def _repeated(history: History, check: Check) -> Tally:
    known = Counter(title for title, _ in {(one.title.casefold(), one.url) for one in _articles(history.visits)})
    return _are(lambda one: bool(one.title) and known[one.title.casefold()] >= check.limit, "title")


def _garbled(history: History, check: Check) -> Tally:
    return _are(lambda one: one.garbled >= check.limit, "title")


def _short(history: History, check: Check) -> Tally:
    """Texts with less than ``limit`` times the length of the shortest tenth of what is usual."""
    lengths = sorted(one.characters for one in _articles(history.first)) or [0]
    return _are(lambda one: one.characters < check.limit * lengths[len(lengths) // 10], "characters")


def _dated(history: History, check: Check) -> Tally:
    """Articles dated ``limit`` days or more after their visit, or the very day of it, which is usual where a site is visited every day."""
    came = {id(one): visit.began[:10] for visit in history.visits for one in visit.samples}

    def is_bad(one: PageSample) -> bool:
        with suppress(ValueError):
            late = datetime.fromisoformat(one.day) - datetime.fromisoformat(came[id(one)])
            return late == timedelta(0) or late >= timedelta(days=check.limit)
        return False

    return _are(is_bad, "day")


def _foreign(history: History, check: Check) -> Tally:
    spoken = Counter(one.language[:2] for one in _articles(history.first))
    usual = {code for code, count in spoken.items() if count > check.limit * spoken.total()}
    return _are(lambda one: bool(one.language) and one.language[:2] not in usual, "language")


def _template(history: History, check: Check) -> Tally:
    """Articles that another template answers than most did, or none (the pattern): a redesign so thorough that the new pages are no longer the
    template's own. No event of a template tells so."""
    before = sum((Counter(visit.answered) for visit in history.first), Counter[str]())
    old = max(before, key=before.__getitem__, default="")
    is_told = history.drifting or drifts(history.last) or not old

    def tally(visit: VisitRecord) -> tuple[list[Loss], int]:
        others = {name or "none": count for name, count in visit.answered.items() if name != old}
        meant = [Loss(name, history.start, count) for name, count in others.items() if check.pattern in name]
        return meant, 0 if is_told else sum(visit.answered.values())

    return tally


# ---- listings, time
def _few(history: History, check: Check) -> Tally:
    """Visits whose listings show at most ``limit`` times the articles that are usual."""
    usual = median(visit.shown for visit in history.first)
    return lambda visit: (
        [Loss(f"{visit.shown} articles", history.start)] * (visit.shown <= check.limit * usual),
        1,
    )


def _slow(history: History, check: Check) -> Tally:
    """Visits to which a page took ``limit`` times as long as is usual, and two seconds at least."""
    usual = median(_seconds(visit) for visit in history.first)
    return lambda visit: (
        [Loss(f"{_seconds(visit):.0f} s", history.start)] * (_seconds(visit) > max(2, check.limit * usual)),
        int(visit.pages > 0),
    )


def _seconds(visit: VisitRecord) -> float:
    """Seconds that a page of a visit took."""
    took = datetime.fromisoformat(visit.ended or visit.began) - datetime.fromisoformat(visit.began)
    return took.total_seconds() / max(1, visit.pages + sum(loss.count for loss in visit.lost))


def _shift(history: History, check: Check) -> Iterator[Cause]:
    """Since when something is otherwise than it was."""
    tally: Tally = globals()[f"_{check.of}"](history, check)
    found = shift_of(history, tally, least=check.least, enough=check.enough, begin=int(check.of != "lost"))
    if found:
        yield check.cause(found.last.url, found, found.last.why)


# ---- articles that did not come
def _no_articles(history: History, check: Check) -> Iterator[Cause]:
    """Start pages came and no article did, neither now nor on listings that showed some before."""
    last, shown = history.last, median([visit.shown for visit in history.visits[:-1]] or [0])
    if last.ended and last.pages and not last.shown and not last.articles and (shown or not last.known):
        title = next((f", its title is “{one.title}”" for one in last.samples if one.start and one.title), "")
        read = f"No article was ever found; the last visit read {_number(last.pages, 'page')}"
        gone = f"{history.nothing_new}listings link to no articles ({shown:.0f} before)"
        yield check.cause(history.start, gone if last.known else read, title)


def _silent(history: History, check: Check) -> Iterator[Cause]:
    """Visits without news, too many for chance (Poisson), and ``limit`` times as many as ever before."""
    count, usual = history.barren, _rate(history)
    before = groupby(history.visits[: len(history.visits) - count], key=lambda visit: visit.articles > 0)
    longest = max((len(list(run)) for news, run in before if not news), default=0)
    if history.last.ended and count > check.limit * longest and exp(-usual * count) < _CHANCE:
        yield check.cause(history.start, history.nothing_new, usual)


def _fell(history: History, check: Check) -> Iterator[Cause]:
    """Sites publish in bursts, so fewer articles are only told where a visit brought one in ``limit`` of the usual number."""
    count, usual = history.last.articles, _rate(history)
    if history.last.ended and count and check.limit * count <= usual:
        yield check.cause(history.start, _number(count, "article"), usual)


def _rate(history: History) -> float:
    """Articles that a visit usually brings; the first visit fetched the archive and tells no rate."""
    usual = [visit.articles for visit in history.visits[1:-1] if visit.ended]
    return mean(usual[: len(usual) + 1 - max(1, history.barren)] or [0])


def _feed_only(history: History, check: Check) -> Iterator[Cause]:
    """Listings show next to nothing, ``limit`` of what is usual, and feeds or sitemaps name the articles that come."""
    found = shift_of(history, _few(history, check))
    late = history.visits[-found.visits :] if found else ()
    named = sum(visit.counts.get(f"hints/{file}", 0) for visit in late for file in (FileKind.FEED, FileKind.SITEMAP))
    if found and named and (came := sum(visit.articles for visit in late)):
        yield check.cause(history.start, found.since, _number(came, "article"))


# ---- templates
def _drifting(history: History, check: Check) -> Iterator[Cause]:
    """Templates that are out of use since they met pages of a later visit than the first, which has nothing to drift from."""
    for family in history.drifting if len(history.visits) > 1 else ():
        met = [(visit, one["url"]) for visit in history.visits for one in drifts(visit) if one["family"] == family]
        if not met or met[-1][0] is not history.visits[0]:
            since = f" since {history.day(met[-1][0])}" if met else ""
            yield check.cause(met[-1][1] if met else history.start, family, since)


def _relearned(history: History, check: Check) -> Iterator[Cause]:
    for event in drifts(history.last) if len(history.visits) > 1 else ():
        family = event["family"]
        if family not in history.drifting:
            version = max(one["version"] for one in history.last.events if one["family"] == family)
            yield check.cause(event["url"], history.day(history.last), family, version)


def drifts(visit: VisitRecord) -> list[dict[str, Any]]:
    """The events of templates that fell out of use."""
    return [event for event in visit.events if event["kind"] == "drifting"]


# ---- crawls that left something, or never came
def _incomplete(history: History, check: Check) -> Iterator[Cause]:
    """Listing pages or articles that were left although the estimate of completeness is below ``limit``; ``effort=quick`` promises none."""
    last = history.last
    if last.ended and (last.left or last.unread) and last.share < check.limit and last.effort != "quick":
        named = {"listing page": last.left, "article": last.unread}
        left = " and ".join(_number(count, name) for name, count in named.items() if count)
        limited = last.reason in ("max_pages", "max_articles")
        level = Level.BROKEN if last.share < check.least and not limited else None
        told = f"{left} left" + f" ({last.reason})" * limited
        yield check.cause(next(iter(last.listings), ""), 100 * last.share, told, level=level)


def _overdue(history: History, check: Check) -> Iterator[Cause]:
    """No visit for ``limit`` times the usual time between two visits, and for an hour at least."""
    moments = [datetime.fromisoformat(visit.began) for visit in history.visits]
    gaps = sorted(after - before for before, after in pairwise(moments))
    if gaps and history.now:
        gap, waited = gaps[len(gaps) // 2], datetime.fromisoformat(history.now) - moments[-1]
        if waited > max(check.limit * gap, timedelta(hours=1)):
            yield check.cause(history.start, history.day(history.last), gap / timedelta(days=1))


def _number(count: int, name: str) -> str:
    return f"{count:,} {name}" + ("" if count == 1 else "s")


# ---- the table
CHECKS = tuple(from_document(Check, row) for row in table_beside(__file__)["checks"])
"""Every check, those that know most first."""
NAMES = tuple(dict.fromkeys(check.name for check in CHECKS))
PLAIN_NAMES = {"headline": "headlines", "datePublished": "dates", "articleBody": "texts"}
"""Fields without which an article is of little use, in words."""
