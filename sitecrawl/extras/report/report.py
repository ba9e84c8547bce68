"""`sitecrawl report`: all sites of a data directory on one page, the worst first."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from sitecrawl.commands._help import Help, OptionError
from sitecrawl.commands._output import OneLineErrors
from sitecrawl.crawl.database import write_whole

if TYPE_CHECKING:
    from sitecrawl.crawl.store import Stores

_OUTPUT = "file to write (default: report.html; with --json standard output)"


class ReportCommand(OneLineErrors):
    """Reads the visits and the templates in ``SITECRAWL_DATA_DIR``."""

    explains = Help(
        "Write one HTML page of all sites, the worst first: what they brought, what broke and why",
        {},
        (
            "sitecrawl report",
            "sitecrawl report --output monday.html",
            "sitecrawl report --json",
            "sitecrawl report --site example.com -o example.html",
        ),
        {
            "-o --output": {"type": Path, "help": _OUTPUT},
            "--json": "write the same as data",
            "--site": {
                "metavar": "NAME",
                "default": "",
                "help": "one site alone, or a start page of it: --site example.com",
            },
        },
    )

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        if args:
            raise OptionError("sitecrawl report takes options only (--help shows examples)")
        stores = self.known.stores
        text = make_report(stores, site=opts.site, is_json=opts.json)
        if opts.output is None and opts.json:
            print(text, end="")
            return
        target = opts.output or Path("report.html")
        _write(target, text)
        print(f"sitecrawl: report written to {target}")


def make_report(stores: Stores, *, site: str = "", is_json: bool = False) -> str:
    """The report of all sites, or of one by its name, hosts or start page, as HTML or JSON. Raises OptionError where there is none."""
    from sitecrawl.errors import OTHER_FOLDER, nearest
    from sitecrawl.extras.report.fleet import fleet_of
    from sitecrawl.extras.report.html_file import report_html

    fleet = fleet_of(stores, is_whole=is_json)
    if not fleet.sites:
        raise OptionError(f"nothing was crawled into {stores.place} yet; {OTHER_FOLDER}")
    if site:
        known = [row.name for row in fleet.sites]
        fleet.sites = [row for row in fleet.sites if site in (row.name, row.site, *row.start)]
        if not fleet.sites:
            raise OptionError(f"no site {site}: {nearest(site, known)}")
    if is_json:
        return json.dumps(fleet.to_dict(), ensure_ascii=False, indent=1) + "\n"
    return report_html(fleet, opened=fleet.sites[0].name if site else "")


def write_report(stores: Stores, target: Path) -> None:
    """Write the report of all sites. Raises OptionError where nothing was crawled, or the file
    cannot be written."""
    _write(target, make_report(stores))


def _write(target: Path, text: str) -> None:
    try:
        if target.exists() and not target.is_file():
            target.write_text(text, "utf-8", "replace")
        else:
            write_whole(target, text)  # crawls that end at the same time write one report
    except OSError as error:
        raise OptionError(
            f"{target} cannot be written ({error.strerror}): name another file"
        ) from None
