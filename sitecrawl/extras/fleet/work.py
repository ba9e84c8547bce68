"""`sitecrawl work`: visits sites when they are due, many at once, until it is stopped."""

from __future__ import annotations

import argparse
from typing import Any, ClassVar

from sitecrawl.commands._help import Help, OptionError, complain
from sitecrawl.commands._output import OneLineErrors
from sitecrawl.commands.crawl import quieten
from sitecrawl.limits import spare_garbage_collection


class WorkCommand(OneLineErrors):
    """The worker of a data folder, or one of many workers of a server."""

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
        from sitecrawl.extras.fleet.engine import WorkerSettings
        from sitecrawl.extras.fleet.worker import work

        if args:
            raise OptionError(
                "sitecrawl work takes no arguments: name sites with sitecrawl sites add"
            )
        known = WorkerSettings.from_settings(self.settings)
        quieten(self.settings.get("LOG_LEVEL"))
        spare_garbage_collection()
        self.settings.set("SITECRAWL_PROGRESS", False, priority="cmdline")
        work(self.settings, known, say=complain)
