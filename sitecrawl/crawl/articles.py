"""From article pages to items: pages of a young template wait for their partners, parts for one another, copies are dropped."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import Any

from lxml.etree import LxmlError

from sitecrawl.crawl.config import CrawlArguments, CrawlSettings
from sitecrawl.crawl.joiner import Joiner, cluster_of, is_whole, part_of, waits_for
from sitecrawl.crawl.records import ArticlePage, Drop, FetchedPage, RequestContext, WaitingPage
from sitecrawl.crawl.soft_errors import Echoes
from sitecrawl.crawl.store import CrawlStore
from sitecrawl.crawl.url_stats import UrlStats
from sitecrawl.crawl.visits import VisitNotes
from sitecrawl.dom.align import outer_classes
from sitecrawl.dom.page import Page
from sitecrawl.dom.parse import parse
from sitecrawl.dom.render import absolute
from sitecrawl.items.article import Article
from sitecrawl.items.feed_items import body_digest, item_of, revise
from sitecrawl.items.kinds import PageKind
from sitecrawl.links.classify import classify
from sitecrawl.links.link_model import model_at
from sitecrawl.site.model import SiteModel
from sitecrawl.site.verdict import STRANGER, Event, Verdict, event_line
from sitecrawl.urls.canonical import join, url_key

Item = dict[str, Any]

logger = logging.getLogger(__name__)

_FAULTS = (ValueError, TypeError, AttributeError, LookupError, ArithmeticError, RuntimeError, LxmlError)
"""What one bad page may raise where it meets code that did not expect it; errors of the database are none of its."""
_DOUBTED = "doubted"
"""Name under which pages wait that may be no articles."""
UNPROMISED = "unpromised"
"""Name under which pages wait that look like articles where no link promised one."""
_LISTS = 4
"""Articles that stand on a page and on one listing page at most, from which the page is a listing page if it looks like one."""
_FEW = 0.2
"""Share of a site's articles up to which pages that lack what these have in common are taken for none."""
_UNSURE = 0.3
"""Confidence of an article below which it is dropped where its family has no template; above, it was right on every site at hand."""
_SETTLING = ("trusted", "replaced")
"""Events of a template after which the pages that wait for it may go."""


@dataclass(slots=True)
class Reading:
    """What became of one page: its kind, the items that leave now, a further part to fetch, and why none left.

    ``joined`` tells that the page is a part of an article over several pages.
    """

    kind: PageKind
    items: list[Item] = field(default_factory=list)
    wanted: RequestContext | None = None
    drop: Drop | None = None
    joined: bool = False
    alike: bool = False
    """Whether the page looks like an article although its link promised none: it waits for what the pages like it are."""
    listlike: bool = False
    """Whether the page does not look like the article that its link promised: it waits for what is known of its own links."""

    @property
    def brings(self) -> PageKind:
        """The kind of the page, by which pages like it are judged: what left already under the URL that it calls its own is no further article."""
        return PageKind.OTHER if self.drop is Drop.COPY else self.kind


@dataclass
class Articles:
    """Judges pages by the site model and lets their articles go, at once or later. ``count`` adds one to a statistic."""

    store: CrawlStore
    site: SiteModel
    arguments: CrawlArguments
    settings: CrawlSettings
    count: Callable[[str], None]
    stats: UrlStats
    left: int = 0
    """Articles that left in this run."""
    keep: Callable[[], None] = lambda: None
    """Called when something was learned that a kill must not lose."""
    hosts: Callable[[], AbstractSet[str]] = frozenset
    """The hosts of the site, as URL keys name them."""
    notes: VisitNotes | None = None
    """Takes down what leaves and what happens to templates."""
    echoes: Echoes = field(default_factory=Echoes)
    limited: bool = False
    """Whether the crawl came to a limit, from where another run goes on."""
    dropped: Counter[Drop] = field(default_factory=Counter)
    missed: set[str] = field(default_factory=set)
    """Keys of the pages that were read in vain and are to be fetched again."""

    def __post_init__(self) -> None:
        self.joiner = Joiner(self.store, self.site)

    def read(self, page: Page, fetched: FetchedPage) -> Reading:
        """Judge a fetched page; an article leaves, or waits when a template for it may be near."""
        context = fetched.context
        note = ArticlePage(
            context.key if page.url == context.url else url_key(page.url),
            page.url,
            context.key,
            context.promise,
            context.section,
            context.anchor,
            fetched.content_type,
            fetched.modified,
            marked=page.metadata.marks_article,
            classes=tuple(outer_classes(page.root)),
            part=context.part,
            fetched=fetched.fetched,
        )
        return self._read(page, WaitingPage(note, fetched.body), context.depth)

    def _promise(self, page: ArticlePage) -> float:
        """Probability, 0..1, that a page is an article: by its link, or by what pages like it were where that promises more."""
        return max(page.promise, self.stats.article_share(page.url, page.promise))

    def _read(self, page: Page, waiting: WaitingPage, depth: int) -> Reading:
        verdict = self.site.observe_page(page, self._promise(waiting.page), waiting.page.anchor)
        article = verdict.article
        if article is None:
            reading = Reading(verdict.kind, alike=verdict.alike)
            if verdict.alike and self._is_known_elsewhere(page, waiting.page.key):
                reading.alike, reading.drop = False, Drop.COPY
                self._drop(Drop.COPY, waiting.page)
            elif verdict.alike and 2 * self.store.held_count() < self.settings.hold:
                self.store.hold(waiting, UNPROMISED)
            elif reading.kind is PageKind.LISTING:
                self.site.conventions.classes.record_listing(waiting.page.classes)
        else:
            reading = Reading(verdict.kind if verdict.kind.is_article else PageKind.ARTICLE)
            self._place(reading, page, waiting, (verdict, article, depth))
        for event in verdict.events:
            self._tell(event, page.url)
            if event.kind in _SETTLING:
                self.keep()
                if self.site.is_settled(event.family):
                    reading.items.extend(self.release(event.family))
                reading.items.extend(self._revise(event.family))
        return reading

    def _place(self, reading: Reading, page: Page, waiting: WaitingPage, found: tuple[Verdict, Article, int]) -> None:
        """An article leaves, or waits for its other parts or for a template."""
        verdict, article, depth = found
        anchor = waiting.page.anchor if self.store.is_shown(waiting.page.asked) else ""
        text = self.echoes.meet(waiting.page.key, article.headline or "", article.articleBody, anchor)
        reading.listlike = not verdict.looks
        waiting = WaitingPage(replace(waiting.page, text=text, listlike=reading.listlike), waiting.body)
        if self.echoes.repeats(text):
            reading.kind, reading.drop = PageKind.OTHER, Drop.REPEAT
            self._drop(Drop.REPEAT, waiting.page)
            return
        dated, promise = bool(article.datePublished), self._promise(waiting.page)
        # that pages like it were articles makes a page one, but no undated page a rule
        self.site.conventions.dates.record(dated, waiting.page.marked, promise if dated else waiting.page.promise)
        self.site.conventions.classes.record(waiting.page.classes, promise)
        full = self.store.held_count() >= self.settings.hold
        part = None if full else part_of(page, waiting.page.key, waiting.page.part)
        if part is not None:
            held = WaitingPage(replace(waiting.page, part=part), waiting.body)
            self._take_part(reading, waits_for(held, verdict.family if verdict.waits else ""), depth)
        elif verdict.waits and not full:
            self.store.hold(WaitingPage(replace(waiting.page, part=None), waiting.body), verdict.family)
            self.count("items/waiting")
        else:
            reading.drop = self._leave_unless_doubted(reading.items, article, waiting)
            if verdict.compared:
                self.store.forget_answered(verdict.family)
            elif reading.items:
                self.store.keep_answered(waiting, verdict.family)

    def _take_part(self, reading: Reading, part: WaitingPage, depth: int) -> None:
        """A part has come: the article leaves with the last one; until then the next one is wanted."""
        note, reading.joined = part.page.part, True
        assert note is not None
        if part.page.key != note.of and self.store.has_left(note.of):
            reading.drop = Drop.PART
            self._drop(Drop.PART, part.page)
            return
        self.joiner.hold(part)
        chain = self.joiner.chain(note.of)
        if not is_whole(chain):
            reading.wanted = self.joiner.missing(chain, part.page, depth)
        elif (first := chain[0].page.part) and first.cluster and not self.site.is_settled(first.cluster):
            self.store.hold(chain[0], first.cluster)
        else:
            self._join(reading.items, chain)

    # ---- pages that waited
    def release(self, cluster: str | None = None, besides: AbstractSet[str] = frozenset()) -> Iterator[Item]:
        """The articles of the pages that wait for a cluster, or of all ``besides`` some, with the best template there is now."""
        for waiting in list(self.store.held(cluster)):
            if waiting.page.key not in besides:
                yield from self._guarded(waiting)

    def settle(self, limited: bool = False) -> list[Item]:
        """Nothing is left to fetch: templates are induced from whatever there is, and all that waits leaves.

        What lacks a part stays where the crawl came to a limit: the next run fetches it.
        """
        self.limited = limited
        for event in self.site.settle():
            self._tell(event)
        items = [*self.release(besides=self._strangers() | self._unproven()), *self._settle_doubts()]
        for family in self.store.answered_families():
            items += self._revise(family)
        return items

    def _revise(self, family: str) -> Iterator[Item]:
        """Articles that a template gave which was replaced since, before a page showed that it no longer holds: where the next version gives a
        better one, it leaves as a revision. What this version itself gave stays as it is, so nothing leaves twice after a kill."""
        for waiting in list(self.store.answered(family)):
            before = self.store.item(waiting.page.key)
            if before is None:
                continue
            page = parse(waiting.body, waiting.page.url, waiting.page.content_type or None)
            article = self.site.better_than(before, page, waiting.page.anchor)
            if article is not None:
                item = item_of(article, waiting.page.section, waiting.page.fetched)
                self._save(item, waiting.page, before, body_digest(item))
                yield item

    def _strangers(self) -> set[str]:
        """Keys of the pages that look like articles, and of which neither a link nor the pages like them say so; they wait no
        more, unless the crawl came to a limit and goes on."""
        found = {waiting.page.key for waiting in self.store.held(UNPROMISED) if self._promise(waiting.page) < STRANGER}
        for key in found if not self.limited else ():
            self.store.let_go(key)
        return found

    def _unproven(self) -> set[str]:
        """Keys of the pages of which the extractor is unsure and that share no article with the many pages like them; they are
        dropped, unless the crawl came to a limit and goes on."""
        held = [waiting for family in self.site.unproven() for waiting in self.store.held(family)]
        found = {
            waiting.page.key: waiting for waiting in held if waiting.page.part is None and self._is_unsure(waiting)
        }
        for waiting in found.values() if not self.limited else ():
            self._drop(Drop.UNPROVEN, waiting.page)
        return found.keys() | set[str]()

    def _is_unsure(self, waiting: WaitingPage) -> bool:
        return self.joiner.join([waiting]).provenance.confidence < _UNSURE

    def _settle_doubts(self) -> Iterator[Item]:
        """Few pages that lack what the articles of the site have in common are none ("about", a form) and are dropped; many are
        articles of another kind, and leave with a flag. A page that looks like a listing page and is one is dropped as well."""
        doubted = list(self.store.held(_DOUBTED))
        dates = self.site.conventions.dates
        few = sum(not waiting.page.listlike for waiting in doubted) <= _FEW * (dates.dated + dates.undated)
        for waiting in doubted:
            if self._lists(waiting):
                self._drop(Drop.LISTS, waiting.page)
                continue
            article = self.joiner.join([waiting])
            doubt, items = self._doubt(article, waiting.page), list[Item]()
            if doubt and few:
                self._drop(doubt, waiting.page)
            else:
                article.provenance.flags += [doubt] if doubt else []
                self._leave(items, article, waiting.page)
            yield from items

    def _lists(self, waiting: WaitingPage) -> bool:
        """Whether a page that looks like a listing page is one: articles are known that hardly another page shows."""
        note = waiting.page
        if not note.listlike or not self.site.conventions.looks.tell:
            return False
        page = parse(waiting.body, note.url, note.content_type or None)
        urls = {join(page.base_url, anchor.get("href", "")) for anchor in page.root.iter("a")}
        own = self.store.seldom_shown({*map(url_key, urls)} - {note.key, note.asked})
        if len(own) < _LISTS:  # so it is on nearly all pages, whatever their links are taken for
            return False
        links = classify(page, model_at(self.settings.link_model), self.site.profile)
        return len(own.intersection(url_key(link.url) for link in links if link.label == "article")) >= _LISTS

    def disown(self, url: str) -> None:
        """A page that looks like an article is none: it is the listing page that its link promised."""
        self.store.let_go(url_key(url))
        self.stats.disown(url)

    def meet_again(self, parse_page: Callable[[bytes, str, str | None], Page]) -> Iterator[Reading]:
        """Judge the pages again that waited when a run was interrupted: the site model may know less than it did then."""
        for waiting in list(self.store.held()):
            try:
                page = parse_page(waiting.body, waiting.page.url, waiting.page.content_type or None)
                yield self._read(page, waiting, 0)
            except _FAULTS:
                self._fail(waiting)
        for family in self.store.answered_families():
            yield Reading(PageKind.ARTICLE, list(self._revise(family)))

    def _guarded(self, waiting: WaitingPage) -> list[Item]:
        """The items of a page that waited; one that fails is dropped, so that those behind it go on."""
        items: list[Item] = []
        try:
            self._release(items, waiting)
        except _FAULTS:
            self._fail(waiting)
        return items

    def _fail(self, waiting: WaitingPage) -> None:
        logger.exception("The page %s failed and is dropped", waiting.page.url)
        self._drop(Drop.FAILED, waiting.page)
        self._miss(waiting.page)

    def _miss(self, page: ArticlePage) -> None:
        self.store.miss(page.asked)
        self.missed.add(page.asked)

    def _release(self, items: list[Item], waiting: WaitingPage) -> None:
        """A page may go; parts of one article go together, those without a first part on their own."""
        part = waiting.page.part
        if part is None:
            self._leave_unless_doubted(items, self.joiner.join([waiting]), waiting)
            return
        if waiting.page.key == part.of:
            self.store.hold(waiting, cluster_of(part.of))
        chain = self.joiner.chain(part.of)
        if self.limited and not is_whole(chain):
            return
        if chain:
            self._join(items, chain)
        elif self.store.item_digest(part.of) is not None:
            self.store.let_go(waiting.page.key)
        else:
            self._join(items, [waiting])

    def _join(self, items: list[Item], chain: list[WaitingPage]) -> None:
        article = self.joiner.join(chain)
        drop = self._leave(items, article, chain[0].page)
        for part in chain:
            self.store.let_go(part.page.key)
            if drop is Drop.MAX_ARTICLES:
                self._miss(part.page)

    # ---- items
    def _leave(self, items: list[Item], article: Article, page: ArticlePage) -> Drop | None:
        """Append the item of an article, unless it is too old, a copy, or one too many: then say why."""
        item = item_of(article, page.section, page.fetched)
        digest = body_digest(item)
        drop = self._unwanted(item, page, digest)
        if drop is not None:
            self._drop(drop, page)
            return drop
        self._save(item, page, self.store.item(page.key), digest)
        self.left += 1
        items.append(item)
        return None

    def _save(self, item: Item, page: ArticlePage, before: Item | None, digest: str) -> None:
        """Write down an item that leaves; ``before`` is the one that left for its page, ``digest`` that of its body."""
        revise(item, before, page.modified)
        if before:
            self.count("items/revised")
        self.store.save_item(page.key, item, digest)
        self.count(f"items/{item['provenance']['method']}")
        if self.notes is not None:
            self.notes.left(item, not before)

    def _drop(self, why: Drop, page: ArticlePage) -> None:
        self.count(f"items/dropped/{why}")
        self.dropped[why] += 1
        self.store.let_go(page.key)
        if why is Drop.MAX_ARTICLES:
            self._miss(page)

    def _leave_unless_doubted(self, items: list[Item], article: Article, waiting: WaitingPage) -> Drop | None:
        """An article leaves; one that may be none waits for the end of the crawl, when it is known how many like it there are."""
        page, conventions = waiting.page, self.site.conventions
        undecided = not article.datePublished and not conventions.dates.known
        undecided = undecided or (page.listlike and conventions.looks.tell)
        if not (undecided or self._doubt(article, page)) or self.store.held_count() >= self.settings.hold:
            return self._leave(items, article, page)
        self.store.hold(waiting, _DOUBTED)
        return None

    def _doubt(self, article: Article, page: ArticlePage) -> Drop | None:
        """What a page lacks that the articles of this site have in common."""
        conventions = self.site.conventions
        if not article.datePublished and conventions.dates.expects_date(page.marked):
            return Drop.UNDATED
        return Drop.UNLIKE if conventions.classes.is_foreign(page.classes) else None

    def _unwanted(self, item: Item, page: ArticlePage, digest: str) -> Drop | None:
        if self.is_full:
            return Drop.MAX_ARTICLES
        if self.echoes.repeats(page.text):
            return Drop.REPEAT
        if self.arguments.is_too_old(item["datePublished"]):
            return Drop.SINCE
        if self.store.item_digest(page.key) == digest or self.store.has_left(page.key):
            return Drop.UNCHANGED
        return Drop.COPY if self._is_twin(item, page.key, digest) else None

    def _is_known_elsewhere(self, page: Page, key: str) -> bool:
        """Whether a page calls another URL its own, whose article has left."""
        own = absolute(page.metadata.links.get("canonical") or "", page.base_url) or page.url
        return url_key(own) != key and self.store.item_digest(url_key(own)) is not None

    @property
    def is_full(self) -> bool:
        """Whether as many articles left as were asked for."""
        limit = self.arguments.max_articles
        return bool(limit) and self.left >= limit

    def _is_twin(self, item: Item, key: str, digest: str) -> bool:
        """Whether an article has left already with the same text, under the URL that this page calls its own or on another host of the site."""
        path = key.partition("/")[2]
        twins = {url_key(item["canonicalUrl"] or item["url"]), *(f"{host}/{path}" for host in self.hosts())} - {key}
        return any(self.store.item_digest(twin) == digest for twin in twins)

    def _tell(self, event: Event, url: str = "") -> None:
        self.count(f"templates/{event.kind}")
        if self.notes is not None:
            self.notes.happened(event, url)
        level = logging.WARNING if event.kind == "drifting" else logging.INFO
        logger.log(level, "%s", event_line(self.site.site, event, url))
