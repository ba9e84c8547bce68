"""Feed formats: JSON Feed 1.1 (``-O out.feed.json:jsonfeed``), and CSV that is safe to open."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import IO, Any

from scrapy.exporters import BaseItemExporter, CsvItemExporter

from sitecrawl.items.json_feed import VERSION, feed_item
from sitecrawl.text.chars import csv_cell


class JsonFeedExporter(BaseItemExporter):
    """Writes a JSON Feed."""

    def __init__(self, file: IO[bytes], **kwargs: Any) -> None:
        super().__init__(dont_fail=True, **kwargs)
        self.file = file
        self.first = True

    def start_exporting(self) -> None:
        self.file.write(f'{{"version": "{VERSION}", "title": "sitecrawl", "items": [\n'.encode())

    def export_item(self, item: Any) -> None:
        row = json.dumps(feed_item(dict(item)), ensure_ascii=False)
        self.file.write((("" if self.first else ",\n") + row).encode())
        self.first = False

    def finish_exporting(self) -> None:
        self.file.write(b"\n]}\n")


class CsvExporter(CsvItemExporter):
    """Scrapy's own, with cells that no spreadsheet takes for a formula."""

    def _build_row(self, values: Iterable[Any]) -> Iterable[Any]:
        return (csv_cell(value) if isinstance(value, str) else value for value in super()._build_row(values))
