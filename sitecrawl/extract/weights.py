"""The trained models of the extractors as data: a network with one hidden layer for blocks and
headlines, logistic models for the rest."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sitecrawl.dom.blocks import Floats
from sitecrawl.dom.products import product
from sitecrawl.errors import ModelError
from sitecrawl.resources import DAMAGES, arrays_of, matrix, model_path, remedy_for

Weights = NDArray[np.float32]
PROTOCOL = 2  # protocol of the block model. 2: features of wording
FEATURES = 167  # columns of `block_features`
_ARRAYS = ("mean", "scale", "hidden", "hidden_bias", "out")


@dataclass(frozen=True, slots=True)
class BlockModel:
    """A network for rows of features. Standardisation (``mean``, ``scale``), hidden layer (features
    x units) and output weights (units), single precision."""

    mean: Weights
    scale: Weights
    hidden: Weights
    hidden_bias: Weights
    out: Weights
    out_bias: float

    def logits(self, features: Weights, *, clip: float = 6.0) -> Floats:
        """Logit of each row; features are clipped at ``clip`` standard deviations, as in
        training."""
        scaled = features - self.mean
        scaled /= self.scale
        units = product(scaled.clip(-clip, clip, out=scaled), self.hidden)
        units += self.hidden_bias
        return np.asarray(
            product(np.maximum(units, 0.0, out=units), self.out).astype(np.float64) + self.out_bias
        )

    def predict(self, features: Weights) -> Floats:
        """Probability that a block belongs to the body, one value for each row."""
        return np.asarray(1.0 / (1.0 + np.exp(-self.logits(features))))


def load_model(
    path: Path, protocol: int = PROTOCOL, *, trainer: str = "train_blocks", features: int = FEATURES
) -> BlockModel:
    """The network in ``path``. Raises ModelError, naming ``trainer``, if it is missing, damaged or
    of another protocol or size."""
    with _explained(path, trainer):
        data = arrays_of(path)
        _check_protocol(path, int(data["protocol"]), expected=protocol, trainer=trainer)
        units = len(data["out"])
        shapes = ((features,), (features,), (features, units), (units,), (units,))
        arrays = {
            name: matrix(data[name], shape) for name, shape in zip(_ARRAYS, shapes, strict=True)
        }
        return BlockModel(**arrays, out_bias=float(matrix(data["out_bias"], ())))


class LogisticModel:
    """A logistic model, read when it is first asked: its file (a name is one of models/), the
    ``names`` of its features, the command that trains it."""

    def __init__(
        self, file: str | Path, names: Sequence[str], *, trainer: str, protocol: int = 1
    ) -> None:
        self.file = file
        self.names = names
        self.trainer = trainer
        self.protocol = protocol

    @cached_property
    def weights(self) -> Floats:
        """Weights of the features, then the bias. Raises ModelError when the file is missing,
        damaged, of another protocol or of other features."""
        return self._read(lambda data: [*data["weights"], data["bias"]], len(self.names) + 1)

    @cached_property
    def usual(self) -> Floats:
        """Usual values of the features; 0 where the file has none. Raises ModelError as
        ``weights``."""
        size = len(self.names)
        return self._read(lambda data: data.get("usual", [0.0] * size), size)

    def _read(self, pick: Callable[[Any], list[float]], size: int) -> Floats:
        path = model_path(self.file)
        with _explained(path, self.trainer):
            data = json.loads(path.read_text(encoding="utf8"))
            protocol = data["protocol"] if data["names"] == list(self.names) else None
            _check_protocol(path, protocol, expected=self.protocol, trainer=self.trainer)
            matrix(pick(data), (size,))
            return np.array(pick(data), np.float64)

    def reasons(self, features: Floats) -> list[tuple[str, float]]:
        """What each feature adds to the log-odds, against its usual value: names and log-odds, the
        heaviest first. Raises ModelError when the file cannot be read."""
        moves = self.weights[:-1] * (features - self.usual)
        order = np.argsort(-np.abs(moves), kind="stable").tolist()
        return [(self.names[at], float(moves[at])) for at in order]

    def log_odds(self, features: Floats | Sequence[float]) -> float:
        """Log-odds for the features of one thing. Raises ModelError when the file cannot be
        read."""
        return float(np.dot(features, self.weights[:-1]) + self.weights[-1])

    def predict(self, features: Floats | Sequence[float]) -> float:
        """Probability, 0..1. Raises ModelError when the file cannot be read."""
        return float(1 / (1 + np.exp(-self.log_odds(features))))


def _remedy(path: Path, trainer: str) -> str:
    usual = f"restore it, or train it again with python -m benchmarks {trainer}"
    return remedy_for(path, usual)


def _check_protocol(path: Path, found: int | None, *, expected: int, trainer: str) -> None:
    if found != expected:
        reason = (
            f"protocol {found}, this version reads {expected}" if found else "of other features"
        )
        raise ModelError(path, reason, _remedy(path, trainer))


@contextmanager
def _explained(path: Path, trainer: str) -> Iterator[None]:
    """Turns any error of reading the file into a ModelError with advice."""
    try:
        yield
    except (FileNotFoundError, NotADirectoryError):
        raise ModelError(path, "not found", _remedy(path, trainer)) from None
    except DAMAGES as error:
        reason = f"damaged ({type(error).__name__})"
        raise ModelError(path, reason, _remedy(path, trainer)) from None


@lru_cache(maxsize=1)
def default_model() -> BlockModel:
    return load_model(model_path("blocks.npz"))
