"""`sitecrawl run sites.toml`: crawls many sites, each with its arguments and schedule, in one
process each, into a common feed or one for each site."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from sitecrawl.commands._help import Help
from sitecrawl.commands._output import OneLineErrors


class RunCommand(OneLineErrors):
    """Crawls what is due. An interrupted crawl remains due."""

    explains = Help(
        "Crawl the sites of a file, each by its schedule",
        {"FILE": "TOML file of sites, see docs/monitoring.md"},
        (
            "sitecrawl run sites.toml",
            "sitecrawl run sites.toml --once    # for cron: what is due, then end",
        ),
        {
            "--once": "crawl what is due and end: --once",
            "--all": "crawl every site now, due or not: --once --all",
            "--json": "print a line of JSON a crawl: --json",
        },
    )

    def act(self, args: list[str], opts: Namespace) -> None:
        from sitecrawl.crawl.config import ArgumentError
        from sitecrawl.extras.fleet.sites_file import run_sites

        if len(args) != 1:
            raise ArgumentError("name one file of sites: sitecrawl run sites.toml")
        data = self.known.data_dir
        more = [word for given in opts.set for word in ("-s", given)] + [
            "-s",
            f"SITECRAWL_DATA_DIR={data}",
        ]
        self.exitcode = run_sites(Path(args[0]), data, more=more, opts=opts)
