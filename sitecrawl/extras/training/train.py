"""``sitecrawl train DIR...``: rebuild the link model from labelled sites and say how good it is,
validated by site."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from sitecrawl.commands._help import Help, OptionError
from sitecrawl.commands._output import OneLineErrors

_OUTPUT = "file of the model: --output own.npz (default: %(default)s)"
_FOLDS = "folds of the validation by site, 0 skips it: --folds 10 (default: %(default)s)"


class TrainCommand(OneLineErrors):
    explains = Help(
        "Train the link model from labelled sites, or score it; print precision, recall and F1 by site",
        {
            "DIR": "folder of link records, as sitecrawl label writes them; training_data are those of the package"
        },
        (
            "sitecrawl train training_data own_sites -o own.npz",
            "sitecrawl train own_sites --evaluate",
            "sitecrawl train own_sites --evaluate --against own-links.npz",
        ),
        {
            "-o --output": {"type": Path, "default": Path("models/links.npz"), "help": _OUTPUT},
            "--folds": {"type": int, "default": 6, "help": _FOLDS},
            "--evaluate": "write no model: score the shipped one, or with --by-site what would be built",
            "--against": {
                "metavar": "MODEL",
                "default": "",
                "help": "a second model to score: --evaluate --against own-links.npz",
            },
            "--by-site": "train on the other sites for each site: --evaluate --by-site",
        },
    )

    def act(self, args: list[str], opts: Namespace) -> None:
        from sitecrawl.extras.training.dataset import record_folder
        from sitecrawl.extras.training.link_models import train_and_write

        if not args:
            raise OptionError("give at least one folder of link records, such as training_data")
        folders = [record_folder(name) for name in args]
        if opts.evaluate:
            from sitecrawl.extras.training.model_report import print_evaluation

            print_evaluation(
                folders,
                against=opts.against,
                by_site=opts.by_site,
                folds=opts.folds,
            )
            return
        tables = train_and_write(folders, opts.output, folds=opts.folds)
        print(*tables, "", f"wrote {opts.output}", sep="\n")
