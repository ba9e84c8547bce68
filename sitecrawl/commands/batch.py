"""`scrapy batch WARC...`: articles from stored pages, without any request."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed
from warcio.recordloader import ArcWarcRecordLoader

from sitecrawl.commands._help import Help
from sitecrawl.commands._output import OneLineErrors
from sitecrawl.dom.encoding import decode
from sitecrawl.dom.parse import parse
from sitecrawl.errors import FileError
from sitecrawl.extract.single import extract_page
from sitecrawl.items.feed_items import item_of
from sitecrawl.limits import LIMITS
from sitecrawl.site.model import SiteModel
from sitecrawl.text.chars import printable
from sitecrawl.urls.scope import host_of

_CHUNK = 65_536
_LEARNED = 12
"""Article pages of a host that its templates are learned from."""
_UNSAID = re.compile(r"[^][\w .'()-]", re.ASCII)


class ArchiveError(FileError):
    """A WARC file cannot be read."""

    kind = "archive"


class OutputError(FileError):
    """The feed cannot be written."""

    kind = "feed"


class Command(OneLineErrors, ScrapyCommand):
    """Reads the archives twice: to learn each host's templates, then to extract."""

    explains = Help(
        "Extract the articles of WARC files",
        {"WARC": "archive to read, plain or gzipped"},
        ("sitecrawl batch --output articles.jsonl crawl-1.warc.gz crawl-2.warc.gz",),
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "-o", "--output", default="articles.jsonl", help="JSON-lines file to write (default: %(default)s)"
        )

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        files = [Path(name) for name in args]
        if not files:
            raise UsageError("name at least one WARC file")
        sites = learn(files)
        count = write(files, sites, Path(opts.output))
        print(f"sitecrawl: {count} articles of {len(sites)} hosts in {opts.output}")


def pages(files: list[Path]) -> Iterator[tuple[str, str]]:
    """URL and text of every HTML response. Raises ArchiveError when a file is missing, truncated or not an archive."""
    for path in files:
        try:
            with open(path, "rb") as stream:
                yield from _records(stream, path)
        except FileNotFoundError:
            raise ArchiveError(path, "not found", "check the name") from None
        except (ArchiveLoadFailed, OSError, EOFError) as error:
            raise ArchiveError(path, f"damaged ({_words(error)})", "fetch it again, or leave it out") from None


def _words(error: Exception) -> str:
    """The message of an error without the bytes of the archive that some messages repeat.

    >>> _words(ArchiveLoadFailed("Unknown archive format, first line: ['\\x9d\\x06']")), _words(EOFError("no\\x00"))
    ('Unknown archive format', 'no')
    """
    return _UNSAID.split(str(error).strip(), maxsplit=1)[0][:80] or type(error).__name__


class _Loader(ArcWarcRecordLoader):  # type: ignore[misc]
    """warcio's own, which takes it for granted that a record has an address."""

    def load_http_headers(self, rec_type: str, uri: str | None, stream: Any, length: int) -> Any:
        return super().load_http_headers(rec_type, uri, stream, length) if uri else None


def _records(stream: Any, path: Path) -> Iterator[tuple[str, str]]:
    records = ArchiveIterator(stream)
    records.loader = _Loader(arc2warc=False)
    for record in records:
        url = record.rec_headers.get_header("WARC-Target-URI") or ""
        if record.rec_type == "response" and not url:
            _leave_out(path, url)
        kind = record.http_headers.get_header("Content-Type", "") if record.http_headers else ""
        if record.rec_type != "response" or "html" not in kind.casefold():
            continue
        body = _body(record.content_stream())
        if len(body) > LIMITS.body_bytes:
            _leave_out(path, url)
            continue
        told = record.http_headers.get_header("Content-Length")
        encoded = record.http_headers.get_header("Content-Encoding") or record.http_headers.get_header(
            "Transfer-Encoding"
        )
        if told and told.isdigit() and not encoded and len(body) < int(told):
            raise ArchiveError(path, "cut off in the middle of a record", "fetch the file again")
        yield url, decode(body, kind)[0]


@lru_cache(maxsize=1000)
def _leave_out(path: Path, url: str) -> None:
    """Tell of a record that is not read, once although archives are read twice."""
    why = f"{url} is larger than a page may be" if url else "it has no address"
    print(f"sitecrawl: {path}: a record is left out: {printable(why)}", file=sys.stderr)


def _body(stream: Any) -> bytes:
    """A body, unpacked no further than a page may be large."""
    found = bytearray()
    while len(found) <= LIMITS.body_bytes and (chunk := stream.read(_CHUNK)):
        found += chunk
    return bytes(found)


def learn(files: list[Path]) -> dict[str, SiteModel]:
    """One site model for each host, learned from its first article pages."""
    samples: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for url, text in pages(files):
        found = samples[host_of(url)]
        if len(found) < _LEARNED and _is_article(url, text):
            found.append((url, text))
    sites = {}
    for host, found in samples.items():
        sites[host] = SiteModel(host)
        sites[host].learn(found)
    return sites


def _is_article(url: str, text: str) -> bool:
    return extract_page(parse(text, url)).page_type in ("article", "thread")


def write(files: list[Path], sites: dict[str, SiteModel], target: Path) -> int:
    """Write the articles and return their number."""
    count = 0
    with _opened(target) as feed:
        for url, text in pages(files):
            if not _is_article(url, text):
                continue
            article = sites[host_of(url)].extract(text, url)
            feed.write(json.dumps(item_of(article, None), ensure_ascii=False) + "\n")
            count += 1
    return count


@contextmanager
def _opened(target: Path) -> Iterator[IO[str]]:
    """The feed to write. Raises OutputError where it cannot be."""
    try:
        with open(target, "w", encoding="utf8") as feed:
            yield feed
    except OSError as error:
        raise OutputError(target, f"cannot be written ({error.strerror})", "name another with -o") from None
