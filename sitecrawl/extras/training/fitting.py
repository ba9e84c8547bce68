"""Training of the link model: two stages of linear SVMs, calibrated, validated by site. Needs numpy
only. Both optimisation problems are strictly convex, so their solutions are unique; they are solved
in double precision and rounded, which hides the order in which a library or a processor sums, and
the same data gives the same model byte for byte."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sitecrawl.errors import SitecrawlError
from sitecrawl.extras.training.dataset import CODES, LabelledPage, Labels
from sitecrawl.items.kinds import LinkLabel
from sitecrawl.links.groups import Matrix
from sitecrawl.links.link_features import Targets, target_features
from sitecrawl.links.link_model import LinkModel, Stage, softmax, stack, standardise

Numbers = NDArray[np.float64]
Report = Callable[[str], object]  # called before each fold of a validation


@dataclass(frozen=True, slots=True)
class Settings:
    """How to train. Values by validation grouped by site (docs/research/links.md). ``cost`` is the
    C of both heads of a stage. At most ``per_label`` targets of a label are learned from on one
    page, with the weight of all: more of them repeat what the first say. ``partly`` is the weight
    of a site whose labels tell articles only and ``synthetic`` that of a made-up site, both against
    a real site that is labelled fully."""

    cost: float = 5e-5
    second: bool = True
    inner_folds: int = 4
    per_label: int = 12
    partly: float = 0.2
    synthetic: float = 0.06


@dataclass(slots=True)
class TrainingSample:
    """One page ready for training: its targets, their label codes, and their weights, zero for
    those not learned from."""

    group: str
    targets: Targets
    labels: Labels
    weights: Numbers
    synthetic: bool = False


def samples(
    pages: Sequence[LabelledPage], settings: Settings | None = None
) -> list[TrainingSample]:
    """Samples of pages that have targets. Real sites weigh the same; a page within a site by the
    square root of its labelled targets."""
    settings = settings or Settings()
    found: list[TrainingSample] = []
    sites: list[str] = []
    totals: defaultdict[str, float] = defaultdict(float)
    shares: dict[str, float] = {}
    for page in pages:
        labels = page.target_labels()
        known = labels > CODES["unknown"]
        sample = TrainingSample(
            page.group, target_features(page.facts), labels, np.zeros(len(labels)), page.synthetic
        )
        for code in np.unique(labels[known]).tolist():
            at = np.flatnonzero(labels == code)
            kept = at[
                np.linspace(0, len(at) - 1, min(len(at), settings.per_label)).round().astype(int)
            ]
            sample.weights[kept] = len(at) / len(kept) / np.sqrt(known.sum())
        whole = settings.synthetic if page.synthetic else 1.0
        shares.setdefault(
            page.site, whole * (1.0 if (labels[known] >= 0).all() else settings.partly)
        )
        totals[page.site] += float(sample.weights.sum())
        found.append(sample)
        sites.append(page.site)
    for sample, site in zip(found, sites, strict=True):
        sample.weights *= shares[site] * 1000.0 / max(1e-9, totals[site])
    return found


def split(
    data: Sequence[TrainingSample], folds: int, *, seed: int = 0
) -> Iterator[tuple[list[int], list[int]]]:
    """Numbers of the samples to learn from and to hold out, one fold after the other; no site is in
    both."""
    names = {sample.group for sample in data}
    groups = sorted(names, key=lambda group: hashlib.sha256(f"{seed} {group}".encode()).digest())
    bounds = np.linspace(0, len(groups), min(folds, len(groups)) + 1).astype(int)
    for start, end in pairwise(bounds.tolist()):
        is_held = np.isin([sample.group for sample in data], groups[start:end])
        yield np.flatnonzero(~is_held).tolist(), np.flatnonzero(is_held).tolist()


def train(data: Sequence[TrainingSample], settings: Settings) -> LinkModel:
    """The model of all samples. Stage two and the calibration learn from margins of sites that
    stage one did not see."""
    matrices = [sample.targets.matrix for sample in data]
    first, margins = _stage_and_margins(matrices, data, settings=settings, number=1)
    if not settings.second:
        return LinkModel(first, None, calibrate(margins, data))
    stacked = [stack(sample.targets, found) for sample, found in zip(data, margins, strict=True)]
    second, margins = _stage_and_margins(stacked, data, settings=settings, number=2)
    return LinkModel(first, second, calibrate(margins, data))


def cross_validate(
    data: Sequence[TrainingSample], settings: Settings, *, folds: int = 6, report: Report = str
) -> list[Matrix]:
    """Probabilities of every sample's targets by a model that saw no page of its site; none for
    synthetic samples, which every model learns from."""
    found: list[Matrix] = [np.zeros((0, 3), np.float32)] * len(data)
    real = [n for n, sample in enumerate(data) if not sample.synthetic]
    made = [sample for sample in data if sample.synthetic]
    if (folds := min(folds, len({data[n].group for n in real}))) < 2:
        raise SitecrawlError(
            "validation needs two sites and two folds: sitecrawl train --folds 0 skips it"
        )
    for number, (learn, held) in enumerate(split([data[n] for n in real], folds, seed=99), 1):
        report(f"validation {number} of {folds}")
        model = train([*(data[real[n]] for n in learn), *made], settings)
        for n in held:
            found[real[n]] = model.probabilities(data[real[n]].targets)
    return found


def _stage_and_margins(
    matrices: Sequence[Matrix], data: Sequence[TrainingSample], *, settings: Settings, number: int
) -> tuple[Stage, list[Numbers]]:
    """A stage, and the margins of every sample by one that saw no page of its site; ``number`` is 1
    or 2, so that the stages are cut differently."""
    whole, found = fit_stage(matrices, data, cost=settings.cost), [np.zeros((0, 2))] * len(data)
    for learn, held in split(data, settings.inner_folds, seed=number):
        stage = fit_stage(
            [matrices[n] for n in learn], [data[n] for n in learn], cost=settings.cost
        )
        for n in held:
            rows = standardise(matrices[n], mean=stage.mean, scale=stage.scale).astype(np.float64)
            found[n] = rows @ stage.weights + stage.bias
    return whole, found


def fit_stage(matrices: Sequence[Matrix], data: Sequence[TrainingSample], *, cost: float) -> Stage:
    """One stage from the matrices of the samples: two linear SVMs on standardised columns. The
    first head tells articles from the rest, the second sections from the rest where the data tells
    sections from others."""
    rows, labels, weights = _learned(matrices, data)
    mean = np.average(rows, axis=0, weights=weights)
    spread = np.sqrt(np.average((rows - mean) ** 2, axis=0, weights=weights))
    # a column that never varies has no scale of its own
    mean, scale = mean.astype(np.float32), np.where(spread > 1e-6, spread, 1.0).astype(np.float32)
    rows = standardise(rows, mean=mean, scale=scale)
    full = labels >= 0
    article = fit_plane(rows, labels == CODES["article"], weights=cost * weights)
    section = fit_plane(rows[full], labels[full] == CODES["section"], weights=cost * weights[full])
    planes = np.stack([article, section], axis=1).round(5).astype(np.float32)
    return Stage(mean, scale, np.ascontiguousarray(planes[:-1]), planes[-1])


def _learned(
    matrices: Sequence[Matrix | Numbers], data: Sequence[TrainingSample]
) -> tuple[Matrix, Labels, Numbers]:
    """Rows, labels and weights of the targets that are learned from, of all samples."""
    kept = [
        np.flatnonzero((sample.weights > 0) & (sample.labels > CODES["unknown"])) for sample in data
    ]
    rows = np.vstack([matrix[at] for matrix, at in zip(matrices, kept, strict=True)]).astype(
        np.float32
    )
    labels = np.concatenate([sample.labels[at] for sample, at in zip(data, kept, strict=True)])
    return (
        rows,
        labels,
        np.concatenate([sample.weights[at] for sample, at in zip(data, kept, strict=True)]),
    )


def fit_plane(rows: Matrix, positive: NDArray[np.bool_], *, weights: Numbers) -> Numbers:
    """A linear SVM with squared hinge loss: d weights and the bias that minimise |w|^2 / 2 + sum_i
    c_i max(0, 1 - y_i w.x_i)^2. Solved in the primal
    by Newton's method, whose Hessian is that of the rows inside the margin (Chapelle 2007,
    "Training a support vector machine in the primal").
    ``weights`` are the c_i; the bias is regularised like a weight."""
    rows = np.hstack([rows, np.ones((len(rows), 1))]).astype(np.float64)
    signs = np.where(positive, 1.0, -1.0)

    def slack(plane: Numbers) -> Numbers:
        found: Numbers = np.maximum(0.0, 1.0 - signs * (rows @ plane))
        return found

    def value(plane: Numbers) -> float:
        return float(plane @ plane / 2 + np.sum(weights * slack(plane) ** 2))

    def derivatives(plane: Numbers) -> tuple[Numbers, Numbers]:
        lacking = slack(plane)
        gradient, hessian = plane.copy(), np.eye(rows.shape[1])
        inside = np.flatnonzero(lacking)
        for start in range(0, len(inside), 4_096):  # blocks that stay in the cache of a core
            at = inside[start : start + 4_096]
            block = rows[at]
            gradient -= (2.0 * weights[at] * signs[at] * lacking[at]) @ block
            scaled = block * np.sqrt(2.0 * weights[at])[:, None]
            hessian += scaled.T @ scaled
        return gradient, hessian

    return minimise(np.zeros(rows.shape[1]), value, derivatives=derivatives)


def minimise(
    start: Numbers,
    value: Callable[[Numbers], float],
    *,
    derivatives: Callable[[Numbers], tuple[Numbers, Numbers]],
    tolerance: float = 1e-8,
    max_steps: int = 40,
) -> Numbers:
    """The minimum of a convex function by Newton's method with step halving; ``derivatives``
    returns gradient and Hessian. Stops after a step that promised less than ``tolerance`` of the
    value: near the minimum each step squares the error."""
    place, best = start, value(start)
    for _ in range(max_steps):
        gradient, hessian = derivatives(place)
        step = np.linalg.solve(hessian, gradient)
        promised = float(gradient @ step)
        if promised <= tolerance * abs(best):
            return place - step
        size = 1.0
        while (found := value(place - size * step)) > best - 1e-4 * size * promised and size > 1e-4:
            size /= 2
        if found >= best:
            break
        place, best = place - size * step, found
    return place


def calibrate(margins: Sequence[Numbers], data: Sequence[TrainingSample]) -> Matrix:
    """Multinomial logistic regression from held-out margins and 1 to the three labels, 3 x 3 (Platt
    1999, for three classes)."""
    rows, labels, weights = _learned(margins, data)
    full = labels >= 0
    inputs = np.hstack([rows[full], np.ones((int(full.sum()), 1))]).astype(np.float64)
    truth = (labels[full, None] == np.array([CODES[label] for label in LinkLabel])).astype(
        np.float64
    )
    weights = weights[full, None]

    def chances(table: Numbers) -> Numbers:
        return np.asarray(softmax((inputs @ table.reshape(3, 3)).astype(np.float64)), np.float64)

    def value(table: Numbers) -> float:
        return float(
            table @ table / 2 - np.sum(weights * truth * np.log(np.maximum(1e-12, chances(table))))
        )

    def derivatives(table: Numbers) -> tuple[Numbers, Numbers]:
        found = chances(table)
        hessian = np.eye(9).reshape(3, 3, 3, 3)
        for one in range(3):
            for other in range(3):
                shared = weights * found[:, [one]] * ((one == other) - found[:, [other]])
                hessian[:, one, :, other] += inputs.T @ (inputs * shared)
        return table + (inputs.T @ (weights * (found - truth))).ravel(), hessian.reshape(9, 9)

    return (
        minimise(np.zeros(9), value, derivatives=derivatives)
        .round(5)
        .astype(np.float32)
        .reshape(3, 3)
    )
