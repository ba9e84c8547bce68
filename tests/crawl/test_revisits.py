"""Repeated runs: what did not change is not sent again, a changed article is written again as its
next revision."""

from __future__ import annotations

import hashlib
import signal
from collections import Counter
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.crawl.runner import Answer, Run, command, crawl, items_of, send, served
from tests.crawl.test_interrupt import run_for
from tests.pages import article_page, listing_page

REFRESH = ("-a", "refresh=1")
INFO = ("-s", "LOG_LEVEL=INFO")
CHANGED = "Tue, 04 Jun 2024 10:00:00 GMT"


@dataclass
class Press:
    """A site whose server knows validators. ``sent`` and ``spared`` hold the paths answered by 200
    and by 304."""

    pages: dict[str, str]
    modified: str = ""
    etags: bool = True
    sent: list[str] = field(default_factory=list)
    spared: list[str] = field(default_factory=list)

    def answers(self) -> dict[str, bytes | Answer]:
        return dict.fromkeys(self.pages, self.answer)

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        body = self.pages[handler.path].encode()
        etag = f'"{hashlib.md5(body).hexdigest()}"'
        known = {"ETag": etag} if self.etags else {}
        known |= {"Last_Modified": self.modified} if self.modified else {}
        if self.etags and handler.headers["If-None-Match"] == etag:
            self.spared.append(handler.path)
            handler.send_response(304)
            handler.end_headers()
        else:
            self.sent.append(handler.path)
            send(handler, 200, body, **known)

    def forget(self) -> None:
        self.sent.clear()
        self.spared.clear()

    def change(self, number: int) -> None:
        path = f"/2024/05/a-{number}.html"
        self.pages[path] = self.pages[path].replace(
            "the first paragraph", "the mended and much longer first paragraph"
        )


def press(count: int = 6, **more: str | bool) -> Press:
    pages = {f"/2024/05/a-{n}.html": article_page(n) for n in range(count)}
    return Press(pages | {"/city/": listing_page(range(count))}, **more)  # type: ignore[arg-type]


def numbers(run: Run) -> list[str]:
    return sorted(urlsplit(url).path for url in run.urls)


def articles(paths: list[str]) -> list[str]:
    return sorted(path for path in paths if path.startswith("/2024"))


def test_a_second_run_asks_for_listings_only_and_they_are_not_sent(tmp_path: Path) -> None:
    paper = press()
    with served(paper.answers()) as site:
        first = crawl(f"{site.url}/city/", tmp_path / "out.jsonl")
        paper.forget()
        second = crawl(f"{site.url}/city/", tmp_path / "out.jsonl")
    assert (len(first.items), len(second.items), second.code) == (6, 0, 0)
    assert (paper.sent, paper.spared) == ([], ["/city/"])


def test_a_listing_that_did_not_change_still_leads_to_one_that_did(tmp_path: Path) -> None:
    paper = press()
    paper.pages |= {"/city/page/2/": listing_page([0]), "/2024/05/a-20.html": article_page(20)}
    with served(paper.answers()) as site:
        crawl(f"{site.url}/city/", tmp_path / "out.jsonl")
        paper.forget()
        paper.pages["/city/page/2/"] = listing_page([0, 20])
        run = crawl(f"{site.url}/city/", tmp_path / "out.jsonl")
    assert numbers(run) == ["/2024/05/a-20.html"]
    assert "/city/" in paper.spared
    assert paper.sent == ["/city/page/2/", "/2024/05/a-20.html"]


@pytest.mark.parametrize("etags", [True, False])
def test_the_links_of_a_known_article_are_followed_where_a_crawl_starts_at_it(
    tmp_path: Path, etags: bool
) -> None:
    """It had not changed, and was not read: the crawl ended without an article, and said that none
    is new."""
    paper = press(2, etags=etags)
    first = "/2024/05/a-1.html"
    paper.pages[first] = paper.pages[first].replace(
        "</body>", '<a href="/2024/05/a-8.html">The tram of line 8</a></body>'
    )
    paper.pages["/2024/05/a-8.html"] = article_page(8)
    with served(paper.answers()) as site:
        crawl(f"{site.url}/city/", tmp_path / "out.jsonl")
        run = crawl(f"{site.url}{first}", tmp_path / "out.jsonl")
    assert numbers(run) == ["/2024/05/a-8.html"]
    assert "the start page is an article itself" in run.said


def test_refresh_asks_known_articles_whether_they_changed(tmp_path: Path) -> None:
    paper = press()
    with served(paper.answers()) as site:
        crawl(f"{site.url}/city/", tmp_path / "out.jsonl")
        paper.forget()
        run = crawl(f"{site.url}/city/", tmp_path / "out.jsonl", *REFRESH, *INFO)
    assert (run.code, run.items, paper.sent) == (0, [], [])
    assert articles(paper.spared) == [f"/2024/05/a-{n}.html" for n in range(6)]
    assert "'sitecrawl/revisits/asked': 7" in run.said
    assert "'sitecrawl/revisits/unchanged': 7" in run.said
    assert "'sitecrawl/pages/unchanged': 6" in run.said


@pytest.mark.parametrize("etags", [True, False])
def test_a_changed_article_leaves_again_as_its_next_revision(tmp_path: Path, etags: bool) -> None:
    paper = press(modified=CHANGED, etags=etags)
    with served(paper.answers()) as site:
        first = crawl(f"{site.url}/city/", tmp_path / "out.jsonl")
        runs = []
        for text in ("one", "two"):
            path = "/2024/05/a-3.html"
            paper.pages[path] = paper.pages[path].replace(
                "residents", f"residents and the other {text}"
            )
            runs.append(crawl(f"{site.url}/city/", tmp_path / "out.jsonl", *REFRESH))
    assert {item["revision"] for item in first.items} == {1}
    assert {item["dateModified"] for item in first.items} == {None}
    for number, run in enumerate(runs):
        (item,) = run.items
        assert urlsplit(item["url"]).path == "/2024/05/a-3.html"
        assert (item["revision"], item["dateModified"]) == (number + 2, "2024-06-04T10:00:00Z")
        assert "other" in item["articleBody"]


def test_a_page_that_dates_its_change_is_believed(tmp_path: Path) -> None:
    paper = press(modified=CHANGED)
    with served(paper.answers()) as site:
        crawl(f"{site.url}/city/", tmp_path / "out.jsonl")
        paper.change(2)
        path = "/2024/05/a-2.html"
        dated = '<meta property="article:modified_time" content="2024-06-01T09:00:00+02:00"><title>'
        paper.pages[path] = paper.pages[path].replace("<title>", dated)
        run = crawl(f"{site.url}/city/", tmp_path / "out.jsonl", *REFRESH)
    assert [item["dateModified"] for item in run.items] == ["2024-06-01T09:00:00+02:00"]


def test_a_page_sent_anew_byte_for_byte_has_not_changed(tmp_path: Path) -> None:
    paper = press(etags=False)
    with served(paper.answers()) as site:
        crawl(f"{site.url}/city/", tmp_path / "out.jsonl")
        run = crawl(f"{site.url}/city/", tmp_path / "out.jsonl", *REFRESH, *INFO)
    assert run.items == []
    assert "'sitecrawl/pages/unchanged': 6" in run.said


def test_refresh_asks_for_articles_that_no_listing_names_any_more(tmp_path: Path) -> None:
    paper = press()
    with served(paper.answers()) as site:
        crawl(f"{site.url}/city/", tmp_path / "out.jsonl")
        paper.pages["/city/"] = listing_page([0, 1])
        paper.change(5)
        run = crawl(f"{site.url}/city/", tmp_path / "out.jsonl", *REFRESH)
        assert numbers(run) == ["/2024/05/a-5.html"]
        paper.change(5)
        paper.forget()
        limited = crawl(f"{site.url}/city/", tmp_path / "out.jsonl", *REFRESH, "-a", "max_pages=3")
    assert limited.code == 0
    assert len(paper.sent + paper.spared) <= 3


@pytest.mark.parametrize("most", [1, 2, 4])
def test_articles_one_too_many_come_with_the_next_run(tmp_path: Path, most: int) -> None:
    """Also the one whose arrival lets all go that wait, when it is itself too many."""
    paper = press(9)
    with served(paper.answers()) as site:
        first = crawl(f"{site.url}/city/", tmp_path / "out.jsonl", "-a", f"max_articles={most}")
        second = crawl(f"{site.url}/city/", tmp_path / "out.jsonl")
    assert len(first.items) == most
    assert sorted(numbers(first) + numbers(second)) == [f"/2024/05/a-{n}.html" for n in range(9)]


@pytest.mark.parametrize("etags", [True, False])
def test_articles_left_out_for_their_age_come_when_older_ones_are_asked_for(
    tmp_path: Path, etags: bool
) -> None:
    paper, feed = press(9, etags=etags), tmp_path / "out.jsonl"
    with served(paper.answers()) as site:
        start = f"{site.url}/city/"
        young = crawl(start, feed, "-a", "since=2024-05-07")
        assert len(young.items) == 3
        paper.forget()
        later = crawl(start, feed, "-a", "since=2024-05-08")
        assert later.items == []
        assert articles(paper.sent + paper.spared) == []  # a later day asks for no page again
        middle = crawl(start, feed, "-a", "since=2024-05-03")
        assert len(middle.items) == 4
        rest = crawl(start, feed)
    every = [f"/2024/05/a-{n}.html" for n in range(9)]
    assert sorted(numbers(young) + numbers(middle) + numbers(rest)) == every


def test_every_revision_once_however_often_a_refresh_is_killed(tmp_path: Path) -> None:
    paper, feed = press(24), tmp_path / "out.jsonl"
    slow = (
        "-o",
        str(feed),
        *REFRESH,
        "-s",
        "DOWNLOAD_DELAY=0.02",
        "-s",
        "RANDOMIZE_DOWNLOAD_DELAY=False",
    )
    with served(paper.answers()) as site:
        crawl(f"{site.url}/city/", feed, "-o", str(feed))
        for number in range(0, 24, 2):
            paper.change(number)
        for at in range(8):
            run_for(0.2 + 0.1 * at, signal.SIGKILL, command(f"{site.url}/city/", feed, *slow))
        run = crawl(f"{site.url}/city/", feed, *slow)
    assert run.code == 0
    found = Counter((urlsplit(item["url"]).path, item["revision"]) for item in items_of(feed))
    first = {(f"/2024/05/a-{n}.html", 1) for n in range(24)}
    assert found == Counter(first | {(f"/2024/05/a-{n}.html", 2) for n in range(0, 24, 2)})


def test_a_redirected_page_is_asked_for_on_condition_too(tmp_path: Path) -> None:
    paper = press()
    paper.pages["/city/"] = paper.pages["/city/"].replace("/2024/05/a-1.html", "/moved/1")
    answers = paper.answers() | {
        "/moved/1": lambda handler: send(handler, 302, b"", Location="/2024/05/a-1.html")
    }
    with served(answers) as site:
        first = crawl(f"{site.url}/city/", tmp_path / "out.jsonl")
        paper.forget()
        run = crawl(f"{site.url}/city/", tmp_path / "out.jsonl", *REFRESH)
        assert (len(first.items), run.items, paper.sent) == (6, [], [])
        paper.change(1)
        changed = crawl(f"{site.url}/city/", tmp_path / "out.jsonl", *REFRESH)
    assert [(urlsplit(item["url"]).path, item["revision"]) for item in changed.items] == [
        ("/2024/05/a-1.html", 2)
    ]
