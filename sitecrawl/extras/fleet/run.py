"""`sitecrawl run sites.toml`: many sites, each with its arguments and its schedule, one crawl a process, into one feed or one a site."""

from __future__ import annotations

import fcntl
import json
import os
import re
import subprocess
import sys
import time
import tomllib
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar

from scrapy.commands import ScrapyCommand

from sitecrawl import settings as project
from sitecrawl.commands._alerts import Exit, named_conditions
from sitecrawl.commands._help import Help, refuse_settings
from sitecrawl.commands._output import OneLineErrors
from sitecrawl.crawl.config import ArgumentError, CrawlArguments, CrawlSettings
from sitecrawl.errors import FileError, SitecrawlError, nearest
from sitecrawl.extensions import mend_feed
from sitecrawl.items.feed_items import Identity, identity
from sitecrawl.text.chars import printable
from sitecrawl.urls.scope import host_of

_UNITS = {"minute": 60, "hour": 3600, "day": 86400, "week": 604800}
_EVERY = re.compile(r"(\d+) (minute|hour|day|week)s?")
_SLACK = 60
"""Seconds by which a site is due early: cron and timers do not start to the second."""
_OWN = ("name", "start", "every", "feed", "fail_on", "settings")
_ARGUMENTS = tuple(field.name for field in fields(CrawlArguments) if field.name != "start")
_NAME = re.compile(r"[^\w.-]+")


class SitesError(FileError):
    """A file of sites cannot be used."""

    kind = "sites file"


class BusyError(SitecrawlError):
    """Another run uses the data folder."""


@dataclass(frozen=True, slots=True)
class Site:
    """One site of the file: what to ask of ``sitecrawl crawl``, how often (seconds), and into which feed."""

    name: str
    start: tuple[str, ...]
    every: int
    feed: str
    arguments: Mapping[str, str]
    settings: Mapping[str, str]
    fail_on: str = ""

    @property
    def is_shared(self) -> bool:
        """Whether the feed is one for several sites."""
        return "{name}" not in self.feed

    @property
    def own_feed(self) -> str:
        """Path of its feed, where it has one of its own."""
        return self.feed.replace("{name}", self.name)

    def line(self, own_feed: Path, more: Sequence[str]) -> list[str]:
        """The command line of its crawl; ``own_feed`` is where it writes what goes into a shared feed."""
        feed = str(own_feed) if self.is_shared else self.own_feed
        adds = feed.endswith((".jsonl", ".jl"))
        output = ["-o", feed] if adds else ["-O", feed, "-s", "SITECRAWL_REWRITE=1"]
        given = [word for name, value in self.arguments.items() for word in ("-a", f"{name}={value}")]
        given += [word for name, value in self.settings.items() for word in ("-s", f"{name}={value}")]
        told = ["--fail-on", self.fail_on] if self.fail_on else []
        return [sys.executable, "-m", "sitecrawl", "crawl", *self.start, *output, *given, *told, *more]


def read_sites(path: Path) -> tuple[list[Site], int]:
    """The sites of a TOML file and how many to crawl at a time. Raises SitesError with what to write instead."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf8"))
    except (OSError, UnicodeDecodeError) as error:
        raise SitesError(path, f"cannot be read ({error})", "name another") from None
    except tomllib.TOMLDecodeError as error:
        raise SitesError(path, f"is not TOML ({error})", "see docs/monitoring.md") from None
    tables = document.pop("site", None)
    jobs = document.pop("jobs", 4)
    if not isinstance(tables, list) or not tables or not isinstance(jobs, int) or jobs < 1:
        raise SitesError(path, "names no site, or jobs is no number", 'write [[site]] and start = "URL" for each')
    try:
        sites = [
            _site({**document, **table, "settings": {**document.get("settings", {}), **table.get("settings", {})}})
            for table in tables
        ]
    except (SitecrawlError, AttributeError, TypeError) as error:
        raise SitesError(path, str(error), "correct it and run the command again") from None
    twice = {site.name for site in sites if sum(other.name == site.name for other in sites) > 1}
    if twice:
        raise SitesError(path, f"{min(twice)} stands twice", "give each site a name of its own")
    return sites, jobs


def _site(table: dict[str, Any]) -> Site:
    for name in table:
        if name not in (*_OWN, *_ARGUMENTS):
            raise ArgumentError(f"no key {name}: {nearest(name, (*_OWN, *_ARGUMENTS))}")
    start = table.get("start", "")
    given = {name: _text(table[name]) for name in _ARGUMENTS if name in table}
    arguments = CrawlArguments.parse({**given, "start": _text(start)})
    refuse_settings(table["settings"], vars(project))
    fail_on = _text(table.get("fail_on", ""))
    named_conditions(fail_on)
    name = _NAME.sub("-", str(table.get("name") or host_of(arguments.start[0])))
    feed = str(table.get("feed", "articles.jsonl"))
    if "{name}" not in feed and not feed.endswith((".jsonl", ".jl")):
        raise ArgumentError(f"feed={feed}: one feed for all sites ends in .jsonl; write {{name}} for one a site")
    if set("{}") & set(feed.replace("{name}", "")):
        raise ArgumentError(f"feed={feed}: {{name}} is the only word in braces that is known")
    settings = {name: _text(value) for name, value in table["settings"].items()}
    return Site(name, arguments.start, _seconds(str(table.get("every", "1 day"))), feed, given, settings, fail_on)


def _text(value: Any) -> str:
    """A value of the file as a command line has it."""
    if isinstance(value, list):
        return ",".join(map(_text, value))
    return str(int(value)) if isinstance(value, bool) else str(value)


def _seconds(every: str) -> int:
    """A schedule in seconds.

    >>> _seconds("6 hours")
    21600
    """
    found = _EVERY.fullmatch(every.strip())
    if not found:
        raise ArgumentError(f"every={every}: write it like 30 minutes, 6 hours, 1 day or 2 weeks")
    return int(found[1]) * _UNITS[found[2]]


class RunCommand(OneLineErrors, ScrapyCommand):
    """Crawls what is due; a crawl that is interrupted stays due."""

    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}
    explains = Help(
        "Crawl the sites of a file, each by its schedule",
        {"FILE": "TOML file of sites, see docs/monitoring.md"},
        ("sitecrawl run sites.toml", "sitecrawl run sites.toml --once    # for cron: what is due, then end"),
    )

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--once", action="store_true", help="crawl what is due and end: --once")
        parser.add_argument("--all", action="store_true", help="crawl every site now, due or not: --once --all")
        parser.add_argument("--json", action="store_true", help="print a line of JSON a crawl: --json")

    def act(self, args: list[str], opts: Namespace) -> None:
        if len(args) != 1:
            raise ArgumentError("name one file of sites: sitecrawl run sites.toml")
        sites, jobs = read_sites(Path(args[0]))
        data = CrawlSettings.from_settings(self.settings).data_dir
        more = [word for given in opts.set for word in ("-s", given)] + ["-s", f"SITECRAWL_DATA_DIR={data}"]
        (data / "feeds").mkdir(parents=True, exist_ok=True)
        with _alone(data):
            fleet = _Fleet(sites, data, more)
            tell: Callable[[Site, int, str], None] = _tell_json if opts.json else _tell
            while True:
                fleet.crawl(fleet.sites if opts.all else fleet.due(time.time()), jobs, tell)
                self.exitcode = fleet.exitcode()
                if opts.once or opts.all or self.exitcode == Exit.INTERRUPTED:
                    return
                time.sleep(max(1.0, min(fleet.wait(time.time()), _UNITS["hour"])))


@contextmanager
def _alone(data: Path) -> Iterator[None]:
    """Hold the lock of a data folder. Raises BusyError where another run has it."""
    with open(data / "run.lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise BusyError(f"another run uses {data}: wait for it, or name another SITECRAWL_DATA_DIR") from None
        yield


class _Fleet:
    """Sites with the times of their last crawls, kept in ``run.json`` of the data folder."""

    def __init__(self, sites: list[Site], data: Path, more: list[str]) -> None:
        self.sites, self.data, self.more = sites, data, more
        self.codes: dict[str, int] = {}
        self.began: dict[str, float] = self._read()
        self.held: dict[str, set[Identity]] = {}

    def _read(self) -> dict[str, float]:
        try:
            found = json.loads((self.data / "run.json").read_text(encoding="utf8"))
            return {str(name): float(moment) for name, moment in found.items()}
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, AttributeError, TypeError):
            raise SitesError(self.data / "run.json", "damaged", "delete it: all sites are then due") from None

    def due(self, now: float) -> list[Site]:
        """The sites whose time has come, those that waited longest first."""
        late = {site.name: now + _SLACK - self.began.get(site.name, 0.0) - site.every for site in self.sites}
        return sorted((site for site in self.sites if late[site.name] >= 0), key=lambda site: -late[site.name])

    def wait(self, now: float) -> float:
        """Seconds until the next site is due."""
        return min(self.began.get(site.name, 0.0) + site.every - now for site in self.sites)

    def crawl(self, sites: Sequence[Site], jobs: int, tell: Callable[[Site, int, str], None]) -> None:
        """Crawl sites, ``jobs`` at a time; what each wrote goes into the shared feed when it has ended."""
        self.codes = {}
        with ThreadPoolExecutor(jobs) as pool:
            try:
                for site, began, done in pool.map(self._one, sites):
                    self._note(site, began, done.returncode)
                    tell(site, done.returncode, done.stderr)
            except KeyboardInterrupt:
                pool.shutdown(cancel_futures=True)
                self.codes["interrupted"] = Exit.INTERRUPTED

    def _one(self, site: Site) -> tuple[Site, float, subprocess.CompletedProcess[str]]:
        began, line = time.time(), site.line(self._own_feed(site), self.more)
        if not site.is_shared:
            Path(site.own_feed).parent.mkdir(parents=True, exist_ok=True)
        return (
            site,
            began,
            subprocess.run(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False),
        )

    def _own_feed(self, site: Site) -> Path:
        return self.data / "feeds" / f"{site.name}.jsonl"

    def _note(self, site: Site, began: float, code: int) -> None:
        """Remember when the crawl of a site began, so that it is due again in time; one that was interrupted is due at once."""
        self.codes[site.name] = code
        if site.is_shared and self._own_feed(site).is_file():
            self._share(site)
        if code in (Exit.DONE, Exit.FAILED, Exit.CONDITION):
            self.began[site.name] = began
            draft = self.data / "run.json.new"
            draft.write_text(json.dumps(self.began, indent=1), encoding="utf8")
            os.replace(draft, self.data / "run.json")

    def _share(self, site: Site) -> None:
        """Add to the shared feed what it lacks of the site's own: each item once, also after a kill in between."""
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

    def exitcode(self) -> int:
        """The exit code of all: the worst of the crawls."""
        found = set(self.codes.values())
        ranked = (Exit.INTERRUPTED, Exit.FAILED, Exit.USAGE, Exit.CONDITION)
        return next((code for code in ranked if code in found), int(any(found)))


def _tell(site: Site, code: int, said: str) -> None:
    for line in said.splitlines():
        print(f"{site.name}: {printable(line.removeprefix('sitecrawl: '))}", flush=True)


def _tell_json(site: Site, code: int, said: str) -> None:
    lines = [line.removeprefix("sitecrawl: ") for line in said.splitlines()]
    print(json.dumps({"site": site.name, "exit_code": code, "messages": lines}, ensure_ascii=False), flush=True)
