"""Answers in the order of their requests, so that what a crawl decides does not depend on
delays."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from dataclasses import dataclass, field

from sitecrawl.crawl.records import FailedPage, FetchedPage
from sitecrawl.limits import LIMITS

Answer = FetchedPage | FailedPage


@dataclass
class AnswerOrder:
    """The open requests by number, each with its answer if that came before its turn. A request for
    which other answers waited ``patience`` seconds loses its place: ``overtake`` is called. So does
    a request if the waiting answers no longer fit into memory. A request of the browser, which ends
    in time but may wait for its turn, loses its place only then."""

    patience: float
    overtake: Callable[[], None]
    _answers: dict[int, Answer | None] = field(default_factory=dict)
    _numbered: int = 0
    _late: int = 0  # number of the last request for which others waited
    _timer: asyncio.TimerHandle | None = None  # ends its patience
    _handling: bool = False
    _drawn: set[int] = field(default_factory=set)  # numbers of the requests of the browser

    def number(self, *, in_browser: bool = False) -> int:
        """The number of a new request."""
        self._numbered += 1
        self._answers[self._numbered] = None
        if in_browser:
            self._drawn.add(self._numbered)
        return self._numbered

    def came(self, number: int, answer: Answer) -> Generator[Answer, None, None]:
        """The answers that can be handled once another one came: those of the oldest requests, up
        to the first without an answer. Interrupted requests wait for none, since they say nothing
        of their pages."""
        if isinstance(answer, FailedPage) and answer.interrupted:
            self._answers.pop(number, None)
            yield answer
        elif number in self._answers:
            self._answers[number] = answer
        else:  # it lost its place
            self._answers = {number: answer, **self._answers}
        yield from self.ready()

    def ready(self) -> Generator[Answer, None, None]:
        """The answers that can be handled now. While one is handled, others wait."""
        while self._answers and not self._handling:
            first = next(iter(self._answers))
            if (found := self._answers[first]) is None and self._is_worth_waiting(first):
                return
            del self._answers[first]
            self._drawn.discard(first)
            if found is not None:
                self._handling = True
                try:
                    yield found
                finally:
                    self._handling = False

    def rest(self) -> Generator[Answer, None, None]:
        """The answers that still wait when no request is open."""
        self._answers = {
            number: answer for number, answer in self._answers.items() if answer is not None
        }
        return self.ready()

    def clear(self) -> None:
        """Forget all answers: the crawl is over. A timer would keep it in memory."""
        self._answers.clear()
        self._forget_timer()

    def _is_worth_waiting(self, first: int) -> bool:
        waiting = [answer for answer in self._answers.values() if answer is not None]
        if waiting and self._late != first and first not in self._drawn:
            self._late = first
            self._forget_timer()
            self._timer = asyncio.get_running_loop().call_later(self.patience, self._give_up, first)
        return (
            sum(len(answer.body) for answer in waiting if isinstance(answer, FetchedPage))
            <= 2 * LIMITS.body_bytes
        )

    def _forget_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _give_up(self, first: int) -> None:
        if first in self._answers and self._answers[first] is None:
            del self._answers[first]
            self.overtake()
