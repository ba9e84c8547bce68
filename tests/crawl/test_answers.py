"""Answers that are none, and servers that ask for patience: pauses, soft 404s, login walls, a
server that recovers."""

from __future__ import annotations

import time
from collections import Counter
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from scrapy.exceptions import CannotResolveHostError, IgnoreRequest
from scrapy.http import Response
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.python.failure import Failure

from sitecrawl.crawl.records import RequestContext, Role
from sitecrawl.spiders.answers import failed_page
from tests.crawl.driver import HOME, Crawl, Network, Reply, story_of
from tests.crawl.runner import Answer, crawl, send, served
from tests.pages import article_page, listing_page

SOUND = range(6)
STORY = "/2024/05/a-6.html"
LOGGED = ("-s", "LOG_LEVEL=INFO")
FORM = '<form action="/login" method="post"><input name="user"><input type="password" name="word"><button>Go</button></form>'


def site_with(answer: Answer) -> dict[str, bytes | Answer]:
    """Six sound articles and one, linked like the others, that ``answer`` serves."""
    pages: dict[str, bytes | Answer] = {
        f"/2024/05/a-{n}.html": article_page(n).encode() for n in SOUND
    }
    return pages | {STORY: answer, "/": listing_page(range(7)).encode()}


class Failing:
    """Fails some times, then serves the article; notes when it was asked."""

    def __init__(self, status: int, times: int, headers: dict[str, str] | None = None) -> None:
        self.status, self.times, self.headers = status, times, headers or {}
        self.at: list[float] = []

    def __call__(self, handler: BaseHTTPRequestHandler) -> None:
        self.at.append(time.time())
        if len(self.at) <= self.times:
            send(handler, self.status, b"not now", **self.headers)
        else:
            send(handler, 200, article_page(6).encode())


@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_in_seconds(tmp_path: Path, status: int) -> None:
    answer = Failing(status, 1, {"Retry_After": "2"})
    with served(site_with(answer)) as site:
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl", *LOGGED)
    assert len(run.items) == 7
    assert answer.at[1] - answer.at[0] >= 2
    assert "sitecrawl/pauses/asked" in run.said


def test_retry_after_as_a_date(tmp_path: Path) -> None:
    until: list[float] = []
    answer = Failing(429, 1)

    def dated(handler: BaseHTTPRequestHandler) -> None:
        until.append(float(int(time.time()) + 3))
        answer.headers = {"Retry_After": formatdate(until[0], usegmt=True)}
        answer(handler)

    with served(site_with(dated)) as site:
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl")
    assert len(run.items) == 7
    assert answer.at[1] >= until[0]


def test_a_pause_holds_for_the_host_and_is_bounded(tmp_path: Path) -> None:
    answer = Failing(429, 1, {"Retry_After": "86400"})
    with served(site_with(answer)) as site:
        run = crawl(
            f"{site.url}/",
            tmp_path / "out.jsonl",
            "-s",
            "SITECRAWL_MAX_WAIT=1",
            "-s",
            "CONCURRENT_REQUESTS=1",
        )
    assert len(run.items) == 7
    assert 1 <= answer.at[1] - answer.at[0] < 20


def test_a_server_that_recovers_loses_nothing(tmp_path: Path) -> None:
    answer = Failing(500, 1)
    with served(site_with(answer)) as site:
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl", *LOGGED)
    assert len(run.items) == 7
    assert "retry/reason_count/500" in run.said


def test_a_body_longer_than_it_was_said_to_be(tmp_path: Path) -> None:
    def lie(handler: BaseHTTPRequestHandler) -> None:
        send(handler, 200, article_page(6).encode(), Content_Length="900")

    with served(site_with(lie)) as site:
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl")
    assert run.code == 0
    assert "Traceback" not in run.said
    assert {f"a-{n}.html" for n in SOUND} <= {url.rpartition("/")[2] for url in run.urls}
    assert "1 page came without its end" in run.said


@pytest.mark.parametrize(
    "wait", [0, 6]
)  # whether other articles come first, so that this one waits for no template
def test_an_article_without_its_end_is_flagged_and_requested_again(
    tmp_path: Path, wait: int
) -> None:
    """A server that does not say how long a page is may break off anywhere. What came was stored as
    the whole article."""
    whole = article_page(wait).encode()
    pages = {f"/2024/05/a-{n}.html": article_page(n) for n in range(7)} | {
        "/": listing_page(range(7))
    }
    path = f"/2024/05/a-{wait}.html"
    first = Crawl.of(
        Network(pages | {path: Reply(whole[: whole.index(b"residents")], etag='"1"')}), tmp_path
    )
    assert "1 page came without its end" in story_of(first.run())
    assert [
        item["url"] for item in first.feed if "incomplete" in item["provenance"].get("flags", ())
    ] == [HOME + path]
    assert len(first.feed) == 7
    again = Crawl.of(Network(pages | {path: Reply(whole, etag='"1"')}), tmp_path)
    assert "without" not in story_of(again.run())
    (item,) = again.feed
    assert item["revision"] == 2
    assert "flags" not in item["provenance"]
    assert len(item["articleBody"]) > 300
    third = Crawl.of(Network(pages), tmp_path)
    third.run()
    assert path not in third.network.asked


def test_a_listing_without_its_end_is_told_and_never_taken_from_the_state(tmp_path: Path) -> None:
    whole = listing_page(range(7)).encode()
    pages = {f"/2024/05/a-{n}.html": article_page(n) for n in range(7)}
    first = Crawl.of(
        Network(pages | {"/": Reply(whole[: whole.index(b"a-4.html")], etag='"1"')}), tmp_path
    )
    assert "1 page came without its end" in story_of(first.run())
    again = Crawl.of(Network(pages | {"/": Reply(whole, etag='"1"')}), tmp_path, first.feed)
    again.run()
    assert len({item["url"] for item in again.feed}) == 7


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Page not found", "The page you asked for does not exist. Try the search."),
        ("404 - The Example", "Something went wrong here."),
        ("页面不存在", "您访问的页面不存在或已被删除，三秒后返回首页。"),
        ("Seite nicht gefunden", "Leider gibt es diese Seite nicht mehr."),
    ],
)
def test_an_error_page_with_status_200_is_no_article(tmp_path: Path, title: str, text: str) -> None:
    missing = article_page(6)
    start, end = missing.index("<h1>"), missing.index('<div class="share">')
    missing = (
        f'{missing[:start]}<h1>{title}</h1><div class="text"><p>{text}</p></div>{missing[end:]}'
    )
    with served(site_with(lambda handler: send(handler, 200, missing.encode()))) as site:
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl", *LOGGED)
    assert len(run.items) == 6
    assert "sitecrawl/pages/fake/missing" in run.said


def test_one_text_for_every_address_is_no_article(tmp_path: Path) -> None:
    text = article_page(3)
    pages: dict[str, bytes | Answer] = {
        "/": listing_page(range(12)).encode(),
        "/robots.txt": lambda handler: send(handler, 404, b""),
        "*": lambda handler: send(
            handler, 200, text.replace("8:30", f"8:{len(handler.path)}").encode()
        ),
    }
    with served(pages) as site:
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl", *LOGGED)
    assert len(run.items) <= 2
    assert "sitecrawl/items/dropped/repeat" in run.said


@pytest.mark.parametrize("way", ["redirect", "same page", "start"])
def test_a_login_wall(tmp_path: Path, way: str) -> None:
    form = f"<html><head><title>Sign in</title></head><body><h1>Please log in</h1>{FORM}</body></html>".encode()

    def wall(handler: BaseHTTPRequestHandler) -> None:
        if way == "same page" or handler.path.startswith("/login"):
            send(handler, 200, form.replace(b"Go", handler.path.encode()))
        else:
            send(handler, 302, b"", Location="/login")

    pages: dict[str, bytes | Answer] = {
        "/robots.txt": lambda handler: send(handler, 404, b""),
        "*": wall,
    }
    if way != "start":
        pages["/"] = listing_page(range(8)).encode()
    with served(pages) as site:
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl")
    assert run.code == 1
    assert run.items == []
    assert run.said.strip() == "sitecrawl: the site asks for a login; nothing was written"


def test_a_login_box_beside_articles_is_no_wall(tmp_path: Path) -> None:
    pages = {
        path: body.replace(b'<div id="main">', f'<h2>Sign in</h2>{FORM}<div id="main">'.encode())
        for path, body in site_with(lambda handler: None).items()
        if isinstance(body, bytes)
    }
    with served(dict(pages)) as site:
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl")
    assert run.code == 0
    assert len(run.items) == 6
    assert len(Counter(run.urls)) == 6


@pytest.mark.parametrize("way", ["same page", "own login page", "one login page"])
def test_articles_behind_a_session_that_ended_are_told_and_requested_again(
    tmp_path: Path, way: str
) -> None:
    """The cookies of a user end in the middle of a crawl. Without a listing that names them still,
    later runs never asked for these articles again."""
    form = f"<html><head><title>Sign in</title></head><body><h1>Please log in</h1>{FORM}</body></html>".encode()
    articles = {f"/2024/05/a-{n}.html": article_page(n).encode() for n in range(12)}
    left = 4

    def answer(url: str) -> Reply:
        nonlocal left
        path = url.removeprefix(HOME)
        if path == "/":
            return Reply(listing_page(range(shown)).encode())
        if path not in articles:
            return Reply(form, 200 if path.startswith("/login") else 404)
        left -= 1
        if left >= 0:
            return Reply(articles[path])
        return (
            Reply(form)
            if way == "same page"
            else Reply(to="/login" + f"?next={path}" * (way == "own login page"))
        )

    shown, network = 12, Network({"*": answer})
    first = Crawl.of(network, tmp_path)
    told = story_of(first.run())
    assert "they ask for a login" in told
    assert "8 articles were not opened (the next run continues with them)" in told
    assert len(first.feed) == 4
    shown, left = 3, 99
    second = Crawl.of(network, tmp_path, first.feed)
    second.run()
    assert second.paths == sorted(articles)


def test_a_connection_that_is_closed_is_told_in_words(tmp_path: Path) -> None:
    def hang_up(handler: BaseHTTPRequestHandler) -> None:
        handler.close_connection = True

    for closing in ("/", "/robots.txt"):
        with served({"/": listing_page(range(6)).encode(), closing: hang_up}) as site:
            run = crawl(f"{site.url}/", tmp_path / "out.jsonl")
        assert "cannot be reached (Connection was closed cleanly)" in run.said
        assert "twisted" not in run.said


def test_an_answer_that_ends_too_early_is_named(tmp_path: Path) -> None:
    """It was told as "cannot be reached ()"."""

    def half(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/html")
        handler.send_header("Content-Length", "900")
        handler.end_headers()
        handler.wfile.write(b"<p>A paragraph.</p>")
        handler.close_connection = True

    with served({"/": half}) as site:
        assert (
            "cannot be reached (half a body)" in crawl(f"{site.url}/", tmp_path / "out.jsonl").said
        )


@pytest.mark.parametrize(
    ("problem", "may_pass"),
    [
        *(
            (HttpError(Response(HOME, status=status)), True)
            for status in (403, 405, 412, 418, 429, 503)
        ),
        *((HttpError(Response(HOME, status=status)), False) for status in (400, 404, 410)),
        (CannotResolveHostError("news.example"), True),
        (IgnoreRequest("max redirections reached"), True),
        (IgnoreRequest("Forbidden by robots.txt"), False),
    ],
)
def test_which_failures_may_pass(problem: Exception, may_pass: bool) -> None:
    """Pages that firewalls refused with other statuses than 403 and 429, or that failed with the
    network, were not requested by later runs."""
    assert failed_page(Failure(problem), RequestContext(HOME, Role.ARTICLE)).may_pass is may_pass
