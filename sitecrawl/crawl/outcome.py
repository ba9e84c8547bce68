"""How a crawl ended, for the command that started it: what it wrote, and why it wrote nothing."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Outcome:
    """Counts of a run and the problems a user must hear of, a line each."""

    articles: int = 0
    known: int = 0
    pages: int = 0
    reason: str = ""
    problems: list[str] = field(default_factory=list)

    @property
    def failed(self) -> bool:
        """Whether nothing could be crawled."""
        return self.pages == 0


LAST: list[Outcome] = []
"""Outcome of the last spider of this process, if one has closed."""
