"""A month of daily visits: whether each new article is found on its day, what is written twice, and
what a visit requests. ``python -m benchmarks month [--days N]``

Each site is synthetic, with an etag for each page, and publishes some articles a day in its own
way. The first visit is not counted."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tests.crawl.driver import HOME, Crawl, Network, Pages
from tests.pages import article_page, listing_page

_BEFORE = 40  # articles that are there at the first visit
_SHOWN = 10  # articles of one listing page
_PAGER = "/city/page/2/"


class Day(NamedTuple):
    """The site on one day, and the paths of the articles that are new on it."""

    pages: Pages
    new: set[str]


class Figures(NamedTuple):
    """What the visits of one site found. ``requests`` are those of the first visit, and the mean
    of the later ones; ``spared`` of these were answered by 304."""

    published: int
    found: int
    late: int
    twice: int
    first: int
    requests: float
    spared: float


def path_of(number: int) -> str:
    return f"/2024/05/a-{number}.html"


def _listings(numbers: list[int], *, name: str = "/city/page/{}/", first: str = "/") -> Pages:
    """Listing pages of articles in the given order."""
    parts = [numbers[at : at + _SHOWN] for at in range(0, len(numbers), _SHOWN)] or [[]]
    pages: Pages = {}
    for at, part in enumerate(parts, 1):
        following = name.format(at + 1) if at < len(parts) else first
        place = first if at == 1 else name.format(at)
        pages[place] = listing_page(part).replace(_PAGER, following)
    return pages


def _articles(numbers: list[int]) -> Pages:
    return {path_of(number): article_page(number) for number in numbers}


def on_the_front_page(numbers: list[int]) -> Pages:
    return _listings(numbers[::-1])


def on_page_two(numbers: list[int]) -> Pages:
    """The front page shows the same ten stories for weeks; the newest stand below them."""
    pinned, others = numbers[:_SHOWN], numbers[_SHOWN:]
    return _listings([*pinned, *others[::-1]])


def in_a_feed(numbers: list[int]) -> Pages:
    """New articles stand in the feed alone, which holds the latest twenty."""
    items = "".join(f"<item><link>{HOME}{path_of(n)}</link></item>" for n in numbers[:-21:-1])
    pages = _listings(numbers[:_BEFORE][::-1])
    named = '<link rel="alternate" type="application/rss+xml" href="/feed/"></head>'
    pages["/"] = pages["/"].replace("</head>", named)
    return pages | {"/feed/": f"<rss><channel>{items}</channel></rss>"}


def in_an_empty_section(numbers: list[int]) -> Pages:
    """New articles stand in a section of the menu that was empty at the first visit."""
    pages = _listings(numbers[:_BEFORE][::-1])
    later = numbers[_BEFORE:][::-1]
    return pages | _listings(later, name="/sport/page/{}/", first="/sport/")


def in_several_ways(numbers: list[int]) -> Pages:
    """Even numbers come on the front page, odd ones in a section."""
    pages = _listings([n for n in numbers if n % 2 == 0][::-1])
    odd = [n for n in numbers if n % 2][::-1]
    return pages | _listings(odd, name="/politics/page/{}/", first="/politics/")


WAYS: dict[str, Callable[[list[int]], Pages]] = {
    "front page": on_the_front_page,
    "page two": on_page_two,
    "feed": in_a_feed,
    "empty section": in_an_empty_section,
    "several": in_several_ways,
}


def day_of(way: str, day: int, *, each: int) -> Day:
    """A site that published ``each`` articles a day until this ``day``; 0 is the first visit."""
    numbers = [*range(_BEFORE + day * each)]
    new = numbers[len(numbers) - each :] if day else []
    pages = WAYS[way](numbers) | _articles(numbers)
    return Day(pages, {path_of(number) for number in new})


@dataclass(slots=True)
class Month:
    """The visits of one site."""

    way: str
    folder: Path
    each: int = 2
    baseline: bool = False

    def visit(self, pages: Pages) -> Crawl:
        network = Network(pages, etags=True)
        ways = "links,feeds" if self.way == "feed" else "links"
        crawl = Crawl.of(network, self.folder, discover=ways, baseline=int(self.baseline))
        crawl.run()
        return crawl

    def run(self, days: int) -> Figures:
        first = self.visit(day_of(self.way, 0, each=self.each).pages)
        written = set(first.paths)
        published = found = late = twice = requests = spared = 0
        for number in range(1, days + 1):
            today = day_of(self.way, number, each=self.each)
            crawl = self.visit(today.pages)
            items = set(crawl.paths)
            published += len(today.new)
            found += len(today.new & items)
            twice += len(items & written)
            late += len(items - today.new - written) if not self.baseline else 0
            written |= items
            requests += len(crawl.network.asked)
            spared += len(crawl.network.spared)
        asked = len(first.network.asked)
        return Figures(published, found, late, twice, asked, requests / days, spared / days)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks month", description=__doc__)
    parser.add_argument("--days", type=int, default=30)
    given = parser.parse_args(arguments)
    print(
        f"{'news come on':16} {'new':>5} {'found':>6} {'late':>5} {'twice':>6} {'first':>6} {'daily':>6} {'304':>5}"
    )
    is_whole = True
    for way in WAYS:
        with tempfile.TemporaryDirectory() as folder:
            it = Month(way, Path(folder)).run(given.days)
        is_whole = is_whole and it.found == it.published and not it.twice
        print(
            f"{way:16} {it.published:5} {it.found:6} {it.late:5} {it.twice:6} {it.first:6} {it.requests:6.1f} {it.spared:5.1f}"
        )
    return int(not is_whole)
