"""``scrapy links URL|FILE``: the labelled links of one page. ``sitecrawl links`` does the same without loading Scrapy."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from scrapy.commands import ScrapyCommand

from sitecrawl.commands._output import OneLineErrors
from sitecrawl.commands._single import LINKS, links_options, run_links


class Command(OneLineErrors, ScrapyCommand):
    explains = LINKS

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        links_options(parser)

    def act(self, args: list[str], opts: Namespace) -> None:
        run_links(args, opts)
