"""Settings and arguments of a crawl as frozen records, read and checked once."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from datetime import date
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from sitecrawl.crawl.database import is_server, server_of
from sitecrawl.crawl.hooks import NO_HOOKS
from sitecrawl.crawl.rendering import JS
from sitecrawl.crawl.store import Stores
from sitecrawl.errors import SitecrawlError, nearest
from sitecrawl.extract.single import methods
from sitecrawl.items.kinds import PageKind
from sitecrawl.links.link_model import own_model
from sitecrawl.plugins import ARGUMENTS, install_hint, plugged
from sitecrawl.site.page_families import DEFAULT_KINDS
from sitecrawl.urls.scope import host_of

_NEXT = re.compile(
    r",(?=\s*[a-z]+://)", re.I
)  # a comma that separates two URLs, not one inside a URL
_NEXT_PATTERN = re.compile(r",(?=\s*(?:/|\*|[a-z]+://))", re.I)  # not the comma in a{1,2}
_SCHEME = re.compile(
    r"^[a-z]{3,10}:(?!\d)", re.I
)  # a scheme without //, as in mailto:me; not a host with a port
SCOPES = ("section", "site")
DISCOVER = ("links", "feeds", "sitemap")  # ways to find pages
PROVENANCE = ("short", "full")
EFFORT = ("quick", "normal", "full")  # how many requests a crawl spends to find the last articles


class ArgumentError(SitecrawlError):
    """A spider argument or setting that cannot be used."""


@dataclass(frozen=True, slots=True)
class CrawlSettings:
    """The ``SITECRAWL_*`` settings."""

    data_dir: Path = Path(".sitecrawl")
    extractor: str = "ensemble"
    # path of the link model; empty: the project's own in the current folder, else the shipped one
    link_model: str = ""
    hold: int = 200  # most pages of a site that wait in the state
    # number of consecutive listing pages, each found on the one before, that may bring nothing new
    patience: int = 30
    window: int = 16  # most requests in progress at a time
    max_wait: int = 120  # longest pause, in seconds, that a server can demand with `Retry-After`
    rewrite: bool = False  # whether the feeds of a run also contain the articles of earlier runs
    js: str = "auto"  # whether pages go through a browser: auto, never or always
    chromium: str = ""  # the browser; empty: the first one installed
    # URL of the PostgreSQL database that holds the state; empty: SQLite files in `data_dir`
    database: str = ""
    warc: Path | None = None  # folder of WARC files that record every response; None: no recording
    alert: str = ""  # command or URL that is notified of failed crawls; empty: none
    report: str = ""  # file of the report that is written after a crawl; empty: none
    # URL or mail address in the default user agent, for the owners of crawled servers
    contact: str = ""

    @property
    def stores(self) -> Stores:
        return Stores(self.data_dir, self.database)

    def link_model_of(self, site: str) -> str:
        """Path of the link model for a site: that of the settings, else the site's or the project's
        own in this folder; empty: the shipped one."""
        return self.link_model or own_model(site)

    @classmethod
    def from_settings(cls, settings: Any) -> CrawlSettings:
        """From Scrapy settings. Raises ArgumentError for a value that is not a number or is too
        small."""
        _whole("SITECRAWL_FEED_ITEMS", settings, zero=", and means all")
        names = ("link_model", "chromium", "alert", "report")
        texts: dict[str, Any] = {
            name: str(settings.get(f"SITECRAWL_{name.upper()}") or "") for name in names
        }
        folder, database = settings.get("SITECRAWL_WARC"), settings.get("SITECRAWL_DATABASE")
        try:
            return cls(
                data_dir=Path(settings.get("SITECRAWL_DATA_DIR") or ".sitecrawl"),
                extractor=_choice("SITECRAWL_EXTRACTOR", settings, choices=methods()),
                window=2 * max(1, settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN", 8)),
                max_wait=_whole("SITECRAWL_MAX_WAIT", settings, usual=120),
                rewrite=switch("SITECRAWL_REWRITE", settings),
                js=_choice("SITECRAWL_JS", settings, choices=JS),
                database=_database(database or os.environ.get("SITECRAWL_DATABASE", "")),
                warc=Path(folder) if folder else None,
                contact=_one_line(settings.get("SITECRAWL_CONTACT") or ""),
                **texts,
            )
        except ValueError as error:
            raise ArgumentError(f"a setting cannot be read: {error}") from None


@dataclass(frozen=True, slots=True)
class CrawlArguments:
    """The arguments of ``scrapy crawl site``."""

    start: tuple[str, ...]
    max_pages: int = 0
    max_articles: int = 0
    depth: int = 0
    since: str = ""
    scope: str = "section"
    refresh: bool = False
    baseline: bool = False  # whether the first visit only remembers what is there
    # whether listing pages are scrolled in the browser, and their "load more" buttons clicked
    scroll: bool = False
    cookies: str = ""  # file of cookies
    discover: tuple[str, ...] = ("links",)
    effort: str = "normal"
    include: tuple[
        str, ...
    ] = ()  # URL patterns; an article must match at least one of them. Empty: any URL
    exclude: tuple[str, ...] = ()  # URL patterns of pages that are not requested
    kinds: frozenset[PageKind] = DEFAULT_KINDS  # kinds of pages to write
    provenance: str = "short"  # whether items say for each field where it was read

    @classmethod
    def parse(cls, given: Mapping[str, Any]) -> CrawlArguments:
        """From spider arguments. Raises ArgumentError with a suggestion, or HookError. Names like
        ``_job`` belong to schedulers and are ignored."""
        given = cls._known(given)
        text = {name: str(value or "") for name, value in given.items()}
        unlimited = ", and means no limit"
        return cls(
            start=_starts(text.get("start", "")),
            since=_day(text.get("since", "")),
            discover=tuple(_listed("discover", given, choices=DISCOVER)) or ("links",),
            scope=_choice("scope", given, choices=SCOPES),
            effort=_choice("effort", given, choices=EFFORT, usual="normal"),
            refresh=switch("refresh", given),
            baseline=switch("baseline", given),
            scroll=switch("scroll", given),
            cookies=text.get("cookies", ""),
            include=_patterns(text.get("include", "")),
            exclude=_patterns(text.get("exclude", "")),
            kinds=_kinds(given),
            provenance=_choice("provenance", given, choices=PROVENANCE),
            max_pages=_whole("max_pages", given, zero=unlimited),
            max_articles=_whole("max_articles", given, zero=unlimited),
            depth=_whole("depth", given, zero=unlimited),
        )

    @classmethod
    def _known(cls, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """The arguments that are ours, those of others written as ours. Raises ArgumentError for an
        unknown one."""
        known = {field.name for field in fields(cls)}
        given = {name: value for name, value in given.items() if not name.startswith("_")}
        if set(given) - known:
            for other in plugged(ARGUMENTS).values():
                given = other.load()(given)
        unknown = sorted(set(given) - known)
        if unknown:
            raise ArgumentError(f"unknown argument {unknown[0]}: {nearest(unknown[0], known)}")
        return given

    @property
    def site(self) -> str:
        return ",".join(sorted({host_of(url) for url in self.start}))

    @property
    def task(self) -> str:
        """Identifies the arguments without the limits. Runs with the same task continue each
        other."""
        return json.dumps([self.start, self.scope, self.since])

    def is_too_old(self, day: str | None) -> bool:
        """Whether a date (ISO 8601) is before ``since``; False if there is no date."""
        return bool(day) and str(day)[:10] < self.since


def _choice(name: str, known: Any, *, choices: Sequence[str], usual: str = "") -> str:
    """One of the choices; without a value the ``usual`` one, else the first."""
    given = known.get(name)
    if given and given not in choices:
        raise ArgumentError(f"{name}={given} is unknown: choose from {', '.join(choices)}")
    return str(given or usual or choices[0])


def _listed(name: str, known: Any, *, choices: Sequence[str]) -> list[str]:
    given = known.get(name)
    names = [part.strip().casefold() for part in str(given or "").split(",") if part.strip()]
    foreign = [one for one in names if one not in choices]
    if foreign or (given and not names):
        problem = f"{foreign[0]} is unknown" if foreign else f"{given} names nothing"
        raise ArgumentError(
            f"{name}={problem}: choose from {', '.join(choices)}, several with commas"
        )
    return names


def _kinds(known: Any) -> frozenset[PageKind]:
    """The kinds in a comma-separated list; ``all`` means every kind, an empty list articles and
    threads."""
    named = [kind for kind in PageKind if kind is not PageKind.OTHER]
    names = _listed("kinds", known, choices=[*named, "all"])
    return frozenset(PageKind if "all" in names else map(PageKind, names)) or DEFAULT_KINDS


def _whole(name: str, known: Any, *, usual: int = 0, zero: str = "") -> int:
    given = known.get(name)
    if given in (None, ""):
        return usual
    if not str(given).removeprefix("-").isdecimal():
        raise ArgumentError(f"{name}={given} is not a whole number")
    if int(given) < 0:
        raise ArgumentError(f"{name}={given} is too small: 0 is the least{zero}")
    return int(given)


def _database(url: str) -> str:
    if url and not is_server(url):
        raise ArgumentError(
            "SITECRAWL_DATABASE is not the URL of a server: write it like postgresql://user@host/name"
        )
    if url and find_spec((server := server_of(url)).package) is None:
        raise ArgumentError(
            f"SITECRAWL_DATABASE needs {server.package}: {install_hint(server.extra)}"
        )
    return url


def _one_line(contact: str) -> str:
    if not contact.isascii() or not contact.isprintable():
        raise ArgumentError(
            "SITECRAWL_CONTACT holds signs that no header may hold: give a URL or a mail address"
        )
    return contact.strip()


def _starts(raw: str) -> tuple[str, ...]:
    urls = [
        url.strip() for url in (_NEXT.split(raw) if "://" in raw else raw.split(",")) if url.strip()
    ]
    if not urls:
        raise ArgumentError(
            "no start page: give its URL, such as https://example.com/news/ (with scrapy: start=URL)"
        )
    return tuple(_start(url) for url in urls)


def _start(url: str) -> str:
    if "://" not in url and not _SCHEME.match(url):
        url = f"http://{url}"
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise ArgumentError(
            f"start={url} is not a URL: write it like http://example.com/news/"
        ) from None
    if parts.scheme not in ("http", "https") or not host or any(map(str.isspace, host)):
        raise ArgumentError(
            f"start={url} is not a web address: it must begin with http:// or https://"
        )
    if "@" in parts.netloc:
        raise ArgumentError(
            "start holds a name and a password before the host: they are not taken, leave them out"
        )
    return url if parts.path else f"{url}/"


def _day(raw: str) -> str:
    with suppress(ValueError):
        if not raw or date.fromisoformat(raw).isoformat() == raw:
            return raw
    raise ArgumentError(f"since={raw} is not a day: write it like 2026-01-31")


def switch(name: str, known: Any) -> bool:
    """Whether a setting or argument is on. Raises ArgumentError for a value that is neither on nor
    off."""
    raw = str(known.get(name) or "").casefold()
    if raw not in ("", "0", "1", "true", "false", "yes", "no"):
        raise ArgumentError(f"{name}={known.get(name)} is unknown: write 1 or 0")
    return raw in ("1", "true", "yes")


def _patterns(raw: str) -> tuple[str, ...]:
    """URL patterns separated by commas. A comma that is not followed by the beginning of a pattern
    belongs to the pattern. Raises HookError."""
    found = tuple(text.strip() for text in _NEXT_PATTERN.split(raw) if text.strip())
    NO_HOOKS.with_patterns(found, ())
    return found
