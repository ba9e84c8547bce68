"""Builds the seven models in their order, each by its own trainer in a process of its own, with the
models before it in use; prints the figures of each, of sites left out of its training.

    python -m benchmarks models                    what ships, into models/  (make models)
    python -m benchmarks models --learn all        the same, learned from every site at hand
    python -m benchmarks models --unseen 2         a set that has not seen fold 2 (of 5), for measuring
    python -m benchmarks models --unseen 1+2+3+4+5+kept      several such sets

A fold is a number, ``kept``, ``new``, or names of sites and corpora with commas. Sets lie in a
folder of their code below ~/.cache/sitecrawl-models, or in that of SITECRAWL_MODEL_SETS; the last
line names it, and SITECRAWL_MODELS=FOLDER uses a set. Nothing is replaced before all is built. The
links and the judge of page families are built from training_data/, the others from the pages of
SITECRAWL_DATA; where these are absent a line says so."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

from benchmarks import confidence, harness, model_sets, train_judge, train_links
from benchmarks.model_sets import FILES, LEARNED_FROM, TRAINING_DATA, Sources
from sitecrawl.extras.training.dataset import record_files
from sitecrawl.resources import MODELS_VARIABLE

HEADLINE, BLOCKS, TYPES = "headline.npz", "blocks.npz", "page_type.json"
PAGES, TEMPLATES = "page_confidence.json", "template_confidence.json"
JUDGE = "judge.json"

_MOST_SAID = 2_000  # characters of what a trainer that failed said last


@dataclass(frozen=True, slots=True)
class Step:
    """How one model is built: its file, the suite that trains it with its words, and the models
    that must be there. ``validation`` are the options that print figures where the suite does not
    print them anyway, ``quick`` those that leave them out."""

    file: str
    suite: tuple[str, ...]
    needs: tuple[str, ...] = ()
    validation: tuple[str, ...] = ()
    quick: tuple[str, ...] = ()

    @property
    def of_pages(self) -> bool:
        """Whether it learns from pages, not from ``training_data/`` alone."""
        return self.file not in ("links.npz", JUDGE)


STEPS = (
    Step(HEADLINE, ("train_headline",), validation=("--validate",)),
    Step("links.npz", ("train_links",), quick=("--folds", "0")),
    Step(JUDGE, ("train_judge",)),
    Step(BLOCKS, ("train_blocks",), (HEADLINE,), validation=("--validate",)),
    Step(TYPES, ("train_page_type",), (HEADLINE, BLOCKS)),
    Step(PAGES, ("confidence", "pages"), (HEADLINE, TYPES)),
    Step(TEMPLATES, ("confidence", "templates"), (HEADLINE, TYPES, PAGES)),
)
"""In the order in which they begin, the longest first."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is built where: sites to learn from, names to leave out, models, and the fold that a set
    has not seen. Such a set is built without figures of its own."""

    output: Path
    learn: str
    without: str
    files: tuple[str, ...]
    unseen: str = ""

    def command_of(self, step: Step, folder: Path) -> list[str]:
        """The command that trains a model in a folder."""
        found = [sys.executable, "-m", "benchmarks", *step.suite]
        found += step.quick if self.unseen else step.validation
        if step.of_pages:
            found += ["--learn", self.learn]
        if self.without:
            found += ["--without", self.without]
        if step.suite[0] == "confidence":  # the templates take the block models of the pages
            found += ["--scorers", str(folder)]
        return [*found, "-o", str(folder / step.file)]


@dataclass(frozen=True, slots=True)
class Trained:
    """One model that was trained, or could not be: exit code, seconds, what its trainer said."""

    file: str
    code: int
    seconds: float
    said: str


def build(plan: Plan, *, jobs: int) -> int:
    """Build the models of a plan; 0 when all are there."""
    steps = [step for step in STEPS if step.file in plan.files]
    if not harness.site_names() and any(step.of_pages for step in steps):
        lacking = ", ".join(step.file for step in steps if step.of_pages)
        told = f"no pages in {harness.DATA}, so {lacking} cannot be built"
        print(f"models: {told}: {model_sets.UNPACK}", file=sys.stderr)
        steps = [step for step in steps if not step.of_pages]
    plan.output.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(dir=plan.output, prefix=".new-") as name:
        folder = Path(name)
        _lend(plan.output, folder, {step.file for step in steps})
        for done in _trained(steps, plan, folder=folder, jobs=jobs):
            print(f"== {done.file}, {done.seconds:.0f} s\n{done.said}", flush=True)
            if done.code:
                print(f"models: {done.file} failed, nothing was replaced", file=sys.stderr)
                return 2
        for step in steps:
            _take(folder, plan.output, step.file)
    _tell_learned(plan, [step.file for step in steps])
    whole = len(steps) == len(plan.files)
    print(f"{plan.output}: {len(steps)} models in {(time.monotonic() - began) / 60:.1f} minutes")
    return 0 if whole else 2


def _lend(source: Path, folder: Path, built: set[str]) -> None:
    """Put the models that are not built anew where the trainers look for those they need."""
    for file in FILES:
        if file not in built and (source / file).is_file():
            shutil.copy(source / file, folder / file)


def _trained(steps: list[Step], plan: Plan, *, folder: Path, jobs: int) -> Iterator[Trained]:
    """The models in the order in which they come, ``jobs`` at a time, each once those it needs are
    there. Ends after one that failed."""
    waiting, lacking = list(steps), {step.file for step in steps}
    running = set[Future[Trained]]()
    with ThreadPoolExecutor(jobs) as threads:
        while waiting or running:
            ready = [step for step in waiting if lacking.isdisjoint(step.needs)]
            for step in ready[: jobs - len(running)]:
                waiting.remove(step)
                running.add(threads.submit(_train, step, plan, folder=folder))
            ended, running = wait(running, return_when=FIRST_COMPLETED)
            for done in (future.result() for future in ended):
                yield done
                if done.code:
                    return
                lacking.discard(done.file)


def _train(step: Step, plan: Plan, *, folder: Path) -> Trained:
    """Run one trainer to its end. It uses one thread, so that sums have one order."""
    environment = os.environ | {MODELS_VARIABLE: str(folder), "OPENBLAS_NUM_THREADS": "1"}
    began = time.monotonic()
    done = subprocess.run(
        plan.command_of(step, folder),
        cwd=harness.ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    said = done.stderr[-_MOST_SAID:] if done.returncode else done.stdout
    return Trained(step.file, done.returncode, time.monotonic() - began, said.strip())


def _take(folder: Path, output: Path, file: str) -> None:
    """Move a model, and its card as Markdown, to where it is used from."""
    for name in (file, str(Path(file).with_suffix(".md"))):
        if (folder / name).is_file():
            os.replace(folder / name, output / name)


# ---- what they learned from
def learned_from(plan: Plan) -> dict[str, list[str]]:
    """Names of the sites and corpora that each model of a plan learns from."""
    found = {"links.npz": _of_links(plan), JUDGE: _of_families(plan)}
    if harness.site_names():
        of_pages = model_sets.sources(plan.learn, plan.without)
        typed = model_sets.sources(plan.learn, plan.without, later=True)
        judged = set(of_pages.names) - set(confidence.OTHER_TRUTH)
        found |= {HEADLINE: set(of_pages.names), BLOCKS: set(of_pages.names)}
        found |= {PAGES: judged, TEMPLATES: judged}
        found[TYPES] = _of_types(typed)
    return {file: sorted(names) for file, names in found.items()}


def _of_links(plan: Plan) -> set[str]:
    found = set[str]()
    for file in record_files(train_links.learned_from(TRAINING_DATA, plan.without)):
        head = train_links.head_of(file)
        if not head.get("synthetic"):
            found |= {head["site"], head["source"]} - {"open sites"}
    return found


def _of_families(plan: Plan) -> set[str]:
    return set(train_judge.learned_sites(plan.learn, plan.without))


def _of_types(known: Sources) -> set[str]:
    sites = set(harness.site_names())
    return {name for name in known.names if name in sites or name == "wcxb"}


def _tell_learned(plan: Plan, built: list[str]) -> None:
    """Write beside the models what those that were built learned from."""
    file, new = plan.output / LEARNED_FROM, learned_from(plan)
    of_built = {name: new[name] for name in built}
    known = model_sets.seen_by(plan.output) if file.is_file() else None
    models = {name: sorted(known.names[name]) for name in FILES} if known else {}
    models = {name: " ".join(names) for name, names in (models | of_built).items()}
    data = {"unseen": plan.unseen, "code": model_sets.code_digest(), "models": models}
    file.write_text(json.dumps(data, indent=1, sort_keys=True) + "\n", encoding="utf8")


def main(arguments: list[str]) -> int:
    args = harness.asked(
        *(__doc__, arguments),
        output=("", "folder of the models (default: models/, or that of the set)"),
        unseen=("", "build a set that has not seen this fold; several are joined by +"),
        learn=("shipped", "sites to learn from: shipped, all, or names with commas"),
        only=("", "models to build, names with commas: links,judge (default: all)"),
        jobs=(2, "trainers that run side by side"),
    )
    files = tuple(
        file for file in FILES if not args.only or Path(file).stem in args.only.split(",")
    )
    for number in args.unseen.split("+"):
        without = ",".join(sorted(model_sets.fold(number))) if number else ""
        folder = model_sets.folder_of(number) if number else harness.ROOT / "models"
        output = Path(args.output) if args.output else folder
        plan = Plan(output.resolve(), args.learn, without, files, unseen=number)
        if code := build(plan, jobs=args.jobs):
            return code
    return 0
