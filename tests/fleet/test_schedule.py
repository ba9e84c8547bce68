"""The schedule: what is due, what the end of a visit changes, and who may write it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from sitecrawl.crawl.config import ArgumentError
from sitecrawl.crawl.store import SiteFacts, Stores
from sitecrawl.errors import DatabaseError, StoreError
from sitecrawl.extras.fleet.postgresql import WORKER, free_lock, named
from sitecrawl.extras.fleet.schedule import (
    End,
    Schedule,
    VisitEnd,
    Watched,
    changes,
    message,
    seconds_of,
)
from tests.postgres import server

URL = "http://a.example/news/"
FINISHED = VisitEnd(End.FINISHED, {"reason": "finished", "articles": 3})


@pytest.fixture
def schedule(stores: Stores) -> Iterator[Schedule]:
    found = Schedule(stores.watched())
    yield found
    found.close()


def test_a_site_is_due_visited_and_due_again(schedule: Schedule) -> None:
    assert schedule.add(URL, {"scope": "site"}, every=3_600) == "a.example"
    (watched,) = schedule.due(9)
    assert (watched.arguments, watched.start) == ({"scope": "site"}, (URL,))
    began = schedule.begin(watched)
    assert schedule.due(9, but={"a.example"}) == []
    assert schedule.end(watched, FINISHED, began=began) == ""
    known = schedule.get("a.example")
    assert known
    assert (known.visits, known.articles, known.outcome["reason"]) == (1, 3, "finished")
    assert schedule.under_way() == []
    assert known.next_visit == watched.next_visit + 3_600
    assert schedule.due(9) == []


def test_after_a_pause_of_the_workers_a_site_is_visited_once(schedule: Schedule) -> None:
    """It was due again at once, since the time of its next visit had passed, too."""
    schedule.add(URL, {}, every=3_600)
    schedule.db.write("UPDATE schedule SET next_visit=:then", then=schedule.db.now() - 3 * 3_600)
    (watched,) = schedule.due(9)
    schedule.end(watched, FINISHED, began=schedule.begin(watched))
    assert schedule.due(9) == []


def row(**changed: Any) -> Watched:
    """A site that is due at 1,000 and visited every minute."""
    known: dict[str, Any] = {"site": "a.example", "start": (URL,), "arguments": {}, "every": 60}
    known |= {"next_visit": 1_000.0, "ended": 0.0, "outcome": {}}
    for name in ("visits", "articles", "tries", "deaths", "paused"):
        known[name] = 0
    return Watched(**known | changed)


@pytest.mark.parametrize(
    ("how", "before", "pause", "after"),
    [
        # a visit that broke off is tried again soon, then later and later
        (End.BROKEN, {}, 1, {"tries": 1}),
        (End.BROKEN, {"tries": 1}, 10, {"tries": 2}),
        (End.BROKEN, {"tries": 3}, 160, {"tries": 4}),
        (End.BROKEN, {"tries": 30}, 3_600, {"tries": 31}),
        # a site whose worker is lost becomes a suspect, and no more than that
        (End.LOST, {}, None, {"tries": 1, "deaths": 1}),
        (End.LOST, {"tries": 1, "deaths": 3}, 10, {"tries": 2, "deaths": 3}),
        # one that kills its own process is put off an hour the third time, then a day
        (End.DIED, {"tries": 1, "deaths": 1}, 10, {"tries": 2, "deaths": 2}),
        (End.DIED, {"tries": 2, "deaths": 2}, 40, {"tries": 3, "deaths": 3}),
        (End.DIED, {"tries": 3, "deaths": 3}, 3_600, {"tries": 4, "deaths": 4}),
        (End.DIED, {"tries": 4, "deaths": 4}, 86_400, {"tries": 5, "deaths": 5}),
        # who is told to stop leaves the site due; who stops the visit of a site puts it off
        (End.INTERRUPTED, {"tries": 1}, None, {}),
        (End.STOPPED, {"tries": 1}, 60, {"stop": 0}),
        (End.FINISHED, {"tries": 3, "deaths": 2}, 50, {"tries": 0, "deaths": 0}),
    ],
)
def test_what_the_end_of_a_visit_changes(
    how: End, before: dict[str, int], pause: int | None, after: dict[str, int]
) -> None:
    found = changes(row(**before), VisitEnd(how, {"articles": 3}), began=1_001.0, now=1_010.0)
    assert found.get("next_visit") == (None if pause is None else 1_010.0 + pause)
    assert found["begun"] == 0
    assert {name: found.get(name) for name in after} == after


def test_a_visit_that_does_not_finish_is_told(schedule: Schedule) -> None:
    end = VisitEnd(End.BROKEN, why="no room")
    told = []
    for tries in range(3):
        found = changes(row(tries=tries), end, began=0.0, now=0.0)
        told.append(message(row(), end, changed=found, now=0.0))
    assert told == [
        f"a.example: no room; again {when}" for when in ("in 1 s", "in 10 s", "in 40 s")
    ]


def test_who_was_given_up_writes_nothing(schedule: Schedule) -> None:
    """Its site is due at another time since."""
    schedule.add(URL, {}, every=60)
    (lost,) = schedule.due(9)
    began = schedule.begin(lost)
    for why in ("", "its worker is lost"):  # the second time it is put off
        (watched,) = schedule.due(9)
        schedule.end(watched, VisitEnd(End.LOST, why=why), began=began)
    schedule.end(lost, FINISHED, began=began)
    known = schedule.get("a.example")
    assert known
    assert (known.tries, known.visits, known.is_suspect) == (2, 0, True)


def test_a_site_that_is_paused_is_not_due(schedule: Schedule) -> None:
    schedule.add(URL, {}, every=60)
    schedule.change("a.example", paused=1)
    assert schedule.due(9) == []
    schedule.change("a.example", paused=0)
    assert len(schedule.due(9)) == 1


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


def test_a_lost_worker_loses_its_lock_and_can_write_no_more(tmp_path: Path) -> None:
    url = server().create()
    schedule = Schedule(Stores(tmp_path, url).watched())
    store = Stores(tmp_path, named(url, f"{WORKER}sleeper")).crawl("a.example")
    store.begin("task")
    store.lock()
    assert not free_lock(schedule.db, "a.example", is_lost=lambda holder: False, patience=0)
    assert free_lock(schedule.db, "a.example", is_lost=lambda holder: holder.startswith(WORKER))
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
    assert not free_lock(schedule.db, "a.example", is_lost=lambda holder: holder.startswith(WORKER))
    store.change_facts(url_counts="still")
    store.close()
    assert free_lock(schedule.db, "a.example", is_lost=lambda holder: False)
    schedule.close()


def test_one_worker_a_folder(tmp_path: Path) -> None:
    one, two = Stores(tmp_path).watched(), Stores(tmp_path).watched()
    one.lock("work")
    with pytest.raises(StoreError, match="in use"):
        two.lock("work")
    one.close()
    two.close()
