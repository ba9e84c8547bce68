"""Subsets of the features, for the table with and without the structure features (Peng and Xie 2017, table 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sitecrawl.links.facts import PageFacts
from sitecrawl.links.groups import Matrix
from sitecrawl.links.link_features import FEATURES, GROUPINGS, MEASURES, Targets
from sitecrawl.links.similarity import path_similarities
from sitecrawl.links.training.dataset import LabelledPage
from sitecrawl.links.training.fitting import Sample

PAPER = (
    "same_domain",
    "date",
    *(f"{at}_u_{kind}" for at in ("last", "dir") for kind in ("forum", "thread", "article")),
    "words",
)
"""Four of the paper's own six: same root domain, date in the URL, keyword in the URL, text length. The other two, words of the
title attribute and similarity of the tag path, are worth nothing beside the rest, and are computed here only."""
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
