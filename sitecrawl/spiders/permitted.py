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
    taken = False
    """Whether it may send nothing any more: what fails from then on says nothing about a page."""


def lost_its_site(crawler: Crawler) -> bool:
    """Whether a crawler's spider may send nothing any more."""
    spider = crawler.spider
    if not isinstance(spider, PermittedSpider):
        return False
    if spider.may_send is not None and not spider.may_send():
        spider.taken = True
    return spider.taken


def permissions_of(crawler: Crawler) -> Permissions:
    spider = crawler.spider
    return spider.permissions if isinstance(spider, PermittedSpider) else Permissions()
