"""Visits of suspects: sites that were visited when a process died. Each has a process of its own,
so that a page that kills or stalls its process takes no other visit with it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

from scrapy.crawler import AsyncCrawlerProcess
from scrapy.settings import Settings

from sitecrawl.crawl.visit import Visit
from sitecrawl.extras.fleet.engine import WorkerSettings
from sitecrawl.extras.fleet.forker import Forker
from sitecrawl.extras.fleet.lease import Lease, watch_for_stall
from sitecrawl.extras.fleet.runner import run_in_reactor
from sitecrawl.extras.fleet.schedule import End, VisitEnd, Watched
from sitecrawl.extras.fleet.visitor import MaySend, record_refusal, to_its_end, visit
from sitecrawl.records_json import from_document, to_document

_AT_ONCE = 8  # processes beside that of a worker: each has some 40 MB of its own
_BEAT = 1.0  # seconds between two words to a process
_STOP = b"stop"


class LoneVisits:
    """The processes that a worker has beside its own. It must be made before the reactor is."""

    def __init__(self, settings: Settings, known: WorkerSettings) -> None:
        self._known = known
        self._forker = Forker(partial(_act, settings=settings, known=known))
        self._room = asyncio.Semaphore(_AT_ONCE)

    async def visit(self, watched: Watched, *, may_send: MaySend | None = None) -> VisitEnd:
        """Visit a site in a process of its own; how that ended. A visit that is cancelled is broken
        off in order, and raises CancelledError. Raises OSError if no process can be made."""
        async with self._room:
            with self._forker.start(json.dumps(to_document(watched))) as pipe:
                end = await _end_from(pipe, may_send)
        if end.how is not End.DIED:
            return end
        why = f"its process died in visits of this site alone ({watched.deaths} in a row)"
        record_refusal(watched, self._known.crawl, why=why)
        return replace(end, why=why)


async def _end_from(pipe: Connection, may_send: MaySend | None) -> VisitEnd:
    """The end of a visit that the process at the other end of a pipe makes."""
    loop = asyncio.get_running_loop()
    answered: asyncio.Future[bytes] = loop.create_future()
    loop.add_reader(pipe.fileno(), partial(_hear, pipe, answered))
    beating = asyncio.ensure_future(_beat(pipe, may_send))
    try:
        await asyncio.wait([answered])
    except asyncio.CancelledError:
        beating.cancel()
        _say(pipe, _STOP)
        await to_its_end(answered)
        raise
    finally:
        beating.cancel()
        loop.remove_reader(pipe.fileno())
    return _read(answered.result())


def _hear(pipe: Connection, answered: asyncio.Future[bytes]) -> None:
    if answered.done():
        return
    try:
        answered.set_result(pipe.recv_bytes())
    except (EOFError, OSError):
        answered.set_result(b"")


async def _beat(pipe: Connection, may_send: MaySend | None) -> None:
    """Tell a process every second that its site is the worker's own; nothing once it is not."""
    while may_send is None or may_send():
        _say(pipe, str(time.monotonic()).encode())  # a clock that all processes share
        await asyncio.sleep(_BEAT)


def _say(pipe: Connection, word: bytes) -> None:
    with suppress(OSError):  # it has died: its end of the pipe tells
        pipe.send_bytes(word)


def _read(answer: bytes) -> VisitEnd:
    if not answer:
        return VisitEnd(End.DIED)
    known: dict[str, Any] = json.loads(answer)
    visit = from_document(Visit, known["visit"])
    return VisitEnd(End[known["how"]], known["outcome"], why=known["why"], visit=visit)


# ---- in the process of a visit
def _act(order: str, pipe: Connection, *, settings: Settings, known: WorkerSettings) -> None:
    """Visit a site, and answer how that ended."""
    watched = from_document(Watched, json.loads(order))
    process = AsyncCrawlerProcess(settings)
    leash = _Leash(pipe, Lease(known.lost_after))

    async def answer() -> None:
        end = await _visit(watched, process, known=known, leash=leash)
        visit = to_document(end.visit)
        told = {"how": end.how.name, "outcome": end.outcome, "why": end.why, "visit": visit}
        _say(pipe, json.dumps(told).encode())

    run_in_reactor(process, answer)


async def _visit(
    watched: Watched, process: AsyncCrawlerProcess, *, known: WorkerSettings, leash: _Leash
) -> VisitEnd:
    crawl = visit(watched, process, settings=known.crawl, may_send=leash.may_send)
    task = asyncio.ensure_future(crawl)
    leash.hold(task.cancel)
    try:
        return await task
    except asyncio.CancelledError:
        return VisitEnd(End.INTERRUPTED)
    finally:
        leash.let_go()


class _Leash:
    """What the worker says to the process of a visit."""

    def __init__(self, pipe: Connection, lease: Lease) -> None:
        self._pipe = pipe
        self._lease = lease
        self._is_ours = lease.may_send()
        self._stop: Callable[[], object] = dict

    def hold(self, stop: Callable[[], object]) -> None:
        """Listen; ``stop`` is called when the visit has to end."""
        self._stop = stop
        asyncio.get_running_loop().add_reader(self._pipe.fileno(), self.hear)

    def may_send(self) -> bool:
        """Whether the site is still the worker's own. What it said while a page was read waits in
        the pipe."""
        while self._pipe.poll() and self.hear():
            pass
        return self._is_ours()

    def hear(self) -> bool:
        """Take a word: go on, or stop; also if the worker has died, whose end of the pipe is then
        closed. False if it was the last one."""
        try:
            word = self._pipe.recv_bytes()
        except (EOFError, OSError):
            word = _STOP
        if word == _STOP:
            self.let_go()
            self._stop()
            return False
        self._lease.renew(float(word))
        watch_for_stall(self._lease.lost_after)
        return True

    def let_go(self) -> None:
        """Hear no more."""
        asyncio.get_running_loop().remove_reader(self._pipe.fileno())
