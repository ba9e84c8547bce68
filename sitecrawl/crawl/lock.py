"""One process a state file."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from sitecrawl.errors import StoreError


class Lock:
    """Keeps other processes from ``path`` until it is released or this process ends, however it ends."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = -1

    def acquire(self) -> None:
        """Raises StoreError where another process holds the lock."""
        self._file = os.open(self.path.with_suffix(".lock"), os.O_CREAT | os.O_RDWR, 0o644)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self.release()
            raise StoreError(self.path, "in use", "wait for the other crawl of this site, or stop it") from None

    def release(self) -> None:
        """Let others in; nothing happens where the lock is not held."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
