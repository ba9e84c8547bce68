"""The ledger: which lesson may follow which state, what a row then says, and that a crawl that goes
on after a kill has the rows that it had."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from sitecrawl.crawl.config import CrawlArguments
from sitecrawl.crawl.ledger import TRANSITIONS, Fact, Ledger, Lesson, Row, State
from sitecrawl.crawl.next_pages import Brought, CrawlSchedule
from sitecrawl.crawl.records import ASKED_OFTEN, Reading, RequestContext, Role
from sitecrawl.crawl.site_state import FAILED, LOST
from sitecrawl.crawl.store import Stores
from sitecrawl.crawl.url_stats import UrlStats
from sitecrawl.items.kinds import PageKind
from sitecrawl.limits import LIMITS
from sitecrawl.links.classify import Profile
from sitecrawl.records_json import to_document

_URL = "http://a.example/story/1.html"
_ARTICLE = RequestContext(_URL, Role.ARTICLE, 0.9)
_MAYBE = RequestContext(_URL, Role.MAYBE, 0.1)


def recorded(*facts: Fact, context: RequestContext = _ARTICLE) -> tuple[Ledger, list[bool]]:
    ledger = Ledger()
    return ledger, [ledger.record(Lesson(fact, context)) for fact in facts]


@pytest.mark.parametrize(
    ("facts", "state", "settled", "articles"),
    [
        ((Fact.MET,), State.KNOWN, False, 0),
        ((Fact.FOUND,), State.QUEUED, True, 1),
        ((Fact.MET, Fact.FOUND), State.QUEUED, True, 1),
        ((Fact.FOUND, Fact.LEFT_OUT), State.LEFT_OUT, True, 0),
        ((Fact.FILTERED,), State.LEFT_OUT, True, 0),
        ((Fact.FOUND, Fact.SENT), State.SENT, True, 1),
        ((Fact.SENT, Fact.ANSWERED), State.READ, True, 1),
        ((Fact.SENT, Fact.ANSWERED, Fact.FAILED), State.FAILED, True, 0),
        ((Fact.REACHED,), State.READ, True, 0),
        ((Fact.MISSED,), State.READ, True, 1),
    ],
)
def test_an_article_link(
    facts: tuple[Fact, ...], state: State, settled: bool, articles: int
) -> None:
    ledger, taken = recorded(*facts)
    row = ledger.rows.get(_ARTICLE.key)
    assert all(taken)
    assert row is not None
    assert row.state is state
    assert row.is_settled is settled
    assert ledger.articles == articles
    assert list(ledger.in_progress) == [_ARTICLE.key] * (state is State.SENT)


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ((Fact.FOUND, Fact.MET), "a page that is queued is not put back"),
        ((Fact.ANSWERED,), "no answer without a request"),
        ((Fact.SENT, Fact.DECLINED), "what was sent cannot be declined"),
        ((Fact.SENT, Fact.LEFT_OUT), "nor left out"),
        ((Fact.FAILED, Fact.FOUND), "what failed is left to a later run"),
        ((Fact.SENT, Fact.ANSWERED, Fact.FOUND), "what was read is not found again"),
        ((Fact.SENT, Fact.REACHED), "a redirect does not answer another request"),
    ],
)
def test_a_lesson_that_cannot_follow_is_refused(facts: tuple[Fact, ...], why: str) -> None:
    ledger, taken = recorded(*facts)
    before = replace(ledger.rows[_ARTICLE.key]) if _ARTICLE.key in ledger.rows else None
    assert taken == [*[True] * (len(facts) - 1), False], why
    assert ledger.rows.get(_ARTICLE.key) == before


def test_every_fact_that_changes_a_state_is_in_the_table() -> None:
    others = {Fact.MISSED, Fact.TAUGHT, Fact.GONE, Fact.SAID, Fact.REPEATED, Fact.BROUGHT}
    assert set(TRANSITIONS) == set(Fact) - others


def test_a_page_that_no_link_promised_comes_back_once() -> None:
    ledger = Ledger()
    read = Lesson(Fact.READ, _MAYBE, Reading(_URL, PageKind.LISTING))
    for fact in (Fact.FOUND, Fact.SENT, Fact.ANSWERED):
        ledger.record(Lesson(fact, _MAYBE))
    ledger.record(read)
    assert not ledger.may_return(_MAYBE.key, 0.4)
    assert ledger.may_return(_MAYBE.key, 0.6)
    assert ledger.record(Lesson(Fact.FOUND, _ARTICLE))
    # it is declined, read as no article again, and promised again: that would never end
    for fact in (Fact.DECLINED, Fact.SENT, Fact.ANSWERED):
        ledger.record(Lesson(fact, _MAYBE))
    ledger.record(read)
    assert not ledger.record(Lesson(Fact.FOUND, _ARTICLE))


def test_a_page_that_was_promised_when_it_was_requested_does_not_come_back() -> None:
    ledger = Ledger()
    declined = _MAYBE.again(declined=_ARTICLE)
    for fact in (Fact.FOUND, Fact.SENT, Fact.ANSWERED):
        ledger.record(Lesson(fact, declined))
    ledger.record(Lesson(Fact.READ, declined, Reading(_URL, PageKind.OTHER)))
    assert not ledger.may_return(_MAYBE.key, 0.9)


def test_a_link_to_a_page_under_way_is_a_hope_that_is_taken_once() -> None:
    ledger = Ledger()
    ledger.record(Lesson(Fact.SENT, _MAYBE))
    ledger.record(Lesson(Fact.FOUND, _ARTICLE))
    assert ledger.in_progress == {_MAYBE.key: Role.MAYBE}
    ledger.record(Lesson(Fact.ANSWERED, _MAYBE))
    ledger.record(Lesson(Fact.READ, _MAYBE, Reading(_URL, PageKind.OTHER)))
    assert ledger.take_hope(_MAYBE.key) == _ARTICLE
    assert ledger.take_hope(_MAYBE.key) is None


def test_requests_for_one_page_are_bounded() -> None:
    ledger = Ledger()
    sent = 0
    for _ in range(100):
        sent += ledger.record(Lesson(Fact.SENT, _ARTICLE))
        ledger.record(Lesson(Fact.ANSWERED, _ARTICLE))
    assert sent == LIMITS.sends


def test_what_is_only_known_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sitecrawl.crawl.ledger.LIMITS", replace(LIMITS, candidates=5))
    ledger = Ledger()
    for number in range(20):
        ledger.record(Lesson(Fact.MET, RequestContext(f"http://a.example/{number}", Role.MAYBE)))
    assert len(ledger.rows) == ledger.known == 5


# ---- a machine of lessons and kills
_KINDS = st.sampled_from([PageKind.ARTICLE, PageKind.LISTING, PageKind.OTHER])
_PROMISES = st.sampled_from([0.1, 0.4, 0.6, 0.95])
_ROLES = st.sampled_from([Role.ARTICLE, Role.SECTION, Role.PAGINATION, Role.MAYBE])
_NUMBERS = st.integers(0, 5)


class Ledgers(RuleBasedStateMachine):
    """A schedule that finds, requests and reads pages in any order, and is killed in between."""

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
        self.sent = dict[str, int]()
        self.plan = self._opened()

    def _opened(self) -> CrawlSchedule:
        arguments = CrawlArguments.parse({"start": "http://a.example/", "scope": "site"})
        store = Stores(self.folder).crawl("a.example")
        store.begin("task")
        plan = CrawlSchedule(arguments, store, UrlStats(Profile()), lambda event: None)
        plan.restore(store.memory.all(), interrupted=True)
        for context in store.pages.in_order("sent"):
            plan.ledger.record(Lesson(Fact.SENT, context))
        return plan

    def _send(self, context: RequestContext) -> None:
        if not self.plan.ledger.record(Lesson(Fact.SENT, context)):
            self.plan.put_off(context, ASKED_OFTEN)
            return
        row = self.plan.ledger.rows[context.key]
        self.plan.store.pages.queue(context.again(sends=row.sends), "sent")
        self.sent[context.key] = self.sent.get(context.key, 0) + 1

    def _answer(self) -> RequestContext:
        key = next(iter(self.plan.ledger.in_progress))
        context = {one.key: one for one in self.plan.store.pages.in_order("sent")}[key]
        self.plan.ledger.record(Lesson(Fact.ANSWERED, context))
        return context

    @rule(number=_NUMBERS, role=_ROLES, promise=_PROMISES)
    def find(self, number: int, role: Role, promise: float) -> None:
        context = RequestContext(f"http://a.example/story/{number}.html", role, promise)
        if role is Role.ARTICLE:
            self.plan.want(context)
        elif not self.plan.ledger.is_met(context.key):
            self.plan.consider(context)

    @rule()
    def send(self) -> None:
        context = self.plan.next_article() or self.plan.next_listing()
        if context is not None:
            self._send(context)

    @precondition(lambda self: self.plan.ledger.in_progress)
    @rule()
    def send_again(self) -> None:
        """As with a browser, or without it."""
        self._send(self._answer())

    @precondition(lambda self: self.plan.ledger.in_progress)
    @rule(kind=_KINDS, is_lookalike=st.booleans())
    def read(self, kind: PageKind, is_lookalike: bool) -> None:
        context, plan = self._answer(), self.plan
        plan.learn(context, context.url, kind=kind, lookalike=is_lookalike)
        plan.brought(context, Brought())
        plan.store.pages.done(context.key, kind, shown=0)
        reading = Reading(context.url, kind, is_lookalike)
        plan.store.memory.put(f"page {context.key}", to_document(reading))
        if hoped := plan.ledger.take_hope(context.key):
            plan.want(hoped)

    @precondition(lambda self: self.plan.ledger.in_progress)
    @rule(may_pass=st.booleans())
    def fail(self, may_pass: bool) -> None:
        context = self._answer()
        self.plan.lost(context, may_pass=may_pass)
        self.plan.store.pages.done(context.key, LOST if may_pass else FAILED, brought=1)

    @precondition(lambda self: not any(row.hoped for row in self.plan.ledger.rows.values()))
    @rule()
    def kill(self) -> None:
        """A page that is hoped to be an article is requested as one after a kill: see ``want``."""
        before, articles = self._rows(), self.plan.ledger.articles
        in_progress = set(self.plan.ledger.in_progress)
        self.plan.store.close()
        self.plan = self._opened()
        assert self._rows() == before
        assert self.plan.ledger.articles == articles
        assert set(self.plan.ledger.in_progress) == in_progress

    def _rows(self) -> dict[str, Row]:
        """The rows that a kill must not change. What was left out is not stored: it is left out
        again when a link leads to it."""
        rows = self.plan.ledger.rows.items()
        return {key: replace(row) for key, row in rows if row.state is not State.LEFT_OUT}

    def teardown(self) -> None:
        if hasattr(self, "plan"):
            assert all(count <= LIMITS.sends for count in self.sent.values())
            assert self.plan.ledger.articles == sum(
                row.is_article for row in self.plan.ledger.rows.values()
            )
            self.plan.store.close()
            shutil.rmtree(self.folder, ignore_errors=True)


TestLedgers = Ledgers.TestCase
TestLedgers.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
