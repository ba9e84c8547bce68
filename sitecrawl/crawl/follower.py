"""Where a page leads: its links, feeds, frames and scripts, and the hosts that turn out to be the site's own."""

from __future__ import annotations

from dataclasses import dataclass

from sitecrawl.crawl.articles import Articles, Judgement
from sitecrawl.crawl.config import CrawlArguments
from sitecrawl.crawl.discovery import Discovery
from sitecrawl.crawl.events import Emit, LinkTrapped, PagerUnread, ScriptsUnread
from sitecrawl.crawl.hosts import SiteHosts
from sitecrawl.crawl.intake import LinkIntake
from sitecrawl.crawl.linked_pages import SitePages
from sitecrawl.crawl.next_pages import Brought
from sitecrawl.crawl.pages import home_of, refresh_target
from sitecrawl.crawl.records import RequestContext, Role
from sitecrawl.crawl.requester import Requester
from sitecrawl.crawl.scripts import turns_by_script
from sitecrawl.crawl.sources import SOURCES, Frames, HintKind
from sitecrawl.dom.page import Page
from sitecrawl.limits import LIMITS
from sitecrawl.urls.canonical import is_page


@dataclass(slots=True)
class LinkFollower:
    """Takes up all that a page leads to."""

    arguments: CrawlArguments
    pages: SitePages
    intake: LinkIntake
    hosts: SiteHosts
    discovery: Discovery
    requester: Requester
    articles: Articles
    emit: Emit

    def follow(self, page: Page, judged: Judgement, *, context: RequestContext, keeps_promise: float = 0.9) -> Brought:
        """Take up a page's links; what it led to, itself among it where it was requested as one that may be anything.

        A listing page whose link promised it with the probability ``keeps_promise`` stays one, however much it looks like an article (an archive in
        full text), if article links stand on it.
        """
        kind, schedule = judged.kind, self.intake.schedule
        if context.role is not Role.START:
            schedule.learn(context, page.url, kind, alike=judged.alike)
        if not kind.is_article:
            self.discovery.take_feeds(page)
            self.hosts.take_outward(page)
        found = Brought()
        if "links" in self.arguments.discover:
            is_known = kind.is_article and not judged.listlike and self.intake.familiar(page, context)
            if not is_known and not self._moves(page, context):
                found = self._take_links(page, judged, context=context)
        if judged.alike and found.shown and context.listing >= keeps_promise:
            self.articles.disown(page.url)
        if (judged.brings.is_article or judged.alike) and context.role is Role.MAYBE:
            found = Brought(found.shown, found.new + 1)
        schedule.brought(context, found)
        return found

    def _take_links(self, page: Page, judged: Judgement, *, context: RequestContext) -> Brought:
        self._take_frames(page, context)
        kind, links = judged.kind, self.hosts.links(page)
        if not kind.is_article:
            if self.intake.schedule.traps.reflects(page.url, ((link.href, link.text) for link in links)):
                self.emit(LinkTrapped(page.url, "folders"))
                links = []
            if context.role is Role.START or not self.intake.schedule.found:
                links, asked = self.hosts.look_elsewhere(page, links, context=context, kind=kind)
                self.requester.try_out(asked)
        found = self.intake.take(links, page=page, context=context, kind=kind)
        if not kind.is_article:
            if context.role is not Role.START and turns_by_script(links):
                self.emit(PagerUnread(page.url))
            self._take_hints(page, context)
        return found

    def _take_hints(self, page: Page, context: RequestContext) -> None:
        """Take up the pages that a page leads to otherwise than by links."""
        hints = [hint for source in SOURCES for hint in source.pages(page)]
        told = (HintKind.SHOWN, HintKind.LANGUAGE) if context.role is Role.START else (HintKind.SHOWN,)
        unread = frozenset(hint.url for hint in hints if hint.kind is HintKind.UNREAD)
        if unread:
            self.emit(ScriptsUnread(unread))
        shown = list(dict.fromkeys(hint.url for hint in hints if hint.kind in told))
        self.intake.guess(shown, page=page, context=context)
        hidden = [hint.url for hint in hints if hint.kind is HintKind.HIDDEN]
        self.intake.guess(hidden, page=page, context=context, shown=False)

    def _moves(self, page: Page, context: RequestContext) -> bool:
        """Whether the links of a start page are left to its home on another host, which is requested."""
        home = home_of(page) if context.role is Role.START and context.hops < LIMITS.refreshes else ""
        if home:
            self.pages.widen(home, self.arguments.scope)
            self._replace(context, [home])
        return bool(home)

    def sends_on(self, page: Page, context: RequestContext) -> bool:
        """Whether a page is no more than a redirect to another one, which is requested; it teaches nothing."""
        if context.role is Role.START or context.hops >= LIMITS.refreshes:
            return False
        target = refresh_target(page)
        return target is not None and self._replace(context, [target])

    def _take_frames(self, page: Page, context: RequestContext) -> None:
        """The page that an empty page sends its readers on to, and the pages of a frameset."""
        if context.hops >= LIMITS.refreshes:
            return
        target = refresh_target(page)
        if target and context.role is Role.START and is_page(target):
            self.pages.widen(target, self.arguments.scope)
        frames = [hint.url for hint in Frames().pages(page)]
        self._replace(context, [target, *frames] if target else frames)

    def _replace(self, context: RequestContext, urls: list[str]) -> bool:
        return self.requester.replace(context, (url for url in urls if self.pages.scope.holds(url)))

    def take_released(self) -> None:
        """Take up the links of pages that waited until their host was known for the site's own."""
        for waiting in self.hosts.take_released():
            self.intake.take(
                self.hosts.links(waiting.page), page=waiting.page, context=waiting.context, kind=waiting.kind
            )
