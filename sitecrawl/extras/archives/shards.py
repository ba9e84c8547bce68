"""The articles of archives by small tasks, on one core or many: survey each archive, learn each host, extract each piece.

A task leaves its result in a file of its own when it is done, so that a batch that was killed goes on where it stopped. What a task does depends on
the archives alone, never on who does it or when: the result is the same byte for byte."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from glob import escape
from itertools import islice
from pathlib import Path
from typing import IO, Any, Protocol

from scrapy.utils.misc import load_object

import sitecrawl
from sitecrawl.dom.parse import parse
from sitecrawl.extras.archives.warc import (
    ArchiveError,
    Candidate,
    Piece,
    check,
    merged,
    page_at,
    pages_of_piece,
    survey,
)
from sitecrawl.feed_formats import feed_formats
from sitecrawl.items.feed_items import item_of
from sitecrawl.limits import LIMITS
from sitecrawl.site.answer import LazyExtraction
from sitecrawl.site.model import SiteModel
from sitecrawl.urls.scope import host_of

_PROTOCOL = 1
_CUT_REMEDY = "fetch the file again: what stands before the cut is extracted"


@dataclass(frozen=True, slots=True)
class Plan:
    """How a batch is done: the folder it writes, the format of its files, HTML pages of a piece, the single-page extractor."""

    out: Path
    form: str = "jsonl"
    pages: int = 500
    method: str = "ensemble"

    @property
    def state(self) -> Path:
        """What a restart needs."""
        return self.out / "state"


class Task(Protocol):
    """A piece of work: where its marker lies, what it depends on, and how it is done."""

    @property
    def marker(self) -> Path: ...
    @property
    def key(self) -> str: ...
    @property
    def plan(self) -> Plan: ...
    def holds(self, result: dict[str, Any]) -> bool:
        """Whether what an earlier run left is still there."""
        ...

    def run(self) -> dict[str, Any]: ...


Runner = Callable[[Iterable[Task]], Iterable[tuple[Task, dict[str, Any]]]]
"""Performs tasks, in any order."""


@dataclass(frozen=True, slots=True)
class Survey:
    """Find the pieces and the hosts of an archive."""

    archive: Path
    plan: Plan

    @property
    def marker(self) -> Path:
        return self.plan.state / "archives" / f"{_part_name(self.archive)}.json"

    @property
    def key(self) -> str:
        return _digest("survey", _identity(self.archive), self.plan.pages, LIMITS.host_candidates)

    def holds(self, result: dict[str, Any]) -> bool:
        return True

    def run(self) -> dict[str, Any]:
        return asdict(survey(self.archive, self.plan.pages, LIMITS.host_candidates))


@dataclass(frozen=True, slots=True)
class _HostTask:
    """A task whose result is the document of a host's model."""

    host: str
    plan: Plan

    @property
    def marker(self) -> Path:
        return model_file(self.plan.state, self.host)

    def holds(self, result: dict[str, Any]) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Learn(_HostTask):
    """Learn the templates of a host; ``known`` is the digest of the archives that the candidates are in."""

    candidates: tuple[Candidate, ...]
    known: str

    @property
    def key(self) -> str:
        return _digest("learn", self.host, self.candidates, self.known, self.plan.method)

    def run(self) -> dict[str, Any]:
        """The document of the host's model, empty where it has no template."""
        model = _empty(self.host, self.plan.method)
        stored = (page for page in map(page_at, self.candidates) if page is not None)
        readings = (LazyExtraction(parse(one.body, one.url, one.content_type), method=model.method) for one in stored)
        model.learn_pages(islice(filter(_is_article, readings), LIMITS.samples))
        return {**model.to_dict(), "samples": {}} if model.templates else {}


@dataclass(frozen=True, slots=True)
class TakeOver(_HostTask):
    """Use the templates of a host that are known already, as the document of a model."""

    document: dict[str, Any]

    @property
    def key(self) -> str:
        return _digest("known", self.host, self.document)

    def run(self) -> dict[str, Any]:
        SiteModel.from_dict(self.document)
        return {**self.document, "samples": {}}


@dataclass(frozen=True, slots=True)
class Extract:
    """Write the articles of a piece of an archive; ``learned`` is the digest of all that the templates were learned from."""

    archive: Path
    piece: Piece
    target: Path
    learned: str
    plan: Plan

    @property
    def marker(self) -> Path:
        return self.plan.state / "parts" / f"{self.target.name}.json"

    @property
    def key(self) -> str:
        return _digest("extract", _identity(self.archive), self.piece, self.target.name, self.learned, self.plan.method)

    def holds(self, result: dict[str, Any]) -> bool:
        try:
            return bool(digest_of(self.target) == result["digest"])
        except OSError:
            return False

    def run(self) -> dict[str, Any]:
        """The number of articles, the digest of the file, and a line for each record that was left out."""
        notes: list[str] = []
        models = _Models(self.plan)
        with _replaced(self.target, self.plan.state) as file:
            exporter, count = load_object(feed_formats()[self.plan.form].writer)(file), 0
            exporter.start_exporting()
            for item in _items(pages_of_piece(self.archive, self.piece, notes), models):
                exporter.export_item(item)
                count += 1
            exporter.finish_exporting()
        return {"articles": count, "digest": digest_of(self.target), "notes": notes}


class _Models:
    """The models of hosts, read when they are asked for; a few are kept."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.kept: OrderedDict[str, SiteModel] = OrderedDict()

    def of(self, host: str) -> SiteModel:
        model = self.kept.pop(host, None) or self._read(host)
        self.kept[host] = model
        if len(self.kept) > LIMITS.host_models:
            self.kept.popitem(last=False)
        return model

    def _read(self, host: str) -> SiteModel:
        model = _empty(host, self.plan.method)
        with suppress(FileNotFoundError):
            document = json.loads(model_file(self.plan.state, host).read_text(encoding="utf8"))["result"]
            model = SiteModel.from_dict(document, method=self.plan.method) if document else model
        return model


def _empty(host: str, method: str) -> SiteModel:
    return SiteModel(host, method=method)


def _items(pages: Iterable[Any], models: _Models) -> Iterator[dict[str, Any]]:
    for page in pages:
        model = models.of(host_of(page.url))
        reading = LazyExtraction(parse(page.body, page.url, page.content_type), method=model.method)
        if _is_article(reading):
            yield item_of(model.extract_page(reading), None, page.fetched)


def _is_article(reading: LazyExtraction) -> bool:
    return reading.guess.page_type.is_article


# ---- files
@contextmanager
def _replaced(target: Path, state: Path) -> Iterator[IO[bytes]]:
    """A new file that takes the place of ``target`` once it is whole; until then it stands in the state folder."""
    new = state / "new" / f"{target.name}.{os.getpid()}"
    new.parent.mkdir(parents=True, exist_ok=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    with open(new, "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, target)


def digest_of(path: Path) -> str:
    """SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def model_file(state: Path, host: str) -> Path:
    """Where the templates of a host are."""
    name = hashlib.sha256(host.encode("utf-8", "replace")).hexdigest()[:24]
    return state / "hosts" / name[:2] / f"{name}.json"


def _part_name(archive: Path) -> str:
    """The name of an archive, and what tells it from others of that name."""
    stem = archive.name.removesuffix(".gz").removesuffix(".warc")
    return f"{stem}-{hashlib.sha256(os.fsencode(archive)).hexdigest()[:8]}"


def _identity(archive: Path) -> tuple[str, int, int]:
    """Tells an archive from another one, and from what it was before it was replaced."""
    found = archive.stat()
    return str(archive), found.st_size, found.st_mtime_ns


def _digest(*parts: Any) -> str:
    told = json.dumps([_PROTOCOL, sitecrawl.__version__, *parts], default=str)
    return hashlib.sha256(told.encode()).hexdigest()


# ---- the batch
def perform(task: Task) -> tuple[Task, dict[str, Any]]:
    """Do a task and leave its marker; its result."""
    result = task.run()
    with _replaced(task.marker, task.plan.state) as file:
        file.write(json.dumps({"key": task.key, "result": result}, ensure_ascii=False).encode("utf-8", "replace"))
    return task, result


def _left(task: Task) -> dict[str, Any] | None:
    """The result that an earlier run left, if it is of the same task."""
    try:
        found = json.loads(task.marker.read_text(encoding="utf8"))
        return found["result"] if found["key"] == task.key and task.holds(found["result"]) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _results(tasks: Iterable[Task], runner: Runner) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Every task with its result: first those that are done, then the others as they are."""
    missing = []
    for task in tasks:
        left = _left(task)
        if left is None:
            missing.append(task)
        else:
            yield task, left
    if missing:
        yield from runner(missing)


@dataclass(slots=True)
class Batch:
    """The outcome: parts in the order of the archives with their articles and digests, hosts, lines for what went wrong."""

    parts: dict[str, dict[str, Any]] = field(default_factory=dict)
    hosts: int = 0
    notes: list[str] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)

    @property
    def articles(self) -> int:
        return sum(part["articles"] for part in self.parts.values())

    @property
    def digest(self) -> str:
        """Digest of all parts: equal for equal articles in the same order."""
        return _digest([part["digest"] for part in self.parts.values()])


Known = Callable[[str], dict[str, Any] | None]
"""The document of a host's model where its templates are known already."""


def extract_archives(archives: list[Path], plan: Plan, runner: Runner, known: Known | None = None) -> Batch:
    """Extract the articles of archives into files, one a piece. Goes on where an earlier call with the same plan stopped.

    Raises ArchiveError where an archive cannot be opened, before anything is done, and OSError where the folder cannot be written.
    """
    archives, plan, batch = (
        list(dict.fromkeys(map(Path.resolve, archives))),
        replace(plan, out=plan.out.resolve()),
        Batch(),
    )
    for archive in archives:
        check(archive)
    shutil.rmtree(plan.state / "new", ignore_errors=True)
    pieces, hosts = _survey(archives, plan, runner, batch)
    batch.hosts = len(hosts)
    learned = _learn(hosts, (plan, _digest(list(map(_identity, archives)))), runner, known)
    _extract([Extract(archive, piece, _target(plan, archive, number), learned, plan)
              for archive in archives for number, piece in enumerate(pieces[archive])], runner, batch)  # fmt: skip
    return batch


def _survey(
    archives: list[Path], plan: Plan, runner: Runner, batch: Batch
) -> tuple[dict[Path, list[Piece]], dict[str, list[Candidate]]]:
    """The pieces of each archive and the candidates of each host; archives that end too early are noted."""
    pieces: dict[Path, list[Piece]] = {}
    hosts: dict[str, list[Candidate]] = {}
    for task, found in _results([Survey(archive, plan) for archive in archives], runner):
        pieces[task.archive] = [Piece(*one) for one in found["pieces"]]
        merged(hosts, found["hosts"], LIMITS.host_candidates)
        if found["trouble"]:
            batch.troubles.append(str(ArchiveError(task.archive, found["trouble"], _CUT_REMEDY)))
    batch.troubles.sort()
    return pieces, hosts


def _learn(hosts: dict[str, list[Candidate]], how: tuple[Plan, str], runner: Runner, known: Known | None) -> str:
    """Leave the templates of each host where the extraction finds them; a digest of what they come from."""
    plan, archives = how
    keys, tasks = [], []
    for host in sorted(hosts):
        document = known(host) if known else None
        if document:
            task = TakeOver(host, plan, document)
            _ = [*_results([task], lambda one: map(perform, one))]
            keys.append(task.key)
        else:
            tasks.append(Learn(host, plan, tuple(hosts[host]), archives))
    for _done in _results(tasks, runner):
        pass
    return _digest(archives, keys, [task.key for task in tasks])


def _target(plan: Plan, archive: Path, number: int) -> Path:
    return plan.out / f"{_part_name(archive)}-{number:05}{feed_formats()[plan.form].suffix}"


def _extract(tasks: list[Extract], runner: Runner, batch: Batch) -> None:
    names = {task.target.name for task in tasks}
    for first in {
        task.archive: task for task in tasks
    }.values():  # what an earlier version of an archive left would come twice
        for old in first.plan.out.glob(
            f"{escape(_part_name(first.archive))}-*{feed_formats()[first.plan.form].suffix}"
        ):
            if old.name not in names:
                old.unlink()
    done = {task.target.name: result for task, result in _results(tasks, runner)}
    batch.parts = {task.target.name: done[task.target.name] for task in tasks}
    batch.notes = [note for part in batch.parts.values() for note in part["notes"]]
