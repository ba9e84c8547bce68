"""`sitecrawl report`: all sites of a data directory on one page, the worst first."""

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
        {},
        ("sitecrawl report", "sitecrawl report --output monday.html", "sitecrawl report --json"),
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "-o", "--output", type=Path, help="file to write (default: report.html; with --json standard output)"
        )
        parser.add_argument("--json", action="store_true", help="write the same as data")

    def act(self, args: list[str], opts: argparse.Namespace) -> None:

        stores = self.known.stores
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
