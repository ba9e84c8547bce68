"""New articles of each day are found on that day, wherever they come: ``python -m benchmarks month``
does the same for a month."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.month import WAYS, Month


@pytest.mark.parametrize("baseline", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_each_day_brings_its_articles_once(tmp_path: Path, way: str, baseline: bool) -> None:
    found = Month(way, tmp_path, baseline=baseline).run(4)
    assert (found.found, found.twice) == (found.published, 0)
    assert found.requests <= 12
