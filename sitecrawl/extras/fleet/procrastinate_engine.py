"""The engine of many machines: Procrastinate, a job queue in the PostgreSQL database that holds the
state. It carries the visits; what is due only the schedule says."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import procrastinate
import psycopg
from procrastinate.job_context import AbortReason
from procrastinate.jobs import Job

from sitecrawl.crawl.database import without_password
from sitecrawl.errors import DatabaseError
from sitecrawl.extras.fleet.dispatcher import FAULTS, QUEUE, Dispatcher
from sitecrawl.extras.fleet.engine import Visit, WorkerSettings
from sitecrawl.extras.fleet.job_tables import prepare
from sitecrawl.extras.fleet.lease import Lease, end_watch
from sitecrawl.extras.fleet.postgresql import (
    CONNECTION_OPTIONS,
    WORKER,
    application,
    conninfo,
    free_lock,
)
from sitecrawl.extras.fleet.runner import Say
from sitecrawl.extras.fleet.schedule import (
    COLUMNS,
    End,
    VisitEnd,
    Watched,
    changes,
    message,
)

logger = logging.getLogger(__name__)

_LOOK = 0.5  # seconds between two looks at the schedule
_POLL = 2.0  # seconds after which a job is found although its notification was lost
_REST = 1.0  # seconds before Procrastinate's worker is started again
_KEPT_HOURS = 24  # for which lost and stopped visits can be listed
_CONNECTIONS = 5  # of the pool: the notifications hold one, a look one or two
_UPKEEP = "upkeep"
_BACKOFF = 2.0  # seconds until the pool begins anew to try again; its pauses double meanwhile
_LIMIT = "SET idle_in_transaction_session_timeout = '5s'"
"""A worker that is frozen while it dispatches does not keep the lock."""
_NOW = "extract(epoch FROM clock_timestamp())::float8"
_BEGIN = (
    f"SELECT {', '.join(COLUMNS)}, {_NOW} AS now FROM schedule"
    " WHERE site = %(site)s AND next_visit = %(due)s"
)


class ProcrastinateEngine:
    """One of many workers of a database."""

    def __init__(self, settings: WorkerSettings, *, say: Say) -> None:
        self._settings = settings
        self._say = say
        self._lease = Lease(settings.lost_after)
        self._app = _app_of(settings.crawl.database)
        self._name = application(settings.crawl.database)
        self._running = dict[int, asyncio.Task[Any]]()
        self._ended = set[int]()
        self._is_stopping = False
        self._is_away = False

    def may_send(self) -> Callable[[], bool]:
        return self._lease.may_send()

    async def run(
        self, visit: Visit, stop: asyncio.Event, *, ready: Callable[[], object] = dict
    ) -> None:
        url = self._settings.crawl.database
        try:
            self._settings.crawl.stores.watched().close()  # the schedule, or its one line
            await asyncio.to_thread(prepare, url)
        except psycopg.Error as error:
            raise DatabaseError.of(without_password(url), error) from None
        _tell_briefly(asyncio.get_running_loop())
        ready()
        task = self._tasks(visit)
        async with self._app.open_async():
            dispatcher = Dispatcher(self._app, task, lease=self._lease, give_up=self._give_up)
            beside = asyncio.ensure_future(self._look_on(dispatcher))
            try:
                await self._work_until(stop)
            finally:
                beside.cancel()
                end_watch()

    def _tasks(self, visit: Visit) -> Any:
        """The jobs that a worker knows; that of a visit is returned."""

        @self._app.task(name="visit", queue=QUEUE, pass_context=True)
        async def visit_site(context: procrastinate.JobContext, due: float) -> None:
            await self._visit(context, due, visit=visit)

        # one periodic task has to be: without one nothing watches Procrastinate's side tasks, and
        # after a restart of the server a worker would hear nothing, unseen
        @self._app.periodic(cron="17 * * * *")
        @self._app.task(name="forget", queue=_UPKEEP)
        async def forget(timestamp: int) -> None:
            await self._app.job_manager.delete_old_jobs(
                nb_hours=_KEPT_HOURS,
                include_failed=True,
                include_cancelled=True,
                include_aborted=True,
            )

        return visit_site

    # ---- Procrastinate's worker
    async def _work_until(self, stop: asyncio.Event) -> None:
        """Run Procrastinate's worker again and again: it ends, without an error, when the server
        restarts, and with one when it was given up itself."""
        stopped = asyncio.ensure_future(stop.wait())
        while not stop.is_set():
            work = asyncio.ensure_future(self._worker())
            await asyncio.wait([work, stopped], return_when=asyncio.FIRST_COMPLETED)
            if stop.is_set():
                work.cancel()
                await asyncio.sleep(0)  # from here on it fetches no more jobs
                self._break_off()
            try:
                await work
            except asyncio.CancelledError:
                pass
            except FAULTS as error:
                logger.info("Procrastinate's worker begins anew: %s", _brief(error))
            if not stop.is_set():
                await asyncio.wait([stopped], timeout=_REST)

    async def _worker(self) -> None:
        lost = self._settings.lost_after
        await self._app.run_worker_async(
            queues=[QUEUE, _UPKEEP],
            concurrency=self._settings.sites,
            fetch_job_polling_interval=_POLL,
            delete_jobs="successful",
            install_signal_handlers=False,
            update_heartbeat_interval=lost / 4,
            stalled_worker_timeout=lost,
            # no sign of life is sent while it shuts down
            shutdown_graceful_timeout=lost,
        )

    def _break_off(self) -> None:
        self._is_stopping = True  # a job that was fetched a moment ago does not begin
        for task in self._running.values():
            task.cancel()

    async def _look_on(self, dispatcher: Dispatcher) -> None:
        """Look twice a second, whatever happens to the database."""
        while True:
            await asyncio.sleep(_LOOK)
            try:
                await dispatcher.look(self._ended)
                self._is_away = False
            except FAULTS as error:
                dispatcher.lose_contact()
                if not self._is_away:
                    place = without_password(self._settings.crawl.database)
                    self._say(f"{place} cannot be used ({_brief(error)}); waiting for it")
                self._is_away = True

    # ---- a visit
    async def _visit(self, context: procrastinate.JobContext, due: float, *, visit: Visit) -> None:
        """Visit the site of a job, and write how that ended before the job ends: another one is
        made only if the site is still due, or due again."""
        job = context.job
        task = asyncio.current_task()
        assert job.id is not None
        assert task is not None
        self._running[job.id] = task
        try:
            if found := await self._begin(job, due):
                await self._attempt(context, found, visit=visit)
        except FAULTS as error:
            # the end of the job cannot be written either: it is given up, and the site visited anew
            logger.info("%s: %s", job.lock, _brief(error))
        finally:
            del self._running[job.id]
            self._ended.add(job.id)

    async def _begin(self, job: Job, due: float) -> _Begun | None:
        """The site of a job, if it is still due; the lock of a worker that lost it is freed."""
        if self._is_stopping:
            return None
        rows = await self._rows(_BEGIN, site=job.lock, due=due)
        if not rows or rows[0]["paused"]:
            return None
        found = _Begun(Watched.of(rows[0]), rows[0]["now"], time.monotonic())
        if found.watched.tries:
            await asyncio.to_thread(self._free, found.watched.site)
        return found

    async def _attempt(
        self, context: procrastinate.JobContext, begun: _Begun, *, visit: Visit
    ) -> None:
        try:
            end = await visit(begun.watched)
        except asyncio.CancelledError:
            if context.abort_reason() == AbortReason.USER_REQUEST:
                await self._end(begun.watched, VisitEnd(End.STOPPED), began=begun.at, now=begun.now)
                raise
            end = VisitEnd(End.INTERRUPTED)
        await self._end(begun.watched, end, began=begun.at, now=begun.now)

    async def _end(self, watched: Watched, end: VisitEnd, *, began: float, now: float) -> None:
        """Write the end of a visit, unless the site is no longer due as it was: then the visit was
        given up."""
        changed = changes(watched, end, began=began, now=now)
        values = ", ".join(f"{name} = %({name})s" for name in changed)
        sql = f"UPDATE schedule SET {values} WHERE site = %(site)s AND next_visit = %(due)s"
        connector = self._app.connector
        given = {**changed, "site": watched.site, "due": watched.next_visit}
        await connector.execute_query_async(sql, **given)
        if end.why:
            self._say(message(watched, end, changed=changed, now=now))

    async def _give_up(self, job: Job, how: End) -> None:
        """The visit of a job is lost, or its end could not be written."""
        why = "its worker is lost" if how is End.LOST else "the end of its job could not be written"
        for row in await self._rows(_BEGIN, site=job.lock, due=job.task_kwargs["due"]):
            end = VisitEnd(how, why=why)
            await self._end(Watched.of(row), end, began=row["now"], now=row["now"])

    def _free(self, site: str) -> None:
        """End the connection of a worker that still has the lock of a site. It has no job for it
        any more: there is one job a site, and this worker runs it."""
        own = self._name

        def is_lost(holder: str) -> bool:
            return holder.startswith(WORKER) and holder != own

        with closing(self._settings.crawl.stores.watched()) as db:
            free_lock(db, site, is_lost=is_lost)

    async def _rows(self, sql: str, **given: Any) -> list[dict[str, Any]]:
        return await self._app.connector.execute_query_all_async(sql, **given)


@dataclass(frozen=True, slots=True)
class _Begun:
    """A visit that began: at ``at`` by the clock of the database, ``since`` by that of this
    process."""

    watched: Watched
    at: float
    since: float

    @property
    def now(self) -> float:
        """The clock of the database, without asking it."""
        return self.at + time.monotonic() - self.since


def _app_of(url: str) -> procrastinate.App:
    connector = procrastinate.PsycopgConnector(
        conninfo=conninfo(url),
        min_size=1,
        max_size=_CONNECTIONS,
        configure=_configure,
        reconnect_timeout=_BACKOFF,
        kwargs=CONNECTION_OPTIONS,
    )
    return procrastinate.App(connector=connector)


async def _configure(connection: psycopg.AsyncConnection[Any]) -> None:
    """Each statement of Procrastinate is a transaction of its own: without BEGIN and COMMIT around
    it a visit costs a third of the statements less."""
    await connection.set_autocommit(True)
    await connection.execute(_LIMIT)


def _brief(error: BaseException) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


class _OneLine(logging.Filter):
    """Takes the tracebacks from what Procrastinate logs. It logs one for each end of a job that was
    given up meanwhile, and for each connection that is lost."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.exc_info = None
        record.exc_text = None
        return True


def _tell_briefly(loop: asyncio.AbstractEventLoop) -> None:
    """Have the errors of an absent database told in a line each, without tracebacks."""
    for name in ("worker", "worker.worker", "utils", "periodic"):
        logging.getLogger(f"procrastinate.{name}").addFilter(_OneLine())
    # its pool tells each attempt to connect, and a stop cuts off what a connection was doing; that
    # the database is away is told once
    logging.getLogger("psycopg").setLevel(logging.ERROR)

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if isinstance(error, FAULTS):
            logger.warning("%s", _brief(error))
        else:
            loop.default_exception_handler(context)

    loop.set_exception_handler(handle)
