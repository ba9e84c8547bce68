"""The engines inside: settings that Procrastinate needs, its tables, the watch over a worker; and
what a database that cannot carry them is told."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from procrastinate.exceptions import ConnectorException
from procrastinate.schema import SchemaManager

from sitecrawl.crawl.config import CrawlSettings
from sitecrawl.crawl.store import Stores
from sitecrawl.errors import DatabaseError
from sitecrawl.extras.fleet.engine import WorkerSettings
from sitecrawl.extras.fleet.job_tables import prepare
from sitecrawl.extras.fleet.lease import Lease, watch_for_stall
from sitecrawl.extras.fleet.procrastinate_engine import ProcrastinateEngine
from sitecrawl.extras.fleet.schedule import End, Schedule, VisitEnd, Watched
from tests.crawl.runner import scrapy
from tests.fleet.proxies import proxy
from tests.postgres import server

PATIENCE = 120.0
FINISHED = VisitEnd(End.FINISHED, {"reason": "finished", "pages": 1, "articles": 1})


@pytest.fixture
def database() -> str:
    return server().create()


def engine_of(database: str, folder: Path, *, lost_after: float = 2.0) -> ProcrastinateEngine:
    crawl = CrawlSettings(folder, database=database)
    return ProcrastinateEngine(WorkerSettings(crawl, 1, lost_after), say=print)


def watch(database: str, folder: Path, *, every: int) -> None:
    with closing(Schedule(Stores(folder, database).watched())) as schedule:
        schedule.add("http://a.example/", {}, every=every)


def watched_site(database: str, folder: Path) -> Watched:
    with closing(Schedule(Stores(folder, database).watched())) as schedule:
        (found,) = schedule.all()
    return found


def work_until(engine: ProcrastinateEngine, visit: Any, condition: Callable[[], bool]) -> None:
    """Run an engine in this process until a condition holds."""

    async def work() -> None:
        stop = asyncio.Event()
        running = asyncio.ensure_future(engine.run(visit, stop))
        end = time.monotonic() + PATIENCE
        while not condition() and not running.done():
            assert time.monotonic() < end
            await asyncio.sleep(0.05)
        stop.set()
        await running

    asyncio.run(work())


def test_a_job_whose_end_could_not_be_written_is_given_up_by_its_own_worker(
    database: str, tmp_path: Path
) -> None:
    """It would be held as long as the worker lives, and its site not visited again."""
    watch(database, tmp_path, every=1)
    engine = engine_of(database, tmp_path)
    visits = list[str]()
    manager = engine._app.job_manager
    finish = manager.finish_job

    async def visit(watched: Watched) -> VisitEnd:
        visits.append(watched.site)
        return FINISHED

    async def lose_the_first(**given: Any) -> None:
        if len(visits) == 1:
            raise ConnectorException
        await finish(**given)

    manager.finish_job = lose_the_first  # type: ignore[method-assign,assignment]
    work_until(engine, visit, lambda: len(visits) > 1)
    known = watched_site(database, tmp_path)
    assert known.visits >= 1
    assert not known.is_suspect


def test_a_visit_that_fails_is_tried_again_later_and_later(database: str, tmp_path: Path) -> None:
    watch(database, tmp_path, every=3_600)
    visits = list[float]()

    async def visit(watched: Watched) -> VisitEnd:
        visits.append(time.monotonic())
        return VisitEnd(End.BROKEN, why="no room")

    engine = engine_of(database, tmp_path)
    work_until(engine, visit, lambda: watched_site(database, tmp_path).tries == 2)
    assert len(visits) == 2
    with closing(Schedule(Stores(tmp_path, database).watched())) as schedule:
        assert schedule.due(1) == []


def test_what_procrastinate_is_told(database: str, tmp_path: Path) -> None:
    """Signs of life come four times before a worker counts as lost, and it is not given more time
    to stop; a periodic task has to be, or nothing watches the others."""
    engine = engine_of(database, tmp_path, lost_after=8.0)
    told = list[dict[str, Any]]()

    async def run_worker(**given: Any) -> None:
        async with engine._app.connector.pool.connection() as connection:  # type: ignore[attr-defined]
            told.append({**given, "autocommit": connection.autocommit})
        await asyncio.sleep(PATIENCE)

    async def visit(watched: Watched) -> VisitEnd:
        return FINISHED

    engine._app.run_worker_async = run_worker  # type: ignore[method-assign,assignment]
    work_until(engine, visit, lambda: bool(told))
    assert told[0]["update_heartbeat_interval"] == 2
    assert told[0]["stalled_worker_timeout"] == told[0]["shutdown_graceful_timeout"] == 8
    assert told[0]["autocommit"]
    assert engine._app.periodic_registry.periodic_tasks
    # who runs an engine is watched no longer than it runs
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)


# ---- tables
def migrations() -> list[Path]:
    return sorted(Path(SchemaManager.get_migrations_path()).glob("*.sql"))


def recorded(database: str) -> set[str]:
    with psycopg.connect(database, autocommit=True) as connection:
        return {name for (name,) in connection.execute("SELECT name FROM engine_migrations")}


def make_older(database: str) -> None:
    """Tables as the package made them before its last migration."""
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("CREATE TABLE engine_migrations (name text PRIMARY KEY)")
        for file in migrations()[:-1]:
            connection.execute(file.read_bytes())
            connection.execute("INSERT INTO engine_migrations VALUES (%s)", [file.name])


def test_the_tables_are_made_once(database: str) -> None:
    for _ in range(2):
        prepare(database)
        assert recorded(database) == {file.name for file in migrations()}


def test_older_tables_are_migrated(database: str) -> None:
    make_older(database)
    prepare(database)
    assert recorded(database) == {file.name for file in migrations()}
    fresh = server().create()
    prepare(fresh)
    functions = "SELECT proname FROM pg_proc WHERE proname LIKE 'procrastinate%'"
    with psycopg.connect(database) as old, psycopg.connect(fresh) as new:
        assert set(old.execute(functions)) >= set(new.execute(functions))


def make_newer(database: str) -> None:
    prepare(database)
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("INSERT INTO engine_migrations VALUES ('99.00.00_01_pre_more.sql')")


def make_foreign(database: str) -> None:
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(SchemaManager.get_schema().encode())


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (make_newer, "newer than the package (99.00.00_01_pre_more.sql)"),
        (make_foreign, "that sitecrawl did not make"),
    ],
)
def test_tables_that_are_not_ours_to_use(
    database: str, make: Callable[[str], None], said: str
) -> None:
    make(database)
    with pytest.raises(DatabaseError) as caught:
        prepare(database)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


# ---- databases that cannot be used
def of_nobody(database: str) -> str:
    return database.replace("127.0.0.1:", "127.0.0.1:1")


def with_wrong_password(database: str) -> str:
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS guarded")
        connection.execute("CREATE ROLE guarded LOGIN PASSWORD 'right'")
        rules = server().folder / "data" / "pg_hba.conf"
        line = "host all guarded 127.0.0.1/32 scram-sha-256\n"
        if line not in rules.read_text():
            rules.write_text(line + rules.read_text())
        connection.execute("SELECT pg_reload_conf()")
    return database.replace("postgres@", "guarded:wrong@")


def of_another_protocol(database: str) -> str:
    with closing(Stores(Path(), database).watched()) as db:
        db.write("UPDATE facts SET value='99' WHERE name='protocol'")
    return database


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (of_nobody, "see that the server runs and lets you in"),
        (with_wrong_password, "password authentication failed"),
        (of_another_protocol, "protocol 99, this version reads 8"),
    ],
)
def test_a_database_that_cannot_be_used_is_told_in_a_line(
    database: str, tmp_path: Path, make: Callable[[str], str], said: str
) -> None:
    url = make(database)
    done = scrapy("work", "-s", f"SITECRAWL_DATA_DIR={tmp_path}", "-s", f"SITECRAWL_DATABASE={url}")
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert said in done.stderr
    assert "wrong" not in done.stderr


def test_a_pooler_that_passes_no_notifications_on(database: str, tmp_path: Path) -> None:
    with proxy(database, keeps_notifications=True) as between:
        done = scrapy(
            "work",
            "-s",
            f"SITECRAWL_DATA_DIR={tmp_path}",
            "-s",
            f"SITECRAWL_DATABASE={between.url}",
        )
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "passes no notifications on (LISTEN)" in done.stderr
    with psycopg.connect(database) as connection:
        tables = connection.execute("SELECT to_regclass('procrastinate_jobs')").fetchone()
    assert tables == (None,)


# ---- the watch over a worker
@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr("sitecrawl.extras.fleet.lease.time.monotonic", lambda: now[0])
    return now


def test_who_was_out_of_contact_sends_no_more_for_a_visit(clock: list[float]) -> None:
    """Its site may be another worker's by then; that of a visit that begins afterwards is not."""
    lease = Lease(10.0)
    before = lease.may_send()
    assert before()
    clock[0] += 7.5
    assert not before()
    lease.renew()
    assert not before()
    assert lease.may_send()()
    # contact that was noticed late is contact: the worker told the time of it
    clock[0] += 20
    during = lease.may_send()
    lease.renew(clock[0] - 14)
    lease.renew(clock[0] - 8)
    lease.renew(clock[0] - 2)
    assert during()


def test_a_page_that_stalls_its_process_ends_it() -> None:
    """Also inside a regular expression, where no signal handler of Python's runs."""
    if (child := os.fork()) == 0:
        watch_for_stall(0.2)
        while True:
            pass
    _, status = os.waitpid(child, 0)
    assert os.WTERMSIG(status) == signal.SIGVTALRM
