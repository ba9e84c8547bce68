"""Servers that fail in every way: the crawl ends, says so in its statistics, and keeps the articles
that were sound."""

from __future__ import annotations

import gzip
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from sitecrawl.crawl.config import CrawlArguments, CrawlSettings
from sitecrawl.crawl.hooks import NO_HOOKS, Hooks
from sitecrawl.crawl.records import WaitingPage
from sitecrawl.items.article import Article
from sitecrawl.spiders.site import SiteSpider
from tests.crawl.runner import Answer, crawl, reset, send, served, truncate
from tests.pages import article_page, listing_page

SOUND = range(6)


def hang(handler: BaseHTTPRequestHandler) -> None:
    time.sleep(30)


def bomb(handler: BaseHTTPRequestHandler) -> None:
    send(handler, 200, gzip.compress(b"<p>" + b"a" * 60_000_000), Content_Encoding="gzip")


def lie_about_charset(handler: BaseHTTPRequestHandler) -> None:
    send(handler, 200, article_page(9).encode(), Content_Type="text/html; charset=utf-16")


FAULTS: dict[str, Answer] = {
    "500": lambda handler: send(handler, 500, b"broken"),
    "429": lambda handler: send(handler, 429, b"slow down", Retry_After="1"),
    "hang": hang,
    "reset": reset,
    "truncated": truncate,
    "circle": lambda handler: send(handler, 302, b"", Location=handler.path),
    "bomb": bomb,
    "large": lambda handler: send(handler, 200, b"<p>" + b"a" * 17_000_000),
    "binary": lambda handler: send(
        handler, 200, b"\x89PNG\r\n\x1a\n" + bytes(2000), Content_Type="image/png"
    ),
    "empty": lambda handler: send(handler, 200, b""),
    "foreign": lambda handler: send(handler, 200, b"\x00\xff\xfe" * 3000),
}
LOST = {
    "500": "the_server_answered_500",
    "429": "the_server_answered_429",
    "hang": "no_answer_in_time",
    "reset": "cannot_be_reached",
    "truncated": "cannot_be_reached",
    "circle": "redirects_in_circles",
    "bomb": "too_large",
    "large": "too_large",
    "binary": "not_HTML",
    "empty": "the_page_is_empty",
}
"""What the statistics say of the page, where it is lost."""


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_one_bad_page_spoils_nothing(tmp_path: Path, fault: str) -> None:
    pages: dict[str, bytes | Answer] = {
        f"/2024/05/a-{n}.html": article_page(n).encode() for n in SOUND
    }
    pages["/2024/05/a-6.html"] = FAULTS[fault]
    pages["/"] = listing_page(range(7)).encode()
    patience = (
        3 if fault == "hang" else 60
    )  # a sound page of a busy machine must not count as one that hangs
    with served(pages) as site:
        settings = ("-s", f"DOWNLOAD_TIMEOUT={patience}", "-s", "LOG_LEVEL=INFO")
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl", *settings)
    assert run.code == 0
    assert fault not in LOST or f"sitecrawl/pages/lost/{LOST[fault]}'" in run.said, [
        line for line in run.said.splitlines() if "lost" in line
    ]
    assert "Traceback" not in run.said
    assert sorted(url.rpartition("/")[2] for url in run.urls) == [f"a-{n}.html" for n in SOUND]


def test_a_connection_that_breaks_when_it_is_used_again_is_told_as_such(tmp_path: Path) -> None:
    """One connection carries all requests. A second one that Twisted opens by itself would not know
    what the crawl may reach."""
    pages: dict[str, bytes | Answer] = {
        f"/2024/05/a-{n}.html": article_page(n).encode() for n in SOUND
    }
    pages["/2024/05/a-6.html"] = reset
    pages["/"] = listing_page(range(7)).encode()
    with served(pages) as site:
        settings = (
            "-s",
            "CONCURRENT_REQUESTS_PER_DOMAIN=1",
            "-s",
            "LOG_LEVEL=INFO",
            "-s",
            "RETRY_ENABLED=0",
        )
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl", *settings)
    assert "sitecrawl/pages/lost/cannot_be_reached'" in run.said
    assert "no_such_host" not in run.said


def test_a_wrong_charset_header_is_overruled(tmp_path: Path) -> None:
    pages: dict[str, bytes | Answer] = {
        f"/2024/05/a-{n}.html": article_page(n).encode() for n in SOUND
    }
    pages["/2024/05/a-9.html"] = lie_about_charset
    pages["/"] = listing_page([*SOUND, 9]).encode()
    with served(pages) as site:
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl")
    found = {item["url"].rpartition("/")[2]: item for item in run.items}
    assert found["a-9.html"]["headline"] == "Harbour bridge number 9 opens to cyclists"


def test_endless_pagination_comes_to_an_end(tmp_path: Path) -> None:
    def endless(handler: BaseHTTPRequestHandler) -> None:
        number = int(handler.path.split("/")[3])
        page = listing_page(SOUND).replace("/city/page/2/", f"/city/page/{number + 1}/")
        send(handler, 200, page.encode())

    pages: dict[str, bytes | Answer] = {
        f"/2024/05/a-{n}.html": article_page(n).encode() for n in SOUND
    }
    pages |= {"/city/": listing_page(SOUND).encode()} | {
        f"/city/page/{n}/": endless for n in range(2, 500)
    }
    with served(pages) as site:
        run = crawl(f"{site.url}/city/", tmp_path / "out.jsonl")
        assert len(site.asked) < 25
    assert len(run.items) == len(SOUND)


class Stumbling(SiteSpider):
    """Cannot read the first page that waited."""

    def __init__(
        self, arguments: CrawlArguments, settings: CrawlSettings, *, hooks: Hooks = NO_HOOKS
    ) -> None:
        super().__init__(arguments, settings, hooks=hooks)
        articles, stumbled = self.crawl.parts.articles, []
        join = articles.join

        def stumble(chain: list[WaitingPage]) -> Article:
            if not stumbled:
                stumbled.append(chain)
                raise ValueError(chain[0].record.url)
            return join(chain)

        articles.join = stumble  # type: ignore[method-assign]


def test_a_waiting_page_that_fails_holds_nothing_up(tmp_path: Path) -> None:
    pages: dict[str, bytes | Answer] = {
        f"/2024/05/a-{n}.html": article_page(n).encode() for n in range(12)
    }
    pages["/"] = listing_page(range(12)).encode()
    stumbling = ("-s", f"SPIDER_MODULES={__name__}", "-s", "LOG_LEVEL=INFO")
    with served(pages) as site:
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl", *stumbling)
        assert len(run.items) == 11
        assert "'sitecrawl/items/dropped/failed': 1" in run.said
        again = crawl(f"{site.url}/", tmp_path / "again.jsonl")
    assert len({*run.urls, *again.urls}) == 12
