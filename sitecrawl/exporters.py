"""Feed formats beyond those of Scrapy: JSON Feed 1.1 (one, or one a section), RSS 2.0, Atom, CSV without loss, Parquet, and Markdown files.

A format that needs more than one file writes into a folder: ``-O articles:markdown``."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from email.utils import format_datetime
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, ClassVar, cast
from urllib.parse import unquote, urljoin, urlsplit

from markupsafe import Markup, escape
from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.exporters import BaseItemExporter, CsvItemExporter, JsonLinesItemExporter, XmlItemExporter
from scrapy.extensions.feedexport import FileFeedStorage
from scrapy.http import HtmlResponse, Response

from sitecrawl.dom.parse import parse
from sitecrawl.dom.render import Content
from sitecrawl.feed_formats import feed_formats
from sitecrawl.items.article import ITEM_FIELDS
from sitecrawl.items.feed_items import VERSION, feed_item, instant
from sitecrawl.text.chars import csv_cell, fold, storable
from sitecrawl.urls.scope import host_of

if TYPE_CHECKING:
    from jinja2 import Environment

COLUMNS = (*ITEM_FIELDS, "revision")
_CONTROL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot hold."""
_UNNAMED = re.compile(r"[^\w-]+")


class ChannelFacts:
    """What feeds say of themselves, from the first page of the crawl that has a title."""

    title = ""
    home = ""
    icon = ""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ChannelFacts:
        self = cls()
        crawler.signals.connect(self.received, signals.response_received)
        return self

    def received(self, response: Response) -> None:
        """A page came; the first one names the feed."""
        if self.home or response.status != 200 or not isinstance(response, HtmlResponse):
            return
        page = parse(response.body, response.url, (response.headers.get("Content-Type") or b"").decode("latin-1"))
        self.title = fold(page.metadata.first("og:site_name") or page.metadata.title)
        self.home = response.url
        icon = urljoin(page.base_url or response.url, page.metadata.links.get("icon") or "")
        self.icon = icon if page.metadata.links.get("icon") and icon.startswith("http") else ""

    def of(self, item: dict[str, Any] | None) -> tuple[str, str, str]:
        """Title, URL and icon; without a page they are those of an item's site."""
        parts = urlsplit(self.home or str((item or {}).get("url") or ""))
        home = self.home or (f"{parts.scheme}://{parts.netloc}/" if parts.netloc else "")
        return self.title or host_of(home) or "sitecrawl", home, self.icon


class _ArticleExporter(BaseItemExporter):
    """An exporter that knows the feed's title: ``head`` writes what stands before the items, of which it is given the first one."""

    tail = ""
    """What stands behind the items."""
    head: Callable[[dict[str, Any] | None], str]
    entry: Callable[[dict[str, Any]], str]

    def __init__(self, file: IO[bytes], facts: ChannelFacts | None = None, **kwargs: Any) -> None:
        super().__init__(dont_fail=True, **kwargs)
        self.file, self.facts, self.count = file, facts or ChannelFacts(), 0

    @classmethod
    def from_crawler(cls, crawler: Crawler, file: IO[bytes], **kwargs: Any) -> _ArticleExporter:
        return cls(file, crawler.get_extension(ChannelFacts), **kwargs)

    def export_item(self, item: Any) -> None:
        found = dict(item)
        if not self.count:
            self.file.write(self.head(found).encode())
        self.file.write(self.entry(found).encode("utf-8", "replace"))
        self.count += 1

    def finish_exporting(self) -> None:
        self.file.write((self.tail if self.count else self.head(None) + self.tail).encode())


class JsonFeedExporter(_ArticleExporter):
    """JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/)."""

    tail = "\n]}\n"

    def head(self, item: dict[str, Any] | None) -> str:
        title, home, icon = self.facts.of(item)
        known = {"version": VERSION, "title": title, "home_page_url": home, "favicon": icon}
        told = json.dumps({name: value for name, value in known.items() if value}, ensure_ascii=False)
        return told[:-1] + ', "items": [\n'

    def entry(self, item: dict[str, Any]) -> str:
        return (",\n" if self.count else "") + json.dumps(feed_item(item), ensure_ascii=False)


# ---- RSS and Atom
@cache
def _templates() -> Environment:
    """The templates beside this module; what XML 1.0 cannot hold is left out of all that they show."""
    from jinja2 import Environment, PackageLoader  # here, since every crawl imports this module

    made = Environment(loader=PackageLoader("sitecrawl", "."), autoescape=True, trim_blocks=True)
    made.finalize = lambda value: value if isinstance(value, Markup) else _CONTROL.sub("", str(value or ""))
    made.globals["now"] = lambda: datetime.now(UTC).isoformat(timespec="seconds")
    return made


class _XmlFeedExporter(_ArticleExporter):
    """A feed whose ``template`` has the macros ``head`` and ``entry``, and the text ``tail``."""

    template: ClassVar[str]

    def __init__(self, file: IO[bytes], facts: ChannelFacts | None = None, **kwargs: Any) -> None:
        super().__init__(file, facts, **kwargs)
        self.parts = cast(Any, _templates().get_template(self.template).module)
        self.tail = str(self.parts.tail)

    def head(self, item: dict[str, Any] | None) -> str:
        return str(self.parts.head(*self.facts.of(item)))

    def entry(self, item: dict[str, Any]) -> str:
        published = instant(item.get("datePublished") or "")
        shown = {
            "published": published,
            "rfc822": format_datetime(datetime.fromisoformat(published)) if published else "",
            "modified": instant(item.get("dateModified") or ""),
            "fetched": (item.get("metadata") or {}).get("dateDownloaded"),
            "host": host_of(item["url"]),
            "description": str(escape(item.get("description") or "")),
            "body": _body_html(item),
        }
        return str(self.parts.entry(item, shown))


class RssExporter(_XmlFeedExporter):
    """RSS 2.0 (https://www.rssboard.org/rss-specification) with the body as ``content:encoded``; ``pubDate`` only where the instant is known."""

    template = "feed_rss.xml"


class AtomExporter(_XmlFeedExporter):
    """Atom (RFC 4287). ``published`` stands only where the instant is known; ``updated``, which every entry must have, is the time of the
    last change, else of publication, else when the page was fetched."""

    template = "feed_atom.xml"


class XmlExporter(XmlItemExporter):
    """Scrapy's own, without the characters that XML cannot hold."""

    def _export_xml_field(self, name: str, serialized_value: Any, depth: int) -> None:
        is_text = isinstance(serialized_value, str)
        super()._export_xml_field(name, _CONTROL.sub("", serialized_value) if is_text else serialized_value, depth)


# ---- lines and tables
class LinesExporter(JsonLinesItemExporter):
    """Scrapy's own, but no half of a surrogate pair in an item can keep it from being written."""

    def export_item(self, item: Any) -> None:
        fields = self.get_serialized_fields(item)
        line = self.encoder.encode(dict(fields))
        self.file.write(f"{line}\n".encode(self.encoding or "utf-8", "replace"))


class CsvExporter(CsvItemExporter):
    """Scrapy's own, with all fields of an article as columns, lists and records as JSON, and no cell that a spreadsheet takes for a formula."""

    def export_item(self, item: Any) -> None:
        if self.fields_to_export is None and "articleBody" in item:
            self.fields_to_export = list(dict.fromkeys([*COLUMNS, *item]))
        super().export_item(item)

    def serialize_field(self, field: Any, name: str, value: Any) -> Any:
        if isinstance(value, list | dict) and "serializer" not in field:
            return json.dumps(value, ensure_ascii=False) if value else ""
        return super().serialize_field(field, name, value)

    def _build_row(self, values: Iterable[Any]) -> Iterable[Any]:
        return (csv_cell(storable(value)) if isinstance(value, str) else value for value in super()._build_row(values))


# ---- folders
class FolderFile(BytesIO):
    """What an exporter of a folder is given as its file."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder


class FeedPlace(FileFeedStorage):
    """Scrapy's storage of local feeds; the formats that write several files are given a folder."""

    def __init__(self, uri: str, *, feed_options: dict[str, Any] | None = None) -> None:
        super().__init__(uri, feed_options=feed_options)
        form = feed_formats().get((feed_options or {}).get("format", ""))
        self.is_folder = form is not None and form.is_folder

    def open(self, spider: Any) -> IO[bytes]:
        if not self.is_folder:
            return super().open(spider)
        Path(self.path).mkdir(parents=True, exist_ok=True)
        return FolderFile(Path(self.path))


def folder_of(file: IO[bytes]) -> FolderFile:
    if not isinstance(file, FolderFile):
        raise NotConfigured("this feed format writes a folder: -O FOLDER:FORMAT, with FEED_STORAGES of sitecrawl")
    return file


class MarkdownExporter(BaseItemExporter):
    """A Markdown file an article in a folder, where a changed article replaces its file; or all articles in one file.

    The facts of an article stand above it as front matter.
    """

    def __init__(self, file: IO[bytes], **kwargs: Any) -> None:
        super().__init__(dont_fail=True, **kwargs)
        self.file = file

    def export_item(self, item: Any) -> None:
        found = dict(item)
        text = markdown_of(found).encode("utf-8", "replace")
        if isinstance(self.file, FolderFile):
            (self.file.folder / f"{file_name(found['url'])}.md").write_bytes(text)
        else:
            self.file.write(text)


def markdown_of(item: dict[str, Any]) -> str:
    """An article as Markdown below its facts; each fact is JSON, which is YAML as well."""
    left_out = ("articleBody", "articleBodyHtml", "provenance", "comments", "images")
    facts = {name: value for name, value in item.items() if value and name not in left_out}
    head = "".join(f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in facts.items())
    title = f"<h1>{escape(str(item['headline']))}</h1>" if item.get("headline") else ""
    page = parse(f"<body>{title}{_body_html(item)}", item["url"])
    return f"---\n{head}---\n\n{Content([page.root], base_url=item['url']).markdown}\n"


def _body_html(item: dict[str, Any]) -> str:
    """The clean HTML of the body, else its text with all that HTML would read as a tag escaped, a paragraph a line."""
    lines = str(item.get("articleBody") or "").splitlines()
    return item.get("articleBodyHtml") or "".join(f"<p>{escape(line)}</p>" for line in lines if line)


def file_name(url: str) -> str:
    """A file name for a URL that a person recognises and that no other URL has.

    >>> file_name("http://example.com/news/a-bridge.html?x=1")
    'news-a-bridge-html-x-1-38d4da46'
    """
    parts = urlsplit(unquote(url))
    name = _UNNAMED.sub("-", f"{parts.path} {parts.query}").strip("-")[-80:].strip("-")
    return f"{name or 'index'}-{hashlib.sha256(url.encode('utf-8', 'replace')).hexdigest()[:8]}"
