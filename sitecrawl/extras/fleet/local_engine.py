"""The engine of one machine: a loop over the schedule in the data folder. It needs no server, and
no lease: the lock of the folder is enough."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import closing

from sitecrawl.extras.fleet.engine import Visit, WorkerSettings
from sitecrawl.extras.fleet.lease import end_watch, watch_for_stall
from sitecrawl.extras.fleet.runner import Say
from sitecrawl.extras.fleet.schedule import End, Schedule, VisitEnd, Watched

_LOOK = 0.5  # seconds between two looks for sites that are due


class LocalEngine:
    """A site stays due until its visit ended, so that a kill loses nothing."""

    def __init__(
        self, settings: WorkerSettings, *, say: Say, wants: Callable[[str], bool] = bool
    ) -> None:
        """``wants`` tells of a site whether it may be visited."""
        self._settings = settings
        self._part = settings.part
        self._wants = wants
        self._say = say
        self._running: dict[str, asyncio.Task[None]] = {}

    def may_send(self) -> None:
        return None

    async def run(
        self, visit: Visit, stop: asyncio.Event, *, ready: Callable[[], object] = dict
    ) -> None:
        with closing(Schedule(self._settings.crawl.stores.watched())) as schedule:
            if not self._part.has_others:
                schedule.db.lock("work")
            for watched in schedule.under_way():  # they ran when the last process died
                if self._part.has(watched.site):
                    schedule.end(watched, VisitEnd(End.LOST), began=0.0)
            ready()
            stopped = asyncio.ensure_future(stop.wait())
            try:
                while not stop.is_set():
                    self._look(schedule, visit)
                    tasks = [stopped, *self._running.values()]
                    await asyncio.wait(tasks, timeout=_LOOK, return_when=asyncio.FIRST_COMPLETED)
                    self._settle()
            finally:
                await self._break_off()
                end_watch()

    def _may_visit(self, site: str) -> bool:
        return self._part.has(site) and self._wants(site)

    def _look(self, schedule: Schedule, visit: Visit) -> None:
        """Begin visits where there is room, and end those that a person stopped."""
        watch_for_stall(self._settings.lost_after)
        room = self._settings.sites - len(self._running)
        for watched in schedule.due(room, but=self._running, of=self._may_visit):
            began = schedule.begin(watched)
            work = self._visit(watched, visit, schedule=schedule, began=began)
            self._running[watched.site] = asyncio.ensure_future(work)
        if not self._running:
            return
        for site in schedule.to_stop():
            if site in self._running:
                self._running[site].cancel()

    async def _visit(
        self, watched: Watched, visit: Visit, *, schedule: Schedule, began: float
    ) -> None:
        try:
            end = await visit(watched)
        except asyncio.CancelledError:
            end = VisitEnd(End.INTERRUPTED)
            if watched.site in schedule.to_stop():
                end = VisitEnd(End.STOPPED)
        told = schedule.end(watched, end, began=began)
        if told:
            self._say(told)

    def _settle(self) -> None:
        """Forget the visits that ended. Raises the DatabaseError of one whose end could not be
        written."""
        for site, task in list(self._running.items()):
            if task.done():
                del self._running[site]
                task.result()

    async def _break_off(self) -> None:
        for task in self._running.values():
            task.cancel()
        await asyncio.gather(*self._running.values(), return_exceptions=True)
