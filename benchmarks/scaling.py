"""Figures of docs/scaling.md: what the state of a crawl costs in SQLite and PostgreSQL. Needs PostgreSQL's programs, no data. ``state``: CPU, queries
and commits a page, disk an article. ``revisit``: CPU and queries of a visit that finds nothing new, by the number of pages that the site has. That
killed workers lose nothing is shown by ``tests/fleet/test_worker.py``."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import sqlalchemy as sa

from benchmarks.harness import parser, spent
from sitecrawl.crawl.config import CrawlArguments
from sitecrawl.crawl.records import RequestContext, Role
from sitecrawl.crawl.store import Stores
from sitecrawl.items.kinds import PageKind
from tests.crawl.driver import HOME, Crawl, Network
from tests.postgres import places
from tests.synthetic import article, listing, path

SITE = "news.example"
LISTINGS = 15
HISTORY = (100, 10_000)  # pages that a site had before a revisit


@contextmanager
def both() -> Iterator[list[tuple[str, Stores]]]:
    """A folder and a database."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        yield [(name, stack.enter_context(places(name.casefold(), folder))) for name in ("SQLite", "PostgreSQL")]


def pages(listings: int) -> dict[str, str]:
    """The pages of a synthetic site by path."""
    found = {path(number): article(number) for number in range(20 * listings)}
    return found | {f"/page/{at}/": listing(at, listings) for at in range(listings)} | {"/": listing(0, listings)}


def visit(stores: Stores, known: dict[str, str]) -> tuple[int, float, Counter[str]]:
    """Crawl pages without a network; the number of pages asked for, CPU seconds, and queries and commits."""
    counts = Counter[str]()
    crawl = Crawl.of(Network(dict(known)), stores.data_dir, database=stores.database)
    for each in {id(one.db): one.db for one in (crawl.session.state, crawl.sites.store)}.values():
        sa.event.listen(each.connection.engine, "before_cursor_execute", lambda *_: counts.update(["queries"]))
        sa.event.listen(each.connection.engine, "commit", lambda *_: counts.update(["commits"]))
    cpu = spent(crawl.run)
    return len(crawl.network.asked), cpu, counts


def state() -> None:
    """CPU, queries and commits a page; disk an article."""
    with both() as found:
        for name, stores in found:
            asked, cpu, counts = visit(stores, pages(LISTINGS))
            queries, commits, disk = (
                counts["queries"] / asked,
                counts["commits"] / asked,
                _disk(stores) / 20 / LISTINGS / 1000,
            )
            costs = (
                f"{1000 * cpu / asked:.2f} ms CPU a page in all, {queries:.1f} queries, {commits:.1f} commits a page"
            )
            print(f"{name}: {costs}, {disk:.1f} kB on disk an article")


def _disk(stores: Stores) -> int:
    if not stores.database:
        return sum(path.stat().st_size for path in stores.data_dir.rglob("*.sqlite*"))
    db = stores.watched()
    try:
        return db.number("SELECT pg_database_size(current_database()) - pg_database_size('template1')")
    finally:
        db.close()


def revisit() -> None:
    """A visit of a site that has nothing new."""
    for history in HISTORY:
        with both() as found:
            for name, stores in found:
                _fill(stores, history)
                for _ in range(3):
                    asked, cpu, counts = visit(stores, pages(1))
                spent_on = f"{1000 * cpu:.0f} ms CPU, {counts['queries']} queries, {counts['commits']} commits"
                print(f"{name}, {history} known pages: a revisit of {asked} page takes {spent_on}")


def _fill(stores: Stores, count: int) -> None:
    """Pages and articles of earlier visits."""
    store = stores.crawl(SITE)
    with store.at_once():
        store.begin(CrawlArguments.parse({"start": f"{HOME}/", "scope": "site"}).task)
        for number in range(1_000, 1_000 + count):
            url = f"{HOME}/2023/{number % 12 + 1:02d}/b-{number}.html"
            context = RequestContext(url, Role.ARTICLE, 0.9, section=f"{HOME}/")
            store.pages.queue(context)
            store.pages.done(context.key, PageKind.ARTICLE)
            store.save_item(context.key, {"url": context.url, "articleBody": f"text {number}"}, digest=str(number))
        store.finish()
    store.close()


def main(arguments: list[str]) -> None:
    options = parser(__doc__)
    parts = {"state": state, "revisit": revisit}
    options.add_argument("parts", nargs="*", choices=[*parts, []], help="what to measure (default: both)")
    for part in options.parse_args(arguments).parts or parts:
        parts[part]()
