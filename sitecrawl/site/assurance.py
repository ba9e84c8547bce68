"""Confidence of an answer by template: a logistic model of what is known of the template and how the page fits it."""

from __future__ import annotations

from math import log, log1p

import numpy as np

from sitecrawl.dom.blocks import Floats
from sitecrawl.extract.weights import LogisticModel
from sitecrawl.templates.apply import Applied
from sitecrawl.templates.template import Template

NAMES = ("links by characters", "sureness of its pages", "least sure page", "length among its pages", "another kind")
"""Features of an answer, in order."""
MODEL = LogisticModel("template_confidence.json", NAMES, trainer="confidence templates")


def template_confidence(template: Template, applied: Applied) -> float:
    """Probability, 0..1, that the body has a word F1 of .95 or more. Raises ModelError when the model cannot be read."""
    return MODEL.predict(assurance_features(template, applied))


def assurance_features(template: Template, applied: Applied, *, least: float = 0.002) -> Floats:
    """The features of ``NAMES``; a template without statistics has those of a usual one. ``least`` keeps logarithms of shares finite.

    A page is of another kind than those the template was induced from where none of their URLs has its URL pattern. Tried and dropped:
    what the extractor says of the page (ten times the cost, no gain); agreement and number of the pages the template was induced
    from, missing fields, rules (their weights change sign from site to site); length of the body, fixed lines in it, text beside it, halves that agree (no gain by folds).
    """
    seen, chars = template.statistics, applied.chars
    low, high = seen.get("chars_low", chars), seen.get("chars_high", chars)
    return np.array(
        [
            log1p(1000 * applied.links / max(1.0, chars)),
            -log(1 - seen.get("sure", 0.9) + least),
            seen.get("sure_low", 0.6),
            log((chars + 1) / ((low + 1) * (high + 1)) ** 0.5),
            float(not template.knows(applied.article.url or "")),
        ]
    )
