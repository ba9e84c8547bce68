"""Pages and documents that nobody would write, for some seconds; ``python -m benchmarks fuzz`` goes
on for an hour."""

from __future__ import annotations

import pytest

from benchmarks.fuzz import PROPERTIES, rounds

EXAMPLES = {
    "pages": 200,
    "sites": 8,
    "markdown": 600,
    "documents": 400,
    "models": 150,
    "feeds": 300,
    "crawls": 8,
}
RUNS = [*((name, 7) for name in EXAMPLES), ("crawls", 8)]
"""Crawls take longest, so that two processes share them."""


@pytest.mark.parametrize(("name", "seed"), RUNS)
def test_nothing_breaks(name: str, seed: int) -> None:
    assert set(EXAMPLES) == set(PROPERTIES)
    rounds(PROPERTIES[name](), seed, EXAMPLES[name])
