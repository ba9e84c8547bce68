"""What the feed formats of this folder share: the feed's title and address, and how items become
files."""

from __future__ import annotations

import errno
import hashlib
import logging
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any
from urllib.parse import quote, unquote, urljoin, urlsplit

from itemadapter import ItemAdapter
from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exporters import BaseItemExporter
from scrapy.http import HtmlResponse, Request, Response
from scrapy.http.request import NO_CALLBACK

from sitecrawl.crawl.records import Role
from sitecrawl.dom.parse import parse
from sitecrawl.errors import NO_ROOM, SitecrawlError
from sitecrawl.items.feed_items import whole_item
from sitecrawl.spiders.answers import CONTEXT
from sitecrawl.text.chars import fold, printable
from sitecrawl.urls.scope import host_of

logger = logging.getLogger(__name__)
_NAME_CHARS = 80
_NAME_BYTES = 240
"""Characters and bytes of a URL in the name of a file. File systems take 255 bytes: nine are the
digest, five the ending."""
_OF_ALL = (*NO_ROOM, errno.EIO)  # troubles of a disk: the next file would have them, too
_UNNAMED = re.compile(r"[^\w-]+")  # unsafe in file names
_RFC3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)")
_VARIABLE = re.compile(r"\$([A-Z_][A-Z0-9_]*)")


class ChannelFacts:
    """What feeds say about themselves, taken from the first start page of the crawl."""

    title = ""
    home = ""
    icon = ""
    published_at = ""  # URL of the web folder to which the feeds are copied

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ChannelFacts:
        self = cls()
        self.published_at = crawler.settings.get("SITECRAWL_FEED_URL") or ""
        crawler.signals.connect(self.received, signals.response_received)
        return self

    def received(self, response: Response) -> None:
        """Process a page; the first start page names the feed. In a run that continues, articles
        may come first; some servers answer robots.txt with a page."""
        request = response.request or Request(response.url)
        context, is_robots = request.meta.get(CONTEXT), request.callback is NO_CALLBACK
        is_start = (
            context.role is Role.START if context else not (is_robots or request.meta.get("depth"))
        )
        if (
            self.home
            or not is_start
            or response.status != 200
            or not isinstance(response, HtmlResponse)
        ):
            return
        page = parse(
            response.body,
            response.url,
            (response.headers.get("Content-Type") or b"").decode("latin-1"),
        )
        self.title = fold(page.metadata.first("og:site_name") or page.metadata.title)
        self.home = response.url
        icon = urljoin(page.base_url or response.url, page.metadata.links.get("icon") or "")
        self.icon = icon if page.metadata.links.get("icon") and icon.startswith("http") else ""

    def of(self, item: dict[str, Any] | None) -> tuple[str, str, str]:
        """Title, URL and icon; without a page those of an item's site."""
        url, name = (str((item or {}).get(field) or "") for field in ("url", "siteName"))
        parts = urlsplit(self.home or url)
        home = self.home or (f"{parts.scheme}://{parts.netloc}/" if parts.netloc else "")
        return self.title or fold(name) or host_of(home) or "sitecrawl", home, self.icon


class ArticleExporter(BaseItemExporter):
    """An exporter with a feed title: ``head`` writes what comes before the items and gets the first
    one."""

    tail = ""  # writes what comes after the items
    head: Callable[[dict[str, Any] | None], str]
    entry: Callable[[dict[str, Any]], str]

    def __init__(self, file: IO[bytes], facts: ChannelFacts | None = None, **kwargs: Any) -> None:
        super().__init__(dont_fail=True, **kwargs)
        self.file, self.facts, self.count = file, facts or ChannelFacts(), 0
        self.name = Path(str(getattr(file, "name", ""))).name

    @property
    def feed_url(self) -> str:
        """URL of the feed on the web; empty if unknown."""
        folder = self.facts.published_at
        return urljoin(f"{folder.rstrip('/')}/", self.name) if folder and self.name else ""

    @classmethod
    def from_crawler(cls, crawler: Crawler, file: IO[bytes], **kwargs: Any) -> ArticleExporter:
        return cls(file, crawler.get_extension(ChannelFacts), **kwargs)

    def export_item(self, item: Any) -> None:
        found = fields_of(item)
        if not self.count:
            self.file.write(self.head(found).encode())
        self.file.write(self.entry(found).encode("utf-8", "replace"))
        self.count += 1

    def finish_exporting(self) -> None:
        self.file.write((self.tail if self.count else self.head(None) + self.tail).encode())


def fields_of(item: Any) -> dict[str, Any]:
    """The fields of an item of any type that Scrapy supports."""
    return dict(item) if isinstance(item, dict) else whole_item(ItemAdapter(item).asdict())


def instant(value: str) -> str | None:
    """An ISO 8601 date in RFC 3339, as feeds require, where it names an instant; None for a day, or
    a time without its zone.

    >>> instant("2024-05-06T07:08+02:00"), instant("2024-05-06T07:08:09Z"), instant("2024-05-06"), instant("2024-05-06T07:08:09")
    ('2024-05-06T07:08:00+02:00', '2024-05-06T07:08:09Z', None, None)
    """
    if _RFC3339.fullmatch(value):
        return value
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    return moment.isoformat(timespec="seconds") if moment.tzinfo else None


def file_name(url: str) -> str:
    """A readable file name for a URL that no other URL has.

    >>> file_name("http://example.com/news/a-bridge.html?x=1")
    'news-a-bridge-html-x-1-38d4da46'
    """
    parts = urlsplit(unquote(url))
    name = _UNNAMED.sub("-", f"{parts.path} {parts.query}").strip("-")[-_NAME_CHARS:]
    # the first character is left out where the cut is in the middle of it
    name = name.encode()[-_NAME_BYTES:].decode("utf-8", "ignore").strip("-")
    digest = hashlib.sha256(url.encode("utf-8", "replace")).hexdigest()[:8]
    return f"{name or 'index'}-{digest}"


@contextmanager
def part_of(folder: Path, what: str) -> Iterator[None]:
    """Leave out ``what``, with a line in the log, if its file in a folder of a feed cannot be
    written. Raises OSError if no other file could be written there, either."""
    try:
        yield
    except OSError as error:
        if error.errno in _OF_ALL or not _takes_files(folder):
            raise
        why = error.strerror or type(error).__name__
        logger.warning("%s is left out of the feed %s: %s", printable(what), folder, why)


def _takes_files(folder: Path) -> bool:
    try:
        with TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def with_secrets(url: str) -> str:
    """A URL with the values of the environment, percent-encoded, in place of ``$NAME``: secrets
    stand in no list of processes and in no log. Raises SitecrawlError for a variable that is not
    set, and for a password that is written out."""
    password = urlsplit(url).password or "$"
    if not password.startswith("$"):
        raise SitecrawlError(
            "others can see a password in a URL: write $NAME instead, and set NAME in the environment"
        )
    if missing := [name for name in _VARIABLE.findall(url) if name not in os.environ]:
        raise SitecrawlError(f"${missing[0]} is not set in the environment")
    return _VARIABLE.sub(lambda found: quote(os.environ[found[1]], safe=""), url)
