"""The add-on: article extraction by templates in any Scrapy project.

``ADDONS = {"sitecrawl.addon.SitecrawlAddon": 500}``; a spider then yields ``ArticlePage(response)`` where it would parse.
"""

from __future__ import annotations

from scrapy.settings import BaseSettings

_MIDDLEWARE = "sitecrawl.middlewares.articles.ArticleMiddleware"
_PLACE = 500


class SitecrawlAddon:
    """Puts the article middleware among the project's spider middlewares, unless the project placed it itself."""

    def update_settings(self, settings: BaseSettings) -> None:
        middlewares = settings.getdict("SPIDER_MIDDLEWARES")
        middlewares.setdefault(_MIDDLEWARE, _PLACE)
        settings.set("SPIDER_MIDDLEWARES", middlewares, priority="addon")
        exporters = settings.getdict("FEED_EXPORTERS")
        exporters.setdefault("jsonfeed", "sitecrawl.exporters.JsonFeedExporter")
        settings.set("FEED_EXPORTERS", exporters, priority="addon")
