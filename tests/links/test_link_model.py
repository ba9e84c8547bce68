"""Model files: round trip, same bytes, refusal of missing, damaged, foreign and pickled files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sitecrawl.errors import ModelError
from sitecrawl.links.link_model import load_model, model_at, save_model
from sitecrawl.resources import model_path


def test_round_trip_gives_the_same_bytes(tmp_path: Path) -> None:
    model = model_at("")
    save_model(model, tmp_path / "a.npz")
    save_model(load_model(tmp_path / "a.npz"), tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_the_card_says_what_it_is() -> None:
    card = load_model(model_path("links.npz")).card
    assert card["protocol"] == 2
    assert len(card["training_digest"]) == 64


def test_missing(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="not found") as caught:
        load_model(tmp_path / "none.npz")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("damage", [b"", b"not a zip", b"PK\x03\x04rest"])
def test_damaged(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "links.npz"
    path.write_bytes(damage)
    with pytest.raises(ModelError, match="damaged"):
        load_model(path)


def test_cut_in_half(tmp_path: Path) -> None:
    path = tmp_path / "links.npz"
    path.write_bytes(model_path("links.npz").read_bytes()[:5000])
    with pytest.raises(ModelError):
        load_model(path)


def test_pickles_are_never_read(tmp_path: Path) -> None:
    path = tmp_path / "links.npz"
    np.savez(path, card=np.array([{"a": 1}], dtype=object))
    with pytest.raises(ModelError):
        load_model(path)


def test_numbers_that_are_none(tmp_path: Path) -> None:
    with np.load(model_path("links.npz"), allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    arrays["first_mean"] = np.full_like(arrays["first_mean"], np.nan)
    np.savez(tmp_path / "links.npz", **arrays)
    with pytest.raises(ModelError):
        load_model(tmp_path / "links.npz")
