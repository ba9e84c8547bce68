"""From article pages to items. Pages wait here for a template or for the other parts of their
article; copies are dropped."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from lxml.etree import LxmlError

from sitecrawl.crawl.decisions import (
    CrawlEvidence,
    Leave,
    Skip,
    Wait,
    decide,
    write_or_skip,
)
from sitecrawl.crawl.events import ArticleWritten, Counted, Emit, PageDropped, TemplateChanged
from sitecrawl.crawl.hooks import log_failure
from sitecrawl.crawl.ledger import Fact, Ledger, Lesson
from sitecrawl.crawl.parts import COMPARED, PartChains, alone, is_whole, next_of, part_of
from sitecrawl.crawl.records import (
    PROMISING,
    SHOWN_STATUS,
    SURE,
    ArticleRecord,
    Drop,
    FetchedPage,
    PartNote,
    Reading,
    RequestContext,
    Role,
    WaitingPage,
    WaitKind,
)
from sitecrawl.crawl.site_state import LOST, NO_DAY, OLDER, WithheldItem
from sitecrawl.crawl.soft_errors import has_little_text, says_missing
from sitecrawl.crawl.store import CrawlStore
from sitecrawl.dom.page import Page
from sitecrawl.extract.fields import canonical_url
from sitecrawl.extract.single import Extraction
from sitecrawl.items.article import Article, Flag
from sitecrawl.items.kinds import PageKind
from sitecrawl.items.sameness import ArticleFacts
from sitecrawl.site.answer import LazyExtraction
from sitecrawl.site.content_type import content_type
from sitecrawl.site.joining import join
from sitecrawl.site.judge import LEAST_PROMISE, judged_page, lists_pages
from sitecrawl.site.model import SiteModel
from sitecrawl.site.verdict import EventKind, Verdict
from sitecrawl.urls.canonical import url_key

Item = dict[str, Any]

logger = logging.getLogger(__name__)

FAULTS = (
    ValueError,
    TypeError,
    AttributeError,
    LookupError,
    ArithmeticError,
    RuntimeError,
    LxmlError,
)
"""Exceptions that one malformed page may cause in our code. Errors of the database are not among
them."""
# probability of an article if the CMS says so: 2,378 of 2,427 pages of 19 sites
TYPE_PROMISE = 0.95
_MAY_COME_LATER = (Drop.MAX_ARTICLES, Drop.SINCE)
"""Why an item stays withheld that is an article: a run with other arguments may write it."""
_SETTLING = (
    EventKind.TRUSTED,
    EventKind.REPLACED,
)  # events of a template that release the pages waiting for it


@dataclass(slots=True)
class Judgement:
    """The result for one page."""

    kind: PageKind
    items: list[Item] = field(default_factory=list)  # to be written now
    wanted: list[RequestContext] = field(default_factory=list)  # further parts to fetch
    drop: Drop | None = None  # the reason if nothing is written
    first: str = ""  # URL of the first part of the article that it is a part of
    later: bool = False  # whether it is a part after the first
    missing: bool = False  # whether it only says that its article does not exist any more
    # the reason why an article is lost, in whose place an error page or a login form came
    loss: str = ""
    repeats: bool | None = None  # whether it has the text of others; None if it was not read
    lookalike: bool = False  # whether it looks like an article, but its link did not; it waits
    text: str = ""  # digest of its text
    key: str = ""  # the page key under which this text counts


@dataclass
class Articles:
    """Judges pages with the site model and releases their items, at once or later."""

    store: CrawlStore
    site: SiteModel
    evidence: CrawlEvidence
    emit: Emit
    keep: Callable[
        [], None
    ]  # called when the site model learned something that must survive a kill
    ledger: Ledger
    days: Mapping[str, str] = field(default_factory=dict)  # of articles, as feeds tell them
    limited: bool = False  # whether the crawl reached a limit; the next run continues from there
    relabelled: dict[str, str] = field(
        default_factory=dict
    )  # kinds of pages to request again later, by key

    @property
    def chains(self) -> PartChains:
        return PartChains(self.store)

    def read(self, page: Page, fetched: FetchedPage) -> Judgement:
        """Judge a fetched page. The item of an article is written, or waits if the site may soon
        have a better template."""
        context, named_type = fetched.context, content_type(page)
        record = ArticleRecord(
            key=context.key if page.url == context.url else url_key(page.url),
            url=page.url,
            asked=context.key,
            promise=max(context.promise, TYPE_PROMISE)
            if named_type.is_article
            else context.promise,
            section=context.section,
            anchor=context.anchor,
            content_type=fetched.content_type,
            modified=fetched.modified,
            listing=context.listing,
            type=named_type.name,
            part=context.part,
            fetched=fetched.fetched,
            published=self.days.get(context.key, ""),
            status=fetched.status,
        )
        return self._judge(WaitingPage(record, fetched.body, page), context)

    def _judge(self, waiting: WaitingPage, context: RequestContext) -> Judgement:
        page = waiting.opened()
        reading = LazyExtraction(page, method=self.site.method, anchor=waiting.record.anchor)
        verdict = self.site.observe_page(reading, self.evidence.promise(waiting.record))
        if verdict.article is None:
            judged = Judgement(verdict.kind, lookalike=verdict.is_lookalike)
            # until similar pages are known
            if verdict.is_lookalike and self.evidence.has_room_for_doubts:
                self.store.waiting.hold(waiting, WaitKind.LOOKALIKE)
        elif lists_pages(verdict.article, page.url, promise=waiting.record.promise):
            judged = Judgement(PageKind.LISTING)
        elif says_missing(verdict.article.headline or "", verdict.article.articleBody):
            judged = Judgement(PageKind.OTHER, missing=True)
        else:
            waiting = replace(waiting, record=_weighed(reading, waiting.record))
            judged = self._judge_article(waiting, verdict, context=context)
        for event in verdict.events:
            self.emit(TemplateChanged(self.site.site, event, page.url))
            if event.kind in _SETTLING:
                self.keep()
                if self.site.is_settled(event.family):
                    held = self.store.waiting.held(WaitKind.TEMPLATE, of=event.family)
                    judged.items += self._release(held)
        self.remember()
        return judged

    def remember(self) -> None:
        """Store what the site's families of pages learned since the last call."""
        for name, document in self.site.news():
            self.store.memory.put(name, document)

    def _judge_article(
        self, waiting: WaitingPage, verdict: Verdict, *, context: RequestContext
    ) -> Judgement:
        article, record, evidence = verdict.article, waiting.record, self.evidence
        page = waiting.opened()
        assert article is not None
        kind = verdict.kind if verdict.kind.is_article else PageKind.ARTICLE
        family = verdict.family if verdict.waits else ""
        facts = ArticleFacts.of(article.to_dict(COMPARED))
        is_bare = has_little_text(page)
        text = evidence.texts.digest(record.key, article, record.anchor, is_whole_page=is_bare)
        record = replace(record, facts=facts, text=text, kind=kind)
        judged = Judgement(kind, text=record.text, key=record.key)
        part = self._place(page, record, judged=judged)
        others, part = self.chains.without_others(record, part)
        if part is not None:
            judged.first = part.first
            part = replace(part, family=family) if evidence.has_room else None
        record = replace(record, part=part)
        said = Reading(page.url, text=record.text, key=record.key)
        self.ledger.record(Lesson(Fact.SAID, context, said))
        waiting = replace(waiting, record=record, parsed=page)
        decision = decide(record, article, family=family, evidence=evidence)
        if isinstance(decision, Wait) and decision.kind is WaitKind.PARTS:
            self._take_part(judged, waiting)
        else:
            judged.items += self._carry_out(decision, waiting)
        if isinstance(decision, Skip):
            judged.drop = decision.why
            if judged.drop is Drop.REPEAT:
                judged.kind = PageKind.OTHER
        for other in others:
            self._judge_alone(judged, other)
        return judged

    def _carry_out(self, decision: Leave | Skip | Wait, waiting: WaitingPage) -> list[Item]:
        """Carry out the decision about a page; returns the items to write."""
        record = waiting.record
        match decision:
            case Wait(kind, of):
                self.store.waiting.hold(waiting, kind, of=of)
                self.emit(Counted(record.url, "items/waiting"))
            case Skip(why, evidence):
                # what is withheld stays so
                if evidence and not self.store.families.holds(record.key):
                    self.store.families.record(record.key, evidence, digest="", withheld=None)
                self._drop(why, record)
            case Leave(item, digest, evidence, is_withheld, moved_from):
                if record.status in SHOWN_STATUS:
                    item["provenance"].setdefault("flags", []).append(Flag.ERROR_STATUS)
                self.store.families.record(
                    record.key, evidence, digest=digest, withheld=item if is_withheld else None
                )
                if not is_withheld:
                    return [self._save(item, digest, record=record, moved_from=moved_from)]
                self.store.waiting.let_go(record.key)
        return []

    # ---- articles over several pages
    def _place(self, page: Page, record: ArticleRecord, *, judged: Judgement) -> PartNote | None:
        """The position of a page in an article over several pages. A page that says another
        headline or day than the first one ends that article, and is judged by itself."""
        note = part_of(page, record.key, given=record.part)
        if note is None:
            return None
        if self.chains.is_other(replace(record, part=note)):
            if chain := self.chains.end_before(record.key, note.of):
                judged.items += self._finish_chain(chain)
            if note.next:  # the next one of the series
                self._want(judged, note.next, record=record, part=PartNote(note.of, note.first))
            note = alone(page, record.key)
        return note

    def _judge_alone(self, judged: Judgement, other: WaitingPage) -> None:
        """Judge a page by itself that waited as a later part of an article and is none."""
        record = replace(other.record, part=alone(other.opened(), other.record.key))
        page = replace(other, record=record)
        if record.part is not None:
            self._hold_part(judged, page)
        else:
            decision = decide(record, self.join([page]), evidence=self.evidence)
            judged.items += self._carry_out(decision, page)

    def _take_part(self, judged: Judgement, part: WaitingPage) -> None:
        """Store one part of an article. The article is written with its last part; until then the
        next part, or the first one, is requested."""
        note = part.record.part
        assert note is not None
        judged.later = part.record.key != note.of
        is_known = self.store.items.was_written(note.of) or self.store.families.holds(note.of)
        if judged.later and is_known:
            # a thread may be shown under the URL of each of its posts, too
            named = canonical_url(part.opened())
            judged.drop = Drop.COPY if named and url_key(named) != part.record.key else Drop.PART
            self._drop(judged.drop, part.record)
            return
        self._hold_part(judged, part)

    def _hold_part(self, judged: Judgement, part: WaitingPage) -> None:
        note = part.record.part
        assert note is not None
        self.store.waiting.hold(part, WaitKind.PARTS, of=note.of)
        chain = self.chains.chain(note.of)
        if is_whole(chain):
            judged.items += self._finish_chain(chain)
        elif chain:
            later = PartNote(note.of, note.first)
            self._want(judged, next_of(chain[-1]), record=part.record, part=later)
        else:
            self._want(judged, note.first, record=part.record)

    def _want(
        self, judged: Judgement, url: str, *, record: ArticleRecord, part: PartNote | None = None
    ) -> None:
        """Want another part of the article of a page, or of its series."""
        wanted = RequestContext(url, Role.ARTICLE, SURE, section=record.section, part=part)
        judged.wanted.append(wanted)

    def _finish_chain(self, chain: list[WaitingPage]) -> list[Item]:
        """The item of all parts of an article; none while the first one waits for a template."""
        note = chain[0].record.part
        if note is None or not note.family or self.site.is_settled(note.family):
            return self._join(chain)
        self.store.waiting.hold(chain[0], WaitKind.TEMPLATE, of=note.family)
        return []

    def join(self, chain: list[WaitingPage]) -> Article:
        """The article of its parts, flagged ``incomplete`` if parts are missing."""
        first, *rest = chain
        articles = [self.site.extract_page(first.opened(), anchor=first.record.anchor)]
        articles += [self.site.extract_page(part.opened(), later=True) for part in rest]
        return join(articles, is_whole=not first.record.part or is_whole(chain))

    def _join(self, chain: list[WaitingPage]) -> list[Item]:
        """The item of an article of several parts; none if it is dropped."""
        decision = write_or_skip(chain[0].record, self.join(chain), evidence=self.evidence)
        items = self._carry_out(decision, chain[0])
        for part in chain:
            self.store.waiting.let_go(part.record.key)
            if not is_whole(chain):
                self.store.pages.relabel(part.record.asked, LOST)
            if isinstance(decision, Skip):
                self._keep_for_later(decision.why, part.record)
        return items

    # ---- pages that waited
    def _release(self, held: Iterable[WaitingPage]) -> Iterator[Item]:
        for waiting in list(held):
            with self._dropped_if_it_fails(waiting.record):
                yield from self._release_page(waiting)

    def _release_page(self, waiting: WaitingPage) -> list[Item]:
        """The items of a waiting page. The parts of an article become one item; parts whose first
        part is missing become one item each."""
        part = waiting.record.part
        if part is None:
            article = self.join([waiting])
            return self._carry_out(decide(waiting.record, article, evidence=self.evidence), waiting)
        if waiting.record.key == part.of:
            self.store.waiting.hold(waiting, WaitKind.PARTS, of=part.of)
        chain = self.chains.chain(part.of)
        if self.limited and not is_whole(chain):
            return []
        if chain or not (self.store.items.digest(part.of) or self.store.families.holds(part.of)):
            return self._join(chain or [waiting])
        self.store.waiting.let_go(waiting.record.key)
        return []

    def settle(self, *, limited: bool = False) -> list[Item]:
        """Called when nothing remains to fetch: judge the pages that looked like articles again
        with all that is known, induce templates from the samples there are, and release everything
        that waits. If the crawl reached a limit, incomplete articles, and pages whose links did not
        look like articles, continue to wait for the next run."""
        self.limited = limited
        self.ledger.is_over = True
        items = list[Item]()
        held = self.store.waiting.held
        for waiting in list(held(WaitKind.LOOKALIKE)):
            if self.evidence.promise(waiting.record) >= LEAST_PROMISE:
                items += self._judge_again(waiting)
            elif not limited:
                self.store.waiting.let_go(waiting.record.key)
        for event in self.site.settle():
            self.emit(TemplateChanged(self.site.site, event))
        stays = {waiting.record.key for waiting in held(WaitKind.LOOKALIKE)}
        items += self._release(waiting for waiting in held() if waiting.record.key not in stays)
        items += self._judge_families()
        self.remember()
        return items

    def _judge_again(self, waiting: WaitingPage) -> list[Item]:
        with self._dropped_if_it_fails(waiting.record):
            context = RequestContext(waiting.record.url, Role.ARTICLE)
            judged = self._judge(replace(waiting, parsed=waiting.opened()), context)
            if judged.kind.is_article:
                self.store.pages.relabel(waiting.record.asked, judged.kind)
            else:
                self.store.waiting.let_go(waiting.record.key)
            return judged.items
        return []

    def _judge_families(self) -> list[Item]:
        """The withheld items of families that are articles by now, to be written. The others remain
        withheld."""
        items = list[Item]()
        for withheld in self.evidence.released():
            # what is missed failed when families were judged before
            if withheld.key not in self.ledger.missed:
                with self._dropped_if_it_fails(withheld.record):
                    items += self._write_withheld(withheld)
        return items

    def _write_withheld(self, withheld: WithheldItem) -> list[Item]:
        """The item of a family that is written, unless it is left out for another reason."""
        evidence, copies = self.evidence, self.evidence.copies
        key, item, digest = withheld.key, withheld.item, withheld.digest
        why = evidence.unwanted(withheld.record, item, digest=digest)
        why = why or copies.why_dropped(key, item, digest=digest)
        why = why or evidence.left_out_by_day(item["datePublished"])
        if why in _MAY_COME_LATER:
            return []
        self.store.families.release(key)
        if why is not None:
            self._drop(why, withheld.record)
            return []
        moved_from = copies.moved_from(key, item, asked=key)
        return [self._save(item, digest, record=withheld.record, moved_from=moved_from)]

    # ---- what is written down
    def _save(
        self, item: Item, digest: str, *, record: ArticleRecord, moved_from: str | None
    ) -> Item:
        is_new = self.store.write_article(
            record.key, item, digest=digest, modified=record.modified, moved_from=moved_from
        )
        if moved_from is not None:
            self.emit(Counted(record.url, "items/moved"))
        self.evidence.written += 1
        self.evidence.copies.record(record.key, item)
        self.emit(ArticleWritten(item, is_new=is_new))
        return item

    def _drop(self, why: Drop, record: ArticleRecord) -> None:
        self.emit(PageDropped(record.url, why))
        self.store.waiting.let_go(record.key)
        self._keep_for_later(why, record)

    def _keep_for_later(self, why: Drop, record: ArticleRecord) -> None:
        """Let later runs read a page that was dropped for a limit, a fault, its age, a filter that
        came after its request, or a text that other pages have: it may be a passing notice."""
        if why is Drop.MAX_ARTICLES:
            self.store.miss(record.asked)
            self._miss(record)
        elif why is Drop.FILTERED and self.evidence.is_barred(record):
            self.store.miss(record.asked)
        elif why in (Drop.SINCE, Drop.NO_DAY):
            kind = NO_DAY if why is Drop.NO_DAY else f"{OLDER}{self.evidence.arguments.since}"
            self._relabel(record, kind)
        elif why in (Drop.REPEAT, Drop.FAILED):
            kind = LOST
            is_refused = self.evidence.texts.is_refusal(record.text) and self.store.items.exist()
            if why is Drop.REPEAT and not (is_refused and record.promise >= PROMISING):
                kind = PageKind.OTHER
            if kind == LOST:
                self._miss(record)
            self._relabel(record, kind)

    def _relabel(self, record: ArticleRecord, kind: str) -> None:
        self.relabelled[record.asked] = kind
        self.store.relabel(record.asked, kind)

    def _miss(self, record: ArticleRecord) -> None:
        """A later run requests the page again."""
        known = self.store.pages.asked_for(record.asked)
        context = known[0] if known else RequestContext(record.url, Role.ARTICLE)
        self.ledger.record(Lesson(Fact.MISSED, context))

    @contextmanager
    def _dropped_if_it_fails(self, record: ArticleRecord) -> Iterator[None]:
        try:
            yield
        except FAULTS as error:
            log_failure(logger, "An error drops the page", url=record.url, error=error)
            self._drop(Drop.FAILED, record)


def _weighed(reading: LazyExtraction, record: ArticleRecord) -> ArticleRecord:
    """The record of a page with the judge's opinion of it; as it was if only a template read it."""
    if not reading.guess.is_complete:
        return record
    judged = judged_page(
        reading.guess,
        promise=record.promise,
        listing=record.listing,
        type_name=record.type,
    )
    return replace(record, log_odds=round(judged.log_odds, 4), against=judged.against)


def recall_samples(store: CrawlStore, site: SiteModel) -> None:
    """Read the samples of an interrupted run from the waiting pages: those hold the bytes as
    served, a model holds repaired HTML."""
    waiting = {one.record.url: one for one in store.waiting.held()}
    for family in site.families:
        urls = [one["url"] for one in site.families.pages.waiting.get(family.name, ())]
        if urls and all(url in waiting for url in urls):
            del site.families.pages.waiting[family.name]
            pages = ((waiting[url].opened(), waiting[url].record.anchor) for url in urls)
            family.samples = [Extraction(page, site.method, anchor=text) for page, text in pages]
