"""The report as one HTML file that needs no network, and as JSON.

The first screen is a table of all sites. What is known of one site is packed (deflate, base64) until somebody opens it, so that 300 sites
stay one file of a few megabytes. The only script that may run is ours, named by its digest in the file's content security policy.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from hashlib import sha256
from importlib.resources import files
from statistics import median
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from markupsafe import Markup

from sitecrawl.crawl.visits import VisitRecord
from sitecrawl.extras.report.causes import Level, day
from sitecrawl.extras.report.fleet import Fleet, SiteReport
from sitecrawl.extras.report.picture import Picture, picture_of
from sitecrawl.templates.address import readable
from sitecrawl.templates.template import Template
from sitecrawl.text.chars import printable

if TYPE_CHECKING:
    from jinja2 import Environment

_SIGNS = {Level.BROKEN: "●", Level.WATCH: "▲", Level.FINE: "✓"}
_WORDS = {Level.BROKEN: "Broken", Level.WATCH: "Watch", Level.FINE: "Fine"}
_COLUMNS = (
    ("status", "Status", True),
    ("name", "Site", False),
    ("cause", "What is wrong", False),
    ("last", "Last article", False),
    ("articles", "Articles a visit", True),
    ("complete", "Complete", True),
    ("fields", "Fields", True),
    ("template", "Template", False),
)
"""Key, name, and whether its values are numbers, of each column."""
_BARS = 12
"""Visits of a sparkline."""
_CHART = 420
"""Width of the chart of all visits."""
_PICTURES = 4
"""Templates of a site that are drawn: those used most."""
_EVENTS = 6
"""Events of a template that are told."""
_FIELD_WORDS = {"headline": "headlines", "datePublished": "dates", "articleBody": "texts"}


def report_json(fleet: Fleet) -> str:
    """The report as JSON."""
    return json.dumps(fleet.to_dict(), ensure_ascii=False, indent=1)


def report_html(fleet: Fleet) -> str:
    """The report as one HTML document."""
    script = _asset("report.js")
    digest = b64encode(sha256(script.encode()).digest()).decode()
    environment = _environment()
    return environment.get_template("report.html").render(
        fleet=fleet,
        title=_title(fleet),
        now=_moment(fleet.now),
        levels=_levels(fleet),
        sums=_sums(fleet),
        columns=_COLUMNS,
        rows=[_row(site, fleet.now) for site in fleet.sites],
        details=[_packed(environment, site, fleet.now) for site in fleet.sites],
        style=Markup(_asset("report.css") + _widths(fleet)),
        script=Markup(script),
        script_hash=f"sha256-{digest}",
    )


@cache
def _asset(name: str) -> str:
    return files("sitecrawl.extras.report").joinpath(name).read_text("utf-8")


@cache
def _environment() -> Environment:
    from jinja2 import (  # here, since every command of Scrapy's imports this module
        Environment,
        PackageLoader,
        StrictUndefined,
    )

    loader = PackageLoader("sitecrawl.extras.report", ".")
    made = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    made.filters["short"] = _short
    made.filters["web"] = _web
    return made


def _web(url: str) -> str:
    """A URL that a link may lead to, else nothing.

    >>> _web("https://example.com/"), _web("javascript:alert(1)")
    ('https://example.com/', '#')
    """
    return url if url.startswith(("http://", "https://")) else "#"


def _short(url: str, most: int = 60) -> str:
    """A URL without its scheme, cut in the middle.

    >>> _short("https://example.com/" + "a" * 80, 30)
    'example.com/aa…aaaaaaaaaaaaaaa'
    """
    text = printable(url).removeprefix("https://").removeprefix("http://")
    half = most // 2
    return text if len(text) <= most else f"{text[: most - half - 1]}…{text[-half:]}"


# ---- the head
def _title(fleet: Fleet) -> str:
    """What one wants to know first, as a sentence."""
    broken, watch, count = fleet.count(Level.BROKEN), fleet.count(Level.WATCH), len(fleet.sites)
    if broken:
        return f"{broken} of {count} {'site' if count == 1 else 'sites'} {'is' if broken == 1 else 'are'} broken"
    if watch:
        return f"{count} {'site' if count == 1 else 'sites'}, {watch} to watch"
    return "1 site is fine" if count == 1 else f"All {count} sites are fine"


def _levels(fleet: Fleet) -> list[dict[str, Any]]:
    return [
        {"level": level, "sign": _SIGNS[level], "word": _WORDS[level], "count": fleet.count(level)}
        | {"said": f"{fleet.count(level)} {_WORDS[level].lower()}"}
        for level in Level
    ]


def _widths(fleet: Fleet) -> str:
    """Rules that give the parts of the strip their widths: style attributes would need a wider policy."""
    counts = [count for level in Level if (count := fleet.count(level))]
    return "".join(f".strip .n{at}{{flex:{count}}}" for at, count in enumerate(counts, 1))


def _sums(fleet: Fleet) -> list[tuple[str, str]]:
    """The sum line."""
    sites = [site for site in fleet.sites if site.visits]
    shares = [100 * site.last.share for site in sites if site.last.known]
    drifting = sum(site.template_state == "drifting" for site in sites)
    trusted = sum(site.template_state == "trusted" for site in sites)
    return [
        ("new articles in the last visits", f"{sum(site.last.articles for site in sites):,}"),
        ("known", f"{sum(site.last.known for site in sites):,}"),
        ("pages fetched", f"{sum(site.last.pages for site in sites):,}"),
        ("complete (median)", f"{median(shares):.0f} %" if shares else "–"),
        ("with a trusted template", f"{trusted:,}"),
        ("drifting", f"{drifting:,}"),
        *([("running now", str(running))] if (running := sum(site.running for site in sites)) else []),
    ]


def _moment(text: str) -> str:
    """A moment for people.

    >>> _moment("2026-11-23T06:12:40.000000Z")
    'Monday 23 Nov 2026, 06:12 UTC'
    """
    if not text:
        return "no visit yet"
    moment = datetime.fromisoformat(text)
    return f"{moment:%A} {moment.day} {moment:%b %Y, %H:%M} UTC"


# ---- rows
def _row(site: SiteReport, now: str) -> dict[str, Any]:
    """What the first screen says of a site."""
    worst, last = (site.causes[0] if site.causes else None), site.last
    field, articles = site.worst_field, [visit.articles for visit in site.visits]
    return {
        "level": site.level,
        "sign": _SIGNS[site.level],
        "word": "Running" if site.running and site.level is Level.FINE else _WORDS[site.level],
        "name": site.site,
        "path": ", ".join(urlsplit(url).path or "/" for url in site.start),
        "cause": worst.text if worst else "",
        "url": worst.url if worst else "",
        "more": len(site.causes) - 1 if worst else 0,
        "note": _note(site, now),
        "newest": last.newest,
        "newest_said": day(last.newest, now) if last.newest else "–",
        "articles": articles,
        "spark": _spark(site.visits),
        "share": round(100 * last.share) if last.pages and (last.shown or last.articles) else None,
        "field": (_FIELD_WORDS[field[0]], round(100 * field[1])) if field else None,
        "template": site.template_state,
        "version": max((versions[-1].version for versions in site.templates), default=0),
        "drift": _last_drift(site, now),
    }


def _note(site: SiteReport, now: str) -> str:
    """What is said of a site that nothing is wrong with."""
    if not site.visits:
        return "not visited since visits are recorded"
    last = site.visits[-1]
    if site.running:
        return f"a crawl is on its way since {_moment(last.began)}"
    if len(site.visits) == 1:
        return f"first visit on {day(last.began, now)}: {last.articles:,} articles"
    return f"visited on {day(last.began, now)}"


def _last_drift(site: SiteReport, now: str) -> str:
    """The day on which a template last drifted."""
    for visit in reversed(site.visits):
        if any(event["kind"] == "drifting" for event in visit.events):
            return day(visit.began, now)
    return ""


def _heights(visits: Sequence[VisitRecord], room: int) -> list[int]:
    """Heights of bars. The first visit fetched the archive: where it towers over the others it is cut to their height."""
    counts = [visit.articles for visit in visits]
    most = max([*(counts[1:] if len(counts) > 2 else counts), 1])
    return [round(min(1.0, count / most) * room) for count in counts]


def _kind(visit: VisitRecord, first: VisitRecord, last: VisitRecord) -> str:
    if not visit.articles:
        return "zero"
    return "now" if visit is last else "first" if visit is first else "then"


def _spark(visits: Sequence[VisitRecord]) -> Markup:
    """The articles of the last visits as small bars."""
    if not visits:
        return Markup("")
    shown = list(zip(visits, _heights(visits, 22), strict=True))[-_BARS:]
    bars = [
        Markup('<rect x="{}" y="{}" width="4" height="{}" class="{}"/>').format(
            5 * at + 5 * (_BARS - len(shown)), 24 - max(2, height), max(2, height), _kind(visit, visits[0], visits[-1])
        )
        for at, (visit, height) in enumerate(shown)
    ]
    said = f"articles in the last {len(shown)} visits: {', '.join(str(visit.articles) for visit, _ in shown)}"
    return Markup('<svg class="spark" viewBox="0 0 60 24" role="img" aria-label="{}">{}</svg>').format(
        said, Markup("").join(bars)
    )


def _chart(visits: Sequence[VisitRecord], now: str) -> Markup:
    """The articles of all visits as bars with their days."""
    if not visits:
        return Markup("<p>No visit is recorded.</p>")
    step = min(30.0, _CHART / len(visits))
    bars = [
        Markup('<rect x="{:.1f}" y="{}" width="{:.1f}" height="{}" class="{}"><title>{}</title></rect>').format(
            at * step,
            60 - max(2, height),
            step * 0.78,
            max(2, height),
            _kind(visit, visits[0], visits[-1]),
            f"{_moment(visit.began)}: {visit.articles} articles",
        )
        for at, (visit, height) in enumerate(zip(visits, _heights(visits, 58), strict=True))
    ]
    labels = [Markup('<text x="0" y="78">{}</text>').format(day(visits[0].began, now))]
    if len(visits) > 3:
        at = (len(visits) - 1) * step + step * 0.78
        labels.append(
            Markup('<text x="{:.1f}" y="78" text-anchor="end">{}</text>').format(at, day(visits[-1].began, now))
        )
    said = f"articles of {len(visits)} visits, the last {visits[-1].articles}"
    return Markup(
        '<svg class="chart" viewBox="0 0 420 84" preserveAspectRatio="xMinYMid meet" role="img" aria-label="{}">{}</svg>'
    ).format(said, Markup("").join([*bars, *labels]))


# ---- the details of a site
def _packed(environment: Environment, site: SiteReport, now: str) -> str:
    """The details of a site, deflated and in base64."""
    html = environment.get_template("site.html").render(
        site=site,
        last=site.last,
        signs=_SIGNS,
        words=_WORDS,
        chart=_chart(site.visits, now),
        facts=_facts(site),
        fields=_fields(site),
        asked=_asked(site.last),
        links=_links(site.last),
        families=_families(site, now),
        why=(site.start or [f"http://{site.site}/"])[0],
    )
    return b64encode(zlib.compress(html.encode("utf-8", "replace"), 9)).decode("ascii")


def _facts(site: SiteReport) -> list[tuple[str, str]]:
    """The last visit in figures."""
    last = site.last
    said = [
        ("visited", _moment(last.began)),
        ("ended", last.reason or "–"),
        ("new articles", f"{last.articles:,}"),
        ("changed", f"{last.revised:,}"),
        ("known", f"{last.known:,}"),
        ("pages fetched", f"{last.pages:,}"),
        ("on listing pages", f"{last.shown:,}"),
        ("complete", f"about {100 * last.share:.0f} %"),
    ]
    said += [("listing pages left", f"{last.left:,}")] * bool(last.left)
    said += [("on no opened listing", f"at least {last.unseen:.0f}")] * (last.unseen >= 1)
    return said if site.visits else []


def _fields(site: SiteReport) -> list[tuple[str, float, float | None]]:
    """Field, share of the last articles that have it, and the mean share before."""
    covered = [visit for visit in site.visits if visit.coverage]
    if not covered:
        return []
    earlier = covered[:-1]
    return [
        (name, share, sum(visit.coverage.get(name, 0.0) for visit in earlier) / len(earlier) if earlier else None)
        for name, share in covered[-1].coverage.items()
    ]


def _asked(last: VisitRecord) -> dict[str, Any] | None:
    """What was asked for as what, and what it was: a table of counts."""
    counts: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for role, kind, count in last.pages_as:
        counts[role][kind or "not fetched"] = count
    kinds = sorted({kind for row in counts.values() for kind in row})
    rows = [(role, [row.get(kind, 0) for kind in kinds]) for role, row in counts.items()]
    return {"kinds": kinds, "rows": rows} if rows else None


def _links(last: VisitRecord) -> list[str]:
    """Links of the last visit by label."""
    named = {name.removeprefix("links/"): count for name, count in last.counts.items() if name.startswith("links/")}
    return [f"{count:,} {name}" for name, count in sorted(named.items(), key=lambda one: -one[1])]


def _families(site: SiteReport, now: str) -> list[dict[str, Any]]:
    """The templates of a site, those out of use first."""
    found = []
    for at, versions in enumerate(site.templates):
        name, shown = versions[-1].name, _answering(site, versions)
        found.append(
            {
                "name": name,
                "state": "drifting" if name in site.drifting else shown.state.value,
                "versions": versions,
                "events": _events(site, name, now),
                "picture": _picture(site, shown) if at < _PICTURES or name in site.drifting else None,
                "removed": [readable(address) for address in shown.body.without[:12]],
            }
        )
    return sorted(found, key=lambda family: family["state"] != "drifting")


def _answering(site: SiteReport, versions: list[Template]) -> Template:
    """The version that answers, or the last one that did."""
    current = [family.current for family in (site.model.families if site.model else []) if family.versions is versions]
    return (current[0] if current else None) or versions[-1]


def _events(site: SiteReport, name: str, now: str) -> list[tuple[str, dict[str, Any]]]:
    found = [
        (day(visit.began, now), event) for visit in site.visits for event in visit.events if event["family"] == name
    ]
    return found[::-1][:_EVENTS]


def _picture(site: SiteReport, template: Template) -> Picture | None:
    page = site.model.page_for(template.name) if site.model else None
    return picture_of(template, page) if page is not None else None
