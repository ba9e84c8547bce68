"""`sitecrawl sites status`: what the workers of `sitecrawl work` are doing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sitecrawl.text.chars import printable

if TYPE_CHECKING:
    from sitecrawl.crawl.store import Stores
    from sitecrawl.extras.fleet.schedule import Schedule


def print_status(stores: Stores, schedule: Schedule, *, as_json: bool) -> None:
    """Print the workers, running and waiting visits, and the last outcome of each site."""
    from sitecrawl.extras.fleet.activity import state_of

    found = state_of(stores, schedule)
    for line in [json.dumps(found, ensure_ascii=False)] if as_json else _lines(found):
        print(printable(line))


def _lines(found: dict[str, Any]) -> Iterator[str]:
    overdue = f"{found['overdue']} waiting (for {found['overdue_longest']} s at most)"
    yield f"sites watched: {found['sites']}, {found['under_way']} being crawled, {overdue}"
    if not found["sites"]:
        yield "watch one with: sitecrawl sites add URL (for sites of sitecrawl crawl, see sitecrawl report)"
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
