"""The spider inside Scrapy: beside foreign middlewares, and two crawls in one process that know
nothing of one another."""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from scrapy.exceptions import DropItem
from scrapy.http import Response

from sitecrawl.crawl.records import RequestContext
from sitecrawl.crawl.store import Stores
from sitecrawl.dom.page import Page
from sitecrawl.extras.demo import article_paths, site_pages
from sitecrawl.extras.report.fleet import fleet_of
from tests.crawl.runner import Answer, Site, crawl, items_of, send, served
from tests.pages import article_page, listing_page
from tests.process import finished


class Buffering:
    """A spider middleware that hands on the results of a callback when it has them all."""

    def process_spider_output(self, response: Response, result: Iterable[Any]) -> Iterator[Any]:
        yield from list(result)

    async def process_spider_output_async(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        for entry in [entry async for entry in result]:
            yield entry


@pytest.mark.parametrize("place", [100, 900])
def test_a_middleware_that_buffers_breaks_nothing(tmp_path: Path, place: int) -> None:
    middlewares = {
        "sitecrawl.middlewares.templates.TemplateMiddleware": 500,
        f"{__name__}.Buffering": place,
    }
    more = ("-s", f"SPIDER_MIDDLEWARES={json.dumps(middlewares)}", "-a", "scope=site")
    with served(dict(site_pages())) as site:
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl", *more)
        assert max(Counter(site.asked).values()) == 1
    assert run.code == 0
    assert Counter(urlsplit(url).path for url in run.urls) == Counter(article_paths())


def break_at_some(page: Page, context: RequestContext) -> bool:
    """A page filter of a user that fails on two articles."""
    if page.url.endswith(("102.html", "105.html")):
        raise RuntimeError("no such article")
    return True


def test_an_error_in_a_users_own_step_costs_no_other_page(tmp_path: Path) -> None:
    with served(dict(site_pages())) as site:
        more = ("-s", f"SITECRAWL_PAGE_FILTERS={__name__}.break_at_some", "-a", "scope=site")
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl", *more)
        again = crawl(f"{site.url}/", tmp_path / "again.jsonl", "-a", "scope=site")
    lost = {path for path in article_paths() if path.endswith(("102.html", "105.html"))}
    assert run.said.count("RuntimeError: no such article)") == len(lost) > 1
    assert run.said.count("Traceback") == 1, "one for each page filled the log"
    assert f"{len(lost)} articles could not be read (error in a step: RuntimeError)" in run.said
    assert {urlsplit(url).path for url in run.urls} == {*article_paths()} - lost
    assert {urlsplit(url).path for url in again.urls} == lost


class OddError(Exception):
    """An error that only the user's own code knows."""


def is_odd(url: str) -> bool:
    return sum(urlsplit(url).path.encode()) % 2 == 1


def fail_on_half(item: dict[str, Any]) -> dict[str, Any]:
    """An item pipeline of a user that fails on half of the articles, also on those that waited for
    a template."""
    if is_odd(item["url"]):
        raise OddError
    return item


def fail_on_all(item: dict[str, Any]) -> dict[str, Any]:
    return {"text": item["no such field"]}


def test_a_crawl_in_which_a_step_fails_on_all_articles_has_failed(tmp_path: Path) -> None:
    """It ended with exit code 0 and thousands of lines of tracebacks, and said that the articles
    could not be fetched."""
    with served(dict(site_pages())) as site:
        more = ("-s", f"SITECRAWL_ITEM_PIPELINES={__name__}.fail_on_all", "-a", "scope=site")
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl", *more)
    assert (run.items, run.code) == ([], 1)
    assert "could not be read (error in a step: KeyError)" in run.said
    assert run.said.count("Traceback") == 1


class ItemForm:
    """An item pipeline of Scrapy that drops an item, fails on one, and gives one a value that JSON
    does not know."""

    def __init__(self) -> None:
        self.seen = 0

    def process_item(self, item: dict[str, Any]) -> dict[str, Any]:
        self.seen += 1
        if self.seen == 2:
            raise DropItem("not wanted")
        if self.seen == 3:
            raise OddError
        return item | ({"score": float("nan")} if self.seen == 4 else {})


@pytest.mark.parametrize("form", ["jsonl", "json"])
def test_items_that_are_lost_on_the_way_to_the_feed_are_told(tmp_path: Path, form: str) -> None:
    """The last line counted all as written, and a feed with NaN is not JSON."""
    feed = tmp_path / f"out.{form}"
    with served(dict(site_pages())) as site:
        piped = ("-a", "scope=site", "-s", f'ITEM_PIPELINES={{"{__name__}.ItemForm": 1}}')
        run = crawl(f"{site.url}/", feed, *piped)
        text = feed.read_text(encoding="utf8")
        items = [
            json.loads(line.rstrip(","), parse_constant=pytest.fail)
            for line in text.strip("[]\n").splitlines()
        ]
        again = crawl(
            f"{site.url}/",
            tmp_path / "out.jsonl",
            "-o",
            str(tmp_path / "out.jsonl"),
            "-a",
            "scope=site",
        )
    count = len(article_paths())
    assert run.code == 1
    assert f"{count - 1} articles from" in run.said
    assert "no feed has: 1" in run.said
    assert "a feed could not be written; fix the cause, then rerun the command" in run.said
    assert len(items) == count - 3
    assert len(again.items) == count


def test_answers_behind_many_errors_are_read(tmp_path: Path) -> None:
    with served(dict(site_pages())) as site:
        more = ("-s", f"SITECRAWL_ITEM_PIPELINES={__name__}.fail_on_half", "-a", "scope=site")
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl", *more)
    odd = {path for path in article_paths() if is_odd(path)}
    assert {urlsplit(url).path for url in run.urls} == {*article_paths()} - odd
    counts = re.findall(r"(\d+) articles? (?:was|were|could) not (?:written|be read)", run.said)
    assert sum(map(int, counts)) == len(odd), run.said[-1000:]
    assert "could not be read (error in a step: OddError)" in run.said


TWO = """
import sys
from scrapy.crawler import CrawlerProcess
from scrapy.utils.project import get_project_settings
from sitecrawl.spiders.site import SiteSpider

FAST = {"DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": False, "RETRY_TIMES": 4, "DOWNLOAD_TIMEOUT": 5}
process = CrawlerProcess(get_project_settings())
crawlers = []
for start, folder in zip(sys.argv[1::2], sys.argv[2::2]):
    own = {"SITECRAWL_DATA_DIR": folder, "FEEDS": {f"{folder}/out.jsonl": {"format": "jsonlines"}}}
    crawlers.append(process.create_crawler(type("Own", (SiteSpider,), {"custom_settings": FAST | own})))
    process.crawl(crawlers[-1], start=start)
process.start()
for crawler in crawlers:
    print(crawler.spider.visit.written, crawler.stats.get_value("sitecrawl/refused/private", 0))
"""


def closing(page: bytes) -> Answer:
    """Answers, and lets go of the connection without a word: a request that comes in this moment
    fails, and is tried again."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        send(handler, 200, page)
        handler.close_connection = True

    return answer


def house(count: int) -> dict[str, bytes | Answer]:
    """A site of articles whose last link is a redirect, to be set; what it must not lead to lies on
    the other one."""
    pages: dict[str, bytes | Answer] = {
        f"/2024/05/a-{n}.html": closing(article_page(n).encode()) for n in range(count)
    }
    return pages | {
        "/": closing(listing_page(range(count + 1)).encode()),
        "/secret.html": article_page(99).encode(),
    }


def lead(pages: dict[str, bytes | Answer], number: int, other: Site) -> None:
    target = f"{other.url}/secret.html"
    pages[f"/2024/05/a-{number}.html"] = lambda handler: send(handler, 302, b"", Location=target)


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_two_crawls_in_one_process_have_permissions_of_their_own(tmp_path: Path, name: str) -> None:
    first, second = house(7), house(9)
    with served(first) as one, served(second) as two:
        lead(first, 7, two)
        lead(second, 9, one)
        starts = [one.url.replace("127.0.0.1", name), two.url]
        words = [f"{starts[0]}/", str(tmp_path / "one"), f"{starts[1]}/", str(tmp_path / "two")]
        done = finished([sys.executable, "-c", TWO, *words])
        assert "/secret.html" not in one.asked + two.asked
    assert done.returncode == 0, done.stderr
    told = [line.split() for line in done.stdout.splitlines()]
    assert [words[0] for words in told] == ["7", "9"], done.stderr
    assert all(int(words[1]) for words in told), "the other crawl's house is refused"
    for at, (folder, start, count) in enumerate([("one", starts[0], 7), ("two", starts[1], 9)]):
        items = items_of(tmp_path / folder / "out.jsonl")
        assert sorted(item["url"] for item in items) == sorted(
            f"{start}/2024/05/a-{n}.html" for n in range(count)
        )
        assert len(list((tmp_path / folder / "crawls").glob("*.sqlite"))) == 1, at


def test_a_setting_that_scrapy_refuses_is_told_in_one_line(tmp_path: Path) -> None:
    with served({}) as site:
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl", "-s", "HTTPAUTH_USER=ann")
    assert run.code == 1
    (line,) = run.said.splitlines()
    assert line.startswith("sitecrawl: the crawl could not begin: HTTPAUTH_DOMAIN must be set")
    (row,) = fleet_of(Stores(tmp_path / "state")).sites
    assert [cause.kind for cause in row.causes] == ["state"]


@pytest.mark.parametrize("setting", ["DEPTH_LIMIT=1", "URLLENGTH_LIMIT=30"])
def test_requests_that_a_setting_of_scrapy_drops_are_told(tmp_path: Path, setting: str) -> None:
    """They were missing in silence."""
    pages: dict[str, bytes | Answer] = {
        f"/2024/05/a-{n}.html": article_page(n).encode() for n in range(9)
    }
    pages |= {
        "/": listing_page(range(5)).encode(),
        "/city/page/2/": listing_page(range(5, 9)).encode(),
    }
    feed = tmp_path / "out.jsonl"
    with served(pages) as site:
        run = crawl(f"{site.url}/", feed, "-o", str(feed), "-a", "scope=site", "-s", setting)
        assert (
            "not requested: a setting or spider middleware of Scrapy dropped the request"
            in run.said
        )
        assert len(run.items) < 9
        again = crawl(f"{site.url}/", feed, "-o", str(feed), "-a", "scope=site")
    assert "not requested" not in again.said
    assert len({*again.urls}) == len(again.urls) == 9


def test_a_terminal_shows_the_progress_and_each_article(tmp_path: Path) -> None:
    """Also while no answer comes; elsewhere there is none."""
    pages = dict(site_pages())

    def late(handler: BaseHTTPRequestHandler) -> None:
        time.sleep(1)
        send(handler, 200, pages["/board/"])

    terminal, theirs = pty.openpty()
    with served(pages | {"/board/": late}) as site:
        line = [sys.executable, "-m", "sitecrawl", "crawl", f"{site.url}/board/"]
        quick = ["-s", "DOWNLOAD_DELAY=0", "-s", f"SITECRAWL_DATA_DIR={tmp_path / 'data'}"]
        feed = ["-o", str(tmp_path / "a.jsonl")]
        done = subprocess.run([*line, *quick, *feed], stderr=theirs, cwd=tmp_path, check=False)
    os.close(theirs)
    said = b""
    with suppress(OSError):  # the end of a terminal is an error
        while part := os.read(terminal, 9_999):
            said += part
    os.close(terminal)
    assert done.returncode == 0, said
    assert said.count(b" pages, 0 articles") > 1
    assert b"Notice 3" in said


@pytest.mark.parametrize("loses_state", [False, True])
def test_a_feed_may_be_named_by_the_spider(tmp_path: Path, loses_state: bool) -> None:
    """Such a feed was not read before it was added to: articles stood in it twice."""
    feed = tmp_path / "%(name)s.jsonl"
    with served(dict(site_pages())) as site:
        first = crawl(f"{site.url}/board/", feed, "-o", str(feed))
        assert f"written to {tmp_path / 'site.jsonl'}" in first.said
        if loses_state:
            shutil.rmtree(tmp_path / "state")
        assert crawl(f"{site.url}/board/", feed, "-o", str(feed)).code == 0
        wrong = crawl(f"{site.url}/board/", feed, "-o", str(tmp_path / "%(nmae)s.jsonl"))
    urls = [item["url"] for item in items_of(tmp_path / "site.jsonl")]
    assert len(urls) == len({*urls}) > 5
    assert wrong.code == 2
    assert "cannot be named ('nmae')" in wrong.said
