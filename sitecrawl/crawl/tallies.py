"""Tallies: what the pages of each URL pattern, and of each coarser family of patterns, turned out to be."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from sitecrawl.urls.pattern import url_folder, url_pattern

ENOUGH, MIXED = 8, 0.05
"""Pages of a URL pattern from which its kind is known, and the share of the other kind that leaves it open."""
_FLOOD, _ALIVE = 100, 0.03
"""Pages of a family that are gone from which its links count as dead, where no larger share than this of it is there."""
_BROKEN = 2
"""Pages that one relative address led to, and that are gone, from which it is broken wherever it stands."""


@dataclass(slots=True)
class Tallies:
    """``patterns`` and ``families`` count other pages and articles, ``gone`` the pages of a family that are not there.

    ``broken`` counts the missing pages that one relative address, as it is written, led to from pages in several folders.
    """

    patterns: dict[str, list[int]] = field(default_factory=dict)
    families: dict[str, list[int]] = field(default_factory=dict)
    gone: Counter[str] = field(default_factory=Counter)
    broken: Counter[str] = field(default_factory=Counter)

    def learn(self, url: str, is_article: bool) -> None:
        """A page of ``url``'s pattern turned out to be an article or not."""
        for tally in self._both(url):
            tally[is_article] += 1

    def unlearn(self, url: str) -> None:
        """A page that had passed for an article is none after all."""
        for tally in self._both(url):
            tally[True] = max(0, tally[True] - 1)
            tally[False] += 1

    def lose(self, url: str, href: str | None = None) -> None:
        """The server says that there is no such page; ``href`` is the relative address that led to it, if it was one."""
        self.gone[url_folder(url)] += 1
        if href:
            self.broken[href] += 1

    def is_broken(self, href: str | None) -> bool:
        """Whether a relative address leads nowhere, from whichever page."""
        return href is not None and self.broken[href] >= _BROKEN

    def of_pattern(self, url: str) -> tuple[int, int]:
        """Other pages and articles among those of ``url``'s pattern."""
        others, articles = self.patterns.get(url_pattern(url), (0, 0))
        return others, articles

    def is_hopeless(self, url: str) -> bool:
        """Whether of many pages asked for of ``url``'s pattern or family next to none was an article, or was there at all."""
        met = self._of_family(url)
        if _next_to_none(self.of_pattern(url), ENOUGH) or _next_to_none(met, 2 * ENOUGH):
            return True
        gone = self.gone[url_folder(url)]
        return gone >= _FLOOD and sum(met) <= _ALIVE * gone

    def is_article_family(self, url: str) -> bool:
        """Whether nearly all pages of ``url``'s family were articles, and there were enough to tell."""
        return _next_to_none(self._of_family(url)[::-1], ENOUGH)

    def overrules(self, label: str, url: str) -> bool:
        """Whether what pages like ``url`` were says article, though its link is labelled ``pagination`` or ``maybe``."""
        if label == "pagination":
            return self.is_article_family(url)
        return label == "maybe" and _next_to_none(self.of_pattern(url)[::-1], ENOUGH)

    def _of_family(self, url: str) -> tuple[int, int]:
        others, articles = self.families.get(url_folder(url), (0, 0))
        return others, articles

    def _both(self, url: str) -> tuple[list[int], list[int]]:
        return self.patterns.setdefault(url_pattern(url), [0, 0]), self.families.setdefault(url_folder(url), [0, 0])


def _next_to_none(counts: tuple[int, int], enough: int) -> bool:
    """Whether there are enough of the first and hardly any of the second."""
    many, few = counts
    return many >= enough and few <= MIXED * many
