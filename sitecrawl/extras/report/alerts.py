"""Alerts: the conditions that hold after a crawl, by the checks of the report, and their delivery
to a command or a webhook."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from http.client import HTTPException
from pathlib import Path
from typing import Any

from sitecrawl.commands._alerts import exit_code
from sitecrawl.commands._http import DeliveryError, HttpClient, is_web
from sitecrawl.crawl.config import CrawlArguments
from sitecrawl.crawl.last_lines import lines_of
from sitecrawl.crawl.store import Stores
from sitecrawl.crawl.visit import Visit
from sitecrawl.errors import SitecrawlError
from sitecrawl.extras.report.checks import NAMES as NAMES
from sitecrawl.extras.report.fleet import causes_after
from sitecrawl.extras.report.watchlist import keep_sites as keep_sites
from sitecrawl.urls.scope import without_secrets

_URL = re.compile(r"[\w.+-]+://")
_PROGRAM = re.compile(r"[\w.+-]+")  # a plain file name


def conditions_after(stores: Stores, arguments: CrawlArguments, *, visit: Visit) -> list[str]:
    """The conditions that hold after a crawl and the names of failing checks, unless muted; none if
    all failures are. Raises DatabaseError."""
    causes, muted = causes_after(stores, arguments)
    spoken = [cause.kind for cause in causes if not cause.muted]
    return [
        name
        for name in (conditions_of(visit, spoken) if spoken or not causes else ())
        if name not in muted
    ]


def conditions_of(visit: Visit, causes: Sequence[str]) -> list[str]:
    """The conditions that hold, by how a crawl ended and by the causes of the report; then the
    names of the causes."""
    holds = {
        "drift": not {"drifting", "relearned"}.isdisjoint(causes),
        "zero": not visit.written and not visit.shown,
        "incomplete": bool(exit_code(visit)) or "incomplete" in causes,
        "start": bool(visit.lost_starts),
    }
    return list(
        dict.fromkeys([*(condition for condition, is_so in holds.items() if is_so), *causes])
    )


def alert_of(visit: Visit, *, found: Sequence[str]) -> dict[str, Any]:
    """The alert of a crawl after which the conditions ``found`` hold: the site, the conditions, and
    the numbers of the run. ``completeness`` is null where there is no basis for an estimate."""
    share = visit.share
    return {
        "start": visit.start,
        "conditions": found,
        "articles": visit.written,
        "pages": visit.pages,
        "completeness": share,
        "reason": visit.reason or "interrupted",
        "exit_code": int(exit_code(visit)),
        "messages": lines_of(visit),
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
            f"the alert did not arrive (SITECRAWL_ALERT={_shown(target)}): {_reason(error)}"
        ) from None


def _shown(target: str) -> str:
    """A target without what may be secret: the path of a URL, the arguments of a command."""
    if _URL.match(target):
        return without_secrets(target)
    program = Path(target.split(maxsplit=1)[0]).name if target.split() else ""
    return f"{program} ..." if _PROGRAM.fullmatch(program) else "..."


def _reason(error: Exception) -> str:
    """Why an alert did not arrive. The messages of subprocess hold the command with its
    arguments."""
    if isinstance(error, subprocess.CalledProcessError):
        return f"exit code {error.returncode}"
    if isinstance(error, subprocess.TimeoutExpired):
        return "not done in time"
    if isinstance(error, DeliveryError):
        return str(error)
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return f"it cannot be used ({type(error).__name__})"
