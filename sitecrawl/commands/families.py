"""`sitecrawl families SITE`: what a site publishes, family by family; keep or drop a family, have its items without another crawl."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING

from sitecrawl.commands._help import Help, OptionError, complain
from sitecrawl.commands._output import OneLineErrors

if TYPE_CHECKING:
    from sitecrawl.crawl.store import CrawlStore
    from sitecrawl.site.model import SiteModel
    from sitecrawl.site.page_families import Say


class FamiliesCommand(OneLineErrors):
    """Lists the page families of a site from its state, and keeps what the user says of them with the site."""

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
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        for word, what in (
            (
                "keep",
                "write its items from now on, and print those that were left out: --keep '/members/*-* undated'",
            ),
            ("drop", "its items do not leave any more: --drop '/shop/*-* undated'"),
            ("forget", "what was said of it is forgotten: --forget '/members/*-* undated'"),
        ):
            parser.add_argument(f"--{word}", metavar="FAMILY", action="append", default=[], help=what)
        parser.add_argument("--json", action="store_true", help="a line of JSON a family: --json")
        parser.add_argument(
            "--take", metavar="FILE", help="take over what was said elsewhere, as --json prints it: --take said.jsonl"
        )

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        from sitecrawl.crawl.site_models import site_of
        from sitecrawl.site.page_families import Say

        if len(args) != 1:
            raise OptionError("name one site: sitecrawl families example.com")
        state, learned = self.known.stores.site(args[0])
        with closing(state), closing(learned):
            model = site_of(learned, args[0])
            known = {family.name for family in state.families.families()}
            taken = _read_said(opts.take) if opts.take else {}
            model.said |= taken
            asked = [*opts.keep, *opts.drop, *opts.forget]
            for name in asked:
                if name not in known:
                    raise OptionError(f"no family {name!r}: see sitecrawl families {args[0]}")
            if not (asked or taken):
                for line in _rows(state, model, as_json=opts.json):
                    print(line)
                return
            model.said |= dict.fromkeys(opts.keep, Say.KEEP) | dict.fromkeys(opts.drop, Say.DROP)
            for name in opts.forget:
                model.said.pop(name, None)
            learned.save(model.site, model.to_dict())
            for name in opts.keep:
                items = [withheld.item for withheld in state.families.withheld(name)]
                for item in items:
                    print(json.dumps(item, ensure_ascii=False))
                complain(f"{len(items)} items of {name}; the next crawl writes them to its feed")


def _read_said(path: str) -> dict[str, Say]:
    """What a file of ``--json`` says of families, by name; raises OptionError where it is no such file."""
    from sitecrawl.site.page_families import Say

    try:
        with open(path, encoding="utf8") as lines:
            rows = [json.loads(line) for line in lines if line.strip()]
        return {row["family"]: Say(row["said"]) for row in rows if row["said"]}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise OptionError(f"{path} is no output of sitecrawl families --json: {error}") from error


def _rows(state: CrawlStore, model: SiteModel, *, as_json: bool) -> Iterator[str]:
    """The families, those first about which an answer is likely to change most pages."""
    from sitecrawl.crawl.decisions import FamilyGate
    from sitecrawl.site.page_families import DEFAULT_KINDS
    from sitecrawl.text.chars import printable

    for row in FamilyGate(state.families, DEFAULT_KINDS, model.said).table():
        if as_json:
            yield json.dumps(row, ensure_ascii=False)
            continue
        mark = "?" if row["doubtful"] else " "
        yield printable(f"{mark} {row['pages']:5} pages  {row['fate']:6}  {row['kind']:8} {row['family']}")
        yield printable(f"        {row['why']}; e.g. {' | '.join(row['headlines'])[:160]}")
