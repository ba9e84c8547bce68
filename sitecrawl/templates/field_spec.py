"""Induction of one field, the same for all fields: read every candidate source on all samples and
keep the sources that agree best."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from sitecrawl.templates.template import NO_CUT, Field


@dataclass(slots=True)
class FieldCandidate:
    """A source with its value on every sample (None or empty if it has none there), and the prefix
    and suffix that were cut off the values."""

    source: str
    values: Sequence[Any]
    cut: tuple[str, str] = NO_CUT
    score: float = 0.0

    @property
    def given(self) -> list[Any]:
        return [value for value in self.values if value]

    @property
    def presence(self) -> float:
        """Share of the samples with a value."""
        return len(self.given) / len(self.values)


class FieldSpec(Protocol):
    """What is specific to one field. ``presence_weight`` is the weight of having a value on every
    sample, beside agreement. Scores that are equal after rounding to two digits are ordered by
    ``cost``."""

    presence_weight: float = 0.0

    def candidates(self) -> Iterable[str]:
        """Sources that may hold the field."""

    def read(self, source: str) -> FieldCandidate | None:
        """The values of a source; None if they cannot be values of this field."""

    def agreement(self, candidate: FieldCandidate, others: Sequence[FieldCandidate]) -> float:
        """How well the values agree with the extractor, with other sources, and with the form that
        the field must have."""

    def cost(self, source: str) -> float:
        """Penalty of a source, compared with another source of the same score."""
        return 0.0

    def keep(self, ranked: Sequence[FieldCandidate]) -> Sequence[FieldCandidate]:
        """The candidates that become sources of the rule; ``ranked`` is not empty."""
        return ranked[:1]


def near_best(
    ranked: Sequence[FieldCandidate], *, least: float, spread: float
) -> list[FieldCandidate]:
    """Candidates with a score of at least ``least``, and at most ``spread`` below the best."""
    return [
        candidate for candidate in ranked if candidate.score >= max(least, ranked[0].score - spread)
    ]


def induce_field(spec: FieldSpec) -> Field | None:
    """The rule by which templates read a field; None if no source is good enough."""
    candidates = [found for source in spec.candidates() if (found := spec.read(source)) is not None]
    for candidate in candidates:
        candidate.score = spec.presence_weight * candidate.presence + spec.agreement(
            candidate, candidates
        )
    ranked = sorted(
        candidates, key=lambda candidate: (-round(candidate.score, 2), spec.cost(candidate.source))
    )
    kept = spec.keep(ranked) if ranked else []
    return Field({candidate.source: candidate.cut for candidate in kept}) if kept else None
