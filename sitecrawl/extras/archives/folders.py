"""A folder of HTML files as an archive, so that it is read like one: with templates by host."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from sitecrawl.dom.parse import parse
from sitecrawl.extras.archives.warc import ArchiveError
from sitecrawl.limits import LIMITS

_ENDINGS = (".html", ".htm", ".xhtml")
_FILES = ("file", "path", "name", "filename")
_URLS = ("url", "link", "address")
"""Names of columns, in any case, of a table that gives the URLs of files."""


class StoredFile(NamedTuple):
    path: Path
    url: str


def packed(folder: Path, into: Path) -> Path:
    """The archive with the pages of a folder, written ``into`` another one, unless an earlier call
    wrote it since the files changed. Raises ArchiveError for a folder without a page, OSError."""
    files = [path for path in sorted(folder.rglob("*")) if path.suffix.lower() in _ENDINGS]
    files = [path for path in files if path.is_file()]
    if not files:
        raise ArchiveError(folder, "holds no HTML file", "name another folder, or WARC files")
    archive = into / f"{folder.resolve().name}.warc.gz"
    newest = max(path.stat().st_mtime for path in files)
    if archive.is_file() and archive.stat().st_mtime > newest:
        return archive
    into.mkdir(parents=True, exist_ok=True)
    fresh = archive.with_suffix(".new")
    with open(fresh, "wb") as stream:
        writer = WARCWriter(stream, gzip=True)
        for stored in _pages(folder, files):
            _write(writer, stored)
    fresh.replace(archive)
    return archive


def _write(writer: WARCWriter, stored: StoredFile) -> None:
    body = stored.path.read_bytes()
    moment = datetime.fromtimestamp(stored.path.stat().st_mtime, UTC)
    headers = StatusAndHeaders(
        "200 OK",
        [("Content-Type", "text/html"), ("Content-Length", str(len(body)))],
        protocol="HTTP/1.1",
    )
    record = writer.create_warc_record(
        stored.url,
        "response",
        payload=BytesIO(body),
        http_headers=headers,
        warc_headers_dict={"WARC-Date": f"{moment:%Y-%m-%dT%H:%M:%SZ}"},
    )
    writer.write_record(record)


def _pages(folder: Path, files: list[Path]) -> Iterator[StoredFile]:
    """The files with their URLs: that of a table in the folder, else the canonical one of the page,
    else the path, which begins with a host as ``wget --mirror`` writes it, or is put behind the
    name of the folder."""
    table = _table(folder)
    for path in files:
        name = path.relative_to(folder).as_posix()
        url = table.get(name) or table.get(path.name) or _canonical(path) or _by_path(folder, name)
        yield StoredFile(path, url)


def _table(folder: Path) -> Mapping[str, str]:
    """The URLs by file name of the CSV files in a folder. Raises ArchiveError for a file that is no
    such table."""
    found = dict[str, str]()
    for path in sorted(folder.glob("*.csv")):
        try:
            with open(path, encoding="utf-8-sig", newline="") as lines:
                rows = csv.DictReader(lines)
                columns = {name.strip().casefold(): name for name in rows.fieldnames or ()}
                file = next((columns[name] for name in _FILES if name in columns), None)
                url = next((columns[name] for name in _URLS if name in columns), None)
                if file is None or url is None:
                    remedy = "give it the columns file and url, or move it away"
                    raise ArchiveError(path, "names no URLs of files", remedy)
                for row in rows:
                    found[(row[file] or "").strip()] = (row[url] or "").strip()
        except (UnicodeDecodeError, csv.Error) as error:
            raise ArchiveError(path, f"is no table ({error})", "save it as CSV in UTF-8") from None
    return {name: url for name, url in found.items() if urlsplit(url).scheme in ("http", "https")}


def _canonical(path: Path) -> str:
    with open(path, "rb") as file:
        body = file.read(LIMITS.body_bytes)
    metadata = parse(body, "").metadata
    named = metadata.links.get("canonical") or metadata.first("og:url") or ""
    return named if urlsplit(named).scheme in ("http", "https") else ""


def _by_path(folder: Path, name: str) -> str:
    host, slash, rest = name.partition("/")
    if not (slash and "." in host):
        host, rest = folder.resolve().name, name
    return f"http://{quote(host)}/{quote(rest)}"
