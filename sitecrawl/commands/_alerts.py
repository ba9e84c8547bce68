"""What a crawl must be reported for: conditions, exit codes, and the alert itself, sent to a command or a webhook."""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from enum import IntEnum, StrEnum
from http.client import HTTPException
from typing import TYPE_CHECKING, Any

from sitecrawl.errors import SitecrawlError, nearest

if TYPE_CHECKING:
    from sitecrawl.crawl.config import CrawlArguments
    from sitecrawl.crawl.outcome import Outcome

COMPLETE = 0.97
"""Share of the articles that a crawl with ``effort=normal`` aims at; below it a crawl is incomplete."""


class Exit(IntEnum):
    """Exit codes of the commands."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    CONDITION = 3
    """``--fail-on`` names a condition that holds."""
    INTERRUPTED = 130


class Condition(StrEnum):
    """What deserves an alert."""

    DRIFT = "drift"
    ZERO = "zero"
    INCOMPLETE = "incomplete"
    START = "start"


MEANINGS = {
    Condition.DRIFT: "a template no longer fits: the site was redesigned",
    Condition.ZERO: "no article was written, and no listing page showed one",
    Condition.INCOMPLETE: f"the crawl was interrupted or failed, or listing pages not opened leave it below {COMPLETE:.0%}",
    Condition.START: "a start page could not be fetched",
}


class AlertError(SitecrawlError):
    """An alert could not be delivered."""


def conditions_of(outcome: Outcome, stats: Mapping[str, Any]) -> list[Condition]:
    """The conditions that hold after a crawl, by how it ended and by Scrapy's statistics."""
    known = outcome.completeness
    holds = {
        Condition.DRIFT: bool(stats.get("sitecrawl/templates/drifting")),
        Condition.ZERO: not outcome.articles and not known.shown,
        Condition.INCOMPLETE: bool(exit_code(outcome)) or (bool(known.left) and known.share < COMPLETE),
        Condition.START: bool(outcome.lost_starts),
    }
    return [condition for condition, is_so in holds.items() if is_so]


def exit_code(outcome: Outcome) -> Exit:
    """The exit code of a crawl before ``--fail-on``; one that was stopped gives ``shutdown`` or no reason at all."""
    if outcome.code:
        return Exit.FAILED
    return Exit.INTERRUPTED if outcome.reason in ("", "shutdown") else Exit.DONE


def named_conditions(raw: str) -> list[Condition]:
    """The conditions named in a list with commas. Raises AlertError for one that does not exist."""
    names = [name.strip() for name in raw.split(",") if name.strip()]
    for name in names:
        if name not in list(Condition):
            raise AlertError(f"no condition {name}: {nearest(name, Condition)}")
    return [Condition(name) for name in names]


def alert_of(arguments: CrawlArguments, outcome: Outcome, *, found: Sequence[Condition]) -> dict[str, Any]:
    """What is sent: the start pages, the conditions that hold, and the numbers of the run."""
    return {
        "start": arguments.start,
        "conditions": found,
        "articles": outcome.articles,
        "pages": outcome.pages,
        "completeness": round(outcome.completeness.share, 4),
        "reason": outcome.reason or "interrupted",
        "exit_code": int(exit_code(outcome)),
        "messages": outcome.lines(),
    }


def send(target: str, alert: Mapping[str, Any], *, timeout: float = 30.0) -> None:
    """Deliver an alert as JSON: POST to a URL, else standard input of a command, within ``timeout`` seconds. Raises AlertError."""
    from sitecrawl.commands._http import HttpClient, is_web

    text = json.dumps(alert, ensure_ascii=False).encode()
    try:
        if is_web(target):
            HttpClient(target, timeout=timeout, total=timeout).post_json(target, text)
        else:
            subprocess.run(shlex.split(target), input=text, timeout=timeout, check=True)
    except (OSError, ValueError, HTTPException, subprocess.SubprocessError) as error:
        raise AlertError(f"the alert did not arrive (SITECRAWL_ALERT={target}): {error}") from None
