"""Answers come in any order: a crawl brings the same articles."""

from __future__ import annotations

import random
from pathlib import Path
from unittest.mock import patch

import pytest

from benchmarks.crawl import without_network
from benchmarks.harness import site_names
from sitecrawl.crawl.records import PlannedRequest
from sitecrawl.extras.demo import site_pages
from tests.crawl.driver import Crawl, Network, Order, Pages, by_priority
from tests.crawl.test_page_kinds import shop
from tests.crawl.test_traps import one_text
from tests.links.models import credulous
from tests.pages import article_page, listing_page


def shuffled(requests: list[PlannedRequest]) -> list[PlannedRequest]:
    return random.Random(len(requests)).sample(requests, len(requests))


ORDERS: dict[str, Order] = {
    "first in first out": lambda requests: requests,
    "last in first out": lambda requests: requests[::-1],
    "shuffled": shuffled,
}
SITES: dict[str, Pages] = {"shop": shop(), "demo": dict(site_pages()), "one text": {"*": one_text}}


def articles(pages: Pages, folder: Path, order: Order) -> list[str]:
    """Paths of the articles of a crawl to which answers come in this order."""
    folder.mkdir()
    with patch.object(Crawl, "order", staticmethod(order)):
        crawl = Crawl.of(Network(pages), folder, link_model=str(credulous(folder)))
        crawl.run()
    return crawl.paths


@pytest.mark.parametrize("site", SITES)
def test_generated_sites(tmp_path: Path, site: str) -> None:
    usual = articles(SITES[site], tmp_path / "usual", by_priority)
    assert usual
    assert {name: articles(SITES[site], tmp_path / name, order) for name, order in ORDERS.items()} == dict.fromkeys(
        ORDERS, usual
    )


def test_open_sites() -> None:
    """Real sites, where the data of the benchmarks is at hand; all of their listing pages are opened."""
    for site in {"dundeechess"}.intersection(site_names("all")):
        found = set[tuple[str, ...]]()
        for order in (by_priority, *ORDERS.values()):
            with patch.object(Crawl, "order", staticmethod(order)):
                _, items, _ = without_network(site, effort="full")
            found.add(tuple(sorted(item["url"] for item in items)))
        assert len(found) == 1


def test_a_kill_loses_the_evidence_of_few_pages(tmp_path: Path) -> None:
    """What a page family is like is learned from every page, also from those that a template answers without a doubt."""
    pages: Pages = {f"/2024/05/a-{number}.html": article_page(number) for number in range(60)}
    crawl, lost = Crawl.of(Network(pages | {"/": listing_page(range(60))}), tmp_path), list[int]()
    for _ in crawl.steps():
        model = next(iter(crawl.sites.models.values()))
        kept = crawl.sites.store.load("news.example") or {"families": ()}
        lost.append(sum(family.uses for family in model.families) - sum(one["uses"] for one in kept["families"]))
    assert len(crawl.feed) == 60
    assert 0 < max(lost) <= 10
