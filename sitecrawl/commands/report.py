"""`scrapy report`: one HTML page that shows what the crawls of a data directory did."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any, ClassVar

from scrapy.commands import ScrapyCommand

from sitecrawl.crawl.config import CrawlSettings
from sitecrawl.crawl.store import FOLDER, CrawlStore
from sitecrawl.errors import SitecrawlError
from sitecrawl.report.build import write_report
from sitecrawl.templates.store import open_store


class Command(ScrapyCommand):
    """Reads the state and the templates in ``SITECRAWL_DATA_DIR``."""

    requires_project = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}

    def short_desc(self) -> str:
        return "Write an HTML report of what was crawled and learned"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "-o", "--output", type=Path, default=Path("report.html"), help="file to write (default: %(default)s)"
        )

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        try:
            found = CrawlSettings.from_settings(self.settings)
            paths = sorted((found.data_dir / FOLDER).glob("*.sqlite"))
            if not paths:
                print(f"sitecrawl: nothing was crawled into {found.data_dir} yet", file=sys.stderr)
                self.exitcode = 2
                return
            store = open_store(found.data_dir / "templates.sqlite")
            write_report([CrawlStore(path) for path in paths], store, opts.output)
        except SitecrawlError as error:
            print(f"sitecrawl: {error}", file=sys.stderr)
            self.exitcode = 2
            return
        print(f"sitecrawl: report written to {opts.output}")
