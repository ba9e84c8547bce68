"""``scrapy evaluate [--by-site] [DIR...]``: how good the link model is on labelled sites."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from pathlib import Path

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from sitecrawl.commands._help import Help
from sitecrawl.commands._output import (
    MACRO_HEAD,
    OneLineErrors,
    calibration_table,
    change_table,
    confusion_table,
    macro_line,
    report_figures,
    site_table,
)
from sitecrawl.errors import SitecrawlError
from sitecrawl.links.link_features import target_features
from sitecrawl.links.link_model import default_path, load_model
from sitecrawl.links.training.dataset import LabelledPage, read_folders
from sitecrawl.links.training.evaluation import Report, evaluate


class Command(OneLineErrors, ScrapyCommand):
    explains = Help(
        "Score the link model on labelled sites, or validate by site what `sitecrawl train` would build",
        {"DIR": "folder of link records (default: training_data)"},
        (
            "sitecrawl evaluate training_data",
            "sitecrawl evaluate training_data own_sites --by-site",
            "sitecrawl evaluate own_sites --against own-links.npz",
        ),
    )

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--model", type=Path, help="model file: --model own.npz (default: the shipped one)")
        parser.add_argument(
            "--against", type=Path, help="a second model, compared with the first by site: --against own-links.npz"
        )
        parser.add_argument("--by-site", action="store_true", help="train on the other sites for each site: --by-site")
        parser.add_argument(
            "--folds", type=int, default=6, help="folds of --by-site: --folds 10 (default: %(default)s)"
        )
        parser.add_argument("--json", action="store_true", help="the tables as JSON: --json")

    def act(self, args: list[str], opts: Namespace) -> None:
        try:
            pages = [
                page
                for page in read_folders([Path(name) for name in args or ["training_data"]])
                if len(page.target_labels())
            ]
            report = _validated(pages, opts.folds) if opts.by_site else _scored(pages, opts.model)
            other = _scored(pages, opts.against) if opts.against else None
        except SitecrawlError as error:
            raise UsageError(str(error), print_help=False) from error
        except ImportError as error:
            raise UsageError(
                "--by-site needs scikit-learn: pip install 'sitecrawl[train]'", print_help=False
            ) from error
        if opts.json:
            against = {"against": report_figures(other)} if other else {}
            print(json.dumps(report_figures(report) | against))
        else:
            _print(report, other)


def _print(report: Report, other: Report | None) -> None:
    print(MACRO_HEAD)
    print(macro_line("macro by site", report))
    if other:
        print(macro_line("the second model", other))
        print("\n" + "\n".join(change_table(report, other)))
        return
    for table in (site_table(report), confusion_table(report), calibration_table(report)):
        print("\n" + "\n".join(table))


def _validated(pages: list[LabelledPage], folds: int) -> Report:
    from sitecrawl.links.training import fitting

    return evaluate(pages, fitting.cross_validate(fitting.samples(pages), fitting.Settings(), folds))


def _scored(pages: list[LabelledPage], path: Path | None) -> Report:
    model = load_model(path or default_path())
    return evaluate(pages, [model.probabilities(target_features(page.facts)) for page in pages])
