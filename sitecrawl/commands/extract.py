"""``scrapy extract URL|FILE``: the article of one page. ``sitecrawl extract`` does the same without
loading Scrapy."""

from __future__ import annotations

from sitecrawl.commands._output import PageCommand
from sitecrawl.commands._single import SINGLE_PAGE_VERBS


class ExtractCommand(PageCommand):
    verb = SINGLE_PAGE_VERBS["extract"]
    explains = verb.help
