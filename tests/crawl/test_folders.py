"""The index file of a folder is asked for as the folder; a site that does not know its folders is asked as it writes."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from sitecrawl.crawl.config import CrawlArguments, CrawlSettings
from sitecrawl.crawl.pipeline import Crawl
from sitecrawl.crawl.records import FailedPage, FetchedPage, RequestContext, Role
from sitecrawl.crawl.store import Stores
from sitecrawl.extras.demo import article_paths, site_pages
from sitecrawl.site.model import SiteModel
from tests.crawl.runner import Answer, crawl, served
from tests.pages import article_page

NAME = "index.html"


def mirror(folders: bool) -> dict[str, bytes | Answer]:
    """The demonstration site as tools that mirror sites leave it: every story a folder, every link to its index file.

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


def test_articles_leave_under_the_address_of_their_folder(tmp_path: Path) -> None:
    with served(mirror(folders=True)) as site:
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl", "-a", "scope=site")
    assert sorted(urlsplit(url).path for url in run.urls) == sorted(map(folder, article_paths()))
    assert not [path for path in site.asked if path.endswith(NAME)]


def test_a_site_without_folders_is_asked_for_files(tmp_path: Path) -> None:
    with served(mirror(folders=False)) as site:
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl", "-a", "scope=site")
    assert sorted(urlsplit(url).path for url in run.urls) == sorted(folder(path) + NAME for path in article_paths())
    assert len([path for path in site.asked if path.endswith("/") and path + NAME in mirror(False)]) < 24


def test_a_folder_that_fails_after_the_site_is_known_for_files_is_asked_for_as_its_file(tmp_path: Path) -> None:
    arguments = CrawlArguments.parse({"start": "http://a.example/", "scope": "site"})
    store = Stores(tmp_path).crawl("a.example")
    session = Crawl(arguments, CrawlSettings(js="never"), state=store, site=SiteModel("a.example"))
    (start,) = session.begin().requests
    for n in (1, 2):
        session.parts.schedule.want(RequestContext(f"http://a.example/story-{n}/index.html", Role.ARTICLE, 0.99))
    first, second = session.failed(FailedPage(start.context, "no answer in time")).requests
    assert (first.url, second.url) == ("http://a.example/story-1/", "http://a.example/story-2/")
    (again,) = session.failed(FailedPage(first.context, "the server answered 404")).requests
    assert again.url == "http://a.example/story-1/index.html"
    session.page(FetchedPage(again.url, again.context, article_page(1).encode(), content_type="text/html"))
    (late,) = session.failed(FailedPage(second.context, "the server answered 404")).requests
    assert late.url == "http://a.example/story-2/index.html"


def test_a_site_whose_folders_are_gone_is_soon_asked_for_them_once(tmp_path: Path) -> None:
    arguments = CrawlArguments.parse({"start": "http://a.example/", "scope": "site"})
    store = Stores(tmp_path).crawl("a.example")
    session = Crawl(arguments, CrawlSettings(js="never"), state=store, site=SiteModel("a.example"))
    (start,) = session.begin().requests
    links = [RequestContext(f"http://a.example/story-{n}/index.html", Role.ARTICLE, 0.99) for n in range(12)]
    for link in links:
        session.parts.schedule.want(link)
    waiting, asked = session.failed(FailedPage(start.context, "no answer in time")).requests, list[str]()
    while waiting:
        page = waiting.pop(0)
        asked.append(page.url)
        waiting = session.failed(FailedPage(page.context, "the server answered 404")).requests + waiting
    assert {link.url.removesuffix(NAME) for link in links} <= set(asked)
    assert sum(url.endswith(NAME) for url in asked) == 8
