"""Where the shipped models lie: beside the code in a wheel, at the top of a checkout."""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).resolve().parent


def model_path(name: str) -> Path:
    """Path of a shipped model file; it may not exist, the reader says so."""
    packaged = _HERE / "_models" / name
    return packaged if packaged.exists() else _HERE.parent / "models" / name
