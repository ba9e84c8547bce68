"""What a worker does for all: it makes a job for each site that is due and has none, and gives up
the jobs of workers that are lost. Each worker tries twice a second; the one that gets a lock does
it, in the transaction of the lock. No worker is special, so none can be missed."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import procrastinate
import psycopg
from procrastinate.exceptions import ProcrastinateException
from procrastinate.jobs import Job, Status
from procrastinate.tasks import Task

from sitecrawl.extras.fleet.lease import Lease, watch_for_stall
from sitecrawl.extras.fleet.postgresql import lock_key
from sitecrawl.extras.fleet.schedule import End

logger = logging.getLogger(__name__)

QUEUE = "visits"
FAULTS = (ProcrastinateException, psycopg.Error, OSError)
"""What is raised while the database is away."""

_WAITING = 200
"""Jobs that may wait. Workers take 376 a second at most, and this looks twice a second; what is due
beyond that stays in the schedule, where it costs nothing."""
_PATIENCE = 5.0  # seconds for a connection of the pool
_DUE = """
SELECT site, next_visit FROM schedule
WHERE next_visit <= extract(epoch FROM now()) AND paused = 0
  AND NOT EXISTS
    (SELECT FROM procrastinate_jobs WHERE queueing_lock = site AND status = 'todo')
  AND NOT EXISTS
    (SELECT FROM procrastinate_jobs WHERE lock = site AND status = 'doing')
ORDER BY next_visit
LIMIT greatest(0, %(most)s -
  (SELECT count(*) FROM procrastinate_jobs WHERE status = 'todo' AND queue_name = %(queue)s))
"""

_STILL_DOING = "SELECT id FROM procrastinate_jobs WHERE id = ANY(%(numbers)s) AND status = 'doing'"

GiveUp = Callable[[Job, End], Awaitable[None]]
"""Writes to the schedule that the visit of a job is lost."""


class Dispatcher:
    """The looks of one worker. ``give_up`` is called for each job that is lost."""

    def __init__(
        self,
        app: procrastinate.App,
        task: Task[..., Any, Any],
        *,
        lease: Lease,
        give_up: GiveUp,
    ) -> None:
        self._app = app
        self._task = task
        self._lease = lease
        self._give_up = give_up
        self._in_contact_since = time.monotonic()
        self._next_sweep = 0.0
        self._held_jobs = set[int]()

    async def look(self, ended: set[int]) -> None:
        """One look. ``ended`` are jobs whose visits ended in this worker; those whose ends are
        written are taken out. Raises one of FAULTS if the database is away."""
        watch_for_stall(self._lease.lost_after)
        is_due = time.monotonic() > self._next_sweep
        may_judge = self._may_judge()
        await self._dispatch(sweeps=is_due and may_judge)
        self._lease.renew()
        if is_due:
            self._next_sweep = time.monotonic() + self._lease.lost_after / 5
            await self._give_up_own(ended)

    def lose_contact(self) -> None:
        """The database was away: workers that live may have had no chance to say so."""
        self._in_contact_since = time.monotonic()

    def _may_judge(self) -> bool:
        """Whether all workers that live had time for a sign of life, while this one was in contact
        itself without interruption."""
        if not self._lease.holds:
            self.lose_contact()
        return time.monotonic() - self._in_contact_since > self._lease.lost_after

    async def _dispatch(self, *, sweeps: bool) -> None:
        pool = self._app.connector.pool  # type: ignore[attr-defined]
        async with pool.connection(timeout=_PATIENCE) as connection, connection.transaction():
            if not await _is_alone(connection):
                return
            if sweeps:
                await self._give_up_lost()
            given = {"most": _WAITING, "queue": QUEUE}
            found = await (await connection.execute(_DUE, given)).fetchall()
            jobs = [self._job(site, due) for site, due in found]
            if jobs:
                await self._app.job_manager.batch_defer_jobs_async(jobs, connection=connection)

    def _job(self, site: str, due: float) -> Job:
        """A job that runs and waits once for each site."""
        return self._task.configure(lock=site, queueing_lock=site).make_new_job(due=due)

    async def _give_up_lost(self) -> None:
        """Give up the jobs of silent workers, and prune these. One that wakes up cannot fetch jobs,
        and registers anew."""
        manager = self._app.job_manager
        silent_for = self._lease.lost_after
        for job in await manager.get_stalled_jobs(seconds_since_heartbeat=silent_for):
            await self._lose(job, End.LOST)
        await manager.prune_stalled_workers(silent_for)

    async def _give_up_own(self, ended: set[int]) -> None:
        """A job whose end could not be written would be held as long as its worker lives. It is
        given up when it is found a second time: it may just be ending."""
        if not ended:
            return
        asked = set(ended)
        connector = self._app.connector
        rows = await connector.execute_query_all_async(_STILL_DOING, numbers=sorted(asked))
        held = {int(row["id"]) for row in rows}
        for number in held & self._held_jobs:
            for job in await self._app.job_manager.list_jobs_async(id=number):
                await self._lose(job, End.BROKEN)
        self._held_jobs = held
        ended -= asked - held

    async def _lose(self, job: Job, how: End) -> None:
        """End a job as failed. It is never retried: beside a waiting job of the same site that
        fails. The schedule has the site visited again."""
        if job.queue == QUEUE:
            await self._give_up(job, how)
        assert job.id
        with suppress(ProcrastinateException):  # it ended meanwhile
            manager = self._app.job_manager
            await manager.finish_job_by_id_async(job.id, Status.FAILED, delete_job=False)


async def _is_alone(connection: psycopg.AsyncConnection[Any]) -> bool:
    """Whether no other worker dispatches, until the end of the transaction."""
    sql = "SELECT pg_try_advisory_xact_lock(%s)"
    row = await (await connection.execute(sql, [lock_key("sitecrawl dispatcher")])).fetchone()
    return bool(row and row[0])
