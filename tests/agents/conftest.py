"""Processes of the agents' tests as forks, which spares their imports."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from types import SimpleNamespace
from typing import IO, Any

import pytest

from sitecrawl.extras.agents import iteration, tools
from tests.process import Started, finished


class Forked(Started):
    """A crawl, started as the loop over articles starts it."""

    def __init__(
        self, line: list[str], *, stdout: int, stderr: IO[bytes], env: Mapping[str, str]
    ) -> None:
        super().__init__(line, err=f"/proc/{os.getpid()}/fd/{stderr.fileno()}", env=env)


def run(
    line: list[str], *, env: Mapping[str, str], timeout: float, **_: Any
) -> subprocess.CompletedProcess[bytes]:
    """A command, run as the tools of the server run it."""
    done = finished(line, env=env, timeout=timeout)
    return subprocess.CompletedProcess(
        line, done.returncode, done.stdout.encode(), done.stderr.encode()
    )


@pytest.fixture(autouse=True)
def _forked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        iteration, "subprocess", SimpleNamespace(Popen=Forked, DEVNULL=subprocess.DEVNULL)
    )
    monkeypatch.setattr(tools, "subprocess", SimpleNamespace(run=run, DEVNULL=subprocess.DEVNULL))
