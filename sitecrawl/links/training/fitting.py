"""Training of the link model with scikit-learn: SVMs, two stages, calibrated, validated by site; subsets of the features for the table with
and without the structure features (Peng and Xie 2017, table 2). Prediction needs none of it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from sitecrawl.links.facts import PageFacts
from sitecrawl.links.groups import Matrix, path_similarities
from sitecrawl.links.link_features import FEATURES, GROUPINGS, MEASURES, Targets, target_features
from sitecrawl.links.link_model import LinkModel, Stage, rbf, stack, standardise
from sitecrawl.links.training.dataset import ARTICLE, OTHER, SECTION, LabelledPage, Labels

PARTLY = 0.2
"""Weight of a site whose labels tell articles only, against one that is labelled fully."""
SYNTHETIC = 0.06
"""Weight of a synthetic site against a real one."""
_LOGIT_OF = {ARTICLE: 0, SECTION: 1, OTHER: 2}


@dataclass(frozen=True, slots=True)
class Settings:
    """How to train. ``landmarks`` 0 is a linear SVM; ``gamma`` is divided by the number of features; ``cost`` is C.
    Values by validation grouped by site.
    """

    landmarks: int = 0
    gamma: float = 0.1
    cost: float = 5e-5
    second: bool = True
    second_cost: float = 5e-5
    inner_folds: int = 4
    seed: int = 0


@dataclass(slots=True)
class Sample:
    """One page ready for training: targets, their label codes and their weights."""

    group: str
    targets: Targets
    labels: Labels
    weights: NDArray[np.float64]
    synthetic: bool = False


def samples(pages: Sequence[LabelledPage]) -> list[Sample]:
    """Samples of the pages that have targets; all real sites have equal weight, a page the square root of its number of targets."""
    made = [
        (page, Sample(page.group, target_features(page.facts), page.target_labels(), np.zeros(0), page.synthetic))
        for page in pages
    ]
    made = [(page, sample) for page, sample in made if len(sample.labels)]
    totals: Counter[str] = Counter()
    share: dict[str, float] = {}
    for page, sample in made:
        known = sample.labels > -2
        sample.weights = known / np.sqrt(max(1, known.sum()))
        whole = SYNTHETIC if page.synthetic else 1.0
        share.setdefault(page.site, whole if (sample.labels[known] >= 0).all() else whole * PARTLY)
        totals[page.site] += sample.weights.sum()
    for page, sample in made:
        sample.weights *= share[page.site] * 1000.0 / max(1e-9, totals[page.site])
    return [sample for _, sample in made]


def split(data: Sequence[Sample], folds: int, seed: int = 0) -> Iterator[tuple[list[int], list[int]]]:
    """Numbers of the samples to learn from and to hold out, one fold after the other; no site is in both."""
    groups = sorted(
        {sample.group for sample in data}, key=lambda group: hashlib.sha256(f"{seed} {group}".encode()).digest()
    )
    bounds = np.linspace(0, len(groups), min(folds, len(groups)) + 1).astype(int)
    for start, end in pairwise(bounds.tolist()):
        held = set(groups[start:end])
        yield (
            [n for n, sample in enumerate(data) if sample.group not in held],
            [n for n, sample in enumerate(data) if sample.group in held],
        )


def train(data: Sequence[Sample], settings: Settings) -> LinkModel:
    """The model of all samples. Stage two and the calibration learn from margins of sites that stage one did not see."""
    first = fit_stage([s.targets.matrix for s in data], data, settings)
    outer = _held_out_margins(data, settings, [s.targets.matrix for s in data])
    if not settings.second:
        return LinkModel(first, None, calibrate(outer, data))
    stacked = [stack(sample.targets, margins) for sample, margins in zip(data, outer, strict=True)]
    later = replace(settings, landmarks=0, cost=settings.second_cost, seed=settings.seed + 1)
    second = fit_stage(stacked, data, later)
    return LinkModel(first, second, calibrate(_held_out_margins(data, later, stacked), data))


def cross_validate(data: Sequence[Sample], settings: Settings, folds: int = 8) -> list[Matrix]:
    """Probabilities of every sample's targets by a model that saw no page of its site; none for synthetic samples, which every model learns from."""
    found: list[Matrix] = [np.zeros((0, 3), np.float32)] * len(data)
    real, made = ([n for n, sample in enumerate(data) if sample.synthetic == kind] for kind in (False, True))
    for learn, held in split([data[n] for n in real], folds, seed=99):
        model = train([data[n] for n in (*(real[place] for place in learn), *made)], settings)
        for place in held:
            found[real[place]] = model.probabilities(data[real[place]].targets)
    return found


def _held_out_margins(data: Sequence[Sample], settings: Settings, matrices: Sequence[Matrix]) -> list[Matrix]:
    found: list[Matrix] = [np.zeros((0, 2), np.float32)] * len(data)
    for learn, held in split(data, settings.inner_folds, settings.seed + 1):
        stage = fit_stage([matrices[n] for n in learn], [data[n] for n in learn], settings)
        for n in held:
            found[n] = stage.margins(matrices[n])
    return found


def fit_stage(matrices: Sequence[Matrix], data: Sequence[Sample], settings: Settings) -> Stage:
    """One stage from the matrices of the samples: standardise, perhaps map to the kernel's landmarks, two linear SVMs."""
    rows = np.vstack(matrices).astype(np.float32)
    labels = np.concatenate([sample.labels for sample in data])
    weights = np.concatenate([sample.weights for sample in data])
    known = labels > -2
    rows, labels, weights = rows[known], labels[known], weights[known]
    mean = np.average(rows, axis=0, weights=weights)
    spread = np.sqrt(np.average((rows - mean) ** 2, axis=0, weights=weights))
    mean, scale = mean.astype(np.float32), np.where(spread > 1e-6, spread, 1.0).astype(np.float32)
    rows = standardise(rows, mean, scale)
    if not settings.landmarks:
        return Stage(mean, scale, *_heads(rows, labels, weights, settings.cost))
    return _kernel_stage((mean, scale), rows, (labels, weights), settings)


def _kernel_stage(scaling: tuple[Matrix, Matrix], rows: Matrix, truth: tuple[Labels, Any], settings: Settings) -> Stage:
    """Nystroem's method: k(x, L) K_LL^(-1/2), the second factor folded into the weights."""
    labels, weights = truth
    chance = np.random.default_rng(settings.seed)
    chosen = chance.choice(len(rows), min(settings.landmarks, len(rows)), replace=False, p=weights / weights.sum())
    landmarks, gamma = np.ascontiguousarray(rows[chosen]), settings.gamma / rows.shape[1]
    values, vectors = np.linalg.eigh(rbf(landmarks, landmarks, gamma).astype(np.float64))
    root = (vectors / np.sqrt(np.maximum(values, 1e-6))) @ vectors.T
    mapped = rbf(rows, landmarks, gamma) @ root.astype(np.float32)
    coefficients, bias = _heads(mapped, labels, weights, settings.cost)
    return Stage(*scaling, (root @ coefficients).astype(np.float32), bias, landmarks, gamma)


def _heads(rows: Matrix, labels: Labels, weights: NDArray[np.float64], cost: float) -> tuple[Matrix, Matrix]:
    """Article against the rest, and section against the rest where the data tells sections from others."""
    full = labels >= 0
    article = LinearSVC(C=cost, dual=False).fit(rows, labels == ARTICLE, sample_weight=weights)
    section = LinearSVC(C=cost, dual=False).fit(rows[full], labels[full] == SECTION, sample_weight=weights[full])
    coefficients = np.stack([article.coef_[0], section.coef_[0]], axis=1)
    bias = np.array([article.intercept_[0], section.intercept_[0]])
    return coefficients.astype(np.float32), bias.astype(np.float32)


def calibrate(margins: Sequence[Matrix], data: Sequence[Sample]) -> Matrix:
    """Multinomial logistic regression from held-out margins to the three labels (Platt 1999, for three classes)."""
    rows = np.vstack(margins)
    labels = np.concatenate([sample.labels for sample in data])
    weights = np.concatenate([sample.weights for sample in data])
    known = labels >= 0
    fit = LogisticRegression(C=1.0, max_iter=500).fit(rows[known], labels[known], sample_weight=weights[known])
    table = np.zeros((3, 3), np.float32)
    for place, code in enumerate(fit.classes_):
        table[:2, _LOGIT_OF[code]], table[2, _LOGIT_OF[code]] = fit.coef_[place], fit.intercept_[place]
    return table


PAPER = (
    "same_domain",
    "date",
    *(f"{at}_u_{kind}" for at in ("last", "dir") for kind in ("forum", "thread", "article")),
    "words",
)
"""Four of the paper's own six: same root domain, date in the URL, keyword in the URL, text length. The other two, words of the
title attribute and similarity of the tag path, add nothing to the others and are computed here only."""
_OF_TEXT = frozenset(("words", "size", "pictured", "empty", "best_words"))


def structural(name: str) -> bool:
    """Whether a feature says where a link stands or what its group is like.

    >>> structural("list_size"), structural("in_nav"), structural("words"), structural("slug_words")
    (True, True, False, False)
    """
    if name.split("_")[0] in (*GROUPINGS, "in", "near"):
        return True
    return name in MEASURES and name not in _OF_TEXT


def subsets(pages: Sequence[LabelledPage], data: Sequence[Sample]) -> dict[str, list[Sample]]:
    """The samples with all features, without those of structure, and with the paper's six alone."""
    plain = np.array([not structural(name) for name in FEATURES], np.float32)
    six = [FEATURES.index(name) for name in PAPER]
    return {
        "all features": list(data),
        "without structure": [_with(sample, sample.targets.matrix * plain) for sample in data],
        "the paper's six": [
            _with(sample, np.hstack([sample.targets.matrix[:, six], _title_and_path(page.facts, sample.targets)]))
            for page, sample in zip(pages, data, strict=True)
        ],
    }


def _with(sample: Sample, matrix: Matrix) -> Sample:
    return replace(sample, targets=replace(sample.targets, matrix=matrix))


def _title_and_path(page: PageFacts, targets: Targets) -> Matrix:
    """Words of the title attribute (as a logarithm) and similarity of the tag path, targets x 2: the greatest of the links."""
    path, linked = page.column("path"), targets.of >= 0
    values = np.stack([np.log1p(page.column("title_words")), path_similarities(page.paths, path)[path]], axis=1)
    found = np.zeros((len(targets.facts), 2), np.float32)
    np.maximum.at(found, targets.of[linked], values[linked].astype(np.float32))
    return found
