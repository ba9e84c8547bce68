"""`scrapy crawl`, with one clear line and a non-zero exit where nothing could be crawled."""

from __future__ import annotations

import argparse
import gc
import logging
import sys
from pathlib import Path

from scrapy.commands.crawl import Command as CrawlCommand

from sitecrawl.crawl.config import ArgumentError, CrawlArguments, CrawlSettings
from sitecrawl.crawl.outcome import Outcome
from sitecrawl.crawl.store import CrawlStore, store_path
from sitecrawl.errors import SitecrawlError
from sitecrawl.extensions import closed_feeds
from sitecrawl.extract.headline import headline_model
from sitecrawl.extract.page_type import page_type_weights
from sitecrawl.extract.weights import default_model
from sitecrawl.links.link_model import shipped_model
from sitecrawl.middlewares.browser import NEEDS, browser_path
from sitecrawl.spiders.site import SiteSpider
from sitecrawl.templates.store import open_store
from sitecrawl.urls.scope import Scope

_GARBAGE = 20_000
"""Net allocations between two searches for cycles; Python's default of 700 is reached several times a page."""


class Command(CrawlCommand):
    """Checks arguments, models and state before the crawl, and reports afterwards how it ended."""

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        try:
            if args[:1] != ["site"]:
                self._run_other(args, opts)
                return
            if args[1:]:
                raise ArgumentError(f"{args[1]} is not an option: write arguments as -a NAME=VALUE")
            self._check(opts)
        except SitecrawlError as error:
            print(f"sitecrawl: {error}", file=sys.stderr)
            self.exitcode = 2
            return
        _quieten(self.settings.get("LOG_LEVEL") if self.settings else "")
        _spare_garbage_collection()
        assert self.crawler_process is not None
        crawler = self.crawler_process.create_crawler(SiteSpider.name)
        self.crawler_process.crawl(crawler, **opts.spargs)
        self.crawler_process.start()
        if self.crawler_process.bootstrap_failed:
            self.exitcode = 1
        if isinstance(crawler.spider, SiteSpider):
            self.exitcode = _tell(crawler.spider.outcome) or self.exitcode

    def _run_other(self, args: list[str], opts: argparse.Namespace) -> None:
        """Another spider, as Scrapy runs it. Raises ArgumentError where there is none of that name."""
        assert self.crawler_process is not None
        known = self.crawler_process.spider_loader.list()
        if args and args[0] not in known:
            raise ArgumentError(f"no spider {args[0]}: write scrapy crawl site -a start=URL")
        super().run(args, opts)

    def _check(self, opts: argparse.Namespace) -> None:
        arguments = CrawlArguments.parse(opts.spargs)
        shipped_model()
        default_model()
        headline_model()
        page_type_weights()
        found = CrawlSettings.from_settings(self.settings)
        if found.js == "always" and not browser_path(found.chromium):
            raise ArgumentError(f"SITECRAWL_JS=always needs a browser: {NEEDS}")
        for path in closed_feeds(self.settings.getdict("FEEDS") if self.settings else {}):
            raise ArgumentError(
                f"{path} exists, and only .jsonl feeds can be added to: overwrite it with -O, or give another file"
            )
        _make_folder(found.data_dir)
        store = CrawlStore(store_path(found.data_dir, Scope.of(arguments.start, arguments.scope).hosts))
        try:
            store.lock()
        finally:
            store.close()
        open_store(found.data_dir / "templates.sqlite").close()


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ArgumentError(
            f"SITECRAWL_DATA_DIR={folder} cannot be used ({error.strerror}): give another folder"
        ) from None


def _spare_garbage_collection() -> None:
    """Search for cycles less often: what is loaded now stays to the end, and pages are freed by reference counting."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_GARBAGE, 20, 50)


def _quieten(level: str) -> None:
    """Silence Scrapy's tracebacks of failed downloads unless debugging; one line at the end reports them."""
    if level not in ("DEBUG", "INFO"):
        for name in ("robotstxt", "retry"):
            logging.getLogger(f"scrapy.downloadermiddlewares.{name}").setLevel(logging.CRITICAL)
        logging.getLogger("scrapy-playwright").setLevel(logging.CRITICAL)


def _tell(outcome: Outcome) -> int:
    """Print how a crawl ended and return its exit code."""
    for line in outcome.lines():
        print(f"sitecrawl: {line}", file=sys.stderr)
    return outcome.code
