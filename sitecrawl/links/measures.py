"""Measures of the links of a page, from its facts: lengths as logarithms, shares."""

from __future__ import annotations

import numpy as np

from sitecrawl.links.columns import LOGGED, MEASURES
from sitecrawl.links.facts import COLUMNS, C, PageFacts
from sitecrawl.links.groups import Ids, Matrix

_TAKEN = [C[name] for name in LOGGED if name in COLUMNS]
"""Facts that are measures as they stand."""


def link_measures(page: PageFacts, table: Ids) -> Matrix:
    """Measures of links whose facts are ``table``, ``COLUMNS`` x links: ``MEASURES`` x links."""
    found = np.empty((len(MEASURES), table.shape[1]), np.float32)
    words, size, record_size, parent_size = (table[C[name]] for name in ("words", "size", "record_size", "parent_size"))
    counted = len(_TAKEN)
    found[:counted] = table[_TAKEN]
    found[counted] = np.maximum(0, record_size - size)
    found[counted + 1] = np.maximum(0, parent_size - size)
    found[counted + 2] = np.bincount(page.column("path"))[table[C["path"]]]
    found[counted + 3] = np.maximum(words, table[C["other_words"]])
    np.log1p(found[: len(LOGGED)], out=found[: len(LOGGED)])
    plain = found[len(LOGGED) :]
    plain[0], plain[1] = table[C["images"]] > 0, words == 0
    plain[2] = size / np.maximum(1, record_size)
    plain[3] = size / np.maximum(1, parent_size)
    plain[4], plain[5] = table[C["offset"]] * (1.0 / max(1, page.total)), table[C["listed"]]
    return found
