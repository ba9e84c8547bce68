"""A foreign Scrapy project with scrapy-poet, zyte-common-items and the add-on: callbacks and page
objects ask, and are given."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import zyte_common_items as zyte
from itemadapter import ItemAdapter
from pyarrow.parquet import read_table

from sitecrawl.crawl.config import ArgumentError, CrawlArguments
from sitecrawl.errors import SitecrawlError
from sitecrawl.extras.zyte.conversion import zyte_article
from sitecrawl.extras.zyte.item_form import ZyteItems
from sitecrawl.feed_formats import item_form
from tests.crawl import test_parts as stories
from tests.crawl.runner import FAST, crawl, items_of, served
from tests.pages import article_page, listing_page
from tests.process import finished

PAGES: dict[str, Any] = {f"/2024/05/a-{n}.html": article_page(n).encode() for n in range(8)} | {
    "/city/": listing_page(range(8)).encode()
}
SETTINGS = """
import scrapy, sitecrawl
import zyte_common_items as zyte
from scrapy_poet import DummyResponse
from web_poet import ItemPage, field, handle_urls

SETTINGS = {
    "ADDONS": {"sitecrawl.addon.SitecrawlAddon": 500, "scrapy_poet.Addon": 300, "zyte_common_items.Addon": 400},
    "SITECRAWL_DATA_DIR": "state", "LOG_LEVEL": "ERROR", "CONCURRENT_REQUESTS": 1,
}
"""
CALLBACKS = """
class Own(scrapy.Spider):
    name = "own"
    custom_settings = SETTINGS

    async def start(self):
        yield scrapy.Request(START, self.parse_listing)

    def parse_listing(self, response: DummyResponse, navigation: zyte.ArticleNavigation, articles: zyte.ArticleList):
        yield navigation
        yield articles
        for request in navigation.items:
            yield request.to_scrapy(self.parse_article)

    def parse_article(self, response: DummyResponse, article: zyte.Article, own: sitecrawl.Article):
        yield article
        yield {"own": own.headline, "method": own.provenance.method}
"""
PAGE_OBJECTS = """
import attrs

@handle_urls("")
@attrs.define
class Page(zyte.AutoArticlePage):
    @field
    def description(self):
        return f"By hand: {self.article.headline}"

@attrs.define
class Counted(ItemPage[dict]):
    article: sitecrawl.Article

    @field
    def words(self):
        return self.article.wordCount

class Own(scrapy.Spider):
    name = "own"
    custom_settings = SETTINGS | {"SCRAPY_POET_DISCOVER": []}

    async def start(self):
        yield scrapy.Request(START.replace("/city/", "/2024/05/a-1.html"), self.parse_article)
        yield scrapy.Request(START.replace("/city/", "/missing.pdf"), self.parse_article, meta={"handle_httpstatus_all": True})

    async def parse_article(self, response: DummyResponse, article: zyte.Article, counted: Counted):
        yield article
        yield await counted.to_item()
"""


def run(folder: Path, start: str, spider: str) -> list[dict[str, Any]]:
    """The items of a spider in a project of its own."""
    (folder / "own.py").write_text(f'START = "{start}"\n{SETTINGS}{spider}', encoding="utf8")
    known = {name: value for name, value in os.environ.items() if name != "SCRAPY_SETTINGS_MODULE"}
    # rules of page objects look for the list of public suffixes on the web, and warn where there is
    # no network
    words = ["runspider", "own.py", "-O", "out.jsonl", "-s", "LOG_LEVEL=ERROR"]
    done = finished([sys.executable, "-m", "scrapy", *words], cwd=folder, env=known)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    return [json.loads(line) for line in (folder / "out.jsonl").read_text("utf8").splitlines()]


def test_callbacks_get_articles_and_links(tmp_path: Path) -> None:
    with served(PAGES) as site:
        items = run(tmp_path, f"{site.url}/city/", CALLBACKS)
    navigation = next(item for item in items if "nextPage" in item)
    assert navigation["nextPage"]["url"] == f"{site.url}/city/page/2/"
    assert [item["url"] for item in navigation["items"]] == [
        f"{site.url}/2024/05/a-{n}.html" for n in range(8)
    ]
    assert navigation["items"][3]["name"] == "Harbour bridge number 3 opens to cyclists"
    assert all(0.5 < item["metadata"]["probability"] <= 1 for item in navigation["items"])
    assert {f"{site.url}/politics/", f"{site.url}/sport/"} <= {
        item["url"] for item in navigation["subCategories"]
    }
    listed = next(item for item in items if "articles" in item)
    assert [item["headline"] for item in listed["articles"]] == [
        item["name"] for item in navigation["items"]
    ]
    articles = [item for item in items if "articleBody" in item]
    assert sorted(item["headline"] for item in articles) == [
        f"Harbour bridge number {n} opens to cyclists" for n in range(8)
    ]
    assert {item["datePublished"] for item in articles} == {
        f"2024-05-{n + 1:02d}T08:30:00" for n in range(8)
    }
    assert all(
        item["metadata"]["dateDownloaded"] and item["metadata"]["probability"] > 0.5
        for item in articles
    )
    # fields that zyte-common-items does not define are not lost
    assert all(item["wordCount"] > 50 and item["provenance"]["method"] for item in articles)
    methods = [item["method"] for item in items if "own" in item]
    assert methods[0] == "fallback"
    assert methods[-1] == "template"


def test_answers_by_the_template_that_a_crawl_learned(tmp_path: Path) -> None:
    with served(PAGES) as site:
        assert len(crawl(f"{site.url}/city/", tmp_path / "out.jsonl").items) == 8
        items = run(tmp_path, f"{site.url}/city/", CALLBACKS)
    assert {item["method"] for item in items if "own" in item} == {"template"}


def test_page_objects_stand_on_articles(tmp_path: Path) -> None:
    with served(PAGES) as site:
        items = run(tmp_path, f"{site.url}/city/", PAGE_OBJECTS)
        first = f"{site.url}/2024/05/a-1.html"
    found = {item["url"]: item for item in items if "url" in item}
    assert found[first]["description"] == "By hand: Harbour bridge number 1 opens to cyclists"
    # a page without an article: its URL, and a probability by which DropLowProbabilityItemPipeline
    # drops it
    (empty,) = (item for url, item in found.items() if url != first)
    assert empty["metadata"]["probability"] == 0
    assert "headline" not in empty
    nothing, some = sorted(item["words"] for item in items if "words" in item)
    assert nothing == 0 < some


PARTS = """
class Own(scrapy.Spider):
    name = "own"
    custom_settings = SETTINGS

    async def start(self):
        for part in ("", "_2"):
            yield scrapy.Request(START.replace("/news/", f"/news/2024/market-story-3{part}.html"), self.parse_article)

    def parse_article(self, response: DummyResponse, article: zyte.Article, own: sitecrawl.Article):
        yield article
"""


def test_an_article_of_several_pages_is_given_as_one(tmp_path: Path) -> None:
    with served(stories.site()) as site:
        whole, later = run(tmp_path, f"{site.url}/news/", PARTS)
        assert Counter(site.asked)[stories.path(3, 3)] == 1
    assert [urlsplit(url).path for url in whole["provenance"]["parts"]] == [
        stories.path(3, n) for n in (1, 2, 3)
    ]
    assert all(f"part {n} of story 3" in whole["articleBody"] for n in (1, 2, 3))
    # a later part is given with the whole; alone it is no article
    assert later["metadata"]["probability"] == 0


def test_the_order_of_add_ons_does_not_matter(tmp_path: Path) -> None:
    first = 'SETTINGS["ADDONS"]["sitecrawl.addon.SitecrawlAddon"] = 100\n'
    with served(PAGES) as site:
        items = run(tmp_path, f"{site.url}/city/", first + PAGE_OBJECTS)
    assert len(items) == 4


@pytest.mark.parametrize("form", ["jsonl", "csv", "jsonfeed", "parquet"])
def test_items_of_a_crawl_are_those_of_zyte(tmp_path: Path, form: str) -> None:
    feed = tmp_path / f"out.{form}"
    with served(PAGES) as site:
        found = crawl(
            f"{site.url}/city/", feed, "-O", f"{feed}:{form}", "-s", "SITECRAWL_ITEMS=zyte"
        )
    assert found.code == 0, found.said
    assert "8 articles" in found.said
    if form == "jsonl":
        assert found.items[0]["datePublished"].endswith("T08:30:00")
        assert found.items[0]["metadata"]["probability"] > 0.5
        assert "description" not in found.items[0]
    else:
        urls = read_table(feed)["url"].to_pylist() if form == "parquet" else feed.read_text("utf8")
        assert all(f"{site.url}/2024/05/a-{n}.html" in urls for n in range(8))


def test_an_item_becomes_an_article_with_all_its_fields() -> None:
    known = {
        "authors": [{"name": "Ann", "nameRaw": "By Ann"}],
        "images": [{"url": "https://a.example/i", "alt": "A"}],
    }
    known |= {
        "url": "https://a.example/1",
        "tags": ["tram"],
        "datePublished": "2024-05-06",
        "mainImage": None,
    }
    article = zyte_article(
        known | {"provenance": {"confidence": 0.9}, "isAccessibleForFree": False, "videos": []}
    )
    assert article.authors == [zyte.Author(name="Ann", nameRaw="By Ann")]
    assert (article.datePublished, article.videos, article.get_probability()) == (
        "2024-05-06T00:00:00",
        [],
        0.9,
    )
    told = ItemAdapter(ZyteItems().process_item(article)).asdict()
    assert told["images"] == [{"url": "https://a.example/i", "alt": "A"}]
    assert (told["tags"], told["isAccessibleForFree"]) == (["tram"], False)


def test_an_unknown_form_is_refused_in_one_line(tmp_path: Path) -> None:
    found = crawl("http://127.0.0.1:1/", tmp_path / "out.jsonl", "-s", "SITECRAWL_ITEMS=zite")
    assert (found.code, found.said.strip()) == (
        2,
        "sitecrawl: SITECRAWL_ITEMS=zite is unknown: did you mean zyte?",
    )


def test_a_lacking_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("item_form", "conversion"):
        monkeypatch.delitem(sys.modules, f"sitecrawl.extras.zyte.{name}", raising=False)
    monkeypatch.setitem(sys.modules, "zyte_common_items", None)
    with pytest.raises(
        SitecrawlError,
        match=r"SITECRAWL_ITEMS=zyte needs zyte_common_items: .*pip install '.\[zyte\]'",
    ):
        item_form("zyte")


# ---- arguments of zyte-spider-templates
def test_a_crawl_takes_the_arguments_of_the_article_spider(tmp_path: Path) -> None:
    feed = tmp_path / "out.jsonl"
    with served(PAGES) as site:
        given = [
            f"url={site.url}/city/",
            "max_requests=5",
            "crawl_strategy=full",
            "incremental=true",
        ]
        words = [word for one in given for word in ("-a", one)]
        line = [sys.executable, "-m", "scrapy", "crawl", "site", *words, "-O", str(feed), *FAST]
        done = finished([*line, "-s", f"SITECRAWL_DATA_DIR={tmp_path}/state"])
    assert done.returncode == 0, done.stderr
    assert len(items_of(feed)) == 4


def test_names_are_put_in_place_of_others() -> None:
    given = {"urls": "https://a.example/x\nhttps://b.example/ ", "max_requests": "9", "_job": "1"}
    found = CrawlArguments.parse(given)
    assert found.start == ("https://a.example/x", "https://b.example/")
    assert (found.scope, found.max_pages) == ("site", 9)
    assert (
        CrawlArguments.parse({"url": "https://a.example/x", "scope": "section"}).scope == "section"
    )
    assert CrawlArguments.parse({"url": "https://a.example/x"}).max_pages == 0


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        (
            "crawl_strategy",
            "direct_item",
            "crawl_strategy can only be full here: sitecrawl extract URL",
        ),
        ("extract_from", "browserHtml", "SITECRAWL_JS=always for browserHtml"),
        ("incremental", "false", "SITECRAWL_REWRITE=1"),
        ("geolocation", "DE", "SITECRAWL_ACCESS"),
        ("urls_file", "https://a.example/urls.txt", "sites.toml"),
        ("max_requests_per_seed", "9", "max_pages"),
        ("custom_attrs_input", "{}", "docs/by-hand.md"),
        ("max_request", "9", "unknown argument max_request: did you mean max_"),
    ],
)
def test_what_has_no_equal_is_told(name: str, value: str, told: str) -> None:
    with pytest.raises(ArgumentError) as error:
        CrawlArguments.parse({"url": "https://a.example/", name: value})
    assert told in str(error.value)
