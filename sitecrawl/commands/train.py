"""``scrapy train DIR...``: rebuild the link model from labelled sites and say how good it is, validated by site."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from contextlib import nullcontext, redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from sitecrawl.commands._help import Help
from sitecrawl.commands._output import MACRO_HEAD, OneLineErrors, macro_line, model_card, site_table, today
from sitecrawl.errors import LabelError
from sitecrawl.links.link_features import FEATURES
from sitecrawl.links.link_model import MODEL_NAME, LinkModel, save_model
from sitecrawl.links.training.dataset import LabelledPage, digest, read_folders
from sitecrawl.links.training.evaluation import evaluate

if TYPE_CHECKING:
    from sitecrawl.links.training.fitting import Sample

_SKLEARN = "training needs scikit-learn: pip install 'sitecrawl[train]'"

_FEWEST = 3
"""Fewest sites that two stages need: the second learns from the first one's predictions on sites it has not seen."""


class Command(OneLineErrors, ScrapyCommand):
    explains = Help(
        "Train the link model from labelled sites; print precision, recall and F1 validated by site",
        {"DIR": "folder of link records, as sitecrawl label writes them"},
        ("sitecrawl train training_data own_sites -o own.npz",),
    )

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "-o",
            "--output",
            type=Path,
            default=Path("models") / MODEL_NAME,
            help="file of the model: --output own.npz (default: %(default)s)",
        )
        parser.add_argument(
            "--folds",
            type=int,
            default=6,
            help="folds of the validation by site, 0 for none: --folds 10 (default: %(default)s)",
        )
        parser.add_argument(
            "--json", action="store_true", help="print the model card as JSON instead of tables: --json"
        )

    def act(self, args: list[str], opts: Namespace) -> None:
        if not args:
            raise UsageError("give at least one folder of link records, such as training_data")
        folders = [Path(name) for name in args]
        try:
            pages = [page for page in read_folders(folders) if len(page.target_labels())]
        except LabelError as error:
            raise UsageError(str(error), print_help=False) from error
        _train(pages, folders, opts)


def _check(pages: list[LabelledPage]) -> None:
    """Raise UsageError when there are too few sites, or no link with one of the labels."""
    sites = len({page.group for page in pages if not page.synthetic})
    if sites < _FEWEST:
        raise UsageError(f"labels of {sites} site(s): at least {_FEWEST} are needed, see sitecrawl label")
    seen = {int(label) for page in pages for label in page.target_labels()}
    missing = [name for number, name in enumerate(("other", "section", "article")) if number not in seen]
    if missing:
        raise UsageError(f"no link is labelled {' or '.join(missing)}: add some, see training_data/README.md")


def fit(pages: list[LabelledPage], folders: list[Path], data: list[Sample] | None = None) -> LinkModel:
    """A model of labelled pages, with its card. Raises UsageError where labels or scikit-learn are lacking."""
    fitting, version = _tools()
    _check(pages)
    data = data or fitting.samples(pages)
    card: dict[str, Any] = {
        "trained": today(),
        "command": f"sitecrawl train {' '.join(map(str, folders))}",
        "training_digest": digest(folders),
        "sites": len({page.group for page in pages if not page.synthetic}),
        "synthetic sites": len({page.group for page in pages if page.synthetic}),
        "pages": len(pages),
        "targets": sum(len(sample.labels) for sample in data),
        "features": list(FEATURES),
        "scikit-learn": version,
    }
    model: LinkModel = fitting.train(data, fitting.Settings())
    return replace(model, card=card)


def write_model(model: LinkModel, target: Path, tables: list[str]) -> dict[str, Any]:
    """Write a model and, beside it, its card; the facts of the card."""
    card = model.card | {"features": len(FEATURES)}
    save_model(model, target)
    target.with_name("README.md" if target.name == MODEL_NAME else f"{target.stem}.md").write_text(
        model_card(card, tables), encoding="utf8"
    )
    return card


def _tools() -> tuple[Any, str]:
    """The module that fits, and the version of scikit-learn."""
    try:
        import sklearn

        from sitecrawl.links.training import fitting
    except ImportError as error:
        raise UsageError(_SKLEARN, print_help=False) from error
    return fitting, sklearn.__version__


def _train(pages: list[LabelledPage], folders: list[Path], opts: Namespace) -> None:
    fitting, _ = _tools()
    _check(pages)
    data = fitting.samples(pages)
    with redirect_stdout(sys.stderr) if opts.json else nullcontext():
        tables = _validate(pages, data, opts.folds) if opts.folds else ["not validated"]
    card = write_model(fit(pages, folders, data), opts.output, tables)
    print(json.dumps({"model": str(opts.output), **card}) if opts.json else f"\nwrote {opts.output}")


def _validate(pages: list[LabelledPage], data: list[Sample], folds: int) -> list[str]:
    """The table with and without structure features, then the sites."""
    from sitecrawl.links.training import fitting

    lines = [MACRO_HEAD]
    print(MACRO_HEAD)
    report = None
    for name, kept in fitting.subsets(pages, data).items():
        settings = fitting.Settings(second=name == "all features")
        found = fitting.cross_validate(kept, settings, folds)
        scores = evaluate(pages, found)
        report = report or scores
        lines.append(macro_line(name, scores))
        print(lines[-1], flush=True)
    sites = site_table(report) if report else []
    print("\n" + "\n".join(sites))
    return [*lines, "", *sites]
