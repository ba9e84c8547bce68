"""The planner: which page to ask for next. Articles first, then the listing page expected to bring most, within the effort asked for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush

from sitecrawl.crawl.articles import UNPROMISED
from sitecrawl.crawl.config import CrawlArguments
from sitecrawl.crawl.frontier import Frontier, chain_of
from sitecrawl.crawl.linked_pages import LinkedPage, LinkedPages, origin_of
from sitecrawl.crawl.outcome import Completeness, chao
from sitecrawl.crawl.records import RequestContext, Role
from sitecrawl.crawl.seen import Seen
from sitecrawl.crawl.store import CrawlStore, DonePage
from sitecrawl.crawl.traps import Traps, trap_kind
from sitecrawl.crawl.url_stats import UrlStats
from sitecrawl.dom.page import Page
from sitecrawl.dom.render import absolute
from sitecrawl.items.kinds import PageKind
from sitecrawl.limits import LIMITS
from sitecrawl.links.classify import Link
from sitecrawl.urls.canonical import dropped_parameters, url_key
from sitecrawl.urls.pattern import url_pattern
from sitecrawl.urls.scope import Scope, host_of

_WORTH = {"quick": 1.0, "normal": 0.1, "full": 0.0}
"""New articles that a request must be expected to bring, by effort: at the margin ten requests an article are fair."""
_SAMPLES, _SHARE = 8, 0.1
"""Doubtful pages opened in vain, at least and as a share of the articles known, up to which samples are taken of what is not
expected to bring anything: the link model may be wrong about a whole site."""
_SURE = 0.95
"""Promise of an article link that needs no trial."""
_HINT = 0.0
"""Rank of what feeds and sitemaps name: after all links."""
_TRIALS = 4
"""Pages of an unknown URL pattern under way at a time, where their links promise less."""
_FAIR = 0.3
"""Probability of an article below which a page is asked for after the listing pages, if at all."""
_OPEN_LISTINGS = 4
"""Listing pages under way at a time: what they bring decides whether the next is worth a request."""
_BUSY = 6
"""Article pages under way above which no listing page is asked for."""
_RECALLED = 5_000
"""Pages of a run that goes on, the latest, from which the yield of its listing pages is made anew."""
_COUNTS = "url statistics"
"""Name under which the counts of pages by pattern are kept."""
_UNTOLD = 0.2
"""Promise, as article and as listing page, of a page that no link names."""
_ATTACHED = 0.1
"""Promise of a link without words from an article to one step below it: the page of a picture, unless pages like it say otherwise."""
_OWN_TEXTS = 5
"""Links with a text each that differ in one parameter only, from which it names pages whatever it is called."""
_MENU = 40
"""Links of a group on a start page up to which it is a menu; a larger one is a cloud of tags or an archive."""
_DOUBT = 0.1
"""Probability of article and listing page together from which a page that a start page links to is opened once."""


@dataclass(frozen=True, slots=True)
class Brought:
    """Articles that the links of a page ``shown``, and the ``new`` ones among them."""

    shown: int = 0
    new: int = 0


@dataclass
class Planner:
    """What was seen and what is on offer. ``count`` adds one to a named statistic; ``scope`` may grow."""

    arguments: CrawlArguments
    scope: Scope
    store: CrawlStore
    stats: UrlStats
    count: Callable[[str], None]
    frontier: Frontier = field(default_factory=Frontier)
    traps: Traps = field(default_factory=Traps)
    seen: Seen = field(default_factory=Seen)
    """Keys of the pages asked for, and of the article links met."""
    offered: set[str] = field(default_factory=set)
    declined: set[str] = field(default_factory=set)
    under_way: dict[str, Role] = field(default_factory=dict)
    hints_wait: bool = False
    """Whether what feeds and sitemaps name is not asked for yet."""
    found: int = 0
    """Articles known: fetched, or promised by a link that will be fetched."""
    left: int = 0
    """Links to articles that found no room."""
    _articles: list[tuple[float, str, int, RequestContext]] = field(default_factory=list)
    _trials: dict[str, list[RequestContext]] = field(default_factory=lambda: defaultdict(list))
    _dull: set[tuple[str, str]] = field(default_factory=set)
    """Places (hosts, or folders where they are relative) and the hrefs that stand on their pages and lead to nothing new."""
    _on_trial: int = 0
    _number: int = 0

    def __post_init__(self) -> None:
        self._linked = LinkedPages(self.scope)

    # ---- what was known before
    def recall(self) -> None:
        """Take up what the store knows: what pages were, what listing pages brought, and what is still to be fetched."""
        if self.store.has_history():
            self.seen.lookup = lambda keys: self.store.settled(keys, earlier=not self.arguments.refresh)
            self._recount()
        for done in self.store.done_pages(_RECALLED):
            self._relearn(done)
        for context in self.store.queued():
            if context.key not in self.seen and context.role not in (Role.START, Role.FILE):
                self._offer(context)

    def _recount(self) -> None:
        """Add the pages dealt with since the last run began to the counts by pattern; a page counts once, however often it is fetched."""
        self.stats.restore(self.store.fact(_COUNTS))
        alike = {waiting.page.asked for waiting in self.store.held(UNPROMISED)}
        for url, kind in self.store.count_pages():
            if kind is not None:
                self.stats.count(url, kind, url_key(url) in alike)
        self.store.set_fact(_COUNTS, self.stats.kept())
        self.found += self.stats.articles

    def _relearn(self, done: DonePage) -> None:
        """What listing pages of a run that goes on have brought."""
        if done.kind is not None and done.context.role.is_listing:
            self.frontier.record(done.context, done.shown, done.brought)
            self.traps.record(done.context.url, done.brought, done.context.section)

    # ---- links
    def sort(self, links: Iterable[Link], page: Page, source: tuple[RequestContext, PageKind]) -> Brought:
        """Take up the links of a page: new articles to fetch, new pages to open perhaps.

        ``source`` is what the page was asked for as, and what it is.
        """
        context, kind = source
        links, new, shown = list(links), 0, set[str]()
        if self.arguments.depth and context.depth + 1 > self.arguments.depth:
            return Brought()
        if not kind.is_article:
            self._linked.name_by(_naming(links, page))
        self.seen.look_up(url_key(link.url) for link in links)
        menus = _menus(links) if context.role is Role.START else {}
        origin = origin_of(page.url)
        for link in links:
            target = self._linked.of(link.url, origin)
            if target is None:
                continue
            role, known = self._role(link, target, page, kind), target.key in self.seen
            if role is Role.ARTICLE and (known or self._has_room()):
                shown.add(target.key)
            if known or self._is_trapped(target, page.url, link.href):
                continue
            if target.session:
                self.count("traps/sessions")
            if role is Role.ARTICLE:
                new += self.want(self._context(link, target, page, source))
            elif target.key not in self.offered:
                self._consider(_in_menu(self._context(link, target, page, source), link, menus), link.label)
        if context.role.is_listing and not kind.is_article:
            self.store.show(shown, chain_of(context.url))
        return Brought(len(shown), new)

    def want(self, context: RequestContext) -> bool:
        """An article is to be fetched, unless it was met before, or too many wait already."""
        if context.key in self.seen:
            return False
        if not self._has_room():
            self.left += 1
            return False
        self.seen.add(context.key)
        self.count("links/article")
        self.found += 1
        self.store.queue(context)
        self._push(context)
        return True

    def _has_room(self) -> bool:
        return self.unread < LIMITS.unread

    def _push(self, context: RequestContext) -> None:
        """Links first, the surest of them; then what feeds and sitemaps name, the newest first."""
        self._number += 1
        rank = -1.0 - context.promise if not context.day and context.group != "hint" else _HINT
        heappush(self._articles, (rank, _backwards(context.day), self._number, context))

    def _context(
        self, link: Link, target: LinkedPage, page: Page, source: tuple[RequestContext, PageKind]
    ) -> RequestContext:
        context, kind = source
        role, promise = self._role(link, target, page, kind), link.scores["article"]
        if role is Role.ARTICLE and link.label != "article":
            promise = _SURE
        elif role is Role.MAYBE and link.label == "article":
            promise = min(promise, _ATTACHED)
        return RequestContext(
            url=target.url,
            whole=target.whole,
            role=role,
            promise=round(0.05 if role is Role.PAGINATION else promise, 4),
            listing=round(link.scores["section"], 4),
            group=link.group,
            guess=tuple(round(share, 3) for share in link.guess),
            anchor=link.text[:300],
            section=context.section if kind.is_article else page.url,
            depth=context.depth + 1,
        )

    def guess(self, urls: list[str], page: Page, context: RequestContext, told: bool = True) -> None:
        """Take up the pages that a page leads to otherwise than by links: no link tells what they are, so pages like them must.
        ``told`` tells that its readers are led there."""
        if self.arguments.depth and context.depth + 1 > self.arguments.depth:
            return
        named = told and context.role is Role.START and len(urls) <= _MENU
        origin = origin_of(page.url)
        for url in urls:
            target = self._linked.of(url, origin)
            if target is None or self._is_known(target) or self._is_trapped(target, page.url, ""):
                continue
            known = self.stats.are_articles(url)
            role = Role.ARTICLE if known else Role.PAGINATION if target.turns else Role.MAYBE
            found = RequestContext(
                target.url,
                role,
                _SURE if known else _UNTOLD,
                _UNTOLD,
                section=page.url,
                depth=context.depth + 1,
                named=named,
                whole=target.whole,
            )
            if known:
                self.want(found)
            else:
                self._consider(found, "untold")

    def _is_known(self, target: LinkedPage) -> bool:
        """Whether a page was met before, whatever became of it."""
        return target.key in self.seen or target.key in self.offered or target.key in self.declined

    def _role(self, link: Link, target: LinkedPage, page: Page, kind: PageKind) -> Role:
        """What a page is asked for as: by its link, or by what pages like it were, where these say article. The page of a
        picture of an article waits until pages like it say so."""
        role = self._told_role(link, target)
        attached = role is Role.ARTICLE and kind.is_article and _is_attached(link, page.url)
        return Role.MAYBE if attached else role

    def _told_role(self, link: Link, target: LinkedPage) -> Role:
        if link.pagination or (target.turns and link.label != "article"):
            return Role.ARTICLE if self.stats.is_article_family(link.url) else Role.PAGINATION
        if link.label == "other":
            return Role.ARTICLE if self.stats.are_articles(link.url) else Role.MAYBE
        return Role(link.label)

    def _consider(self, context: RequestContext, label: str) -> None:
        """Offer a page to the frontier, unless it is outside of what was asked for."""
        self.count(f"links/{context.role if context.role is not Role.MAYBE else label}")
        inside = context.role is Role.PAGINATION or self.scope.holds_section(context.url)
        if inside and (context.role is not Role.MAYBE or self.arguments.scope == "site"):
            if self.frontier.size < LIMITS.candidates:
                self.store.queue(context)
            self._offer(context)
        else:
            self._decline(context.key)

    def _decline(self, key: str) -> None:
        """A page is not asked for; those remembered are counted once."""
        if len(self.declined) < LIMITS.candidates:
            self.declined.add(key)

    def _offer(self, context: RequestContext) -> None:
        if context.role is Role.ARTICLE:
            self.seen.add(context.key)
            self.found += 1
            self._push(context)
        elif self.frontier.add(context):
            self.offered.add(context.key)

    def _is_trapped(self, target: LinkedPage, found_on: str, href: str) -> bool:
        """Whether a new page is left alone for its URL; it is counted once."""
        trap = self._trap(target, found_on, href)
        if trap and target.key not in self.declined:
            self.count(f"traps/{trap}")
            self._decline(target.key)
        return bool(trap)

    def _trap(self, target: LinkedPage, found_on: str, href: str = "") -> str:
        if self.stats.answers_all(target.url):
            return "repeats"
        return self.traps.bars(target.url, found_on, href) if target.repeats else ""

    def familiar(self, page: Page, context: RequestContext) -> bool:
        """Take up the new links of an article page where the patterns of their URLs tell what they are; False when one does not.

        Most links of an article page are known or of a kind met before: they need no classification.
        """
        if self.arguments.scope == "section":
            return True
        wanted: dict[str, RequestContext] = {}
        for url, target in self._new_pages(page):
            if self.stats.are_articles(url):
                if not self._trap(target, page.url):
                    depth = context.depth + 1
                    found = RequestContext(
                        target.url, Role.ARTICLE, _SURE, section=context.section, depth=depth, whole=target.whole
                    )
                    wanted.setdefault(target.key, found)
            elif not self.stats.are_others(url):
                return False
        for found in wanted.values():
            if not (self.arguments.depth and found.depth > self.arguments.depth):
                self.want(found)
        return True

    def _new_pages(self, page: Page) -> Iterator[tuple[str, LinkedPage]]:
        """The pages, by the URLs of links, that a page links to and that were not met before; menus are looked at once."""
        origin, base = origin_of(page.url), page.base_url
        host, folder = host_of(base), base.partition("?")[0].partition("#")[0].rpartition("/")[0]
        for anchor in page.root.iter("a"):
            href = anchor.get("href") or "#"
            known = (host if href.startswith(("/", "http")) else folder if href[:1] not in "?#" else base, href)
            if known in self._dull:
                continue
            url = absolute(href, base)
            target = self._linked.of(url, origin) if url else None
            if url and target is not None and not self._is_known(target):
                yield url, target
            elif len(href) <= LIMITS.cached_chars and len(self._dull) < LIMITS.links:
                self._dull.add(known)

    # ---- what to ask for
    def next_article(self) -> RequestContext | None:
        """The article page to ask for now, None when there is none or those on trial must tell first."""
        while self._articles and not (self.hints_wait and self._articles[0][0] == _HINT):
            *_, context = heappop(self._articles)
            if not self._is_fair(context):
                self._demote(context)
            elif self._needs_trial(context) and self.stats.tried[url_pattern(context.url)] >= _TRIALS:
                self._trials[url_pattern(context.url)].append(context)
                self._on_trial += 1
            else:
                return context
        return None

    def _is_fair(self, context: RequestContext) -> bool:
        share = self.stats.article_share(context.url, context.promise)
        return share >= _FAIR and not self.stats.answers_all(context.url)

    def _needs_trial(self, context: RequestContext) -> bool:
        return context.promise < _SURE and not self.stats.of_pattern(context.url).articles

    def _demote(self, context: RequestContext) -> None:
        """An article link whose pattern is known for other pages has its turn when there is nothing better."""
        self.count("links/declined")
        self.found -= 1
        self.seen.discard(context.key)
        share = self.stats.article_share(context.url, context.promise)
        changed = context.again(role=Role.MAYBE, promise=round(share, 4), listing=0.0)
        self.store.queue(changed)
        self._offer(changed)

    def next_listing(self) -> RequestContext | None:
        """The listing page most worth a request, None when none is or what is under way must tell first."""
        roles = list(self.under_way.values())
        articles = roles.count(Role.ARTICLE)
        if articles > _BUSY or len(roles) - articles >= _OPEN_LISTINGS:
            return None
        samples = 0.0 if self.arguments.effort == "quick" else _SAMPLES + _SHARE * max(0, self.found)
        while (context := self.frontier.pop(_WORTH[self.arguments.effort], samples)) is not None:
            if context.key in self.seen:
                continue
            full = self.arguments.effort == "full"
            repeats = not full and context.role is Role.MAYBE and self.stats.answers_all(context.url)
            trap = "repeats" if repeats else self.traps.holds(context.url, context.section, full)
            if not trap and context.role is Role.PAGINATION and self.stats.is_article_family(context.url):
                return context.again(role=Role.ARTICLE, promise=_SURE)
            if not trap:
                return context
            self.count(f"traps/{trap}")
        return None

    def trials(self) -> bool:
        """Nothing is under way: let the pages go that wait for a trial which came to no end. Whether there were any."""
        waiting, self._trials, self._on_trial = self._trials, defaultdict(list), 0
        self.stats.tried.clear()
        for contexts in waiting.values():
            for context in contexts:
                self._push(context)
        return bool(waiting)

    def sent(self, context: RequestContext) -> None:
        """A page is asked for."""
        self.seen.add(context.key)
        self.under_way[context.key] = context.role
        if context.role is Role.ARTICLE:
            self.stats.tried[url_pattern(context.url)] += 1

    # ---- what came
    def landed(self, context: RequestContext) -> None:
        """A request is no longer under way."""
        self.under_way.pop(context.key, None)
        if context.role is Role.ARTICLE:
            pattern = url_pattern(context.url)
            self.stats.tried[pattern] = max(0, self.stats.tried[pattern] - 1)
            for waiting in self._trials.pop(pattern, ()):
                self._on_trial -= 1
                self._push(waiting)

    def arrived(self, url: str, context: RequestContext) -> bool:
        """Whether a fetched page, after redirects, is one to look at: in scope and not seen under another URL."""
        if context.role is Role.START and not self.scope.holds(url):
            self.widen(url)
        key = url_key(url)
        if key == context.key or url == context.url:
            return True
        fresh = key not in self.seen and self.scope.holds(url)
        self.seen.add(key)
        return fresh

    def widen(self, url: str) -> None:
        """A start page led to another host: it is part of the site."""
        more = Scope.of((url,), self.arguments.scope)
        self._hold(Scope(self.scope.hosts | more.hosts, tuple(dict.fromkeys(self.scope.folders + more.folders))))

    def adopt(self, home: str) -> None:
        """The articles of the site are on another host; ``home`` is the URL of one of its pages there."""
        self._hold(self.scope.plus(home))

    def _hold(self, scope: Scope) -> None:
        """The site is wider than was thought: links that led out of it are looked at again."""
        self.scope, self._linked = scope, LinkedPages(scope, self._linked.naming)
        self._dull.clear()

    def learn(self, context: RequestContext, url: str, kind: PageKind, alike: bool = False) -> None:
        """A page was fetched and is of ``kind``; ``url`` is where it was found in the end. ``alike``: it looks like an article all the same."""
        self.stats.record(context, url, kind, alike)
        if context.role is Role.ARTICLE and not kind.is_article:
            self.found -= 1
        elif context.role is not Role.ARTICLE and kind.is_article:
            self.found += 1

    def brought(self, context: RequestContext, found: Brought) -> None:
        """What a page that was asked for because of its links led to, itself among it where it is an article."""
        if context.role.is_listing:
            self.frontier.record(context, found.shown, found.new)
            self.traps.record(context.url, found.new, context.section)

    def reflects(self, page: Page, links: Iterable[Link]) -> bool:
        """Whether a page has the links of one above it: it leads to nothing new."""
        if found := self.traps.reflects(page.url, ((link.href, link.text) for link in links)):
            self.count("traps/folders")
        return found

    def lost(self, context: RequestContext) -> None:
        """A page could not be fetched."""
        self.found -= context.role is Role.ARTICLE

    def completeness(self) -> Completeness:
        """How much of what listing pages lead to is known, estimated."""
        shown, once, twice = self.store.sightings()
        left = [context for context in self.frontier.waiting() if context.key not in self.seen]
        others = sum(context.role is Role.MAYBE for context in left)
        listings = len(left) - others + self.frontier.left
        return Completeness(max(0, self.found), self.frontier.remaining(), listings, others, chao(once, twice), shown)

    @property
    def unread(self) -> int:
        """Number of the article pages that wait for their request."""
        return len(self._articles) + self._on_trial

    def listings_left(self) -> Iterator[str]:
        """URLs of the listing pages that were never asked for."""
        left = (context for context in self.frontier.waiting() if context.key not in self.seen)
        return (context.url for context in left if context.role is not Role.MAYBE)

    def barren(self) -> Iterator[str]:
        """Kinds of the pages that were left alone since those like them brought nothing."""
        for context in self.frontier.waiting():
            if context.role is not Role.MAYBE and self.frontier.was_tried(context):
                yield trap_kind(context.url)


def _backwards(day: str) -> str:
    """A key by which later days come first; no day comes last.

    >>> sorted(["2024-01-31", "", "2025-01-01"], key=_backwards)
    ['2025-01-01', '2024-01-31', '']
    """
    return "".join(chr(0x10000 - ord(char)) for char in day) or "\U0010ffff"


def _is_attached(link: Link, url: str) -> bool:
    """Whether a link without words leads one step below the page ``url`` that it stands on.

    >>> link = Link("http://a.example/2012/05/disk/disk-2/", "", "article", 1.0, {})
    >>> [_is_attached(link, f"http://a.example/2012/05/{name}") for name in ("disk/", "disk.html", "disk", "")]
    [True, False, True, False]
    """
    above = url_key(url)
    return not link.text.strip() and "/" in above and url_key(link.url).rpartition("/")[0] == above


def _naming(links: list[Link], page: Page) -> set[str]:
    """Names of parameters that look like sessions or tracking and by whose values alone many links of a page differ, each with a
    text of its own: then they name the pages. Where the URL without them is a page as well, they are buttons of it (share, print)."""
    found: defaultdict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    plain = {url_key(page.url)}
    for link in links:
        key, dropped = url_key(link.url), dropped_parameters(link.url) if link.text else []
        plain |= set() if dropped else {key}
        for name, value in dropped:
            found[key, name][value] = link.text
    return {name for (key, name), texts in found.items() if key not in plain and len(set(texts.values())) >= _OWN_TEXTS}


def _menus(links: list[Link]) -> dict[str, float]:
    """Groups of a start page's links in which sections stand, and the share of these; clouds of tags are none."""
    groups: defaultdict[str, dict[str, bool]] = defaultdict(dict)
    for link in links:
        groups[link.group][link.url] = link.label == "section"
    return {
        name: sum(known.values()) / len(known)
        for name, known in groups.items()
        if any(known.values()) and len(known) <= _MENU
    }


def _in_menu(context: RequestContext, link: Link, menus: dict[str, float]) -> RequestContext:
    """A page that a start page links to: beside sections it promises to be one as well, as its neighbours do. Sections of the
    menu get one try, and so does whatever the link model is not sure to be neither article nor listing page."""
    listing = max(context.listing, round(menus.get(context.group, 0.0) / 2, 4))
    doubtful = context.role is Role.MAYBE and context.promise + listing >= _DOUBT
    wanted = doubtful or (context.role is Role.SECTION and link.menu)
    return context.again(listing=listing, named=context.depth == 1 and wanted)
