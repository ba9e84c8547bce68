"""JSON Feed 1.1 as a Scrapy feed format: ``-O out.feed.json:jsonfeed``."""

from __future__ import annotations

import json
from typing import IO, Any

from scrapy.exporters import BaseItemExporter

_OWN = (
    "comments",
    "breadcrumbs",
    "source",
    "provenance",
    "canonicalUrl",
    "dateModified",
    "images",
    "sectionUrl",
    "revision",
)


class JsonFeedExporter(BaseItemExporter):
    """Writes a JSON Feed (https://www.jsonfeed.org/version/1.1/); what the standard does not know stands in ``_sitecrawl``."""

    def __init__(self, file: IO[bytes], **kwargs: Any) -> None:
        super().__init__(dont_fail=True, **kwargs)
        self.file = file
        self.first = True

    def start_exporting(self) -> None:
        self.file.write(b'{"version": "https://jsonfeed.org/version/1.1", "title": "sitecrawl", "items": [\n')

    def export_item(self, item: Any) -> None:
        row = json.dumps(feed_item(dict(item)), ensure_ascii=False)
        self.file.write((("" if self.first else ",\n") + row).encode())
        self.first = False

    def finish_exporting(self) -> None:
        self.file.write(b"\n]}\n")


def feed_item(item: dict[str, Any]) -> dict[str, Any]:
    """A JSON Feed item of an article item.

    >>> feed_item({"url": "http://example.com/a", "headline": "A", "articleBody": "b"})["id"]
    'http://example.com/a'
    """
    image = item.get("mainImage") or {}
    known = {
        "id": item["url"],
        "url": item["url"],
        "title": item.get("headline"),
        "content_html": item.get("articleBodyHtml") or None,
        "content_text": item.get("articleBody") or "",
        "summary": item.get("description"),
        "image": image.get("url"),
        "date_published": _moment(item.get("datePublished")),
        "date_modified": _moment(item.get("dateModified")),
        "authors": item.get("authors") or None,
        "tags": item.get("tags") or None,
        "language": item.get("inLanguage"),
        "_sitecrawl": {name: item[name] for name in _OWN if item.get(name)},
    }
    return {name: value for name, value in known.items() if value is not None}


def _moment(value: str | None) -> str | None:
    """RFC 3339, as JSON Feed asks; a day alone begins at midnight, a missing zone is UTC."""
    if not value:
        return None
    full = value if "T" in value else f"{value}T00:00:00"
    return full if full[-1] == "Z" or full[-6] in "+-" else f"{full}Z"
