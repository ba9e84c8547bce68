"""Items sent to a web service, ``-O https://host/path``, signed as https://www.standardwebhooks.com
says."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import logging
import os
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from io import BytesIO
from typing import IO, Any

from scrapy.crawler import Crawler
from scrapy.exporters import BaseItemExporter
from scrapy.extensions.feedexport import BlockingFeedStorage

from sitecrawl.commands._http import HttpClient
from sitecrawl.errors import SitecrawlError
from sitecrawl.extras.sinks.feed_writing import fields_of, with_secrets

logger = logging.getLogger(__name__)


class WebhookFeed(BytesIO):
    """Delivers messages in a thread, one after another: a slow receiver does not stop the crawl.
    ``why`` is the reason of a failure. Raises SitecrawlError for a secret that cannot be
    decoded."""

    def __init__(self, url: str) -> None:
        super().__init__()
        secret = os.environ.get("SITECRAWL_WEBHOOK_SECRET", "")
        named = secret.startswith("whsec_")
        try:
            self.key = (
                base64.b64decode(secret.removeprefix("whsec_"), validate=True)
                if named
                else secret.encode()
            )
        except ValueError:
            raise SitecrawlError(
                "SITECRAWL_WEBHOOK_SECRET: after whsec_ comes base64; copy the secret again"
            ) from None
        self.url = url
        self.retries = 0
        self.lost = 0
        self.why = ""
        self.thread = ThreadPoolExecutor(1)

    def send(self, items: list[dict[str, Any]]) -> None:
        """Queue a message."""
        body = json.dumps({"items": items}, ensure_ascii=False).encode("utf-8", "replace")
        self.thread.submit(self._deliver, body, len(items))

    def _deliver(self, body: bytes, items: int) -> None:
        """Send a message until it is answered with 2xx, with pauses of 1, 2, 4 ... seconds; after a
        lost message no other is tried."""
        why, name = self.why, f"msg_{hashlib.sha256(body).hexdigest()[:24]}"
        for attempt in range(0 if why else self.retries + 1):
            time.sleep(2 ** (attempt - 1) if attempt else 0)
            now = str(int(time.time()))
            headers = {"webhook-id": name, "webhook-timestamp": now}
            if self.key:
                signed = hmac.digest(self.key, f"{name}.{now}.".encode() + body, "sha256")
                headers["webhook-signature"] = f"v1,{base64.b64encode(signed).decode()}"
            try:
                HttpClient(self.url).post_json(self.url, body, **headers)
                return
            except (OSError, HTTPException) as error:
                why = str(error)
        self.why, self.lost = why, self.lost + items


class WebhookExporter(BaseItemExporter):
    """Sends items in messages of ``batch``, each again up to ``retries`` times. If one is not delivered, the crawl stops; articles that
    it still writes are counted as lost."""

    crawler: Crawler
    _stop: asyncio.Future[None] | None = None

    def __init__(
        self, file: WebhookFeed, *, batch: int = 20, retries: int = 5, **kwargs: Any
    ) -> None:
        super().__init__(dont_fail=True, **kwargs)
        self.file = file
        self.file.retries = retries
        self.batch = batch
        self.items = list[dict[str, Any]]()

    @classmethod
    def from_crawler(cls, crawler: Crawler, file: WebhookFeed, **kwargs: Any) -> WebhookExporter:
        self = cls(file, **kwargs)
        self.crawler = crawler
        return self

    def export_item(self, item: Any) -> None:
        self.items.append(fields_of(item))
        if len(self.items) >= self.batch:
            self.finish_exporting()
        if self.file.why and self._stop is None:
            self._stop = asyncio.ensure_future(self.crawler.stop_async())

    def finish_exporting(self) -> None:
        items, self.items = self.items, []
        if items:
            self.file.send(items)


class WebhookStorage(BlockingFeedStorage):
    """Scrapy's feed storage for a web service; it closes when everything is delivered, or after the
    last attempt."""

    def __init__(self, uri: str, *, feed_options: dict[str, Any] | None = None) -> None:
        self.uri = uri

    def open(self, spider: Any) -> IO[bytes]:
        """Raises SitecrawlError for a URL that lacks a secret, or shows one."""
        return WebhookFeed(with_secrets(self.uri))

    def _store_in_thread(self, file: IO[bytes]) -> None:
        assert isinstance(file, WebhookFeed)
        file.thread.shutdown()
        if file.lost:
            logger.warning("%s: %d articles were not delivered (%s)", self.uri, file.lost, file.why)
            raise OSError(file.why)
