"""Does this site date its articles? Where nearly all beyond doubt are dated, an undated page is an "about", not an article.

Where nearly all that are dated are also marked as articles for machines, a page with neither a date nor a mark is none,
however many such pages there are (the manual of a project beside its blog).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_ENOUGH, _NEARLY_ALL = 12, 0.9
"""Articles from which the habit counts, and the share of them that must be dated."""
_BEYOND_DOUBT = 0.97
"""Promise of a link from which its article counts."""


@dataclass(slots=True)
class DateHabit:
    """Counts of the articles of one site that carry a date, of those among them that are marked, and of those without a date."""

    dated: int = 0
    undated: int = 0
    marked: int = 0

    def record(self, dated: bool, marked: bool, promise: float) -> None:
        """An article was met; ``promise`` (0..1) is that of the link which led to it."""
        if promise >= _BEYOND_DOUBT:
            self.dated += dated
            self.undated += not dated
            self.marked += dated and marked

    @property
    def known(self) -> bool:
        """Whether enough articles were met to tell."""
        return self.dated + self.undated >= _ENOUGH

    def expects_date(self, marked: bool) -> bool:
        """Whether a page of this site must carry a date to be an article; ``marked``: it says itself that it is one.

        >>> [DateHabit(*counts).expects_date(False) for counts in ((11, 0), (30, 1), (30, 9), (30, 90, 29))]
        [False, True, False, True]
        >>> DateHabit(30, 90, 29).expects_date(True)
        False
        """
        if self.known and self.dated >= _NEARLY_ALL * (self.dated + self.undated):
            return True
        return not marked and self.marked >= max(_ENOUGH, _NEARLY_ALL * self.dated)

    def to_dict(self) -> dict[str, int]:
        return {"dated": self.dated, "undated": self.undated, "marked": self.marked}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> DateHabit:
        """A habit from :meth:`to_dict`; of a document without one, an empty one."""
        return cls(*(int(data.get(name, 0)) for name in ("dated", "undated", "marked")))
