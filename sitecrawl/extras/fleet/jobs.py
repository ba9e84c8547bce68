"""The jobs of Procrastinate as a person sees them: who visits which site; and the end of a visit by
its API."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import procrastinate
import psycopg
from procrastinate.exceptions import ProcrastinateException
from procrastinate.jobs import Job
from procrastinate.manager import JobManager

from sitecrawl.crawl.database import Database
from sitecrawl.errors import DatabaseError
from sitecrawl.extras.fleet.engine import Activity, WorkerState
from sitecrawl.extras.fleet.postgresql import CONNECTION_OPTIONS, conninfo

_QUEUE = "visits"
_WORKERS = (
    "SELECT id, extract(epoch FROM clock_timestamp() - last_heartbeat)::float8"
    " FROM procrastinate_workers ORDER BY id"
)


class Jobs:
    """The jobs in a database. Verbs raise DatabaseError if it cannot be used."""

    def __init__(self, db: Database, url: str) -> None:
        self._db = db
        self._url = url

    def activity(self) -> Activity:
        """The workers and what they visit; nothing in a database in which none has worked yet."""
        with self._manager() as manager:
            if not manager.check_connection():
                return Activity()
            running = _doing(manager)
        visits = Counter(job.worker_id for job in running)
        workers = [
            WorkerState(str(number), round(heard_of, 1), visits[number])
            for number, heard_of in self._db.rows(_WORKERS)
        ]
        return Activity(workers, frozenset(str(job.lock) for job in running))

    def abort(self, site: str) -> None:
        """Ask the worker of a site to break its visit off."""
        with self._manager() as manager:
            for job in _doing(manager, site):
                assert job.id is not None
                manager.cancel_job_by_id(job.id, abort=True)

    @contextmanager
    def _manager(self) -> Iterator[JobManager]:
        connector = procrastinate.SyncPsycopgConnector(
            conninfo=conninfo(self._url), min_size=1, max_size=1, kwargs=CONNECTION_OPTIONS
        )
        try:
            with procrastinate.App(connector=connector).open() as app:
                yield app.job_manager
        except (ProcrastinateException, psycopg.Error) as error:
            raise DatabaseError.of(self._db.place, error) from None


def _doing(manager: JobManager, site: str | None = None) -> list[Job]:
    return list(manager.list_jobs(queue=_QUEUE, status="doing", lock=site))
