"""`scrapy batch WARC...`: articles from stored pages, without any request."""

from __future__ import annotations

import argparse
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed

from sitecrawl.commands._output import OneLineErrors
from sitecrawl.dom.encoding import decode
from sitecrawl.dom.parse import parse
from sitecrawl.errors import FileError
from sitecrawl.extract.single import extract_page
from sitecrawl.items.feed_items import item_of
from sitecrawl.site.model import SiteModel
from sitecrawl.urls.scope import host_of

_LEARNED = 12
"""Article pages of a host that its templates are learned from."""
_UNSAID = re.compile(r"[^][\w .'()-]", re.ASCII)


class ArchiveError(FileError):
    """A WARC file cannot be read."""

    kind = "archive"


class Command(OneLineErrors, ScrapyCommand):
    """Reads the archives twice: to learn each host's templates, then to extract."""

    def syntax(self) -> str:
        return "[-o FILE] WARC..."

    def short_desc(self) -> str:
        return "Extract the articles of WARC files"

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


def _records(stream: Any, path: Path) -> Iterator[tuple[str, str]]:
    for record in ArchiveIterator(stream):
        kind = record.http_headers.get_header("Content-Type", "") if record.http_headers else ""
        if record.rec_type != "response" or "html" not in kind.casefold():
            continue
        body = record.content_stream().read()
        told = record.http_headers.get_header("Content-Length")
        encoded = record.http_headers.get_header("Content-Encoding") or record.http_headers.get_header(
            "Transfer-Encoding"
        )
        if told and told.isdigit() and not encoded and len(body) < int(told):
            raise ArchiveError(path, "cut off in the middle of a record", "fetch the file again")
        yield str(record.rec_headers.get_header("WARC-Target-URI")), decode(body, kind)[0]


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
    with open(target, "w", encoding="utf8") as feed:
        for url, text in pages(files):
            if not _is_article(url, text):
                continue
            article = sites[host_of(url)].extract(text, url)
            feed.write(json.dumps(item_of(article, None), ensure_ascii=False) + "\n")
            count += 1
    return count
