"""Broken relative links on a server that reads the beginning of a path only: each article stands
under the names of all others, and few of these are requested."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from sitecrawl.crawl.ledger import Fact, Lesson
from sitecrawl.crawl.records import Reading, RequestContext, Role
from sitecrawl.crawl.slugs import Slugs
from tests.crawl.driver import HOME, Reply
from tests.crawl.test_copies import SUBJECTS, line, listing
from tests.crawl.test_series import TOPICS, crawls

COUNT = 16


class Shape(NamedTuple):
    """Where articles stand, by number and name, and how they name each other."""

    path: Callable[[int, str], str]
    link: Callable[[str], str]
    number: Callable[[str], int]  # of the article that a path shows
    language: str = "en"


def name(n: int) -> str:
    return f"{TOPICS[n % 10]}-{'opens' if n < 10 else 'closes'}"


SHAPES = {
    "id, month, name": Shape(
        lambda n, slug: f"/noticia/Z{n + 7:02}DC83/202409/{slug}",
        lambda slug: slug,
        lambda path: int(path[10:12]) - 7,
        "es",
    ),
    "id, name": Shape(
        lambda n, slug: f"/{4100 + n}/{slug}/",
        lambda slug: f"../{slug}/",
        lambda path: int(path[1:5]) - 4100,
        "de",
    ),
    "id, name, one below the other": Shape(
        lambda n, slug: f"/artikel/{4100 + n}/{slug}/",
        lambda slug: f"{slug}/",
        lambda path: int(path[9:13]) - 4100,
        "nl",
    ),
}


def answers(shape: Shape) -> dict[str, object]:
    def page(n: int) -> str:
        near = [(n + step) % COUNT for step in range(1, 8)]
        links = "".join(f'<li><a href="{shape.link(name(m))}">{SUBJECTS[m]}</a></li>' for m in near)
        prose = "".join(
            f"<p>In year {n}{k} the {TOPICS[(n + k) % 10]} stood beside the {TOPICS[(n + 3 * k) % 10]}, and few knew of {n}{k}.</p>"
            for k in range(6)
        )
        day = f'<time datetime="2024-03-{n + 1:02}">2024-03-{n + 1:02}</time>'
        return (
            f'<html lang="{shape.language}"><head><title>{SUBJECTS[n]}</title></head><body><a href="/">Home</a>'
            f"<article><h1>{SUBJECTS[n]}</h1>{day}<div class='text'><p>{line(n)}</p>{prose}</div></article>"
            f"<aside><ul>{links}</ul></aside></body></html>"
        )

    def answer(url: str) -> Reply:
        path = url.removeprefix(HOME)
        if path == "/":
            rows = [(shape.path(n, name(n)), SUBJECTS[n]) for n in range(COUNT)]
            return Reply(listing(rows).encode())
        try:
            return Reply(page(shape.number(path)).encode())
        except (ValueError, IndexError):
            return Reply(status=404)

    return {"*": answer}


@pytest.mark.parametrize("kind", SHAPES)
def test_names_that_mean_nothing_cost_few_requests(tmp_path: Path, kind: str) -> None:
    """A crawl of eighteen articles took 114 requests."""
    shape = SHAPES[kind]
    for crawl in crawls(answers(shape), tmp_path):
        assert Counter(item["headline"] for item in crawl.feed) == Counter(SUBJECTS[:COUNT])
        assert len(crawl.network.asked) <= 4 * COUNT


def said(slugs: Slugs, path: str, text: str) -> None:
    url = f"http://a.example{path}"
    slugs.take(Lesson(Fact.SAID, RequestContext(url, Role.ARTICLE), Reading(url, text=text)))


def test_folders_tell_what_a_name_means() -> None:
    slugs = Slugs()
    for number in range(3):
        assert not slugs.knows(f"http://a.example/s/{number}/third")
        said(slugs, f"/s/{number}/first", f"+{number}")
        said(slugs, f"/s/{number}/second", f"{number}")
        said(slugs, f"/t/{number}/first", f"+{number}")
        said(slugs, f"/t/{number}/second", f"+{number}0")
    assert slugs.knows("http://a.example/s/2/third")
    assert not slugs.knows("http://a.example/s/2/first")
    assert not slugs.knows("http://a.example/s/3/third"), "nothing below it was read"
    assert not slugs.knows("http://a.example/t/2/third"), "names mean something there"
    assert slugs.are_one("http://a.example/s/2/third", "http://a.example/s/2/fourth")
    assert not slugs.are_one("http://a.example/s/2/third", "http://a.example/s/1/third")
