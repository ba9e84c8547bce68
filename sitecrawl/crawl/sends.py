"""Counts how often each URL of a run was requested: every request passes here, and so no reason to
request a page again can hold for ever."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sitecrawl.crawl.site_state import Memory
from sitecrawl.limits import LIMITS

_NAME = "sent "  # begins the names of the counts in the memory of a run


@dataclass(slots=True)
class Sends:
    """The numbers of requests by page key. A first request is known by the row of its page; further
    ones are stored in the ``memory`` of the run, so that a kill does not reset them."""

    memory: Memory
    _counts: Counter[str] = field(default_factory=Counter)

    def allows(self, key: str) -> bool:
        """Whether a page may be requested, perhaps once more."""
        return self._counts[key] < LIMITS.sends

    def record(self, key: str) -> None:
        """Count a request."""
        count = self._counts[key] + 1
        self._counts[key] = count
        if count > 1:
            self.memory.put(f"{_NAME}{key}", [key, count])

    def recall(self, memory: Mapping[str, Any]) -> None:
        """Restore what :meth:`record` stored in ``memory``."""
        for name, stored in memory.items():
            if name.startswith(_NAME):
                key, count = stored
                self._counts[key] = count

    def recall_first(self, key: str) -> None:
        """Restore that a page was requested in this run before it was interrupted."""
        self._counts.setdefault(key, 1)
