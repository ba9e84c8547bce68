"""A crawl that is told to stop ends within seconds, also where a site does not answer: what it has
sent is dropped after a short grace, and what waits for its turn is not sent. The next run asks for
both again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest

_GRACE = 2.0  # seconds in which answers that are on their way may still come
_LOOK = 0.25  # seconds between two looks whether the crawl was told to stop
_STOPPED = "the crawl was told to stop"

_Answer = TypeVar("_Answer")
_UNDER_WAY: WeakKeyDictionary[Crawler, set[asyncio.Future[Any]]] = WeakKeyDictionary()
"""The requests of each crawler that were sent and not answered."""


async def answer_until_stop(crawler: Crawler, sending: Awaitable[_Answer]) -> _Answer:
    """The answer to a request. Raises IgnoreRequest where the crawl was stopped before it came."""
    sent = asyncio.ensure_future(sending)
    under_way = _UNDER_WAY.setdefault(crawler, set())
    under_way.add(sent)
    try:
        return await sent
    except asyncio.CancelledError:
        if crawler.crawling:
            raise
        raise IgnoreRequest(_STOPPED) from None
    finally:
        under_way.discard(sent)


class PromptStop:
    """An extension that looks whether its crawl was told to stop."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._looking: asyncio.Future[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> PromptStop:
        made = cls(crawler)
        crawler.signals.connect(made.opened, signals.spider_opened)
        crawler.signals.connect(made.closed, signals.spider_closed)
        return made

    def opened(self) -> None:
        self._looking = asyncio.ensure_future(self._look_on())

    def closed(self) -> None:
        if self._looking is not None:
            self._looking.cancel()

    async def _look_on(self) -> None:
        while self._crawler.crawling:
            await asyncio.sleep(_LOOK)
        await asyncio.sleep(_GRACE)
        while True:  # one that waited for robots.txt is sent only now
            self._drop_requests()
            await asyncio.sleep(_LOOK)

    def _drop_requests(self) -> None:
        engine = self._crawler.engine
        if engine is not None:
            for slot in engine.downloader.slots.values():
                while slot.queue:
                    _, waiting = slot.queue.popleft()
                    waiting.errback(IgnoreRequest(_STOPPED))
        for sent in tuple(_UNDER_WAY.get(self._crawler, ())):
            sent.cancel()
