"""The schedule: which sites are watched, when each is due, who visits it now, and the outcome of
its last visit."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from typing import Any

from sitecrawl.crawl.config import ArgumentError, CrawlArguments
from sitecrawl.crawl.database import WORKERS, Database, short
from sitecrawl.extras.fleet.postgresql import free_lock

_SPAN = re.compile(r"([1-9]\d*) ?(s|m|h|d|w|minute|hour|day|week)s?")
_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}

_ADD = (
    "INSERT INTO schedule (site, start, arguments, every, next_visit, worker, outcome)"
    " VALUES (:site, :start, :arguments, :every, :now, '', '{}') ON CONFLICT (site) DO UPDATE"
    " SET start=excluded.start, arguments=excluded.arguments, every=excluded.every, next_visit=excluded.next_visit"
)
_DUE = (
    "SELECT site FROM schedule WHERE next_visit<=:now AND worker<>:worker"
    " AND worker NOT IN (SELECT worker FROM workers WHERE beat>:lost) ORDER BY next_visit LIMIT :most"
)
"""Sites that are due and that no living worker visits."""
_EACH_TO_ONE = " FOR UPDATE OF schedule SKIP LOCKED"
"""Lets two workers of a server that ask at the same time get different sites. An SQLite file has
one writer at a time anyway."""


@dataclass(frozen=True, slots=True)
class Watched:
    """A site that is visited at an interval: start pages, crawl arguments, and the state of its
    visits. Times are seconds since 1970; ``worker`` is empty while nobody visits the site;
    ``outcome`` is that of the last visit."""

    site: str
    start: tuple[str, ...]
    arguments: dict[str, str]
    every: int
    next_visit: float
    worker: str
    taken: float
    ended: float
    outcome: dict[str, Any]
    visits: int
    articles: int

    def __str__(self) -> str:
        """The site in one line: when its next visit is due, or who visits it now."""
        given = "  ".join(f"{name}={value}" for name, value in self.arguments.items())
        due = datetime.fromtimestamp(self.next_visit, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
        state = f"being crawled by {self.worker}" if self.worker else f"next visit {due}"
        return (
            f"{self.site}  {' '.join(self.start)}  every {self.every} s  {state}  {given}".rstrip()
        )

    def to_dict(self, under_way: bool) -> dict[str, Any]:
        """The last visit, as `sitecrawl status` prints it."""
        ended = (
            datetime.fromtimestamp(self.ended, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            if self.ended
            else None
        )
        known = {
            "site": self.site,
            "ended": ended,
            "visits": self.visits,
            "articles": self.articles,
        }
        return known | {"under_way": under_way, "outcome": self.outcome}


@dataclass(slots=True)
class WorkerState:
    """A worker's latest report: ``sites`` in progress, and visits, pages and articles since it
    ``began``."""

    worker: str
    began: float = 0.0
    beat: float = 0.0
    sites: int = 0
    visits: int = 0
    pages: int = 0
    articles: int = 0

    def to_dict(self, now: float, *, alive: bool) -> dict[str, Any]:
        """The report at a moment, with the rates of an hour."""
        hours = max(self.beat - self.began, 1.0) / 3_600
        done = {"visits": self.visits, "pages": self.pages, "articles": self.articles}
        rates = {f"{name}_an_hour": round(count / hours, 1) for name, count in done.items()}
        known = {
            "name": self.worker,
            "alive": alive,
            "heard_of": round(now - self.beat, 1),
            "sites": self.sites,
        }
        return known | done | rates


_COLUMNS = tuple(one.name for one in fields(Watched))


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
            starts = list(dict.fromkeys((*(known.start if known else ()), *asked.start)))
            row = {
                "start": json.dumps(starts),
                "arguments": json.dumps(dict(arguments)),
                "every": every,
            }
            self.db.write(_ADD, **row, site=short(asked.site), now=self.db.now())
        return asked.site

    def remove(self, name: str) -> bool:
        """Stop watching a site, given its name or one of its start pages; returns whether it was
        watched. Its state is kept."""
        site = name if "://" not in name else CrawlArguments.parse({"start": name}).site
        known = self.get(site) is not None
        self.db.write("DELETE FROM schedule WHERE site=:site", site=short(site))
        return known

    def get(self, site: str) -> Watched | None:
        return next(iter(self.all("WHERE site=:site", site=short(site))), None)

    def all(self, which: str = "ORDER BY site", **given: Any) -> list[Watched]:
        """All watched sites, by name; or those of a clause of SQL with values for its
        ``:names``."""
        found = []
        for row in self.db.rows(f"SELECT {', '.join(_COLUMNS)} FROM schedule {which}", **given):
            known = dict(zip(_COLUMNS, row, strict=True))
            read = {
                name: json.loads(known[name] or "{}") for name in ("start", "arguments", "outcome")
            }
            found.append(Watched(**known | read | {"start": tuple(read["start"])}))
        return found

    # ---- visits
    def take(self, worker: str, *, most: int, lost_after: float) -> list[Watched]:
        """Assign at most ``most`` due sites to a worker, those due longest first. A site has one
        worker; the sites of a worker without a report for
        ``lost_after`` seconds are assigned to others."""
        with self.db.at_once():
            now = self.db.now()
            due = _DUE + (_EACH_TO_ONE if self.db.server else "")
            sites = [
                site
                for (site,) in self.db.rows(
                    due, now=now, lost=now - lost_after, worker=worker, most=most
                )
            ]
            for site in sites:
                sql = "UPDATE schedule SET worker=:worker, taken=:now WHERE site=:site"
                self.db.write(sql, site=site, worker=worker, now=now)
        return [watched for site in sites if (watched := self.get(site))]

    def end(self, watched: Watched, outcome: dict[str, Any]) -> None:
        """A visit ended; the next one is due a given number of seconds after this one was, or began
        if that was too late for it."""
        now, was_due = self.db.now(), watched.next_visit
        began = was_due if watched.taken < was_due + watched.every else watched.taken
        due = {"worker": "", "ended": now, "next_visit": max(now, began + watched.every)}
        counts = {"visits": watched.visits + 1, "articles": watched.articles + outcome["articles"]}
        self._change_own(watched.site, watched.worker, **due, **counts, outcome=json.dumps(outcome))

    def _change_own(self, site: str, own: str, **changes: Any) -> None:
        """Change the row of a site that still belongs to a worker (``own``)."""
        values = ", ".join(f"{name}=:{name}" for name in changes)
        self.db.write(
            f"UPDATE schedule SET {values} WHERE site=:site AND worker=:own",
            site=site,
            own=own,
            **changes,
        )

    def put_back(self, site: str, worker: str, *, delay: float) -> None:
        """A worker aborted a visit; it is due again in a given number of seconds."""
        self._change_own(site, worker, worker="", next_visit=self.db.now() + delay)

    def sites_of(self, worker: str) -> list[str]:
        """The sites that a worker took and has neither ended nor put back."""
        return [watched.site for watched in self.all("WHERE worker=:worker", worker=worker)]

    def free_all(self) -> None:
        """Release all sites: the worker of this folder has just begun."""
        self.db.write("UPDATE schedule SET worker=''")

    # ---- workers
    def beat(self, state: WorkerState) -> None:
        """Store a worker's report."""
        self.db.put(WORKERS, **asdict(state) | {"beat": self.db.now()})

    def gone(self, worker: str) -> None:
        """A worker ended."""
        self.db.write("DELETE FROM workers WHERE worker=:worker", worker=worker)

    def workers(self) -> list[WorkerState]:
        """All workers that did not end properly."""
        names = ", ".join(one.name for one in fields(WorkerState))
        return [
            WorkerState(*row)
            for row in self.db.rows(f"SELECT {names} FROM workers ORDER BY worker")
        ]

    def to_dict(self, lost_after: float) -> dict[str, Any]:
        """The whole state as JSON. Times are in seconds, rates per hour."""
        now, sites, workers = self.db.now(), self.all(), self.workers()
        alive = {worker.worker for worker in workers if now - worker.beat < lost_after}
        waiting = [site for site in sites if site.next_visit <= now and site.worker not in alive]
        return {
            "sites": len(sites),
            "under_way": sum(site.worker in alive for site in sites),
            "overdue": len(waiting),
            "overdue_longest": round(
                max((now - site.next_visit for site in waiting), default=0.0), 1
            ),
            "workers": [worker.to_dict(now, alive=worker.worker in alive) for worker in workers],
            "last": [site.to_dict(site.worker in alive) for site in sites],
        }

    def let_in(self, site: str, lost_after: float) -> bool:
        """Whether the lock of a site is free. A worker without a report for ``lost_after`` seconds
        loses it: its connection is terminated."""
        if self.db.path:
            return True

        def is_lost(worker: str) -> bool:
            return any(
                it.worker == worker and it.beat <= self.db.now() - lost_after
                for it in self.workers()
            )

        return free_lock(self.db, short(site), is_lost=is_lost)


def seconds_of(text: str) -> int:
    """Seconds of a time span such as ``6h``. Raises ArgumentError for anything else.

    >>> seconds_of("15m"), seconds_of("2d"), seconds_of("6 hours")
    (900, 172800, 21600)
    """
    found = _SPAN.fullmatch(text.strip())
    if not found:
        raise ArgumentError(
            f"every={text} is no span of time: write it like 30 minutes, 15m, 6 hours, 7d or 2 weeks"
        )
    return int(found[1]) * _UNITS[found[2][0]]
