"""The work that a page costs, as calls of functions: a count that no busy machine moves. `python -m
tests.work` counts anew, which takes some seconds, and writes the table of `tests/test_calls.py`."""

from __future__ import annotations

import functools
import gc
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from types import FrameType
from typing import Any

import sitecrawl
from sitecrawl.extras.demo import headline, site_pages
from tests import redesigns, synthetic

TABLE = Path(__file__).with_name("test_calls.py")
_LEARNED = 6  # pages that a template is learned from
_HOST = "http://gazette.example"
_COUNTED = ("call", "c_call")
_ROWS = re.compile(r"(?<=^REACHED = \{\n).*?(?=^\}  # fmt: skip$)", re.M | re.S)


@dataclass(frozen=True, slots=True)
class WorkPage:
    """A page whose work is counted. ``kind`` names the pages that its template is learned from;
    empty for a page that none answers."""

    body: str | bytes
    url: str
    kind: str = ""


def _of_demo(folder: str) -> list[tuple[str, bytes]]:
    """URLs and pages of the articles in a folder of the demonstration site."""
    pages = sorted(dict(site_pages()).items())
    found = [(path, page) for path, page in pages if path.startswith(folder)]
    # listings end in a slash, or in index_2.html
    return [
        (_HOST + path, page)
        for path, page in found
        if path.endswith(".html") and "index" not in path
    ]


def _portal(teasers: int) -> str:
    """A home page: a menu, and teasers in three columns."""
    menu = "".join(f"<li><a href='/topic-{at}/'>Topic {at}</a></li>" for at in range(40))
    rows = [
        f"<div class=teaser><h3><a href='{synthetic.path(at)}'>{headline(at)}, case {at}</a></h3>"
        f"<p>What is known of case {at} so far.</p><span>{at % 28 + 1}.01.2026</span></div>"
        for at in range(teasers)
    ]
    columns = "".join(f"<div class=column>{''.join(rows[at::3])}</div>" for at in range(3))
    return f"<html><body><ul class=nav>{menu}</ul><div id=main>{columns}</div></body></html>"


@cache
def lessons() -> dict[str, list[tuple[str, str | bytes]]]:
    """By kind, the URLs and pages that its template is learned from, and some more."""
    numbers = range(20, 20 + _LEARNED)
    return {
        "story": [(f"{_HOST}/a/{number}.html", redesigns.page(number)) for number in numbers],
        "report": [(_HOST + synthetic.path(at), synthetic.article(at)) for at in numbers],
        "city": list(_of_demo("/city/2026/")),
        "zh": list(_of_demo("/zh/2026")),
        "board": list(_of_demo("/board/")),
    }


@cache
def pages() -> dict[str, WorkPage]:
    """The ten pages, from a note to a book."""
    last = {kind: found[-1] for kind, found in lessons().items()}
    story = partial(WorkPage, url=f"{_HOST}/a/3.html", kind="story")
    return {
        "a note": story(redesigns.page(3, 1)),
        "a story": story(redesigns.page(3, 6)),
        "a long story": story(redesigns.page(3, 60)),
        "a book": story(redesigns.page(3, 400)),
        "a report": WorkPage(synthetic.article(3), _HOST + synthetic.path(3), "report"),
        "a demo story": WorkPage(last["city"][1], last["city"][0], "city"),
        "a Chinese story": WorkPage(last["zh"][1], last["zh"][0], "zh"),
        "a notice": WorkPage(last["board"][1], last["board"][0], "board"),
        "a listing": WorkPage(synthetic.listing(1, 5), f"{_HOST}/page/1/"),
        "a portal": WorkPage(_portal(300), f"{_HOST}/"),
    }


@cache
def site_of(kind: str) -> sitecrawl.SiteModel:
    """A site that has learned the template of a kind."""
    site = sitecrawl.SiteModel()
    site.learn([sitecrawl.RawPage(body, url) for url, body in lessons()[kind][:_LEARNED]])
    return site


def alone(page: WorkPage) -> None:
    sitecrawl.extract(html=page.body, url=page.url).to_dict()


def by_template(page: WorkPage) -> None:
    article = site_of(page.kind).extract(html=page.body, url=page.url)
    article.to_dict()
    assert article.provenance.method == "template"


def links(page: WorkPage) -> None:
    sitecrawl.classify_links(html=page.body, url=page.url)


WAYS: dict[str, Callable[[WorkPage], None]] = {
    "alone": alone,
    "template": by_template,
    "links": links,
}


def calls_of(job: Callable[[], object]) -> int:
    """Calls of functions of Python and of C while ``job`` runs."""
    calls = 0

    def count(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal calls
        if event in _COUNTED:
            calls += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        job()
    finally:
        sys.setprofile(before)
    return calls


def work_of(page: WorkPage) -> dict[str, int]:
    """Calls that a page costs, by way, with nothing known of it: models and templates are loaded,
    and what functions remember is forgotten before each way."""
    chosen = {name: way for name, way in WAYS.items() if page.kind or name != "template"}
    found = {}
    for name, way in chosen.items():
        way(page)
        _forget()
        found[name] = calls_of(partial(way, page))
    return found


def _forget() -> None:
    """Empty the caches of our functions, but of those that hold a model or a table: these remember
    one result."""
    for found in gc.get_objects():
        if not isinstance(found, functools._lru_cache_wrapper):
            continue
        is_ours = str(getattr(found, "__module__", "")).startswith("sitecrawl")
        most = found.cache_parameters()["maxsize"]
        if is_ours and most is not None and most > 1:
            found.cache_clear()


def main() -> None:
    rows = []
    for name, page in pages().items():
        figures = ", ".join(f'"{way}": {count}' for way, count in work_of(page).items())
        rows.append(f'    "{name}": {{{figures}}},\n')
    table = "".join(rows)
    text = TABLE.read_text(encoding="utf-8")
    TABLE.write_text(_ROWS.sub(lambda _: table, text), encoding="utf-8")
    print(table, end="")


if __name__ == "__main__":
    main()
