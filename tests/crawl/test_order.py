"""Answers come in any order: a crawl brings the same articles."""

from __future__ import annotations

import asyncio
import gc
import random
import weakref
from pathlib import Path
from unittest.mock import patch

import pytest

from benchmarks.crawl import without_network
from benchmarks.harness import site_names
from sitecrawl.crawl.records import FailedPage, PlannedRequest, RequestContext, Role
from sitecrawl.extras.demo import site_pages
from sitecrawl.spiders.order import AnswerOrder
from tests.crawl.driver import Crawl, Network, Order, Pages, first_in_first_out
from tests.crawl.test_page_kinds import shop
from tests.crawl.test_traps import one_text
from tests.links.models import credulous


def shuffled(requests: list[PlannedRequest]) -> list[PlannedRequest]:
    return random.Random(len(requests)).sample(requests, len(requests))


ORDERS: dict[str, Order] = {
    "articles first": lambda requests: sorted(
        requests, key=lambda planned: planned.context.role is not Role.ARTICLE
    ),
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
    usual = articles(SITES[site], tmp_path / "usual", first_in_first_out)
    assert usual
    assert {
        name: articles(SITES[site], tmp_path / name, order) for name, order in ORDERS.items()
    } == dict.fromkeys(ORDERS, usual)


def test_open_sites() -> None:
    """Real sites, where the data of the benchmarks is at hand; all of their listing pages are
    opened."""
    for site in {"videoludique"}.intersection(site_names("all")):
        found = set[tuple[str, ...]]()
        for order in (first_in_first_out, *ORDERS.values()):
            with patch.object(Crawl, "order", staticmethod(order)):
                _, items, _ = without_network(site, effort="full")
            found.add(tuple(sorted(item["url"] for item in items)))
        assert len(found) == 1


@pytest.mark.parametrize("in_browser", [False, True])
def test_a_page_in_the_browser_is_awaited(in_browser: bool) -> None:
    """What it shows decides how the pages behind it are read: a busy worker that did not await it
    lost articles."""
    behind = FailedPage(
        RequestContext("http://a.example/", Role.SECTION), "the server answered 404"
    )

    async def handled_without_it() -> list[object]:
        handled: list[object] = []
        order = AnswerOrder(0.1, lambda: handled.extend(order.ready()))
        order.number(in_browser=in_browser)
        list(order.came(order.number(), behind))
        await asyncio.sleep(0.4)
        return handled

    assert asyncio.run(handled_without_it()) == ([] if in_browser else [behind])


def test_a_crawl_that_is_over_leaves_no_timer() -> None:
    """A timer that waited for a late answer kept the whole crawl in memory for 20 seconds after its
    end."""

    async def order_is_freed() -> bool:
        order = AnswerOrder(60.0, lambda: None)
        for _ in range(2):
            number, behind = order.number(), order.number()
            for late in (behind, number):  # its timer is of no use once it came
                list(
                    order.came(
                        late, FailedPage(RequestContext("http://a.example/", Role.SECTION), "404")
                    )
                )
        order.number()
        list(
            order.came(
                order.number(), FailedPage(RequestContext("http://a.example/", Role.SECTION), "404")
            )
        )
        order.clear()
        known = weakref.ref(order)
        del order
        gc.collect()
        return known() is None

    assert asyncio.run(order_is_freed())
