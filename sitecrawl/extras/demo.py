"""A small site of our own, served on loopback: an English section, a Chinese one in GBK, a notice
board; three templates. Its sentences are put together by number from the phrases of `demo.json`;
its pages are the macros of `demo.html`. `make crawl` without a URL crawls it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined

AUTHORS = ("Mara Lindqvist", "Tomas Weir", "Ines Calado", "Jun Okabe")
STORIES, ZH_STORIES, NOTICES = 24, 14, 10
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")


@dataclass(frozen=True, slots=True)
class _Phrases:
    """What the texts in a language are made of. Sentences have gaps for ``place``, ``subject``,
    ``day`` and ``number``."""

    places: Sequence[str]
    subjects: Sequence[str]
    verbs: Sequence[str]
    headline: str
    sentences: Sequence[str]
    space: str  # the characters between two sentences

    def words(self, number: int) -> dict[str, str]:
        verb, day = self.verbs[number // 3 % len(self.verbs)], _DAYS[number % len(_DAYS)]
        place, subject = (words[number % len(words)] for words in (self.places, self.subjects))
        return {"place": place, "subject": subject, "verb": verb, "day": day}

    def headline_of(self, number: int) -> str:
        title = self.headline.format(**self.words(number))
        return title[0].upper() + title[1:]

    def paragraphs(self, number: int, count: int) -> list[str]:
        """Paragraphs of three sentences each."""
        found = []
        for at in range(number, number + 3 * count, 3):
            chosen = (self.sentences[(at + 3 * step) % len(self.sentences)] for step in range(3))
            words = {"number": str(at * 7 % 90 + 10), **self.words(number)}
            found.append(self.space.join(sentence.format(**words) for sentence in chosen))
        return found


_ENGLISH, _CHINESE = (
    _Phrases(**words)
    for words in json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
)


class DemoArticle(NamedTuple):
    """An article of the site."""

    path: str
    title: str
    paragraphs: list[str]


headline, zh_headline = _ENGLISH.headline_of, _CHINESE.headline_of
paragraphs, zh_paragraphs = _ENGLISH.paragraphs, _CHINESE.paragraphs


def _day(number: int) -> date:
    return date(2026, 3, 1) + timedelta(days=3 * number)


def _articles() -> list[list[DemoArticle]]:
    """The English stories, the Chinese ones and the notices."""
    slugs = ["-".join(headline(n).casefold().split()) for n in range(STORIES)]
    stories = [
        DemoArticle(
            f"/city/{_day(n):%Y/%m}/{slug}-{n + 100}.html", headline(n), paragraphs(n, 3 + n % 3)
        )
        for n, slug in enumerate(slugs)
    ]
    chinese = [
        DemoArticle(
            f"/zh/{_day(n):%Y%m%d}/{4000 + n}.html", zh_headline(n), zh_paragraphs(n, 3 + n % 3)
        )
        for n in range(ZH_STORIES)
    ]
    notices = [
        DemoArticle(
            f"/board/{n + 1}.html", f"Notice {n + 1}: {headline(n + 5)}", paragraphs(n + 5, 2)
        )
        for n in range(NOTICES)
    ]
    return [stories, chinese, notices]


def article_paths() -> set[str]:
    """Paths of the articles that a crawl of the whole site must find."""
    return {article.path for articles in _articles() for article in articles}


def site_pages() -> dict[str, bytes]:
    """Every page of the site by path, as bytes in its own encoding."""
    city, chinese, board = _articles()
    pages = {"/": _page("front", city=list(enumerate(city))[:5], chinese=chinese[:4])}
    pages["/robots.txt"] = b"User-agent: *\nDisallow: /private/\n"
    for name in ("about", "imprint", "privacy"):
        pages[f"/{name}.html"] = _page("about", title=name.capitalize())
    pages |= _section("City", "story", articles=city)
    pages |= _section("中文新闻", "zh_story", articles=chinese, lang="zh-CN")
    return pages | _section("Notice board", "notice", articles=board)


def _section(
    title: str, macro: str, *, articles: list[DemoArticle], lang: str = "en"
) -> dict[str, bytes]:
    """The articles of a section, and its listing pages, eight articles each, the newest first."""
    found = {
        one.path: _page(macro, lang, number=n, article=one, articles=articles)
        for n, one in enumerate(articles)
    }
    folder = f"/{articles[0].path.split('/')[1]}/"
    shown = [list(enumerate(articles))[::-1][at : at + 8] for at in range(0, len(articles), 8)]
    paths = [folder, *(f"{folder}index_{at}.html" for at in range(2, len(shown) + 1))]
    for path, some in zip(paths, shown, strict=True):
        found[path] = _page("listing", lang, title=title, articles=some, paths=paths)
    return found


def _page(macro: str, lang: str = "en", **shown: Any) -> bytes:
    """A page that a macro of the template gives; Chinese ones are in GBK."""
    html = str(getattr(_macros(lang), macro)(**shown))
    return html.encode("gbk" if lang == "zh-CN" else "utf-8", "xmlcharrefreplace")


@cache
def _macros(lang: str) -> object:
    loader = FileSystemLoader(Path(__file__).parent)
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined)
    return environment.get_template("demo.html").make_module(
        {"lang": lang, "day": _day, "authors": AUTHORS}
    )


class _Handler(BaseHTTPRequestHandler):
    pages = site_pages()
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        body = self.pages.get(self.path)
        self.send_response(404 if body is None else 200)
        self.send_header(
            "Content-Type", "text/plain" if self.path.endswith(".txt") else "text/html"
        )
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


@contextmanager
def serve(port: int = 0) -> Iterator[str]:
    """Serve the site until the block is left, and yield the URL of its front page; port 0 takes a
    free one."""
    server = ThreadingHTTPServer(("127.0.0.1", port), _Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
