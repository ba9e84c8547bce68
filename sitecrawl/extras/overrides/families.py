"""`sitecrawl families SITE`: the page families of a site; keep or drop one, and get its items
without another crawl."""

from __future__ import annotations

import argparse
import json
from typing import Any

from sitecrawl.commands._help import Help, OptionError, complain
from sitecrawl.commands._output import OneLineErrors


def _family(what: str) -> dict[str, Any]:
    """An option that names a family and may be given several times."""
    return {"metavar": "FAMILY", "action": "append", "default": [], "help": what}


class FamiliesCommand(OneLineErrors):
    """Lists the page families of a site and stores the user's decisions."""

    explains = Help(
        "List what a site publishes, family by family; keep or drop a family",
        {"SITE": "name of the site, as sitecrawl templates list shows it"},
        (
            "sitecrawl families example.com",
            "sitecrawl families example.com --json",
            "sitecrawl families example.com --drop '/shop/*-* undated'",
            "sitecrawl families example.com --keep '/members/*-* undated'",
            "sitecrawl families example.com --forget '/members/*-* undated'",
            "sitecrawl families example.com --json > said.jsonl",
            "sitecrawl families example.com --take said.jsonl",
        ),
        {
            "--keep": _family(
                "write its items, and print those left out so far: --keep '/members/*-* undated'"
            ),
            "--drop": _family("no longer write its items: --drop '/shop/*-* undated'"),
            "--forget": _family("forget your decision about it: --forget '/members/*-* undated'"),
            "--json": "a line of JSON a family: --json",
            "--take": {
                "metavar": "FILE",
                "help": "copy the decisions that --json printed: --take said.jsonl",
            },
        },
    )

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        from sitecrawl.extras.overrides.judged_families import JudgedFamilies, read_choices
        from sitecrawl.site.page_families import Choice

        if len(args) != 1:
            raise OptionError(
                "name one site, as sitecrawl templates list shows it: sitecrawl families example.com"
            )
        with JudgedFamilies.of(self.known.stores, args[0]) as families:
            rows = families.table()
            options = ((Choice.KEEP, opts.keep), (Choice.DROP, opts.drop), (None, opts.forget))
            choices: dict[str, Choice | None] = {
                name: choice for choice, names in options for name in names
            }
            for name in choices:
                if sum(name in names for _, names in options) > 1:
                    raise OptionError(
                        f"{name!r} is named twice: choose one of --keep, --drop and --forget"
                    )
                if not any(row["family"] == name for row in rows):
                    raise OptionError(f"no family {name!r}: see sitecrawl families {args[0]}")
            taken = read_choices(opts.take) if opts.take else {}
            if not choices and not taken:
                _print_rows(rows, as_json=opts.json)
                return
            families.store_choices(taken | choices)
            for name in opts.keep:
                items = [withheld.item for withheld in families.state.families.withheld(name)]
                for item in items:
                    print(json.dumps(item, ensure_ascii=False))
                then = "later crawls write its items"
                if items:
                    then = "the next crawl, or sitecrawl feed --apply, writes them"
                complain(f"{len(items)} items of {name} were left out so far; {then}")


def _print_rows(rows: list[dict[str, Any]], *, as_json: bool) -> None:
    """Print the families: one line of JSON each, or two lines of text."""
    from sitecrawl.text.chars import printable

    for row in rows:
        if as_json:
            print(json.dumps(row, ensure_ascii=False))
            continue
        is_written = row["fate"] == "leaves" and (row["left"] > 0 or row["said"])
        mark, action = "?" if row["doubtful"] else " ", "written" if is_written else "left out"
        print(
            printable(f"{mark} {row['pages']:5} pages  {action:8}  {row['kind']:8} {row['family']}")
        )
        print(printable(f"        {row['why']}; e.g. {' | '.join(row['headlines'])[:160]}"))
        if row["against"]:
            print(printable(f"        against it: {'; '.join(row['against'])}"))
        if row["example"]:
            print(printable(f"        the reasons for one page: sitecrawl why {row['example']}"))
