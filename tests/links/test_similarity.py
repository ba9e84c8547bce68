"""The paper's similarity of tag paths, worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from sitecrawl.links.groups import path_similarities, position_similarities, tag_similarity


def test_tags() -> None:
    assert tag_similarity(["html", "body", "a"], ["html", "body", "a"]) == 1.0
    assert tag_similarity(["html", "body", "ul", "a"], ["html", "body", "p", "a"]) == 0.5


def test_positions() -> None:
    # md of 3, 4 to the nearest of {0, 1, 2} is 1, 2; of 0, 1, 2 to {3, 4} it is 3, 2, 1: sp = 1 - (1.5/5 + 2/5)/2
    found = position_similarities(np.array([0, 0, 0, 1, 1]), np.array([3, 2, 0]))
    assert found.tolist() == [1.0, pytest.approx(0.65), 0.0]


def test_long_lists_are_sampled() -> None:
    ids = np.array([0, 1] * 1000 + [0])
    assert position_similarities(ids, np.array([1001, 1000]))[1] == pytest.approx(1 - 1 / 2001, abs=1e-3)


def test_the_largest_group_has_similarity_one() -> None:
    found = path_similarities(["b/ul/li/a", "b/p/a"], np.array([0, 0, 0, 1]), weight=0.5)
    # st = 1/4; positions {0,1,2} and {3} of 4: means 2 and 1, sp = 1 - (2 + 1)/8
    assert found.tolist() == [1.0, pytest.approx(0.5 * 0.25 + 0.5 * 0.625)]
    assert len(path_similarities([], np.array([], np.int64))) == 0
