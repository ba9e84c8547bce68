"""Manners and their abuse: robots.txt by RFC 9309, pauses and clocks, what a page may write to a
terminal, a log, a spreadsheet."""

from __future__ import annotations

import csv
import logging
import time
from http.server import BaseHTTPRequestHandler
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from scrapy.http import Request, Response
from scrapy.utils.test import get_crawler

from sitecrawl.crawl.permissions import parsed, rules_of
from sitecrawl.crawl.records import RequestContext
from sitecrawl.crawl.store import Stores
from sitecrawl.dom.page import Page
from sitecrawl.extras.report.fleet import fleet_of
from sitecrawl.limits import LIMITS
from sitecrawl.middlewares.retry_after import RetryAfter
from sitecrawl.settings import USER_AGENT
from tests.crawl.runner import Answer, crawl, scrapy, send, served
from tests.crawl.test_bad_input import complaint
from tests.pages import article_page, listing_page


def robots(status: int, text: str = "") -> Answer:
    return lambda handler: send(handler, status, text.encode(), Content_Type="text/plain")


def city(count: int = 4) -> dict[str, bytes | Answer]:
    pages: dict[str, bytes | Answer] = {
        f"/2024/05/a-{n}.html": article_page(n).encode() for n in range(count)
    }
    return pages | {"/city/": listing_page(range(count)).encode()}


@pytest.mark.parametrize(("status", "code"), [(503, 1), (500, 1), (404, 0), (403, 0), (410, 0)])
def test_robots_txt_that_does_not_come(tmp_path: Path, status: int, code: int) -> None:
    with served({**city(), "/robots.txt": robots(status, "User-agent: *\nDisallow: /")}) as site:
        run = crawl(f"{site.url}/city/", tmp_path / "out.jsonl")
    assert run.code == code
    causes = fleet_of(Stores(tmp_path / "state")).sites[0].causes
    assert [cause.kind for cause in causes] == ["server"] * code, (
        "it was said that robots.txt forbids the start page"
    )
    assert (f"robots.txt cannot be reached (the server answered {status})" in run.said) == bool(
        code
    )
    assert len(run.items) == (0 if code else 4)


def test_robots_txt_forbids_every_request_that_waits_for_it(tmp_path: Path) -> None:
    """Several are under way as a crawl of some start pages begins, as one is continued, or when a
    further host is met."""
    with served({**city(8), "/robots.txt": robots(200, "User-agent: *\nDisallow: /2024/")}) as site:
        starts = ",".join(f"{site.url}/2024/05/a-{n}.html" for n in range(8))
        run = crawl(starts, tmp_path / "out.jsonl")
        assert site.asked == ["/robots.txt"]
    assert (run.code, run.items) == (1, [])


def hang_up(handler: BaseHTTPRequestHandler) -> None:
    handler.close_connection = True


def test_a_robots_txt_that_cannot_be_reached_forbids_all_for_now(tmp_path: Path) -> None:
    """RFC 9309, section 2.3.1.4: unreachable by an error of the network is unreachable, as with
    5xx."""
    with served({**city(), "/robots.txt": hang_up}) as site:
        run = crawl(f"{site.url}/city/", tmp_path / "out.jsonl")
        assert (
            "robots.txt cannot be reached" in scrapy("why", f"{site.url}/2024/05/a-1.html").stderr
        )
        assert set(site.asked) == {"/robots.txt"}
        assert site.asked.count("/robots.txt") > 2, "it is asked for again"
    assert run.code == 1
    assert "robots.txt cannot be reached" in complaint(run)


def test_a_robots_txt_that_comes_late_counts_from_then_on(tmp_path: Path) -> None:
    tries: list[float] = []

    def late(handler: BaseHTTPRequestHandler) -> None:
        tries.append(time.monotonic())
        if len(tries) < 2:
            hang_up(handler)
        else:
            send(
                handler,
                200,
                b"User-agent: *\nDisallow: /2024/05/a-1.html",
                Content_Type="text/plain",
            )

    with served({**city(), "/robots.txt": late}) as site:
        run = crawl(f"{site.url}/city/", tmp_path / "out.jsonl")
    assert len(run.items) == 3


@pytest.mark.costs(2)
def test_a_robots_txt_without_end_counts_to_its_limit() -> None:
    head = "User-agent: *\nDisallow: /private/\n"
    body = (head + "".join(f"Disallow: /x{n}/\n" for n in range(1_000_000))).encode()
    rules = rules_of(body, 200)
    assert len(rules) <= LIMITS.robots_bytes
    assert body.startswith(rules + b"\n")
    found = parsed(body)
    assert not found.can_fetch("http://a.example/private/1", "sitecrawl")
    assert found.can_fetch("http://a.example/x999999/1", "sitecrawl")


@pytest.mark.parametrize("begin", ["User-agent: ", "user agent ", " USERAGENT:"])
@pytest.mark.costs(2)
def test_a_robots_txt_of_many_agents_with_many_rules_forbids_everything(begin: str) -> None:
    """It took 42 seconds and a gigabyte: each rule was stored for each agent."""
    rules = "".join(f"Disallow: /x{n}/\n" for n in range(20_000))
    agents = "".join(f"{begin}a{n}\n" for n in range(1_000))
    assert not parsed((agents + rules).encode()).can_fetch("http://a.example/1", "sitecrawl")
    each = "".join(f"User-agent: a{n}\nDisallow: /\n" for n in range(1_000)).encode()
    assert rules_of(each, 200) == each


@pytest.mark.costs(2)
def test_a_rule_of_many_stars_is_matched_at_once() -> None:
    """Protego before 0.6.2 took longer for each star: with nine of them it did not end within a
    minute."""
    assert parsed(b"User-agent: *\nDisallow: /" + b"*a" * 20 + b"*b\n").can_fetch(
        f"http://a.example/{'a' * 300}", "x"
    )


def test_crawl_delay_is_kept(tmp_path: Path) -> None:
    moments: list[float] = []

    def timed(page: bytes) -> Answer:
        def answer(handler: BaseHTTPRequestHandler) -> None:
            moments.append(time.monotonic())
            send(handler, 200, page)

        return answer

    pages: dict[str, bytes | Answer] = {
        path: timed(page) for path, page in city().items() if isinstance(page, bytes)
    }
    with served({**pages, "/robots.txt": robots(200, "User-agent: *\nCrawl-delay: 0.5")}) as site:
        run = crawl(f"{site.url}/city/", tmp_path / "out.jsonl")
    assert len(run.items) == 4
    gaps = [after - before for before, after in pairwise(moments)]
    assert min(gaps) > 0.4, gaps


def test_a_clock_set_back_prolongs_no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses = RetryAfter(get_crawler(), 120)
    request = Request("http://a.example/")
    pauses.process_response(
        request, Response(request.url, status=429, headers={"Retry-After": "2"})
    )
    monkeypatch.setattr(time, "time", lambda: 0.0)
    monkeypatch.setattr("sitecrawl.middlewares.retry_after.time", lambda: 0.0)
    assert pauses.until["a.example"] - time.monotonic() <= 2


def log_what_it_says(page: Page, context: RequestContext) -> bool:
    """A page filter of a user that logs what a site may say."""
    logging.getLogger(__name__).warning("%s", "red \x1b[31m")
    return True


def test_what_a_users_own_step_logs_steers_no_terminal(tmp_path: Path) -> None:
    with served(city()) as site:
        step = ("-s", f"SITECRAWL_PAGE_FILTERS={__name__}.log_what_it_says")
        run = crawl(f"{site.url}/city/", tmp_path / "out.jsonl", *step)
    assert "red \\x1b[31m" in run.said
    assert "\x1b" not in run.said


def test_what_a_site_says_steers_no_terminal_and_forges_no_line(tmp_path: Path) -> None:
    kind = "text/\x1b[31mred"
    with served({"/": lambda handler: send(handler, 200, b"%PDF", Content_Type=kind)}) as site:
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl")
    assert "\x1b" not in run.said
    forged = "/2024/05/a%0AERROR%20forged%1B.html"
    pages = city()
    pages["/city/"] = listing_page(range(4)).replace("/2024/05/a-3.html", forged).encode()
    with served(pages) as site:
        run = crawl(f"{site.url}/city/", tmp_path / "log.jsonl", "-s", "LOG_LEVEL=DEBUG")
    assert "\x1b" not in run.said
    assert not [line for line in run.said.splitlines() if line.startswith("ERROR forged")]


def test_no_feed_holds_what_steers_a_terminal(tmp_path: Path) -> None:
    pages: dict[str, Any] = city()
    ld = '{"@type": "NewsArticle", "author": {"name": "Ann \\u009b31m Onym"}}'
    for number in range(4):
        page = article_page(number).replace(
            "Harbour bridge number", "Harbour &#27;]0;x&#7; bridge number"
        )
        page = page.replace("</head>", f'<script type="application/ld+json">{ld}</script></head>')
        pages[f"/2024/05/a-{number}.html"] = page.encode()
    kinds = ("csv", "xml", "markdown", "jsonl", "rss")
    feeds = [word for kind in kinds for word in ("-O", f"{tmp_path}/feeds/{kind}:{kind}")]
    with served(pages) as site:
        run = crawl(f"{site.url}/city/", tmp_path / "out.jsonl", *feeds)
    written = [
        file.read_text(encoding="utf8")
        for file in (tmp_path / "feeds").rglob("*")
        if file.is_file()
    ]
    assert run.code == 0
    assert len(written) == len(kinds) - 1 + 4
    assert not [text for text in written if set(text) & set("\x1b\x07\x9b") or "\\u001b" in text]
    assert all("Harbour" in text for text in written)


def test_cells_of_a_csv_feed_are_no_formulas(tmp_path: Path) -> None:
    pages: dict[str, Any] = city()
    for number, sign in enumerate("=+-@"):
        page = article_page(number).replace(
            "Harbour bridge number", f"{sign}HYPERLINK(1) bridge number"
        )
        pages[f"/2024/05/a-{number}.html"] = page.encode()
    with served(pages) as site:
        crawl(f"{site.url}/city/", tmp_path / "out.csv")
    with open(tmp_path / "out.csv", encoding="utf8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 4
    assert all("HYPERLINK" in row["headline"] for row in rows)
    assert not [
        cell for row in rows for cell in row.values() if cell.startswith(("=", "+", "-", "@"))
    ]


def test_a_crawl_asks_for_no_language(tmp_path: Path) -> None:
    """It asked for English, so that sites in several languages did not answer in their own."""
    languages: set[str] = set()

    def answer(handler: BaseHTTPRequestHandler) -> None:
        languages.add(handler.headers["Accept-Language"])
        send(handler, 200, article_page(1).encode())

    with served({"*": answer}) as site:
        crawl(f"{site.url}/", tmp_path / "out.jsonl")
    assert languages == {"*"}


def test_the_user_agent_names_a_contact_and_a_crawl_without_one_says_so_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A public site, served by a proxy on loopback."""
    agents: set[str] = set()

    def answer(page: bytes) -> Answer:
        def named(handler: BaseHTTPRequestHandler) -> None:
            agents.add(handler.headers["User-Agent"])
            send(handler, 200, page)

        return named

    start = "http://public.example/city/"
    pages = {
        f"http://public.example{path}": answer(page)
        for path, page in city().items()
        if isinstance(page, bytes)
    }
    with served({**pages}) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        monkeypatch.setenv("no_proxy", "")
        first, second = (crawl(start, tmp_path / f"{number}.jsonl") for number in range(2))
        assert agents == {USER_AGENT}
        assert "SITECRAWL_CONTACT=" in first.said
        assert "articles from" in first.said.splitlines()[1]  # the summary comes behind it
        assert "SITECRAWL_CONTACT=" not in second.said
        agents.clear()
        contact = ("-s", "SITECRAWL_CONTACT=mailto:ann@example.org")
        third = crawl(start, tmp_path / "new" / "out.jsonl", *contact)
    assert agents == {USER_AGENT.replace(")", "; +mailto:ann@example.org)")}
    assert "SITECRAWL_CONTACT" not in third.said
