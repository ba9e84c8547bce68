"""The add-on: article extraction by templates in any Scrapy project.

``ADDONS = {"sitecrawl.addon.SitecrawlAddon": 500}``; a spider then yields ``ArticlePage(response)``
where it would parse."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

from scrapy.http import Response
from scrapy.settings import BaseSettings, get_settings_priority

from sitecrawl import settings as ours
from sitecrawl.errors import unknown_setting
from sitecrawl.feed_formats import item_form
from sitecrawl.plugins import EXTENSIONS, POET_PROVIDERS, path_of, plugged
from sitecrawl.settings import FEED_EXPORTERS, FEED_STORAGES

_PLACE = 500


class ArticlePage(NamedTuple):
    """What a spider yields to get an article: a response.

    It is no item, so that Scrapy complains where the add-on is not switched on. ``promise`` is the probability, 0..1, that the page is an article; ``section`` is the listing
    page that led to it."""

    response: Response
    promise: float = 0.9
    section: str | None = None


class SitecrawlAddon:
    """Puts the template middleware, the feed formats and the provider for scrapy-poet into a
    project, where it did not do so itself."""

    @classmethod
    def update_pre_crawler_settings(cls, settings: BaseSettings) -> None:
        """End the process with one line where a setting with our prefix does not exist."""
        if told := unknown_setting(map(str, settings), vars(ours)):
            sys.stderr.write(f"sitecrawl: {told}\n")
            sys.exit(2)

    def update_settings(self, settings: BaseSettings) -> None:
        added: dict[str, dict[str, Any]] = {
            "SPIDER_MIDDLEWARES": {"sitecrawl.middlewares.templates.TemplateMiddleware": _PLACE},
            "EXTENSIONS": {
                path_of(one): _PLACE for name, one in plugged(EXTENSIONS).items() if name == "facts"
            },
            "FEED_EXPORTERS": {
                name: path for name, path in FEED_EXPORTERS.items() if name not in ("csv", "jsonl")
            },
            "FEED_STORAGES": FEED_STORAGES,
            "SCRAPY_POET_PROVIDERS": dict.fromkeys(
                map(path_of, plugged(POET_PROVIDERS).values()), _PLACE
            ),
            "ITEM_PIPELINES": item_form(settings.get("SITECRAWL_ITEMS") or ""),
        }
        for name, components in added.items():
            # another add-on may have set it with the priority of the project, which that of add-ons
            # would not change
            priority = max(settings.getpriority(name) or 0, get_settings_priority("addon"))
            settings.set(name, {**components, **settings.getdict(name)}, priority=priority)
