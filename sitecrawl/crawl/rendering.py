"""Which pages of a site need a browser: found out on the site itself, kept in the crawl store."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import StrEnum

from sitecrawl.crawl.records import RequestContext, Role, Way
from sitecrawl.dom.page import Page

JS = ("auto", "never", "always")
"""When pages go through a browser."""
_TRIES = 3
"""Pages of one duty rendered without gain after which its pages are left to plain requests for this run."""
ENOUGH = 3
"""Article links on a listing page from which it is good as it is."""


class Duty(StrEnum):
    """What pages of a site are fetched for; whether that takes a browser is decided for each."""

    ARTICLE = "article"
    LISTING = "listing"


class Look(StrEnum):
    """What to do with a page that came without a browser."""

    SERVES = "serves"
    RENDER = "render"
    WAITS = "waits"


def duty_of(role: Role) -> Duty:
    """What a page of a role is fetched for."""
    return Duty.ARTICLE if role is Role.ARTICLE else Duty.LISTING


def has_scripts(page: Page) -> bool:
    """Whether a page runs scripts that could draw something; data in script elements is none."""
    kinds = ((node.get("type") or "").casefold() for node in page.root.iter("script"))
    return any("json" not in kind for kind in kinds)


@dataclass
class Rendering:
    """Decides for each duty: browser or plain, once a page was good without a browser or better with one.

    Pages that were no good while tries are under way wait in ``later``.
    """

    mode: str
    decided: dict[Duty, Way] = field(default_factory=dict)
    tries: dict[Duty, int] = field(default_factory=dict)
    open: dict[Duty, int] = field(default_factory=dict)
    later: list[RequestContext] = field(default_factory=list)

    @classmethod
    def recall(cls, mode: str, kept: str | None) -> Rendering:
        """With what an earlier run found out, as :meth:`kept` wrote it; what is damaged is found out anew."""
        try:
            return cls(mode, {Duty(name): Way.BROWSER for name in json.loads(kept or "[]")})
        except (ValueError, TypeError):
            return cls(mode)

    def kept(self) -> str:
        """The duties that need a browser, for later runs."""
        return json.dumps(sorted(duty for duty, way in self.decided.items() if way is Way.BROWSER))

    def needs_browser(self, context: RequestContext) -> bool:
        """Whether a request goes through the browser."""
        if context.way is not Way.OPEN:
            return context.way is Way.BROWSER
        known = self.decided.get(duty_of(context.role)) is Way.BROWSER
        return self.mode == "always" or (self.mode == "auto" and known)

    def is_open(self, role: Role) -> bool:
        """Whether it matters what a plain page of this role holds."""
        return self.mode == "auto" and self.decided.get(duty_of(role)) is not Way.PLAIN

    def judge(self, context: RequestContext, good: bool) -> Look:
        """What to do with a page that was fetched without a browser; ``context`` is how it would be asked for again."""
        duty = duty_of(context.role)
        if good:
            self.decided.setdefault(duty, Way.PLAIN)
        elif self.decided.get(duty) is Way.BROWSER or self.tries.get(duty, 0) < _TRIES:
            self.tries[duty] = self.tries.get(duty, 0) + 1
            self.open[duty] = self.open.get(duty, 0) + 1
            return Look.RENDER
        elif self.open.get(duty):
            self.later.append(context)
            return Look.WAITS
        return Look.SERVES

    def rendered(self, role: Role, better: bool) -> list[RequestContext]:
        """A page that was no good came back from the browser, better or not; the pages that waited for this, as they are to
        be asked for again."""
        duty = duty_of(role)
        self.open[duty] = max(0, self.open.get(duty, 0) - 1)
        if better:
            self.decided[duty] = Way.BROWSER
        elif self.tries.get(duty, 0) >= _TRIES and not self.open[duty]:
            self.decided.setdefault(duty, Way.PLAIN)
        if duty not in self.decided:
            return []
        found = [context for context in self.later if duty_of(context.role) is duty]
        self.later = [context for context in self.later if duty_of(context.role) is not duty]
        return [context.again(way=self.decided[duty]) for context in found]
