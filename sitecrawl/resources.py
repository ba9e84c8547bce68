"""Files that ship with the package: trained models, and tables of words and templates of texts
beside the module that reads them."""

from __future__ import annotations

import json
import tokenize
import zipfile
import zlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sitecrawl.limits import LIMITS

DAMAGES = (
    OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, EOFError, MemoryError, RuntimeError, SyntaxError,
    zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, tokenize.TokenError,
)  # fmt: skip
"""What reading a damaged file of arrays may raise; numpy and zipfile document no smaller set."""
_HERE = Path(__file__).resolve().parent
MODELS_VARIABLE = "SITECRAWL_MODELS"
"""The environment variable that names a folder of models to use instead of those that ship. The
package reads it once, when it is imported: nothing in this room looks at the environment."""
_chosen: list[Path] = []  # the folder that the variable names, if it is set


def use_models(folder: str) -> None:
    """Take every model from ``folder`` from now on; the shipped ones where it is empty. Models that
    were read before stay as they are."""
    _chosen[:] = [Path(folder)] if folder else []


def model_path(name: str | Path) -> Path:
    """Path of a model: in the folder that ``use_models`` chose, else that of the shipped one, which
    lies beside the code in a wheel and at the top of a checkout. The file may be missing; its
    reader reports that."""
    if _chosen:
        return _chosen[0] / name
    packaged = _HERE / "_models" / name
    return packaged if packaged.exists() else _HERE.parent / "models" / name


def training_data() -> Path:
    """Folder of the link records of labelled sites from which the link model was trained. It ships
    with the package, as the models do."""
    packaged = _HERE / "_training_data"
    return packaged if packaged.exists() else _HERE.parent / "training_data"


def remedy_for(path: Path, usual: str) -> str:
    """What to do about a model that cannot be used: ``usual``, but where a person chose its
    folder."""
    if _chosen and path.parent == _chosen[0]:
        return f"{MODELS_VARIABLE} names its folder: name another one, or none (docs/links.md)"
    return usual


def arrays_of(path: Path) -> dict[str, Any]:
    """The arrays in a ``.npz`` file, nothing unpickled. Raises one of ``DAMAGES`` when it cannot be
    read or unpacks to too much."""
    with zipfile.ZipFile(path) as packed:
        if sum(entry.file_size for entry in packed.infolist()) > LIMITS.model_bytes:
            raise ValueError("too large")
    with np.load(path, allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


def write_arrays(path: Path, arrays: Mapping[str, Any]) -> None:
    """Write arrays as ``.npz`` without pickles. Equal arrays give equal bytes: entries have a fixed
    date instead of the time of day."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(arrays):
            entry = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(entry, "w") as file:
                np.lib.format.write_array(file, np.asarray(arrays[name]), allow_pickle=False)


def matrix(values: Any, shape: tuple[int, ...] | None = None) -> NDArray[np.float32]:
    """Finite numbers, of the shape expected where one is; raises ValueError otherwise."""
    if np.iscomplexobj(values):
        raise ValueError("complex numbers")
    found: NDArray[np.float32] = np.asarray(values, np.float32, order="C")
    if (shape is not None and found.shape != shape) or not np.isfinite(found).all():
        raise ValueError("unexpected shape or numbers")
    return found


def table_beside(module: str) -> dict[str, Any]:
    """The JSON object in the file beside a module (its ``__file__``) with the suffix ``.json``."""
    table: dict[str, Any] = json.loads(Path(module).with_suffix(".json").read_text(encoding="utf8"))
    return table


@cache
def text_template(package: str, name: str) -> Any:
    """A Jinja template of plain text in a package, compiled once: that takes longer than a page."""
    from jinja2 import (
        Environment,
        PackageLoader,
    )  # here, since every import of the package needs this module

    return Environment(loader=PackageLoader(package, "."), trim_blocks=True).get_template(name)
