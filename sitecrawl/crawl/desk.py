"""The desk: decides of every link whether to fetch it now, offer it to the frontier, or leave it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from sitecrawl.crawl.config import CrawlArguments
from sitecrawl.crawl.frontier import Frontier
from sitecrawl.crawl.state import CrawlState
from sitecrawl.crawl.tallies import ENOUGH, MIXED, Tallies
from sitecrawl.crawl.traps import Traps
from sitecrawl.crawl.trials import Trials
from sitecrawl.dom.page import Page
from sitecrawl.dom.render import absolute
from sitecrawl.limits import LIMITS
from sitecrawl.links.classify import Link
from sitecrawl.urls.canonical import clean_url, has_session, is_page, is_relative, spelled_like, url_key
from sitecrawl.urls.pattern import turns_pages
from sitecrawl.urls.scope import Scope, host_of

_FAMILIAR = 0.95
"""Promise of a link whose pattern is known to be that of articles."""
_RECALLED = 5_000
"""Pages of earlier runs, and of this one before it was interrupted, that tell what their like are."""
_MAYBE = 0.2
"""Least probability of an article at which a link labelled otherwise is tried at the end."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A page to fetch: its ``label`` (start, article, pagination, section, maybe) and notes for its callback."""

    url: str
    label: str
    notes: dict[str, Any]

    @property
    def key(self) -> str:
        return url_key(self.url)


@dataclass
class Desk:
    """What was seen and what is on offer. ``count`` adds one to a named statistic."""

    arguments: CrawlArguments
    scope: Scope
    frontier: Frontier
    state: CrawlState
    count: Callable[[str], None]
    seen: set[str] = field(default_factory=set)
    offered: dict[str, Wanted] = field(default_factory=dict)
    declined: set[str] = field(default_factory=set)
    tallies: Tallies = field(default_factory=Tallies)
    traps: Traps = field(default_factory=Traps)
    trials: Trials = field(init=False)
    dull: set[tuple[str, str]] = field(default_factory=set)
    """Hosts and the addresses, not relative ones, that stand on their pages and lead to nothing new."""
    before: set[str] = field(default_factory=set)
    """Keys of the pages known when this run began or went on: to meet them again on the pages that led to them proves nothing."""
    met_again: set[str] = field(default_factory=set)
    """Keys of the article links of the page sorted last that other pages of this run had led to."""

    def __post_init__(self) -> None:
        self.trials = Trials(self.tallies.patterns)

    def recall(self) -> None:
        """What was learned before; and pages that need not be fetched again: of this run all, of earlier runs the articles,
        unless they are refreshed."""
        for url, kind in self.state.outcomes(_RECALLED):
            self.tallies.learn(url, kind in ("article", "thread"))
        self.frontier.found = self.state.count_articles()
        self.before = self.state.keys()
        self.seen |= self.state.settled(earlier=not self.arguments.refresh)

    def left_over(self) -> list[Wanted]:
        """Pages an interrupted run still had to fetch now; its listing pages go back to the frontier."""
        found = []
        for key, url, label, notes in self.state.queued():
            if key in self.seen or key in self.offered:
                continue
            if label in ("article", "start"):
                found.append(Wanted(url, "article", notes))
            else:
                self._put_up(Wanted(url, label, notes), 0.9)
        return found

    def sort(self, links: Iterable[Link], page: Page, meta: dict[str, Any]) -> list[Wanted]:
        """New article links of a page, to be fetched; its other links of use are offered to the frontier.

        ``meta`` holds the notes of the page itself and ``kind``, what it turned out to be.
        """
        found: list[Wanted] = []
        again: set[str] = set()
        for link in links:
            wanted = self._wanted(link, page, meta)
            if wanted is None or wanted.key in self.seen or self._trapped(wanted):
                again.update({wanted.key} - self.before if wanted and wanted.label == "article" else ())
                continue
            if has_session(link.url):
                self.count("traps/sessions")
            if wanted.label == "article" and self.tallies.is_hopeless(wanted.url):
                wanted = replace(wanted, label="maybe")
            if wanted.label == "article":
                self.count("links/article")
                self.seen.add(wanted.key)
                if self.trials.admits(wanted):
                    found.append(wanted)
                else:
                    self.state.queue(wanted.key, wanted.url, wanted.label, wanted.notes)
            elif wanted.key not in self.offered:
                self._offer(wanted, link)
        self.met_again = again - {wanted.key for wanted in found}
        return found

    def _wanted(self, link: Link, page: Page, meta: dict[str, Any]) -> Wanted | None:
        depth = int(meta.get("depth", 0)) + 1
        if not is_page(link.url) or not self.scope.holds(link.url):
            return None
        if self.arguments.depth and depth > self.arguments.depth:
            return None
        label = "pagination" if turns_pages(link.url) else link.label
        if label not in ("article", "pagination"):
            label = "pagination" if link.pagination else "section" if label == "section" else "maybe"
        familiar = self.tallies.overrules(label, link.url)
        label = "article" if familiar else label
        listing = meta.get("kind") not in ("article", "thread")
        section = page.url if listing else meta.get("section")
        promise = 0.05 if label == "pagination" else _FAMILIAR if familiar else link.scores["article"]
        notes = {"article": promise, "group": link.group, "section": section, "depth": depth}
        notes["guess"] = [round(share, 3) for share in link.guess]
        notes |= {"href": link.href} if is_relative(link.href) else {}
        return Wanted(clean_url(spelled_like(page.url, link.url)), label, notes)

    def _offer(self, wanted: Wanted, link: Link) -> None:
        self.count(f"links/{wanted.label if wanted.label != 'maybe' else 'other'}")
        useful = wanted.label != "maybe" or (link.scores["article"] >= _MAYBE and self.arguments.scope == "site")
        if wanted.label == "section":
            useful = self.scope.holds_section(wanted.url)
        if not useful:
            self.declined.add(wanted.key)
        else:
            self._put_up(wanted, link.score)
            self.state.queue(wanted.key, wanted.url, wanted.label, wanted.notes)

    def _put_up(self, wanted: Wanted, score: float) -> None:
        self.offered[wanted.key] = wanted
        self.frontier.add(wanted.url, wanted.label, score, int(wanted.notes.get("depth", 0)))

    def next_listing(self) -> Wanted | None:
        """The listing page most worth a request, None when none is; what is an article by now goes as one."""
        while (candidate := self.frontier.pop()) is not None:
            wanted = self.offered.get(url_key(candidate.url))
            if wanted is None or wanted.key in self.seen:
                continue
            trap = self.traps.holds(wanted.url, wanted.notes.get("section"))
            if not trap and wanted.label == "pagination" and self.tallies.is_article_family(wanted.url):
                return Wanted(wanted.url, "article", {**wanted.notes, "article": _FAMILIAR})
            if not trap:
                return wanted
            self.count(f"traps/{trap}")
        return None

    def _trapped(self, wanted: Wanted) -> bool:
        """Whether a new page is left alone for its URL, or for the address that leads to it; it is counted once."""
        broken = self.tallies.is_broken(wanted.notes.get("href"))
        trap = "broken" if broken else self.traps.bars(wanted.url)
        if trap and wanted.key not in self.declined:
            self.count(f"traps/{trap}")
            self.declined.add(wanted.key)
        return bool(trap)

    def arrived(self, url: str, asked: str, label: str) -> bool:
        """Whether a fetched page, after redirects, is one to look at: in scope and not seen under another URL."""
        if label == "start" and not self.scope.holds(url):
            self.widen(url)
        key = url_key(url)
        if key == asked:
            return True
        fresh = key not in self.seen and self.scope.holds(url)
        self.seen.add(key)
        return fresh

    def widen(self, url: str) -> None:
        """A start page led to another host: it is part of the site."""
        self.scope = Scope.of((*self.arguments.start, url), self.arguments.scope)
        self.dull.clear()

    def learn(self, url: str, is_article: bool) -> list[Wanted]:
        """A page of ``url``'s pattern turned out to be an article or not; links that waited for that, to be fetched now."""
        self.tallies.learn(url, is_article)
        for wanted in self.trials.failed(url):
            self.count("links/failed_trial")
            self._doubt(wanted)
        return self.trials.passed(url)

    def decline(self, wanted: Wanted) -> None:
        """An article link that is not followed after all: it may have its turn when there is nothing better."""
        self.count("links/declined")
        self._doubt(wanted)
        self.state.queue(wanted.key, wanted.url, "maybe", wanted.notes)

    def _doubt(self, wanted: Wanted) -> None:
        """What was to be fetched as an article is offered as a link that may lead to one."""
        self._put_up(Wanted(wanted.url, "maybe", wanted.notes), _MAYBE)
        self.seen.discard(wanted.key)

    def familiar(self, page: Page, meta: dict[str, Any]) -> list[Wanted] | None:
        """New pages that an article page links to, when the patterns of their URLs tell what they are; None when one does not.

        Most links of an article page are known or of a kind met before: they need no classification.
        """
        found: dict[str, Wanted] = {}
        if self.arguments.scope == "section":
            return []
        depth = int(meta.get("depth", 0)) + 1
        notes = {"article": _FAMILIAR, "section": meta.get("section"), "depth": depth}
        for url in self._new_urls(page):
            others, articles = self.tallies.of_pattern(url)
            if articles + others < ENOUGH or MIXED < articles / (articles + others) < 1 - MIXED:
                return None
            if (
                articles > others
                and not self.traps.bars(url)
                and not (self.arguments.depth and depth > self.arguments.depth)
            ):
                found.setdefault(url_key(url), Wanted(clean_url(spelled_like(page.url, url)), "article", notes))
        self.seen |= found.keys()
        return list(found.values())

    def _new_urls(self, page: Page) -> Iterator[str]:
        """URLs in scope that a page links to and that were neither seen nor offered; menus are looked at once."""
        host = host_of(page.base_url)
        for anchor in page.root.iter("a"):
            href = anchor.get("href") or "#"
            known = (host, href)
            if known in self.dull:
                continue
            url = absolute(href, page.base_url)
            if url and is_page(url) and self.scope.holds(url):
                key = url_key(url)
                if key not in self.seen and key not in self.offered and key not in self.declined:
                    yield url
                    continue
            if href.startswith(("/", "http")) and len(self.dull) < LIMITS.links:
                self.dull.add(known)
