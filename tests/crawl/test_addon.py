"""The add-on in a foreign Scrapy project: callbacks yield pages, articles come out."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tests.crawl.runner import items_of, served
from tests.pages import article_page, listing_page
from tests.process import finished

SPIDER = """
import scrapy
from sitecrawl.addon import ArticlePage

class Own(scrapy.Spider):
    name = "own"
    custom_settings = {"ADDONS": {"sitecrawl.addon.SitecrawlAddon": 500}, "SITECRAWL_DATA_DIR": "kept", "LOG_LEVEL": "WARNING"}

    def parse(self, response):
        for href in response.css(".teaser a::attr(href)").getall():
            yield response.follow(href, self.parse_article)

    async def parse_article(self, response):
        yield {"own": response.url}
        yield ArticlePage(response, section=self.start_urls[0])
"""


def test_articles_in_a_foreign_project(tmp_path: Path) -> None:
    pages = {f"/2024/05/a-{n}.html": article_page(n).encode() for n in range(8)} | {
        "/city/": listing_page(range(8)).encode()
    }
    with served(dict(pages)) as site:
        line = [sys.executable, "-m", "scrapy", "runspider", "own.py", "-O", "out.jsonl"]
        text = SPIDER.replace('name = "own"', f'name = "own"; start_urls = ["{site.url}/city/"]')
        (tmp_path / "own.py").write_text(text, encoding="utf8")
        env = {name: value for name, value in os.environ.items() if name != "SCRAPY_SETTINGS_MODULE"}
        done = finished(line, cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    items = items_of(tmp_path / "out.jsonl")
    articles = [item for item in items if "headline" in item]
    assert len(items) == 16
    assert sorted(item["headline"] for item in articles) == sorted(
        f"Harbour bridge number {n} opens to cyclists" for n in range(8)
    )
    assert {item["sectionUrl"] for item in articles} == {f"{site.url}/city/"}
    assert (tmp_path / "kept" / "templates.sqlite").is_file()
