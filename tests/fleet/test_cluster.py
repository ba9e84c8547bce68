"""Many machines: whatever happens to a worker or to the database, each site is visited again, no
visit counts twice, and workers go on."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from tests.fleet.proxies import proxy
from tests.fleet.stubs import StubFleet
from tests.postgres import new_server, server

PATIENCE = 240.0  # seconds: the machine may be busy


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[StubFleet]:
    found = StubFleet(tmp_path, server().create())
    yield found
    found.kill_all()


def until(condition: Callable[[], bool], patience: float = PATIENCE) -> None:
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.1)


def all_visited_again(fleet: StubFleet, names: list[str]) -> None:
    """Wait until a visit of each site has begun since now."""
    moment = time.monotonic()
    until(lambda: fleet.visited_since(moment) >= set(names))


def check(fleet: StubFleet) -> None:
    """No visit was counted that did not end, none twice, and none of a site at the same time."""
    counted, ended = fleet.counted(), fleet.ended()
    assert counted <= ended
    open_visits = dict[str, str]()
    for line in fleet.lines():
        if line.what == "begin":
            open_visits[line.site] = line.worker
        else:
            assert open_visits.get(line.site) == line.worker, line
    assert "Traceback" not in fleet.said_by_all()


def test_a_worker_that_is_killed(fleet: StubFleet) -> None:
    names = fleet.watch(6, every=2)
    fleet.start(2)
    all_visited_again(fleet, names)
    fleet.kill(0)
    all_visited_again(fleet, names)
    assert fleet.end()[1:] == [0]
    check(fleet)
    # the engine forgets the worker
    assert fleet.known() == []


def test_a_worker_that_is_told_to_stop_hands_its_sites_over_at_once(fleet: StubFleet) -> None:
    fleet.plan = {"lost_after": 600.0, "visits_last": 2.0}
    names = fleet.watch(4, every=1)
    fleet.start(2)
    until(lambda: bool(fleet.lines("begin", "w0")))
    fleet.workers[0].terminate()
    assert fleet.workers[0].wait(PATIENCE) == 0
    all_visited_again(fleet, names)  # long before a silent worker would count as lost
    assert fleet.end() == [0, 0]
    check(fleet)


def test_a_worker_that_sleeps_is_given_up_and_begins_anew_when_it_wakes(fleet: StubFleet) -> None:
    fleet.plan = {"visits_last": 3.0}
    names = fleet.watch(4, every=1)
    fleet.start(2)
    until(lambda: bool(fleet.lines("begin", "w0")))
    fleet.freeze(0)
    all_visited_again(fleet, names)
    until(lambda: "its worker is lost" in fleet.said(1))
    fleet.thaw(0)
    moment = time.monotonic()
    until(lambda: any(line.at > moment for line in fleet.lines("begin", "w0")))
    assert fleet.end() == [0, 0]
    check(fleet)


@pytest.mark.parametrize("away", [0.0, 8.0])
def test_a_database_that_restarts(fleet: StubFleet, away: float) -> None:
    """All workers live, and none is given up, however long it was away."""
    own = new_server()
    fleet.database = own.create()
    names = fleet.watch(4, every=2)
    fleet.start(2)
    all_visited_again(fleet, names)
    own.stop()
    time.sleep(away)
    own.start()
    all_visited_again(fleet, names)
    assert fleet.end() == [0, 0]
    check(fleet)
    assert "its worker is lost" not in fleet.said_by_all()
    if away:
        assert "waiting for it" in fleet.said_by_all()


def test_connections_that_are_cut(fleet: StubFleet) -> None:
    names = fleet.watch(4, every=2)
    fleet.start(2)
    all_visited_again(fleet, names)
    with psycopg.connect(fleet.database, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    all_visited_again(fleet, names)
    assert fleet.end() == [0, 0]
    check(fleet)


def test_connections_that_fall_silent(fleet: StubFleet) -> None:
    """The sites go to another worker, and the silent one ends when it is told to."""
    names = fleet.watch(4, every=2)
    with proxy(fleet.database) as between:
        fleet.start(through=between.url)
        until(lambda: bool(fleet.lines("begin", "w0")))
        fleet.start()
        all_visited_again(fleet, names)
        between.passes.clear()
        moment = time.monotonic()
        until(
            lambda: (
                {line.site for line in fleet.lines("begin", "w1") if line.at > moment} >= set(names)
            )
        )
        fleet.workers[0].terminate()
        assert fleet.workers[0].wait(PATIENCE) == 1
    assert "ended at once" in fleet.said(0)
    assert fleet.end()[1:] == [0]


def test_a_worker_that_wakes_among_silent_connections_works_on(fleet: StubFleet) -> None:
    names = fleet.watch(4, every=2)
    with proxy(fleet.database) as between:
        fleet.start(through=between.url)
        all_visited_again(fleet, names)
        between.passes.clear()
        time.sleep(6)  # longer than a worker may be silent
        between.passes.set()
        all_visited_again(fleet, names)
        assert fleet.end() == [0]
    check(fleet)


def test_two_first_starts_at_once_make_the_tables_once(fleet: StubFleet) -> None:
    names = fleet.watch(4, every=2)
    fleet.start(3)
    until(lambda: len(fleet.known()) == 3)
    all_visited_again(fleet, names)
    assert fleet.end() == [0, 0, 0]
    check(fleet)
    assert fleet.said_by_all().count("\n") == 3  # that each is stopping


def test_a_stop_while_the_database_is_away(fleet: StubFleet) -> None:
    own = new_server()
    fleet.database = own.create()
    fleet.watch(2, every=2)
    fleet.start()
    until(lambda: bool(fleet.lines("begin")))
    own.stop()
    until(lambda: "waiting for it" in fleet.said(0))
    fleet.workers[0].send_signal(signal.SIGTERM)
    assert fleet.workers[0].wait(PATIENCE) in (0, 1)
    assert "Traceback" not in fleet.said(0)
