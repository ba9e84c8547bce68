"""The feed formats in a Scrapy project of someone else, from the command line and from its
settings."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from tests.crawl.runner import served
from tests.pages import article_page
from tests.process import finished

SETTINGS = """
from sitecrawl.addon import FEED_EXPORTERS, FEED_STORAGES

SPIDER_MODULES = ["own"]
ADDONS = {"sitecrawl.addon.SitecrawlAddon": 500}
LOG_LEVEL = "WARNING"
"""
SPIDER = """
import scrapy
from sitecrawl.addon import ArticlePage

class Own(scrapy.Spider):
    name = "own"

    def parse(self, response):
        yield ArticlePage(response)
"""


def test_json_feed_and_markdown_from_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "__init__.py").write_text("")
    (tmp_path / "own" / "settings.py").write_text(SETTINGS)
    (tmp_path / "own" / "spider.py").write_text(SPIDER)
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = own.settings\n")
    env = {name: value for name, value in os.environ.items() if name != "SCRAPY_SETTINGS_MODULE"}
    page = article_page(3).replace(
        "<head>", "<head><meta property='og:site_name' content='The Harbour'>"
    )
    with served({"/a.html": page.encode()}) as site:
        (tmp_path / "own" / "spider.py").write_text(
            SPIDER.replace('"own"', f'"own"; start_urls = ["{site.url}/a.html"]')
        )
        line = [
            sys.executable,
            "-m",
            "scrapy",
            "crawl",
            "own",
            "-O",
            "out.json:jsonfeed",
            "-O",
            "docs:markdown",
        ]
        done = finished(line, cwd=tmp_path, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    feed = json.loads((tmp_path / "out.json").read_text(encoding="utf8"))
    assert feed["title"] == "The Harbour"
    assert feed["items"][0]["title"] == "Harbour bridge number 3 opens to cyclists"
    assert "dateDownloaded" in feed["items"][0]["_sitecrawl"]["metadata"]
    assert len(list((tmp_path / "docs").glob("*.md"))) == 1
