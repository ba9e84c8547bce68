"""`sitecrawl status`: what the workers of `sitecrawl work` are doing."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any

from sitecrawl.commands._help import Help, OptionError
from sitecrawl.commands._output import OneLineErrors

if TYPE_CHECKING:
    from sitecrawl.extras.fleet.schedule import Schedule, Watched, WorkerState


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
            found = state_of(schedule, known.lost_after)
        for line in [json.dumps(found, ensure_ascii=False)] if opts.json else _lines(found):
            print(printable(line))


def state_of(schedule: Schedule, lost_after: float) -> dict[str, Any]:
    """The whole state as JSON. Times are in seconds, rates per hour."""
    now, sites, workers = schedule.db.now(), schedule.all(), schedule.workers()
    alive = {worker.worker for worker in workers if now - worker.beat < lost_after}
    waiting = [site for site in sites if site.next_visit <= now and site.worker not in alive]
    return {
        "sites": len(sites),
        "under_way": sum(site.worker in alive for site in sites),
        "overdue": len(waiting),
        "overdue_longest": round(max((now - site.next_visit for site in waiting), default=0.0), 1),
        "workers": [_worker(worker, now, alive=worker.worker in alive) for worker in workers],
        "last": [_last(site, site.worker in alive) for site in sites],
    }


def _worker(worker: WorkerState, now: float, *, alive: bool) -> dict[str, Any]:
    hours = max(worker.beat - worker.began, 1.0) / 3_600
    done = {"visits": worker.visits, "pages": worker.pages, "articles": worker.articles}
    rates = {f"{name}_an_hour": round(count / hours, 1) for name, count in done.items()}
    known = {"name": worker.worker, "alive": alive, "heard_of": round(now - worker.beat, 1), "sites": worker.sites}
    return known | done | rates


def _last(site: Watched, under_way: bool) -> dict[str, Any]:
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(site.ended)) if site.ended else None
    known = {"site": site.site, "ended": moment, "visits": site.visits, "articles": site.articles}
    return known | {"under_way": under_way, "outcome": site.outcome}


def _lines(found: dict[str, Any]) -> Iterator[str]:
    overdue = f"{found['overdue']} overdue (by {found['overdue_longest']} s at most)"
    yield f"{found['sites']} sites: {found['under_way']} being crawled, {overdue}"
    if not found["sites"]:
        yield "watch one with: sitecrawl sites add URL (for sites of sitecrawl crawl and sitecrawl run, see sitecrawl report)"
    for worker in found["workers"]:
        state = "works" if worker["alive"] else f"lost for {worker['heard_of']} s"
        yield f"worker {worker['name']}: {state}, {worker['sites']} sites, {worker['pages_an_hour']} pages an hour"
    for site in found["last"]:
        outcome, state = "not visited yet", " being crawled;" if site["under_way"] else ""
        if site["outcome"]:
            outcome = "{articles} articles from {pages} pages ({reason}) {problem}".format(**site["outcome"])
        yield f"{site['site']}:{state} {site['ended'] or ''} {outcome}".rstrip()
