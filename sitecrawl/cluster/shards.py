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
from dataclasses import asdict, dataclass, field
from glob import escape
from itertools import islice
from pathlib import Path
from typing import IO, Any, Protocol

import sitecrawl
from sitecrawl.cluster.archives import ArchiveError, Candidate, Piece, check, merged, page_at, pages_of_piece, survey
from sitecrawl.dom.parse import parse
from sitecrawl.items.feed_items import item_of
from sitecrawl.items.kinds import PageKind
from sitecrawl.limits import LIMITS
from sitecrawl.site.answer import Reading
from sitecrawl.site.model import SiteModel
from sitecrawl.urls.scope import host_of

_PROTOCOL = 1
FORMATS = ("jsonl", "parquet")
_CUT_REMEDY = "fetch the file again: what stands before the cut is extracted"


class Task(Protocol):
    """A piece of work: where its marker lies, what it depends on, and how it is done."""

    @property
    def marker(self) -> Path: ...
    @property
    def key(self) -> str: ...
    @property
    def state(self) -> Path: ...
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
    pages: int
    state: Path

    @property
    def marker(self) -> Path:
        return self.state / "archives" / f"{_part_name(self.archive)}.json"

    @property
    def key(self) -> str:
        return _digest("survey", _identity(self.archive), self.pages, LIMITS.host_candidates)

    def holds(self, result: dict[str, Any]) -> bool:
        return True

    def run(self) -> dict[str, Any]:
        return asdict(survey(self.archive, self.pages, LIMITS.host_candidates))


@dataclass(frozen=True, slots=True)
class Learn:
    """Learn the templates of a host; ``known`` is the digest of the archives that the candidates are in."""

    host: str
    candidates: tuple[Candidate, ...]
    known: str
    state: Path

    @property
    def marker(self) -> Path:
        return model_file(self.state, self.host)

    @property
    def key(self) -> str:
        return _digest("learn", self.host, self.candidates, self.known)

    def holds(self, result: dict[str, Any]) -> bool:
        return True

    def run(self) -> dict[str, Any]:
        """The document of the host's model, empty where it has no template."""
        model = SiteModel(self.host)
        stored = (page for page in map(page_at, self.candidates) if page is not None)
        readings = (Reading(parse(one.body, one.url, one.content_type), model.method) for one in stored)
        model.learn_readings(islice(filter(_is_article, readings), LIMITS.samples))
        return {**model.to_dict(), "samples": {}} if model.templates else {}


@dataclass(frozen=True, slots=True)
class Extract:
    """Write the articles of a piece of an archive; ``learned`` is the digest of all that the templates were learned from."""

    archive: Path
    piece: Piece
    target: Path
    state: Path
    learned: str

    @property
    def marker(self) -> Path:
        return self.state / "parts" / f"{self.target.name}.json"

    @property
    def key(self) -> str:
        return _digest("extract", _identity(self.archive), self.piece, self.target.name, self.learned)

    def holds(self, result: dict[str, Any]) -> bool:
        try:
            return bool(digest_of(self.target) == result["digest"])
        except OSError:
            return False

    def run(self) -> dict[str, Any]:
        """The number of articles, the digest of the file, and a line for each record that was left out."""
        notes: list[str] = []
        models = _Models(self.state)
        with _replaced(self.target, self.state) as file:
            write = _WRITERS[self.target.suffix[1:]](file)
            count = sum(map(write.item, _items(pages_of_piece(self.archive, self.piece, notes), models)))
            write.finish()
        return {"articles": count, "digest": digest_of(self.target), "notes": notes}


class _Models:
    """The models of hosts, read when they are asked for; a few are kept."""

    def __init__(self, state: Path) -> None:
        self.state = state
        self.kept: OrderedDict[str, SiteModel] = OrderedDict()

    def of(self, host: str) -> SiteModel:
        model = self.kept.pop(host, None) or self._read(host)
        self.kept[host] = model
        if len(self.kept) > LIMITS.host_models:
            self.kept.popitem(last=False)
        return model

    def _read(self, host: str) -> SiteModel:
        with suppress(FileNotFoundError):
            document = json.loads(model_file(self.state, host).read_text(encoding="utf8"))["result"]
            return SiteModel.from_dict(document) if document else SiteModel(host)
        return SiteModel(host)


def _items(pages: Iterable[Any], models: _Models) -> Iterator[dict[str, Any]]:
    for page in pages:
        model = models.of(host_of(page.url))
        reading = Reading(parse(page.body, page.url, page.content_type), model.method)
        if _is_article(reading):
            yield item_of(model.extract_reading(reading), None, page.fetched)


def _is_article(reading: Reading) -> bool:
    return PageKind(reading.guess.page_type).is_article


# ---- output
class _JsonLines:
    def __init__(self, file: IO[bytes]) -> None:
        self.file = file

    def item(self, item: dict[str, Any]) -> int:
        self.file.write(json.dumps(item, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
        return 1

    def finish(self) -> None: ...


class _Parquet:
    def __init__(self, file: IO[bytes]) -> None:
        from sitecrawl.exporters import ParquetExporter

        self.exporter = ParquetExporter(file)

    def item(self, item: dict[str, Any]) -> int:
        self.exporter.export_item(item)
        return 1

    def finish(self) -> None:
        self.exporter.finish_exporting()


_WRITERS: dict[str, Callable[[IO[bytes]], _JsonLines | _Parquet]] = {"jsonl": _JsonLines, "parquet": _Parquet}


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
    with _replaced(task.marker, task.state) as file:
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


def extract_archives(
    archives: list[Path], out: Path, runner: Runner, *, form: str = "jsonl", pages: int = 500
) -> Batch:
    """Extract the articles of archives into files of ``out``, one for ``pages`` HTML pages. Goes on where an earlier call stopped.

    Raises ArchiveError where an archive cannot be opened, before anything is done, and OSError where ``out`` cannot be written.
    """
    archives, state, batch = list(dict.fromkeys(map(Path.resolve, archives))), out.resolve() / "state", Batch()
    for archive in archives:
        check(archive)
    shutil.rmtree(state / "new", ignore_errors=True)
    pieces: dict[Path, list[Piece]] = {}
    hosts: dict[str, list[Candidate]] = {}
    for task, found in _results([Survey(archive, pages, state) for archive in archives], runner):
        pieces[task.archive] = [Piece(*one) for one in found["pieces"]]
        merged(hosts, found["hosts"], LIMITS.host_candidates)
        if found["trouble"]:
            batch.troubles.append(str(ArchiveError(task.archive, found["trouble"], _CUT_REMEDY)))
    batch.hosts = len(hosts)
    known = _digest(list(map(_identity, archives)))
    learned = _digest(known, sorted(hosts.items()))
    for _ in _results((Learn(host, tuple(hosts[host]), known, state) for host in sorted(hosts)), runner):
        pass
    hosts.clear()
    _extract([(archive, pieces[archive]) for archive in archives], (out.resolve(), form, learned), runner, batch)
    return batch


def _extract(
    archives: list[tuple[Path, list[Piece]]], how: tuple[Path, str, str], runner: Runner, batch: Batch
) -> None:
    out, form, learned = how
    tasks = [
        Extract(archive, piece, out / f"{_part_name(archive)}-{number:05}.{form}", out / "state", learned)
        for archive, pieces in archives
        for number, piece in enumerate(pieces)
    ]
    names = {task.target.name for task in tasks}
    for archive, _ in archives:  # what an earlier version of the archive left would come twice
        for old in out.glob(f"{escape(_part_name(archive))}-*.{form}"):
            if old.name not in names:
                old.unlink()
    done = {task.target.name: result for task, result in _results(tasks, runner)}
    batch.parts = {task.target.name: done[task.target.name] for task in tasks}
    batch.notes = [note for part in batch.parts.values() for note in part["notes"]]
