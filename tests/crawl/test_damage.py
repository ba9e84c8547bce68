"""What may happen to the state and the feed of a crawl: random bytes, a power cut, a full disk, a
folder that may not be written."""

from __future__ import annotations

import os
import random
import resource
import shutil
import sqlite3
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from benchmarks.attacks import ATTACKS
from sitecrawl.commands.crawl import _check_state
from sitecrawl.crawl.config import CrawlArguments
from sitecrawl.crawl.store import CrawlStore, SiteFacts, Stores, store_path
from sitecrawl.errors import DatabaseError, SitecrawlError
from sitecrawl.extensions import holds
from sitecrawl.extras.demo import article_paths, site_pages
from tests.crawl.driver import HOME, Crawl, Network
from tests.crawl.runner import Answer, Run, command, crawl, items_of, send, served
from tests.crawl.test_bad_input import complaint
from tests.pages import article_page, listing_page
from tests.process import finished
from tests.source import ROOT

Items = list[dict[str, Any]]
HOST = "news.example"
WANTED = Counter(article_paths())


def execute(store: CrawlStore, statement: str) -> list[Any]:
    """Run a statement beside the store's own verbs, outside of any transaction."""
    assert isinstance(store.db.connection.connection.driver_connection, sqlite3.Connection)
    return store.db.connection.connection.driver_connection.execute(statement).fetchall()


LostAndTwice = tuple[int, int]  # articles lost, and articles written twice


# ---- attacks
def demo(folder: Path, feed: Items | None = None, **more: str) -> Crawl:
    """A crawl of the demonstration site without a network; ``feed`` is what was written, whoever
    ends it."""
    return Crawl.of(Network(dict(site_pages())), folder, feed, **more)


def killed(folder: Path, feed: Items, steps: int) -> None:
    """A crawl that ends after some steps as by a kill."""
    crawl = demo(folder, feed)
    for _, _ in zip(range(steps), crawl.steps(), strict=False):
        pass
    crawl.kill()


def gone_on(folder: Path, feed: Items) -> None:
    """Go on with a crawl as the command does: the state is checked first. Raises SitecrawlError
    where it is damaged."""
    _check_state(Stores(folder), CrawlArguments.parse({"start": f"{HOME}/", "scope": "site"}))
    crawl = demo(folder, feed)
    try:
        crawl.run()
    except SitecrawlError:
        crawl.kill()
        raise


def lost_and_twice(feed: Items) -> LostAndTwice:
    wanted, found = Counter(article_paths()), Counter(urlsplit(item["url"]).path for item in feed)
    return sum((wanted - found).values()), sum((found - wanted).values())


def damage(folder: Path, seed: int) -> tuple[str, LostAndTwice]:
    """One trial: what was said of the damage, and the articles lost and written twice once the
    advice was followed."""
    moments, feed = random.Random(seed), Items()
    killed(folder, feed, moments.randint(5, 60))
    file = store_path(folder, {HOST}) if moments.random() < 0.7 else folder / "templates.sqlite"
    data = bytearray(file.read_bytes())
    for _ in range(20):
        data[moments.randrange(len(data))] = moments.randrange(256)
    file.write_bytes(bytes(data))
    said = ""
    try:
        gone_on(folder, feed)
    except SitecrawlError as error:
        said = str(error)
        file.rename(folder / "away")
        gone_on(folder, feed)
    return said, lost_and_twice(feed)


def cut_off(folder: Path, steps: int) -> LostAndTwice:
    """One power cut after so many steps: the database without its write-ahead log is what it may
    leave. Articles lost and twice."""
    feed, whole, cut = Items(), folder / "whole", folder / "cut"
    crawl = demo(whole, feed)
    for step, _ in enumerate(crawl.steps()):
        if step == steps // 2:
            crawl.session.state.db.rows("PRAGMA wal_checkpoint")
        if step == steps:
            break
    for file in ("templates.sqlite", f"crawls/{HOST}.sqlite"):
        (cut / file).parent.mkdir(parents=True, exist_ok=True)
        (cut / file).write_bytes((whole / file).read_bytes())
    crawl.kill()
    gone_on(cut, feed)
    return lost_and_twice(feed)


def limited(folder: Path, steps: int) -> LostAndTwice:
    """Articles lost and written twice where runs with a limit and without one follow an
    interruption after so many steps."""
    feed = Items()
    killed(folder, feed, steps)
    for limit in ("2", str(max(1, len(feed) // 2)), "0", "0"):
        demo(folder, feed, max_articles=limit).run()
    return lost_and_twice(feed)


def short_of_room(folder: Path, room: int) -> tuple[int, str, LostAndTwice]:
    """Exit code and words of a crawl whose files may grow to ``room`` bytes; articles lost and
    twice when it is run again."""
    feed = folder / "out.jsonl"
    limit = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (room, room))
    with served(dict(site_pages())) as site:
        line = command(f"{site.url}/", feed, "-a", "scope=site", "-o", str(feed))
        done = finished(line, first=limit)
        assert finished(line).returncode == 0
    return done.returncode, done.stderr, lost_and_twice(items_of(feed))


# ---- what becomes of them
def paths(items: Items) -> Counter[str]:
    return Counter(urlsplit(item["url"]).path for item in items)


@pytest.mark.parametrize("seed", range(8))
def test_twenty_random_bytes_are_told_and_following_the_advice_writes_nothing_twice(
    tmp_path: Path, seed: int
) -> None:
    said, counts = damage(tmp_path, seed)
    assert len(said.splitlines()) == 1
    assert "move it away" in said
    assert counts == (0, 0)


@pytest.mark.parametrize("steps", [9, 33, 61])
def test_a_power_cut_takes_the_end_of_the_state_and_leaves_the_feed(
    tmp_path: Path, steps: int
) -> None:
    assert cut_off(tmp_path, steps) == (0, 0)


def test_a_damaged_document_is_told_and_not_guessed_at(tmp_path: Path) -> None:
    killed(tmp_path, [], 20)
    store = Stores(tmp_path).crawl(HOST)
    execute(store, "UPDATE pages SET context='{\"url\": 7' WHERE status='queued'")
    store.close()
    with pytest.raises(DatabaseError, match="damaged"):
        gone_on(tmp_path, [])


def test_a_kept_page_that_is_damaged_is_told_before_the_crawl(tmp_path: Path) -> None:
    killed(tmp_path, [], 20)
    store = Stores(tmp_path).crawl(HOST)
    execute(store, "UPDATE visits SET body=x'789c00' WHERE body IS NOT NULL")
    with pytest.raises(DatabaseError, match="damaged"):
        store.check()
    store.close()


def test_an_error_in_the_middle_of_a_crawl_undoes_its_step(tmp_path: Path) -> None:
    store = Stores(tmp_path).crawl(HOST)
    store.begin("task")
    execute(store, f"PRAGMA max_page_count={execute(store, 'PRAGMA page_count')[0][0]}")

    def write() -> None:
        with store.at_once():
            store.change_facts(own_urls=["x"])
            store.change_facts(url_counts="x" * 100_000)

    with pytest.raises(DatabaseError, match=r"cannot be written .*make room"):
        write()
    assert store.site_facts() == SiteFacts()


@pytest.mark.parametrize("room", [4_000, 60_000, 200_000])
def test_a_full_disk_is_told_in_one_line_and_nothing_is_lost(tmp_path: Path, room: int) -> None:
    code, said, counts = short_of_room(tmp_path, room)
    complaint(Run(code, said, []))
    assert code == 1
    assert counts == (0, 0)


def test_a_feed_that_cannot_be_written_ends_the_crawl(tmp_path: Path) -> None:
    with served(dict(site_pages())) as site:
        run = crawl(
            f"{site.url}/", tmp_path / "out.jsonl", "-o", "/dev/full:jsonl", "-a", "scope=site"
        )
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
        assert f"{feed} held other items: it is kept as out.jsonl.bak" in second.said
        assert items_of(old.rename(tmp_path / "old.jsonl")) == first.items
        whole = crawl(f"{site.url}/board/", feed, "-s", "SITECRAWL_REWRITE=True")
        assert paths(whole.items) == paths(first.items)
        crawl(f"{site.url}/board/", feed, "-s", "SITECRAWL_REWRITE=True")
        assert not old.exists()  # each of its lines is in the new feed


@pytest.mark.parametrize("rewrite", ["False", "True"])
def test_a_feed_with_the_articles_of_another_site_is_kept(tmp_path: Path, rewrite: str) -> None:
    feed, other = tmp_path / "out.jsonl", b'{"url": "http://b.example/1"}\n'
    feed.write_bytes(other)
    with served(dict(site_pages())) as site:
        run = crawl(f"{site.url}/board/", feed, "-s", f"SITECRAWL_REWRITE={rewrite}")
    assert (len(run.items), feed.with_name("out.jsonl.bak").read_bytes()) == (10, other)
    assert f"{feed} held other items: it is kept as out.jsonl.bak" in run.said


@pytest.mark.parametrize("way", ["-o", "-O"])
@pytest.mark.parametrize("harm", [Path.unlink, partial(os.truncate, length=0)])
def test_a_feed_that_somebody_removes_or_empties_is_told_and_written_again(
    tmp_path: Path, way: str, harm: Callable[[Path], None]
) -> None:
    """Such a crawl called itself finished, and no later one wrote what was lost."""
    feed = tmp_path / "out.jsonl"
    pages: dict[str, bytes | Answer] = {
        f"/2024/05/a-{n}.html": article_page(n).encode() for n in range(40)
    }
    pages["/"] = listing_page(range(41)).encode()

    def harmed(handler: BaseHTTPRequestHandler) -> None:
        until = time.monotonic() + 20
        while not (feed.is_file() and feed.stat().st_size) and time.monotonic() < until:
            time.sleep(0.01)
        harm(feed)
        send(handler, 200, article_page(40).encode())

    with served(pages | {"/2024/05/a-40.html": harmed}) as site:
        broken = crawl(f"{site.url}/", feed, way, str(feed))
        assert (broken.code, "somebody removed or emptied" in broken.said) == (1, True)
        again = crawl(f"{site.url}/", feed, way, str(feed))
    assert again.code == 0
    assert len({*again.urls}) == len(again.urls) >= 40


def test_a_feed_that_cannot_be_read_counts_as_one_with_other_items(tmp_path: Path) -> None:
    """One that may be written and not read, which root cannot have, ended the crawl in a
    traceback."""
    new = tmp_path / "out.jsonl"
    new.write_bytes(b"")
    assert holds(new, new, rewritten=False)
    assert not holds(new, Path("/proc/self/mem"), rewritten=False)


@pytest.mark.parametrize("form", ["atom", "rss", "jsonfeed", "csv"])
def test_a_feed_with_all_known_articles_leaves_no_copies(tmp_path: Path, form: str) -> None:
    """Entries stand beside times of writing and counts, and the last one has another end."""
    feed = tmp_path / f"out.{form}"
    with served(dict(site_pages())) as site:
        for more in (("-a", "max_articles=20"), (), ()):
            run = crawl(
                f"{site.url}/", feed, "-O", f"{feed}:{form}", "-s", "SITECRAWL_REWRITE=True", *more
            )
            assert run.code == 0
    assert feed.read_text().count("/board/10.html") > 0
    assert [path.name for path in tmp_path.glob("out*")] == [feed.name]


@pytest.mark.parametrize("name", ["out.jsonl", "out.feed.json:jsonfeed"])
def test_a_crawl_that_fails_leaves_the_old_feed_in_its_place(tmp_path: Path, name: str) -> None:
    feed = tmp_path / name.partition(":")[0]
    feed.write_bytes(b'{"url": "http://b.example/1"}\n')
    run = crawl("http://127.0.0.1:9/", tmp_path / "other.jsonl", "-O", str(tmp_path / name))
    assert run.code == 1
    assert feed.read_bytes() == b'{"url": "http://b.example/1"}\n'
    assert [path.name for path in tmp_path.glob("out.*")] == [feed.name]


@pytest.mark.parametrize("steps", [12, 40])
def test_a_smaller_limit_after_an_interruption_loses_nothing(tmp_path: Path, steps: int) -> None:
    assert limited(tmp_path, steps) == (0, 0)


TESTED = {
    "20 random bytes": "crawl/test_damage.py::test_twenty_random_bytes_are_told_and_following_the_advice_writes_nothing_twice",
    "power cut": "crawl/test_damage.py::test_a_power_cut_takes_the_end_of_the_state_and_leaves_the_feed",
    "full disk": "crawl/test_damage.py::test_a_full_disk_is_told_in_one_line_and_nothing_is_lost",
    "interruption, then": "crawl/test_damage.py::test_a_smaller_limit_after_an_interruption_loses_nothing",
    "`-O` on": "crawl/test_damage.py::test_a_feed_written_anew_without_what_is_known_is_kept",
    "a feed with lines of others": "crawl/test_interrupt.py::test_a_feed_that_holds_other_lines_is_added_to",
    "a proxy on loopback": "crawl/test_security.py::test_the_users_proxy_is_reached_as_a_proxy_and_as_nothing_else",
    "robots.txt that cannot be reached": "crawl/test_manners.py::test_a_robots_txt_that_cannot_be_reached_forbids_all_for_now",
    "a thousand nested": "dom/test_work.py::test_a_large_page_costs_two_seconds_at_most",
    "a tag of 200,000": "dom/test_work.py::test_a_large_page_costs_two_seconds_at_most",
    "attribute names": "dom/test_parse.py::test_attribute_names_that_cannot_be_written",
    "damaged model files": "test_fuzz.py::test_nothing_breaks",
    "model files of other shapes": "links/test_link_model.py::test_damaged",
    "damaged template documents": "templates/test_template.py::test_damaged_documents_are_refused",
    "a feed of `sitecrawl feed`": "fleet/test_all_items.py::test_a_rotated_feed_begins_anew_and_another_file_is_left_as_it_is",
    "tags and marks": "feeds/test_formats.py::test_no_plain_text_is_markup",
    "NUL and halves": "crawl/test_store.py::test_no_text_of_a_stranger_stops_a_database",
    "template documents with escape": "commands/test_templates.py::test_documents_of_strangers_are_refused",
    "fullwidth formulas in CSV": "feeds/test_formats.py::test_csv_keeps_every_field_as_json_and_no_formula",
    "206 answers": "crawl/test_security.py::test_any_cut_is_seen_and_no_whole_body_is_one",
    "twenty articles under new URLs": "crawl/test_traps.py::test_articles_under_new_urls_without_end_come_to_an_end",
    "a database that hangs": "fleet/test_worker.py::test_a_worker_ends_whatever_its_database_does",
    "a password": "fleet/test_worker.py::test_a_database_of_the_environment_and_its_password_on_no_command_line",
    "the URL of an alert": "commands/test_run.py::test_an_alert_that_does_not_arrive_shows_no_more_than_a_host",
    "a redirect with status 307": "access/test_secrets.py::test_a_password_is_not_sent_to_http",
    "a server with the certificate": "access/test_secrets.py::test_a_server_that_gets_secrets_proves_who_it_is",
    "a login form without": "access/test_secrets.py::test_a_form_that_would_put_the_password_into_a_url_is_not_sent",
    "Scrapy's HTTP cache": "access/test_secrets.py::test_the_cache_and_the_archive_of_a_crawl_hold_no_secret",
    "a typed name that": "crawl/test_security.py::test_a_crawl_keeps_the_kind_of_its_sites_address",
    "a page that declares a codec": "dom/test_encoding.py::test_a_codec_that_no_page_is_written_in_does_not_count",
    "headers of an answer": "crawl/test_security.py::test_headers_without_end",
    "pages that send readers on": "crawl/test_security.py::test_pages_that_send_on_without_end",
    "gzip, deflate": "crawl/test_security.py::test_bombs",
    "line ends in links": "crawl/test_security.py::test_line_ends_in_an_address_stay_in_it",
    "clock set back": "crawl/test_manners.py::test_a_clock_set_back_prolongs_no_pause",
    "an answer of 4 bytes": "commands/test_fetch.py::test_an_answer_that_drips_is_cut_off",
    "escape sequences, line ends": "crawl/test_manners.py::test_what_a_site_says_steers_no_terminal_and_forges_no_line",
    "orders to an agent": "agents/test_mcp.py::test_no_word_of_a_server_is_in_an_error",
}
"""The tests that make the attacks of docs/research/attacks.md which no benchmark measures, by the
beginnings of their rows."""


def test_every_row_of_the_table_of_attacks_is_measured_or_tested() -> None:
    text = (ROOT / "docs" / "research" / "attacks.md").read_text(encoding="utf8")
    rows = [
        line.strip("|").split(" | ")[0].strip()
        for line in text.splitlines()
        if line.startswith("| ")
    ][1:]
    assert [row for row in rows if row in ATTACKS] == list(ATTACKS)
    unmeasured = [row for row in rows if row not in ATTACKS]
    assert [
        beginning for row in unmeasured for beginning in TESTED if row.startswith(beginning)
    ] == list(TESTED)
    assert len(unmeasured) == len(TESTED)
    for file, _, name in (test.partition("::") for test in TESTED.values()):
        assert f"def {name}(" in (ROOT / "tests" / file).read_text(encoding="utf8")
