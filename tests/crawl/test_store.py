"""The crawl store: runs that go on, tasks beside one another, one process at a time, all of a step or nothing."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from sitecrawl.crawl.records import ArticlePage, PartNote, RequestContext, Role, WaitingPage
from sitecrawl.crawl.store import CrawlStore, RunEnd, Visit
from sitecrawl.errors import StoreError
from sitecrawl.items.kinds import PageKind


@pytest.fixture
def store(tmp_path: Path) -> CrawlStore:
    return CrawlStore(tmp_path / "crawl.sqlite")


def page(number: int | str, role: Role = Role.ARTICLE) -> RequestContext:
    return RequestContext(f"http://a.example/{number}", role)


def key(number: int | str) -> str:
    return page(number).key


def waiting(number: int | str) -> WaitingPage:
    url = f"http://a.example/{number}"
    return WaitingPage(ArticlePage(key(number), url, key(number), classes=("a", "b")), b"<p>x")


def keys(store: CrawlStore) -> list[str]:
    return [context.key for context in store.queued()]


def test_a_run_goes_on_where_it_was_interrupted(store: CrawlStore) -> None:
    assert store.begin("task") is RunEnd.NONE
    store.queue(page(1))
    store.queue(page(2))
    store.done(key(1), PageKind.ARTICLE)
    store.hold(waiting(1), "template-1")
    store.close()
    again = CrawlStore(store.path)
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
    assert [(done.context, done.kind) for done in again.done_pages(9)] == [(page(1), PageKind.ARTICLE)]


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


def test_one_crawl_of_a_site_at_a_time(store: CrawlStore) -> None:
    second = CrawlStore(store.path)
    store.lock()
    with pytest.raises(StoreError, match="in use"):
        second.lock()
    store.close()
    second.lock()


def test_a_store_of_another_protocol_is_refused(store: CrawlStore) -> None:
    store.set_fact("protocol", "99")
    store.close()
    with pytest.raises(StoreError, match="protocol 99"):
        CrawlStore(store.path)


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


def test_what_is_killed_within_a_step_was_not_decided(store: CrawlStore) -> None:
    store.begin("task")
    store.db.execute("BEGIN")
    store.queue(page(1))
    other = sqlite3.connect(store.path)
    assert other.execute("SELECT COUNT(*) FROM pages").fetchone() == (0,)
    store.db.close()
    assert CrawlStore(store.path).queued() == []


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
