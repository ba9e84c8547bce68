"""`sitecrawl batch WARC...`: extracts articles from stored pages without requests, and compares two
feeds."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from sitecrawl.commands._alerts import Exit
from sitecrawl.commands._help import Help, OptionError, complain
from sitecrawl.commands._output import OneLineErrors
from sitecrawl.errors import SitecrawlError, nearest
from sitecrawl.feed_formats import feed_formats, lacking, place_and_format
from sitecrawl.items.article import ITEM_FIELDS

if TYPE_CHECKING:
    from sitecrawl.crawl.config import CrawlSettings
    from sitecrawl.extras.archives.shards import Batch, Plan, Runner

_LINES = "jsonl"
_OUTPUT = (
    "FILE.jsonl, or a folder with a file for each piece of an archive: -o FOLDER:parquet"
    " (default: %(default)s)"
)
_JOBS = (
    "worker processes, 0: one a core, or the Dask scheduler whose workers do the work:"
    " --jobs tcp://host:8786 (default: %(default)s)"
)
_FIELDS = (
    "fields of an item besides its url, the others are not computed: --fields headline,articleBody"
)
_COMPARE = "say how the items of the feeds or folders that follow differ from this feed"


class BatchCommand(OneLineErrors):
    """Learns each host's templates from a sample of the archives, then extracts them in pieces."""

    piece: ClassVar[int] = 500
    """Pages of a piece: a restart repeats one at most, and a worker needs some to be worth its
    start."""
    explains = Help(
        "Extract the articles of WARC files, or of folders of HTML files",
        {
            "WARC|FOLDER": "archive of pages, or a folder of HTML files; with --compare, a feed or a folder of feeds"
        },
        (
            "sitecrawl batch --output articles.jsonl crawl.warc.gz",
            "sitecrawl batch -o articles:parquet --jobs 0 *.warc.gz",
            "sitecrawl batch saved_pages --output articles.jsonl",
            "sitecrawl batch --compare old.jsonl new.jsonl",
        ),
        {
            "-o --output": {"metavar": "TARGET", "default": "articles.jsonl", "help": _OUTPUT},
            "--jobs": {"default": "1", "metavar": "N|ADDRESS", "help": _JOBS},
            "--fields": {"metavar": "NAMES", "default": "", "help": _FIELDS},
            "--compare": {"metavar": "FEED", "help": _COMPARE},
        },
    )

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        from sitecrawl.extras.archives.compare import FeedError, compare
        from sitecrawl.extras.archives.runners import GOES_ON
        from sitecrawl.extras.archives.shards import Plan

        names = [Path(name) for name in args]
        if not names:
            what = "feed to compare" if opts.compare else "WARC file or folder"
            raise OptionError(f"name at least one {what}")
        if opts.compare:
            print(*compare(Path(opts.compare), names), sep="\n")
            return
        target = _target(opts.output)
        plan = Plan(
            target.folder,
            form=target.form,
            pages=self.piece,
            method=self.known.extractor,
            fields=_fields(opts.fields),
        )
        try:
            with _runner(opts.jobs) as runner, _emptied(plan.out):
                found = _extracted(names, plan, settings=self.known, runner=runner)
                if not target.is_folder:
                    _join(found, plan.out, target=target.path)
        except KeyboardInterrupt:
            complain(f"interrupted: {GOES_ON}")
            self.exitcode = Exit.INTERRUPTED
            return
        except OSError as error:
            why = f"cannot be written ({error.strerror})"
            raise FeedError(target.path, why, "name another with -o") from None
        for line in (*found.notes, *found.troubles):
            complain(line)
        others = f"; pages that are not articles: {found.others}" if found.others else ""
        summary = f"{found.articles} articles of {found.hosts} hosts in {target.path}"
        print(f"sitecrawl: {summary}{others}")
        self.exitcode = Exit.USAGE if found.troubles else Exit.DONE


class BatchTarget(NamedTuple):
    """Where the articles go: into a file of JSON lines, or a folder with files of a form."""

    path: Path
    form: str
    is_folder: bool

    @property
    def folder(self) -> Path:
        """The folder of the pieces; those of one file are joined at the end."""
        return self.path if self.is_folder else self.path.with_name(f"{self.path.name}.parts")


def _target(typed: str) -> BatchTarget:
    """What -o names. Raises OptionError for a format that cannot be written."""
    place, form = place_and_format(typed)
    form = form or _LINES
    if missing := lacking(form):
        raise OptionError(missing)
    suffix = feed_formats()[form].suffix
    if not suffix:
        raise OptionError(f"-o {typed}: a batch writes files only")
    is_file = Path(place).suffix == suffix
    if is_file and form != _LINES:
        raise OptionError(f"-o {typed}: one file holds JSON lines; write -o FOLDER:{form}")
    return BatchTarget(Path(place), form, is_folder=not is_file)


def _fields(typed: str) -> tuple[str, ...]:
    """The fields of an item, none for all. Raises OptionError for an unknown one."""
    names = [name for name in typed.split(",") if name]
    for name in names:
        if name not in ITEM_FIELDS:
            raise OptionError(f"--fields {name} is unknown: {nearest(name, ITEM_FIELDS)}")
    return ("url", *names) if names else ()


def _runner(jobs: str) -> AbstractContextManager[Runner]:
    """What does the work: this process, others, or a cluster. Raises OptionError."""
    from sitecrawl.extras.archives.runners import here, on_cores, on_scheduler

    if "://" in jobs:
        return on_scheduler(jobs)
    if not jobs.isdecimal():
        raise OptionError(f"--jobs {jobs}: give a number, or the address of a Dask scheduler")
    return nullcontext(here) if jobs == "1" else on_cores(int(jobs))


def _extracted(names: list[Path], plan: Plan, *, settings: CrawlSettings, runner: Runner) -> Batch:
    from sitecrawl.extras.archives.folders import packed
    from sitecrawl.extras.archives.shards import extract_archives

    pages = plan.out / "state" / "pages"
    archives = [packed(name, pages) if name.is_dir() else name for name in names]
    # corrections of templates by hand count here, too
    has_state = settings.database or (settings.data_dir / "templates.sqlite").is_file()
    known = settings.stores.learned() if has_state else None
    return extract_archives(archives, plan, runner=runner, known=known)


def _join(found: Batch, folder: Path, *, target: Path) -> None:
    """Put the pieces into one file; an old one is kept beside it."""
    from sitecrawl.extensions import keep_old

    if found.parts and target.is_file() and target.stat().st_size:
        complain(f"the old {target} is {keep_old(target)} now")
    found.join(folder, target)


@contextmanager
def _emptied(folder: Path) -> Iterator[None]:
    """Makes a folder, and removes it again if the command fails before it extracted anything. A
    later failure leaves the finished parts to the next call."""
    is_new = not folder.exists()
    folder.mkdir(exist_ok=True)
    try:
        yield
    except (SitecrawlError, OSError):
        if is_new and not any(path.is_file() for path in folder.glob("*")):
            shutil.rmtree(folder, ignore_errors=True)
        raise
