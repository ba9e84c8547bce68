"""What many tests share: stores in both databases, a browser."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

# before numpy is loaded: threads of matrix products wait for each other where several processes
# share the cores
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from playwright.sync_api import Browser, sync_playwright

from sitecrawl.crawl.store import Stores
from tests.postgres import places

# the databases of the tests lie in memory where there is room: SQLite waits for the disk whenever
# it closes one
_shared = os.statvfs("/dev/shm") if os.access("/dev/shm", os.W_OK) else None
if _shared and _shared.f_bavail * _shared.f_frsize > 4e9 and not _shared.f_flag & os.ST_NOEXEC:
    os.environ.setdefault("TMPDIR", "/dev/shm")
    tempfile.tempdir = None  # asked for before


@pytest.fixture(params=["sqlite", "postgresql"])
def stores(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stores]:
    """Where the state of all sites is: a folder, or a database of a server."""
    with places(request.param, tmp_path) as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as play:
        chromium = play.chromium.launch(
            executable_path="/usr/bin/chromium-headless-shell", args=["--no-sandbox"]
        )
        yield chromium
        chromium.close()
