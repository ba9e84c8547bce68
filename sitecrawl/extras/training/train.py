"""``sitecrawl train DIR...``: rebuild the link model from labelled sites and say how good it is, validated by site."""

from __future__ import annotations

import json
import sys
import time
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from sitecrawl.commands._help import Help
from sitecrawl.commands._output import OneLineErrors
from sitecrawl.errors import LabelError
from sitecrawl.extras.training.dataset import CODES, LabelledPage, digest, read_folders
from sitecrawl.extras.training.evaluation import EvaluationReport, evaluate, macro_table, model_card, site_table
from sitecrawl.extras.training.fitting import Report, Sample, Settings, cross_validate, samples, train
from sitecrawl.items.kinds import LinkLabel
from sitecrawl.links.link_features import FEATURES
from sitecrawl.links.link_model import MODEL_NAME, PROTOCOL, LinkModel, save_model


class TrainCommand(OneLineErrors, ScrapyCommand):
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
        folders, settings = [Path(name) for name in args], Settings()
        try:
            pages = [page for page in read_folders(folders) if len(page.target_labels())]
            check_labels(pages, folders)
        except LabelError as error:
            raise UsageError(str(error), print_help=False) from error
        print(f"train: features of {len(pages)} pages", file=sys.stderr)
        data, validated = samples(pages, settings), None
        progress = TrainingProgress(settings.fits * (1 + min(opts.folds, len({page.group for page in pages}))))
        if opts.folds:
            found = cross_validate(data, settings, folds=opts.folds, report=progress.step)
            validated = evaluate(pages, found)
        model = train_model(pages, folders, data=data, validated=validated, report=progress.step)
        write_model(model, opts.output, validated_table(validated))
        if opts.json:
            print(json.dumps({"model": str(opts.output), **model.card, "features": len(FEATURES)}))
        else:
            print("\n".join([*validated_table(validated), "", f"wrote {opts.output}"]))


@dataclass(slots=True)
class TrainingProgress:
    """Lines on standard error for ``total`` fits of a stage: the step, and the time left by the mean of the steps before it."""

    total: int
    done: int = 0
    began: float = field(default_factory=time.monotonic)

    def step(self, name: str) -> None:
        """Say that the step ``name`` begins."""
        spent = time.monotonic() - self.began
        left = f", {spent / self.done * (self.total - self.done):.0f} s left" if self.done else ""
        print(f"train: {name} ({self.done + 1} of {self.total}{left})", file=sys.stderr, flush=True)
        self.done += 1


def check_labels(pages: list[LabelledPage], folders: list[Path], *, fewest_sites: int = 3) -> None:
    """Raise LabelError where a model cannot be trained: too few sites (the second stage learns from the first one's predictions on
    sites that it has not seen), or no link with one of the labels.
    """
    sites = len({page.group for page in pages if not page.synthetic})
    if sites < fewest_sites:
        raise LabelError(
            folders[-1], f"labels of {sites} site(s): at least {fewest_sites} are needed", "see sitecrawl label"
        )
    seen = {int(label) for page in pages for label in page.target_labels()}
    missing = [str(label) for label in LinkLabel if CODES[label] not in seen]
    if missing:
        raise LabelError(
            folders[-1], f"no link is labelled {' or '.join(missing)}", "add some, see training_data/README.md"
        )


def train_model(
    pages: list[LabelledPage],
    folders: list[Path],
    *,
    data: list[Sample] | None = None,
    validated: EvaluationReport | None = None,
    report: Report = str,
) -> LinkModel:
    """A model of labelled pages with its card: digest of the data, code version, protocol, figures. No date: the same data and code
    give the same bytes. Raises LabelError where labels are lacking.
    """
    check_labels(pages, folders)
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
        card["validated by site"] = {
            f"{label} {measure}": round(validated.macro(label, measure), 4)
            for label in (LinkLabel.ARTICLE, LinkLabel.SECTION)
            for measure in ("precision", "recall", "f1")
        }
    return replace(train(data, settings, report=report), card=card | {"features": list(FEATURES)})


def validated_table(report: EvaluationReport | None) -> list[str]:
    """The lines of a validation: macro figures, then the sites."""
    return [*macro_table({"macro by site": report}), "", *site_table(report)] if report else ["not validated"]


def write_model(model: LinkModel, target: Path, tables: list[str]) -> None:
    """Write a model and, beside it, its card as Markdown."""
    save_model(model, target)
    readme = "README.md" if target.name == MODEL_NAME else f"{target.stem}.md"
    text = model_card(model.card | {"features": len(FEATURES)}, tables)
    target.with_name(readme).write_text(text, encoding="utf8")
