"""JSON Feed 1.1 as a Scrapy feed format: ``-O out.feed.json:jsonfeed``."""

from __future__ import annotations

import json
from typing import IO, Any

from scrapy.exporters import BaseItemExporter

from sitecrawl.items.feed_items import VERSION, feed_item


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
