"""A crawl of one site: pages in, items and requests out. No network and no Scrapy here; whoever fetches calls these verbs."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import islice
from typing import Any

from sitecrawl.crawl.articles import Articles, Reading
from sitecrawl.crawl.config import CrawlArguments, CrawlSettings
from sitecrawl.crawl.discovery import Discovery
from sitecrawl.crawl.homes import Outward, Suspect, is_namesake, look_elsewhere, probes
from sitecrawl.crawl.outcome import Outcome
from sitecrawl.crawl.pages import home_of, page_of, refresh_target, unpacked
from sitecrawl.crawl.planner import Brought, Planner
from sitecrawl.crawl.records import (
    Drop,
    FailedPage,
    FetchedPage,
    FileKind,
    PageOutcome,
    PlannedRequest,
    RequestContext,
    Role,
    Way,
)
from sitecrawl.crawl.references import frames_of, languages_of, named_elsewhere, other_references
from sitecrawl.crawl.rendering import ENOUGH, Duty, Look, Rendering, duty_of, has_scripts
from sitecrawl.crawl.scripts import read_scripts, turns_by_script
from sitecrawl.crawl.soft_errors import soft_error
from sitecrawl.crawl.store import CrawlStore, RunEnd, Visit, page_digest
from sitecrawl.crawl.url_stats import UrlStats
from sitecrawl.crawl.visits import VisitNotes, log_of
from sitecrawl.dom.page import Page
from sitecrawl.dom.parse import parse
from sitecrawl.items.feed_items import Identity, body_digest, identity
from sitecrawl.items.kinds import PageKind
from sitecrawl.limits import LIMITS
from sitecrawl.links.classify import Link, classify
from sitecrawl.links.link_model import model_at
from sitecrawl.site.model import SiteModel
from sitecrawl.urls.canonical import folder_url, is_page, url_key
from sitecrawl.urls.scope import Scope, host_of

logger = logging.getLogger(__name__)

_PROMISED = {Role.ARTICLE: "articles", Role.SECTION: "listing pages", Role.PAGINATION: "listing pages"}
_ELSEWHERE = "elsewhere"
"""Why a page is of no use that was found under another URL, or on another site."""
_HOMES = "homes"
"""Name under which the site's own hosts are kept that the user did not name."""
_NAMESAKES = "namesakes"
"""Name under which URLs are kept on hosts that bear the site's name."""
_PAGES_BEFORE = 4
"""Pages that are kept until it is known whether the host that they lead to is the site's own."""
_AGAIN = 40
"""Known articles asked for at a time when a run refreshes them."""
_SAID = {"missing": "the page says that it does not exist", "login": "the page asks for a login"}
"""Soft errors in words for a user."""
_LISTED = 0.9
"""Promise of a listing page that a page with article links keeps, however much it looks like an article (an archive in full text)."""
_PROMISING = 0.5
"""Least promise of an article link whose page is looked at twice, and which is counted where it is broken."""


class CrawlSession:
    """The crawl of a site, from its start pages to its last article.

    ``begin`` starts it or goes on with it, ``page_fetched`` and ``page_failed`` take what came of each request, ``idle`` is
    asked when nothing is under way, ``close`` and ``ended`` end it. Each verb writes what it decided to the store in one
    transaction before it returns: after a kill, what was not returned was not decided. ``count`` adds to a statistic by name.
    """

    def __init__(
        self,
        arguments: CrawlArguments,
        settings: CrawlSettings,
        knowledge: tuple[CrawlStore, SiteModel],
        count: Callable[[str], None] = lambda name: None,
    ) -> None:
        self.arguments, self.settings = arguments, settings
        self.store, self.site = knowledge
        scope = Scope.of(arguments.start, arguments.scope)
        self.notes = VisitNotes.of(arguments)
        self.visits = log_of(settings.data_dir, arguments.site)
        self.count = count = self.notes.counting(count)
        self.stats = UrlStats(self.site.profile)
        self.link_model = settings.link_model_of(arguments.site)
        self.planner = Planner(arguments, scope, self.store, self.stats, count)
        self.planner.traps.patience = settings.patience
        self.articles = Articles(self.store, self.site, arguments, settings, count, self.stats)
        self.articles.notes, self.articles.hosts = self.notes, lambda: self.planner.scope.hosts
        self.discovery = Discovery(arguments, scope, self.site.profile, self.planner.seen)
        self._fact = "browser " + ",".join(sorted(scope.hosts))
        self.rendering = Rendering.recall(settings.js, self.store.fact(self._fact))
        self.outcome = Outcome()
        self._outward = Outward()
        self.stopping = ""
        """Why no more pages are asked for, empty while they are."""
        self.sent = 0
        self._as_written = False
        self._starts: list[RequestContext] = []
        """Start pages that run scripts, as they are to be asked for with a browser."""
        self._at_once: list[RequestContext] = []
        """Pages to ask for before any other."""
        self._file: tuple[RequestContext, Iterator[list[RequestContext]]] | None = None
        """The feed or sitemap that is being read, and the pages that the rest of it names."""
        self._earlier: Iterator[RequestContext] = iter(())
        self._held = 0
        self._homes: list[str] = []
        """URLs of the site on hosts of its own that the user did not name."""
        self._suspects: dict[str, Suspect] = {}
        """Hosts that may be the site's own, by the keys of their pages that were asked for."""
        self._before: list[tuple[Page, RequestContext, PageKind]] = []
        """Pages whose links are taken up once a host is known for the site's own."""

    # ---- begin and end
    def begin(
        self, written: AbstractSet[Identity] = frozenset(), lines: Callable[[], Iterable[dict[str, Any]]] = tuple
    ) -> PageOutcome:
        """Begin a run, or go on with one that was interrupted or came to a limit.

        ``written`` are the items that the feed holds already; those that it lost with the interrupted run come again, and
        those that the store lost (a power cut, a state moved away) are read from the feed, by ``lines``, and do not.
        """
        outcome = PageOutcome()
        self.notes.begin(self.visits)
        with self.store.at_once():
            last = self.store.begin(self.arguments.task)
            self._adopt(written, lines, last is RunEnd.INTERRUPTED)
            self.outcome.before, self.sent = self.store.progress()
            self.articles.left = self.outcome.before
            self._earlier = self.store.earlier_articles()
            for home in json.loads(self.store.fact(_HOMES) or "[]"):
                self._adopt_host(home)
            self._outward.namesakes = json.loads(self.store.fact(_NAMESAKES) or "[]")
            self.planner.recall()
            self.discovery.begin()
            if last in (RunEnd.INTERRUPTED, RunEnd.LIMITED) or self.settings.rewrite:
                items = self._written(last is RunEnd.INTERRUPTED)
                outcome.items.extend(item for item in items if identity(item) not in written)
                self._resume(outcome)
            starts = [RequestContext(url, Role.START) for url in self.arguments.start]
            outcome.requests.extend(self._requests(starts))
            outcome.requests.extend(self._more())
        return outcome

    def _adopt(
        self, written: AbstractSet[Identity], lines: Callable[[], Iterable[dict[str, Any]]], goes_on: bool
    ) -> None:
        """Articles that a feed holds have left, whatever the state says."""
        scope = self.planner.scope
        known = {identity(item) for item in self.store.all_items()} if written else set()
        if written - known:
            lost = (item for item in lines() if identity(item) not in known and scope.holds(item["url"]))
            self.store.adopt(((url_key(item["url"]), item, body_digest(item)) for item in lost), goes_on)

    def _resume(self, outcome: PageOutcome) -> None:
        """The pages that waited when the run before was interrupted are judged again."""
        for reading in self.articles.meet_again(parse):
            outcome.items.extend(reading.items)
            if reading.wanted is not None and self.planner.scope.holds(reading.wanted.url):
                self.planner.want(reading.wanted)

    def _written(self, goes_on: bool) -> Iterator[dict[str, Any]]:
        """Articles that a feed must hold: those of an interrupted run, or all that this crawl is after."""
        if not self.settings.rewrite:
            yield from self.store.items_of_run() if goes_on else ()
            return
        for item in self.store.all_items():
            old = self.arguments.is_too_old(item["datePublished"])
            if not old and self._is_asked_for(item["url"], item["sectionUrl"]):
                yield item

    def idle(self) -> PageOutcome:
        """Nothing is under way: what to do next. An empty outcome ends the crawl."""
        outcome = PageOutcome()
        with self.store.at_once():
            while self.reading:
                self._read_slice()
            self.planner.under_way.clear()
            outcome.requests = self._more()
            if not outcome.requests and self.planner.trials():
                outcome.requests = self._more()
            if not outcome.requests:
                outcome.requests = self._requests(self._last_resorts())
            if not outcome.requests:
                self._flush(outcome)
        return outcome

    def _flush(self, outcome: PageOutcome) -> None:
        """Let go of all that waits. What stays although it was told to go stays for the next run."""
        held = self.store.held_count()
        if held and held != self._held:
            self._held = held
            outcome.items = self.articles.settle(limited=bool(self.stopping))
            outcome.requests = self._more()

    def _last_resorts(self) -> list[RequestContext]:
        """Known articles that a refreshing run has not met; start pages in a browser where no article was ever found."""
        if self.stopping:
            return []
        if asked := list(islice(self._namesakes(), 1)):
            return asked
        if self.arguments.refresh:
            left = (context for context in self._earlier if self._is_due(context))
            return list(islice(left, _AGAIN))
        if self.rendering.mode == "auto" and self._found_nothing():
            starts, self._starts = self._starts, []
            return starts
        return []

    def close(self, reason: str) -> Outcome:
        """No more pages come: say what came of the crawl. ``reason`` is ``finished`` for a crawl that came to its own end."""
        with self.store.at_once():
            return self._close(reason)

    def _close(self, reason: str) -> Outcome:
        outcome = self.outcome
        outcome.reason = self.stopping or reason
        outcome.articles, _ = self.store.progress()
        outcome.elsewhere = outcome.elsewhere or self._outward.most(outcome.articles, self.planner.scope)
        if self._found_nothing():
            outcome.bar(len(self.arguments.start))
        outcome.dropped = Counter({str(why): count for why, count in self.articles.dropped.items()})
        if self.planner.left:
            told = f"{self.planner.left} links to articles found no room beside {LIMITS.unread}: rerun the command for them"
            outcome.problems.append(told)
        if reason == "finished":
            outcome.completeness = self.planner.completeness()
            for kind in self.planner.barren() if not self.stopping else ():
                self.count(f"traps/{kind}")
        shown, *_ = self.store.sightings()
        unread = self.planner.unread + len(self.articles.missed)
        self.notes.end(outcome, (shown, unread, self.planner.listings_left()))
        return outcome

    def ended(self, written: bool, finished: bool) -> None:
        """The feeds are ``written``, or could not be. A crawl that ``finished`` begins anew next time, any other goes on."""
        self.outcome.unwritten = not written
        try:
            with self.store.at_once():
                if written and finished and (self.stopping or not self.store.held_count()):
                    self.store.finish(limited=bool(self.stopping))
        finally:
            self.store.close()
            self.notes.finished(self.outcome, self.visits)

    @property
    def may_need_browser(self) -> bool:
        """Whether nothing was found although a start page runs scripts that may draw it."""
        return bool(self._starts) and self._found_nothing()

    def _found_nothing(self) -> bool:
        return not self.store.has_items() and not self.store.held_count()

    # ---- what to ask for
    def _more(self) -> list[PlannedRequest]:
        """Requests that fill the window: articles, files that name pages, listing pages."""
        found: list[PlannedRequest] = []
        while not self.stopping and len(self.planner.under_way) < self.settings.window:
            made = self._requests(islice(self._next(), 1))
            if not made:
                break
            found.extend(made)
        return found

    def _next(self) -> Iterator[RequestContext]:
        files = Role.FILE in self.planner.under_way.values()
        if self._at_once:
            yield self._at_once.pop()
            return
        context = self.planner.next_article() or (None if files else self.discovery.next_file())
        context = context or self.planner.next_listing()
        if context is not None:
            yield context

    def _requests(self, contexts: Iterator[RequestContext] | list[RequestContext]) -> list[PlannedRequest]:
        """The requests for pages, counted and written down; those beyond the budget are put back."""
        found = []
        limit = self.arguments.max_pages
        if self.articles.is_full:
            self.stopping = self.stopping or Drop.MAX_ARTICLES
        for context in contexts:
            if limit and self.sent >= limit:
                self.stopping = self.stopping or "max_pages"
            if self.stopping:
                self._put_back(context)
            else:
                self.sent += 1
                found.append(self._request(context))
        return found

    def _put_back(self, context: RequestContext) -> None:
        """A page that is beyond the budget is asked for when the crawl goes on."""
        if context.role is not Role.FILE:
            self.store.queue(context)

    def _request(self, context: RequestContext) -> PlannedRequest:
        """The request for a page. The index file of a folder is asked for as the folder, unless this site knows it only as
        written; a page that was fetched before is asked for on condition."""
        self.planner.sent(context)
        if context.role is Role.FILE:
            return PlannedRequest(context.url, context, 20, any_status=context.file is FileKind.ROBOTS)
        self.store.queue(context)
        context = context.again(as_written=context.as_written or self._as_written)
        written = context.as_written or context.role is Role.START
        render = self.rendering.needs_browser(context)
        if render:
            self.count("js/pages")
        visit = None if render else self.store.last_visit(context.key)
        headers = visit.conditions if visit else {}
        if headers:
            self.count("revisits/asked")
        return PlannedRequest(
            url=context.url if written else folder_url(context.url),
            context=context,
            priority=100 + int(100 * context.promise) if context.role is Role.ARTICLE else 10,
            headers=headers,
            render=render,
        )

    def _is_asked_for(self, url: str, section: str | None) -> bool:
        """Whether an article that stands in ``section`` is one of those this crawl is after."""
        scope = self.planner.scope
        return scope.holds(url) and (section is None or scope.holds_section(section))

    def _is_due(self, context: RequestContext) -> bool:
        if context.key in self.planner.seen or not self._is_asked_for(context.url, context.section):
            return False
        item = self.store.item(context.key) if self.arguments.since else None
        return not item or not self.arguments.is_too_old(item["datePublished"])

    # ---- what came of it
    def page_fetched(self, fetched: FetchedPage) -> PageOutcome:
        """A page, feed or sitemap came: the items that leave, and the requests that follow."""
        outcome = PageOutcome()
        with self.store.at_once():
            if fetched.context.role is Role.FILE:
                self._open_file(fetched)
            else:
                self.planner.landed(fetched.context)
                self._receive(fetched, outcome)
            outcome.requests.extend(self._more())
        return outcome

    @property
    def reading(self) -> bool:
        """Whether a feed or a sitemap is read in part; pages that it names wait for the rest, since the newest go first."""
        return self._file is not None

    def read_on(self) -> PageOutcome:
        """Read some more entries of a feed or sitemap: so large a file is not read at once. ``idle`` reads what is left."""
        outcome = PageOutcome()
        with self.store.at_once():
            self._read_slice()
            outcome.requests.extend(self._more())
        return outcome

    def page_failed(self, failed: FailedPage) -> PageOutcome:
        """A page could not be fetched. The index file of a folder gets a second try under its own name, a page that the
        browser could not fetch one without it."""
        outcome, context = PageOutcome(), failed.context
        with self.store.at_once():
            self.planner.landed(context)
            if failed.interrupted:
                self.stopping = self.stopping or "shutdown"
            elif context.role is Role.FILE:
                self.count("hints/failed")
            elif context.way is Way.BROWSER:
                self.count("js/failed")
                outcome.requests += self._requests([context.again(way=Way.PLAIN)])
                outcome.requests += self._requests(self._decide(context.role, False))
            elif self._was_asked_as_folder(context):
                outcome.requests += self._requests([context.again(as_written=True)])
            else:
                self._lose(context, failed.reason)
            outcome.requests += self._more()
        return outcome

    def _was_asked_as_folder(self, context: RequestContext) -> bool:
        """Whether a request named the folder of an index file; what is known of the site by now does not matter."""
        return not context.as_written and context.role is not Role.START and folder_url(context.url) != context.url

    def _lose(self, context: RequestContext, why: str) -> None:
        """A page is of no use; on a start page the user hears of it."""
        self.count(f"pages/lost/{why.split(' (')[0].replace(' ', '_')}")
        self.notes.came(context.role, "lost")
        self.notes.lose(why, context.url, context.role is Role.START)
        self.store.done(context.key, None)
        self.planner.lost(context)
        if (what := _PROMISED.get(context.role)) is not None and why != _ELSEWHERE:
            self.outcome.lost[what][why] += 1
        if context.role is Role.START:
            self.outcome.lost_starts += 1
            self.outcome.problems.append(f"{context.url}: {why}")

    def _open_file(self, fetched: FetchedPage) -> None:
        """A feed or a sitemap: a hint where pages are, no more. A small one is read at once."""
        self.count("hints/files")
        while self.reading:
            self._read_slice()
        body = fetched.body if fetched.status == 200 else b""
        self.discovery.scope = self.planner.scope
        self._file = fetched.context, self.discovery.read(fetched.context, body, fetched.url)
        self.planner.hints_wait = True
        for _ in range(2):
            self._read_slice()

    def _read_slice(self) -> None:
        if self._file is None:
            return
        context, slices = self._file
        found = next(slices, None)
        if found is None:
            self._file = None
            self.planner.hints_wait = False
            self.planner.landed(context)
        for hint in found or ():
            if self.planner.want(hint):
                self.count(f"hints/{context.file}")

    def _receive(self, fetched: FetchedPage, outcome: PageOutcome) -> None:
        context = fetched.context
        self._as_written = self._as_written or context.as_written
        if fetched.status == 304:
            self.count("revisits/unchanged")
        known = self.store.last_visit(context.key)
        if self._is_as_before(fetched, known):
            self.outcome.pages += 1
            self.count("pages/unchanged")
            self.store.done(context.key, PageKind.ARTICLE)
            self.planner.learn(context, fetched.url, PageKind.ARTICLE)
            return
        fetched = unpacked(self._as_it_was(fetched, known))
        page, why = page_of(fetched)
        if page is None or self._is_stranger(page, context) or not self.planner.arrived(fetched.url, context):
            self.outcome.walled += url_key(fetched.url) in self.outcome.logins
            self._lose(context, why or _ELSEWHERE)
            return
        self.outcome.pages += 1
        self._read(page, fetched, outcome)

    def _is_as_before(self, fetched: FetchedPage, known: Visit | None) -> bool:
        """Whether an article that left has not changed since: the server says so, or it is the same byte for byte."""
        if known is None or known.kept:
            return False
        return fetched.status == 304 or known.digest == page_digest(fetched.body)

    def _as_it_was(self, fetched: FetchedPage, known: Visit | None) -> FetchedPage:
        """The answer; of a page that did not change, what was kept of it."""
        if fetched.status != 304 or known is None:
            return fetched
        return replace(
            fetched,
            status=200,
            body=self.store.visited_body(fetched.context.key) or b"",
            content_type=known.type,
            etag=fetched.etag or known.etag,
            modified=fetched.modified or known.modified,
        )

    def _read(self, page: Page, fetched: FetchedPage, outcome: PageOutcome) -> None:
        """Judge a page, follow its links, and write down what it was."""
        context = fetched.context
        if self._sends_on(page, context):
            return
        reading = self._judge(page, fetched)
        outcome.kind, outcome.drop = reading.kind, reading.drop
        outcome.items.extend(reading.items)
        if reading.wanted is not None and self.planner.scope.holds(reading.wanted.url):
            self.planner.want(reading.wanted)
        again = self._second_look(page, reading.kind, context)
        if again is not None:
            outcome.requests.extend(self._requests(again))
            return
        outcome.requests.extend(self._requests(self._looked_twice(page, reading.kind, context)))
        found = self._follow(page, reading, context)
        if context.key in self.articles.missed:
            return
        self.store.done(context.key, reading.kind, found.shown, found.new)
        if not fetched.rendered and not reading.joined:
            kept = context.role is not Role.ARTICLE or not reading.kind.is_article
            digest = page_digest(fetched.body)
            visit = Visit(fetched.etag, fetched.modified, digest, fetched.content_type, kept)
            self.store.remember_visit(context.key, visit, fetched.body)

    def _judge(self, page: Page, fetched: FetchedPage) -> Reading:
        """What a page is; one that says "not found" or asks for a login teaches nothing."""
        error = soft_error(page)
        if not error:
            reading = self.articles.read(page, fetched)
            self.stats.echo(page.url, reading.drop in (Drop.REPEAT, Drop.COPY))
            return reading
        self.count(f"pages/fake/{error}")
        self.notes.lose(_SAID[error], page.url, fetched.context.role is Role.START)
        if error == "login":
            self.outcome.logins.add(url_key(page.url))
            self.outcome.walled += 1
        return Reading(PageKind.OTHER)

    # ---- links
    def _follow(self, page: Page, reading: Reading, context: RequestContext) -> Brought:
        """Take up a page's links; what it led to, itself among it where it was asked for as one that may be anything."""
        kind = reading.kind
        self.count(f"pages/{kind}")
        self.notes.came(context.role, kind)
        if context.role is not Role.START:
            self.planner.learn(context, page.url, kind, reading.alike)
        if not kind.is_article:
            self.outcome.broken_promises += context.role is Role.ARTICLE and context.promise >= _PROMISING
            self.discovery.look_at(page)
            self._look_outward(page)
        if (
            "links" not in self.arguments.discover
            or (kind.is_article and not reading.listlike and self.planner.familiar(page, context))
            or self._moves(page, context)
        ):
            found = Brought()
        else:
            self._refresh(page, context)
            links = self._links(page)
            if not kind.is_article and self.planner.reflects(page, links):
                links = []
            if not kind.is_article and (context.role is Role.START or not self.planner.found):
                links = self._look_elsewhere(page, links, (context, kind))
            found = self.planner.sort(links, page, (context, kind))
            if not kind.is_article:
                self.outcome.turned += context.role is not Role.START and turns_by_script(links)
                self._guess(page, context)
        if reading.alike and found.shown and context.listing >= _LISTED:
            self.articles.disown(page.url)
        if (reading.brings.is_article or reading.alike) and context.role is Role.MAYBE:
            found = Brought(found.shown, found.new + 1)
        self.planner.brought(context, found)
        return found

    def _links(self, page: Page, home: str = "") -> list[Link]:
        """The links of a page, those to each host of the site as a page of that host would show them."""
        links = classify(page, model_at(self.link_model), self.site.profile, home)
        for other in self._homes if not home else ():
            if any(link.url.startswith(_origin(other)) for link in links):
                there = classify(page, model_at(self.link_model), self.site.profile, other)
                pairs = zip(links, there, strict=True)
                links = [two if two.url.startswith(_origin(other)) else one for one, two in pairs]
        return links

    def _look_elsewhere(self, page: Page, links: list[Link], source: tuple[RequestContext, PageKind]) -> list[Link]:
        """The links of a page, with hosts taken for the site's own where most of its articles are there."""
        found = look_elsewhere(page, links, self._links, self.planner.scope)
        self.outcome.elsewhere = found.hosts or self.outcome.elsewhere
        for home in found.homes:
            self._adopt_host(home)
        if found.suspect is None or len(self._before) >= _PAGES_BEFORE:
            return self._links(page) if found.homes else links
        self._before.append((page, *source))
        context = source[0]
        for link in probes(found.suspect) if not self._suspects else ():
            asked = RequestContext(
                link.url,
                Role.ARTICLE,
                link.scores["article"],
                group=link.group,
                guess=link.guess,
                anchor=link.text,
                section=page.url,
                depth=context.depth + 1,
            )
            if asked.key not in self.planner.seen:
                self._suspects[asked.key] = found.suspect
                self._at_once.append(asked)
        return links

    def _adopt_host(self, home: str) -> None:
        """A host is the site's own: its articles are taken from there. Kept for the runs that go on."""
        if home not in self._homes:
            self._homes.append(home)
            self.planner.adopt(home)
            self.store.set_fact(_HOMES, json.dumps(self._homes))
            self.count("hosts/own")

    def _is_stranger(self, page: Page, context: RequestContext) -> bool:
        """Whether a page is of a host that was tried out and is not the site's own. If it is, what led there is taken up again."""
        suspect = self._suspects.pop(context.key, None)
        if self.planner.scope.holds(context.url):
            return False
        if suspect is None:
            return context.role is Role.SECTION and not self._is_namesake(page)
        if not suspect.is_owned(page, self.planner.scope):
            return True
        self._adopt_host(suspect.home)
        self.outcome.elsewhere = {}
        before, self._before = self._before, []
        for earlier, source, kind in before:
            self.planner.sort(self._links(earlier), earlier, (source, kind))
        return False

    def _look_outward(self, page: Page) -> None:
        """Take down where the site is left; hosts that bear its name are kept for the runs that go on."""
        known = len(self._outward.namesakes)
        self._outward.look_at(page, self.planner.scope)
        if len(self._outward.namesakes) > known:
            self.store.set_fact(_NAMESAKES, json.dumps(self._outward.namesakes))

    def _namesakes(self) -> Iterator[RequestContext]:
        """Pages of hosts that bear the site's name, until one shows that its host is the site's own."""
        for url in self._outward.namesakes if self.arguments.scope == "site" else ():
            asked = RequestContext(url, Role.SECTION, section=self.arguments.start[0], depth=1)
            if asked.key not in self.planner.seen and not self.planner.scope.holds(url):
                yield asked

    def _is_namesake(self, page: Page) -> bool:
        """Whether a host that bears the site's name has listing pages or articles; then it is the site's own."""
        links = (link for link in self._links(page) if host_of(link.url) == host_of(page.url))
        found = {url_key(link.url) for link in links if link.label != "other"}
        if len(found) >= ENOUGH and any(is_namesake(page.url, start) for start in self.arguments.start):
            self._adopt_host(page.url)
        return self.planner.scope.holds(page.url)

    def _guess(self, page: Page, context: RequestContext) -> None:
        """The pages that a page leads to otherwise than by links."""
        start = context.role is Role.START
        scripted = read_scripts(page)
        if len(self.outcome.scripted) < LIMITS.links:
            self.outcome.scripted |= scripted.lost
        urls = other_references(page, scripted.hrefs) + (languages_of(page) if start else [])
        self.planner.guess(urls, page, context)
        self.planner.guess(named_elsewhere(page), page, context, told=False)

    def _moves(self, page: Page, context: RequestContext) -> bool:
        """Whether the links of a start page are left to its home on another host, which is asked for."""
        home = home_of(page) if context.role is Role.START and context.hops < LIMITS.refreshes else ""
        if home:
            self.planner.widen(home)
            self._ask_at_once([home], context)
        return bool(home)

    def _sends_on(self, page: Page, context: RequestContext) -> bool:
        """Whether a page is no more than a redirect to another one, which is asked for; it teaches nothing."""
        target = refresh_target(page) if context.role is not Role.START and context.hops < LIMITS.refreshes else None
        waiting = len(self._at_once)
        self._ask_at_once([target] if target else [], context)
        if len(self._at_once) == waiting:
            return False
        self.count("pages/moved")
        self.store.done(context.key, None)
        return True

    def _refresh(self, page: Page, context: RequestContext) -> None:
        """The page that an empty page sends its readers on to, and the pages of a frameset."""
        target = refresh_target(page)
        if context.hops < LIMITS.refreshes:
            if target and context.role is Role.START and is_page(target):
                self.planner.widen(target)
            self._ask_at_once([target, *frames_of(page)] if target else frames_of(page), context)

    def _ask_at_once(self, urls: Iterable[str], context: RequestContext) -> None:
        """Pages that take the place of another one."""
        for url in urls:
            if is_page(url) and url_key(url) not in self.planner.seen and self.planner.scope.holds(url):
                self.planner.seen.add(url_key(url))
                self._at_once.append(context.again(url=url, hops=context.hops + 1, as_written=False, way=Way.OPEN))

    # ---- browser
    def _second_look(self, page: Page, kind: PageKind, context: RequestContext) -> list[RequestContext] | None:
        """None when a page serves as it is; else how to ask for it again, or nothing while others must tell first."""
        role = context.role
        if self.rendering.needs_browser(context) or context.way is not Way.OPEN:
            return None
        if role is Role.START and has_scripts(page):
            self._starts.append(context.again(way=Way.BROWSER, links=self._article_links(page)))
        if not self.rendering.is_open(role) or (role is Role.ARTICLE and context.promise < _PROMISING):
            return None
        count = self._article_links(page) if duty_of(role) is Duty.LISTING else 0
        good = kind.is_article or count >= ENOUGH
        if not good and not has_scripts(page):
            return None
        rendered = context.again(way=Way.BROWSER, links=count)
        look = self.rendering.judge(rendered, good)
        return None if look is Look.SERVES else [rendered] if look is Look.RENDER else []

    def _looked_twice(self, page: Page, kind: PageKind, context: RequestContext) -> list[RequestContext]:
        """What the browser made of a page decides about its duty; the pages that waited for this, to be asked for again."""
        if context.way is not Way.BROWSER:
            return []
        better = kind.is_article
        if duty_of(context.role) is Duty.LISTING and not better:
            before, now = context.links, self._article_links(page)
            better = now >= before + 2 or now > before == 0
        return self._decide(context.role, better)

    def _decide(self, role: Role, better: bool) -> list[RequestContext]:
        waiting = self.rendering.rendered(role, better)
        self.store.set_fact(self._fact, self.rendering.kept())
        return waiting

    def _article_links(self, page: Page) -> int:
        """Pages of the site that a page's article links lead to."""
        links = self._links(page)
        holds = self.planner.scope.holds
        return len({url_key(link.url) for link in links if link.label == "article" and holds(link.url)})


def _origin(url: str) -> str:
    """Scheme and host of a URL."""
    return "/".join(url.split("/")[:3])
