"""What the user says of the sites in a report: names, groups, owners, thresholds and mutes. They
come from the file of sites, through the schedule."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from sitecrawl.commands._alerts import CONDITIONS
from sitecrawl.crawl.store import Stores
from sitecrawl.errors import SitecrawlError, nearest
from sitecrawl.extras.fleet.schedule import Schedule, Wishes
from sitecrawl.extras.report.history import History
from sitecrawl.extras.report.markup import day
from sitecrawl.extras.report.rules import KINDS, Cause, SiteReason, causes_of

ALL = "all"  # mutes every kind of cause
_MOST = 1e9  # no threshold is larger


@dataclass(frozen=True, slots=True)
class Watch:
    """What is said of a row of the report."""

    wishes: Wishes = field(default_factory=Wishes)

    def judge(self, history: History) -> list[Cause]:
        """All causes after the last visit, the worst first, muted ones last."""
        causes = causes_of(replace(history, limits=self.wishes.limits))
        muted = self.muted(history)
        for at, cause in enumerate(causes):
            until = muted.get(cause.kind) or muted.get(ALL)
            if until:
                causes[at] = replace(cause, muted=f"muted until {day(until)}")
        return sorted(causes, key=lambda cause: bool(cause.muted))

    def muted(self, history: History) -> dict[str, str]:
        """The kinds and conditions that are muted after the last visit, and until which day."""
        today = (history.now or history.last.began)[:10]
        return {name: until for name, until in self.wishes.mutes.items() if today <= until}


def watches_of(stores: Stores) -> dict[tuple[str, tuple[str, ...]], Watch]:
    """What the schedule says of sites, by name and start pages; nothing if there is none. Raises
    DatabaseError."""
    if not (stores.database or stores.schedule_path.is_file()):
        return {}
    with closing(Schedule(stores.watched())) as schedule:
        return {(one.site, one.start): Watch(one.wishes) for one in schedule.all()}


# ---- what a file of sites says
def limits_of(given: Mapping[str, Any]) -> dict[str, float]:
    """Thresholds by kind of cause: a number, or false, which switches it off. Raises
    SitecrawlError with a suggestion."""
    return {name: _threshold(name, value) for name, value in given.items()}


def mutes_of(given: Mapping[str, Any]) -> dict[str, str]:
    """The day (ISO 8601) until which each kind of cause is muted. Raises SitecrawlError."""
    return {_checked(name): _day(name, until) for name, until in given.items()}


def _threshold(name: str, value: Any) -> float:
    defaults = [reason.threshold for reason in SiteReason if reason.kind == name]
    if not defaults:
        raise SitecrawlError(f"checks: no check {name}: {nearest(name, KINDS)}")
    if value is False:
        return 0.0
    if not any(defaults):
        told = f"{name} has no threshold: write {name} = false to switch it off"
        raise SitecrawlError(f"checks: {told}")
    is_share = max(defaults) <= 1
    what = "a share, 0.01 to 1" if is_share else "a number above 0"
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 < value <= (1.0 if is_share else _MOST):
        raise SitecrawlError(f"checks: {name} = {value}: write {what}, or false to switch it off")
    return float(value)


def _checked(name: str) -> str:
    """The name of a kind of cause, a condition, or ``all``. Raises SitecrawlError for any other
    name."""
    known = [*KINDS, *CONDITIONS, ALL]
    if name not in known:
        raise SitecrawlError(f"no check {name}: {nearest(name, known)}")
    return name


def _day(name: str, text: object) -> str:
    """A day of the calendar, as ISO 8601. Raises SitecrawlError."""
    try:
        return date.fromisoformat(str(text)).isoformat()
    except ValueError:
        told = f"{name} cannot be muted until {text}: write a day such as 2026-12-31"
        raise SitecrawlError(told) from None
