"""The user's settings for the report: names, groups, owners, thresholds of checks, and mutes. They
come from ``sites.toml``, which `sitecrawl work` and `sitecrawl report` copy into the data folder,
and from `sitecrawl report mute`."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

from sitecrawl.commands._alerts import CONDITIONS
from sitecrawl.crawl.config import CrawlArguments
from sitecrawl.crawl.database import write_whole
from sitecrawl.crawl.visit import Visit, now
from sitecrawl.errors import SitecrawlError, SitesError, nearest
from sitecrawl.extras.report.checks import CHECKS, NAMES, causes_of
from sitecrawl.extras.report.history import Cause, History
from sitecrawl.extras.report.markup import day
from sitecrawl.extras.visits import file_errors, logs_of
from sitecrawl.records_json import from_document
from sitecrawl.text.chars import printable

ALL = "all"  # mutes every check
_SITES, _MUTES = "sites.json", "mutes.json"  # files of the data folder


@dataclass(frozen=True, slots=True)
class Mute:
    """Mutes a check, a condition of alerts or ``all`` at a site: until the end of the day ``until``
    (ISO 8601), or without one as long as every visit after the moment ``since`` finds it."""

    check: str
    site: str = ""
    until: str = ""
    since: str = ""
    why: str = ""

    def __str__(self) -> str:
        """Site, check, and until when or since when and why, in words."""
        return printable(f"{self.site} {self.check}: {self.said}")

    @property
    def said(self) -> str:
        """Until when and why, in words."""
        said = (
            f"muted until {day(self.until)}" if self.until else f"acknowledged on {day(self.since)}"
        )
        return f"{said}: {self.why}" if self.why else said

    def holds(self, history: History) -> bool:
        """Whether it still applies after the last visit of a site, in which the check fails."""
        if self.until:
            return (history.now or history.last.began)[:10] <= self.until
        met = [at for at, visit in enumerate(history.visits, 1) if visit.began > self.since][:-1]
        found = (causes_of(replace(history, visits=history.visits[:at])) for at in met)
        return all(self.check in {cause.kind for cause in causes} for causes in found)


@dataclass(frozen=True, slots=True)
class Watch:
    """Settings of a row of the report. ``limits`` are thresholds by check; 0 switches a check
    off."""

    task: Sequence[str] = ()
    name: str = ""
    group: str = ""
    owner: str = ""
    limits: Mapping[str, float] = field(default_factory=dict)
    mutes: Sequence[Mute] = ()

    def judge(self, history: History) -> list[Cause]:
        """All causes after the last visit, the worst first, muted ones last."""
        history = replace(history, limits=self.limits)
        causes = causes_of(history)
        for at, cause in enumerate(causes):
            named = (
                mute
                for mute in self.mutes
                if mute.check in (cause.kind, ALL) and mute.holds(history)
            )
            causes[at] = replace(cause, muted=next((mute.said for mute in named), ""))
        return sorted(causes, key=lambda cause: bool(cause.muted))


class Watchlist:
    """Settings of all sites of a data folder. Raises SitesError, and DatabaseError if its files
    cannot be used."""

    def __init__(self, data_dir: Path) -> None:
        self.path = data_dir / _MUTES
        self.mutes = [from_document(Mute, one) for one in _load(self.path)]
        rows = _load(data_dir / _SITES)
        self.watches = {
            tuple(one["task"]): from_document(Watch, one) for one in rows if "task" in one
        }
        self.file = next(
            (Path(one["file"]) for one in rows if "file" in one and os.path.isfile(one["file"])),
            None,
        )
        """The file of sites that was taken over last, if it is still there."""

    def of(self, task: tuple[str, ...]) -> Watch:
        """What is said of the row of a task. A site that the file of sites does not name is not
        expected to be visited again."""
        known = self.watches.get(task) or Watch(
            task, limits={"overdue": 0.0} if self.watches else {}
        )
        mutes = [mute for mute in self.mutes if mute.site in (task[0], known.name)]
        return replace(known, mutes=[*known.mutes, *mutes])


def mute(data_dir: Path, site: str, *, check: str, on: bool, until: str = "", why: str = "") -> str:
    """Mute a check of a site, or unmute it; returns a message. Without ``until`` it is
    acknowledged. Raises SitecrawlError."""
    watchlist, check = Watchlist(data_dir), _checked(check)
    known = {record.site for log in logs_of(data_dir) for record in log.load()[-1:]}
    known |= {watch.name for watch in watchlist.watches.values() if watch.name}
    if site not in known:
        raise SitecrawlError(
            f"no site {site}: {nearest(site, known)}" if known else "no site was crawled yet"
        )
    if on and not until and check not in NAMES:
        raise SitecrawlError(
            f"{check} is no single check: say until when, such as --until 2026-12-31"
        )
    made = Mute(check, site, until and _day(check, until), now(), why)
    mutes = [one for one in watchlist.mutes if (one.site, one.check) != (site, check)] + [made] * on
    _save(watchlist.path, [asdict(one) for one in mutes])
    return str(made) if on else printable(f"{site} {check}: no longer muted")


def keep_sites(path: Path, data_dir: Path) -> None:
    """Copy the settings for reports and alerts from a TOML file of sites into a data folder. Raises
    SitesError."""
    try:
        document = tomllib.loads(path.read_text("utf-8-sig"))
        rows = [asdict(_watch(document, table)) for table in document["site"]]
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise SitesError(path, f"cannot be read ({error})", "see docs/monitoring.md") from None
    except SitecrawlError as error:
        raise SitesError(path, str(error), "correct it and run the command again") from None
    _save(data_dir / _SITES, [*rows, {"file": str(path.absolute())}])


def _watch(common: Mapping[str, Any], table: Mapping[str, Any]) -> Watch:
    """The settings of a table ``[[site]]``, with the defaults at the top of the file. Raises
    SitecrawlError with a suggestion."""
    given = {**common, **table}
    starts = table["start"] if isinstance(table["start"], str) else ",".join(table["start"])
    asked = CrawlArguments.parse({"start": starts, "scope": given.get("scope")})
    checks, muted = (common.get(name, {}) | table.get(name, {}) for name in ("checks", "mute"))
    limits = {name: _threshold(name, value) for name, value in checks.items()}
    mutes = [Mute(_checked(name), until=_day(name, until)) for name, until in muted.items()]
    texts = {name: str(given.get(name, "")) for name in ("name", "group", "owner")}
    return Watch(
        Visit.of(asked).task,
        **texts,
        limits=limits,
        mutes=mutes,
    )


def _threshold(name: str, value: Any) -> float:
    """The threshold of a check: a number, or false, which switches the check off."""
    kinds = {check.threshold for check in CHECKS if check.name == name}
    if not kinds:
        raise SitecrawlError(f"checks: no check {name}: {nearest(name, NAMES)}")
    if value is False:
        return 0.0
    if kinds == {""}:
        raise SitecrawlError(
            f"checks: {name} has no threshold: write {name} = false to switch it off"
        )
    most, what = (1e9, "a number above 0") if "limit" in kinds else (1.0, "a share, 0.01 to 1")
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= most:
        raise SitecrawlError(f"checks: {name} = {value}: write {what}, or false to switch it off")
    return float(value)


def _checked(name: str) -> str:
    """The name of a check, a condition, or ``all``. Raises SitecrawlError for any other name."""
    known = [*NAMES, *CONDITIONS, ALL]
    if name not in known:
        raise SitecrawlError(f"no check {name}: {nearest(name, known)}")
    return name


def _day(name: str, text: object) -> str:
    """A day of the calendar, as ISO 8601. Raises SitecrawlError."""
    try:
        return date.fromisoformat(str(text)).isoformat()
    except ValueError:
        raise SitecrawlError(
            f"{name} cannot be muted until {text}: write a day such as 2026-12-31"
        ) from None


def _load(path: Path) -> list[Any]:
    with file_errors(path):
        text = path.read_text("utf8") if path.is_file() else "[]"
    try:
        return list(json.loads(text))
    except ValueError as error:
        raise SitesError(
            path, f"is damaged ({error})", "delete it and run the command again"
        ) from None


def _save(path: Path, rows: Sequence[Any]) -> None:
    with file_errors(path):
        write_whole(path, json.dumps(rows, ensure_ascii=False, indent=1))
