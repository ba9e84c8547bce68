"""A Scrapy extension that records every response of a crawl in WARC files, so that the crawl can be
extracted again."""

from __future__ import annotations

import logging
import os
from datetime import UTC, datetime
from io import BytesIO, FileIO
from pathlib import Path

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response
from twisted.web.http import RESPONSES
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

import sitecrawl
from sitecrawl.crawl.config import CrawlSettings
from sitecrawl.middlewares.page_handler import LOGIN
from sitecrawl.urls.scope import host_of

logger = logging.getLogger(__name__)
# bytes of a file after which the next one begins: what most tools for archives write
_ROTATE = 1_000_000_000
_DECODED = (
    "transfer-encoding",
    "content-length",
)  # headers of the transfer; the length of the body is written anew


class CrawlArchive:
    """Writes the responses of one crawl to ``folder`` immediately: a kill loses at most the one
    that is being written."""

    def __init__(self, crawler: Crawler, folder: Path) -> None:
        self.crawler, self.folder = crawler, folder
        self.file: FileIO | None = None
        self.failed = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> CrawlArchive:
        folder = CrawlSettings.from_settings(crawler.settings).warc
        if folder is None:
            raise NotConfigured
        self = cls(crawler, folder)
        crawler.signals.connect(self.received, signals.response_downloaded)
        crawler.signals.connect(self.closed, signals.spider_closed)
        return self

    def received(self, response: Response, request: Request) -> None:
        """Record a response, unless it is that of a login, which may show what was sent. If it
        cannot be written, this is logged once and the crawl continues without an archive."""
        if self.failed or request.meta.get(LOGIN):
            return
        try:
            self._write(response, bool(request.meta.get("playwright")))
        except OSError as error:
            self.failed = True
            told = (
                "The archive in %s cannot be written (%s): the responses from now on are not in it"
            )
            logger.error(told, self.folder, error.strerror)

    def closed(self) -> None:
        if self.file is not None:
            self.file.close()
            self.file = None

    def _write(self, response: Response, drawn: bool) -> None:
        writer = WARCWriter(BytesIO(), gzip=True)
        headers = _headers(response, drawn)
        payload = BytesIO(response.body)
        writer.write_record(
            writer.create_warc_record(
                response.url, "response", payload=payload, http_headers=headers
            )
        )
        self._append(self.file or self._begin(host_of(response.url)), writer.out.getvalue())
        if self.crawler.stats:
            self.crawler.stats.inc_value("sitecrawl/archive/responses")

    def _append(self, file: FileIO, record: bytes) -> None:
        """Write a complete record or nothing."""
        start, rest = file.tell(), memoryview(record)
        try:
            while rest:
                rest = rest[file.write(rest) :]
        except OSError:
            file.truncate(start)
            raise
        if file.tell() >= _ROTATE:
            self.closed()

    def _begin(self, host: str) -> FileIO:
        """Open the next file, with a name that no other crawl uses."""
        self.folder.mkdir(parents=True, exist_ok=True)
        moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
        path = self.folder / f"{host.replace(':', '-') or 'crawl'}-{moment}-{os.getpid()}.warc.gz"
        self.file = FileIO(path, "xb")
        writer = WARCWriter(self.file, gzip=True)
        about = {"software": f"sitecrawl/{sitecrawl.__version__}", "format": "WARC File Format 1.0"}
        writer.write_record(writer.create_warcinfo_record(path.name, about))
        return self.file


def _headers(response: Response, drawn: bool) -> StatusAndHeaders:
    """Status line and headers as received, without cookies; without ``Content-Encoding`` for a
    response that a browser decompressed."""
    skip = (*_DECODED, "set-cookie", *(["content-encoding"] if drawn else []))
    named = [(name.decode("latin-1"), values) for name, values in response.headers.items()]
    pairs = [
        (name, one.decode("latin-1"))
        for name, values in named
        if name.casefold() not in skip
        for one in values
    ]
    pairs.append(("Content-Length", str(len(response.body))))
    reason = RESPONSES.get(response.status, b"").decode("latin-1")
    return StatusAndHeaders(f"{response.status} {reason}".strip(), pairs, protocol="HTTP/1.1")
