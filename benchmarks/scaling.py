"""Figures of docs/scaling.md: CPU, queries and commits of a whole visit, and disk an article, in
SQLite and PostgreSQL: of a first visit, of a visit that finds new pages, and of one that finds
nothing new, by the number of pages that the site has. Needs PostgreSQL's programs, no data. That killed workers lose nothing is
shown by ``tests/fleet/test_worker.py``."""

from __future__ import annotations

import tempfile
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from benchmarks.harness import Table, asked, spent
from sitecrawl.crawl.config import CrawlArguments
from sitecrawl.crawl.records import RequestContext, Role
from sitecrawl.crawl.store import Stores
from sitecrawl.crawl.url_stats import UrlStats
from sitecrawl.items.kinds import PageKind
from sitecrawl.links.classify import Profile
from sitecrawl.site.page_families import FamilyEvidence
from tests.crawl.driver import HOME, Crawl, Network
from tests.postgres import places
from tests.synthetic import article, listing, path

SITE = "news.example"
LISTINGS = 15
_FAMILY = "/#/#/*-#.html post dated"
HISTORY = (2_000, 20_000, 100_000)  # pages that a site had before a revisit
_EACH = 20  # articles of a listing page


def pages(listings: int) -> dict[str, str]:
    """The pages of a synthetic site by path."""
    found = {path(number): article(number) for number in range(_EACH * listings)}
    return (
        found
        | {f"/page/{at}/": listing(at, listings) for at in range(listings)}
        | {"/": listing(0, listings)}
    )


def visit(stores: Stores, known: dict[str, str]) -> tuple[int, float, Counter[str]]:
    """Crawl pages without a network; the number of pages asked for, CPU seconds, and queries and
    commits."""
    counts = Counter[str]()
    crawl = Crawl.of(Network(dict(known)), stores.data_dir, database=stores.database)
    for each in {id(one.db): one.db for one in (crawl.session.state, crawl.sites.store)}.values():
        sa.event.listen(
            each.connection.engine, "before_cursor_execute", lambda *_: counts.update(["queries"])
        )
        sa.event.listen(each.connection.engine, "commit", lambda *_: counts.update(["commits"]))
    cpu = spent(crawl.run)
    return len(crawl.network.asked), cpu, counts


def _disk(stores: Stores) -> int:
    if not stores.database:
        return sum(path.stat().st_size for path in stores.data_dir.rglob("*.sqlite*"))
    with closing(stores.watched()) as db:
        return db.number(
            "SELECT pg_database_size(current_database()) - pg_database_size('template1')"
        )


def _fill(stores: Stores, count: int) -> None:
    """Pages and articles of earlier visits."""
    store = stores.crawl(SITE)
    with store.at_once():
        store.begin(CrawlArguments.parse({"start": f"{HOME}/", "scope": "site"}).task)
        for number in range(1_000, 1_000 + count):
            url = f"{HOME}/2023/{number % 12 + 1:02d}/b-{number}.html"
            context = RequestContext(url, Role.ARTICLE, 0.9, section=f"{HOME}/")
            digest = str(number)
            item = {"url": url, "canonicalUrl": None, "articleBody": f"text {number}"}
            store.pages.queue(context)
            store.pages.done(context.key, PageKind.ARTICLE)
            store.save_item(context.key, item, digest=digest)
            evidence = FamilyEvidence(_FAMILY, PageKind.ARTICLE, True, f"Report {number}", 2.5)
            store.families.record(context.key, evidence, digest=digest, withheld=None)
            store.shown.add([context.key], f"{SITE}/page/{number // _EACH}")
        UrlStats(Profile()).keep(store, of_run=True)
        store.finish()
    store.close()


def figures(stores: Stores, known: int) -> dict[str, Any]:
    """Costs of the first visit, or of a revisit that finds nothing new on a site with so many known
    pages."""
    if known:
        _fill(stores, known)
    new, cpu, counts = visit(stores, pages(LISTINGS))
    cpu_of_page = round(1000 * cpu / new, 2)
    for _ in range(2 if known else 0):
        new, cpu, counts = visit(stores, pages(LISTINGS))
    disk = round(_disk(stores) / (known + _EACH * LISTINGS) / 1000, 1)
    visited = {"pages": new, "cpu_ms": round(1000 * cpu, 1), **counts}
    return {"cpu_ms_new_page": cpu_of_page} | visited | {"disk_kb_article": disk}


def main(arguments: list[str]) -> None:
    asked(__doc__, arguments)
    table = Table("database")
    for known in (0, *HISTORY):
        for kind in ("sqlite", "postgresql"):
            with tempfile.TemporaryDirectory() as folder, places(kind, Path(folder)) as stores:
                table.add(kind, known_pages=known, **figures(stores, known))
