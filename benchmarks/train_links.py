"""Trains the link model from ``training_data/`` and writes models/links.npz, as ``sitecrawl train
training_data`` does; ``--without`` leaves sites and corpora out. Prints precision, recall and F1
validated by site, unless --folds 0 skips that."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from benchmarks.harness import asked
from benchmarks.model_sets import closed
from sitecrawl.extras.training.dataset import record_files
from sitecrawl.extras.training.link_models import train_and_write


def head_of(file: Path) -> dict[str, Any]:
    """What the first line of a file of link records says of its site."""
    with gzip.open(file, "rt", encoding="utf8") as lines:
        head: dict[str, Any] = json.loads(next(lines))
    return head


def learned_from(data: Path, without: str) -> list[Path]:
    """The folder, or its files but those of the sites ``without``."""
    if not without:
        return [data]
    hidden = closed(without.split(","))
    heads = {file: head_of(file) for file in record_files([data])}
    return [
        file for file, head in heads.items() if hidden.isdisjoint((head["site"], head["group"]))
    ]


def main(arguments: list[str]) -> None:
    args = asked(
        *(__doc__, arguments),
        data=Path("training_data"),
        output=Path("models/links.npz"),
        folds=(6, "folds of the validation by site"),
        without=("", "sites and corpora to leave out, names with commas"),
    )
    folders = learned_from(args.data, args.without)
    _, tables = train_and_write(folders, args.output, folds=args.folds)
    print("\n".join(tables))
