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
    """Twenty sites of a worker opened so many pages at once that each took too long, and no page of any came."""
    open_now: list[str] = []

    async def draw(self: Any, request: Request) -> HtmlResponse:
        open_now.append(request.url)
        await asyncio.sleep(0.04 * len(open_now))  # the machine is shared by all open pages
        open_now.remove(request.url)
        return HtmlResponse(request.url)

    async def drawn() -> list[Any]:
        browsers = [Browser(get_crawler(settings_dict={"DOWNLOAD_TIMEOUT": 0.5})) for _ in range(20)]
        pages = [one.fetch(Request(f"http://a{n}.example/")) for n, one in enumerate(browsers)]
        return await asyncio.gather(*pages, return_exceptions=True)

    monkeypatch.setattr(Browser, "_draw", draw)
    monkeypatch.setattr(browser, "_GRACE", 0.0)
    for _ in range(2):  # a process may have several event loops, one after the other
        assert [type(page) for page in asyncio.run(drawn())] == [HtmlResponse] * 20
