"""Why a link got its label: the features that spoke for and against, as parts of the margin."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sitecrawl.links.columns import FEATURES, GROUPINGS
from sitecrawl.links.features import Targets
from sitecrawl.links.model import LinkModel, Stage, rbf, stack, standardise

_VOTES = ("article vote", "section vote")
STACKED = (
    *FEATURES,
    *("article margin", "section margin", *_VOTES, *(f"page {vote}" for vote in _VOTES)),
    *(
        f"{group} {what}"
        for group in GROUPINGS
        for what in (*(f"{how} {vote}" for how in ("mean", "top", "best") for vote in _VOTES), "members")
    ),
)
"""Names of the columns that the second stage sees."""


@dataclass(frozen=True, slots=True)
class Reason:
    """One feature of one target: its value and what it added to the margin of a label (negative: spoke against)."""

    name: str
    value: float
    weight: float


def reasons(model: LinkModel, targets: Targets, target: int, label: int) -> list[Reason]:
    """Reasons for (positive) and against ``label`` (0 article, 1 section), the strongest first.

    A linear stage's parts are exact; those of a kernel stage are what blanking the feature would change.
    """
    matrix, stage, names = targets.matrix, model.first, FEATURES
    if model.second is not None:
        matrix, stage, names = stack(targets, model.first.margins(matrix)), model.second, STACKED
    row = matrix[target : target + 1]
    parts = _parts(stage, row, label)
    order = np.argsort(-np.abs(parts)).tolist()
    return [Reason(names[n], float(row[0, n]), float(parts[n])) for n in order if parts[n]]


def _parts(stage: Stage, row: np.ndarray, label: int) -> np.ndarray:
    scaled = standardise(row, stage.mean, stage.scale)[0]
    if stage.landmarks is None:
        parts: np.ndarray = scaled * stage.weights[:, label]
        return parts
    blanked = np.repeat(scaled[None], len(scaled), axis=0)
    np.fill_diagonal(blanked, 0.0)
    kernel = rbf(np.vstack([scaled[None], blanked]), stage.landmarks, stage.gamma)
    margins = kernel @ stage.weights[:, label]
    return np.asarray(margins[0] - margins[1:])
