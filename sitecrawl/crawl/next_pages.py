"""The schedule of a crawl: articles first, then the listing page expected to bring most, within the effort asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import NamedTuple

from sitecrawl.crawl.config import CrawlArguments
from sitecrawl.crawl.discovery import HINTED, Discovery
from sitecrawl.crawl.events import (
    Completeness,
    Emit,
    LinkDeclined,
    LinkFiltered,
    LinkFound,
    LinkTrapped,
    RequestPlanned,
    chao,
)
from sitecrawl.crawl.frontier import Frontier
from sitecrawl.crawl.records import Drop, FileKind, PlannedRequest, RequestContext, Role, WaitKind, Way
from sitecrawl.crawl.rendering import Rendering
from sitecrawl.crawl.seen import Seen
from sitecrawl.crawl.store import CrawlStore
from sitecrawl.crawl.traps import Traps, trap_kind
from sitecrawl.crawl.url_stats import UrlStats
from sitecrawl.items.kinds import PageKind
from sitecrawl.limits import LIMITS
from sitecrawl.urls.canonical import folder_url, is_page, url_key

_WORTH = {"quick": 1.0, "normal": 0.05, "full": 0.0}
"""New articles that a request must be expected to bring, by effort. Ten requests an article are fair at the margin, and on
34 sites opened to their end the pages of which hardly 0.05 were expected brought 0.15."""
SURE = 0.95
"""Promise of a link to a page whose URL pattern is known for articles."""


class Brought(NamedTuple):
    """Articles that the links of a page ``shown``, and the ``new`` ones among them."""

    shown: int = 0
    new: int = 0


@dataclass(slots=True)
class ArticleQueue:
    """Article pages to request: those of links first, the surest of them; then what feeds and sitemaps name, the newest first."""

    _heap: list[tuple[float, list[int], int, RequestContext]] = field(default_factory=list)
    _pushed: int = 0

    def __len__(self) -> int:
        return len(self._heap)

    def push(self, context: RequestContext) -> None:
        self._pushed += 1
        rank = 0.0 if context.group == HINTED else -1.0 - context.promise
        latest_first = [-ord(char) for char in context.day] or [0]
        heappush(self._heap, (rank, latest_first, self._pushed, context))

    def pop(self, *, holds_hints: bool) -> RequestContext | None:
        """The next page, None when none is to be requested now: hints wait while a feed is read that may name newer ones (``holds_hints``)."""
        if not self._heap or (holds_hints and self._heap[0][0] == 0.0):
            return None
        return heappop(self._heap)[-1]


@dataclass(slots=True)
class CrawlSchedule:
    """What was seen, what is on offer, and which page is requested next. ``follows`` is the user's link filter."""

    arguments: CrawlArguments
    store: CrawlStore
    stats: UrlStats
    emit: Emit
    follows: Callable[[RequestContext], bool] = lambda context: True
    traps: Traps = field(default_factory=Traps)
    frontier: Frontier = field(default_factory=Frontier)
    articles: ArticleQueue = field(default_factory=ArticleQueue)
    seen: Seen = field(default_factory=Seen)
    """Keys of the pages requested, and of the article links met."""
    under_way: dict[str, Role] = field(default_factory=dict)
    found: int = 0
    """Articles known: fetched, or promised by a link that will be fetched."""
    crowded_out: int = 0
    """Links to articles that found no room."""

    def recall(self, *, latest: int = 5_000) -> None:
        """Take up what the store knows: what pages were, what listing pages brought (the ``latest`` pages of a run that goes on), and what is
        still to be fetched."""
        pages = self.store.pages
        if pages.has_history():
            self.seen.lookup = lambda keys: pages.settled(keys, earlier=not self.arguments.refresh)
            self._recount()
        for context, kind, shown, new in pages.done_pages(latest):
            if kind is not None:
                self.brought(context, Brought(shown, new))
        for context in pages.queued():
            if context.key not in self.seen and context.role not in (Role.START, Role.FILE):
                self._offer(context)

    def _recount(self) -> None:
        """Add the pages dealt with since the last run began to the counts by pattern; a page counts once, however often it is fetched."""
        self.stats.restore(self.store.site_facts().url_counts)
        alike = {waiting.page.asked for waiting in self.store.waiting.held(WaitKind.UNPROMISED)}
        for url, kind in self.store.pages.count_pages():
            if kind is not None:
                self.stats.count(url, kind, alike=url_key(url) in alike)
        self.store.change_facts(url_counts=self.stats.kept())
        self.found += sum(counts.articles for counts in self.stats.families.values())

    # ---- what was found
    def want(self, context: RequestContext) -> bool:
        """Queue an article to be fetched; False where it was met before, the user wants none of it, or too many wait already."""
        if context.key in self.seen:
            return False
        if not self.has_room:
            self.crowded_out += 1
            return False
        if not self._is_wanted(context):
            return False
        self.emit(LinkFound(context.url, "article"))
        self.store.pages.queue(context)
        self._offer(context)
        return True

    @property
    def has_room(self) -> bool:
        return len(self.articles) < LIMITS.unread

    def consider(self, context: RequestContext) -> None:
        """Offer a page to the frontier, and keep it for a run that goes on while there is room."""
        if self._is_wanted(context):
            if self.frontier.size < LIMITS.candidates:
                self.store.pages.queue(context)
            self._offer(context)

    def _is_wanted(self, context: RequestContext) -> bool:
        if self.follows(context):
            return True
        self.seen.add(context.key)
        self.emit(LinkFiltered(context.url))
        return False

    def _offer(self, context: RequestContext) -> None:
        if context.role is Role.ARTICLE:
            self.seen.add(context.key)
            self.found += 1
            self.articles.push(context)
        else:
            self.frontier.add(context)

    # ---- what to request
    def next_article(self, *, holds_hints: bool = False, least_share: float = 0.3) -> RequestContext | None:
        """The article page to request now, None without one. A page whose probability of being an article fell below ``least_share`` has its
        turn when there is nothing better."""
        while (context := self.articles.pop(holds_hints=holds_hints)) is not None:
            if self._is_dead(context):
                self.found -= 1
                continue
            share = self.stats.article_share(context.url, context.promise)
            if share >= least_share and not self.stats.answers_all(context.url):
                return context
            self.emit(LinkDeclined(context.url))
            self.found -= 1
            self.seen.discard(context.key)
            changed = context.again(role=Role.MAYBE, promise=round(share, 4), listing=0.0)
            self.store.pages.queue(changed)
            self.frontier.add(changed)
        return None

    def next_listing(self, *, most_articles: int = 6, most_listings: int = 4) -> RequestContext | None:
        """The listing page most worth a request, None when none is. With more than ``most_articles`` or ``most_listings`` requests under way
        their answers decide first whether it is."""
        roles = list(self.under_way.values())
        articles = roles.count(Role.ARTICLE)
        if articles > most_articles or len(roles) - articles >= most_listings:
            return None
        effort = self.arguments.effort
        while (context := self.frontier.pop(_WORTH[effort], probes=effort != "quick")) is not None:
            if context.key in self.seen or self._is_dead(context):
                continue
            answers_all = self.stats.is_endless() or (
                context.role is Role.MAYBE and self.stats.answers_all(context.url)
            )
            repeats = effort != "full" and answers_all
            trap = "repeats" if repeats else self.traps.holds(context.url, context.section, thorough=effort == "full")
            if trap:
                self.emit(LinkTrapped(context.url, trap))
            elif context.role is Role.PAGINATION and self.stats.is_article_family(context.url):
                return context.again(role=Role.ARTICLE, promise=SURE)
            else:
                return context
        return None

    def _is_dead(self, context: RequestContext) -> bool:
        """Whether a page is left alone because none of many pages like it exists; it is counted."""
        is_dead = self.arguments.effort != "full" and self.stats.is_dead(context)
        if is_dead:
            self.emit(LinkTrapped(context.url, "dead"))
        return is_dead

    def sent(self, context: RequestContext) -> None:
        self.seen.add(context.key)
        self.under_way[context.key] = context.role

    # ---- what came
    def landed(self, context: RequestContext) -> None:
        self.under_way.pop(context.key, None)

    def learn(self, context: RequestContext, url: str, kind: PageKind, *, alike: bool = False) -> None:
        """A page was fetched and is of ``kind``; ``url`` is where it was found in the end. ``alike``: it looks like an article all the same."""
        self.stats.record(context, url, kind, alike=alike)
        self.found += kind.is_article - (context.role is Role.ARTICLE)

    def brought(self, context: RequestContext, found: Brought) -> None:
        """What a page that was requested because of its links led to, itself among it where it is an article."""
        if context.role.is_listing:
            self.frontier.record(context, found.shown, found.new)
            self.traps.record(context.url, found.new, context.section)

    def lost(self, context: RequestContext) -> None:
        """A page could not be fetched: a listing page of its kind is expected to bring less."""
        self.found -= context.role is Role.ARTICLE
        self.stats.count_dead(context)
        self.brought(context, Brought())

    # ---- what is left
    def completeness(self) -> Completeness:
        shown, once, twice = self.store.shown.counts()
        left = list(self.left())
        others = sum(context.role is Role.MAYBE for context in left)
        listings = len(left) - others + self.frontier.left
        return Completeness(max(0, self.found), self.frontier.remaining(), listings, others, chao(once, twice), shown)

    def left(self) -> Iterator[RequestContext]:
        return (context for context in self.frontier.waiting() if context.key not in self.seen)

    def emit_barren(self) -> None:
        """Emit an event for each listing page that was left alone since pages like it brought nothing."""
        for context in self.frontier.waiting():
            if context.role is not Role.MAYBE and self.frontier.was_tried(context):
                self.emit(LinkTrapped(context.url, trap_kind(context.url)))


@dataclass(slots=True)
class Requester:
    """Plans requests, counts them and writes them down; those beyond the budget are put back."""

    schedule: CrawlSchedule
    window: int
    """Requests that may be under way."""
    discovery: Discovery
    rendering: Rendering
    is_full: Callable[[], bool]
    """Whether as many articles left as were asked for."""
    urgent: list[RequestContext] = field(default_factory=list)
    """Pages to request before any other."""
    sent: int = 0
    stopping: str = ""
    """Why no more pages are requested, empty while they are."""
    as_written: bool = False
    """Whether the site knows the index files of folders only under their own names."""
    in_vain: int = 0
    """Index files of folders that did not exist under their own names either."""

    def stop(self, reason: str) -> None:
        self.stopping = self.stopping or reason

    def more(self) -> list[PlannedRequest]:
        """Requests that fill the window: urgent pages, articles, files that name pages, listing pages."""
        found: list[PlannedRequest] = []
        # before an article is taken from the queue: one that is taken and not requested would be missing among those left
        self._stop_when_full()
        while not self.stopping and len(self.schedule.under_way) < self.window and (context := self._next()):
            found += self.plan([context])
        return found

    def _stop_when_full(self) -> None:
        if self.is_full():
            self.stop(Drop.MAX_ARTICLES)

    def _next(self) -> RequestContext | None:
        if self.urgent:
            return self.urgent.pop()
        waits_for_file = Role.FILE in self.schedule.under_way.values()
        article = self.schedule.next_article(holds_hints=self.discovery.opened is not None)
        return article or (None if waits_for_file else self.discovery.next_file()) or self.schedule.next_listing()

    def plan(self, contexts: Iterable[RequestContext]) -> list[PlannedRequest]:
        found = []
        self._stop_when_full()
        for context in contexts:
            if self.schedule.arguments.max_pages and self.sent >= self.schedule.arguments.max_pages:
                self.stop("max_pages")
            if not self.stopping:
                self.sent += 1
                found.append(self._request(context))
            elif context.role is not Role.FILE:
                self.schedule.store.pages.queue(context)  # requested when the crawl goes on
        return found

    def _request(self, context: RequestContext) -> PlannedRequest:
        """The request for a page. The index file of a folder is requested as the folder, unless this site knows it only as
        written; a page that was fetched before is requested on condition."""
        self.schedule.sent(context)
        if context.role is Role.FILE:
            return PlannedRequest(context.url, context, 20, any_status=context.file is FileKind.ROBOTS)
        self.schedule.store.pages.queue(context)
        context = context.again(as_written=context.as_written or self.as_written)
        written = context.as_written or context.role is Role.START
        render = self.rendering.needs_browser(context)
        visit = None if render else self.schedule.store.versions.get(context.key)
        headers = visit.conditions if visit else {}
        self.schedule.emit(RequestPlanned(context.url, rendered=render, conditional=bool(headers)))
        return PlannedRequest(
            url=context.url if written else folder_url(context.url),
            context=context,
            priority=100 + int(100 * context.promise) if context.role is Role.ARTICLE else 10,
            headers=headers,
            render=render,
        )

    def tries_again(self, context: RequestContext, *, most: int = 8) -> bool:
        """Whether a page that could not be fetched is the index file of a folder, to be requested under its own name; not on
        a site where that was in vain ``most`` times: what it does not have is there under no name."""
        self.in_vain += context.as_written and not self.as_written
        is_index = context.role is not Role.START and folder_url(context.url) != context.url
        return is_index and not context.as_written and self.in_vain < most

    def replace(self, context: RequestContext, urls: Iterable[str]) -> bool:
        """Request pages that take the place of another one, before all others; whether there are any."""
        before, schedule = len(self.urgent), self.schedule
        for url in filter(is_page, urls):
            changed = context.again(url=url, hops=context.hops + 1, as_written=False, way=Way.OPEN)
            if changed.key not in schedule.seen and schedule.follows(changed):
                schedule.seen.add(changed.key)
                self.urgent.append(changed)
        return len(self.urgent) > before

    def try_out(self, contexts: Iterable[RequestContext]) -> None:
        """Request pages that are not known before all others."""
        self.urgent.extend(context for context in contexts if context.key not in self.schedule.seen)
