"""The schedule of a crawl: articles first, then the listing page expected to bring most, as far as
the effort allows."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from operator import itemgetter
from typing import Any, NamedTuple

from sitecrawl.crawl.config import CrawlArguments
from sitecrawl.crawl.database import short
from sitecrawl.crawl.discovery import HINTED, Discovery
from sitecrawl.crawl.events import Completeness, Counted, Emit, RequestFailed
from sitecrawl.crawl.frontier import Frontier
from sitecrawl.crawl.hooks import StepError, log_failure
from sitecrawl.crawl.ledger import Fact, Ledger, Lesson, State
from sitecrawl.crawl.parameters import Parameters
from sitecrawl.crawl.records import (
    ASKED_OFTEN,
    STEP_ERROR,
    SURE,
    Drop,
    PlannedRequest,
    Reading,
    RequestContext,
    Role,
)
from sitecrawl.crawl.rendering import Rendering
from sitecrawl.crawl.replay import stored_lessons
from sitecrawl.crawl.site_state import LOST
from sitecrawl.crawl.store import CrawlStore
from sitecrawl.crawl.traps import Traps
from sitecrawl.crawl.url_stats import UrlStats, may_get_slash
from sitecrawl.dom.page import Page
from sitecrawl.items.kinds import PageKind
from sitecrawl.limits import LIMITS
from sitecrawl.records_json import from_document, to_document
from sitecrawl.urls.pattern import url_pattern

logger = logging.getLogger(__name__)

_REPEATS = "repeats"  # the trap of URLs that have one answer, or known texts only
_WORTH = {"quick": 1.0, "normal": 0.05, "full": 0.0}
"""New articles that a request must be expected to bring, by effort. Ten requests for one more
article are acceptable, and on 34 sites crawled completely, pages expected to bring about 0.05
articles brought 0.15."""
_LEAST_SHARE = 0.3  # probability below which a page is no longer requested as an article
_MOST_ARTICLES = 6  # requests in progress beside which a listing page is chosen
_MOST_LISTINGS = 4
_FAILED = 8  # pages that exist neither with a slash nor without it, which end the tries

FORM = {"Content-Type": "application/x-www-form-urlencoded"}  # headers of what a form sends


class Brought(NamedTuple):
    """Number of articles that the links of a page ``shown``, and of the ``new`` ones among them."""

    shown: int = 0
    new: int = 0


@dataclass(slots=True)
class ArticleQueue:
    """Article pages to request: first those of links, the most certain first; then those of feeds
    and sitemaps, the newest first."""

    _heap: list[tuple[float, list[int], int, RequestContext]] = field(default_factory=list)
    _pushed: int = 0
    put_aside: defaultdict[str, list[RequestContext]] = field(
        default_factory=lambda: defaultdict(list)
    )
    """Article links by URL pattern whose pages were no longer expected to be articles."""

    def __len__(self) -> int:
        return len(self._heap)

    def push(self, context: RequestContext) -> None:
        self._pushed += 1
        rank = 0.0 if context.group == HINTED else -1.0 - context.promise
        latest_first = [-ord(char) for char in context.day] or [0]
        heappush(self._heap, (rank, latest_first, self._pushed, context))

    def pop(self) -> RequestContext | None:
        return heappop(self._heap)[-1] if self._heap else None


@dataclass(slots=True)
class CrawlSchedule:
    """Decides which page is requested next, by what the ledger knows of each. ``accepts`` is the
    user's link filter."""

    arguments: CrawlArguments
    store: CrawlStore
    stats: UrlStats
    emit: Emit
    accepts: Callable[[RequestContext], bool] = lambda context: True
    traps: Traps = field(default_factory=Traps)
    frontier: Frontier = field(default_factory=Frontier)
    articles: ArticleQueue = field(default_factory=ArticleQueue)
    ledger: Ledger = field(default_factory=Ledger)
    parameters: Parameters = field(default_factory=Parameters)
    crowded_out: int = 0  # article links that were dropped because the queue was full

    def __post_init__(self) -> None:
        self.ledger.folds += [self.stats, self.frontier, self.traps]

    def restore(self, memory: Mapping[str, Any], *, interrupted: bool = False) -> None:
        """Record the stored lessons of a run that goes on, and queue what it had queued."""
        if self.store.pages.has_history():
            self._restore_earlier_runs()
        for lesson in stored_lessons(self.store.pages, memory, interrupted=interrupted):
            self.ledger.record(lesson)
        for context in self.store.pages.in_order("left"):
            self.ledger.record(Lesson(Fact.LEFT_OUT, context))
        for context in self.store.pages.in_order("queued"):
            is_met = self.ledger.is_settled(context.key) or context.role in (Role.START, Role.FILE)
            if not is_met and self.follows(context):  # the filter may be another one now
                self.offer(context)

    def _restore_earlier_runs(self) -> None:
        """Let the ledger ask for the pages that earlier runs settled, and count these by URL.
        Listings that showed articles before all others are requested in each run."""
        pages, arguments = self.store.pages, self.arguments
        self.frontier.first = first = self.store.shown.first()

        def settled(keys: Sequence[str]) -> set[str]:
            others = [key for key in keys if short(key) not in first]
            listings = [key for key in keys if short(key) in first]
            is_earlier = not arguments.refresh
            found = pages.settled(others, earlier=is_earlier, since=arguments.since)
            return found | pages.settled(listings, earlier=False)

        self.ledger.earlier.lookup = settled
        self.stats.keep(self.store, of_run=False)
        if not arguments.refresh:  # else each is counted when it is requested
            earlier = self.stats.folders.values()
            self.ledger.articles += sum(counts.articles for counts in earlier)

    # ---- what was found
    def want(self, context: RequestContext) -> bool:
        """Queue an article; False if it is known already, the user's filter rejects it, or the
        queue is full."""
        row = self.ledger.rows.get(context.key)
        is_doubtful = row is not None and row.is_doubtful
        if is_doubtful and self.arguments.effort != "full" and self.stats.is_dead(context):
            return False
        if self.knows(context.key, context.promise):
            return False
        if row is not None and row.state is State.SENT:
            self.ledger.record(Lesson(Fact.FOUND, context))
            self.store.pages.queue(context, "sent")  # after a kill it is requested so
            return False
        if not self.has_room:
            self.crowded_out += 1
            return False
        if not self.follows(context):
            return False
        self.emit(Counted(context.url, "links/article"))
        if is_doubtful:
            self.store.pages.keep(context.key)
        self.store.pages.queue(context)
        self.offer(context)
        return True

    def knows(self, key: str, promise: float = 0.0) -> bool:
        """Whether a page was requested, or is to be as an article, and a link that promises an
        article with this probability does not bring it back."""
        return self.ledger.is_settled(key) and not self.ledger.may_return(key, promise)

    @property
    def has_room(self) -> bool:
        return len(self.articles) < LIMITS.unread

    def consider(self, context: RequestContext) -> None:
        """Add a page to the frontier, and store it for a continued run while there is room."""
        if self.follows(context):
            if self.frontier.size < LIMITS.candidates:
                self.store.pages.queue(context)
            self.offer(context)

    def follows(self, context: RequestContext) -> bool:
        """Whether the link filter accepts a page; it is counted if not. A page on which the filter
        fails is lost: a later run requests it."""
        try:
            if self.accepts(context):
                return True
        except StepError as error:
            log_failure(logger, "The link filter failed on", url=context.url, error=error)
            self.put_off(context, f"{STEP_ERROR}: {error}")
            return False
        self.emit(Counted(context.url, "links/filtered"))
        self.ledger.record(Lesson(Fact.FILTERED, context))
        return False

    def put_off(self, context: RequestContext, why: str) -> None:
        """Leave a page to a later run. It is no evidence about other URLs."""
        self.fail(context, why)
        self.store.pages.queue(context)
        self.store.pages.done(context.key, LOST)
        self.store.memory.put(f"page {context.key}", to_document(Reading("")))
        self.ledger.record(Lesson(Fact.FAILED, context, may_pass=True))

    def offer(self, context: RequestContext) -> None:
        """Put a page into its queue: an article, or a page that may be opened for its links."""
        if context.role is Role.ARTICLE:
            if self.ledger.record(Lesson(Fact.FOUND, context)):
                self.articles.push(context)
            return
        if context.declined is not None:
            self.articles.put_aside[url_pattern(context.url)].append(context.declined)
            self.ledger.record(Lesson(Fact.FOUND, context.declined))
            self.ledger.record(Lesson(Fact.DECLINED, context))
            self.frontier.add(context)
        elif self.frontier.add(context):
            self.ledger.record(Lesson(Fact.FOUND, context))

    # ---- what to request
    def next_article(self) -> RequestContext | None:
        """The article page to request now, or None. A page whose probability fell below
        ``_LEAST_SHARE`` waits until nothing better is left, or until more pages of its URL pattern
        were articles."""
        while (context := self.articles.pop() or self._again()) is not None:
            if self._is_respelled(context) or self.is_dead(context):
                continue
            if context.part is None and self.traps.slugs.knows(context.url):
                self._leave_out(context, _REPEATS, refused=False)
                continue
            if self.arguments.baseline and self.stats.are_articles(context.url):
                self._remember(context)
            elif self._is_expected(context):
                return context
            else:
                self._decline(context)
        return None

    def _remember(self, context: RequestContext) -> None:
        """Settle an article that is there at the first visit, without a request: pages like it are
        known to be articles."""
        self.emit(Counted(context.url, "baseline/remembered"))
        self.store.pages.done(context.key, PageKind.ARTICLE)
        self.ledger.record(Lesson(Fact.READ, context, Reading(context.url, PageKind.ARTICLE)))

    def _is_respelled(self, context: RequestContext) -> bool:
        """Whether an article was queued with a parameter that tells nothing, as the site has shown
        since. It is queued without it then, unless it is known."""
        known = self.parameters
        changed = context.again(url=known.clean(context.url), written=known.written(context.url))
        if changed.key == context.key:
            return False
        self.store.pages.skip(context.key)
        self.ledger.record(Lesson(Fact.LEFT_OUT, context))
        self.want(changed)
        return True

    def _decline(self, context: RequestContext) -> None:
        """Move an article link to the frontier. While there is room it is remembered as what it
        was."""
        self.emit(Counted(context.url, "links/declined"))
        share = round(self.stats.article_share(context.url, context.promise), 4)
        changed = context.again(role=Role.MAYBE, promise=share, listing=0.0)
        if self.frontier.size < LIMITS.candidates:
            changed = changed.again(declined=context)
        self.store.pages.queue(changed)
        self.ledger.record(Lesson(Fact.DECLINED, changed))
        if changed.declined is not None:
            self.articles.put_aside[url_pattern(context.url)].append(changed.declined)
        self.frontier.add(changed)

    def _again(self) -> RequestContext | None:
        """A declined page that is expected to be an article by now, if it was not requested
        since."""
        for pages in self.articles.put_aside.values():
            while pages and self._is_expected(pages[-1]):
                context = pages.pop()
                if not self.ledger.is_settled(context.key):
                    self.offer(context)
                    return self.articles.pop()
        return None

    def _is_expected(self, context: RequestContext) -> bool:
        share = self.stats.article_share(context.url, context.promise)
        return share >= _LEAST_SHARE and not self.stats.answers_all(context.url)

    def next_listing(self) -> RequestContext | None:
        """The listing page with the most expected new articles; None if no page is worth a request.
        With many requests in progress the decision waits for their answers."""
        roles = list(self.ledger.in_progress.values())
        articles = roles.count(Role.ARTICLE)
        if articles > _MOST_ARTICLES or len(roles) - articles >= _MOST_LISTINGS:
            return None
        effort = self.arguments.effort
        while (context := self.frontier.pop(_WORTH[effort], probes=effort != "quick")) is not None:
            if self.ledger.is_settled(context.key) or self.is_dead(context):
                continue
            if trap := self._trap_of(context):
                is_refused = trap == _REPEATS and self.stats.is_refused(context.url)
                self._leave_out(context, trap, refused=is_refused and self.store.items.exist())
            elif context.role is Role.PAGINATION and self.stats.is_article_folder(context.url):
                return context.again(role=Role.ARTICLE, promise=SURE, probes=0)
            else:
                return context
        return None

    def _trap_of(self, context: RequestContext) -> str:
        """The kind of the trap that a listing page is in; empty if it may be requested."""
        is_thorough = self.arguments.effort == "full"
        if self.traps.slugs.knows(context.url):
            return _REPEATS
        is_maybe = context.role is Role.MAYBE
        repeats = self.stats.answers_all if is_maybe else self.stats.is_endless
        if not is_thorough and repeats(context.url):
            return _REPEATS
        return self.traps.holds(context.url, context.section, thorough=is_thorough)

    def is_dead(self, context: RequestContext) -> bool:
        """Whether a page is left out because many pages like it were requested and none exists.
        Links that were dead in earlier runs say nothing of new ones beside them."""
        if self.arguments.effort == "full" or not self.stats.is_dead(context):
            return False
        is_sure = self.stats.is_dead(context, again=False)
        if is_sure or self.store.pages.has_failed(context.key):
            by_faults = self.stats.is_refused(context.url, context.group)
            by_faults = by_faults or not self.stats.is_dead(context, faults=False)
            self._leave_out(context, "dead", refused=by_faults)
            return True
        return False

    def _leave_out(self, context: RequestContext, trap: str, *, refused: bool) -> None:
        """Leave out a page for the kind of trap that it is in. One is left to a later run if the
        site ``refused`` such requests."""
        self.emit(Counted(context.url, f"traps/{trap}"))
        page = context.declined or context
        if refused and page.role is not Role.MAYBE:
            self.put_off(page, "not requested (the site refused such requests)")
            return
        if page.role is Role.ARTICLE:
            self.store.pages.leave_out(context.key)
        else:
            self.store.pages.skip(context.key)
        self.ledger.record(Lesson(Fact.LEFT_OUT, context))

    # ---- what came
    def learn(
        self, context: RequestContext, url: str, *, kind: PageKind, lookalike: bool = False
    ) -> None:
        """Record the ``kind`` of a fetched page; ``url`` is its URL after redirects. ``lookalike``:
        it looks like an article, but counts as another kind."""
        reading = Reading(url, kind, lookalike)
        for fact in (Fact.TAUGHT, Fact.READ):
            self.ledger.record(Lesson(fact, context, reading))

    def brought(self, context: RequestContext, found: Brought) -> None:
        """Record what a page that was requested for its links brought, including itself if it is an
        article."""
        if context.role.is_opened_for_links:
            self.ledger.record(Lesson(Fact.BROUGHT, context, shown=found.shown, new=found.new))

    def lost(self, context: RequestContext, *, may_pass: bool) -> None:
        """Record a failed page. Listing pages of its kind are then expected to bring less. It
        remains a known article if its failure ``may_pass``."""
        again = self.store.pages.has_failed(context.key)
        for fact in (Fact.GONE, Fact.FAILED):
            self.ledger.record(Lesson(fact, context, may_pass=may_pass, is_again=again))
        self.brought(context, Brought())

    def fail(
        self, context: RequestContext, why: str, *, final_url: str = "", page: Page | None = None
    ) -> None:
        """Tell that a page brought nothing."""
        known = self.store.pages.has_failed(context.key) or self.store.items.digest(context.key)
        is_new = context.role is Role.ARTICLE and not known
        self.emit(RequestFailed(context.url, why, context.role, final_url, is_new, page))

    # ---- what was not opened
    def unopened(self) -> Iterator[RequestContext]:
        waiting = self.frontier.waiting()
        return (context for context in waiting if not self.ledger.is_settled(context.key))


def completeness(schedule: CrawlSchedule) -> Completeness:
    unopened, shown = list(schedule.unopened()), schedule.store.shown.count()
    others = sum(context.role is Role.MAYBE for context in unopened)
    ledger, frontier = schedule.ledger, schedule.frontier
    listings = len(unopened) - others + frontier.rejected
    in_progress = [*ledger.in_progress.values()].count(Role.ARTICLE)
    unread = len(schedule.articles) + len(ledger.missed) + in_progress
    return Completeness(
        found=max(0, ledger.articles),
        expected=frontier.remaining(),
        unopened=listings,
        others=others,
        shown=shown,
        unread=unread,
        opened=frontier.opened(),
    )


@dataclass(slots=True)
class Requester:
    """Plans, counts and stores requests. Requests beyond the budget return to the queue."""

    schedule: CrawlSchedule
    window: int  # most requests in progress
    discovery: Discovery
    rendering: Rendering
    is_full: Callable[[], bool]  # whether `max_articles` articles are written
    urgent: list[RequestContext] = field(default_factory=list)  # pages to request before all others
    files: list[tuple[int, RequestContext]] = field(
        default_factory=list
    )  # requested files with their numbers
    sent: int = 0
    stopping: str = ""  # the reason why no more pages are requested; empty while they are
    _stored: tuple[int, ...] = ()  # numbers of the files that were stored last

    def remember(self) -> None:
        """Store what is not in the rows of pages: files and urgent pages to request, files
        requested, and what needs a browser."""
        found, put = self.discovery, self.schedule.store.memory.put
        in_progress = self.schedule.ledger.in_progress
        self.files = [entry for entry in self.files if entry[1].key in in_progress]
        counts = len(found.files), len(found.met), len(self.files), len(found.days)
        if counts != self._stored:  # else no file was found, requested or answered
            self._stored = counts
            asked = [(turn, to_document(file)) for turn, file in self.files]
            files = [*map(to_document, found.files)]
            put("files", [files, sorted(found.met), asked, found.days])
        put("sitemaps", [found.barren, found.crowded_out])
        put("requests", [[*map(to_document, self.urgent)]])
        if self.rendering.mode == "auto":
            put("rendering", to_document(self.rendering))

    def restore(self, memory: Mapping[str, Any]) -> list[RequestContext]:
        """Restore what :meth:`remember` stored in ``memory``. Returns the pages and files that were
        requested and not answered, in this order."""
        sent = self.schedule.store.pages.in_turn("sent")
        in_progress = [(turn, context) for turn, context in sent if self.schedule.follows(context)]
        in_progress += self._restore_files(memory)
        if "rendering" in memory:
            self.rendering.restore(from_document(Rendering, memory["rendering"]))
        found = [context for _, context in sorted(in_progress, key=itemgetter(0))]
        for context in found:
            self.schedule.ledger.record(Lesson(Fact.SENT, context))
        return found

    def _restore_files(self, memory: Mapping[str, Any]) -> list[tuple[int, RequestContext]]:
        """Restore the files and the urgent pages; returns the files that were requested and not
        answered, with their numbers."""
        if "files" not in memory:
            self.discovery.begin()
            return []
        files, met, asked, days = memory["files"]
        self.discovery.days.update(days)
        self.discovery.barren, self.discovery.crowded_out = memory.get("sitemaps", (0, 0))
        self.discovery.met = set(met)
        self.discovery.files = [from_document(RequestContext, file) for file in files]
        for page in memory["requests"][0]:
            context = from_document(RequestContext, page)
            self.schedule.ledger.record(Lesson(Fact.FOUND, context, is_urgent=True))
            self.urgent.append(context)
        return [(turn, from_document(RequestContext, file)) for turn, file in asked]

    def stop(self, reason: str) -> None:
        self.stopping = self.stopping or reason

    def more(self) -> list[PlannedRequest]:
        """Requests that fill the window: urgent pages, articles, feeds and sitemaps, listing
        pages."""
        found: list[PlannedRequest] = []
        # before an article is taken from the queue: one that is taken and not requested would be
        # counted neither as fetched nor as unopened
        if self.is_full():
            self.stop(Drop.MAX_ARTICLES)
        while (
            not self.stopping
            and len(self.schedule.ledger.in_progress) < self.window
            and (context := self._next())
        ):
            found += self.plan([context])
        return found

    def urge(self, context: RequestContext) -> bool:
        """Request a page before all others, unless it was requested already or the user's filter
        rejects it."""
        ledger = self.schedule.ledger
        if ledger.is_settled(context.key) or not self.schedule.follows(context):
            return False
        ledger.record(Lesson(Fact.FOUND, context, is_urgent=True))
        self.urgent.append(context)
        return True

    def _next(self) -> RequestContext | None:
        if self.urgent:
            return self.urgent.pop()
        waits_for_file = Role.FILE in self.schedule.ledger.in_progress.values()
        article = self.schedule.next_article()
        if article is None and not waits_for_file:
            article = self.discovery.next_file()
        return article or self.schedule.next_listing()

    def plan(self, contexts: Iterable[RequestContext]) -> list[PlannedRequest]:
        """The requests for pages; none for a page that was requested as often as it may be, or when
        the crawl stops."""
        found = []
        if self.is_full():
            self.stop(Drop.MAX_ARTICLES)
        for context in contexts:
            if self.schedule.arguments.max_pages and self.sent >= self.schedule.arguments.max_pages:
                self.stop("max_pages")
            if self.stopping:
                if context.role is not Role.FILE:
                    self.schedule.store.pages.queue(context)  # requested when the crawl goes on
            elif self.schedule.ledger.record(Lesson(Fact.SENT, context)):
                self.sent += 1
                found.append(self._request(context))
            elif context.role is Role.FILE:
                self.schedule.emit(Counted(context.url, "hints/failed"))
            else:
                self.schedule.put_off(context, ASKED_OFTEN)
        return found

    def _request(self, context: RequestContext) -> PlannedRequest:
        """The request for a page, for a known one conditional; a start page is read, so that its
        bytes must be sent or stored."""
        store = self.schedule.store
        if context.role is Role.FILE:
            store.pages.turn += 1
            self.files.append((store.pages.turn, context))
            return PlannedRequest(context.url, context)
        row = self.schedule.ledger.rows.get(context.key)
        if row is not None and row.sends > 1:
            context = context.again(sends=row.sends)
        store.pages.queue(context, "sent")
        if context.posted:
            return PlannedRequest(context.written, context, FORM, body=context.posted)
        is_rendered = self.rendering.needs_browser(context)
        headers = {} if is_rendered else self._conditions(context)
        if is_rendered or headers:
            self.schedule.emit(
                Counted(context.url, "js/pages" if is_rendered else "revisits/asked")
            )
        scrolls = is_rendered and self.rendering.scrolls(context)
        return PlannedRequest(self.spelled(context), context, headers, is_rendered, scroll=scrolls)

    def _conditions(self, context: RequestContext) -> dict[str, str]:
        """The headers that make the request for a known page conditional."""
        version = self.schedule.store.versions.get(context.key)
        if version is None or (context.role is Role.START and not version.kept):
            return {}
        return version.conditions

    def spelled(self, context: RequestContext) -> str:
        """The URL that a page is requested under: with the slash that its site adds, unless it
        failed with it."""
        if context.written:
            return context.written
        is_written = context.as_written or context.role is Role.START
        if is_written or self.schedule.stats.slashed <= 0 or not may_get_slash(context.url):
            return context.url
        return f"{context.url}/"

    def tries_again(self, context: RequestContext) -> bool:
        """Whether a page that failed with a slash is requested without it; no longer after ``_FAILED``
        pages that failed with neither."""
        is_other = not context.written and self.spelled(context) != context.url
        return is_other and self.schedule.stats.gone < _FAILED
