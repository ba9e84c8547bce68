"""What a site taught us: the kinds that fetched links turned out to be, counted by tag-path group and by URL pattern."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import log
from typing import Any

import numpy as np

from sitecrawl.limits import LIMITS
from sitecrawl.links.groups import Matrix
from sitecrawl.links.urls import UrlFacts, url_facts

KINDS = ("article", "listing", "other")
"""What a fetched page can be, in the order of ``LABELS``."""
_STRENGTH = {"pattern": 1.6, "path": 0.9, "both": 2.4}
"""What one clear observation adds to a label's logit, by how exactly it matches."""
_PRIOR = 0.35
"""Pseudo-count of every kind: three equal observations outweigh a confident wrong guess, one does not."""

_SUREST = 3e-5
"""Least probability of a first guess: three equal observations must be able to turn the surest."""

Counts = list[float]


@dataclass(slots=True)
class Profile:
    """Evidence of one site. ``seen`` maps a key (pattern, path or both) to counts of ``KINDS``, oldest first, bounded."""

    seen: OrderedDict[str, Counts] = field(default_factory=OrderedDict)

    def __bool__(self) -> bool:
        return bool(self.seen)

    def record(self, url: str, group: str, kind: str) -> None:
        """A fetched link of ``group`` (``Link.group``) turned out to be of ``kind``, one of ``KINDS``."""
        at = KINDS.index(kind)
        for key in _keys(url_facts(url), group).values():
            counts = self.seen.setdefault(key, [0.0, 0.0, 0.0])
            counts[at] += 1.0
            self.seen.move_to_end(key)
        while len(self.seen) > LIMITS.profile_keys:
            self.seen.popitem(last=False)

    def adapt(self, found: Matrix, groups: Sequence[str], facts: Sequence[UrlFacts]) -> Matrix:
        """The model's probabilities (targets x 3) as prior, the site's evidence added as logits."""
        logits = np.log(np.clip(found, _SUREST, 1.0))
        for row, (group, fact) in enumerate(zip(groups, facts, strict=True)):
            for level, key in _keys(fact, group).items():
                if key in self.seen:
                    logits[row] += _STRENGTH[level] * _evidence(self.seen[key])
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        adapted: Matrix = (powers / powers.sum(axis=1, keepdims=True)).astype(np.float32)
        return adapted

    def to_dict(self) -> dict[str, Any]:
        return {"seen": {key: list(counts) for key, counts in self.seen.items()}}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Profile:
        """A profile from :meth:`to_dict`; raises ValueError where the data is not one."""
        seen = data.get("seen")
        if not isinstance(seen, dict):
            raise ValueError("not a link profile")
        kept: OrderedDict[str, Counts] = OrderedDict()
        for key, counts in seen.items():
            if len(counts) != len(KINDS):
                raise ValueError("not a link profile")
            kept[str(key)] = [float(count) for count in counts]
        return cls(kept)


def _keys(facts: UrlFacts, group: str) -> dict[str, str]:
    return {"pattern": f"u {facts.pattern}", "path": f"p {group}", "both": f"b {facts.pattern} {group}"}


def _evidence(counts: Counts) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Log of each kind's share against an even chance, smoothed; about zero where the kinds are mixed."""
    total = sum(counts) + 3 * _PRIOR
    return np.array([log(3.0 * (count + _PRIOR) / total) for count in counts], np.float32)
