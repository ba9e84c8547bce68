"""Faults, kills, wrong clocks and full disks at once, in small; ``python -m benchmarks chaos`` does
the same with 10,000 pages."""

from __future__ import annotations

from pathlib import Path

from benchmarks.chaos import recovery, soak


def test_every_article_stands_in_the_feed_once(tmp_path: Path) -> None:
    assert soak(200, 6, seed=3, folder=tmp_path) == []


def test_every_article_comes_after_a_visit_among_faults(tmp_path: Path) -> None:
    assert recovery(120, seed=5, folder=tmp_path) == []
