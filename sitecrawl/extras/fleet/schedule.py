"""The schedule: which sites are watched, when each is due, who visits it now, and what came of its last visit."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy import bindparam
from sqlalchemy.dialects.postgresql import insert

from sitecrawl.crawl.config import ArgumentError, CrawlArguments
from sitecrawl.crawl.database import SCHEDULE, WORKERS, Database, short
from sitecrawl.extras.fleet.postgresql import end_holder

_SPAN = re.compile(r"([1-9]\d*) ?(s|m|h|d|w|minute|hour|day|week)s?")
_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}

_SITE = SCHEDULE.c.site == bindparam("at_site")
_GET = sa.select(SCHEDULE).where(_SITE)
_ALL = sa.select(SCHEDULE).order_by(SCHEDULE.c.site)
_CHANGE = sa.update(SCHEDULE).where(_SITE)
_CHANGE_OWN = _CHANGE.where(SCHEDULE.c.worker == bindparam("at_worker"))
"""What a worker writes of a site that is still its own."""
_ADD = insert(SCHEDULE)
_ADD = _ADD.on_conflict_do_update(
    index_elements=["site"],
    set_={name: _ADD.excluded[name] for name in ("start", "arguments", "every", "next_visit")},
)
_REMOVE = sa.delete(SCHEDULE).where(_SITE)
_ALIVE = sa.select(WORKERS.c.worker).where(WORKERS.c.beat > bindparam("lost"))
_TAKE = (
    sa.select(SCHEDULE.c.site)
    .where(SCHEDULE.c.next_visit <= bindparam("now"), SCHEDULE.c.worker.not_in(_ALIVE))
    .where(SCHEDULE.c.worker != bindparam("at_worker"))
    .order_by(SCHEDULE.c.next_visit)
    .limit(bindparam("most"))
    .with_for_update(skip_locked=True, of=SCHEDULE)
)
"""Sites that are due and that no other living worker visits, nor the one that asks; two workers that ask at once get different ones."""
_OF_WORKER = sa.select(SCHEDULE.c.site).where(SCHEDULE.c.worker == bindparam("at_worker"))
_FREE_ALL = sa.update(SCHEDULE).where(SCHEDULE.c.worker != "")
_BEAT = insert(WORKERS)
_BEAT = _BEAT.on_conflict_do_update(
    index_elements=["worker"],
    set_={name: _BEAT.excluded[name] for name in ("beat", "sites", "visits", "pages", "articles")},
)
_ALL_WORKERS = sa.select(WORKERS).order_by(WORKERS.c.worker)
_LAST_BEAT = sa.select(WORKERS.c.beat).where(WORKERS.c.worker == bindparam("at_worker"))
_GONE = sa.delete(WORKERS).where(WORKERS.c.worker == bindparam("at_worker"))


@dataclass(frozen=True, slots=True)
class Watched:
    """A site that is visited every so many seconds: its start pages, crawl arguments, and what is known of its visits.

    Moments are seconds since 1970; ``worker`` is empty while nobody visits the site; ``outcome`` is that of the last visit.
    """

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

    @property
    def given(self) -> dict[str, str]:
        """The arguments of ``scrapy crawl site``."""
        return {**self.arguments, "start": ",".join(self.start)}


@dataclass(slots=True)
class WorkerState:
    """A worker as it reported last: ``sites`` under way, and visits, pages and articles since it ``began``."""

    worker: str
    began: float = 0.0
    beat: float = 0.0
    sites: int = 0
    visits: int = 0
    pages: int = 0
    articles: int = 0


class Schedule:
    """The schedule in a database. Its verbs raise DatabaseError where that cannot be used."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def close(self) -> None:
        """Close the database."""
        self.db.close()

    # ---- what is watched
    def add(self, start: str, arguments: Mapping[str, str], every: int) -> str:
        """Watch a site, from now on; its name. A further start page of a site that is watched is added to it.

        Raises ArgumentError for arguments that no crawl takes.
        """
        asked = CrawlArguments.parse({**arguments, "start": start})
        with self.db.at_once():
            known = self.get(asked.site)
            starts = list(dict.fromkeys((*(known.start if known else ()), *asked.start)))
            self.db.write(
                _ADD,
                site=short(asked.site),
                start=json.dumps(starts),
                arguments=json.dumps(dict(arguments)),
                every=every,
                next_visit=self.db.now(),
                worker="",
                outcome="{}",
            )
        return asked.site

    def remove(self, name: str) -> bool:
        """Watch a site, named or by one of its start pages, no more; whether it was watched. What is known of it stays."""
        site = name if "://" not in name else CrawlArguments.parse({"start": name}).site
        known = self.get(site) is not None
        self.db.write(_REMOVE, at_site=short(site))
        return known

    def get(self, site: str) -> Watched | None:
        """A site that is watched, by name."""
        rows = self.db.rows(_GET, at_site=short(site))
        return _watched(rows[0]) if rows else None

    def all(self) -> list[Watched]:
        """All sites that are watched, by name."""
        return [_watched(row) for row in self.db.rows(_ALL)]

    # ---- visits
    def take(self, worker: str, *, most: int, lost_after: float) -> list[Watched]:
        """Give up to ``most`` sites that are due to a worker, the one due longest first.

        A site goes to one worker; those of a worker that gave no sign of life for ``lost_after`` seconds go to others.
        """
        with self.db.at_once():
            now = self.db.now()
            found = self.db.rows(_TAKE, now=now, lost=now - lost_after, at_worker=worker, most=most)
            sites = [str(site) for (site,) in found]
            for site in sites:
                self.db.write(_CHANGE, at_site=site, worker=worker, taken=now)
        return [watched for site in sites if (watched := self.get(site))]

    def end(self, watched: Watched, outcome: dict[str, Any]) -> None:
        """A visit came to its end; the next one is due so many seconds after this one was."""
        now = self.db.now()
        self.db.write(
            _CHANGE_OWN,
            at_site=watched.site,
            at_worker=watched.worker,
            worker="",
            ended=now,
            next_visit=max(now, watched.next_visit + watched.every),
            outcome=json.dumps(outcome),
            visits=watched.visits + 1,
            articles=watched.articles + outcome["articles"],
        )

    def put_back(self, site: str, worker: str, delay: float) -> None:
        """A worker broke off a visit: it is due again in some seconds."""
        self.db.write(_CHANGE_OWN, at_site=site, at_worker=worker, worker="", next_visit=self.db.now() + delay)

    def sites_of(self, worker: str) -> list[str]:
        """The sites that a worker took and neither ended nor put back."""
        return [str(site) for (site,) in self.db.rows(_OF_WORKER, at_worker=worker)]

    def free_all(self) -> None:
        """Nobody visits any site: the worker of this folder has just begun."""
        self.db.write(_FREE_ALL, worker="")

    # ---- workers
    def beat(self, state: WorkerState) -> None:
        """A worker is alive."""
        self.db.write(_BEAT, **asdict(state) | {"beat": self.db.now()})

    def gone(self, worker: str) -> None:
        """A worker ended."""
        self.db.write(_GONE, at_worker=worker)

    def workers(self) -> list[WorkerState]:
        """All workers that did not end in order."""
        return [WorkerState(*row) for row in self.db.rows(_ALL_WORKERS)]

    def let_in(self, site: str, lost_after: float) -> bool:
        """Whether nobody holds the lock of a site: a worker that gave no sign of life for ``lost_after`` seconds loses it.

        Its connection is ended, so that it can write no more, however it wakes up.
        """
        if self.db.path:
            return True

        def is_lost(worker: str) -> bool:
            beat = self.db.row(_LAST_BEAT, at_worker=worker)
            return beat is not None and beat[0] <= self.db.now() - lost_after

        return end_holder(self.db, short(site), is_lost)


def seconds_of(text: str) -> int:
    """Seconds of a span. Raises ArgumentError for anything else.

    >>> seconds_of("15m"), seconds_of("2d"), seconds_of("6 hours")
    (900, 172800, 21600)
    """
    found = _SPAN.fullmatch(text.strip())
    if not found:
        raise ArgumentError(f"every={text} is no span of time: write it like 30 minutes, 15m, 6 hours, 7d or 2 weeks")
    return int(found[1]) * _UNITS[found[2][0]]


def _watched(row: Any) -> Watched:
    known = dict(zip(SCHEDULE.columns.keys(), row, strict=True))
    read = {name: json.loads(known[name] or "{}") for name in ("start", "arguments", "outcome")}
    return Watched(**known | read | {"start": tuple(read["start"])})
