"""What pages may make a crawl remember: a site without end, and names and links of a megabyte
each."""

from __future__ import annotations

import gc
import tracemalloc
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from sitecrawl.crawl.last_lines import lines_of
from sitecrawl.limits import LIMITS
from tests.crawl.driver import Crawl, Network, crawled
from tests.pages import article_page

_LONG = "k" * 400_000
SHAPES = {
    "classes": '<p class="c{0} {1}">words</p>',
    "ids": "<div id=c{0}{1}>words</div>",
    "links": '<a href="/2024/05/c{0}{1}">words of a link</a>',
    "hosts": '<a href="http://c{0}.{1}.com/">words of a link</a>',
    "tags": "<x{0}{1}><a href=/b{0}>words of a link</a></x{0}{1}>",
    "rel": '<a href=/{0} rel="c{0} {1}">words of a link</a>',
    "texts": "<a href=/{0}>c{0} {1}</a>",
}


@pytest.mark.parametrize("name", SHAPES)
def test_long_names_are_not_kept(tmp_path: Path, name: str) -> None:
    """Caches kept them: 100 MB a page."""
    pages = {
        f"/2024/05/a-{number}.html": article_page(number).replace(
            "</h1>",
            "</h1>" + "".join(SHAPES[name].format(f"{number}x{at}", _LONG) for at in range(5)),
        )
        for number in range(5)
    }
    links = "".join(
        f"<h2><a href={path}>Harbour bridge number {path} opens to cyclists</a></h2>"
        for path in pages
    )
    crawled({"/": links, "/2024/05/a-0.html": article_page(0)}, tmp_path / "first", scope="site")
    crawl = Crawl.of(Network({"/": links, **pages}), tmp_path)
    tracemalloc.start()
    try:
        crawl.run()
        gc.collect()
        used, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(crawl.kinds) == len(pages) + 1
    assert used < 3_000_000


def test_a_site_of_more_articles_than_may_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each run takes up those that found no room before, says so, and writes none twice."""
    monkeypatch.setattr("sitecrawl.crawl.next_pages.LIMITS", replace(LIMITS, unread=10))
    pages = {f"/2024/05/a-{number}.html": article_page(number) for number in range(30)}
    links = "".join(
        f"<h2><a href={path}>Harbour bridge number {path} opens to cyclists</a></h2>"
        for path in pages
    )
    feed: list[dict[str, object]] = []
    network = Network({"/": links, **pages})
    for run in range(4):
        crawl = Crawl.of(network, tmp_path, feed)
        said = " ".join(lines_of(crawl.run()))
        assert ("found no room" in said) == (run < 2)
        assert crawl.session.state.db.connection.closed
        assert len(feed) == min(30, 10 * (run + 1))
    assert Counter(crawl.paths) == Counter(list(pages))


def test_what_is_not_asked_for_is_counted_and_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = replace(LIMITS, unread=10, candidates=10)
    monkeypatch.setattr("sitecrawl.crawl.next_pages.LIMITS", few)
    monkeypatch.setattr("sitecrawl.crawl.frontier.LIMITS", few)
    links = "".join(
        f"<li><a href=/list/{at}/{kind}>{kind} {at}</a>"
        for at in range(300)
        for kind in ("x", "?page=2")
    )
    crawl = Crawl.of(Network({"/": links}), tmp_path, effort="quick")
    next(crawl.steps())
    crawl.take(crawl.session.page(crawl.network.fetch(crawl.waiting.popleft())))  # type: ignore[arg-type]
    schedule = crawl.session.parts.schedule
    assert schedule.frontier.rejected + schedule.crowded_out > 500
    assert len(crawl.session.state.pages.in_turn("queued")) < 30
    assert schedule.frontier.size + len(schedule.articles) + len(schedule.ledger.rows) < 60
    crawl.kill()
