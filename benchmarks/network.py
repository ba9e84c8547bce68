"""A network with one hidden layer, trained in numpy: Adam, weight decay, inputs dropped at random.
In single precision it trains in a tenth of the time scikit-learn's takes, and that one cannot drop
inputs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sitecrawl.dom.blocks import Flags, Floats, Ints
from sitecrawl.extract.weights import BlockModel, LogisticModel
from sitecrawl.resources import write_arrays

Singles = NDArray[np.float32]
CLIP = 6.0  # bound of a standardised input
DECAY = 1.0
_FIRST, _SECOND, _SMALL = (
    0.9,
    0.999,
    1e-8,
)  # adam's decay of the two moments, and what keeps its quotient finite
_LAST_RATE = 0.05  # share of the learning rate that is left at the end


@dataclass(slots=True)
class Network:
    """Hidden weights (features x units), hidden bias, output weights (units), output bias (1)."""

    hidden: Singles
    hidden_bias: Singles
    out: Singles
    out_bias: Singles

    @property
    def arrays(self) -> list[Singles]:
        return [self.hidden, self.hidden_bias, self.out, self.out_bias]


@dataclass(slots=True)
class Rows:
    """Standardised features (rows x features), labels 0 or 1, weights."""

    features: Singles
    labels: Singles
    weight: Singles


@dataclass(frozen=True, slots=True)
class Descent:
    """Rounds over all examples, examples a step, learning rate at the start."""

    epochs: int
    batch: int
    rate: float


Slopes = Callable[[Network, Ints, np.random.Generator], list[Singles]]
"""From a network and the numbers of some examples to gradients, in the order of
``Network.arrays``."""


def train(rows: Rows, units: int, dropping: Dropping, seed: int) -> Network:
    """A network fitted to ``rows``; at each step some inputs are set to nought, their mean."""

    def slopes(network: Network, chosen: Ints, rng: np.random.Generator) -> list[Singles]:
        inputs = rows.features[chosen]
        inputs *= dropping.keep(inputs.shape, rng)
        return _slopes(network, Rows(inputs, rows.labels[chosen], rows.weight[chosen]))

    return descended(rows.features.shape, units, slopes, how=Descent(8, 2048, 2e-3), seed=seed)


def descended(
    shape: tuple[int, int], units: int, slopes: Slopes, *, how: Descent, seed: int
) -> Network:
    """A network trained by Adam (Kingma and Ba 2015) for a number of examples and of features, with
    a falling learning rate."""
    count, rng = shape[0], np.random.default_rng(seed)
    features = shape[1]  # random weights as Glorot and Bengio (2010) draw them
    width, narrow = np.sqrt(6 / (features + units)), np.sqrt(6 / (units + 1))
    network = Network(
        rng.uniform(-width, width, (features, units)).astype(np.float32),
        np.zeros(units, np.float32),
        rng.uniform(-narrow, narrow, units).astype(np.float32),
        np.zeros(1, np.float32),
    )
    moments = [(np.zeros_like(array), np.zeros_like(array)) for array in network.arrays]
    steps, step = how.epochs * (1 + (count - 1) // how.batch), 0
    for _ in range(how.epochs):
        order = rng.permutation(count)
        for begin in range(0, count, how.batch):
            gradients = slopes(network, order[begin : begin + how.batch], rng)
            step += 1
            rate = how.rate * (1 - (1 - _LAST_RATE) * step / steps)
            for array, slope, (first, second) in zip(
                network.arrays, gradients, moments, strict=True
            ):
                first += (1 - _FIRST) * (slope - first)
                second += (1 - _SECOND) * (slope * slope - second)
                array -= (
                    rate
                    * (first / (1 - _FIRST**step))
                    / (np.sqrt(second / (1 - _SECOND**step)) + _SMALL)
                )
    return network


def _slopes(network: Network, rows: Rows) -> list[Singles]:
    """Gradients of the weighted logistic loss, with weight decay, in the order of
    ``Network.arrays``."""
    size = len(rows.labels)
    units = np.maximum(rows.features @ network.hidden + network.hidden_bias, 0)
    error = (
        (1 / (1 + np.exp(-(units @ network.out + network.out_bias))) - rows.labels)
        * rows.weight
        / np.float32(size)
    )
    inner = np.outer(error, network.out) * (units > 0)
    decay = np.float32(DECAY / size)
    return [
        rows.features.T @ inner + decay * network.hidden,
        inner.sum(0),
        units.T @ error + decay * network.out,
        error.sum(keepdims=True),
    ]


@dataclass(frozen=True, slots=True)
class Dropping:
    """What is set to nought in training: a share of ``single`` inputs, and of ``group`` for each of
    ``groups`` of columns as a whole."""

    single: float
    group: float = 0.0
    groups: Sequence[Ints] = ()

    def keep(self, shape: tuple[int, int], rng: np.random.Generator) -> Flags:
        """Which inputs stay, for a matrix of ``shape``."""
        kept: Flags = rng.random(shape, dtype=np.float32) >= self.single
        for columns in self.groups:
            kept[np.ix_(rng.random(shape[0]) < self.group, columns)] = False
        return kept


def standardised(features: Floats, mean: Floats, scale: Floats) -> Singles:
    """Inputs of a network: standardised and clipped."""
    found: Singles = np.clip((features - mean) / scale, -CLIP, CLIP).astype(np.float32)
    return found


def joined(networks: Sequence[Network], mean: Floats, scale: Floats) -> BlockModel:
    """One model whose logit is the mean of those of ``networks``."""
    return BlockModel(
        mean=np.asarray(mean, np.float32),
        scale=np.asarray(scale, np.float32),
        hidden=np.hstack([network.hidden for network in networks]),
        hidden_bias=np.concatenate([network.hidden_bias for network in networks]),
        out=np.concatenate([network.out for network in networks]) / len(networks),
        out_bias=float(np.mean([network.out_bias[0] for network in networks])),
    )


def write_network(path: Path, protocol: int, *, model: BlockModel, card: Mapping[str, Any]) -> None:
    """Write a network in the form that the package reads. Equal networks and cards give equal
    bytes."""
    arrays = {one.name: np.asarray(getattr(model, one.name), np.float32) for one in fields(model)}
    named = {"protocol": np.array(protocol), "card": np.array(json.dumps(card, sort_keys=True))}
    write_arrays(path, {**arrays, **named})


def card_of(command: str, *arrays: NDArray[Any], **figures: Any) -> dict[str, Any]:
    """What a model file says of itself: the command that writes it, the version of the code, the
    SHA-256 of what it learned from, and figures."""
    digest = hashlib.sha256(b"".join(array.tobytes() for array in arrays)).hexdigest()
    command = f"python -m benchmarks {command}"
    return {
        "command": command,
        "version": version("scrapy-sitecrawl"),
        "training_digest": digest,
        **figures,
    }


def write_logistic(
    path: Path,
    model: LogisticModel,
    *,
    weights: Floats,
    bias: float,
    card: Mapping[str, Any],
    digits: int = 5,
) -> None:
    """Write a logistic model in the form that the package reads."""
    numbers = {
        "weights": [round(float(it), digits) for it in weights],
        "bias": round(float(bias), digits),
    }
    data = {"protocol": model.protocol, "names": list(model.names), **numbers, "card": card}
    path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf8")
