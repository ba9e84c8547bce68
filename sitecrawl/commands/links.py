"""``scrapy links URL|FILE``: the links of one page with their labels. ``sitecrawl links`` does the
same without loading Scrapy."""

from __future__ import annotations

from sitecrawl.commands._output import PageCommand
from sitecrawl.commands._single import SINGLE_PAGE_VERBS


class LinksCommand(PageCommand):
    verb = SINGLE_PAGE_VERBS["links"]
    explains = verb.help
