"""Many machines: what happens when parts of them die, and what visits cost. Needs PostgreSQL's
programs, no data. ``kills`` runs three workers of ten slots with 24 sites every 20 s and visits of
6 s (a worker counts as lost after 10 s), and prints for each fault how long it takes until the
sites that it hit are visited again. ``poison`` does the same with one site that kills its process
and real crawls. ``items`` crawls ten synthetic sites while workers are killed, and compares the
items with those of a quiet run. ``idle`` has empty visits, 111 a second or as many as one worker
can carry, and prints statements and CPU of each. ``python -m benchmarks chaos fleet`` is ``kills``
and ``poison``."""

from __future__ import annotations

import os
import random
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from benchmarks.harness import Table, asked
from sitecrawl.extras.fleet.all_items import entries
from tests.fleet.proxies import Proxy, proxy
from tests.fleet.stubs import StubFleet
from tests.fleet.workers import Fleet, ServedSite, demo_pages, served_site
from tests.postgres import Server, new_server

_SITES, _EVERY, _VISIT = 24, 20, 6.0
_PLAN = {"lost_after": 10.0, "visits_last": _VISIT, "slots": 10}
_WARM = 30.0  # seconds before a fault: each site was visited
_LONGEST = 120.0  # seconds within which each site must be visited again
_FREEZE = 25.0
_AWAY = 45.0
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Cluster:
    """Three workers of a server, and a proxy before the first of them."""

    fleet: StubFleet
    server: Server
    between: Proxy
    names: list[str]


@contextmanager
def _cluster(folder: Path) -> Iterator[Cluster]:
    server = new_server()
    fleet = StubFleet(folder, server.create(), dict(_PLAN))
    with proxy(fleet.database) as between:
        names = fleet.watch(_SITES, every=_EVERY)
        fleet.start(through=between.url)
        fleet.start(2)
        try:
            time.sleep(_WARM)
            yield Cluster(fleet, server, between, names)
        finally:
            between.passes.set()
            fleet.kill_all()
            server.stop()


# ---- faults: each returns when it began, or was over
def _kill(cluster: Cluster) -> float:
    cluster.fleet.kill(0)
    return time.monotonic()


def _stop(cluster: Cluster) -> float:
    moment = time.monotonic()
    cluster.fleet.workers[0].send_signal(signal.SIGTERM)
    cluster.fleet.workers[0].wait(60)
    return moment


def _freeze(cluster: Cluster) -> float:
    moment = time.monotonic()
    cluster.fleet.freeze(0)
    time.sleep(_FREEZE)
    cluster.fleet.thaw(0)
    return moment


def _restart(cluster: Cluster) -> float:
    cluster.server.stop()
    cluster.server.start()
    return time.monotonic()


def _away(cluster: Cluster) -> float:
    cluster.server.stop()
    time.sleep(_AWAY)
    cluster.server.start()
    return time.monotonic()


def _cut(cluster: Cluster) -> float:
    with psycopg.connect(cluster.fleet.database, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    return time.monotonic()


def _silence(cluster: Cluster) -> float:
    moment = time.monotonic()
    cluster.between.passes.clear()
    time.sleep(_FREEZE)
    cluster.between.passes.set()
    return moment


FAULTS: dict[str, tuple[Callable[[Cluster], float], bool]] = {
    # the fault, and whether it hits all workers instead of the first
    "kill -9": (_kill, False),
    "SIGTERM": (_stop, False),
    f"SIGSTOP {_FREEZE:.0f} s": (_freeze, False),
    "PostgreSQL restarted": (_restart, True),
    f"PostgreSQL away {_AWAY:.0f} s": (_away, True),
    "connections cut": (_cut, True),
    f"connections silent {_FREEZE:.0f} s": (_silence, False),
}


def _hit(fleet: StubFleet, moment: float, *, everywhere: bool) -> set[str]:
    """Sites that the fault hit: their visits were open, on the first worker or on all."""
    found = set[str]()
    for line in fleet.lines():
        is_there = everywhere or line.worker == "w0"
        if line.at <= moment and is_there:
            if line.what == "begin":
                found.add(line.site)
            else:
                found.discard(line.site)
    return found


def _wait_for_visits(fleet: StubFleet) -> None:
    """Return in the midst of visits of the first worker: a fault between visits hits nobody."""
    end = time.monotonic() + 3 * _EVERY
    while not _hit(fleet, time.monotonic() - 2.0, everywhere=False):
        assert time.monotonic() < end, "the first worker never had a visit for two seconds"
        time.sleep(0.1)


def _recovery(fleet: StubFleet, hit: set[str], moment: float) -> float:
    """Seconds until a visit of each of these sites has begun on a worker that can carry it."""
    end = time.monotonic() + _LONGEST
    while hit - fleet.visited_since(moment) and time.monotonic() < end:
        time.sleep(0.2)
    first: dict[str, float] = {}
    for line in fleet.lines("begin"):
        if line.at > moment and line.site in hit:
            first.setdefault(line.site, line.at)
    if hit - first.keys():
        return float("inf")
    return max((at - moment for at in first.values()), default=0.0)


def _twice(fleet: StubFleet) -> int:
    """Visits that ended and were counted although another one of the same site had begun since. One
    that had written before its connection fell silent ends late, and is not counted."""
    latest: dict[str, str] = {}
    found = 0
    for line in fleet.lines():
        if line.what == "begin":
            latest[line.site] = line.worker
        elif latest.get(line.site) != line.worker:
            found += 1
    uncounted = fleet.ended() - fleet.counted()
    return max(0, found - uncounted)


def kills(args: Any) -> int:
    """A table of faults; 1 if a site was lost or a visit counted twice."""
    table = Table("fault")
    wrong = 0
    for name, (fault, everywhere) in FAULTS.items():
        if args.only not in name:
            continue
        with tempfile.TemporaryDirectory() as folder, _cluster(Path(folder)) as cluster:
            fleet = cluster.fleet
            _wait_for_visits(fleet)
            before = time.monotonic()
            moment = fault(cluster)
            hit = _hit(fleet, before, everywhere=everywhere)
            seconds = _recovery(fleet, hit, moment)
            alive = sum(worker.poll() is None for worker in fleet.workers)
            time.sleep(2 * _EVERY)
            lost = set(cluster.names) - fleet.visited_since(time.monotonic() - 2 * _EVERY)
            fleet.end()
            figures = {"hit": len(hit), "again_s": round(seconds, 1), "alive": alive}
            counts = {"twice": _twice(fleet), "lost": len(lost)}
            ended = {"ended": fleet.ended(), "counted": fleet.counted()}
            table.add(name, **figures, **counts, **ended)
            wrong += counts["twice"] + counts["lost"]
    return int(wrong > 0)


# ---- a page that kills its process
_POISON_FOR = 90.0


def poison(args: Any) -> int:
    """One site of seven kills its process whenever its crawl begins."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        sites = [stack.enter_context(served_site(demo_pages())) for _ in range(7)]
        fleet = Fleet(Path(folder), new_server().create())
        fleet.lost_after = 10.0
        settings = ('EXTENSIONS={"tests.fleet.workers.Killing": 1}', f"KILLS={sites[0].name}")
        fleet.options = tuple(word for given in settings for word in ("-s", given))
        fleet.hurries = False
        fleet.watch(sites, every=_EVERY)
        fleet.start(3)
        workers = _supervised(fleet, for_seconds=_POISON_FOR)
        with closing(fleet.schedule()) as schedule:
            known = {site.site: site for site in schedule.all()}
        bad = known.pop(sites[0].name)
        fleet.kill_all()
    figures = {
        "seconds": _POISON_FOR,
        "workers_lost": workers,
        "processes_lost": workers + max(0, bad.deaths - 1),
        "innocent_visits": sum(site.visits for site in known.values()),
        "innocent_put_off": sum(site.tries > 1 for site in known.values()),
    }
    Table("fault").add("poison", **figures)
    return int(figures["processes_lost"] > 4 or figures["innocent_put_off"] > 0)


def _supervised(fleet: Fleet, *, for_seconds: float) -> int:
    """Start each worker again that ends, for a while; how many did."""
    end = time.monotonic() + for_seconds
    ended = set[int]()
    while time.monotonic() < end:
        for number, worker in enumerate(list(fleet.workers)):
            if number not in ended and worker.poll() is not None:
                ended.add(number)
                fleet.start()
        time.sleep(0.5)
    return len(ended)


# ---- items
def items(args: Any) -> int:
    """Ten sites crawled by three workers, of which ``--kills`` are killed at random."""
    table = Table("run")
    quiet = _crawled(0, args.seed)
    table.add("quiet", **_told(quiet))
    killed = _crawled(args.kills, args.seed)
    same = {path: body for path, body in killed.items.items() if quiet.items.get(path) == body}
    twice = sum(count - 1 for count in killed.counts.values())
    different = len(killed.items) - len(same)
    missing = len(quiet.items.keys() - killed.items.keys())
    figures = {"missing": missing, "twice": twice, "different": different}
    table.add(f"{args.kills} kills", **_told(killed), **figures)
    return int(bool(missing or twice or different))


@dataclass
class Crawled:
    """Items by number of the site and path, how often each stands in the feed, and the cost."""

    items: dict[str, str]
    counts: Counter[str]
    seconds: float
    requests: int


def _told(crawled: Crawled) -> dict[str, Any]:
    return {
        "items": len(crawled.items),
        "requests": crawled.requests,
        "seconds": round(crawled.seconds, 1),
    }


def _crawled(kills: int, seed: int) -> Crawled:
    moments = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        sites = [stack.enter_context(served_site(demo_pages())) for _ in range(10)]
        fleet = Fleet(Path(folder), new_server().create())
        fleet.watch(sites)
        began = time.monotonic()
        fleet.start(3)
        for _ in range(kills):
            time.sleep(moments.uniform(0.5, 4.0))
            living = [n for n, worker in enumerate(fleet.workers) if worker.poll() is None]
            fleet.kill(moments.choice(living))
            fleet.start()
        fleet.wait(patience=900.0)
        seconds = time.monotonic() - began
        fleet.end()
        found = [(_place(sites, item), str(item["articleBody"])) for item in _items(fleet)]
        requests = sum(len(site.asked) for site in sites)
        fleet.kill_all()
    return Crawled(dict(found), Counter(place for place, _ in found), seconds, requests)


def _items(fleet: Fleet) -> Iterator[dict[str, Any]]:
    return (entry.item for entry in entries(fleet.stores))


def _place(sites: list[ServedSite], item: dict[str, Any]) -> str:
    """An item's address, the same in each run: sites have another port in each."""
    url = str(item["url"])
    for number, site in enumerate(sites):
        if url.startswith(site.url):
            return f"{number}/{url.removeprefix(site.url)}"
    return url


# ---- idle visits
_MEASURED = 60.0


def idle(args: Any) -> int:
    """Empty visits of one worker of 50 slots: statements, commits and CPU of each."""
    server = new_server(shared_preload_libraries="pg_stat_statements")
    with tempfile.TemporaryDirectory() as folder:
        plan = {"lost_after": 60.0, "visits_last": 0.0, "slots": 50, "locks": False}
        fleet = StubFleet(Path(folder), server.create(), plan)
        _fill(fleet, rate=args.rate)
        fleet.start()
        time.sleep(15)
        before = _costs(fleet, server)
        time.sleep(_MEASURED)
        after = _costs(fleet, server)
        fleet.end()
    spent = {name: after[name] - before[name] for name in after}
    visits = spent.pop("visits")
    figures = {name: round(value / visits, 2) for name, value in spent.items()}
    Table("visits").add(f"{args.rate} asked", a_second=round(visits / _MEASURED, 1), **figures)
    return 0


def _fill(fleet: StubFleet, *, rate: int) -> None:
    """So many sites that ``rate`` are due each second."""
    every = 900
    with closing(fleet.schedule()) as schedule, psycopg.connect(fleet.database) as connection:
        now = schedule.db.now()
        connection.execute("CREATE EXTENSION pg_stat_statements")
        connection.execute(
            "INSERT INTO schedule (site, start, arguments, every, next_visit, outcome)"
            " SELECT 'site-' || n || '.example', '[]', '{}', %s, %s + n::float8 / %s, '{}'"
            " FROM generate_series(1, %s) n",
            [every, now, rate, every * rate],
        )
        connection.execute("ANALYZE schedule")


def _costs(fleet: StubFleet, server: Server) -> dict[str, float]:
    """Visits, statements and commits so far, and milliseconds of CPU."""
    with psycopg.connect(fleet.database, autocommit=True) as connection:

        def number(sql: str) -> float:
            row = connection.execute(sql.encode()).fetchone()
            return float(row[0]) if row else 0.0

        commits = "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()"
        return {
            "visits": number("SELECT sum(visits) FROM schedule"),
            "statements": number("SELECT sum(calls) FROM pg_stat_statements"),
            "commits": number(commits),
            "cpu_ms_worker": 1000 * _cpu(fleet.workers[0].pid),
            "cpu_ms_postgresql": 1000 * _cpu_of_server(server),
        }


def _cpu(pid: int, *, children: bool = False) -> float:
    """Seconds of CPU of a process; with those of its children that ended."""
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    last = 15 if children else 13
    return sum(map(int, words[11:last])) / _TICKS


def _cpu_of_server(server: Server) -> float:
    first = int((server.folder / "data" / "postmaster.pid").read_text().split()[0])
    below = Path(f"/proc/{first}/task/{first}/children").read_text().split()
    return _cpu(first, children=True) + sum(_cpu(int(pid)) for pid in below)


_PARTS = {"kills": kills, "poison": poison, "items": items, "idle": idle}


def main(arguments: list[str]) -> int:
    args = asked(
        __doc__,
        arguments,
        what=[*_PARTS],
        only=("", "a part of the name of a fault"),
        kills=30,
        seed=0,
        rate=111,
    )
    return _PARTS[args.what](args)
