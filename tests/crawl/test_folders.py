"""The index file of a folder is one page with its folder, and requested as its link writes it."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import pytest

from sitecrawl.extras.demo import article_paths, headline, site_pages
from tests.crawl.driver import crawled
from tests.crawl.runner import Answer, crawl, served
from tests.pages import article_page

NAME = "index.html"


def mirror(folders: bool) -> dict[str, bytes | Answer]:
    """The demonstration site as tools that mirror sites leave it: every story a folder, every link
    to its index file.

    ``folders`` says whether the server knows a folder without the name of its file.
    """
    pages: dict[str, bytes | Answer] = {}
    for path, body in site_pages().items():
        for story in article_paths():
            body = body.replace(f'"{story}"'.encode(), f'"{folder(story)}{NAME}"'.encode())
        if path not in article_paths():
            pages[path] = body
            continue
        pages[folder(path) + NAME] = body
        if folders:
            pages[folder(path)] = body
    return pages


def folder(path: str) -> str:
    return path.removesuffix(".html").rstrip("/") + "/"


@pytest.mark.parametrize("folders", [True, False])
def test_an_index_file_is_requested_as_its_link_writes_it(tmp_path: Path, *, folders: bool) -> None:
    """Its folder was requested first, and was missing where a server knows the file only."""
    with served(mirror(folders)) as site:
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl", "-a", "scope=site")
        assert not [
            path
            for path in site.asked
            if path.endswith("/") and path + NAME in mirror(folders=False)
        ]
    assert sorted(urlsplit(url).path for url in run.urls) == sorted(
        folder(path) + NAME for path in article_paths()
    )


def test_a_folder_and_its_index_file_are_one_page(tmp_path: Path) -> None:
    links = "".join(
        f"<li><a href='/story-{n}/{end}'>{headline(n)}</a></li>"
        for n in range(8)
        for end in (NAME, "")
    )
    pages = {f"/story-{n}/{end}": article_page(n) for n in range(8) for end in (NAME, "")}
    found = crawled({"/": f"<h1>News</h1><ul>{links}</ul>"} | pages, tmp_path)
    assert found.paths == [f"/story-{n}/{NAME}" for n in range(8)]
