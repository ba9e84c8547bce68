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
        reading = _reading_of(done, memory)
        if done.is_again:
            yield from _of_returned(done, reading)
        elif done.kind is not None:
            yield from _of_read(done, reading)
        else:
            yield from _of_lost(done, reading, interrupted=interrupted)


def _reading_of(done: DonePage, memory: Mapping[str, Any]) -> Reading:
    context = done.context
    if done.is_again:
        return Reading(context.url, done.kind, repeats=False)
    stored = memory.get(short(f"page {context.key}"))
    return from_document(Reading, stored) if stored else Reading(context.url, done.kind)


def _of_read(done: DonePage, reading: Reading) -> Iterator[Lesson]:
    context = done.context
    yield from _sent(context)
    yield from _reached(context, reading)
    yield from _evidence(done, reading)
    yield Lesson(Fact.READ, context, reading)
    if reading.url:
        yield from _brought(done)


def _of_returned(done: DonePage, reading: Reading) -> Iterator[Lesson]:
    """Of a page that a later link brought back, as the article that it promised."""
    yield from _of_read(done, reading)
    yield Lesson(Fact.FOUND, done.context)


def _of_lost(done: DonePage, reading: Reading, *, interrupted: bool) -> Iterator[Lesson]:
    """Of a page that could not be fetched, or was read and is requested again by a later run."""
    context = done.context
    is_put_off = not reading.url  # without a request, or for the fault of a step
    if interrupted and (not is_put_off or context.sends):
        yield from _sent(context)
    yield from _reached(context, reading)
    if reading.kind is not None:
        yield from _evidence(done, reading)
        if interrupted:
            yield Lesson(Fact.READ, context, reading)
            if done.is_lost and context.role is Role.ARTICLE:
                yield Lesson(Fact.MISSED, context)
        yield from _brought(done)
        return
    is_again = done.new > 0
    if not is_put_off:
        yield Lesson(Fact.GONE, context, may_pass=done.is_lost, is_again=is_again)
    if interrupted:
        yield Lesson(Fact.FAILED, context, may_pass=done.is_lost, is_again=is_again)
    if not is_put_off and context.role.is_opened_for_links:
        yield Lesson(Fact.BROUGHT, context)


def _sent(context: RequestContext) -> Iterator[Lesson]:
    yield Lesson(Fact.SENT, context)
    yield Lesson(Fact.ANSWERED, context)


def _reached(context: RequestContext, reading: Reading) -> Iterator[Lesson]:
    if reading.url and reading.url != context.url:
        reached = RequestContext(reading.url, context.role)
        if reached.key != context.key:
            yield Lesson(Fact.REACHED, reached)


def _evidence(done: DonePage, reading: Reading) -> Iterator[Lesson]:
    """What a page tells of its like, and of texts."""
    facts = [Fact.SAID]
    if reading.repeats is not None:
        facts.append(Fact.REPEATED)
    if reading.kind is not None:
        facts.append(Fact.TAUGHT)
    for fact in facts:
        yield Lesson(fact, done.context, reading)


def _brought(done: DonePage) -> Iterator[Lesson]:
    if done.context.role.is_opened_for_links:
        yield Lesson(Fact.BROUGHT, done.context, shown=done.shown, new=done.new)
