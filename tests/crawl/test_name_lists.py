"""Products, cases and departments that look like articles: lists of mere names without any day, beside lists of dated news."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitecrawl.crawl.name_lists import NameLists
from sitecrawl.demo import headline, paragraphs
from tests.crawl.driver import HOME, Pages, crawled
from tests.crawl.test_page_kinds import credulous

NEWS, GOODS = 32, 6
PUMPS = "Pump", "Valve", "Hose", "Drill", "Crane", "Winch"


def page(title: str, number: int, day: str) -> str:
    text = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs(number, 4))
    head = '<a href="/">Home</a> <a href="/goods/">Goods</a> <a href="/news/">News</a>'
    return f"<html><body>{head}<article><h1>{title}</h1><time>{day}</time>{text}</article></body></html>"


def story(number: int) -> str:
    return f"{headline(number)}, as it was told to us for the {number + 2}th time"


def listing(title: str, rows: str) -> str:
    return f"<html><body><a href='/'>Home</a><h1>{title}</h1><ul>{rows}</ul></body></html>"


def company(days: bool = True, names: tuple[str, ...] = PUMPS) -> Pages:
    """A company that shows its goods without days, and its news with them."""
    pages: Pages = {f"/news/{n}.html": page(story(n), n, f"2024-05-{n % 28 + 1:02d}") for n in range(NEWS)}
    pages |= {f"/goods/{n}.html": page(name, 100 + n, "2024-02-01") for n, name in enumerate(names)}
    news = "".join(
        f"<li><a href='/news/{n}.html'>{story(n)}</a>{f' 2024-05-{n % 28 + 1:02d}' * days}</li>" for n in range(NEWS)
    )
    goods = "".join(f"<li><a href='/goods/{n}.html'>{name}</a></li>" for n, name in enumerate(names))
    doors = "<li><a href='/goods/'>Goods</a></li><li><a href='/news/'>News</a></li>"
    return pages | {
        "/": f"<html><body><h1>Pumps and more</h1><ul>{doors}</ul></body></html>",
        "/goods/": listing("Goods", goods),
        "/news/": listing("News", news),
    }


def paths(pages: Pages, part: str) -> list[str]:
    return sorted(path for path in pages if path.startswith(part) and path.endswith(".html"))


def test_names_without_a_day_are_left_out_where_news_has_days(tmp_path: Path) -> None:
    pages = company()
    crawl = crawled(pages, tmp_path, link_model=credulous(tmp_path))
    assert crawl.paths == paths(pages, "/news/")
    assert crawl.counts["items/dropped/mere-name"] == GOODS
    assert f"{GOODS + 1} pages unlike the articles of the site were left out" in crawl.session.outcome.lines()[-1]


@pytest.mark.parametrize(
    "pages",
    [
        company(days=False),
        company(names=tuple(f"{story(n)}, in short" for n in range(40, 46))),
        company(names=PUMPS[:2]),
    ],
    ids=["no row has a day", "headlines as long as those of the news", "too few to tell"],
)
def test_all_leave_where_days_or_names_tell_nothing(tmp_path: Path, pages: Pages) -> None:
    crawl = crawled(pages, tmp_path, link_model=credulous(tmp_path))
    assert crawl.paths == sorted(paths(pages, "/news/") + paths(pages, "/goods/"))


def test_a_crawl_that_stops_at_a_number_of_articles_holds_none_back(tmp_path: Path) -> None:
    pages = company(names=tuple(f"Pump {n}" for n in range(90)))
    crawl = crawled(pages, tmp_path, link_model=credulous(tmp_path), max_articles=3)
    assert len(crawl.paths) == 3
    assert len(crawl.network.asked) < 60


# ---- what rows tell
def rows(days: bool = True) -> NameLists:
    """News that was read, 30 headlines of 40 to 69 letters."""
    known = NameLists()
    known.look_at(f"{HOME}/news/", {f"{HOME}/news/{n}": days for n in range(30)}, False)
    for n in range(30):
        known.read(f"news.example/news/{n}", "x" * (40 + n), f"2024-05-{n + 1:02d}")
    return known


def show(
    known: NameLists, lengths: list[int], listing: str = f"{HOME}/goods/", start: bool = False, own: bool = False
) -> list[str]:
    """Goods are shown and read, each with a name of so many letters and, if told, a day of its ``own``; their keys."""
    known.look_at(listing, {f"{HOME}/goods/{n}": False for n in range(len(lengths))}, start)
    keys = [f"news.example/goods/{n}" for n in range(len(lengths))]
    for key, length in zip(keys, lengths, strict=True):
        known.read(key, "x" * length, f"2024-02-{int(key.rpartition('/')[2]) % 28 + 1 if own else 1:02d}")
    return keys


def test_short_names_are_told() -> None:
    known = rows()
    keys = show(known, [8, 9, 12, 41])
    assert known.names() == set(keys)
    assert all(known.may_be_name(key) for key in keys)


def test_a_headline_among_names_does_not_wait() -> None:
    known = rows()
    *_, last = show(known, [8, 9, 12, 60])
    assert not known.may_be_name(last)


@pytest.mark.parametrize("lengths", [[8, 9], [50, 9, 55], [45, 48, 50]])
def test_few_pages_and_lists_of_headlines_tell_nothing(lengths: list[int]) -> None:
    known = rows()
    show(known, lengths)
    assert known.names() == set()


def test_pages_with_days_of_their_own_are_articles_however_short_their_headlines() -> None:
    known = rows()
    show(known, [8, 9, 12], own=True)
    assert known.names() == set()


def test_what_stands_elsewhere_with_a_day_or_on_a_start_page_is_no_name() -> None:
    known = rows()
    keys = show(known, [8, 9, 12])
    show(known, [8, 9, 12], f"{HOME}/", start=True)
    assert known.names() == set()
    known = rows()
    show(known, [8, 9, 12])
    known.look_at(f"{HOME}/latest/", {f"{HOME}/goods/0": True, f"{HOME}/goods/1": True}, False)
    assert known.names() == set()
    assert not known.may_be_name(keys[0])


def test_a_site_without_days_has_no_names_and_holds_few_pages() -> None:
    known = rows(days=False)
    keys = show(known, [8] * 150)
    assert known.names() == set()
    assert sum(map(known.may_be_name, keys)) == 100


def test_a_listing_page_with_some_days_is_not_judged() -> None:
    known = rows()
    days = {f"{HOME}/mixed/{n}": n < 2 for n in range(8)}
    known.look_at(f"{HOME}/mixed/", days, False)
    for n in range(8):
        known.read(f"news.example/mixed/{n}", "x", "")
    assert known.names() == set()
