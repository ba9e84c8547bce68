"""The parts of the trainer of the judge that need no records of crawls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks.train_judge import Table, of_asked_kinds, scores, without


def rows_of(*kinds: str, site: str = "a") -> list[dict[str, Any]]:
    return [{"site": site, "type_kind": kind, "listed": True} for kind in kinds]


POSTS = ("article",) * 6


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        ((*POSTS, "page"), False),  # the system names the articles, so its word on others counts
        ((*POSTS, "product"), False),
        ((*POSTS, ""), True),  # it says nothing of this page
        ((*POSTS, "thread"), True),
        (("article", "page"), True),  # one article proves no habit
        (("listing",), False),
    ],
)
def test_what_the_system_calls_a_page_decides_where_it_names_the_articles(
    kinds: tuple[str, ...], expected: bool
) -> None:
    assert of_asked_kinds(rows_of(*kinds))[-1] == expected


def test_other_sites_say_nothing_about_a_page() -> None:
    rows = rows_of(*POSTS, site="a") + rows_of("page", site="b")
    assert of_asked_kinds(rows).all()


def table() -> Table:
    rows = rows_of("", "", "") + rows_of("", site="b")
    articles = np.array([True, True, False, True])
    values = np.arange(8.0).reshape(4, 2)
    return Table(rows, ["length", "family: length"], values, articles, ["a", "a", "a", "b"])


def test_precision_and_recall_are_those_of_each_site() -> None:
    written = np.array([True, False, True, False])
    assert scores(table(), written) == {"a": (1 / 2, 2 / 3), "b": (0.0, 0.0)}


def test_features_are_left_out_by_their_names() -> None:
    left = without(table(), "^family: ")
    assert left.names == ["length"]
    assert left.values.tolist() == [[0.0], [2.0], [4.0], [6.0]]
