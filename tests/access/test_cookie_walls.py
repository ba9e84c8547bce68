"""Sites that let a reader in once he returns the cookies that they set on the way, and sites that
misuse this."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from scrapy.http import Request, Response

from sitecrawl.limits import LIMITS
from sitecrawl.middlewares.cookie_walls import CookieWalls
from tests.crawl.runner import Answer, crawl, items_of, send, served
from tests.pages import article_page, listing_page


def followed(
    walls: CookieWalls, url: str, *answers: tuple[str, str | list[str]]
) -> list[tuple[str, str]]:
    """The URLs and cookies of the requests for a page whose redirects (target, cookies) are
    given; the request after the last of them is answered with 200."""
    request, sent = Request(url), list[tuple[str, str]]()
    rest = list(answers)
    while True:
        walls.process_request(request)
        sent.append((request.url, (request.headers.get("Cookie") or b"").decode()))
        if not rest:
            found = walls.process_response(request, Response(request.url))
            if isinstance(found, Response):
                assert not [name for name in request.meta if "cookie" in name]
                return sent
            request = found
            continue
        target, cookies = rest.pop(0)
        headers = {"Location": target, "Set-Cookie": cookies}
        walls.process_response(request, Response(request.url, status=302, headers=headers))
        past = [*request.meta.get("redirect_urls", []), request.url]
        request = request.replace(url=target, meta={**request.meta, "redirect_urls": past})


A = "http://a.example"


@pytest.mark.parametrize(
    ("answers", "cookies"),
    [
        ([(f"{A}/x", "c=1")], ["", "c=1"]),
        ([(f"{A}/x?test=1", "c=1"), (f"{A}/x", "")], ["", "c=1", "c=1"]),
        ([(f"{A}/check", "c=1"), (f"{A}/x", "d=2")], ["", "c=1", "c=1; d=2"]),
        ([(f"{A}/check", ""), (f"{A}/x", "d=2")], ["", "", "d=2"]),
        # no cookie of the whole domain, of another port or scheme, or one that was taken back
        ([("http://b.a.example/y", "c=1; Domain=.a.example"), (f"{A}/x", "")], ["", "", "c=1"]),
        ([(f"{A}:81/x", "c=1"), (f"{A}/x", "")], ["", "", "c=1"]),
        ([("https://a.example/x", "c=1")], ["", ""]),
        ([(f"{A}/x", "c=1"), (f"{A}/x", "c=1; Max-Age=0")], ["", "c=1", ""]),
        # it leads elsewhere: the page is requested again without what may choose its language
        ([(f"{A}/de/x", "c=1")], ["", "c=1", ""]),
    ],
)
def test_which_requests_of_a_chain_have_its_cookies(
    answers: list[tuple[str, str]], cookies: list[str]
) -> None:
    assert [sent for _, sent in followed(CookieWalls(), f"{A}/x", *answers)] == cookies


def test_a_choice_of_the_language_is_not_remembered() -> None:
    sent = followed(CookieWalls(), f"{A}/x?lang=de", (f"{A}/x", "lang=de"))
    assert [cookies for _, cookies in sent] == ["", ""]


def test_where_a_page_was_shown_without_cookies_only_a_check_that_names_the_page_gets_them() -> (
    None
):
    walls = CookieWalls()
    followed(walls, f"{A}/")
    elsewhere = followed(walls, f"{A}/x", (f"{A}/y", "c=1"))
    check = followed(walls, f"{A}/x", (f"{A}/check?to=%2Fx", "c=1"), (f"{A}/x", ""))
    assert [cookies for _, cookies in elsewhere] == ["", ""]
    assert [cookies for _, cookies in check] == ["", "c=1", "c=1"]


def test_a_page_is_requested_again_once_for_a_host_whose_redirects_are_no_checks() -> None:
    walls = CookieWalls()
    requests = [
        len(followed(walls, f"{A}/{n}", (f"{A}/{n}/", "session=1; Path=/"))) for n in range(9)
    ]
    assert requests == [3, 2, 2, 2, 2, 2, 2, 2, 2]
    assert len(followed(walls, f"{A}/x", (f"{A}/x", "c=1"))) == 2


def test_cookies_do_not_grow_from_page_to_page() -> None:
    """A site that set a cookie of a new name for each page got all of them back: 6.5 MB in the
    headers of 300 requests, and 789 MB of memory after 600 pages."""
    walls = CookieWalls()
    for number in range(300):
        url = f"{A}/{number}"
        many = [f"{name}-{number}={'x' * 200}; Path=/" for name in range(100)]
        large = f"large-{number}={'x' * 9000}"
        first, second = followed(walls, url, (url, [large, *many, f"in-{number}=1; Path=/"]))
        assert first == (url, "")
        assert len(second[1]) <= LIMITS.cookie_bytes
        assert f"in-{number}=1" in second[1]
        assert f"-{number - 1}=" not in second[1]


@pytest.mark.parametrize("asks", [True, False])
def test_a_check_at_another_path_is_passed(tmp_path: Path, asks: bool) -> None:
    """``/`` leads to ``/check``, which leads back to readers who return the cookie."""

    def walled(body: bytes) -> Answer:
        def answer(handler: BaseHTTPRequestHandler) -> None:
            if "passed=1" in handler.headers.get("Cookie", ""):
                send(handler, 200, body)
            else:
                target = f"/check?to={handler.path}"
                send(handler, 302, b"", Location=target, Set_Cookie="seen=1; Path=/")

        return answer

    def check(handler: BaseHTTPRequestHandler) -> None:
        name, _, path = handler.path.partition("?to=")
        if name != "/check":
            send(handler, 404, b"")
        elif asks and "seen=1" not in handler.headers.get("Cookie", ""):
            send(handler, 200, b"<p>Allow cookies, please.")
        else:
            send(handler, 302, b"", Location=path, Set_Cookie="passed=1; Path=/")

    numbers = range(4)
    pages = {f"/2024/05/a-{n}.html": walled(article_page(n).encode()) for n in numbers}
    pages["/"] = walled(listing_page(numbers).encode())
    with served({**pages, "*": check, "/robots.txt": b""}) as site:
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl")
    assert len(items_of(tmp_path / "out.jsonl")) == 4, run.said
