"""`sitecrawl work`: visits sites when they are due, many at once."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from sitecrawl.commands._help import Help, OptionError, complain
from sitecrawl.commands._output import OneLineErrors
from sitecrawl.limits import spare_garbage_collection

_OPTIONS: Mapping[str, str | Mapping[str, Any]] = {
    "--once": "visit what is due, and end: --once    # for cron",
    "--all": "visit every site now, due or not: --once --all",
    "--json": "print a line of JSON a visit: --json",
    "--metrics": {
        "default": "",
        "metavar": "[HOST:]PORT",
        "help": "answer Prometheus there, on 127.0.0.1 unless a host is named: --metrics 9310",
    },
    "--processes": {
        "type": int,
        "default": 1,
        "metavar": "N",
        "help": "processes, for a machine with N cores: --processes 4",
    },
}


class WorkCommand(OneLineErrors):
    """The worker of a data folder, or one of many workers of a server."""

    default_settings: ClassVar[dict[str, Any]] = {}
    explains = Help(
        "Visit sites when they are due: those of a file, and those that sitecrawl sites watches",
        {"[FILE]": "TOML file of sites, read again when it changes: see docs/monitoring.md"},
        (
            "sitecrawl work sites.toml",
            "sitecrawl work sites.toml --once    # for cron: what is due, then end",
            "SITECRAWL_DATABASE=postgresql://crawl@db/crawl sitecrawl work -s SITECRAWL_WORKER_SITES=50",
        ),
        _OPTIONS,
    )

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        from sitecrawl.extras.fleet.engine import WorkerSettings
        from sitecrawl.extras.fleet.sites_file import FollowedFile
        from sitecrawl.extras.fleet.worker import WorkOrder, work

        if len(args) > 1:
            raise OptionError("name one file of sites: sitecrawl work sites.toml")
        if opts.processes < 1:
            raise OptionError("--processes is 1 or more")
        known = WorkerSettings.from_settings(self.settings)
        file = FollowedFile(Path(args[0])) if args else None
        if file and file.known.jobs and "SITECRAWL_WORKER_SITES" not in opts_given(opts):
            known = replace(known, sites=file.known.jobs)
        plan = WorkOrder(
            file=file,
            is_once=opts.once,
            is_all=opts.all,
            as_json=opts.json,
            processes=opts.processes,
            metrics=opts.metrics,
        )
        spare_garbage_collection()
        self.exitcode = work(self.settings, known, plan=plan, say=complain)


def opts_given(opts: argparse.Namespace) -> set[str]:
    """The names of the settings that were typed."""
    return {str(given).partition("=")[0] for given in opts.set}
