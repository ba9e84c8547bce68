"""Spiders that say what may be reached on their behalf."""

from __future__ import annotations

from scrapy import Spider
from scrapy.crawler import Crawler

from sitecrawl.crawl.permissions import Permissions


class PermittedSpider(Spider):
    """A spider with permissions of its own; without any, only public addresses are reached."""

    permissions = Permissions()


def permissions_of(crawler: Crawler) -> Permissions:
    """The permissions of a crawler's spider."""
    spider = crawler.spider
    return spider.permissions if isinstance(spider, PermittedSpider) else Permissions()
