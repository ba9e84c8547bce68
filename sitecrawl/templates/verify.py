"""Whether a template still works: its agreement with the extractor on pages that did not induce it,
and a sequential test while it is used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import inf, log

from sitecrawl.dom.render import Content
from sitecrawl.dom.tree import is_inline
from sitecrawl.items.kinds import PageGuess
from sitecrawl.templates.apply import Applied, apply
from sitecrawl.templates.induction.induce import induce
from sitecrawl.templates.template import Template, line_digest
from sitecrawl.text.chars import words

AGREES = 0.75  # word F1 from which two bodies count as the same article
CLOSE = 0.9  # word F1 that is required of a template that finds the body by position only
# characters outside the body that a page may have beyond the most that any page of the template had
_REST_MARGIN = 150


def word_f1(one: str, other: str) -> float:
    """F1 of two texts as bags of words (a CJK character is a word); 1.0 if both are empty.

    >>> word_f1("a b c d", "a b c x")
    0.75
    """
    if one == other:
        return 1.0
    a, b = (Counter(words(text.casefold())) for text in (one, other))
    total = a.total() + b.total()
    return 2 * (a & b).total() / total if total else 1.0


def agreement(applied: Applied, *, guess: str, repeated: Collection[int] = frozenset()) -> float:
    """Word F1 of the template's body and the extractor's ``guess``. The template's boilerplate is
    removed from both, and so are the lines whose digests are in ``repeated``. If nothing is left of
    the guess alone, it is 1.0."""
    if not applied.fit:
        return 0.0
    body, other = (
        prose(applied.template, text, repeated=repeated)
        for text in (applied.article.articleBody, guess)
    )
    # the extractor may include comments of readers in the body; the template knows where they are
    units = applied.body.units if body and applied.body else []
    around = frozenset(
        units
    )  # the lines of a reply are among those of the comment that it stands in
    outer = (unit for unit in units if is_inline(unit) or around.isdisjoint(unit.iterancestors()))
    comments = {line for unit in outer for line in Content((unit,)).text.split("\n")}
    other = "\n".join(line for line in other.split("\n") if line not in comments)
    return 1.0 if body and not other else word_f1(body, other)


def prose(template: Template, text: str, *, repeated: Collection[int] = frozenset()) -> str:
    """``text`` without the template's boilerplate and without the lines whose digests are in
    ``repeated``."""
    dropped = template.boilerplate.union(repeated)
    lines = text.split("\n")
    digests = line_digest.each(lines)
    kept = [line for line, digest in zip(lines, digests, strict=True) if digest not in dropped]
    return "\n".join(kept)


def cross_validate(
    samples: Sequence[PageGuess], template: Template, *, same: float = 0.98
) -> float:
    """The share of ``samples`` on which a template induced from the other samples agrees with the
    extractor; 0.0 for fewer than three samples. There
    are two folds, three for three samples. A body found by position must agree closely. The
    statistics of ``template`` are given the share as
    ``held_out``, and ``steady``: 1.0 if the templates of all folds give its own bodies (word F1 of
    at least ``same``), else 0.0."""
    statistics = template.statistics
    if len(samples) < 3:
        statistics["held_out"] = 0.0
        return 0.0
    folds, agreements, is_steady = 2 if len(samples) > 3 else 3, list[float](), True
    for fold in range(folds):
        other = induce(
            [sample for number, sample in enumerate(samples) if number % folds != fold],
            like=template,
        )
        if other is None:
            is_steady = False
            continue
        for sample in samples[fold::folds]:
            applied = apply(other, sample.page)
            agreements.append(agreement(applied, guess=sample.article.articleBody))
            if is_steady:
                body = apply(template, sample.page).article.articleBody
                is_steady = bool(body) and word_f1(applied.article.articleBody, body) >= same
    statistics["steady"] = float(is_steady)
    least = CLOSE if template.is_uncertain else AGREES  # a steady template is not uncertain
    statistics["held_out"] = share = sum(f1 >= least for f1 in agreements) / len(samples)
    return share


class Grade(StrEnum):
    """How the extractor's guess supports a body: ``UNKNOWN`` if the guess is empty, ``PARTIAL`` if
    it agrees only in part."""

    GOOD = "good"
    UNKNOWN = "unknown"
    PARTIAL = "partial"
    BAD = "bad"


_WEIGHT = {
    Grade.GOOD: log(0.4 / 0.92),
    Grade.UNKNOWN: 0.0,
    Grade.PARTIAL: log(0.15 / 0.08),
    Grade.BAD: log(0.6 / 0.08),
}
"""Log-likelihood ratio of each grade: probability on pages of a broken template against that of a
working one (good: .4 against .92, ...)."""


def grade(applied: Applied, *, guess: str, repeated: Collection[int] = frozenset()) -> Grade:
    """Grade of a body against the extractor's ``guess``. The agreement must be closer if the body
    was found by position or by a second address, or if the page has grown beside it: then the rest
    of the body may stand there."""
    if not applied.fit:
        return Grade.BAD
    if not guess:
        return Grade.UNKNOWN
    score = agreement(applied, guess=guess, repeated=repeated)
    if score < (CLOSE if applied.rank or has_grown(applied) else AGREES):
        return Grade.BAD
    return Grade.PARTIAL if applied.template.is_uncertain and score < CLOSE else Grade.GOOD


def has_grown(applied: Applied, *, otherwise: float = inf) -> bool:
    """Whether the page has more text outside the body than any page of the template had
    (``otherwise`` is used if that is unknown)."""
    return applied.rest > applied.template.statistics.get("rest_high", otherwise) + _REST_MARGIN


@dataclass(slots=True)
class Monitor:
    """A CUSUM test over graded pages (Page 1954): ``level`` rises with a bad page, falls with a
    good one, and is never negative. It signals when pages are bad far more often than one in
    twelve. A single bad page among good ones never triggers it; pages without a guess do not count.
    ``chars`` is the length of the previous body, ``rest`` the most text outside the body on any
    good page. ``agreed``: this crawl had a good page, or taught it."""

    level: float = 0.0
    chars: float = 0.0
    rest: float = 0.0
    agreed: bool = False

    def record(self, found: Grade) -> bool:
        """Add the grade of a page; True if the template no longer works.

        >>> monitor, good, bad = Monitor(), Grade.GOOD, Grade.BAD
        >>> [monitor.record(found) for found in (good, bad, good, good, bad, bad, Grade.UNKNOWN, bad)]
        [False, False, False, False, False, False, False, True]
        """
        self.agreed |= found is Grade.GOOD
        self.level = max(0.0, self.level + _WEIGHT[found])
        # three bad pages in a row, or with one good page between them; nine that agree in part
        return self.level > 2.5 * _WEIGHT[Grade.BAD]

    @property
    def uneasy(self) -> bool:
        """Whether a recent page disagreed with the template. Then every page is compared, not one
        in many (Reynolds et al. 1988)."""
        return self.level > 0

    def record_length(self, chars: float) -> bool:
        """Store the length of a body; True if the previous body had exactly that length, as a
        notice or menu on every page has."""
        same, self.chars = chars == self.chars, chars
        return same


def is_odd(applied: Applied, *, dense: float = 20.0, settled: int = 12, least: float = 0.2) -> bool:
    """Whether a page's body is an outlier among the bodies that the template was learned from.

    - An empty body, one more than twenty times as long as the longest, and one with half as much
      new text beside it are odd.
    - A template of fewer than ``settled`` pages may have learned from odd ones, as forms: it is not
      trusted to keep less than ``least`` of a container.
    - The headline may be missing, the body shorter than two fifths of the shortest one, or a menu:
      at least ``dense`` links per thousand characters
      and twice as many as usual. Such a page is odd if the text outside the body has grown, because
      the body may be there."""
    usual, chars = applied.template.statistics, applied.chars
    if not chars or applied.rest > usual.get("rest_high", inf) + max(_REST_MARGIN, chars / 2):
        return True
    is_cut = (
        usual.get("pages", 0) < settled
        and applied.body
        and len(applied.body.content.text) < least * chars
    )
    if is_cut or 0 < 20 * usual.get("chars_high", 0.0) < chars:
        return True
    is_menu = 1000 * applied.links > max(dense, 2 * usual.get("links_high", dense)) * chars
    is_untitled = bool(applied.template.fields) and not applied.article.headline
    is_short = chars < 0.4 * usual.get("chars_low", 0.0)
    return (is_untitled or is_menu or is_short) and has_grown(applied, otherwise=-1.0)
