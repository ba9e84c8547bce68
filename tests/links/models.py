"""Link models made for the tests."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from sitecrawl.links.link_model import model_at, save_model


def credulous(folder: Path) -> Path:
    """A link model that takes every link for an article, written to ``folder``."""
    shipped = model_at("")
    calibration = np.zeros_like(shipped.calibration)
    calibration[-1] = (3.0, -1.0, -1.0)
    save_model(replace(shipped, calibration=calibration), path := folder / "credulous.npz")
    return path
