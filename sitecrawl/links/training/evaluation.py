"""How good link labels are: by target as a user sees them, macro by site, with confusion and calibration."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean

import numpy as np

from sitecrawl.items.kinds import LinkLabel
from sitecrawl.links.classify import LABELS
from sitecrawl.links.groups import Matrix
from sitecrawl.links.training.dataset import ARTICLE, CODES, SECTION, LabelledPage, Labels

LABEL_CODES = np.array([CODES[label] for label in LABELS])
"""Label codes of the data set in the order of ``LABELS``."""


@dataclass(slots=True)
class Score:
    """Counts of one label on one site: right ones, predicted ones, true ones."""

    hits: int = 0
    found: int = 0
    wanted: int = 0

    @property
    def precision(self) -> float:
        return self.hits / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        return self.hits / self.wanted if self.wanted else 0.0

    @property
    def f1(self) -> float | None:
        """2 hits / (found + wanted), None where there is nothing to find and nothing was found."""
        total = self.found + self.wanted
        return 2 * self.hits / total if total else None


@dataclass(slots=True)
class Report:
    """Scores by site and label, counts of (true, predicted) labels, and (probability, right) pairs by tenth."""

    sites: dict[str, dict[str, Score]] = field(default_factory=dict)
    confusion: Counter[tuple[str, str]] = field(default_factory=Counter)
    bins: dict[int, list[tuple[float, bool]]] = field(default_factory=lambda: defaultdict(list))

    def macro(self, label: str, measure: str = "f1") -> float:
        """Mean over the sites where the measure is defined: those labelled fully, where there are any."""
        full = [scores for scores in self.sites.values() if LinkLabel.SECTION in scores] or list(self.sites.values())
        values = [getattr(scores[label], measure) for scores in full if label in scores]
        kept = [value for value in values if value is not None]
        return fmean(kept) if kept else 0.0

    def calibration(self) -> list[tuple[float, float, int]]:
        """Mean probability, share right, and number of links, tenth by tenth."""
        return [
            (fmean(p for p, _ in pairs), fmean(right for _, right in pairs), len(pairs))
            for _, pairs in sorted(self.bins.items())
        ]


def evaluate(pages: Sequence[LabelledPage], found: Sequence[Matrix]) -> Report:
    """Compare probabilities (targets x 3 of each page) with the labels. Sections count where the data tells them from others.

    Synthetic pages are not scored.
    """
    report = Report()
    for page, probabilities in zip(pages, found, strict=True):
        if not page.synthetic:
            _add(report, page.site, page.target_labels(), probabilities)
    return report


def _add(report: Report, site: str, truth: Labels, probabilities: Matrix) -> None:
    known = truth > -2
    if not known.any():
        return
    truth, probabilities = truth[known], probabilities[known]
    guess = LABEL_CODES[probabilities.argmax(axis=1)]
    scores = report.sites.setdefault(site, {LinkLabel.ARTICLE: Score()})
    _count(scores[LinkLabel.ARTICLE], truth == ARTICLE, guess == ARTICLE)
    if (truth >= 0).all():
        _count(scores.setdefault(LinkLabel.SECTION, Score()), truth == SECTION, guess == SECTION)
    names = dict(zip(LABEL_CODES.tolist(), LABELS, strict=True)) | {-1: "not article"}
    report.confusion.update((names[t], names[g]) for t, g in zip(truth.tolist(), guess.tolist(), strict=True))
    for true, row in zip(truth.tolist(), probabilities.tolist(), strict=True):
        report.bins[min(9, int(row[0] * 10))].append((row[0], true == ARTICLE))


def _count(score: Score, truth: np.ndarray, guess: np.ndarray) -> None:
    score.hits += int((truth & guess).sum())
    score.found += int(guess.sum())
    score.wanted += int(truth.sum())
