"""One page's way through a crawl: it is opened, filtered, judged, its links are taken, and what it was is written down."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from sitecrawl.crawl import events
from sitecrawl.crawl.articles import Articles, Judgement
from sitecrawl.crawl.config import CrawlArguments, CrawlSettings
from sitecrawl.crawl.decisions import CrawlEvidence
from sitecrawl.crawl.discovery import Discovery
from sitecrawl.crawl.family_gate import FamilyGate
from sitecrawl.crawl.follower import LinkFollower
from sitecrawl.crawl.hooks import Hooks
from sitecrawl.crawl.hosts import SiteHosts
from sitecrawl.crawl.intake import LinkIntake
from sitecrawl.crawl.linked_pages import SitePages
from sitecrawl.crawl.next_pages import CrawlSchedule
from sitecrawl.crawl.page_state import PageVersion, page_digest
from sitecrawl.crawl.pages import open_page, unpacked
from sitecrawl.crawl.records import (
    ELSEWHERE,
    Drop,
    FetchedPage,
    PlannedRequest,
    RequestContext,
    Role,
    Way,
)
from sitecrawl.crawl.rendering import Rendering
from sitecrawl.crawl.requester import Requester
from sitecrawl.crawl.soft_errors import soft_error
from sitecrawl.crawl.store import CrawlStore
from sitecrawl.crawl.traps import Traps
from sitecrawl.crawl.url_stats import UrlStats
from sitecrawl.dom.page import Page
from sitecrawl.items.kinds import PageKind
from sitecrawl.site.model import SiteModel
from sitecrawl.urls.canonical import url_key
from sitecrawl.urls.scope import Scope


@dataclass(frozen=True, slots=True)
class CrawlPlan:
    """What a crawl is to do: the arguments of the user, and the settings."""

    arguments: CrawlArguments
    settings: CrawlSettings


@dataclass(slots=True)
class CrawlStep:
    """What follows from one verb of a crawl: items that leave, requests to send, and what happened, in order."""

    items: list[dict[str, Any]] = field(default_factory=list)
    requests: list[PlannedRequest] = field(default_factory=list)
    events: list[events.CrawlEvent] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.items or self.requests)


@dataclass(frozen=True, slots=True)
class CrawlParts:
    """The parts that a crawl is made of, joined to one another."""

    pages: SitePages
    schedule: CrawlSchedule
    hosts: SiteHosts
    discovery: Discovery
    rendering: Rendering
    evidence: CrawlEvidence
    articles: Articles
    requester: Requester
    follower: LinkFollower

    @classmethod
    def join(
        cls,
        *,
        plan: CrawlPlan,
        state: CrawlStore,
        site: SiteModel,
        hooks: Hooks,
        emit: events.Emit,
        keep: Callable[[], None],
    ) -> CrawlParts:
        """The parts of a crawl that goes by ``plan``."""
        arguments, settings = plan.arguments, plan.settings
        pages, stats = SitePages(Scope.of(arguments.start, arguments.scope)), UrlStats(site.profile)
        schedule = CrawlSchedule(arguments, state, stats, emit, hooks.follows, Traps(settings.patience))
        link_model = settings.link_model_of(arguments.site)
        hosts = SiteHosts(arguments, link_model, state, site.profile, pages, emit)
        discovery = Discovery(arguments, pages, site.profile, schedule.seen)
        rendering = Rendering.recall(settings.js, state.site_facts().browser_duties)
        families = FamilyGate(state.families, arguments.kinds, site.said)
        evidence = CrawlEvidence(state, arguments, hooks, pages, families, settings.hold)
        articles = Articles(state, site, evidence, stats, emit, hosts.links, keep)
        requester = Requester(
            arguments, settings.window, state, schedule, discovery, rendering, emit, lambda: evidence.is_full
        )
        intake = LinkIntake(arguments, pages, schedule, emit)
        follower = LinkFollower(arguments, pages, intake, hosts, discovery, requester, articles, emit)
        return cls(pages, schedule, hosts, discovery, rendering, evidence, articles, requester, follower)


@dataclass(frozen=True, slots=True)
class PageSteps:
    """The steps that a fetched page goes through, once and in order."""

    parts: CrawlParts
    state: CrawlStore
    scope: str
    """``section`` or ``site``."""
    hooks: Hooks
    emit: events.Emit

    def take(self, answer: FetchedPage, step: CrawlStep) -> None:
        """Open a page, filter it, judge it, look at it again in a browser perhaps, follow its links, and write down what it was."""
        context, parts = answer.context, self.parts
        parts.requester.came_as_written(context)
        opened = self._open(answer)
        if opened is None:
            return
        page, answer = opened
        self.emit(events.PageOpened(page.url))
        if not self.hooks.reads(page, context):
            self.emit(events.PageFiltered(page.url))
            self.state.pages.done(context.key, None)
            return
        if parts.follower.sends_on(page, context):
            self.emit(events.PageMoved(page.url))
            self.state.pages.done(context.key, None)
            return
        judged = self._judge(page, answer)
        self.take_judged(judged, step)
        if not self._is_looked_at_again(page, judged, context=context, step=step):
            self.emit(events.PageRead(page.url, judged.kind, context.role, context.promise))
            found = parts.follower.follow(page, judged, context=context)
            if context.key not in parts.articles.missed:
                self.state.pages.done(context.key, judged.kind, shown=found.shown, brought=found.new)
                self._remember(answer, judged)

    def _open(self, answer: FetchedPage) -> tuple[Page, FetchedPage] | None:
        """The page of an answer and the answer as it is read; None where it is unchanged or of no use."""
        context = answer.context
        known = self.state.versions.get(context.key)
        if answer.status == 304:
            self.emit(events.NotModified(context.url))
        if known and not known.kept and (answer.status == 304 or known.digest == page_digest(answer.body)):
            self.emit(events.PageOpened(context.url))
            self.emit(events.PageUnchanged(context.url))
            self.state.pages.done(context.key, PageKind.ARTICLE)
            self.parts.schedule.learn(context, answer.url, PageKind.ARTICLE)
            return None
        if answer.status == 304 and known:
            body = self.state.versions.body(context.key) or b""
            etag, modified = answer.etag or known.etag, answer.modified or known.modified
            answer = replace(answer, status=200, body=body, content_type=known.type, etag=etag, modified=modified)
        answer = unpacked(answer)
        page, why = open_page(answer)
        accepted = page is not None and self.parts.hosts.accepts(page, context)
        self.parts.follower.take_released()
        if page is None or not accepted or not self._arrives(answer.url, context):
            self.lose(context, why or ELSEWHERE, answer.url)
            return None
        return page, answer

    def _arrives(self, url: str, context: RequestContext) -> bool:
        """Whether a fetched page, after redirects, is one to look at: in scope and not seen under another URL."""
        pages, seen = self.parts.pages, self.parts.schedule.seen
        if context.role is Role.START and not pages.scope.holds(url):
            pages.widen(url, self.scope)
        key = url_key(url)
        if key == context.key or url == context.url:
            return True
        fresh = key not in seen and pages.scope.holds(url)
        seen.add(key)
        return fresh

    def _judge(self, page: Page, answer: FetchedPage) -> Judgement:
        """What a page is; one that says "not found" or asks for a login teaches nothing."""
        if error := soft_error(page):
            self.emit(events.SoftErrorFound(page.url, error, answer.context.role))
            return Judgement(PageKind.OTHER)
        judged = self.parts.articles.read(page, answer)
        self.parts.schedule.stats.record_text(page.url, judged.drop in (Drop.REPEAT, Drop.COPY))
        return judged

    def take_judged(self, judged: Judgement, step: CrawlStep) -> None:
        step.items.extend(judged.items)
        if judged.wanted is not None and self.parts.pages.scope.holds(judged.wanted.url):
            self.parts.schedule.want(judged.wanted)

    def _is_looked_at_again(self, page: Page, judged: Judgement, *, context: RequestContext, step: CrawlStep) -> bool:
        """Whether a page is requested once more with a browser; what the browser made of it decides about pages of its kind."""
        rendering, count = self.parts.rendering, self.parts.hosts.count_articles
        again = rendering.second_look(page, judged.kind, context=context, count_articles=count)
        if again is not None:
            step.requests.extend(self.parts.requester.plan(again))
        elif context.way is Way.BROWSER:
            better = rendering.is_better(page, judged.kind, context=context, count_articles=count)
            step.requests.extend(self.parts.requester.plan(self.rendered(context, better=better)))
        return again is not None

    def rendered(self, context: RequestContext, *, better: bool) -> list[RequestContext]:
        """A page came back from the browser; the pages that waited for this."""
        waiting = self.parts.rendering.rendered(context.role, better)
        self.state.change_facts(browser_duties=self.parts.rendering.kept())
        return waiting

    def _remember(self, answer: FetchedPage, judged: Judgement) -> None:
        """Keep what the next request for a page may ask about, and the page itself where it may be read again."""
        if answer.rendered or judged.joined:
            return
        context = answer.context
        kept = context.role is not Role.ARTICLE or not judged.kind.is_article
        visit = PageVersion(answer.etag, answer.modified, page_digest(answer.body), answer.content_type, kept)
        self.state.versions.put(context.key, visit, body=answer.body)

    def lose(self, context: RequestContext, why: str, landed: str = "") -> None:
        """A page is of no use."""
        self.emit(events.RequestFailed(context.url, why, context.role, landed))
        self.state.pages.done(context.key, None)
        self.parts.schedule.lost(context)
