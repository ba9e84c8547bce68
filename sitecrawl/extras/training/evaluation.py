"""Quality of link labels: counted by target as a user sees them, macro by site, with confusion, calibration, and their tables."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

import numpy as np

from sitecrawl.extras.training.dataset import CODES, LabelledPage
from sitecrawl.items.kinds import LinkLabel
from sitecrawl.links.classify import LABELS
from sitecrawl.links.groups import Matrix

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
class EvaluationReport:
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


def evaluate(pages: Sequence[LabelledPage], found: Sequence[Matrix]) -> EvaluationReport:
    """Compare probabilities (targets x 3 of each page) with the labels. Synthetic pages are not scored.

    Sections count on pages whose data tells them from others.
    """
    report = EvaluationReport()
    names = dict(zip(LABEL_CODES.tolist(), LABELS, strict=True)) | {CODES["not article"]: "not article"}
    for page, probabilities in zip(pages, found, strict=True):
        truth = page.target_labels()
        known = truth > CODES["unknown"]
        if page.synthetic or not known.any():
            continue
        truth, rows = truth[known], probabilities[known]
        guess = LABEL_CODES[rows.argmax(axis=1)]
        scores = report.sites.setdefault(page.site, {LinkLabel.ARTICLE: Score()})
        for label in (LinkLabel.ARTICLE, LinkLabel.SECTION) if (truth >= 0).all() else (LinkLabel.ARTICLE,):
            score, right, hit = scores.setdefault(label, Score()), truth == CODES[label], guess == CODES[label]
            score.hits += int((right & hit).sum())
            score.found += int(hit.sum())
            score.wanted += int(right.sum())
        report.confusion.update((names[t], names[g]) for t, g in zip(truth.tolist(), guess.tolist(), strict=True))
        for code, chance in zip(truth.tolist(), rows[:, 0].tolist(), strict=True):
            report.bins[min(9, int(chance * 10))].append((chance, code == CODES["article"]))
    return report


def report_figures(report: EvaluationReport) -> dict[str, Any]:
    """The tables of a report as JSON holds them: macro by site, each site, counts by label, calibration by tenth."""
    labels, measures = ("article", "section"), ("precision", "recall", "f1")
    return {
        "macro": {label: {name: report.macro(label, name) for name in measures} for label in labels},
        "sites": {
            site: {
                label: {name: getattr(score, name) for name in (*measures, "wanted")} for label, score in scores.items()
            }
            for site, scores in report.sites.items()
        },
        "confusion": [{"true": true, "predicted": name, "links": n} for (true, name), n in report.confusion.items()],
        "calibration": [
            {"predicted": mean, "true": share, "links": count} for mean, share, count in report.calibration()
        ],
    }


def site_table(report: EvaluationReport) -> list[str]:
    """Scores by site, worst first."""
    heads = [f"{label} {name:>2}" for label in ("art", "sec") for name in ("P", "R", "F1")]
    lines = [
        "  ".join(
            [
                f"{'site':34}",
                *(f"{head:>6}" for head in heads[:3]),
                f"{'n':>6}",
                *(f"{head:>6}" for head in heads[3:]),
                f"{'n':>6}",
            ]
        )
    ]
    for site, scores in sorted(report.sites.items(), key=lambda item: item[1]["article"].f1 or 0.0):
        cells = [f"{site[:34]:34}"]
        for score in (scores[label] for label in ("article", "section") if label in scores):
            cells.append(f"{score.precision:6.3f}  {score.recall:6.3f}  {score.f1 or 0:6.3f}  {score.wanted:6}")
        lines.append("  ".join(cells))
    return lines


def change_table(one: EvaluationReport, other: EvaluationReport) -> list[str]:
    """F1 of two models by site, what the second one loses first."""

    def f1(report: EvaluationReport, site: str, label: str) -> float:
        scores = report.sites[site]
        return (scores[label].f1 or 0.0) if label in scores else 0.0

    rows = []
    for site in one.sites:
        pairs = [(f1(one, site, label), f1(other, site, label)) for label in ("article", "section")]
        cells = [f"{old:7.3f} {new:7.3f} {new - old:+7.3f}" for old, new in pairs]
        rows.append((sum(new - old for old, new in pairs), "  ".join([f"{site[:34]:34}", *cells])))
    head = "".join(f"  {name:>7} {'second':>7} {'change':>7}" for name in ("art F1", "sec F1"))
    return [f"{'site':34}{head}", *(line for _, line in sorted(rows))]


def macro_table(reports: dict[str, EvaluationReport]) -> list[str]:
    """Precision, recall and F1 of articles and sections, macro by site, a line a report."""
    lines = [f"{'':22}" + "".join(f"{name:>9}" for name in ("art P", "art R", "art F1", "sec P", "sec R", "sec F1"))]
    for name, report in reports.items():
        measures = [(label, measure) for label in ("article", "section") for measure in ("precision", "recall", "f1")]
        lines.append(f"{name:22}" + "".join(f"{report.macro(*measure):9.4f}" for measure in measures))
    return lines


def confusion_table(report: EvaluationReport) -> list[str]:
    """Counts of true against predicted labels."""
    columns = ("article", "section", "other")
    lines = [f"{'true / predicted':18}" + "".join(f"{name:>9}" for name in columns)]
    for true in (*columns, "not article"):
        lines.append(f"{true:18}" + "".join(f"{report.confusion[true, name]:9}" for name in columns))
    return lines


def calibration_table(report: EvaluationReport) -> list[str]:
    """Mean predicted probability of `article` against the true share of articles, by tenth."""
    lines = [f"{'predicted':>10} {'true':>7} {'links':>7}"]
    return lines + [f"{mean:10.3f} {share:7.3f} {count:7}" for mean, share, count in report.calibration()]


def model_card(card: dict[str, object], tables: Sequence[str]) -> str:
    """The README of ``models/``: what the model is, how and on what it was trained, its scores and its limits."""
    facts = "\n".join(f"- {name}: {value}" for name, value in card.items())
    body = "\n".join(tables)
    return f"""# Link model

`links.npz` says of every link of a page whether it leads to an article, a section or something else. It is a linear SVM in two
stages (the second sees the votes of a link's groups) with calibrated scores, stored as numpy arrays without pickles. Written by
`sitecrawl train`, which gives the same bytes for the same data and code; do not edit.

{facts}

Validated by site: no page of a site that is scored was seen in training. Labels are counted by target URL of a page; macro by site.

```
{body}
```

Limits: pages of other domains, files and feeds are never articles here. Sites whose navigation lists articles by one-word names,
portals that link by pictures only, and languages whose navigation words are not in the vocabulary are weak. Sites that were
labelled for articles only (listing corpora) weigh a fifth. A crawl corrects wrong guesses from the pages it fetches.
"""
