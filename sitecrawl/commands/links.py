"""``scrapy links URL|FILE``: the links of one page with their labels. ``sitecrawl links`` does the same without loading Scrapy."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from scrapy.commands import ScrapyCommand

from sitecrawl.commands._output import OneLineErrors
from sitecrawl.commands._single import SINGLE_PAGE_VERBS


class LinksCommand(OneLineErrors, ScrapyCommand):
    explains = SINGLE_PAGE_VERBS["links"].help

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        SINGLE_PAGE_VERBS["links"].options(parser)

    def act(self, args: list[str], opts: Namespace) -> None:
        SINGLE_PAGE_VERBS["links"].act(args, opts)
