"""Listings that grow when they are scrolled or when "load more" is clicked, in a real Chromium."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from sitecrawl.limits import LIMITS
from tests.crawl.runner import Answer, crawl, send, served
from tests.pages import NAVIGATION, article_page, listing_page

SLOW = ("-s", "DOWNLOAD_TIMEOUT=30")
SHOWN, COUNT = 6, 18
ARTICLES = [f"/2024/05/a-{n}.html" for n in range(COUNT)]
ADD = """
let next = 6, open = false;
async function add() {
  if (open || next >= 18) return;
  open = true;
  const answer = await fetch('/rows?from=' + next);
  const box = document.createElement('div');
  box.innerHTML = (await answer.json()).html;
  document.getElementById('more').before(...box.children);
  next += 6; open = false;
}
"""
ENDLESS = (
    "new IntersectionObserver(seen => { if (seen[0].isIntersecting) add(); }).observe(document.getElementById('more'));"
)


def rows(first: int) -> str:
    """The next teasers of the listing page."""
    return listing_page(range(first, first + SHOWN)).partition("</h1>")[2].partition('<div class="pager"')[0]


def site(end: str, script: str) -> dict[str, bytes | Answer]:
    """A site whose only listing shows six of its eighteen articles, then ``end``, and runs ``script``."""

    def answer_rows(handler: BaseHTTPRequestHandler) -> None:
        first = parse_qs(urlsplit(handler.path).query).get("from")
        data = json.dumps({"html": rows(int(first[0])) if first else ""}).encode()
        send(handler, 200 if first else 404, data, Content_Type="application/json")

    more = f"<div style='height:2000px'></div><div id=more>{end}</div><script>{ADD}{script}</script></body>"
    page = listing_page(range(SHOWN)).replace(NAVIGATION, "").replace("</body>", more)
    found: dict[str, bytes | Answer] = {path: article_page(n).encode() for n, path in enumerate(ARTICLES)}
    found |= {f"/rows?from={n}": answer_rows for n in range(SHOWN, COUNT, SHOWN)}
    return found | {"/": page.encode(), "/away": article_page(999).encode()}


def paths(items: list[dict[str, object]]) -> set[str]:
    return {urlsplit(str(item["url"])).path for item in items}


@pytest.mark.parametrize(
    ("end", "script"),
    [
        ("", ENDLESS),
        ("<button onclick='add()'>Load more</button>", ""),
        ("<a href='#' class='btn load-more' onclick='add(); return false'>+</a>", ""),
        ("<button>Show more</button><div><button onclick='add()'>Mehr anzeigen</button></div><button>View more</button>", ""),
    ],
    ids=["endless", "button", "link without a target", "the second of three"],
)  # fmt: skip
def test_a_listing_is_read_to_its_end(tmp_path: Path, end: str, script: str) -> None:
    with served(site(end, script)) as found:
        run = crawl(f"{found.url}/", tmp_path / "out.jsonl", *SLOW, "-a", "scroll=1")
    assert (run.code, paths(run.items)) == (0, set(ARTICLES)), run.said
    assert {item["sectionUrl"] for item in run.items} == {f"{found.url}/"}


def test_a_second_visit_loads_no_known_articles_again(tmp_path: Path) -> None:
    with served(site("", ENDLESS)) as found:
        plain = crawl(f"{found.url}/", tmp_path / "out.jsonl", "-o", str(tmp_path / "out.jsonl"))
        first = crawl(
            f"{found.url}/", tmp_path / "out.jsonl", "-o", str(tmp_path / "out.jsonl"), *SLOW, "-a", "scroll=1"
        )
        asked = len(found.asked)
        again = crawl(
            f"{found.url}/", tmp_path / "out.jsonl", "-o", str(tmp_path / "out.jsonl"), *SLOW, "-a", "scroll=1"
        )
    assert len(plain.items) == SHOWN
    assert len(first.items) == len(again.items) == COUNT
    assert sum(path.startswith("/rows") for path in found.asked[asked:]) == 1


@pytest.mark.parametrize(
    ("end", "script"),
    [
        ("<button>Load more</button>", ""),
        ("<button onclick='document.body.append(document.createElement(`a`))'>Load more</button>", ""),
        ("<button onclick='location.href = `/away`'>Load more</button>", ""),
        ("<form action=/away><button>Load more</button></form>", ""),
        ("<button onclick='document.body.innerHTML = String()'>Load more</button>", ""),
        ("<button onclick='for (;;) {}'>Load more</button>", ""),
    ],
    ids=["nothing", "links to nowhere", "another page", "a form", "an empty page", "a loop without end"],
)
def test_a_button_that_brings_no_articles(tmp_path: Path, end: str, script: str) -> None:
    with served(site(end, script)) as found:
        run = crawl(f"{found.url}/", tmp_path / "out.jsonl", *SLOW, "-a", "scroll=1")
    assert (run.code, paths(run.items)) == (0, set(ARTICLES[:SHOWN])), run.said
    assert "/away" not in found.asked


def test_a_listing_without_end_is_left_in_time(tmp_path: Path) -> None:
    pages = site("", ENDLESS)
    pages["/"] = bytes(pages["/"]).replace(b"next >= 18", b"false")  # type: ignore[arg-type]
    pages["*"] = pages["/rows?from=6"]
    with served(pages) as found:
        run = crawl(f"{found.url}/", tmp_path / "out.jsonl", *SLOW, "-a", "scroll=1", "-a", "max_pages=5")
    assert (run.code, len(run.items) >= 2) == (0, True), run.said
    assert 2 < sum(path.startswith("/rows") for path in found.asked) <= LIMITS.scrolls + 2


def test_scroll_says_what_it_needs(tmp_path: Path) -> None:
    for more, told in (
        (("-s", "SITECRAWL_CHROMIUM=/no/browser"), "scroll needs a browser: install Chromium and the extra js"),
        (("-s", "SITECRAWL_JS=never"), "scroll needs a browser: leave out SITECRAWL_JS=never"),
    ):
        run = crawl("http://127.0.0.1:9/", tmp_path / "out.jsonl", "-s", "SITECRAWL_SCROLL=1", *more)
        assert (run.code, told in run.said) == (2, True), run.said
