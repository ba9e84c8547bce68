"""The schedule: which sites are watched, when each is due, and how its last visits ended. It is
the truth of what is due; an engine only decides who visits a site that is."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from enum import Enum, auto
from itertools import islice
from typing import Any, Protocol

from sitecrawl.crawl.config import ArgumentError, CrawlArguments
from sitecrawl.crawl.database import Database, short
from sitecrawl.crawl.visit import Visit
from sitecrawl.records_json import from_document, to_document

_SPAN = re.compile(r"([1-9]\d*) ?(s|m|h|d|w|minute|hour|day|week)s?")
_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}

_BREATH = 1.0
"""Seconds until a visit that broke off is tried again: the cause may be gone, and the site has not
been asked for a moment."""
# seconds after a second one in a row; each further one waits four times as long
_FIRST_PAUSE = 10.0
_LONGEST_PAUSE = 3_600.0
_LONE_DEATHS = 3  # processes that a site may kill in visits of its own before it is put off
_POISON_PAUSES = (3_600.0, 86_400.0)  # seconds: after so many deaths, and after each further one

_DAY = 86_400
_WINDOW = re.compile(r"([01]?\d|2[0-3]):([0-5]\d) ?- ?([01]?\d|2[0-4]):([0-5]\d)")

_ADD = (
    "INSERT INTO schedule (site, start, arguments, file, wishes, every, next_visit, outcome)"
    " VALUES (:site, :start, :arguments, :file, :wishes, :every, :now, '{}')"
    " ON CONFLICT (site) DO UPDATE SET start=excluded.start, arguments=excluded.arguments,"
    " file=excluded.file, wishes=excluded.wishes, every=excluded.every,"
    " next_visit=excluded.next_visit"
)
_SOON = "WHERE paused=0 AND next_visit<=:soon"
_STILL_DUE = "SELECT count(*) FROM schedule WHERE site=:site AND next_visit=:due"
_DUE = "SELECT site FROM schedule WHERE next_visit<=:now AND paused=0 ORDER BY next_visit"


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a file of sites says of the visits of a site beside the arguments of its crawls."""

    name: str = ""
    feeds: tuple[str, ...] = ()
    fail_on: str = ""  # conditions with commas between
    settings: Mapping[str, str] = field(default_factory=dict)
    window: tuple[int, int] = (0, _DAY)
    """Seconds of the day (UTC) between which visits begin; the second may lie before the first."""
    jitter: int = 0  # seconds by which a visit may be later, by chance
    # for the report and for alerts
    group: str = ""
    owner: str = ""
    limits: Mapping[str, float] = field(default_factory=dict)
    """Thresholds by kind of cause; 0 switches one off."""
    mutes: Mapping[str, str] = field(default_factory=dict)
    """The day (ISO 8601) until which a kind of cause is muted."""

    def begins(self, moment: float, *, chance: float) -> float:
        """The moment of a visit that is due at ``moment`` (seconds since 1970).

        >>> night = Wishes(window=(79_200, 21_600), jitter=600)
        >>> [night.begins(hour * 3_600, chance=0.5) / 3_600 for hour in (3, 12, 23)]
        [3.0833333333333335, 22.0, 23.083333333333332]
        """
        moment += chance * self.jitter
        first, end = self.window
        late = (moment - first) % _DAY
        if late < ((end - first) % _DAY or _DAY):
            return moment
        return moment + _DAY - late


@dataclass(frozen=True, slots=True)
class Watched:
    """A site that is visited at an interval: start pages, crawl arguments, and the state of its
    visits. Times are seconds since 1970 by the clock of the database; ``outcome`` is that of the
    last visit."""

    site: str
    start: tuple[str, ...]
    arguments: dict[str, str]
    every: int
    next_visit: float
    ended: float
    outcome: dict[str, Any]
    visits: int
    articles: int
    tries: int
    deaths: int
    paused: int
    file: str = ""
    wishes: Wishes = field(default_factory=Wishes)

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Watched:
        """From a row of the schedule, by column."""
        known = {name: row[name] for name in COLUMNS}
        for name in ("start", "arguments", "outcome"):
            known[name] = json.loads(known[name] or "{}")
        known["start"] = tuple(known["start"])
        known["wishes"] = from_document(Wishes, json.loads(known["wishes"] or "{}"))
        return cls(**known)

    @property
    def name(self) -> str:
        """The name that its file gives, else its hosts."""
        return self.wishes.name or self.site

    @property
    def is_suspect(self) -> bool:
        """Whether a process died during the last visit of the site."""
        return self.deaths > 0

    def __str__(self) -> str:
        """The site in one line: when its next visit is due."""
        given = "  ".join(f"{name}={value}" for name, value in self.arguments.items())
        due = datetime.fromtimestamp(self.next_visit, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
        state = "paused" if self.paused else f"next visit {due}"
        by = f"of {self.file}" if self.file else ""
        line = f"{self.name}  {' '.join(self.start)}  every {self.every} s  {state}  {given}  {by}"
        return line.rstrip()


COLUMNS = tuple(one.name for one in fields(Watched))


class End(Enum):
    """How a visit ended."""

    FINISHED = auto()  # it has an outcome
    BROKEN = auto()  # its state could not be written, or another crawl has the site
    DIED = auto()  # the process that visited this site alone died
    INTERRUPTED = auto()  # its worker is stopping: the site stays due
    STOPPED = auto()  # a person stopped it
    LOST = auto()  # its worker is silent, or died


@dataclass(frozen=True, slots=True)
class VisitEnd:
    """The end of a visit: how, with what outcome, and why it did not finish."""

    how: End
    outcome: dict[str, Any] = field(default_factory=dict)
    why: str = ""
    visit: Visit = field(default_factory=Visit)


# ---- what a visit changes in the row of its site
def changes(watched: Watched, end: VisitEnd, *, began: float, now: float) -> dict[str, Any]:
    """The columns that the end of a visit changes. ``began`` and ``now`` are times of the database.
    They are written only if the site is still due as it was when the visit began."""
    if end.how is End.FINISHED:
        return _finished(watched, end.outcome, began=began, now=now)
    if end.how is End.INTERRUPTED:
        return {"begun": 0.0}
    if end.how is End.STOPPED:
        return {"begun": 0.0, "stop": 0, "next_visit": now + watched.every}
    return _unfinished(watched, end, now=now)


def _finished(
    watched: Watched, outcome: dict[str, Any], *, began: float, now: float
) -> dict[str, Any]:
    """The next visit is due an interval after this one was; after it began, if that was too late
    for another one in between."""
    is_late = began >= watched.next_visit + watched.every
    counted_from = began if is_late else watched.next_visit
    return {
        "begun": 0.0,
        "ended": now,
        "next_visit": watched.wishes.begins(
            max(now, counted_from + watched.every), chance=random.random()
        ),
        "outcome": json.dumps(outcome),
        "visits": watched.visits + 1,
        "articles": watched.articles + outcome["articles"],
        "tries": 0,
        "deaths": 0,
        "stop": 0,
    }


def _unfinished(watched: Watched, end: VisitEnd, *, now: float) -> dict[str, Any]:
    found: dict[str, Any] = {"begun": 0.0, "tries": watched.tries + 1, "stop": 0}
    pause = _pause_after(watched.tries)
    if end.how is End.LOST:
        # every site that ran when a process died may be the reason; the next visit will tell
        found["deaths"] = max(1, watched.deaths)
        if watched.tries == 0:
            pause = 0.0
    if end.how is End.DIED:
        found["deaths"] = watched.deaths + 1
        pause = max(pause, _pause_of_poison(watched.deaths))
        died = {"reason": "died", "pages": 0, "articles": 0, "problem": end.why}
        found["outcome"] = json.dumps(died)
    if pause:
        found["next_visit"] = now + pause
    return found


def _pause_after(tries: int) -> float:
    """Seconds until a site is visited again after ``tries`` and one visits that did not end.

    >>> [_pause_after(tries) for tries in range(7)]
    [1.0, 10.0, 40.0, 160.0, 640.0, 2560.0, 3600.0]
    """
    if tries == 0:
        return _BREATH
    return min(_LONGEST_PAUSE, _FIRST_PAUSE * 4.0 ** min(tries - 1, 10))


def _pause_of_poison(lone_deaths: int) -> float:
    """Seconds for which a site is put off that killed so many processes of its own in a row.

    >>> [_pause_of_poison(deaths) for deaths in range(6)]
    [0.0, 0.0, 0.0, 3600.0, 86400.0, 86400.0]
    """
    if lone_deaths < _LONE_DEATHS:
        return 0.0
    return _POISON_PAUSES[min(lone_deaths - _LONE_DEATHS, len(_POISON_PAUSES) - 1)]


def message(watched: Watched, end: VisitEnd, *, changed: Mapping[str, Any], now: float) -> str:
    """What is told of a visit that did not finish, given what its end changes."""
    pause = changed.get("next_visit", now) - now
    when = f"in {pause:.0f} s" if pause > 0 else "at once"
    return f"{watched.site}: {end.why}; again {when}"


class Planned(Protocol):
    """What the schedule reads of a site that a file names."""

    @property
    def asked(self) -> CrawlArguments: ...
    @property
    def arguments(self) -> Mapping[str, str]: ...
    @property
    def every(self) -> int: ...
    @property
    def wishes(self) -> Wishes: ...


class Schedule:
    """The schedule in a database. Its verbs raise DatabaseError if the database cannot be used."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def close(self) -> None:
        self.db.close()

    # ---- what is watched
    def add(self, start: str, arguments: Mapping[str, str], *, every: int) -> str:
        """Watch a site; returns its name. A start page of a watched site is added to that site.
        Raises ArgumentError for invalid arguments."""
        asked = CrawlArguments.parse({**arguments, "start": start})
        with self.db.at_once():
            # of two additions of one site at once, the second must see the start page of the first
            if self.db.server:
                self.db.server.guard_schema(self.db)
            known = self.get(asked.site)
            before = known.start if known else ()
            starts = list(dict.fromkeys((*before, *asked.start)))
            self.db.write(
                _ADD,
                site=short(asked.site),
                start=json.dumps(starts),
                arguments=json.dumps(dict(arguments)),
                file=known.file if known else "",
                wishes=json.dumps(to_document(known.wishes)) if known else "",
                every=every,
                now=self.db.now(),
            )
        return asked.site

    def sync(self, file: str, sites: Iterable[Planned]) -> None:
        """Watch the sites of a file and no others of it. A site that it named before keeps its
        state; it is due after the new interval at the latest."""
        with self.db.at_once():
            if self.db.server:
                self.db.server.guard_schema(self.db)
            now = self.db.now()
            known = {watched.site: watched for watched in self.all()}
            gone = {site for site, watched in known.items() if watched.file == file}
            for site in sites:
                name = site.asked.site
                gone.discard(name)
                before = known.get(name)
                due = min(before.next_visit, now + site.every) if before else now
                self.db.write(
                    _ADD,
                    site=short(name),
                    start=json.dumps(site.asked.start),
                    arguments=json.dumps(dict(site.arguments)),
                    file=file,
                    wishes=json.dumps(to_document(site.wishes)),
                    every=site.every,
                    now=due,
                )
            for name in gone:
                self.remove(name)

    def hasten(self, seconds: float, *, of: Callable[[str], bool] = bool) -> dict[str, float]:
        """Make due now what is due within so many seconds, of sites ``of`` a kind; when each of
        them that is due now is due."""
        with self.db.at_once():
            now = self.db.now()
            soon = self.all(_SOON, soon=now + seconds)
            due = {one.site: min(one.next_visit, now) for one in soon if of(one.site)}
            for site, moment in due.items():
                self.change(site, next_visit=moment)
        return due

    def remove(self, name: str) -> bool:
        """Stop watching a site, given its name or one of its start pages; returns whether it was
        watched. Its state is kept."""
        known = self.find(name)
        if known is not None:
            self.db.write("DELETE FROM schedule WHERE site=:site", site=short(known.site))
        return known is not None

    def find(self, name: str) -> Watched | None:
        """A watched site, by its name or one of its start pages. Raises ArgumentError for a URL
        that no crawl can start from."""
        is_url = "://" in name
        found = self.get(CrawlArguments.parse({"start": name}).site if is_url else name)
        return found or next((one for one in self.all() if one.name == name), None)

    def get(self, site: str) -> Watched | None:
        return next(iter(self.all("WHERE site=:site", site=short(site))), None)

    def all(self, which: str = "ORDER BY site", **given: Any) -> list[Watched]:
        """All watched sites, by name; or those of a clause of SQL with values for its
        ``:names``."""
        rows = self.db.rows(f"SELECT {', '.join(COLUMNS)} FROM schedule {which}", **given)
        return [Watched.of(dict(zip(COLUMNS, row, strict=True))) for row in rows]

    # ---- visits
    def due(
        self,
        most: int,
        *,
        but: Collection[str] = (),
        of: Callable[[str], bool] = bool,
    ) -> list[Watched]:
        """At most ``most`` sites that are due, not among ``but`` and ``of`` a kind, those due
        longest first."""
        names = self.db.rows(_DUE, now=self.db.now())
        free = (str(site) for (site,) in names if site not in but and of(str(site)))
        return [one for site in islice(free, most) if (one := self.get(site))]

    def under_way(self) -> list[Watched]:
        """Sites whose visits began in this folder and have not ended."""
        return self.all("WHERE begun>0")

    def to_stop(self) -> set[str]:
        """Sites whose visits a person wants to end."""
        return {str(site) for (site,) in self.db.rows("SELECT site FROM schedule WHERE stop=1")}

    def begin(self, watched: Watched) -> float:
        """Note that the visit of a site begins; returns when."""
        now = self.db.now()
        self.change(watched.site, begun=now, stop=0)
        return now

    def end(self, watched: Watched, end: VisitEnd, *, began: float) -> str:
        """Write the end of a visit, unless the site is no longer due as it was when the visit
        began; returns what is told of it, if anything."""
        with self.db.at_once():
            now = self.db.now()
            changed = changes(watched, end, began=began, now=now)
            given = {"site": short(watched.site), "due": watched.next_visit}
            if self.db.number(_STILL_DUE, **given):
                self.change(watched.site, **changed)
        return message(watched, end, changed=changed, now=now) if end.why else ""

    def change(self, site: str, **values: Any) -> None:
        """Set columns of a site."""
        names = ", ".join(f"{name}=:{name}" for name in values)
        self.db.write(f"UPDATE schedule SET {names} WHERE site=:site", **values, site=short(site))


def seconds_of(text: str, *, of: str = "every") -> int:
    """Seconds of a time span such as ``6h``. Raises ArgumentError for anything else.

    >>> seconds_of("15m"), seconds_of("2d"), seconds_of("6 hours")
    (900, 172800, 21600)
    """
    found = _SPAN.fullmatch(text.strip())
    if not found:
        raise ArgumentError(
            f"{of}={text} is no span of time: write it like 30 minutes, 15m, 6 hours, 7d or 2 weeks"
        )
    return int(found[1]) * _UNITS[found[2][0]]


def window_of(text: str) -> tuple[int, int]:
    """The seconds of the day at which a window such as ``22:00-06:00`` begins and ends; without one
    the whole day. Raises ArgumentError for anything else.

    >>> window_of("22:00-06:30"), window_of("")
    ((79200, 23400), (0, 86400))
    """
    if not text:
        return 0, _DAY
    found = _WINDOW.fullmatch(text.strip())
    if not found:
        raise ArgumentError(f"window={text} is no time of day: write it like 22:00-06:00 (UTC)")
    hour, minute, end_hour, end_minute = map(int, found.groups())
    return 3_600 * hour + 60 * minute, 3_600 * end_hour + 60 * end_minute
