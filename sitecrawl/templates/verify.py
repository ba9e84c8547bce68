"""Does a template hold? Agreement with the extractors on pages that did not induce it, and a sequential test while in use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from sitecrawl.article import Article
from sitecrawl.templates.apply import Applied
from sitecrawl.templates.induce import induce, line_number
from sitecrawl.templates.sheet import Sample
from sitecrawl.templates.template import Template
from sitecrawl.values.chars import word_count, words

AGREES = 0.75
"""Word F1 of two bodies from which they are the same article."""
CLOSE = 0.9
"""Word F1 that a template must reach which finds the body by position only."""
TRUSTED = 0.7
"""Share of held-out pages on which template and extractor must agree."""
_SCRAP = 0.1
"""Share of the shortest known body below which a guess can be a scrap."""
_LEAST = 3
_MORE = 1.5
_P0, _P1 = 0.08, 0.6
_BAD, _GOOD = log(_P1 / _P0), log((1 - _P1) / (1 - _P0))
_ALARM = 2.5 * _BAD
"""CUSUM threshold: three bad pages in a row, or with one good page between them."""


def word_f1(one: str, other: str) -> float:
    """F1 of the word bags of two texts, a CJK character being a word; 1.0 when both are empty.

    >>> word_f1("a b c d", "a b c x")
    0.75
    """
    a, b = Counter(words(one.casefold())), Counter(words(other.casefold()))
    total = sum(a.values()) + sum(b.values())
    return 2 * sum((a & b).values()) / total if total else 1.0


def agreement(template: Template, applied: Applied, guess: str) -> float:
    """Word F1 of the body a template found and the one the extractor guessed, lines of the site's furniture left out.

    Where nothing is left of the guess, or scraps of what the template found, prose is believed.
    """
    if not applied.fit:
        return 0.0
    one, other = (prose(template, text) for text in (applied.article.articleBody, guess))
    return 1.0 if one and _is_scrap(template, other, one) else word_f1(one, other)


def _is_scrap(template: Template, guess: str, body: str) -> bool:
    """Whether ``guess`` is nothing, or lines of ``body`` that are far shorter than any body the template was induced from.

    What is found by position only may hold the whole page, so that lines of it prove nothing.
    """
    short = not template.weak and len(guess) < _SCRAP * template.statistics.get("chars_low", 0.0)
    return not guess or (short and set(guess.split("\n")) <= set(body.split("\n")))


def prose(template: Template, text: str) -> str:
    """``text`` without the lines that stand on most pages of the site."""
    return "\n".join(line for line in text.split("\n") if line_number(line) not in template.furniture)


def outweighs(template: Template, body: str, guess: str) -> bool:
    """Whether a short body is no loss: the extractor found hardly more prose than the template did."""
    return word_count(prose(template, guess)) <= _MORE * word_count(prose(template, body))


def agrees(template: Template, sample: Sample, least: float = AGREES) -> bool:
    """Whether template and extractor take the same for the body of a page: word F1 of ``least`` or more."""
    applied = template.apply(sample.page)
    return agreement(template, applied, sample.guess.article.articleBody) >= least


def held_out(samples: Sequence[Sample], least: float = AGREES) -> float:
    """Share of pages that a template induced from the others extracts as the extractor does; 0.0 under three pages.

    Two halves check each other; of three pages each is left out once.
    """
    if len(samples) < _LEAST:
        return 0.0
    parts = 2 if len(samples) > _LEAST else _LEAST
    good = 0
    for part in range(parts):
        kept = [sample for number, sample in enumerate(samples) if number % parts != part]
        template = induce(kept, body_only=True)
        good += sum(template is not None and agrees(template, sample, least) for sample in samples[part::parts])
    return good / len(samples)


@dataclass(slots=True)
class Monitor:
    """A CUSUM of good and bad pages (Page 1954): ``level`` rises with a bad one, sinks with a good one, never below 0.

    It sounds when pages are bad far more often than ``_P0``; one odd page among good ones never does.
    """

    level: float = 0.0
    seen: int = 0
    bad: int = 0

    def record(self, good: bool) -> bool:
        """Take a page in; True when the template no longer holds.

        >>> monitor = Monitor()
        >>> [monitor.record(good) for good in (True, False, True, True, False, False, False)]
        [False, False, False, False, False, False, True]
        """
        self.seen += 1
        self.bad += not good
        self.level = max(0.0, self.level + (_GOOD if good else _BAD))
        return self.level > _ALARM

    def to_dict(self) -> dict[str, float]:
        return {"level": self.level, "seen": self.seen, "bad": self.bad}


def is_odd(template: Template, article: Article, chars: float) -> bool:
    """Whether a page's body is far from the lengths that the template has seen (characters, below two fifths or above twenty times)."""
    low, high = template.statistics.get("chars_low", 0.0), template.statistics.get("chars_high", 0.0)
    return (
        not chars
        or chars < 0.4 * low
        or (high > 0 and chars > 20 * high)
        or not (article.headline or not template.fields)
    )
