"""Keys of the pages that a crawl has met. Keys of earlier runs are looked up in the store and never loaded all at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from sitecrawl.limits import LIMITS


@dataclass(slots=True)
class Seen:
    """A set of keys that starts with the known pages of the site. ``lookup`` returns those of the given keys that are known."""

    lookup: Callable[[Sequence[str]], Iterable[str]] | None = None  # None if nothing is known
    _met: set[str] = field(default_factory=set)
    _unknown: set[str] = field(default_factory=set)

    def __contains__(self, key: str) -> bool:
        if key in self._met:
            return True
        if self.lookup is None or key in self._unknown:
            return False
        self.look_up([key])
        return key in self._met

    def look_up(self, keys: Iterable[str]) -> None:
        """Look up keys together: one query instead of one for each key."""
        if self.lookup is None:
            return
        asked = [key for key in dict.fromkeys(keys) if key not in self._met and key not in self._unknown]
        if asked:
            found = set(self.lookup(asked))
            self._met |= found
            if len(self._unknown) > LIMITS.unread:
                self._unknown.clear()
            self._unknown.update(key for key in asked if key not in found)

    def add(self, key: str) -> None:
        self._met.add(key)

    def discard(self, key: str) -> None:
        """Treat a page as not met."""
        self._met.discard(key)
        self._unknown.add(key)
