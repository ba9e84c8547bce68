"""`scrapy crawl`, with one clear line and a non-zero exit where nothing could be crawled."""

from __future__ import annotations

import argparse
import gc
import logging
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scrapy.commands.crawl import Command as CrawlCommand
from scrapy.crawler import Crawler

from sitecrawl.crawl.config import ArgumentError, CrawlArguments, CrawlSettings
from sitecrawl.crawl.outcome import Outcome
from sitecrawl.crawl.permissions import place_of
from sitecrawl.crawl.store import Stores
from sitecrawl.errors import DatabaseError, SitecrawlError
from sitecrawl.extensions import closed_feeds, keep_old, replaced_feeds
from sitecrawl.extract.headline import headline_model
from sitecrawl.extract.page_type import page_type_weights
from sitecrawl.extract.weights import default_model
from sitecrawl.links.link_model import shipped_model
from sitecrawl.middlewares.browser import NEEDS, browser_path
from sitecrawl.settings import USER_AGENT
from sitecrawl.site.model import SiteModel
from sitecrawl.spiders.site import SiteSpider
from sitecrawl.text.chars import printable
from sitecrawl.urls.scope import is_private

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
            print(f"sitecrawl: {printable(str(error))}", file=sys.stderr)
            self.exitcode = 1 if isinstance(error, DatabaseError) else 2
            return
        quieten(self.settings.get("LOG_LEVEL") if self.settings else "")
        spare_garbage_collection()
        assert self.crawler_process is not None
        crawler = self.crawler_process.create_crawler(SiteSpider.name)
        self.crawler_process.crawl(crawler, **opts.spargs)
        self.crawler_process.start()
        if self.crawler_process.bootstrap_failed:
            self.exitcode = 1
        if isinstance(crawler.spider, SiteSpider):
            self.exitcode = _tell(crawler.spider.outcome) or self.exitcode
            _ask_for_contact(crawler)

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
        left_out = _check_state(found.stores, arguments)
        if left_out and not found.rewrite:
            _keep_feeds(self.settings.getdict("FEEDS") if self.settings else {}, left_out)
        self._introduce(found.contact)

    def _introduce(self, contact: str) -> None:
        """The default user agent names whom to write to."""
        assert self.settings is not None
        if contact and self.settings.get("USER_AGENT") == USER_AGENT:
            named = USER_AGENT.replace(")", f"; +{contact})")
            self.settings.set("USER_AGENT", named, priority="cmdline")


def _check_state(stores: Stores, arguments: CrawlArguments) -> int:
    """Number of the articles known that this crawl will not write again.

    Raises StoreError where the state of the site is damaged or in use, TemplateError where its templates are.
    """
    crawl, learned = stores.site(arguments.site)
    try:
        crawl.lock()
        crawl.check()
        left_out = crawl.leaves_out(arguments.task)
        learned.check()
        kept = learned.load(arguments.site)
    finally:
        crawl.close()
        learned.close()
    if kept:
        SiteModel.from_dict(kept)
    return left_out


def _keep_feeds(feeds: Mapping[str, Mapping[str, Any]], left_out: int) -> None:
    """Put the old feeds aside where a crawl would write them anew without the articles that it knows already."""
    for path in replaced_feeds(feeds):
        try:
            old = keep_old(path)
        except OSError as error:
            raise ArgumentError(f"{path} cannot be put aside ({error.strerror}): name another feed") from None
        said = f"{left_out} articles of earlier runs are not written again: {path} is kept as {old.name} (-o adds to a feed)"
        print(f"sitecrawl: {said}", file=sys.stderr)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ArgumentError(
            f"SITECRAWL_DATA_DIR={folder} cannot be used ({error.strerror}): give another folder"
        ) from None


def spare_garbage_collection() -> None:
    """Search for cycles less often: what is loaded now stays to the end, and pages are freed by reference counting."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_GARBAGE, 20, 50)


class _Printable(logging.Filter):
    """Spells out what would steer a terminal or forge a line of a log."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = printable(record.getMessage()), None
        return True


def quieten(level: str) -> None:
    """Silence Scrapy's tracebacks of failed downloads unless debugging; one line at the end reports them."""
    for handler in logging.root.handlers:
        handler.addFilter(_Printable())
    if level not in ("DEBUG", "INFO"):
        for name in ("robotstxt", "retry"):
            logging.getLogger(f"scrapy.downloadermiddlewares.{name}").setLevel(logging.CRITICAL)
        for name in ("scrapy-playwright", "scrapy.extensions.feedexport"):
            logging.getLogger(name).setLevel(logging.CRITICAL)


def _ask_for_contact(crawler: Crawler) -> None:
    """Say once, by data folder, that those whose server was asked cannot see whom to write to."""
    spider, mark = crawler.spider, Path(crawler.settings.get("SITECRAWL_DATA_DIR") or ".sitecrawl") / "contact-asked"
    assert isinstance(spider, SiteSpider)
    places = map(place_of, spider.session.arguments.start)
    abroad = any(place is not None and not is_private(place[0]) for place in places)
    if abroad and not spider.outcome.code and crawler.settings.get("USER_AGENT") == USER_AGENT and not mark.exists():
        print("sitecrawl: name a contact for the sites you crawl: -s SITECRAWL_CONTACT=mail or URL", file=sys.stderr)
        mark.touch()


def _tell(outcome: Outcome) -> int:
    """Print how a crawl ended and return its exit code."""
    for line in outcome.lines():
        print(f"sitecrawl: {printable(line)}", file=sys.stderr)
    return outcome.code
