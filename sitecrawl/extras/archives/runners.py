"""Ways to run the tasks of a batch: in this process, in worker processes (joblib), or on a Dask scheduler."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from sitecrawl.errors import SitecrawlError
from sitecrawl.extras.archives.shards import Runner, Task, perform
from sitecrawl.plugins import install_hint

_NEEDS = install_hint("batch")
_PATIENCE = 20  # seconds that a scheduler has to answer
_AGAIN = "give it more memory and run the command again, it goes on from there"
_TRIES = 3  # times that a task is done again when its worker was lost


class RunnerError(SitecrawlError):
    """The tasks of a batch cannot be run as requested."""


def here(tasks: Iterable[Task]) -> Iterator[tuple[Task, dict[str, Any]]]:
    """Runs the tasks one by one in this process."""
    return map(perform, tasks)


def on_cores(jobs: int) -> Runner:
    """Runs tasks in ``jobs`` worker processes (0: one per core) of one thread each, since more would spin. Raises RunnerError without joblib."""
    jobs = jobs or os.cpu_count() or 1
    if jobs == 1:
        return here
    if find_spec("joblib") is None:
        raise RunnerError(f"--jobs needs joblib: {_NEEDS}")
    from joblib import Parallel, delayed, parallel_config
    from joblib.externals.loky.process_executor import BrokenProcessPool

    def run(tasks: Iterable[Task]) -> Iterator[tuple[Task, dict[str, Any]]]:
        try:
            with parallel_config(backend="loky", n_jobs=jobs, inner_max_num_threads=1):
                yield from Parallel(return_as="generator_unordered")(delayed(perform)(task) for task in tasks)
        except BrokenProcessPool:
            raise RunnerError(f"a worker process was killed: {_AGAIN}") from None

    return run


@contextmanager
def on_scheduler(address: str) -> Iterator[Runner]:
    """Runs tasks on the workers of a Dask scheduler, which must see the archives and the output folder under the same names. Raises RunnerError
    without ``distributed``, or if no scheduler answers."""
    if find_spec("distributed") is None:
        raise RunnerError(f"--scheduler needs Dask: {_NEEDS}")
    from distributed import Client, KilledWorker, as_completed

    try:
        client = Client(address, timeout=_PATIENCE, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError, TimeoutError) as error:
        why = " ".join(str(error).split())[:200]
        raise RunnerError(f"no scheduler at {address} ({why}): start one with dask scheduler") from None

    def run(tasks: Iterable[Task]) -> Iterator[tuple[Task, dict[str, Any]]]:
        futures = client.map(perform, list(tasks), pure=False, retries=_TRIES)
        try:
            for future, result in as_completed(futures, loop=client.loop, with_results=True):  # type: ignore[no-untyped-call]
                yield result
                future.release()
        except KilledWorker:
            raise RunnerError(f"workers of {address} were lost {_TRIES} times in one task: {_AGAIN}") from None

    with client:
        yield run
