"""Follows a page: passes its links, feeds, frames and scripts to the schedule, each with its
probability of being an article."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import cached_property

from lxml import etree

from sitecrawl.crawl.articles import Judgement
from sitecrawl.crawl.events import Counted, ListingRead, ScriptsUnread
from sitecrawl.crawl.hosts import SiteHosts
from sitecrawl.crawl.ledger import Fact, Lesson
from sitecrawl.crawl.linked_pages import LinkedPage, SitePages, origin_of
from sitecrawl.crawl.next_pages import Brought, CrawlSchedule, Requester
from sitecrawl.crawl.pages import home_of, other_spelling, refresh_target
from sitecrawl.crawl.records import PROMISING, SURE, Drop, PartNote, RequestContext, Role, Way
from sitecrawl.crawl.site_state import FURTHER
from sitecrawl.crawl.sources import HintKind, frames, hints, posted_pages, turns_by_script
from sitecrawl.dom.page import Page
from sitecrawl.items.kinds import PageKind
from sitecrawl.limits import LIMITS
from sitecrawl.links.classify import KINDS, Link
from sitecrawl.links.facts import tag_path
from sitecrawl.links.pagination import next_part, part_number, turns_by_words
from sitecrawl.urls.canonical import absolute_urls, is_page, url_key

# the guess for a link whose URL pattern is known to be that of articles: its page is no evidence
# about the link model
_AS_GUESSED = tuple(float(kind == "article") for kind in KINDS)
_DOCUMENTS = (".pdf", ".doc", ".docx")
# most links of a menu on a start page. A larger group of links is a tag cloud or an archive
_MENU = 40
_FEW_DOCUMENTS = 2  # documents in one group of links that are no list of them
_MANY_ARTICLES = 10  # new articles from which a page that looks like one is a listing, too


@dataclass(slots=True)
class LinkIntake:
    """Passes the links of pages to the schedule, each page once, with the probabilities of its link
    or of similar pages."""

    pages: SitePages
    schedule: CrawlSchedule
    # pages that are not requested for now, and that no link leads to
    untold: list[RequestContext] = field(default_factory=list)

    def take(
        self,
        links: list[Link],
        *,
        page: Page,
        context: RequestContext,
        kind: PageKind,
        first: str = "",
    ) -> Brought:
        """Process the links of a page of ``kind``: new articles to fetch, new pages that may be
        opened. ``first`` is the URL of the first part of the article that it is a part of."""
        if self.is_too_deep(context):
            self._tell_too_deep(links, page=page, kind=kind)
            return Brought()
        self._tell_documents(links, kind=kind)
        self.pages.learn_links((link.url, link.text) for link in links)
        targets = self._targets(links, page=page, is_article=kind.is_article)
        articles = {target.url: link for link, target in targets if link.label == "article"}
        parts = _Parts(page, context, kind.is_article, articles, first)
        section = context.section if kind.is_article else page.url
        common = RequestContext("", Role.MAYBE, section=section, depth=context.depth + 1)
        menus = _menus(links, context.role)
        shown = set[str]()
        new = 0
        for link, target in targets:
            role = self._role(link, target)
            is_part = parts.meet(link, target, role=role)
            if parts.is_own(link, target, is_part=is_part):
                continue
            known = self._knows(link, target, role=role)
            if self._shows_article(link, target, role=role) and (known or self.schedule.has_room):
                shown.add(target.key)
            if known or self._is_trapped(target, found_on=page.url, href=link.href):
                continue
            asked = common.again(url=target.url, written=target.written, role=role)
            found = _linked(asked, link, menus=menus)
            new += self._take_new(found, link, target=target, parts=parts if is_part else None)
        self._add_shown(shown, new=new, context=context, kind=kind)
        return Brought(len(shown), new)

    def _take_new(
        self, found: RequestContext, link: Link, *, target: LinkedPage, parts: _Parts | None
    ) -> bool:
        """Offer the page of a new link, which may be a further part of an article; returns whether
        it is a new article."""
        if target.session:
            self.schedule.emit(Counted(target.url, "traps/sessions"))
        if self._is_first(target, role=found.role):  # also where it looks like an article
            found = found.again(promise=0.0, listing=1.0)
        elif parts is not None:
            found = parts.request(found)
        return self._offer(found, link.label)

    def _tell_too_deep(self, links: list[Link], *, page: Page, kind: PageKind) -> None:
        if not kind.is_article and any(link.label != "other" for link in links):
            self.schedule.emit(Counted(page.url, "pages/deep"))

    def _targets(
        self, links: list[Link], *, page: Page, is_article: bool
    ) -> list[tuple[Link, LinkedPage]]:
        """The links that lead to pages of the site; those of an article, to its sections only."""
        origin, found = origin_of(page.url), list[tuple[Link, LinkedPage]]()
        for link in links:
            target = self.pages.linked(link.url, origin)
            if target is None or (is_article and not self.pages.holds_section(target.url)):
                continue
            found.append((link, target))
        self.schedule.ledger.look_up(target.key for _, target in found)
        return found

    def _tell_documents(self, links: list[Link], *, kind: PageKind) -> None:
        """Count the documents in the main part of a page that stand beside articles, or as a list
        on a page without articles."""
        shown = [link for link in links if not (link.menu or link.aside)]
        documents = [link for link in shown if link.url.lower().endswith(_DOCUMENTS)]
        if kind.is_article or not documents:
            return
        listed = {link.group for link in links if link.label == "article"}
        if not listed:
            counts = Counter(link.group for link in documents)
            listed = {group for group, count in counts.items() if count > _FEW_DOCUMENTS}
        for link in documents:
            if link.group in listed:
                self.schedule.emit(Counted(link.url, "links/files"))

    def _knows(self, link: Link, target: LinkedPage, *, role: Role) -> bool:
        """Whether a link brings nothing new: its page was requested, or waits in the role of the
        link."""
        if role is Role.ARTICLE:
            return self.schedule.knows(target.key, link.scores["article"])
        return self.schedule.knows(target.key) or self.schedule.ledger.is_waiting(target.key)

    def _add_shown(
        self, shown: set[str], *, new: int, context: RequestContext, kind: PageKind
    ) -> None:
        """Store the articles that a listing showed. A page that looks like an article is one too if
        it led to many new ones: later runs open it again."""
        if new >= _MANY_ARTICLES or (context.role.is_opened_for_links and not kind.is_article):
            is_next = context.role is Role.PAGINATION
            self.schedule.store.shown.add(shown, listing=FURTHER if is_next else context.key)

    def _shows_article(self, link: Link, target: LinkedPage, *, role: Role) -> bool:
        is_listing = self._is_first(target, role=role) and link.label == "article"
        return role is Role.ARTICLE or is_listing

    def _is_first(self, target: LinkedPage, *, role: Role) -> bool:
        """Whether a link leads to a listing that showed articles before all others."""
        return role is Role.SECTION and self.schedule.frontier.is_first(target.key)

    def is_too_deep(self, context: RequestContext) -> bool:
        return 0 < self.schedule.arguments.depth <= context.depth

    def _role(self, link: Link, target: LinkedPage) -> Role:
        """The role in which a page is requested: by its link, or article if similar pages were
        articles."""
        stats = self.schedule.stats
        if not target.turns and self.schedule.frontier.is_first(target.key):
            return Role.SECTION
        if _may_turn(link, target):
            return Role.ARTICLE if stats.is_article_folder(link.url) else Role.PAGINATION
        if link.label == "other":
            return Role.ARTICLE if stats.are_articles(link.url) else Role.MAYBE
        return Role(link.label)

    def guess(self, urls: list[str], *, page: Page, context: RequestContext, kind: HintKind) -> int:
        """Process pages that are named without a link; returns the number of new articles. Similar
        pages tell what they are. Else one that a reader chooses from a list is a listing; each other
        is an article with a probability of .2, and a listing page with the same."""
        new = 0
        origin = origin_of(page.url)
        is_shown = kind is not HintKind.HIDDEN
        named = is_shown and context.role is Role.START and len(urls) <= _MENU
        common = RequestContext(
            "", Role.MAYBE, 0.2, 0.2, section=page.url, depth=context.depth + 1, named=named
        )
        for url in urls:
            target = self._new(url, origin)
            if target is None or self._is_trapped(target, found_on=page.url):
                continue
            found = common.again(url=target.url, written=target.written)
            if self.schedule.stats.are_articles(url):
                found = found.again(role=Role.ARTICLE, promise=SURE)
            elif target.turns:
                found = found.again(role=Role.PAGINATION, listing=SURE)
            elif kind is HintKind.CHOSEN:
                found = found.again(role=Role.SECTION, promise=0.05, listing=PROMISING)
            new += self._offer(found, "untold")
        return new

    def turn(self, page: Page, context: RequestContext) -> None:
        """Offer the further pages of a list that its pager loads by POST."""
        common = RequestContext(
            "", Role.PAGINATION, listing=SURE, section=page.url, depth=context.depth + 1
        )
        origin = origin_of(page.url)
        for sent in posted_pages(page):
            target = self._new(sent.url, origin)
            if target is not None:
                found = common.again(url=target.url, written=sent.action, posted=sent.body)
                self._offer(found, "pagination")

    def familiar(self, page: Page, context: RequestContext) -> bool:
        """Process the new links of an article page by their URL patterns; False if the pattern of
        one is unknown. Most links of article pages are known or have a known pattern, so they need
        not be classified."""
        schedule = self.schedule
        parts = _Parts(page, context, is_article=True)
        origin = origin_of(page.url)
        wanted = dict[str, RequestContext]()
        anchors = dict[str, etree._Element]()
        paths = dict[etree._Element, str]()
        common = RequestContext(
            "",
            Role.ARTICLE,
            SURE,
            guess=_AS_GUESSED,
            section=context.section,
            depth=context.depth + 1,
        )
        for anchor in page.root.iter("a"):
            anchors.setdefault(anchor.get("href") or "#", anchor)
        for href, url in absolute_urls(page.base_url, anchors).items():
            target = self._new(url, origin)
            if target is None or not self.pages.holds_section(target.url):
                continue
            if parts.has(target.url, "".join(map(str, anchors[href].itertext()))):
                continue
            if schedule.frontier.is_first(target.key):
                return False
            if not schedule.stats.are_articles(url):
                if not schedule.stats.are_others(url):
                    return False
            elif not self._trap(target, found_on=page.url):
                group = tag_path(anchors[href], paths)
                found = common.again(url=target.url, written=target.written, group=group)
                wanted.setdefault(target.key, found)
        if self.is_too_deep(context):
            return True
        new = {key for key, found in wanted.items() if schedule.want(found)}
        self._add_shown(new, new=len(new), context=context, kind=PageKind.ARTICLE)
        return True

    def _new(self, url: str, origin: str) -> LinkedPage | None:
        """The page of a URL on a page of ``origin``; None if it is outside of the crawl, or a link
        to it was taken before."""
        target = self.pages.linked(url, origin)
        return target if target and not self.schedule.ledger.is_met(target.key) else None

    def _offer(self, context: RequestContext, label: str) -> bool:
        """Queue an article, or offer another page to the frontier unless it is out of scope;
        returns whether it is a new article."""
        if context.role is Role.ARTICLE:
            return self.schedule.want(context)
        name = label if context.role is Role.MAYBE else context.role
        self.schedule.emit(Counted(context.url, f"links/{name}"))
        if context.role is Role.PAGINATION or self.pages.holds_section(context.url):
            self.schedule.consider(context)
        elif self.schedule.ledger.record(Lesson(Fact.MET, context)) and label == "untold":
            self.untold.append(context)
            pages = self.schedule.store.pages
            if pages.asked_for(context.key) is None:  # what an earlier run knew of it stays
                pages.queue(context, label)
        return False

    def take_untold(self, *, found_nothing: bool) -> None:
        """Offer the pages that no link leads to, once: those that are articles by the pages of the
        run, and all of them if it found nothing. Rows that scripts, buttons, image maps or data
        name have no other way to their articles."""
        untold, self.untold = self.untold, []
        for context in untold:
            if self.schedule.stats.are_articles(context.url):
                self.schedule.want(context.again(role=Role.ARTICLE, promise=SURE))
            elif found_nothing:
                self.schedule.consider(context)

    def _is_trapped(self, target: LinkedPage, *, found_on: str, href: str = "") -> bool:
        """Whether the URL of a new page belongs to a trap; it is counted once."""
        trap = self._trap(target, found_on=found_on, href=href)
        ledger = self.schedule.ledger
        if trap and not ledger.is_met(target.key):
            self.schedule.emit(Counted(target.url, f"traps/{trap}"))
            ledger.record(Lesson(Fact.MET, RequestContext(target.url, Role.MAYBE)))
        return bool(trap)

    def _trap(self, target: LinkedPage, *, found_on: str, href: str = "") -> str:
        stats = self.schedule.stats
        # what is refused comes in a later run
        is_answered = stats.answers_all(target.url) and not stats.is_refused(target.url)
        if is_answered or self.schedule.traps.slugs.knows(target.url):
            return "repeats"
        return self.schedule.traps.bars(target.url, found_on, href=href)


def _may_turn(link: Link, target: LinkedPage) -> bool:
    return link.pagination or (target.turns and link.label != "article")


@dataclass
class _Parts:
    """Tells links to further parts of an article: of that of the page, or on a listing of the one
    whose link came last. Lists of forums lead to each page of a thread."""

    page: Page
    context: RequestContext
    is_article: bool  # whether the page is one
    articles: dict[str, Link] = field(default_factory=dict)  # links to articles by URL
    first: str = ""  # URL of the article
    promise: float = 0.0

    def has(self, url: str, text: str) -> bool:
        """Whether a link with this ``text`` leads to a part of the page's own article that differs
        by the query. The first one may be there under two URLs, with and without a number; a blog
        may have its newest article at its front, and ``?p=12`` for others."""
        first = self.context.part.first if self.context.part else self.page.url
        is_like = url.partition("?")[0] == first.partition("?")[0] and part_number(first, url) > 0
        return is_like and turns_by_words(text) and self._are_several

    @cached_property
    def _are_several(self) -> bool:
        return self.context.part is not None or next_part(self.page) is not None

    def meet(self, link: Link, target: LinkedPage, *, role: Role) -> bool:
        """Whether a link leads to a further part of an article."""
        named = target.url.partition("?")[0]
        beside = None if self.is_article else self.articles.get(named)
        if beside is not None:
            self.first, self.promise = named, beside.scores["article"]
        is_beside = self.is_article or beside is not None
        turns = _may_turn(link, target) or (is_beside and turns_by_words(link.text))
        is_part = bool(self.first) and turns and part_number(self.first, target.url) > 0
        if role is Role.ARTICLE and not (self.is_article or is_part):
            self.first, self.promise = target.url, link.scores["article"]
        return is_part

    def is_own(self, link: Link, target: LinkedPage, *, is_part: bool) -> bool:
        """Whether a link leads to a part that is requested in its turn, or to the first one."""
        if self.is_article:
            return is_part or self.has(target.url, link.text)
        return is_part and link.text.strip() == "1"

    def request(self, found: RequestContext) -> RequestContext:
        note = PartNote(url_key(self.first), self.first)
        return found.again(role=Role.ARTICLE, promise=self.promise, part=note)


def _menus(links: list[Link], role: Role) -> dict[str, float]:
    """Groups of a start page's links, with the share of section links in each; tag clouds are left
    out."""
    groups: defaultdict[str, dict[str, bool]] = defaultdict(dict)
    for link in links if role is Role.START else ():
        groups[link.group][link.url] = link.label == "section"
    return {
        name: sum(known.values()) / len(known)
        for name, known in groups.items()
        if len(known) <= _MENU
    }


def _linked(context: RequestContext, link: Link, *, menus: dict[str, float]) -> RequestContext:
    """The context of a page with what the link to it tells. Beside sections of a start page's menu
    it is promised to be a section too, as its neighbours are. Sections in menus, at most two links
    away, are tried once, and so is any page of a start page's menu that is a section with a
    probability of at least .1."""
    promise = round(link.scores["article"], 4)
    listing = round(link.scores["section"], 4)
    beside = menus.get(link.group, 0.0)
    named = link.menu and link.label == "section" and context.depth <= 2
    if context.role is not Role.ARTICLE:
        listing = max(listing, round(beside / 2, 4))
    if context.role is Role.ARTICLE:
        named = False
        if link.label != "article":
            promise = SURE
    elif context.role is Role.MAYBE:
        named = context.depth == 1 and promise + listing >= 0.1
    elif context.role is Role.PAGINATION:
        promise = 0.05
        # a menu's "index5.html" may be a department; a link "2" is pagination
        named = named and beside > 0 and any(map(str.isalpha, link.text))
    return context.again(
        promise=promise,
        listing=listing,
        group=link.group,
        guess=tuple(round(share, 3) for share in link.guess),
        anchor=link.text[:300],
        named=named,
    )


@dataclass(slots=True)
class LinkFollower:
    """Processes everything that a page leads to."""

    intake: LinkIntake
    hosts: SiteHosts
    requester: Requester

    def follow(self, page: Page, judged: Judgement, *, context: RequestContext) -> Brought:
        """Process a page's links. Returns the articles that it led to, including itself if it was
        requested as a section or as a page of unknown kind."""
        kind, schedule = judged.kind, self.intake.schedule
        if context.role is not Role.START:
            schedule.learn(context, page.url, kind=kind, lookalike=judged.lookalike)
        if not kind.is_article:
            self.hosts.take_outward(page)
        found, hinted = Brought(), 0
        if "links" in schedule.arguments.discover:
            if not (kind.is_article and self.intake.familiar(page, context)):
                found = self._take_links(page, context, kind=kind, first=judged.first)
            # a list of rows that scripts open looks like an article
            if not kind.is_article or context.role.is_opened_for_links:
                hinted = self._take_hints(page, context)
        # an article that was written under the page's canonical URL is not counted again
        is_article = judged.lookalike or (
            kind.is_article and judged.drop not in (Drop.COPY, Drop.TWIN, Drop.KNOWN)
        )
        itself = is_article and context.role in (Role.MAYBE, Role.SECTION)
        found = Brought(found.shown, found.new + hinted + itself)
        schedule.brought(context, found)
        return found

    def _take_links(
        self, page: Page, context: RequestContext, *, kind: PageKind, first: str
    ) -> Brought:
        if context.hops < LIMITS.refreshes:
            self._replace(context, frames(page))
        links = self.hosts.links(page)
        pager = ""
        if not kind.is_article:
            pager = self._pager(page, links, context=context)
            links = self._listed_links(page, links, context=context, kind=kind)
        found = self.intake.take(links, page=page, context=context, kind=kind, first=first)
        if context.role is Role.START and not (found.shown or context.hops):
            self._replace(context, [other_spelling(page)])
        if pager or (context.role.lists_articles and not kind.is_article):
            self.intake.schedule.emit(ListingRead(page.url, found.shown, pager))
        return found

    def _listed_links(
        self, page: Page, links: list[Link], *, context: RequestContext, kind: PageKind
    ) -> list[Link]:
        """The links of a listing that are taken: none of a folder that answers like another one. As
        long as no article is known, other hosts are looked at."""
        schedule = self.intake.schedule
        if schedule.traps.reflects(page.url, ((link.href, link.text) for link in links)):
            schedule.emit(Counted(page.url, "traps/folders"))
            links = []
        if context.role is Role.START or not schedule.ledger.articles:
            links, asked = self.hosts.look_elsewhere(page, links, context=context, kind=kind)
            for request in asked:
                self.requester.urge(request)
        return links

    def _pager(self, page: Page, links: list[Link], *, context: RequestContext) -> str:
        """How a listing names its further pages, as in :class:`ListingRead`."""
        if any(link.pagination for link in links):
            return "linked"
        if not turns_by_script(page):
            return ""
        return "scrolled" if self.requester.rendering.scrolls(context) else "scripted"

    def _take_hints(self, page: Page, context: RequestContext) -> int:
        """Process the pages that a page names other than by links; returns the number of new
        articles."""
        urls: defaultdict[HintKind, list[str]] = defaultdict(list)
        for url, kind in hints(page):
            is_shown = kind is HintKind.LANGUAGE and context.role is Role.START
            urls[HintKind.SHOWN if is_shown else kind].append(url)
        if unread := urls[HintKind.UNREAD]:
            self.intake.schedule.emit(ScriptsUnread(frozenset(unread)))
        if self.intake.is_too_deep(context):
            return 0
        self.intake.turn(page, context)
        new = 0
        for kind in (HintKind.CHOSEN, HintKind.SHOWN, HintKind.HIDDEN):
            named = list(dict.fromkeys(urls[kind]))
            new += self.intake.guess(named, page=page, context=context, kind=kind)
        return new

    def sends_on(self, page: Page, context: RequestContext, *, header: str = "") -> bool:
        """Whether a page only sends its readers to another one, which is requested then. It is no
        evidence about similar links. ``header`` is the ``Refresh`` header. A start page may send them to another site, also by links that
        lead to its home only."""
        if context.hops >= LIMITS.refreshes:
            return False
        target = refresh_target(page, header=header) or (
            home_of(page) if context.role is Role.START else ""
        )
        if context.role is Role.START and is_page(target):
            self.intake.pages.widen(target)
        return self._replace(context, [target])

    def _replace(self, context: RequestContext, urls: list[str]) -> bool:
        """Request pages of the site in place of another one, before all others; whether there are
        any."""
        other = context.again(
            section=context.section or context.url,
            hops=context.hops + 1,
            as_written=False,
            written="",
            posted="",
            way=Way.OPEN,
            declined=None,
            probes=0,
            sends=0,
        )
        holds = self.intake.pages.holds
        wanted = [other.again(url=url) for url in urls if holds(url) and is_page(url)]
        urged = [changed for changed in wanted if self._urge(changed, context)]
        return bool(urged)

    def _urge(self, changed: RequestContext, context: RequestContext) -> bool:
        """Request a page in place of another one; whether it is requested. It may be the same page
        in another spelling: the front of a site may only lead to its index file."""
        if changed.key == context.key and changed.url != context.url:
            self.requester.urgent.append(changed)
            return True
        return self.requester.urge(changed)

    def take_released(self) -> None:
        """Process the links of pages whose host has been recognised as part of the site."""
        while self.hosts.released:
            page, context, kind = self.hosts.released.pop(0)
            self.intake.take(self.hosts.links(page), page=page, context=context, kind=kind)
