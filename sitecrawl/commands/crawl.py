"""`scrapy crawl`, with one clear line and a non-zero exit code if nothing could be crawled."""

from __future__ import annotations

import argparse
import atexit
import logging
import shutil
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands.crawl import Command as ScrapyCrawl
from scrapy.exceptions import UsageError
from scrapy.utils.conf import feed_process_params_from_cli
from scrapy.utils.misc import load_object

from sitecrawl.commands._alerts import CONDITIONS, Exit, exit_code, named_conditions
from sitecrawl.commands._help import Help, OptionError, complain, one_line_errors, refuse_unknown
from sitecrawl.commands._output import Explained
from sitecrawl.commands._progress import Progress
from sitecrawl.errors import SitecrawlError, StoreError, TemplateError, nearest
from sitecrawl.feed_formats import feed_formats, item_form, lacking, with_format
from sitecrawl.limits import spare_garbage_collection
from sitecrawl.plugins import DEMO, REPORT, plugged
from sitecrawl.settings import USER_AGENT

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from sitecrawl.crawl.config import CrawlArguments, CrawlSettings
    from sitecrawl.crawl.store import Stores
    from sitecrawl.spiders.site import SiteSpider

OPTIONS = {
    "since": ("DAY", "leave out older articles: --since 2026-01-31"),
    "max_articles": ("N", "write at most N articles: --max-articles 50"),
    "max_pages": ("N", "fetch at most N pages: --max-pages 200"),
    "scope": (
        "section|site",
        "folder of the start page (all of a home page's site), or the host: --scope site",
    ),
    "effort": (
        "quick|normal|full",
        "how far to go for the last articles: --effort full (default: normal)",
    ),
    "include": ("PATTERNS", "only articles whose URLs match: --include '/news/*'"),
    "kinds": (
        "KINDS",
        "kinds of pages to write: --kinds article,product, or all (default: article,thread)",
    ),
    "exclude": ("PATTERNS", "no pages whose URLs match: --exclude '/tag/*,/\\?print=/'"),
    "discover": (
        "WAYS",
        "how to find pages, with commas: --discover links,feeds,sitemap (default: links)",
    ),
}
"""Spider arguments that are options of the command: the name of the value, and the help."""
ARGUMENTS = (
    "any argument of a crawl, also depth=N, refresh=1, baseline=1, scroll=1, cookies=FILE and"
    " provenance=full: -a depth=2 (may be repeated)"
)
_CONDITIONS = "; ".join(f"{name}: {meaning}" for name, meaning in CONDITIONS.items()).replace(
    "%", "%%"
)
_SPIDER = "site"
_MOST_LINES = 6  # of the end of a crawl that are printed; more hide what matters
_DEMO_STATE = ".sitecrawl/demo"


class CrawlCommand(Explained, ScrapyCrawl):
    """Checks arguments, models and state before the crawl, and reports how it ended."""

    explains = Help(
        "Crawl a site into a feed of articles",
        {
            "URL": "section page or front page; any other word names a spider of the project, as with scrapy crawl"
        },
        (
            "sitecrawl crawl https://example.com/news/ -o articles.jsonl",
            "sitecrawl crawl https://example.com/ -O feed.json:jsonfeed --scope site --since 2026-01-01 --max-articles 50",
            "sitecrawl crawl https://example.com/ -o articles.jsonl --fail-on drift,zero -s SITECRAWL_ALERT=https://example.org/hook",
            "scrapy crawl site -a start=https://example.com/news/ -a effort=full -O articles.jsonl",
        ),
        {
            **{
                f"--{name.replace('_', '-')}": {"metavar": word, "help": how}
                for name, (word, how) in OPTIONS.items()
            },
            "-a": {
                "dest": "spargs",
                "action": "append",
                "default": [],
                "metavar": "NAME=VALUE",
                "help": ARGUMENTS,
            },
            "--demo": "crawl the demonstration site that comes with sitecrawl, served on loopback: --demo",
            "--verbose": "say all that is worth knowing at the end, not only the gravest: --verbose",
            "--fail-on": {
                "default": "",
                "metavar": "CONDITIONS",
                "help": f"end with exit code 3 if one of these holds: --fail-on drift,zero ({_CONDITIONS})",
            },
        },
    )

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        for words in filter(None, (opts.output, opts.overwrite_output)):
            words[:] = map(with_format, words)
            known = [
                name for name, path in self.settings.getwithbase("FEED_EXPORTERS").items() if path
            ]
            for target in words:
                suffix, named = Path(target).suffix[1:], target.rpartition(":")[2]
                if named not in known and suffix not in known:
                    raise UsageError(
                        f"{target} names no known format: {nearest(suffix or named, known)}"
                    )
        if opts.output and opts.overwrite_output:  # Scrapy takes the one or the other
            feeds = feed_process_params_from_cli(self.settings, opts.output)
            feeds |= feed_process_params_from_cli(
                self.settings, [], overwrite_output=opts.overwrite_output
            )
            self.settings.set("FEEDS", feeds, priority="cmdline")
            opts.output = opts.overwrite_output = None
        super().process_options(args, opts)
        given = {name: getattr(opts, name) for name in OPTIONS}
        opts.spargs |= {name: value for name, value in given.items() if value is not None}

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        from sitecrawl.spiders.site import SiteSpider

        with one_line_errors():
            _refuse_arguments(args)
            refuse_unknown(args, self.parser)
            fail_on = named_conditions(opts.fail_on)
            if not self._is_ours(args, opts):
                super().run(args, opts)
                return
            recorders = self._prepare(opts)
        feeds = map(str, self.settings.getdict("FEEDS"))
        _EscapedRecord.targets = {target for target in feeds if "://" in target}
        quieten(self.settings.get("LOG_LEVEL"))
        spare_garbage_collection()
        crawler = self.crawler_process.create_crawler(_SPIDER)
        Progress.of(crawler)
        crawl = self.crawler_process.crawl(crawler, **opts.spargs)
        self.crawler_process.start()
        if self.crawler_process.bootstrap_failed:
            self.exitcode = Exit.FAILED
        refusal = crawl.exception() if crawl.done() else None
        if refusal:
            self._tell_refusal(refusal, recorders)
        elif isinstance(crawler.spider, SiteSpider):
            self.exitcode = self._finish(
                crawler, crawler.spider, fail_on=fail_on, is_whole=opts.verbose
            )

    def _tell_refusal(self, refusal: BaseException, recorders: list[Any]) -> None:
        """Say why a crawl could not begin: for a setting, or a component that a setting names."""
        why = refusal.__context__ or refusal
        if isinstance(refusal, SitecrawlError):
            self.exitcode = Exit.USAGE
            why = refusal
        told = f"the crawl could not begin: {why}"
        complain(told)
        for recorder in recorders:
            recorder.refuse(told)

    def _is_ours(self, args: list[str], opts: argparse.Namespace) -> bool:
        """Whether the words mean the site spider; then its start pages and feed are set in ``opts``
        and the settings. Raises OptionError for other words."""
        urls = [word for word in args if _is_url(word)]
        rest = [word for word in args if word not in urls]
        start = opts.spargs.get("start")
        if opts.demo and (urls or start):
            raise OptionError(
                "--demo crawls a site of its own: leave out the URL, or leave out --demo"
            )
        if opts.demo:
            urls.append(self._serve_demo())
        if urls:
            opts.spargs["start"] = ",".join([start, *urls] if start else urls)
            self._name_feed(is_demo=opts.demo)
        if rest in ([], [_SPIDER]):
            return True
        if rest[:1] == [_SPIDER]:
            raise OptionError(
                f"{rest[1]} is neither a URL nor an option: write arguments as -a NAME=VALUE"
            )
        if rest[0] not in self.crawler_process.spider_loader.list():
            raise OptionError(
                f"no spider {rest[0]}: write sitecrawl crawl URL, or scrapy crawl site -a start=URL"
            )
        return False

    def _name_feed(self, *, is_demo: bool) -> None:
        """Name a feed where none was typed."""
        if self.settings.getdict("FEEDS"):
            return
        feed = Path("demo.jsonl" if is_demo else "articles.jsonl")
        if is_demo:
            feed.unlink(missing_ok=True)  # as the state of the demonstration
        self.settings.set("FEEDS", {str(feed): {"format": "jsonlines"}}, priority="cmdline")

    def _serve_demo(self) -> str:
        """Serve the demonstration site while the command runs; returns its URL. The state of an
        earlier run is deleted."""
        shutil.rmtree(_DEMO_STATE, ignore_errors=True)
        quick = {
            "DOWNLOAD_DELAY": 0,
            "AUTOTHROTTLE_ENABLED": False,
            "SITECRAWL_DATA_DIR": _DEMO_STATE,
        }
        self.settings.setdict(quick, priority="cmdline")
        site = plugged(DEMO)["serve"].load()()
        url = str(site.__enter__())
        atexit.register(site.__exit__, None, None, None)
        return url

    def _prepare(self, opts: argparse.Namespace) -> list[Any]:
        """Check before the crawl what could stop it: arguments, models, folders, feeds, state;
        returns its recorders. Raises SitecrawlError."""
        from sitecrawl.crawl.config import CrawlArguments, CrawlSettings
        from sitecrawl.crawl.pipeline import recorders_of
        from sitecrawl.middlewares.page_handler import lacks_browser
        from sitecrawl.spiders.site import hooks_of

        arguments, found = (
            CrawlArguments.parse(opts.spargs),
            CrawlSettings.from_settings(self.settings),
        )
        _check_models(found.link_model_of(arguments.site))
        if lacks := lacks_browser(found, scroll=arguments.scroll):
            raise OptionError(lacks)
        _check_output(
            found,
            self.settings.getdict("FEEDS"),
            storages=self.settings.getwithbase("FEED_STORAGES"),
        )
        item_form(self.settings.get("SITECRAWL_ITEMS") or "")
        # on every day the same advice would be among what a scheduler prints
        self._advises = not any(name.startswith("_") for name in opts.spargs)
        hooks_of(self.settings)
        recorders = recorders_of(arguments, found.data_dir)
        try:
            _check_state(found.stores, arguments)
        except (StoreError, TemplateError) as error:
            for recorder in recorders:
                with suppress(SitecrawlError):
                    recorder.refuse(str(error))
            raise
        if found.contact and self.settings.get("USER_AGENT") == USER_AGENT:
            self.settings.set(
                "USER_AGENT", USER_AGENT.replace(")", f"; +{found.contact})"), priority="cmdline"
            )
        return recorders

    def _finish(
        self, crawler: Crawler, spider: SiteSpider, *, fail_on: list[str], is_whole: bool
    ) -> int:
        """Print how the crawl ended, write the report, send alerts; returns the exit code."""
        from sitecrawl.crawl.config import CrawlSettings

        found = CrawlSettings.from_settings(crawler.settings)
        _ask_for_contact(crawler, spider, data_dir=Path(found.data_dir))
        lines = self._last_lines(crawler, spider)
        for line in lines if is_whole else _gravest(lines):
            complain(line)
        code: int = exit_code(spider.visit) or self.exitcode
        held: list[str] = []
        # a report or an alert that fails is told, and keeps the other from nothing
        try:
            _write_report(found)
        except SitecrawlError as error:
            complain(f"no report: {error}")
            code = code or Exit.FAILED
        try:
            if fail_on or found.alert:
                held = _alert(found, spider)
        except SitecrawlError as error:
            complain(error)
            code = code or Exit.FAILED
        named = [condition for condition in held if condition in fail_on]
        if code or not named:
            return code
        explained = map(_explained, named)
        complain(f"exit code {Exit.CONDITION:d}, as --fail-on asks: {', '.join(explained)}")
        return Exit.CONDITION

    def _last_lines(self, crawler: Crawler, spider: SiteSpider) -> list[str]:
        from sitecrawl.crawl.last_lines import lines_of
        from sitecrawl.extensions import Feeds

        lines = lines_of(spider.visit, advises=self._advises)
        feeds = crawler.get_extension(Feeds)
        if spider.visit.written and feeds:
            places = ", ".join(map(_shown, feeds.places.values()))
            lines.insert(1 + lines.index(spider.visit.summary), f"written to {places}")
        return lines


def _refuse_arguments(words: list[str]) -> None:
    """Raise OptionError for an option that is the name of an argument of crawls."""
    from sitecrawl.crawl.config import CrawlArguments

    known = {field.name for field in fields(CrawlArguments)}
    for word in words:
        name = word.partition("=")[0].removeprefix("--").replace("-", "_")
        if word.startswith("--") and name in known:
            raise OptionError(f"{word} is an argument: write -a {name}=VALUE")


def _write_report(found: CrawlSettings) -> None:
    if found.report:
        plugged(REPORT)["write"].load()(found.stores, Path(found.report))


def _alert(found: CrawlSettings, spider: SiteSpider) -> list[str]:
    """The conditions that hold after a crawl; the alert, if the settings name one, is sent."""
    alerts = plugged(REPORT)["alerts"].load()
    held: list[str] = alerts.conditions_after(found.stores, spider.arguments, visit=spider.visit)
    if held and found.alert:
        alert = alerts.alert_of(spider.visit, found=held)
        alerts.send(found.alert, alert, settings=spider.settings)
    return held


def _explained(name: str) -> str:
    return f"{name} ({CONDITIONS[name]})" if name in CONDITIONS else name


def _gravest(lines: list[str]) -> list[str]:
    """The first lines, and how many more there are.

    >>> _gravest(["48 articles", *"abcdefg"])
    ['48 articles', 'a', 'b', 'c', 'd', '3 more lines: --verbose prints them']
    """
    if len(lines) <= _MOST_LINES:
        return lines
    first = lines[: _MOST_LINES - 1]
    return [*first, f"{len(lines) - len(first)} more lines: --verbose prints them"]


def _shown(target: object) -> str:
    """The place of a feed, without what may be secret in a URL."""
    from sitecrawl.urls.scope import without_secrets

    return without_secrets(str(target)) if "://" in str(target) else str(target)


def _check_models(link_model: str) -> None:
    """Raise ModelError if a model is missing or damaged."""
    from sitecrawl.extract import confidence, page_type
    from sitecrawl.extract.headline import headline_model
    from sitecrawl.extract.weights import default_model
    from sitecrawl.links.link_model import model_at
    from sitecrawl.site import assurance, judge

    default_model()
    headline_model()
    for module in (page_type, confidence, assurance, judge):
        _ = module.MODEL.weights
    model_at(link_model)


def _check_output(
    found: CrawlSettings, feeds: dict[str, dict[str, Any]], *, storages: Mapping[str, Any]
) -> None:
    """Raise OptionError if a feed or a folder of the settings cannot be used. ``storages`` are the
    feed storages by URL scheme."""
    for options in feeds.values():
        if missing := lacking(options.get("format", "")):
            raise OptionError(missing)
    for target, options in feeds.items():
        _check_feed(str(target), options, storages=storages)
    for name, folder in (("SITECRAWL_DATA_DIR", found.data_dir), ("SITECRAWL_WARC", found.warc)):
        try:
            if folder:
                Path(folder).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OptionError(
                f"{name}={folder} cannot be used ({error.strerror}): give another folder"
            ) from None


def _check_feed(target: str, options: Mapping[str, Any], *, storages: Mapping[str, Any]) -> None:
    """Raise OptionError if a feed cannot be written."""
    from sitecrawl.extensions import refuse_old
    from sitecrawl.urls.scope import without_names

    scheme, is_url, _ = target.partition("://")
    if not storages.get(scheme if is_url else "file"):
        # Scrapy would crawl all the same, and lose the articles
        known = ", ".join(sorted(filter(None, storages)))
        shown = without_names(target).partition("?")[0]
        raise OptionError(
            f"{shown} cannot be written: give a file, or a URL of one of these: {known}"
        )
    form = feed_formats().get(options.get("format", ""))
    try:
        if form and form.storage:
            load_object(form.storage)(target).open(None)
        refuse_old({target: options})
    except OSError as error:
        raise OptionError(str(error)) from None


def _check_state(stores: Stores, arguments: CrawlArguments) -> None:
    """Raise StoreError or TemplateError if the state is damaged or in use."""
    from sitecrawl.crawl.site_models import model_of

    crawl, learned = stores.site(arguments.site)
    with closing(crawl), closing(learned):
        crawl.lock()
        crawl.check()
        learned.check()
        model_of(learned, arguments.site)


def _ask_for_contact(crawler: Crawler, spider: SiteSpider, *, data_dir: Path) -> None:
    """Tell once for each data folder that servers cannot see whom to write to."""
    from sitecrawl.crawl.permissions import place_of
    from sitecrawl.urls.scope import is_private

    mark, places = data_dir / "contact-asked", map(place_of, spider.arguments.start)
    abroad = any(place is not None and not is_private(place[0]) for place in places)
    if (
        abroad
        and not spider.visit.code
        and crawler.settings.get("USER_AGENT") == USER_AGENT
        and not mark.exists()
    ):
        complain("name a contact for the sites you crawl: -s SITECRAWL_CONTACT=mail or URL")
        mark.touch()


class _EscapedRecord(logging.LogRecord):
    """A record of the log whose control characters, which would steer a terminal or forge lines,
    are escaped, and whose URLs hold no secrets. A filter of a handler would be lost: Scrapy makes
    another handler for each crawler."""

    targets: ClassVar[set[str]] = set()
    """The URLs to which the feeds of this process are sent; a token may be in their path."""

    def getMessage(self) -> str:  # noqa: N802 (its name in logging)
        from sitecrawl.text.chars import printable
        from sitecrawl.urls.scope import without_names, without_secrets

        message = super().getMessage()
        for target in self.targets:
            message = message.replace(target, without_secrets(target))
        return printable(without_names(message))


def _is_harmless(record: logging.LogRecord) -> bool:
    """False for Scrapy's list of all settings, which has keys of AWS and passwords."""
    return "Overridden settings" not in str(record.msg)


def quieten(level: str) -> None:
    """Suppress Scrapy's tracebacks of failed downloads unless debugging; one final line reports
    them."""
    logging.setLogRecordFactory(_EscapedRecord)
    logging.getLogger("scrapy.crawler").addFilter(_is_harmless)
    if level not in ("DEBUG", "INFO"):
        for name in (
            "downloadermiddlewares.robotstxt",
            "downloadermiddlewares.retry",
            "extensions.feedexport",
        ):
            logging.getLogger(f"scrapy.{name}").setLevel(logging.CRITICAL)
        logging.getLogger("scrapy-playwright").setLevel(logging.CRITICAL)


def _is_url(word: str) -> bool:
    """Whether a word is a URL instead of a spider's name.

    >>> [_is_url(word) for word in ("example.com", "localhost:8000/", "http://example.com/", "site", "effort=full")]
    [True, True, True, False, False]
    """
    return "://" in word or ("=" not in word and any(mark in word for mark in "./:"))
