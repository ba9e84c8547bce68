"""Killed at any moment and started again: every article in the feed exactly once, the feed
readable."""

from __future__ import annotations

import gzip
import json
import os
import random
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from scrapy.exporters import JsonLinesItemExporter
from scrapy.utils.test import get_crawler

from sitecrawl.extensions import Feeds, mend_feed
from sitecrawl.extras.demo import article_paths, site_pages
from tests.crawl.runner import Answer, command, crawl, items_of, send, served
from tests.pages import article_page, listing_page
from tests.process import Started, finished

KILLS = 15
"""Moments at which the crawl is killed, spread over its whole run."""


def run_for(seconds: float, stop: signal.Signals, line: list[str]) -> None:
    """Run a crawl for a while, then send it ``stop``."""
    with Started(line) as process:
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(stop)


@pytest.mark.parametrize("stop", [signal.SIGKILL, signal.SIGINT])
def test_nothing_lost_nothing_twice(tmp_path: Path, stop: signal.Signals) -> None:
    moments, feed = random.Random(7), tmp_path / "out.jsonl"
    kills = KILLS if stop == signal.SIGKILL else 3
    slow = (
        "-o",
        str(feed),
        "-a",
        "scope=site",
        "-s",
        "DOWNLOAD_DELAY=0.02",
        "-s",
        "RANDOMIZE_DOWNLOAD_DELAY=False",
    )
    with served(dict(site_pages())) as site:
        for _ in range(kills):
            run_for(moments.uniform(0.1, 0.8), stop, command(f"{site.url}/", feed, *slow))
        run = crawl(f"{site.url}/", feed, *slow)
    assert run.code == 0
    assert Counter(urlsplit(item["url"]).path for item in items_of(feed)) == Counter(
        article_paths()
    )


def test_an_overwritten_feed_is_completed_after_a_kill(tmp_path: Path) -> None:
    feed = tmp_path / "out.jsonl"
    slow = ("-a", "scope=site", "-s", "DOWNLOAD_DELAY=0.02")
    with served(dict(site_pages())) as site:
        run_for(0.9, signal.SIGKILL, command(f"{site.url}/", feed, *slow))
        time.sleep(0.1)
        run = crawl(f"{site.url}/", feed, *slow)
    assert Counter(urlsplit(url).path for url in run.urls) == Counter(article_paths())


class KilledExporter(JsonLinesItemExporter):
    """Ends the process when all items are exported and none is written to the disk yet."""

    def finish_exporting(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


def test_killed_before_the_feed_is_written(tmp_path: Path) -> None:
    feed = tmp_path / "out.jsonl"
    killing = ("-s", 'FEED_EXPORTERS={"jsonl": "tests.crawl.test_interrupt.KilledExporter"}')
    with served(dict(site_pages())) as site:
        killed = crawl(f"{site.url}/board/", feed, "-o", str(feed), *killing)
        assert killed.code == -signal.SIGKILL
        assert len(items_of(feed)) < 10
        run = crawl(f"{site.url}/board/", feed, "-o", str(feed))
    assert len(run.urls) == len(set(run.urls)) == 10


def test_a_half_line_is_cut_off(tmp_path: Path) -> None:
    feed = tmp_path / "out.jsonl"
    feed.write_text('{"url": "http://example.com/old"}\n{"url": "http://exam', encoding="utf8")
    with served(dict(site_pages())) as site:
        crawl(f"{site.url}/board/", feed, "-o", str(feed))
    urls = [item["url"] for item in items_of(feed)]
    assert urls[0] == "http://example.com/old"
    assert len(urls) == 11


ODD_LINES = (
    "[1, 2]", "7", '{"url": ["x"]}', '{"url": "x", "revision": 1e999}', "[" * 100_000, "\x00" * 4_000, "\ufeff{}",
)  # fmt: skip


def test_a_feed_that_holds_other_lines_is_added_to(tmp_path: Path) -> None:
    feed = tmp_path / "out.jsonl"
    feed.write_text("\n".join([*ODD_LINES, ""]), encoding="utf8")
    with served(dict(site_pages())) as site:
        run = finished(command(f"{site.url}/board/", feed, "-o", str(feed)))
    assert run.returncode == 0
    assert "Traceback" not in run.stderr
    lines = feed.read_text(encoding="utf8").splitlines()
    assert tuple(lines[: len(ODD_LINES)]) == ODD_LINES
    assert len({json.loads(one)["url"] for one in lines[len(ODD_LINES) :]}) == 10


def test_an_interrupted_crawl_waits_for_no_pause(tmp_path: Path) -> None:
    """And the page that had to wait is not lost, although the listing page that led to it is not
    read again."""
    feed, busy = tmp_path / "out.jsonl", "/2024/05/a-3.html"
    pages: dict[str, bytes | Answer] = {
        f"/2024/05/a-{n}.html": article_page(n).encode() for n in range(6)
    }
    expected = Counter(pages.keys())
    pages |= {
        "/city/": listing_page(range(3)).encode(),
        "/city/page/2/": listing_page(range(3, 6)).encode(),
    }
    pages[busy] = lambda handler: send(handler, 503, b"", Retry_After="100")
    with served(pages) as site:
        with Started(command(f"{site.url}/city/", feed, "-o", str(feed))) as process:
            while busy not in site.asked:
                time.sleep(0.1)
            time.sleep(1)
            process.send_signal(signal.SIGINT)
            assert process.wait(30) == 130
        assert site.asked.count(busy) == 1
        pages[busy] = article_page(3).encode()
        run = crawl(f"{site.url}/city/", feed, "-o", str(feed))
    assert run.code == 0
    assert Counter(urlsplit(item["url"]).path for item in items_of(feed)) == expected


def test_stopped_at_any_moment_of_the_last_flush(tmp_path: Path) -> None:
    """All pages are fetched and those that waited are written; SIGTERM comes a little later each
    time, until none waits for it."""
    whole = Counter(article_paths())
    with served(dict(site_pages())) as site:
        for number in range(2):
            feed = tmp_path / str(number) / "out.jsonl"
            feed.parent.mkdir()
            line = command(f"{site.url}/", feed, "-o", str(feed), "-a", "scope=site")
            site.asked.clear()
            with Started(line, err=tmp_path / "said") as process:
                while process.poll() is None and not (whole.keys() <= set(site.asked)):
                    time.sleep(0.01)
                time.sleep(0.2 * number)
                process.send_signal(signal.SIGTERM)
            assert "Traceback" not in (tmp_path / "said").read_text()
            assert crawl(f"{site.url}/", feed, "-o", str(feed), "-a", "scope=site").code == 0
            assert Counter(urlsplit(item["url"]).path for item in items_of(feed)) == whole


@pytest.mark.parametrize(
    ("end", "kept"),
    [
        ('{"url": "http://a.example/2"}', True),
        ('{"url": "http://a.ex', False),
        ("last line of my diary", True),
    ],
)
def test_a_last_line_without_an_end_is_cut_off_only_if_it_is_half_an_item(
    tmp_path: Path, end: str, kept: bool
) -> None:
    feed, first = tmp_path / "out.jsonl", '{"url": "http://a.example/1"}\n'
    feed.write_text(first + end, encoding="utf8")
    held = mend_feed(feed)
    assert feed.read_text(encoding="utf8") == first + (f"{end}\n" if kept else "")
    assert len(held) == 1 + end.endswith('2"}')


def test_a_compressed_feed_stays_as_it_is(tmp_path: Path) -> None:
    """A line end behind a part of a gzip file hides all parts that later runs add."""
    feed = tmp_path / "out.jsonl.gz"
    feed.write_bytes(gzip.compress(b'{"url": "http://a.example/1"}\n'))
    before = feed.read_bytes()
    packed = {
        "format": "jsonlines",
        "postprocessing": ["scrapy.extensions.postprocessing.GzipPlugin"],
    }
    feeds = Feeds(get_crawler(settings_dict={"FEEDS": {str(feed): packed}}))
    assert feed.read_bytes() == before
    assert list(feeds.items()) == []
