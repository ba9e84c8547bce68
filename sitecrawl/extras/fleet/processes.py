"""Several processes of one worker, for machines with several cores. Each visits its own part of the
sites; one that dies is replaced."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from types import FrameType

from sitecrawl.extras.fleet.engine import SharedWork

_REST = 1.0  # seconds before a process that died is replaced

Work = Callable[[SharedWork], int]
"""Works on a part of the sites in a new process; returns its exit code."""


def work_in_processes(count: int, work: Work) -> list[int]:
    """Have ``count`` processes work until each has ended by itself, or a signal ends all; their
    exit codes. It must be called before there is a reactor."""
    running = {_begin(SharedWork(number, count), work): number for number in range(count)}
    is_stopping = False
    codes: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal is_stopping
        is_stopping = True
        for process in running:
            os.kill(process, signal.SIGTERM)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    while running:
        process, status = os.wait()
        if process not in running:
            continue
        part = running.pop(process)
        if os.WIFSIGNALED(status) and not is_stopping:
            time.sleep(_REST)
            running[_begin(SharedWork(part, count), work)] = part
        else:
            codes.append(os.waitstatus_to_exitcode(status))
    return codes


def _begin(part: SharedWork, work: Work) -> int:
    """Make a process; its number."""
    process = os.fork()
    if process:
        return process
    # Ctrl-C reaches only the process that made this one, which passes it on once
    os.setpgrp()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    code = 1
    try:
        code = work(part)
    finally:
        os._exit(code)
