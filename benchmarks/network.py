"""What the trainers share: a network with one hidden layer, trained in numpy (Adam, weight decay,
inputs dropped at random), logistic models, folds, and the files of both.

The same input gives the same weights on every machine, to the last digit that is stored. Libraries
and processors add in different orders, and a solver that stops early, or a long training in single
precision, multiplies what differs: weights came out 9e-4 apart. So all is computed in double
precision, a convex problem is solved to the end, and what is stored is rounded to far more than
what is left of the difference (docs/research/methods.md)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from sitecrawl.dom.blocks import Flags, Floats, Ints
from sitecrawl.extract import ensemble, headline
from sitecrawl.extract.weights import BlockModel, LogisticModel, default_model
from sitecrawl.extras.training.fitting import minimise
from sitecrawl.resources import write_arrays

Singles = NDArray[np.float32]
CLIP = 6.0  # bound of a standardised input
DIGITS = 6  # decimal places of a stored weight of a network
DECAY = 1.0
_FIRST, _SECOND, _SMALL = (
    0.9,
    0.999,
    1e-8,
)  # adam's decay of the two moments, and what keeps its quotient finite
_LAST_RATE = 0.05  # share of the learning rate that is left at the end
_THREADS = 2  # networks that are trained at a time
_SOLVED = 1e-13  # share of the loss that a step of Newton's method may still promise


@dataclass(slots=True)
class Network:
    """Hidden weights (features x units), hidden bias, output weights (units), output bias (1)."""

    hidden: Floats
    hidden_bias: Floats
    out: Floats
    out_bias: Floats

    @property
    def arrays(self) -> list[Floats]:
        return [self.hidden, self.hidden_bias, self.out, self.out_bias]


@dataclass(slots=True)
class Rows:
    """Standardised features (rows x features), labels 0 or 1, weights."""

    features: Floats
    labels: Floats
    weight: Floats


@dataclass(frozen=True, slots=True)
class Descent:
    """Rounds over all examples, examples a step, learning rate at the start."""

    epochs: int
    batch: int
    rate: float


Slopes = Callable[[Network, Ints, np.random.Generator], list[Floats]]
"""From a network and the numbers of some examples to gradients, in the order of
``Network.arrays``."""


def train(rows: Rows, units: int, dropping: Dropping, seed: int) -> Network:
    """A network fitted to ``rows``; at each step some inputs are set to nought, their mean."""

    def slopes(network: Network, chosen: Ints, rng: np.random.Generator) -> list[Floats]:
        inputs = rows.features[chosen]
        inputs *= dropping.keep(inputs.shape, rng)
        return _slopes(network, Rows(inputs, rows.labels[chosen], rows.weight[chosen]))

    return descended(rows.features.shape, units, slopes, how=Descent(8, 2048, 2e-3), seed=seed)


def side_by_side(trained: Callable[[int], Network], count: int) -> list[Network]:
    """Networks from the seeds 0, 1, ..., two at a time; each is the same as by itself."""
    with ThreadPoolExecutor(_THREADS) as threads:
        return list(threads.map(trained, range(count)))


def descended(
    shape: tuple[int, int], units: int, slopes: Slopes, *, how: Descent, seed: int
) -> Network:
    """A network trained by Adam (Kingma and Ba 2015) for a number of examples and of features, with
    a falling learning rate."""
    count, rng = shape[0], np.random.default_rng(seed)
    features = shape[1]  # random weights as Glorot and Bengio (2010) draw them
    width, narrow = np.sqrt(6 / (features + units)), np.sqrt(6 / (units + 1))
    network = Network(
        rng.uniform(-width, width, (features, units)),
        np.zeros(units),
        rng.uniform(-narrow, narrow, units),
        np.zeros(1),
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


def _slopes(network: Network, rows: Rows) -> list[Floats]:
    """Gradients of the weighted logistic loss, with weight decay, in the order of
    ``Network.arrays``."""
    size = len(rows.labels)
    units = np.maximum(rows.features @ network.hidden + network.hidden_bias, 0)
    belief = 1 / (1 + np.exp(-(units @ network.out + network.out_bias)))
    error = (belief - rows.labels) * rows.weight / size
    inner = np.outer(error, network.out) * (units > 0)
    decay = DECAY / size
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


def spread(features: Floats | Singles, least: float) -> tuple[Floats, Floats]:
    """Mean and standard deviation of each column, as they are stored; ``least`` is added to the
    second, since some columns never vary."""
    mean = features.mean(axis=0, dtype=np.float64)
    scale = features.std(axis=0, dtype=np.float64) + least
    return _stored(mean).astype(np.float64), _stored(scale).astype(np.float64)


def standardised(features: Floats | Singles, mean: Floats, scale: Floats) -> Floats:
    """Inputs of a network: standardised and clipped."""
    found: Floats = np.clip((features - mean) / scale, -CLIP, CLIP)
    return found


def joined(networks: Sequence[Network], mean: Floats, scale: Floats) -> BlockModel:
    """One model whose logit is the mean of those of ``networks``, with the numbers that are
    stored."""
    out = np.concatenate([network.out for network in networks]) / len(networks)
    out_bias = np.mean([network.out_bias[0] for network in networks])
    return BlockModel(
        mean=_stored(mean),
        scale=_stored(scale),
        hidden=_stored(np.hstack([network.hidden for network in networks])),
        hidden_bias=_stored(np.concatenate([network.hidden_bias for network in networks])),
        out=_stored(out),
        out_bias=float(_stored(out_bias)),
    )


def _stored(values: Floats) -> Singles:
    """Weights as a file holds them: rounded, single precision."""
    return np.asarray(np.round(values, DIGITS) + 0.0, np.float32)  # no nought below nought


def in_double(model: BlockModel) -> BlockModel:
    """The same model, which answers in double precision."""
    arrays: dict[str, Any] = {
        one.name: np.asarray(getattr(model, one.name), np.float64) for one in fields(model)
    }
    return replace(model, **arrays | {"out_bias": float(model.out_bias)})


@contextmanager
def exact_headlines() -> Iterator[None]:
    """Headlines are scored in double precision meanwhile: what another model learns from them then
    does not depend on the machine."""
    model = in_double(headline.headline_model())
    with patch.object(headline, "headline_model", lambda: model):
        yield


@contextmanager
def exact_blocks(model: BlockModel | None = None) -> Iterator[None]:
    """The same for blocks; ``model`` scores them in place of the one in use."""
    scorer = in_double(model or default_model())
    with patch.object(ensemble, "default_model", lambda: scorer):
        yield


def fit_logistic(features: Floats, right: Flags, *, weight: Floats) -> tuple[Floats, float]:
    """Weights and bias of a logistic model: the minimum of ``|w|^2 / 2 + sum_i weight_i log(1 +
    exp(-y_i (w x_i + b)))``. Newton's method finds it to the last digits; a solver that stops
    earlier stops somewhere else on another machine."""
    inputs = np.hstack([np.asarray(features, np.float64), np.ones((len(features), 1))])
    truth = np.asarray(right, np.float64)
    ridge = np.append(np.ones(inputs.shape[1] - 1), 0.0)  # the bias is free

    def value(plane: Floats) -> float:
        odds = inputs @ plane
        losses = np.logaddexp(0.0, odds) - truth * odds
        return float(plane @ (ridge * plane) / 2 + weight @ losses)

    def derivatives(plane: Floats) -> tuple[Floats, Floats]:
        belief = 1 / (1 + np.exp(-(inputs @ plane)))
        bend = weight * belief * (1 - belief)
        hessian = (inputs * bend[:, None]).T @ inputs + np.diag(ridge)
        return ridge * plane + inputs.T @ (weight * (belief - truth)), hessian

    start = np.zeros(inputs.shape[1])
    found = minimise(start, value, derivatives=derivatives, tolerance=_SOLVED)
    return found[:-1], float(found[-1])


def group_folds(groups: Sequence[str], number: int) -> Iterator[tuple[Ints, Ints]]:
    """Numbers of the rows to learn from and of those held out, a fold after the other. The groups
    are dealt in the order of their SHA-1; none is in both.

    >>> [held.tolist() for _, held in group_folds(["a", "b", "a"], 2)]
    [[0, 2], [1]]
    """
    names = sorted(set(groups), key=lambda name: hashlib.sha1(name.encode()).hexdigest())
    fold_of = {name: at % number for at, name in enumerate(names)}
    folds = np.array([fold_of[name] for name in groups], np.int64)
    for fold in range(number):
        is_held = folds == fold
        yield np.flatnonzero(~is_held), np.flatnonzero(is_held)


def write_network(path: Path, protocol: int, *, model: BlockModel, card: Mapping[str, Any]) -> None:
    """Write a network in the form that the package reads. Equal networks and cards give equal
    bytes."""
    arrays = {one.name: np.asarray(getattr(model, one.name), np.float32) for one in fields(model)}
    named = {"protocol": np.array(protocol), "card": np.array(json.dumps(card, sort_keys=True))}
    write_arrays(path, {**arrays, **named})


def card_of(command: str, *arrays: NDArray[Any], **figures: Any) -> dict[str, Any]:
    """What a model file says of itself: the command that writes it, the version of the code, the
    SHA-256 of what it learned from, and figures. The digest is of rounded numbers: the last bits of
    a logarithm depend on the processor."""
    digest = hashlib.sha256()
    for array in arrays:
        is_exact = array.dtype.kind != "f"
        rounded = array if is_exact else np.round(array, 4) + array.dtype.type(0)
        digest.update(rounded.tobytes())
    return {
        "command": f"python -m benchmarks {command}",
        "version": version("scrapy-sitecrawl"),
        "training_digest": digest.hexdigest(),
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
    usual: Floats | None = None,
) -> None:
    """Write a logistic model in the form that the package reads. ``usual`` are the means of its
    features."""
    numbers: dict[str, Any] = {
        "weights": [round(float(it), digits) for it in weights],
        "bias": round(float(bias), digits),
    }
    if usual is not None:
        numbers["usual"] = [round(float(it), digits) for it in usual]
    data = {"protocol": model.protocol, "names": list(model.names), **numbers, "card": card}
    path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf8")
