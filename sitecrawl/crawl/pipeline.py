"""A crawl of one site: answers in, items and requests out. It knows neither the network nor Scrapy;
the caller fetches."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from sitecrawl.crawl import events
from sitecrawl.crawl.articles import FAULTS, Articles, Judgement, recall_samples
from sitecrawl.crawl.config import CrawlArguments, CrawlSettings
from sitecrawl.crawl.copies import Copies
from sitecrawl.crawl.database import short
from sitecrawl.crawl.decisions import CrawlEvidence, PageFamilyGate
from sitecrawl.crawl.discovery import Discovery
from sitecrawl.crawl.follower import LinkFollower, LinkIntake
from sitecrawl.crawl.hooks import NO_HOOKS, Hooks
from sitecrawl.crawl.hosts import SiteHosts
from sitecrawl.crawl.ledger import Fact, Ledger, Lesson
from sitecrawl.crawl.linked_pages import SitePages
from sitecrawl.crawl.next_pages import Brought, CrawlSchedule, Requester, completeness
from sitecrawl.crawl.pages import is_feed, open_page, with_html_body
from sitecrawl.crawl.records import (
    ASKS_LOGIN,
    BLANK,
    CUT,
    ELSEWHERE,
    EMPTY_PAGE,
    FRONT_PAGE,
    GONE,
    PASSING,
    REFUSED,
    SHOWN_STATUS,
    STEP_ERROR,
    Drop,
    FailedPage,
    FetchedPage,
    FileKind,
    PlannedRequest,
    Reading,
    RequestContext,
    Role,
    Way,
)
from sitecrawl.crawl.rendering import Duty, Rendering, has_scripts
from sitecrawl.crawl.site_state import FAILED, LOST, TRIES, PageVersion, page_digest
from sitecrawl.crawl.soft_errors import (
    has_little_text,
    is_asked,
    leads_on,
    shows_asked,
    soft_error,
)
from sitecrawl.crawl.store import CrawlStore, RunEnd
from sitecrawl.crawl.traps import Traps
from sitecrawl.crawl.url_stats import UrlStats
from sitecrawl.crawl.visit import Visit, now
from sitecrawl.crawl.visit_fold import VisitFold
from sitecrawl.dom.page import Page
from sitecrawl.dom.parse import parse
from sitecrawl.items.feed_items import Identity, body_digest, identity
from sitecrawl.items.kinds import PageKind
from sitecrawl.limits import LIMITS
from sitecrawl.plugins import RECORDERS, plugged
from sitecrawl.records_json import to_document
from sitecrawl.site.model import SiteModel
from sitecrawl.urls.canonical import url_key

logger = logging.getLogger(__name__)

_AT_A_TIME = 40  # pages of earlier runs that are requested together


def recorders_of(arguments: CrawlArguments, data_dir: Path) -> list[Any]:
    """The records of a crawl. Raises PluginError for one that cannot be made."""
    has = ("begin", "take", "finish", "refuse")
    return [
        one.load(lambda made: made.of(arguments, data_dir), has=has)
        for one in plugged(RECORDERS).values()
    ]


@dataclass(slots=True)
class CrawlStep:
    """The result of one verb of a crawl: items to write, requests to send, and events in order."""

    items: list[dict[str, Any]] = field(default_factory=list)
    requests: list[PlannedRequest] = field(default_factory=list)
    events: list[events.CrawlEvent] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.items or self.requests)


class CrawlParts:
    """The parts of a crawl, connected with each other, and the steps that a fetched page passes
    through once and in order."""

    def __init__(
        self,
        arguments: CrawlArguments,
        settings: CrawlSettings,
        *,
        state: CrawlStore,
        site: SiteModel,
        hooks: Hooks,
        emit: events.Emit,
        keep: Callable[[], None],
    ) -> None:
        self.state, self.hooks, self.emit = state, hooks, emit
        self.pages = pages = SitePages.of(arguments.start, arguments.scope)
        pages.keep = self._take_up_meaning
        self.has_new_meaning = False
        stats, traps = UrlStats(site.profile), Traps(settings.patience)
        self.schedule = CrawlSchedule(arguments, state, stats, emit, hooks.follows, traps)
        link_model = settings.link_model_of(arguments.site)
        self.hosts = SiteHosts(arguments, link_model, state, site.profile, pages, emit)
        discovery = Discovery(arguments, pages, site.profile, self.ledger)
        stored = state.site_facts().browser_duties
        rendered = {duty: Way.BROWSER for duty in Duty if duty in stored}
        self.rendering = Rendering(settings.js, arguments.scroll, decided=rendered)
        self.rendering.article_keys = self.hosts.article_keys
        families = PageFamilyGate(state.families, arguments.kinds, site.choices)
        copies = Copies(state, pages, self.ledger, traps.slugs, stats)
        self.evidence = evidence = CrawlEvidence(
            state, arguments, hooks, pages, families, settings.hold, stats, copies, self.ledger
        )
        self.schedule.parameters = pages.parameters
        self.ledger.folds.append(pages)
        self.articles = Articles(
            state, site, evidence, emit, keep, self.ledger, days=discovery.days
        )
        self.requester = Requester(
            self.schedule, settings.window, discovery, self.rendering, evidence.is_full
        )
        self.follower = LinkFollower(LinkIntake(pages, self.schedule), self.hosts, self.requester)

    @property
    def discovery(self) -> Discovery:
        """What the site's feeds and sitemaps name."""
        return self.requester.discovery

    @property
    def ledger(self) -> Ledger:
        return self.schedule.ledger

    def restore(self, *, interrupted: bool) -> list[RequestContext]:
        """Restore what a run knew that goes on; returns the requests that were sent and not
        answered."""
        memory = self.state.memory.all()
        site = self.articles.site
        if "profile" in memory:
            site.go_on(memory)
            recall_samples(self.state, site)
        else:
            self.state.memory.put("profile", site.profile.to_dict())
        self.evidence.copies.restore()
        self.evidence.texts.recall(memory.get("texts", ()))
        self.schedule.restore(memory, interrupted=interrupted)
        self.follower.intake.untold = self.state.pages.in_order("untold")
        return self.requester.restore(memory)

    def take(self, answer: FetchedPage, step: CrawlStep) -> None:
        """The steps for a page: open it, filter it, judge it, perhaps request it again in a
        browser, follow its links, and store its kind."""
        answer = self._respelled(answer)
        context = answer.context
        if (opened := self._open(answer)) is None:
            return
        page, answer = opened
        self.emit(events.PageOpened(page.url))
        if page.ends_early:
            self.emit(events.Counted(page.url, "pages/cut"))
        filtered = not self.hooks.reads(page, context)
        if filtered or self.follower.sends_on(page, context, header=answer.refresh):
            self.emit(events.Counted(page.url, "pages/filtered" if filtered else "pages/moved"))
            self._learn(context, Reading(""))
            self.state.pages.done(context.key, PageKind.OTHER)
            return
        if not answer.body.strip():  # what it leads to is known, or outside of the site
            self.lose(context, EMPTY_PAGE)
            return
        judged = self._judge(page, answer)
        step.items.extend(judged.items)
        if judged.loss:
            self.lose(context, judged.loss)
            return
        for wanted in judged.wanted:
            if self.pages.holds(wanted.url):
                self.schedule.want(wanted.again(depth=context.depth))
        if self._is_looked_at_again(page, judged, answer=answer, step=step):
            return
        if why := self._why_unusable(page, judged, context=context):
            self.lose(context, why)
            return
        self.emit(
            events.PageRead(
                page.url, judged.kind, context.role, context.promise, page, judged.later
            )
        )
        self.pages.learn_page(page, judged.kind)
        if not judged.kind.is_article:
            self._take_files(page, answer)
        found = self.follower.follow(page, judged, context=context)
        self._store(page, judged, found, answer=answer)

    def _take_files(self, page: Page, answer: FetchedPage) -> None:
        """Request the feeds and sitemaps that a page names. For users who did not ask for them,
        those of a start page that changed since the last run are read as evidence."""
        is_start = answer.context.role is Role.START
        self.discovery.take_files(page, header=answer.link, is_start=is_start)
        known = self.state.versions.get(answer.context.key) if is_start else None
        if is_start and (known is None or known.digest != page_digest(answer.body)):
            for file in self.discovery.evidence_of(page, header=answer.link):
                self.requester.urge(file)

    def _respelled(self, answer: FetchedPage) -> FetchedPage:
        """An answer whose URL, after redirects, has no parameters that tell nothing, unless its
        server may need them. What was requested with such a one is read under the URL of its
        request."""
        context = answer.context
        if context.posted and url_key(answer.url) == url_key(context.written):
            return replace(answer, url=context.url)
        is_asked = url_key(answer.url) in (context.key, url_key(context.written))
        if "?" not in answer.url or is_asked:
            return answer
        url = self.pages.parameters.clean(answer.url)
        if url_key(url) == url_key(answer.url):
            return answer
        return replace(answer, url=url)

    def _take_up_meaning(self, learned: dict[str, list[str]]) -> None:
        """Store what was learned of parameters. What was read, or is under way, with one that tells
        nothing is known without it from then on."""
        self.has_new_meaning = True
        self.state.keep_fact("parameters", learned)
        for reached in self.ledger.respelled(self.pages.parameters.clean):
            self.ledger.record(Lesson(Fact.REACHED, reached))

    def _store(self, page: Page, judged: Judgement, found: Brought, *, answer: FetchedPage) -> None:
        """Store what a page was, what the crawl learned from it, and what the next run compares it
        with."""
        context = answer.context
        emptied = not found.shown and self._is_emptied(context)
        relabelled = self._relabelled(page, judged, context=context)
        if context.key in self.ledger.missed and not relabelled:
            return  # left to later by a limit: its state is stored
        shown = None if emptied else found.shown
        kind = relabelled or judged.kind
        self.state.pages.done(context.key, kind, shown=shown, brought=found.new)
        self._learn(context, _reading_of(page, judged, role=context.role))
        hoped = self.ledger.take_hope(context.key)
        if hoped is not None:
            self.schedule.want(hoped)
        is_whole = not (relabelled or emptied or judged.first or page.ends_early)
        if is_whole and not answer.rendered:
            self._store_version(answer, judged.kind)

    def _relabelled(self, page: Page, judged: Judgement, *, context: RequestContext) -> str:
        """The kind that a page is stored as in place of its own; empty for none. A later run
        requests the whole of one that came without its end."""
        known = self.articles.relabelled.get(context.key, "")
        is_wanted = judged.kind.is_article or context.role.lists_articles
        return known or (LOST if page.ends_early and is_wanted else "")

    def _store_version(self, answer: FetchedPage, kind: PageKind) -> None:
        """Store the validators for the next conditional request. The bytes of a listing are kept:
        an answer that it is unchanged brings none."""
        is_kept = answer.context.role is not Role.ARTICLE or not kind.is_article
        version = PageVersion(
            etag=answer.etag,
            modified=answer.modified,
            digest=page_digest(answer.body),
            type=answer.content_type,
            kept=is_kept,
        )
        self.state.versions.put(answer.context.key, version, body=answer.body)

    def as_file(self, answer: FetchedPage) -> FetchedPage:
        """The answer to the request for a page in place of which a feed or sitemap came."""
        context = answer.context
        self._learn(context, Reading(""))
        if context.role is not Role.START:
            self.state.pages.done(context.key, PageKind.OTHER)
        file = context.again(role=Role.FILE, file=FileKind.FEED, named=True)
        return replace(answer, context=file)

    def take_file(self, answer: FetchedPage) -> None:
        """Queue the pages that a feed or sitemap names. They are hints: the pages decide what they
        are."""
        context = answer.context
        found = self.discovery.read(answer)
        if not found.is_file:
            self.lose_file(context)
            return
        self.emit(events.Counted(context.url, "hints/files"))
        if not found.is_whole:
            self.emit(events.Counted(context.url, "hints/cut"))
        for hint in found.pages:
            if self.schedule.want(hint):
                self.emit(events.Counted(hint.url, f"hints/{context.file}"))

    def lose_file(self, context: RequestContext) -> None:
        """Look elsewhere for a file that is not there, or count it."""
        if self.discovery.instead_of(context):
            self.emit(events.Counted(context.url, "hints/failed"))

    def _judge(self, page: Page, answer: FetchedPage) -> Judgement:
        """What a page is."""
        context = answer.context
        if error := soft_error(
            page, context.anchor
        ):  # templates must not be learned from error pages
            return Judgement(PageKind.OTHER, loss=self._loss(page, error, context=context))
        if self.state.pages.was_listing(context):
            return Judgement(
                PageKind.LISTING
            )  # taken for an article, it would never be opened again
        if not answer.rendered and self.rendering.may_be_drawn(page, context):
            return Judgement(PageKind.OTHER)  # it is read when a browser has drawn it
        judged = self.articles.read(page, answer)
        if judged.missing:
            judged.loss = self._loss(page, "missing", context=context)
        if not judged.loss and not self.evidence.texts.is_standing(judged.text):
            judged.repeats = judged.drop in (Drop.REPEAT, Drop.COPY)
            # a section may show articles of others, each behind its headline, beside its own
            if judged.drop is Drop.TWIN and not is_asked(judged.text):
                judged.repeats = True
            said = Reading(page.url, text=judged.text, repeats=judged.repeats)
            self.ledger.record(Lesson(Fact.REPEATED, context, said))
        return judged

    def _loss(self, page: Page, error: str, *, context: RequestContext) -> str:
        """The reason why an article is lost, in whose place a page with a soft error came; empty
        for other pages with one."""
        self.emit(events.SoftErrorFound(page.url, error, context.role))
        if error == "login" and context.is_promised:
            self.schedule.stats.record_login(context.url, page.url)
            return ASKS_LOGIN
        return GONE if error == "missing" and context.role is Role.ARTICLE else ""

    def _why_unusable(self, page: Page, judged: Judgement, *, context: RequestContext) -> str:
        """Why a page that was promised as an article is none as it came; empty if it is usable."""
        if not context.is_promised or judged.kind.is_article:
            return ""
        if judged.kind is PageKind.OTHER and judged.drop is None and self._is_blank(page):
            return BLANK
        return CUT if page.ends_early else ""

    def _is_blank(self, page: Page) -> bool:
        """Whether a page has hardly any text, one link at most and no scripts, though the site has
        articles."""
        is_blank = has_little_text(page) and not leads_on(page) and not has_scripts(page)
        return is_blank and (self.schedule.stats.fresh > 0 or self.state.items.exist())

    def _is_emptied(self, context: RequestContext) -> bool:
        """Whether a page was a listing and shows no articles; it is told, since those that it would
        list are missing, and nothing else shows it. It is remembered as it was, so that the next
        run tells it, too. A page whose links only seemed to lead to articles before the site was
        known is none: as it was then, it would show none today."""
        if not context.role.lists_articles or not self.state.pages.was_listing(context):
            return False
        known = self.state.versions.get(context.key)
        before = self.state.versions.body(context.key)
        if known and before is not None:
            page = parse(before, context.url, known.type or None)
            if not self.hosts.article_keys(page):
                return False
        is_too_deep = self.follower.intake.is_too_deep(context)
        if "links" in self.schedule.arguments.discover and not is_too_deep:
            self.emit(events.ListingEmptied(context.url, context.role))
        return True

    def _learn(self, context: RequestContext, reading: Reading) -> None:
        self.state.memory.put(f"page {context.key}", to_document(reading))

    def _open(self, answer: FetchedPage) -> tuple[Page, FetchedPage] | None:
        """The page of an answer, and the answer with its body as HTML; None if it is unusable, or
        an unchanged article and no start page."""
        context = answer.context
        if answer.status == 304:
            self.emit(events.Counted(context.url, "revisits/unchanged"))
        known = self.state.versions.get(context.key)
        if known is not None:
            if self._is_unchanged(answer, known):
                self._take_unchanged(answer)
                return None
            answer = self._as_stored(answer, known)
        answer = with_html_body(answer)
        page, why = open_page(answer)
        refusal = page if page is not None and self._refuses(page, answer) else None
        if refusal is not None:
            page, why = None, REFUSED
        accepted = page is not None and self.hosts.accepts(page, context)
        self.follower.take_released()
        if page is not None:
            why = self._why_elsewhere(answer, accepted=accepted)
            if not why:
                return page, answer
        self.lose(context, why, final_url=answer.url, page=refusal)
        return None

    def _is_unchanged(self, answer: FetchedPage, known: PageVersion) -> bool:
        """Whether an article is as it was when it was last read. A start page is read anyway."""
        if known.kept or answer.context.role is Role.START:
            return False
        return answer.status == 304 or known.digest == page_digest(answer.body)

    def _take_unchanged(self, answer: FetchedPage) -> None:
        context = answer.context
        self.emit(events.PageOpened(context.url))
        self.emit(events.Counted(context.url, "pages/unchanged"))
        self.state.pages.done(context.key, PageKind.ARTICLE)
        self.schedule.learn(context, answer.url, kind=PageKind.ARTICLE)

    def _as_stored(self, answer: FetchedPage, known: PageVersion) -> FetchedPage:
        """An answer that the page is unchanged, with the stored bytes; any other as it is."""
        if answer.status != 304:
            return answer
        return replace(
            answer,
            status=200,
            body=self.state.versions.body(answer.context.key) or b"",
            content_type=known.type,
            etag=answer.etag or known.etag,
            modified=answer.modified or known.modified,
        )

    def _refuses(self, page: Page, answer: FetchedPage) -> bool:
        """Whether a page only refuses the request, and a browser may not help."""
        context = answer.context
        if not has_little_text(page) or soft_error(page, context.anchor) != "refused":
            return False
        return answer.rendered or not self.rendering.may_help(page, context)

    def _why_elsewhere(self, answer: FetchedPage, *, accepted: bool) -> str:
        """Why a page is not read where it stands; empty if it is."""
        if self._is_sent_home(answer):
            return FRONT_PAGE
        if accepted and self._arrives(answer.url, answer.context):
            return ""
        return ASKS_LOGIN if self.schedule.stats.is_login(answer.url) else ELSEWHERE

    def _arrives(self, url: str, context: RequestContext) -> bool:
        """Whether a page is to be read after redirects: it is in scope and was not seen under
        another URL."""
        pages = self.pages
        if context.role is Role.START and not pages.holds(url):
            pages.widen(url)
        key = url_key(url)
        if key == context.key or url == context.url:
            return True
        self.hosts.take_move(url, context)
        # what was asked for as a link wrote it may have been met under this URL, but was not read
        is_asked = key == url_key(context.written)
        is_new = is_asked or not self.ledger.is_settled(key)
        if is_new:
            self.ledger.record(Lesson(Fact.REACHED, RequestContext(url, context.role)))
        self._learn(context, Reading(url))
        return is_new and pages.holds(url)

    def _is_sent_home(self, answer: FetchedPage) -> bool:
        """Whether the link to an article leads to a start page or to the front page of its host:
        the article is gone."""
        context = answer.context
        key = url_key(answer.url)
        homes = (urljoin(context.url, "/"), *self.evidence.arguments.start)
        return context.role is Role.ARTICLE and key != context.key and key in map(url_key, homes)

    def _is_looked_at_again(
        self, page: Page, judged: Judgement, *, answer: FetchedPage, step: CrawlStep
    ) -> bool:
        """Whether a page is requested again, with a browser or without. One that came from the
        browser decides whether others of its kind need one."""
        context = answer.context
        again = None
        if not answer.rendered:
            again = self.rendering.second_look(page, judged.kind, context=context)
        if again is None and context.way is Way.BROWSER:
            gain = self.rendering.gain(page, judged.kind, context=context)
            if gain < 0:
                again = [context.again(way=Way.PLAIN)]
            step.requests += self.requester.plan(self.rendered(context, better=gain > 0))
        step.requests += self.requester.plan(again or ())
        return again is not None

    def rendered(self, context: RequestContext, *, better: bool) -> list[RequestContext]:
        """Record the result of a rendered page; returns the requests that waited for it."""
        waiting = self.rendering.rendered(context.role, better)
        duties = sorted(duty for duty, way in self.rendering.decided.items() if way is Way.BROWSER)
        self.state.change_facts(browser_duties=duties)
        return waiting

    def lose(
        self,
        context: RequestContext,
        why: str,
        *,
        may_pass: bool = False,
        final_url: str = "",
        page: Page | None = None,
    ) -> None:
        """Record a page that brought nothing; if the reason ``may_pass``, as some always do, a
        later run requests it again. ``page`` is what came."""
        may_pass = may_pass or why in PASSING
        if why in (ELSEWHERE, FRONT_PAGE):
            self.schedule.stats.record_return(context)
        self.schedule.fail(context, why, final_url=final_url, page=page)
        if why == ELSEWHERE:
            self._is_emptied(context)
        self.schedule.lost(context, may_pass=may_pass)
        is_dead = not may_pass and why != ELSEWHERE
        self.state.pages.done(context.key, LOST if may_pass else FAILED, brought=int(is_dead))


def _is_shown(answer: FetchedPage) -> bool:
    """Whether the article that was requested came, although the status says that it did not, or
    that any answer is one, as for robots.txt."""
    context = answer.context
    if context.role is not Role.ARTICLE:
        return context.file is FileKind.ROBOTS
    page, _ = open_page(with_html_body(answer))
    return page is not None and shows_asked(page, context.anchor, key=context.key)


def _reading_of(page: Page, judged: Judgement, *, role: Role) -> Reading:
    """What is stored of a page that was read. A start page is no evidence about its like."""
    return Reading(
        url=page.url,
        kind=None if role is Role.START else judged.kind,
        lookalike=judged.lookalike,
        text=judged.text,
        key=judged.key,
        repeats=judged.repeats,
    )


class Crawl:
    """The crawl of a site, from its start pages to its last article.

    ``begin`` starts or continues it, ``page`` and ``failed`` process the result of each request,
    ``idle`` is called when no request is in progress,
    ``close`` and ``ended`` end it. Each verb stores its decisions in one transaction before it
    returns, so a kill loses only verbs that did not
    return. ``keep`` is called when the site model learned something that must survive a kill."""

    def __init__(
        self,
        arguments: CrawlArguments,
        settings: CrawlSettings,
        *,
        state: CrawlStore,
        site: SiteModel,
        hooks: Hooks = NO_HOOKS,
        keep: Callable[[], None] = lambda: None,
    ) -> None:
        self.arguments, self.settings, self.state = arguments, settings, state
        self.fold = VisitFold(Visit.of(arguments))
        self.recorders = recorders_of(arguments, settings.data_dir)
        self._events: list[events.CrawlEvent] = []
        # a crawl that could not begin writes nothing: another one may be running, or one is to be
        # continued
        self.begun = False
        hooks = hooks.with_patterns(arguments.include, arguments.exclude)
        self.parts = CrawlParts(
            arguments, settings, state=state, site=site, hooks=hooks, emit=self._emit, keep=keep
        )
        is_full = arguments.effort == "full"
        # pages of earlier runs, read when they are asked for
        self._earlier = state.pages.earlier_articles()
        self._lost = state.pages.lost(most=LIMITS.sends if is_full else TRIES)
        self._left_out = state.pages.left_out()
        self._held = -1

    @contextmanager
    def _step(self, *, asks: bool = True) -> Iterator[CrawlStep]:
        """Frame of one verb: its transaction, then (with ``asks``) the requests that fill the
        window, then its events are passed on."""
        step = CrawlStep()
        self._events = step.events
        with self.state.at_once():
            yield step
            if asks:
                step.requests += self.parts.requester.more()
            if self.begun:
                self.parts.requester.remember()
        for event in step.events:
            self.fold.take(event)
            self._record("take", event)
            events.log_event(event)

    def _record(self, verb: str, *facts: Any) -> None:
        """Tell the recorders. The items of the step are stored, and must reach the feeds, whatever
        becomes of a record."""
        for recorder in self.recorders:
            try:
                getattr(recorder, verb)(*facts)
            except (*FAULTS, OSError):
                logger.exception("The recorder %s failed", type(recorder).__name__)

    def _emit(self, event: events.CrawlEvent) -> None:
        self._events.append(event)

    # ---- begin and end
    def begin(
        self,
        written: AbstractSet[Identity] = frozenset(),
        lines: Callable[[], Iterable[dict[str, Any]]] = tuple,
        *,
        complete: AbstractSet[Identity] | None = None,
    ) -> CrawlStep:
        """Begin a run, or continue one that was interrupted or reached a limit. ``written`` are the
        items that some feed already holds, ``complete`` those that every feed holds. Items of the
        interrupted run that are not complete are returned again. Items that the state lost (power
        cut, moved folder) are read from the feeds with ``lines`` and are not returned again."""
        complete = written if complete is None else complete
        self._record("begin", self.fold.begin(now()))
        parts = self.parts
        with self._step() as step:
            ended = self.state.begin(self.arguments.task)
            interrupted = ended is RunEnd.INTERRUPTED
            self._begin_baseline(is_first=ended is RunEnd.NONE)
            if written:
                self._adopt_lost(written, lines, counted=interrupted)
            parts.evidence.written, parts.requester.sent = self.state.progress()
            items = self._items_again(interrupted=interrupted)
            step.items.extend(item for item in items if identity(item) not in complete)
            rewritten = len(step.items) if self.settings.rewrite else 0
            self._emit(events.CrawlBegan(parts.evidence.written, parts.requester.sent, rewritten))
            parts.hosts.recall()
            parts.pages.parameters.restore(self.state.fact("parameters") or {})
            in_progress = parts.restore(interrupted=interrupted)
            fresh = self._fresh_starts(in_progress, interrupted=interrupted)
            step.requests = parts.requester.plan([*in_progress, *fresh])
            self.begun = True
        return step

    def _begin_baseline(self, *, is_first: bool) -> None:
        """With ``baseline`` the first run of a task, also when it goes on, writes nothing; for the
        parts of a later run the argument is off."""
        if not self.arguments.baseline:
            return
        if is_first:
            self.state.memory.put("baseline", is_first)
        is_baseline = "baseline" in self.state.memory.all()
        arguments = replace(self.arguments, baseline=is_baseline)
        self.parts.evidence.arguments = arguments
        self.parts.schedule.arguments = arguments

    def _adopt_lost(
        self,
        written: AbstractSet[Identity],
        lines: Callable[[], Iterable[dict[str, Any]]],
        *,
        counted: bool,
    ) -> None:
        """Store the items of the feed that the state lost, those of this site."""
        stored = self.state.items.identities()
        lost = {one for one in written if (short(url_key(one[0])), one[1]) not in stored}
        if lost:
            holds = self.parts.pages.holds
            items = (it for it in lines() if identity(it) in lost and holds(it["url"]))
            found = ((url_key(it["url"]), it, body_digest(it)) for it in items)
            self.state.adopt(found, counted=counted)

    def _items_again(self, *, interrupted: bool) -> Iterable[dict[str, Any]]:
        """The items of earlier processes or runs that the feed may lack."""
        if self.settings.rewrite:
            return filter(self.parts.evidence.is_wanted_again, self.state.items.all())
        return self.state.items.of_run() if interrupted else ()

    def _fresh_starts(
        self, in_progress: list[RequestContext], *, interrupted: bool
    ) -> list[RequestContext]:
        """The start pages that are not under way and, after a kill, were not read."""
        starts = {url_key(url): RequestContext(url, Role.START) for url in self.arguments.start}
        known = {context.key for context in in_progress}
        if interrupted:
            known |= self.state.pages.settled([*starts], earlier=False)
        return [start for key, start in starts.items() if key not in known]

    def idle(self) -> CrawlStep:
        """What to do when no request is in progress. An empty step ends the crawl."""
        requester = self.parts.requester
        with self._step(asks=False) as step:
            for key in self.parts.ledger.unanswered():
                self._emit(events.Counted(key, "pages/unsent"))
            left = requester.more() or requester.plan(self.parts.rendering.given_up())
            step.requests = left or requester.plan(self._last_resorts()) or requester.more()
            held = self._count_held()
            if not step.requests and held != self._held:
                # settle again only if the count changed: the rest waits for the next run and must
                # not keep this one from ending
                self._held = held
                step.items = self.parts.articles.settle(limited=bool(requester.stopping))
                step.requests = requester.more()
        return step

    def _last_resorts(self) -> list[RequestContext]:
        """Requests when nothing else remains, by the first of these ways that has any. They are few
        at a time, since each may lead to more."""
        parts = self.parts
        if parts.requester.stopping:
            return []
        named = parts.hosts.named_alike()
        alike = [context for context in named if not parts.ledger.is_settled(context.key)]
        return alike[:1] or self._of_earlier_runs() or self._found_otherwise()

    def _of_earlier_runs(self) -> list[RequestContext]:
        """Pages that earlier runs could not fetch, if the site answers; then, with effort=full,
        articles that they left out; then articles that a refreshing run did not meet."""
        is_up = self.fold.so_far.pages + self.fold.so_far.resumed.pages > 0
        for earlier, is_due in (
            (self._lost, is_up),
            (self._left_out, self.arguments.effort == "full"),
            (self._earlier, self.arguments.refresh),
        ):
            asked = list(islice(filter(self._is_due, earlier if is_due else ()), _AT_A_TIME))
            if asked:
                return asked
        return []

    def _is_due(self, context: RequestContext) -> bool:
        """Whether a page of an earlier run is requested again."""
        schedule = self.parts.schedule
        if schedule.ledger.is_settled(context.key) or not schedule.follows(context):
            return False
        item = self.state.items.latest(context.key) or {}
        day = item.get("datePublished")
        is_asked = self.parts.evidence.is_asked_for(context.url, context.section, day=day)
        return is_asked and not schedule.is_dead(context)

    def _found_otherwise(self) -> list[RequestContext]:
        """If nothing was found, the start pages in a browser; else the pages that are named without
        a link are queued."""
        found_nothing = self._found_nothing()
        starts = self.parts.rendering.take_starts() if found_nothing else []
        if not starts:
            self.parts.follower.intake.take_untold(found_nothing=found_nothing)
        return starts

    def close(self, reason: str) -> CrawlStep:
        """End the crawl; :attr:`visit` describes the result. ``reason`` is ``finished`` if the
        crawl ended by itself."""
        schedule, stopping = self.parts.schedule, self.parts.requester.stopping
        with self._step(asks=False) as step:
            articles = self.parts.evidence.written
            if reason == "finished" and not stopping:
                for context in schedule.frontier.waiting():
                    is_like_others = schedule.frontier.was_folder_opened(context)
                    if context.role is not Role.MAYBE and is_like_others:  # which brought nothing
                        self._emit(events.Counted(context.url, "traps/barren"))
                undated = [file for file in self.parts.discovery.files if not file.day]
                for _ in range(len(undated) + self.parts.discovery.crowded_out):
                    self._emit(events.Counted(self.arguments.start[0], "hints/left"))
                for family, verdict in self.parts.evidence.families.judged():
                    self._emit(events.FamilyJudged(self.arguments.site, family, verdict))
            unopened = (
                context.url for context in schedule.unopened() if context.role is not Role.MAYBE
            )
            self._emit(
                events.CrawlEnded(
                    reason=stopping or reason,
                    articles=articles,
                    starts=len(self.arguments.start),
                    nothing_found=self._found_nothing(),
                    crowded_out=schedule.crowded_out,
                    listings=tuple(islice(unopened, 20)),
                    elsewhere=self.parts.hosts.most_outward(articles),
                    completeness=completeness(schedule),
                )
            )
        return step

    def ended(self, *, written: bool, finished: bool) -> None:
        """The feeds were ``written``, or could not be. After a crawl that ``finished`` the next run
        is new; any other is continued."""
        self.fold.so_far.unwritten = not written
        limited = bool(self.parts.requester.stopping)
        try:
            if self.begun:
                with self.state.at_once():
                    self.state.memory.put("texts", self.parts.evidence.texts.standard())
                    if written and finished and (limited or not self.state.waiting.count()):
                        self._finish(limited=limited)
        finally:
            self.state.close()
            self._record("finish", self.fold.visit(now()))

    def _finish(self, *, limited: bool) -> None:
        if not limited:
            self.parts.schedule.stats.keep(self.state, of_run=True)
        if self.parts.has_new_meaning:
            self.state.pages.respell(self.parts.pages.parameters.clean)
        self.state.finish(limited=limited)

    @property
    def visit(self) -> Visit:
        """The record of the crawl as it is now."""
        return self.fold.visit()

    @property
    def may_need_browser(self) -> bool:
        """Whether no article was found although a start page runs scripts that may draw it."""
        return bool(self.parts.rendering.starts) and self._found_nothing()

    def _found_nothing(self) -> bool:
        return not self.state.items.exist() and not self._count_held()

    def _count_held(self) -> int:
        return self.state.waiting.count() + self.state.families.withheld_count()

    # ---- answers
    def page(self, answer: FetchedPage) -> CrawlStep:
        """Process a page, feed or sitemap: the items to write, and the requests that follow."""
        if answer.status in SHOWN_STATUS and not _is_shown(answer):
            return self.failed(FailedPage.of_status(answer.context, answer.status))
        with self._step() as step:
            self.parts.ledger.record(Lesson(Fact.ANSWERED, answer.context))
            if answer.context.role is not Role.FILE and is_feed(answer.body):
                answer = self.parts.as_file(answer)
            if answer.context.role is Role.FILE:
                self.parts.take_file(answer)
            else:
                self.parts.take(answer, step)
        return step

    def new_articles(self, html: str, url: str) -> set[str]:
        """Keys of the pages of the site that the article links of a text lead to and that the crawl
        has not met yet."""
        keys, ledger = self.parts.hosts.article_keys(parse(html, url)), self.parts.ledger
        ledger.look_up(keys)
        return {key for key in keys if not ledger.is_settled(key)}

    def failed(self, answer: FailedPage) -> CrawlStep:
        """Process a failed request. A page is tried again as its link writes it, or without the
        browser that could not fetch it."""
        context, requester = answer.context, self.parts.requester
        with self._step() as step:
            self.parts.ledger.record(Lesson(Fact.ANSWERED, context))
            if answer.interrupted:
                requester.stop("shutdown")
            elif context.role is Role.FILE:
                self.parts.lose_file(context)
            elif context.way is Way.BROWSER:
                self._emit(events.Counted(context.url, "js/failed"))
                waiting = self.parts.rendered(context, better=False)
                step.requests += requester.plan([context.again(way=Way.PLAIN), *waiting])
            elif requester.tries_again(context):
                step.requests += requester.plan([context.again(as_written=True)])
            else:
                self.parts.lose(context, answer.reason, may_pass=answer.may_pass)
        return step

    def erred(self, context: RequestContext, error: str) -> CrawlStep:
        """Process a page whose step ended in an error. A later run requests it again, as it does
        every feed and sitemap."""
        with self._step(asks=False) as step:
            if context.role is Role.FILE:
                self._emit(events.Counted(context.url, "hints/failed"))
            else:
                self.parts.lose(context, f"{STEP_ERROR}: {error}", may_pass=True)
        return step
