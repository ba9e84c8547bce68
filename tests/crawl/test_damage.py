"""What may happen to the state and the feed of a crawl: random bytes, a power cut, a full disk, a folder that may not be written."""

from __future__ import annotations

import random
import resource
import shutil
import sqlite3
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from sitecrawl.commands.crawl import _check_state
from sitecrawl.crawl.config import CrawlArguments
from sitecrawl.crawl.store import CrawlStore, Stores, store_path
from sitecrawl.demo import article_paths, site_pages
from sitecrawl.errors import DatabaseError, SitecrawlError
from tests.crawl.driver import HOME, Crawl, Network
from tests.crawl.runner import Run, command, crawl, items_of, served
from tests.crawl.test_bad_input import complaint
from tests.source import ROOT

Items = list[dict[str, Any]]
HOST = "news.example"
WANTED = Counter(article_paths())


def execute(store: CrawlStore, statement: str) -> list[Any]:
    """Run a statement beside the store's own verbs, outside of any transaction."""
    assert isinstance(store.db.connection.connection.driver_connection, sqlite3.Connection)
    return store.db.connection.connection.driver_connection.execute(statement).fetchall()


def paths(items: Items) -> Counter[str]:
    return Counter(urlsplit(item["url"]).path for item in items)


def killed(folder: Path, steps: int) -> Items:
    """The feed of a crawl that is killed after so many steps."""
    crawl = Crawl.of(Network(dict(site_pages())), folder)
    for _, _ in zip(range(steps), crawl.steps(), strict=False):
        pass
    crawl.kill()
    return crawl.feed


def gone_on(folder: Path, feed: Items) -> None:
    """Go on with a crawl, as the command does: the state is looked at, then the feed is read."""
    _check_state(Stores(folder), CrawlArguments.parse({"start": f"{HOME}/", "scope": "site"}))
    crawl = Crawl.of(Network(dict(site_pages())), folder, feed)
    try:
        crawl.run()
    except SitecrawlError:
        crawl.kill()
        raise


def damage(path: Path, moments: random.Random) -> None:
    data = bytearray(path.read_bytes())
    for _ in range(20):
        data[moments.randrange(len(data))] = moments.randrange(256)
    path.write_bytes(bytes(data))


@pytest.mark.parametrize("seed", range(8))
def test_twenty_random_bytes_are_told_and_following_the_advice_writes_nothing_twice(tmp_path: Path, seed: int) -> None:
    moments = random.Random(seed)
    feed = killed(tmp_path, moments.randint(5, 60))
    before = list(feed)
    name = store_path(tmp_path, {HOST}) if seed % 3 else tmp_path / "templates.sqlite"
    damage(name, moments)
    told = ""
    try:
        gone_on(tmp_path, feed)
    except SitecrawlError as error:
        told = str(error)
    if told:
        assert len(told.splitlines()) == 1
        assert "move it away" in told
        name.rename(tmp_path / "away")
        gone_on(tmp_path, feed)
    assert feed[: len(before)] == before
    assert paths(feed) == WANTED


@pytest.mark.parametrize("steps", [9, 33, 61])
def test_a_power_cut_takes_the_end_of_the_state_and_leaves_the_feed(tmp_path: Path, steps: int) -> None:
    """The database without its write-ahead log is what a power cut may leave of it."""
    crawl, cut = Crawl.of(Network(dict(site_pages())), tmp_path / "whole"), tmp_path / "cut"
    for step, _ in enumerate(crawl.steps()):
        if step == steps // 2:
            execute(crawl.session.store, "PRAGMA wal_checkpoint")
        if step == steps:
            break
    for name in ("templates.sqlite", f"crawls/{HOST}.sqlite"):
        (cut / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(tmp_path / "whole" / name, cut / name)
    crawl.kill()
    gone_on(cut, crawl.feed)
    assert paths(crawl.feed) == WANTED


def test_a_damaged_document_is_told_and_not_guessed_at(tmp_path: Path) -> None:
    killed(tmp_path, 20)
    store = Stores(tmp_path).crawl(HOST)
    execute(store, "UPDATE pages SET context='{\"url\": 7' WHERE status='queued'")
    store.close()
    with pytest.raises(DatabaseError, match="damaged"):
        gone_on(tmp_path, [])


def test_an_error_in_the_middle_of_a_crawl_undoes_its_step(tmp_path: Path) -> None:
    store = Stores(tmp_path).crawl(HOST)
    store.begin("task")
    execute(store, f"PRAGMA max_page_count={execute(store, 'PRAGMA page_count')[0][0]}")

    def write() -> None:
        with store.at_once():
            store.set_fact("small", "x")
            store.set_fact("large", "x" * 100_000)

    with pytest.raises(DatabaseError, match=r"cannot be written .*make room"):
        write()
    assert store.fact("small") is None


def short_of_room(bytes_: int) -> Callable[[], None]:
    """A file grows to so many bytes and no further."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_, bytes_))


@pytest.mark.parametrize("room", [4_000, 60_000, 200_000])
def test_a_full_disk_is_told_in_one_line_and_nothing_is_lost(tmp_path: Path, room: int) -> None:
    feed = tmp_path / "out.jsonl"
    with served(dict(site_pages())) as site:
        line = command(f"{site.url}/", feed, "-o", str(feed), "-a", "scope=site")
        limited = short_of_room(room)
        done = subprocess.run(
            line, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False, preexec_fn=limited
        )
        complaint(Run(done.returncode, done.stderr, []))
        assert done.returncode == 1
        run = crawl(f"{site.url}/", feed, "-o", str(feed), "-a", "scope=site")
    assert run.code == 0
    assert paths(items_of(feed)) == WANTED


def test_a_feed_that_cannot_be_written_ends_the_crawl(tmp_path: Path) -> None:
    with served(dict(site_pages())) as site:
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl", "-o", "/dev/full:jsonl", "-a", "scope=site")
    assert run.code == 1
    assert "Traceback" not in run.said
    assert "a feed could not be written" in run.said


def test_a_state_moved_away_and_a_feed_that_stays(tmp_path: Path) -> None:
    feed = tmp_path / "out.jsonl"
    with served(dict(site_pages())) as site:
        for _ in range(2):
            run = crawl(f"{site.url}/", feed, "-o", str(feed), "-a", "scope=site")
            assert run.code == 0
            assert paths(run.items) == WANTED
            shutil.rmtree(tmp_path / "state")


@pytest.mark.parametrize("name", ["crawls", "templates.sqlite"])
def test_a_state_that_cannot_be_opened(tmp_path: Path, name: str) -> None:
    (tmp_path / "state").mkdir()
    if name == "crawls":
        (tmp_path / "state" / name).write_text("a file where a folder should be")
    else:
        (tmp_path / "state" / name).mkdir()
    run = crawl("http://127.0.0.1:9/", tmp_path / "out.jsonl")
    assert run.code == 1
    assert "SITECRAWL_DATA_DIR" in complaint(run)


@pytest.mark.parametrize("folder", ["/proc/sitecrawl", "/sys/sitecrawl"])
def test_a_folder_that_nobody_may_write_to(tmp_path: Path, folder: str) -> None:
    """Not even root."""
    run = crawl("http://127.0.0.1:9/", tmp_path / "out.jsonl", "-s", f"SITECRAWL_DATA_DIR={folder}")
    assert run.code == 2
    assert complaint(run).endswith("give another folder")


def test_a_feed_written_anew_without_what_is_known_is_kept(tmp_path: Path) -> None:
    feed, old = tmp_path / "out.jsonl", tmp_path / "out.jsonl.bak"
    with served(dict(site_pages())) as site:
        first = crawl(f"{site.url}/board/", feed)
        assert len(first.items) == 10
        assert not old.exists()
        second = crawl(f"{site.url}/board/", feed)
        assert second.items == []
        assert f"{feed} is kept as out.jsonl.bak" in second.said
        assert items_of(old.rename(tmp_path / "old.jsonl")) == first.items
        whole = crawl(f"{site.url}/board/", feed, "-s", "SITECRAWL_REWRITE=True")
        assert paths(whole.items) == paths(first.items)
        crawl(f"{site.url}/board/", feed, "-s", "SITECRAWL_REWRITE=True")
        assert not old.exists()


@pytest.mark.parametrize("steps", [12, 40])
def test_a_smaller_limit_after_an_interruption_loses_nothing(tmp_path: Path, steps: int) -> None:
    feed = killed(tmp_path, steps)
    least = max(1, len(feed) // 2)
    for limit in (least, least, 0, 0):
        crawl = Crawl.of(Network(dict(site_pages())), tmp_path, feed, max_articles=limit)
        crawl.run()
    assert paths(feed) == WANTED
