"""WARC files for the tests, and what `scrapy batch` makes of them."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from hashlib import sha256
from io import BytesIO
from pathlib import Path

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from tests.crawl.runner import typed
from tests.pages import article_page, listing_page

Record = tuple[str, str | bytes, str]
"""URL, page, and status line of an answer."""


def stored(path: Path, records: Iterable[Record]) -> Path:
    """A WARC file of answers, packed where its name says so."""
    with open(path, "wb") as stream:
        writer = WARCWriter(stream, gzip=path.suffix == ".gz")
        for url, page, status in records:
            body = page.encode() if isinstance(page, str) else page
            pairs = [("Content-Type", "text/html"), ("Content-Length", str(len(body)))]
            headers = StatusAndHeaders(status, pairs, protocol="HTTP/1.1")
            writer.write_record(
                writer.create_warc_record(
                    url, "response", payload=BytesIO(body), http_headers=headers
                )
            )
    return path


def news(host: str, count: int) -> list[Record]:
    """A listing page, articles and a missing page of a host."""
    articles = [
        (f"http://{host}/2024/05/a-{n}.html", article_page(n), "200 OK") for n in range(count)
    ]
    missing = (f"http://{host}/2024/05/gone.html", article_page(count), "404 Not Found")
    return [(f"http://{host}/city/", listing_page(range(9)), "200 OK"), *articles, missing]


def batch(*arguments: object) -> subprocess.CompletedProcess[str]:
    return typed("batch", *map(str, arguments))


def digest(folder: Path) -> str:
    """Digest of all parts in a folder."""
    found = sha256()
    for path in sorted(folder.glob("*.jsonl")):
        found.update(path.name.encode() + path.read_bytes())
    return found.hexdigest()
