"""The record of one classified link."""

from __future__ import annotations

from dataclasses import dataclass, field

LABELS = ("article", "section", "other")
"""What a link leads to: one article or thread; a listing (category, tag, archive, pagination); anything else."""


@dataclass(slots=True)
class Link:
    """One ``<a href>`` of a page.

    ``score`` is the calibrated probability of ``label`` and ``scores`` that of each label, 0..1, one dictionary for all links to one URL. ``group`` is the
    tag path the link shares with others of its kind, ``pagination`` tells that a section link leads to another
    part of a listing. ``guess`` holds the probabilities by the model alone, before what fetched links of the site taught.
    """

    url: str
    text: str
    label: str
    score: float
    scores: dict[str, float] = field(default_factory=dict)
    group: str = ""
    href: str = ""
    pagination: bool = False
    guess: tuple[float, ...] = ()
