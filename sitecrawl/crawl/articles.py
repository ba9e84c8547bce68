"""From article pages to items: pages of a young template wait for their partners, parts for one another, copies are dropped."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import Any

from lxml.etree import LxmlError

from sitecrawl.crawl.decisions import (
    ArticleFound,
    CrawlEvidence,
    Leave,
    Refuse,
    Wait,
    Withhold,
    decide,
    leave_or_refuse,
    lists_siblings,
)
from sitecrawl.crawl.events import ArticleHeld, ArticleLeft, Emit, FamilyJudged, PageDropped, TemplateChanged
from sitecrawl.crawl.family_store import WithheldItem
from sitecrawl.crawl.joiner import Joiner, is_whole, part_of
from sitecrawl.crawl.records import ArticlePage, Drop, FetchedPage, RequestContext, WaitingPage, WaitKind
from sitecrawl.crawl.store import CrawlStore
from sitecrawl.crawl.url_stats import UrlStats
from sitecrawl.dom.page import Page
from sitecrawl.items.feed_items import body_digest, item_of, revise
from sitecrawl.items.kinds import PageKind
from sitecrawl.links.classify import Link
from sitecrawl.site.content_type import content_type
from sitecrawl.site.model import SiteModel
from sitecrawl.site.verdict import LEAST_PROMISE, Event, EventKind, Verdict
from sitecrawl.urls.canonical import url_key

Item = dict[str, Any]

logger = logging.getLogger(__name__)

_FAULTS = (ValueError, TypeError, AttributeError, LookupError, ArithmeticError, RuntimeError, LxmlError)
"""What one bad page may raise where it meets code that did not expect it; errors of the database are none of these."""
TYPE_PROMISE = 0.95
"""Probability that a page is an article where its content management system says so: 2,378 of 2,427 pages of 19 sites, less for others."""
_SETTLING = (EventKind.TRUSTED, EventKind.REPLACED)
"""Events of a template after which the pages that wait for it may go."""


@dataclass(slots=True)
class Judgement:
    """What became of one page: its kind, the items that leave now, a further part to fetch, and why none left.

    ``joined`` tells that the page is a part of an article over several pages, ``alike`` that it looks like an article although its link promised none,
    ``listlike`` that it does not look like the article that its link promised; both wait.
    """

    kind: PageKind
    items: list[Item] = field(default_factory=list)
    wanted: RequestContext | None = None
    drop: Drop | None = None
    joined: bool = False
    alike: bool = False
    listlike: bool = False

    @property
    def brings(self) -> PageKind:
        """The kind of the page, by which pages like it are judged: what left already under the URL that it calls its own is no further article."""
        return PageKind.OTHER if self.drop is Drop.COPY else self.kind


@dataclass(slots=True)
class Articles:
    """Judges pages by the site model and lets their articles go, at once or later."""

    store: CrawlStore
    site: SiteModel
    evidence: CrawlEvidence
    stats: UrlStats
    emit: Emit
    links: Callable[[Page], list[Link]]
    """The classified links of a page."""
    keep: Callable[[], None]
    """Called when something was learned that a kill must not lose."""
    limited: bool = False
    """Whether the crawl came to a limit, from where another run goes on."""
    missed: set[str] = field(default_factory=set)
    """Keys of the pages that were read in vain and are to be fetched again."""
    joiner: Joiner = field(init=False)

    def __post_init__(self) -> None:
        self.joiner = Joiner(self.store, self.site)

    def read(self, page: Page, fetched: FetchedPage) -> Judgement:
        """Judge a fetched page; an article leaves, or waits when a template for it may be near."""
        context, told = fetched.context, content_type(page)
        note = ArticlePage(
            key=context.key if page.url == context.url else url_key(page.url),
            url=page.url,
            asked=context.key,
            promise=max(context.promise, TYPE_PROMISE) if told.is_article else context.promise,
            section=context.section,
            anchor=context.anchor,
            content_type=fetched.content_type,
            modified=fetched.modified,
            listing=context.listing,
            type=told.name,
            part=context.part,
            fetched=fetched.fetched,
        )
        return self._judge(page, WaitingPage(note, fetched.body), depth=context.depth)

    def _promise(self, page: ArticlePage, *, most_listing: float = 0.7) -> float:
        """Probability, 0..1, that a page is an article: by its link, or by what pages like it were where that promises more."""
        if page.listing >= most_listing:  # else the order of answers decides about pages that may be either
            return page.promise
        return max(page.promise, self.stats.article_share(page.url, page.promise))

    def _judge(self, page: Page, waiting: WaitingPage, *, depth: int) -> Judgement:
        verdict = self.site.observe_page(page, self._promise(waiting.page), anchor=waiting.page.anchor)
        if verdict.article is None:
            judged = self._judge_other(page, waiting, verdict=verdict)
        elif lists_siblings(verdict.article, page.url):
            judged = Judgement(PageKind.LISTING)
        else:
            judged = self._judge_article(page, waiting, verdict=verdict, depth=depth)
        for event in verdict.events:
            self.emit(TemplateChanged(self.site.site, event, page.url))
            judged.items.extend(self._after(event))
        return judged

    def _judge_other(self, page: Page, waiting: WaitingPage, *, verdict: Verdict) -> Judgement:
        """A page that is no article for what its link promised; one that looks like an article all the same waits for what the pages like it are."""
        judged = Judgement(verdict.kind, alike=verdict.could_be_article)
        if verdict.could_be_article and self.evidence.is_known_elsewhere(page, waiting.page.key):
            judged.alike, judged.drop = False, Drop.COPY
            self._drop(Drop.COPY, waiting.page)
        elif verdict.could_be_article and 2 * self.store.waiting.count() < self.evidence.hold:
            self._hold(waiting, Wait(WaitKind.UNPROMISED), page)
        return judged

    def _judge_article(self, page: Page, waiting: WaitingPage, *, verdict: Verdict, depth: int) -> Judgement:
        """An article leaves, or waits for its other parts, for a template, or for the end of the crawl."""
        article, note, evidence = verdict.article, waiting.page, self.evidence
        assert article is not None
        judged = Judgement(
            verdict.kind if verdict.kind.is_article else PageKind.ARTICLE, listlike=not verdict.looks_like_article
        )
        anchor = note.anchor if self.store.shown.has(note.asked) else ""
        text = evidence.texts.record(note.key, article.headline or "", article.articleBody, anchor)
        note = replace(
            note, text=text, kind=judged.kind, headline=verdict.headline, confidence=round(verdict.confidence, 4)
        )
        part = part_of(page, note.key, note.part) if evidence.has_room else None
        note = replace(note, part=part and replace(part, family=verdict.family if verdict.waits else ""))
        waiting = WaitingPage(note, waiting.body)
        decision = decide(ArticleFound(note, article, verdict.family if verdict.waits else ""), evidence)
        if isinstance(decision, Refuse) and decision.why is Drop.REPEAT:
            judged.kind = PageKind.OTHER
        if isinstance(decision, Wait) and decision.kind is WaitKind.PARTS:
            self.joiner.parsed.keep(note.key, page, size=len(waiting.body))
            self._take_part(judged, waiting, depth=depth)
            return judged
        judged.drop = self._carry_out(decision, waiting, items=judged.items, page=page)
        waits = isinstance(decision, Wait) and decision.kind is WaitKind.TEMPLATE
        if not waits and judged.kind.is_article:
            if verdict.compared:
                self.store.waiting.forget_answered(verdict.family)
            elif judged.items:
                self.store.waiting.keep_answered(waiting, verdict.family)
        return judged

    def _carry_out(
        self,
        decision: Leave | Withhold | Wait | Refuse,
        waiting: WaitingPage,
        *,
        items: list[Item],
        page: Page | None = None,
    ) -> Drop | None:
        """Do what was decided about a page; the reason where its article is dropped."""
        match decision:
            case Wait():
                self._hold(waiting, decision, page)
            case Leave():
                self._record_family(decision, waiting.page, is_withheld=False)
                self._save(decision, waiting.page, self.store.items.latest(waiting.page.key))
                self.evidence.count_left()
                items.append(decision.item)
            case Withhold():
                self._record_family(decision, waiting.page, is_withheld=True)
                self.store.waiting.let_go(waiting.page.key)
                self.joiner.parsed.forget(waiting.page.key)
            case Refuse():
                self._drop(decision.why, waiting.page)
                return decision.why
        return None

    def _hold(self, waiting: WaitingPage, wait: Wait, page: Page | None) -> None:
        self.store.waiting.hold(waiting, wait.kind, of=wait.of)
        if page is not None:
            self.joiner.parsed.keep(waiting.page.key, page, size=len(waiting.body))
        if wait.kind is WaitKind.TEMPLATE:
            self.emit(ArticleHeld(waiting.page.url))

    def _take_part(self, judged: Judgement, part: WaitingPage, *, depth: int) -> None:
        """A part has come: the article leaves with the last one; until then the next one is wanted."""
        note, judged.joined = part.page.part, True
        assert note is not None
        if part.page.key != note.of and self.store.items.has_left(note.of):
            judged.drop = Drop.PART
            self._drop(Drop.PART, part.page)
            return
        self.store.waiting.hold(part, WaitKind.PARTS, of=note.of)
        chain = self.joiner.chain(note.of)
        if not is_whole(chain):
            judged.wanted = self.joiner.missing(chain, part.page, depth=depth)
        elif (first := chain[0].page.part) and first.family and not self.site.is_settled(first.family):
            self.store.waiting.hold(chain[0], WaitKind.TEMPLATE, of=first.family)
        else:
            judged.items.extend(self._join(chain))

    # ---- pages that waited
    def release(self, family: str = "", *, besides: AbstractSet[str] = frozenset()) -> Iterator[Item]:
        """The articles of the pages that wait for a family's template, or of all ``besides`` some, with the best template there is now."""
        for waiting in list(self.store.waiting.held(WaitKind.TEMPLATE if family else None, of=family)):
            if waiting.page.key not in besides:
                try:
                    yield from list(self._release(waiting))
                except _FAULTS:
                    self._fail(waiting)

    def _release(self, waiting: WaitingPage) -> Iterator[Item]:
        """A page may go; parts of one article go together, those without a first part on their own."""
        part, items = waiting.page.part, list[Item]()
        if part is None:
            found = ArticleFound(waiting.page, self.joiner.join([waiting]))
            self._carry_out(decide(found, self.evidence), waiting, items=items)
            yield from items
            return
        if waiting.page.key == part.of:
            self.store.waiting.hold(waiting, WaitKind.PARTS, of=part.of)
        chain = self.joiner.chain(part.of)
        if self.limited and not is_whole(chain):
            return
        if chain:
            yield from self._join(chain)
        elif self.store.items.digest(part.of) is not None:
            self.store.waiting.let_go(waiting.page.key)
        else:
            yield from self._join([waiting])

    def _join(self, chain: list[WaitingPage]) -> list[Item]:
        """The item of an article of several parts, none where it is dropped."""
        items = list[Item]()
        decision = leave_or_refuse(ArticleFound(chain[0].page, self.joiner.join(chain)), self.evidence)
        why = self._carry_out(decision, chain[0], items=items)
        for part in chain:
            self.store.waiting.let_go(part.page.key)
            if why is Drop.MAX_ARTICLES:
                self._miss(part.page)
        return items

    def settle(self, *, limited: bool = False) -> list[Item]:
        """Nothing is left to fetch: templates are induced from whatever there is, and all that waits leaves.

        What lacks a part stays where the crawl came to a limit: the next run fetches it.
        """
        self.limited = limited
        for event in self.site.settle():
            self.emit(TemplateChanged(self.site.site, event))
        items = [*self.release(besides=self._let_unpromised_go()), *self._judge_families()]
        for family in self.store.waiting.answered_families():
            items += self._revise(family)
        return items

    def _judge_families(self) -> list[Item]:
        """The withheld items of the families that are articles after all; the others stay withheld and are told, once a run."""
        items, gate = list[Item](), self.evidence.families
        for withheld in list(gate.released()):
            page = ArticlePage(withheld.key, withheld.item["url"], withheld.key, promise=1.0)
            why = self.evidence.unwanted(page, withheld.item, digest=withheld.digest)
            if why is None:
                self._save(Leave(withheld.item, withheld.digest), page, self.store.items.latest(page.key))
                self.evidence.count_left()
                items.append(withheld.item)
            elif why is not Drop.MAX_ARTICLES:
                self.emit(PageDropped(page.url, why))
            if why is not Drop.MAX_ARTICLES:
                gate.store.release(withheld.key)
        for family, verdict in [] if self.limited else list(gate.judged()):
            self.emit(FamilyJudged(self.site.site, family, verdict))
        return items

    def _record_family(self, decision: Leave | Withhold, page: ArticlePage, *, is_withheld: bool) -> None:
        """Keep what a page says of its family, and its item where that is withheld."""
        item, gate = decision.item, self.evidence.families
        said = gate.describe(page, item)
        withheld = WithheldItem(page.key, item, decision.digest) if is_withheld else None
        gate.store.record(page.key, said, withheld=withheld)

    def _after(self, event: Event) -> Iterator[Item]:
        """The items that leave because a template was trusted or replaced."""
        if event.kind in _SETTLING:
            self.keep()
            if self.site.is_settled(event.family):
                yield from self.release(event.family)
            yield from self._revise(event.family)

    def _revise(self, family: str) -> Iterator[Item]:
        """Items extracted with a template version that was later replaced. They are extracted again and leave as a revision if the result is better;
        what the newest version gave stays as it is, so that nothing leaves twice after a kill."""
        for waiting in list(self.store.waiting.answered(family)):
            before = self.store.items.latest(waiting.page.key)
            if before is None:
                continue
            article = self.site.better_than(before, self.joiner.parsed.of(waiting), anchor=waiting.page.anchor)
            if article is not None:
                item = self.evidence.hooks.piped(item_of(article, waiting.page.section, waiting.page.fetched))
                if item is not None:
                    item["provenance"] |= {name: before["provenance"].get(name) for name in ("family", "pageKind")}
                    self._save(Leave(item, body_digest(item)), waiting.page, before)
                    yield item

    def _let_unpromised_go(self) -> set[str]:
        """Keys of the pages that look like articles, and of which neither a link nor the pages like them say so; they wait no
        more, unless the crawl came to a limit and goes on."""
        held = [waiting.page for waiting in self.store.waiting.held(WaitKind.UNPROMISED)]
        found = {page.key for page in held if self._promise(page) < LEAST_PROMISE}
        for key in found if not self.limited else ():
            self.store.waiting.let_go(key)
        return found

    def disown(self, url: str) -> None:
        """A page that looks like an article is none: it is the listing page that its link promised."""
        self.store.waiting.let_go(url_key(url))
        self.stats.disown(url)

    def resume(self) -> Iterator[Judgement]:
        """Judge the pages again that waited when a run was interrupted: the site model may know less than it did then."""
        for waiting in list(self.store.waiting.held()):
            try:
                yield self._judge(self.joiner.parsed.of(waiting), waiting, depth=0)
            except _FAULTS:
                self._fail(waiting)
        for family in self.store.waiting.answered_families():
            yield Judgement(PageKind.ARTICLE, list(self._revise(family)))

    # ---- what is written down
    def _save(self, leave: Leave, page: ArticlePage, before: Item | None) -> None:
        """Write down an item that leaves; ``before`` is the one that left for its page."""
        revise(leave.item, before, page.modified)
        self.store.save_item(page.key, leave.item, digest=leave.digest)
        self.joiner.parsed.forget(page.key)
        self.emit(ArticleLeft(leave.item, is_new=not before))

    def _drop(self, why: Drop, page: ArticlePage) -> None:
        self.emit(PageDropped(page.url, why))
        self.store.waiting.let_go(page.key)
        self.joiner.parsed.forget(page.key)
        if why is Drop.MAX_ARTICLES:
            self._miss(page)

    def _fail(self, waiting: WaitingPage) -> None:
        logger.exception("The page %s failed and is dropped", waiting.page.url)
        self._drop(Drop.FAILED, waiting.page)
        self._miss(waiting.page)

    def _miss(self, page: ArticlePage) -> None:
        self.store.miss(page.asked)
        self.missed.add(page.asked)
