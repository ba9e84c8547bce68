"""What other packages and our own extras plug into the core: objects that are imported when they are
needed, named by entry points and by ``sitecrawl.own_extras``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from sitecrawl.errors import SitecrawlError
from sitecrawl.own_extras import OWN

# ---- hooks of other packages: entry points of these groups
EXTRACTORS = "sitecrawl.extractors"  # extraction methods: functions `(Page) -> Selection`
# filters of fetched pages: functions `(Page, RequestContext) -> bool`
PAGE_FILTERS = "sitecrawl.page_filters"
# filters of pages to request: functions `(RequestContext) -> bool`
LINK_FILTERS = "sitecrawl.link_filters"
# steps before an item is saved: functions `(dict) -> dict | None`
ITEM_PIPELINES = "sitecrawl.item_pipelines"
# commands, the group that Scrapy reads as well: classes of `scrapy.commands.ScrapyCommand`
VERBS = "scrapy.commands"
# database servers by URL scheme: see `sitecrawl.crawl.database.Server`
DATABASES = "sitecrawl.databases"
# feed formats by name: objects of `sitecrawl.feed_formats.FeedFormat`
FEED_FORMATS = "sitecrawl.feed_formats"
HOOKS = (
    PAGE_FILTERS,
    LINK_FILTERS,
    ITEM_PIPELINES,
    FEED_FORMATS,
    VERBS,
    EXTRACTORS,
    DATABASES,
)

# ---- seams between the core and our own extras, which `sitecrawl.own_extras` fills
EXTENSIONS = "sitecrawl.extensions"
"""Scrapy extensions for every crawl; optional ones raise NotConfigured. The add-on brings
``facts``, which feed formats read, into other projects."""
MIDDLEWARES = "sitecrawl.middlewares"
"""Scrapy downloader middlewares, between robots.txt and the network; one that a setting switches on
raises ``NotConfigured`` without it."""
TEMPLATE_ACTIONS = "sitecrawl.template_actions"
"""Further actions of ``sitecrawl templates``: functions ``(Stores, list[str]) -> bool`` of the
stores and the words; where one returns False, the built-in action of that name runs."""
# `serve`: a context manager that serves the demonstration site and gives its URL
DEMO = "sitecrawl.demo"
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


@cache
def _installed() -> Any:
    """All entry points: a crawl asks a dozen times, and each time would read the metadata of all
    installed packages."""
    return entry_points()


def plugged(group: str) -> dict[str, Plugin]:
    """What our extras and, in a group of ``HOOKS``, other packages plug in, by name; ``.load()``
    imports the object."""
    found = {name: Plugin(name, value, group) for name, value in OWN.get(group, {}).items()}
    if group in HOOKS:
        for one in _installed().select(group=group):
            if not one.value.startswith("sitecrawl."):
                found[one.name] = Plugin(one.name, one.value, one.group)
    return found


def path_of(entry: EntryPoint) -> str:
    """The dotted path of the object that an entry point names, as settings of Scrapy have it."""
    return entry.value.replace(":", ".")
