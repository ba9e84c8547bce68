"""The paper's similarity of tag paths, worked out by hand and link by link."""

from __future__ import annotations

import numpy as np
import pytest

from sitecrawl.links.groups import path_similarities, position_similarities
from sitecrawl.links.link_features import FEATURES, target_features
from tests.links.test_facts import facts


def test_tags_from_the_root() -> None:
    found = path_similarities(
        ["html/body/ul/a", "html/body/p/a", "html/body/ul/a/b"],
        np.array([0, 0, 1, 2]),
        tag_weight=1,
    )
    assert found.tolist() == [1.0, 0.5, 0.8]


def test_positions() -> None:
    # md of 3, 4 to the nearest of {0, 1, 2} is 1, 2; of 0, 1, 2 to {3, 4} it is 3, 2, 1: sp = 1 -
    # (1.5/5 + 2/5)/2
    found = position_similarities(np.array([0, 0, 0, 1, 1]), best=0, number=2)
    assert found.tolist() == [1.0, pytest.approx(0.65)]


def test_positions_are_those_of_every_pair_of_links() -> None:
    ids = np.random.default_rng(1).integers(0, 9, 200)
    places = [np.flatnonzero(ids == path) for path in range(9)]
    apart = [np.abs(np.subtract.outer(places[4], other)) for other in places]
    wanted = [1 - (it.min(axis=0).mean() + it.min(axis=1).mean()) / (2 * len(ids)) for it in apart]
    assert position_similarities(ids, best=4, number=9) == pytest.approx(wanted)


def test_the_largest_group_has_similarity_one() -> None:
    found = path_similarities(["b/ul/li/a", "b/p/a"], np.array([0, 0, 0, 1]), tag_weight=0.5)
    # st = 1/4; positions {0,1,2} and {3} of 4: means 2 and 1, sp = 1 - (2 + 1)/8
    assert found.tolist() == [1.0, pytest.approx(0.5 * 0.25 + 0.5 * 0.625)]
    assert len(path_similarities([], np.array([], np.int64))) == 0


def test_the_model_sees_similarity_and_title() -> None:
    page = facts(
        '<ul><li><a href="/1">x</a></li><li><a href="/2" title="two words">x</a></li></ul><p><a href="/3">x</a></p>'
    )
    columns = {
        name: target_features(page).matrix[:, FEATURES.index(name)].tolist()
        for name in ("similarity", "title_words")
    }
    assert columns["similarity"][:2] == [1.0, 1.0]
    assert columns["similarity"][2] < 1
    assert columns["title_words"] == [0, pytest.approx(np.log(3)), 0]
