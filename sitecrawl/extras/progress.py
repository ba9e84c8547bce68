"""The progress of a crawl: a Scrapy extension."""

from __future__ import annotations

import sys
from time import monotonic
from typing import Any

from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call

from sitecrawl.crawl.config import CrawlSettings
from sitecrawl.items.readable import article_line


class Progress:
    """One line on standard error while a spider runs, also while no answer comes: rewritten in
    place on a terminal, below a line for each article that is written; else a further one every
    ``seconds``."""

    def __init__(self, crawler: Crawler, *, seconds: float = 30.0) -> None:
        self.crawler, self.is_live = crawler, sys.stderr.isatty()
        self.every = 0.25 if self.is_live else seconds
        self.pages, self.changed = 0, monotonic()
        self.ticks = create_looping_call(self.show)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Progress:
        if not CrawlSettings.from_settings(crawler.settings).progress:
            raise NotConfigured
        self = cls(crawler)
        crawler.signals.connect(self.opened, signals.spider_opened)
        crawler.signals.connect(self.closed, signals.spider_closed)
        if self.is_live:
            crawler.signals.connect(self.written, signals.item_scraped)
        return self

    def opened(self, spider: Spider) -> None:
        self.ticks.start(self.every, now=False)

    def show(self) -> None:
        line = f"\r{self.line()}\x1b[K" if self.is_live else f"sitecrawl: {self.line()}\n"
        print(line, end="", file=sys.stderr, flush=True)

    def written(self, item: Any) -> None:
        print(f"\r\x1b[K{article_line(dict(item))}", file=sys.stderr, flush=True)

    def closed(self, spider: Spider) -> None:
        if self.ticks.running:
            self.ticks.stop()
        print("\r\x1b[K" if self.is_live else "", end="", file=sys.stderr, flush=True)

    def line(self) -> str:
        """Pages fetched, articles written, articles kept back until the template of the site can be
        learned, and for how long no page has come."""
        stats: Any = self.crawler.stats
        pages = stats.get_value("response_received_count", 0)
        items = stats.get_value("item_scraped_count", 0)
        waiting = stats.get_value("sitecrawl/items/waiting", 0)
        later = (
            f", {waiting} more once the site's template is learned" if waiting and not items else ""
        )
        if pages != self.pages:
            self.pages, self.changed = pages, monotonic()
        idle = monotonic() - self.changed
        return f"{pages} pages, {items} articles{later}" + (
            f", no answer for {idle:.0f} s" if idle >= 10 else ""
        )
