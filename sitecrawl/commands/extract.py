"""``scrapy extract URL|FILE``: the article of one page. ``sitecrawl extract`` does the same without loading Scrapy."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from scrapy.commands import ScrapyCommand

from sitecrawl.commands._output import OneLineErrors
from sitecrawl.commands._single import EXTRACT, extract_options, run_extract


class Command(OneLineErrors, ScrapyCommand):
    explains = EXTRACT

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        extract_options(parser)

    def act(self, args: list[str], opts: Namespace) -> None:
        run_extract(args, opts)
