"""The crawl store: runs that go on, tasks beside one another, one process at a time, all of a step or nothing."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from sitecrawl.crawl.database import FACTS
from sitecrawl.crawl.records import ArticlePage, PartNote, RequestContext, Role, WaitingPage
from sitecrawl.crawl.store import CrawlStore, RunEnd, Stores, Visit, store_path
from sitecrawl.errors import StoreError
from sitecrawl.items.kinds import PageKind


@pytest.fixture
def store(stores: Stores) -> Iterator[CrawlStore]:
    found = stores.crawl("a.example")
    yield found
    found.close()


Reopen = Callable[..., CrawlStore]


@pytest.fixture
def reopened(stores: Stores) -> Iterator[Reopen]:
    """The same site in another process, in a run."""
    opened = list[CrawlStore]()

    def reopen(run: int = 0) -> CrawlStore:
        opened.append(stores.crawl("a.example"))
        opened[-1].run = run
        return opened[-1]

    yield reopen
    for store in opened:
        store.close()


def page(number: int | str, role: Role = Role.ARTICLE) -> RequestContext:
    return RequestContext(f"http://a.example/{number}", role)


def key(number: int | str) -> str:
    return page(number).key


def waiting(number: int | str) -> WaitingPage:
    url = f"http://a.example/{number}"
    return WaitingPage(ArticlePage(key(number), url, key(number), classes=("a", "b")), b"<p>x")


def keys(store: CrawlStore) -> list[str]:
    return [context.key for context in store.queued()]


def test_a_run_goes_on_where_it_was_interrupted(store: CrawlStore, reopened: Reopen) -> None:
    assert store.begin("task") is RunEnd.NONE
    store.queue(page(1))
    store.queue(page(2))
    store.done(key(1), PageKind.ARTICLE)
    store.hold(waiting(1), "template-1")
    store.close()
    again = reopened()
    assert again.begin("task") is RunEnd.INTERRUPTED
    assert keys(again) == [key(2)]
    assert list(again.held()) == [waiting(1)]
    again.save_item(key(1), {"url": "http://a.example/1"}, "digest")
    assert again.held_count() == 0
    assert list(again.items_of_run()) == [{"url": "http://a.example/1"}]
    again.finish()
    assert again.begin("task") is RunEnd.FINISHED
    assert again.queued() == []
    assert list(again.items_of_run()) == []
    assert again.done_pages(9) == []
    assert [list(again.count_pages()) for _ in range(2)] == [[(page(1).url, PageKind.ARTICLE)], []]


def test_tasks_of_a_site_do_not_end_one_another(store: CrawlStore) -> None:
    store.begin("news")
    store.queue(page("news/1"))
    store.hold(waiting("news/2"), "template-1")
    store.begin("sport")
    assert (store.queued(), store.held_count(), list(store.held("template-1"))) == ([], 0, [])
    store.save_item(key("sport/3"), {"url": "http://a.example/sport/3"}, "digest")
    store.finish()
    assert store.begin("news") is RunEnd.INTERRUPTED
    assert keys(store) == [key("news/1")]
    assert [held.page.key for held in store.held()] == [key("news/2")]
    assert list(store.items_of_run()) == []


def test_a_run_that_came_to_a_limit_goes_on_with_a_new_budget(store: CrawlStore) -> None:
    store.begin("task")
    for n in range(3):
        store.queue(page(n))
    for n in range(2):
        store.done(key(n), PageKind.ARTICLE)
    store.save_item(key(0), {"url": "http://a.example/0"}, "digest")
    store.miss(key(1))
    assert store.progress() == (1, 1)
    store.finish(limited=True)
    assert store.begin("task") is RunEnd.LIMITED
    assert keys(store) == [key(1), key(2)]
    assert store.progress() == (0, 0)
    store.done(key(2), PageKind.ARTICLE)
    assert store.begin("task") is RunEnd.INTERRUPTED
    assert store.progress() == (0, 1)


def test_one_crawl_of_a_site_at_a_time(store: CrawlStore, reopened: Reopen) -> None:
    second = reopened()
    store.lock()
    with pytest.raises(StoreError, match="in use"):
        second.lock()
    store.db.shared()
    store.close()
    with pytest.raises(StoreError, match="in use"):
        second.lock()
    store.close()
    second.lock()


def test_a_store_of_another_protocol_is_refused(store: CrawlStore, reopened: Reopen) -> None:
    store.db.write(sa.update(FACTS), value="99")
    store.close()
    with pytest.raises(StoreError, match="protocol 99"):
        reopened()


def test_a_step_that_fails_leaves_nothing(store: CrawlStore) -> None:
    def fail() -> None:
        with store.at_once():
            store.queue(page(1))
            with store.at_once():
                store.save_item(key(1), {"url": "x"}, "digest")
            raise KeyError

    store.begin("task")
    with pytest.raises(KeyError):
        fail()
    assert store.queued() == []
    assert store.item(key(1)) is None
    with store.at_once():
        store.queue(page(2))
    assert keys(store) == [key(2)]


def test_what_is_killed_within_a_step_was_not_decided(store: CrawlStore, reopened: Reopen) -> None:
    store.begin("task")
    step = store.at_once()
    step.__enter__()
    store.queue(page(1))
    assert keys(store) == [key(1)]
    assert keys(reopened(1)) == []
    store.db.connection.close()
    assert keys(reopened(1)) == []


def test_a_context_is_kept_whole(store: CrawlStore) -> None:
    note = PartNote(key(1), "http://a.example/1", "http://a.example/3", "template-1")
    context = RequestContext(
        "http://a.example/2", Role.ARTICLE, 0.7, 0.2, "div/a", (0.7, 0.2, 0.1), "Two", "http://a.example/", 3, part=note
    )
    store.begin("task")
    store.queue(context)
    assert store.queued() == [context]
    held = WaitingPage(ArticlePage(key(2), context.url, context.key, part=note), b"\x00\xff")
    store.hold(held, "part:1")
    assert list(store.held("part:1")) == [held]


def test_earlier_articles_are_read_bit_by_bit_while_they_are_asked_for(store: CrawlStore) -> None:
    store.begin("task")
    for number in range(450):
        store.queue(page(number).again(depth=number))
        store.done(key(number), PageKind.ARTICLE if number % 9 else PageKind.LISTING)
    store.finish()
    store.begin("task")
    found = []
    for context in store.earlier_articles():
        found.append((context.url, context.depth))
        store.queue(context)
        store.done(context.key, PageKind.ARTICLE)
    assert found == [(f"http://a.example/{n}", n) for n in reversed(range(450)) if n % 9]
    assert list(store.earlier_articles()) == []


def test_what_is_known_of_a_page(store: CrawlStore) -> None:
    day = "Tue, 04 Jun 2024 10:00:00 GMT"
    store.remember_visit("list", Visit('"1"', day, "d", "text/html", True), b"<p>list")
    store.remember_visit("large", Visit('"1"', "", "d", "text/html", True), b"x" * 3_000_000)
    store.remember_visit("article", Visit("", "", "d"), b"<p>article")
    assert store.visited_body("list") == b"<p>list"
    kept = store.last_visit("list")
    assert kept
    assert kept.conditions == {"If-None-Match": '"1"', "If-Modified-Since": day}
    assert (store.last_visit("large"), store.visited_body("article")) == (None, None)
    store.miss("article")
    assert store.last_visit("article") is None


def test_articles_that_one_listing_shows_at_most(store: CrawlStore) -> None:
    store.begin("task")
    for name in ("a", "b", "c"):
        store.save_item(name, {"url": f"http://a.example/{name}"}, "digest")
    store.show(["a", "b", "d"], "news")
    store.show(["a"], "sport")
    assert store.seldom_shown({"a", "b", "c", "d", *map(str, range(500))}) == {"b", "c"}
    store.finish()
    store.begin("task")
    assert store.seldom_shown({"a", "b"}) == {"a", "b"}


def test_sightings_count_listings_of_a_run(store: CrawlStore) -> None:
    store.begin("task")
    store.show(["a", "b", "c"], "news")
    store.show(["a"], "news")
    store.show(["a", "b"], "sport")
    assert store.sightings() == (3, 1, 2)
    store.finish()
    store.begin("task")
    assert store.sightings() == (0, 0, 0)
    store.show(["a"], "sport")
    assert store.sightings() == (1, 1, 0)


_OLD = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT);
CREATE TABLE pages (seq INTEGER PRIMARY KEY, key TEXT UNIQUE, run INTEGER, status TEXT, kind TEXT, shown INTEGER,
    brought INTEGER, turn INTEGER, context TEXT);
CREATE TABLE tasks (task TEXT PRIMARY KEY, run INTEGER, ended TEXT, items INTEGER, pages INTEGER);
CREATE TABLE shown (key TEXT PRIMARY KEY, run INTEGER, times INTEGER, listing TEXT);
CREATE TABLE waiting (seq INTEGER PRIMARY KEY, key TEXT UNIQUE, run INTEGER, cluster TEXT, page TEXT, body BLOB);
CREATE TABLE items (seq INTEGER PRIMARY KEY, key TEXT UNIQUE, run INTEGER, digest TEXT, data BLOB);
CREATE TABLE visits (seq INTEGER PRIMARY KEY, key TEXT UNIQUE, etag TEXT, modified TEXT, digest TEXT, type TEXT, body BLOB);
CREATE INDEX pages_status ON pages (status, run);
INSERT INTO facts VALUES ('protocol', '3'), ('browser a.example', '[]');
INSERT INTO visits VALUES (1, 'a.example/1', '"1"', '', 'd', 'text/html', NULL);
INSERT INTO shown VALUES ('a.example/1', 2, 1, 'news');
"""
"""A file as protocol 3 laid it out."""


def old_file(folder: Path) -> Path:
    path = store_path(folder, ["a.example:81"])
    path.parent.mkdir(parents=True)
    task = json.dumps([["http://a.example:81/"], "site", ""])
    data = [zlib.compress(json.dumps({"url": page(n).url, "revision": n}).encode()) for n in (1, 2)]
    with closing(sqlite3.connect(path)) as old:
        old.executescript(_OLD)
        old.execute("INSERT INTO tasks VALUES (?, 2, 'interrupted', 1, 0)", (task,))
        for seq, status in ((2, "queued"), (1, "done")):
            values = (seq, key(seq), status, json.dumps(page(seq).to_dict()))
            old.execute("INSERT INTO pages VALUES (?, ?, 2, ?, 'article', 0, 0, 1, ?)", values)
        old.executemany(
            "INSERT INTO items VALUES (?, ?, ?, 'd', ?)", [(1, key(1), 1, data[0]), (2, key(2), 2, data[1])]
        )
        held = json.dumps(waiting(3).page.to_dict())
        old.execute("INSERT INTO waiting VALUES (1, ?, 2, 'f', ?, ?)", (key(3), held, zlib.compress(b"<p>x")))
        old.commit()
    return path


@pytest.mark.parametrize("by_report", [False, True])
def test_a_file_of_an_older_protocol_is_taken_over(tmp_path: Path, by_report: bool) -> None:
    path = old_file(tmp_path)
    stores = Stores(tmp_path)
    if by_report:
        (known,) = stores.crawls()
        assert known.site == "a.example:81"
        known.close()
    store = stores.crawl("a.example:81")
    store.check()
    ((task, run, ended),) = store.tasks()
    assert (run, ended) == (2, "interrupted")
    assert store.begin(task) is RunEnd.INTERRUPTED
    assert keys(store) == [key(2)]
    assert list(store.held()) == [waiting(3)]
    assert [item["revision"] for item in store.all_items()] == [1, 2]
    assert [item["revision"] for item in store.items_of_run()] == [2]
    assert (store.fact("browser a.example"), store.sightings()) == ("[]", (1, 1, 0))
    visit = store.last_visit("a.example/1")
    assert visit
    assert (visit.etag, visit.kept) == ('"1"', False)
    assert list(store.count_pages()) == [(page(1).url, PageKind.ARTICLE)]
    store.close()
    with closing(sqlite3.connect(path)) as file:
        assert not file.execute("SELECT 1 FROM sqlite_master WHERE name LIKE 'old_%'").fetchall()


def test_revisions_stand_beside_one_another(store: CrawlStore) -> None:
    for revision in (1, 2):
        store.begin("task")
        store.save_item(key(1), {"url": page(1).url, "revision": revision}, f"d{revision}")
        store.save_item(key(revision + 1), {"url": page(revision + 1).url}, "d")
        store.finish()
    assert (store.item_digest(key(1)), (store.item(key(1)) or {})["revision"]) == ("d2", 2)
    assert [(item["url"][-1], item.get("revision")) for item in store.all_items()] == [
        ("2", None),
        ("1", 2),
        ("3", None),
    ]
    assert store.db.number(sa.text("SELECT COUNT(*) FROM items")) == 4
    assert store.leaves_out("task") == 3


def test_long_keys_are_keys(store: CrawlStore) -> None:
    long = [page("x" * 5_000 + end) for end in "ab"]
    store.begin("task")
    for context in long:
        store.queue(context)
        store.done(context.key, PageKind.ARTICLE)
    assert store.settled([context.key for context in long], earlier=False) == {context.key for context in long}
    store.begin("task")
    assert store.settled([long[0].key, "none"], earlier=False) == {long[0].key}


def test_of_earlier_runs_only_articles_are_settled_and_only_when_asked_for(store: CrawlStore) -> None:
    store.begin("task")
    for number, kind in enumerate((PageKind.ARTICLE, PageKind.LISTING, None)):
        store.queue(page(number))
        store.done(key(number), kind)
    asked = [key(number) for number in range(4)]
    assert store.settled(asked, earlier=False) == {key(0), key(1)}
    store.finish()
    store.begin("task")
    assert store.settled(asked, earlier=True) == {key(0)}
    assert store.settled(asked, earlier=False) == set()
