"""For scrapy-poet: what callbacks and page objects ask for, from the templates and the link model
of the site."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import zyte_common_items as zyte
from scrapy.exceptions import NotConfigured
from scrapy.http import Response
from scrapy_poet.page_input_providers import PageObjectInputProvider

from sitecrawl.extras.zyte.conversion import zyte_article, zyte_list, zyte_navigation
from sitecrawl.items.article import Article
from sitecrawl.items.feed_items import item_of
from sitecrawl.links.classify import classify
from sitecrawl.links.link_model import model_at
from sitecrawl.middlewares.templates import TemplateMiddleware, page_of
from sitecrawl.spiders.answers import now


class SitecrawlProvider(PageObjectInputProvider):
    """Gives ``sitecrawl.Article``, and ``Article``, ``ArticleList`` and ``ArticleNavigation`` of
    zyte-common-items. The page is learned from, and joined with its other parts, as a page of
    ``ArticlePage`` is. A page without an article gives one that has only its URL."""

    name = "sitecrawl"
    provided_classes = {Article, zyte.Article, zyte.ArticleList, zyte.ArticleNavigation}

    async def __call__(self, to_provide: set[Callable[..., Any]], response: Response) -> list[Any]:
        """Raises NotConfigured in a project without the add-on of sitecrawl."""
        templates = self.injector.crawler.get_spider_middleware(TemplateMiddleware)
        if templates is None:
            raise NotConfigured(
                'SitecrawlProvider needs ADDONS = {"sitecrawl.addon.SitecrawlAddon": 500}'
            )
        moment, found = now(), list[Any]()
        lists = to_provide & {zyte.ArticleList, zyte.ArticleNavigation}
        page = page_of(response) if lists else None
        if to_provide - lists:
            # a page of which both are asked for may be either
            article = await templates.article(response, 0.5 if lists else 0.9)
            item = item_of(article or Article(url=response.url), None, fetched=moment)
            found = [
                article or Article(url=response.url),
                zyte_article(item, is_article=bool(article)),
            ]
        if lists and page is None:
            found += [zyte.ArticleList(url=response.url), zyte.ArticleNavigation(url=response.url)]
        elif lists and page is not None:
            site = templates.site(page)
            links = classify(
                page, model_at(templates.settings.link_model_of(site.site)), profile=site.profile
            )
            found += [
                zyte_list(page, links, fetched=moment),
                zyte_navigation(page, links, fetched=moment),
            ]
        return [one for one in found if type(one) in to_provide]
