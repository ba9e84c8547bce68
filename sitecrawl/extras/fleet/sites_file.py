"""The sites of a TOML file: the arguments of each crawl, which crawls are due, and the processes
that run them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import tomllib
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, fields
from datetime import datetime
from math import inf
from pathlib import Path
from typing import Any

from scrapy.utils.misc import load_object

from sitecrawl import settings as project
from sitecrawl.commands._alerts import Exit, named_conditions
from sitecrawl.commands._help import HIDDEN_WORDS, OptionError, complain, refuse_settings
from sitecrawl.crawl.config import ArgumentError, CrawlArguments
from sitecrawl.crawl.database import locked_file
from sitecrawl.crawl.visit import Visit
from sitecrawl.errors import SitecrawlError, SitesError, nearest
from sitecrawl.extensions import item_in, mend_feed
from sitecrawl.extras.fleet.schedule import seconds_of
from sitecrawl.extras.visits import log_of
from sitecrawl.feed_formats import feed_formats, place_and_format
from sitecrawl.items.feed_items import Identity, identity
from sitecrawl.plugins import REPORT, plugged
from sitecrawl.text.chars import plain_name, printable
from sitecrawl.urls.scope import host_of

# seconds by which a site may be early, since cron and timers are not exact; the least time between
# two crawls of a site
_SLACK = 60
# the setting that is passed in the environment, because ps would show its password
_DATABASE = "SITECRAWL_DATABASE"
_CRAWL = (sys.executable, "-m", "sitecrawl", "crawl")
_OWN = ("name", "start", "every", "feed", "fail_on", "settings", "group", "owner", "checks", "mute")
"""Keys that are no argument of a crawl; the last four are for the report, which reads them
itself."""
_ARGUMENTS = tuple(field.name for field in fields(CrawlArguments) if field.name != "start")


@dataclass(frozen=True, slots=True)
class Site:
    """One site of the file: the arguments for ``sitecrawl crawl``, the interval in seconds, and the
    feed."""

    name: str
    start: tuple[str, ...]
    every: int
    feeds: tuple[str, ...]
    arguments: Mapping[str, str]
    settings: Mapping[str, str]
    fail_on: str = ""

    @property
    def shared(self) -> tuple[str, ...]:
        """The feeds that are files for several sites; a database or a service takes the items of
        each crawl itself."""
        return tuple(feed for feed in self.feeds if "{name}" not in feed and "://" not in feed)

    def own_file(self, data: Path) -> Path:
        """A file in a data folder, from which its items come into shared feeds."""
        return data / "feeds" / f"{self.name}.jsonl"

    def outputs(self, data: Path) -> list[str]:
        """Where its crawls write; for shared feeds, the file of its own."""
        shared = self.shared
        own = [feed.replace("{name}", self.name) for feed in self.feeds if feed not in shared]
        return [str(self.own_file(data)), *own] if shared else own

    @property
    def asked(self) -> CrawlArguments:
        """The arguments of its crawls."""
        return CrawlArguments.parse({**self.arguments, "start": ",".join(self.start)})

    def wait(self, data: Path, now: float) -> float:
        """Seconds until its next crawl is due, by the visit records in a data folder. An
        interrupted crawl remains due. The clock may have been set back."""
        asked = self.asked
        task = Visit.of(asked).task
        over = (one for one in log_of(data, asked.site).load() if one.task == task and one.ended)
        began = [one.began for one in over if one.broken or one.reason not in ("", "shutdown")]
        last = max((datetime.fromisoformat(moment).timestamp() for moment in began), default=0.0)
        return min(last, now) + self.every - now

    def line(self, data: Path, more: Sequence[str]) -> list[str]:
        """The words of its crawl: of the command line, the start URLs, then options."""
        output = list[str]()
        # it may have been crawled under another name
        rewrites = bool(self.shared) and not self.own_file(data).is_file()
        for feed in self.outputs(data):
            adds = _adds(feed)
            rewrites = rewrites or not adds
            output += ["-o" if adds else "-O", feed]
        if rewrites:
            output += ["-s", "SITECRAWL_REWRITE=1"]
        given = [
            word for name, value in self.arguments.items() for word in ("-a", f"{name}={value}")
        ]
        # its messages are printed at its end, and on every day the same advice would be among them
        given += ["-a", "_run=1"]
        settings = {"SITECRAWL_PROGRESS": "0", **self.settings}
        given += [
            word
            for name, value in settings.items()
            if name != _DATABASE
            for word in ("-s", f"{name}={value}")
        ]
        fail_on = ["--fail-on", self.fail_on] if self.fail_on else []
        return [*_CRAWL, *self.start, *output, *given, *fail_on, *more]


def read_sites(path: Path) -> tuple[list[Site], int]:
    """The sites of a TOML file, and how many to crawl at a time. Raises SitesError with a
    suggestion."""
    try:
        document = tomllib.loads(path.read_text("utf-8-sig"))
    except tomllib.TOMLDecodeError as error:
        raise SitesError(path, f"is not TOML ({error})", "see docs/monitoring.md") from None
    except UnicodeDecodeError:
        raise SitesError(path, "is not UTF-8", "save it as UTF-8") from None
    except OSError as error:
        raise SitesError(
            path, f"cannot be read ({error.strerror})", "docs/monitoring.md shows one"
        ) from None
    tables = document.pop("site", None)
    jobs = document.pop("jobs", 4)
    if not isinstance(tables, list) or not tables or not isinstance(jobs, int) or jobs < 1:
        raise SitesError(
            path, "names no site, or jobs is no number", 'write [[site]] and start = "URL" for each'
        )
    try:
        access = {"SITECRAWL_ACCESS": str(path)} if document.pop("access", None) else {}
        common = access | document.pop("settings", {})
        sites = [
            _site(document | table | {"settings": common | table.get("settings", {})})
            for table in tables
        ]
    except (SitecrawlError, AttributeError, TypeError) as error:
        raise SitesError(path, str(error), "correct it and run the command again") from None
    (name, count), *_ = Counter(site.name for site in sites).most_common(1)
    if count > 1:
        raise SitesError(path, f"{name} stands twice", "give each site a name of its own")
    return sites, jobs


def _site(table: dict[str, Any]) -> Site:
    for name in table:
        if name not in (*_OWN, *_ARGUMENTS):
            raise ArgumentError(f"no key {name}: {nearest(name, (*_OWN, *_ARGUMENTS))}")
    given = {name: _text(table[name]) for name in _ARGUMENTS if name in table}
    arguments = CrawlArguments.parse({**given, "start": _text(table.get("start", ""))})
    refuse_settings(table["settings"], vars(project))
    if "SITECRAWL_DATA_DIR" in table["settings"]:
        raise ArgumentError(
            "SITECRAWL_DATA_DIR is one for all sites: name it on the command line, with -s"
        )
    fail_on = _text(table.get("fail_on", ""))
    named_conditions(fail_on)
    name = plain_name(str(table.get("name") or host_of(arguments.start[0])))
    settings = {name: _text(value) for name, value in table["settings"].items()}
    return Site(
        name,
        arguments.start,
        seconds_of(str(table.get("every", "1d"))),
        _feeds(table.get("feed", "articles.jsonl")),
        given,
        settings,
        fail_on,
    )


def _feeds(given: Any) -> tuple[str, ...]:
    """The feeds of a site. Raises ArgumentError for one that cannot be written."""
    feeds = tuple(map(str, given if isinstance(given, list) else [given]))
    if not feeds:
        raise ArgumentError("feed = [] names no feed: leave it out, or name one")
    for feed in feeds:
        is_shared = "{name}" not in feed and "://" not in feed
        if is_shared and not _adds(feed):
            raise ArgumentError(
                f"feed={feed}: one feed for all sites is .jsonl, .rss, .atom or FILE:jsonfeed;"
                " write {name} for one a site"
            )
        if set("{}") & set(feed.replace("{name}", "")):
            raise ArgumentError(f"feed={feed}: {{name}} is the only word in braces that is known")
    return feeds


def _adds(feed: str) -> bool:
    """Whether crawls add to a feed: JSON lines, feeds of the newest articles, and those that are no
    files."""
    name = place_and_format(feed)[1]
    is_newest = name in feed_formats() and feed_formats()[name].is_newest
    return is_newest or "://" in feed or feed.endswith((".jsonl", ".jl"))


def _text(value: Any) -> str:
    """A value of the file in the form of a command line."""
    if isinstance(value, list):
        return ",".join(map(_text, value))
    return str(int(value)) if isinstance(value, bool) else str(value)


def run_sites(file: Path, data: Path, *, more: list[str], opts: Namespace) -> int:
    """Crawl the sites of a file, those that are due or all, once or forever; returns the exit code.
    Raises SitesError, and OptionError if another run uses the data folder."""
    sites, jobs = read_sites(file)
    data.mkdir(parents=True, exist_ok=True)
    lock = locked_file(data / "run.lock")
    if lock is None:
        raise OptionError(
            f"another run uses {data}: wait for it, or name another SITECRAWL_DATA_DIR"
        )
    plugged(REPORT)["alerts"].load().keep_sites(file, data)
    ends = opts.once or opts.all
    runs = SiteRuns(sites, data, more, early=inf if opts.all else _SLACK if ends else 0)
    waits = {name: moment - time.time() for name, moment in runs.due.items()}
    if count := sum(seconds <= 0 for seconds in waits.values()):
        complain(f"crawling {count} of {len(sites)} sites, {jobs} at a time")
    elif ends:
        name = min(waits, key=waits.__getitem__)
        soon = f"{name} is the next, in {(waits[name] + _SLACK) / 60:.0f} minutes"
        complain(f"no site is due; {soon} (--all crawls every site now)")
    with open(lock, "r+") as mark:  # it is not empty while a shared feed may lack items
        if mark.read():
            for site in sites:
                runs.share(site)
        mark.write("a shared feed may lack items\n")
        mark.flush()
        code = runs.crawl(jobs, ends=ends, as_json=opts.json)
        if not runs.unshared:
            mark.truncate(0)
    return code


class SiteRuns:
    """Runs crawls of sites in their own processes, into feeds that sites may share. ``due`` is when
    each is crawled next (seconds since 1970), the first time some seconds ``early``; ``unshared``
    whether a shared feed could not be written."""

    def __init__(
        self, sites: Sequence[Site], data: Path, more: list[str], *, early: float = 0.0
    ) -> None:
        self.sites, self.data, self.more = sites, data, more
        now = time.time()
        self.due = {site.name: now + self._wait(site, now, otherwise=0.0) - early for site in sites}
        self.running: dict[Future[subprocess.CompletedProcess[str]], Site] = {}
        self.held: dict[str, set[Identity]] = {}
        self.unshared = False

    def crawl(
        self, jobs: int, *, ends: bool = True, as_json: bool = False, seconds: float = 30.0
    ) -> int:
        """Crawl each site when it is due, ``jobs`` at a time, and print the output of each; with
        ``ends`` until none is due and none runs. Returns the exit code of the worst crawl. After
        ``seconds`` without output the running crawls are named."""
        codes = set[int]()
        with ThreadPoolExecutor(jobs) as pool:
            try:
                while self._begin(pool) or not ends:
                    if not self.running:
                        time.sleep(max(1.0, min(3_600, min(self.due.values()) - time.time())))
                    elif not (done := wait(self.running, seconds, FIRST_COMPLETED).done):
                        names = [site.name for one, site in self.running.items() if one.running()]
                        complain(
                            f"running: {', '.join(names)}; {len(self.running) - len(names)} more are due"
                        )
                    else:
                        codes |= {self._end(crawl, ends=ends, as_json=as_json) for crawl in done}
            except KeyboardInterrupt:
                pool.shutdown(cancel_futures=True)
                over = [crawl for crawl in self.running if not crawl.cancelled()]
                codes |= {
                    Exit.INTERRUPTED,
                    *(self._end(crawl, ends=ends, as_json=as_json) for crawl in over),
                }
        codes |= {Exit.FAILED} if self.unshared else set()
        ranked = (Exit.INTERRUPTED, Exit.FAILED, Exit.USAGE, Exit.CONDITION)
        return next((code for code in ranked if code in codes), int(any(codes)))

    def _begin(self, pool: ThreadPoolExecutor) -> bool:
        """Begin the crawls that are due, the longest due first and one at a time of each host;
        returns whether any runs."""
        busy = {site.asked.site for site in self.running.values()}
        for site in sorted(self.sites, key=lambda site: self.due[site.name]):
            if self.due[site.name] <= time.time() and site.asked.site not in busy:
                busy.add(site.asked.site)
                self.due[site.name] = inf
                self.running[pool.submit(self._one, site)] = site
        return bool(self.running)

    def _end(
        self, crawl: Future[subprocess.CompletedProcess[str]], *, ends: bool, as_json: bool
    ) -> int:
        """Share and print what a crawl brought; returns its exit code. A site whose crawl failed is
        left to the next run, if this one ``ends``."""
        site, done, now = self.running.pop(crawl), crawl.result(), time.time()
        self.share(site)
        _print_result(site, done, as_json=as_json)
        if done.returncode in (Exit.DONE, Exit.CONDITION) or not ends:
            self.due[site.name] = now + max(_SLACK, self._wait(site, now, otherwise=site.every))
        return done.returncode

    def _wait(self, site: Site, now: float, *, otherwise: float) -> float:
        """Seconds until a site is due; ``otherwise`` if its visit records cannot be read, which
        keeps no other site from being crawled."""
        try:
            return site.wait(self.data, now)
        except (SitecrawlError, ValueError) as error:
            complain(f"{site.name}: its visit records cannot be read ({error})")
            return otherwise

    def _one(self, site: Site) -> subprocess.CompletedProcess[str]:
        """Crawl a site. Its process gets all but the start URLs in the environment, since other
        users see command lines: settings, feeds and arguments may hold secrets."""
        line = site.line(self.data, self.more)
        shown = len(_CRAWL) + len(site.start)
        env = {**os.environ, HIDDEN_WORDS: json.dumps(line[shown:])}
        if _DATABASE in site.settings:
            env[_DATABASE] = site.settings[_DATABASE]
        try:
            for output in site.outputs(self.data):
                if "://" not in output:
                    Path(output).parent.mkdir(parents=True, exist_ok=True)
            return subprocess.run(
                line[:shown],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                env=env,
            )
        except OSError as error:
            why = f"the crawl could not begin: {error}"
            return subprocess.CompletedProcess(line, Exit.FAILED, "", why)

    def share(self, site: Site) -> None:
        """Add the items of a site's own file to its shared feeds, each once, also after a kill."""
        own = site.own_file(self.data)
        for feed in site.shared if own.is_file() else ():
            place, name = place_and_format(feed)
            try:
                if name in feed_formats() and feed_formats()[name].is_newest:
                    writer = load_object(feed_formats()[name].writer)
                    items = (item for _, item in _items_of(own))
                    writer.renew(Path(place), items, settings=site.settings)
                else:
                    self._append(own, feed)
            except OSError as error:
                self.unshared = True
                self.held.pop(feed, None)
                why = f"cannot be written ({error.strerror}): the next run adds what it lacks"
                complain(f"{feed} {why}")

    def _append(self, own: Path, feed: str) -> None:
        target = Path(feed)
        if feed not in self.held:
            target.parent.mkdir(parents=True, exist_ok=True)
            self.held[feed] = mend_feed(target) if target.is_file() else set()
        held = self.held[feed]
        with open(target, "ab") as shared:
            for line, item in _items_of(own):
                key = identity(item)
                if key not in held:
                    shared.write(line)
                    shared.flush()  # whoever reads the feed meanwhile finds whole lines
                    held.add(key)
            os.fsync(shared.fileno())


def _items_of(feed: Path) -> Iterator[tuple[bytes, dict[str, Any]]]:
    """The whole lines of a feed, each with its item."""
    with open(feed, "rb") as lines:
        for line in lines:
            item = item_in(line) if line.endswith(b"\n") else None
            if item is not None:
                yield line, item


def _print_result(site: Site, done: subprocess.CompletedProcess[str], *, as_json: bool) -> None:
    lines = [line.removeprefix("sitecrawl: ") for line in done.stderr.splitlines()]
    if done.returncode < 0:
        lines.append(f"signal {-done.returncode} ended the crawl, the next one continues it")
    known = {"site": site.name, "exit_code": done.returncode, "messages": lines}
    said = (
        [json.dumps(known, ensure_ascii=False)]
        if as_json
        else [f"{site.name}: {printable(line)}" for line in lines]
    )
    print("".join(f"{line}\n" for line in said), end="", flush=True)
