"""Which pages of a site need a browser. The crawl finds this out by trying, and stores it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from sitecrawl.crawl.records import RequestContext, Role, Way
from sitecrawl.crawl.soft_errors import SHORT, own_characters
from sitecrawl.dom.page import Page
from sitecrawl.items.kinds import PageKind

JS = ("auto", "never", "always")  # when pages go through a browser
ENOUGH = 3  # article links from which a listing page needs no browser


class Duty(StrEnum):
    """Purpose of a request; for each the need of a browser is decided separately."""

    ARTICLE = "article"
    LISTING = "listing"


def duty_of(role: Role) -> Duty:
    return Duty.ARTICLE if role is Role.ARTICLE else Duty.LISTING


def has_scripts(page: Page) -> bool:
    """Whether a page runs scripts that could draw content; script elements that only hold data do
    not count."""
    return any(
        "json" not in (node.get("type") or "").casefold() for node in page.root.iter("script")
    )


@dataclass
class Rendering:
    """Decides for each duty whether a browser is needed: not if a page was complete without one,
    yes if a page was better with one. While tries are in progress, further incomplete pages wait in
    ``later``."""

    mode: str
    scroll: bool = False  # whether listing pages are scrolled, which takes a browser
    # rendered pages of one duty without gain after which this run uses no browser for it
    tries_each: int = 3
    decided: dict[Duty, Way] = field(default_factory=dict)
    tries: Counter[Duty] = field(default_factory=Counter)
    open: Counter[Duty] = field(default_factory=Counter)  # tries in progress
    later: list[RequestContext] = field(default_factory=list)
    # browser requests for start pages that run scripts
    starts: list[RequestContext] = field(default_factory=list)
    # keys of the pages that the article links of a page lead to
    article_keys: Callable[[Page], set[str]] = field(init=False, compare=False)

    def restore(self, stored: Rendering) -> None:
        """Go on with what an interrupted run found out."""
        self.decided, self.tries, self.open = stored.decided, stored.tries, stored.open
        self.later, self.starts = stored.later, stored.starts

    def needs_browser(self, context: RequestContext) -> bool:
        """Whether a request goes through the browser."""
        if context.way is not Way.OPEN:
            return context.way is Way.BROWSER
        known = self.decided.get(duty_of(context.role)) is Way.BROWSER or self.scrolls(context)
        return self.mode == "always" or (self.mode == "auto" and known)

    def scrolls(self, context: RequestContext) -> bool:
        """Whether a page is scrolled once the browser has drawn it."""
        return self.scroll and context.role.lists_articles

    def may_be_drawn(self, page: Page, context: RequestContext) -> bool:
        """Whether scripts may draw the text of an article, which is not known yet of this site: the
        page has a headline at most."""
        is_candidate = context.is_promised and self.may_help(page, context)
        return is_candidate and own_characters(page) <= SHORT

    def may_help(self, page: Page, context: RequestContext) -> bool:
        """Whether a page runs scripts, and a browser may be tried for pages of its duty."""
        is_open = self.mode == "auto" and self.decided.get(duty_of(context.role)) is not Way.PLAIN
        return is_open and context.way is Way.OPEN and has_scripts(page)

    def second_look(
        self, page: Page, kind: PageKind, *, context: RequestContext
    ) -> list[RequestContext] | None:
        """None if a page that came without the browser is complete; else the requests that replace
        it, which may be none while tries are in progress."""
        duty = duty_of(context.role)
        if context.way is not Way.OPEN:
            return None
        if self.mode == "auto" and self.decided.get(duty) is Way.BROWSER and not kind.is_article:
            return [context.again(way=Way.BROWSER)]  # it was requested before this was decided
        if context.role is Role.START and has_scripts(page):
            self.starts.append(context.again(way=Way.BROWSER, plain=len(self.article_keys(page))))
        is_hardly_promised = duty is Duty.ARTICLE and not context.is_promised
        if self.mode != "auto" or duty in self.decided or is_hardly_promised:
            return None
        count = len(self.article_keys(page)) if duty is Duty.LISTING else own_characters(page)
        if kind.is_article or (duty is Duty.LISTING and count >= ENOUGH):
            self.decided[duty] = Way.PLAIN
            return None
        return self._try(page, context.again(way=Way.BROWSER, plain=count), duty=duty)

    def _try(
        self, page: Page, rendered: RequestContext, *, duty: Duty
    ) -> list[RequestContext] | None:
        """The request of a try; none while as many as may be are in progress, and None once they
        brought nothing, or for a page without scripts."""
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

    def gain(self, page: Page, kind: PageKind, *, context: RequestContext) -> int:
        """Above 0 if a page was better with the browser than without; below 0 for a listing page
        that lost article links, as where a script does not come."""
        if duty_of(context.role) is not Duty.LISTING:
            has_grown = context.plain > SHORT or own_characters(page) > 2 * context.plain
            return int(kind.is_article and has_grown)
        if kind.is_article:
            return 1
        before, now = context.plain, len(self.article_keys(page))
        if now < before:
            return now - before
        return int(now >= before + 2 or now > before == 0)

    def take_starts(self) -> list[RequestContext]:
        """The start pages to try with a browser because no article was ever found; returned
        once."""
        if self.mode != "auto":
            return []
        starts, self.starts = self.starts, []
        return starts

    def rendered(self, role: Role, better: bool) -> list[RequestContext]:
        """Record whether a page was better with the browser; returns new requests for the pages
        that waited for this."""
        duty = duty_of(role)
        self.open[duty] = max(0, self.open[duty] - 1)
        if better:
            self.decided[duty] = Way.BROWSER
        elif self.tries[duty] >= self.tries_each and not self.open[duty]:
            self.decided.setdefault(duty, Way.PLAIN)
        return self._decided_ones()

    def _decided_ones(self) -> list[RequestContext]:
        """New requests for the pages that wait and whose duty is decided."""
        decided = self.decided
        found = [context for context in self.later if duty_of(context.role) in decided]
        self.later = [context for context in self.later if duty_of(context.role) not in decided]
        return [context.again(way=decided[duty_of(context.role)]) for context in found]

    def given_up(self) -> list[RequestContext]:
        """New requests for the pages that still wait when nothing is in progress: the tries led
        elsewhere, or ended in an error."""
        self.open.clear()
        for context in self.later:
            self.decided.setdefault(duty_of(context.role), Way.PLAIN)
        return self._decided_ones()
