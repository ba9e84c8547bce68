"""JSON lines, and the folders of formats that write several files: ``-O articles:markdown``."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import IO, Any

from scrapy.exporters import JsonLinesItemExporter
from scrapy.extensions.feedexport import FileFeedStorage

from sitecrawl.crawl.database import is_locked
from sitecrawl.extensions import keep_old
from sitecrawl.feed_formats import feed_formats


class LinesExporter(JsonLinesItemExporter):
    """Scrapy's exporter, but a lone surrogate in an item does not prevent it from being written."""

    def export_item(self, item: Any) -> None:
        line = self.encoder.encode(dict(self.get_serialized_fields(item)))
        self.file.write(f"{line}\n".encode(self.encoding or "utf-8", "replace"))
        # other crawls may add to the file: none of their lines begins within this one
        self.file.flush()


class FolderFile(BytesIO):
    """The "file" of an exporter that writes a folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder


class FeedPlace(FileFeedStorage):
    """Scrapy's storage of local feeds, but a file that is overwritten is kept as ``old``, and only
    those that add to a file may write it at once. Formats of several files get a folder."""

    old: Path | None = None

    def __init__(self, uri: str, *, feed_options: dict[str, Any] | None = None) -> None:
        super().__init__(uri, feed_options=feed_options)
        form = feed_formats().get((feed_options or {}).get("format", ""))
        self.is_folder = form is not None and form.is_folder
        self.adds, self.write_mode = (
            self.write_mode == "ab",
            "ab",
        )  # a file is not emptied before it is locked

    def open(self, spider: Any) -> IO[bytes]:
        path = Path(self.path)
        if self.is_folder:
            path.mkdir(parents=True, exist_ok=True)
            return FolderFile(path)
        file = super().open(spider)
        if is_locked(file, shared=self.adds):
            file.close()
            raise OSError(f"another command writes {path}: wait for it, or name another file")
        if self.adds or not path.is_file() or not path.stat().st_size:
            return file
        self.old = keep_old(path)
        file.close()
        return self.open(spider)
