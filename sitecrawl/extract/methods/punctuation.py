"""Punctuation series of Pu et al. 2007: no tag analysis, runs of text scored by their length and their punctuation marks."""

from __future__ import annotations

import numpy as np

from sitecrawl.dom.blocks import Floats
from sitecrawl.extract.ensemble import Selection, selection
from sitecrawl.extract.features import View
from sitecrawl.text.chars import PUNCTUATION

_THRESHOLD = 3.0
"""Score from which a run of text is content; a sentence of a dozen words with a full stop and a comma reaches it."""
_GAP = 2
"""Runs below the threshold that may stand between two runs of content."""


def series_score(words: float, marks: str, linked: float) -> float:
    """Score of a run: the logarithm of its words outside links, times one plus the different and all of its marks.

    >>> round(series_score(20, ",.", 0.0), 2), series_score(5, "", 0.0) < 2, series_score(30, ".", 1.0)
    (9.13, True, 0.0)
    """
    own = words * (1.0 - linked)
    return float(np.log1p(own) * (len(set(marks)) + 0.5 * len(marks)) if marks else 0.3 * np.log1p(own))


def extract_punctuation(view: View) -> Selection:
    """Runs above the threshold, and short ones between them, of the densest stretch of the page."""
    blocks = view.blocks
    linked = blocks.link_chars / np.maximum(blocks.chars, 1)
    scores = np.array(
        [
            series_score(words, "".join(PUNCTUATION.findall(text)), share)
            for words, text, share in zip(blocks.words.tolist(), blocks.texts, linked.tolist(), strict=True)
        ]
    )
    kept = np.zeros(len(blocks), bool)
    for start, stop in _stretches(scores)[:1]:
        kept[start:stop] = linked[start:stop] < 0.5
    return selection(view, scores, kept)


def _stretches(scores: Floats) -> list[tuple[int, int]]:
    """Stretches of runs above the threshold, small gaps closed, the greatest sum of scores first."""
    strong = np.flatnonzero(scores >= _THRESHOLD).tolist()
    found: list[tuple[int, int]] = []
    for at in strong:
        if found and at - found[-1][1] <= _GAP:
            found[-1] = (found[-1][0], at + 1)
        else:
            found.append((at, at + 1))
    return sorted(found, key=lambda span: -float(scores[span[0] : span[1]].sum()))
