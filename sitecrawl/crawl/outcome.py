"""How a crawl ended: what it wrote, what it left out, and why it wrote nothing. It is made from the
crawl's events; the spider adds errors. :mod:`sitecrawl.crawl.last_lines` puts it into words."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from sitecrawl.crawl import events
from sitecrawl.crawl.gaps import Gaps
from sitecrawl.crawl.last_lines import facts_of, numbered
from sitecrawl.crawl.records import Role
from sitecrawl.limits import LIMITS
from sitecrawl.urls.canonical import url_key


@dataclass(slots=True)
class Outcome:
    """How a crawl ended, collected from its events. Whoever runs the crawl sets ``broken`` and
    ``unwritten``. ``began`` tells what the run had written before it was interrupted. ``problems``
    are lines for the user."""

    articles: int = 0
    pages: int = 0
    began: events.CrawlBegan = field(default_factory=events.CrawlBegan)
    reason: str = ""
    problems: list[str] = field(default_factory=list)
    lost_starts: int = 0  # start pages that could not be fetched or read
    logins: Counter[str] = field(
        default_factory=Counter
    )  # how often a page that asks for a login was found, by key
    # whether no article was written and half of the requested pages ask for a login
    barred: bool = False
    gaps: Gaps = field(default_factory=Gaps)
    completeness: events.Completeness = field(default_factory=events.Completeness)
    unwritten: bool = False  # whether a feed could not be written
    # why the crawl's state could not be read or written, which ended the crawl; empty if it could
    broken: str = ""

    def take(self, event: events.CrawlEvent) -> None:
        self.gaps.take(event)
        match event:
            case events.PageOpened():
                self.pages += 1
            case events.SoftErrorFound() if event.error == "login":
                self.logins[url_key(event.url)] += 1
            case events.RequestFailed():
                self.gaps.undrawn.discard(event.url)
                if (key := url_key(event.final_url)) in self.logins and event.final_url:
                    self.logins[key] += 1
                if event.role is Role.START:
                    self.lost_starts += 1
                    self.problems.append(f"{event.url}: {event.why}")
            case events.CrawlBegan():
                self.began, self.articles = event, event.articles
            case events.ArticleWritten():
                self.articles += 1
            case events.CrawlEnded():
                self.articles, self.reason, self.completeness = (
                    event.articles,
                    event.reason,
                    event.completeness,
                )
                self.barred = event.nothing_found and 2 * self.logins.total() >= max(
                    1, self.pages - event.starts
                )
                if self.barred:
                    self.problems.append("the site asks for a login; nothing was written")
                if undrawn := len(self.gaps.undrawn):
                    pages = f"{undrawn} page{'s' * (undrawn > 1)}"
                    self.problems.append(
                        f"the browser failed on {pages}: articles that scripts show may be missing"
                    )
                if event.crowded_out:
                    no_room = f"{event.crowded_out} links to articles found no room beside {LIMITS.unread}"
                    self.problems.append(f"{no_room}: rerun the command for them")

    @property
    def failed(self) -> bool:
        return self.barred or (self.pages + self.began.pages == 0 and self.reason != "shutdown")

    @property
    def code(self) -> int:
        return int(
            self.failed
            or self.unwritten
            or bool(self.broken)
            or (self.gaps.erred > 0 and not self.articles)
        )

    def lines(self, *, advises: bool = True) -> list[str]:
        """The last lines of a crawl: its problems, what it wrote, then one fact a line, the gravest
        first (:mod:`sitecrawl.crawl.last_lines`). It ``advises`` which arguments bring more."""
        if self.broken:
            return [self.broken]
        lines = [*self.problems]
        if not self.failed:
            lines += [self.summary, *facts_of(self, advises=advises)]
        elif not lines:
            lines.append("no page could be fetched")
        if self.unwritten:
            lines.append("a feed could not be written; fix the cause, then rerun the command")
        return lines

    def story(self) -> str:
        """The summary and all facts as one text."""
        return "; ".join([self.summary, *facts_of(self, advises=True)])

    @property
    def summary(self) -> str:
        """What was written, from how much, and how the crawl ended."""
        earlier = self.began.articles
        before = f" ({earlier} of them before the interruption)" if earlier else ""
        counts = f"{numbered(self.articles, 'article')}{before} from {numbered(self.pages, 'page')}"
        return f"{counts} ({self.reason or 'shutdown'})"
