"""Labels of the links of a page, and a site's profile: what fetched links turned out to be. The
profile counts by tag-path group and by URL pattern; the model's probabilities are the prior."""

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
from sitecrawl.links.link_features import Targets, target_features
from sitecrawl.links.link_model import LinkModel, model_at, softmax
from sitecrawl.links.pagination import links_that_turn
from sitecrawl.links.regions import REGION_BIT
from sitecrawl.links.url_facts import UrlFacts, url_facts

KIND_OF_LABEL = {
    LinkLabel.ARTICLE: "article",
    LinkLabel.SECTION: "listing",
    LinkLabel.OTHER: "other",
}
"""What the page of a link is if the label is right. Probabilities, scores and counts have the order
of this table."""
LABELS, KINDS = tuple(KIND_OF_LABEL), tuple(KIND_OF_LABEL.values())
NO_GUESS = tuple(
    1 / len(KINDS) for _ in KINDS
)  # probabilities of `KINDS` for a link without a guess
_STRENGTH = {"pattern": 3.0, "path": 1.0, "both": 4.0}
"""Limit of what wrong guesses add to a label's logit, by how exactly the links match. Set on
held-out sites (benchmarks/links.py)."""
# floor of a first guess, such that three equal observations can still overturn it
_LEAST_PROBABILITY = 3e-5


@dataclass(slots=True)
class Profile:
    """Evidence of one site, bounded by ``LIMITS.profile_keys``, the oldest forgotten first.

    ``seen`` maps a key (pattern, path or both) to six numbers: counts of ``KINDS``, then sums of
    the guessed probabilities. ``labels`` maps keys of URLs to the kind that a person gave them.
    Links that turned out as guessed count for next to nothing: most fetched links were guessed to
    be articles, so they do not represent the rest of their group."""

    seen: OrderedDict[str, list[float]] = field(default_factory=OrderedDict)
    labels: OrderedDict[str, str] = field(default_factory=OrderedDict)

    def __bool__(self) -> bool:
        return bool(self.seen or self.labels)

    def record_label(
        self, url: str, group: str, *, kind: str, guess: Sequence[float] = NO_GUESS
    ) -> None:
        """Record a person's label: it decides for the URL itself, and is evidence for similar links
        as in :meth:`record`."""
        self.record(url, group, kind=kind, guess=guess)
        key = url_facts(url).key
        self.labels[key] = kind
        self.labels.move_to_end(key)
        while len(self.labels) > LIMITS.profile_keys:
            self.labels.popitem(last=False)

    def record(self, url: str, group: str, *, kind: str, guess: Sequence[float] = NO_GUESS) -> None:
        """Record that a fetched link of ``group`` (``Link.group``) was of ``kind``, one of
        ``KINDS``, while the model had guessed the probabilities
        ``guess`` (``Link.guess``). Raises ValueError for another kind."""
        at = KINDS.index(kind)
        for key in _keys(url_facts(url).pattern, group).values():
            sums = self.seen.setdefault(key, [0.0] * (2 * len(KINDS)))
            sums[at] += 1.0
            for place, share in enumerate(guess, len(KINDS)):
                sums[place] += share
            self.seen.move_to_end(key)
        while len(self.seen) > LIMITS.profile_keys:
            self.seen.popitem(last=False)

    def adapt(
        self, guess: Matrix, groups: Sequence[str], *, facts: Sequence[UrlFacts], prior: float = 1.0
    ) -> Matrix:
        """The model's probabilities ``guess`` (targets x 3) with the site's evidence added to their
        logits. What is added is the mean error of the guesses (-1..1). ``prior`` is a pseudo-count
        of right guesses: with 1, three equal observations outweigh the most certain wrong guess and
        one does not."""
        logits = np.log(np.clip(guess, _LEAST_PROBABILITY, 1.0))
        pairs: dict[tuple[str, str], int] = {}
        pair_of = []
        for group, url in zip(groups, facts, strict=True):
            pair_of.append(pairs.setdefault((url.pattern, group), len(pairs)))
        logits += self._shifts(list(pairs), prior)[pair_of]
        for row, fact in enumerate(facts if self.labels else ()):
            if fact.key in self.labels:
                logits[row] = np.log(_LEAST_PROBABILITY)
                logits[row, KINDS.index(self.labels[fact.key])] = 0.0
        return softmax(logits).astype(np.float32)

    def _shifts(self, pairs: Sequence[tuple[str, str]], prior: float) -> Matrix:
        """What the evidence adds to the logits of each of ``pairs``, a pattern and a group: pairs x
        3."""
        shifts = np.zeros((len(pairs), len(KINDS)), np.float32)
        rows = list[int]()
        strengths = list[float]()
        sums = list[list[float]]()
        for row, (pattern, group) in enumerate(pairs):
            for level, key in _keys(pattern, group).items():
                if key in self.seen:
                    rows.append(row)
                    strengths.append(_STRENGTH[level])
                    sums.append(self.seen[key])
        if rows:
            table = np.array(sums, np.float32).reshape(len(sums), 2, -1)
            counts = table[:, 0]
            guessed = table[:, 1]
            errors = (counts - guessed) / (counts.sum(axis=1, keepdims=True) + prior)
            np.add.at(shifts, rows, np.array(strengths, np.float32)[:, None] * errors)
        return shifts

    def outcomes(self, url: str, group: str) -> dict[str, tuple[int, int, int]]:
        """Numbers of fetched pages by ``KINDS`` for links like this one: of its pattern, its group,
        or both; empty ones are left out."""
        keys = _keys(url_facts(url).pattern, group)
        found = {level: self.seen[key] for level, key in keys.items() if key in self.seen}
        return {level: (int(sums[0]), int(sums[1]), int(sums[2])) for level, sums in found.items()}

    def to_dict(self) -> dict[str, Any]:
        known: dict[str, Any] = {
            "pages": {key: [round(total, 5) for total in sums] for key, sums in self.seen.items()}
        }
        return known | ({"said": dict(self.labels)} if self.labels else {})

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Profile:
        """A profile from :meth:`to_dict`. Counts in the form of early versions (``seen``) are left
        out. Raises ValueError for invalid data."""
        seen = data.get("pages", {} if "seen" in data else None)
        labels = data.get("said", {})
        if not isinstance(seen, dict) or not isinstance(labels, dict):
            raise ValueError("not a link profile")
        has_known_kinds = set(labels.values()) <= set(KINDS)
        if not has_known_kinds or any(len(sums) != 2 * len(KINDS) for sums in seen.values()):
            raise ValueError("not a link profile")
        profile = cls()
        for key, sums in seen.items():
            profile.seen[str(key)] = list(map(float, sums))
        for key, kind in labels.items():
            profile.labels[str(key)] = str(kind)
        return profile


def _keys(pattern: str, group: str) -> dict[str, str]:
    return {"pattern": f"u {pattern}", "path": f"p {group}", "both": f"b {pattern} {group}"}


_NO_PAGE = np.array([[0.0, 0.0, 1.0]], np.float32)
_MENU = REGION_BIT["nav"] | REGION_BIT["head"]  # regions in which a page names the rest of its site
_ASIDE = REGION_BIT["foot"] | REGION_BIT["side"]


@dataclass(slots=True)
class Link:
    """One ``<a href>`` of a page. ``score`` is the calibrated probability of ``label`` and
    ``scores`` that of each label, 0..1, one dictionary for all links to one URL. ``group`` is the
    tag path, which links of one list share. ``pagination``: a section link leads to another part of
    a listing. ``guess`` holds the probabilities by the model alone, before the evidence of the
    site."""

    url: str
    text: str
    label: LinkLabel
    score: float
    scores: dict[str, float] = field(default_factory=dict)
    group: str = ""
    href: str = ""
    pagination: bool = False
    guess: tuple[float, ...] = ()
    menu: bool = False  # whether it is in a menu or in the header of the page
    aside: bool = False  # whether it is in the footer or at the side of the page


def classify(
    page: Page, model: LinkModel | None = None, *, profile: Profile | None = None, home: str = ""
) -> list[Link]:
    """Every ``<a href>`` of a page in document order with its label, which links to one URL share.
    Without ``model`` the shipped one is used. ``profile`` adds the evidence from fetched pages of
    this site. ``home`` is the page's URL on its site's main host, if it was fetched from another
    host: links to other sites are never followed. Raises ModelError when the shipped model is
    missing or damaged."""
    facts = page_facts(page)
    facts.url = home or facts.url
    return links_of(facts, target_features(facts), model=model or model_at(""), profile=profile)


def groups_of(facts: PageFacts, targets: Targets) -> list[str]:
    """Tag path of the link that represents each target."""
    path = facts.column("path")
    return [facts.paths[path[link]] for link in targets.first.tolist()]


def links_of(
    facts: PageFacts, targets: Targets, *, model: LinkModel, profile: Profile | None
) -> list[Link]:
    """Links of a page with their labels: the model's probabilities, with the evidence of the site's
    ``profile``."""
    guess = model.probabilities(targets)  # targets x 3
    adapted = guess
    if profile:
        adapted = profile.adapt(guess, groups_of(facts, targets), facts=targets.facts)
    # links to no web page (#top, javascript:, mailto:) have the target -1, which indexes the last
    # row
    rows = np.vstack([adapted, _NO_PAGE])
    guesses = list(map(tuple, np.vstack([guess, _NO_PAGE]).tolist()))
    scores = [dict(zip(LABELS, row, strict=True)) for row in rows.tolist()]
    best = rows.argmax(axis=1)
    highest = rows.max(axis=1).tolist()
    is_section = best == LABELS.index(LinkLabel.SECTION)
    turns = (links_that_turn(facts, targets) & is_section[targets.of_link]).tolist()
    labels = [LABELS[place] for place in best.tolist()]
    masks = facts.column("mask")
    in_menu = (masks & _MENU != 0).tolist()
    at_side = (masks & _ASIDE != 0).tolist()
    paths = facts.column("path").tolist()
    return [
        Link(
            facts.urls[number],
            facts.texts[number],
            labels[target],
            highest[target],
            scores[target],
            group=facts.paths[paths[number]],
            href=facts.hrefs[number],
            pagination=turns[number],
            guess=guesses[target],
            menu=in_menu[number],
            aside=at_side[number],
        )
        for number, target in enumerate(targets.of_link.tolist())
    ]
