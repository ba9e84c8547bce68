"""``sitecrawl label URL|FILE``: link records of a page, labels by hand in the browser, from a file, or
from the site's own feed and sitemap."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from sitecrawl.commands._help import Help, OptionError
from sitecrawl.commands._output import OneLineErrors

_LABELS = (
    "JSON lines of url and label, or a feed or sitemap, file or URL: --labels labels.jsonl"
    " (default: the feeds that the page names)"
)
_INTO = "folder of link records: --into own_sites (default: %(default)s)"


class LabelCommand(OneLineErrors):
    explains = Help(
        "Write link records of section pages, labelled from a file or from the site's feed and sitemap",
        {"URL|FILE": "section page"},
        (
            "sitecrawl label https://example.com/news/ --into own_sites",
            "sitecrawl label saved.html --url https://example.com/news/ --labels labels.jsonl",
            "sitecrawl label example.com --list --into own_sites",
            "sitecrawl label --edit https://example.com/news/ https://example.com/city/",
        ),
        {
            "--url": {"help": "URL of a page given as a file: --url https://example.com/news/"},
            "--labels": {"metavar": "SOURCE", "action": "append", "default": [], "help": _LABELS},
            "--into": {"type": Path, "default": Path("own_sites"), "help": _INTO},
            "--list": "list the labelled pages in --into, of all sites or of the named ones: --list",
            "--undo": {
                "action": "append",
                "default": [],
                "metavar": "N",
                "help": "take the labels of a page back, by its number in the list: --undo 3",
            },
            "--edit": "label the links by hand in the browser: --edit",
        },
    )

    def act(self, args: list[str], opts: Namespace) -> None:
        from sitecrawl.extras.editor.labelling import edit_labels, write_labels
        from sitecrawl.extras.editor.taught import list_taught, undo

        if opts.undo:
            undo(opts.into, opts.undo)
            return
        if opts.list:
            list_taught(opts.into, args)
            return
        if not args:
            raise OptionError("give the URL or the file of at least one section page")
        if opts.into.is_file():
            raise OptionError(f"--into {opts.into} is a file: name a folder")
        if opts.edit:
            edit_labels(args, self.known, opts=opts)
        else:
            write_labels(args, opts)
