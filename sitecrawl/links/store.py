"""The link model as a file: numpy arrays without pickles, beside a JSON card. Foreign and damaged files are refused."""

from __future__ import annotations

import json
import zipfile
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from sitecrawl.errors import ModelError
from sitecrawl.links.columns import FEATURES
from sitecrawl.links.groups import Matrix
from sitecrawl.links.model import PROTOCOL, LinkModel, Stage

MODEL_NAME = "links.npz"
_PACKAGE = Path(__file__).resolve().parent.parent
_PLACES = (_PACKAGE / "_models" / MODEL_NAME, _PACKAGE.parent / "models" / MODEL_NAME)
_REMEDY = "rebuild it with: scrapy train training_data"
_PARTS = ("mean", "scale", "weights", "bias", "landmarks", "gamma")


def default_path() -> Path:
    """Where the shipped model lies: in the installed package, else in the checkout."""
    return next((place for place in _PLACES if place.is_file()), _PLACES[-1])


@lru_cache(maxsize=4)
def shipped_model() -> LinkModel:
    """The shipped model, read once. Raises ModelError where it is missing or damaged."""
    return load_model(default_path())


def load_model(path: Path) -> LinkModel:
    """The model in a file. Raises ModelError with the reason where it is missing, damaged or of another protocol."""
    if not path.is_file():
        raise ModelError(path, "not found", _REMEDY)
    try:
        with np.load(path, allow_pickle=False) as archive:
            return _read({name: archive[name] for name in archive.files}, path)
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile, zipfile.LargeZipFile) as error:
        raise ModelError(path, f"damaged or not a link model ({type(error).__name__})", _REMEDY) from error


def save_model(model: LinkModel, path: Path) -> None:
    """Write a model; the same model gives the same bytes."""
    arrays: dict[str, Any] = {"calibration": model.calibration}
    for name, stage in (("first", model.first), ("second", model.second)):
        if stage is not None:
            arrays |= {
                f"{name}_{part}": np.asarray(getattr(stage, part))
                for part in _PARTS
                if getattr(stage, part) is not None
            }
    card = {"kind": "sitecrawl link model", "protocol": PROTOCOL, "features": list(FEATURES)} | model.card
    arrays["card"] = np.array(json.dumps(card, ensure_ascii=False, sort_keys=True))
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(arrays):
            entry = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(entry, "w") as file:
                np.lib.format.write_array(file, np.asanyarray(arrays[name]), allow_pickle=False)


def _read(arrays: dict[str, Any], path: Path) -> LinkModel:
    card = json.loads(str(arrays["card"]))
    if card.get("kind") != "sitecrawl link model" or card.get("protocol") != PROTOCOL:
        raise ModelError(path, f"protocol {card.get('protocol')!r}, this version reads {PROTOCOL}", _REMEDY)
    if card.get("features") != list(FEATURES):
        raise ModelError(path, "trained on other features than this version computes", _REMEDY)
    second = _stage(arrays, "second") if "second_mean" in arrays else None
    return LinkModel(_stage(arrays, "first"), second, _matrix(arrays["calibration"], (3, 3)), card)


def _stage(arrays: dict[str, Any], name: str) -> Stage:
    mean = _matrix(arrays[f"{name}_mean"])
    marks = arrays.get(f"{name}_landmarks")
    landmarks = None if marks is None else _matrix(marks, (len(marks), len(mean)))
    rows = len(mean) if landmarks is None else len(landmarks)
    return Stage(
        mean,
        _matrix(arrays[f"{name}_scale"], mean.shape),
        _matrix(arrays[f"{name}_weights"], (rows, 2)),
        _matrix(arrays[f"{name}_bias"], (2,)),
        landmarks,
        float(arrays[f"{name}_gamma"]),
    )


def _matrix(values: Any, shape: tuple[int, ...] | None = None) -> Matrix:
    """Finite float32 numbers of the shape expected; raises ValueError otherwise."""
    matrix: Matrix = np.ascontiguousarray(values, np.float32)
    if (shape is not None and matrix.shape != shape) or not np.isfinite(matrix).all():
        raise ValueError("unexpected shape or numbers")
    return matrix
