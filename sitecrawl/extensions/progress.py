"""A progress line on a terminal: pages, articles, what waits."""

from __future__ import annotations

import sys
from typing import Any

from rich.console import Console
from rich.live import Live
from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from sitecrawl.crawl.config import CrawlSettings


class Progress:
    """Shows one line, rewritten in place, while a spider runs; off when standard error is no terminal."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.live = Live("", console=Console(stderr=True), refresh_per_second=4, transient=True)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Progress:
        if not CrawlSettings.from_settings(crawler.settings).progress or not sys.stderr.isatty():
            raise NotConfigured
        self = cls(crawler)
        crawler.signals.connect(self.opened, signals.spider_opened)
        crawler.signals.connect(self.moved, signals.response_received)
        crawler.signals.connect(self.closed, signals.spider_closed)
        return self

    def opened(self, spider: Spider) -> None:
        self.live.start()

    def moved(self, spider: Spider) -> None:
        self.live.update(self.line())

    def closed(self, spider: Spider) -> None:
        self.live.stop()

    def line(self) -> str:
        """The line as it stands now."""
        stats: Any = self.crawler.stats
        pages = stats.get_value("response_received_count", 0)
        items = stats.get_value("item_scraped_count", 0)
        waiting = stats.get_value("sitecrawl/items/waiting", 0)
        return f"{pages} pages  {items} articles  ({waiting} held for a template)"
