"""The schedule and the queue: what is due goes to one worker, is taken over when that is lost, and is due again afterwards."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.postgres import server
from sitecrawl.crawl.config import ArgumentError
from sitecrawl.crawl.store import SiteFacts, Stores
from sitecrawl.errors import DatabaseError, StoreError
from sitecrawl.extras.fleet.postgresql import named
from sitecrawl.extras.fleet.schedule import Schedule, Work, seconds_of
from sitecrawl.extras.fleet.task_queue import LocalQueue, Queue, ServerQueue

URL = "http://a.example/news/"


@pytest.fixture
def schedule(stores: Stores) -> Iterator[Schedule]:
    found = Schedule(stores.watched())
    yield found
    found.close()


def test_a_site_is_due_visited_and_due_again(schedule: Schedule) -> None:
    assert schedule.add(URL, {"scope": "site"}, 3_600) == "a.example"
    assert schedule.due() == ["a.example"]
    watched = schedule.begin("a.example", "one")
    assert watched
    assert (watched.given, watched.worker) == ({"scope": "site", "start": URL}, "one")
    assert (schedule.due(), schedule.due(free=True)) == (["a.example"], [])
    schedule.end(watched, {"reason": "finished"}, Work(1, 5, 3))
    known = schedule.get("a.example")
    assert known
    assert (known.worker, known.visits, known.articles, known.outcome["reason"]) == ("", 1, 3, "finished")
    assert 3_590 < known.next_visit - watched.taken < 3_600
    assert schedule.due() == []


def test_a_further_start_page_of_a_site_is_added_to_it(schedule: Schedule) -> None:
    for url in (URL, "http://a.example/sport/", URL):
        schedule.add(url, {}, 60)
    ((watched),) = schedule.all()
    assert watched.start == (URL, "http://a.example/sport/")
    assert schedule.remove("http://a.example/other/")
    assert not schedule.remove("a.example")
    assert schedule.all() == []


def test_arguments_that_no_crawl_takes_are_refused(schedule: Schedule) -> None:
    with pytest.raises(ArgumentError, match="unknown argument colour"):
        schedule.add(URL, {"colour": "red"}, 60)
    for text in ("1", "h", "0h", "1.5h", "-1h", ""):
        with pytest.raises(ArgumentError, match="no span of time"):
            seconds_of(text)
    assert schedule.all() == []


def test_who_lost_a_site_writes_nothing_of_it(schedule: Schedule) -> None:
    schedule.add(URL, {}, 60)
    lost = schedule.begin("a.example", "lost")
    assert lost
    schedule.begin("a.example", "new")
    schedule.end(lost, {"reason": "finished"}, Work(1, 1, 1))
    schedule.put_back("a.example", "lost", 10)
    known = schedule.get("a.example")
    assert known
    assert (known.worker, known.visits) == ("new", 0)


def test_workers_come_and_go(schedule: Schedule) -> None:
    schedule.beat("one", 5.0, 2, Work(3, 4, 5))
    schedule.beat("one", 5.0, 1, Work(4, 5, 6))
    (state,) = schedule.workers()
    assert (state.worker, state.sites, state.work) == ("one", 1, Work(4, 5, 6))
    assert abs(state.beat - schedule.db.now()) < 60
    schedule.gone("one")
    assert schedule.workers() == []


def run(step: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(step())


def test_a_queue_gives_a_site_to_one_worker(stores: Stores, schedule: Schedule) -> None:
    for host in "abc":
        schedule.add(f"http://{host}.example/", {}, 60)

    async def opened() -> Queue:
        return await ServerQueue.open(stores.database, 60) if stores.database else LocalQueue(schedule)

    async def work() -> None:
        one, two = await opened(), await opened()
        for queue in (one, two, one):
            await queue.put_up(schedule.due())
        first = await one.take(2)
        for task in first:
            schedule.begin(task.site, "one")
        second = await two.take(5)
        for task in second:
            schedule.begin(task.site, "two")
        assert sorted(task.site for task in (*first, *second)) == ["a.example", "b.example", "c.example"]
        assert (len(second), await one.take(5)) == (1, [])
        watched = schedule.get(second[0].site)
        assert watched
        schedule.end(watched, {}, Work(1, 1, 1))
        await two.done(second[0])
        await two.put_up(schedule.due())
        assert await two.take(5) == []
        for queue in (one, two):
            await queue.close()

    run(work)


def test_a_site_of_a_lost_worker_goes_to_another_and_what_is_broken_off_comes_again(tmp_path: Path) -> None:
    url = server().create()
    schedule = Schedule(Stores(tmp_path, url).watched())
    schedule.add(URL, {}, 60)

    async def work() -> None:
        one, two = await ServerQueue.open(url, 0.2), await ServerQueue.open(url, 0.2)
        await one.put_up(schedule.due())
        (task,) = await one.take(1)
        await one.beat([task])
        assert await two.take(1) == []
        await asyncio.sleep(0.3)
        (taken,) = await two.take(1)
        await two.again(taken, 0)
        ((again),) = await two.take(1)
        assert again.site == "a.example"
        for queue in (one, two):
            await queue.close()

    run(work)
    schedule.close()


def test_a_lost_worker_loses_its_lock_and_can_write_no_more(tmp_path: Path) -> None:
    url = server().create()
    schedule = Schedule(Stores(tmp_path, url).watched())
    store = Stores(tmp_path, named(url, "sleeper")).crawl("a.example")
    store.begin("task")
    store.lock()
    schedule.beat("sleeper", 0.0, 1, Work())
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
