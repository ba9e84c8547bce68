"""The new articles of a site in Python: a loop, an asynchronous loop, a running loop, a
notebook."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

import sitecrawl
from sitecrawl.crawl.config import ArgumentError
from sitecrawl.extras.agents.iteration import CrawlError
from sitecrawl.extras.demo import serve

SECTION = 24
"""Articles in the section "city" of the demonstration site."""


@pytest.fixture
def front() -> Iterator[str]:
    with serve() as url:
        yield url


@pytest.fixture
def quick(tmp_path: Path) -> dict[str, Any]:
    return {"SITECRAWL_DATA_DIR": tmp_path, "DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": 0}


def test_each_article_comes_once_also_when_the_loop_is_left(
    front: str, quick: dict[str, Any]
) -> None:
    seen = []
    for item in sitecrawl.articles(f"{front}city/", settings=quick):
        seen.append(item["url"])
        if len(seen) == 3:
            break

    async def rest() -> list[str]:
        """In a running loop, without blocking it."""
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0.05)

        ticking = asyncio.ensure_future(tick())
        found = [item["url"] async for item in sitecrawl.articles(f"{front}city/", settings=quick)]
        ticking.cancel()
        assert ticks > 3
        return found

    again = asyncio.run(rest())
    assert again[0] == seen[-1]  # the loop was left while it had this one in its hands
    assert len({*seen, *again}) == len(seen) + len(again) - 1 == SECTION
    last = sitecrawl.articles([f"{front}city/"], settings=quick)
    assert list(last) == []
    assert last.summary.startswith("0 articles from")


def test_a_second_reader_of_a_site_takes_nothing_from_the_first(
    front: str, quick: dict[str, Any]
) -> None:
    reading = iter(sitecrawl.articles(f"{front}city/", settings=quick))
    seen = [next(reading)["url"]]
    with pytest.raises(CrawlError, match="another call takes the new articles"):
        list(sitecrawl.articles(f"{front}city/", settings=quick))
    seen += [item["url"] for item in reading]
    assert len(set(seen)) == len(seen) == SECTION


def test_a_whole_reading_that_is_left_comes_again(front: str, quick: dict[str, Any]) -> None:
    left = sitecrawl.articles(f"{front}city/", settings=quick)
    left.is_whole = True
    seen = [item["url"] for item, _ in zip(left, range(3), strict=False)]
    again = sitecrawl.articles(f"{front}city/", settings=quick)
    again.is_whole = True
    found = [item["url"] for item in again]
    assert found[: len(seen)] == seen
    assert len(set(found)) == len(found) == SECTION
    assert list(sitecrawl.articles(f"{front}city/", settings=quick)) == []


def test_what_a_loop_left_comes_with_its_own_listing_page(
    front: str, quick: dict[str, Any]
) -> None:
    for path in ("city/", "board/"):
        reading = iter(sitecrawl.articles(f"{front}{path}", settings=quick))
        next(reading)
        reading.close()  # type: ignore[attr-defined]
    board = [item["url"] for item in sitecrawl.articles([f"{front}board/"], settings=quick)]
    city = [item["url"] for item in sitecrawl.articles(f"{front}city/", settings=quick)]
    assert (len(board), len(city)) == (10, SECTION)
    assert not [url for url in board if url.startswith(f"{front}city/")]


def test_arguments_are_those_of_a_crawl(front: str, quick: dict[str, Any]) -> None:
    found = list(
        sitecrawl.articles(
            f"{front}city/", "2026-01-01", settings=quick, max_articles=2, refresh=False
        )
    )
    assert len(found) == 2
    assert all(item["datePublished"] >= "2026-01-01" for item in found)
    with pytest.raises(ArgumentError, match="max_articles"):
        sitecrawl.articles(front, max_article=2)


def test_what_cannot_be_crawled_is_an_error(front: str, quick: dict[str, Any]) -> None:
    with pytest.raises(CrawlError, match="404"):
        list(sitecrawl.articles(f"{front}nothing-here/", settings=quick))
    with pytest.raises(CrawlError, match="private address"):
        list(sitecrawl.articles(front, settings=quick, only_public=True))


def test_it_works_in_a_notebook(front: str, quick: dict[str, Any], tmp_path: Path) -> None:
    given = f"settings = { ({name: str(value) for name, value in quick.items()})!r}"
    cells = [
        f"import sitecrawl\n{given}\nlen(list(sitecrawl.articles('{front}city/', settings=settings, max_articles=2)))",
        f"[item['headline'] async for item in sitecrawl.articles('{front}city/', settings=settings, max_articles=1)]",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    NotebookClient(
        notebook, timeout=100, kernel_name="python3", resources={"metadata": {"path": tmp_path}}
    ).execute()
    assert notebook.cells[0].outputs[0]["data"]["text/plain"] == "2"
    assert notebook.cells[1].outputs[0]["data"]["text/plain"].count("'") == 2


def test_settings_are_not_on_the_command_line_that_other_users_see() -> None:
    crawl = sitecrawl.articles(
        "https://example.com/news/", settings={"AWS_SECRET_ACCESS_KEY": "s3cret"}
    )
    assert "s3cret" not in " ".join(crawl.line)
    assert "s3cret" in crawl.environment["SITECRAWL_WORDS"]
