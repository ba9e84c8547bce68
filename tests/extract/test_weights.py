"""Model files of this room: what is damaged, or made for something else, is refused in one line
that says what to do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sitecrawl.dom.parse import parse
from sitecrawl.errors import ModelError
from sitecrawl.extract.features import block_features
from sitecrawl.extract.headline import headline_model
from sitecrawl.extract.weights import FEATURES, LogisticModel, default_model, load_model
from sitecrawl.resources import model_path

ODD: dict[str, Any] = {
    "shape": np.zeros((3, 2), np.float32),
    "empty": np.zeros(0, np.float32),
    "number": np.float32(1),
    "infinite": np.full(FEATURES, np.inf, np.float32),
    "text": np.array("x"),
    "complex": np.full(FEATURES, 1j),
}


@pytest.mark.parametrize("array", ["mean", "scale", "hidden", "hidden_bias", "out"])
@pytest.mark.parametrize("odd", ODD)
def test_other_arrays_are_refused(tmp_path: Path, array: str, odd: str) -> None:
    with np.load(model_path("blocks.npz")) as shipped:
        arrays = dict(shipped) | {array: ODD[odd]}
    np.savez(tmp_path / "m.npz", **arrays)
    with pytest.raises(ModelError, match="train it again") as error:
        load_model(tmp_path / "m.npz")
    assert str(tmp_path / "m.npz") in str(error.value)
    assert len(str(error.value).splitlines()) == 1


def test_the_model_of_one_thing_is_none_of_another() -> None:
    assert headline_model() is not None
    with pytest.raises(ModelError, match=r"protocol|damaged"):
        load_model(model_path("headline.npz"))


def test_features_are_as_many_as_the_model_was_made_for() -> None:
    page = parse("<h1>Title</h1><p>Some words of a paragraph.</p>")
    assert block_features(page, 0).shape == (2, FEATURES)
    assert default_model().mean.shape == (FEATURES,)


@pytest.mark.parametrize(
    "odd",
    [
        {"weights": [1.0]},
        {"weights": [1, "x"]},
        {"bias": None},
        {"bias": float("nan")},
        {"weights": [[1], [2]]},
    ],
)
def test_other_weights_are_refused(tmp_path: Path, odd: dict[str, Any]) -> None:
    path = tmp_path / "m.json"
    path.write_text(
        json.dumps({"protocol": 1, "names": ["a", "b"], "weights": [1.0, 2.0], "bias": 0.5} | odd)
    )
    with pytest.raises(ModelError, match="damaged"):
        _ = LogisticModel(path, ("a", "b"), trainer="train_page_type").weights


@pytest.mark.parametrize("text", ["[]", "7", "[" * 100_000, "{}"])
def test_other_documents_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "m.json").write_text(text)
    with pytest.raises(ModelError, match="damaged"):
        _ = LogisticModel(tmp_path / "m.json", ("a", "b"), trainer="train_page_type").weights
