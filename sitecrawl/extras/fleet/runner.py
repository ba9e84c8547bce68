"""Runs a coroutine in Scrapy's reactor, until it ends or a person stops it."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from types import FrameType

from scrapy.crawler import AsyncCrawlerProcess

Say = Callable[[str], None]


def run_in_reactor(process: AsyncCrawlerProcess, main: Callable[[], Awaitable[None]]) -> None:
    """Run the reactor until ``main`` ends. Raises the error that ended it."""
    from twisted.internet import reactor

    ended: list[asyncio.Future[None]] = []

    def begin() -> None:
        asyncio.ensure_future(main()).add_done_callback(end)

    def end(work: asyncio.Future[None]) -> None:
        ended.append(work)
        reactor.stop()  # type: ignore[misc]

    reactor.callWhenRunning(begin)
    process.start(stop_after_crawl=False, install_signal_handlers=False)
    for work in ended:
        work.result()


class Stopper:
    """The signals that stop a worker. The first asks it to end in order; a second one ends it at
    once, and so does a stop that takes longer than ``patience`` seconds: a database that hangs
    blocks the loop, but not Python's signals."""

    def __init__(self, *, say: Say, patience: float) -> None:
        self.event = asyncio.Event()
        self._say = say
        self._patience = patience
        self.is_told = False
        self._loop: asyncio.AbstractEventLoop | None = None

    def listen(self) -> None:
        """Take the signals of this process, whose loop runs."""
        self._loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM):
            signal.signal(number, self._take)

    def _take(self, number: int, frame: FrameType | None) -> None:
        if self.is_told:
            self._say("ended at once: the next worker continues the open crawls")
            os._exit(1)
        self.is_told = True
        self._say("stopping: the next worker continues the open crawls")
        signal.setitimer(signal.ITIMER_REAL, self._patience)
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self.event.set)
