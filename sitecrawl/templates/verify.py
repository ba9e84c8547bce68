"""Does a template hold? Agreement with the extractors on pages that did not induce it, and a sequential test while in use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from sitecrawl.article import Article
from sitecrawl.templates.induce import induce
from sitecrawl.templates.sheet import Sample
from sitecrawl.templates.template import Template
from sitecrawl.values.chars import words

AGREES = 0.75
"""Word F1 of two bodies from which they are the same article."""
TRUSTED = 0.7
"""Share of held-out pages on which template and extractor must agree."""
_LEAST = 3
_P0, _P1 = 0.08, 0.6
_BAD, _GOOD = log(_P1 / _P0), log((1 - _P1) / (1 - _P0))
_ALARM = 2 * _BAD + _GOOD
"""CUSUM threshold: three bad pages with at most one good one between them, or more."""


def word_f1(one: str, other: str) -> float:
    """F1 of the word bags of two texts, a CJK character being a word; 1.0 when both are empty.

    >>> word_f1("a b c d", "a b c x")
    0.75
    """
    a, b = Counter(words(one.casefold())), Counter(words(other.casefold()))
    total = sum(a.values()) + sum(b.values())
    return 2 * sum((a & b).values()) / total if total else 1.0


def agreement(template: Template, sample: Sample) -> float:
    """Word F1 of the body that the template finds and the one the extractor guessed."""
    applied = template.apply(sample.page)
    return word_f1(applied.article.articleBody, sample.guess.article.articleBody) if applied.fit else 0.0


def held_out(samples: Sequence[Sample]) -> float:
    """Share of pages that a template induced from the others extracts as the extractor does; 0.0 under three pages.

    Two halves check each other; of three pages each is left out once.
    """
    if len(samples) < _LEAST:
        return 0.0
    parts = 2 if len(samples) > _LEAST else _LEAST
    good = 0
    for part in range(parts):
        kept = [sample for number, sample in enumerate(samples) if number % parts != part]
        template = induce(kept)
        good += sum(template is not None and agreement(template, sample) >= AGREES for sample in samples[part::parts])
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
    """Whether a page's body is far from the lengths that the template has seen (characters, below a tenth or above twenty times)."""
    low, high = template.statistics.get("chars_low", 0.0), template.statistics.get("chars_high", 0.0)
    return not chars or chars < 0.1 * low or (high > 0 and chars > 20 * high) or not (article.headline or not template.fields)
