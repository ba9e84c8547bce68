"""The block model: a network with one hidden layer, its weights as data. Two matrix products a page."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sitecrawl.dom.blocks import Floats
from sitecrawl.errors import ModelError
from sitecrawl.resources import model_path

Weights = NDArray[np.float32]
PROTOCOL = 2
"""2: features of wording."""
_CLIP = 6.0
_ARRAYS = ("mean", "scale", "hidden", "hidden_bias", "out")
_REMEDY = "restore it, or train it again with python -m benchmarks.train_blocks"


@dataclass(frozen=True, slots=True)
class BlockModel:
    """Standardisation (``mean``, ``scale``), hidden layer (features x units) and output weights (units), single precision."""

    mean: Weights
    scale: Weights
    hidden: Weights
    hidden_bias: Weights
    out: Weights
    out_bias: float

    def predict(self, features: Weights) -> Floats:
        """Probability that a block belongs to the body, a value a row."""
        scaled = features - self.mean
        scaled /= self.scale
        units = scaled.clip(-_CLIP, _CLIP, out=scaled) @ self.hidden
        units += self.hidden_bias
        logits = np.maximum(units, 0.0, out=units) @ self.out
        scores: Floats = 1.0 / (1.0 + np.exp(-(logits.astype(np.float64) + self.out_bias)))
        return scores


def save_model(model: BlockModel, path: Path, digest: str) -> None:
    """Write ``model`` as .npz without pickles; ``digest`` names the training data."""
    arrays: dict[str, Any] = {name: np.asarray(getattr(model, name), np.float32) for name in (*_ARRAYS, "out_bias")}
    np.savez_compressed(path, protocol=np.array(PROTOCOL), digest=np.array(digest), **arrays)


def load_model(path: Path) -> BlockModel:
    """The model in ``path``. Raises ModelError when it is missing, damaged or of another protocol."""
    try:
        with np.load(path, allow_pickle=False) as data:
            if int(data["protocol"]) != PROTOCOL:
                raise ModelError(path, f"protocol {int(data['protocol'])}, this version reads {PROTOCOL}", _REMEDY)
            arrays = {name: np.asarray(data[name], np.float32) for name in _ARRAYS}
            return BlockModel(**arrays, out_bias=float(data["out_bias"]))
    except FileNotFoundError:
        raise ModelError(path, "not found", _REMEDY) from None
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise ModelError(path, f"damaged ({type(error).__name__})", _REMEDY) from None


@lru_cache(maxsize=1)
def default_model() -> BlockModel:
    """The shipped block model, read once."""
    return load_model(model_path("blocks.npz"))
