"""The state of a site's crawls: runs that go on, tasks beside one another, one process at a time."""

from __future__ import annotations

from pathlib import Path

import pytest
from sitecrawl.crawl.state import CrawlState, Waiting

from sitecrawl.errors import StoreError


def test_state_goes_on_where_a_run_was_interrupted(tmp_path: Path) -> None:
    state = CrawlState(tmp_path / "crawl.sqlite")
    assert state.begin("task") == ""
    state.queue("k1", "http://a.example/1", "article", {"depth": 1})
    state.queue("k2", "http://a.example/2", "article", {"depth": 1})
    state.done("k1", "article")
    state.hold(Waiting("k1", "http://a.example/1", b"<p>x", {"section": None}), "template-1")
    state.close()
    again = CrawlState(tmp_path / "crawl.sqlite")
    assert again.begin("task") == "interrupted"
    assert [key for key, *_ in again.queued()] == ["k2"]
    assert [waiting.body for waiting in again.held()] == [b"<p>x"]
    again.save_item("k1", {"url": "http://a.example/1"}, "digest")
    assert again.held_count() == 0
    assert list(again.items_of_run()) == [{"url": "http://a.example/1"}]
    again.finish()
    assert again.begin("task") == "finished"
    assert again.queued() == []
    assert list(again.items_of_run()) == []
    assert again.outcomes(9) == [("http://a.example/1", "article")]


def test_tasks_of_a_site_do_not_end_one_another(tmp_path: Path) -> None:
    state = CrawlState(tmp_path / "crawl.sqlite")
    state.begin("news")
    state.queue("k1", "http://a.example/news/1", "article", {})
    state.hold(Waiting("k2", "http://a.example/news/2", b"<p>x", {}), "template-1")
    state.begin("sport")
    assert (state.queued(), state.held_count(), list(state.held("template-1"))) == ([], 0, [])
    state.save_item("k3", {"url": "http://a.example/sport/3"}, "digest")
    state.finish()
    assert state.begin("news") == "interrupted"
    assert [key for key, *_ in state.queued()] == ["k1"]
    assert [waiting.key for waiting in state.held()] == ["k2"]
    assert list(state.items_of_run()) == []


def test_a_run_that_came_to_a_limit_goes_on_with_a_new_budget(tmp_path: Path) -> None:
    state = CrawlState(tmp_path / "crawl.sqlite")
    state.begin("task")
    for n in range(3):
        state.queue(f"k{n}", f"http://a.example/{n}", "article", {})
    for n in range(2):
        state.done(f"k{n}", "article")
    state.save_item("k0", {"url": "http://a.example/0"}, "digest")
    state.miss("k1")
    assert state.progress() == (1, 1)
    state.finish(limited=True)
    assert state.begin("task") == "limited"
    assert [key for key, *_ in state.queued()] == ["k1", "k2"]
    assert state.progress() == (0, 0)
    state.done("k2", "article")
    assert state.begin("task") == "interrupted"
    assert state.progress() == (0, 1)


def test_one_crawl_of_a_site_at_a_time(tmp_path: Path) -> None:
    first, second = CrawlState(tmp_path / "crawl.sqlite"), CrawlState(tmp_path / "crawl.sqlite")
    first.lock.acquire()
    with pytest.raises(StoreError, match="in use"):
        second.lock.acquire()
    first.close()
    second.lock.acquire()


def test_state_of_another_protocol_is_refused(tmp_path: Path) -> None:
    state = CrawlState(tmp_path / "crawl.sqlite")
    state.set_fact("protocol", "99")
    state.close()
    with pytest.raises(StoreError, match="protocol 99"):
        CrawlState(tmp_path / "crawl.sqlite")
