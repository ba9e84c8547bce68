"""Articles of archives in small tasks, on one core or many: survey each archive, learn each host,
extract each piece. Each task leaves its result in a file, so a killed batch continues where it
stopped. Results depend on the archives alone, not on order or workers: they are equal byte for
byte."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache, partial
from glob import escape
from itertools import islice
from pathlib import Path
from typing import IO, Any

from scrapy.utils.misc import load_object

import sitecrawl
from sitecrawl.crawl.store import SiteStore
from sitecrawl.dom.parse import parse
from sitecrawl.extras.archives import warc
from sitecrawl.feed_formats import feed_formats
from sitecrawl.items.article import Article
from sitecrawl.items.feed_items import item_of, without_places
from sitecrawl.limits import LIMITS
from sitecrawl.site.answer import LazyExtraction
from sitecrawl.site.model import SiteModel
from sitecrawl.urls.scope import host_of

_PROTOCOL = 2
_CUT_REMEDY = "fetch the file again: what stands before the cut is extracted"


@dataclass(frozen=True, slots=True)
class Plan:
    """How to run a batch: output folder, file format, HTML pages per piece, single-page extractor,
    fields of an item (all if there are none)."""

    out: Path
    form: str = "jsonl"
    pages: int = 500
    method: str = "ensemble"
    fields: tuple[str, ...] = ()

    @property
    def state(self) -> Path:
        """Folder of the files that a restart needs."""
        return self.out / "state"


@dataclass(frozen=True, slots=True)
class Task:
    """A piece of work: ``act`` computes a JSON result from plan and arguments for the file
    ``marker``. ``depends`` is what else it depends on."""

    act: Callable[..., dict[str, Any]]
    plan: Plan
    marker: Path
    arguments: tuple[Any, ...]
    depends: tuple[Any, ...] = ()

    @property
    def key(self) -> str:
        """Identifies the task: its arguments and the versions of its archives."""
        return _digest(self.act.__name__, self.arguments, self.depends)


Runner = Callable[
    [Iterable[Task]], Iterable[tuple[Task, dict[str, Any]]]
]  # performs tasks, in any order


def _survey(plan: Plan, archive: Path) -> dict[str, Any]:
    return asdict(warc.survey(archive, plan.pages, candidates=LIMITS.host_candidates))


def _learn(
    plan: Plan, host: str, candidates: Iterable[warc.Candidate], known: dict[str, Any] | None
) -> dict[str, Any]:
    """The document of a host's model: the ``known`` one, else one that is learned; empty if it has
    no template. Raises TemplateError if the known one is damaged."""
    model = SiteModel.from_dict(known) if known else SiteModel(host, method=plan.method)
    if not known:
        pages = (_read(page, plan) for page in filter(None, map(warc.page_at, candidates)))
        model.families.learn(
            islice((page for page in pages if page.guess.page_type.is_article), LIMITS.samples)
        )
    return {**model.to_dict(), "samples": {}} if model.templates else {}


def _extract(plan: Plan, archive: Path, piece: warc.Piece, target: Path) -> dict[str, Any]:
    """Write the articles of a piece; returns their number, that of its other pages, the digest of
    the file, and a line for each skipped record."""
    notes: list[str] = []
    count, others, models = 0, 0, lru_cache(LIMITS.host_models)(partial(_model, plan))
    with _replaced(target, plan.state) as file:
        exporter = load_object(feed_formats()[plan.form].writer)(file)
        exporter.start_exporting()
        for page in warc.pages_of_piece(archive, piece, notes=notes):
            article = _article_of(_read(page, plan), models(host_of(page.url)))
            if article is not None:
                item = item_of(article, None, fetched=page.fetched, fields=plan.fields)
                exporter.export_item(without_places(item))
                count += 1
            else:
                others += 1
        exporter.finish_exporting()
    return {"articles": count, "others": others, "digest": _digest_of(target), "notes": notes}


def _model(plan: Plan, host: str) -> SiteModel:
    """The model of a host, empty if nothing was learned."""
    document = json.loads(_model_file(plan, host).read_text(encoding="utf8"))["result"]
    return (
        SiteModel.from_dict(document, method=plan.method)
        if document
        else SiteModel(host, method=plan.method)
    )


def _read(page: warc.StoredPage, plan: Plan) -> LazyExtraction:
    return LazyExtraction(parse(page.body, page.url, page.content_type), method=plan.method)


def _article_of(page: LazyExtraction, model: SiteModel) -> Article | None:
    """The article of a page; None if it is not an article. A page that is answered by a template of
    its own URL pattern is an article: to tell its type would cost an extraction of the whole page,
    which is several times as much as the template's answer."""
    article = model.extract_page(page)
    family = model.families.named((article.provenance.templateId or "").partition("/")[2])
    known = (
        family is not None and family.current is not None and family.current.knows(page.page.url)
    )
    return article if known or page.guess.page_type.is_article else None


# ---- files
@contextmanager
def _replaced(target: Path, state: Path) -> Iterator[IO[bytes]]:
    """A new file that replaces ``target`` when it is complete; until then it is in the state
    folder."""
    new = state / "new" / f"{target.name}.{os.getpid()}"
    new.parent.mkdir(parents=True, exist_ok=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    with open(new, "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, target)


def _digest_of(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _model_file(plan: Plan, host: str) -> Path:
    name = hashlib.sha256(host.encode("utf-8", "replace")).hexdigest()[:24]
    return plan.state / "hosts" / name[:2] / f"{name}.json"


def _part_name(archive: Path) -> str:
    """The name of an archive with a digest of its path."""
    stem = archive.name.removesuffix(".gz").removesuffix(".warc")
    return f"{stem}-{hashlib.sha256(os.fsencode(archive)).hexdigest()[:8]}"


def _identity(archive: Path) -> tuple[str, int, int]:
    """Identifies a version of an archive."""
    found = archive.stat()
    return str(archive), found.st_size, found.st_mtime_ns


def _digest(*parts: Any) -> str:
    return hashlib.sha256(
        json.dumps([_PROTOCOL, sitecrawl.__version__, *parts], default=str).encode()
    ).hexdigest()


# ---- the batch
def perform(task: Task) -> tuple[Task, dict[str, Any]]:
    """Run a task, store its result and return it."""
    result = task.act(task.plan, *task.arguments)
    with _replaced(task.marker, task.plan.state) as file:
        file.write(
            json.dumps({"key": task.key, "result": result}, ensure_ascii=False).encode(
                "utf-8", "replace"
            )
        )
    return task, result


def _stored_result(task: Task) -> dict[str, Any] | None:
    """The stored result of an earlier run, if the task is the same and its output file still
    exists."""
    try:
        found = json.loads(task.marker.read_text(encoding="utf8"))
        result: dict[str, Any] = found["result"]
        is_complete = (
            "digest" not in result
            or _digest_of(task.plan.out / task.marker.stem) == result["digest"]
        )
        return result if found["key"] == task.key and is_complete else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _results(tasks: Iterable[Task], runner: Runner) -> Iterator[tuple[Task, dict[str, Any]]]:
    """Every task with its result: finished ones first, then the others as they finish."""
    missing = []
    for task in tasks:
        if (stored := _stored_result(task)) is None:
            missing.append(task)
        else:
            yield task, stored
    yield from runner(missing)


@dataclass(slots=True)
class Batch:
    """The outcome: parts in the order of the archives with their articles and digests, hosts,
    notes, problems."""

    parts: dict[str, dict[str, Any]] = field(default_factory=dict)
    hosts: int = 0
    notes: list[str] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)

    @property
    def articles(self) -> int:
        return sum(part["articles"] for part in self.parts.values())

    @property
    def others(self) -> int:
        """Number of HTML pages that are no articles."""
        return sum(part["others"] for part in self.parts.values())

    def join(self, folder: Path, target: Path) -> None:
        """Join the parts in a folder into one feed and delete the folder; without any part no feed
        is written."""
        joined = folder / "joined"
        with open(joined, "wb") as feed:
            for name in self.parts:
                with open(folder / name, "rb") as part:
                    shutil.copyfileobj(part, feed)
        if self.parts:
            joined.replace(target)
        shutil.rmtree(folder)


def extract_archives(
    archives: list[Path], plan: Plan, *, runner: Runner, known: SiteStore | None = None
) -> Batch:
    """Extract the articles of archives into one file per piece, continuing an earlier call with the
    same plan. Hosts in the store ``known`` are read with its templates, the others are learned.
    Raises ArchiveError before any work if an archive cannot be opened, OSError if the folder cannot
    be written."""
    archives, plan = (
        list(dict.fromkeys(map(Path.resolve, archives))),
        replace(plan, out=plan.out.resolve()),
    )
    batch = Batch()
    for archive in archives:
        warc.check(archive)
    shutil.rmtree(plan.state / "new", ignore_errors=True)
    pieces, hosts = _survey_all(archives, plan, runner=runner, batch=batch)
    batch.hosts = len(hosts)
    learned = _learn_all(
        hosts, plan, archives=_digest(list(map(_identity, archives))), runner=runner, known=known
    )
    _extract_all(pieces, plan, learned=learned, runner=runner, batch=batch)
    return batch


def _survey_all(
    archives: list[Path], plan: Plan, *, runner: Runner, batch: Batch
) -> tuple[dict[Path, list[warc.Piece]], dict[str, list[warc.Candidate]]]:
    """The pieces of each archive and the candidates of each host; archives that end too early are
    noted."""
    pieces: dict[Path, list[warc.Piece]] = {archive: [] for archive in archives}
    hosts: dict[str, list[warc.Candidate]] = {}
    tasks = []
    for archive in archives:
        marker = plan.state / "archives" / f"{_part_name(archive)}.json"
        tasks.append(
            Task(
                _survey,
                plan,
                marker,
                (archive,),
                (_identity(archive), plan.pages, LIMITS.host_candidates),
            )
        )
    for task, found in _results(tasks, runner):
        (archive,) = task.arguments
        pieces[archive] = [warc.Piece(*one) for one in found["pieces"]]
        warc.merge(hosts, found["hosts"], most=LIMITS.host_candidates)
        if found["trouble"]:
            batch.troubles.append(str(warc.ArchiveError(archive, found["trouble"], _CUT_REMEDY)))
    batch.troubles.sort()
    return pieces, hosts


def _learn_all(
    hosts: dict[str, list[warc.Candidate]],
    plan: Plan,
    *,
    archives: str,
    runner: Runner,
    known: SiteStore | None,
) -> str:
    """Store the templates of each host for the extraction; returns a digest of their origin."""
    tasks, sites = (
        [],
        {host: site for site in (known.sites() if known else ()) for host in site.split(",")},
    )
    for host in sorted(hosts):
        document = known.load(sites[host]) if known and host in sites else None
        arguments = host, hosts[host], document
        tasks.append(
            Task(_learn, plan, _model_file(plan, host), arguments, (archives, plan.method))
        )
    for _done in _results(tasks, runner):
        pass
    return _digest(archives, [task.key for task in tasks])


def _extract_all(
    pieces: dict[Path, list[warc.Piece]], plan: Plan, *, learned: str, runner: Runner, batch: Batch
) -> None:
    """Write the files of all pieces and delete files of earlier versions of an archive, whose
    articles would be duplicates."""
    tasks, suffix = [], feed_formats()[plan.form].suffix
    for archive, found in pieces.items():
        stem = _part_name(archive)
        targets = [plan.out / f"{stem}-{number:05}{suffix}" for number in range(len(found))]
        for old in {*plan.out.glob(f"{escape(stem)}-*{suffix}")} - {*targets}:
            old.unlink()
        for piece, target in zip(found, targets, strict=True):
            marker = plan.state / "parts" / f"{target.name}.json"
            depends = (_identity(archive), learned, plan.method, *plan.fields)
            tasks.append(Task(_extract, plan, marker, (archive, piece, target), depends))
    done = {task.marker.stem: result for task, result in _results(tasks, runner)}
    batch.parts = {task.marker.stem: done[task.marker.stem] for task in tasks}
    batch.notes = [note for part in batch.parts.values() for note in part["notes"]]
