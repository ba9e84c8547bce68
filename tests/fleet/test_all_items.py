"""The feed of all sites: each article and revision once, in an order that stays, whoever writes
meanwhile and whatever is killed."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sitecrawl.commands._help import OptionError
from sitecrawl.crawl.config import ArgumentError
from sitecrawl.crawl.store import CrawlStore, Stores
from sitecrawl.extras.fleet import all_items
from sitecrawl.extras.fleet.all_items import Entry, Mark, entries, write_feed
from sitecrawl.extras.fleet.feed import FeedCommand
from tests.postgres import server


def write(store: CrawlStore, *numbers: int, revision: int = 1) -> None:
    store.begin("task")
    for number in numbers:
        item = {
            "url": f"http://{store.site}/{number}",
            "headline": "A",
            "articleBody": "x",
            "revision": revision,
        }
        store.save_item(f"{store.site}/{number}", item, digest=f"d{number}.{revision}")
    store.finish()


def told(stores: Stores, after: str = "") -> list[tuple[str, int]]:
    return [(entry.item["url"][7:], entry.item["revision"]) for entry in entries(stores, after)]


def test_each_article_and_revision_once_from_any_point_on(stores: Stores) -> None:
    one, two = stores.crawl("a.example"), stores.crawl("b.example")
    write(one, 1, 2)
    write(two, 1)
    first = list(entries(stores))
    assert [entry.item["url"][7:] for entry in first] == [
        "a.example/1",
        "a.example/2",
        "b.example/1",
    ]
    assert told(stores, first[-1].cursor) == []
    write(two, 2)
    write(one, 1, revision=2)
    more = told(stores, first[-1].cursor)
    assert sorted(more) == [("a.example/1", 2), ("b.example/2", 1)]
    whole = told(stores)
    assert whole[:3] == [("a.example/1", 1), ("a.example/2", 1), ("b.example/1", 1)]
    assert whole[3:] == more
    for entry in first:
        if entry.cursor:
            assert told(stores, entry.cursor) == whole[first.index(entry) + 1 :]
    for store in (one, two):
        store.close()


@pytest.mark.parametrize("cursor", ["x", "1.x", "-1", "99999"])
def test_a_cursor_of_another_feed_is_refused(tmp_path: Path, cursor: str) -> None:
    with pytest.raises(ArgumentError, match="no cursor of"):
        told(Stores(tmp_path), cursor)


def test_no_late_commit_is_skipped(tmp_path: Path) -> None:
    stores = Stores(tmp_path, server().create())
    slow, fast = stores.crawl("slow.example"), stores.crawl("fast.example")
    with slow.at_once():
        write(slow, 1)
        assert slow.items.latest("slow.example/1")
        write(fast, 1)
        assert told(stores) == []
    (first, second) = list(entries(stores))
    assert {first.item["url"], second.item["url"]} == {
        "http://slow.example/1",
        "http://fast.example/1",
    }
    write(fast, 2)
    assert told(stores, second.cursor) == [("fast.example/2", 1)]
    for store in (slow, fast):
        store.close()


def test_transactions_are_in_order_of_their_numbers_and_not_of_their_digits(tmp_path: Path) -> None:
    stores = Stores(tmp_path, server().create())
    store = stores.crawl("a.example")
    write(store, 1, 2, 3)
    for number, xid in ((1, "99"), (2, "100"), (3, "20")):
        store.db.rows(
            "UPDATE items SET xid = CAST(:xid AS xid8) WHERE digest = :digest RETURNING seq",
            xid=xid,
            digest=f"d{number}.1",
        )
    assert [url for url, _ in told(stores)] == ["a.example/3", "a.example/1", "a.example/2"]
    store.close()


def test_a_file_that_took_the_place_of_another_is_a_new_one(tmp_path: Path) -> None:
    stores = Stores(tmp_path)
    store = stores.crawl("a.example")
    write(store, 1, 2)
    store.close()
    (*_, last) = entries(stores)
    (tmp_path / "crawls" / "a.example.sqlite").rename(tmp_path / "away")
    store = stores.crawl("a.example")
    write(store, 3)
    store.close()
    assert told(stores, last.cursor) == [("a.example/3", 1)]


Feed = Callable[..., str]


@pytest.fixture
def feed(stores: Stores, capsys: pytest.CaptureFixture[str]) -> Feed:
    """Run ``scrapy feed``; what it says."""

    def act(path: Path, after: str | None = None) -> str:
        command = FeedCommand()
        command.settings = _Settings(stores)  # type: ignore[assignment]
        command.act([], SimpleNamespace(output=path, after=after))  # type: ignore[arg-type]
        return capsys.readouterr().out

    return act


class _Settings(dict[str, Any]):
    def __init__(self, stores: Stores) -> None:
        super().__init__(
            SITECRAWL_DATA_DIR=str(stores.data_dir), SITECRAWL_DATABASE=stores.database
        )

    def getint(self, name: str, usual: int) -> int:
        return usual

    getbool = getint


def test_a_feed_of_lines_goes_on_where_it_was_and_repeats_nothing_after_a_kill(
    stores: Stores, feed: Feed, tmp_path: Path
) -> None:
    store, path = stores.crawl("a.example"), tmp_path / "out.jsonl"
    write(store, 1, 2)
    assert feed(path).startswith("2 articles and revisions")
    whole = path.read_bytes()
    assert feed(path).startswith("0 articles")
    path.write_bytes(whole + b'{"url": "http://a.exa')
    write(store, 3)
    assert feed(path).startswith("1 articles")
    assert [json.loads(line)["url"][-1] for line in path.read_text().splitlines()] == [
        "1",
        "2",
        "3",
    ]
    said = feed(tmp_path / "all.json")
    assert said.startswith("3 articles")
    known = json.loads((tmp_path / "all.json").read_text())
    assert [entry["url"][-1] for entry in known] == ["1", "2", "3"]
    assert feed(tmp_path / "rest.jsonl", said.split()[-1]).startswith("0 articles")
    store.close()


def test_a_rotated_feed_begins_anew_and_another_file_is_left_as_it_is(
    stores: Stores, feed: Feed, tmp_path: Path
) -> None:
    store, path = stores.crawl("a.example"), tmp_path / "out.jsonl"
    write(store, 1, 2)
    assert feed(path).startswith("2 articles")
    moved = path.rename(tmp_path / "out.jsonl.1")
    whole = moved.read_bytes()
    assert feed(path).startswith("0 articles")
    assert path.read_bytes() == b"", "as many NULs as it was long stood here once"
    write(store, 3)
    assert feed(path).startswith("1 articles")
    assert [json.loads(line)["url"][-1] for line in path.read_text().splitlines()] == ["3"]
    os.truncate(path, 0)  # logrotate, copytruncate
    write(store, 4)
    assert feed(path).startswith("1 articles")
    assert [json.loads(line)["url"][-1] for line in path.read_text().splitlines()] == ["4"]
    for other in (b"x", whole * 2):  # shorter in the same file, and another file of more bytes
        if len(other) > 1:
            path.rename(tmp_path / "away")
        path.write_bytes(other)
        with pytest.raises(OptionError, match="not the file that was written"):
            feed(path)
        assert path.read_bytes() == other
    known = json.loads((tmp_path / "out.jsonl.cursor").read_text())["cursor"]
    assert feed(path, known).startswith("0 articles")
    assert path.read_bytes() == whole * 2
    assert feed(path).startswith("0 articles")
    assert moved.read_bytes() == whole
    store.close()


def test_a_kill_in_the_first_feed_repeats_nothing(
    stores: Stores, feed: Feed, tmp_path: Path
) -> None:
    store, path = stores.crawl("a.example"), tmp_path / "out.jsonl"
    write(store, 1, 2)
    with path.open("ab") as file:
        Mark(path).put(file, "")
        file.write(b'{"url": "http://a.exa')
    assert feed(path).startswith("2 articles")
    assert [json.loads(line)["url"][-1] for line in path.read_text().splitlines()] == ["1", "2"]
    store.close()


@pytest.mark.parametrize("name", ["out.jsonl", "out.json"])
def test_a_second_command_does_not_write_a_feed_that_is_being_written(
    stores: Stores, feed: Feed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    store, path = stores.crawl("a.example"), tmp_path / name
    write(store, 1, 2)
    refused = []

    def and_again(*given: Any) -> Iterator[Entry]:
        for entry in entries(*given):
            with pytest.raises(OptionError, match="being written by another command") as error:
                feed(path)
            refused.append(error)
            yield entry

    monkeypatch.setattr(all_items, "entries", and_again)
    assert feed(path).startswith("2 articles")
    assert len(refused) == 2
    assert re.findall(r'"url": ?"http://a.example/(\d)"', path.read_text()) == ["1", "2"]
    monkeypatch.undo()
    write(store, 3)
    assert feed(path).startswith("1 articles" if name == "out.jsonl" else "3 articles")
    store.close()


@pytest.mark.parametrize(
    "damage", ["{", "{}", "null", "[1]", '{"cursor": ""}', '{"cursor": "", "size": "x"}']
)
def test_a_feed_whose_cursor_is_damaged_is_refused(
    stores: Stores, feed: Feed, tmp_path: Path, damage: str
) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text('{"url": "http://a.example/1"}\n')
    (tmp_path / "out.jsonl.cursor").write_text(damage)
    with pytest.raises(OptionError, match="damaged"):
        feed(path)
    assert path.read_text() == '{"url": "http://a.example/1"}\n'


def test_a_file_that_another_command_wrote_is_left(
    stores: Stores, feed: Feed, tmp_path: Path
) -> None:
    path = tmp_path / "articles.jsonl"
    path.write_text('{"url": "http://a.example/1"}\n')
    write(stores.crawl("a.example"), 1)
    with pytest.raises(OptionError, match="move it away, or add to it by --after 0"):
        feed(path)
    assert path.read_text() == '{"url": "http://a.example/1"}\n'


def test_a_feed_does_not_go_on_from_another_folder(tmp_path: Path) -> None:
    """Its cursor was taken for one of the new folder, whose articles before it were left out
    without a word."""
    path = tmp_path / "out.jsonl"
    for folder in ("old", "new"):
        stores = Stores(tmp_path / folder)
        store = stores.crawl("a.example")
        write(store, 1, 2)
        store.close()
        if folder == "old":
            assert write_feed(stores, path, form="jsonl", after=None).startswith("2 articles")
    with pytest.raises(OptionError, match="another data folder"):
        write_feed(stores, path, form="jsonl", after=None)
    assert write_feed(stores, tmp_path / "new.jsonl", form="jsonl", after=None).startswith(
        "2 articles"
    )
