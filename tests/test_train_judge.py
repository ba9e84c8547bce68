"""The parts of the trainer of the judge that need no crawls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks import judge_pages
from benchmarks.train_judge import Records, fitted, held_out, scores, written
from sitecrawl.site.judge import NAMES, SURE


def row(family: int, *, article: bool, site: str = "a", **more: Any) -> dict[str, Any]:
    found = {"site": site, "family": family, "type": "", "kind": "article"}
    return found | {"article": article, "listed": article} | more


def figures(value: float) -> list[float]:
    return [value, *[0.0] * (len(NAMES) - 1)]


def site(name: str) -> list[dict[str, Any]]:
    """Ten articles and ten others, which one figure tells apart."""
    rows = [row(0, article=True, site=name, figures=figures(1.0 + n / 10)) for n in range(10)]
    return rows + [
        row(1, article=False, site=name, figures=figures(-1.0 - n / 10)) for n in range(10)
    ]


def test_precision_and_recall_are_those_of_each_site() -> None:
    rows = [row(0, article=True), row(0, article=True), row(1, article=False)]
    rows.append(row(0, article=True, site="b"))
    kept = np.array([True, False, True, False])
    assert scores(rows, kept) == {"a": (1 / 2, 1 / 2), "b": (0.0, 0.0)}


def test_the_model_is_of_the_figures_as_they_are() -> None:
    """No figure is scaled when the crawl asks, so scaling is folded into the weights."""
    records = Records.of(site("a") + site("b"))
    model = fitted(records.figures, records.truth, records.sites)
    assert model.weights[0] > 0
    assert not model.weights[1:].any()
    assert ((model.log_odds(records.figures) > 0) == records.truth).all()
    assert model.usual[0] == pytest.approx(0.0)


def test_no_site_is_judged_by_weights_that_have_seen_it() -> None:
    """A site on which all is the other way round is judged as the others are."""
    odd = [one | {"article": not one["article"]} for one in site("odd")]
    names = [f"site {n}" for n in range(12)]
    records = Records.of([*odd, *(one for name in names for one in site(name))])
    assert (held_out(records)[:10] > 0).all()


@pytest.mark.parametrize(
    ("log_odds", "expected"),
    [
        ([SURE, -9.0, -9.0, -9.0], [True, False, False, False]),  # one leaves at once
        ([1.0, 1.0, 1.0, -1.0], [True] * 4),  # a family goes as a whole
        ([-2.0, -2.0, -2.0, 1.0], [False] * 4),
    ],
)
def test_families_are_judged_as_crawls_judge_them(
    log_odds: list[float], expected: list[bool]
) -> None:
    rows = [row(0, article=True, figures=figures(0.0)) for _ in range(4)]
    rows += [row(1, article=True, figures=figures(0.0)) for _ in range(4)]
    records = Records.of(rows)
    assert written(records, np.array([*log_odds, *[SURE] * 4])).tolist() == [*expected, *[True] * 4]


def test_pages_that_only_a_template_read_count_for_their_family() -> None:
    rows = [row(0, article=True, figures=figures(0.0)), *(row(0, article=True) for _ in range(3))]
    records = Records.of(rows)
    assert written(records, np.array([-5.0])).all()  # one of four proves nothing


def test_records_of_other_figures_are_refused() -> None:
    with pytest.raises(SystemExit, match="records of other figures"):
        Records.of([row(0, article=True, figures=[1.0])])


def test_packed_records_name_no_address() -> None:
    rows = [
        row(0, article=True, figures=figures(1 / 3)) | {"family": f"/{n}/* dated"} for n in (1, 2)
    ]
    found = [*judge_pages.packed(rows)]
    assert [one["family"] for one in found] == [0, 1]
    assert found[0]["figures"][0] == 0.3333


def test_few_pages_of_a_family_keep_their_figures() -> None:
    rows = [row(0, article=True, figures=figures(0.0)) | {"family": "/a"} for _ in range(40)]
    found = [*judge_pages.packed(rows)]
    assert len(found) == 40
    assert sum("figures" in one for one in found) == 30
