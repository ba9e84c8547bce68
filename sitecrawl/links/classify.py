"""Links of a page, classified: the one verb of this room, the reasons for a label, and the evidence of a site: what fetched links
turned out to be and what had been guessed, by tag-path group and by URL pattern."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sitecrawl.dom.page import Page
from sitecrawl.items.kinds import LinkLabel
from sitecrawl.limits import LIMITS
from sitecrawl.links.facts import PageFacts, page_facts
from sitecrawl.links.groups import Matrix
from sitecrawl.links.link_features import FEATURES, GROUPINGS, Targets, target_features
from sitecrawl.links.link_model import LinkModel, Stage, rbf, shipped_model, stack, standardise
from sitecrawl.links.pagination import links_that_turn
from sitecrawl.links.regions import REGIONS
from sitecrawl.links.url_facts import UrlFacts, url_facts

KINDS = ("article", "listing", "other")
"""What a fetched page can be, in the order of ``LABELS``."""
NO_GUESS = (1 / 3, 1 / 3, 1 / 3)
"""Probabilities of ``KINDS`` for a link without a guess."""
_STRENGTH = {"pattern": 3.0, "path": 1.0, "both": 4.0}
"""Limit of what wrong guesses add to a label's logit, by how exactly the links match."""
_DOUBT = 1.0
"""Pseudo-count of right guesses: three equal observations outweigh the most certain wrong guess, one does not."""
_SUREST = 3e-5
"""Least probability of a first guess, such that three equal observations can still overturn it."""

_SAID = dict(zip(KINDS, np.log(np.full((3, 3), _SUREST, np.float32)) * (1 - np.eye(3, dtype=np.float32)), strict=True))
"""Logits of a link that a person labelled, by the kind."""

Sums = list[float]


@dataclass(slots=True)
class Profile:
    """Evidence of one site. ``seen`` maps a key (pattern, path or both) to the counts of ``KINDS`` and the sums of the
    guesses, oldest first, bounded; ``said`` maps keys of URLs to the kind that a person gave them.

    Links that turned out as guessed count for next to nothing: most fetched links were guessed to be articles, so they do
    not represent the rest of their group.
    """

    seen: OrderedDict[str, Sums] = field(default_factory=OrderedDict)
    said: OrderedDict[str, str] = field(default_factory=OrderedDict)

    def __bool__(self) -> bool:
        return bool(self.seen or self.said)

    def tell(self, url: str, group: str, kind: str, guess: Sequence[float] = NO_GUESS) -> None:
        """A person says what a link leads to: evidence for its like, as of :meth:`record`, and settled for the URL itself."""
        self.record(url, group, kind, guess)
        self.said[url_facts(url).key] = kind
        self.said.move_to_end(url_facts(url).key)
        while len(self.said) > LIMITS.profile_keys:
            self.said.popitem(last=False)

    def record(self, url: str, group: str, kind: str, guess: Sequence[float] = NO_GUESS) -> None:
        """A fetched link of ``group`` (``Link.group``) turned out to be of ``kind``, one of ``KINDS``, of which the model
        had guessed the probabilities ``guess`` (``Link.guess``).
        """
        at = KINDS.index(kind)
        for key in _keys(url_facts(url).pattern, group).values():
            sums = self.seen.setdefault(key, [0.0] * (2 * len(KINDS)))
            sums[at] += 1.0
            sums[len(KINDS) :] = [total + share for total, share in zip(sums[len(KINDS) :], guess, strict=True)]
            self.seen.move_to_end(key)
        while len(self.seen) > LIMITS.profile_keys:
            self.seen.popitem(last=False)

    def adapt(self, found: Matrix, groups: Sequence[str], facts: Sequence[UrlFacts]) -> Matrix:
        """The model's probabilities (targets x 3) as prior, the site's evidence added as logits."""
        logits = np.log(np.clip(found, _SUREST, 1.0))
        kinds: dict[tuple[str, str], int] = {}
        of = [kinds.setdefault((fact.pattern, group), len(kinds)) for group, fact in zip(groups, facts, strict=True)]
        known = [
            (kind, _STRENGTH[level], self.seen[key])
            for (pattern, group), kind in kinds.items()
            for level, key in _keys(pattern, group).items()
            if key in self.seen
        ]
        if known:
            numbers, strengths, sums = zip(*known, strict=True)
            shifts = np.zeros((len(kinds), len(KINDS)), np.float32)
            np.add.at(shifts, list(numbers), np.array(strengths, np.float32)[:, None] * _errors(sums))
            logits += shifts[of]
        for row, fact in enumerate(facts if self.said else ()):
            if fact.key in self.said:
                logits[row] = _SAID[self.said[fact.key]]
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        adapted: Matrix = (powers / powers.sum(axis=1, keepdims=True)).astype(np.float32)
        return adapted

    def outcomes(self, url: str, group: str) -> dict[str, tuple[int, int, int]]:
        """Numbers of the fetched pages by ``KINDS`` that links like this one led to: of its pattern, its group, or both; those of none are left out."""
        keys = _keys(url_facts(url).pattern, group)
        found = {level: self.seen[key] for level, key in keys.items() if key in self.seen}
        return {level: (int(sums[0]), int(sums[1]), int(sums[2])) for level, sums in found.items()}

    def to_dict(self) -> dict[str, Any]:
        known: dict[str, Any] = {"pages": {key: [round(total, 5) for total in sums] for key, sums in self.seen.items()}}
        return known | ({"said": dict(self.said)} if self.said else {})

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Profile:
        """A profile from :meth:`to_dict`; raises ValueError when the data is invalid. Counts of
        earlier versions are left out; the crawl learns them again.
        """
        seen = data.get("pages", {} if "seen" in data else None)
        told = data.get("said", {})
        if not isinstance(seen, dict) or not isinstance(told, dict) or not set(told.values()) <= set(KINDS):
            raise ValueError("not a link profile")
        kept: OrderedDict[str, Sums] = OrderedDict()
        for key, sums in seen.items():
            if len(sums) != 2 * len(KINDS):
                raise ValueError("not a link profile")
            kept[str(key)] = [float(total) for total in sums]
        return cls(kept, OrderedDict((str(key), str(kind)) for key, kind in told.items()))


def _keys(pattern: str, group: str) -> dict[str, str]:
    return {"pattern": f"u {pattern}", "path": f"p {group}", "both": f"b {pattern} {group}"}


def _errors(sums: Sequence[Sums]) -> Matrix:
    """Mean errors of the guesses by kind, keys x 3, -1..1, nearer to zero the fewer they are."""
    table = np.array(sums, np.float32).reshape(len(sums), 2, -1)
    found: Matrix = (table[:, 0] - table[:, 1]) / (table[:, 0].sum(axis=1, keepdims=True) + _DOUBT)
    return found


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
    part of a listing. ``guess`` holds the probabilities by the model alone, before the evidence of the site.
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
    """Whether it is in a menu or in the header of the page."""


def classify(page: Page, model: LinkModel | None = None, profile: Profile | None = None, home: str = "") -> list[Link]:
    """Every ``<a href>`` of a page in document order with its label; links to one URL share it.

    ``model`` is the shipped one unless given; ``profile`` adds the evidence from fetched pages of this site. ``home`` is the URL
    that the page has where its site is at home, if that is another host: links to other sites are never followed.
    Raises ModelError when the shipped model is missing or damaged.
    """
    model = model or shipped_model()
    facts = page_facts(page)
    facts.url = home or facts.url
    targets = target_features(facts)
    guess = model.probabilities(targets)
    found = profile.adapt(guess, groups_of(facts, targets), targets.facts) if profile else guess
    return links_of(facts, targets, guess, found)


Answer = tuple[LinkLabel, float, dict[str, float], tuple[float, ...]]


def _answers(guess: Matrix, found: Matrix) -> list[Answer]:
    """Label, its score, all scores and the model's own guess of each target, those of a link that leads to no page last."""
    rows, guesses = np.vstack([found, NO_PAGE]), map(tuple, np.vstack([guess, NO_PAGE]).tolist())
    article, section, other = LABELS
    scores: list[dict[str, float]] = [{article: a, section: s, other: o} for a, s, o in rows.tolist()]
    labels = [LABELS[place] for place in rows.argmax(axis=1).tolist()]
    return [(label, by[label], by, own) for label, by, own in zip(labels, scores, guesses, strict=True)]


def groups_of(facts: PageFacts, targets: Targets) -> list[str]:
    """Tag path of the link that stands for each target."""
    path = facts.column("path")
    return [facts.paths[path[link]] for link in targets.first.tolist()]


def links_of(facts: PageFacts, targets: Targets, guess: Matrix, found: Matrix) -> list[Link]:
    """Link records from the probabilities of the targets, targets x 3: those of the model alone, and those with the site's evidence."""
    answers = _answers(guess, found)
    told = [answers[at] for at in targets.of.tolist()]
    turning, menus = links_that_turn(facts, targets).tolist(), (facts.column("mask") & _MENU != 0).tolist()
    groups = [facts.paths[path] for path in facts.column("path").tolist()]
    columns = zip(facts.urls, facts.texts, told, groups, facts.hrefs, turning, menus, strict=True)
    return [
        Link(url, text, label, score, scores, group, href, turns and label is LinkLabel.SECTION, own, menu)
        for url, text, (label, score, scores, own), group, href, turns, menu in columns
    ]


@dataclass(frozen=True, slots=True)
class Reason:
    """One feature of one target: its value and what it added to the margin of a label (negative: spoke against)."""

    name: str
    value: float
    weight: float


def reasons(model: LinkModel, targets: Targets, target: int, label: int) -> list[Reason]:
    """Reasons for (positive) and against (negative) ``label`` (0 article, 1 section), strongest first.

    The parts of a linear stage are exact; for a kernel stage they are the change when the feature is blanked.
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
