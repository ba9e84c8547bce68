"""Files that ship with the package: trained models, and tables of words as JSON beside the module that reads them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_HERE = Path(__file__).resolve().parent


def model_path(name: str) -> Path:
    """Path of a shipped model: beside the code in a wheel, at the top of a checkout. The file may be missing; its reader says so."""
    packaged = _HERE / "_models" / name
    return packaged if packaged.exists() else _HERE.parent / "models" / name


def table_beside(module: str) -> dict[str, Any]:
    """The JSON object in the file that has the name of a module (its ``__file__``) but ends in ``.json``."""
    table: dict[str, Any] = json.loads(Path(module).with_suffix(".json").read_text(encoding="utf8"))
    return table
