"""What is wrong with a site, in words for the person who watches it: its visit records weighed against one another."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import groupby, pairwise
from math import comb, exp
from statistics import mean, median
from typing import Any

from sitecrawl.crawl.visits import Loss, VisitRecord
from sitecrawl.extras.report.markup import day

_CHANCE = 0.001
"""Probability below which what a visit brought is no accident: at 300 sites a day, one false alarm in three days at most."""


class Level(StrEnum):
    """How bad it is, the worst first."""

    BROKEN = "broken"
    WATCH = "watch"
    FINE = "fine"


class CauseKind(StrEnum):
    """What can be wrong with a site."""

    STATE = "state"
    KILLED = "killed"
    START_GONE = "start-gone"
    BLOCKED = "blocked"
    ROBOTS = "robots"
    NETWORK = "network"
    START_LOST = "start-lost"
    LOGIN = "login"
    UNWRITTEN = "unwritten"
    NO_ARTICLES = "no-articles"
    SILENT = "silent"
    FELL = "fell"
    DRIFTING = "drifting"
    RELEARNED = "relearned"
    FIELD = "field"
    INCOMPLETE = "incomplete"
    LOSSES = "losses"
    OVERDUE = "overdue"


@dataclass(frozen=True, slots=True)
class Cause:
    """One thing that is wrong: ``text`` in a sentence, ``url`` of a page that shows it, empty without one."""

    kind: CauseKind
    level: Level
    text: str
    url: str = ""


def _broken(kind: CauseKind, text: str, url: str = "") -> Cause:
    return Cause(kind, Level.BROKEN, text, url)


def _watch(kind: CauseKind, text: str, url: str = "") -> Cause:
    return Cause(kind, Level.WATCH, text, url)


@dataclass(frozen=True, slots=True)
class History:
    """The visits of one row, oldest first, those under way left out. ``drifting`` names the templates that are out of use, ``now`` is
    the moment of the fleet's latest visit."""

    visits: Sequence[VisitRecord]
    drifting: Sequence[str] = ()
    now: str = ""

    @property
    def last(self) -> VisitRecord:
        return self.visits[-1]

    @property
    def earlier(self) -> Sequence[VisitRecord]:
        """All visits but the last."""
        return self.visits[:-1]

    @property
    def start(self) -> str:
        """The first start page, empty without one."""
        return next(iter(self.last.start), "")

    @property
    def began(self) -> str:
        """The day of the last visit."""
        return day(self.last.began, self.now)

    @property
    def barren(self) -> int:
        """Visits at the end that brought nothing new."""
        return next((at for at, visit in enumerate(reversed(self.visits)) if visit.articles), len(self.visits))


def causes_of(history: History) -> list[Cause]:
    """All that is wrong, the worst first."""
    rules = (_ended, _start_pages, _logins, _losses, _articles, _templates, _fields, _incomplete, _overdue)
    found = [cause for rule in rules for cause in rule(history)] if history.visits else []
    return sorted(found, key=lambda cause: list(Level).index(cause.level))


def level_of(causes: Sequence[Cause]) -> Level:
    """How bad a site is, by all that is wrong with it."""
    return min((cause.level for cause in causes), key=list(Level).index, default=Level.FINE)


# ---- crawls that came to no good end
def _ended(history: History) -> Iterator[Cause]:
    last = history.last
    if last.broken:
        yield _broken(CauseKind.STATE, f"The crawl stopped: {last.broken}")
    elif not last.ended:
        yield _broken(CauseKind.KILLED, f"The crawl of {history.began} was killed or crashed; the next run goes on")
    elif last.reason == "shutdown":
        yield _watch(CauseKind.KILLED, f"Interrupted after {_number(last.pages, 'page')}; the next run goes on")
    if last.unwritten:
        yield _broken(CauseKind.UNWRITTEN, "A feed could not be written; the articles wait for the next run")


# ---- pages that did not come
_GONE = "answered (404|410)"
_TROUBLES = {
    _GONE: (CauseKind.START_GONE, "the start page answers {}"),
    "answered (401|403|407|418|429|503)": (CauseKind.BLOCKED, "turned away, the start page says {}"),
    "robots.txt": (CauseKind.ROBOTS, "robots.txt forbids the start page"),
    "login": (CauseKind.LOGIN, "the start page asks for a login"),
    "^(no answer in time.*|no such host.*)": (CauseKind.NETWORK, "the start page gives {}"),
    "^(cannot be reached.*)": (CauseKind.NETWORK, "the start page {}"),
    "(?s)(.*)": (CauseKind.START_LOST, "the start page was lost: {}"),
}
"""What the reason for which a start page was lost means; 418 and 503 are answers of some firewalls."""


def _start_pages(history: History) -> Iterator[Cause]:
    for loss in history.last.lost:
        found = ((re.search(pattern, loss.why), meaning) for pattern, meaning in _TROUBLES.items())
        match, (kind, said) = next((match, meaning) for match, meaning in found if match)
        if loss.start:
            yield _broken(kind, _nothing_new(history) + said.format(*match.groups()), loss.url)


def _nothing_new(history: History) -> str:
    """Since when there are no new articles, as the beginning of a sentence."""
    good = [visit for visit in history.visits if visit.articles]
    if history.last.articles:
        return ""
    return f"0 articles since {day(good[-1].began, history.now)}: " if good else "No article yet: "


def _losses(history: History, *, least: int = 5, share: float = 0.2) -> Iterator[Cause]:
    """Lost pages, from ``least`` more than usual and this ``share`` of the visit on: a few fail on any visit."""
    usual = median([_count_missed(visit) for visit in history.earlier] or [0])
    count = _count_missed(history.last) - usual
    asked = history.last.pages + count
    if count >= least and count >= share * asked:
        worst = max(_missed(history.last), key=lambda loss: loss.count)
        told = _broken if 2 * count > asked else _watch
        yield told(CauseKind.LOSSES, f"{count:.0f} of {asked:.0f} pages were lost: {worst.why}", worst.url)


def _missed(visit: VisitRecord) -> list[Loss]:
    """Pages lost that should have come; links to pages that are gone (404) stand on every old site."""
    return [loss for loss in visit.lost if not loss.start and not re.search(f"{_GONE}|login", loss.why)]


def _count_missed(visit: VisitRecord) -> int:
    return sum(loss.count for loss in _missed(visit))


def _logins(history: History) -> Iterator[Cause]:
    last = history.last
    walled = next((loss for loss in last.lost if "login" in loss.why and not loss.start), None)
    if walled and 2 * last.counts.get("pages/fake/login", 0) >= last.pages:
        yield _broken(CauseKind.LOGIN, f"{_nothing_new(history)}the site asks for a login", walled.url)


# ---- articles that did not come
def _articles(history: History, *, fall: float = 10) -> Iterator[Cause]:
    """Articles that did not come. Sites publish in bursts, so fewer of them are only reported where a visit brought one in ``fall`` of the usual number."""
    last, start, usual = history.last, history.start, _rate(history)
    shown = median([visit.shown for visit in history.earlier] or [0])
    if not last.ended or not last.pages or any(loss.start for loss in last.lost):
        return
    if not last.known:
        said = f"No article was ever found; the last visit read {_number(last.pages, 'page')}"
        yield _broken(CauseKind.NO_ARTICLES, said, start)
    elif not last.articles and shown and not last.shown:
        said = f"{_nothing_new(history)}listings link to no articles ({shown:.0f} before)"
        yield _broken(CauseKind.NO_ARTICLES, said, start)
    elif _is_silent(history):
        yield _broken(CauseKind.SILENT, f"{_nothing_new(history)}usually {usual:.1f} a visit", start)
    elif last.articles and fall * last.articles <= usual:
        said = f"{_number(last.articles, 'article')} in the last visit, usually {usual:.0f}"
        yield _broken(CauseKind.FELL, said, start)


def _rate(history: History) -> float:
    """Articles that a visit usually brings; the first visit fetched the archive and tells no rate."""
    usual = [visit.articles for visit in history.visits[1:-1] if visit.ended]
    return mean(usual[: len(usual) + 1 - max(1, history.barren)] or [0])


def _is_silent(history: History) -> bool:
    """Whether the visits without news are too many for chance (Poisson), and twice as many as ever before."""
    count = history.barren
    before = groupby(history.visits[: len(history.visits) - count], key=lambda visit: visit.articles > 0)
    longest = max((len(list(run)) for news, run in before if not news), default=0)
    return count > 2 * longest and exp(-_rate(history) * count) < _CHANCE


# ---- what templates and fields say
def _templates(history: History) -> Iterator[Cause]:
    first = len(history.visits) == 1
    for family in history.drifting:
        met = [(visit, event) for visit in history.visits for event in _drifts(visit) if event["family"] == family]
        since = f" since {day(met[-1][0].began, history.now)}" if met else ""
        said = f"{family} fits its pages no more{since}, articles are read without it"
        told = _watch if first else _broken
        yield told(CauseKind.DRIFTING, said if first else f"Redesigned: {said}", met[-1][1]["url"] if met else "")
    drifted = {event["family"]: event for event in _drifts(history.last)}
    for family, event in drifted.items():
        if family not in history.drifting and not first:
            version = max(one["version"] for one in history.last.events if one["family"] == family)
            said = f"Redesigned {history.began}: {family} was learned again as version {version}"
            yield _watch(CauseKind.RELEARNED, said, event["url"])
    if not history.drifting and not drifted:
        yield from _unused(history)


def _drifts(visit: VisitRecord) -> list[dict[str, Any]]:
    """The events of templates that fell out of use."""
    return [event for event in visit.events if event["kind"] == "drifting"]


def _unused(history: History) -> Iterator[Cause]:
    """The template that answered nearly all pages answers none: a redesign so thorough that the new pages are no longer its own."""
    now, before = Counter(history.last.answered), Counter[str]()
    for visit in history.earlier:
        before.update(visit.answered)
    ((family, uses),) = before.most_common(1) or [("", 0)]
    if not family or not now or now[family] or (1 - min(uses / before.total(), 0.98)) ** now.total() >= _CHANCE:
        return
    ((new, _),) = now.most_common(1)
    if new:
        said = f"Redesigned {history.began}: {new} answers in place of {family}"
        yield _watch(CauseKind.RELEARNED, said, history.start)
    else:
        yield _broken(
            CauseKind.DRIFTING, f"Redesigned {history.began}: {family} answers no page any more", history.start
        )


PLAIN_NAMES = {"headline": "headlines", "datePublished": "dates", "articleBody": "texts"}
"""Fields without which an article is of little use, in words."""


def usual_coverage(earlier: Sequence[VisitRecord]) -> dict[str, float]:
    """Share of the articles of these visits that have a field, by field."""
    known = [visit for visit in earlier if visit.coverage]
    weights = [visit.articles + visit.revised for visit in known]
    return {
        name: sum(visit.coverage.get(name, 0.0) * weight for visit, weight in zip(known, weights, strict=True))
        / max(1, sum(weights))
        for name in {name for visit in known for name in visit.coverage}
    }


def _fields(history: History) -> Iterator[Cause]:
    last, usual = history.last, usual_coverage(history.earlier)
    count = last.articles + last.revised
    for name, plain in (PLAIN_NAMES | {"authors": "authors", "mainImage": "images"}).items():
        before, share = usual.get(name, 0.0), last.coverage.get(name, 0.0)
        if not last.coverage or share >= before / 2:
            continue
        if _at_most(round(share * count), count, min(before, 0.98)) < _CHANCE:
            said = f"{100 * share:.0f} % of {_number(count, 'article')}, {100 * before:.0f} % before"
            url = next((one["url"] for one in last.doubtful), "")
            told = _broken if name in PLAIN_NAMES else _watch
            yield told(CauseKind.FIELD, f"{plain.capitalize()} missing since {history.began}: {said}", url)


def _at_most(found: int, count: int, share: float) -> float:
    """Probability of at most ``found`` of ``count`` where each has the probability ``share`` (the normal tail above 500 is not worth it).

    >>> round(_at_most(0, 3, 0.9), 6)
    0.001
    """
    count, found = min(count, 500), min(found, 500)
    return sum(comb(count, at) * share**at * (1 - share) ** (count - at) for at in range(found + 1))


# ---- crawls that left something, or never came
def _incomplete(history: History, *, complete: float = 0.9) -> Iterator[Cause]:
    """Listing pages or articles that were left although the estimate of completeness is below ``complete``."""
    last = history.last
    if last.ended and (last.left or last.unread) and last.share < complete:
        named = {"listing page": last.left, "article": last.unread}
        left = " and ".join(_number(count, name) for name, count in named.items() if count)
        limited = last.reason in ("max_pages", "max_articles")
        said = f"About {100 * last.share:.0f} % complete: {left} left" + f" ({last.reason})" * limited
        told = _broken if last.share < 0.5 and not limited else _watch
        yield told(CauseKind.INCOMPLETE, said, next(iter(last.listings), ""))


def _overdue(history: History, *, late: float = 3) -> Iterator[Cause]:
    """No visit for ``late`` times the usual time between two visits, and for an hour at least."""
    moments = [datetime.fromisoformat(visit.began) for visit in history.visits]
    gaps = sorted(after - before for before, after in pairwise(moments))
    if gaps and history.now:
        gap, waited = gaps[len(gaps) // 2], datetime.fromisoformat(history.now) - moments[-1]
        if waited > max(late * gap, timedelta(hours=1)):
            said = f"Not visited since {history.began}, usually every {_span(gap)}"
            yield _watch(CauseKind.OVERDUE, said)


def _span(gap: timedelta) -> str:
    """A time in its largest unit.

    >>> _span(timedelta(hours=30)), _span(timedelta(hours=5)), _span(timedelta(minutes=9))
    ('day', '5 hours', '9 minutes')
    """
    for name, length in (("day", timedelta(days=1)), ("hour", timedelta(hours=1)), ("minute", timedelta(minutes=1))):
        count = round(gap / length)
        if count:
            return name if count == 1 else f"{count} {name}s"
    return "few seconds"


def _number(count: int, name: str) -> str:
    return f"{count:,} {name}" + ("" if count == 1 else "s")
