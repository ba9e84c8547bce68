"""The main job on the demonstration site: three templates, English and Chinese in GBK, pagination,
comments."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from sitecrawl.extras.demo import (
    ZH_STORIES,
    article_paths,
    headline,
    paragraphs,
    site_pages,
    zh_headline,
    zh_paragraphs,
)
from sitecrawl.items.feed_items import FIELDS
from tests.crawl.runner import Run, crawl, served


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, list[str]]:
    feed = tmp_path_factory.mktemp("whole") / "out.jsonl"
    with served(dict(site_pages())) as site:
        return crawl(f"{site.url}/", feed, "-a", "scope=site"), site.asked


def test_every_article_exactly_once(whole: tuple[Run, list[str]]) -> None:
    run, _ = whole
    assert run.code == 0
    assert Counter(urlsplit(url).path for url in run.urls) == Counter(article_paths())


def test_no_page_is_fetched_twice_and_none_in_vain(whole: tuple[Run, list[str]]) -> None:
    _, asked = whole
    assert max(Counter(asked).values()) == 1
    assert set(asked) <= {*site_pages(), "/robots.txt"}


def test_most_items_come_from_templates(whole: tuple[Run, list[str]]) -> None:
    run, _ = whole
    methods = Counter(item["provenance"]["method"] for item in run.items)
    assert methods["template"] > 0.8 * len(run.items)


def test_items_have_the_fields_of_the_contract(whole: tuple[Run, list[str]]) -> None:
    run, _ = whole
    for item in run.items:
        assert tuple(item)[: len(FIELDS)] == FIELDS
        assert item["provenance"]["confidence"] >= 0


def test_english_stories_are_right(whole: tuple[Run, list[str]]) -> None:
    run, _ = whole
    stories = {
        urlsplit(item["url"]).path.rpartition("-")[2]: item
        for item in run.items
        if "/city/" in item["url"]
    }
    for number in range(24):
        item = stories[f"{number + 100}.html"]
        assert item["headline"] == headline(number)
        assert item["datePublished"].startswith("2026-0")
        assert item["articleBody"].splitlines() == paragraphs(number, 3 + number % 3)
        assert item["inLanguage"] == "en"


def test_chinese_stories_in_gbk_are_right(whole: tuple[Run, list[str]]) -> None:
    run, _ = whole
    stories = {item["url"].rpartition("/")[2]: item for item in run.items if "/zh/" in item["url"]}
    for number in range(ZH_STORIES):
        item = stories[f"{4000 + number}.html"]
        assert item["headline"] == zh_headline(number)
        assert item["articleBody"].splitlines() == zh_paragraphs(number, 3 + number % 3)
        assert item["source"] == "港口晚报"


def test_a_section_is_not_the_site(tmp_path: Path) -> None:
    with served(dict(site_pages())) as site:
        run = crawl(f"{site.url}/city/", tmp_path / "out.jsonl")
    paths = {urlsplit(url).path for url in run.urls}
    assert paths == {path for path in article_paths() if path.startswith("/city/")}


def test_feeds_as_json_and_json_feed(tmp_path: Path) -> None:
    feeds = ("-O", str(tmp_path / "out.json"), "-O", f"{tmp_path / 'out.feed.json'}:jsonfeed")
    with served(dict(site_pages())) as site:
        run = crawl(f"{site.url}/board/", tmp_path / "out.jsonl", *feeds)
    assert run.code == 0
    plain = json.loads((tmp_path / "out.json").read_text(encoding="utf8"))
    feed = json.loads((tmp_path / "out.feed.json").read_text(encoding="utf8"))
    assert feed["version"] == "https://jsonfeed.org/version/1.1"
    assert {item["id"] for item in feed["items"]} == {item["url"] for item in plain}
    days = [item.get("date_published", "") for item in feed["items"]]
    assert days == sorted(days, reverse=True)
    assert len(plain) == 10
    assert all(
        item["content_html"].startswith("<") or item["content_text"] for item in feed["items"]
    )


@pytest.mark.parametrize(("argument", "most"), [("max_articles=5", 5), ("max_pages=6", 6)])
def test_limits(tmp_path: Path, argument: str, most: int) -> None:
    with served(dict(site_pages())) as site:
        run = crawl(f"{site.url}/city/", tmp_path / "out.jsonl", "-a", argument)
    assert run.code == 0
    assert 0 < len(run.items) <= most


def test_since_leaves_older_articles_out(tmp_path: Path) -> None:
    with served(dict(site_pages())) as site:
        run = crawl(f"{site.url}/city/", tmp_path / "out.jsonl", "-a", "since=2026-04-01")
    days = [item["datePublished"][:10] for item in run.items]
    assert days
    assert min(days) >= "2026-04-01"
    assert len(days) == 13


def test_a_second_run_fetches_no_article_again(tmp_path: Path) -> None:
    with served(dict(site_pages())) as site:
        first = crawl(f"{site.url}/city/", tmp_path / "out.jsonl")
        asked = len(site.asked)
        second = crawl(f"{site.url}/city/", tmp_path / "out.jsonl")
        again = {urlsplit(path).path for path in site.asked[asked:]}
    assert len(first.items) == 24
    assert second.code == 0
    assert second.items == []
    assert not again & article_paths()
