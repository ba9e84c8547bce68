"""The requests of a crawl: what is asked for next, how, and within which budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from sitecrawl.crawl.config import CrawlArguments
from sitecrawl.crawl.discovery import Discovery
from sitecrawl.crawl.events import Emit, RequestPlanned
from sitecrawl.crawl.next_pages import CrawlSchedule
from sitecrawl.crawl.records import Drop, FileKind, PlannedRequest, RequestContext, Role, Way
from sitecrawl.crawl.rendering import Rendering
from sitecrawl.crawl.store import CrawlStore
from sitecrawl.urls.canonical import folder_url, is_page, url_key


@dataclass(slots=True)
class Requester:
    """Plans requests, counts them and writes them down; those beyond the budget are put back."""

    arguments: CrawlArguments
    window: int
    """Requests that may be under way."""
    store: CrawlStore
    schedule: CrawlSchedule
    discovery: Discovery
    rendering: Rendering
    emit: Emit
    is_full: Callable[[], bool]
    """Whether as many articles left as were asked for."""
    urgent: list[RequestContext] = field(default_factory=list)
    """Pages to request before any other."""
    sent: int = 0
    stopping: str = ""
    """Why no more pages are requested, empty while they are."""
    as_written: bool = False
    """Whether the site knows the index files of folders only under their own names."""

    def begin(self, sent: int) -> None:
        """A run goes on in which so many requests were sent."""
        self.sent = sent

    def stop(self, reason: str) -> None:
        """Request no more pages."""
        self.stopping = self.stopping or reason

    def more(self) -> list[PlannedRequest]:
        """Requests that fill the window: urgent pages, articles, files that name pages, listing pages."""
        found: list[PlannedRequest] = []
        # before an article is taken from the queue: one that is taken and not requested would be missing among those left
        self._stop_when_full()
        while not self.stopping and len(self.schedule.under_way) < self.window:
            context = self._next()
            made = self.plan([context]) if context else []
            if not made:
                break
            found.extend(made)
        return found

    def _stop_when_full(self) -> None:
        if self.is_full():
            self.stop(Drop.MAX_ARTICLES)

    def _next(self) -> RequestContext | None:
        if self.urgent:
            return self.urgent.pop()
        waits_for_file = Role.FILE in self.schedule.under_way.values()
        context = self.schedule.next_article() or (None if waits_for_file else self.discovery.next_file())
        return context or self.schedule.next_listing()

    def plan(self, contexts: Iterable[RequestContext]) -> list[PlannedRequest]:
        """The requests for pages."""
        found = []
        self._stop_when_full()
        for context in contexts:
            if self.arguments.max_pages and self.sent >= self.arguments.max_pages:
                self.stop("max_pages")
            if not self.stopping:
                self.sent += 1
                found.append(self._request(context))
            elif context.role is not Role.FILE:
                self.store.pages.queue(context)  # requested when the crawl goes on
        return found

    def _request(self, context: RequestContext) -> PlannedRequest:
        """The request for a page. The index file of a folder is requested as the folder, unless this site knows it only as
        written; a page that was fetched before is requested on condition."""
        self.schedule.sent(context)
        if context.role is Role.FILE:
            return PlannedRequest(context.url, context, 20, any_status=context.file is FileKind.ROBOTS)
        self.store.pages.queue(context)
        context = context.again(as_written=context.as_written or self.as_written)
        written = context.as_written or context.role is Role.START
        render = self.rendering.needs_browser(context)
        visit = None if render else self.store.versions.get(context.key)
        headers = visit.conditions if visit else {}
        self.emit(RequestPlanned(context.url, rendered=render, conditional=bool(headers)))
        return PlannedRequest(
            url=context.url if written else folder_url(context.url),
            context=context,
            priority=100 + int(100 * context.promise) if context.role is Role.ARTICLE else 10,
            headers=headers,
            render=render,
        )

    def came_as_written(self, context: RequestContext) -> None:
        """A page came; where the index file of its folder was requested under its own name, so are the others from now on."""
        self.as_written = self.as_written or context.as_written

    def replace(self, context: RequestContext, urls: Iterable[str]) -> bool:
        """Request pages that take the place of another one, before all others; whether there are any."""
        before = len(self.urgent)
        for url in urls:
            if is_page(url) and url_key(url) not in self.schedule.seen:
                changed = context.again(url=url, hops=context.hops + 1, as_written=False, way=Way.OPEN)
                if self.schedule.follows(changed):
                    self.schedule.seen.add(url_key(url))
                    self.urgent.append(changed)
        return len(self.urgent) > before

    def try_out(self, contexts: Iterable[RequestContext]) -> None:
        """Request pages that are not known before all others."""
        self.urgent.extend(context for context in contexts if context.key not in self.schedule.seen)
