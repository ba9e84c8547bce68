"""Conventions of a site by which its articles are told from its other pages: does it date them, what do their outermost elements say?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

_ENOUGH, _NEARLY_ALL = 12, 0.9
"""Articles from which a convention counts, and the share of them that must be dated."""
BEYOND_DOUBT = 0.97
"""Promise of a link from which its article counts."""
_USUAL, _UNUSUAL = 0.85, 0.05
"""Share of the articles from which a class is one of articles, and of the listing pages above which it is none."""
_LISTINGS = 2
"""Listing pages from which it is known which classes they lack; of one alone it is known which it has."""
_SOME = 0.05
"""Share of the articles of a family that do not look like articles from which each page of it is looked at."""
_CLASSES = 200
"""Classes that are counted, at most."""


@dataclass(slots=True)
class DateConvention:
    """Counts of the articles of one site that carry a date, of those among them that are marked, and of those without a date.

    Where nearly all beyond doubt are dated, an undated page is an "about". Where nearly all that are dated are also marked
    as articles for machines, a page with neither a date nor a mark is none, however many such pages there are (the manual
    of a project beside its blog).
    """

    dated: int = 0
    undated: int = 0
    marked: int = 0

    def record(self, dated: bool, marked: bool, promise: float) -> None:
        """An article was met; ``promise`` (0..1) is that of the link which led to it."""
        if promise >= BEYOND_DOUBT:
            self.dated += dated
            self.undated += not dated
            self.marked += dated and marked

    @property
    def known(self) -> bool:
        """Whether enough articles were met to tell."""
        return self.dated + self.undated >= _ENOUGH

    def expects_date(self, marked: bool) -> bool:
        """Whether a page of this site must carry a date to be an article; ``marked``: it says itself that it is one.

        >>> [DateConvention(*counts).expects_date(False) for counts in ((11, 0), (30, 1), (30, 9), (30, 90, 29))]
        [False, True, False, True]
        >>> DateConvention(30, 90, 29).expects_date(True)
        False
        """
        if self.known and self.dated >= _NEARLY_ALL * (self.dated + self.undated):
            return True
        return not marked and self.marked >= max(_ENOUGH, _NEARLY_ALL * self.dated)

    def to_dict(self) -> dict[str, int]:
        return {"dated": self.dated, "undated": self.undated, "marked": self.marked}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> DateConvention:
        """A convention from :meth:`to_dict`; of a document without one, an empty one."""
        return cls(*(int(data.get(name, 0)) for name in ("dated", "undated", "marked")))


@dataclass(slots=True)
class ClassConvention:
    """Classes of the outermost elements (``single-post``, ``blog-wrapper``): how many articles and listing pages carry each.

    Content management systems write there what kind of page it is.
    """

    articles: Counter[str] = field(default_factory=Counter)
    listings: Counter[str] = field(default_factory=Counter)
    met: int = 0
    listed: int = 0

    def record(self, classes: Iterable[str], promise: float) -> None:
        """An article was met; ``promise`` (0..1) is that of the link which led to it."""
        if promise >= BEYOND_DOUBT:
            self.met += 1
            self.articles.update(name for name in classes if name in self.articles or len(self.articles) < _CLASSES)

    def record_listing(self, classes: Iterable[str]) -> None:
        """A listing page was met."""
        self.listed += 1
        self.listings.update(name for name in classes if name in self.listings or len(self.listings) < _CLASSES)

    @property
    def known(self) -> bool:
        """Whether enough pages were met to tell."""
        return self.met >= _ENOUGH and self.listed >= _LISTINGS

    def is_foreign(self, classes: Iterable[str]) -> bool:
        """Whether a page lacks every class by which the articles of this site differ from its listing pages.

        >>> known = ClassConvention(Counter({"single": 20, "wide": 20}), Counter({"archive": 3, "wide": 3}), 20, 3)
        >>> known.is_foreign(["page", "wide"]), known.is_foreign(["single"])
        (True, False)
        """
        if self.met < _ENOUGH or not self.listed:
            return False
        own = {name for name, count in self.articles.items() if count >= _USUAL * self.met}
        own -= {name for name, count in self.listings.items() if count > _UNUSUAL * self.listed}
        return bool(own) and own.isdisjoint(classes)

    def to_dict(self) -> dict[str, Any]:
        return {"articles": self.articles, "listings": self.listings, "met": self.met, "listed": self.listed}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ClassConvention:
        """A convention from :meth:`to_dict`; of a document without one, an empty one."""
        articles, listings = (
            Counter({str(key): int(count) for key, count in data.get(name, {}).items()})
            for name in ("articles", "listings")
        )
        return cls(articles, listings, int(data.get("met", 0)), int(data.get("listed", 0)))


@dataclass(slots=True)
class LooksConvention:
    """How many articles of each template family look like articles, and how many do not (a line of text below a wall of links)."""

    plain: Counter[str] = field(default_factory=Counter)
    listlike: Counter[str] = field(default_factory=Counter)

    def record(self, family: str, looks: bool) -> None:
        """An article of a family was met that looks like one, or not."""
        (self.plain if looks else self.listlike)[family] += 1

    @property
    def tell(self) -> bool:
        """Whether looks tell anything: most articles of the site look like articles."""
        return self.plain.total() >= self.listlike.total()

    def of_family(self, family: str) -> bool | None:
        """How the pages of a family look that were not looked at, None where each must be: some look so, some not.

        >>> known = LooksConvention(Counter(a=40, b=30), Counter(b=8, c=3))
        >>> known.of_family("a"), known.of_family("b"), known.of_family("c")
        (True, None, False)
        """
        listlike = self.listlike[family] / max(1, self.plain[family] + self.listlike[family])
        return listlike <= 0.5 if not _SOME < listlike <= 0.5 else None

    def to_dict(self) -> dict[str, dict[str, int]]:
        return {"plain": self.plain, "listlike": self.listlike}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> LooksConvention:
        """A convention from :meth:`to_dict`; of a document without one, an empty one."""
        plain, listlike = (
            Counter({str(key): int(count) for key, count in data.get(name, {}).items()})
            for name in ("plain", "listlike")
        )
        return cls(plain, listlike)


@dataclass(slots=True)
class Conventions:
    """The conventions of one site."""

    dates: DateConvention = field(default_factory=DateConvention)
    classes: ClassConvention = field(default_factory=ClassConvention)
    looks: LooksConvention = field(default_factory=LooksConvention)

    @property
    def known(self) -> tuple[bool, bool]:
        """Which of them are known."""
        return self.dates.known, self.classes.known

    def to_dict(self) -> dict[str, Any]:
        return {"dates": self.dates.to_dict(), "classes": self.classes.to_dict(), "looks": self.looks.to_dict()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Conventions:
        """Conventions from :meth:`to_dict`; raises TypeError, ValueError or AttributeError for a damaged document."""
        dates, classes, looks = (data.get(name, {}) for name in ("dates", "classes", "looks"))
        return cls(
            DateConvention.from_dict(dates), ClassConvention.from_dict(classes), LooksConvention.from_dict(looks)
        )
