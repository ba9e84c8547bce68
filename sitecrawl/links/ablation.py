"""Subsets of the features, for the table with and without the structure features (Peng and Xie 2017, table 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sitecrawl.links.columns import FEATURES, GROUPINGS, MEASURES
from sitecrawl.links.training import Sample

PAPER = (
    "same_domain",
    "date",
    *(f"{at}_u_{kind}" for at in ("last", "dir") for kind in ("forum", "thread", "article")),
    "words",
    "title_words",
    "similarity",
)
"""The paper's own six: same root domain, date in the URL, keyword in the URL, text length, title attribute, similarity."""
_OF_TEXT = frozenset(
    ("words", "size", "title_words", "alt_words", "pictured", "empty", "best_words", "words_rank", "said_often")
)


def structural(name: str) -> bool:
    """Whether a feature says where a link stands or what its group is like.

    >>> structural("list_size"), structural("in_nav"), structural("words"), structural("slug_words")
    (True, True, False, False)
    """
    if name.split("_")[0] in (*GROUPINGS, "in", "near", "least"):
        return True
    return name in MEASURES and name not in _OF_TEXT


SUBSETS: dict[str, frozenset[str]] = {
    "all features": frozenset(FEATURES),
    "without structure": frozenset(name for name in FEATURES if not structural(name)),
    "the paper's six": frozenset(PAPER),
}


def keep(data: Sequence[Sample], names: frozenset[str]) -> list[Sample]:
    """The samples with every other feature blanked."""
    mask = np.array([name in names for name in FEATURES], np.float32)
    return [replace(s, targets=replace(s.targets, matrix=s.targets.matrix * mask)) for s in data]
