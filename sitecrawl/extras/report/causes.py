"""What is wrong with a site, in words for the person who watches it: its visit records weighed against one another."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from http import HTTPStatus
from itertools import pairwise
from math import comb, exp
from statistics import mean, median

from sitecrawl.crawl.visits import Loss, VisitRecord

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
    def usual(self) -> list[VisitRecord]:
        """Earlier visits by which the last one is measured; the first one fetched the archive and tells no rate."""
        return [visit for visit in self.visits[1:-1] if visit.ended]

    @property
    def barren(self) -> int:
        """Visits at the end that brought nothing new."""
        return next((at for at, visit in enumerate(reversed(self.visits)) if visit.articles), len(self.visits))


def causes_of(history: History) -> list[Cause]:
    """All that is wrong, the worst first."""
    if not history.visits:
        return []
    found = [cause for rule in _RULES for cause in rule(history)]
    return sorted(found, key=lambda cause: list(Level).index(cause.level))


def level_of(causes: Sequence[Cause]) -> Level:
    """How bad a site is, by all that is wrong with it."""
    return min((cause.level for cause in causes), key=list(Level).index, default=Level.FINE)


def day(moment: str, now: str = "") -> str:
    """The day of a moment (ISO 8601), the year only where it is another one than that of ``now``.

    >>> day("2026-11-14T06:00:00Z", "2026-11-22"), day("2025-11-14"), day("")
    ('14 Nov', '14 Nov 2025', 'never')
    """
    try:
        found = datetime.fromisoformat(moment[:10])
    except ValueError:
        return moment[:10] or "never"
    return f"{found.day} {found:%b}" + ("" if moment[:4] == now[:4] else f" {found.year}")


# ---- crawls that came to no good end
def _ended(history: History) -> Iterator[Cause]:
    last = history.last
    if last.broken:
        yield Cause(CauseKind.STATE, Level.BROKEN, f"The crawl stopped: {last.broken}")
    elif not last.ended:
        said = f"The crawl of {day(last.began, history.now)} was killed or crashed; the next run goes on"
        yield Cause(CauseKind.KILLED, Level.BROKEN, said)
    elif last.reason == "shutdown":
        said = f"Interrupted after {_number(last.pages, 'page')}; the next run goes on"
        yield Cause(CauseKind.KILLED, Level.WATCH, said)
    if last.unwritten:
        yield Cause(
            CauseKind.UNWRITTEN, Level.BROKEN, "A feed could not be written; the articles wait for the next run"
        )


# ---- pages that did not come
_GONE = frozenset((HTTPStatus.NOT_FOUND, HTTPStatus.GONE))
_BLOCKED = frozenset(
    (
        HTTPStatus.UNAUTHORIZED,
        HTTPStatus.FORBIDDEN,
        HTTPStatus.PROXY_AUTHENTICATION_REQUIRED,
        HTTPStatus.IM_A_TEAPOT,
        HTTPStatus.TOO_MANY_REQUESTS,
        HTTPStatus.SERVICE_UNAVAILABLE,
    )
)
"""Answers of servers that do not want to be crawled; 418 and 503 are those of some firewalls."""


def _start_pages(history: History) -> Iterator[Cause]:
    for loss in history.last.lost:
        if loss.start:
            kind, said = _trouble(loss)
            yield Cause(kind, Level.BROKEN, f"{_nothing_new(history)}{said}", loss.url)


def _trouble(loss: Loss) -> tuple[CauseKind, str]:
    """What a start page's reason means."""
    code = _status(loss)
    if code in _GONE:
        return CauseKind.START_GONE, f"the start page answers {code}"
    if code in _BLOCKED:
        return CauseKind.BLOCKED, f"turned away, the start page says {code}"
    if "robots.txt" in loss.why:
        return CauseKind.ROBOTS, "robots.txt forbids the start page"
    if "login" in loss.why:
        return CauseKind.LOGIN, "the start page asks for a login"
    if loss.why.startswith(("no answer in time", "no such host")):
        return CauseKind.NETWORK, f"the start page gives {loss.why}"
    if loss.why.startswith("cannot be reached"):
        return CauseKind.NETWORK, f"the start page {loss.why}"
    return CauseKind.START_LOST, f"the start page was lost: {loss.why}"


def _nothing_new(history: History) -> str:
    """Since when there are no new articles, as the beginning of a sentence."""
    good = [visit for visit in history.visits if visit.articles]
    if history.last.articles:
        return ""
    return f"0 articles since {day(good[-1].began, history.now)}: " if good else "No article yet: "


def _losses(history: History, *, least: int = 5, share: float = 0.2) -> Iterator[Cause]:
    """Lost pages, from ``least`` more than usual and this ``share`` of the visit on: a few fail on any visit."""
    last, lost = history.last, _missed(history.last)
    count = sum(loss.count for loss in lost) - median(
        [sum(loss.count for loss in _missed(visit)) for visit in history.visits[:-1]] or [0]
    )
    if count < least or count < share * (last.pages + count):
        return
    worst = max(lost, key=lambda loss: loss.count)
    level = Level.BROKEN if 2 * count > last.pages + count else Level.WATCH
    yield Cause(
        CauseKind.LOSSES, level, f"{count:.0f} of {last.pages + count:.0f} pages were lost: {worst.why}", worst.url
    )


def _missed(visit: VisitRecord) -> list[Loss]:
    """Pages lost that should have come; links to pages that are gone (404) stand on every old site."""
    return [loss for loss in visit.lost if not loss.start and _status(loss) not in _GONE and "login" not in loss.why]


def _status(loss: Loss) -> int:
    """The status that a server answered, 0 where there is none."""
    found = re.search(r"answered (\d{3})", loss.why)
    return int(found[1]) if found else 0


def _logins(history: History) -> Iterator[Cause]:
    last = history.last
    walled = next((loss for loss in last.lost if "login" in loss.why and not loss.start), None)
    if walled and 2 * last.counts.get("pages/fake/login", 0) >= last.pages:
        yield Cause(CauseKind.LOGIN, Level.BROKEN, f"{_nothing_new(history)}the site asks for a login", walled.url)


# ---- articles that did not come
def _articles(history: History, *, fall: float = 10) -> Iterator[Cause]:
    """Articles that did not come. Sites publish in bursts, so fewer of them are only reported where a visit brought one in ``fall`` of the usual number."""
    last, start = history.last, (*history.last.start, "")[0]
    if not last.ended or not last.pages or any(loss.start for loss in last.lost):
        return
    if not last.known:
        said = f"No article was ever found; the last visit read {_number(last.pages, 'page')}"
        yield Cause(CauseKind.NO_ARTICLES, Level.BROKEN, said, start)
    elif not last.articles and (before := _shown_before(history)) and not last.shown:
        said = f"{_nothing_new(history)}listings link to no articles ({before:.0f} before)"
        yield Cause(CauseKind.NO_ARTICLES, Level.BROKEN, said, start)
    elif _is_silent(history):
        said = f"{_nothing_new(history)}usually {_rate(history):.1f} a visit"
        yield Cause(CauseKind.SILENT, Level.BROKEN, said, start)
    elif last.articles and fall * last.articles <= (usual := _rate(history)):
        said = f"{_number(last.articles, 'article')} in the last visit, usually {usual:.0f}"
        yield Cause(CauseKind.FELL, Level.BROKEN, said, start)


def _shown_before(history: History) -> float:
    """Articles that the listing pages of a visit usually show."""
    return median([visit.shown for visit in history.visits[:-1]] or [0])


def _rate(history: History) -> float:
    """Articles that a visit usually brings."""
    return mean([visit.articles for visit in history.usual[: len(history.usual) + 1 - max(1, history.barren)]] or [0])


def _is_silent(history: History) -> bool:
    """Whether the visits without news are too many for chance (Poisson), and twice as many as ever before."""
    count, longest, run = history.barren, 0, 0
    for visit in history.visits[: len(history.visits) - count]:
        run = 0 if visit.articles else run + 1
        longest = max(longest, run)
    return count > 2 * longest and exp(-_rate(history) * count) < _CHANCE


# ---- what templates and fields say
def _templates(history: History) -> Iterator[Cause]:
    for family in history.drifting:
        met = next((event for event in _events(history, family) if event[1]["kind"] == "drifting"), None)
        since, url = (f" since {day(met[0], history.now)}", met[1]["url"]) if met else ("", "")
        first = len(history.visits) == 1
        said = f"{family} fits its pages no more{since}, articles are read without it"
        yield Cause(
            CauseKind.DRIFTING, Level.WATCH if first else Level.BROKEN, said if first else f"Redesigned: {said}", url
        )
    drifted = {event["family"]: event for event in history.last.events if event["kind"] == "drifting"}
    for family, event in drifted.items():
        if family not in history.drifting and len(history.visits) > 1:
            version = max(one["version"] for one in history.last.events if one["family"] == family)
            said = f"Redesigned {day(history.last.began, history.now)}: {family} was learned again as version {version}"
            yield Cause(CauseKind.RELEARNED, Level.WATCH, said, event["url"])
    if not history.drifting and not drifted:
        yield from _unused(history)


def _unused(history: History) -> Iterator[Cause]:
    """The template that answered nearly all pages answers none: a redesign so thorough that the new pages are no longer its own."""
    last, before = history.last, Counter[str]()
    for visit in history.visits[:-1]:
        before.update(visit.answered)
    count, total = sum(last.answered.values()), sum(before.values())
    family, uses = max(before.items(), key=lambda one: one[1], default=("", 0))
    if not family or not count or last.answered.get(family) or (1 - min(uses / total, 0.98)) ** count >= _CHANCE:
        return
    new = max(last.answered, key=lambda name: last.answered[name])
    if new:
        said = f"Redesigned {day(last.began, history.now)}: {new} answers in place of {family}"
        yield Cause(CauseKind.RELEARNED, Level.WATCH, said, (*last.start, "")[0])
    else:
        said = f"Redesigned {day(last.began, history.now)}: {family} answers no page any more"
        yield Cause(CauseKind.DRIFTING, Level.BROKEN, said, (*last.start, "")[0])


def _events(history: History, family: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Moment and event of what happened to a template, the latest first."""
    for visit in reversed(history.visits):
        for event in reversed(visit.events):
            if event["family"] == family:
                yield visit.began, event


_PLAIN = {
    "headline": "headlines",
    "datePublished": "dates",
    "authors": "authors",
    "articleBody": "texts",
    "mainImage": "images",
}


def _fields(history: History) -> Iterator[Cause]:
    last, earlier = history.last, [visit for visit in history.visits[:-1] if visit.coverage]
    count = last.articles + last.revised
    if not count or not earlier or not last.coverage:
        return
    for name, plain in _PLAIN.items():
        weights = [visit.articles + visit.revised for visit in earlier]
        filled = sum(visit.coverage.get(name, 0.0) * weight for visit, weight in zip(earlier, weights, strict=True))
        before, share = filled / max(1, sum(weights)), last.coverage.get(name, 0.0)
        if share < before / 2 and _at_most(round(share * count), count, min(before, 0.98)) < _CHANCE:
            said = f"{100 * share:.0f} % of {_number(count, 'article')}, {100 * before:.0f} % before"
            level = Level.BROKEN if name in ("headline", "datePublished", "articleBody") else Level.WATCH
            url = next((one["url"] for one in last.doubtful), "")
            yield Cause(
                CauseKind.FIELD,
                level,
                f"{plain.capitalize()} missing since {day(last.began, history.now)}: {said}",
                url,
            )


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
    if not last.ended or not (last.left or last.unread) or last.share >= complete:
        return
    left = [_number(last.left, "listing page")] * bool(last.left) + [_number(last.unread, "article")] * bool(
        last.unread
    )
    limited = last.reason in ("max_pages", "max_articles")
    said = f"About {100 * last.share:.0f} % complete: {' and '.join(left)} left" + f" ({last.reason})" * limited
    level = Level.BROKEN if last.share < 0.5 and not limited else Level.WATCH
    yield Cause(CauseKind.INCOMPLETE, level, said, (*last.listings, "")[0])


def _overdue(history: History, *, late: float = 3) -> Iterator[Cause]:
    """No visit for ``late`` times the usual time between two visits, and for an hour at least."""
    moments = [_moment(visit.began) for visit in history.visits]
    gaps = [after - before for before, after in pairwise(moments)]
    if not gaps or not history.now:
        return
    gap, waited = sorted(gaps)[len(gaps) // 2], _moment(history.now) - moments[-1]
    if waited > late * gap and waited > timedelta(hours=1):
        said = f"Not visited since {day(history.last.began, history.now)}, usually every {_span(gap)}"
        yield Cause(CauseKind.OVERDUE, Level.WATCH, said)


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


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


_RULES: tuple[Callable[[History], Iterator[Cause]], ...] = (
    _ended,
    _start_pages,
    _logins,
    _losses,
    _articles,
    _templates,
    _fields,
    _incomplete,
    _overdue,
)
"""The worst first, where two are as bad."""
