"""The lessons of a run that goes on, from what it stored: the ledger records them in the order in
which they were learned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sitecrawl.crawl.database import short
from sitecrawl.crawl.ledger import Fact, Lesson
from sitecrawl.crawl.records import Reading, RequestContext, Role
from sitecrawl.crawl.site_state import DonePage, KnownPages
from sitecrawl.records_json import from_document


def stored_lessons(
    pages: KnownPages, memory: Mapping[str, Any], *, interrupted: bool
) -> Iterator[Lesson]:
    """The lessons of the pages that a run handled, read lazily. ``memory`` holds what each page
    was. An ``interrupted`` run does not request again what it could not fetch; one that reached a
    limit does, so that such pages are evidence only."""
    for done in pages.done_pages():
        yield from _of_page(done, _reading_of(done, memory), interrupted=interrupted)
        if done.is_again:  # a later link brought it back, as the article that it promised
            yield Lesson(Fact.FOUND, done.context)


def _reading_of(done: DonePage, memory: Mapping[str, Any]) -> Reading:
    context = done.context
    if done.is_again:
        return Reading(context.url, done.kind, repeats=False)
    stored = memory.get(short(f"page {context.key}"))
    return from_document(Reading, stored) if stored else Reading(context.url, done.kind)


def _of_page(done: DonePage, reading: Reading, *, interrupted: bool) -> Iterator[Lesson]:
    """Of a page that was read, could not be fetched, or was read and is requested again by a later
    run."""
    context = done.context
    is_lost = done.kind is None and not done.is_again
    # else it was put off without a request, or for the fault of a step
    was_sent = bool(reading.url or context.sends)
    is_known = interrupted or not is_lost  # else it is evidence only
    if is_known and (was_sent or not is_lost):
        yield Lesson(Fact.SENT, context)
        yield Lesson(Fact.ANSWERED, context)
    yield from _reached(context, reading)
    if is_lost and reading.kind is None:
        yield from _of_failed(done, is_put_off=not reading.url, interrupted=interrupted)
        return
    yield from _evidence(context, reading)
    if is_known:
        yield Lesson(Fact.READ, context, reading)
    if interrupted and done.is_lost and context.role is Role.ARTICLE:
        yield Lesson(Fact.MISSED, context)
    if reading.url:
        yield from _brought(context, shown=done.shown, new=done.new)


def _of_failed(done: DonePage, *, is_put_off: bool, interrupted: bool) -> Iterator[Lesson]:
    context, is_again = done.context, done.new > 0
    if not is_put_off:
        yield Lesson(Fact.GONE, context, may_pass=done.is_lost, is_again=is_again)
    if interrupted:
        yield Lesson(Fact.FAILED, context, may_pass=done.is_lost, is_again=is_again)
    if not is_put_off:
        yield from _brought(context)


def _brought(context: RequestContext, *, shown: int = 0, new: int = 0) -> Iterator[Lesson]:
    if context.role.is_opened_for_links:
        yield Lesson(Fact.BROUGHT, context, shown=shown, new=new)


def _reached(context: RequestContext, reading: Reading) -> Iterator[Lesson]:
    if reading.url and reading.url != context.url:
        reached = RequestContext(reading.url, context.role)
        if reached.key != context.key:
            yield Lesson(Fact.REACHED, reached)


def _evidence(context: RequestContext, reading: Reading) -> Iterator[Lesson]:
    """What a page tells of its like, and of texts."""
    yield Lesson(Fact.SAID, context, reading)
    if reading.repeats is not None:
        yield Lesson(Fact.REPEATED, context, reading)
    if reading.kind is not None:
        yield Lesson(Fact.TAUGHT, context, reading)
