"""Articles sent to a web service: a receiver on loopback that fails at first, and one that fails
for good."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from time import time
from typing import Any

import pytest

from tests.crawl.runner import Run, command, crawl, send, served
from tests.pages import article_page, listing_page
from tests.process import finished

PAGES: dict[str, Any] = {f"/2024/05/a-{n}.html": article_page(n).encode() for n in range(6)} | {
    "/city/": listing_page(range(6)).encode()
}
URLS = {f"/2024/05/a-{n}.html" for n in range(6)}


class Receiver:
    """Takes messages; ``answers`` are the statuses of the first requests, then 204."""

    def __init__(self, *answers: int) -> None:
        self.answers: Iterator[int] = iter(answers)
        self.asked: list[int] = []
        self.messages: list[tuple[dict[str, str], bytes]] = []

    def __call__(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers["Content-Length"]))
        self.asked.append(next(self.answers, 204))
        if self.asked[-1] == 204:
            self.messages.append(
                ({name.lower(): value for name, value in handler.headers.items()}, body)
            )
        send(handler, self.asked[-1], b"", Location="/elsewhere")

    @property
    def paths(self) -> list[str]:
        """The articles that came, in order."""
        found = [item for _, body in self.messages for item in json.loads(body)["items"]]
        return ["/" + item["url"].split("/", 3)[3] for item in found]


def crawl_to(hook: str, url: str, feed: Path, *more: str, **how: int) -> Run:
    """Crawl into a web service; ``how`` are the arguments of the exporter, which Scrapy's settings
    name."""
    feeds = {hook: {"format": "webhook", "item_export_kwargs": how}}
    line = [word for word in command(url, feed) if word not in ("-O", str(feed))]
    done = finished([*line, "-s", f"FEEDS={json.dumps(feeds)}", *more])
    return Run(done.returncode, done.stderr, [])


def test_messages_arrive_signed_although_the_receiver_fails_at_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    receiver, key = Receiver(503, 429), b"our shared key"
    monkeypatch.setenv("SITECRAWL_WEBHOOK_SECRET", "whsec_" + base64.b64encode(key).decode())
    monkeypatch.setenv("HOOK_TOKEN", "to/ken")
    with served({**PAGES, "/hook/to%2Fken": receiver}) as site:
        hook, start = f"{site.url}/hook/$HOOK_TOKEN", f"{site.url}/city/"
        more = ("-s", "LOG_LEVEL=DEBUG")
        found = crawl_to(hook, start, tmp_path / "out.jsonl", *more, batch=4, retries=5)
    assert (found.code, "6 articles" in found.said) == (0, True), found.said
    assert receiver.asked == [503, 429, 204, 204]
    assert sorted(receiver.paths) == sorted(URLS)
    for headers, body in receiver.messages:
        name, moment = headers["webhook-id"], headers["webhook-timestamp"]
        expected = hmac.new(key, f"{name}.{moment}.".encode() + body, hashlib.sha256).digest()
        assert headers["webhook-signature"] == f"v1,{base64.b64encode(expected).decode()}"
        assert abs(time() - int(moment)) < 60
        assert headers["content-type"] == "application/json"
    assert len({headers["webhook-id"] for headers, _ in receiver.messages}) == 2
    assert "our shared key" not in found.said
    assert "to/ken" not in found.said.replace("%2F", "/")


@pytest.mark.parametrize("answer", [500, 302])
def test_what_is_not_delivered_is_told_and_sent_by_the_next_run(
    tmp_path: Path, answer: int
) -> None:
    receiver = Receiver(204, *[answer] * 50)
    pages = {**PAGES, "/hook": receiver}
    with served(pages) as site:
        start, feed = f"{site.url}/city/", tmp_path / "out.jsonl"
        to_hook = partial(crawl_to, f"{site.url}/hook", start, feed, batch=4, retries=1)
        failed = to_hook()
        assert failed.code == 1
        why = "HTTP Error 500" if answer == 500 else "redirected to"
        # no more of the URL than its host: a token may be in its path
        assert f"http://127.0.0.1: 2 articles were not delivered ({why}" in failed.said
        assert "/hook" not in failed.said
        assert "a feed could not be written; fix the cause, then rerun the command" in failed.said
        assert receiver.asked == [204, answer, answer]
        pages["/hook"] = later = Receiver()
        mended = to_hook()
        assert mended.code == 0, mended.said
        assert {*later.paths} >= URLS
        third = to_hook()
        assert third.code == 0, third.said
    assert len(later.paths) == 6
    assert "webhook-signature" not in later.messages[0][0]


def test_a_receiver_that_is_down_ends_the_crawl(tmp_path: Path) -> None:
    with served(PAGES) as site:
        feed = tmp_path / "out.jsonl"
        found = crawl_to("http://127.0.0.1:1/", f"{site.url}/city/", feed, batch=1, retries=0)
    assert found.code == 1
    assert "6 articles were not delivered (" in found.said
    assert "refused" in found.said


def test_a_secret_that_is_written_out_is_refused(tmp_path: Path) -> None:
    found = crawl(
        "http://127.0.0.1:1/", tmp_path / "out.jsonl", "-O", "https://me:secret@hook.example/"
    )
    assert (found.code, "secret" in found.said) == (2, False)
    assert "others can see a password in a URL" in found.said


def test_a_secret_that_cannot_be_decoded_is_refused_before_the_crawl(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SITECRAWL_WEBHOOK_SECRET", "whsec_cut?off")
    found = crawl("http://127.0.0.1:1/", tmp_path / "out.jsonl", "-O", "http://127.0.0.1:1/hook")
    assert found.code == 2
    assert (
        found.said
        == "sitecrawl: SITECRAWL_WEBHOOK_SECRET: after whsec_ comes base64; copy the secret again\n"
    )
