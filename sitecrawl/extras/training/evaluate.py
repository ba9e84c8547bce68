"""``scrapy evaluate [--by-site] [DIR...]``: how good the link model is on labelled sites."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path

from sitecrawl.commands._help import Help
from sitecrawl.commands._output import OneLineErrors


class EvaluateCommand(OneLineErrors):
    explains = Help(
        "Score the link model on labelled sites, or validate by site what `sitecrawl train` would build",
        {"DIR": "folder of link records (default: training_data)"},
        (
            "sitecrawl evaluate training_data",
            "sitecrawl evaluate training_data own_sites --by-site",
            "sitecrawl evaluate own_sites --against own-links.npz",
        ),
        {
            "--model": {
                "type": Path,
                "help": "model file: --model own.npz (default: the shipped one)",
            },
            "--against": {
                "type": Path,
                "help": "a second model, compared by site: --against own-links.npz",
            },
            "--by-site": "train on the other sites for each site: --by-site",
            "--folds": {
                "type": int,
                "default": 6,
                "help": "folds of --by-site: --folds 10 (default: %(default)s)",
            },
            "--json": "the tables as JSON: --json",
        },
    )

    def act(self, args: list[str], opts: Namespace) -> None:
        from sitecrawl.extras.training import evaluation
        from sitecrawl.extras.training.dataset import read_folders
        from sitecrawl.extras.training.fitting import Settings, cross_validate, samples
        from sitecrawl.links.link_model import model_at

        pages = read_folders([Path(name) for name in args or ["training_data"]])
        if opts.by_site:
            report = evaluation.evaluate(
                pages, cross_validate(samples(pages), Settings(), folds=opts.folds)
            )
        else:
            report = evaluation.evaluate_model(pages, model_at(str(opts.model or "")))
        other = (
            evaluation.evaluate_model(pages, model_at(str(opts.against))) if opts.against else None
        )
        if opts.json:
            more = {"against": evaluation.report_figures(other)} if other else {}
            print(json.dumps(evaluation.report_figures(report) | more))
            return
        reports = {"macro by site": report} | ({"the second model": other} if other else {})
        tables = [evaluation.tables_of("macro", reports=reports)]
        if other:
            tables.append(evaluation.tables_of("changes", report=report, other=other))
        else:
            tables += [
                evaluation.tables_of(name, report=report)
                for name in ("sites", "confusion", "calibration")
            ]
        if not opts.by_site:
            weights = model_at(str(opts.model or "")).first.weights
            ranks = (-abs(weights)).argsort(0).argsort(0) + 1
            tables.append(evaluation.tables_of("weights", weights=weights, ranks=ranks))
        print("\n\n".join("\n".join(table) for table in tables))
