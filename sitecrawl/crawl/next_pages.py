"""The schedule of a crawl: articles first, then the listing page expected to bring most, as far as
the effort allows."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
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
from sitecrawl.crawl.linked_pages import Seen
from sitecrawl.crawl.records import (
    ASKED_OFTEN,
    PROMISING,
    STEP_ERROR,
    SURE,
    Drop,
    Lesson,
    PlannedRequest,
    RequestContext,
    Role,
    WaitKind,
)
from sitecrawl.crawl.rendering import Rendering
from sitecrawl.crawl.site_state import LOST
from sitecrawl.crawl.store import CrawlStore
from sitecrawl.crawl.traps import Traps
from sitecrawl.crawl.url_stats import UrlStats, may_get_slash
from sitecrawl.dom.page import Page
from sitecrawl.items.kinds import PageKind
from sitecrawl.limits import LIMITS
from sitecrawl.records_json import from_document, to_document
from sitecrawl.urls.canonical import url_key
from sitecrawl.urls.pattern import url_pattern

logger = logging.getLogger(__name__)

_UNPROMISED = (Role.MAYBE, Role.PAGINATION)  # roles of pages whose links promise no article
_WORTH = {"quick": 1.0, "normal": 0.05, "full": 0.0}
"""New articles that a request must be expected to bring, by effort. Ten requests for one more
article are acceptable, and on 34 sites crawled completely, pages expected to bring about 0.05
articles brought 0.15."""


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
    missed: set[str] = field(default_factory=set)
    """Keys of articles that this run could not read, and that a later run requests again."""
    underrated: set[str] = field(default_factory=set)
    """Keys of pages that were read as no articles, and whose links promised none, or that were left
    out for the place of their links."""
    hoped: dict[str, RequestContext] = field(default_factory=dict)
    """Links to articles whose pages are requested as others and have not come yet, by key."""

    def __len__(self) -> int:
        return len(self._heap)

    def push(self, context: RequestContext) -> None:
        self._pushed += 1
        rank = 0.0 if context.group == HINTED else -1.0 - context.promise
        latest_first = [-ord(char) for char in context.day] or [0]
        heappush(self._heap, (rank, latest_first, self._pushed, context))

    def pop(self) -> RequestContext | None:
        return heappop(self._heap)[-1] if self._heap else None

    def promised(self, key: str) -> RequestContext | None:
        """The article that a link promised while its page was fetched, if the page was read as
        none."""
        hoped = self.hoped.pop(key, None)
        return hoped if key in self.underrated else None


@dataclass(slots=True)
class CrawlSchedule:
    """Knows which pages were seen and decides which page is requested next. ``accepts`` is the
    user's link filter."""

    arguments: CrawlArguments
    store: CrawlStore
    stats: UrlStats
    emit: Emit
    accepts: Callable[[RequestContext], bool] = lambda context: True
    traps: Traps = field(default_factory=Traps)
    frontier: Frontier = field(default_factory=Frontier)
    articles: ArticleQueue = field(default_factory=ArticleQueue)
    seen: Seen = field(default_factory=Seen)  # keys of requested pages and of article links
    in_progress: dict[str, Role] = field(default_factory=dict)
    found: int = 0  # known articles: fetched, or linked and to be fetched
    crowded_out: int = 0  # article links that were dropped because the queue was full

    def recall(self, memory: Mapping[str, Any], *, interrupted: bool = False) -> Iterator[Lesson]:
        """Restore the kinds of known pages, the results of a continued run, and what is still to be
        fetched. Yields what was learned from each page, in the order in which they were handled. An
        ``interrupted`` run does not request again what it could not fetch."""
        pages, arguments = self.store.pages, self.arguments
        if pages.has_history():
            self.frontier.first = first = self.store.shown.first()
            is_earlier, since = not arguments.refresh, arguments.since
            self.seen.lookup = lambda keys: (
                pages.settled(
                    [key for key in keys if short(key) not in first],
                    earlier=is_earlier,
                    since=since,
                )
                | pages.settled([key for key in keys if short(key) in first], earlier=False)
            )
            self._recount()
        self.store.sends.recall(memory)
        for done in pages.done_pages():
            context = done.context
            self.store.sends.recall_first(context.key)
            known = memory.get(short(f"page {context.key}")) or {
                "url": context.url,
                "kind": done.kind,
            }
            lesson = (
                Lesson(context.url, done.kind, repeats=False)
                if done.is_again
                else from_document(Lesson, known)
            )
            self.frontier.recall_probes(context)
            if done.kind is None and interrupted:
                self.seen.add(context.key)
            if not lesson.url:  # it only led to another page, or a hook rejected it
                continue
            if (done.kind is not None or lesson.url != context.url) and not done.is_again:
                self.seen.add(url_key(lesson.url))
            if lesson.kind is not None:
                self.stats.record(context, lesson.url, kind=lesson.kind, lookalike=lesson.lookalike)
                if not done.is_again:
                    self._note_underrated(context, kind=lesson.kind, lookalike=lesson.lookalike)
                self.found += lesson.kind.is_article and not done.is_lost
            elif done.kind is None:
                self.stats.count_of_group(
                    context, is_there=False, again=done.new > 0, refused=done.is_lost
                )
            yield lesson
            self.brought(
                context, Brought(done.shown, done.new) if done.kind or lesson.kind else Brought()
            )
        for _, context in pages.in_turn("queued"):
            is_met = context.key in self.seen or context.role in (Role.START, Role.FILE)
            if not is_met and self.follows(context):  # the filter may be another one now
                self._offer(context)

    def _recount(self) -> None:
        """Add the pages handled since the last run began to the counts by URL pattern. A page
        counts once, however often it was fetched."""
        self.stats.restore(self.store.site_facts().url_counts)
        lookalikes = {
            waiting.record.asked for waiting in self.store.waiting.held(WaitKind.LOOKALIKE)
        }
        for url, kind in self.store.pages.take_uncounted():
            if kind is not None:
                self.stats.count(url, kind, lookalike=url_key(url) in lookalikes)
        self.store.change_facts(url_counts=self.stats.kept())
        self.found += sum(counts.articles for counts in self.stats.folders.values())

    # ---- what was found
    def want(self, context: RequestContext) -> bool:
        """Queue an article; False if it is known already, the user's filter rejects it, or the
        queue is full."""
        is_full = self.arguments.effort == "full"
        is_underrated = context.key in self.articles.underrated
        is_left = is_underrated and not is_full and self.stats.is_dead(context)
        if is_left or self.knows(context.key, context.promise):
            return False
        if context.key in self.in_progress:
            self.articles.hoped[context.key] = context
            self.store.pages.queue(context, "sent")  # after a kill it is requested so
            return False
        if not self.has_room:
            self.crowded_out += 1
            return False
        if not self.follows(context):
            return False
        self.emit(Counted(context.url, "links/article"))
        if context.key in self.articles.underrated:
            self.store.pages.keep(context.key)
        self.store.pages.queue(context)
        self._offer(context)
        return True

    def knows(self, key: str, promise: float = 0.0, *, least: float = 0.5) -> bool:
        """Whether a page was requested, or is to be as an article. One that was read as no article
        is requested again, once, if its first link promised none and a later link, or the part of
        an article before it, does so with a probability of ``least``; one that was left out in the
        same way."""
        is_doubtful = key in self.articles.underrated or self.in_progress.get(key) in _UNPROMISED
        return key in self.seen and not (promise >= least and is_doubtful)

    @property
    def has_room(self) -> bool:
        return len(self.articles) < LIMITS.unread

    def consider(self, context: RequestContext) -> None:
        """Add a page to the frontier, and store it for a continued run while there is room."""
        if self.follows(context):
            if self.frontier.size < LIMITS.candidates:
                self.store.pages.queue(context)
            self._offer(context)

    def follows(self, context: RequestContext) -> bool:
        """Whether the link filter accepts a page; it is counted if not. A page on which the filter
        fails is lost: a later run requests it."""
        try:
            if self.accepts(context):
                return True
            self.emit(Counted(context.url, "links/filtered"))
        except StepError as error:
            log_failure(logger, "The link filter failed on", url=context.url, error=error)
            self._put_off(context, f"{STEP_ERROR}: {error}")
        self.seen.add(context.key)
        return False

    def _put_off(self, context: RequestContext, why: str) -> None:
        """Leave a page that was not requested to a later run."""
        self._leave_to_later(context, why)
        if context.role is Role.ARTICLE:
            self.found += 1
            self.articles.missed.add(context.key)

    def _leave_to_later(self, context: RequestContext, why: str) -> None:
        """Store a page as lost. It is no evidence about other URLs."""
        self.fail(context, why)
        self.store.pages.queue(context)
        self.store.pages.done(context.key, LOST)
        self.store.memory.put(f"page {context.key}", to_document(Lesson("")))

    def _offer(self, context: RequestContext) -> None:
        if context.role is Role.ARTICLE:
            self.seen.add(context.key)
            self.articles.underrated.discard(context.key)
            self.found += 1
            self.articles.push(context)
        else:
            if context.declined is not None:
                self.articles.put_aside[url_pattern(context.url)].append(context.declined)
            self.frontier.add(context)

    # ---- what to request
    def next_article(self, *, least_share: float = 0.3) -> RequestContext | None:
        """The article page to request now, or None. A page whose probability fell below
        ``least_share`` waits until nothing better is left, or until more pages of its URL pattern
        were articles."""
        while (context := self.articles.pop() or self._again(least_share)) is not None:
            if self.is_dead(context):
                self.found -= 1
                continue
            if self._is_expected(context, least_share):
                return context
            self._decline(context)
        return None

    def _decline(self, context: RequestContext) -> None:
        """Move an article link to the frontier. While there is room it is remembered as what it
        was."""
        self.emit(Counted(context.url, "links/declined"))
        self.found -= 1
        self.seen.discard(context.key)
        share = round(self.stats.article_share(context.url, context.promise), 4)
        declined = context if self.frontier.size < LIMITS.candidates else None
        changed = context.again(role=Role.MAYBE, promise=share, listing=0.0, declined=declined)
        self.store.pages.queue(changed)
        self._offer(changed)

    def _again(self, least_share: float) -> RequestContext | None:
        """A declined page that is expected to be an article by now, if it was not requested
        since."""
        for pages in self.articles.put_aside.values():
            while pages and self._is_expected(pages[-1], least_share):
                if (context := pages.pop()).key not in self.seen:
                    self._offer(context)
                    return self.articles.pop()
        return None

    def _is_expected(self, context: RequestContext, least_share: float) -> bool:
        share = self.stats.article_share(context.url, context.promise)
        return share >= least_share and not self.stats.answers_all(context.url)

    def next_listing(
        self, *, most_articles: int = 6, most_listings: int = 4
    ) -> RequestContext | None:
        """The listing page with the most expected new articles; None if no page is worth a request.
        With more than ``most_articles`` or
        ``most_listings`` requests in progress the decision waits for their answers."""
        roles = list(self.in_progress.values())
        articles = roles.count(Role.ARTICLE)
        if articles > most_articles or len(roles) - articles >= most_listings:
            return None
        effort = self.arguments.effort
        while (context := self.frontier.pop(_WORTH[effort], probes=effort != "quick")) is not None:
            if context.key in self.seen or self.is_dead(context):
                continue
            repeats = (
                self.stats.answers_all if context.role is Role.MAYBE else self.stats.is_endless
            )
            if effort != "full" and repeats(context.url):
                is_refused = self.stats.is_refused(context.url) and self.store.items.exist()
                self._leave_out(context, "repeats", refused=is_refused)
            elif trap := self.traps.holds(context.url, context.section, thorough=effort == "full"):
                self._leave_out(context, trap, refused=False)
            elif context.role is Role.PAGINATION and self.stats.is_article_folder(context.url):
                return context.again(role=Role.ARTICLE, promise=SURE, probes=0)
            else:
                return context
        return None

    def is_dead(self, context: RequestContext) -> bool:
        """Whether a page is left out because many pages like it were requested and none exists.
        Links that were dead in earlier runs say nothing of new ones beside them."""
        is_dead = self.arguments.effort != "full" and self.stats.is_dead(context)
        if is_dead and (
            self.stats.is_dead(context, again=False) or self.store.pages.has_failed(context.key)
        ):
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
            self._put_off(page, "not requested (the site refused such requests)")
        else:
            if page.role is Role.ARTICLE:
                self.store.pages.leave_out(context.key)
            else:
                self.store.pages.skip(context.key)
            self.articles.underrated.add(context.key)

    # ---- what came
    def learn(
        self, context: RequestContext, url: str, *, kind: PageKind, lookalike: bool = False
    ) -> None:
        """Record the ``kind`` of a fetched page; ``url`` is its URL after redirects. ``lookalike``:
        it looks like an article, but counts as another kind."""
        self.stats.record(context, url, kind=kind, lookalike=lookalike)
        self._note_underrated(context, kind=kind, lookalike=lookalike)
        self.found += (kind.is_article or context.key in self.articles.missed) - (
            context.role is Role.ARTICLE
        )

    def _note_underrated(self, context: RequestContext, *, kind: PageKind, lookalike: bool) -> None:
        """Note a page that was no article and that a link may still promise. If a link had done so
        when the page was requested, further ones tell nothing new."""
        declined = context.declined
        was_promised = declined is not None and declined.promise >= PROMISING
        is_other = not (kind.is_article or lookalike)
        if context.role in _UNPROMISED and is_other and not was_promised:
            self.articles.underrated.add(context.key)

    def brought(self, context: RequestContext, found: Brought) -> None:
        """Record what a page that was requested for its links brought, including itself if it is an
        article."""
        if context.role.is_opened_for_links:
            self.frontier.record(context, found.shown, new=found.new)
            self.traps.record(context.url, found.new, found_on=context.section)

    def lost(self, context: RequestContext, *, may_pass: bool) -> None:
        """Record a failed page. Listing pages of its kind are then expected to bring less. It
        remains a known article if its failure ``may_pass``."""
        self.found -= context.role is Role.ARTICLE and not may_pass
        again = self.store.pages.has_failed(context.key)
        self.stats.count_of_group(context, is_there=False, again=again, refused=may_pass)
        self.brought(context, Brought())

    def give_up(self, context: RequestContext) -> None:
        """Leave a page to a later run that this run has requested as often as it may."""
        self._leave_to_later(context, ASKED_OFTEN)
        if context.role is Role.ARTICLE:
            self.articles.missed.add(context.key)

    def fail(
        self, context: RequestContext, why: str, *, final_url: str = "", page: Page | None = None
    ) -> None:
        """Tell that a page brought nothing."""
        is_known = (
            self.store.pages.has_failed(context.key)
            or self.store.items.latest(context.key) is not None
        )
        is_new = context.role is Role.ARTICLE and not is_known
        self.emit(RequestFailed(context.url, why, context.role, final_url, is_new, page))

    # ---- what was not opened
    def unopened(self) -> Iterator[RequestContext]:
        return (context for context in self.frontier.waiting() if context.key not in self.seen)


def completeness(schedule: CrawlSchedule) -> Completeness:
    unopened, shown = list(schedule.unopened()), schedule.store.shown.count()
    others = sum(context.role is Role.MAYBE for context in unopened)
    articles, frontier = schedule.articles, schedule.frontier
    listings = len(unopened) - others + frontier.rejected
    unread = (
        len(articles) + len(articles.missed) + [*schedule.in_progress.values()].count(Role.ARTICLE)
    )
    return Completeness(
        found=max(0, schedule.found),
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
        self.files = [entry for entry in self.files if entry[1].key in self.schedule.in_progress]
        counts = len(found.files), len(found.met), len(self.files)
        if counts != self._stored:  # else no file was found, requested or answered
            self._stored = counts
            in_progress = [(turn, to_document(file)) for turn, file in self.files]
            put("files", [[*map(to_document, found.files)], sorted(found.met), in_progress])
        put("sitemaps", [found.barren, found.crowded_out])
        put("requests", [[*map(to_document, self.urgent)]])
        if self.rendering.mode == "auto":
            put("rendering", to_document(self.rendering))

    def recall(self, memory: Mapping[str, Any]) -> list[RequestContext]:
        """Restore what :meth:`remember` stored in ``memory``. Returns the pages and files that were
        requested and not answered, in this order."""
        sent = self.schedule.store.pages.in_turn("sent")
        in_progress = [(turn, context) for turn, context in sent if self.schedule.follows(context)]
        for _, context in in_progress:
            self.schedule.found += context.role is Role.ARTICLE
            self.schedule.frontier.recall_probes(context)
        if "files" not in memory:
            self.discovery.begin()
        else:
            files, met, asked = memory["files"]
            sitemaps = memory.get("sitemaps", (0, 0))  # earlier versions have none
            self.discovery.barren, self.discovery.crowded_out = sitemaps
            self.discovery.met = set(met)
            self.discovery.files = [from_document(RequestContext, file) for file in files]
            in_progress += [(turn, from_document(RequestContext, file)) for turn, file in asked]
            self.urgent = [from_document(RequestContext, page) for page in memory["requests"][0]]
            for context in self.urgent:
                self.schedule.seen.add(context.key)
        if "rendering" in memory:
            known = from_document(Rendering, memory["rendering"])
            for name in ("decided", "tries", "open", "later", "starts"):
                setattr(self.rendering, name, getattr(known, name))
        requested = [context for _, context in sorted(in_progress, key=itemgetter(0))]
        for context in requested:
            self.schedule.store.sends.recall_first(context.key)
        return requested

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
            and len(self.schedule.in_progress) < self.window
            and (context := self._next())
        ):
            found += self.plan([context])
        return found

    def _next(self) -> RequestContext | None:
        if self.urgent:
            return self.urgent.pop()
        waits_for_file = Role.FILE in self.schedule.in_progress.values()
        article = self.schedule.next_article()
        return (
            article
            or (None if waits_for_file else self.discovery.next_file())
            or self.schedule.next_listing()
        )

    def plan(self, contexts: Iterable[RequestContext]) -> list[PlannedRequest]:
        found = []
        if self.is_full():
            self.stop(Drop.MAX_ARTICLES)
        for context in contexts:
            if not self.schedule.store.sends.allows(context.key):
                self._give_up(context)
                continue
            if self.schedule.arguments.max_pages and self.sent >= self.schedule.arguments.max_pages:
                self.stop("max_pages")
            if not self.stopping:
                self.sent += 1
                found.append(self._request(context))
            elif context.role is not Role.FILE:
                self.schedule.store.pages.queue(context)  # requested when the crawl goes on
        return found

    def _give_up(self, context: RequestContext) -> None:
        if context.role is Role.FILE:
            self.schedule.emit(Counted(context.url, "hints/failed"))
        else:
            self.schedule.give_up(context)

    def _request(self, context: RequestContext) -> PlannedRequest:
        """The request for a page, for a known one conditional; a start page is read, so that its
        bytes must be sent or stored."""
        store = self.schedule.store
        self.schedule.seen.add(context.key)
        self.schedule.in_progress[context.key] = context.role
        self.schedule.store.sends.record(context.key)
        if context.role is Role.FILE:
            store.pages.turn += 1
            self.files.append((store.pages.turn, context))
            return PlannedRequest(context.url, context)
        store.pages.queue(context, "sent")
        render = self.rendering.needs_browser(context)
        version = None if render else store.versions.get(context.key)
        headers = (
            version.conditions
            if version and (version.kept or context.role is not Role.START)
            else {}
        )
        if render or headers:
            self.schedule.emit(Counted(context.url, "js/pages" if render else "revisits/asked"))
        url = self.spelled(context)
        return PlannedRequest(
            url, context, headers, render, scroll=render and self.rendering.scrolls(context)
        )

    def spelled(self, context: RequestContext) -> str:
        """The URL that a page is requested under: with the slash that its site adds, unless it
        failed with it."""
        is_written = (
            context.as_written or context.role is Role.START or not may_get_slash(context.url)
        )
        return context.url if is_written or self.schedule.stats.slashed <= 0 else f"{context.url}/"

    def tries_again(self, context: RequestContext, *, most: int = 8) -> bool:
        """Whether a page that failed with a slash is requested without it; no longer after ``most``
        pages that failed with neither."""
        return self.spelled(context) != context.url and self.schedule.stats.gone < most
