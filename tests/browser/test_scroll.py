"""Listings that grow when they are scrolled or when "load more" is clicked, in a real Chromium."""

from __future__ import annotations

import json
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from sitecrawl.limits import LIMITS
from tests.crawl.runner import Answer, crawl, send, served
from tests.pages import NAVIGATION, article_page, listing_page

SLOW = ("-s", "DOWNLOAD_TIMEOUT=30")
SHOWN, COUNT = 6, 18
ADD = """
let next = FIRST + 6, open = false;
async function add() {
  if (open || next >= FIRST + 18) return;
  open = true;
  const answer = await fetch('/rows?from=' + next);
  const box = document.createElement('div');
  box.innerHTML = (await answer.json()).html;
  document.getElementById('more').before(...box.children);
  next += 6; open = false;
}
"""
ENDLESS = "new IntersectionObserver(seen => { if (seen[0].isIntersecting) add(); }).observe(document.getElementById('more'));"
BLOCKED = (
    "for (;;) { const one = new XMLHttpRequest(); one.open(`GET`, `/hang`, false); one.send(); }"
)
"""Holds the page's thread for ever, and costs no CPU."""
GROWING = {
    "endless": ("", ENDLESS),
    "button": ("<button onclick='add()'>Load more</button>", ""),
    "button that replaces the rows": ("<button onclick='document.querySelectorAll(`.teaser`).forEach(one => one.remove()); add()'>Load more</button>", ""),
    "link without a target": ("<a href='#' class='btn load-more' onclick='add(); return false'>+</a>", ""),
    "the second of three": ("<button>Show more</button><div><button onclick='add()'>Mehr anzeigen</button></div><button>View more</button>", ""),
}  # fmt: skip
BARREN = {
    "nothing": "<button>Load more</button>",
    "links to nowhere": "<button onclick='document.body.append(document.createElement(`a`))'>Load more</button>",
    "another page": "<button onclick='location.href = `/away`'>Load more</button>",
    "a form": "<form action=/away><button>Load more</button></form>",
    "an empty page": "<button onclick='document.body.innerHTML = String()'>Load more</button>",
    "a loop without end": f"<button onclick='{BLOCKED}'>Load more</button>",
}
"""The end of a listing, and its script; what stands at the end of one that shows no more."""


def articles(first: int = 0, count: int = COUNT) -> set[str]:
    return {f"/2024/05/a-{n}.html" for n in range(first, first + count)}


def rows(first: int) -> str:
    """The next teasers of a listing page."""
    return (
        listing_page(range(first, first + SHOWN))
        .partition("</h1>")[2]
        .partition('<div class="pager"')[0]
    )


def site(end: str, script: str, *, path: str = "/", first: int = 0) -> dict[str, bytes | Answer]:
    """A site whose only listing shows six of its eighteen articles, then ``end``, and runs
    ``script``."""

    def answer_rows(handler: BaseHTTPRequestHandler) -> None:
        number = parse_qs(urlsplit(handler.path).query).get("from")
        data = json.dumps({"html": rows(int(number[0])) if number else ""}).encode()
        send(handler, 200 if number else 404, data, Content_Type="application/json")

    added = ADD.replace("FIRST", str(first)) + script
    more = (
        f"<div style='height:2000px'></div><div id=more>{end}</div><script>{added}</script></body>"
    )
    page = (
        listing_page(range(first, first + SHOWN)).replace(NAVIGATION, "").replace("</body>", more)
    )
    found: dict[str, bytes | Answer] = {
        f"/2024/05/a-{n}.html": article_page(n).encode() for n in range(first, first + COUNT)
    }
    found |= {f"/rows?from={n}": answer_rows for n in range(first + SHOWN, first + COUNT, SHOWN)}
    return found | {path: page.encode(), "/away": article_page(999).encode()}


def paths(items: list[dict[str, object]]) -> set[str]:
    return {urlsplit(str(item["url"])).path for item in items}


def test_listings_are_read_to_their_end_and_no_further(tmp_path: Path) -> None:
    pages: dict[str, bytes | Answer] = {"/hang": lambda _: time.sleep(40)}
    wanted: dict[str, set[str]] = {}
    for number, name in enumerate((*GROWING, *BARREN)):
        path, first = f"/{name.replace(' ', '-')}/", COUNT * number
        pages |= site(*GROWING.get(name, (BARREN.get(name, ""), "")), path=path, first=first)
        wanted[path] = articles(first, COUNT if name in GROWING else SHOWN)
    with served(pages) as found:
        starts = ",".join(f"{found.url}{path}" for path in wanted)
        run = crawl(starts, tmp_path / "out.jsonl", *SLOW, "-a", "scroll=1")
    assert run.code == 0, run.said
    for path, expected in wanted.items():
        assert (
            paths([item for item in run.items if item["sectionUrl"] == found.url + path]) ^ expected
            == set()
        ), path
    assert "/away" not in found.asked


def test_a_second_visit_loads_no_known_articles_again(tmp_path: Path) -> None:
    with served(site("", ENDLESS)) as found:
        plain = crawl(f"{found.url}/", tmp_path / "out.jsonl", "-o", str(tmp_path / "out.jsonl"))
        first = crawl(
            f"{found.url}/",
            tmp_path / "out.jsonl",
            "-o",
            str(tmp_path / "out.jsonl"),
            *SLOW,
            "-a",
            "scroll=1",
        )
        asked = len(found.asked)
        again = crawl(
            f"{found.url}/",
            tmp_path / "out.jsonl",
            "-o",
            str(tmp_path / "out.jsonl"),
            *SLOW,
            "-a",
            "scroll=1",
        )
    assert len(plain.items) == SHOWN
    assert len(first.items) == len(again.items) == COUNT
    assert sum(path.startswith("/rows") for path in found.asked[asked:]) == 1


def test_a_listing_without_end_is_left_in_time(tmp_path: Path) -> None:
    pages = site("", ENDLESS)
    pages["/"] = bytes(pages["/"]).replace(b"next >= 0 + 18", b"false")  # type: ignore[arg-type]
    pages["*"] = pages["/rows?from=6"]
    with served(pages) as found:
        run = crawl(
            f"{found.url}/", tmp_path / "out.jsonl", *SLOW, "-a", "scroll=1", "-a", "max_pages=5"
        )
    assert (run.code, len(run.items) >= 2) == (0, True), run.said
    assert 2 < sum(path.startswith("/rows") for path in found.asked) <= LIMITS.scrolls + 2


def test_scroll_says_what_it_needs(tmp_path: Path) -> None:
    for more, told in (
        (
            ("-s", "SITECRAWL_CHROMIUM=/no/browser"),
            "scroll needs a browser: install Chromium and the extra js",
        ),
        (("-s", "SITECRAWL_JS=never"), "scroll needs a browser: leave out SITECRAWL_JS=never"),
    ):
        run = crawl("http://127.0.0.1:9/", tmp_path / "out.jsonl", "-a", "scroll=1", *more)
        assert (run.code, told in run.said) == (2, True), run.said
