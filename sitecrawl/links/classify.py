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
            sums[len(KINDS) :] = [
                total + share for total, share in zip(sums[len(KINDS) :], guess, strict=True)
            ]
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
        pair_of = [
            pairs.setdefault((url.pattern, group), len(pairs))
            for group, url in zip(groups, facts, strict=True)
        ]
        evidence = [
            (pair, _STRENGTH[level], self.seen[key])
            for (pattern, group), pair in pairs.items()
            for level, key in _keys(pattern, group).items()
            if key in self.seen
        ]
        if evidence:
            rows, strengths, sums = zip(*evidence, strict=True)
            table = np.array(sums, np.float32).reshape(len(sums), 2, -1)
            errors = (table[:, 0] - table[:, 1]) / (table[:, 0].sum(axis=1, keepdims=True) + prior)
            shifts = np.zeros((len(pairs), len(KINDS)), np.float32)
            np.add.at(shifts, list(rows), np.array(strengths, np.float32)[:, None] * errors)
            logits += shifts[pair_of]
        for row, fact in enumerate(facts if self.labels else ()):
            if fact.key in self.labels:
                logits[row] = np.log(_LEAST_PROBABILITY)
                logits[row, KINDS.index(self.labels[fact.key])] = 0.0
        return softmax(logits).astype(np.float32)

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
        seen, labels = data.get("pages", {} if "seen" in data else None), data.get("said", {})
        if (
            not isinstance(seen, dict)
            or not isinstance(labels, dict)
            or not set(labels.values()) <= set(KINDS)
        ):
            raise ValueError("not a link profile")
        if any(len(sums) != 2 * len(KINDS) for sums in seen.values()):
            raise ValueError("not a link profile")
        kept = OrderedDict(
            (str(key), [float(total) for total in sums]) for key, sums in seen.items()
        )
        return cls(kept, OrderedDict((str(key), str(kind)) for key, kind in labels.items()))


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
    adapted = (
        profile.adapt(guess, groups_of(facts, targets), facts=targets.facts) if profile else guess
    )
    # links to no web page (#top, javascript:, mailto:) have the target -1, which indexes the last
    # row
    rows, guesses = (
        np.vstack([adapted, _NO_PAGE]),
        list(map(tuple, np.vstack([guess, _NO_PAGE]).tolist())),
    )
    scores = [dict(zip(LABELS, row, strict=True)) for row in rows.tolist()]
    best, masks = rows.argmax(axis=1), facts.column("mask")
    labels = [LABELS[place] for place in best.tolist()]
    judged = list(zip(labels, rows.max(axis=1).tolist(), scores, guesses, strict=True))
    turns = (
        links_that_turn(facts, targets) & (best == LABELS.index(LinkLabel.SECTION))[targets.of_link]
    )
    flags = (found.tolist() for found in (turns, masks & _MENU != 0, masks & _ASIDE != 0))
    groups = map(facts.paths.__getitem__, facts.column("path").tolist())
    of_links = map(judged.__getitem__, targets.of_link.tolist())
    links = zip(facts.urls, facts.texts, facts.hrefs, groups, *flags, of_links, strict=True)
    return [
        Link(url, text, label, score, scores, group, href, pagination, guess, menu, aside)
        for url, text, href, group, pagination, menu, aside, (label, score, scores, guess) in links
    ]
