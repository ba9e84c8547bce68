"""Which pages of a site need a browser: found out on the site itself, kept in the crawl store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from sitecrawl.crawl.outcome import PROMISING
from sitecrawl.crawl.records import RequestContext, Role, Way
from sitecrawl.dom.page import Page
from sitecrawl.items.kinds import PageKind

JS = ("auto", "never", "always")
"""When pages go through a browser."""
ENOUGH = 3
"""Article links on a listing page from which it is good as it is."""


class Duty(StrEnum):
    """What pages of a site are fetched for; whether that takes a browser is decided for each."""

    ARTICLE = "article"
    LISTING = "listing"


def duty_of(role: Role) -> Duty:
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
    tries_each: int = 3
    """Pages of one duty rendered without gain after which its pages are left to plain requests for this run."""
    decided: dict[Duty, Way] = field(default_factory=dict)
    tries: Counter[Duty] = field(default_factory=Counter)
    open: Counter[Duty] = field(default_factory=Counter)
    """Tries under way."""
    later: list[RequestContext] = field(default_factory=list)
    starts: list[RequestContext] = field(default_factory=list)
    """Start pages that run scripts, as they are to be requested with a browser."""

    @classmethod
    def recall(cls, mode: str, duties: Iterable[str]) -> Rendering:
        """With the ``duties`` for which an earlier run found a browser necessary."""
        return cls(mode, decided={Duty(name): Way.BROWSER for name in duties if name in set(Duty)})

    def kept(self) -> list[str]:
        """The duties that need a browser, for later runs."""
        return sorted(duty for duty, way in self.decided.items() if way is Way.BROWSER)

    def needs_browser(self, context: RequestContext) -> bool:
        """Whether a request goes through the browser."""
        if context.way is not Way.OPEN:
            return context.way is Way.BROWSER
        known = self.decided.get(duty_of(context.role)) is Way.BROWSER
        return self.mode == "always" or (self.mode == "auto" and known)

    def second_look(
        self, page: Page, kind: PageKind, *, context: RequestContext, count_articles: Callable[[Page], int]
    ) -> list[RequestContext] | None:
        """None when a page serves as it is; else how to request it again, or nothing while others must tell first."""
        role, duty = context.role, duty_of(context.role)
        if self.needs_browser(context) or context.way is not Way.OPEN:
            return None
        if role is Role.START and has_scripts(page):
            self.starts.append(context.again(way=Way.BROWSER, links=count_articles(page)))
        is_open = self.mode == "auto" and duty not in self.decided
        if not is_open or (role is Role.ARTICLE and context.promise < PROMISING):
            return None
        count = count_articles(page) if duty is Duty.LISTING else 0
        if kind.is_article or count >= ENOUGH:
            self.decided[duty] = Way.PLAIN
            return None
        rendered = context.again(way=Way.BROWSER, links=count)
        if not has_scripts(page):
            return None
        if self.tries[duty] < self.tries_each:
            self.tries[duty] += 1
            self.open[duty] += 1
            return [rendered]
        if not self.open[duty]:
            return None
        self.later.append(rendered)
        return []

    def is_better(
        self, page: Page, kind: PageKind, *, context: RequestContext, count_articles: Callable[[Page], int]
    ) -> bool:
        """Whether the browser made more of a page than it was without."""
        if kind.is_article or duty_of(context.role) is not Duty.LISTING:
            return kind.is_article
        before, now = context.links, count_articles(page)
        return now >= before + 2 or now > before == 0

    def take_starts(self) -> list[RequestContext]:
        """The start pages to try with a browser where no article was ever found, once."""
        starts, self.starts = (self.starts, []) if self.mode == "auto" else ([], self.starts)
        return starts

    def rendered(self, role: Role, better: bool) -> list[RequestContext]:
        """A page that was no good came back from the browser, better or not; the pages that waited for this, as they are to
        be asked for again."""
        duty = duty_of(role)
        self.open[duty] = max(0, self.open[duty] - 1)
        if better:
            self.decided[duty] = Way.BROWSER
        elif self.tries[duty] >= self.tries_each and not self.open[duty]:
            self.decided.setdefault(duty, Way.PLAIN)
        if duty not in self.decided:
            return []
        found = [context for context in self.later if duty_of(context.role) is duty]
        self.later = [context for context in self.later if duty_of(context.role) is not duty]
        return [context.again(way=self.decided[duty]) for context in found]
