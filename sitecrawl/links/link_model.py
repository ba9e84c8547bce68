"""The link model: an SVM as matrices, and its file: numpy arrays without pickles beside a JSON card. Training lives in ``training/``."""

from __future__ import annotations

import json
import zipfile
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from sitecrawl.dom.products import product
from sitecrawl.errors import ModelError
from sitecrawl.links.groups import Matrix
from sitecrawl.links.link_features import FEATURES, Targets
from sitecrawl.resources import DAMAGES, arrays_of, matrix, model_path

PROJECT_MODEL = "own-links.npz"
"""The link model of a project, looked for in the current folder."""
PROTOCOL = 1
"""To be raised when an older reader would misread a model; a reader refuses protocols it does not know."""
CLIP = 4.0
"""Standardised features are cut at this many standard deviations, so that one odd page cannot decide alone."""
MODEL_NAME = "links.npz"
_REMEDY = "rebuild it with: scrapy train training_data"
_PARTS = ("mean", "scale", "weights", "bias", "landmarks", "gamma")


@dataclass(frozen=True, slots=True)
class Stage:
    """One SVM with two heads, article against the rest and section against the rest.

    Columns are standardised by ``mean`` and ``scale`` (d). With ``landmarks`` (m x d) the kernel is RBF by Nystroem's
    method (Williams and Seeger 2001): k(x, l) = exp(-gamma |x - l|^2), its projection folded into ``weights`` (m x 2);
    without, it is linear and ``weights`` is d x 2.
    """

    mean: Matrix
    scale: Matrix
    weights: Matrix
    bias: Matrix
    landmarks: Matrix | None = None
    gamma: float = 0.0

    def margins(self, matrix: Matrix) -> Matrix:
        """Signed distances to the two planes, rows x 2."""
        rows = standardise(matrix, self.mean, self.scale)
        if self.landmarks is not None:
            rows = rbf(rows, self.landmarks, self.gamma)
        found: Matrix = product(rows, self.weights) + self.bias
        return found


@dataclass(frozen=True, slots=True)
class LinkModel:
    """Two stages and a calibration. The second stage sees the first's margins and their means over the groups of a target.

    ``calibration`` (3 x 3) maps (article margin, section margin, 1) to logits in the order of ``LABELS``. ``card`` describes
    the model: data digest, date, versions, scores.
    """

    first: Stage
    second: Stage | None
    calibration: Matrix
    card: dict[str, Any] = field(default_factory=dict)

    def probabilities(self, targets: Targets) -> Matrix:
        """Probability of each label for each target, targets x 3 in the order of ``LABELS``; rows sum to 1."""
        return softmax(product(with_one(self.margins(targets)), self.calibration))

    def margins(self, targets: Targets) -> Matrix:
        """Margins of the last stage, targets x 2."""
        if not len(targets.matrix):
            return np.zeros((0, 2), np.float32)
        margins = self.first.margins(targets.matrix)
        return margins if self.second is None else self.second.margins(stack(targets, margins))


def standardise(matrix: Matrix, mean: Matrix, scale: Matrix) -> Matrix:
    """(x - mean) / scale, cut at ``CLIP``."""
    rows = (matrix - mean) * (1.0 / scale)
    np.maximum(rows, -CLIP, out=rows)
    return np.minimum(rows, CLIP, out=rows)


def rbf(rows: Matrix, landmarks: Matrix, gamma: float) -> Matrix:
    """exp(-gamma |x - l|^2), rows x landmarks."""
    squares = (rows**2).sum(1)[:, None] + (landmarks**2).sum(1) - 2.0 * product(rows, landmarks.T)
    kernel: Matrix = np.exp(-gamma * np.maximum(squares, 0.0)).astype(np.float32)
    return kernel


def stack(targets: Targets, margins: Matrix) -> Matrix:
    """Input of the second stage: the features, the margins, and the votes of the target's groups and of the page.

    Of each grouping: mean and maximum of the votes of the target's own group, and the greatest mean on the page, so that
    a list is seen against the page's best list.
    """
    stacked: Matrix = np.hstack([targets.matrix, _votes(targets, margins)])
    return stacked


def _votes(targets: Targets, margins: Matrix) -> Matrix:
    """Margins and votes of the targets, the page and the groups."""
    votes, groups = squash(margins), targets.groups
    if groups is None:
        raise ValueError("a page without targets has no votes")
    mean, top = groups.means(votes), groups.maxima(votes)
    best = np.maximum.reduceat(mean * np.minimum(1.0, groups.sizes[:, None] / 5.0), groups.firsts, axis=0)
    grouped = np.empty((len(votes), len(best), 7), np.float32)
    grouped[:, :, 0:2], grouped[:, :, 2:4], grouped[:, :, 4:6] = mean[groups.own], top[groups.own], best
    grouped[:, :, 6] = np.log1p(groups.sizes)[groups.own]
    found = np.empty((len(votes), 6 + 7 * len(best)), np.float32)
    found[:, 0:2], found[:, 2:4], found[:, 4:6] = margins, votes, np.add.reduce(votes) / len(votes)
    found[:, 6:] = grouped.reshape(len(votes), -1)
    return found


def squash(margins: Matrix) -> Matrix:
    """Margins as votes in 0..1."""
    votes = 1.0 / (1.0 + np.exp(-3.0 * np.minimum(10.0, np.maximum(-10.0, margins))))
    return votes.astype(np.float32)


def softmax(logits: Matrix) -> Matrix:
    """Probabilities of rows of logits.

    >>> softmax(np.zeros((1, 2), np.float32)).tolist()
    [[0.5, 0.5]]
    """
    powers: Matrix = np.exp(logits - logits.max(axis=1, keepdims=True))
    found: Matrix = powers / powers.sum(axis=1, keepdims=True)
    return found


def with_one(matrix: Matrix) -> Matrix:
    """``matrix`` with a column of ones added."""
    return np.hstack([matrix, np.ones((len(matrix), 1), matrix.dtype)])


def default_path() -> Path:
    """Path of the shipped model."""
    return model_path(MODEL_NAME)


@lru_cache(maxsize=4)
def shipped_model() -> LinkModel:
    """The shipped model, read once. Raises ModelError when it is missing or damaged."""
    return load_model(default_path())


def site_model_name(site: str) -> str:
    """The link model of one site, looked for in the current folder.

    >>> site_model_name("news.example")
    'own-links-news.example.npz'
    """
    return f"own-links-{site}.npz"


def own_model(site: str) -> str:
    """Path of the user's own model for a site: the site's, else the project's in the current folder; empty where there is none."""
    return next((name for name in (site_model_name(site), PROJECT_MODEL) if Path(name).is_file()), "")


@lru_cache(maxsize=4)
def model_at(path: str) -> LinkModel:
    """The model in the file that a setting names, read once; the shipped one where it names none. Raises ModelError."""
    return load_model(Path(path)) if path else shipped_model()


def load_model(path: Path) -> LinkModel:
    """The model in a file. Raises ModelError with the reason when it is missing, damaged or of another protocol."""
    if not path.is_file():
        raise ModelError(path, "not found", _REMEDY)
    try:
        return _read(arrays_of(path), path)
    except DAMAGES as error:
        raise ModelError(path, f"damaged or not a link model ({type(error).__name__})", _REMEDY) from error


def save_model(model: LinkModel, path: Path) -> None:
    """Write a model; equal models give equal bytes."""
    arrays: dict[str, Any] = {"calibration": model.calibration}
    for name, stage in (("first", model.first), ("second", model.second)):
        if stage is not None:
            arrays |= {
                f"{name}_{part}": np.asarray(getattr(stage, part))
                for part in _PARTS
                if getattr(stage, part) is not None
            }
    card = {"kind": "sitecrawl link model", "protocol": PROTOCOL, "features": list(FEATURES)} | model.card
    arrays["card"] = np.array(json.dumps(card, ensure_ascii=False, sort_keys=True))
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(arrays):
            entry = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(entry, "w") as file:
                np.lib.format.write_array(file, np.asanyarray(arrays[name]), allow_pickle=False)


def _read(arrays: dict[str, Any], path: Path) -> LinkModel:
    card = json.loads(str(arrays["card"]))
    if card.get("kind") != "sitecrawl link model" or card.get("protocol") != PROTOCOL:
        raise ModelError(path, f"protocol {card.get('protocol')!r}, this version reads {PROTOCOL}", _REMEDY)
    if card.get("features") != list(FEATURES):
        raise ModelError(path, "trained on other features than this version computes", _REMEDY)
    second = _stage(arrays, "second") if "second_mean" in arrays else None
    return LinkModel(_stage(arrays, "first"), second, matrix(arrays["calibration"], (3, 3)), card)


def _stage(arrays: dict[str, Any], name: str) -> Stage:
    mean = matrix(arrays[f"{name}_mean"])
    marks = arrays.get(f"{name}_landmarks")
    landmarks = None if marks is None else matrix(marks, (len(marks), len(mean)))
    rows = len(mean) if landmarks is None else len(landmarks)
    return Stage(
        mean,
        matrix(arrays[f"{name}_scale"], mean.shape),
        matrix(arrays[f"{name}_weights"], (rows, 2)),
        matrix(arrays[f"{name}_bias"], (2,)),
        landmarks,
        float(arrays[f"{name}_gamma"]),
    )
