"""Ways to run the tasks of a batch: in this process, in worker processes, or on a Dask
scheduler."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError, Executor, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from threading import Thread
from typing import Any

from sitecrawl.errors import SitecrawlError
from sitecrawl.extras.archives.shards import Runner, Task, perform
from sitecrawl.limits import spare_garbage_collection
from sitecrawl.plugins import install_hint

_PATIENCE = 20  # seconds that a scheduler has to answer
GOES_ON = "run the same command again, it goes on from there"
_AGAIN = f"give it more memory and {GOES_ON}"
_TRIES = 3  # times that a task is done again when its worker was lost


def here(tasks: Iterable[Task]) -> Iterator[tuple[Task, dict[str, Any]]]:
    """Runs the tasks one by one in this process."""
    return map(perform, tasks)


def _run(pool: Executor, tasks: Iterable[Task]) -> Iterator[tuple[Task, dict[str, Any]]]:
    signal.pthread_sigmask(
        signal.SIG_BLOCK, [signal.SIGINT]
    )  # workers inherit it, for the second of their imports
    try:
        futures = [pool.submit(perform, task) for task in tasks]
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    for done in as_completed(futures):
        yield done.result()


def _begin_worker() -> None:
    """Let this worker end at Ctrl-C without a traceback, and when its parent is killed: it would
    wait for tasks for ever."""
    spare_garbage_collection()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    Thread(target=lambda: wait([parent_process().sentinel]) and os._exit(1), daemon=True).start()  # type: ignore[union-attr]


@contextmanager
def on_cores(jobs: int) -> Iterator[Runner]:
    """Runs tasks in ``jobs`` worker processes (0: one per core) of one thread each, since more
    would spin. Raises SitecrawlError if one is killed."""
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    pool = ProcessPoolExecutor(jobs or os.cpu_count(), get_context("spawn"), _begin_worker)
    try:
        yield partial(_run, pool)
    except BrokenProcessPool:
        raise SitecrawlError(f"a worker process was killed: {_AGAIN}") from None
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def on_scheduler(address: str) -> Iterator[Runner]:
    """Runs tasks on the workers of a Dask scheduler, which must see the archives and the output
    folder under the same names. Raises SitecrawlError without ``distributed``, if no scheduler
    answers or it is lost, or if a task loses too many workers."""
    if find_spec("distributed") is None:
        raise SitecrawlError(f"--jobs ADDRESS needs Dask: {install_hint('batch')}")
    from distributed import Client, KilledWorker

    logging.getLogger("distributed.client").setLevel(
        logging.CRITICAL
    )  # it would print a traceback of the same
    try:
        client = Client(address, timeout=_PATIENCE, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError, TimeoutError) as error:
        why = " ".join(str(error).split())[:200]
        raise SitecrawlError(
            f"no scheduler at {address} ({why}): start one with dask scheduler"
        ) from None
    with client:
        try:
            yield partial(_run, client.get_executor(pure=False, retries=_TRIES))  # type: ignore[no-untyped-call]
        except KilledWorker:
            raise SitecrawlError(
                f"workers of {address} were lost {_TRIES} times in one task: {_AGAIN}"
            ) from None
        except CancelledError:
            raise SitecrawlError(
                f"the scheduler at {address} was lost: start it again and {GOES_ON}"
            ) from None
