"""What kills change. Open sites are crawled without a network, first undisturbed, then killed after answers at random and continued. Prints for each
site the articles of the undisturbed crawl that the killed one lost, those that it has more, those with the same body, and the requests of both. With
--database (a PostgreSQL server of its own) the state lies there, else in SQLite files."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import Any

from benchmarks import harness
from benchmarks.crawl import network_of, start_of
from benchmarks.harness import Table, page_url, site_names
from sitecrawl.items.feed_items import identity
from tests.crawl.driver import Crawl
from tests.postgres import places

SITES = "edyo,sproutdistro,threedash,partitopirata,klubpolarny,satoken"


def main(arguments: list[str]) -> int:
    sites = SITES, "open sites, names with commas"
    args = harness.asked(__doc__, arguments, sites=sites, kills=10, seed=0, database=(False, "the state in PostgreSQL"))
    table, equal = Table("site"), True
    for name in site_names(args.sites):
        plain, answers = crawled(name, set(), is_server=args.database)
        moments = random.Random(args.seed).sample(range(1, answers), min(args.kills, answers - 1))
        killed, again = crawled(name, set(moments), is_server=args.database)
        same = sum(killed.get(url) == body for url, body in plain.items())
        lost, more = len(plain.keys() - killed.keys()), len(killed.keys() - plain.keys())
        table.add(name, items=len(plain), lost=lost, more=more, same=same, answers=answers, answers_killed=again)
        equal &= killed == plain
    table.summary()
    return 0 if equal else 1


def crawled(name: str, kills: set[int], *, is_server: bool) -> tuple[dict[str, str], int]:
    """The bodies of a crawl's articles by URL, and the number of its answers. It is killed after the answers of these numbers."""
    with tempfile.TemporaryDirectory() as folder, places("postgresql" if is_server else "sqlite", Path(folder)) as at:
        start, feed = page_url(name, start_of(name)), list[dict[str, Any]]()
        network, answers = network_of(name), 0
        crawl = begun(network, at, feed, start=start)
        while True:
            is_idle, step = not crawl.waiting, crawl.answer()
            answers += 1
            if is_idle and not step:
                crawl.end()
                return {item["url"]: item["articleBody"] for item in feed}, answers
            if answers in kills:
                crawl.kill()
                crawl = begun(network, at, feed, start=start)


def begun(network: Any, stores: Any, feed: list[dict[str, Any]], *, start: str) -> Crawl:
    """A crawl that has begun or goes on."""
    crawl = Crawl.of(network, stores.data_dir, feed, start=start, database=stores.database)
    crawl.take(crawl.session.begin(frozenset(map(identity, feed)), lambda: list(feed)))
    return crawl
