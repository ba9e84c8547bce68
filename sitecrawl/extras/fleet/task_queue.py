"""The queue of sites that are due: PgQueuer on the server that holds the state, the schedule itself on one machine."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Protocol

from sitecrawl.crawl.database import without_password
from sitecrawl.errors import DatabaseError
from sitecrawl.extras.fleet.postgresql import lock_key, server_dsn
from sitecrawl.extras.fleet.schedule import Schedule

_ENTRY = "sitecrawl visit"


@dataclass(frozen=True)
class Task:
    """A site to be visited now; ``job`` is the queue's own record."""

    site: str
    job: Any = None


class Queue(Protocol):
    """A site is in the queue once at most, and with one worker at a time until that is lost."""

    async def put_up(self, sites: Iterable[str]) -> None:
        """Put up the sites that are due; those that are in the queue or under way stay as they are."""

    async def take(self, most: int) -> list[Task]:
        """Sites to visit now, also those of workers that were lost."""

    async def beat(self, tasks: Iterable[Task]) -> None:
        """These sites are still being visited."""

    async def done(self, task: Task) -> None:
        """A visit is over."""

    async def again(self, task: Task, delay: float) -> None:
        """A visit was broken off: let somebody take it in some seconds."""

    async def close(self) -> None:
        """Let go of the connection."""


class LocalQueue:
    """The schedule of a data folder, which has one worker at a time."""

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule

    async def put_up(self, sites: Iterable[str]) -> None: ...

    async def take(self, most: int) -> list[Task]:
        return [Task(site) for site in self.schedule.due(most, free=True)]

    async def beat(self, tasks: Iterable[Task]) -> None: ...

    async def done(self, task: Task) -> None: ...

    async def again(self, task: Task, delay: float) -> None: ...

    async def close(self) -> None: ...


class ServerQueue:
    """Jobs of PgQueuer. Raises DatabaseError where the server cannot be used."""

    def __init__(self, connection: Any, place: str, lost_after: float) -> None:
        from pgqueuer.queries import Queries

        self.connection, self.place = connection, place
        self.queries = Queries.from_psycopg_connection(connection)
        self.lost_after = timedelta(seconds=lost_after)
        self.worker = uuid.uuid4()

    @classmethod
    async def open(cls, url: str, lost_after: float) -> ServerQueue:
        """Connect, and make the tables of the queue where there are none."""
        from psycopg import AsyncConnection

        place = without_password(url)
        async with _told(place):
            queue = cls(await AsyncConnection.connect(server_dsn(url), autocommit=True), place, lost_after)
            key = lock_key("sitecrawl queue")
            await queue.connection.execute("SELECT pg_advisory_lock(%s)", (key,))
            if not await queue.queries.schema_is_installed():
                await queue.queries.install()
            await queue.connection.execute("SELECT pg_advisory_unlock(%s)", (key,))
        return queue

    async def put_up(self, sites: Iterable[str]) -> None:
        names: list[str | None] = list(sites)
        data: list[bytes | None] = [str(name).encode() for name in names]
        if names:
            entries, ranks = [_ENTRY] * len(names), [0] * len(names)
            async with _told(self.place):
                await self.queries.enqueue(entries, data, ranks, dedupe_key=names, on_conflict="skip")

    async def take(self, most: int) -> list[Task]:
        from pgqueuer.ports.repository import EntrypointExecutionParameter
        from pgqueuer.types import QueueEntrypoint, QueueManagerId

        entries = {QueueEntrypoint(_ENTRY): EntrypointExecutionParameter(concurrency_limit=0)}
        async with _told(self.place):
            jobs = await self.queries.dequeue(most, entries, QueueManagerId(self.worker), None, self.lost_after)
        return [Task((job.payload or b"").decode(), job) for job in jobs]

    async def beat(self, tasks: Iterable[Task]) -> None:
        ids = [task.job.id for task in tasks]
        if ids:
            async with _told(self.place):
                await self.queries.update_heartbeat(ids)

    async def done(self, task: Task) -> None:
        async with _told(self.place):
            await self.queries.log_jobs([(task.job, "successful", None)])

    async def again(self, task: Task, delay: float) -> None:
        async with _told(self.place):
            await self.queries.retry_job(task.job, timedelta(seconds=delay), None)

    async def close(self) -> None:
        async with _told(self.place):
            await self.connection.close()


@asynccontextmanager
async def _told(place: str) -> AsyncIterator[None]:
    """Tell what goes wrong with the server by a DatabaseError."""
    from psycopg import Error

    try:
        yield
    except (Error, OSError) as error:
        raise DatabaseError.of(place, error) from None
