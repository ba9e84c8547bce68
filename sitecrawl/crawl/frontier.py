"""Which listing page to fetch next: the one whose URL pattern has lately brought most new articles."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from heapq import heappop, heappush

from sitecrawl.urls.pattern import url_folder

_PAGINATION = 4.0
_SECTION = 2.0
_MAYBE = 0.3
"""New articles a page of a kind is expected to bring before its pattern was tried."""
_SATURATED = 6
"""Listing pages in a row without a new article after which the site seems known."""
_PROOF, _SEEN_AGAIN, _LEAST_AGAIN = 3, 0.5, 8
"""The site is known once this many listing pages in a row brought nothing new although they led to many known articles:
to this share of all that are known, and to this many at least."""
_MOST_PATIENT = 12
"""Further listing pages of a pattern that are waited for where many others could not be fetched."""
_DECAY = 0.7
"""Weight of the past in a pattern's expected yield, a page."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A page that may list articles, or (``kind`` maybe) may be one."""

    url: str
    kind: str
    score: float
    depth: int
    order: int


@dataclass(slots=True)
class Tally:
    """What fetching the pages of one pattern brought: expected new articles a page, pages in a row without any."""

    expected: float
    idle: int = 0
    fetched: int = 0
    brought: int = 0


@dataclass(slots=True)
class Frontier:
    """Candidates by pattern; a pattern that brought nothing ``patience`` times in a row is parked.

    ``idle`` counts the listing pages in a row, of any pattern, that brought nothing: when the site seems known, a new
    pattern gets one try. ``again`` holds the known articles those pages led to: when it is known, a new pattern gets none.
    ``found`` counts the known articles, those of earlier runs among them: half of them must be seen again to prove that there is no more.
    ``lost`` counts the listing pages that could not be fetched: what they hold must be looked for elsewhere.
    ``tried`` holds the patterns a page of which was fetched, ``untried`` is a heap of the others, which may be very many: the
    best first, as the negative of what is expected, the order, and the pattern.
    """

    patience: int = 6
    waiting: dict[str, list[Candidate]] = field(default_factory=lambda: defaultdict(list))
    tallies: dict[str, Tally] = field(default_factory=dict)
    added: int = 0
    idle: int = 0
    again: set[str] = field(default_factory=set)
    found: int = 0
    lost: int = 0
    tried: set[str] = field(default_factory=set)
    untried: list[tuple[float, int, str]] = field(default_factory=list)

    def add(self, url: str, kind: str, score: float, depth: int) -> None:
        """Put a page up: ``kind`` is pagination, section or maybe, ``score`` its probability."""
        pattern = url_folder(url)
        prior = {"pagination": _PAGINATION, "section": _SECTION}.get(kind, _MAYBE)
        self.tallies.setdefault(pattern, Tally(prior * max(0.1, score)))
        self.added += 1
        self.waiting[pattern].append(Candidate(url, kind, score, depth, self.added))
        if len(self.waiting[pattern]) == 1:
            self._queue(pattern)

    def _queue(self, pattern: str) -> None:
        """Put an untried pattern in its place; those that were tried change theirs with every page."""
        if pattern not in self.tried and self.waiting[pattern]:
            heappush(self.untried, (-self.tallies[pattern].expected, self.waiting[pattern][0].order, pattern))

    def pop(self) -> Candidate | None:
        """The most promising candidate, None when every pattern is empty or parked."""
        while self.untried and self.untried[0][2] in self.tried:
            heappop(self.untried)
        live = [pattern for pattern in self.tried if self.waiting.get(pattern) and not self._parked(pattern)]
        if self.untried and not self.exhausted:
            live.append(self.untried[0][2])
        if not live:
            return None
        best = max(live, key=lambda pattern: (self.tallies[pattern].expected, -self.waiting[pattern][0].order))
        found = self.waiting[best].pop(0)
        if best not in self.tried:
            heappop(self.untried)
            self._queue(best)
        return found

    def record(self, url: str, new: int, known: AbstractSet[str] = frozenset()) -> None:
        """A fetched page led to ``new`` articles that were unknown before, and to those of the keys ``known``."""
        tally = self._try(url, _SECTION)
        tally.expected = _DECAY * tally.expected + (1 - _DECAY) * new
        tally.idle = 0 if new else tally.idle + 1
        self.idle = 0 if new else self.idle + 1
        self.again = set() if new else self.again | known
        self.found += new
        tally.fetched += 1
        tally.brought += new

    def fail(self, url: str, kind: str) -> None:
        """A page could not be fetched: of a listing page that is a loss, of a page that may be an article it tells on its like."""
        if kind == "maybe":
            self._try(url, _MAYBE).idle += 1
        else:
            self.lost += 1

    def _try(self, url: str, prior: float) -> Tally:
        """The tally of the pattern of a page that was asked for."""
        pattern = url_folder(url)
        self.tried.add(pattern)
        return self.tallies.setdefault(pattern, Tally(prior))

    def _parked(self, pattern: str) -> bool:
        tally = self.tallies[pattern]
        if tally.brought == 0:
            if self.exhausted:
                return True
            return tally.idle >= (1 if self.idle >= _SATURATED else max(2, self.patience // 2))
        if self.exhausted and tally.brought < 0.2 * tally.fetched:
            return tally.idle >= max(2, self.patience // 2)
        return tally.idle >= self.patience + min(10, tally.brought // 10) + min(_MOST_PATIENT, self.lost // 4)

    @property
    def exhausted(self) -> bool:
        """Whether what the last pages showed again says that there is no more (as in capture and recapture)."""
        return self.idle >= _PROOF + self.lost and len(self.again) >= max(_LEAST_AGAIN, _SEEN_AGAIN * self.found)

    def parked(self) -> int:
        """Pages left alone because their pattern brought nothing."""
        return sum(len(pages) for pages in self.waiting.values())

    def barren(self) -> list[str]:
        """The parked pages of patterns that were tried."""
        return [page.url for pattern, pages in self.waiting.items() if self.tallies[pattern].fetched for page in pages]
