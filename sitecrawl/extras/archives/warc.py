"""WARC files read piece by piece: what a file holds and where, and the HTML pages of one piece."""

from __future__ import annotations

import heapq
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from warcio.archiveiterator import ArchiveIterator
from warcio.bufferedreaders import DecompressingBufferedReader
from warcio.exceptions import ArchiveLoadFailed
from warcio.recordloader import ArcWarcRecordLoader

from sitecrawl.errors import FileError
from sitecrawl.limits import LIMITS
from sitecrawl.text.chars import printable
from sitecrawl.urls.scope import host_of

_CHUNK = 65_536  # bytes read at once
_NAMED = 20  # records of a piece that are named when they are left out; further ones are counted


class ArchiveError(FileError):
    """A WARC file cannot be read."""

    kind = "archive"


class Piece(NamedTuple):
    """Consecutive records of an archive: offset of the first one, and their number."""

    offset: int
    records: int


class Candidate(NamedTuple):
    """A page from which its host's templates may be learned: its rank within the host, and its
    position."""

    rank: int
    archive: str
    offset: int


@dataclass(slots=True)
class Survey:
    """The contents of an archive: its pieces, its HTML pages by host, and why it is incomplete
    (empty if it is complete)."""

    pieces: list[Piece] = field(default_factory=list)
    hosts: dict[str, list[Candidate]] = field(default_factory=dict)
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class StoredPage:
    """An HTML page of an archive: URL, decompressed bytes, Content-Type header, and time of the
    fetch (ISO 8601)."""

    url: str
    body: bytes
    content_type: str
    fetched: str


class _Loader(ArcWarcRecordLoader):  # type: ignore[misc]
    """warcio's loader, which fails on records without a URL."""

    def load_http_headers(self, rec_type: str, uri: str | None, stream: Any, length: int) -> Any:
        return super().load_http_headers(rec_type, uri, stream, length) if uri else None


class _Reader(DecompressingBufferedReader):  # type: ignore[misc]
    """warcio's reader, which prints that data are damaged, once for each block behind the damage,
    and takes them for the end of a record."""

    def _decompress(self, data: bytes) -> bytes:
        is_within = self.decompressor is not None and self.num_block_read > 0
        read: bytes = self.decompressor.decompress(data) if is_within else super()._decompress(data)
        return read


class _CutError(EOFError):
    """An archive ends in the middle of a record."""


def check(path: Path) -> None:
    """Raise ArchiveError if an archive cannot be opened."""
    with _opened(path):
        pass


def survey(path: Path, pages: int, *, candidates: int) -> Survey:
    """Read an archive once without parsing pages: pieces of ``pages`` HTML pages, and up to
    ``candidates`` pages of each host, those with the lowest digests, so that the order of archives
    does not matter. Raises ArchiveError if the file cannot be opened; later errors are in
    ``trouble``."""
    found, offset, records, here = Survey(), 0, 0, 0
    try:
        with _opened(path) as stream:
            for start, record in _whole_records(stream):
                if here == pages:
                    found.pieces.append(Piece(offset, records))
                    offset, records, here = start, 0, 0
                records += 1
                url = _url(record)
                if _is_page(record) and url:
                    here += 1
                    rank = zlib.crc32(url.encode("utf-8", "replace"))
                    merge(
                        found.hosts,
                        {host_of(url): [Candidate(rank, str(path), start)]},
                        most=candidates,
                    )
    except _CutError:
        found.trouble = "cut off in the middle of a record"
    except (
        ArchiveLoadFailed,
        OSError,
        EOFError,
        AttributeError,
        zlib.error,
    ) as error:  # warcio lacks a limit for some
        told = str(error).partition(":")[0]  # behind it some messages quote bytes of the archive
        found.trouble = f"damaged ({told[:80] or type(error).__name__})"
    if records and (found.hosts or not found.trouble):  # noise may look like a record
        found.pieces.append(Piece(offset, records))
    elif not found.trouble:
        found.trouble = "holds no record"
    return found


def pages_of_piece(path: Path, piece: Piece, *, notes: list[str]) -> Iterator[StoredPage]:
    """The HTML pages of a piece from :func:`survey`. A line for each skipped record is added to
    ``notes``."""
    with _opened(path) as stream:
        left_out = 0
        for record in islice(_records(stream, piece.offset), piece.records):
            page = _page(record) if record.rec_type == "response" else ""
            if isinstance(page, StoredPage):
                yield page
            elif page:
                left_out += 1
                if left_out <= _NAMED:
                    notes.append(f"{path}: a record is left out: {printable(page)}")
        if left_out > _NAMED:
            notes.append(f"{path}: {left_out - _NAMED} further records are left out")


def page_at(candidate: Candidate) -> StoredPage | None:
    """The page of a candidate; None if it is skipped."""
    return next(pages_of_piece(Path(candidate.archive), Piece(candidate.offset, 1), notes=[]), None)


def merge(
    hosts: dict[str, list[Candidate]], more: dict[str, list[Candidate]], *, most: int
) -> None:
    """Add candidates to those of each host and keep the ``most`` lowest, sorted."""
    for host, found in more.items():
        hosts[host] = heapq.nsmallest(
            most, [*hosts.get(host, ()), *(Candidate(*one) for one in found)]
        )


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """The open file. Raises ArchiveError if it cannot be opened."""
    try:
        with open(path, "rb") as stream:
            yield stream
    except FileNotFoundError:
        raise ArchiveError(path, "not found", "check the name") from None
    except (PermissionError, IsADirectoryError) as error:
        raise ArchiveError(
            path, f"cannot be read ({error.strerror})", "allow it, or leave it out"
        ) from None


def _records(stream: Any, offset: int) -> ArchiveIterator:
    stream.seek(offset)
    records = ArchiveIterator(stream)
    records.loader, records.reader = _Loader(arc2warc=False), _Reader(stream)
    return records


def _whole_records(stream: Any) -> Iterator[tuple[int, Any]]:
    """The records with their offsets. Raises _CutError where the file ends in one; warcio takes the
    end of the file for the end of a record. A packed record may end too early by itself: then the
    next one is complete again."""
    records, end = _records(stream, 0), 0
    for record in records:
        start = records.get_record_offset()  # reads to the end of the record
        packer, end = records.reader.decompressor, records.offset
        if record.raw_stream.limit if packer is None else not (packer.eof or records.next_line):
            raise _CutError
        yield start, record
    if end < os.fstat(stream.fileno()).st_size:
        raise _CutError


def _url(record: Any) -> str:
    return record.rec_headers.get_header("WARC-Target-URI") or ""


def _is_page(record: Any) -> bool:
    """Whether a record is a response with an HTML page and a 2xx status."""
    if record.rec_type != "response" or not record.http_headers:
        return False
    is_html = "html" in (record.http_headers.get_header("Content-Type") or "").casefold()
    return is_html and (record.http_headers.get_statuscode() or "200").startswith("2")


def _page(record: Any) -> StoredPage | str:
    """The page of a response, or why it is skipped; empty if it has no page."""
    url = _url(record)
    if not url:
        return "it has no address"
    if not _is_page(record):
        return ""
    body = _body(record.content_stream())
    if len(body) > LIMITS.body_bytes:
        return f"{url} is larger than a page may be"
    header = record.http_headers.get_header
    declared = header("Content-Length")
    packed = header("Content-Encoding") or header("Transfer-Encoding")
    is_short = declared and declared.isdigit() and not packed and len(body) < int(declared)
    if is_short or record.raw_stream.limit:
        return f"{url} was cut off when it was stored"
    return StoredPage(
        url, body, header("Content-Type") or "", record.rec_headers.get_header("WARC-Date") or ""
    )


def _body(stream: Any) -> bytes:
    """A decompressed body, read to just above the size limit of a page."""
    found = bytearray()
    while len(found) <= LIMITS.body_bytes and (chunk := stream.read(_CHUNK)):
        found += chunk
    return bytes(found)
