"""The ledger of a run: one row for each URL, and one way in which a row changes.

Whatever the crawl learns of a URL is a :class:`Lesson`. ``Ledger.record`` looks it up in the table
of transitions and changes the row, and then passes it to the folds: the statistics of the site. A
crawl that goes on after a kill records the stored lessons in their order, and so knows what it
knew."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Protocol

from sitecrawl.crawl.records import NOT_READ, PROMISING, Reading, RequestContext, Role
from sitecrawl.limits import LIMITS


class State(StrEnum):
    """What became of a URL in this run."""

    KNOWN = "known"  # a link names it, and it is not requested for now
    QUEUED = "queued"
    SENT = "sent"
    READ = "read"
    FAILED = "failed"
    LEFT_OUT = "left out"  # it is in a trap, or the user's filter rejects it


class Fact(StrEnum):
    """What a lesson tells of a URL."""

    # these change the state of its row
    MET = "met"  # it is not worth a request for now
    FOUND = "found"  # it is to be requested
    DECLINED = "declined"  # an article link that is no longer expected to lead to one
    SENT = "sent"
    REACHED = "reached"  # a redirect led to it
    ANSWERED = "answered"
    READ = "read"
    FAILED = "failed"
    LEFT_OUT = "left out"
    FILTERED = "filtered"
    # this changes the row, not its state
    MISSED = "missed"  # an article that a later run requests again
    # these are for the folds
    TAUGHT = "taught"  # its page counts as a kind
    GONE = "gone"  # it has no page
    SAID = "said"  # its page has a text
    REPEATED = "repeated"  # the text is that of other pages, or it is its own
    BROUGHT = "brought"  # its page led to articles


_ANY = (None, *State)
_UNSENT = (None, State.KNOWN, State.QUEUED, State.LEFT_OUT)


def _from(states: Iterable[State | None], after: State) -> dict[State | None, State]:
    return dict.fromkeys(states, after)


TRANSITIONS: Mapping[Fact, Mapping[State | None, State]] = MappingProxyType(
    {
        Fact.MET: _from((None,), State.KNOWN),
        # a page that is under way stays so; one that was read or left out comes back by `is_doubtful`
        Fact.FOUND: {**_from((*_UNSENT, State.READ), State.QUEUED), State.SENT: State.SENT},
        Fact.DECLINED: _from((State.QUEUED,), State.QUEUED),
        Fact.SENT: _from(_ANY, State.SENT),
        Fact.REACHED: _from(_UNSENT, State.READ),
        Fact.ANSWERED: _from((State.SENT,), State.READ),
        Fact.READ: _from(_ANY, State.READ),
        Fact.FAILED: _from(_ANY, State.FAILED),
        Fact.LEFT_OUT: _from(_UNSENT, State.LEFT_OUT),
        Fact.FILTERED: _from(_ANY, State.LEFT_OUT),
    }
)
"""The state of a row after each fact, by its state before; None is the state of a URL without a
row. A lesson that is not in the table is refused."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """What the crawl learned of the URL of a request."""

    fact: Fact
    context: RequestContext
    reading: Reading = NOT_READ  # what its page was
    may_pass: bool = False  # whether a page that failed may come in a later run
    is_again: bool = False  # whether it failed in earlier runs, too
    shown: int = 0  # articles that its links lead to
    new: int = 0  # those of them that no page had shown before
    is_urgent: bool = False  # whether it is requested before all others


class Fold(Protocol):
    """Statistics that are sums over lessons."""

    def take(self, lesson: Lesson) -> None:
        """Add a lesson."""


@dataclass(slots=True)
class Row:
    """What this run knows of one URL."""

    state: State
    role: Role
    sends: int = 0  # requests for it
    returns: int = 0  # times that a later link brought it back after it was read or left out
    is_article: bool = False  # whether it counts among the known articles
    is_missed: bool = False  # whether a later run requests the article again
    is_doubtful: bool = False  # whether a link that promises an article brings it back
    is_filtered: bool = False
    is_urgent: bool = False
    hoped: RequestContext | None = None  # the article that a link promised while it was under way

    @property
    def is_settled(self) -> bool:
        """Whether it was requested, is to be as an article, or never will be in this run."""
        match self.state:
            case State.SENT | State.READ | State.FAILED:
                return True
            case State.QUEUED:
                return self.is_urgent or self.role is Role.ARTICLE
            case State.LEFT_OUT:
                return self.is_filtered or self.role is Role.ARTICLE
            case State.KNOWN:
                return False


@dataclass(slots=True)
class EarlierRuns:
    """The pages that earlier runs settled. ``lookup`` returns those of the given keys that they
    did; its answers are cached."""

    lookup: Callable[[Sequence[str]], Iterable[str]] | None = None  # None if there was no run
    _settled: set[str] = field(default_factory=set)
    _unknown: set[str] = field(default_factory=set)

    def settled(self, key: str) -> bool:
        self.look_up((key,))
        return key in self._settled

    def look_up(self, keys: Iterable[str]) -> None:
        """Look up keys together: one query instead of one for each key."""
        if self.lookup is None:
            return
        asked = [key for key in keys if key not in self._settled and key not in self._unknown]
        if not asked:
            return
        found = set(self.lookup(asked))
        if len(self._unknown) > LIMITS.unread:
            self._unknown.clear()
        self._settled |= found
        self._unknown.update(key for key in asked if key not in found)


@dataclass(slots=True)
class Ledger:
    """The rows of a run by page key, and the folds over its lessons."""

    folds: list[Fold] = field(default_factory=list)
    earlier: EarlierRuns = field(default_factory=EarlierRuns)
    rows: dict[str, Row] = field(default_factory=dict)
    in_progress: dict[str, Role] = field(default_factory=dict)  # the rows in state SENT, in order
    missed: set[str] = field(default_factory=set)  # keys of the rows that are missed
    articles: int = 0  # known ones: fetched, or linked and to be fetched
    known: int = 0  # rows in state KNOWN
    is_over: bool = False  # whether nothing remains to request

    def record(self, lesson: Lesson) -> bool:
        """Take a lesson. False if it changes nothing: its fact cannot follow the state of the row,
        or a bound is reached."""
        if lesson.fact in TRANSITIONS and not self._move(lesson):
            return False
        if lesson.fact is Fact.MISSED:
            self._miss(lesson)
        for fold in self.folds:
            fold.take(lesson)
        return True

    # ---- what is asked
    def look_up(self, keys: Iterable[str]) -> None:
        """Ask for keys together whether earlier runs settled them."""
        self.earlier.look_up(key for key in dict.fromkeys(keys) if key not in self.rows)

    def is_settled(self, key: str) -> bool:
        """Whether a page was requested, or is to be as an article, in this run or an earlier one."""
        row = self.rows.get(key)
        return self.earlier.settled(key) if row is None else row.is_settled

    def is_met(self, key: str) -> bool:
        """Whether a link to the page was taken before."""
        return key in self.rows or self.earlier.settled(key)

    def is_under_way(self, key: str) -> bool:
        """Whether a page is requested, or is to be."""
        row = self.rows.get(key)
        return row is not None and row.state in (State.QUEUED, State.SENT)

    def is_waiting(self, key: str) -> bool:
        """Whether the page was found, and not only met."""
        row = self.rows.get(key)
        return row is not None and row.state is not State.KNOWN

    def unanswered(self) -> list[str]:
        """Keys of the requests that nothing came of; they are no longer in progress."""
        found = list(self.in_progress)
        for key in found:
            self.rows[key].state = State.READ
        self.in_progress.clear()
        return found

    def take_hope(self, key: str) -> RequestContext | None:
        """The article that a link promised while its page was under way, if the page was read as
        none; returned once."""
        row = self.rows.get(key)
        if row is None:
            return None
        hoped, row.hoped = row.hoped, None
        return hoped if row.is_doubtful else None

    def may_return(self, key: str, promise: float) -> bool:
        """Whether a link brings back a page that was read as no article, or left out, or is under
        way for another reason: once, if it promises an article and the first link did not."""
        row = self.rows.get(key)
        if row is None or promise < PROMISING:
            return False
        if row.state is State.SENT:
            return row.role.is_unpromised
        return row.is_doubtful

    def respelled(self, clean: Callable[[str], str]) -> list[RequestContext]:
        """The pages that are read or under way and have another URL once it is ``clean``."""
        found = []
        for key, row in self.rows.items():
            if "?" in key and row.state in (State.READ, State.SENT):
                page = RequestContext(clean(f"http://{key}"), row.role)
                if page.key != key:
                    found.append(page)
        return found

    # ---- how rows change
    def _move(self, lesson: Lesson) -> bool:
        fact, key = lesson.fact, lesson.context.key
        row = self.rows.get(key)
        before = row.state if row else None
        after = TRANSITIONS[fact].get(before)
        if after is None or not self._is_within_bounds(fact, row):
            return False
        if row is None:
            row = self.rows[key] = Row(after, lesson.context.role)
        self._index(key, before, after=after)
        row.state = after
        change = _CHANGES.get(fact)
        if change is not None:
            change(self, row, lesson)
        return True

    def _is_within_bounds(self, fact: Fact, row: Row | None) -> bool:
        if fact is Fact.SENT:
            return row is None or row.sends < LIMITS.sends
        if fact is Fact.MET:
            return self.known < LIMITS.candidates
        if fact is Fact.FOUND and row is not None and row.state is State.READ:
            return row.is_doubtful and row.returns < LIMITS.returns
        return True

    def _index(self, key: str, before: State | None, *, after: State) -> None:
        if before is State.KNOWN:
            self.known -= 1
        if before is State.SENT and after is not State.SENT:
            del self.in_progress[key]
        if after is State.KNOWN:
            self.known += 1

    def _count(self, row: Row, is_article: bool) -> None:
        """Count a row among the known articles, or no longer."""
        if is_article and not row.is_article:
            self.articles += 1
        elif row.is_article and not is_article:
            self.articles -= 1
        row.is_article = is_article

    def _miss(self, lesson: Lesson) -> None:
        key = lesson.context.key
        row = self.rows.get(key)
        if row is None:
            row = self.rows[key] = Row(State.READ, lesson.context.role)
        row.is_missed = True
        self.missed.add(key)
        self._count(row, True)

    def _find(self, row: Row, lesson: Lesson) -> None:
        if row.state is State.SENT:
            row.hoped = lesson.context
            return
        if row.is_doubtful:
            row.returns += 1
        row.role = lesson.context.role
        row.is_doubtful = False
        row.is_urgent = lesson.is_urgent
        self._count(row, row.role is Role.ARTICLE)

    def _send(self, row: Row, lesson: Lesson) -> None:
        context = lesson.context
        row.role = context.role
        row.sends = max(row.sends + 1, context.sends)
        self.in_progress[context.key] = context.role
        if context.role is Role.ARTICLE:
            self._count(row, True)

    def _read(self, row: Row, lesson: Lesson) -> None:
        context, kind = lesson.context, lesson.reading.kind
        row.role = context.role
        if kind is None:
            return
        is_article = kind.is_article or row.is_missed
        self._count(row, is_article)
        # if a link promised an article when the page was requested, a further one is no news
        declined = context.declined
        was_promised = declined is not None and declined.promise >= PROMISING
        looks_like_one = kind.is_article or lesson.reading.lookalike
        row.is_doubtful = context.role.is_unpromised and not (looks_like_one or was_promised)

    def _fail(self, row: Row, lesson: Lesson) -> None:
        row.role = lesson.context.role
        is_missed = lesson.may_pass and row.role is Role.ARTICLE
        row.is_missed = is_missed
        row.is_doubtful = False
        self._count(row, is_missed)
        if is_missed:
            self.missed.add(lesson.context.key)

    def _leave_out(self, row: Row, lesson: Lesson) -> None:
        row.is_filtered = lesson.fact is Fact.FILTERED
        row.is_doubtful = not row.is_filtered
        self._count(row, False)

    def _decline(self, row: Row, lesson: Lesson) -> None:
        row.role = lesson.context.role
        self._count(row, False)


_CHANGES: Mapping[Fact, Callable[[Ledger, Row, Lesson], None]] = MappingProxyType(
    {
        Fact.FOUND: Ledger._find,
        Fact.DECLINED: Ledger._decline,
        Fact.SENT: Ledger._send,
        Fact.READ: Ledger._read,
        Fact.FAILED: Ledger._fail,
        Fact.LEFT_OUT: Ledger._leave_out,
        Fact.FILTERED: Ledger._leave_out,
    }
)
