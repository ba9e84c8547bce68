"""What listing pages show beside their links: where lists of news give each article a day, a list of mere names without any day, whose pages
were written on few days, holds products, cases or departments, however much these look like articles."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import fmean

from sitecrawl.limits import LIMITS
from sitecrawl.links.anchors import size
from sitecrawl.urls.canonical import url_key

_ENOUGH, _MOST = 24, 0.5
"""Articles with a day in their row from which a site is taken to date its rows, and the least share of those that rows show."""
_BARE = 0.1
"""Share of a page's articles with a day in their row up to which it shows none."""
_FEW = 3
"""Articles of one listing page from which it is judged."""
_OWN_DAYS = 0.4
"""Days of publication, as a share of the pages of a list, from which they are articles: those come out one after the other, what a site has to offer
is entered in bulk (or has no date, which counts as one day)."""
_NAME, _SHORT = 0.1, 0.25
"""Share of the dated headlines that are shorter, for the mean of a list of names and for one page that may be a name."""
_UNTOLD = 100
"""Pages that wait before it is known whether the site dates its rows: companies put their products before their news."""
_DAY, _START = "day", "start"
"""Where an article stands that is none of these: beside a day, or on a start page, which shows pictures of anything."""


@dataclass(slots=True)
class NameLists:
    """Where the listing pages of a run show each article, and how long the headlines are. It is kept in memory alone: what it does not
    know of leaves as an article."""

    _places: dict[str, str] = field(default_factory=dict)
    """``_DAY``, ``_START``, the URL of a listing page without any day, or nothing, by the key of the page."""
    _sizes: dict[str, int] = field(default_factory=dict)
    """Bytes of the headline by the key of the page."""
    _days: dict[str, str] = field(default_factory=dict)
    """Day of publication by the key of the page."""
    _lengths: list[int] = field(default_factory=list)
    """Bytes of the headlines with a day in their row, in order."""
    _dated: int = 0
    _untold: int = 0

    def look_at(self, url: str, days: Mapping[str, bool], start: bool) -> None:
        """A page shows articles, by their URLs, each with a day or without. ``url`` is that of a listing page, empty of one that may be none;
        ``start``: it is a start page."""
        bare = "" if sum(days.values()) > _BARE * len(days) else url
        for link, day in days.items():
            key = url_key(link)
            before = self._places.get(key)
            if before == _DAY or (before is None and len(self._places) >= LIMITS.candidates):
                continue
            self._places[key] = _DAY if day else _START if start or before == _START else before or bare
            self._dated += day
            if day and key in self._sizes:
                insort(self._lengths, self._sizes[key])

    def read(self, key: str, headline: str, published: str) -> None:
        """The page of an article was read; ``published`` is its date, ISO 8601, or nothing."""
        if key not in self._sizes and len(self._sizes) < LIMITS.candidates:
            self._sizes[key], self._days[key] = size(headline), published[:10]
            if self._places.get(key) == _DAY:
                insort(self._lengths, self._sizes[key])

    def may_be_name(self, key: str) -> bool:
        """Whether a page that was read stands on a listing page without any day and under a short name, on a site that dates its rows or,
        for the first ``_UNTOLD`` pages, may still turn out to."""
        if not self._listing(key):
            return False
        if self._dated < _ENOUGH:
            self._untold += 1
            return self._untold <= _UNTOLD
        return self._share_of_shorter(key) <= _SHORT

    def names(self) -> set[str]:
        """Keys of the pages that stand on lists of names."""
        if len(self._lengths) < max(_ENOUGH, _MOST * len(self._sizes.keys() & self._places.keys())):
            return set()
        lists = defaultdict[str, list[str]](list)
        for key in self._sizes:
            lists[self._listing(key)].append(key)
        lists.pop("", None)
        return {key for keys in lists.values() if self._are_names(keys) for key in keys}

    def _are_names(self, keys: list[str]) -> bool:
        days = {self._days[key] for key in keys}
        few = len(keys) >= _FEW and len(days) <= _OWN_DAYS * len(keys)
        return few and fmean(map(self._share_of_shorter, keys)) <= _NAME

    def _share_of_shorter(self, key: str) -> float:
        """Share of the headlines with a day in their row that are shorter than that of a page."""
        return bisect_left(self._lengths, self._sizes.get(key, 0)) / max(1, len(self._lengths))

    def _listing(self, key: str) -> str:
        """The listing page without any day on which a page stands, empty where it stands elsewhere as well."""
        place = self._places.get(key, "")
        return "" if place in (_DAY, _START) else place
