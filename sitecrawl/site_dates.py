"""Does this site date its articles? Where nearly all beyond doubt are dated, an undated page is an "about", not an article."""

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
    """Counts of the articles of one site that carry a date and of those that carry none."""

    dated: int = 0
    undated: int = 0

    def record(self, dated: bool, promise: float) -> None:
        """An article was met; ``promise`` (0..1) is that of the link which led to it."""
        if promise >= _BEYOND_DOUBT:
            self.dated += dated
            self.undated += not dated

    @property
    def firm(self) -> bool:
        """Whether an article of this site is expected to carry a date.

        >>> DateHabit(11, 0).firm, DateHabit(30, 1).firm, DateHabit(30, 9).firm
        (False, True, False)
        """
        total = self.dated + self.undated
        return total >= _ENOUGH and self.dated >= _NEARLY_ALL * total

    def to_dict(self) -> dict[str, int]:
        return {"dated": self.dated, "undated": self.undated}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> DateHabit:
        """A habit from :meth:`to_dict`; of a document without one, an empty one."""
        return cls(int(data.get("dated", 0)), int(data.get("undated", 0)))
