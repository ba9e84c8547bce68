"""`scrapy work`: visits the sites that are due, many at once, until it is stopped."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
from typing import TYPE_CHECKING

from scrapy.commands import ScrapyCommand
from scrapy.crawler import AsyncCrawlerProcess

from sitecrawl.commands._help import Help, OptionError, complain
from sitecrawl.commands._output import Explained
from sitecrawl.commands.crawl import quieten, spare_garbage_collection
from sitecrawl.errors import DatabaseError, SitecrawlError

if TYPE_CHECKING:
    from sitecrawl.extras.fleet.worker import Worker


class WorkCommand(Explained, ScrapyCommand):
    """One worker of a data folder, or one of many of a server."""

    requires_project = False
    explains = Help(
        "Visit the sites that scrapy sites watches, whenever one is due",
        {},
        (
            "sitecrawl work",
            "sitecrawl work -s SITECRAWL_WORKER_SITES=50 -s SITECRAWL_DATABASE=postgresql://crawl@db/crawl",
        ),
    )

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        from sitecrawl.extras.fleet.postgresql import named
        from sitecrawl.extras.fleet.worker import Worker, WorkerSettings

        process = self.crawler_process
        assert isinstance(process, AsyncCrawlerProcess)
        try:
            self.check(args)
            if args:
                raise OptionError("scrapy work takes no arguments: name sites with scrapy sites add")
            known = WorkerSettings.from_settings(self.settings)
            quieten(self.settings.get("LOG_LEVEL"))
            spare_garbage_collection()
            worker = Worker(process, known, complain)
            process.settings.set("SITECRAWL_PROGRESS", False, priority="cmdline")
            if url := known.crawl.database:
                process.settings.set("SITECRAWL_DATABASE", named(url, worker.name), priority="cmdline")
            _start(process, worker)
        except SitecrawlError as error:
            complain(error)
            self.exitcode = 1 if isinstance(error, DatabaseError) else 2


def _start(process: AsyncCrawlerProcess, worker: Worker) -> None:
    """Run the reactor until the worker ends; a second signal ends it at once. Raises what ended the worker."""
    from twisted.internet import reactor

    ended: list[asyncio.Future[None]] = []

    def begin() -> None:
        loop = asyncio.get_event_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop)
        loop.create_task(worker.run()).add_done_callback(end)

    def stop() -> None:
        if worker.stopping:
            sys.exit(1)
        complain("stopping; what is under way is gone on with by the next worker")
        worker.stopping = True

    def end(work: asyncio.Future[None]) -> None:
        ended.append(work)
        reactor.stop()  # type: ignore[misc]

    reactor.callWhenRunning(begin)
    process.start(stop_after_crawl=False, install_signal_handlers=False)
    for work in ended:
        work.result()
