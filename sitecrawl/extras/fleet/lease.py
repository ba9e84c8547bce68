"""Whether a worker may go on: the proof to itself that its sites are still its own, and the watch
of the kernel over a page that stalls it."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable

_SHARE = 0.7
"""Part of the time after which a worker counts as lost during which it goes on without contact. Its
last sign of life may be a quarter of that time older than its last contact."""


class Lease:
    """When this worker last knew that its sites are its own; ``lost_after`` is in seconds."""

    def __init__(self, lost_after: float) -> None:
        self.lost_after = lost_after
        self._contact = time.monotonic()
        self._lapses = 0

    @property
    def holds(self) -> bool:
        """Whether no other worker can have taken over since the last contact."""
        return self._holds_at(time.monotonic())

    def renew(self, at: float | None = None) -> None:
        """The worker was in contact, just now or ``at`` a time of the monotonic clock. A visit that
        ran during a lapse is no longer its own, although the worker is."""
        moment = time.monotonic() if at is None else at
        if not self._holds_at(moment):
            self._lapses += 1
        self._contact = moment

    def _holds_at(self, moment: float) -> bool:
        return moment - self._contact < _SHARE * self.lost_after

    def may_send(self) -> Callable[[], bool]:
        """A check for a visit that begins now."""
        lapses = self._lapses
        return lambda: lapses == self._lapses and self.holds


def watch_for_stall(seconds: float) -> None:
    """Let the kernel end this process (SIGVTALRM) unless this is called again before the process
    has used so many seconds of CPU. A page may stall it inside a regular expression, where no
    Python code runs; and a process that is frozen or waits uses no CPU, and is left alone."""
    signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)


def end_watch() -> None:
    """Watch this process no more."""
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
