"""Which page is asked for next: trials of unknown patterns, the frontier, what a site's articles have in common."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sitecrawl.crawl.config import CrawlArguments
from sitecrawl.crawl.frontier import Frontier
from sitecrawl.crawl.planner import Brought, Planner
from sitecrawl.crawl.records import RequestContext, Role
from sitecrawl.crawl.store import Stores
from sitecrawl.crawl.url_stats import UrlStats
from sitecrawl.dom.parse import parse
from sitecrawl.items.kinds import PageKind
from sitecrawl.links.classify import Link, Profile, classify
from sitecrawl.links.link_model import save_model, shipped_model
from sitecrawl.site.conventions import ClassConvention, DateConvention
from sitecrawl.site.model import SiteModel
from sitecrawl.urls.scope import Scope
from tests.crawl.driver import HOME, Crawl, Network, Pages, crawled
from tests.pages import listing_page

TEXT = (
    "<p>" + "The council met on the first floor of the town hall, and after two hours it had agreed on the bridge. " * 8
)
ABOUT = "<html><body><h1>Our town hall seen from floor {n}</h1><p>Floor {n} of the house.</p>{text}</body></html>"


START = RequestContext("http://a.example/", Role.START)


def planner(folder: Path, start: str = "http://a.example/", **more: str) -> Planner:
    arguments = CrawlArguments.parse({"start": start, "scope": "site"} | more)
    store = Stores(folder).crawl("a.example")
    store.begin("task")
    return Planner(arguments, Scope.of(arguments.start, "site"), store, UrlStats(Profile()), lambda name: None)


def link(number: int, promise: float = 0.6) -> RequestContext:
    return RequestContext(f"http://a.example/tags/name{'x' * number}/", Role.ARTICLE, promise)


def admitted(plan: Planner) -> list[RequestContext]:
    """The articles that may be asked for now."""
    found = []
    while (context := plan.next_article()) is not None:
        plan.sent(context)
        found.append(context)
    return found


# ---- trials
def test_a_few_of_a_new_pattern_are_tried_and_the_rest_waits(tmp_path: Path) -> None:
    plan = planner(tmp_path)
    for n in range(6):
        plan.want(link(n))
    assert admitted(plan) == [link(n) for n in range(4)]
    plan.want(link(7, 0.97))
    assert admitted(plan) == [link(7, 0.97)]


def test_the_rest_follows_when_the_first_was_an_article(tmp_path: Path) -> None:
    plan = planner(tmp_path)
    for n in range(6):
        plan.want(link(n))
    first, *_ = admitted(plan)
    plan.landed(first)
    plan.learn(first, first.url, PageKind.ARTICLE)
    plan.want(link(8))
    assert admitted(plan) == [link(4), link(5), link(8)]


def test_the_rest_comes_last_when_the_first_were_none(tmp_path: Path) -> None:
    plan = planner(tmp_path)
    for n in range(12):
        plan.want(link(n, 0.4))
    assert plan.found == 12
    tried = 0
    while waiting := admitted(plan):
        for context in waiting:
            plan.landed(context)
            plan.learn(context, context.url, PageKind.LISTING)
        tried += len(waiting)
    assert tried < 12
    assert plan.found == 0
    left = list(plan.frontier.waiting())
    assert {context.role for context in left} == {Role.MAYBE}
    assert len(left) == 12 - tried


def test_a_trial_without_an_end_goes_on(tmp_path: Path) -> None:
    plan = planner(tmp_path)
    for n in range(10):
        plan.want(link(n))
    assert [len(admitted(plan)), plan.trials(), len(admitted(plan)), plan.trials()] == [4, True, 4, True]
    assert [len(admitted(plan)), plan.trials()] == [2, False]


# ---- links
def scores(article: float = 0.99, section: float = 0.0) -> dict[str, float]:
    return {"article": article, "section": section, "other": round(1 - article - section, 2)}


def sorted_urls(plan: Planner, links: list[Link], url: str = "http://a.example/") -> list[str]:
    plan.sort(links, parse(b"<html><body><p>News</p></body></html>", url), (START, PageKind.LISTING))
    return [context.url for context in admitted(plan)]


def test_a_link_is_asked_for_under_the_host_that_answered(tmp_path: Path) -> None:
    links = [
        Link(url, "The bridge", "article", 0.99, scores())
        for url in ("https://a.example/1.html", "http://www.a.example/2.html", "https://www.a.example/3.html")
    ]
    found = sorted_urls(planner(tmp_path, "http://www.a.example/"), links, "http://www.a.example/")
    assert found == ["http://www.a.example/1.html", "http://www.a.example/2.html", "https://www.a.example/3.html"]


@pytest.mark.parametrize("start", ["http://bücher.example/", "http://xn--bcher-kva.example/"])
def test_an_international_host_is_one_host_in_both_spellings(tmp_path: Path, start: str) -> None:
    text = listing_page(range(12)).replace('href="/2024/05/a-1.html', 'href="http://bücher.example/2024/05/a-1.html')
    page = parse(text, "http://xn--bcher-kva.example/")
    plan = planner(tmp_path, start)
    plan.sort(classify(page), page, (START, PageKind.LISTING))
    found = [context.url for context in admitted(plan) if "/2024/05/" in context.url]
    assert sorted(found) == sorted(f"http://xn--bcher-kva.example/2024/05/a-{n}.html" for n in range(12))


def test_the_number_of_new_articles_counts_none_twice(tmp_path: Path) -> None:
    plan = planner(tmp_path)
    page = parse(b"<html><body><p>News</p></body></html>", "http://a.example/")
    links = [Link(f"http://a.example/{n % 10}.html", "The bridge", "article", 0.99, scores()) for n in range(20)]
    assert [plan.sort(links, page, (START, PageKind.LISTING)) for _ in range(2)] == [Brought(10, 10), Brought(10, 0)]


def test_what_pages_were_is_known_after_a_restart(tmp_path: Path) -> None:
    plan = planner(tmp_path)
    for n in range(9):
        for name, kind in (("article", PageKind.ARTICLE), ("listing", PageKind.LISTING), ("failed", None)):
            context = RequestContext(f"http://a.example/{name}/{n}.html", Role.ARTICLE)
            plan.store.queue(context)
            plan.store.done(context.key, kind)
    section = RequestContext("http://a.example/news/", Role.SECTION, listing=0.9)
    plan.store.queue(section)
    plan.store.done(section.key, PageKind.LISTING, 9, 5)
    waiting = [
        RequestContext("http://a.example/left.html", Role.ARTICLE, 0.99),
        RequestContext("http://a.example/x/", Role.SECTION),
    ]
    for context in waiting:
        plan.store.queue(context)
    plan.store.db.close()
    again = planner(tmp_path)
    again.recall()
    assert again.stats.are_others("http://a.example/listing/99.html")
    assert again.stats.is_article_family("http://a.example/article/99.html")
    assert not again.stats.are_others("http://a.example/failed/99.html")
    assert again.found == 10, "nine that were fetched, one that waits"
    assert again.frontier.was_tried(section)
    assert again.next_article() == waiting[0]
    assert list(again.frontier.waiting()) == waiting[1:]
    assert not again.want(RequestContext("http://a.example/article/3.html", Role.ARTICLE))


# ---- the frontier
def section(name: str, listing: float = 0.8, **more: bool) -> RequestContext:
    return RequestContext(f"http://a.example/{name}/", Role.SECTION, 0.1, listing, **more)  # type: ignore[arg-type]


def pager(number: int) -> RequestContext:
    return RequestContext(f"http://a.example/news/page/{number}/", Role.PAGINATION)


def test_the_best_page_comes_first() -> None:
    frontier = Frontier()
    for name, listing in (("b", 0.3), ("a", 0.9), ("c", 0.6)):
        frontier.add(section(name * 5, listing))
    assert [frontier.pop(0.0) for _ in range(4)] == [
        section("aaaaa", 0.9),
        section("ccccc", 0.6),
        section("bbbbb", 0.3),
        None,
    ]


def test_what_brings_articles_comes_before_what_does_not() -> None:
    frontier = Frontier()
    for n in range(1, 21):
        frontier.add(section(f"tag/t{'x' * n}", 0.9))
        frontier.add(pager(n))
    fetched = []
    while (context := frontier.pop(0.5)) is not None:
        fetched.append(context)
        frontier.record(context, 5, 5 if context.role is Role.PAGINATION else 0)
    pages = [context for context in fetched if context.role is Role.PAGINATION]
    assert len(pages) == 20
    assert len(fetched) - len(pages) < 20, "barren tag pages come to an end"


def test_a_barren_tag_page_does_not_stop_the_sections() -> None:
    frontier = Frontier()
    before = frontier.expected(section("sport"))
    for n in range(6):
        frontier.record(section(f"tag/t{'x' * n}"), 3, 0)
    tag, other = frontier.expected(section("tag/other")), frontier.expected(section("sport"))
    assert tag < 0.2 * before
    assert other > 2 * tag
    assert other > 0.25, "worth its request"


def test_neighbours_of_three_barren_pages_are_still_tried() -> None:
    frontier = Frontier()
    for n in range(3):
        frontier.record(section(f"tag/t{'x' * n}"), 3, 0)
    frontier.add(section("tag/another"))
    assert frontier.pop(0.25) == section("tag/another")


def test_a_pagination_is_followed_a_little_beyond_its_last_fruitful_page() -> None:
    frontier = Frontier()
    for n in range(2, 8):
        frontier.record(pager(n), 10, 10)
    beyond = 0
    while beyond < 60:
        frontier.add(pager(8 + beyond))
        context = frontier.pop(0.2)
        if context is None:
            break
        frontier.record(context, 10, 0)
        beyond += 1
    assert 1 <= beyond <= 20


def test_the_far_end_of_an_archive_is_probed_before_it_is_left() -> None:
    """Neighbours are no independent samples: thirty months of known articles, and older ones that no other page shows."""
    frontier = Frontier()
    for n in range(60):
        frontier.add(pager(n))
    opened = []
    while (context := frontier.pop(1.0, samples=8)) is not None:
        opened.append(context)
        frontier.record(context, 10, 10 if context in map(pager, range(50, 60)) else 0)
    assert {pager(n).url for n in range(50, 60)} <= {context.url for context in opened}
    assert len(opened) < 60, "the rest is left"


def test_what_a_menu_names_is_opened_once() -> None:
    frontier = Frontier()
    for n in range(40):
        frontier.record(section(f"menu/m{'x' * n}"), 10, 0)
    frontier.add(section("menu/named", 0.4, named=True))
    frontier.add(section("menu/other", 0.4))
    assert frontier.pop(1.0) == section("menu/named", 0.4, named=True)
    assert frontier.pop(1.0) is None
    assert frontier.remaining() > 0


def maybe(path: str, listing: float = 0.002) -> RequestContext:
    return RequestContext(f"http://a.example/{path}", Role.MAYBE, 0.002, listing)


def test_samples_are_taken_of_what_is_least_known() -> None:
    frontier = Frontier()
    for n in range(30):
        frontier.add(maybe(f"stories/{'x' * (n + 1)}.html"))
    frontier.add(maybe("about"))
    assert frontier.pop(0.1) is None
    sampled = Counter[str]()
    while (context := frontier.pop(0.1, samples=20)) is not None:
        sampled[context.url.split("/")[3]] += 1
        frontier.record(context, 0, 0)
    assert sampled == {"stories": 5, "about": 1}, "no family without one"
    assert frontier.pop(0.1, samples=6) is None, "as many as may be in vain"


def test_a_sample_that_brings_something_is_followed_up() -> None:
    frontier = Frontier()
    for n in range(30):
        frontier.add(maybe(f"stories/{'x' * (n + 1)}.html"))
    number = 0
    while (context := frontier.pop(0.1, samples=8)) is not None:
        frontier.record(context, 1, 1)
        number += 1
    assert number == 30


def test_a_large_family_is_sampled_whatever_was_opened_in_vain() -> None:
    frontier = Frontier()
    for n in range(8):
        frontier.record(maybe(f"help/{'x' * (n + 1)}/", 0.1), 0, 0)
    for n in range(200):
        frontier.add(maybe(f"2024/05/{'x' * (n + 1)}/", 0.006))
    found = frontier.pop(0.1, samples=8)
    assert found is not None
    assert "/2024/" in found.url


def ignorant(folder: Path) -> str:
    """Path of a link model that takes every link for anything but an article or a listing page."""
    shipped = shipped_model()
    calibration = np.zeros_like(shipped.calibration)
    calibration[2] = (-5.0, -3.5, 0.0)
    save_model(replace(shipped, calibration=calibration), folder / "ignorant.npz")
    return str(folder / "ignorant.npz")


def unpromised() -> Pages:
    """Stories, and rooms of a house that are none."""
    pages: Pages = {f"/2024/05/the-bridge-is-{n}-years-old.html": story(n) for n in range(25)}
    pages |= {f"/house/floor-{n}.html": f"<p>Floor {n}</p>" for n in range(25)}
    links = "".join(f'<li><a href="{path}">Read on</a></li>' for path in pages)
    return pages | {"/": f"<html><body><ul>{links}</ul></body></html>"}


def test_articles_are_found_where_the_link_model_knows_none(tmp_path: Path) -> None:
    pages = unpromised()
    crawl = crawled(pages, tmp_path, link_model=ignorant(tmp_path))
    assert {item["url"] for item in crawl.feed} == {HOME + path for path in pages if "2024" in path}
    assert len(crawl.network.asked) < 40, "of the others a few were tried"


@pytest.mark.parametrize("steps", [3, 5, 12, 30])
def test_pages_that_no_link_promised_survive_a_kill(tmp_path: Path, steps: int) -> None:
    pages, model = unpromised(), ignorant(tmp_path)
    killed = Crawl.of(Network(pages), tmp_path, link_model=model)
    for _, _ in zip(range(steps), killed.steps(), strict=False):
        pass
    killed.kill()
    again = Crawl.of(Network(pages), tmp_path, killed.feed, link_model=model)
    again.run()
    assert Counter(item["url"] for item in again.feed) == {HOME + path: 1 for path in pages if "2024" in path}


def test_effort_tells_how_far_a_crawl_goes(tmp_path: Path) -> None:
    asked = {}
    for effort in ("quick", "normal", "full"):
        plan = planner(tmp_path / effort, effort=effort)
        for n in range(60):
            plan.frontier.add(section(f"tag/t{'x' * n}", 0.6))
        asked[effort] = 0
        while (context := plan.next_listing()) is not None:
            plan.brought(context, Brought(4, 0))
            asked[effort] += 1
        known = plan.completeness()
        assert known.left == 60 - asked[effort]
    assert asked["quick"] < asked["normal"] < asked["full"] == 60


def test_only_a_few_listing_pages_are_under_way_and_none_while_articles_are_many(tmp_path: Path) -> None:
    plan = planner(tmp_path)
    for n in range(20):
        plan.frontier.add(section(f"tag/t{'x' * n}"))
    opened = []
    while (context := plan.next_listing()) is not None:
        plan.sent(context)
        opened.append(context)
    assert 1 <= len(opened) < 20
    plan.landed(opened[0])
    assert plan.next_listing() is not None
    plan.under_way = {str(n): Role.ARTICLE for n in range(10)}
    assert plan.next_listing() is None


def test_a_full_frontier_counts_what_it_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    frontier = Frontier(size=50_000)
    frontier.add(section("one"))
    assert (frontier.left, list(frontier.waiting())) == (1, [])


# ---- what a site's articles have in common
def flags_of(item: dict[str, Any]) -> list[str]:
    return list(item["provenance"].get("flags", ()))


def story(number: int) -> str:
    headline = f"The bridge over the river is {number} years old"
    return (
        f'<html><body><nav><a href="/">Home</a></nav><article><h1>{headline}</h1>'
        f'<time datetime="2024-05-{number % 28 + 1:02d}">{number % 28 + 1} May 2024</time>'
        f"<div class='text'><p>Report number {number} of {number * 7} pages.</p>{TEXT}</div></article></body></html>"
    )


@pytest.mark.parametrize("floors", [3, 12])
def test_few_undated_pages_of_a_dating_site_are_dropped_and_many_are_flagged(tmp_path: Path, floors: int) -> None:
    links = [
        f"<li><a href='/2024/05/the-bridge-is-{n}-years-old.html'>The bridge over the river is {n}</a></li>"
        for n in range(25)
    ]
    links += [
        f"<li><a href='/house/our-town-hall-from-floor-{n}.html'>Our town hall seen from floor {n}</a></li>"
        for n in range(floors)
    ]
    pages = {f"/2024/05/the-bridge-is-{n}-years-old.html": story(n).encode() for n in range(25)}
    pages |= {f"/house/our-town-hall-from-floor-{n}.html": ABOUT.format(n=n, text=TEXT).encode() for n in range(floors)}
    pages["/"] = f"<html><body><main><ul>{''.join(links)}</ul></main></body></html>".encode()
    items = crawled(pages, tmp_path).feed
    flagged = {item["url"] for item in items if "undated" in flags_of(item)}
    assert sum("/2024/" in item["url"] for item in items) == 25
    assert flagged == {item["url"] for item in items if "/house/" in item["url"]}
    assert len(flagged) == (0 if floors == 3 else floors)


def test_the_habit_is_kept() -> None:
    site = SiteModel("example.com")
    site.conventions.dates.record(True, True, 0.99)
    site.conventions.dates.record(False, True, 0.5)
    assert SiteModel.from_dict(site.to_dict()).conventions.dates == DateConvention(dated=1, undated=0, marked=1)


def test_one_listing_page_tells_what_lacks_every_class_of_articles() -> None:
    habit = ClassConvention()
    for _ in range(12):
        habit.record(["single", "inner", "wide"], 0.99)
    assert not habit.is_foreign(["page"])
    habit.record_listing(["archive", "wide"])
    assert not habit.known
    assert habit.is_foreign(["page", "wide"])
    assert not habit.is_foreign(["page", "inner", "wide"])
    habit.record_listing(["archive", "inner", "wide"])
    assert habit.known
    assert habit.is_foreign(["page", "inner", "wide"])


def test_few_pages_unlike_all_others_are_dropped(tmp_path: Path) -> None:
    """What is dated like a story but classed unlike all stories is none of them."""
    stories, others = range(24), range(4)
    parts = [f"/stories/page/{n}/" for n in range(1, 6)]
    pages: Pages = {f"/2024/05/the-bridge-is-{n}-years-old.html": classed("single", story(n)) for n in stories}
    pages |= {f"/house/our-hall-from-floor-{n}.html": classed("page", story(n + 50)) for n in others}
    menu = "".join(
        f'<li><a href="/house/our-hall-from-floor-{n}.html">Our hall as it looks from its floor {n}</a></li>'
        for n in others
    )
    for at, path in enumerate(("/", *parts)):
        shown = "".join(story_link(n) for n in stories if n // 4 == at)
        more = f'<a class="next" href="{parts[at]}">Older posts</a>' if at < 5 else f"<ul>{menu}</ul>"
        pages[path] = classed("archive", f"<body><main><ul>{shown}</ul>{more}</main></body>")
    crawl = crawled(pages, tmp_path)
    assert sorted(item["url"].removeprefix(HOME) for item in crawl.feed) == sorted(
        path for path in pages if "/2024/" in path
    )
    assert crawl.counts["items/dropped/unlike-others"] > 0


def classed(name: str, page: str) -> bytes:
    return page.replace("<body>", f'<body class="{name} wide">').encode()


def story_link(number: int) -> str:
    title = f"The bridge over the river is {number} years old and still holds"
    return f'<li><h2><a href="/2024/05/the-bridge-is-{number}-years-old.html">{title}</a></h2><time>2024-05-{number + 1:02d}</time></li>'


def test_a_manual_beside_a_blog_is_flagged(tmp_path: Path) -> None:
    """Its pages look like articles, but neither date nor mark says so: they leave, and say that they lack both."""
    mark = '<head><meta property="article:published_time" content="2024-05-{:02d}T08:00:00Z"></head><body>'
    chapters = [f"/manual/how-to-repair-the-old-bridge-part-{n}.html" for n in range(30)]
    pages: Pages = {
        f"/2024/05/the-bridge-is-{n}-years-old.html": story(n).replace("<body>", mark.format(n % 28 + 1)).encode()
        for n in range(20)
    }
    links = "".join(
        f'<li><a href="{path}">How to repair the old bridge, part {path[-7:-5]}</a></li>' for path in chapters
    )
    for n, path in enumerate(chapters):
        page = ABOUT.format(
            n=n, text=f"<p>Step {n} takes {n * 3} bolts of kind {n * 17}.</p>{TEXT * (1 + n % 3)}"
        ).replace("<body>", f"<body><ul>{links}</ul>")
        pages[path] = page.encode()
    pages["/"] = f"<html><body><main><ul>{''.join(map(story_link, range(20)))}</ul></main><a href='{chapters[0]}'>How to repair the old bridge</a></body></html>".encode()  # fmt: skip
    items = crawled(pages, tmp_path).feed
    manual = [item for item in items if "/manual/" in item["url"]]
    assert len(items) - len(manual) == 20
    assert all("undated" in flags_of(item) for item in manual)
    assert not any("undated" in flags_of(item) for item in items if "/2024/" in item["url"])


def test_a_barren_section_costs_few_requests(tmp_path: Path) -> None:
    """Two hundred tags with nothing new, in a cloud on every page, and a section behind them."""
    tags = [
        f"/tag/{first}{second}ing/"
        for first in "bcdfghjklmnp"
        for second in ("a", "e", "i", "o", "u", "ai", "ee", "oo")
    ]
    cloud = "".join(f'<a href="{tag}">{tag[5:-1]}</a> ' for tag in tags)
    pages: Pages = {f"/2024/05/the-bridge-is-{n}-years-old.html": story(n) for n in range(30)}
    for path, shown in (
        ("/", range(20)),
        ("/sport/", range(20, 30)),
        *((tag, range(n % 9, n % 9 + 3)) for n, tag in enumerate(tags)),
    ):
        menu = '<ul class="nav"><li><a href="/sport/">Sport</a></li></ul>' if path == "/" else ""
        rows = "".join(map(story_link, shown))
        pages[path] = f"<html><body>{menu}<main><ul>{rows}</ul></main><div class='cloud'>{cloud}</div></body></html>"
    crawl = Crawl.of(Network(pages), tmp_path)
    crawl.run()
    assert len(crawl.feed) == 30
    asked = Counter(path.split("/")[1] for path in crawl.network.asked)
    assert asked["tag"] < len(tags)


def test_samples_are_taken_of_kinds_that_promise_nothing() -> None:
    frontier = Frontier()
    for number in range(4):
        frontier.add(RequestContext(f"http://a.example/author/name{'x' * number}", Role.MAYBE, 0.0))
    frontier.add(RequestContext("http://a.example/terms/", Role.MAYBE, 0.0))
    sample = frontier.pop(0.1, 8.0)
    assert sample is not None
    assert "/author/" in sample.url
    assert frontier.pop(0.1) is None
