"""The link model: a linear SVM as matrices, and its file: numpy arrays (never pickles) and a JSON
card. Training is an extra."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sitecrawl.dom.products import product
from sitecrawl.errors import ModelError
from sitecrawl.links.groups import Matrix
from sitecrawl.links.link_features import FEATURES, GROUPINGS, Targets
from sitecrawl.resources import (
    DAMAGES,
    arrays_of,
    matrix,
    model_path,
    remedy_for,
    write_arrays,
)

PROJECT_MODEL = "own-links.npz"  # the link model of a project, looked for in the current folder
# raise it when an older reader would misread a model; a reader refuses every other protocol
PROTOCOL = 2
_KIND = "sitecrawl link model"
_REMEDY = "rebuild it with: sitecrawl train training_data -o FILE, or move it away (docs/links.md)"
_PARTS = ("mean", "scale", "weights", "bias")


@dataclass(frozen=True, slots=True)
class Stage:
    """One linear SVM with two heads: article against the rest, and section against the rest. The d
    columns of the input are standardised by ``mean`` and ``scale``; ``weights`` is d x 2, ``bias``
    has two numbers."""

    mean: Matrix
    scale: Matrix
    weights: Matrix
    bias: Matrix

    def margins(self, matrix: Matrix) -> Matrix:
        """Signed distances to the two planes, rows x 2."""
        return (
            product(standardise(matrix, mean=self.mean, scale=self.scale), self.weights) + self.bias
        )


@dataclass(frozen=True, slots=True)
class LinkModel:
    """Two stages and a calibration. The second stage sees the first's margins and their means over
    the groups of a target. ``calibration`` (3 x 3) maps (article margin, section margin, 1) to
    logits in the order of ``LABELS``. ``card`` describes the model: data digest, date, versions,
    scores."""

    first: Stage
    second: Stage | None
    calibration: Matrix
    card: dict[str, Any] = field(default_factory=dict)

    def probabilities(self, targets: Targets) -> Matrix:
        """Probability of each label for each target, targets x 3 in the order of ``LABELS``; rows
        sum to 1."""
        return softmax(product(self.margins(targets), self.calibration[:2]) + self.calibration[2])

    def margins(self, targets: Targets) -> Matrix:
        """Margins of the last stage, targets x 2."""
        if not len(targets.matrix):
            return np.zeros((0, 2), np.float32)
        margins = self.first.margins(targets.matrix)
        return margins if self.second is None else self.second.margins(stack(targets, margins))


def standardise(matrix: Matrix, *, mean: Matrix, scale: Matrix, clip: float = 4.0) -> Matrix:
    """(x - mean) / scale, cut at ``clip`` standard deviations so that one unusual page cannot
    decide alone."""
    rows = (matrix - mean) * (1.0 / scale)
    np.maximum(rows, -clip, out=rows)
    return np.minimum(rows, clip, out=rows)


def stack(targets: Targets, margins: NDArray[np.floating], *, full_group: float = 5.0) -> Matrix:
    """Input of the second stage, targets x ``STACKED``: features, margins, and the votes of the
    target's groups and of the page.

    A vote is three times a margin, squashed to 0..1. Each grouping adds the mean and the maximum of
    the votes in the target's own group, the
    greatest mean on the page, so that a list is seen against the page's best list, and the group's
    size. Groups with fewer than
    ``full_group`` members count for less in that greatest mean: a single link is no list."""
    groups = targets.groups
    if groups is None:
        raise ValueError("a page without targets has no votes")
    # the bounds keep exp() from overflowing
    votes = (1.0 / (1.0 + np.exp(-3.0 * np.minimum(np.maximum(margins, -10.0), 10.0)))).astype(
        np.float32
    )
    mean, top = groups.means(votes), groups.maxima(votes)
    best = np.maximum.reduceat(
        mean * np.minimum(1.0, groups.sizes[:, None] / full_group), groups.firsts, axis=0
    )
    grouped = np.empty((len(votes), len(best), 7), np.float32)
    grouped[:, :, 0:4], grouped[:, :, 4:6] = np.hstack([mean, top]).take(groups.own, axis=0), best
    grouped[:, :, 6] = np.log1p(groups.sizes, dtype=np.float64).take(groups.own)
    page = np.broadcast_to(np.add.reduce(votes) / len(votes), votes.shape)
    return np.hstack(
        [targets.matrix, margins.astype(np.float32), votes, page, grouped.reshape(len(votes), -1)]
    )


_VOTES = ("article vote", "section vote")
STACKED = (
    *FEATURES,
    *("article margin", "section margin", *_VOTES, *(f"page {vote}" for vote in _VOTES)),
    *(
        f"{group} {what}"
        for group in GROUPINGS
        for what in (
            *(f"{how} {vote}" for how in ("mean", "top", "best") for vote in _VOTES),
            "members",
        )
    ),
)
"""Names of the columns that the second stage sees."""


def softmax(logits: Matrix) -> Matrix:
    """Probabilities of rows of logits.

    >>> softmax(np.zeros((1, 2), np.float32)).tolist()
    [[0.5, 0.5]]
    """
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    found: Matrix = powers / powers.sum(axis=1, keepdims=True)
    return found


def site_model_name(site: str) -> str:
    """The link model of one site, looked for in the current folder.

    >>> site_model_name("news.example")
    'own-links-news.example.npz'
    """
    return f"own-links-{site}.npz"


def own_model(site: str) -> str:
    """Path of the user's own model for a site: the site's, else the project's in the current
    folder; empty where there is none."""
    return next(
        (name for name in (site_model_name(site), PROJECT_MODEL) if Path(name).is_file()), ""
    )


@lru_cache(maxsize=4)
def model_at(path: str) -> LinkModel:
    """The model in the file that a setting names, read once; the shipped one where it names none.
    Raises ModelError when it is missing or damaged."""
    return load_model(Path(path) if path else model_path("links.npz"))


def load_model(path: Path) -> LinkModel:
    """The model in a file. Raises ModelError with the reason when it is missing, damaged or of
    another protocol."""
    if not path.is_file():
        raise ModelError(path, "not found", remedy_for(path, _REMEDY))
    try:
        return _read(arrays_of(path), path)
    except DAMAGES as error:
        raise ModelError(
            path,
            f"damaged or not a link model ({type(error).__name__})",
            remedy_for(path, _REMEDY),
        ) from error


def save_model(model: LinkModel, path: Path) -> None:
    """Write a model; equal models give equal bytes."""
    arrays: dict[str, Any] = {"calibration": model.calibration}
    for name, stage in (("first", model.first), ("second", model.second)):
        if stage is not None:
            arrays |= {f"{name}_{part}": getattr(stage, part) for part in _PARTS}
    card = model.card | {"kind": _KIND, "protocol": PROTOCOL, "features": list(FEATURES)}
    arrays["card"] = np.array(json.dumps(card, ensure_ascii=False, sort_keys=True))
    write_arrays(path, arrays)


def _read(arrays: dict[str, Any], path: Path) -> LinkModel:
    card = json.loads(str(arrays["card"]))
    if card.get("kind") != _KIND or card.get("protocol") != PROTOCOL:
        raise ModelError(
            path,
            f"protocol {card.get('protocol')!r}, this version reads {PROTOCOL}",
            remedy_for(path, _REMEDY),
        )
    if card.get("features") != list(FEATURES):
        raise ModelError(
            path, "trained on other features than this version computes", remedy_for(path, _REMEDY)
        )
    second = _stage(arrays, "second", columns=len(STACKED)) if "second_mean" in arrays else None
    calibration = matrix(arrays["calibration"], (3, 3))
    return LinkModel(_stage(arrays, "first", columns=len(FEATURES)), second, calibration, card)


def _stage(arrays: dict[str, Any], name: str, *, columns: int) -> Stage:
    shapes = ((columns,), (columns,), (columns, 2), (2,))
    return Stage(
        *(
            matrix(arrays[f"{name}_{part}"], shape)
            for part, shape in zip(_PARTS, shapes, strict=True)
        )
    )
