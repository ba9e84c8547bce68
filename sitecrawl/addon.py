"""The add-on: article extraction by templates in any Scrapy project.

``ADDONS = {"sitecrawl.addon.SitecrawlAddon": 500}``; a spider then yields ``ArticlePage(response)`` where it would parse.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scrapy.http import Response
from scrapy.settings import BaseSettings

from sitecrawl.settings import FEED_EXPORTERS, FEED_STORAGES

_MIDDLEWARE = "sitecrawl.middlewares.templates.TemplateMiddleware"
_FACTS = "sitecrawl.exporters.ChannelFacts"
_PLACE = 500


@dataclass(frozen=True, slots=True)
class ArticlePage:
    """What a spider yields in a project with the add-on: a response whose article it wants.

    ``promise`` is the probability, 0..1, that the page is an article; ``section`` the listing page that led to it.
    """

    response: Response
    promise: float = 0.9
    section: str | None = None


class SitecrawlAddon:
    """Puts the template middleware and the feed formats into a project, where the project did not do so itself."""

    def update_settings(self, settings: BaseSettings) -> None:
        own = {name: path for name, path in FEED_EXPORTERS.items() if name not in ("csv", "jsonl")}
        added: dict[str, dict[str, Any]] = {"SPIDER_MIDDLEWARES": {_MIDDLEWARE: _PLACE}, "EXTENSIONS": {_FACTS: _PLACE}}
        added |= {"FEED_EXPORTERS": own, "FEED_STORAGES": FEED_STORAGES}
        for name, components in added.items():
            settings.set(name, {**components, **settings.getdict(name)}, priority="addon")
