"""Which pages of a site a browser draws; the network of these tests knows each page without a
browser and with one."""

from __future__ import annotations

from pathlib import Path

from sitecrawl.dom.parse import parse
from sitecrawl.extract.single import Extraction
from sitecrawl.items.kinds import Flag
from tests.crawl.driver import Crawl, Network, Reply
from tests.pages import article_page, listing_page

COUNT = 60  # more than the requests that are open at a time
PATHS = [f"/2024/05/a-{n}.html" for n in range(COUNT)]
SCRIPT = "<script>draw()</script>"
WHOLE = {
    path: article_page(n).replace("</body>", f"{SCRIPT}</body>") for n, path in enumerate(PATHS)
}


def shell(number: int, *, headline: bool) -> str:
    title = f"Harbour bridge number {number} opens to cyclists"
    own = f"<main><article><h1>{title}</h1></article></main>" if headline else ""
    return (
        f"<!doctype html><html><head><title>{title}</title></head><body>{own}{SCRIPT}</body></html>"
    )


def crawl_of(folder: Path, plain: dict[str, str], drawn: dict[str, str]) -> Crawl:
    network = Network({"/": listing_page(range(COUNT))} | plain, drawn)
    crawl = Crawl.of(network, folder, js="auto")
    crawl.run()
    return crawl


def test_pages_that_were_requested_before_the_decision_are_drawn_too(tmp_path: Path) -> None:
    """The crawl requests some pages without the browser while the first pages are still with it."""
    crawl = crawl_of(
        tmp_path, {path: shell(n, headline=False) for n, path in enumerate(PATHS)}, WHOLE
    )
    assert crawl.paths == sorted(PATHS)
    assert {*crawl.network.rendered} >= {*PATHS}


def test_a_headline_alone_is_no_complete_article(tmp_path: Path) -> None:
    """A script writes the text under a headline that the server sent."""
    crawl = crawl_of(
        tmp_path, {path: shell(n, headline=True) for n, path in enumerate(PATHS)}, WHOLE
    )
    assert crawl.paths == sorted(PATHS)
    assert all(item["articleBody"].startswith("This is the first paragraph") for item in crawl.feed)
    assert {item["revision"] for item in crawl.feed} == {1}


def test_short_articles_need_no_browser_after_three_tries(tmp_path: Path) -> None:
    short = {
        path: shell(n, headline=True).replace(
            "</article>", f"<p>The {n} cyclists came at noon and left.</p></article>"
        )
        for n, path in enumerate(PATHS)
    }
    crawl = crawl_of(tmp_path, short, {})
    assert crawl.paths == sorted(PATHS)
    assert len(crawl.network.rendered) == 3


def test_articles_that_wait_for_tries_are_read_when_these_lead_elsewhere(tmp_path: Path) -> None:
    """A script sent the browser to the front page; no other short article was read, and no line
    said so."""
    body = "</h1><p>The cyclists came at noon and left.</p>"
    short = {path: shell(n, headline=True).replace("</h1>", body) for n, path in enumerate(PATHS)}
    crawl = crawl_of(tmp_path, short, dict.fromkeys(PATHS, Reply(to="/")))
    assert len(crawl.network.rendered) == 3
    assert crawl.paths == sorted({*PATHS} - {*crawl.network.rendered})


def test_a_listing_that_lost_its_links_in_the_browser_is_read_without_it(tmp_path: Path) -> None:
    """A script in its head did not come, so the browser had nothing of the page; its two articles
    were lost, and no line said so."""
    start = listing_page(range(2)).replace("</body>", f"{SCRIPT}</body>")
    crawl = Crawl.of(
        Network(WHOLE | {"/": start}, {"/": shell(0, headline=False)}), tmp_path, js="auto"
    )
    crawl.run()
    assert crawl.paths == sorted(PATHS[:2])
    assert crawl.network.rendered == ["/"]


def test_a_page_whose_only_text_is_its_headline_is_unsure() -> None:
    page = parse(shell(3, headline=True).encode(), "http://news.example/a.html")
    assert Flag.UNSURE in Extraction(page).article.provenance.flags
    whole = parse(article_page(3).encode(), "http://news.example/a.html")
    assert Flag.UNSURE not in Extraction(whole).article.provenance.flags
