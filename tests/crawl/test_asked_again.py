"""No page is requested for ever, whatever a person labelled, a server answered and a kill
interrupted."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sitecrawl.crawl.config import CrawlSettings
from sitecrawl.crawl.last_lines import lines_of
from sitecrawl.dom.parse import parse
from sitecrawl.limits import LIMITS
from sitecrawl.links.classify import KINDS
from tests.crawl.driver import HOME, Crawl, Network, Pages, Reply
from tests.pages import article_page

SECTIONS = "abcd"
SPELLINGS = ("/{}/", "/{}.html", "/?cat={}", "/list/{}/page/1/")
_WINDOW = CrawlSettings(data_dir=Path()).window  # most requests in progress
_TEASER = (
    '<div class="teaser"><h2><a href="/2024/05/a-{0}.html">Harbour bridge number {0} opens to'
    " cyclists</a></h2><p>How it was planned and paid for.</p></div>"
)


def town(spelling: str = "/{}/", *, each: int = 6, front: bool = True) -> Pages:
    """A site with four sections of ``each`` articles, in a menu on every page. The ``front`` page
    shows all articles, so that no section is the first to show one."""
    paths = [spelling.format(name) for name in SECTIONS]
    items = "".join(f'<li><a href="{path}">Section {path}</a></li>' for path in paths)
    menu = f'<ul class="nav"><li><a href="/">Home</a></li>{items}</ul>'
    pages: Pages = {}
    teasers = ""
    for at, path in enumerate(paths):
        numbers = range(at * each, (at + 1) * each)
        own = "".join(_TEASER.format(number) for number in numbers)
        pages[path] = _page(menu, f"<h1>Section {path}</h1>{own}")
        pages |= {f"/2024/05/a-{number}.html": article_page(number) for number in numbers}
        teasers += own
    pages["/"] = _page(menu, f"<h1>News</h1>{teasers if front else ''}")
    return pages


def _page(menu: str, content: str) -> str:
    return f"<html><head><title>Town</title></head><body>{menu}{content}</body></html>"


def labelled(crawl: Crawl, pages: Pages, labels: Mapping[str, str]) -> Crawl:
    """The crawl with what a person said of links of the front page in the label editor."""
    parts = crawl.session.parts
    profile = parts.articles.site.profile
    for link in parts.hosts.links(parse(pages["/"], f"{HOME}/")):
        kind = labels.get(link.url.removeprefix(HOME))
        if kind is not None:
            profile.record_label(link.url, link.group, kind=kind, guess=link.guess)
    return crawl


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("front", [True, False])
@pytest.mark.parametrize("of", ["a", "abcd"])
def test_a_section_that_a_person_calls_an_article_is_read_once_a_visit(
    tmp_path: Path, spelling: str, front: bool, of: str
) -> None:
    pages = town(spelling, front=front)
    Crawl.of(Network(pages), tmp_path).run()
    said = {spelling.format(name): "article" for name in of}
    for _ in range(2):
        network = Network(pages, most=200)
        labelled(Crawl.of(network, tmp_path), pages, said).run()
        asked = Counter(network.asked)
        assert max(asked[spelling.format(name)] for name in SECTIONS) == 1


class Fickle:
    """A site that is never the same: it answers with its pages, and with the ``share`` (0..1) of
    other pages, errors and redirects."""

    def __init__(self, pages: Pages, chance: Random, share: float) -> None:
        self.pages = pages
        self.paths = sorted(pages)
        self.chance = chance
        self.share = share

    def answer(self, url: str) -> Reply:
        if self.chance.random() < self.share:
            return self._other()
        page = self.pages.get(url.removeprefix(HOME))
        return Reply(page.encode()) if page else Reply(status=404)

    def _other(self) -> Reply:
        path = self.chance.choice(self.paths)
        article = article_page(self.chance.randrange(40))
        replies = (
            Reply(status=self.chance.choice((0, 404, 500, 503))),
            Reply(b""),
            Reply(b"<html><body><h1>Error</h1>Try again.</body></html>"),
            Reply(to=path),
            Reply(article.encode()),
            Reply(self.pages[path].encode()),
        )
        return self.chance.choice(replies)


@dataclass
class Visitor:
    """Visits a site again and again; a visit takes as many processes as it is killed, and one."""

    pages: Pages
    labels: Mapping[str, str]
    chance: Random
    folder: Path
    effort: str

    def visit(self, network: Network, *, kills: int) -> None:
        for _ in range(kills):
            self._run(network, self.chance.randrange(1, 40)).kill()
        self._run(network, -1).end()

    def _run(self, network: Network, steps: int) -> Crawl:
        """A process that ends after so many steps, or with nothing left to do."""
        crawl = Crawl.of(network, self.folder, effort=self.effort)
        labelled(crawl, self.pages, self.labels)
        for _ in crawl.steps():
            self.chance.shuffle(crawl.waiting)
            steps -= 1
            if steps == 0:
                break
        return crawl


@settings(
    max_examples=30,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(
    seed=st.integers(0, 1_000_000),
    spelling=st.sampled_from(SPELLINGS),
    front=st.booleans(),
    kinds=st.lists(st.sampled_from(("", *KINDS, "article")), min_size=5, max_size=5),
    learns=st.booleans(),
    share=st.sampled_from((0.0, 0.1, 0.5)),
    effort=st.sampled_from(("normal", "full")),
    kills=st.lists(st.integers(0, 4), min_size=1, max_size=3),
)
def test_no_page_is_requested_for_ever(
    seed: int,
    spelling: str,
    front: bool,
    kinds: list[str],
    learns: bool,
    share: float,
    effort: str,
    kills: list[int],
) -> None:
    pages = town(spelling, each=4, front=front)
    paths = [spelling.format(name) for name in SECTIONS]
    labels = {path: kind for path, kind in zip([*paths, "/"], kinds, strict=True) if kind}
    chance = Random(seed)
    fickle = Fickle(pages, chance, share)
    with tempfile.TemporaryDirectory() as folder:
        visitor = Visitor(pages, {}, chance, Path(folder), effort)
        if learns:  # what a first visit found is known before a person says another thing
            visitor.visit(Network(pages), kills=0)
        visitor.labels = labels
        for count in kills:
            network = Network({"*": fickle.answer})
            visitor.visit(network, kills=count)
            asked = Counter(network.asked)
            assert max(asked.values()) <= LIMITS.sends
            # a kill repeats the requests that were in progress; else few pages are read twice
            assert asked.total() <= 2 * len(asked) + count * _WINDOW


class Killed(BaseException):
    """The process is gone."""


def test_a_page_that_ends_every_process_is_left_to_the_next_visit(tmp_path: Path) -> None:
    """Whoever restarts a crawl that a page kills (memory, a fault of a parser) does not do so for
    ever, and no other article is lost."""
    pages = town()
    poison = "/2024/05/a-3.html"

    def kill(_: str) -> str:
        raise Killed

    network = Network(pages | {poison: kill})
    feed: list[dict[str, Any]] = []
    for _ in range(2 * LIMITS.sends):
        crawl = Crawl.of(network, tmp_path, feed)
        try:
            crawl.run()
            break
        except Killed:
            crawl.kill()
    assert network.asked.count(poison) == LIMITS.sends
    assert "requested too often in one run" in " ".join(lines_of(crawl.session.visit))
    Crawl.of(Network(pages), tmp_path, feed).run()
    assert len({item["url"] for item in feed}) == len(feed) == 24
