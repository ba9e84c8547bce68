"""Trials: of article links whose URL pattern is new and whose promise is middling a few are fetched, the rest waits for those."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sitecrawl.urls.pattern import url_pattern

if TYPE_CHECKING:
    from sitecrawl.crawl.desk import Wanted

_SURE = 0.95
"""Promise from which a link needs no trial."""
_TRY = 4
"""Pages of a pattern that are tried at a time."""
_FAIR = 0.3
"""Share of articles among the pages of a pattern from which the rest is fetched."""


@dataclass(slots=True)
class Trials:
    """``tallies`` counts the other pages and the articles met by pattern; ``tried`` the requests made on trial."""

    tallies: dict[str, list[int]]
    tried: Counter[str] = field(default_factory=Counter)
    waiting: dict[str, list[Wanted]] = field(default_factory=lambda: defaultdict(list))

    def admits(self, wanted: Wanted) -> bool:
        """Whether to fetch an article link now; if not, it waits here."""
        pattern = url_pattern(wanted.url)
        if wanted.notes["article"] >= _SURE or self._share(pattern) >= _FAIR:
            return True
        if self.tried[pattern] < _TRY:
            self.tried[pattern] += 1
            return True
        self.waiting[pattern].append(wanted)
        return False

    def passed(self, url: str) -> list[Wanted]:
        """What may go, since a page of ``url``'s pattern turned out to be an article."""
        pattern = url_pattern(url)
        return self.waiting.pop(pattern, []) if self._share(pattern) >= _FAIR else []

    def failed(self, url: str) -> list[Wanted]:
        """What shall not be fetched for its own sake, since the pages tried of its pattern were no articles."""
        pattern = url_pattern(url)
        tried = sum(self.tallies.get(pattern, ()))
        return self.waiting.pop(pattern, []) if tried >= _TRY and self._share(pattern) < _FAIR else []

    def more(self) -> Iterator[Wanted]:
        """A few of every pattern whose trial came to no end, as when its pages could not be fetched."""
        for pattern in list(self.waiting):
            yield from self.waiting[pattern][:_TRY]
            del self.waiting[pattern][:_TRY]
            if not self.waiting[pattern]:
                del self.waiting[pattern]

    def _share(self, pattern: str) -> float:
        others, articles = self.tallies.get(pattern, (0, 0))
        return articles / (others + articles) if articles else 0.0
