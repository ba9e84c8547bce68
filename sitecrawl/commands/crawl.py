"""`scrapy crawl`, with one clear line and a non-zero exit where nothing could be crawled."""

from __future__ import annotations

import argparse
import atexit
import gc
import logging
import shutil
import sys
from collections.abc import Mapping
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from scrapy.commands.crawl import Command as CrawlCommand
from scrapy.crawler import Crawler
from scrapy.exceptions import UsageError

from sitecrawl.commands._alerts import (
    MEANINGS,
    AlertError,
    Condition,
    Exit,
    alert_of,
    conditions_of,
    exit_code,
    named_conditions,
    send,
)
from sitecrawl.commands._help import Help
from sitecrawl.commands._output import Explained
from sitecrawl.commands.report import write_report
from sitecrawl.crawl.config import ArgumentError, CrawlArguments, CrawlSettings
from sitecrawl.crawl.outcome import Outcome
from sitecrawl.crawl.permissions import place_of
from sitecrawl.crawl.store import Stores
from sitecrawl.crawl.visits import note_refusal
from sitecrawl.demo import serve
from sitecrawl.errors import DatabaseError, SitecrawlError, StoreError, TemplateError
from sitecrawl.exporters import NEEDS_ARROW
from sitecrawl.extensions import closed_feeds, keep_old, replaced_feeds
from sitecrawl.extract.headline import headline_model
from sitecrawl.extract.page_type import page_type_weights
from sitecrawl.extract.weights import default_model
from sitecrawl.links.link_model import model_at
from sitecrawl.middlewares.browser import NEEDS, browser_path
from sitecrawl.settings import USER_AGENT
from sitecrawl.site.model import SiteModel
from sitecrawl.spiders.site import SiteSpider
from sitecrawl.text.chars import printable
from sitecrawl.urls.scope import is_private

OPTIONS = {
    "since": ("DAY", "leave out older articles: --since 2026-01-31"),
    "max_articles": ("N", "write at most N articles: --max-articles 50"),
    "max_pages": ("N", "fetch at most N pages: --max-pages 200"),
    "depth": ("N", "follow at most N links from the start page: --depth 2"),
    "scope": ("section|site", "folder of the start page, or the whole host: --scope site (default: section)"),
    "effort": ("quick|normal|full", "how far to go for the last articles: --effort full (default: normal)"),
    "discover": ("WAYS", "how to find pages, with commas: --discover links,feeds,sitemap (default: links)"),
}
"""Arguments of the spider that are options of the command: what their value is called, and what they mean."""
_FEED = "articles.jsonl"
"""The feed of a crawl that was given a URL and no feed."""
_DEMO_FEED = "demo.jsonl"
_DEMO_STATE = ".sitecrawl/demo"
_GARBAGE = 20_000
"""Net allocations between two searches for cycles; Python's default of 700 is reached several times a page."""


class Command(Explained, CrawlCommand):
    """Checks arguments, models and state before the crawl, and reports afterwards how it ended."""

    explains = Help(
        "Crawl a site into a feed of articles",
        {
            "URL": "section page or front page; the site spider with -a start=URL is the same, any other word names a spider of the project"
        },
        (
            "sitecrawl crawl https://example.com/news/ -o articles.jsonl",
            "sitecrawl crawl https://example.com/ -O feed.json:jsonfeed --scope site --since 2026-01-01 --max-articles 50",
            "sitecrawl crawl https://example.com/ -o articles.jsonl --fail-on drift,zero -s SITECRAWL_ALERT=https://example.org/hook",
            "scrapy crawl site -a start=https://example.com/news/ -a effort=full -O articles.jsonl",
        ),
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        for name, (shown, meaning) in OPTIONS.items():
            parser.add_argument(f"--{name.replace('_', '-')}", metavar=shown, help=meaning)
        parser.add_argument(
            "--refresh",
            action="store_true",
            help="ask again for known articles, and write those that changed: --refresh",
        )
        told = "; ".join(f"{name}: {meaning}" for name, meaning in MEANINGS.items())
        parser.add_argument(
            "--demo",
            action="store_true",
            help="crawl the demonstration site that comes with sitecrawl, served on loopback: --demo",
        )
        parser.add_argument(
            "--fail-on",
            default="",
            metavar="CONDITIONS",
            help=f"exit with 3 where one holds: --fail-on drift,zero ({told})".replace("%", "%%"),
        )

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        given = {name: getattr(opts, name) for name in OPTIONS}
        opts.spargs |= {name: value for name, value in given.items() if value is not None}
        opts.spargs |= {"refresh": "1"} if opts.refresh else {}

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        try:
            self.check(args)
            fail_on = named_conditions(opts.fail_on)
            if opts.demo:
                opts.spargs["start"] = self._serve_demo()
                args = args or [SiteSpider.name]
            if not (args := self._starts(args, opts)):
                self._check(opts)
            elif args[0] == SiteSpider.name:
                raise ArgumentError(f"{args[1]} is neither a URL nor an option: write arguments as -a NAME=VALUE")
            else:
                self._run_other(args, opts)
                return
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
            self._report()
            self.exitcode = self._alert(crawler, fail_on)
            _ask_for_contact(crawler)

    def _serve_demo(self) -> str:
        """Serve the demonstration site as long as the command runs; its URL. What an earlier run kept of it goes."""
        assert self.settings is not None
        shutil.rmtree(_DEMO_STATE, ignore_errors=True)
        quick = {"DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": False, "SITECRAWL_DATA_DIR": _DEMO_STATE}
        self.settings.setdict(quick, priority="cmdline")
        site = serve()
        url = site.__enter__()
        atexit.register(site.__exit__, None, None, None)
        return url

    def _starts(self, args: list[str], opts: argparse.Namespace) -> list[str]:
        """Make URLs the start of the crawl, and return what is left: nothing where the site spider is meant and nothing else was said."""
        urls = [word for word in args if _is_url(word)]
        if urls:
            opts.spargs["start"] = ",".join(filter(None, [opts.spargs.get("start"), *urls]))
        if (urls or opts.demo) and self.settings is not None and not self.settings.getdict("FEEDS"):
            self.settings.set(
                "FEEDS",
                {_DEMO_FEED if opts.demo else _FEED: {"format": "jsonlines", "overwrite": opts.demo}},
                priority="cmdline",
            )
        rest = [word for word in args if word not in urls]
        return [] if rest == [SiteSpider.name] or (urls and not rest) else rest

    def _alert(self, crawler: Crawler, fail_on: list[Condition]) -> int:
        """Send an alert where one of the conditions holds; the exit code that follows."""
        spider, target = crawler.spider, CrawlSettings.from_settings(crawler.settings).alert
        assert isinstance(spider, SiteSpider)
        found = conditions_of(spider.outcome, crawler.stats.get_stats() if crawler.stats else {})
        if found and target:
            try:
                send(target, alert_of(spider.session.arguments, spider.outcome, found))
            except AlertError as error:
                print(f"sitecrawl: {printable(str(error))}", file=sys.stderr)
                return self.exitcode or Exit.FAILED
        held = [condition for condition in found if condition in fail_on]
        if held and not self.exitcode:
            print(f"sitecrawl: {', '.join(held)}: --fail-on names it", file=sys.stderr)
        return self.exitcode or (Exit.CONDITION if held else Exit.DONE)

    def _run_other(self, args: list[str], opts: argparse.Namespace) -> None:
        """Another spider, as Scrapy runs it. Raises ArgumentError where there is none of that name."""
        assert self.crawler_process is not None
        known = self.crawler_process.spider_loader.list()
        if args and args[0] not in known:
            raise ArgumentError(f"no spider {args[0]}: write sitecrawl crawl URL, or scrapy crawl site -a start=URL")
        super().run(args, opts)

    def _check(self, opts: argparse.Namespace) -> None:
        arguments = CrawlArguments.parse(opts.spargs)
        default_model()
        headline_model()
        page_type_weights()
        found = CrawlSettings.from_settings(self.settings)
        model_at(found.link_model_of(arguments.site))
        if found.js == "always" and not browser_path(found.chromium):
            raise ArgumentError(f"SITECRAWL_JS=always needs a browser: {NEEDS}")
        feeds = self.settings.getdict("FEEDS") if self.settings else {}
        if any(options.get("format") == "parquet" for options in feeds.values()) and not find_spec("pyarrow"):
            raise ArgumentError(NEEDS_ARROW)
        for path in closed_feeds(feeds):
            raise ArgumentError(
                f"{path} exists, and only .jsonl feeds can be added to: overwrite it with -O, or give another file"
            )
        _make_folder("SITECRAWL_DATA_DIR", found.data_dir)
        if found.warc:
            _make_folder("SITECRAWL_WARC", found.warc)
        left_out = _noted(found.stores, arguments)
        if left_out and not found.rewrite:
            _keep_feeds(feeds, left_out)
        self._introduce(found.contact)

    def _report(self) -> None:
        """Write the report that a setting asks for."""
        found = CrawlSettings.from_settings(self.settings)
        if found.report:
            try:
                write_report(found.stores, Path(found.report))
            except (SitecrawlError, UsageError) as error:
                print(f"sitecrawl: no report: {printable(str(error))}", file=sys.stderr)
                self.exitcode = self.exitcode or 1

    def _introduce(self, contact: str) -> None:
        """The default user agent names whom to write to."""
        assert self.settings is not None
        if contact and self.settings.get("USER_AGENT") == USER_AGENT:
            named = USER_AGENT.replace(")", f"; +{contact})")
            self.settings.set("USER_AGENT", named, priority="cmdline")


def _noted(stores: Stores, arguments: CrawlArguments) -> int:
    """What :func:`_check_state` says; the report tells of a state that cannot be used."""
    try:
        return _check_state(stores, arguments)
    except (StoreError, TemplateError) as error:
        with suppress(SitecrawlError):
            note_refusal(stores.data_dir, arguments, str(error))
        raise


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


def _make_folder(name: str, folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ArgumentError(f"{name}={folder} cannot be used ({error.strerror}): give another folder") from None


def spare_garbage_collection() -> None:
    """Search for cycles less often: what is loaded now stays to the end, and pages are freed by reference counting."""
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


def _is_url(word: str) -> bool:
    """Whether a word means a page instead of a spider.

    >>> [_is_url(word) for word in ("example.com", "localhost:8000/", "http://example.com/", "site", "effort=full")]
    [True, True, True, False, False]
    """
    return "://" in word or ("=" not in word and any(mark in word for mark in "./:"))


def _tell(outcome: Outcome) -> int:
    """Print how a crawl ended and return its exit code."""
    for line in outcome.lines():
        print(f"sitecrawl: {printable(line)}", file=sys.stderr)
    return exit_code(outcome)
