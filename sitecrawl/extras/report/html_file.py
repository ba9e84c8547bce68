"""The report as one HTML file that needs no network. The first screen is a table of all sites. The
details of each site are compressed (deflate, base64) until they are opened, so 300 sites fit in a
few megabytes. The only permitted script is ours, by its digest in the content security policy."""

from __future__ import annotations

import zlib
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from statistics import median
from typing import Any
from urllib.parse import urlsplit

from markupsafe import Markup

from sitecrawl.dom.page import Page
from sitecrawl.extras.report.fleet import Fleet, SiteReport
from sitecrawl.extras.report.history import Level, drifts
from sitecrawl.extras.report.markup import asset, render
from sitecrawl.extras.report.picture import Picture, picture_of
from sitecrawl.extras.report.trends import weeks_of
from sitecrawl.templates.address import readable
from sitecrawl.templates.family import TemplateFamily


def report_html(fleet: Fleet, *, live: str = "", opened: str = "") -> str:
    """The report as one HTML document. ``live`` is the version of a served report, which loads
    details; ``opened`` names the open site."""
    script = asset("report.js")
    details = (
        site_html(site, fleet.now).encode("utf-8", "replace") for site in fleet.sites if not live
    )
    return render(
        "report.html",
        fleet=fleet,
        counts={level: fleet.count(level) for level in Level},
        median=median,
        plain_names={"headline": "headlines", "datePublished": "dates", "articleBody": "texts"},
        last_drift=lambda visits: max(
            (visit.began for visit in visits if drifts(visit)), default=""
        ),
        path=lambda url: urlsplit(url).path or "/",
        details=[b64encode(zlib.compress(text, 9)).decode("ascii") for text in details],
        live=live,
        opened=opened,
        style=Markup(asset("report.css")),
        script=Markup(script),
        script_hash=f"sha256-{b64encode(sha256(script.encode()).digest()).decode()}",
    )


def site_html(site: SiteReport, now: str) -> str:
    weeks = weeks_of(site.visits)
    return render(
        "site.html",
        site=site,
        last=site.last,
        now=now,
        weeks=weeks,
        templates=list(_templates(site)),
    )


def _before(site: SiteReport, family: TemplateFamily, *, page: Page) -> tuple[int, Picture] | None:
    """The version that was in use before the site was redesigned, and what it takes from a page of
    that time, or if none is stored from ``page``. None where no redesign is known."""
    now = family.current
    known = {event.family for visit in site.visits for event in drifts(visit)}
    old = [one for one in family.versions if now is None or set(now.pages).isdisjoint(one.pages)]
    if not old or not old[-1].pages or family.name not in known:
        return None
    then = (
        one
        for one in site.model.stored_pages(family.name)
        if one.url in old[-1].pages and one.url != page.url
    )
    return old[-1].version, picture_of(old[-1], next(then, page))


def _templates(site: SiteReport, *, pictures: int = 4, events: int = 6) -> Iterator[dict[str, Any]]:
    """The templates of a site, those out of use first; the ``pictures`` most used are drawn, and
    the last ``events`` of each listed."""
    drifting = site.drifting
    drawn = {family.name for family in site.families[:pictures]}.union(drifting)
    for family in sorted(site.families, key=lambda family: family.name not in drifting):
        shown = family.current or family.versions[-1]
        page = site.model.page_for(family.name) if family.name in drawn else None
        told = [(visit.began, event) for visit in site.visits for event in visit.events]
        yield {
            "name": family.name,
            "state": "drifting" if family.name in drifting else shown.state.value,
            "versions": family.versions,
            "events": [one for one in told if one[1].family == family.name][::-1][:events],
            "picture": picture_of(shown, page) if page is not None else None,
            "shown": shown.version,
            "before": _before(site, family, page=page) if page is not None else None,
            "removed": [readable(address) for address in shown.body.without[:12]],
        }
