"""The intake of links: from what a page leads to, to the articles and listing pages that the schedule knows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from sitecrawl.crawl.config import CrawlArguments
from sitecrawl.crawl.events import Emit, LinkFound, LinkTrapped
from sitecrawl.crawl.frontier import chain_of
from sitecrawl.crawl.linked_pages import LinkedPage, SitePages, origin_of
from sitecrawl.crawl.next_pages import SURE, Brought, CrawlSchedule
from sitecrawl.crawl.records import RequestContext, Role
from sitecrawl.dom.page import Page
from sitecrawl.dom.render import absolute
from sitecrawl.items.kinds import PageKind
from sitecrawl.limits import LIMITS
from sitecrawl.links.classify import Link
from sitecrawl.urls.canonical import url_key

_MENU = 40
"""Links of a group on a start page up to which it is a menu; a larger one is a cloud of tags or an archive."""


@dataclass(slots=True)
class LinkIntake:
    """Takes the links of pages to the schedule, each page once, as what its link or the pages like it promise."""

    arguments: CrawlArguments
    pages: SitePages
    schedule: CrawlSchedule
    emit: Emit
    declined: set[str] = field(default_factory=set)
    """Keys of the pages that are not requested."""

    def take(self, links: Iterable[Link], *, page: Page, context: RequestContext, kind: PageKind) -> Brought:
        """Take up the links of a page of ``kind``: new articles to fetch, new pages to open perhaps."""
        links, new, shown, schedule = list(links), 0, set[str](), self.schedule
        if self._is_too_deep(context):
            return Brought()
        schedule.seen.look_up(url_key(link.url) for link in links)
        menus = _menus(links) if context.role is Role.START else {}
        section, origin = context.section if kind.is_article else page.url, origin_of(page.url)
        for link in links:
            target = self.pages.of(link.url, origin)
            if target is None:
                continue
            role, known = self._role(link, target), target.key in schedule.seen
            if role is Role.ARTICLE and (known or schedule.has_room):
                shown.add(target.key)
            if known or self._is_trapped(target, found_on=page.url, href=link.href):
                continue
            if target.session:
                self.emit(LinkTrapped(target.url, "sessions"))
            found = self._context(link, target.url, role=role).again(section=section, depth=context.depth + 1)
            if role is Role.ARTICLE:
                new += schedule.want(found)
            elif target.key not in schedule.frontier:
                self._consider(_in_menu(found, link, menus), link.label)
        if context.role.is_listing and not kind.is_article:
            schedule.store.shown.add(shown, chain_of(context.url))
        return Brought(len(shown), new)

    def _is_too_deep(self, context: RequestContext) -> bool:
        return bool(self.arguments.depth) and context.depth + 1 > self.arguments.depth

    def _role(self, link: Link, target: LinkedPage) -> Role:
        """What a page is requested as: by its link, or by what pages like it were, where these say article."""
        stats = self.schedule.stats
        if link.pagination or (target.turns and link.label != "article"):
            return Role.ARTICLE if stats.is_article_family(link.url) else Role.PAGINATION
        if link.label == "other":
            return Role.ARTICLE if stats.are_articles(link.url) else Role.MAYBE
        return Role(link.label)

    def _context(self, link: Link, url: str, *, role: Role) -> RequestContext:
        promise = SURE if role is Role.ARTICLE and link.label != "article" else link.scores["article"]
        return RequestContext(
            url=url,
            role=role,
            promise=0.05 if role is Role.PAGINATION else round(promise, 4),
            listing=round(link.scores["section"], 4),
            group=link.group,
            guess=tuple(round(share, 3) for share in link.guess),
            anchor=link.text[:300],
        )

    def guess(
        self, urls: list[str], *, page: Page, context: RequestContext, shown: bool = True, promise: float = 0.2
    ) -> None:
        """Take up the pages that a page leads to otherwise than by links: no link tells what they are, so pages like them must.
        ``shown`` tells that readers are led there, ``promise`` is the probability of an article and that of a listing page."""
        if self._is_too_deep(context):
            return
        named = shown and context.role is Role.START and len(urls) <= _MENU
        origin, stats = origin_of(page.url), self.schedule.stats
        for url in urls:
            target = self.pages.of(url, origin)
            if target is None or self._is_known(target) or self._is_trapped(target, found_on=page.url):
                continue
            found = RequestContext(
                target.url, Role.MAYBE, promise, promise, section=page.url, depth=context.depth + 1, named=named
            )
            if stats.are_articles(url):
                self.schedule.want(found.again(role=Role.ARTICLE, promise=SURE))
            else:
                self._consider(found.again(role=Role.PAGINATION if target.turns else Role.MAYBE), "untold")

    def familiar(self, page: Page, context: RequestContext) -> bool:
        """Take up the new links of an article page where the patterns of their URLs tell what they are; False when one does not.

        Most links of an article page are known or of a kind met before: they need no classification.
        """
        if self.arguments.scope == "section":
            return True
        wanted: dict[str, RequestContext] = {}
        origin, stats = origin_of(page.url), self.schedule.stats
        for href, place in self.pages.unseen_hrefs(page):
            url = absolute(href, page.base_url)
            target = self.pages.of(url, origin) if url else None
            if not url or target is None or self._is_known(target):
                self.pages.mark_dull(place)
            elif stats.are_articles(url):
                if not self._trap(target, found_on=page.url):
                    found = RequestContext(
                        target.url, Role.ARTICLE, SURE, section=context.section, depth=context.depth + 1
                    )
                    wanted.setdefault(target.key, found)
            elif not stats.are_others(url):
                return False
        if not self._is_too_deep(context):
            for found in wanted.values():
                self.schedule.want(found)
        return True

    def _is_known(self, target: LinkedPage) -> bool:
        """Whether a page was met before, whatever became of it."""
        return target.key in self.schedule.seen or target.key in self.schedule.frontier or target.key in self.declined

    def _consider(self, context: RequestContext, label: str) -> None:
        """Offer a page to the frontier, unless it is outside of what was asked for."""
        self.emit(LinkFound(context.url, label if context.role is Role.MAYBE else str(context.role)))
        inside = context.role is Role.PAGINATION or self.pages.scope.holds_section(context.url)
        if inside and (context.role is not Role.MAYBE or self.arguments.scope == "site"):
            self.schedule.consider(context)
        else:
            self._decline(context.key)

    def _decline(self, key: str) -> None:
        """A page is not requested; those remembered are counted once."""
        if len(self.declined) < LIMITS.candidates:
            self.declined.add(key)

    def _is_trapped(self, target: LinkedPage, *, found_on: str, href: str = "") -> bool:
        """Whether a new page is left alone for its URL; it is counted once."""
        trap = self._trap(target, found_on=found_on, href=href)
        if trap and target.key not in self.declined:
            self.emit(LinkTrapped(target.url, trap))
            self._decline(target.key)
        return bool(trap)

    def _trap(self, target: LinkedPage, *, found_on: str, href: str = "") -> str:
        if self.schedule.stats.answers_all(target.url):
            return "repeats"
        return self.schedule.traps.bars(target.url, found_on, href=href) if target.repeats else ""


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


def _in_menu(context: RequestContext, link: Link, menus: dict[str, float], *, doubt: float = 0.1) -> RequestContext:
    """A page that a start page links to: beside sections it promises to be one as well, as its neighbours do. Sections of the
    menu get one try, and so does what may be an article or a listing page with a probability of at least ``doubt``."""
    listing = max(context.listing, round(menus.get(context.group, 0.0) / 2, 4))
    doubtful = context.role is Role.MAYBE and context.promise + listing >= doubt
    wanted = doubtful or (context.role is Role.SECTION and link.menu)
    return context.again(listing=listing, named=context.depth == 1 and wanted)
