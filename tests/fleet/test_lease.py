"""A crawl that may send nothing any more ends as an interrupted one, and loses no page."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

from sitecrawl.extras.demo import article_paths, site_pages
from tests.crawl.runner import FAST, crawl, served
from tests.process import finished

_CRAWL = """
import sys
from scrapy import signals
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.utils.project import get_project_settings
from sitecrawl.spiders.site import SiteSpider

url, feed, state, *settings = sys.argv[1:]
known = get_project_settings()
known.setdict({"SITECRAWL_DATA_DIR": state, "FEEDS": {feed: {"format": "jsonlines"}}, "DOWNLOAD_DELAY": 0})
known.setdict(dict(setting.split("=") for setting in settings))
process = AsyncCrawlerProcess(known)
crawler, asked = process.create_crawler(SiteSpider), []

def opened(spider):
    spider.may_send = lambda: asked.append(1) or len(asked) % 20

crawler.signals.connect(opened, signals.spider_opened)
process.crawl(crawler, start=url, scope="site")
process.start()
assert crawler.spider.taken and crawler.spider.visit.reason == "shutdown", crawler.spider.visit
"""


def test_a_site_that_is_taken_over_in_the_middle_of_a_crawl(tmp_path: Path) -> None:
    feed, state = tmp_path / "out.jsonl", tmp_path / "state"
    with served(dict(site_pages())) as site:
        words = [f"{site.url}/", str(feed), str(state), *(word for word in FAST if word != "-s")]
        for _ in range(2):
            done = finished([sys.executable, "-c", _CRAWL, *words])
            assert done.returncode == 0, done.stderr
            assert "Traceback" not in done.stderr
        run = crawl(f"{site.url}/", feed, "-o", str(feed), "-a", "scope=site")
    assert run.code == 0
    assert Counter(urlsplit(url).path for url in run.urls) == Counter(article_paths())
