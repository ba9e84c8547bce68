"""`sitecrawl feed`: the articles of all sites, each article and each revision exactly once."""

from __future__ import annotations

import argparse
from pathlib import Path

from sitecrawl.commands._help import Help, OptionError
from sitecrawl.commands._output import OneLineErrors
from sitecrawl.feed_formats import feed_formats, lacking, place_and_format

_OUTPUT = "FILE.jsonl to add to, or FILE.rss, FILE.parquet, FILE.csv, FILE:FORMAT ... to write"


class FeedCommand(OneLineErrors):
    """Writes the common feed from a cursor."""

    explains = Help(
        "Write the articles of all sites into one feed, each article and revision exactly once",
        {},
        (
            "sitecrawl feed --output all.jsonl",
            "sitecrawl feed -o today.parquet --after 8134.20311",
        ),
        {
            "-o --output": {"default": "", "metavar": "FILE", "help": _OUTPUT},
            "--after": {"default": None, "metavar": "CURSOR", "help": "begin behind this cursor"},
        },
    )

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        from sitecrawl.extras.fleet.all_items import write_feed

        place, form = place_and_format(str(opts.output))
        path = Path(place)
        is_file = form in feed_formats() and bool(feed_formats()[form].suffix)
        if args or not is_file or lacking(form):
            ends = ", ".join(one.suffix for one in feed_formats().values() if one.suffix)
            raise OptionError(lacking(form) or f"give -o FILE that ends in one of {ends}")
        try:
            print(
                write_feed(
                    self.known.stores,
                    path,
                    settings=self.settings,
                    form=form,
                    after=opts.after,
                )
            )
        except OSError as error:
            why = f"cannot be written ({error.strerror}); nothing is lost, run it again"
            raise OptionError(f"{path} {why}") from None
