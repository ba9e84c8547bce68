"""Loads what our commands load, so that a process forked from one that has imported this module
starts at once; installs no reactor."""

from __future__ import annotations

import gc
import pkgutil
import sys
import tempfile
from contextlib import suppress
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path

import scrapy.commands
from scrapy.settings import Settings
from scrapy.utils.misc import load_object

from sitecrawl import settings
from sitecrawl.extras.demo import site_pages
from sitecrawl.plugins import VERBS, plugged
from tests.crawl.driver import crawled

_MORE = (
    "scrapy.cmdline scrapy.robotstxt scrapy.shell sitecrawl.middlewares.robots sitecrawl.spiders.site sqlalchemy.dialects.sqlite "
    "sqlalchemy.dialects.postgresql twisted.internet.asyncioreactor twisted.web.client urllib.robotparser tests.process"
).split()


def load() -> None:
    """Import every command, and every component that the settings name."""
    for name in (
        *_MORE,
        *(
            f"scrapy.commands.{module.name}"
            for module in pkgutil.iter_modules(scrapy.commands.__path__)
        ),
    ):
        import_module(name)
    for command in (*plugged(VERBS).values(), *entry_points(group="scrapy.commands")):
        command.load()  # Scrapy loads those of all packages; one imports pytest
    given = Settings()
    given.setmodule(settings)
    for value in given.values():
        words = (
            (word for entry in value.items() for word in entry)
            if hasattr(value, "items")
            else (value,)
        )
        for path in (word for word in words if isinstance(word, str) and "." in word):
            with suppress(
                ImportError, NameError, ValueError
            ):  # no module, or one that is not installed
                load_object(path)


def warm() -> None:
    """Crawl the demonstration site once without a network: models are read and caches filled."""
    with tempfile.TemporaryDirectory() as folder:
        crawled(dict(site_pages()), Path(folder))


load()
warm()
gc.collect()
gc.freeze()  # or each process would copy what was loaded at its first collection
assert "twisted.internet.reactor" not in sys.modules
