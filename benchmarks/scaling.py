"""Figures of docs/scaling.md: ``python -m benchmarks.scaling [state] [revisit] [rate] [trouble]``, all of them without a name.

``state``: CPU, queries and commits a page, disk an article. ``revisit``: CPU and queries of a visit that finds nothing new, by the number of
pages that the site has. ``rate``: pages a second of one, two and three workers. ``trouble``: ten sites, three workers, ten kills, and how long
it takes until a killed worker's site is asked again. Needs PostgreSQL's programs.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from benchmarks.postgres import server
from benchmarks.workers import LOST_AFTER, Fleet, demo_pages, served_site, wanted
from sitecrawl.crawl.config import CrawlArguments, CrawlSettings
from sitecrawl.crawl.records import FailedPage, FetchedPage, PlannedRequest, RequestContext, Role
from sitecrawl.crawl.session import CrawlSession
from sitecrawl.crawl.site_models import Sites
from sitecrawl.crawl.store import Stores
from sitecrawl.items.kinds import PageKind

HOME = "http://news.example"
SITE = "news.example"
ARTICLES = 300
HISTORY = (100, 10_000)


def article(number: int) -> bytes:
    """An article of some 3,000 characters, the size of a short news story."""
    told = [
        f"<p>Paragraph {n} of story {number} tells how district {number * 7 + n} paid for its school, who was against it, what the "
        f"council said in {1900 + number % 100}, and why it took {number + n} months until the first of its {n + 2} rooms was opened.</p>"
        for n in range(14)
    ]
    return f"""<!DOCTYPE html><html lang="en"><head><title>School {number} is open</title></head><body>
<ul class="nav"><li><a href="/">Home</a></li></ul><div id="main"><h1>School {number} is open</h1>
<p class="meta"><span class="date">2024-05-{number % 27 + 1:02d}</span> by <a class="author" href="/staff/">Ann Onym</a></p>
<div class="text">{"".join(told)}</div></div><div class="footer"><p>All rights reserved.</p></div></body></html>""".encode()


def listing(numbers: range) -> bytes:
    """A page that lists articles."""
    rows = "".join(
        f'<div class="teaser"><h2><a href="/2024/05/a-{n}.html">School {n} is open</a></h2></div>' for n in numbers
    )
    return f'<html lang="en"><head><title>News</title></head><body><h1>News</h1>{rows}</body></html>'.encode()


@dataclass
class Counted:
    """What a database was asked."""

    queries: int = 0
    commits: int = 0

    def watch(self, connection: sa.Connection) -> None:
        """Count from now on."""
        engine = connection.engine
        sa.event.listen(engine, "before_cursor_execute", self._query)
        sa.event.listen(engine, "commit", self._commit)

    def _query(self, *_: object) -> None:
        self.queries += 1

    def _commit(self, _: object) -> None:
        self.commits += 1


@contextmanager
def places() -> Iterator[list[tuple[str, Stores]]]:
    """A folder and a database."""
    with tempfile.TemporaryDirectory() as folder:
        yield [("SQLite", Stores(Path(folder))), ("PostgreSQL", Stores(Path(folder) / "none", server().create()))]


def crawl(stores: Stores, pages: dict[str, bytes]) -> tuple[int, float, Counted]:
    """Crawl pages without a network; the number of pages asked for, CPU seconds of this process, and queries."""
    arguments = CrawlArguments.parse({"start": f"{HOME}/", "scope": "site"})
    counted, before, asked = Counted(), time.process_time(), 0
    store, learned = stores.site(SITE)
    for each in {id(each.db): each.db for each in (store, learned)}.values():
        counted.watch(each.connection)
    store.lock()
    sites = Sites(learned, today="2026-01-31")
    session = CrawlSession(arguments, CrawlSettings(js="never"), (store, sites.model(SITE)))
    outcome = session.begin()
    waiting: list[PlannedRequest] = []
    while True:
        waiting += outcome.requests
        if waiting:
            asked += 1
            outcome = _answer(session, waiting.pop(0), pages)
            continue
        outcome = session.idle()
        if not outcome:
            break
    session.close("finished")
    sites.close()
    session.ended(True, True)
    return asked, time.process_time() - before, counted


def _answer(session: CrawlSession, planned: PlannedRequest, pages: dict[str, bytes]) -> object:
    body = pages.get(planned.url.removeprefix(HOME))
    if body is None:
        return session.page_failed(FailedPage(planned.context, "the server answered 404", True))
    return session.page_fetched(FetchedPage(planned.url, planned.context, body, content_type="text/html"))


def state() -> None:
    """CPU, queries and commits a page; disk an article."""
    pages = {f"/2024/05/a-{n}.html": article(n) for n in range(ARTICLES)} | {"/": listing(range(ARTICLES))}
    with places() as found:
        for name, stores in found:
            asked, cpu, counted = crawl(stores, pages)
            print(
                f"{name}: {1000 * cpu / asked:.2f} ms CPU a page in all, {counted.queries / asked:.1f} queries, "
                f"{counted.commits / asked:.1f} commits a page, {_disk(stores) / ARTICLES / 1000:.1f} kB on disk an article"
            )


def _disk(stores: Stores) -> int:
    if not stores.database:
        return sum(path.stat().st_size for path in stores.data_dir.rglob("*.sqlite*"))
    db = stores.watched()
    try:
        return db.number(sa.text("SELECT pg_database_size(current_database()) - pg_database_size('template1')"))
    finally:
        db.close()


def revisit() -> None:
    """A visit of a site that has nothing new."""
    pages = {"/": listing(range(20))} | {f"/2024/05/a-{n}.html": article(n) for n in range(20)}
    for history in HISTORY:
        with places() as found:
            for name, stores in found:
                _fill(stores, history)
                for _ in range(2):
                    crawl(stores, pages)
                asked, cpu, counted = crawl(stores, pages)
                print(
                    f"{name}, {history} known pages: a revisit of {asked} page takes {1000 * cpu:.0f} ms CPU, "
                    f"{counted.queries} queries, {counted.commits} commits"
                )


def _fill(stores: Stores, count: int) -> None:
    """Pages and articles of earlier visits."""
    store = stores.crawl(SITE)
    with store.at_once():
        store.begin(CrawlArguments.parse({"start": f"{HOME}/", "scope": "site"}).task)
        for number in range(1_000, 1_000 + count):
            context = RequestContext(
                f"{HOME}/2023/{number % 12 + 1:02d}/b-{number}.html", Role.ARTICLE, 0.9, section=f"{HOME}/"
            )
            store.queue(context)
            store.done(context.key, PageKind.ARTICLE)
            store.save_item(context.key, {"url": context.url, "articleBody": f"text {number}"}, str(number))
        store.finish()
    store.close()


def rate() -> None:
    """Pages a second of workers that wait for slow sites most of the time: two sites a worker, twelve sites."""
    first, pages = 0.0, demo_pages()
    for count in (1, 2, 3):
        with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
            sites = [stack.enter_context(served_site(pages, latency=0.2)) for _ in range(12)]
            options = (
                "-s",
                "SITECRAWL_WORKER_SITES=2",
                "-s",
                "DOWNLOAD_DELAY=0.25",
                "-s",
                "CONCURRENT_REQUESTS_PER_DOMAIN=1",
            )
            fleet = Fleet(Path(name), server().create(), options)
            stack.callback(fleet.kill_all)
            fleet.watch(sites)
            fleet.start(count)
            fleet.wait(600)
            fleet.end()
            moments = sorted(moment for site in sites for moment, _ in site.asked)
            speed = len(moments) / (moments[-1] - moments[0])
            first = first or speed
            right = fleet.articles() == wanted(sites)
            print(
                f"{count} workers: {speed:.1f} pages a second, {speed / first:.2f} times one worker, all articles once: {right}"
            )


def trouble() -> None:
    """Ten sites, three workers, ten kills at random: all articles once, as one machine finds them."""
    moments, pages = random.Random(17), demo_pages()
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        sites = [stack.enter_context(served_site(pages)) for _ in range(10)]
        fleet = Fleet(Path(name) / "many", server().create(), ("-s", "DOWNLOAD_DELAY=0.5"))
        fleet.folder.mkdir()
        stack.callback(fleet.kill_all)
        fleet.watch(sites)
        fleet.start(3)
        for _ in range(10):
            time.sleep(moments.uniform(3, 6))
            living = [n for n, worker in enumerate(fleet.workers) if worker.poll() is None]
            fleet.kill(moments.choice(living))
            fleet.start()
        fleet.wait(600)
        fleet.end()
        found = fleet.articles()
        handovers = sorted(pause for site in sites for pause in site.handovers)
        print(
            f"ten sites, ten kills: {_compared(found, wanted(sites))}; the same as one machine: {found == _alone(Path(name), sites)}"
        )
        print(
            f"a killed worker's site is asked again after {handovers[len(handovers) // 2] - LOST_AFTER:+.1f} s (median) and "
            f"{handovers[-1] - LOST_AFTER:+.1f} s (at most) beyond SITECRAWL_LOST_AFTER, never before {handovers[0]:.1f} s"
        )


def _alone(folder: Path, sites: list[object]) -> Counter[str]:
    """What one worker without a server finds on the same sites."""
    fleet = Fleet(folder / "one", options=("-s", "DOWNLOAD_DELAY=0.02"))
    fleet.folder.mkdir()
    fleet.watch(sites)  # type: ignore[arg-type]
    fleet.start()
    fleet.wait(600)
    fleet.end()
    return fleet.articles()


def _compared(found: Counter[str], right: Counter[str]) -> str:
    twice = sum(count > 1 for count in found.values())
    return f"{len(found)} of {len(right)} articles, {len(right - found)} lost, {twice} twice"


PARTS: dict[str, Callable[[], None]] = {"state": state, "revisit": revisit, "rate": rate, "trouble": trouble}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="what to measure (default: all)")
    for part in parser.parse_args().parts or PARTS:
        PARTS[part]()
    return 0


if __name__ == "__main__":
    sys.exit(main())
