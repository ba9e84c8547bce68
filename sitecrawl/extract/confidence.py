"""How likely the body of a single page is right: a logistic model over what the block model said of every block."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from sitecrawl.dom.blocks import Blocks, Floats
from sitecrawl.extract.ensemble import Selection
from sitecrawl.extract.weights import load_logistic
from sitecrawl.resources import model_path

PROTOCOL = 1
NAMES = ("expected F1", "body words", "least sure", "largest doubt", "words left out between", "links in the body")
"""Features of a page, in order."""
_TENTH = 10
_LEAST = 0.002
"""Added to shares before their logarithm is taken."""


def page_confidence(blocks: Blocks, selection: Selection) -> float:
    """Probability, 0..1, that the body has a word F1 of .95 or more; 0 where there is none. Raises ModelError when the model cannot be read."""
    if not selection.kept.any():
        return 0.0
    weights = _weights()
    return float(1 / (1 + np.exp(-(confidence_features(blocks, selection) @ weights[:-1] + weights[-1]))))


def confidence_features(blocks: Blocks, selection: Selection) -> Floats:
    """The features of ``NAMES`` for a body with at least one block.

    The expected F1 is that of the body if the probabilities of the blocks hold; the largest doubt is the block with most words that
    are probably wrong, in or out, by the words of the body.
    """
    kept, scores, words = selection.kept, selection.scores, blocks.words.astype(np.float64)
    doubt = words * np.where(kept, 1 - scores, scores)
    good, body = float((words * scores)[kept].sum()), float(words[kept].sum())
    expected = 2 * good / max(1e-9, 2 * good + float(doubt.sum()))
    within = np.flatnonzero(kept)
    between = float(words[within[0] : within[-1] + 1][~kept[within[0] : within[-1] + 1]].sum())
    lowest = np.sort(scores[kept])[: max(1, len(within) // _TENTH)]
    links = float(blocks.link_chars[kept].sum()) / max(1.0, float(blocks.chars[kept].sum()))
    return np.array(
        [
            -np.log(1 - expected + _LEAST),
            np.log1p(body),
            -np.log(1 - float(lowest.mean()) + _LEAST),
            np.log(float(doubt.max()) / max(1.0, body) + _LEAST),
            np.log1p(between),
            links,
        ]
    )


@lru_cache(maxsize=1)
def _weights() -> Floats:
    """Weights of the shipped model, read once."""
    return load_logistic(model_path("page_confidence.json"), PROTOCOL, NAMES, "train_confidence")
