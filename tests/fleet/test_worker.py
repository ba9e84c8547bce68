"""Workers as processes: killed, paused, cut off from a database that restarts. Nothing is lost,
nothing comes twice."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from scrapy.core.scraper import Slot
from scrapy.settings import Settings
from twisted.internet.defer import Deferred

from sitecrawl.crawl.config import CrawlArguments, CrawlSettings
from sitecrawl.crawl.store import Stores, store_path
from sitecrawl.errors import SitecrawlError, StoreError
from sitecrawl.extras.fleet import visitor
from sitecrawl.extras.fleet.schedule import Schedule
from sitecrawl.extras.visits import log_of
from sitecrawl.spiders.site import SiteSpider
from tests.crawl.runner import scrapy, typed
from tests.fleet.test_schedule import row
from tests.fleet.workers import DELAY, Fleet, ServedSite, demo_pages, served_site, wanted
from tests.postgres import Server, new_server, server


@pytest.fixture
def sites() -> Iterator[list[ServedSite]]:
    with ExitStack() as stack:
        yield [stack.enter_context(served_site(demo_pages())) for _ in range(3)]


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Fleet]:
    found = Fleet(tmp_path)
    yield found
    found.kill_all()


def until(condition: Callable[[], bool], patience: float = 240.0) -> None:
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


@contextmanager
def unanswered(sites: list[ServedSite], quiet: float = 2.0) -> Iterator[None]:
    """Hold back all answers, from when no request came for ``quiet`` seconds."""
    for site in sites:
        site.gate.clear()
    before = -1
    while before != asked(sites):
        before = asked(sites)
        time.sleep(quiet)
    yield
    for site in sites:
        site.gate.set()


def asked(sites: list[ServedSite]) -> int:
    return sum(len(site.asked) for site in sites)


def check(fleet: Fleet, sites: list[ServedSite]) -> None:
    """All is there, all once, and no site was asked faster than it may be, whoever asked."""
    assert fleet.articles() == wanted(sites)
    for site in sites:
        store = fleet.stores.crawl(site.name)
        assert sum(1 for _ in store.items.all()) == len(wanted([site]))
        store.close()
    assert all(pause > DELAY for site in sites for pause in site.handovers)
    assert all(len(site.handovers) < len(fleet.workers) for site in sites)


def test_one_machine_without_a_server_killed_and_started_again(
    fleet: Fleet, sites: list[ServedSite]
) -> None:
    fleet.watch(sites)
    fleet.start()
    until(lambda: asked(sites) > 30)
    fleet.kill(0)
    fleet.start()
    fleet.wait()
    assert fleet.end()[1:] == [0]
    check(fleet, sites)
    assert max(site.asked.count(request) for site in sites for request in site.asked) == 1
    folder = f"SITECRAWL_DATA_DIR={fleet.folder / 'state'}"
    told = json.loads(typed("status", "--json", "-s", folder).stdout)
    assert (told["sites"], told["under_way"], told["overdue"]) == (3, 0, 0)
    assert [site["visits"] for site in told["last"]] == [1, 1, 1]
    assert "no worker" in typed("status", "-s", folder).stdout


def test_once_against_a_database(fleet: Fleet, sites: list[ServedSite]) -> None:
    """Two machines visit together what is due, each to the end; then nothing is due."""
    fleet.database = server().create()
    fleet.options = ("--once",)
    fleet.watch(sites)
    fleet.start(2)
    assert [worker.wait(240) for worker in fleet.workers] == [0, 0], fleet.said(0)
    check(fleet, sites)
    told = fleet.said(0) + fleet.said(1)
    assert all(f"{site.name}: " in told for site in sites)
    before = asked(sites)
    fleet.start()
    assert fleet.workers[2].wait(240) == 0
    assert "no site is due" in fleet.said(2)
    assert asked(sites) == before


def test_workers_that_are_killed(fleet: Fleet, sites: list[ServedSite]) -> None:
    fleet.database = server().create()
    fleet.watch(sites)
    fleet.start(2)
    for victim in range(2):
        before = asked(sites)
        until(lambda before=before: asked(sites) > before + 15)  # type: ignore[misc]
        fleet.kill(victim)
        fleet.start()
    fleet.wait()
    fleet.end()
    check(fleet, sites)


def test_a_worker_that_is_paused_and_wakes_up_after_it_was_given_up(
    fleet: Fleet, sites: list[ServedSite]
) -> None:
    fleet.database = server().create()
    fleet.watch(sites)
    fleet.start()
    until(lambda: asked(sites) > 20)
    with unanswered(
        sites
    ):  # no request is half sent when the worker stops: nobody could take it back
        fleet.signal(0, signal.SIGSTOP)
    before = asked(sites)
    fleet.start()
    until(lambda: asked(sites) > before + 20)
    fleet.signal(0, signal.SIGCONT)
    fleet.wait()
    assert fleet.end() == [0, 0]
    check(fleet, sites)


def cut(url: str, restarted: Server | None) -> None:
    """Cut all connections to a database, or restart its server."""
    if restarted is not None:
        restarted.stop()
        time.sleep(2)
        restarted.start()
        return
    with psycopg.connect(url, autocommit=True) as connection:
        others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
        connection.execute(f"{others} AND pid != pg_backend_pid()".encode())


@pytest.mark.parametrize("restart", [False, True])
def test_a_database_that_is_gone_for_a_while(
    fleet: Fleet, sites: list[ServedSite], restart: bool
) -> None:
    own = new_server() if restart else None
    fleet.database = (own or server()).create()
    fleet.watch(sites)
    fleet.start(2)
    until(lambda: asked(sites) > 40)
    cut(fleet.database, own)
    fleet.wait()
    assert fleet.end() == [0, 0]
    check(fleet, sites)
    assert "; again in 1 s" in fleet.said(0) + fleet.said(1)
    assert "Traceback" not in fleet.said(0) + fleet.said(1)


def test_a_site_that_fails_ends_no_other_and_is_told(fleet: Fleet, sites: list[ServedSite]) -> None:
    """The error of a plug-in ended the worker; where Scrapy logged it, the visit passed for a
    finished one."""
    at_begin, at_end, whole = sites
    failing = ('EXTENSIONS={"tests.fleet.workers.Failing": 1}', f"FAILS_AT_BEGIN={at_begin.name}")
    fleet.options = tuple(
        word for given in (*failing, f"FAILS_AT_END={at_end.name}") for word in ("-s", given)
    )
    fleet.watch(sites)
    fleet.start()
    until(
        lambda: not wanted([whole, at_end]) - fleet.articles() and "again in 1 s" in fleet.said(0)
    )
    assert fleet.end() == [0]
    records = {site.name: log_of(fleet.folder / "state", site.name).load() for site in sites}
    assert "(RuntimeError: no begin); the log has it" in records[at_begin.name][0].broken
    assert "(ValueError: no end); the log has it" in records[at_end.name][0].broken
    assert [one.broken for one in records[whole.name]] == [""]
    with closing(fleet.schedule()) as schedule:
        outcomes = {site.site: site.outcome.get("reason") for site in schedule.all()}
    assert outcomes == {at_begin.name: "error", at_end.name: None, whole.name: "finished"}
    assert fleet.said(0).count("Traceback") >= 2


def test_a_crawl_that_cannot_begin_leaves_its_site_to_the_next(tmp_path: Path) -> None:
    """The lock of a site whose model is damaged was held as long as the worker ran: each later
    visit found the site in use."""
    arguments, settings = (
        CrawlArguments.parse({"start": "http://a.example/"}),
        CrawlSettings(tmp_path),
    )
    with closing(settings.stores.learned()) as learned:
        learned.save("a.example", {"protocol": "none"})
    with pytest.raises(SitecrawlError):
        SiteSpider(arguments, settings)
    with closing(settings.stores.crawl("a.example")) as state:
        state.lock()


def test_a_crawl_that_is_refused_changes_nothing_of_the_one_that_runs(tmp_path: Path) -> None:
    """A worker that visits a site while it is crawled by hand emptied the list of what that crawl
    was asking for, and saved an older model of the site."""
    arguments, settings = (
        CrawlArguments.parse({"start": "http://a.example/"}),
        CrawlSettings(tmp_path),
    )
    with closing(settings.stores.crawl("a.example")) as state:
        state.lock()
        state.begin(arguments.task)
        state.memory.put("requests", [1])
        before = state.rows("SELECT * FROM memory")
        spider = SiteSpider(arguments, settings)
        with pytest.raises(StoreError, match="in use"):
            spider._begin()
        spider.crawl.close("shutdown")
        spider._sites.close(saves=spider.crawl.begun)
        spider.crawl.ended(written=True, finished=False)
        assert state.rows("SELECT * FROM memory") == before
    with closing(settings.stores.learned()) as learned:
        assert learned.sites() == []


def test_a_site_whose_database_is_damaged_is_told(fleet: Fleet, sites: list[ServedSite]) -> None:
    """It was tried again every ten seconds, without a word."""
    broken, whole = sites[:2]
    fleet.watch([broken, whole])
    path = store_path(fleet.folder / "state", [broken.name])
    path.parent.mkdir(parents=True)
    path.write_bytes(b"no database" * 1_000)
    fleet.start()
    until(lambda: f"{broken.name}: store " in fleet.said(0) and "again in 4 s" in fleet.said(0))
    until(lambda: whole.name in visited_sites(fleet))
    assert fleet.end() == [0]
    told = [line for line in fleet.said(0).splitlines() if "; again " in line]
    assert [line.rpartition("again ")[2] for line in told[:3]] == ["in 1 s", "in 1 s", "in 4 s"]
    (record, *_) = log_of(fleet.folder / "state", broken.name).load()
    assert "damaged" in record.broken
    path.unlink()  # the feed of all sites cannot be read before
    assert not wanted([whole]) - fleet.articles()


def visited_sites(fleet: Fleet) -> set[str]:
    """The names of the sites that were visited."""
    with closing(fleet.schedule()) as schedule:
        return {site.site for site in schedule.all() if site.visits}


def test_a_visit_that_is_broken_off_while_a_crawl_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scrapy forgets a stop that comes before its engine runs: the crawl ran to its end, and the
    worker never ended."""

    async def stop_early() -> None:
        crawl = asyncio.get_running_loop().create_future()
        engine = SimpleNamespace(running=False)

        async def stop() -> None:
            if engine.running:
                crawl.set_result(None)

        connect = SimpleNamespace(connect=lambda *_, **__: None)
        spider = SiteSpider.__new__(SiteSpider)
        crawler = SimpleNamespace(spider=spider, engine=engine, stop_async=stop, signals=connect)
        monkeypatch.setattr(visitor, "Crawler", lambda *_: crawler)
        process = SimpleNamespace(settings=Settings(), crawl=lambda *_, **__: crawl)
        visit = visitor.visit(row(), process, settings=CrawlSettings())  # type: ignore[arg-type]
        work = asyncio.ensure_future(visit)
        await asyncio.sleep(0)
        asyncio.get_running_loop().call_later(0.1, setattr, engine, "running", True)
        for _ in range(3):  # a person, a worker that stops, a time that is over
            work.cancel()
            await asyncio.sleep(0.01)
            assert not work.done()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(work, 30)

    asyncio.run(stop_early())


def test_a_crawl_that_is_stopped_while_items_leave_that_no_page_brought() -> None:
    """Scrapy waited for ever for the items of a start or of an idle crawl; where it did not wait,
    it was told twice (AlreadyCalledError)."""
    left = list[object]()

    async def stop_meanwhile() -> None:
        async def process(item: object, response: object) -> None:
            slot.itemproc_size += 1
            await asyncio.sleep(0.01)
            left.append(item)
            slot.itemproc_size -= 1

        slot, spider = Slot(), SiteSpider.__new__(SiteSpider)
        spider.arguments = CrawlArguments(("http://a.example/",))
        scraper = SimpleNamespace(slot=slot, start_itemproc_async=process)
        spider.crawler = SimpleNamespace(engine=SimpleNamespace(scraper=scraper, _slot=None))  # type: ignore[assignment]
        spider._send_items([{}, {}])
        slot.closing = Deferred()
        assert not slot.is_idle()
        assert spider._delivery is not None
        await spider._delivery
        assert slot.closing.called
        assert slot.is_idle()

    asyncio.run(stop_meanwhile())
    assert len(left) == 2


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_does_not_wait_for_a_site_that_does_not_answer(
    fleet: Fleet, sites: list[ServedSite], stop: signal.Signals
) -> None:
    """It took two time-outs: that of what was sent, and that of what waited behind it."""
    for site in sites:
        site.patience = 600.0
        site.gate.clear()
    fleet.options = ("-s", "DOWNLOAD_TIMEOUT=300")
    fleet.lost_after = 240.0
    fleet.watch(sites)
    fleet.start()
    until(lambda: asked(sites) >= len(sites))
    fleet.signal(0, stop)
    try:
        assert fleet.workers[0].wait(120) == 0
        assert "at once" not in fleet.said(0)
    finally:
        for site in sites:
            site.gate.set()
    fleet.start()
    fleet.wait()
    assert fleet.end()[1:] == [0]
    assert fleet.articles() == wanted(sites)


def hung(server: Server) -> list[int]:
    """Processes of a server, which answer nothing more."""
    first = int((server.folder / "data" / "postmaster.pid").read_text().split()[0])
    below = Path(f"/proc/{first}/task/{first}/children").read_text().split()
    for pid in (found := [first, *map(int, below)]):
        os.kill(pid, signal.SIGSTOP)
    return found


@pytest.mark.parametrize("then", [signal.SIGTERM, signal.SIGALRM])
def test_a_worker_ends_whatever_its_database_does(fleet: Fleet, then: signal.Signals) -> None:
    """One whose database hung could be ended by SIGKILL alone. The alarm is what it sets itself
    when it is told to stop."""
    own = new_server()
    fleet.database = own.create()
    fleet.start()
    until(lambda: bool(fleet.workers_known()))
    asleep = hung(own)
    try:
        for number in (signal.SIGTERM, then):
            time.sleep(2)
            fleet.signal(0, number)
        assert fleet.workers[0].wait(10) == 1
        assert "the next worker continues the open crawls" in fleet.said(0)
    finally:
        for pid in asleep:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


def test_a_database_of_the_environment_and_its_password_on_no_command_line(
    fleet: Fleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = server().create().replace("postgres@", "postgres:a-secret@")
    monkeypatch.setenv("SITECRAWL_DATABASE", url)
    assert (
        scrapy(
            "sites", "add", "http://news.example/", "-s", f"SITECRAWL_DATA_DIR={tmp_path}"
        ).returncode
        == 0
    )
    schedule = Schedule(Stores(tmp_path, url).watched())
    assert [site.site for site in schedule.all()] == ["news.example"]
    schedule.close()
    monkeypatch.setenv("SITECRAWL_DATABASE", url.replace("127.0.0.1:", "127.0.0.1:1"))
    assert "a-secret" not in scrapy("status", "-s", f"SITECRAWL_DATA_DIR={tmp_path}").stderr


def test_a_worker_that_cannot_work_says_why(tmp_path: Path) -> None:
    for setting, said in (
        ("SITECRAWL_WORKER_SITES=0", "1 or more"),
        ("SITECRAWL_LOST_AFTER=x", "cannot be read"),
        ("SITECRAWL_LOST_AFTER=20", "21 is the least"),
        ("SITECRAWL_DATABASE=mysql://x", "not the URL of a server"),
        (
            "SITECRAWL_DATABASE=postgresql://me@host:port/name",
            "not the URL of a server",
        ),  # it ended in a traceback
    ):
        done = scrapy("work", "-s", f"SITECRAWL_DATA_DIR={tmp_path}", "-s", setting)
        assert done.returncode == 2
        assert len(done.stderr.splitlines()) == 1
        assert said in done.stderr


def test_a_file_of_sites_that_is_missing_or_empty_watches_nothing(tmp_path: Path) -> None:
    (tmp_path / "none.txt").write_text("# no site yet\n")
    (tmp_path / "prose.txt").write_text("http://news.example/\nnot a url\n")
    refused = {
        "okk.txt": "is no file",
        "none.txt": "holds no URL",
        "prose.txt": "not a url is not a web address",
    }
    for name, said in refused.items():
        done = scrapy("sites", "add", str(tmp_path / name), "-s", f"SITECRAWL_DATA_DIR={tmp_path}")
        assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
        assert said in done.stderr


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_page_that_kills_its_process_takes_the_others_with_it_once(
    fleet: Fleet, sites: list[ServedSite], kind: str
) -> None:
    """The sites that ran when a process died are visited alone from then on."""
    poison, *innocent = sites
    fleet.database = server().create() if kind == "postgresql" else ""
    killing = ('EXTENSIONS={"tests.fleet.workers.Killing": 1}', f"KILLS={poison.name}")
    fleet.options = tuple(word for given in killing for word in ("-s", given))
    fleet.watch(sites)
    fleet.start()
    assert fleet.workers[0].wait(240) == -signal.SIGKILL
    fleet.start()  # as a service manager does
    until(lambda: "in visits of this site alone (3 in a row); again in 3600 s" in fleet.said(1))
    until(lambda: not wanted(innocent) - fleet.articles())
    until(lambda: {site.name for site in innocent} <= visited_sites(fleet))
    assert fleet.end()[1:] == [0]
    with closing(fleet.schedule()) as schedule:
        known = {site.site: site for site in schedule.all()}
    assert {known[site.name].visits for site in innocent} == {1}
    assert not any(known[site.name].tries for site in innocent)
    assert known[poison.name].outcome["reason"] == "died"
    (record, *_) = log_of(fleet.folder / "state", poison.name).load()
    assert "its process died" in record.broken


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_person_pauses_stops_and_asks_for_visits(
    fleet: Fleet, sites: list[ServedSite], kind: str
) -> None:
    site, other = sites[:2]
    fleet.database = server().create() if kind == "postgresql" else ""
    options = ("-s", f"SITECRAWL_DATA_DIR={fleet.folder / 'state'}")
    options += ("-s", f"SITECRAWL_DATABASE={fleet.database}")

    def say(verb: str) -> str:
        return typed("sites", verb, site.name, *options).stdout

    def state() -> dict[str, Any]:
        found: dict[str, Any] = json.loads(typed("status", "--json", *options).stdout)
        return found

    site.gate.clear()
    site.patience = 5.0  # a visit that is broken off waits for the answer of what it has sent
    fleet.watch([site, other])
    assert "paused" in say("pause")
    fleet.start()
    until(lambda: not wanted([other]) - fleet.articles())
    assert site.asked == []
    assert state()["paused"] == 1
    say("resume")
    until(lambda: bool(site.asked))
    assert (state()["under_way"], len(state()["workers"])) == (1, 1)
    assert "already" in say("visit")
    assert "broken off" in say("stop")
    until(lambda: not state()["under_way"])
    before = len(site.asked)
    assert state()["overdue"] == 0
    assert "no visit runs" in say("stop")
    assert len(site.asked) == before
    site.gate.set()
    assert "due now" in say("visit")
    until(lambda: not wanted([site]) - fleet.articles())
    assert fleet.end() == [0]
