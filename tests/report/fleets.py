"""The data folder of synthetic sites visited fourteen times, some of them broken in ten ways, for
the report's tests and screenshots."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sitecrawl.crawl.events import Completeness
from sitecrawl.crawl.visit import Loss, PageSample, TemplateNote, Visit
from sitecrawl.extras.demo import headline
from sitecrawl.extras.visits import log_of

NOW = datetime(2026, 11, 23, 6, 12, tzinfo=UTC)
"""A Monday morning."""
_TOWNS = (
    "harbour lakeside northgate westfield ashford millbrook stonebridge oakham rivermouth saltmarsh "
    "highmoor greenhill foxton eastbank longmeadow".split()
)
_TITLES = (
    "courier herald gazette post council forum blog chronicle observer library times echo tribune mirror journal "
    "bulletin record argus notes voice".split()
)


# ---- visits
def visits_of(site: str, number: int, count: int = 14) -> list[Visit]:
    """Daily visits of a site with which all is well."""
    chance, rate = random.Random(number), (3, 8, 14, 22, 40)[number % 5]
    known = chance.randint(60, 900)
    made = []
    for at in range(count):
        began = NOW - timedelta(days=count - 1 - at, minutes=chance.randint(0, 40))
        articles = known if not at else max(1, round(chance.gauss(rate, rate**0.5)))
        known += articles if at else 0
        made.append(_visit(site, began, articles=articles, known=known, chance=chance))
    return made


def _visit(
    site: str, began: datetime, *, articles: int, known: int, chance: random.Random
) -> Visit:
    shown = 40 + chance.randint(-6, 6)
    coverage = {
        "headline": 1.0,
        "datePublished": round(0.97 + 0.03 * chance.random(), 3),
        "authors": 0.9,
    }
    return Visit(
        site=site,
        start=(f"http://{site}/{('news/', 'city/', '')[len(site) % 3]}",),
        began=_text(began),
        ended=_text(began + timedelta(minutes=3)),
        reason="finished",
        written=articles,
        articles=articles,
        known=known,
        completeness=complete(shown, share=0.975 + 0.025 * chance.random()),
        pages=articles + 9,
        newest=f"{began:%Y-%m-%d}",
        samples=_samples(f"http://{site}/", min(articles, 12)),
        coverage=coverage | {"articleBody": 1.0, "mainImage": 0.8, "comments": 0.3},
        counts={
            "links/article": shown,
            "links/section": 12,
            "links/other": 60,
            "items/template": articles,
        },
        pages_as=(
            ("start", "listing", 1),
            ("article", "article", known),
            ("section", "listing", 8),
        ),
    )


def complete(shown: int, *, share: float = 1.0, unopened: int = 0) -> Completeness:
    """Listing pages that showed so many articles, of which a share was fetched."""
    return Completeness(
        found=shown,
        shown=shown,
        expected=shown / share - shown,
        unopened=unopened,
        opened=200,
    )


def _samples(start: str, count: int) -> tuple[PageSample, ...]:
    """Articles of a visit with which all is well."""
    known: dict[str, Any] = {"left": True, "characters": 2_400, "language": "en"}
    return tuple(
        PageSample(f"{start}a-{at}.html", f"{headline(at)}, part {at}", **known)
        for at in range(count)
    )


def _text(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.000000Z")


Break = Callable[[list[Visit]], None]


def _lost(days: int, why: str) -> Break:
    """The start page was lost in the last visits."""

    def lose(visits: list[Visit]) -> None:
        for at in range(-days, 0):
            visit = visits[at]
            visits[at] = replace(
                _barren(visit, pages=0),
                newest=visits[-days - 1].newest,
                problems=(f"{visit.start[0]}: {why}",),
                lost=(Loss(why, visit.start[0], 1, True),),
            )

    return lose


def _barren(visit: Visit, pages: int) -> Visit:
    return replace(visit, articles=0, written=0, completeness=complete(0), coverage={}, pages=pages)


def _empty(visits: list[Visit]) -> None:
    for at in (-3, -2, -1):
        visits[at] = replace(_barren(visits[at], pages=1), newest=visits[-4].newest)


def _fell(visits: list[Visit]) -> None:
    for at in range(1, len(visits) - 1):
        visits[at] = replace(visits[at], articles=40)
    visits[-1] = replace(visits[-1], articles=3, completeness=complete(3))


def _undated(visits: list[Visit]) -> None:
    last = visits[-1]
    undated = (replace(one, lacks=("datePublished",)) for one in _samples(last.start[0], 12))
    visits[-1] = replace(
        last,
        coverage={**last.coverage, "datePublished": 0.0},
        newest=visits[-2].newest,
        articles=12,
        samples=tuple(undated),
    )


def _noted(at: int, page: str, *more: TemplateNote) -> Break:
    """A visit found its site redesigned."""

    def note(visits: list[Visit]) -> None:
        said, url = "no page agrees with the template", visits[at].start[0] + page
        drifted = TemplateNote("redesigned", "template-1", 2, detail=said, url=url)
        visits[at] = replace(visits[at], events=(*visits[at].events, drifted, *more))

    return note


def _incomplete(visits: list[Visit]) -> None:
    last = visits[-1]
    visits[-1] = replace(
        last,
        completeness=complete(last.completeness.shown, share=0.41, unopened=128),
        listings=tuple(f"{last.start[0]}page/{at}/" for at in range(20, 40)),
    )


def _fed(visits: list[Visit]) -> None:
    """A feed names all new articles of the last visits."""
    for at in range(-4, 0):
        visit = visits[at]
        counts = {**visit.counts, "hints/feed": max(9, visit.articles)}
        visits[at] = replace(visit, counts=counts, articles=max(9, visit.articles))


def _killed(visits: list[Visit]) -> None:
    visits[-1] = replace(_barren(visits[-1], pages=0), ended="")


def _no_articles_fetched(visits: list[Visit]) -> None:
    last = visits[-1]
    lost = Loss("no answer in time", last.start[0] + "a-3.html", last.pages, failed={"article": 1})
    visits[-1] = replace(
        last,
        lost=(*last.lost, lost),
        pages_as=(*last.pages_as, ("article", "lost", last.pages)),
    )


BROKEN: dict[str, Break] = {
    "start-gone": _lost(9, "the server answered 404"),
    "robots": _lost(2, "forbidden by robots.txt"),
    "no-articles": _empty,
    "fell": _fell,
    "drifting": _noted(-4, "2026/a-9.html"),
    "field": _undated,
    "incomplete": _incomplete,
    "network": _lost(1, "no answer in time"),
    "blocked": _lost(4, "the server answered 403"),
    "killed": _killed,
    "losses": _no_articles_fetched,
}
"""Eleven ways to break, by the kind of the cause that the report must give."""
WATCHED: dict[str, Break] = {
    "relearned": _noted(-1, "a.html", TemplateNote("replaced", "template-1", 3)),
    "feed-only": _fed,
}


def site_names(count: int) -> list[str]:
    """Names of synthetic sites, each once."""
    names = [f"{town}-{title}.example" for title in _TITLES for town in _TOWNS]
    while len(names) < count:
        names += [f"{len(names)}-{name}" for name in names]
    return random.Random(7).sample(names, count)


def make_fleet(folder: Path, count: int = 300) -> dict[str, str]:
    """Write the visits of a fleet into a data folder; the kind of trouble by site."""
    troubles = {**BROKEN, **WATCHED}
    names = site_names(count)
    spread = {
        names[(at + 1) * count // (len(troubles) + 1)]: kind for at, kind in enumerate(troubles)
    }
    for number, name in enumerate(names):
        visits = visits_of(name, number)
        if name in spread:
            troubles[spread[name]](visits)
        log_of(folder, name).save_all(visits)
    return spread
