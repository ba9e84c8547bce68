"""The schedule and the queue: what is due goes to one worker, is taken over when that is lost, and
is due again afterwards."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread
from unittest.mock import ANY

import pytest

from sitecrawl.crawl.config import ArgumentError
from sitecrawl.crawl.store import SiteFacts, Stores
from sitecrawl.errors import DatabaseError, StoreError
from sitecrawl.extras.fleet.postgresql import named
from sitecrawl.extras.fleet.schedule import Schedule, Watched, WorkerState, seconds_of
from tests.postgres import server

URL = "http://a.example/news/"


@pytest.fixture
def schedule(stores: Stores) -> Iterator[Schedule]:
    found = Schedule(stores.watched())
    yield found
    found.close()


def taken(
    schedule: Schedule, worker: str, most: int = 9, *, lost_after: float = 60
) -> list[Watched]:
    """What a worker gets that reported just now."""
    schedule.beat(WorkerState(worker))
    return schedule.take(worker, most=most, lost_after=lost_after)


def test_a_site_is_due_visited_and_due_again(schedule: Schedule) -> None:
    assert schedule.add(URL, {"scope": "site"}, every=3_600) == "a.example"
    (watched,) = taken(schedule, "one")
    assert (watched.arguments, watched.start, watched.worker) == ({"scope": "site"}, (URL,), "one")
    assert schedule.sites_of("one") == ["a.example"]
    schedule.end(watched, {"reason": "finished", "articles": 3})
    known = schedule.get("a.example")
    assert known
    assert (known.worker, known.visits, known.articles, known.outcome["reason"]) == (
        "",
        1,
        3,
        "finished",
    )
    assert 3_590 < known.next_visit - watched.taken < 3_600
    assert taken(schedule, "one") == []


def test_after_a_pause_of_the_workers_a_site_is_visited_once(schedule: Schedule) -> None:
    """It was due again at once, since the time of its next visit had passed, too."""
    schedule.add(URL, {}, every=3_600)
    schedule.db.write("UPDATE schedule SET next_visit=:then", then=schedule.db.now() - 3 * 3_600)
    (watched,) = taken(schedule, "one")
    schedule.end(watched, {"reason": "finished", "articles": 3})
    assert taken(schedule, "one") == []


def test_two_start_pages_that_are_added_to_a_site_at_once_are_both_watched(
    schedule: Schedule, stores: Stores
) -> None:
    """On a server the second addition did not see the first one, and wrote its own start page in
    its place."""

    def add() -> None:
        with closing(Schedule(stores.watched())) as other:
            began.set()
            other.add("http://a.example/sport/", {}, every=60)

    began, second = Event(), Thread(target=add)
    with schedule.db.at_once():
        schedule.add(URL, {}, every=60)
        second.start()
        began.wait(30)
        second.join(0.3)
    second.join(30)
    (watched,) = schedule.all()
    assert watched.start == (URL, "http://a.example/sport/")


def test_a_further_start_page_of_a_site_is_added_to_it(schedule: Schedule) -> None:
    for url in (URL, "http://a.example/sport/", URL):
        schedule.add(url, {}, every=60)
    ((watched),) = schedule.all()
    assert watched.start == (URL, "http://a.example/sport/")
    assert schedule.remove("http://a.example/other/")
    assert not schedule.remove("a.example")
    assert schedule.all() == []


def test_arguments_that_no_crawl_takes_are_refused(schedule: Schedule) -> None:
    with pytest.raises(ArgumentError, match="unknown argument colour"):
        schedule.add(URL, {"colour": "red"}, every=60)
    for text in ("1", "h", "0h", "1.5h", "-1h", ""):
        with pytest.raises(ArgumentError, match="no span of time"):
            seconds_of(text)
    assert schedule.all() == []


def test_who_lost_a_site_writes_nothing_of_it(schedule: Schedule) -> None:
    schedule.add(URL, {}, every=60)
    (lost,) = taken(schedule, "lost")
    assert [watched.worker for watched in taken(schedule, "new", lost_after=0)] == ["new"]
    schedule.end(lost, {"reason": "finished", "articles": 1})
    schedule.put_back("a.example", "lost", delay=10)
    known = schedule.get("a.example")
    assert known
    assert (known.worker, known.visits) == ("new", 0)


def test_workers_come_and_go(schedule: Schedule) -> None:
    schedule.beat(WorkerState("one", 5.0, 0.0, 2, 3, 4, 5))
    schedule.beat(WorkerState("one", 5.0, 0.0, 1, 4, 5, 6))
    (state,) = schedule.workers()
    assert (state.worker, state.sites, state.visits, state.pages, state.articles) == (
        "one",
        1,
        4,
        5,
        6,
    )
    assert abs(state.beat - schedule.db.now()) < 60
    schedule.gone("one")
    assert schedule.workers() == []


def test_a_site_goes_to_one_worker(schedule: Schedule) -> None:
    for host in "abc":
        schedule.add(f"http://{host}.example/", {}, every=60)
    first, second = taken(schedule, "one", 2), taken(schedule, "two", 5)
    assert sorted(watched.site for watched in (*first, *second)) == [
        "a.example",
        "b.example",
        "c.example",
    ]
    assert (len(second), taken(schedule, "one")) == (1, [])
    schedule.put_back(second[0].site, "two", delay=0)
    assert taken(schedule, "one") == [replace(second[0], worker="one", taken=ANY, next_visit=ANY)]


def test_workers_that_ask_at_once_get_different_sites(tmp_path: Path) -> None:
    url = server().create()
    one, two = (Schedule(Stores(tmp_path, url).watched()) for _ in range(2))
    for host in "ab":
        one.add(f"http://{host}.example/", {}, every=60)
    with one.db.at_once():
        (mine,) = taken(one, "one", 1)
        (other,) = taken(two, "two")
    assert {mine.site, other.site} == {"a.example", "b.example"}
    one.close()
    two.close()


def test_who_reads_before_it_writes_is_not_overtaken(tmp_path: Path) -> None:
    """A worker of a folder ended, and `sitecrawl sites add` failed, where the other one wrote
    between its reading and its writing: SQLite does not wait then."""
    schedule = Schedule(Stores(tmp_path).watched())
    schedule.add(URL, {}, every=60)
    other = sqlite3.connect(tmp_path / "sites.sqlite", timeout=0, isolation_level=None)
    with schedule.db.at_once():
        assert schedule.get("a.example")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("UPDATE schedule SET every=1")
        schedule.add(URL, {}, every=90)
    assert other.execute("SELECT every FROM schedule").fetchall() == [(90,)]
    other.close()
    schedule.close()


def test_a_site_of_a_lost_worker_goes_to_another(schedule: Schedule) -> None:
    schedule.add(URL, {}, every=60)
    assert taken(schedule, "one")
    assert taken(schedule, "two") == []
    schedule.gone("one")
    assert [watched.worker for watched in taken(schedule, "two")] == ["two"]


def test_a_lost_worker_loses_its_lock_and_can_write_no_more(tmp_path: Path) -> None:
    url = server().create()
    schedule = Schedule(Stores(tmp_path, url).watched())
    store = Stores(tmp_path, named(url, "sleeper")).crawl("a.example")
    store.begin("task")
    store.lock()
    schedule.beat(WorkerState("sleeper"))
    assert not schedule.let_in("a.example", lost_after=60)
    assert schedule.let_in("a.example", lost_after=0)
    other = Stores(tmp_path, url).crawl("a.example")
    other.lock()
    for _ in range(2):
        with pytest.raises(DatabaseError, match="see that the server runs") as caught:
            store.change_facts(url_counts="late")
        assert "\n" not in str(caught.value)
    assert other.site_facts() == SiteFacts()
    for each in (store, other, schedule):
        each.close()


def test_a_crawl_by_hand_is_not_ended(tmp_path: Path) -> None:
    url = server().create()
    schedule = Schedule(Stores(tmp_path, url).watched())
    store = Stores(tmp_path, url).crawl("a.example")
    store.lock()
    assert not schedule.let_in("a.example", lost_after=0)
    store.change_facts(url_counts="still")
    store.close()
    assert schedule.let_in("a.example", lost_after=0)
    schedule.close()


def test_one_worker_a_folder(tmp_path: Path) -> None:
    one, two = Stores(tmp_path).watched(), Stores(tmp_path).watched()
    one.lock("work")
    with pytest.raises(StoreError, match="in use"):
        two.lock("work")
    one.close()
    two.close()
