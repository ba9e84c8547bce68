"""The progress of a crawl, on a terminal."""

from __future__ import annotations

import sys
from time import monotonic
from typing import Any

from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.utils.asyncio import create_looping_call

from sitecrawl.items.readable import article_line

_EVERY = 0.25  # seconds
_LONG = 10  # seconds without an answer that a person should know of


class Progress:
    """One line on standard error while a spider runs, also while no answer comes. It is rewritten
    in place, below a line for each article that is written."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.pages = 0
        self.changed = monotonic()
        self.ticks = create_looping_call(self.show)

    @classmethod
    def of(cls, crawler: Crawler) -> None:
        """Show the progress of a crawl, unless standard error is a file or a pipe."""
        if not sys.stderr.isatty():
            return
        self = cls(crawler)
        crawler.signals.connect(self.opened, signals.spider_opened, weak=False)
        crawler.signals.connect(self.written, signals.item_scraped, weak=False)
        crawler.signals.connect(self.closed, signals.spider_closed, weak=False)

    def opened(self, spider: Spider) -> None:
        self.ticks.start(_EVERY, now=False)

    def show(self) -> None:
        print(f"\r{self.line()}\x1b[K", end="", file=sys.stderr, flush=True)

    def written(self, item: Any) -> None:
        print(f"\r\x1b[K{article_line(dict(item))}", file=sys.stderr, flush=True)

    def closed(self, spider: Spider) -> None:
        if self.ticks.running:
            self.ticks.stop()
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def line(self) -> str:
        """Pages fetched, articles written, articles kept back until the template of the site can be
        learned, and for how long no page has come."""
        stats: Any = self.crawler.stats
        pages = stats.get_value("response_received_count", 0)
        items = stats.get_value("item_scraped_count", 0)
        waiting = stats.get_value("sitecrawl/items/waiting", 0)
        told = f"{pages} pages, {items} articles"
        if waiting and not items:
            told += f", {waiting} more once the site's template is learned"
        if pages != self.pages:
            self.pages = pages
            self.changed = monotonic()
        idle = monotonic() - self.changed
        return f"{told}, no answer for {idle:.0f} s" if idle >= _LONG else told
