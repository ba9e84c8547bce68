"""The add-on in a foreign Scrapy project: callbacks yield pages, articles come out."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.crawl import test_parts as stories
from tests.crawl.runner import items_of, send, served
from tests.crawl.test_series import APART, line
from tests.crawl.test_series import page as page_of
from tests.pages import article_page, listing_page
from tests.process import finished
from tests.test_site_parts import thread

SPIDER = """
import scrapy
from sitecrawl.addon import ArticlePage

class Own(scrapy.Spider):
    name = "own"
    custom_settings = {"ADDONS": {"sitecrawl.addon.SitecrawlAddon": 500}, "SITECRAWL_DATA_DIR": "kept", "LOG_LEVEL": "WARNING"}

    def parse(self, response):
        for href in response.css(".teaser a::attr(href), li a::attr(href)").getall():
            yield response.follow(href, self.parse_article)

    async def parse_article(self, response):
        yield {"own": response.url}
        yield ArticlePage(response, section=self.start_urls[0])
"""


def run(folder: Path, start: str, *more: str) -> list[dict[str, Any]]:
    """The items of the spider in a project of its own."""
    line = [sys.executable, "-m", "scrapy", "runspider", "own.py", "-O", "out.jsonl", *more]
    text = SPIDER.replace('name = "own"', f'name = "own"; start_urls = ["{start}"]')
    (folder / "own.py").write_text(text, encoding="utf8")
    env = {name: value for name, value in os.environ.items() if name != "SCRAPY_SETTINGS_MODULE"}
    done = finished(line, cwd=folder, env=env)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    return items_of(folder / "out.jsonl")


def test_articles_in_a_foreign_project(tmp_path: Path) -> None:
    pages = {f"/2024/05/a-{n}.html": article_page(n).encode() for n in range(8)} | {
        "/city/": listing_page(range(8)).encode()
    }
    with served(dict(pages)) as site:
        items = run(tmp_path, f"{site.url}/city/")
    articles = [item for item in items if "headline" in item]
    assert len(items) == 16
    assert sorted(item["headline"] for item in articles) == sorted(
        f"Harbour bridge number {n} opens to cyclists" for n in range(8)
    )
    assert {item["sectionUrl"] for item in articles} == {f"{site.url}/city/"}
    assert (tmp_path / "kept" / "templates.sqlite").is_file()


# ---- articles and threads over several pages
def articles_of(items: list[dict[str, Any]], path: str) -> list[dict[str, Any]]:
    return [item for item in items if "headline" in item and urlsplit(item["url"]).path == path]


def test_parts_leave_as_one_article(tmp_path: Path) -> None:
    with served(stories.site()) as site:
        items = run(tmp_path, f"{site.url}/news/")
        asked = Counter(site.asked)
    found = Counter(urlsplit(item["url"]).path for item in items if "headline" in item)
    assert found == Counter(stories.path(n) for n in range(stories.STORIES))
    (long,) = articles_of(items, stories.path(3))
    assert [line.split(" of story")[0] for line in long["articleBody"].split("\n")] == [
        f"Paragraph {k} of part {n}" for n in (1, 2, 3) for k in range(4)
    ]
    assert [urlsplit(url).path for url in long["provenance"]["parts"]] == [
        stories.path(3, n) for n in (1, 2, 3)
    ]
    assert "flags" not in long["provenance"]
    assert {asked[stories.path(3, n)] for n in (1, 2, 3)} == {1}


def gone(pages: dict[str, Any]) -> None:
    del pages[stories.path(3, 3)]


def led_back(pages: dict[str, Any]) -> None:
    pages[stories.path(3, 3)] = lambda handler: send(handler, 302, b"", Location=stories.path(3))


def forbidden(pages: dict[str, Any]) -> None:
    pages["/robots.txt"] = f"User-agent: *\nDisallow: {stories.path(3, 3)}".encode()


@pytest.mark.parametrize("spoil", [gone, led_back, forbidden])
def test_a_part_that_fails_does_not_lose_the_article(
    tmp_path: Path, spoil: Callable[[dict[str, Any]], None]
) -> None:
    pages = stories.site()
    spoil(pages)
    with served(pages) as site:
        items = run(tmp_path, f"{site.url}/news/", "-s", "ROBOTSTXT_OBEY=1")
    (long,) = articles_of(items, stories.path(3))
    assert [urlsplit(url).path for url in long["provenance"]["parts"]] == [
        stories.path(3),
        stories.path(3, 2),
    ]
    assert long["provenance"]["flags"] == ["incomplete"]
    assert len(articles_of(items, stories.path(5))) == 1


def test_a_later_part_brings_the_whole_article_once(tmp_path: Path) -> None:
    pages = stories.site()
    pages["/news/"] = (
        f'<ul><li><a href="{stories.path(3, 2)}">x</a><li><a href="{stories.path(3, 3)}">y</a></ul>'.encode()
    )
    with served(pages) as site:
        items = run(tmp_path, f"{site.url}/news/")
    (long,) = articles_of(items, stories.path(3))
    assert len(long["provenance"]["parts"]) == 3
    assert sum("headline" in item for item in items) == 1


@pytest.mark.parametrize("listed", [(1, 2, 3), (3, 2, 1), (2,)])
def test_articles_of_a_series_come_one_by_one(tmp_path: Path, listed: tuple[int, ...]) -> None:
    """The second and the third were parts of the first, since their URLs end in numbers."""
    kinds = APART["a box of numbers"]
    pages: dict[str, Any] = {kinds.path(n): page_of(kinds, n).encode() for n in range(1, 6)}
    rows = "".join(f'<li><a href="{kinds.path(n)}">{n}</a>' for n in listed)
    pages["/news/"] = f"<ul>{rows}</ul>".encode()
    with served(pages) as site:
        items = run(tmp_path, f"{site.url}/news/", "-s", "CONCURRENT_REQUESTS=1")
    for n in listed:
        (item,) = articles_of(items, kinds.path(n))
        assert [m for m in range(1, 6) if line(m) in item["articleBody"]] == [n]
        assert "flags" not in item["provenance"]


def test_the_first_part_after_a_later_one_brings_no_second_item(tmp_path: Path) -> None:
    pages = stories.site()
    pages["/news/"] = (
        f'<ul><li><a href="{stories.path(3)}">x</a><li><a href="{stories.path(3, 2)}">y</a></ul>'.encode()
    )
    with served(pages) as site:
        items = run(tmp_path, f"{site.url}/news/", "-s", "CONCURRENT_REQUESTS=1")
    assert [urlsplit(item["own"]).path for item in items if "own" in item] == [
        stories.path(3, 2),
        stories.path(3),
    ]
    (long,) = articles_of(items, stories.path(3))
    assert len(long["provenance"]["parts"]) == 3


def test_at_most_fifty_parts(tmp_path: Path) -> None:
    def endless(path: str) -> bytes | None:
        number = int(path.rpartition("=")[2]) if "=" in path else 1
        prose = (
            f"<p>Chapter {number} tells of the harbour, of who built it, and of those who paid for chapter {number}.</p>"
            * 3
        )
        turn = f'<div><a href="/long?page={number + 1}">Next page</a></div>'
        return f"<html><body><h1>A long story</h1><div>{prose}</div>{turn}</body></html>".encode()

    listing = b'<ul><li><a href="/long">A long story</a></ul>'
    pages = {f"/long?page={n}": endless(f"?page={n}") for n in range(2, 60)} | {
        "/long": endless(""),
        "/news/": listing,
    }
    with served(pages) as site:
        items = run(tmp_path, f"{site.url}/news/")
        assert sum(path.startswith("/long") for path in site.asked) == 50
    (long,) = articles_of(items, "/long")
    assert len(long["provenance"]["parts"]) == 50
    assert long["provenance"]["flags"] == ["incomplete"]


def test_a_thread_leaves_with_the_posts_of_all_its_pages(tmp_path: Path) -> None:
    def page(number: int, part: int) -> bytes:
        turn = f'<div class="pager"><a href="/t/{number}?page={3 - part}">{"Next" if part == 1 else "Previous"} page</a></div>'
        return thread(number, part).replace("<div id='foot'>", f"{turn}<div id='foot'>").encode()

    links = "".join(f'<li><a href="/t/{n}">Thread {n} about the town</a></li>' for n in range(6))
    pages: dict[str, Any] = {f"/t/{n}": page(n, 1) for n in range(6)} | {
        f"/t/{n}?page=2": page(n, 2) for n in range(6)
    }
    with served(pages | {"/board/": f"<ul>{links}</ul>".encode()}) as site:
        items = run(tmp_path, f"{site.url}/board/")
    threads = [item for item in items if "headline" in item]
    assert sorted(urlsplit(item["url"]).path for item in threads) == [f"/t/{n}" for n in range(6)]
    for item in threads:
        said = [post["text"].split(" of thread")[0] for post in item["comments"]]
        assert said == [f"Post {n}" for n in (1, 2, 3, 4)]


# ---- settings of a project
def project(folder: Path, settings: str) -> None:
    """A project with the spider and these settings."""
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = own_settings\n", encoding="utf8")
    text = f'SPIDER_MODULES = ["own"]\nBOT_NAME = "own"\n{settings}'
    (folder / "own_settings.py").write_text(text, encoding="utf8")


def in_project(folder: Path, *words: str) -> Any:
    env = {name: value for name, value in os.environ.items() if name != "SCRAPY_SETTINGS_MODULE"}
    return finished([sys.executable, "-m", "scrapy", *words], cwd=folder, env=env)


ADD_ON = 'ADDONS = {"sitecrawl.addon.SitecrawlAddon": 500}\n'


@pytest.mark.parametrize("wrong", ["SITECRAWL_MAX_WAITS", "SITECRAWL_DATADIR"])
def test_a_setting_of_ours_that_does_not_exist_is_refused(tmp_path: Path, wrong: str) -> None:
    """It was ignored in the projects of others."""
    spider = SPIDER.replace("custom_settings", "_unused").replace(
        'name = "own"', 'name = "own"; start_urls = []'
    )
    (tmp_path / "own.py").write_text(spider, encoding="utf8")
    project(tmp_path, f'{ADD_ON}{wrong} = "3"\nLOG_LEVEL = "WARNING"\n')
    done = in_project(tmp_path, "crawl", "own")
    assert done.returncode == 2
    assert done.stderr.startswith(f"sitecrawl: no setting {wrong}: did you mean SITECRAWL_")
    assert len(done.stderr.splitlines()) == 1


def test_formats_on_the_command_line_and_names_with_the_spider_in_them(tmp_path: Path) -> None:
    """As the guide says: Scrapy checks -O before it loads add-ons, and wrote nothing."""
    spider = SPIDER.replace("custom_settings", "_unused")
    imported = "from sitecrawl.addon import FEED_EXPORTERS, FEED_STORAGES\n"
    project(tmp_path, f"{ADD_ON}{imported}")
    pages = {f"/2024/05/a-{n}.html": article_page(n).encode() for n in range(4)}
    with served(pages | {"/city/": listing_page(range(4)).encode()}) as site:
        text = spider.replace('name = "own"', f'name = "own"; start_urls = ["{site.url}/city/"]')
        (tmp_path / "own.py").write_text(text, encoding="utf8")
        done = in_project(tmp_path, "crawl", "own", "-O", "out.rss:rss", "-O", "%(name)s.jsonl")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out.rss").read_text().count("<item>") >= 4
    assert len([item for item in items_of(tmp_path / "own.jsonl") if "headline" in item]) == 4


def test_other_projects_have_few_verbs_of_ours(tmp_path: Path) -> None:
    project(tmp_path, "")
    (tmp_path / "own.py").write_text("", encoding="utf8")
    said = in_project(tmp_path, "--help").stdout
    names = {line.split()[0] for line in said.splitlines() if line.startswith("  ")}
    assert {"extract", "links", "templates"} <= names
    assert not names & {"batch", "label", "report", "sites", "train", "why", "work"}
