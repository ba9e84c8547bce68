"""What the user says of the sites in a report: names, groups, owners, thresholds and mutes. They
come from the file of sites, through the schedule, and from `sitecrawl report mute`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from typing import Any

from sitecrawl.commands._alerts import CONDITIONS
from sitecrawl.crawl.database import write_whole
from sitecrawl.crawl.store import Stores
from sitecrawl.crawl.visit import Visit
from sitecrawl.errors import SitecrawlError, SitesError, nearest
from sitecrawl.extras.fleet.schedule import Schedule, Watched, Wishes
from sitecrawl.extras.report.history import History
from sitecrawl.extras.report.markup import day
from sitecrawl.extras.report.rules import KINDS, Cause, SiteReason, causes_of
from sitecrawl.extras.visits import file_errors, logs_of
from sitecrawl.records_json import from_document
from sitecrawl.text.chars import printable

ALL = "all"  # mutes every kind of cause
_MUTES = "mutes.json"  # file of the data folder
_MOST = 1e9  # no threshold is larger


@dataclass(frozen=True, slots=True)
class Mute:
    """Mutes a kind of cause, a condition of alerts or ``all`` at a site, until the end of the day
    ``until`` (ISO 8601)."""

    check: str
    site: str = ""
    until: str = ""
    why: str = ""

    def __str__(self) -> str:
        """Site, kind, and until when and why, in words."""
        return printable(f"{self.site} {self.check}: {self.said}")

    @property
    def said(self) -> str:
        """Until when and why, in words."""
        said = f"muted until {day(self.until)}"
        return f"{said}: {self.why}" if self.why else said

    def holds(self, history: History) -> bool:
        """Whether it still applies after the last visit of a site."""
        return (history.now or history.last.began)[:10] <= self.until


@dataclass(frozen=True, slots=True)
class Watch:
    """What is said of a row of the report."""

    wishes: Wishes = field(default_factory=Wishes)
    mutes: tuple[Mute, ...] = ()

    def judge(self, history: History) -> list[Cause]:
        """All causes after the last visit, the worst first, muted ones last."""
        causes = causes_of(replace(history, limits=self.wishes.limits))
        muted = {mute.check: mute.said for mute in self.mutes if mute.holds(history)}
        for at, cause in enumerate(causes):
            causes[at] = replace(cause, muted=muted.get(cause.kind) or muted.get(ALL, ""))
        return sorted(causes, key=lambda cause: bool(cause.muted))

    def muted(self, history: History) -> set[str]:
        """The kinds and conditions that are muted after the last visit."""
        return {mute.check for mute in self.mutes if mute.holds(history)}


class Watchlist:
    """What is said of all sites. Raises SitesError, and DatabaseError if its files cannot be
    used."""

    def __init__(self, stores: Stores) -> None:
        self._path = stores.data_dir / _MUTES
        self.mutes = _load(self._path)
        self._wishes = {(one.site, one.start): one.wishes for one in _scheduled(stores)}

    def of(self, visit: Visit) -> Watch:
        """What is said of the row of a visit."""
        wishes = self._wishes.get((visit.site, visit.start), Wishes())
        mutes = [Mute(check, until=until) for check, until in wishes.mutes.items()]
        mutes += [mute for mute in self.mutes if mute.site in (visit.site, wishes.name)]
        return Watch(wishes, tuple(mutes))

    def names(self) -> set[str]:
        """The names that sites were given."""
        return {wishes.name for wishes in self._wishes.values() if wishes.name}

    def change(self, mute: Mute, *, on: bool) -> None:
        """Add a mute in place of the same one, or take it away."""
        same = (mute.site, mute.check)
        mutes = [one for one in self.mutes if (one.site, one.check) != same]
        if on:
            mutes.append(mute)
        with file_errors(self._path):
            text = json.dumps([asdict(one) for one in mutes], ensure_ascii=False, indent=1)
            write_whole(self._path, text)


def _scheduled(stores: Stores) -> list[Watched]:
    """The sites of the schedule, if there is one."""
    if not (stores.database or stores.schedule_path.is_file()):
        return []
    with closing(Schedule(stores.watched())) as schedule:
        return schedule.all()


def _load(path: Any) -> list[Mute]:
    with file_errors(path):
        text = path.read_text("utf8") if path.is_file() else "[]"
    try:
        return [from_document(Mute, one) for one in json.loads(text)]
    except (ValueError, TypeError) as error:
        told = f"is damaged ({error})"
        raise SitesError(path, told, "delete it and run the command again") from None


def mute(stores: Stores, site: str, *, check: str, on: bool, until: str = "", why: str = "") -> str:
    """Mute a kind of cause of a site until a day, or unmute it; returns a message. Raises
    SitecrawlError."""
    watchlist = Watchlist(stores)
    check = _checked(check)
    visited = {record.site for log in logs_of(stores.data_dir) for record in log.load()[-1:]}
    known = visited | watchlist.names()
    if not known:
        raise SitecrawlError("no site was crawled yet")
    if site not in known:
        raise SitecrawlError(f"no site {site}: {nearest(site, known)}")
    made = Mute(check, site, until=_day(check, until) if on else "", why=why)
    watchlist.change(made, on=on)
    return str(made) if on else printable(f"{site} {check}: no longer muted")


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
        until = f" until {text}" if text else ""
        told = f"{name} cannot be muted{until}: write a day such as 2026-12-31"
        raise SitecrawlError(told) from None
