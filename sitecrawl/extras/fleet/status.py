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
    """Prints the workers, running and waiting visits, and the last outcome of each site."""

    explains = Help(
        "Show the workers, running and waiting visits, and the last outcome of each site",
        {},
        ("sitecrawl status", "sitecrawl status --json"),
        {"--json": "print one JSON object"},
    )

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        from sitecrawl.extras.fleet.activity import state_of
        from sitecrawl.extras.fleet.schedule import Schedule
        from sitecrawl.text.chars import printable

        if args:
            raise OptionError("sitecrawl status takes no arguments but --json")
        stores = self.known.stores
        with closing(Schedule(stores.watched())) as schedule:
            found = state_of(stores, schedule)
        for line in [json.dumps(found, ensure_ascii=False)] if opts.json else _lines(found):
            print(printable(line))


def _lines(found: dict[str, Any]) -> Iterator[str]:
    overdue = f"{found['overdue']} waiting (for {found['overdue_longest']} s at most)"
    yield f"sites watched: {found['sites']}, {found['under_way']} being crawled, {overdue}"
    if not found["sites"]:
        yield "watch one with: sitecrawl sites add URL (for sites of sitecrawl crawl and sitecrawl run, see sitecrawl report)"
    if not found["workers"]:
        yield "no worker: start one with sitecrawl work"
    for worker in found["workers"]:
        yield f"worker {worker['name']}: heard of {worker['heard_of']} s ago, visits {worker['sites']} sites"
    for site in found["last"]:
        yield _site_line(site)


def _site_line(site: dict[str, Any]) -> str:
    """The last visit of a site, and what keeps it from the next one."""
    words = [f"{site['site']}:"]
    if site["under_way"]:
        words.append("being crawled;")
    if site["paused"]:
        words.append("paused;")
    if site["tries"]:
        words.append(f"did not come to its end {site['tries']} times in a row;")
    outcome = "not visited yet"
    if site["outcome"]:
        outcome = "{articles} articles from {pages} pages ({reason}) {problem}".format(
            **site["outcome"]
        )
    return " ".join([*words, site["ended"] or "", outcome]).strip()
