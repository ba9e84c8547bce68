"""`sitecrawl status`: what the workers of `sitecrawl work` are doing."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from sitecrawl.commands._help import Help, OptionError
from sitecrawl.commands._output import OneLineErrors


class StatusCommand(OneLineErrors):
    """Prints the queue, the workers, their rates, and the last outcome of each site."""

    explains = Help(
        "Show the queue, the workers, their rates, and the last outcome of each site",
        {},
        ("sitecrawl status", "sitecrawl status --json"),
        {"--json": "print one JSON object"},
    )

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        from sitecrawl.extras.fleet.schedule import Schedule
        from sitecrawl.extras.fleet.worker import WorkerSettings
        from sitecrawl.text.chars import printable

        if args:
            raise OptionError("sitecrawl status takes no arguments but --json")
        known = WorkerSettings.from_settings(self.settings)
        with closing(Schedule(known.crawl.stores.watched())) as schedule:
            found = schedule.to_dict(known.lost_after)
        for line in [json.dumps(found, ensure_ascii=False)] if opts.json else _lines(found):
            print(printable(line))


def _lines(found: dict[str, Any]) -> Iterator[str]:
    overdue = f"{found['overdue']} overdue (by {found['overdue_longest']} s at most)"
    yield f"sites watched: {found['sites']}, {found['under_way']} being crawled, {overdue}"
    if not found["sites"]:
        yield "watch one with: sitecrawl sites add URL (for sites of sitecrawl crawl and sitecrawl run, see sitecrawl report)"
    for worker in found["workers"]:
        state = "works" if worker["alive"] else f"lost for {worker['heard_of']} s"
        yield f"worker {worker['name']}: {state}, crawls of sites: {worker['sites']}, {worker['pages_an_hour']} pages an hour"
    for site in found["last"]:
        outcome, state = "not visited yet", " being crawled;" if site["under_way"] else ""
        if site["outcome"]:
            outcome = "{articles} articles from {pages} pages ({reason}) {problem}".format(
                **site["outcome"]
            )
        yield f"{site['site']}:{state} {site['ended'] or ''} {outcome}".rstrip()
