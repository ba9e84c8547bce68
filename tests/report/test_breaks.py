"""A site that breaks in many ways, visit after visit: the first cause that the report gives names
the way."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from sitecrawl.crawl.store import Stores
from sitecrawl.extras.report.fleet import fleet_of
from sitecrawl.extras.report.rules import KINDS
from tests.crawl.driver import HOME, Crawl, Network, Reply
from tests.pages import article_page, listing_page
from tests.report.breaks import BREAKS, Asked, Break

SERVED = (
    "consent wall",
    "parked domain",
    "robot check",
    "maintenance",
    "soft 404",
    "bodies by scripts",
    "paywall",
)


def served(count: int, broken: Break | None = None) -> dict[str, Any]:
    """A site with ``count`` articles; all its pages are changed where it is broken."""
    pages = {f"/2024/05/a-{n}.html": article_page(n) for n in range(count)} | {
        "/": listing_page(range(count))
    }
    if broken is None:
        return dict(pages)
    found: dict[str, Any] = {}
    for path, html in pages.items():
        lines = [line for line in html.split("<p>") if line]
        text = " ".join(line.split("<")[0] for line in lines)
        asked = Asked(
            HOME + path,
            "listing" if path == "/" else "article",
            date(2026, 1, 31),
            "",
            text,
            start=f"{HOME}/",
        )
        found[path] = broken.change(Reply(html.encode()), asked)
    return found


@pytest.mark.parametrize("way", SERVED)
def test_a_break_is_named(way: str, tmp_path: Path) -> None:
    for count in (20, 24, 28):
        Crawl.of(Network(served(count)), tmp_path).run()
    assert fleet_of(Stores(tmp_path)).sites[0].causes == []
    for count in (32, 36):
        Crawl.of(Network(served(count, BREAKS[way])), tmp_path).run()
    (row,) = fleet_of(Stores(tmp_path)).sites
    assert row.causes[0].kind in BREAKS[way].causes, row.causes
    assert row.causes[0].advice
    assert row.causes[0].url.startswith(HOME)


def with_feed(count: int, listed: int) -> dict[str, Any]:
    """A site whose feed names the last six articles, and whose listing shows the first
    ``listed``."""
    urls = "".join(
        f"<item><link>{HOME}/2024/05/a-{n}.html</link></item>"
        for n in range(max(0, count - 6), count)
    )
    head = '<link rel="alternate" type="application/rss+xml" href="/feed.xml"></head>'
    home = {"/": listing_page(range(listed)).replace("</head>", head)}
    feed = Reply(
        f"<rss version='2.0'><channel>{urls}</channel></rss>".encode(), kind="application/rss+xml"
    )
    return served(count) | home | {"/feed.xml": feed}


def test_a_listing_that_stands_still_while_the_feed_goes_on_is_named(tmp_path: Path) -> None:
    for count, listed, kinds in (
        (20, 20, []),
        (24, 24, []),
        (27, 27, []),
        (30, 27, []),
        (33, 27, ["feed-only"]),
    ):
        Crawl.of(Network(with_feed(count, listed)), tmp_path, discover="links,feeds").run()
        (row,) = fleet_of(Stores(tmp_path)).sites
        assert [cause.kind for cause in row.causes] == kinds, (count, row.visits[-1].counts)
        assert row.visits[-1].known == count


def test_every_cause_of_a_break_is_a_kind() -> None:
    assert {cause for way in BREAKS.values() for cause in way.causes} <= set(KINDS)
