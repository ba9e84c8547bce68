"""A feed in object storage by Scrapy's own storage: boto3 against a small store on loopback."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from tests.crawl.runner import crawl, send, served
from tests.pages import article_page, listing_page


@pytest.mark.parametrize("answer", [200, 403])
def test_a_feed_is_uploaded_at_the_end_of_the_crawl(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: int
) -> None:
    stored: dict[str, bytes] = {}

    def store(handler: BaseHTTPRequestHandler) -> None:
        stored[handler.path] = handler.rfile.read(int(handler.headers["Content-Length"]))
        send(handler, answer, b"")

    for name, value in {
        "ACCESS_KEY_ID": "me",
        "SECRET_ACCESS_KEY": "hush",
        "EC2_METADATA_DISABLED": "true",
    }.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    pages = {f"/2024/05/a-{n}.html": article_page(n).encode() for n in range(5)}
    with (
        served({**pages, "/city/": listing_page(range(5)).encode()}) as site,
        served({"*": store}) as server,
    ):
        words = ("-O", "s3://my-bucket/news.jsonl", "-s", f"AWS_ENDPOINT_URL={server.url}")
        found = crawl(
            f"{site.url}/city/", tmp_path / "out.jsonl", *words, "-s", "AWS_REGION_NAME=eu-west-1"
        )
    assert list(stored) == ["/my-bucket/news.jsonl"]
    if answer == 200:
        assert found.code == 0, found.said
        lines = [
            line for line in stored["/my-bucket/news.jsonl"].splitlines() if line.startswith(b"{")
        ]
        assert {json.loads(line)["headline"] for line in lines} == {
            f"Harbour bridge number {n} opens to cyclists" for n in range(5)
        }
    else:
        assert found.code == 1
        assert "a feed could not be written; fix the cause, then rerun the command" in found.said
