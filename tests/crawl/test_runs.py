"""Runs in one data directory: several sites, several sections, limits, feeds that cannot be
written."""

from __future__ import annotations

import json
import signal
import sys
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from sitecrawl.crawl.store import Stores
from sitecrawl.extras.demo import article_paths, site_pages
from tests.crawl.runner import command, crawl, items_of, served
from tests.crawl.test_interrupt import run_for
from tests.process import finished

WHOLE = ("-a", "scope=site")


def paths(*feeds: Path) -> Counter[str]:
    return Counter(urlsplit(item["url"]).path for feed in feeds for item in items_of(feed))


def test_sites_that_share_a_folder_know_nothing_of_one_another(tmp_path: Path) -> None:
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    slow = ("-o", str(one), *WHOLE, "-s", "DOWNLOAD_DELAY=0.02")
    with served(dict(site_pages())) as first, served(dict(site_pages())) as second:
        run_for(1.2, signal.SIGKILL, command(f"{first.url}/", one, *slow))
        crawl(f"{second.url}/", two, "-o", str(two), *WHOLE)
        crawl(f"{first.url}/", one, *slow)
        assert {item["url"].startswith(second.url) for item in items_of(two)} == {True}
    assert paths(one) == paths(two) == Counter(article_paths())


def test_sections_of_a_site_crawled_in_turn_are_all_completed(tmp_path: Path) -> None:
    city, board = tmp_path / "city.jsonl", tmp_path / "board.jsonl"
    slow = ("-o", str(city), "-s", "DOWNLOAD_DELAY=0.05")
    with served(dict(site_pages())) as site:
        run_for(1.0, signal.SIGKILL, command(f"{site.url}/city/", city, *slow))
        crawl(f"{site.url}/board/", board, "-o", str(board))
        crawl(f"{site.url}/city/", city, *slow)
    assert paths(city) == Counter({path for path in article_paths() if path.startswith("/city/")})
    assert paths(board) == Counter({path for path in article_paths() if path.startswith("/board/")})


@pytest.mark.parametrize("limit", ["max_articles=7", "max_pages=9"])
def test_a_limited_crawl_goes_on_where_it_stopped(tmp_path: Path, limit: str) -> None:
    feed = tmp_path / "out.jsonl"
    with served(dict(site_pages())) as site:
        for _ in range(2):
            before = len(items_of(feed))
            crawl(f"{site.url}/", feed, "-o", str(feed), *WHOLE, "-a", limit)
            assert before < len(items_of(feed)) <= before + 9
        run = crawl(f"{site.url}/", feed, "-o", str(feed), *WHOLE)
    assert run.code == 0
    assert paths(feed) == Counter(article_paths())


def test_a_limit_holds_for_a_run_however_often_it_is_interrupted(tmp_path: Path) -> None:
    feed = tmp_path / "out.jsonl"
    limited = ("-o", str(feed), *WHOLE, "-a", "max_articles=12")
    with served(dict(site_pages())) as site:
        run_for(
            1.0,
            signal.SIGKILL,
            command(f"{site.url}/", feed, *limited, "-s", "DOWNLOAD_DELAY=0.05"),
        )
        crawl(f"{site.url}/", feed, *limited)
    assert len(items_of(feed)) == 12


def test_articles_of_a_feed_that_could_not_be_written_come_again(tmp_path: Path) -> None:
    feed = tmp_path / "full.jsonl"
    feed.symlink_to("/dev/full")
    with served(dict(site_pages())) as site:
        first = crawl(f"{site.url}/board/", tmp_path / "nothing", "-o", str(feed))
        second = crawl(
            f"{site.url}/board/", tmp_path / "out.jsonl", "-o", str(tmp_path / "out.jsonl")
        )
    assert first.code == 1
    assert "a feed could not be written" in first.said
    assert (second.code, len(second.items)) == (0, 10)


@pytest.mark.parametrize("name", ["out.csv", "out.json"])
def test_only_lines_can_be_added_to(tmp_path: Path, name: str) -> None:
    feed = tmp_path / name
    feed.write_text("[]")
    run = crawl("http://127.0.0.1:9/", feed, "-o", str(feed))
    assert run.code == 2
    assert "only .jsonl feeds can be added to" in run.said
    assert feed.read_text() == "[]"


def test_a_feed_on_standard_output(tmp_path: Path) -> None:
    with served(dict(site_pages())) as site:
        done = finished(command(f"{site.url}/board/", tmp_path / "out.jsonl", "-o", "-"))
    assert done.returncode == 0
    assert len([json.loads(line)["url"] for line in done.stdout.splitlines()]) == 10


def test_a_second_crawl_of_a_site_at_the_same_time_is_refused(tmp_path: Path) -> None:
    store = Stores(tmp_path / "state").crawl("127.0.0.1:9")
    store.lock()
    run = crawl("http://127.0.0.1:9/", tmp_path / "out.jsonl")
    store.close()
    assert run.code == 2
    assert "in use" in run.said


def test_the_main_command_keeps_what_it_found(tmp_path: Path) -> None:
    feed = tmp_path / "out.jsonl"
    with served(dict(site_pages())) as site:
        line = [sys.executable, "-m", "sitecrawl", "crawl", f"{site.url}/board/", "-O", str(feed)]
        settings = (
            "DOWNLOAD_DELAY=0",
            f"SITECRAWL_DATA_DIR={tmp_path / 'state'}",
            "SITECRAWL_REWRITE=1",
        )
        line += [word for setting in settings for word in ("-s", setting)]
        found = []
        for _ in range(2):
            assert finished(line).returncode == 0
            found.append(sorted(json.loads(text)["url"] for text in feed.read_text().splitlines()))
    assert len(found[0]) == 10
    assert found[0] == found[1]
