"""Spiders that say what may be reached on their behalf."""

from __future__ import annotations

from collections.abc import Callable

from scrapy import Spider
from scrapy.crawler import Crawler

from sitecrawl.crawl.permissions import Permissions


class PermittedSpider(Spider):
    """A spider with permissions of its own; without any, only public addresses are reached."""

    permissions = Permissions()
    may_send: Callable[[], bool] | None = None
    """Asked before each request is sent, where somebody else may have taken over; None: nobody can."""


def lost_its_site(crawler: Crawler) -> bool:
    """Whether a crawler's spider may send nothing any more."""
    spider = crawler.spider
    return isinstance(spider, PermittedSpider) and spider.may_send is not None and not spider.may_send()


def permissions_of(crawler: Crawler) -> Permissions:
    """The permissions of a crawler's spider."""
    spider = crawler.spider
    return spider.permissions if isinstance(spider, PermittedSpider) else Permissions()
