"""`scrapy batch WARC...`: extracts articles from stored pages without requests, and compares two
feeds."""

from __future__ import annotations

import argparse
from contextlib import nullcontext
from pathlib import Path

from sitecrawl.commands._alerts import Exit
from sitecrawl.commands._help import Help, OptionError, complain
from sitecrawl.commands._output import OneLineErrors
from sitecrawl.errors import nearest
from sitecrawl.feed_formats import feed_formats, lacking
from sitecrawl.items.article import ITEM_FIELDS

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
        "Extract the articles of WARC files",
        {"WARC": "archive of pages; with --compare, a feed or a folder of feeds"},
        (
            "sitecrawl batch --output articles.jsonl crawl.warc.gz",
            "sitecrawl batch --out articles --format parquet --jobs 0 --pages 500 --known *.warc.gz",
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
            "--known": "use the templates in SITECRAWL_DATA_DIR for the hosts that it knows",
            "--compare": {"metavar": "FEED", "help": _COMPARE},
        },
    )

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        from sitecrawl.extensions import keep_old
        from sitecrawl.extras.archives.compare import FeedError, compare
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
        try:
            own = nullcontext(here) if opts.jobs == 1 else on_cores(opts.jobs)
            with on_scheduler(opts.scheduler) if opts.scheduler else own as runner:
                folder.mkdir(exist_ok=True)
                known = settings.stores.learned() if opts.known else None
                found = extract_archives(names, plan, runner=runner, known=known)
                if not opts.out:
                    if found.parts and target.is_file() and target.stat().st_size:
                        complain(f"the old {target} is {keep_old(target)} now")
                    found.join(folder, target)
        except KeyboardInterrupt:
            complain(f"interrupted: {GOES_ON}")
            self.exitcode = Exit.INTERRUPTED
            return
        except OSError as error:
            raise FeedError(
                target, f"cannot be written ({error.strerror})", "name another with -o or --out"
            ) from None
        for line in (*found.notes, *found.troubles):
            complain(line)
        others = f"; pages that are not articles: {found.others}" if found.others else ""
        print(f"sitecrawl: {found.articles} articles of {found.hosts} hosts in {target}{others}")
        self.exitcode = 2 if found.troubles else 0


def _check(args: list[str], opts: argparse.Namespace) -> None:
    """Raise OptionError for missing or incompatible options."""
    if not args:
        raise OptionError(
            "name at least one feed to compare" if opts.compare else "name at least one WARC file"
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
