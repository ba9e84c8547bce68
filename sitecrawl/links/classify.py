"""Links of a page, classified: the one verb of this room, and the reasons for a label."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sitecrawl.dom.page import Page
from sitecrawl.items.kinds import LinkLabel
from sitecrawl.links.evidence import Profile
from sitecrawl.links.facts import PageFacts, page_facts
from sitecrawl.links.groups import Matrix
from sitecrawl.links.link_features import FEATURES, GROUPINGS, Targets, target_features
from sitecrawl.links.link_model import LinkModel, Stage, rbf, shipped_model, stack, standardise
from sitecrawl.links.pagination import links_that_turn
from sitecrawl.links.regions import REGIONS

LABELS = tuple(LinkLabel)
"""Labels in the order of probabilities and scores."""
NO_PAGE = np.array([[0.0, 0.0, 1.0]], np.float32)
"""Probabilities of a link that leads to no page of the web (``#top``, ``javascript:``, ``mailto:``)."""
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


_MENU = 1 << REGIONS.index("nav") | 1 << REGIONS.index("head")
"""Regions in which a page names the rest of its site."""


@dataclass(slots=True)
class Link:
    """One ``<a href>`` of a page.

    ``score`` is the calibrated probability of ``label`` and ``scores`` that of each label, 0..1, one dictionary for all links to one URL. ``group`` is the
    tag path the link shares with others of its kind, ``pagination`` tells that a section link leads to another
    part of a listing. ``guess`` holds the probabilities by the model alone, before what fetched links of the site taught.
    """

    url: str
    text: str
    label: LinkLabel
    score: float
    scores: dict[str, float] = field(default_factory=dict)
    group: str = ""
    href: str = ""
    pagination: bool = False
    guess: tuple[float, ...] = ()
    menu: bool = False
    """Whether it stands in a menu or in the head of the page."""


def classify(page: Page, model: LinkModel | None = None, profile: Profile | None = None) -> list[Link]:
    """Every ``<a href>`` of a page in document order with its label; links to one URL share it.

    ``model`` is the shipped one unless given; ``profile`` adds what fetched links of this site turned out to be.
    Raises ModelError when the shipped model is missing or damaged.
    """
    facts = page_facts(page)
    targets = target_features(facts)
    guess = (model or shipped_model()).probabilities(targets)
    found = profile.adapt(guess, groups_of(facts, targets), targets.facts) if profile else guess
    return links_of(facts, targets, guess, found)


def groups_of(facts: PageFacts, targets: Targets) -> list[str]:
    """Tag path of the link that stands for each target."""
    path = facts.column("path")
    return [facts.paths[path[link]] for link in targets.first.tolist()]


def links_of(facts: PageFacts, targets: Targets, guess: Matrix, found: Matrix) -> list[Link]:
    """Link records from the probabilities of the targets, targets x 3: the model's, and with what the site taught."""
    rows, guesses = np.vstack([found, NO_PAGE]), list(map(tuple, np.vstack([guess, NO_PAGE]).tolist()))
    article, section, other = LABELS
    scores = [{article: a, section: s, other: o} for a, s, o in rows.tolist()]
    labels = [LABELS[place] for place in rows.argmax(axis=1).tolist()]
    of, turning = targets.of.tolist(), links_that_turn(facts, targets).tolist()
    paths, menus = facts.column("path").tolist(), (facts.column("mask") & _MENU != 0).tolist()
    columns = zip(facts.urls, facts.texts, of, paths, facts.hrefs, turning, menus, strict=True)
    return [
        Link(
            url,
            text,
            labels[at],
            scores[at][labels[at]],
            scores[at],
            facts.paths[path],
            href,
            turns and labels[at] is section,
            guesses[at],
            menu,
        )
        for url, text, at, path, href, turns, menu in columns
    ]


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
