"""A worker: an engine that says which site is visited, the visits, and what follows each of them:
its last lines, alerts, the common feeds and the report."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import secrets
import socket
import time
from contextlib import closing
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path

from scrapy.crawler import AsyncCrawlerProcess
from scrapy.settings import Settings

from sitecrawl.commands._alerts import Exit, exit_code, named_conditions
from sitecrawl.commands.crawl import quieten
from sitecrawl.crawl.articles import FAULTS
from sitecrawl.crawl.config import CrawlArguments, CrawlSettings
from sitecrawl.crawl.last_lines import lines_of
from sitecrawl.crawl.store import Stores
from sitecrawl.errors import SitecrawlError, error_line
from sitecrawl.extras.fleet.engine import Engine, SharedWork, WorkerSettings
from sitecrawl.extras.fleet.feeds import write_shared_feeds
from sitecrawl.extras.fleet.local_engine import LocalEngine
from sitecrawl.extras.fleet.lone_visits import LoneVisits
from sitecrawl.extras.fleet.metrics import serve_metrics
from sitecrawl.extras.fleet.postgresql import WORKER, named
from sitecrawl.extras.fleet.preloaded import preload
from sitecrawl.extras.fleet.processes import work_in_processes
from sitecrawl.extras.fleet.runner import Say, Stopper, run_in_reactor
from sitecrawl.extras.fleet.schedule import End, Schedule, VisitEnd, Watched
from sitecrawl.extras.fleet.sites_file import FollowedFile, SitesFile
from sitecrawl.extras.fleet.visitor import settings_of, visit
from sitecrawl.plugins import REPORT, plugged
from sitecrawl.text.chars import printable

logger = logging.getLogger(__name__)

_LOOK = 1.0  # seconds between two looks at the file of sites, and at what is still due
_WRITE_EVERY = 60.0  # seconds between two writes of the feeds and the report
_ALWAYS = 1e10
_SLACK = 60.0  # seconds by which a site may be early, since timers are not exact


@dataclass(frozen=True, slots=True)
class WorkOrder:
    """What a worker is asked to do."""

    file: FollowedFile | None = None
    is_once: bool = False  # visit what is due, and end
    is_all: bool = False  # visit every site now, due or not
    as_json: bool = False
    processes: int = 1
    metrics: str = ""  # where Prometheus is answered


def work(given: Settings, known: WorkerSettings, *, plan: WorkOrder, say: Say) -> int:
    """Visit sites that are due until this process is told to stop, or, once, until all were
    visited; the exit code. Raises SitecrawlError."""
    stores = known.crawl.stores
    if plan.file:
        take_file(stores, plan.file.known)
    preload()
    if plan.processes == 1:
        return _Worker(given, known, plan=plan, say=say).run()

    def work_on(part: SharedWork) -> int:
        own = replace(known, part=part)
        worker = _Worker(given.copy(), own, plan=plan, say=say)
        return worker.run()

    with closing(stores.watched()) as db:
        if not known.crawl.database:
            db.lock("work")
        codes = work_in_processes(plan.processes, work_on)
    rest = Done(known.crawl, given)
    asyncio.run(rest.write(is_last=True))
    return worst_of([*codes, *rest.codes])


def take_file(stores: Stores, found: SitesFile) -> None:
    """Watch the sites of a file."""
    with closing(Schedule(stores.watched())) as schedule:
        schedule.sync(str(found.path.absolute()), found.sites)


def worst_of(codes: list[int]) -> int:
    """The exit code of several: the worst."""
    ranked = (Exit.INTERRUPTED, Exit.FAILED, Exit.USAGE, Exit.CONDITION)
    return next((int(code) for code in ranked if code in codes), int(any(codes)))


class _Worker:
    """One process that visits sites."""

    def __init__(
        self,
        given: Settings,
        known: WorkerSettings,
        *,
        plan: WorkOrder,
        say: Say,
    ) -> None:
        if known.crawl.database:
            known = _named(given, known)
        self.known = known
        self.plan = plan
        self.dues = dict[str, float]()
        self.visited = set[str]()
        self.is_ready = False
        self.say = say
        self.lone = LoneVisits(given, known)
        self.process = AsyncCrawlerProcess(given)
        quieten(given.get("LOG_LEVEL"))  # it sets loggers that a new process sets back
        self.engine = self._engine()
        self.stopper = Stopper(say=say, patience=known.lost_after)
        self.done = Done(
            known.crawl,
            given,
            as_json=plan.as_json,
            writes=known.part.number == 0,
            is_new=known.part.has_others,
        )

    def _engine(self) -> Engine:
        if not self.known.crawl.database:
            return LocalEngine(self.known, say=self.say, wants=self._wants)
        from sitecrawl.extras.fleet.procrastinate_engine import ProcrastinateEngine

        return ProcrastinateEngine(self.known, say=self.say)

    def _wants(self, site: str) -> bool:
        """Whether a site may be visited: once, only one that was due at the beginning."""
        return not self.plan.is_once or (site in self.dues and site not in self.visited)

    def run(self) -> int:
        """Work until the end; the exit code."""
        if self.plan.metrics and self.known.part.number == 0:
            serve_metrics(self.known.crawl.stores, self.plan.metrics)
        run_in_reactor(self.process, self._main)
        if not self.plan.is_once:
            return int(Exit.DONE)
        if self.done.codes or self.plan.processes == 1:
            self.say(self.done.summary)
        codes = list(self.done.codes)
        if self.stopper.is_told:
            codes.append(Exit.INTERRUPTED)
        return worst_of(codes)

    async def _main(self) -> None:
        self.stopper.listen()
        beside = asyncio.ensure_future(self._look_on())
        try:
            await self.engine.run(self._visit, self.stopper.event, ready=self._begin)
        finally:
            beside.cancel()
            await self.done.write(is_last=True)

    def _begin(self) -> None:
        """Make due what is to be visited once."""
        self.is_ready = True
        if not (self.plan.is_once or self.plan.is_all):
            return
        seconds = _ALWAYS if self.plan.is_all else _SLACK
        with closing(Schedule(self.known.crawl.stores.watched())) as schedule:
            self.dues = schedule.hasten(seconds, of=self.known.part.has)

    async def _visit(self, watched: Watched) -> VisitEnd:
        self.visited.add(watched.site)
        may_send = self.engine.may_send()
        try:
            if watched.is_suspect:
                end = await self.lone.visit(watched, may_send=may_send)
            else:
                crawl = self.known.crawl
                end = await visit(watched, self.process, settings=crawl, may_send=may_send)
        except (SitecrawlError, *FAULTS, OSError) as error:
            if not isinstance(error, SitecrawlError):
                logger.exception("%s: the visit failed", watched.site)
            end = VisitEnd(End.BROKEN, why=error_line(error))
        await self.done.take(watched, end)
        return end

    async def _look_on(self) -> None:
        """Look at the file of sites, at what is still due, and at the process that made this one."""
        made_by = os.getppid()
        while True:
            if self.plan.is_once and self.is_ready and not self._remaining():
                self.stopper.event.set()
            if self.plan.processes > 1 and os.getppid() != made_by:
                self.stopper.event.set()
            await asyncio.sleep(_LOOK)
            if self.plan.file:
                self._follow(self.plan.file)
            await self.done.write()

    def _remaining(self) -> bool:
        """Whether a site that was due at the beginning was not visited yet."""
        with closing(Schedule(self.known.crawl.stores.watched())) as schedule:
            rows = {one.site: one.next_visit for one in schedule.all() if not one.paused}
        return any(rows.get(site) == due for site, due in self.dues.items())

    def _follow(self, file: FollowedFile) -> None:
        for found in file.changes():
            if isinstance(found, SitecrawlError):
                self.say(f"{found}; what it said before goes on")
                continue
            try:
                take_file(self.known.crawl.stores, found)
                self.say(f"{found.path}: read again, {len(found.sites)} sites")
            except SitecrawlError as error:
                self.say(str(error))


@dataclass(slots=True)
class Done:
    """What follows visits: their last lines, alerts, feeds for all sites, and the report."""

    crawl: CrawlSettings
    settings: Settings
    as_json: bool = False
    codes: list[int] = field(default_factory=list)
    articles: int = 0
    writes: bool = True  # whether this is the process that writes feeds and report
    written: float = -inf  # when they were written last
    is_new: bool = False  # whether a visit has ended since

    @property
    def summary(self) -> str:
        """How many sites were visited, and what that brought."""
        if not self.codes and not self.is_new:
            return "no site is due (--all visits every site now)"
        failed = sum(code not in (Exit.DONE, Exit.CONDITION) for code in self.codes)
        sites = "1 site" if len(self.codes) == 1 else f"{len(self.codes)} sites"
        problem = f", {failed} could not be visited to the end" if failed else ""
        return f"{sites} visited, {self.articles} articles{problem}"

    async def take(self, watched: Watched, end: VisitEnd) -> None:
        """Tell how a visit ended. Alerts go out beside the other visits."""
        if end.how in (End.INTERRUPTED, End.STOPPED):
            return
        lines = lines_of(end.visit, advises=False) if end.how is End.FINISHED else [end.why]
        code = exit_code(end.visit) if end.how is End.FINISHED else Exit.FAILED
        try:
            held = await asyncio.to_thread(_alert, watched, end, given=self.settings)
            wanted = named_conditions(watched.wishes.fail_on)
            if code is Exit.DONE and set(held).intersection(wanted):
                code = Exit.CONDITION
        except SitecrawlError as error:
            lines.append(str(error))
            code = Exit.FAILED
        self._tell(watched.name, lines, code=code)
        self.codes.append(code)
        self.articles += end.visit.written
        self.is_new = True

    def _tell(self, name: str, lines: list[str], *, code: int) -> None:
        if self.as_json:
            known = {"site": name, "exit_code": int(code), "messages": lines}
            print(json.dumps(known, ensure_ascii=False), flush=True)
            return
        for line in lines:
            print(printable(f"{name}: {line}"), flush=True)

    async def write(self, *, is_last: bool = False) -> None:
        """Write the feeds and the report, if a visit has ended, once a minute at most."""
        is_due = self.is_new and time.monotonic() - self.written >= _WRITE_EVERY
        if not self.writes or not (is_due or is_last):
            return
        self.is_new = False
        try:
            await asyncio.to_thread(self._write)
        except (SitecrawlError, OSError) as error:
            self.codes.append(Exit.FAILED)
            print(printable(f"{error_line(error)}: the next visit adds what is lacking"))
        self.written = time.monotonic()

    def _write(self) -> None:
        write_shared_feeds(self.crawl.stores, self.settings)
        if self.crawl.report and self.codes:
            plugged(REPORT)["write"].load()(self.crawl.stores, Path(self.crawl.report))
        if target := self.settings.get("SITECRAWL_DIGEST"):
            alerts = plugged(REPORT)["alerts"].load()
            alerts.send_digest(target, self.crawl.stores, settings=self.settings)


def _alert(watched: Watched, end: VisitEnd, *, given: Settings) -> list[str]:
    """The conditions that hold after a visit, sent to whom the settings name. Raises
    SitecrawlError."""
    if end.how is End.BROKEN:  # it has left no record, and is tried again
        return []
    settings = settings_of(watched, given)
    target = settings.get("SITECRAWL_ALERT")
    if not target and not watched.wishes.fail_on:
        return []
    alerts = plugged(REPORT)["alerts"].load()
    asked = CrawlArguments.parse({**watched.arguments, "start": ",".join(watched.start)})
    stores = CrawlSettings.from_settings(settings).stores
    held: list[str] = alerts.conditions_after(stores, asked, visit=end.visit)
    if target:
        alerts.send_once(target, end.visit, found=held, folder=stores.data_dir, settings=settings)
    return held


def _named(given: Settings, settings: WorkerSettings) -> WorkerSettings:
    """Settings whose connections bear the name of this worker, so that the lock of a site tells who
    holds it."""
    name = f"{WORKER}{socket.gethostname()[:20]}-{os.getpid()}-{secrets.token_hex(3)}"
    url = named(settings.crawl.database, name)
    given.set("SITECRAWL_DATABASE", url, priority="cmdline")
    return replace(settings, crawl=replace(settings.crawl, database=url))
