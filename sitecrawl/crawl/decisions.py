"""Decides about an article: its item is written, it waits, or it is dropped. Page families are
judged here as well."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from sitecrawl.crawl.config import CrawlArguments
from sitecrawl.crawl.copied_families import CopiedFamilies
from sitecrawl.crawl.copies import Copies, own_key
from sitecrawl.crawl.hooks import Hooks
from sitecrawl.crawl.ledger import Ledger
from sitecrawl.crawl.linked_pages import SitePages
from sitecrawl.crawl.records import PROMISING, ArticleRecord, Drop, Role, WaitKind
from sitecrawl.crawl.site_state import PageFamilyStore, WithheldItem
from sitecrawl.crawl.soft_errors import KnownTexts
from sitecrawl.crawl.store import CrawlStore
from sitecrawl.crawl.url_stats import UrlStats
from sitecrawl.items.article import Article
from sitecrawl.items.feed_items import body_digest, item_of
from sitecrawl.items.kinds import Flag, PageKind
from sitecrawl.site.content_type import kind_of_type
from sitecrawl.site.judge import Decider, FamilyVerdict, is_sure, judge_families
from sitecrawl.site.page_families import (
    Choice,
    FamilyEvidence,
    PageFamily,
    family_name,
)
from sitecrawl.urls.canonical import url_key
from sitecrawl.urls.pattern import url_pattern

_LISTING = 0.7  # probability from which a link is taken for one to a listing


class Leave(NamedTuple):
    """The item is written; with ``is_withheld`` only after its page family was judged. ``digest``
    is the digest of its body."""

    item: dict[str, Any]
    digest: str
    evidence: FamilyEvidence
    is_withheld: bool
    moved_from: str | None = None  # the page of an earlier run whose article it is


class Skip(NamedTuple):
    """The item is left out. One that is left out by its day is ``evidence`` for its family all the
    same."""

    why: Drop
    evidence: FamilyEvidence | None = None


class Wait(NamedTuple):
    """The page waits for something; ``of`` names the family, or the first part of its article."""

    kind: WaitKind
    of: str = ""


@dataclass(frozen=True, slots=True)
class PageFamilyGate:
    """Decides by page families which items are written: clear articles at once, others when the
    family is judged at the end of the crawl.
    ``kinds`` are those asked for; ``choices`` are the user's for families, by name."""

    store: PageFamilyStore
    kinds: Collection[PageKind]
    choices: Mapping[str, Choice]

    def describe(self, record: ArticleRecord, item: Mapping[str, Any]) -> FamilyEvidence:
        named, dated = kind_of_type(record.type), bool(item["datePublished"])
        name = family_name(url_pattern(record.url), record.type, dated=dated)
        kind = record.kind if named in (None, PageKind.ARTICLE) else named
        headline = item["headline"] or ""
        return FamilyEvidence(name, kind, dated, headline, record.log_odds, record.against)

    def writes_at_once(self, evidence: FamilyEvidence) -> bool:
        """Whether an item is written before its family is judged."""
        if choice := self.choices.get(evidence.family):
            return choice is Choice.KEEP
        is_weighed = evidence.log_odds is not None
        family = None if is_weighed else self.store.family(evidence.family)
        return is_sure(evidence, family, kinds=self.kinds)

    def judged(self) -> list[tuple[PageFamily, FamilyVerdict]]:
        families = self.store.families()
        verdicts = judge_families(families, kinds=self.kinds, choices=self.choices)
        verdicts |= CopiedFamilies(self.store).verdicts(families, verdicts)
        return [(family, verdicts[family.name]) for family in families]

    def against(self, family: PageFamily, verdict: FamilyVerdict) -> list[str]:
        """What speaks most against a family that the judge withholds, in words."""
        if verdict.written or verdict.by is not Decider.MODEL:
            return []
        return [f"{reason} ({pages} pages)" for reason, pages in self.store.against(family.name)]


@dataclass(slots=True)
class CrawlEvidence:
    """What a crawl knows when it decides about a page."""

    store: CrawlStore
    arguments: CrawlArguments
    hooks: Hooks
    pages: SitePages
    families: PageFamilyGate
    hold: int  # most pages that may wait at a time
    stats: UrlStats
    copies: Copies
    ledger: Ledger
    written: int = 0  # articles written in this run

    @property
    def texts(self) -> KnownTexts:
        return self.stats.said

    def is_full(self) -> bool:
        return bool(self.arguments.max_articles) and self.written >= self.arguments.max_articles

    @property
    def has_room(self) -> bool:
        return self.store.waiting.count() < self.hold

    @property
    def has_room_for_doubts(self) -> bool:
        """Whether pages may wait for further evidence. Half of the room is reserved for pages that
        wait for a template."""
        return not self.ledger.is_over and 2 * self.store.waiting.count() < self.hold

    def unwanted(self, record: ArticleRecord, item: dict[str, Any], *, digest: str) -> Drop | None:
        """The reason why an article is not written, whatever its family, or None. An article
        without text is written if its link promised an article with probability .9, since headline
        and date are news; it is flagged as unsure."""
        if self.is_full():
            return Drop.MAX_ARTICLES
        if self.repeats(record):
            return Drop.REPEAT
        if _is_empty(item) and not (record.promise >= 0.9 and item["headline"]):
            return Drop.EMPTY
        if self._is_unchanged(record, item, digest=digest):
            return Drop.UNCHANGED
        is_barred = self.is_barred(
            record, url=record.url, role=Role.ARTICLE, promise=record.promise
        )
        return Drop.FILTERED if is_barred else None

    def _is_unchanged(self, record: ArticleRecord, item: dict[str, Any], *, digest: str) -> bool:
        """Whether a page has an item already, and this one says nothing new."""
        items = self.store.items
        before = items.digest(record.key)
        if not before:
            return False
        if before == digest or items.was_written(record.key):
            return True
        # a certain listing was opened for its links, as the pages of a menu are, whatever they look
        # like
        if record.listing == 1.0 and not self.arguments.refresh:
            return True
        if Flag.INCOMPLETE not in item["provenance"].get("flags", ()):
            return False
        known = items.latest(record.key) or item
        return len(known["articleBody"]) >= len(item["articleBody"])

    def left_out_by_day(self, day: str | None) -> Drop | None:
        """The reason why an article of ``day`` is left out by ``since`` or ``baseline``, or None."""
        if self.arguments.baseline:
            return Drop.BASELINE
        if not self.arguments.since:
            return None
        if not day:
            return Drop.NO_DAY
        return Drop.SINCE if self.arguments.is_too_old(day) else None

    def is_barred(self, record: ArticleRecord, **found: Any) -> bool:
        """Whether no run with the filters of this one requests a page, by the link to it, and by
        what was ``found`` since: they came after its request."""
        known = self.store.pages.asked_for(record.asked)
        return known is not None and not self.hooks.follows(known[0].again(**found))

    def repeats(self, record: ArticleRecord) -> bool:
        """Whether a page's text is a standard answer: three pages with different links have it, or
        two that are all of their URL pattern."""
        return self.texts.unasked(record.text) >= (2 if self.stats.answers_all(record.url) else 3)

    def doubts_text(self, record: ArticleRecord) -> bool:
        """Whether a page's text may be a standard answer: the text does not match its link, and
        another page has the same text or too few pages of its URL pattern are known to have texts
        of their own."""
        pages = self.texts.unasked(record.text)
        return (
            pages > 1 or (pages == 1 and not self.stats.have_texts(record.url))
        ) and self.has_room_for_doubts

    def promise(self, record: ArticleRecord) -> float:
        """Probability, 0..1, that a page is an article: by its link (after the crawl by all links
        to it), or by similar pages if higher."""
        is_over = self.ledger.is_over
        by_links = PROMISING if is_over and self.store.shown.has(record.asked) else 0.0
        looks_alike = is_over and self.stats.look_like_articles(record.url)
        if record.listing >= _LISTING and not (by_links or looks_alike):
            # else the order of answers decides about pages that may be either
            return record.promise
        return max(record.promise, by_links, self.stats.article_share(record.url, record.promise))

    def is_asked_for(self, url: str, section: str | None, *, day: str | None) -> bool:
        """Whether an article of ``day`` that the page ``section`` led to matches the arguments of
        this crawl. Frames and further pages of a listing may stand elsewhere: they belong to the
        listing that led to them."""
        met = set[str]()
        while section and section not in met and not self.pages.holds_section(section):
            met.add(section)
            known, _ = self.store.pages.asked_for(url_key(section)) or (None, "")
            if known and (known.section is None or known.role not in (Role.START, Role.PAGINATION)):
                return False
            section = known.section if known else None
        return self.pages.holds(url) and not self.arguments.is_too_old(day)

    def is_wanted_again(self, item: Mapping[str, Any]) -> bool:
        """Whether an item of an earlier run matches the arguments of this one."""
        day = item["datePublished"]
        is_of_day = self.left_out_by_day(day) is None
        return is_of_day and self.is_asked_for(item["url"], item["sectionUrl"], day=day)

    def released(self) -> list[WithheldItem]:
        """The withheld items of families that are articles."""
        store = self.families.store
        withheld = list[WithheldItem]()
        for family, verdict in self.families.judged():
            if verdict.written and family.withheld:
                withheld += store.withheld(family.name)
            elif verdict.copy_of:
                self.copies.copied.add(verdict.copy_of)
                withheld += CopiedFamilies(store).no_copies(family.name)
        # a page comes before its copies: those that name it, and those that were read later
        return sorted(withheld, key=_is_before_copies)


def _is_before_copies(one: WithheldItem) -> tuple[bool, int]:
    return own_key(one.item) != one.key, one.turn


def _is_empty(item: Mapping[str, Any]) -> bool:
    """Whether an article has neither text nor a picture, player or file that is its content."""
    flags = item["provenance"].get("flags", ())
    return not item["articleBody"].strip() and Flag.TEXTLESS not in flags


def decide(
    record: ArticleRecord, article: Article, *, evidence: CrawlEvidence, family: str = ""
) -> Leave | Skip | Wait:
    """The decision about the article of a page. It waits while a better or more certain result may
    come and the store has room. ``family`` is set if a template of that family may give a better
    one."""
    if evidence.repeats(record):
        return Skip(Drop.REPEAT)
    waits_for = None
    if record.part is not None:
        waits_for = Wait(WaitKind.PARTS, record.part.of)
    elif family:
        waits_for = Wait(WaitKind.TEMPLATE, family)
    # in this order, since room is asked of the store
    if waits_for is not None and evidence.has_room:
        return waits_for
    if evidence.doubts_text(record):
        return Wait(WaitKind.TEXT)
    return write_or_skip(record, article, evidence=evidence)


def write_or_skip(
    record: ArticleRecord, article: Article, *, evidence: CrawlEvidence
) -> Leave | Skip:
    """The decision about an article that must not wait longer. If this run wrote another page with
    its text, it is withheld until the crawl ends. Whether it is an article is decided before its
    day is looked at: the old articles of a site show which of its pages are none."""
    item = item_of(article, record.section, fetched=record.fetched)
    if item["datePublished"] is None and record.published:
        item["datePublished"] = record.published
    digest, before = body_digest(item), (item["headline"], item["articleBody"])
    why = evidence.unwanted(record, item, digest=digest)
    if why is not None:
        return Skip(why)
    piped = evidence.hooks.piped(item)
    if piped is None:
        return Skip(Drop.FILTERED)
    of_family = evidence.families.describe(record, piped)
    piped["provenance"] |= {"family": of_family.family, "pageKind": str(of_family.kind)}
    if before != (piped.get("headline"), piped["articleBody"]):  # a user's pipeline may change them
        digest = body_digest(piped)
        if evidence.store.items.digest(record.key) == digest:
            return Skip(Drop.UNCHANGED)
    copies = evidence.copies
    why = copies.why_dropped(record.key, piped, digest=digest)
    if why is not None:
        return Skip(why)
    may_copy = copies.may_be_copy(record.key, piped, digest=digest, text=record.text)
    moved_from = copies.moved_from(record.key, piped, asked=record.asked)
    # what was written at its old address is written at the new one
    is_sure = moved_from is not None or evidence.families.writes_at_once(of_family)
    is_withheld = may_copy or not is_sure
    by_day = evidence.left_out_by_day(piped["datePublished"])
    if by_day in (Drop.SINCE, Drop.BASELINE) or (by_day is not None and not is_withheld):
        return Skip(by_day, of_family)
    return Leave(piped, digest, of_family, is_withheld, moved_from)
