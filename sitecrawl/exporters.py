"""JSON lines, and the places of feeds: files, folders (``-O articles:markdown``), and feeds of the
newest articles, which each run writes anew."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import IO, Any

from scrapy.exporters import JsonLinesItemExporter
from scrapy.extensions.feedexport import FileFeedStorage

from sitecrawl.crawl.database import is_locked, write_whole
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


class RewrittenFile(BytesIO):
    """The "file" of an exporter that takes what the feed holds, and writes it anew at the end."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path


class FeedPlace(FileFeedStorage):
    """Scrapy's storage of local feeds, but a file that is overwritten is kept as ``old``, and only
    those that add to a file may write it at once. Formats of several files get a folder, those of
    the newest articles a ``RewrittenFile``."""

    old: Path | None = None

    def __init__(self, uri: str, *, feed_options: dict[str, Any] | None = None) -> None:
        super().__init__(uri, feed_options=feed_options)
        options = feed_options or {}
        form = feed_formats().get(options.get("format", ""))
        self.is_folder = (
            form is not None and form.is_folder and Path(self.path).suffix != form.suffix
        )
        # a compressed feed cannot be read again
        self.is_newest = form is not None and form.is_newest and not options.get("postprocessing")
        self.adds = self.write_mode == "ab"
        self.write_mode = "ab"  # a file is not emptied before it is locked

    def open(self, spider: Any) -> IO[bytes]:
        path = Path(self.path)
        if self.is_folder:
            path.mkdir(parents=True, exist_ok=True)
            return FolderFile(path)
        if self.is_newest:
            return RewrittenFile(path)
        file = super().open(spider)
        if is_locked(file, shared=self.adds):
            file.close()
            raise OSError(f"another command writes {path}: wait for it, or name another file")
        if self.adds or not path.is_file() or not path.stat().st_size:
            return file
        self.old = keep_old(path)
        file.close()
        return self.open(spider)

    def store(self, file: IO[bytes]) -> None:
        if isinstance(file, RewrittenFile):
            write_whole(file.path, file.getvalue())
        super().store(file)
