"""How a crawl ended, for the command that started it: what it wrote, and why it wrote nothing."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Outcome:
    """Counts of a run and the problems a user must hear of, a line each."""

    articles: int = 0
    before: int = 0
    """Of the articles, those that left before the run was interrupted."""
    unwritten: bool = False
    """Whether a feed could not be written."""
    pages: int = 0
    reason: str = ""
    problems: list[str] = field(default_factory=list)
    logins: set[str] = field(default_factory=set)
    """Keys of the pages that asked for a login."""
    walled: int = 0
    """Pages asked for that led to one of these."""
    barred: bool = False

    @property
    def failed(self) -> bool:
        """Whether nothing could be crawled."""
        return self.pages == 0 or self.barred

    def bar(self, starts: int) -> None:
        """Where nothing was written: tell when half of what was asked for, ``starts`` pages aside, wanted a login."""
        self.barred = bool(self.walled) and 2 * self.walled >= self.pages - starts
        if self.barred:
            self.problems.append("the site asks for a login; nothing was written")


LAST: list[Outcome] = []
"""Outcome of the last spider of this process, if one has closed."""
