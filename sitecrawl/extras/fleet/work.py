"""`sitecrawl work`: visits sites when they are due, many at once, until it is stopped."""

from __future__ import annotations

import argparse
from typing import Any, ClassVar

from scrapy.crawler import AsyncCrawlerProcess

from sitecrawl.commands._help import Help, OptionError, complain
from sitecrawl.commands._output import OneLineErrors
from sitecrawl.commands.crawl import quieten
from sitecrawl.limits import spare_garbage_collection


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
        from sitecrawl.extras.fleet.worker import Worker, WorkerSettings, run_until_stopped

        process = self.crawler_process
        assert isinstance(process, AsyncCrawlerProcess)
        if args:
            raise OptionError(
                "sitecrawl work takes no arguments: name sites with sitecrawl sites add"
            )
        known = WorkerSettings.from_settings(self.settings)
        quieten(self.settings.get("LOG_LEVEL"))
        spare_garbage_collection()
        worker = Worker(process, known, say=complain)
        process.settings.set("SITECRAWL_PROGRESS", False, priority="cmdline")
        if url := known.crawl.database:
            process.settings.set("SITECRAWL_DATABASE", named(url, worker.name), priority="cmdline")
        run_until_stopped(process, worker)
