"""The sites of a TOML file: the arguments of each crawl, which crawls are due, and the processes that run them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import tomllib
from argparse import Namespace
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Any

from sitecrawl import settings as project
from sitecrawl.commands._alerts import Exit, named_conditions
from sitecrawl.commands._help import OptionError, complain, refuse_settings
from sitecrawl.crawl.config import ArgumentError, CrawlArguments
from sitecrawl.crawl.database import locked_file
from sitecrawl.errors import SitecrawlError, SitesError, nearest
from sitecrawl.extensions import mend_feed
from sitecrawl.extras.fleet.schedule import seconds_of
from sitecrawl.extras.visits import VisitRecord, log_of
from sitecrawl.items.feed_items import Identity, identity
from sitecrawl.plugins import REPORT, plugged
from sitecrawl.text.chars import plain_name, printable
from sitecrawl.urls.scope import host_of

_SLACK = 60  # seconds by which a site may be early, since cron and timers are not exact
_DATABASE = "SITECRAWL_DATABASE"  # the setting that is passed in the environment, because ps would show its password
_OWN = ("name", "start", "every", "feed", "fail_on", "settings", "group", "owner", "checks", "mute")
"""Keys that are no argument of a crawl; the last four are for the report, which reads them itself."""
_ARGUMENTS = tuple(field.name for field in fields(CrawlArguments) if field.name != "start")


@dataclass(frozen=True, slots=True)
class Site:
    """One site of the file: the arguments for ``sitecrawl crawl``, the interval in seconds, and the feed."""

    name: str
    start: tuple[str, ...]
    every: int
    feed: str
    arguments: Mapping[str, str]
    settings: Mapping[str, str]
    fail_on: str = ""

    @property
    def is_shared(self) -> bool:
        """Whether the feed is a file for several sites; a database or a service takes the items of each crawl itself."""
        return "{name}" not in self.feed and "://" not in self.feed

    @property
    def own_feed(self) -> str:
        """Path of its own feed, if it has one."""
        return self.feed.replace("{name}", self.name)

    def wait(self, data: Path, now: float) -> float:
        """Seconds until its next crawl is due, by the visit records in a data folder. An interrupted crawl remains due."""
        asked = CrawlArguments.parse({**self.arguments, "start": ",".join(self.start)})
        task = VisitRecord(asked.site, list(asked.start), asked.scope).task
        over = (one for one in log_of(data, asked.site).load() if one.task == task and one.ended)
        began = [one.began for one in over if one.broken or one.reason not in ("", "shutdown")]
        return max((datetime.fromisoformat(moment).timestamp() for moment in began), default=0.0) + self.every - now

    def line(self, own_feed: Path, more: Sequence[str]) -> list[str]:
        """The command line of its crawl; ``own_feed`` is the file for items of a shared feed."""
        feed = str(own_feed) if self.is_shared else self.own_feed
        adds = feed.endswith((".jsonl", ".jl")) or "://" in feed
        output = ["-o", feed] if adds else ["-O", feed, "-s", "SITECRAWL_REWRITE=1"]
        given = [word for name, value in self.arguments.items() for word in ("-a", f"{name}={value}")]
        settings = {"SITECRAWL_PROGRESS": "0", **self.settings}  # its messages are printed at its end
        given += [word for name, value in settings.items() if name != _DATABASE for word in ("-s", f"{name}={value}")]
        fail_on = ["--fail-on", self.fail_on] if self.fail_on else []
        return [sys.executable, "-m", "sitecrawl", "crawl", *self.start, *output, *given, *fail_on, *more]


def read_sites(path: Path) -> tuple[list[Site], int]:
    """The sites of a TOML file, and how many to crawl at a time. Raises SitesError with a suggestion."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf8"))
    except tomllib.TOMLDecodeError as error:
        raise SitesError(path, f"is not TOML ({error})", "see docs/monitoring.md") from None
    except (OSError, UnicodeDecodeError) as error:
        raise SitesError(path, f"cannot be read ({error})", "name another") from None
    tables = document.pop("site", None)
    jobs = document.pop("jobs", 4)
    if not isinstance(tables, list) or not tables or not isinstance(jobs, int) or jobs < 1:
        raise SitesError(path, "names no site, or jobs is no number", 'write [[site]] and start = "URL" for each')
    try:
        access = {"SITECRAWL_ACCESS": str(path)} if document.pop("access", None) else {}
        common = access | document.pop("settings", {})
        sites = [_site(document | table | {"settings": common | table.get("settings", {})}) for table in tables]
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
        raise ArgumentError("SITECRAWL_DATA_DIR is one for all sites: name it on the command line, with -s")
    fail_on = _text(table.get("fail_on", ""))
    named_conditions(fail_on)
    name = plain_name(str(table.get("name") or host_of(arguments.start[0])))
    feed = str(table.get("feed", "articles.jsonl"))
    if "{name}" not in feed and "://" not in feed and not feed.endswith((".jsonl", ".jl")):
        raise ArgumentError(f"feed={feed}: one feed for all sites ends in .jsonl; write {{name}} for one a site")
    if set("{}") & set(feed.replace("{name}", "")):
        raise ArgumentError(f"feed={feed}: {{name}} is the only word in braces that is known")
    settings = {name: _text(value) for name, value in table["settings"].items()}
    return Site(name, arguments.start, seconds_of(str(table.get("every", "1d"))), feed, given, settings, fail_on)


def _text(value: Any) -> str:
    """A value of the file in the form of a command line."""
    if isinstance(value, list):
        return ",".join(map(_text, value))
    return str(int(value)) if isinstance(value, bool) else str(value)


def run_sites(file: Path, data: Path, *, more: list[str], opts: Namespace) -> int:
    """Crawl the sites of a file, those that are due or all, once or forever; returns the exit code. Raises SitesError, and OptionError if another run
    uses the data folder."""
    sites, jobs = read_sites(file)
    (data / "feeds").mkdir(parents=True, exist_ok=True)
    lock = locked_file(data / "run.lock")
    if lock is None:
        raise OptionError(f"another run uses {data}: wait for it, or name another SITECRAWL_DATA_DIR")
    runs = SiteRuns(data, more)
    plugged(REPORT)["alerts"].load().keep_sites(file, data)
    with open(lock):
        while True:
            waits = {site.name: site.wait(data, time.time()) for site in sites}
            due = sorted((one for one in sites if waits[one.name] <= _SLACK), key=lambda site: waits[site.name])
            chosen = sites if opts.all else due
            if opts.once and not chosen:
                seconds, name = min((seconds, name) for name, seconds in waits.items())
                soon = f"{name} is the next, in {seconds / 60:.0f} minutes"
                complain(f"no site is due; {soon} (--all crawls every site now)")
            elif chosen:
                complain(f"crawling {len(chosen)} of {len(sites)} sites, {jobs} at a time")
            code = runs.crawl(chosen, jobs, as_json=opts.json)
            if opts.once or opts.all or code == Exit.INTERRUPTED:
                return code
            least = _SLACK if code else 1.0  # a crawl that could not begin stays due
            time.sleep(max(least, min(3_600, *(site.wait(data, time.time()) for site in sites))))


class SiteRuns:
    """Runs crawls of sites in their own processes, into feeds that sites may share."""

    def __init__(self, data: Path, more: list[str]) -> None:
        self.data, self.more = data, more
        self.held: dict[str, set[Identity]] = {}

    def crawl(self, sites: Sequence[Site], jobs: int, *, as_json: bool = False, seconds: float = 30.0) -> int:
        """Crawl sites, ``jobs`` at a time, and print the output of each; returns the exit code of the worst crawl. After ``seconds`` without
        output the running crawls are named."""
        codes = set[int]()
        with ThreadPoolExecutor(jobs) as pool:
            try:
                crawls = [pool.submit(self._one, site) for site in sites]
                for crawl in crawls:
                    while not wait([crawl], seconds).done:
                        names = ", ".join(site.name for site, one in zip(sites, crawls, strict=True) if one.running())
                        over = sum(one.done() for one in crawls)
                        complain(f"{over} of {len(sites)} sites are done; running: {names}")
                    site, done = crawl.result()
                    try:
                        if site.is_shared and self._own_feed(site).is_file():
                            self._share(site)
                    except OSError as error:
                        codes.add(Exit.FAILED)
                        complain(f"{site.feed} cannot be written ({error.strerror}): run with --all, nothing is lost")
                    _print_result(site, done, as_json=as_json)
                    codes.add(done.returncode)
            except KeyboardInterrupt:
                pool.shutdown(cancel_futures=True)
                codes.add(Exit.INTERRUPTED)
        ranked = (Exit.INTERRUPTED, Exit.FAILED, Exit.USAGE, Exit.CONDITION)
        return next((code for code in ranked if code in codes), int(any(codes)))

    def _one(self, site: Site) -> tuple[Site, subprocess.CompletedProcess[str]]:
        line = site.line(self._own_feed(site), self.more)
        if site.is_shared and not self._own_feed(site).is_file():  # the site may have been crawled under another name
            line += ["-s", "SITECRAWL_REWRITE=1"]
        if not site.is_shared and "://" not in site.feed:
            Path(site.own_feed).parent.mkdir(parents=True, exist_ok=True)
        env = os.environ | {name: value for name, value in site.settings.items() if name == _DATABASE}
        done = subprocess.run(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False, env=env)
        return site, done

    def _own_feed(self, site: Site) -> Path:
        return self.data / "feeds" / f"{site.name}.jsonl"

    def _share(self, site: Site) -> None:
        """Append the items of a site's own feed to the shared feed, each once, also after a kill."""
        target = Path(site.feed)
        if site.feed not in self.held:
            target.parent.mkdir(parents=True, exist_ok=True)
            self.held[site.feed] = mend_feed(target) if target.is_file() else set()
        held = self.held[site.feed]
        with open(self._own_feed(site), "rb") as own, open(target, "ab") as shared:
            for line in own:
                if line.endswith(b"\n") and (key := identity(json.loads(line))) not in held:
                    shared.write(line)
                    held.add(key)
            shared.flush()
            os.fsync(shared.fileno())


def _print_result(site: Site, done: subprocess.CompletedProcess[str], *, as_json: bool) -> None:
    lines = [line.removeprefix("sitecrawl: ") for line in done.stderr.splitlines()]
    known = {"site": site.name, "exit_code": done.returncode, "messages": lines}
    said = [json.dumps(known, ensure_ascii=False)] if as_json else [f"{site.name}: {printable(line)}" for line in lines]
    print("".join(f"{line}\n" for line in said), end="", flush=True)
