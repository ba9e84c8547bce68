"""Families whose pages show what the pages of another family show."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sitecrawl.crawl import articles
from sitecrawl.extract.single import Extraction
from sitecrawl.extras.demo import headline
from sitecrawl.site import judge
from sitecrawl.site.judge import PageJudgement
from sitecrawl.site.page_families import Choice
from tests.crawl.driver import ANSWER_ORDERS, Crawl, Network, Pages
from tests.links.models import credulous

THREADS = 10
POSTS = 3  # of each thread


def post(number: int) -> str:
    """The text of a post, of words that no other one has."""
    words = (f"w{number}x{n}" for n in range(90))
    return f"<div class='post'><p>{' '.join(words)}.</p></div>"


def page(name: str, posts: list[int]) -> str:
    told = "".join(map(post, posts))
    day = "<time>2024-05-03</time>"
    return f"<html><body><a href='/'>Home</a><article><h1>{name}</h1>{day}{told}</article></body></html>"


def board(*, alone: bool = False, same_name: bool = True, own_text: bool = False) -> Pages:
    """Threads, and a page for each post: it shows the whole thread, or the post ``alone``. Without
    ``same_name`` it has a headline of its own, with ``own_text`` a text of its own."""
    pages = Pages()
    for thread in range(THREADS):
        posts = [100 * thread + n for n in range(POSTS)]
        name = f"{headline(thread)} {thread}"
        pages[f"/board/topic-{thread}.html"] = page(name, posts)
        for number in posts:
            shown = [number] if alone else posts
            if own_text:
                shown = [5_000 + number]
            title = name if same_name else f"{headline(number)} {number}"
            pages[f"/board/post/{number}.html"] = page(title, shown)
    names = {path: body.partition("<h1>")[2].partition("</h1>")[0] for path, body in pages.items()}
    links = "".join(f"<li><a href='{path}'>{name}</a></li>" for path, name in names.items())
    return pages | {"/": f"<html><body><ul>{links}</ul></body></html>"}


TOPICS = sorted(f"/board/topic-{n}.html" for n in range(THREADS))
FAMILY = "/board/post/#.html dated"


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A judge that is sure of no page alone, withholds no family, and likes threads best."""
    weighed = judge.judged_page

    def liking_threads(guess: Extraction, **link: Any) -> PageJudgement:
        is_thread = "/topic-" in guess.page.url
        return replace(weighed(guess, **link), log_odds=2.0 if is_thread else 1.5)

    monkeypatch.setattr(articles, "judged_page", liking_threads)
    monkeypatch.setattr(judge, "SURE", 99.0)
    monkeypatch.setattr(judge, "LEAST", -99.0)


def crawl_of(pages: Pages, folder: Path) -> Crawl:
    return Crawl.of(Network(pages), folder, link_model=str(credulous(folder)))


@pytest.mark.parametrize("order", ANSWER_ORDERS)
@pytest.mark.parametrize("alone", [False, True])
def test_pages_of_posts_are_withheld_where_their_threads_are_written(
    tmp_path: Path, order: str, *, alone: bool
) -> None:
    crawl = crawl_of(board(alone=alone), tmp_path)
    crawl.run_in(order)
    (verdict,) = (
        verdict
        for family, verdict in crawl.session.parts.evidence.families.judged()
        if family.name == FAMILY
    )
    crawl.end()
    assert crawl.paths == TOPICS
    assert verdict.why == "30 of 30 show what pages of /board/topic-#.html dated show"


@pytest.mark.parametrize("at", [6, 15, 30])
def test_they_stay_so_after_a_kill(tmp_path: Path, at: int) -> None:
    first = crawl_of(board(), tmp_path)
    for number, _ in enumerate(first.steps()):
        if number == at:
            break
    first.kill()
    link_model = str(credulous(tmp_path))
    again = Crawl.of(Network(board()), tmp_path, feed=first.feed, link_model=link_model)
    again.run()
    assert again.paths == TOPICS


@pytest.mark.parametrize("shape", [{"same_name": False, "alone": True}, {"own_text": True}])
def test_pages_that_say_something_else_are_written(tmp_path: Path, shape: dict[str, bool]) -> None:
    """A reply with a headline of its own is an article of its own, and so is one with another
    text."""
    pages = board(**shape)
    crawl = crawl_of(pages, tmp_path)
    crawl.run()
    assert crawl.paths == sorted(path for path in pages if path != "/")


def test_one_page_for_each_thread_is_a_copy_as_well(tmp_path: Path) -> None:
    """Lists of threads may lead to the last post of each."""
    pages = {path: body for path, body in board().items() if "/post/" not in path or "2." in path}
    crawl = crawl_of(pages, tmp_path)
    crawl.run()
    assert crawl.paths == TOPICS


def test_sections_that_share_some_articles_are_written_both(tmp_path: Path) -> None:
    pages = board(own_text=True, same_name=False)
    shared = [f"/board/post/{100 * thread + 2}.html" for thread in range(THREADS)]
    pages |= {path: board()[path] for path in shared}
    crawl = crawl_of(pages, tmp_path)
    crawl.run()
    assert len(crawl.paths) == THREADS * (1 + POSTS)


def test_a_person_may_keep_them(tmp_path: Path) -> None:
    crawl = crawl_of(board(alone=True), tmp_path)
    (site,) = crawl.sites.models.values()
    site.choices[FAMILY] = Choice.KEEP
    crawl.run()
    assert len(crawl.paths) == THREADS * (1 + POSTS)


@pytest.mark.parametrize("order", ANSWER_ORDERS)
@pytest.mark.parametrize("least", [-99.0, 99.0])
@pytest.mark.parametrize("alone", ["/topic-{}.html", "/node/8{}"])
def test_an_article_under_its_name_and_its_number_is_written_once(
    tmp_path: Path, order: str, alone: str, least: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A menu names some articles by number, a list by name, and both are sure to be articles: what
    came second was written again if its family was the better one. What has a name or a number
    only is no copy."""
    monkeypatch.setattr(judge, "SURE", least)
    pages = Pages()
    named, numbered = list[str](), list[str]()
    for n in range(THREADS * 2):
        text = page(f"{headline(n)} {n}", [n])
        named.append(f"/topic-{n}.html")
        numbered.append(f"/node/{800 + n}")
        pages |= {named[-1]: text, numbered[-1]: text}
    others = [alone.format(n) for n in range(THREADS * 2, THREADS * 2 + 3)]
    pages |= {path: page(f"No copy, {path}", [50 + n]) for n, path in enumerate(others)}
    first = [*named[:THREADS], *numbered[THREADS:], *others]
    later = [*numbered[:THREADS], *named[THREADS:]]
    names = {path: body.partition("<h1>")[2].partition("</h1>")[0] for path, body in pages.items()}
    links = "".join(f"<li><a href='{path}'>{names[path]}</a></li>" for path in [*first, *later])
    crawl = crawl_of(pages | {"/": f"<html><body><ul>{links}</ul></body></html>"}, tmp_path)
    crawl.run_in(order, seed=7)
    crawl.end()
    written = sorted(path.rpartition("/")[2] for path in crawl.paths)
    numbers = sorted(int("".join(filter(str.isdigit, name))) % 800 for name in written)
    assert numbers == list(range(THREADS * 2 + 3))


@pytest.mark.parametrize("is_dated", [False, True])
def test_pages_with_the_beginning_of_each_article_are_withheld_unless_they_have_a_day(
    tmp_path: Path, *, is_dated: bool
) -> None:
    """Pages to answer an article, or to send it to a friend, repeat its first sentences above a
    form; a notice with a day of its own is none."""
    pages = Pages()
    for n in range(THREADS):
        name = f"{headline(n)} {n}"
        pages[f"/board/topic-{n}.html"] = page(name, [10 * n, 10 * n + 1])
        excerpt = page(name, [10 * n])
        if not is_dated:
            excerpt = excerpt.replace("<time>2024-05-03</time>", "")
        pages[f"/board/reply/{n}.html"] = excerpt + "<form><textarea></textarea></form>"
    links = "".join(f"<li><a href='{path}'>{path} of the board</a></li>" for path in pages)
    crawl = crawl_of(pages | {"/": f"<html><body><ul>{links}</ul></body></html>"}, tmp_path)
    crawl.run()
    assert crawl.paths == (sorted(pages) if is_dated else TOPICS)
