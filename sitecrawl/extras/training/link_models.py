"""A link model made of labelled sites: trained, validated by site, written with its card."""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any

from sitecrawl.errors import LabelError, ModelError
from sitecrawl.extras.training.dataset import CODES, LabelledPage, digest, read_folders
from sitecrawl.extras.training.evaluation import (
    MEASURES,
    SCORED,
    EvaluationReport,
    evaluate,
    tables_of,
)
from sitecrawl.extras.training.fitting import (
    Settings,
    TrainingSample,
    cross_validate,
    samples,
    train,
)
from sitecrawl.items.kinds import LinkLabel
from sitecrawl.links.link_features import FEATURES
from sitecrawl.links.link_model import PROTOCOL, LinkModel, save_model
from sitecrawl.resources import text_template


def train_and_write(folders: list[Path], target: Path, *, folds: int) -> list[str]:
    """Train a model, validate it on ``folds`` folds (0: not at all) and write it; returns the
    tables of its scores. Progress goes to standard error. Raises LabelError for missing
    labels."""
    pages, settings = read_folders(folders), Settings()
    _check_labels(pages, folders)
    if target.is_dir():  # told before minutes of training
        raise ModelError(target, "a folder", "name a file: --output own.npz")

    def tell(step: str) -> None:
        print(f"train: {step}", file=sys.stderr, flush=True)

    tell(f"features of {len(pages)} pages")
    data, validated, tables = samples(pages, settings), None, ["not validated"]
    if folds:
        validated = evaluate(pages, cross_validate(data, settings, folds=folds, report=tell))
        tables = [
            *tables_of("macro", reports={"macro by site": validated}),
            "",
            *tables_of("sites", report=validated),
        ]
    tell("the model of all pages")
    model = train_model(pages, folders, data=data, validated=validated)
    write_model(model, target, tables=tables)
    return tables


def _check_labels(pages: list[LabelledPage], folders: list[Path], *, fewest_sites: int = 3) -> None:
    """Raise LabelError if a model cannot be trained: too few sites for the two stages, or no link
    with one of the labels."""
    sites = len({page.group for page in pages if not page.synthetic})
    if sites < fewest_sites:
        lack = f"labels of {sites} site(s): at least {fewest_sites} are needed"
        raise LabelError(folders[-1], lack, "see sitecrawl label")
    seen = {int(label) for page in pages for label in page.target_labels()}
    missing = [str(label) for label in LinkLabel if CODES[label] not in seen]
    if missing:
        lack = f"no link is labelled {' or '.join(missing)}"
        raise LabelError(folders[-1], lack, "add some, see training_data/README.md")


def train_model(
    pages: list[LabelledPage],
    folders: list[Path],
    *,
    data: list[TrainingSample] | None = None,
    validated: EvaluationReport | None = None,
) -> LinkModel:
    """A model of labelled pages with its card: digest of the data, code version, protocol, figures.
    No date: the same data and code give the same bytes. Raises LabelError where labels are
    lacking."""
    _check_labels(pages, folders)
    settings = Settings()
    data = data or samples(pages, settings)
    card: dict[str, Any] = {
        "command": f"sitecrawl train {' '.join(map(str, folders))}",
        "version": version("scrapy-sitecrawl"),
        "protocol": PROTOCOL,
        "training_digest": digest(folders),
        "sites": len({page.group for page in pages if not page.synthetic}),
        "synthetic sites": len({page.group for page in pages if page.synthetic}),
        "pages": len(pages),
        "targets": sum(len(sample.labels) for sample in data),
    }
    if validated:
        figures = {
            f"{label} {name}": validated.macro(label, name)
            for label, name in product(SCORED, MEASURES)
        }
        card["validated by site"] = {name: round(figure, 4) for name, figure in figures.items()}
    return replace(train(data, settings), card=card | {"features": list(FEATURES)})


def write_model(model: LinkModel, target: Path, *, tables: list[str]) -> None:
    """Write a model and, beside it, its card as Markdown."""
    save_model(model, target)
    form = text_template("sitecrawl.extras.training", "model_card.md")
    text = form.render(card=model.card | {"features": len(FEATURES)}, tables=tables)
    target.with_suffix(".md").write_text(f"{text}\n", encoding="utf8")
