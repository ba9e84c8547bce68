"""Confidence of an answer by template: a logistic model of what is known of the template and how
the page fits it."""

from __future__ import annotations

from math import log, log1p

import numpy as np

from sitecrawl.dom.blocks import Floats
from sitecrawl.extract.weights import LogisticModel
from sitecrawl.templates.apply import Applied

NAMES = (
    "links by characters",
    "sureness of its pages",
    "least sure page",
    "length among its pages",
)
"""Features of an answer, in order."""
_USUAL = 0.9  # sureness of the pages of a usual template
_USUAL_LOW = 0.6  # sureness of the least sure one
_LEAST = 0.002  # keeps the logarithm of a share finite
MODEL = LogisticModel("template_confidence.json", NAMES, trainer="confidence templates")


def template_confidence(applied: Applied) -> float:
    """Probability, 0..1, that the body has a word F1 of .95 or more. Raises ModelError when the
    model cannot be read."""
    return MODEL.predict(assurance_features(applied))


def assurance_features(applied: Applied) -> Floats:
    """The features of ``NAMES``. A template without statistics has the sureness of a usual one; so
    has at most a template whose pages have other URL patterns than this page."""
    seen = applied.template.statistics
    chars = applied.chars
    low = seen.get("chars_low", chars)
    high = seen.get("chars_high", chars)
    sure = seen.get("sure", _USUAL)
    sure_low = seen.get("sure_low", _USUAL_LOW)
    if not applied.template.knows(applied.article.url or ""):
        sure = min(sure, _USUAL)
        sure_low = min(sure_low, _USUAL_LOW)
    return np.array(
        [
            log1p(1000 * applied.links / max(1.0, chars)),
            -log(1 - sure + _LEAST),
            sure_low,
            log((chars + 1) / ((low + 1) * (high + 1)) ** 0.5),
        ]
    )
