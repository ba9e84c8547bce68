"""`scrapy work`: visits the sites that are due, many at once, until it is stopped."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys

from scrapy.commands import ScrapyCommand
from scrapy.crawler import AsyncCrawlerProcess

from sitecrawl.commands._help import Help
from sitecrawl.commands._output import Explained
from sitecrawl.commands.crawl import quieten, spare_garbage_collection
from sitecrawl.crawl.config import ArgumentError
from sitecrawl.errors import DatabaseError, SitecrawlError
from sitecrawl.extras.fleet.postgresql import named
from sitecrawl.extras.fleet.worker import Worker, WorkerSettings
from sitecrawl.text.chars import printable


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
        assert self.settings is not None
        try:
            self.check(args)
            if args:
                raise ArgumentError("scrapy work takes no arguments: name sites with scrapy sites add")
            known = WorkerSettings.from_settings(self.settings)
        except SitecrawlError as error:
            self._fail(error)
            return
        process = self.crawler_process
        assert isinstance(process, AsyncCrawlerProcess)
        quieten(self.settings.get("LOG_LEVEL"))
        spare_garbage_collection()
        worker = Worker(process, known, _say)
        process.settings.set("SITECRAWL_PROGRESS", False, priority="cmdline")
        if known.crawl.database:
            process.settings.set("SITECRAWL_DATABASE", named(known.crawl.database, worker.name), priority="cmdline")
        self._start(process, worker)

    def _start(self, process: AsyncCrawlerProcess, worker: Worker) -> None:
        """Run the reactor until the worker ends; a second signal ends it at once."""
        from twisted.internet import reactor

        def begin() -> None:
            loop = asyncio.get_event_loop()
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.add_signal_handler(number, stop)
            work = loop.create_task(worker.run())
            work.add_done_callback(end)

        def stop() -> None:
            if worker.stopping:
                sys.exit(1)
            _say("stopping; what is under way is gone on with by the next worker")
            worker.stopping = True

        def end(work: asyncio.Future[None]) -> None:
            error = work.exception()
            if isinstance(error, SitecrawlError):
                self._fail(error)
            elif error is not None:
                raise error
            reactor.stop()  # type: ignore[misc]

        reactor.callWhenRunning(begin)
        process.start(stop_after_crawl=False, install_signal_handlers=False)

    def _fail(self, error: SitecrawlError) -> None:
        _say(str(error))
        self.exitcode = 1 if isinstance(error, DatabaseError) else 2


def _say(line: str) -> None:
    print(f"sitecrawl: {printable(line)}", file=sys.stderr, flush=True)
