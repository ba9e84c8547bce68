"""What the report says of sixty sites visited for three simulated weeks, half of which break: right
cause, generic, wrong, missed, false alarms. Each open site is thinned (tests/report/thin_sites.py)
and crawled in this process without a network. The breaks are those of tests/report/breaks.py. A
third of the sites, with the second variant of their breaks, is printed apart: whoever works on the
checks looks at the others only. ``--pictures`` makes the screenshots of docs/images from a
synthetic fleet of 300 sites instead."""

from __future__ import annotations

import json
import random
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest.mock import patch

from benchmarks import model_sets
from benchmarks.harness import ROOT, asked, order, page_url, site_meta, site_names
from sitecrawl.crawl.store import Stores
from sitecrawl.extras.report.fleet import SiteReport, fleet_of
from sitecrawl.extras.report.html_file import report_html
from tests.crawl.driver import Crawl
from tests.report.breaks import BREAKS
from tests.report.fleets import make_fleet
from tests.report.thin_sites import Clock, ServedSite, ThinSite

GENERIC = frozenset(
    "fell no-articles not-articles silent incomplete start-lost losses listings".split()
)
"""Causes that say that something is wrong, and not what."""
DAYS = 21
IMAGES = ROOT / "docs" / "images"
SHOTS = (
    ("report-light", {"width": 1280, "height": 800}, "light", "", ""),
    ("report-dark", {"width": 1280, "height": 800}, "dark", "", ""),
    ("report-phone", {"width": 390, "height": 844}, "light", "", ""),
    ("report-site", {"width": 1280, "height": 800}, "light", "drifting", "tr.site.opened"),
)


def shoot(report: Path, folder: Path, spread: dict[str, str]) -> None:
    """Screenshots of a report."""
    from playwright.sync_api import sync_playwright

    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        for name, size, scheme, opened, top in SHOTS:
            page = browser.new_page(viewport=size, color_scheme=scheme)
            page.goto(report.as_uri())
            if opened:
                site = next(one for one, kind in spread.items() if kind == opened)
                page.locator(f"tr.site:has(button[title='{site}']) button.open").click()
                page.locator("tr.detail .inner").first.wait_for()
                page.evaluate(f"document.querySelector('{top}').scrollIntoView()")
                page.mouse.move(0, 0)
            page.screenshot(path=folder / f"{name}.png")
            page.close()
        browser.close()


@dataclass
class Watched:
    """What the report said of a site after each visit, and whether the site was broken then."""

    name: str
    broken: str
    apart: bool
    told: list[tuple[bool, list[str]]] = field(default_factory=list)
    """After each visit: whether the site was broken, and kinds and sentences of the causes."""
    usable: bool = True


def watch(watched: Watched, folder: Path, *, seed: str) -> SiteReport:
    """Visit a site for three weeks; the last row of its report."""
    chance, clock = random.Random(order(seed + watched.name)), Clock()
    served = ServedSite(ThinSite(watched.name), clock, chance, watched.broken, second=watched.apart)
    served.has_feed = bool(watched.broken) and BREAKS[watched.broken].needs == "feed"
    every, breaks_on = chance.choice((1, 2, 2, 3)), chance.randrange(9, 13)
    start = ",".join(page_url(watched.name, page) for page in served.site.listings)
    effort = chance.choice(("normal", "normal", "quick"))
    more = {"discover": "links,feeds", "scope": "site"} if served.has_feed else {}
    row, rate = SiteReport(watched.name), 0.85 * (len(served.site.articles) - 12) / DAYS
    with patch("sitecrawl.crawl.pipeline.now", clock):
        for since in range(0, DAYS, every):
            clock.now = datetime(2026, 11, 2, 6, tzinfo=UTC) + timedelta(
                days=since, minutes=chance.randrange(40)
            )
            served.is_broken = bool(watched.broken) and since >= breaks_on
            crawl = Crawl.of(
                served, folder, start=start, effort=effort, **({"scope": "section"} | more)
            )  # type: ignore[arg-type]
            crawl.run()
            (row,) = fleet_of(Stores(folder)).sites
            watched.usable = row.figures.articles[0] > 4
            watched.told.append(
                (served.is_broken, [f"{cause.kind}: {cause.text}" for cause in row.causes])
            )
            served.published += sum(chance.random() < rate / 6 for _ in range(6 * every))
    return row


def deal(count: int, seed: str) -> list[Watched]:
    """Open sites and what breaks half of them: those with enough articles that some come after the
    break. A third is kept apart."""
    names = sorted(
        (name for name in site_names("open") if len(ThinSite(name).articles) >= 14), key=order
    )[:count]
    ways, found = sorted(BREAKS, key=lambda way: order(seed + way)), []
    large = sorted(
        (name for name in names if len(ThinSite(name).articles) >= 26),
        key=lambda name: order(seed + name),
    )
    able = large[: count // 2]
    for at, name in enumerate(names):
        way = next(way for way in ways if can_break(name, way)) if name in able else ""
        ways = [one for one in ways if one != way] + [way] * bool(
            way
        )  # each way comes before any comes again
        found.append(Watched(name, way, apart=at % 3 == 2))
    return found


def can_break(name: str, way: str) -> bool:
    """Whether a site has the letters that a break needs."""
    return BREAKS[way].needs != "foreign" or site_meta(name)["lang"] not in ("en", "id", "nl")


def judge(watched: Watched) -> str:
    """``right``, ``generic``, ``wrong`` or ``missed``: what the report said at the end of a site
    that broke."""
    first = watched.told[-1][1][0].partition(":")[0] if watched.told[-1][1] else ""
    if not first:
        return "missed"
    return (
        "right"
        if first in BREAKS[watched.broken].causes
        else "generic"
        if first in GENERIC
        else "wrong"
    )


def tell(found: list[Watched], title: str) -> None:
    """Print the figures of some sites, those left out of which too little is left for a crawl."""
    found = [one for one in found if one.usable]
    verdicts = Counter(judge(one) for one in found if one.broken)
    healthy = [said for one in found for was_broken, said in one.told if not was_broken]
    alarms = sum(bool(said) for said in healthy)
    print(
        json.dumps(
            {"sites": title, **verdicts, "healthy visits": len(healthy), "false alarms": alarms}
        ),
        flush=True,
    )


def hand_on(watched: Watched, later: list[Watched]) -> None:
    """Give the break of a site of which too little is left for a crawl to the next one with enough
    articles."""
    for one in later:
        is_free = (
            not one.broken and one.apart == watched.apart and len(ThinSite(one.name).articles) >= 26
        )
        if is_free and can_break(one.name, watched.broken):
            one.broken, watched.broken = watched.broken, ""
            return


def measure(count: int, seed: str, names: str) -> None:
    """Watch the sites and print what was said."""
    found = [one for one in deal(count, seed) if not names or one.name in names.split(",")]
    for at, one in enumerate(found):
        began = time.process_time()
        with tempfile.TemporaryDirectory() as folder:
            row = watch(one, Path(folder), seed=seed)
        if one.broken and not one.usable:
            hand_on(one, found[at + 1 :])
        news = list(row.figures.articles)
        alarms = [said for was_broken, said in one.told if not was_broken and said]
        said = {
            "site": one.name,
            "apart": one.apart,
            "broken": one.broken,
            "verdict": judge(one) if one.broken else "",
            **model_sets.marks(one.name),
        }
        said |= {"articles": news, "cpu": round(time.process_time() - began, 1), "alarms": alarms}
        print(
            json.dumps(said | {"said": one.told[-1][1] if one.broken else []}, ensure_ascii=False),
            flush=True,
        )
    tell([one for one in found if not one.apart], "built on")
    tell([one for one in found if one.apart], "apart")
    tell(found, "all")


def main(arguments: list[str]) -> None:
    args = asked(
        *(__doc__, arguments),
        count=(60, "number of sites (default: 60)"),
        seed=("", "another word deals the breaks to other sites"),
        sites=("", "only these, names with commas"),
        pictures=(False, "make the screenshots instead"),
        output=("", "keep the report of the pictures in this file"),
        images=(IMAGES, "folder of the screenshots"),
    )
    if not args.pictures:
        measure(args.count, args.seed, args.sites)
        return
    with tempfile.TemporaryDirectory() as kept:
        folder = Path(kept)
        spread = make_fleet(folder)
        began = time.perf_counter()
        html = report_html(fleet_of(Stores(folder)))
        took = time.perf_counter() - began
        report = Path(args.output or folder / "report.html")
        report.write_text(html, "utf-8")
        print(f"300 sites: {len(html.encode()) / 1e6:.1f} MB, written in {took:.1f} s")
        shoot(report.resolve(), args.images, spread)
