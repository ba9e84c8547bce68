"""JSON lines, and the folders of formats that write several files: ``-O articles:markdown``."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import IO, Any

from scrapy.exporters import JsonLinesItemExporter
from scrapy.extensions.feedexport import FileFeedStorage

from sitecrawl.feed_formats import feed_formats


class LinesExporter(JsonLinesItemExporter):
    """Scrapy's exporter, but a lone surrogate in an item does not prevent it from being written."""

    def export_item(self, item: Any) -> None:
        line = self.encoder.encode(dict(self.get_serialized_fields(item)))
        self.file.write(f"{line}\n".encode(self.encoding or "utf-8", "replace"))


class FolderFile(BytesIO):
    """The "file" of an exporter that writes a folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder


class FeedPlace(FileFeedStorage):
    """Scrapy's storage of local feeds; formats of several files get a folder."""

    def __init__(self, uri: str, *, feed_options: dict[str, Any] | None = None) -> None:
        super().__init__(uri, feed_options=feed_options)
        form = feed_formats().get((feed_options or {}).get("format", ""))
        self.is_folder = form is not None and form.is_folder

    def open(self, spider: Any) -> IO[bytes]:
        if not self.is_folder:
            return super().open(spider)
        Path(self.path).mkdir(parents=True, exist_ok=True)
        return FolderFile(Path(self.path))
