"""The add-on: article extraction by templates in any Scrapy project.

``ADDONS = {"sitecrawl.addon.SitecrawlAddon": 500}``; a spider then yields ``ArticlePage(response)`` where it would parse.
"""

from __future__ import annotations

from dataclasses import dataclass

from scrapy.http import Response
from scrapy.settings import BaseSettings

_MIDDLEWARE = "sitecrawl.middlewares.templates.TemplateMiddleware"
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
    """Puts the template middleware among the project's spider middlewares, unless the project placed it itself."""

    def update_settings(self, settings: BaseSettings) -> None:
        middlewares = settings.getdict("SPIDER_MIDDLEWARES")
        middlewares.setdefault(_MIDDLEWARE, _PLACE)
        settings.set("SPIDER_MIDDLEWARES", middlewares, priority="addon")
        exporters = settings.getdict("FEED_EXPORTERS")
        exporters.setdefault("jsonfeed", "sitecrawl.extensions.JsonFeedExporter")
        settings.set("FEED_EXPORTERS", exporters, priority="addon")
