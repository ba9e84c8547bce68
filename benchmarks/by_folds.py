"""Runs a program that scores sites (../shared/tools/score.py) so that no model has seen what is
scored: for each fold of the sites with the set of models that has not seen it. Sets that are
missing are built first, which takes minutes each (python -m benchmarks models).

    python -m benchmarks by_folds ../shared/tools/score.py extract
    python -m benchmarks by_folds ../shared/tools/score.py crawl --sites aimtao,capda
    python -m benchmarks by_folds ../shared/tools/score.py corpus wcxb
    python -m benchmarks by_folds --set kept ../shared/tools/score.py extract --sites kept
    python -m benchmarks by_folds --set shipped ../shared/tools/score.py extract

Other options than --sites and --set are the program's. ``--sites`` is all, open, kept, new, or
names. ``--set`` uses one set for all: ``shipped``, a fold, or a folder of models; a row of a site
that one of its models learned from then says so (``seen``). The program must take --sites and
print a JSON line a site."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import harness, model_sets
from benchmarks.model_sets import Seen
from sitecrawl.resources import MODELS_VARIABLE

_OF_A_CORPUS = ("corpus", "listing", "posts")


def parser() -> argparse.ArgumentParser:
    """The options of this suite; the rest is the program's."""
    found = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    found.add_argument("--sites", default="all", help=harness.SITES[1])
    found.add_argument("--set", default="", help="one set for all: shipped, a fold, or a folder")
    found.add_argument("program", help="the program, such as ../shared/tools/score.py")
    found.add_argument("what", help="its first word: links, extract, crawl, or one of a corpus")
    return found


def folder_named(name: str) -> Path:
    """The folder of the set that ``--set`` names."""
    if name == "shipped":
        return harness.ROOT / "models"
    return Path(name).resolve() if Path(name).is_dir() else model_sets.built(name)


def parts(names: list[str], one_set: str) -> Iterator[tuple[Path, list[str]]]:
    """Folders of sets, and the names that are scored with each."""
    if one_set:
        yield folder_named(one_set), names
        return
    for number, held in model_sets.folds_of(names).items():
        yield model_sets.built(number), held


def rows_of(command: list[str], folder: Path) -> Iterator[dict[str, Any]]:
    """The JSON lines of a program that uses the set in a folder, but for its summary. Raises
    SystemExit with its exit code where it fails."""
    environment = os.environ | {MODELS_VARIABLE: str(folder)}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as running:
        for line in running.stdout or ():
            row = json.loads(line)
            if "summary" not in row:
                yield row
    if running.returncode:
        raise SystemExit(running.returncode)


def marked(row: dict[str, Any], seen: Seen, corpus: str) -> dict[str, Any]:
    """A row that says which models of the set learned from its site or corpus."""
    models = seen.models(corpus or row.get("site", ""))
    return row | ({"seen": f"by {', '.join(models)}"} if models else {})


def main(arguments: list[str]) -> int:
    args, rest = parser().parse_known_args(arguments)
    if args.what in _OF_A_CORPUS and not rest:
        raise SystemExit(f"by_folds: name a corpus: {', '.join(model_sets.all_corpora())}")
    corpus = rest[0] if args.what in _OF_A_CORPUS else ""
    names = [corpus] if corpus else harness.site_names(args.sites)
    table = harness.Table("site")
    for folder, held in parts(names, args.set):
        seen = model_sets.seen_by(folder)
        command = [sys.executable, args.program, args.what, *rest]
        if not corpus:
            command += ["--sites", ",".join(held)]
        for row in rows_of(command, folder):
            found = marked(row, seen, corpus)
            table.add(found.pop("site"), **found)
    return 0 if table.summary() else 2
