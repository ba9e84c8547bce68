"""Alerts: the conditions that hold after a crawl, by the checks of the report, and their delivery
to a command or a webhook."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from email.message import EmailMessage
from hashlib import sha256
from http.client import HTTPException
from pathlib import Path
from smtplib import SMTP, SMTPException
from types import MappingProxyType
from typing import Any

from sitecrawl.commands._alerts import exit_code
from sitecrawl.commands._http import DeliveryError, HttpClient, is_web
from sitecrawl.crawl.config import CrawlArguments
from sitecrawl.crawl.database import locked_file, write_whole
from sitecrawl.crawl.last_lines import lines_of
from sitecrawl.crawl.reasons import BROKEN, numbered
from sitecrawl.crawl.store import Stores
from sitecrawl.crawl.visit import Visit, now
from sitecrawl.errors import SitecrawlError
from sitecrawl.extras.report.fleet import Fleet, SiteReport, causes_after, fleet_of
from sitecrawl.extras.report.rules import KINDS as KINDS
from sitecrawl.extras.report.watchlist import limits_of as limits_of
from sitecrawl.extras.report.watchlist import mutes_of as mutes_of
from sitecrawl.extras.visits import file_errors
from sitecrawl.text.chars import printable
from sitecrawl.urls.scope import without_secrets

_URL = re.compile(r"[\w.+-]+://")
SENT = "alerts"  # folder of the data folder: what was sent of each site
_DIGEST = "digest.json"  # file there: the day of the last digest
_MAIL = "mailto:"
_PATIENCE = 30.0  # seconds for a delivery
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
        "zero": not visit.written and not visit.completeness.shown,
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


def send_once(
    target: str,
    visit: Visit,
    *,
    found: Sequence[str],
    folder: Path,
    settings: Mapping[str, Any],
) -> None:
    """Send an alert if the conditions that hold differ from those of the last alert of the site; so
    each is sent once until something changes. Raises SitecrawlError."""
    name = sha256("\n".join(visit.task).encode()).hexdigest()[:16]
    sent = folder / SENT / f"{name}.json"
    with file_errors(sent):
        before = json.loads(sent.read_text()) if sent.is_file() else []
    if before == list(found):
        return
    if found:
        send(target, alert_of(visit, found=found), settings=settings)
    with file_errors(sent):
        write_whole(sent, json.dumps(list(found)))


def send_digest(target: str, stores: Stores, *, settings: Mapping[str, Any]) -> None:
    """Send what a person must act on at all sites, once a day (UTC); nothing on a day on which no
    site is broken. Raises SitecrawlError."""
    sent = stores.data_dir / SENT / _DIGEST
    today = now()[:10]
    with file_errors(sent):
        if sent.is_file() and json.loads(sent.read_text()) == today:
            return
        sent.parent.mkdir(parents=True, exist_ok=True)
        lock = locked_file(sent.with_suffix(".lock"))
    if lock is None:  # another worker of this folder sends it
        return
    try:
        digest = digest_of(fleet_of(stores), day=today)
        if digest["sites"]:
            send(target, digest, setting="SITECRAWL_DIGEST", settings=settings)
        with file_errors(sent):
            write_whole(sent, json.dumps(today))
    finally:
        os.close(lock)


def digest_of(fleet: Fleet, *, day: str) -> dict[str, Any]:
    """The digest of a day: the broken sites, the worst first, with what to do about each cause that
    is not muted."""
    broken = [site for site in fleet.sites if site.level is BROKEN]
    rows = [_digest_row(site) for site in broken]
    verb = "needs" if len(rows) == 1 else "need"
    subject = f"{len(rows)} of {numbered(len(fleet.sites), 'site')} {verb} you"
    lines = []
    for row in rows:
        lines.append(f"{row['name']}  {' '.join(row['start'])}")
        for cause in row["causes"]:
            lines += [f"  {cause['text']}", f"    {cause['advice']}"]
    return {"subject": subject, "digest": day, "sites": rows, "messages": lines}


def _digest_row(site: SiteReport) -> dict[str, Any]:
    causes = [cause for cause in site.causes if cause.level is BROKEN and not cause.muted]
    return {"name": site.name, "start": site.start, "causes": [asdict(one) for one in causes]}


def send(
    target: str,
    alert: Mapping[str, Any],
    *,
    setting: str = "SITECRAWL_ALERT",
    settings: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Deliver an alert, or a digest, as JSON: by POST to a URL, by mail to ``mailto:NAME@HOST`` with
    Scrapy's settings ``MAIL_*``, else to standard input of a command. ``setting`` is the one that
    names the target. Raises SitecrawlError."""
    text = json.dumps(alert, ensure_ascii=False).encode()
    try:
        if target.startswith(_MAIL):
            _mail(target.removeprefix(_MAIL), alert, settings=settings)
        elif is_web(target):
            HttpClient(target, timeout=_PATIENCE, total=_PATIENCE).post_json(target, text)
        else:
            subprocess.run(shlex.split(target), input=text, timeout=_PATIENCE, check=True)
    except (
        OSError,
        ValueError,
        HTTPException,
        SMTPException,
        subprocess.SubprocessError,
    ) as error:
        raise SitecrawlError(
            f"the alert did not arrive ({setting}={_shown(target)}): {_reason(error)}"
        ) from None


def _mail(address: str, alert: Mapping[str, Any], *, settings: Mapping[str, Any]) -> None:
    """Send an alert or a digest by mail: what holds in the subject, its lines below."""
    message = EmailMessage()
    lines = alert["messages"]
    subject = alert.get("subject", "")
    if not subject:
        start = ", ".join(alert["start"])
        subject = f"{', '.join(alert['conditions'])}: {start}"
        lines = [start, *lines]
    message["Subject"] = printable(f"sitecrawl: {subject}")
    message["From"] = settings.get("MAIL_FROM") or "sitecrawl@localhost"
    message["To"] = address
    message.set_content("\n".join(map(printable, lines)))
    host = settings.get("MAIL_HOST") or "localhost"
    with SMTP(host, int(settings.get("MAIL_PORT") or 25), timeout=_PATIENCE) as server:
        if settings.get("MAIL_TLS") in (True, "1", "True", "true"):
            server.starttls()
        if settings.get("MAIL_USER"):
            server.login(str(settings["MAIL_USER"]), str(settings.get("MAIL_PASS") or ""))
        server.send_message(message)


def _shown(target: str) -> str:
    """A target without what may be secret: the path of a URL, the arguments of a command."""
    if target.startswith(_MAIL):
        return _MAIL + "..."
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
