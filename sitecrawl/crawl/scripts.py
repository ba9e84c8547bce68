"""Which pages of a site need a browser: found out on the site itself, kept in the crawl state."""

from __future__ import annotations

from dataclasses import dataclass, field

from sitecrawl.crawl.desk import Wanted
from sitecrawl.crawl.found import Found

_TRIES = 3
"""Pages of one role rendered without gain after which the role is left to plain requests for this run."""
ENOUGH = 3
"""Article links on a listing page from which it is good as it is."""


def role_of(label: str) -> str:
    """The role of a page, by what its link promised: ``article`` or ``listing``."""
    return "article" if label == "article" else "listing"


def has_scripts(found: Found) -> bool:
    """Whether a page runs scripts that could draw something; data in script elements is none."""
    kinds = ((node.get("type") or "").casefold() for node in found.page.root.iter("script"))
    return any("json" not in kind for kind in kinds)


@dataclass
class Scripts:
    """Decides a role at a time: ``browser`` or ``plain``, once a page was good without a browser or better with one.

    Pages that were no good while tries are under way wait in ``later``.
    """

    mode: str
    decided: dict[str, str] = field(default_factory=dict)
    tries: dict[str, int] = field(default_factory=dict)
    open: dict[str, int] = field(default_factory=dict)
    later: list[Wanted] = field(default_factory=list)

    def at_once(self, label: str) -> bool:
        """Whether a page goes through the browser at its first request."""
        return self.mode == "always" or (self.mode == "auto" and self.decided.get(role_of(label)) == "browser")

    def undecided(self, label: str) -> bool:
        """Whether it matters what a plain page of this role holds."""
        return self.mode == "auto" and self.decided.get(role_of(label)) != "plain"

    def judge(self, wanted: Wanted, good: bool) -> str:
        """What to do with a page fetched without a browser: it ``serves``, is to be asked for again (``render``), or ``waits``."""
        role = role_of(wanted.label)
        if good:
            self.decided.setdefault(role, "plain")
        elif self.decided.get(role) == "browser" or self.tries.get(role, 0) < _TRIES:
            self.tries[role] = self.tries.get(role, 0) + 1
            self.open[role] = self.open.get(role, 0) + 1
            return "render"
        elif self.open.get(role):
            self.later.append(wanted)
            return "waits"
        return "serves"

    def rendered(self, label: str, better: bool) -> list[Wanted]:
        """A page that was no good came back from the browser, better or not; pages that waited for this, to be asked for again."""
        role = role_of(label)
        self.open[role] = max(0, self.open.get(role, 0) - 1)
        if better:
            self.decided[role] = "browser"
        elif self.tries.get(role, 0) >= _TRIES and not self.open[role]:
            self.decided.setdefault(role, "plain")
        if role not in self.decided:
            return []
        found = [wanted for wanted in self.later if role_of(wanted.label) == role]
        self.later = [wanted for wanted in self.later if role_of(wanted.label) != role]
        return found
