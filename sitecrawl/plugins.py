"""What other packages, and the ring of this one, plug into the core: objects named by entry
points."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from sitecrawl.errors import SitecrawlError

EXTRACTORS = "sitecrawl.extractors"  # extraction methods: functions `(Page) -> Selection`
EXTENSIONS = "sitecrawl.extensions"
"""Scrapy extensions for every crawl; optional ones raise NotConfigured. The add-on brings
``facts``, which feed formats read, into other projects."""
MIDDLEWARES = "sitecrawl.middlewares"
"""Scrapy downloader middlewares, between robots.txt and the network; one that a setting switches on
raises ``NotConfigured`` without it."""
# filters of fetched pages: functions `(Page, RequestContext) -> bool`
PAGE_FILTERS = "sitecrawl.page_filters"
# filters of pages to request: functions `(RequestContext) -> bool`
LINK_FILTERS = "sitecrawl.link_filters"
# steps before an item is saved: functions `(dict) -> dict | None`
ITEM_PIPELINES = "sitecrawl.item_pipelines"
# commands, the group that Scrapy reads as well: classes of `scrapy.commands.ScrapyCommand`
VERBS = "scrapy.commands"
TEMPLATE_ACTIONS = "sitecrawl.template_actions"
"""Further actions of ``sitecrawl templates``: functions ``(Stores, list[str], int) -> bool`` of the
stores, the words and the port; where one returns False, the built-in action of that name runs."""
# `serve`: a context manager that serves the demonstration site and gives its URL
DEMO = "sitecrawl.demo"
# database servers by URL scheme: see `sitecrawl.crawl.database.Server`
DATABASES = "sitecrawl.databases"
# feed formats by name: objects of `sitecrawl.feed_formats.FeedFormat`
FEED_FORMATS = "sitecrawl.feed_formats"
FUNCTIONS = "sitecrawl.functions"  # functions that `import sitecrawl` offers, by name
ARGUMENTS = "sitecrawl.arguments"
"""Names of arguments that other tools have: functions ``(arguments) -> arguments`` that put ours in
their place, called for unknown names only."""
# forms of items by the names that `SITECRAWL_ITEMS` takes: item pipelines
ITEM_FORMS = "sitecrawl.item_forms"
POET_PROVIDERS = "sitecrawl.poet_providers"  # providers that the add-on names to scrapy-poet
BROWSER = "sitecrawl.browser"
"""``path``: a function of the setting ``SITECRAWL_CHROMIUM`` that returns the path of the browser,
or None without one; ``open``: a function of a crawler that returns an object with the coroutines
``fetch(Request) -> Response`` and ``close()``."""
RECORDERS = "sitecrawl.recorders"
"""Records of crawls: classes whose ``of(CrawlArguments, data_dir)`` gives an object that gets
``begin(Visit)``, ``take(event)`` for each event of
``sitecrawl.crawl.events`` and ``finish(Visit)``; or ``refuse(why)`` from a crawl that cannot
begin."""
REPORT = "sitecrawl.report"
"""``write``: a function ``(Stores, Path)`` that writes the report that ``SITECRAWL_REPORT`` asks
for; ``alerts``: the module that finds which conditions hold after a crawl, and sends alerts."""

FAULTS = (
    ImportError,
    SyntaxError,
    NameError,
    AttributeError,
    TypeError,
    ValueError,
    LookupError,
    OSError,
)
"""Errors of the code of other packages."""


class PluginError(SitecrawlError):
    """A plug-in that is installed cannot be used."""


class Plugin(EntryPoint):
    """An entry point whose faults are told in one line."""

    def load(
        self, make: Callable[[Any], Any] = lambda loaded: loaded, *, has: Iterable[str] = ()
    ) -> Any:
        """What ``make`` makes of the object that the entry point names. Raises PluginError if this
        fails, or if the result lacks an attribute in ``has``."""
        try:
            made = make(super().load())
            for name in has:
                getattr(made, name)
        except FAULTS as error:
            which, why = (
                f"{self.name} = {self.value} in {self.group}",
                f"{type(error).__name__}: {error}",
            )
            raise PluginError(
                f"the plug-in {which} cannot be used ({why}): repair or uninstall its package"
            ) from error
        return made


def install_hint(extra: str) -> str:
    """What a user types to install an optional part. The package index is not named: until the
    package is published there, only the clone has it."""
    return f"in the clone of the repository run: pip install '.[{extra}]'"


_PROJECT = Path(__file__).parents[1] / "pyproject.toml"  # exists in a clone only


@cache
def _installed() -> Any:
    """All entry points: a crawl asks a dozen times, and each time would read the metadata of all
    installed packages."""
    found = entry_points()
    if _PROJECT.is_file():
        _compare(found)
    return found


def _compare(found: Any) -> None:
    """Tell if the clone has entry points that are not installed: without them optional parts would
    be missing silently."""
    import tomllib

    with suppress(OSError, ValueError, LookupError):
        project = tomllib.loads(_PROJECT.read_text(encoding="utf8"))["project"]
        groups = project["entry-points"].items() if project["name"] == "scrapy-sitecrawl" else ()
        if any(
            named.items() - {(one.name, one.value) for one in found.select(group=group)}
            for group, named in groups
        ):
            told = "sitecrawl: %s was changed since it was installed: run pip install --no-deps -e . there"
            logging.getLogger(__name__).warning(told, _PROJECT.parent)


def plugged(group: str) -> dict[str, Plugin]:
    """Entry points of a group by name; ``.load()`` imports the object."""
    return {
        one.name: Plugin(one.name, one.value, one.group) for one in _installed().select(group=group)
    }


def path_of(entry: EntryPoint) -> str:
    """The dotted path of the object that an entry point names, as settings of Scrapy have it."""
    return entry.value.replace(":", ".")
