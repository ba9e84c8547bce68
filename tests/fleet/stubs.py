"""Workers of a database whose visits only wait: the engine alone, as a process. Each visit takes
the lock of its site, as a crawl does, and leaves a line when it begins and when it ends."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path

from sitecrawl.crawl.config import CrawlSettings
from sitecrawl.crawl.store import CrawlStore, Stores
from sitecrawl.errors import SitecrawlError
from sitecrawl.extras.fleet.engine import WorkerSettings, WorkerState
from sitecrawl.extras.fleet.jobs import Jobs
from sitecrawl.extras.fleet.postgresql import WORKER, named
from sitecrawl.extras.fleet.procrastinate_engine import ProcrastinateEngine
from sitecrawl.extras.fleet.runner import Stopper
from sitecrawl.extras.fleet.schedule import End, Schedule, VisitEnd, Watched
from tests.process import Started


@dataclass(frozen=True)
class Plan:
    """What a worker is told. Times in seconds."""

    database: str
    folder: str
    name: str = ""
    lost_after: float = 4.0
    visits_last: float = 0.5
    slots: int = 3
    locks: bool = True
    """Whether a visit takes the lock of its site."""


@dataclass(frozen=True)
class Line:
    """The beginning or the end of a visit."""

    at: float
    what: str
    site: str
    worker: str


class StubVisits:
    """The visits of a worker."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.settings = CrawlSettings(
            Path(plan.folder), database=named(plan.database, f"{WORKER}{plan.name}")
        )

    async def visit(self, watched: Watched) -> VisitEnd:
        """Wait with the lock of the site, if it is free: a visit that finds it taken, as that of
        a worker that was slow to answer still holds it, has neither begun nor ended."""
        if not self.plan.locks:
            self._note("begin", watched)
            await asyncio.sleep(self.plan.visits_last)
            return self._ended(watched)
        try:
            with closing(self.settings.stores.crawl(watched.site)) as store:
                store.lock()
                self._note("begin", watched)
                await asyncio.sleep(self.plan.visits_last)
                self._write(store)
                return self._ended(watched)
        except SitecrawlError as error:
            return VisitEnd(End.BROKEN, why=str(error))

    def _write(self, store: CrawlStore) -> None:
        """Who lost the connection with the lock cannot write."""
        store.change_facts(own_urls=[self.plan.name])

    def _ended(self, watched: Watched) -> VisitEnd:
        self._note("end", watched)
        return VisitEnd(End.FINISHED, {"reason": "finished", "pages": 1, "articles": 1})

    def _note(self, what: str, watched: Watched) -> None:
        line = Line(time.monotonic(), what, watched.site, self.plan.name)
        with open(Path(self.plan.folder) / "visits.jsonl", "a") as file:
            file.write(json.dumps(asdict(line)) + "\n")


def main(given: str) -> int:
    """A worker until it is stopped; its exit code."""
    plan = Plan(**json.loads(given))
    visits = StubVisits(plan)
    settings = WorkerSettings(visits.settings, plan.slots, plan.lost_after)
    engine = ProcrastinateEngine(settings, say=_say)
    stopper = Stopper(say=_say, patience=plan.lost_after)

    async def work() -> None:
        stopper.listen()
        await engine.run(visits.visit, stopper.event)

    try:
        asyncio.run(work())
    except SitecrawlError as error:
        _say(str(error))
        return 1
    return 0


def _say(line: str) -> None:
    print(f"sitecrawl: {line}", file=sys.stderr, flush=True)


@dataclass
class StubFleet:
    """Workers of one database, and what they left."""

    folder: Path
    database: str
    plan: dict[str, float] = field(default_factory=dict)
    workers: list[Started] = field(default_factory=list)

    @property
    def stores(self) -> Stores:
        return Stores(self.folder, self.database)

    def watch(self, count: int, *, every: int) -> list[str]:
        """Put sites on the schedule; their names."""
        names = [f"site-{number}.example" for number in range(count)]
        with closing(self.schedule()) as schedule, schedule.db.at_once():
            for name in names:
                schedule.add(f"http://{name}/", {}, every=every)
        return names

    def schedule(self) -> Schedule:
        """The schedule; the caller closes it."""
        return Schedule(self.stores.watched())

    def start(self, count: int = 1, *, through: str = "") -> None:
        """Start workers, which reach the database at its own address or ``through`` another."""
        for _ in range(count):
            name = f"w{len(self.workers)}"
            place = through or self.database
            plan = Plan(place, str(self.folder), name, **self.plan)  # type: ignore[arg-type]
            log = self.folder / f"{name}.log"
            code = f"import sys; from tests.fleet.stubs import main; sys.exit(main({json.dumps(asdict(plan))!r}))"
            self.workers.append(Started([sys.executable, "-c", code], out=log, err=log))

    def said(self, worker: int) -> str:
        path = self.folder / f"w{worker}.log"
        return path.read_text(errors="replace") if path.exists() else ""

    def said_by_all(self) -> str:
        return "".join(self.said(number) for number in range(len(self.workers)))

    def known(self) -> list[WorkerState]:
        """The workers that the database knows."""
        with closing(self.schedule()) as schedule:
            return Jobs(schedule.db, self.database).activity().workers

    def lines(self, what: str = "", worker: str = "") -> list[Line]:
        """The lines that the visits left, of one kind and worker if they are named."""
        path = self.folder / "visits.jsonl"
        found = [Line(**json.loads(line)) for line in path.open()] if path.exists() else []
        return [line for line in found if what in ("", line.what) and worker in ("", line.worker)]

    def visited_since(self, moment: float) -> set[str]:
        """Sites whose visits began after a moment."""
        return {line.site for line in self.lines("begin") if line.at > moment}

    def ended(self) -> int:
        """How many visits ended, as the visits say."""
        return len(self.lines("end"))

    def counted(self) -> int:
        """How many visits ended, as the schedule says."""
        with closing(self.schedule()) as schedule:
            return sum(watched.visits for watched in schedule.all())

    def freeze(self, worker: int) -> None:
        self.workers[worker].send_signal(signal.SIGSTOP)

    def thaw(self, worker: int) -> None:
        self.workers[worker].send_signal(signal.SIGCONT)

    def kill(self, worker: int) -> None:
        self.workers[worker].kill()
        self.workers[worker].wait()

    def end(self, *, patience: float = 60.0) -> list[int]:
        """Tell the workers to stop, and wait; their exit codes."""
        for worker in self.workers:
            worker.terminate()
        return [worker.wait(patience) for worker in self.workers]

    def kill_all(self) -> None:
        """Leave no process behind, nor a frozen one."""
        for worker in self.workers:
            if worker.poll() is None:
                os.kill(worker.pid, signal.SIGKILL)
            worker.wait()
