"""How the articles of each template family look: a template that answers for pages of two kinds must be compared on every page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class PageTypeCounts:
    """Numbers of articles, by template family, that look like articles, and of those that do not (a line of text below a wall of links)."""

    typical: Counter[str] = field(default_factory=Counter)
    untypical: Counter[str] = field(default_factory=Counter)

    def add(self, family: str, *, typical: bool) -> None:
        """Count an article of a family."""
        (self.typical if typical else self.untypical)[family] += 1

    def are_mixed(self, family: str, *, few: float = 0.05) -> bool:
        """Whether more than the share ``few`` of a family's articles, but not most, do not look like articles.

        >>> known = PageTypeCounts(Counter(a=40, b=30), Counter(b=8, c=3))
        >>> known.are_mixed("a"), known.are_mixed("b"), known.are_mixed("c")
        (False, True, False)
        """
        untypical = self.untypical[family] / max(1, self.typical[family] + self.untypical[family])
        return few < untypical <= 0.5

    def to_dict(self) -> dict[str, dict[str, int]]:
        return {"typical": self.typical, "untypical": self.untypical}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> PageTypeCounts:
        """From :meth:`to_dict`; of a document without counts, empty ones. Raises TypeError, ValueError or AttributeError for a damaged one."""
        counts = (data.get(name, {}) for name in ("typical", "untypical"))
        return cls(*(Counter({str(key): int(count) for key, count in found.items()}) for found in counts))
