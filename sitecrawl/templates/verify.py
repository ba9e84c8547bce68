"""Does a template hold? Agreement with the extractors on pages that did not induce it, and a sequential test while in use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import inf, log

from sitecrawl.dom.render import Content
from sitecrawl.templates.aligned_pages import Sample
from sitecrawl.templates.apply import Applied, TemplateBody, apply, rest_of
from sitecrawl.templates.induction.induce import induce
from sitecrawl.templates.template import Template, line_number
from sitecrawl.text.chars import word_count, words

AGREES = 0.75
"""Word F1 of two bodies from which they are the same article."""
CLOSE = 0.9
"""Word F1 that a template must reach which finds the body by position only."""
_REST_MARGIN = 150
"""Characters by which the rest of a page may outgrow that of all pages of the template."""


def word_f1(one: str, other: str) -> float:
    """F1 of the word bags of two texts, a CJK character being a word; 1.0 when both are empty.

    >>> word_f1("a b c d", "a b c x")
    0.75
    """
    lines, others = Counter(one.split("\n")), Counter(other.split("\n"))
    shared = lines & others  # no word stands in two lines: those that both texts have count in full
    a, b = (Counter(words("\n".join((rest - shared).elements()).casefold())) for rest in (lines, others))
    alike = word_count("\n".join(shared.elements()).casefold())
    total = 2 * alike + a.total() + b.total()
    return 2 * (alike + (a & b).total()) / total if total else 1.0


def agreement(template: Template, applied: Applied, *, guess: str, common: Collection[int] = frozenset()) -> float:
    """Word F1 of the body a template found and the one the extractor guessed, lines of the site's furniture left out on both sides.

    ``common`` are the numbers of further lines that stand on several pages. Where nothing is left of the guess, prose is believed.
    """
    if not applied.fit:
        return 0.0
    one, other = (prose(template, text, common=common) for text in (applied.article.articleBody, guess))
    # an extractor may take what readers wrote for body, a template knows better
    units = applied.article.body.units if one and isinstance(applied.article.body, TemplateBody) else []
    comments = {line for unit in units for line in Content((unit,)).text.split("\n")}
    other = "\n".join(line for line in other.split("\n") if line not in comments)
    return 1.0 if one and not other else word_f1(one, other)


def prose(template: Template, text: str, *, common: Collection[int] = frozenset()) -> str:
    """``text`` without the lines that stand on most pages of the site, or whose numbers are in ``common``."""
    known = template.furniture.union(common)
    return "\n".join([line for line in text.split("\n") if line_number(line) not in known])


def held_out(samples: Sequence[Sample], template: Template, *, same: float = 0.98) -> float:
    """Share of pages that a template like ``template``, induced from the others, extracts as the extractor does; 0.0 under three pages.

    Two halves check each other; of three pages each is left out once. A body found by position only must agree closely, unless all
    templates of a part give the body that ``template`` gives (word F1 ``same``): then ``template`` is noted to be steady.
    """
    if len(samples) < 3:
        return 0.0
    parts, agreed, alike = 2 if len(samples) > 3 else 3, list[float](), list[float]()
    for part in range(parts):
        other = induce([sample for number, sample in enumerate(samples) if number % parts != part], like=template)
        if other is None:
            continue
        for one in samples[part::parts]:
            applied, body = apply(other, one.page), apply(template, one.page).article.articleBody
            agreed.append(agreement(other, applied, guess=one.guess.article.articleBody))
            alike.append(word_f1(applied.article.articleBody, body) if body else 0.0)
    template.statistics["steady"] = float(len(alike) == len(samples) and min(alike) >= same)
    least = CLOSE if template.weak else AGREES
    return sum(one >= least for one in agreed) / len(samples)


class Grade(StrEnum):
    """What the extractor's guess says of a body: ``UNKNOWN`` where it guessed nothing, ``VAGUE`` where it agrees by half only."""

    GOOD = "good"
    UNKNOWN = "unknown"
    VAGUE = "vague"
    BAD = "bad"


_WEIGHT = {Grade.GOOD: log(0.4 / 0.92), Grade.UNKNOWN: 0.0, Grade.VAGUE: log(0.15 / 0.08), Grade.BAD: log(0.6 / 0.08)}
"""Log-likelihood ratios of a template that no longer holds against one that does: of good pages 40 against 92 in a hundred, and so on."""


def grade(template: Template, applied: Applied, *, guess: str, common: Collection[int] = frozenset()) -> Grade:
    """How the body a template found stands against the extractor's ``guess``; one found by position must be close to it.

    So must one found by a second address, and one beside which the page has grown: there the rest of the body may stand.
    """
    if not applied.fit:
        return Grade.BAD
    if not guess:
        return Grade.UNKNOWN
    score = agreement(template, applied, guess=guess, common=common)
    if score < (CLOSE if applied.rank or has_grown(template, applied) else AGREES):
        return Grade.BAD
    return Grade.VAGUE if template.weak and score < CLOSE else Grade.GOOD


def has_grown(template: Template, applied: Applied, *, otherwise: float = inf) -> bool:
    """Whether the page has more text beside the body than all pages of the template had (``otherwise`` where that is not known)."""
    return rest_of(applied) > template.statistics.get("rest_high", otherwise) + _REST_MARGIN


@dataclass(slots=True)
class Monitor:
    """A CUSUM of graded pages (Page 1954): ``level`` rises with a bad one, sinks with a good one, never below 0.

    It sounds when pages are bad far more often than one in twelve; one odd page among good ones never does, and a page of which
    the extractor makes nothing is no evidence. ``chars`` is the length of the body that was looked at last, ``rest`` the most text beside
    the body of a page that was found good.
    """

    level: float = 0.0
    seen: int = 0
    bad: int = 0
    chars: float = 0.0
    rest: float = 0.0

    def record(self, found: Grade) -> bool:
        """Take a page in; True when the template no longer holds.

        >>> monitor, good, bad = Monitor(), Grade.GOOD, Grade.BAD
        >>> [monitor.record(found) for found in (good, bad, good, good, bad, bad, Grade.UNKNOWN, bad)]
        [False, False, False, False, False, False, False, True]
        """
        self.seen += 1
        self.bad += found is Grade.BAD
        self.level = max(0.0, self.level + _WEIGHT[found])
        # three bad pages in a row, or with one good page between them; nine vague ones
        return self.level > 2.5 * _WEIGHT[Grade.BAD]

    @property
    def uneasy(self) -> bool:
        """Whether pages lately spoke against the template: then every page is looked at, not one in many (Reynolds et al. 1988)."""
        return self.level > 0

    def repeats(self, chars: float) -> bool:
        """Whether a body is as long, to the character, as the one before: a notice or a menu is the same on every page."""
        same, self.chars = chars == self.chars, chars
        return same

    def to_dict(self) -> dict[str, float]:
        return {"level": self.level, "seen": self.seen, "bad": self.bad, "rest": self.rest}


def is_odd(template: Template, applied: Applied, *, dense: float = 20.0) -> bool:
    """Whether a page's body is unlike those that the template has seen.

    No headline, nothing at all, above twenty times the characters; more new text beside the body than in it; below two fifths or links as dense as in a menu, unless the
    rest of the page is no longer than usual: then the body stands nowhere else. A menu has ``dense`` links a thousand
    characters, and twice as many as the template's own pages.
    """
    seen, chars = template.statistics, applied.chars
    if not chars or (template.fields and not applied.article.headline):
        return True
    if rest_of(applied) > seen.get("rest_high", inf) + max(_REST_MARGIN, chars):
        return True
    if 0 < 20 * seen.get("chars_high", 0.0) < chars:
        return True
    is_menu = 1000 * applied.links > max(dense, 2 * seen.get("links_high", dense)) * chars
    return (is_menu or chars < 0.4 * seen.get("chars_low", 0.0)) and has_grown(template, applied, otherwise=-1.0)
