"""Sets of the seven models: which sites and corpora each model of a set has learned from, folds of
sites and corpora, and a folder for the sets that have not seen a fold.

The variable ``SITECRAWL_MODELS`` names the set that a process uses, else it is the one that ships.
A figure of a site that a model has learned from is marked by ``marks``."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks import harness
from benchmarks.harness import FOLDS, KEPT, LATER, NEW, Example, order
from sitecrawl.resources import MODELS_VARIABLE, model_path

FILES = (
    "links.npz",
    "headline.npz",
    "blocks.npz",
    "page_type.json",
    "page_confidence.json",
    "template_confidence.json",
    "judge.json",
)
LEARNED_FROM = "learned_from.json"
"""The file of a set that says what each model learned from, and by which code."""
CHOSEN = os.environ.get("SITECRAWL_MODEL_SETS", "")
"""A folder for sets, whatever code built them; without it, each code has a folder of its own."""
CACHE = Path("~/.cache/sitecrawl-models").expanduser()
TRAINING_DATA = harness.ROOT / "training_data"
_ROOMS = ("text", "urls", "dom", "items", "links", "extract", "templates", "site")
_CODE = (
    *(f"sitecrawl/{room}/**/*.{kind}" for room in _ROOMS for kind in ("py", "json")),
    "sitecrawl/extras/training/*.py",
    *(f"benchmarks/{name}.py" for name in ("train_*", "confidence", "network", "harness")),
    "training_data/**/*.gz",
)
"""What decides the numbers of a model, besides the pages."""
SOURCES: dict[str, Any] = {
    "learn": ("shipped", "what to learn from: shipped, all (every site), or names with commas"),
    "without": ("", "sites and corpora to leave out, names with commas"),
}
"""Options of a trainer."""


# ---- what a model learns from
@dataclass(frozen=True, slots=True)
class Sources:
    """Names of the sites and corpora to learn from, and what is hidden: names, and the hosts of
    these, since one site can stand in several corpora."""

    names: tuple[str, ...]
    hidden: frozenset[str] = frozenset()

    def examples(self, coverage: float = 0.9) -> Iterator[tuple[str, str, list[Example]]]:
        """Name, site and pages, site by site."""
        for name in self.names:
            for site, pages in harness.examples(name, coverage).items():
                if not self.hides(site):
                    yield name, site, pages

    def hides(self, site: str) -> bool:
        """Whether nothing may be learned from a site, by its name or its host."""
        return _bare(site) in self.hidden


def sources(learn: str = "shipped", without: str = "", *, later: bool = False) -> Sources:
    """What a model is trained on. ``shipped`` are the sites of the models that ship, those of
    ``LATER`` among them where ``later`` says so, and all corpora. Ends the program where the pages
    are absent."""
    if not harness.site_names():
        raise SystemExit(f"models: no pages in {harness.DATA}: {UNPACK}")
    hidden = closed(without.split(",")) if without else frozenset()
    if learn == "shipped":
        unseen = NEW if later else NEW | LATER
        names = [name for name in harness.site_names() if name not in unseen]
        names += harness.corpus_names()
    else:
        names = [*harness.site_names(learn), *(harness.corpus_names() if learn == "all" else ())]
    return Sources(tuple(name for name in names if name not in hidden), hidden)


UNPACK = "unpack the data with ../shared/tools/unpack.py, or let SITECRAWL_DATA name it"


def closed(names: Iterable[str]) -> frozenset[str]:
    """Names of sites and corpora, the hosts of both, and the sites at hand with such a host."""
    given = set(names)
    hosts = {_bare(host) for name in given for host in _hosts(name)}
    same = {name for name in harness.site_names() if hosts & {_bare(it) for it in _hosts(name)}}
    return frozenset(given | hosts | same)


@cache
def _hosts(name: str) -> frozenset[str]:
    """The hosts of a site, or of all sites of a corpus."""
    if name in harness.site_names():
        return frozenset(harness.site_hosts(name))
    truth = harness.DATA / "corpora" / name / "truth.jsonl"
    if not truth.is_file():
        return frozenset()
    return frozenset(row["site"] for row in harness.rows(truth) if row.get("site"))


def _bare(host: str) -> str:
    return host.removeprefix("www.")


# ---- folds
def all_corpora() -> list[str]:
    """Names of the corpora at hand, those of listing pages among them."""
    return sorted(path.parent.name for path in (harness.DATA / "corpora").glob("*/truth.jsonl"))


def fold(name: str) -> set[str]:
    """The sites and corpora of a fold: its number (from 1 to ``FOLDS``), ``kept``, ``new``, or
    names with commas. Both sites and corpora are dealt by the order of their hashes. Ends the
    program where there is no such fold."""
    if name in ("kept", "new"):
        return set(KEPT if name == "kept" else NEW)
    if name.isdigit() and 1 <= int(name) <= FOLDS:
        sites = sorted(harness.site_names(), key=order)
        corpora = sorted(all_corpora(), key=order)
        return {*sites[int(name) - 1 :: FOLDS], *corpora[int(name) - 1 :: FOLDS]}
    found = set(name.split(","))
    if unknown := found - {*harness.site_names(), *all_corpora()}:
        told = f"no site, corpus or fold {', '.join(sorted(unknown))}"
        raise SystemExit(f"models: {told}: a fold is 1 to {FOLDS}, kept, new, or names with commas")
    return found


def folds_of(names: Iterable[str]) -> dict[str, list[str]]:
    """Folds that hold some of ``names``, with these."""
    wanted = list(names)
    dealt = {str(number): fold(str(number)) for number in range(1, FOLDS + 1)}
    found = {number: [name for name in wanted if name in dealt[number]] for number in dealt}
    return {number: names for number, names in found.items() if names}


@cache
def code_digest() -> str:
    """Identity of all that decides what a set holds: the code and the training data."""
    whole = hashlib.sha256()
    for pattern in _CODE:
        for path in sorted(harness.ROOT.glob(pattern)):
            whole.update(str(path.relative_to(harness.ROOT)).encode() + b"\0")
            whole.update(path.read_bytes())
    return whole.hexdigest()[:12]


def data_digest(name: str) -> str:
    """Identity of the truth of a site or corpus."""
    whole = hashlib.sha256()
    files = (f"sites/{name}/{kind}.jsonl" for kind in ("articles", "links"))
    for file in (*files, f"corpora/{name}/truth.jsonl"):
        if (harness.DATA / file).is_file():
            whole.update((harness.DATA / file).read_bytes())
    return whole.hexdigest()[:12]


def store() -> Path:
    """The folder of all that today's code made."""
    return CACHE / code_digest()


def folder_of(number: str) -> Path:
    """The folder of the set that has not seen a fold."""
    named = number if len(number) < 20 else hashlib.sha1(number.encode()).hexdigest()[:12]
    parent = Path(CHOSEN) if CHOSEN else store()
    return parent / f"unseen-{named}"


# ---- what the set in use has seen
@dataclass(frozen=True, slots=True)
class Seen:
    """What each model of a set learned from, and the code that built the set; empty where the set
    does not say."""

    names: Mapping[str, frozenset[str]]
    code: str = ""

    def models(self, name: str) -> list[str]:
        """The models that learned from a site or corpus, without the suffixes of their files."""
        found = [file for file in FILES if name in self.names.get(file, ())]
        return [Path(file).stem for file in found]


def seen_by(folder: Path) -> Seen:
    """What the models in a folder learned from. A set that does not say counts as one that has seen
    all."""
    try:
        data = json.loads((folder / LEARNED_FROM).read_text(encoding="utf8"))
        names = {file: frozenset(data["models"].get(file, "").split()) for file in FILES}
        return Seen(names, str(data["code"]))
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        everything = frozenset([*harness.site_names(), *all_corpora()])
        return Seen(dict.fromkeys(FILES, everything))


@cache
def set_in_use() -> Seen:
    """What the models of this process learned from."""
    return seen_by(model_path(LEARNED_FROM).parent)


def marks(name: str) -> dict[str, str]:
    """What a row of figures of a site or corpus says besides: the models in use that saw it."""
    models = set_in_use().models(name)
    return {"seen": f"by {', '.join(models)}"} if models else {}


def marks_of(names: Iterable[str]) -> dict[str, str]:
    """The same for a row over several sites: how many of them a model saw."""
    asked = list(names)
    seen = sum(bool(marks(name)) for name in asked)
    return {"seen": f"{seen} of {len(asked)}"} if seen else {}


# ---- using a set
def built(number: str) -> Path:
    """The folder of the set that has not seen a fold; it is built where it is missing."""
    from benchmarks import models

    folder = folder_of(number)
    if not (folder / LEARNED_FROM).is_file():
        print(f"models: no set without fold {number} yet, it is built ...", file=sys.stderr)
        if models.main(["--unseen", number]):
            raise SystemExit(f"models: the set without fold {number} could not be built")
    seen = seen_by(folder)
    if known := [name for name in sorted(fold(number)) if seen.models(name)]:
        raise SystemExit(f"models: {folder} has seen {', '.join(known)}: build it anew")
    if seen.code != code_digest():
        told = f"is of other code ({seen.code}, now {code_digest()})"
        print(f"models: {folder} {told}", file=sys.stderr)
    return folder


@contextmanager
def process_with(folder: Path) -> Iterator[ProcessPoolExecutor]:
    """A fresh process that uses the set in a folder."""
    before = os.environ.get(MODELS_VARIABLE)
    os.environ[MODELS_VARIABLE] = str(folder)
    try:
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
            yield process
    finally:
        os.environ.pop(MODELS_VARIABLE)
        if before is not None:
            os.environ[MODELS_VARIABLE] = before


def by_folds(names: Iterable[str]) -> Iterator[tuple[ProcessPoolExecutor, list[str]]]:
    """For each fold, a process with the set that has not seen it, and those of ``names`` that it
    holds."""
    for number, held in folds_of(names).items():
        with process_with(built(number)) as process:
            yield process, held
