"""Loads what a visit needs, with the models, before a worker makes the process that makes others:
these share it, and begin at once."""

from __future__ import annotations

import sys

from scrapy.settings import Settings
from scrapy.utils.misc import load_object

from sitecrawl import settings
from sitecrawl.api import classify_links, extract

_PARTS = ("DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES", "EXTENSIONS")
_PAGE = """<html><body><h1>Title of a page</h1><a href="/news/one.html">The first link of it</a>
<a href="/news/two.html">And the second</a><p>Some words, so that all models are read.</p></body></html>"""
_REACTOR = "twisted.internet.reactor"


def preload() -> None:
    """Import the components that our settings name, and read the models. No reactor is
    installed: it could not be shared."""
    given = Settings()
    given.setmodule(settings)
    for part in _PARTS:
        for path, place in given.getdict(part).items():
            if place is not None and isinstance(path, str):
                load_object(path)
    extract(_PAGE)
    classify_links(_PAGE, "http://site.example/")
    assert _REACTOR not in sys.modules
