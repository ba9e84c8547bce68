"""Articles over several pages: which pages are parts of one article. URLs and ``rel`` propose it;
what the pages say of their article decides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sitecrawl.crawl.records import ArticleRecord, PartNote, WaitingPage, WaitKind
from sitecrawl.crawl.store import CrawlStore
from sitecrawl.dom.page import Page
from sitecrawl.items.kinds import PageKind
from sitecrawl.items.sameness import ArticleFacts
from sitecrawl.limits import LIMITS
from sitecrawl.links.pagination import (
    calls_it_page,
    first_part,
    next_part,
    turning_links,
    turns_pages_of,
)
from sitecrawl.urls.canonical import url_key

COMPARED = ("headline", "datePublished", "authors")
"""The fields of an article that :class:`ArticleFacts` reads."""


def part_of(page: Page, key: str, *, given: PartNote | None = None) -> PartNote | None:
    """The position of a page in an article over several pages, by its links; None if the page is a
    whole article. ``given`` is the part that was requested."""
    links = turning_links(page)
    first = given.first if given else first_part(page, links) or page.url
    after = next_part(page, first, links=links) or ""
    of = key if first == page.url else url_key(first)
    if not after and of == key:
        return None
    return PartNote(of, first, after, is_turned=turns_pages_of(first, links))


def alone(page: Page, key: str) -> PartNote | None:
    """The same of a page that is no part of the article that its links lead back to: it may begin
    one of its own."""
    return part_of(page, key, given=PartNote(key, page.url))


@dataclass(frozen=True, slots=True)
class PartChains:
    """The parts that wait for others of their article."""

    store: CrawlStore

    def chain(self, first: str) -> list[WaitingPage]:
        """The waiting parts in reading order, from the first part to the first gap."""
        held = {part.record.key: part for part in self._held(first)}
        chain: list[WaitingPage] = []
        key = first
        while key in held and len(chain) < LIMITS.parts:
            chain.append(held.pop(key))
            key = url_key(next_of(chain[-1]))
        return chain

    def is_other(self, record: ArticleRecord) -> bool:
        """Whether a page is no later part of the article that its position names, by what the first
        part said."""
        assert record.part is not None
        if record.part.of == record.key:
            return False
        first = self._facts_of(record.part.of)
        return first is not None and not _is_part(first, record)

    def without_others(
        self, first: ArticleRecord, note: PartNote | None
    ) -> tuple[list[WaitingPage], PartNote | None]:
        """The pages that wait as later parts of an article and are none, now that its ``first``
        page has come; and the position of that page without them."""
        later = [one for one in self._held(first.key) if one.record.key != first.key]
        others = [one for one in later if not _is_part(first.facts, one.record)]
        for other in others:
            key = other.record.key
            self.end_before(key, first.key)
            if note is not None and note.next and url_key(note.next) == key:
                note = replace(note, next="")
        if note is not None and note.of == first.key and not note.next:
            note = None
        return others, note

    def end_before(self, key: str, first: str) -> list[WaitingPage]:
        """End a chain before the page ``key``, which is no part of it. Returns the chain if it is
        whole then."""
        for waiting in list(self._held(first)):
            note = waiting.record.part
            if note is not None and note.next and url_key(note.next) == key:
                last = replace(waiting.record, part=replace(note, next=""))
                self.store.waiting.hold(replace(waiting, record=last), WaitKind.PARTS, of=first)
                chain = self.chain(first)
                return chain if is_whole(chain) else []
        return []

    def _held(self, first: str) -> Iterator[WaitingPage]:
        return self.store.waiting.held(WaitKind.PARTS, of=first)

    def _facts_of(self, key: str) -> ArticleFacts | None:
        """What the first part of an article said, if it came before."""
        waiting = self.store.waiting.get(key)
        if waiting is not None:
            return waiting.record.facts
        item = self.store.items.latest(key) or self.store.families.item(key)
        return ArticleFacts.of(item) if item else None


def may_be_part(
    first: ArticleFacts, later: ArticleFacts, *, note: PartNote, url: str, is_thread: bool
) -> bool:
    """Whether the page ``url`` may be a later part of an article, at the position of ``note``, by
    what it and the first part say."""
    is_page = note.is_turned or calls_it_page(note.first, url)
    return first.may_begin(later, is_page=is_page, is_thread=is_thread)


def _is_part(first: ArticleFacts, later: ArticleRecord) -> bool:
    assert later.part is not None
    is_thread = later.kind is PageKind.THREAD
    return may_be_part(first, later.facts, note=later.part, url=later.url, is_thread=is_thread)


def is_whole(chain: list[WaitingPage]) -> bool:
    return bool(chain) and (len(chain) >= LIMITS.parts or not next_of(chain[-1]))


def next_of(waiting: WaitingPage) -> str:
    return waiting.record.part.next if waiting.record.part else ""
