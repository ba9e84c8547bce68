"""Python processes of the tests, forked from one that has loaded what our commands load: all of a
process but the second of CPU of its imports."""

from __future__ import annotations

import atexit
import os
import runpy
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from multiprocessing import get_context
from multiprocessing.connection import wait
from multiprocessing.context import ForkServerContext
from pathlib import Path
from threading import Lock

from tests.source import ROOT

_ONE_AT_A_TIME = Lock()
"""A start asks for the exit codes of all processes. Of two threads that ask for one at once, one
reads the end of a pipe in its place: 255."""


@cache
def _server() -> ForkServerContext:
    context = get_context("forkserver")
    context.set_forkserver_preload(["tests.loaded"])
    return context


class Started:
    """A process that runs a line of Python (``[python, "-m", module, …]`` or ``[python, "-c", code,
    …]``), used as a ``subprocess.Popen``.

    What it says goes to the files ``out`` and ``err``, if any. ``first`` is called in it before
    anything else."""

    def __init__(
        self,
        line: Sequence[str],
        *,
        cwd: Path = ROOT,
        out: Path | str = os.devnull,
        err: Path | str = os.devnull,
        env: Mapping[str, str] | None = None,
        first: Callable[[], object] = dict,
    ) -> None:
        known = dict(os.environ if env is None else env)
        self.process = _server().Process(
            target=_run, args=(list(line[1:]), str(cwd), (str(out), str(err)), known, first)
        )
        with _ONE_AT_A_TIME:
            self.process.start()

    @property
    def pid(self) -> int:
        return self.process.pid or 0

    @property
    def returncode(self) -> int | None:
        with _ONE_AT_A_TIME:
            return self.process.exitcode

    def poll(self) -> int | None:
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """The exit code. Raises subprocess.TimeoutExpired."""
        wait([self.process.sentinel], timeout)
        if (code := self.returncode) is None:
            raise subprocess.TimeoutExpired([], timeout or 0.0)
        return code

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal, unless it has ended."""
        if self.returncode is None:
            with suppress(ProcessLookupError):  # it ended since it was last looked at
                os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def __enter__(self) -> Started:
        return self

    def __exit__(self, *_: object) -> None:
        self.wait()


def finished(
    line: Sequence[str],
    *,
    cwd: Path = ROOT,
    env: Mapping[str, str] | None = None,
    timeout: float = 120.0,
    first: Callable[[], object] = dict,
) -> subprocess.CompletedProcess[str]:
    """A line of Python run to its end: exit code, and what it said. Raises
    subprocess.TimeoutExpired, and kills it."""
    with tempfile.TemporaryDirectory() as folder:
        out, err = Path(folder) / "out", Path(folder) / "err"
        process = Started(line, cwd=cwd, out=out, err=err, env=env, first=first)
        try:
            code = process.wait(timeout)
        finally:
            process.kill()
        said = (file.read_text("utf8", "replace") if file.exists() else "" for file in (out, err))
        return subprocess.CompletedProcess(list(line), code, *said)


def _run(
    line: list[str],
    cwd: str,
    files: tuple[str, str],
    env: Mapping[str, str],
    first: Callable[[], object],
) -> None:
    """In the forked process: become a Python of its own that runs the line."""
    signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # tests that run in the background of a shell ignore it
    for file, number in zip(files, (1, 2), strict=True):
        os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND), number)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    sys.path[:] = [cwd, *(path for path in sys.path if path not in ("", str(ROOT)))]
    kind, what, *words = line
    sys.argv = [what if kind == "-m" else "-c", *words]
    first()
    try:
        if kind == "-m":
            runpy.run_module(what, run_name="__main__", alter_sys=True)
        else:
            exec(compile(what, "<string>", "exec"), {"__name__": "__main__"})
    finally:
        atexit._run_exitfuncs()
