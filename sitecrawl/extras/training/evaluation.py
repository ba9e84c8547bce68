"""Quality of link labels: counted by target as a user sees them, macro by site, with confusion,
calibration, and their tables."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

import numpy as np

from sitecrawl.extras.training.dataset import CODES, LABEL_OF, LabelledPage
from sitecrawl.items.kinds import LinkLabel
from sitecrawl.links.classify import LABELS
from sitecrawl.links.groups import Matrix
from sitecrawl.links.link_features import FEATURES, target_features
from sitecrawl.links.link_model import LinkModel
from sitecrawl.resources import text_template

LABEL_CODES = np.array(
    [CODES[label] for label in LABELS]
)  # label codes of the data set in the order of `LABELS`
SCORED, MEASURES = (LinkLabel.ARTICLE, LinkLabel.SECTION), ("precision", "recall", "f1")


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
class EvaluationReport:
    """Scores by site and label, counts of (true, predicted) labels, and (probability, right) pairs
    by tenth."""

    sites: dict[str, dict[str, Score]] = field(default_factory=dict)
    confusion: Counter[tuple[str, str]] = field(default_factory=Counter)
    bins: dict[int, list[tuple[float, bool]]] = field(default_factory=lambda: defaultdict(list))

    def macro(self, label: str, measure: str = "f1") -> float:
        """Mean over the sites where the measure is defined: those labelled fully, where there are
        any."""
        full = [scores for scores in self.sites.values() if LinkLabel.SECTION in scores] or list(
            self.sites.values()
        )
        values = [getattr(scores[label], measure) for scores in full if label in scores]
        kept = [value for value in values if value is not None]
        return fmean(kept) if kept else 0.0

    def worst_first(self) -> list[tuple[str, dict[str, Score]]]:
        return sorted(self.sites.items(), key=lambda item: item[1][LinkLabel.ARTICLE].f1 or 0.0)

    def against(self, other: EvaluationReport) -> list[tuple[str, list[tuple[float, float]]]]:
        """F1 of this model and the ``other`` by site and label, what the other one loses first."""
        pairs = {
            site: [
                (scores.get(it, Score()).f1 or 0.0, other.sites[site].get(it, Score()).f1 or 0.0)
                for it in SCORED
            ]
            for site, scores in self.sites.items()
        }
        return sorted(pairs.items(), key=lambda item: sum(new - old for old, new in item[1]))

    def calibration(self) -> list[tuple[float, float, int]]:
        """Mean probability, share right, and number of links, tenth by tenth."""
        tenths = (pairs for _, pairs in sorted(self.bins.items()))
        return [
            (fmean(p for p, _ in tenth), fmean(right for _, right in tenth), len(tenth))
            for tenth in tenths
        ]


def evaluate(pages: Sequence[LabelledPage], found: Sequence[Matrix]) -> EvaluationReport:
    """Compare probabilities (targets x 3 of each page) with labels. Synthetic pages do not count;
    sections only on pages that label them."""
    report = EvaluationReport()
    names: dict[int, str] = {**LABEL_OF, CODES["not article"]: "not article"}
    for page, probabilities in zip(pages, found, strict=True):
        truth = page.target_labels()
        known = truth > CODES["unknown"]
        if page.synthetic or not known.any():
            continue
        truth, rows = truth[known], probabilities[known]
        guess = LABEL_CODES[rows.argmax(axis=1)]
        scores = report.sites.setdefault(page.site, {LinkLabel.ARTICLE: Score()})
        for label in SCORED if (truth >= 0).all() else SCORED[:1]:
            score, right, hit = (
                scores.setdefault(label, Score()),
                truth == CODES[label],
                guess == CODES[label],
            )
            score.hits += int((right & hit).sum())
            score.found += int(hit.sum())
            score.wanted += int(right.sum())
        report.confusion.update(
            (names[t], names[g]) for t, g in zip(truth.tolist(), guess.tolist(), strict=True)
        )
        for code, chance in zip(truth.tolist(), rows[:, 0].tolist(), strict=True):
            report.bins[min(9, int(chance * 10))].append((chance, code == CODES["article"]))
    return report


def evaluate_model(pages: Sequence[LabelledPage], model: LinkModel) -> EvaluationReport:
    """The scores of a model on pages that it need not have seen."""
    return evaluate(pages, [model.probabilities(target_features(page.facts)) for page in pages])


def tables_of(name: str, /, **shown: Any) -> list[str]:
    """The lines of a table of ``tables.txt``: ``macro`` of ``reports`` by name; ``sites`` (the
    worst first), ``confusion`` and ``calibration`` of a ``report``;
    ``changes`` of F1 by site from one report to the ``other``; ``weights`` and their ``ranks``
    (features x 2) of the features of Peng
    and Xie (2017) in the first stage of a model."""
    known = {"scored": SCORED, "measures": MEASURES, "labels": tuple(LABELS), "features": FEATURES}
    tables = text_template("sitecrawl.extras.training", "tables.txt")
    return str(tables.render(table=name, **known, **shown)).strip("\n").split("\n")
