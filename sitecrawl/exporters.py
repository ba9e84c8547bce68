"""Feed formats beyond those of Scrapy: JSON Feed 1.1 (one, or one a section), RSS 2.0, Atom, CSV without loss, Parquet, and Markdown files.

A format that needs more than one file writes into a folder: ``-O articles:markdown``."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from email.utils import format_datetime
from io import BytesIO
from pathlib import Path
from typing import IO, Any
from urllib.parse import unquote, urljoin, urlsplit
from xml.sax.saxutils import escape, quoteattr

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
def _element(name: str, text: Any, **attributes: str) -> str:
    """An XML element, nothing without text and attributes.

    >>> _element("a", "1 < 2"), _element("link", "", href="/?a&b"), _element("b", None)
    ('<a>1 &lt; 2</a>', '<link href="/?a&amp;b"/>', '')
    """
    given = "".join(f" {key}={quoteattr(_CONTROL.sub('', value))}" for key, value in attributes.items())
    if not text:
        return f"<{name}{given}/>" if attributes else ""
    return f"<{name}{given}>{escape(_CONTROL.sub('', str(text)))}</{name}>"


class RssExporter(_ArticleExporter):
    """RSS 2.0 (https://www.rssboard.org/rss-specification) with the body as ``content:encoded``; ``pubDate`` only where the instant is known."""

    tail = "</channel></rss>\n"

    def head(self, item: dict[str, Any] | None) -> str:
        title, home, icon = self.facts.of(item)
        image = _element("url", icon) + _element("title", title) + _element("link", home)
        parts = [
            '<?xml version="1.0" encoding="utf-8"?>\n<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"',
            ' xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>',
            _element("title", title),
            f"<link>{escape(home)}</link>",
            _element("description", f"Articles of {title}"),
            f"<image>{image}</image>" if icon else "",
        ]
        return "".join(parts) + "\n"

    def entry(self, item: dict[str, Any]) -> str:
        published = instant(item.get("datePublished") or "")
        parts = [
            _element("title", item.get("headline") or item["url"]),
            _element("link", item["url"]),
            _element("guid", item["url"], isPermaLink="true"),
            _element("pubDate", format_datetime(datetime.fromisoformat(published)) if published else ""),
            _element("dc:date", "" if published else item.get("datePublished")),
            *(_element("dc:creator", author.get("name")) for author in item.get("authors") or ()),
            *(_element("category", tag) for tag in item.get("tags") or ()),
            _element("description", escape(str(item.get("description") or ""))),
            _element("content:encoded", _body_html(item)),
        ]
        return f"<item>{''.join(parts)}</item>\n"


class AtomExporter(_ArticleExporter):
    """Atom (RFC 4287). ``published`` stands only where the instant is known; ``updated``, which every entry must have, is the time of the
    last change, else of publication, else when the page was fetched."""

    tail = "</feed>\n"

    def head(self, item: dict[str, Any] | None) -> str:
        title, home, icon = self.facts.of(item)
        parts = [
            '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">',
            _element("id", home or "urn:sitecrawl:feed"),
            _element("title", title),
            _element("updated", datetime.now(UTC).isoformat(timespec="seconds")),
            _element("link", "", href=home) if home else "",
            _element("icon", icon),
        ]
        return "".join(parts) + "\n"

    def entry(self, item: dict[str, Any]) -> str:
        published = instant(item.get("datePublished") or "")
        fetched = (item.get("metadata") or {}).get("dateDownloaded")
        updated = instant(item.get("dateModified") or "") or published or fetched
        authors = [author.get("name") for author in item.get("authors") or ()] or [host_of(item["url"])]
        parts = [
            _element("id", item["url"]),
            _element("title", item.get("headline") or item["url"]),
            _element("link", "", href=item["url"]),
            _element("updated", updated or datetime.now(UTC).isoformat(timespec="seconds")),
            _element("published", published),
            *(f"<author>{_element('name', name)}</author>" for name in authors),
            *(_element("category", "", term=tag) for tag in item.get("tags") or ()),
            _element("summary", item.get("description")),
            _element("content", _body_html(item), type="html"),
        ]
        return f"<entry>{''.join(parts)}</entry>\n"


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
