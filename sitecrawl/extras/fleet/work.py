"""`sitecrawl work`: visits sites when they are due, many at once, until it is stopped."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.crawler import AsyncCrawlerProcess

from sitecrawl.commands._help import Help, OptionError, complain
from sitecrawl.commands._output import OneLineErrors
from sitecrawl.commands.crawl import quieten, spare_garbage_collection

if TYPE_CHECKING:
    from sitecrawl.extras.fleet.worker import Worker


class WorkCommand(OneLineErrors):
    """One worker of a data folder, or one of many workers of a server."""

    requires_crawler_process = True
    default_settings: ClassVar[dict[str, Any]] = {}
    explains = Help(
        "Visit the sites that sitecrawl sites watches, whenever one is due",
        {},
        (
            "sitecrawl work",
            "SITECRAWL_DATABASE=postgresql://crawl@db/crawl sitecrawl work -s SITECRAWL_WORKER_SITES=50",
        ),
    )

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        from sitecrawl.extras.fleet.postgresql import named
        from sitecrawl.extras.fleet.worker import Worker, WorkerSettings

        process = self.crawler_process
        assert isinstance(process, AsyncCrawlerProcess)
        if args:
            raise OptionError("sitecrawl work takes no arguments: name sites with sitecrawl sites add")
        known = WorkerSettings.from_settings(self.settings)
        quieten(self.settings.get("LOG_LEVEL"))
        spare_garbage_collection()
        worker = Worker(process, known, say=complain)
        process.settings.set("SITECRAWL_PROGRESS", False, priority="cmdline")
        if url := known.crawl.database:
            process.settings.set("SITECRAWL_DATABASE", named(url, worker.name), priority="cmdline")
        _start(process, worker)


def _start(process: AsyncCrawlerProcess, worker: Worker, *, patience: int = 90) -> None:
    """Run the reactor until the worker ends. A second signal ends it at once, and so does a stop that takes longer than ``patience`` seconds (more
    than any download): a hanging database blocks the loop, but not Python's signals. Raises the error that ended the worker."""
    from twisted.internet import reactor

    ended: list[asyncio.Future[None]] = []

    def begin() -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM):
            signal.signal(number, stop)
        asyncio.get_event_loop().create_task(worker.run()).add_done_callback(end)

    def stop(number: int, _: Any) -> None:
        if worker.stopping:
            complain("ended in the middle; the next worker goes on from there")
            os._exit(1)
        complain("stopping; what is under way is gone on with by the next worker")
        worker.stopping = True
        signal.alarm(patience)

    def end(work: asyncio.Future[None]) -> None:
        ended.append(work)
        reactor.stop()  # type: ignore[misc]

    reactor.callWhenRunning(begin)
    process.start(stop_after_crawl=False, install_signal_handlers=False)
    for work in ended:
        work.result()
