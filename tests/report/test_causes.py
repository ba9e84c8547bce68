"""Causes by visit records alone: the synthetic fleet, and what no crawl of a test takes the time
for."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from sitecrawl.crawl.reasons import Severity
from sitecrawl.crawl.store import Stores
from sitecrawl.crawl.visit import Loss, PageSample, Visit
from sitecrawl.extras.report.fleet import SiteReport, fleet_of
from sitecrawl.extras.report.history import History
from sitecrawl.extras.report.rules import causes_of
from tests.report.fleets import BROKEN, WATCHED, complete, make_fleet, visits_of


def test_every_trouble_of_the_fleet_has_its_cause(tmp_path: Path) -> None:
    spread = make_fleet(tmp_path, 40)
    fleet = fleet_of(Stores(tmp_path))
    found = {site.site: [str(cause.kind) for cause in site.causes] for site in fleet.sites}
    assert {name: kinds[:1] for name, kinds in found.items() if kinds} == {
        name: [kind] for name, kind in spread.items()
    }
    assert set(spread.values()) == set(BROKEN) | set(WATCHED)
    assert [site.level for site in fleet.sites] == sorted(
        [site.level for site in fleet.sites], key=list(Severity).index
    )
    assert fleet.count(Severity.BROKEN) == 11
    told = fleet.to_dict()
    assert told["totals"]["sites"] == 40
    assert (
        told["sites"][0]["causes"][0]["text"]
        == "0 articles since 14 Nov: the start page answers 404"
    )


def with_articles(counts: list[int]) -> History:
    """Visits with so many articles."""
    visits = visits_of("a.example", 1, len(counts))
    return History(
        [replace(visit, articles=count) for visit, count in zip(visits, counts, strict=True)]
    )


@pytest.mark.parametrize(
    ("counts", "kinds"),
    [
        ([500, 10, 12, 9, 11, 10], []),
        ([500, 10, 12, 9, 11, 0], ["silent"]),
        ([500, 1, 0, 2, 1, 0], []),
        ([500, 10, 0, 0, 12, 0, 0, 9, 0, 0], []),
        ([500, 10, 0, 0, 12, 0, 0, 9, 0, 0, 0, 0, 0], ["silent"]),
        ([500, 40, 44, 38, 4], ["fell"]),
        ([500, 40, 44, 38, 12], []),
        ([500, 5, 5, 0, 0], []),
        ([500, 40], []),
    ],
)
def test_what_is_chance_and_what_is_not(counts: list[int], kinds: list[str]) -> None:
    assert [cause.kind for cause in causes_of(with_articles(counts))] == kinds


@pytest.mark.parametrize(("kind", "kinds"), [("listing", []), ("other", ["not-articles"])])
def test_listings_that_are_opened_again_are_no_refused_articles(
    kind: str, kinds: list[str]
) -> None:
    """Four boards, which looked like threads, were most of what the links of a quiet site
    promised."""
    visits = with_articles([108, 1, 1, 0, 1]).visits
    asked = [[("article", "article", one.articles), ("article", kind, 4)] for one in visits]
    history = History(
        [replace(one, pages_as=roles) for one, roles in zip(visits, asked, strict=True)]
    )
    assert [cause.kind for cause in causes_of(history)] == kinds


@pytest.mark.parametrize(
    ("counts", "limited", "kinds"),
    [
        ([200, 200, 200, 170, 6], 3, []),
        ([200, 200, 200, 170, 60, 66, 58, 4], 3, ["fell"]),
        ([20, 20, 20, 20, 20, 0, 0], 5, ["silent"]),
    ],
)
def test_visits_that_a_limit_ended_fetch_the_archive(
    counts: list[int], limited: int, kinds: list[str]
) -> None:
    """The first daily visit after an archive that was fetched in four parts was called a tenth of
    what is usual."""
    reasons = ["max_articles"] * limited + ["finished"] * (len(counts) - limited)
    visits = zip(with_articles(counts).visits, reasons, strict=True)
    ended = [replace(visit, reason=reason, pages_as=[]) for visit, reason in visits]
    assert [cause.kind for cause in causes_of(History(ended))] == kinds


@pytest.mark.parametrize(
    ("counts", "efforts", "kinds"),
    [
        ([40, 300, 3], "qnn", []),
        ([40, 300, 5, 0], "qnnn", []),
        ([500, 40, 44, 38, 3], "nnnnq", []),
        ([500, 40, 44, 38, 3], "qqqqn", []),
        ([500, 40, 44, 38, 3], "fnnnn", ["fell"]),
        ([40, 300, 40, 44, 3], "qnnnn", ["fell"]),
    ],
)
def test_visits_of_another_effort_do_not_tell_what_is_usual(
    counts: list[int], efforts: str, kinds: list[str]
) -> None:
    """The first normal visit after a quick one fetched what it had left, and the next brought a
    hundredth."""
    words = {"q": "quick", "n": "normal", "f": "full"}
    visits = zip(with_articles(counts).visits, efforts, strict=True)
    history = History(
        [replace(visit, effort=words[letter], pages_as=[]) for visit, letter in visits]
    )
    assert [cause.kind for cause in causes_of(history)] == kinds


def test_listings_that_only_another_effort_opens_are_not_missed() -> None:
    shown = [("normal", 90)] * 6 + [("quick", 30)] * 3
    visits = zip(visits_of("a.example", 1, len(shown)), shown, strict=True)
    history = History(
        [
            replace(visit, effort=effort, completeness=complete(count), pages=5)
            for visit, (effort, count) in visits
        ]
    )
    assert [cause.kind for cause in causes_of(history)] == []


def test_silent_visits_that_a_limit_ended_do_not_hide_what_was_usual() -> None:
    """Each of them took another visit from those that tell what is usual, until none was left."""
    silent = [
        replace(visit, reason="shutdown", pages_as=[])
        for visit in with_articles([9, 8, 7] + 4 * [0]).visits[-4:]
    ]
    assert History([*with_articles([9, 8, 7]).visits, *silent]).is_silent


def test_visits_that_fetched_nothing_tell_nothing_of_listings() -> None:
    """Eight crawls with a wrong file of cookies, for example, between others that read the
    listing."""
    visits = [replace(visit, completeness=complete(12)) for visit in visits_of("a.example", 1, 18)]

    def kinds(pages: int) -> list[str]:
        changed = [
            replace(visit, completeness=complete(0), pages=pages) if 7 <= n < 15 else visit
            for n, visit in enumerate(visits)
        ]
        return [str(cause.kind) for cause in causes_of(History(changed))]

    assert "listings" in kinds(1)
    assert "listings" not in kinds(0)


@pytest.mark.parametrize(
    ("shown", "kinds"),
    [
        ([30, 31, 30, 32, 31, 10], []),
        ([30, 31, 30, 32, 31, 10, 11], ["listings"]),
        ([30, 31, 10, 32, 31, 30, 31, 10, 11], []),
        ([30, 10, 11], []),
    ],
)
def test_two_visits_in_a_row_tell_of_listings_that_were_cut(
    shown: list[int], kinds: list[str]
) -> None:
    visits = visits_of("a.example", 1, len(shown))
    history = History(
        [
            replace(visit, completeness=complete(count), pages=5)
            for visit, count in zip(visits, shown, strict=True)
        ]
    )
    assert [cause.kind for cause in causes_of(history)] == kinds


@pytest.mark.parametrize(
    ("dated", "kinds"),
    [
        (["d" * 12, "----", "---"], ["field"]),
        (["d" * 12, "---d", "---"], []),
        (["d" * 12] * 2 + ["---d", "---"], ["field"]),
    ],
)
def test_old_articles_of_the_first_visit_differ_from_new_ones(
    dated: list[str], kinds: list[str]
) -> None:
    """Each sign is an article: ``d`` has a date. That some new articles have none, after the first
    visit alone, is no change."""
    found = [
        replace(
            visit,
            samples=[
                PageSample(f"/{n}", left=True, lacks=("datePublished",) * (sign == "-"))
                for n, sign in enumerate(signs)
            ],
        )
        for visit, signs in zip(visits_of("a.example", 1, len(dated)), dated, strict=True)
    ]
    assert [cause.kind for cause in causes_of(History(found))] == kinds


@pytest.mark.parametrize(("shown", "kind"), [(1, "listings"), (7, "listings"), (30, "silent")])
def test_listings_that_were_cut_explain_the_silence(shown: int, kind: str) -> None:
    visits = visits_of("a.example", 1, 10)
    found = [
        replace(
            visit, articles=10 * (n < 6), completeness=complete(30 if n < 6 else shown), pages=5
        )
        for n, visit in enumerate(visits)
    ]
    first = causes_of(History(found))[0]
    assert (first.kind, first.level) == (kind, Severity.BROKEN)


FED = {"counts": {"hints/feed": 10}, "articles": 10, "completeness": complete(0)}
SPANISH = [
    PageSample(f"/{n}", left=True, characters=2_400, language="es", lacks=("datePublished",))
    for n in range(6)
]


@pytest.mark.parametrize(
    ("changed", "kind", "explained"),
    [
        ({"articles": 0, "completeness": complete(1), "pages": 5}, "listings", "silent"),
        (FED, "feed-only", "no-articles"),
        ({"samples": SPANISH}, "language", ""),
        ({"samples": [replace(one, language="en") for one in SPANISH]}, "field", "language"),
    ],
)
def test_a_cause_stands_before_what_it_explains(
    changed: dict[str, Any], kind: str, explained: str
) -> None:
    """Cut listings explain silence, a feed explains that listings show nothing, another language
    explains dates that cannot be read."""
    visits = visits_of("a.example", 1, 10)
    found = [
        replace(visit, **{"completeness": complete(30)} | (changed if n > 5 else {}))
        for n, visit in enumerate(visits)
    ]
    first, *others = [cause.kind for cause in causes_of(History(found))]
    assert first == kind
    assert explained not in others


@pytest.mark.parametrize(("role", "kinds"), [("section", []), ("article", ["losses"])])
def test_a_listing_that_fails_is_no_lost_article(role: str, kinds: list[str]) -> None:
    (first, *others) = visits_of("a.example", 1, 7)
    lost = [Loss("the server answered 500", "/b", 3)]
    failed = [
        replace(visit, articles=0, lost=lost, pages_as=[(role, "lost", 3)]) for visit in others
    ]
    assert [
        cause.kind for cause in causes_of(History([replace(first, articles=12), *failed]))
    ] == kinds


@pytest.mark.parametrize(
    "why", ["the server answered 404", "the server answered 410", "they lead to the front page"]
)
def test_deleted_articles_are_no_loss_while_others_come(why: str) -> None:
    """A site that sends the readers of deleted articles to its front page was called broken after a
    refresh, one that answers 404 was not."""
    (*earlier, last) = visits_of("a.example", 1, 7)
    lost = replace(
        last,
        articles=3,
        lost=[Loss(why, "/b", 5)],
        pages_as=[("article", "lost", 5), ("article", "article", 3)],
    )
    assert causes_of(History([*earlier, lost])) == []


def test_links_that_were_dead_from_the_first_visit_on_are_no_loss() -> None:
    dead = {
        "lost": [Loss("the server answered 404", "/b", 13)],
        "pages_as": [("article", "lost", 13)],
    }
    counts = [12, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0]
    visits = zip(visits_of("a.example", 1, len(counts)), counts, strict=True)
    assert (
        causes_of(History([replace(visit, articles=count, **dead) for visit, count in visits]))
        == []
    )  # type: ignore[arg-type]


def test_feeds_and_states_that_cannot_be_written() -> None:
    (*earlier, last) = visits_of("a.example", 1)
    for changed, kind in (
        ({"unwritten": True}, "unwritten"),
        ({"broken": "store x: damaged"}, "state"),
    ):
        causes = causes_of(History([*earlier, replace(last, **changed)]))
        assert [cause.kind for cause in causes] == [kind]
        assert causes[0].level is Severity.BROKEN


def test_a_site_without_visits_is_fine() -> None:
    assert causes_of(History([])) == []
    assert SiteReport("a.example").level is Severity.FINE
    assert Visit("a.example").share == 1.0


def test_a_first_visit_without_articles_is_not_silent() -> None:
    assert not with_articles([0]).is_silent
    assert not with_articles([0, 0]).is_silent
    assert with_articles([30, 30, 28, 31, 0, 0]).is_silent


def test_a_single_earlier_visit_may_have_caught_up() -> None:
    assert not with_articles([500, 150, 0]).is_silent
    assert not with_articles([500, 150, 0, 0]).is_silent
    assert with_articles([500, 40, 30, 0, 0]).is_silent


def dated(ages: list[int], *, first: str = "finished", later: str = "finished") -> list[str]:
    """The causes where the articles of each visit are so many days older than it, and the first
    visit and the later ones ended so."""
    found = []
    for age, visit in zip(ages, visits_of("a.example", 1, len(ages)), strict=True):
        day = (datetime.fromisoformat(visit.began) - timedelta(days=age)).date().isoformat()
        reason = later if found else first
        found.append(
            replace(visit, reason=reason, samples=[replace(one, day=day) for one in visit.samples])
        )
    return [cause.kind for cause in causes_of(History(found)) if cause.kind == "dates"]


def test_dates_are_checked_where_a_limit_ends_all_visits() -> None:
    """All visits counted as parts of the archive, so that no change of their dates was told."""
    assert dated([30] * 8 + [0] * 4, first="max_pages", later="max_pages") == ["dates"]
    assert dated([0] * 12, first="max_pages", later="max_pages") == []


@pytest.mark.parametrize("day", ["2024", "2024-05", "5.06.2024"])
def test_dates_in_another_form_do_not_stop_a_report(day: str) -> None:
    """An item pipeline may write them; the report of the whole fleet ended in a traceback."""
    visits = visits_of("a.example", 1, 6)
    assert (
        causes_of(
            History(
                [
                    replace(it, samples=[replace(one, day=day) for one in it.samples])
                    for it in visits
                ]
            )
        )
        == []
    )


@pytest.mark.parametrize(
    ("ages", "first", "kinds"),
    [
        ([30, 0, 0, 0, 0], "finished", []),
        ([30, 40, 0, 0, 0, 0], "max_articles", []),
        ([30, 40, 40, 40, 0, 0], "finished", ["dates"]),
        ([30, 40, 0, 0, 0, 0], "finished", []),
        ([0, 0, 0, 0], "finished", []),
        ([30, 0, -700, -700], "finished", ["dates"]),
        ([30, -700, -700], "finished", ["dates"]),
    ],
)
def test_articles_of_the_day_are_usual_where_a_site_is_visited_daily(
    ages: list[int], first: str, kinds: list[str]
) -> None:
    """A daily crawl of a sound site was called broken from its third day on, because the archive
    holds no article of the day of its crawl."""
    assert dated(ages, first=first) == kinds


@pytest.mark.parametrize(
    ("bad", "of", "kinds"), [(6, 12, ["reduced"]), (3, 12, []), (2, 2, []), (3, 4, ["reduced"])]
)
def test_texts_that_hold_nothing_but_headline_and_date(bad: int, of: int, kinds: list[str]) -> None:
    """The first visit already tells: a template that took the wrong place was called fine, at a
    confidence of .8 and without a flag."""
    (visit,) = visits_of("a.example", 1, 1)
    pages = [
        PageSample(f"/{n}", "A bridge", left=True, flags=("reduced",) * (n < bad))
        for n in range(of)
    ]
    causes = causes_of(History([replace(visit, samples=tuple(pages))]))
    assert [cause.kind for cause in causes] == kinds


@pytest.mark.parametrize("reason", ["max_articles", "max_pages"])
def test_a_limit_that_the_user_set_is_no_fault(reason: str) -> None:
    (visit,) = visits_of("a.example", 1, 1)
    left = replace(visit, reason=reason, completeness=complete(40, share=0.2, unopened=90))
    assert causes_of(History([left])) == []
    assert causes_of(History([replace(left, reason="finished")]))
