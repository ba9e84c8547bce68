"""`sitecrawl batch WARC...`: extracts articles from stored pages without requests, and compares two
feeds."""

from __future__ import annotations

import argparse
import shutil
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from sitecrawl.commands._alerts import Exit
from sitecrawl.commands._help import Help, OptionError, complain
from sitecrawl.commands._output import OneLineErrors
from sitecrawl.errors import SitecrawlError, nearest
from sitecrawl.feed_formats import feed_formats, lacking
from sitecrawl.items.article import ITEM_FIELDS

if TYPE_CHECKING:
    from sitecrawl.crawl.config import CrawlSettings

_FORMATS = [name for name, one in feed_formats().items() if one.suffix]
_OUT = "folder to write instead, a file for each piece of an archive: --out articles"
_FORMAT = "format of the files in the folder (default: %(default)s)"
_JOBS = "worker processes, 0: one a core (default: %(default)s)"
_SCHEDULER = "Dask scheduler whose workers do the work: --scheduler tcp://host:8786"
_FIELDS = (
    "fields of an item besides its url, the others are not computed: --fields headline,articleBody"
)
_COMPARE = "say how the items of the feeds or folders that follow differ from this feed"


class BatchCommand(OneLineErrors):
    """Learns each host's templates from a sample of the archives, then extracts them in pieces."""

    explains = Help(
        "Extract the articles of WARC files, or of folders of HTML files",
        {
            "WARC|FOLDER": "archive of pages, or a folder of HTML files; with --compare, a feed or a folder of feeds"
        },
        (
            "sitecrawl batch --output articles.jsonl crawl.warc.gz",
            "sitecrawl batch --out articles --format parquet --jobs 0 --pages 500 *.warc.gz",
            "sitecrawl batch saved_pages --output articles.jsonl",
            "sitecrawl batch --compare old.jsonl new.jsonl",
        ),
        {
            "-o --output": {
                "metavar": "FILE",
                "help": "JSON-lines file to write (default: articles.jsonl)",
            },
            "--out": {"metavar": "FOLDER", "help": _OUT},
            "--format": {"choices": _FORMATS, "default": "jsonl", "help": _FORMAT},
            "--jobs": {"type": int, "default": 1, "metavar": "N", "help": _JOBS},
            "--scheduler": {"metavar": "ADDRESS", "help": _SCHEDULER},
            "--pages": {
                "type": int,
                "default": 500,
                "metavar": "N",
                "help": "pages of a piece (default: %(default)s)",
            },
            "--fields": {"metavar": "NAMES", "default": "", "help": _FIELDS},
            "--compare": {"metavar": "FEED", "help": _COMPARE},
        },
    )

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        from sitecrawl.extensions import keep_old
        from sitecrawl.extras.archives.compare import FeedError, compare
        from sitecrawl.extras.archives.folders import packed
        from sitecrawl.extras.archives.runners import GOES_ON, here, on_cores, on_scheduler
        from sitecrawl.extras.archives.shards import Plan, extract_archives

        _check(args, opts)
        names = [Path(name) for name in args]
        if opts.compare:
            for line in compare(Path(opts.compare), names):
                print(line)
            return
        settings, target = self.known, Path(opts.out or opts.output or "articles.jsonl")
        folder = target if opts.out else target.with_name(f"{target.name}.parts")
        fields = ("url", *opts.fields.split(",")) if opts.fields else ()
        plan = Plan(folder, opts.format, opts.pages, settings.extractor, fields)
        undo = ExitStack()
        try:
            own = nullcontext(here) if opts.jobs == 1 else on_cores(opts.jobs)
            with on_scheduler(opts.scheduler) if opts.scheduler else own as runner:
                is_new = not folder.exists()
                folder.mkdir(exist_ok=True)
                undo.callback(_remove_if_empty, folder, is_new=is_new)
                names = [
                    packed(name, folder / "state" / "pages") if name.is_dir() else name
                    for name in names
                ]
                known = settings.stores.learned() if _has_state(settings) else None
                found = extract_archives(names, plan, runner=runner, known=known)
                if not opts.out:
                    if found.parts and target.is_file() and target.stat().st_size:
                        complain(f"the old {target} is {keep_old(target)} now")
                    found.join(folder, target)
        except KeyboardInterrupt:
            complain(f"interrupted: {GOES_ON}")
            self.exitcode = Exit.INTERRUPTED
            return
        except SitecrawlError:
            undo.close()
            raise
        except OSError as error:
            undo.close()
            raise FeedError(
                target, f"cannot be written ({error.strerror})", "name another with -o or --out"
            ) from None
        for line in (*found.notes, *found.troubles):
            complain(line)
        others = f"; pages that are not articles: {found.others}" if found.others else ""
        print(f"sitecrawl: {found.articles} articles of {found.hosts} hosts in {target}{others}")
        self.exitcode = 2 if found.troubles else 0


def _has_state(settings: CrawlSettings) -> bool:
    """Whether crawls left templates; their corrections by hand count here, too."""
    return bool(settings.database) or (settings.data_dir / "templates.sqlite").is_file()


def _remove_if_empty(folder: Path, *, is_new: bool) -> None:
    """Remove the folder of a command that failed before it extracted anything. A later failure
    leaves the finished parts to the next call."""
    has_parts = any(path.is_file() for path in folder.glob("*"))
    if is_new and not has_parts:
        shutil.rmtree(folder, ignore_errors=True)


def _check(args: list[str], opts: argparse.Namespace) -> None:
    """Raise OptionError for missing or incompatible options."""
    if not args:
        raise OptionError(
            "name at least one feed to compare"
            if opts.compare
            else "name at least one WARC file or folder"
        )
    for name in opts.fields.split(","):
        if name and name not in ITEM_FIELDS:
            raise OptionError(f"--fields {name} is unknown: {nearest(name, ITEM_FIELDS)}")
    if opts.out and opts.output:
        raise OptionError("give either -o FILE or --out FOLDER")
    if opts.format != "jsonl" and not opts.out:
        raise OptionError(f"--format {opts.format} needs --out FOLDER")
    if missing := lacking(opts.format):
        raise OptionError(missing)
    if opts.jobs < 0 or opts.pages < 1:
        raise OptionError("--jobs is 0 or more, --pages 1 or more")
