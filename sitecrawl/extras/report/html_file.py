"""The report as one HTML file that needs no network. The first screen is a table of all sites. The
details of each site are compressed (deflate, base64) until they are opened, so 300 sites fit in a
few megabytes. The only permitted script is ours, by its digest in the content security policy."""

from __future__ import annotations

import zlib
from base64 import b64encode
from collections.abc import Sequence
from functools import partial
from hashlib import sha256
from typing import NamedTuple
from urllib.parse import urlsplit

from markupsafe import Markup

from sitecrawl.crawl.last_lines import lines_of
from sitecrawl.crawl.reasons import Severity
from sitecrawl.extras.report.fleet import Fleet, SiteReport
from sitecrawl.extras.report.markup import asset, render

_SPARKED = 12  # visits of which a row shows a bar
_FIELDS = {"headline": "headlines", "datePublished": "dates", "articleBody": "texts"}
"""The fields that a row speaks of."""


def report_html(fleet: Fleet, *, opened: str = "") -> str:
    """The report as one HTML document; ``opened`` names the open site."""
    script = asset("report.js")
    digest = b64encode(sha256(script.encode()).digest()).decode()
    return render(
        "report.html",
        fleet=fleet,
        counts={level: fleet.count(level) for level in Severity},
        sums=_sums(fleet),
        rows=[_row(site) for site in fleet.sites],
        details=map(partial(_packed, now=fleet.now), fleet.sites),
        opened=opened,
        style=Markup(asset("report.css")),
        script=Markup(script),
        script_hash=f"sha256-{digest}",
    )


def site_html(site: SiteReport, now: str) -> str:
    """What is known of a site, as it is shown below its row."""
    last = site.last
    articles = site.figures.articles
    chart = _CHART._replace(step=min(_CHART.step, _CHART.width // max(1, len(articles))))
    return render(
        "site.html",
        site=site,
        last=last,
        lines=lines_of(last, advises=False) if last.ended else [],
        now=now,
        bars=_bars(articles, chart),
        chart=chart,
    )


def _packed(site: SiteReport, *, now: str) -> str:
    text = site_html(site, now).encode("utf-8", "replace")
    return b64encode(zlib.compress(text, 6)).decode("ascii")


def _sums(fleet: Fleet) -> list[tuple[str, int]]:
    """The figures of all sites together, with their names."""
    states = [site.figures.template_state for site in fleet.sites]
    lasts = [site.last for site in fleet.sites]
    found = [
        ("new articles in the last visits", sum(last.articles for last in lasts)),
        ("known", sum(last.known for last in lasts)),
        ("pages fetched", sum(last.pages for last in lasts)),
        ("with a trusted template", states.count("trusted")),
        ("drifting", states.count("drifting")),
    ]
    running = sum(1 for site in fleet.sites if site.running)
    return [*found, ("running now", running)] if running else found


class _Row(NamedTuple):
    """The cells of a row: ``share`` and ``filled`` in percent, -1 for none."""

    site: SiteReport
    paths: str
    share: int
    field: str
    filled: int
    bars: dict[str, str]


def _row(site: SiteReport) -> _Row:
    last = site.last
    coverage = site.figures.coverage
    share = -1
    if last.share is not None and last.pages and (last.completeness.shown or last.articles):
        share = round(100 * last.share)
    field = min(_FIELDS, key=lambda name: coverage.get(name, 0.0)) if coverage else ""
    return _Row(
        site,
        paths=", ".join(urlsplit(url).path or "/" for url in site.start),
        share=share,
        field=_FIELDS.get(field, ""),
        filled=round(100 * coverage.get(field, 0.0)) if field else -1,
        bars=_bars(site.figures.articles[-_SPARKED:], _SPARK),
    )


class _BarSpace(NamedTuple):
    """The place of bars: the most from one to the next, and the height, in units of the drawing."""

    step: int
    height: int
    width: int


_SPARK = _BarSpace(step=5, height=24, width=60)
_CHART = _BarSpace(step=30, height=60, width=420)


def _bars(articles: Sequence[int], frame: _BarSpace) -> dict[str, str]:
    """The bars of visits as paths by their class. A first visit that fetched the archive is cut to
    the height of the others."""
    later = articles[1:] if len(articles) > 2 else articles
    most = max([*later, 1])
    paths = dict[str, str]()
    for at, count in enumerate(articles):
        kind = "first" if at == 0 else "then"
        if at == len(articles) - 1:
            kind = "now"
        if not count:
            kind = "zero"
        tall = max(2, round(min(1.0, count / most) * (frame.height - 2)))
        left = at * frame.step
        wide = frame.step - 1
        paths[kind] = f"{paths.get(kind, '')}M{left} {frame.height}h{wide}v-{tall}h-{wide}z"
    return paths
