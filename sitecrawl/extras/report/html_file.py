"""The report as one HTML file that needs no network. The first screen is a table of all sites. The
details of each site are compressed (deflate, base64) until they are opened, so 300 sites fit in a
few megabytes. The only permitted script is ours, by its digest in the content security policy."""

from __future__ import annotations

import zlib
from base64 import b64encode
from hashlib import sha256
from statistics import median
from urllib.parse import urlsplit

from markupsafe import Markup

from sitecrawl.crawl.last_lines import lines_of
from sitecrawl.extras.report.fleet import Fleet, SiteReport
from sitecrawl.extras.report.history import Level, drifts
from sitecrawl.extras.report.markup import asset, render
from sitecrawl.extras.report.trends import weeks_of

_NOTES = 12  # last events of the templates of a site that are listed


def report_html(fleet: Fleet, *, opened: str = "") -> str:
    """The report as one HTML document; ``opened`` names the open site."""
    script = asset("report.js")
    details = (site_html(site, fleet.now).encode("utf-8", "replace") for site in fleet.sites)
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
        details=[b64encode(zlib.compress(text, 6)).decode("ascii") for text in details],
        opened=opened,
        style=Markup(asset("report.css")),
        script=Markup(script),
        script_hash=f"sha256-{b64encode(sha256(script.encode()).digest()).decode()}",
    )


def site_html(site: SiteReport, now: str) -> str:
    told = [(visit.began, event) for visit in site.visits for event in visit.events]
    return render(
        "site.html",
        site=site,
        last=site.last,
        lines=lines_of(site.last, advises=False) if site.last.ended else [],
        now=now,
        weeks=weeks_of(site.visits),
        notes=told[::-1][:_NOTES],
    )
