"""The sites of a TOML file. A mistake is one line with the file and the line, and changes
nothing."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from sitecrawl import settings as project
from sitecrawl.commands._alerts import named_conditions
from sitecrawl.commands._help import refuse_settings
from sitecrawl.crawl.config import ArgumentError, CrawlArguments
from sitecrawl.errors import SitecrawlError, SitesError, nearest
from sitecrawl.extras.fleet.feeds import is_added_to, is_shared
from sitecrawl.extras.fleet.schedule import Wishes, seconds_of, window_of
from sitecrawl.plugins import REPORT, plugged
from sitecrawl.text.chars import plain_name
from sitecrawl.urls.scope import host_of

_TABLES = ("checks", "mute")  # keys whose values are tables, taken from the top one by one
_REPORT = ("group", "owner", *_TABLES)
_OWN = ("name", "start", "every", "window", "jitter", "feed", "fail_on", "settings", *_REPORT)
"""Keys that are no argument of a crawl."""
_ARGUMENTS = tuple(field.name for field in fields(CrawlArguments) if field.name != "start")
_OF_ALL = ("SITECRAWL_DATA_DIR", "SITECRAWL_DATABASE", "SITECRAWL_REPORT", "SITECRAWL_DIGEST")
_FEED = "articles.jsonl"
_LINE = re.compile(r"\(at line (\d+), column \d+\)|\(at end of document\)")
_CORRECT = "correct it and run the command again"


@dataclass(frozen=True, slots=True)
class Site:
    """One site of the file: the arguments of its crawls, the interval in seconds, and what else is
    wished of its visits."""

    asked: CrawlArguments
    arguments: Mapping[str, str]
    every: int
    wishes: Wishes

    @property
    def name(self) -> str:
        return self.wishes.name


@dataclass(frozen=True, slots=True)
class SitesFile:
    """What a file says: its sites, and how many are visited at a time (0: it does not say)."""

    path: Path
    sites: tuple[Site, ...]
    jobs: int


def read_sites(path: Path) -> SitesFile:
    """What a TOML file of sites says. Raises SitesError with the line of the first mistake."""
    text = _text_of(path)
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _LINE.search(str(error))
        line = int(place[1]) if place and place[1] else len(text.splitlines())
        said = _LINE.sub("", str(error)).strip()
        raise _mistake(
            path, line, said=f"is not TOML ({said})", remedy="see docs/monitoring.md"
        ) from None
    tables = document.pop("site", None)
    jobs = document.pop("jobs", 0)
    if not isinstance(tables, list) or not tables:
        raise _mistake(
            path, 1, said="names no site", remedy='write [[site]] and start = "URL" for each'
        )
    if not isinstance(jobs, int) or isinstance(jobs, bool) or jobs < 0:
        line = _line_of(text, -1, key="jobs")
        raise _mistake(path, line, said=f"jobs={jobs} is no number of sites")
    common = document.pop("settings", {})
    if document.pop("access", None):
        common = {"SITECRAWL_ACCESS": str(path), **common}
    sites = []
    for at, table in enumerate(tables):
        try:
            sites.append(_site(_with_defaults(table, document), common))
        except (SitecrawlError, AttributeError, TypeError) as error:
            settings = {**common, **table.get("settings", {})}
            line = _line_of(text, at, key=_key_in(str(error), {**settings, **document, **table}))
            raise _mistake(path, line, said=str(error)) from None
        if told := _clash(sites):
            raise _mistake(path, _line_of(text, at, key="start"), said=told)
    return SitesFile(path, tuple(sites), jobs)


def _text_of(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise SitesError(path, "is not UTF-8", "save it as UTF-8") from None
    except OSError as error:
        said = f"cannot be read ({error.strerror})"
        raise SitesError(path, said, "docs/monitoring.md shows one") from None


def _mistake(path: Path, line: int, *, said: str, remedy: str = _CORRECT) -> SitesError:
    return SitesError(f"{path}:{line}", said, remedy)


def _key_in(said: str, table: Mapping[str, Any]) -> str:
    """The key of a table that a message speaks of, by its name or its value; empty if it names
    none."""
    words = re.findall(r"\w+", said)
    named = (key for key in table if key in words)
    meant = (key for key, value in table.items() if str(value) in words)
    return next(named, "") or next(meant, "")


def _line_of(text: str, at: int, *, key: str) -> int:
    """The number of the line on which a key of table ``at`` (-1: the top) stands; else the line at
    which the table begins."""
    begun = -1
    first = 1
    at_top = 0
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip().startswith("[[site]]"):
            begun += 1
            if begun == at:
                first = number
        elif key and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=|.*\b{key}\s*=", line):
            if begun == at:
                return number
            if begun < 0:
                at_top = number
    return at_top or first


def _clash(sites: list[Site]) -> str:
    """What the last of some sites has that one before has, too; empty if it has nothing."""
    *earlier, last = sites
    hosts = set(last.asked.site.split(","))
    for one in earlier:
        if one.name == last.name:
            return f"{last.name} stands twice: give each site a name of its own"
        if common := hosts.intersection(one.asked.site.split(",")):
            host = min(common)
            return f"{host} stands twice: give one site several start pages instead"
    return ""


def _with_defaults(table: dict[str, Any], document: dict[str, Any]) -> dict[str, Any]:
    """A site's table, with what it does not say from the top of the file."""
    found = {**document, **table}
    for name in _TABLES:
        given = [part.get(name, {}) for part in (document, table)]
        for value in given:
            if not isinstance(value, dict):
                raise ArgumentError(
                    f"{name} = {value} is no table: write {name} = {{ NAME = ... }}"
                )
        found[name] = {**given[0], **given[1]}
    return found


def _site(table: dict[str, Any], common: Mapping[str, Any]) -> Site:
    for name in table:
        if name not in (*_OWN, *_ARGUMENTS):
            raise ArgumentError(f"no key {name}: {nearest(name, (*_OWN, *_ARGUMENTS))}")
    given = {name: _text(table[name]) for name in _ARGUMENTS if name in table}
    asked = CrawlArguments.parse({**given, "start": _text(table.get("start", ""))})
    settings = {**common, **table.get("settings", {})}
    refuse_settings(settings, vars(project))
    for name in _OF_ALL:
        if name in settings:
            raise ArgumentError(f"{name} is one for all sites: set it for the command")
    alerts = plugged(REPORT)["alerts"].load()
    fail_on = _text(table.get("fail_on", ""))
    named_conditions(fail_on)
    wishes = Wishes(
        name=plain_name(str(table.get("name") or host_of(asked.start[0]))),
        feeds=_feeds(table.get("feed", _FEED)),
        fail_on=fail_on,
        settings={name: _text(value) for name, value in settings.items()},
        window=window_of(str(table.get("window", ""))),
        jitter=seconds_of(str(table["jitter"]), of="jitter") if "jitter" in table else 0,
        group=str(table.get("group", "")),
        owner=str(table.get("owner", "")),
        limits=alerts.limits_of(table["checks"]),
        mutes=alerts.mutes_of(table["mute"]),
    )
    return Site(asked, given, seconds_of(str(table.get("every", "1d"))), wishes)


def _feeds(given: Any) -> tuple[str, ...]:
    feeds = tuple(map(str, given if isinstance(given, list) else [given]))
    if not feeds:
        raise ArgumentError("feed = [] names no feed: leave it out, or name one")
    for feed in feeds:
        if set("{}") & set(feed.replace("{name}", "")):
            raise ArgumentError(f"feed={feed}: {{name}} is the only word in braces that is known")
        if is_shared(feed) and not is_added_to(feed):
            raise ArgumentError(
                f"feed={feed}: one feed for all sites is .jsonl, .rss, .atom or FILE:jsonfeed;"
                " write {name} for one a site"
            )
    return feeds


def _text(value: Any) -> str:
    """A value of the file in the form of a command line."""
    if isinstance(value, list):
        return ",".join(map(_text, value))
    return str(int(value)) if isinstance(value, bool) else str(value)


class FollowedFile:
    """A file of sites that is read again whenever it changed. A bad edit is told, and what the file
    said before goes on."""

    def __init__(self, path: Path) -> None:
        self.known = read_sites(path)
        self._state = self._state_of()

    def changes(self) -> Iterator[SitesFile | SitesError]:
        """What it says now, or its mistake; nothing if it is as it was."""
        state = self._state_of()
        if state == self._state:
            return
        self._state = state
        try:
            self.known = read_sites(self.known.path)
            yield self.known
        except SitesError as error:
            yield error

    def _state_of(self) -> tuple[int, int, int]:
        """What differs after an edit, also if an editor writes a new file in place of the old."""
        try:
            found = self.known.path.stat()
        except OSError:
            return 0, 0, 0
        return found.st_mtime_ns, found.st_size, found.st_ino
