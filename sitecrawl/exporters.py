"""Feed formats beyond those of Scrapy: JSON Feed 1.1 (one, or one a section), RSS 2.0, Atom, CSV without loss, Parquet, and Markdown files.

A format that needs more than one file writes into a folder: ``-O articles:markdown``."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable
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
from scrapy.exporters import BaseItemExporter, CsvItemExporter
from scrapy.extensions.feedexport import FileFeedStorage
from scrapy.http import HtmlResponse, Response

from sitecrawl.dom.parse import parse
from sitecrawl.dom.render import Content
from sitecrawl.extensions import keep_old
from sitecrawl.items.article import ITEM_FIELDS, FieldKind
from sitecrawl.items.feed_items import VERSION, feed_item, instant
from sitecrawl.text.chars import csv_cell, fold
from sitecrawl.urls.scope import host_of

NEEDS_ARROW = "the format parquet needs pyarrow: pip install 'sitecrawl[parquet]'"
FOLDER_FORMATS = ("jsonfeeds", "markdown")
"""Formats that write into a folder."""
_COLUMNS = (*ITEM_FIELDS, "revision")
_BATCH = 500
"""Items of a Parquet file that are written at a time."""
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
    """An exporter that knows the feed's title, and starts with the first item."""

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
        if not self.count:
            self.file.write(self.head(None).encode())
        self.file.write(self.tail().encode())

    def head(self, item: dict[str, Any] | None) -> str:
        """What stands before the items; ``item`` is the first one."""
        raise NotImplementedError

    def entry(self, item: dict[str, Any]) -> str:
        """An item."""
        raise NotImplementedError

    def tail(self) -> str:
        """What stands behind the items."""
        raise NotImplementedError


class JsonFeedExporter(_ArticleExporter):
    """JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/)."""

    def head(self, item: dict[str, Any] | None) -> str:
        title, home, icon = self.facts.of(item)
        known = {"version": VERSION, "title": title, "home_page_url": home, "favicon": icon}
        told = json.dumps({name: value for name, value in known.items() if value}, ensure_ascii=False)
        return told[:-1] + ', "items": [\n'

    def entry(self, item: dict[str, Any]) -> str:
        return (",\n" if self.count else "") + json.dumps(feed_item(item), ensure_ascii=False)

    def tail(self) -> str:
        return "\n]}\n"


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


def _moment(value: str | None) -> datetime | None:
    known = instant(value or "")
    return datetime.fromisoformat(known) if known else None


class RssExporter(_ArticleExporter):
    """RSS 2.0 (https://www.rssboard.org/rss-specification) with the body as ``content:encoded``; ``pubDate`` only where the instant is known."""

    def head(self, item: dict[str, Any] | None) -> str:
        title, home, icon = self.facts.of(item)
        image = (
            f"<image>{_element('url', icon)}{_element('title', title)}{_element('link', home)}</image>" if icon else ""
        )
        return (
            '<?xml version="1.0" encoding="utf-8"?>\n<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"'
            ' xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>'
            + _element("title", title)
            + f"<link>{escape(home)}</link>"
            + _element("description", f"Articles of {title}")
            + image
            + "\n"
        )

    def entry(self, item: dict[str, Any]) -> str:
        published = _moment(item.get("datePublished"))
        parts = [
            _element("title", item.get("headline") or item["url"]),
            _element("link", item["url"]),
            _element("guid", item["url"], isPermaLink="true"),
            _element("pubDate", format_datetime(published) if published else ""),
            _element("dc:date", "" if published else item.get("datePublished")),
            *(_element("dc:creator", author.get("name")) for author in item.get("authors") or ()),
            *(_element("category", tag) for tag in item.get("tags") or ()),
            _element("description", item.get("description")),
            _element("content:encoded", item.get("articleBodyHtml") or item.get("articleBody")),
        ]
        return f"<item>{''.join(parts)}</item>\n"

    def tail(self) -> str:
        return "</channel></rss>\n"


class AtomExporter(_ArticleExporter):
    """Atom (RFC 4287). ``published`` stands only where the instant is known; ``updated``, which every entry must have, is the time of the
    last change, else of publication, else when the page was fetched."""

    def head(self, item: dict[str, Any] | None) -> str:
        title, home, icon = self.facts.of(item)
        return (
            '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">'
            + _element("id", home or "urn:sitecrawl:feed")
            + _element("title", title)
            + _element("updated", datetime.now(UTC).isoformat(timespec="seconds"))
            + (_element("link", "", href=home) if home else "")
            + _element("icon", icon)
            + "\n"
        )

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
            _element("content", item.get("articleBodyHtml") or item.get("articleBody"), type="html"),
        ]
        return f"<entry>{''.join(parts)}</entry>\n"

    def tail(self) -> str:
        return "</feed>\n"


# ---- tables
class CsvExporter(CsvItemExporter):
    """Scrapy's own, with all fields of an article as columns, lists and records as JSON, and no cell that a spreadsheet takes for a formula."""

    def export_item(self, item: Any) -> None:
        if self.fields_to_export is None and "articleBody" in item:
            self.fields_to_export = list(dict.fromkeys([*_COLUMNS, *item]))
        super().export_item(item)

    def serialize_field(self, field: Any, name: str, value: Any) -> Any:
        if isinstance(value, list | dict) and "serializer" not in field:
            return json.dumps(value, ensure_ascii=False) if value else ""
        return super().serialize_field(field, name, value)

    def _build_row(self, values: Iterable[Any]) -> Iterable[Any]:
        return (csv_cell(value) if isinstance(value, str) else value for value in super()._build_row(values))


class ParquetExporter(BaseItemExporter):
    """Parquet by pyarrow: a column a field; records as JSON, and what is no field of an article as JSON in ``more``."""

    def __init__(self, file: IO[bytes], **kwargs: Any) -> None:
        super().__init__(dont_fail=True, **kwargs)
        import pyarrow
        import pyarrow.parquet

        self.arrow, self.rows = pyarrow, list[dict[str, Any]]()
        self.schema = pyarrow.schema([(name, self._type(name)) for name in (*_COLUMNS, "more")])
        self.writer = pyarrow.parquet.ParquetWriter(file, self.schema)

    def _type(self, name: str) -> Any:
        if name == "revision":
            return self.arrow.int64()
        text, kind = self.arrow.string(), ITEM_FIELDS[name].kind if name in ITEM_FIELDS else FieldKind.RECORDS
        return self.arrow.list_(text) if kind is FieldKind.NAMES else text

    def export_item(self, item: Any) -> None:
        found = dict(item)
        more = {name: found.pop(name) for name in list(found) if name not in _COLUMNS}
        self.rows.append({name: _cell(name, value) for name, value in found.items()} | {"more": _json(more)})
        if len(self.rows) == _BATCH:
            self._flush()

    def _flush(self) -> None:
        self.writer.write_table(self.arrow.Table.from_pylist(self.rows, self.schema))
        self.rows = []

    def finish_exporting(self) -> None:
        self._flush()
        self.writer.close()


def _cell(name: str, value: Any) -> Any:
    return _json(value) if isinstance(value, dict | list) and ITEM_FIELDS[name].kind is not FieldKind.NAMES else value


def _json(value: Any) -> str | None:
    return json.dumps(value, ensure_ascii=False) if value else None


# ---- folders
class FolderFile(BytesIO):
    """What an exporter of a folder is given as its file."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder


class FeedPlace(FileFeedStorage):
    """Scrapy's storage of local feeds; the formats of ``FOLDER_FORMATS`` are given a folder."""

    def __init__(self, uri: str, *, feed_options: dict[str, Any] | None = None) -> None:
        super().__init__(uri, feed_options=feed_options)
        self.is_folder = (feed_options or {}).get("format") in FOLDER_FORMATS

    def open(self, spider: Any) -> IO[bytes]:
        if not self.is_folder:
            return super().open(spider)
        Path(self.path).mkdir(parents=True, exist_ok=True)
        return FolderFile(Path(self.path))


def _folder(file: IO[bytes]) -> FolderFile:
    if not isinstance(file, FolderFile):
        raise NotConfigured("this feed format writes a folder: -O FOLDER:FORMAT, with FEED_STORAGES of sitecrawl")
    return file


class MarkdownExporter(BaseItemExporter):
    """A Markdown file an article, with its facts as front matter; a changed article replaces its file."""

    def __init__(self, file: IO[bytes], **kwargs: Any) -> None:
        super().__init__(dont_fail=True, **kwargs)
        self.folder = _folder(file).folder

    def export_item(self, item: Any) -> None:
        found = dict(item)
        (self.folder / f"{_file_name(found['url'])}.md").write_text(
            markdown_of(found), encoding="utf8", errors="replace"
        )


def markdown_of(item: dict[str, Any]) -> str:
    """An article as Markdown below its facts; each fact is JSON, which is YAML as well."""
    left_out = ("articleBody", "articleBodyHtml", "provenance", "comments", "images")
    facts = {name: value for name, value in item.items() if value and name not in left_out}
    head = "".join(f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in facts.items())
    title = f"# {item['headline']}\n\n" if item.get("headline") else ""
    return f"---\n{head}---\n\n{title}{_body_markdown(item)}\n"


def _body_markdown(item: dict[str, Any]) -> str:
    """The body from its clean HTML, else from its text, a paragraph a line."""
    if item.get("articleBodyHtml"):
        return Content([parse(item["articleBodyHtml"], item["url"]).root], base_url=item["url"]).markdown
    return "\n\n".join((item.get("articleBody") or "").splitlines())


def _file_name(url: str) -> str:
    """A file name for a URL that a person recognises and that no other URL has.

    >>> _file_name("http://example.com/news/a-bridge.html?x=1")
    'news-a-bridge-html-x-1-38d4da46'
    """
    parts = urlsplit(unquote(url))
    name = _UNNAMED.sub("-", f"{parts.path} {parts.query}").strip("-")[-80:].strip("-")
    return f"{name or 'index'}-{hashlib.sha256(url.encode('utf-8', 'replace')).hexdigest()[:8]}"


class _SectionFeed(JsonFeedExporter):
    """The JSON Feed of one section: what this crawl brought, then what the file held."""

    def __init__(self, path: Path, facts: ChannelFacts) -> None:
        super().__init__(_Appended(path.with_suffix(".new")), facts)
        self.path, self.ids = path, set[str]()

    def entry(self, item: dict[str, Any]) -> str:
        self.ids.add(item["url"])
        return super().entry(item)

    def tail(self) -> str:
        old = [row for row in _rows(self.path) if row.get("id") not in self.ids]
        return "".join(f",\n{json.dumps(row, ensure_ascii=False)}" for row in old) + super().tail()

    def finish_exporting(self) -> None:
        super().finish_exporting()
        os.replace(self.path.with_suffix(".new"), self.path)


def _rows(path: Path) -> list[dict[str, Any]]:
    """The items of a JSON Feed; one that cannot be read is put aside."""
    try:
        rows: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf8"))["items"]
    except FileNotFoundError:
        return []
    except (ValueError, KeyError, TypeError):
        keep_old(path)
        return []
    return rows


class SectionFeedsExporter(BaseItemExporter):
    """A JSON Feed for each section, in a folder; ``index.json`` tells the sections' URLs by file."""

    def __init__(self, file: IO[bytes], facts: ChannelFacts | None = None, **kwargs: Any) -> None:
        super().__init__(dont_fail=True, **kwargs)
        self.folder, self.facts = _folder(file).folder, facts or ChannelFacts()
        self.feeds: dict[str, _SectionFeed] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler, file: IO[bytes], **kwargs: Any) -> SectionFeedsExporter:
        return cls(file, crawler.get_extension(ChannelFacts), **kwargs)

    def export_item(self, item: Any) -> None:
        section = str(dict(item).get("sectionUrl") or "")
        if section not in self.feeds:
            facts = ChannelFacts()
            facts.title, facts.home, facts.icon = self.facts.title, section or self.facts.home, self.facts.icon
            self.feeds[section] = _SectionFeed(self.folder / f"{_file_name(section)}.json", facts)
        self.feeds[section].export_item(item)

    def finish_exporting(self) -> None:
        for feed in self.feeds.values():
            feed.finish_exporting()
        path, index = self.folder / "index.json", {}
        if path.is_file():
            index = json.loads(path.read_text(encoding="utf8"))
        index |= {f"{_file_name(section)}.json": section or None for section in self.feeds}
        path.write_text(json.dumps(index, indent=1, ensure_ascii=False), encoding="utf8")


class _Appended(BytesIO):
    """A file that is open only while something is written: a site may have more sections than a process may have files."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        path.write_bytes(b"")

    def write(self, data: Any) -> int:
        with open(self.path, "ab") as file:
            return file.write(data)
