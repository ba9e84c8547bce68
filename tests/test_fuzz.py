"""Pages and documents that nobody would write, for some seconds; ``python -m benchmarks fuzz`` goes on for an hour."""

from __future__ import annotations

import pytest

from benchmarks.fuzz import PROPERTIES, rounds

EXAMPLES = {"pages": 200, "sites": 8, "documents": 400, "models": 150, "feeds": 300, "crawls": 60}


@pytest.mark.parametrize("name", EXAMPLES)
def test_nothing_breaks(name: str) -> None:
    assert set(EXAMPLES) == set(PROPERTIES)
    rounds(PROPERTIES[name](), 7, EXAMPLES[name])
