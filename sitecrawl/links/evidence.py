"""What a site taught us: what fetched links were and what had been guessed, by tag-path group and by URL pattern."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sitecrawl.limits import LIMITS
from sitecrawl.links.groups import Matrix
from sitecrawl.links.url_facts import UrlFacts, url_facts

KINDS = ("article", "listing", "other")
"""What a fetched page can be, in the order of ``LABELS``."""
NO_GUESS = (1 / 3, 1 / 3, 1 / 3)
"""Probabilities of ``KINDS`` of a link of which nothing was guessed."""
_STRENGTH = {"pattern": 3.0, "path": 1.0, "both": 4.0}
"""What links that were guessed wholly wrong add to a label's logit in the end, by how exactly they match."""
_DOUBT = 1.0
"""Pseudo-count of right guesses: three equal observations outweigh the surest wrong guess, one does not."""
_SUREST = 3e-5
"""Least probability of a first guess: what three equal observations can still turn."""

Sums = list[float]


@dataclass(slots=True)
class Profile:
    """Evidence of one site. ``seen`` maps a key (pattern, path or both) to the counts of ``KINDS`` and the sums of the
    guesses, oldest first, bounded.

    Links that turned out as guessed teach next to nothing: most fetched links are those that were guessed to be articles,
    so what they were must not speak for the rest of their group.
    """

    seen: OrderedDict[str, Sums] = field(default_factory=OrderedDict)

    def __bool__(self) -> bool:
        return bool(self.seen)

    def record(self, url: str, group: str, kind: str, guess: Sequence[float] = NO_GUESS) -> None:
        """A fetched link of ``group`` (``Link.group``) turned out to be of ``kind``, one of ``KINDS``, of which the model
        had guessed the probabilities ``guess`` (``Link.guess``).
        """
        at = KINDS.index(kind)
        for key in _keys(url_facts(url), group).values():
            sums = self.seen.setdefault(key, [0.0] * (2 * len(KINDS)))
            sums[at] += 1.0
            sums[len(KINDS) :] = [total + share for total, share in zip(sums[len(KINDS) :], guess, strict=True)]
            self.seen.move_to_end(key)
        while len(self.seen) > LIMITS.profile_keys:
            self.seen.popitem(last=False)

    def adapt(self, found: Matrix, groups: Sequence[str], facts: Sequence[UrlFacts]) -> Matrix:
        """The model's probabilities (targets x 3) as prior, the site's evidence added as logits."""
        logits = np.log(np.clip(found, _SUREST, 1.0))
        for row, (group, fact) in enumerate(zip(groups, facts, strict=True)):
            for level, key in _keys(fact, group).items():
                if key in self.seen:
                    logits[row] += _STRENGTH[level] * _error(self.seen[key])
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        adapted: Matrix = (powers / powers.sum(axis=1, keepdims=True)).astype(np.float32)
        return adapted

    def to_dict(self) -> dict[str, Any]:
        return {"pages": {key: [round(total, 5) for total in sums] for key, sums in self.seen.items()}}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Profile:
        """A profile from :meth:`to_dict`; raises ValueError where the data is not one. What versions before this one counted
        is left out: the crawl learns it again.
        """
        seen = data.get("pages", {} if "seen" in data else None)
        if not isinstance(seen, dict):
            raise ValueError("not a link profile")
        kept: OrderedDict[str, Sums] = OrderedDict()
        for key, sums in seen.items():
            if len(sums) != 2 * len(KINDS):
                raise ValueError("not a link profile")
            kept[str(key)] = [float(total) for total in sums]
        return cls(kept)


def _keys(facts: UrlFacts, group: str) -> dict[str, str]:
    return {"pattern": f"u {facts.pattern}", "path": f"p {group}", "both": f"b {facts.pattern} {group}"}


def _error(sums: Sums) -> Matrix:
    """Mean error of the guesses by kind, -1..1, nearer to zero the fewer they are."""
    counts, guesses = np.array(sums, np.float32).reshape(2, -1)
    found: Matrix = (counts - guesses) / (counts.sum() + _DOUBT)
    return found
