"""Alerts: the conditions that hold after a crawl, by the checks of the report, and their delivery
to a command or a webhook."""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from http.client import HTTPException
from typing import Any

from sitecrawl.commands._alerts import exit_code
from sitecrawl.commands._http import HttpClient, is_web
from sitecrawl.crawl.config import CrawlArguments
from sitecrawl.crawl.outcome import Outcome
from sitecrawl.crawl.store import Stores
from sitecrawl.errors import SitecrawlError
from sitecrawl.extras.report.checks import NAMES as NAMES
from sitecrawl.extras.report.fleet import causes_after
from sitecrawl.extras.report.watchlist import keep_sites as keep_sites


def conditions_after(stores: Stores, arguments: CrawlArguments, *, outcome: Outcome) -> list[str]:
    """The conditions that hold after a crawl and the names of failing checks, unless muted; none if
    all failures are. Raises DatabaseError."""
    causes, muted = causes_after(stores, arguments)
    spoken = [cause.kind for cause in causes if not cause.muted]
    return [
        name
        for name in (conditions_of(outcome, spoken) if spoken or not causes else ())
        if name not in muted
    ]


def conditions_of(outcome: Outcome, causes: Sequence[str]) -> list[str]:
    """The conditions that hold, by how a crawl ended and by the causes of the report; then the
    names of the causes."""
    holds = {
        "drift": not {"drifting", "relearned"}.isdisjoint(causes),
        "zero": not outcome.articles and not outcome.completeness.shown,
        "incomplete": bool(exit_code(outcome)) or "incomplete" in causes,
        "start": bool(outcome.lost_starts),
    }
    return list(
        dict.fromkeys([*(condition for condition, is_so in holds.items() if is_so), *causes])
    )


def alert_of(
    arguments: CrawlArguments, outcome: Outcome, *, found: Sequence[str]
) -> dict[str, Any]:
    """The alert of a crawl after which the conditions ``found`` hold: the site, the conditions, and
    the numbers of the run. ``completeness`` is null where there is no basis for an estimate."""
    share = outcome.completeness.share
    return {
        "start": arguments.start,
        "conditions": found,
        "articles": outcome.articles,
        "pages": outcome.pages,
        "completeness": None if share is None else round(share, 4),
        "reason": outcome.reason or "interrupted",
        "exit_code": int(exit_code(outcome)),
        "messages": outcome.lines(),
    }


def send(target: str, alert: Mapping[str, Any], *, timeout: float = 30.0) -> None:
    """Deliver an alert as JSON: POST to a URL, else standard input of a command, within ``timeout``
    seconds. Raises SitecrawlError."""
    text = json.dumps(alert, ensure_ascii=False).encode()
    try:
        if is_web(target):
            HttpClient(target, timeout=timeout, total=timeout).post_json(target, text)
        else:
            subprocess.run(shlex.split(target), input=text, timeout=timeout, check=True)
    except (OSError, ValueError, HTTPException, subprocess.SubprocessError) as error:
        raise SitecrawlError(
            f"the alert did not arrive (SITECRAWL_ALERT={target}): {error}"
        ) from None
