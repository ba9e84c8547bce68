"""Probability that the body of a single page is right: a logistic model over the block
probabilities."""

from __future__ import annotations

from math import log, log1p

import numpy as np

from sitecrawl.dom.blocks import Blocks, Floats
from sitecrawl.extract.ensemble import Selection
from sitecrawl.extract.weights import LogisticModel

NAMES = (
    "expected F1",
    "body words",
    "least sure",
    "largest doubt",
    "words left out between",
    "links in the body",
)
"""Features of a page, in order."""
MODEL = LogisticModel("page_confidence.json", NAMES, trainer="confidence pages")


def page_confidence(blocks: Blocks, selection: Selection) -> float:
    """Probability, 0..1, that the body has a word F1 of .95 or more; 0 without a body. Raises
    ModelError if the model cannot be read."""
    return MODEL.predict(confidence_features(blocks, selection)) if selection.kept.any() else 0.0


def confidence_features(
    blocks: Blocks, selection: Selection, *, tenth: int = 10, least: float = 0.002
) -> Floats:
    """The features of ``NAMES`` for a body with at least one block; ``least`` is added to shares
    before their logarithm is taken. The expected F1 is that of the body if the probabilities of the
    blocks hold. "Least sure" is the mean of the ``tenth`` part of the kept blocks with the lowest
    probability. The largest doubt is the block with most words that are probably wrong, in or out,
    by the words of the body."""
    kept, scores, words = selection.kept, selection.scores, blocks.words
    places, kept_words, kept_scores = np.flatnonzero(kept), words[kept], scores[kept]
    doubt = words * np.abs(kept - scores)
    good, body = float((kept_words * kept_scores).sum()), float(kept_words.sum())
    expected = 2 * good / max(1e-9, 2 * good + float(doubt.sum()))
    lowest = np.sort(kept_scores)[: max(1, len(places) // tenth)]
    return np.array(
        [
            -log(1 - expected + least),
            log1p(body),
            -log(1 - float(lowest.mean()) + least),
            log(float(doubt.max()) / max(1.0, body) + least),
            log1p(float(words[places[0] : places[-1] + 1].sum()) - body),
            float(blocks.link_chars[kept].sum()) / max(1.0, float(blocks.chars[kept].sum())),
        ]
    )
