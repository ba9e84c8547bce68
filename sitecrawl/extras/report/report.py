"""`sitecrawl report`: all sites of a data directory on one page, the worst first; and what of it is muted."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from sitecrawl.commands._help import Help, OptionError
from sitecrawl.commands._output import OneLineErrors

if TYPE_CHECKING:
    from sitecrawl.crawl.store import Stores


class ReportCommand(OneLineErrors):
    """Reads the visits and the templates in ``SITECRAWL_DATA_DIR``."""

    explains = Help(
        "Write one HTML page of all sites, the worst first: what they brought, what broke and why",
        {
            "[FILE]": "TOML file of sites, with their names, groups, owners and thresholds: see docs/monitoring.md",
            "mute SITE CHECK": "a check is silent until a day, or without --until until a crawl no longer finds it",
            "unmute SITE CHECK": "it speaks again",
            "muted": "print what is muted",
        },
        (
            "sitecrawl report",
            "sitecrawl report sites.toml --output monday.html",
            "sitecrawl report --json",
            "sitecrawl report mute example.com silent --until 2026-12-31",
            'sitecrawl report mute example.com consent --why "we asked them"',
        ),
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "-o", "--output", type=Path, help="file to write (default: report.html; with --json standard output)"
        )
        parser.add_argument("--json", action="store_true", help="write the same as data")
        parser.add_argument("--until", metavar="DAY", default="", help="last day of mute: --until 2026-12-31")
        parser.add_argument("--why", metavar="TEXT", default="", help='what the report says of mute: --why "we asked"')

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        from sitecrawl.extras.report import watchlist

        stores = self.known.stores
        match args:
            case ["mute" | "unmute" as word, site, check]:
                told = watchlist.mute(
                    stores.data_dir, site, check=check, on=word == "mute", until=opts.until, why=opts.why
                )
                print(f"sitecrawl: {told}")
                return
            case ["muted"]:
                print(*map(str, watchlist.Watchlist(stores.data_dir).mutes), sep="\n")
                return
            case [file] if file not in ("mute", "unmute"):
                watchlist.keep_sites(Path(file), stores.data_dir)
            case [_, *_]:
                raise OptionError("write sitecrawl report [FILE], or sitecrawl report mute SITE CHECK")
        if opts.json and opts.output is None:
            print(make_report(stores, as_json=True))
            return
        target = opts.output or Path("report.html")
        write_report(stores, target, as_json=opts.json)
        print(f"sitecrawl: report written to {target}")


def make_report(stores: Stores, as_json: bool = False) -> str:
    """The report of all sites. Raises OptionError where nothing was crawled into it."""
    from sitecrawl.extras.report.document import report_html, report_json
    from sitecrawl.extras.report.fleet import fleet_of

    fleet = fleet_of(stores)
    if not fleet.sites:
        raise OptionError(f"nothing was crawled into {stores.place} yet")
    return report_json(fleet) if as_json else report_html(fleet)


def write_report(stores: Stores, target: Path, as_json: bool = False) -> None:
    """Write the report of all sites. Raises OptionError where nothing was crawled, or the file cannot be written."""
    text = make_report(stores, as_json)
    try:
        if target.exists() and not target.is_file():
            target.write_text(text, "utf-8", "replace")
            return
        fresh = target.with_name(f".{target.name}.{os.getpid()}")
        fresh.write_text(text, "utf-8", "replace")
        os.replace(fresh, target)  # crawls that end at the same time write one report
    except OSError as error:
        raise OptionError(f"{target} cannot be written ({error.strerror}): name another file with -o") from None
