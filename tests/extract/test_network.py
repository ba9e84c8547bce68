"""The trainer of the block model on points of our own."""

from __future__ import annotations

import numpy as np

from benchmarks.network import Dropping, Rows, train


def test_a_network_learns_what_no_line_parts() -> None:
    points = np.random.default_rng(1).normal(size=(100_000, 3)).astype(np.float32)
    labels = (points[:, 0] * points[:, 1] > 0).astype(np.float32)
    network = train(Rows(points, labels, np.ones(len(points), np.float32)), units=16, dropping=Dropping(0.0), seed=0)
    units = np.maximum(points @ network.hidden + network.hidden_bias, 0)
    right = (units @ network.out + network.out_bias > 0) == (labels > 0)
    assert right.mean() > 0.85


def test_the_same_seed_gives_the_same_network() -> None:
    points = np.random.default_rng(2).normal(size=(100, 3)).astype(np.float32)
    rows = Rows(points, (points[:, 0] > 0).astype(np.float32), np.ones(100, np.float32))
    first, second = (train(rows, units=4, dropping=Dropping(0.2, 0.2, [np.array([1, 2])]), seed=5) for _ in range(2))
    assert all(np.array_equal(a, b) for a, b in zip(first.arrays, second.arrays, strict=True))
