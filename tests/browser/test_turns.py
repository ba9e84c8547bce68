"""Crawls of one process that draw pages at the same time."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from scrapy.http import HtmlResponse, Request
from scrapy.utils.test import get_crawler

from sitecrawl.extras.browser import browser
from sitecrawl.extras.browser.browser import Browser


def test_the_time_of_a_page_counts_from_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty sites of a worker opened so many pages at once that each took too long, and no page of
    any came."""
    open_now: list[str] = []

    async def draw(self: Any, request: Request) -> HtmlResponse:
        open_now.append(request.url)
        await asyncio.sleep(0.04 * len(open_now))  # the machine is shared by all open pages
        open_now.remove(request.url)
        return HtmlResponse(request.url)

    async def drawn() -> list[Any]:
        browsers = [
            Browser(get_crawler(settings_dict={"DOWNLOAD_TIMEOUT": 0.5})) for _ in range(20)
        ]
        pages = [one.fetch(Request(f"http://a{n}.example/")) for n, one in enumerate(browsers)]
        return await asyncio.gather(*pages, return_exceptions=True)

    monkeypatch.setattr(Browser, "_draw", draw)
    monkeypatch.setattr(browser, "_GRACE", 0.0)
    for _ in range(2):  # a process may have several event loops, one after the other
        assert [type(page) for page in asyncio.run(drawn())] == [HtmlResponse] * 20


def test_a_browser_that_nobody_uses_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """It stayed open to the end of its crawl, with 350 MB, also where the first pages had shown
    that none is needed."""
    known: list[str] = []

    class Handler:
        def __init__(self) -> None:
            known.append("opened")

        async def close(self) -> None:
            known.append("closed")

    async def draw(self: Any, request: Request) -> HtmlResponse:
        self.handler = self.handler or Handler()
        await asyncio.sleep(float(request.url.rpartition("/")[2]))
        known.append("drawn")
        return HtmlResponse(request.url)

    async def crawled() -> None:
        used = Browser(get_crawler(), idle=0.2)
        await asyncio.gather(
            *(used.fetch(Request(f"http://a.example/{seconds}")) for seconds in (0.5, 0.1))
        )
        for pause in (0.0, 0.5):
            await asyncio.sleep(pause)
            await used.fetch(Request("http://a.example/0"))
        await used.close()

    monkeypatch.setattr(Browser, "_draw", draw)
    asyncio.run(crawled())
    assert known == "opened drawn drawn drawn closed opened drawn closed".split()
