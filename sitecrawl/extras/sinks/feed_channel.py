"""What a feed says about itself: title, address and icon, of the site or of the feed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urljoin

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, Request, Response
from scrapy.http.request import NO_CALLBACK

from sitecrawl.crawl.records import Role
from sitecrawl.dom.parse import parse
from sitecrawl.spiders.answers import CONTEXT
from sitecrawl.text.chars import fold
from sitecrawl.urls.scope import host_of

_USUAL_COUNT = 50  # articles of a feed: readers ask daily or more often, and few sites bring more


class Channel(NamedTuple):
    """Title, URL and icon of a feed; URL and icon may be empty."""

    title: str
    home: str = ""
    icon: str = ""


class ChannelFacts:
    """What is known for the feeds of a crawl: its first start page, the settings, and the articles
    that the crawl wrote before."""

    title = ""
    home = ""
    icon = ""
    published_at = ""  # URL of the web folder to which the feeds are copied
    most = 0  # articles of a feed, 0: all
    crawler: Crawler | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ChannelFacts:
        self = cls()
        self.crawler = crawler
        self.published_at = crawler.settings.get("SITECRAWL_FEED_URL") or ""
        self.most = count_of(crawler.settings)
        crawler.signals.connect(self.received, signals.response_received)
        return self

    @classmethod
    def of_all(cls, settings: Any, title: str) -> ChannelFacts:
        """For a feed of several sites."""
        self = cls()
        self.title = title
        self.published_at = settings.get("SITECRAWL_FEED_URL") or ""
        self.most = count_of(settings)
        return self

    def received(self, response: Response) -> None:
        """Process a page; the first start page names the feed. In a run that continues, articles
        may come first; some servers answer robots.txt with a page."""
        request = response.request or Request(response.url)
        context = request.meta.get(CONTEXT)
        is_robots = request.callback is NO_CALLBACK
        is_start = (
            context.role is Role.START if context else not (is_robots or request.meta.get("depth"))
        )
        if self.home or not is_start or response.status != 200:
            return
        if not isinstance(response, HtmlResponse):
            return
        kind = (response.headers.get("Content-Type") or b"").decode("latin-1")
        page = parse(response.body, response.url, kind)
        self.title = fold(page.metadata.first("og:site_name") or page.metadata.title)
        self.home = response.url
        icon = page.metadata.links.get("icon") or ""
        if icon:
            icon = urljoin(page.base_url or response.url, icon)
        self.icon = icon if icon.startswith("http") else ""

    def channel(self, name: str, old: Channel, *, items: list[dict[str, Any]]) -> Channel:
        """The channel of the feed ``name`` that was ``old`` and holds ``items``. A feed of several
        sites has its own name for a title, and no site's address."""
        hosts = {host_of(str(item["url"])) for item in items if item.get("url")}
        home = self.home or self._start()
        if not (home or self.title) and len(hosts) == 1:
            home = urljoin(str(items[0]["url"]), "/")
        is_common = bool(old.title) and host_of(old.home) != host_of(home)
        if is_common or not home:
            own_title = "" if home else self.title
            return Channel(own_title or name, self.published_at)
        title = self.title or old.title or _site_name(items) or host_of(home)
        return Channel(title, home, self.icon or old.icon)

    def _start(self) -> str:
        """The first URL that the crawl asks for, where no start page came: it is unchanged, or
        failed."""
        spider = self.crawler.spider if self.crawler else None
        asked = getattr(spider, "arguments", None)
        starts = asked.start if asked else getattr(spider, "start_urls", ())
        return str(next(iter(starts), ""))

    def written_items(self, *, of_run: bool) -> Iterator[dict[str, Any]]:
        """The items that the crawl of a site wrote, in this run also before it was interrupted, or
        in all runs. None where an item pipeline of Scrapy may have dropped or changed some."""
        if self.crawler is None or self.crawler.settings.getwithbase("ITEM_PIPELINES"):
            return iter(())
        read = getattr(self.crawler.spider, "written_items", None)
        return read(of_run=of_run) if read else iter(())


def _site_name(items: list[dict[str, Any]]) -> str:
    """The name of the site that all items have; empty if they differ."""
    names = {fold(str(item.get("siteName") or "")) for item in items}
    return names.pop() if len(names) == 1 else ""


def count_of(settings: Any) -> int:
    """How many articles a feed holds."""
    given = settings.get("SITECRAWL_FEED_ITEMS")
    return _USUAL_COUNT if given in (None, "") else int(given)


def title_of(path: Path) -> str:
    """The name of a feed of several sites.

    >>> title_of(Path("feeds/all.feed.json"))
    'all'
    """
    return path.name.partition(".")[0] or "articles"
