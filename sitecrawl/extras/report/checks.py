"""Checks of a site, from the table ``checks.json``: they compare its last visits with those
before."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from itertools import groupby, pairwise
from statistics import median

from sitecrawl.crawl.visit import REDUCED
from sitecrawl.extras.report.history import Cause, Check, History, Level, drifts, number
from sitecrawl.extras.report.shifts import TALLIES, by_feed, is_fruitless, shift_of, unwritten_pages
from sitecrawl.records_json import from_document
from sitecrawl.resources import table_beside
from sitecrawl.urls.scope import host_of, registered_domain


def causes_of(history: History) -> list[Cause]:
    """All causes of trouble, the worst first, then in the order of the table; each check once."""
    found: list[tuple[Check, Cause]] = []
    for check in CHECKS if history.visits else ():
        limit = history.limits.get(check.name)
        if limit != 0:
            found += [
                (check, cause)
                for cause in FINDERS[check.find](history, check.with_threshold(limit))
            ]
    is_known = any(not check.vague and cause.level is Level.BROKEN for check, cause in found)
    told: dict[str, Cause] = {}
    for check, cause in found:
        if not (check.vague and is_known):
            told.setdefault(cause.kind, cause)
            is_known = is_known or cause.level is Level.BROKEN
    return sorted(told.values(), key=lambda cause: list(Level).index(cause.level))


# ---- how the last visit ended
def ended(history: History, check: Check) -> Iterator[Cause]:
    last = history.last
    if check.of == "broken" and last.broken:
        yield check.cause("", last.broken)
    elif check.of == "unwritten" and last.unwritten:
        yield check.cause("")
    elif check.of == "killed" and not last.ended:
        yield check.cause("", f"the crawl of {history.day(last)} was killed or crashed")
    elif check.of == "killed" and last.reason == "shutdown":
        yield check.cause("", f"interrupted after {number(last.pages, 'page')}", level=Level.WATCH)


def start_lost(history: History, check: Check) -> Iterator[Cause]:
    """Start pages, or pages of any kind (``of``), that were lost for a reason that matches the
    pattern."""
    pages = [loss for loss in history.last.lost if loss.start or check.of == "any"]
    lost = ((loss.url, re.search(check.pattern, loss.why, re.S)) for loss in pages)
    yield from (
        check.cause(url, history.nothing_new, *match.groups()) for url, match in lost if match
    )


def moved(history: History, check: Check) -> Iterator[Cause]:
    """Start pages that lead to other domains."""
    homes = {registered_domain(host_of(url)) for url in history.last.start}
    landed = [one.url for one in history.last.samples if one.start]
    landed += [loss.landed for loss in history.last.lost if loss.start and loss.landed]
    if landed and homes.isdisjoint(registered_domain(host_of(url)) for url in landed):
        yield check.cause(landed[0], history.nothing_new, host_of(landed[0]))


def wall(history: History, check: Check) -> Iterator[Cause]:
    """Pages of at most ``limit`` characters that match the pattern (consent or login, in many
    languages): start pages without article links, or pages that links promised as articles."""
    starts = [
        one for one in history.last.samples if one.start and not one.left and not history.last.shown
    ]
    for pages in (starts, unwritten_pages(history)):
        said = (one for one in pages if one.characters <= check.limit)
        walls = [one for one in said if re.search(check.pattern, f"{one.title} {one.text}", re.I)]
        if 2 * len(walls) > len(pages):
            yield check.cause(
                walls[0].url, history.nothing_new, walls[0].title or walls[0].text[:60]
            )


def shift(history: History, check: Check) -> Iterator[Cause]:
    """A share that has changed since some visit."""
    tally = TALLIES[check.of](history, check)
    found = shift_of(history, tally, least=check.least, enough=check.enough, worth=check.worth)
    if found:
        level = Level.BROKEN if check.of == "few" and history.is_silent else None
        yield check.cause(found.last.url, found.said, found.last.why, level=level)


# ---- texts
def reduced(history: History, check: Check) -> Iterator[Cause]:
    """Articles of the latest visit that has any whose texts hold nothing beside headline and date:
    at least ``enough`` of them, and the share ``least``. The first visit already tells."""
    written = ([one for one in visit.samples if one.left] for visit in reversed(history.visits))
    pages = next(filter(None, written), [])
    bad = [one for one in pages if REDUCED in one.flags]
    if len(bad) >= check.enough and len(bad) >= check.least * len(pages):
        yield check.cause(bad[0].url, f"{len(bad)} of {len(pages)}", bad[0].title)


# ---- articles that did not come
def no_articles(history: History, check: Check) -> Iterator[Cause]:
    """Start pages were fetched but no article was found, although listings showed some before; or
    none was ever written."""
    last, shown = history.last, median([visit.shown for visit in history.visits[:-1]] or [0])
    is_fed = shift_of(history, by_feed(history, check), least=0.9) is not None
    is_bare = not last.shown and (shown or not last.known)
    if (
        last.ended
        and last.pages
        and not (last.articles or is_fed)
        and (is_bare or is_fruitless(history))
    ):
        title = next(
            (f", its title is “{one.title}”" for one in last.samples if one.start and one.title), ""
        )
        read = f"No article was ever found; the last visit read {number(last.pages, 'page')}"
        gone = f"{history.nothing_new}listings link to no articles ({shown:.0f} before)"
        yield check.cause(history.start, gone if last.known else read, title)


def silent(history: History, check: Check) -> Iterator[Cause]:
    """More visits without new articles than chance explains, and ``limit`` times as many as ever
    before."""
    count = history.barren
    before = groupby(
        history.visits[: len(history.visits) - count], key=lambda visit: visit.articles > 0
    )
    longest = max((len(list(run)) for news, run in before if not news), default=0)
    if history.last.ended and count > check.limit * longest and history.is_silent:
        yield check.cause(history.start, history.nothing_new, history.rate)


def fell(history: History, check: Check) -> Iterator[Cause]:
    """Far fewer articles than visits of this effort usually bring. Sites publish in bursts, so only
    less than one in ``limit`` counts."""
    count, usual = history.last.articles, history.alike.rate
    if history.last.ended and count and check.limit * count <= usual:
        yield check.cause(history.start, number(count, "article"), usual)


# ---- templates
def drifting(history: History, check: Check) -> Iterator[Cause]:
    """Templates out of use since a redesign."""
    for family in history.drifting:
        met = [
            (visit, one.url)
            for visit in history.visits
            for one in drifts(visit)
            if one.family == family
        ]
        yield check.cause(met[-1][1], family, history.day(met[-1][0]))


def relearned(history: History, check: Check) -> Iterator[Cause]:
    for event in drifts(history.last):
        family = event.family
        if family not in history.drifting:
            version = max(one.version for one in history.last.events if one.family == family)
            yield check.cause(event.url, history.day(history.last), family, version)


# ---- crawls that did not end well, or did not take place
def incomplete(history: History, check: Check) -> Iterator[Cause]:
    """Listing pages or articles were not fetched and the completeness is below ``limit``; not with
    ``effort=quick``, nor after an interruption. Where an estimate has no basis, the articles that
    were seen and not read say how complete the crawl is at most."""
    last = history.last
    is_limited = last.reason.startswith("max_")  # the user asked for no more
    is_meant = last.ended and last.effort != "quick" and last.reason != "shutdown"
    if is_limited or not is_meant or not (last.unopened or last.unread):
        return
    share = last.share
    word = "About"
    if share is None and last.shown:
        share = max(0.0, 1 - last.unread / last.shown)
        word = "At most"
    if share is None or share >= check.limit:
        return
    named = {"listing page": last.unopened, "article": last.unread}
    told = " and ".join(number(count, name) for name, count in named.items() if count) + " left"
    is_broken = share < check.least and last.reason == "finished"
    level = Level.BROKEN if is_broken else None
    yield check.cause(next(iter(last.listings), ""), word, 100 * share, told, level=level)


def overdue(history: History, check: Check) -> Iterator[Cause]:
    """No visit for ``limit`` times the usual interval, and for at least an hour."""
    moments = [datetime.fromisoformat(visit.began) for visit in history.visits]
    gaps = sorted(after - before for before, after in pairwise(moments))
    if gaps and history.now:
        gap, waited = gaps[len(gaps) // 2], datetime.fromisoformat(history.now) - moments[-1]
        if waited > max(check.limit * gap, timedelta(hours=1)):
            yield check.cause(history.start, history.day(history.last), gap / timedelta(days=1))


# ---- the table
FINDERS: dict[str, Callable[[History, Check], Iterator[Cause]]] = {
    one.__name__: one
    for one in (
        ended, start_lost, moved, wall, shift, reduced, no_articles, silent, fell,
        drifting, relearned, incomplete, overdue,
    )
}  # fmt: skip
"""Check functions by the name in a check's ``find``. A new kind of check is a function above, its
name here, and its row in the table."""
CHECKS = tuple(
    from_document(Check, row) for row in table_beside(__file__)["checks"]
)  # all checks, most specific first
NAMES = tuple(dict.fromkeys(check.name for check in CHECKS))
