"""Only from now on: the first visit writes nothing and remembers what is there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sitecrawl.crawl.last_lines import lines_of
from tests.crawl.driver import HOME, Crawl, Network, Pages
from tests.pages import article_page, listing_page


def path_of(number: int) -> str:
    return f"/2024/05/a-{number}.html"


def plain(numbers: range) -> Pages:
    """Ten articles a page, the newest first, with a pager."""
    newest = sorted(numbers, reverse=True)
    parts = [newest[at : at + 10] for at in range(0, len(newest), 10)]
    pages: Pages = {path_of(n): article_page(n) for n in numbers}
    for at, part in enumerate(parts, 1):
        name = "/" if at == 1 else f"/city/page/{at}/"
        following = f"/city/page/{at + 1}/" if at < len(parts) else "/"
        pages[name] = listing_page(part).replace("/city/page/2/", following)
    return pages


def with_slugs(numbers: range) -> Pages:
    """Addresses of words."""
    words = ("harbour", "library", "tram", "market", "school", "river", "theatre")
    names = {path_of(n): f"/stad/{words[n % 7]}-{words[n // 7 % 7]}-opent-{n}" for n in numbers}
    pages = {}
    for path, page in plain(numbers).items():
        for old, new in names.items():
            page = page.replace(f'"{old}"', f'"{new}"')
        pages[names.get(path, path)] = page
    return pages


def by_number(numbers: range) -> Pages:
    """Addresses with a query, as of a script."""
    pages = {}
    for path, page in plain(numbers).items():
        for n in numbers:
            page = page.replace(f'"{path_of(n)}"', f'"/show.php?id={n}"')
        number = path[11:-5]
        pages[f"/show.php?id={number}" if path.startswith("/2024") else path] = page
    return pages


def named_by_a_sitemap(numbers: range) -> Pages:
    pages = plain(numbers)
    rows = "".join(f"<url><loc>{HOME}{path_of(n)}</loc></url>" for n in numbers)
    pages["/"] = listing_page(sorted(numbers)[-3:]).replace("/city/page/2/", "/")
    return pages | {"/sitemap.xml": f"<urlset>{rows}</urlset>"}


def in_chinese(numbers: range) -> Pages:
    pages = plain(numbers)
    return {
        path: page.replace("Harbour bridge number", "港口大桥通行编号")
        for path, page in pages.items()
    }


SITES: dict[str, Callable[[range], Pages]] = {
    "plain": plain,
    "slugs": with_slugs,
    "numbers": by_number,
    "sitemap": named_by_a_sitemap,
    "Chinese": in_chinese,
}


def visit(pages: Pages, folder: Path, *, kill_after: int = 0, max_pages: int = 0) -> Crawl:
    crawl = Crawl.of(
        Network(pages), folder, baseline=1, discover="links,sitemap", max_pages=max_pages
    )
    if kill_after:
        for at, _ in enumerate(crawl.steps()):
            if at == kill_after:
                crawl.kill()
                return crawl
    crawl.run()
    return crawl


def articles_asked(crawl: Crawl, pages: Pages) -> int:
    return len(
        [path for path in crawl.network.asked if '<div class="text">' in pages.get(path, "")]
    )


@pytest.mark.parametrize("kind", SITES)
def test_the_first_visit_writes_nothing_and_the_next_what_is_new(tmp_path: Path, kind: str) -> None:
    pages = SITES[kind](range(60))
    first = visit(pages, tmp_path)
    assert first.feed == []
    assert articles_asked(first, pages) <= 40
    told = "; ".join(lines_of(first.session.visit))
    assert "60 articles are remembered and not written" in told
    later = SITES[kind](range(64))
    second = visit(later, tmp_path)
    new = {path for path in later if path not in pages and 'class="text"' in later[path]}
    assert set(second.paths) == new
    assert len(new) == 4
    assert articles_asked(second, later) == 4
    assert visit(later, tmp_path).feed == []


@pytest.mark.parametrize("kill_after", [1, 5, 12, 20])
def test_a_first_visit_that_is_killed_goes_on_as_one(tmp_path: Path, kill_after: int) -> None:
    pages = plain(range(40))
    assert visit(pages, tmp_path, kill_after=kill_after).feed == []
    assert visit(pages, tmp_path).feed == []
    assert visit(plain(range(41)), tmp_path).paths == [path_of(40)]


def test_a_limited_first_visit_goes_on_as_one(tmp_path: Path) -> None:
    pages = plain(range(40))
    for _ in range(12):
        assert visit(pages, tmp_path, max_pages=6).feed == []
    assert visit(plain(range(41)), tmp_path).paths == [path_of(40)]


def test_a_site_that_was_crawled_before_has_its_new_articles_written(tmp_path: Path) -> None:
    pages = plain(range(20))
    before = Crawl.of(Network(pages), tmp_path, discover="links,sitemap")
    before.run()
    assert len(before.feed) == 20
    assert visit(plain(range(22)), tmp_path).paths == [path_of(20), path_of(21)]
