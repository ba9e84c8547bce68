"""Which page is asked for next: article links, the frontier, what a site's articles have in
common."""

from __future__ import annotations

from collections import Counter
from copy import deepcopy
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from sitecrawl.crawl.config import CrawlArguments
from sitecrawl.crawl.follower import LinkIntake
from sitecrawl.crawl.frontier import Frontier
from sitecrawl.crawl.ledger import Fact, Lesson
from sitecrawl.crawl.linked_pages import SitePages
from sitecrawl.crawl.next_pages import Brought, CrawlSchedule, completeness
from sitecrawl.crawl.records import RequestContext, Role
from sitecrawl.crawl.site_state import FAILED
from sitecrawl.crawl.sources import HintKind
from sitecrawl.crawl.store import Stores
from sitecrawl.crawl.url_stats import UrlStats
from sitecrawl.dom.page import Page
from sitecrawl.dom.parse import parse
from sitecrawl.items.kinds import PageKind
from sitecrawl.links.classify import Link, LinkLabel, Profile, classify
from tests.crawl.driver import Crawl, Network, Pages, crawled
from tests.pages import listing_page

TEXT = (
    "<p>"
    + "The council met on the first floor of the town hall, and after two hours it had agreed on the bridge. "
    * 8
)


START = RequestContext("http://a.example/", Role.START)


def planner(folder: Path, start: str = "http://a.example/", **more: str) -> CrawlSchedule:
    arguments = CrawlArguments.parse({"start": start, "scope": "site"} | more)
    store = Stores(folder).crawl("a.example")
    store.begin("task")
    return CrawlSchedule(arguments, store, UrlStats(Profile()), lambda event: None)


def sent(plan: CrawlSchedule, context: RequestContext) -> None:
    """The page is requested."""
    plan.ledger.record(Lesson(Fact.SENT, context))


def take(plan: CrawlSchedule, links: list[Link], page: Page) -> Brought:
    """Take up the links of a start page."""
    pages = SitePages.of(plan.arguments.start, plan.arguments.scope)
    return LinkIntake(pages, plan).take(links, page=page, context=START, kind=PageKind.LISTING)


def link(number: int, promise: float = 0.6) -> RequestContext:
    return RequestContext(f"http://a.example/tags/name{'x' * number}/", Role.ARTICLE, promise)


def admitted(plan: CrawlSchedule) -> list[RequestContext]:
    """The articles that may be asked for now."""
    found = []
    while (context := plan.next_article()) is not None:
        sent(plan, context)
        found.append(context)
    return found


# ---- article links


def test_the_rest_comes_last_when_the_first_were_none(tmp_path: Path) -> None:
    plan = planner(tmp_path)
    for n in range(12):
        plan.want(link(n, 0.4))
    assert plan.ledger.articles == 12
    tried = 0
    while (context := plan.next_article()) is not None:
        sent(plan, context)
        plan.ledger.record(Lesson(Fact.ANSWERED, context))
        plan.learn(context, context.url, kind=PageKind.LISTING)
        tried += 1
    assert tried < 12
    assert plan.ledger.articles == 0
    left = list(plan.frontier.waiting())
    assert {context.role for context in left} == {Role.MAYBE}
    assert len(left) == 12 - tried


def test_declined_pages_are_requested_when_their_like_were_articles(tmp_path: Path) -> None:
    """Three boards and a list of members are no articles; the threads with the same URL pattern
    turn out to be."""
    plan = planner(tmp_path)
    for n in range(8):
        plan.want(link(n, 0.9))
    others = [link(n) for n in range(20, 28)]
    for other in others:
        plan.learn(other, other.url, kind=PageKind.LISTING)
    assert admitted(plan) == []
    for thread in (link(n) for n in range(30, 50)):
        plan.learn(thread, thread.url, kind=PageKind.THREAD)
    assert len(admitted(plan)) == 8
    assert plan.frontier.pop(0.0) is not None, "known twice"
    assert plan.next_listing() is None


# ---- links
def scores(article: float = 0.99, section: float = 0.0) -> dict[str, float]:
    return {"article": article, "section": section, "other": round(1 - article - section, 2)}


def sorted_urls(
    plan: CrawlSchedule, links: list[Link], url: str = "http://a.example/"
) -> list[str]:
    take(plan, links, parse(b"<html><body><p>News</p></body></html>", url))
    return [context.url for context in admitted(plan)]


def test_a_link_is_asked_for_under_the_host_that_answered(tmp_path: Path) -> None:
    links = [
        Link(url, "The bridge", "article", 0.99, scores())
        for url in (
            "https://a.example/1.html",
            "http://www.a.example/2.html",
            "https://www.a.example/3.html",
        )
    ]
    found = sorted_urls(planner(tmp_path, "http://www.a.example/"), links, "http://www.a.example/")
    assert found == [
        "http://www.a.example/1.html",
        "http://www.a.example/2.html",
        "https://www.a.example/3.html",
    ]


@pytest.mark.parametrize(("scope", "opened"), [("section", 1), ("site", 2)])
def test_a_page_of_the_section_is_opened_although_its_link_is_hardly_a_listing(
    tmp_path: Path, scope: str, opened: int
) -> None:
    """The boards of an old forum: their links are listings with a probability of .44, other pages
    with .46."""
    start = "http://a.example/forum/index.php"
    plan = planner(tmp_path, start, scope=scope)
    links = [
        Link(f"http://a.example/{path}", "General Discussion", "other", 0.46, scores(0.1, 0.44))
        for path in ("forum/viewforum.php?f=1", "shop/viewshop.php?s=1")
    ]
    take(plan, links, parse(b"<html><body><p>Boards</p></body></html>", start))
    assert [context.url for context in plan.frontier.waiting()] == [
        link.url for link in links[:opened]
    ]


@pytest.mark.parametrize("start", ["http://bücher.example/", "http://xn--bcher-kva.example/"])
def test_an_international_host_is_one_host_in_both_spellings(tmp_path: Path, start: str) -> None:
    text = listing_page(range(12)).replace(
        'href="/2024/05/a-1.html', 'href="http://bücher.example/2024/05/a-1.html'
    )
    page = parse(text, "http://xn--bcher-kva.example/")
    plan = planner(tmp_path, start)
    take(plan, classify(page), page)
    found = [context.url for context in admitted(plan) if "/2024/05/" in context.url]
    assert sorted(found) == sorted(
        f"http://xn--bcher-kva.example/2024/05/a-{n}.html" for n in range(12)
    )


def test_the_number_of_new_articles_counts_none_twice(tmp_path: Path) -> None:
    plan = planner(tmp_path)
    page = parse(b"<html><body><p>News</p></body></html>", "http://a.example/")
    links = [
        Link(f"http://a.example/{n % 10}.html", "The bridge", "article", 0.99, scores())
        for n in range(20)
    ]
    assert [take(plan, links, page) for _ in range(2)] == [Brought(10, 10), Brought(10, 0)]


def test_what_pages_were_is_known_after_a_restart(tmp_path: Path) -> None:
    plan = planner(tmp_path)
    for n in range(9):
        for name, kind in (
            ("article", PageKind.ARTICLE),
            ("listing", PageKind.LISTING),
            ("failed", FAILED),
        ):
            context = RequestContext(f"http://a.example/{name}/{n}.html", Role.ARTICLE)
            plan.store.pages.queue(context)
            plan.store.pages.done(context.key, kind)
    section = RequestContext("http://a.example/news/", Role.SECTION, listing=0.9)
    plan.store.pages.queue(section)
    plan.store.pages.done(section.key, PageKind.LISTING, shown=9, brought=5)
    waiting = [
        RequestContext("http://a.example/left.html", Role.ARTICLE, 0.99),
        RequestContext("http://a.example/x/", Role.SECTION),
    ]
    for context in waiting:
        plan.store.pages.queue(context)
    plan.store.db.close()
    again = planner(tmp_path)
    again.restore(again.store.memory.all())
    assert again.stats.are_others("http://a.example/listing/99.html")
    assert again.stats.is_article_folder("http://a.example/article/99.html")
    assert not again.stats.are_others("http://a.example/failed/99.html")
    assert again.ledger.articles == 10, "nine that were fetched, one that waits"
    assert again.frontier.was_folder_opened(section)
    assert again.next_article() == waiting[0]
    assert list(again.frontier.waiting()) == waiting[1:]
    assert not again.want(RequestContext("http://a.example/article/3.html", Role.ARTICLE))


# ---- the frontier
@pytest.mark.parametrize("is_in_time", [True, False])
def test_a_page_whose_first_link_promised_no_article_is_read_again_for_one_that_does(
    tmp_path: Path, is_in_time: bool
) -> None:
    """The later link is found while the page is under way, or after it was read as no article; weak
    links change nothing, and once is enough."""
    plan = planner(tmp_path)
    promising, weak = link(1), RequestContext(link(1).url, Role.MAYBE, 0.05)
    sent(plan, weak)
    assert [plan.want(one) for one in (link(1, 0.3), *[promising] * is_in_time)] == [
        False,
        *[False] * is_in_time,
    ]
    plan.ledger.record(Lesson(Fact.ANSWERED, weak))
    plan.learn(weak, weak.url, kind=PageKind.LISTING)
    if hoped := plan.ledger.take_hope(weak.key):
        plan.want(hoped)
    assert is_in_time or (not plan.want(link(1, 0.3)) and plan.want(promising))
    assert plan.next_article() == promising
    sent(plan, promising)
    plan.learn(promising, promising.url, kind=PageKind.LISTING)
    assert not plan.want(promising)


def test_a_page_that_a_later_link_promises_is_requested_as_an_article_after_a_kill(
    tmp_path: Path,
) -> None:
    plan, weak = planner(tmp_path), RequestContext(link(1).url, Role.MAYBE, 0.05)
    plan.store.pages.queue(weak, "sent")
    sent(plan, weak)
    assert not plan.want(link(1))
    plan.store.db.close()
    assert [context for _, context in planner(tmp_path).store.pages.in_turn("sent")] == [link(1)]


def section(name: str, listing: float = 0.8, **more: bool) -> RequestContext:
    return RequestContext(f"http://a.example/{name}/", Role.SECTION, 0.1, listing, **more)  # type: ignore[arg-type]


def pager(number: int) -> RequestContext:
    return RequestContext(f"http://a.example/news/page/{number}/", Role.PAGINATION)


def expected(frontier: Frontier, context: RequestContext) -> float:
    """New articles that a page is expected to bring."""
    other = deepcopy(frontier)
    other.add(context)
    return other.remaining() - frontier.remaining()


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
        frontier.record(context, 5, new=5 if context.role is Role.PAGINATION else 0)
    pages = [context for context in fetched if context.role is Role.PAGINATION]
    assert len(pages) == 20
    assert len(fetched) - len(pages) < 20, "barren tag pages come to an end"


def test_a_barren_tag_page_does_not_stop_the_sections() -> None:
    frontier = Frontier()
    before = expected(frontier, section("sport"))
    for n in range(6):
        frontier.record(section(f"tag/t{'x' * n}"), 3, new=0)
    tag, other = expected(frontier, section("tag/other")), expected(frontier, section("sport"))
    assert tag < 0.2 * before
    assert other > 2 * tag
    assert other > 0.25, "worth its request"


def test_neighbours_of_three_barren_pages_are_still_tried() -> None:
    frontier = Frontier()
    for n in range(3):
        frontier.record(section(f"tag/t{'x' * n}"), 3, new=0)
    frontier.add(section("tag/another"))
    assert frontier.pop(0.25) == section("tag/another")


def test_a_pagination_is_followed_a_little_beyond_its_last_fruitful_page() -> None:
    frontier = Frontier()
    for n in range(2, 8):
        frontier.record(pager(n), 10, new=10)
    beyond = 0
    while beyond < 60:
        frontier.add(pager(8 + beyond))
        context = frontier.pop(0.2)
        if context is None:
            break
        frontier.record(context, 10, new=0)
        beyond += 1
    assert 1 <= beyond <= 20


def test_the_far_end_of_an_archive_is_probed_before_it_is_left() -> None:
    """Neighbours are no independent samples: thirty months of known articles, and older ones that
    no other page shows."""
    frontier = Frontier()
    for n in range(60):
        frontier.add(pager(n))
    opened = []
    while (context := frontier.pop(1.0, probes=True)) is not None:
        opened.append(context)
        frontier.record(context, 10, new=10 if context in map(pager, range(50, 60)) else 0)
    assert {pager(n).url for n in range(50, 60)} <= {context.url for context in opened}
    assert len(opened) < 60, "the rest is left"


def test_missing_pages_are_no_samples_of_the_pages_beside_them() -> None:
    """Tags of a cloud, whose last ones show articles that no other page shows, and tags below
    articles, whose pages are missing."""
    frontier = Frontier()
    cloud = [section(f"tag/{'c' * n}").again(group="aside/a") for n in range(1, 21)]
    missing = [section(f"tag/{'m' * n}").again(group="footer/a") for n in range(1, 41)]
    for context in (*cloud, *missing):
        frontier.add(context)
    opened = set[str]()
    while (context := frontier.pop(1.0, probes=True)) is not None:
        opened.add(context.url)
        new = 10 if context.url in {page.url for page in cloud[-6:]} else 0
        frontier.record(context, 10 if context.group == "aside/a" else 0, new=new)
    assert {page.url for page in cloud[-6:]} <= opened
    assert len(opened & {page.url for page in missing}) < 20


def test_what_a_menu_names_is_opened_once() -> None:
    frontier = Frontier()
    for n in range(40):
        frontier.record(section(f"menu/m{'x' * n}"), 10, new=0)
    frontier.add(section("menu/named", 0.4, named=True))
    frontier.add(section("menu/other", 0.4))
    assert frontier.pop(1.0) == section("menu/named", 0.4, named=True)
    assert frontier.pop(1.0) is None
    assert frontier.remaining() > 0


def test_what_a_menu_names_is_opened_though_pages_of_its_numbers_were_barren() -> None:
    """The departments of a school are ``index1.html`` to ``index39.html``, and the first four show
    nothing."""
    frontier = Frontier()
    for n in range(1, 30):
        frontier.record(pager(n), 0, new=0)
    named = pager(31).again(named=True)
    frontier.add(pager(30))
    frontier.add(named)
    assert frontier.pop(1.0) == named
    assert frontier.pop(1.0) is None


@pytest.mark.parametrize(
    ("depth", "path", "text", "named"),
    [
        (0, "news/", "News", True),
        (1, "news/sport/", "Sport", True),
        (2, "news/sport/chess/", "Chess", False),
        (0, "index5.html", "Arts", True),
        (0, "index5.html", "5", False),
    ],
)
def test_menus_of_the_first_sections_name_pages_as_well(
    tmp_path: Path, depth: int, path: str, text: str, named: bool
) -> None:
    plan = planner(tmp_path)
    pages = SitePages.of(plan.arguments.start, "site")
    scores = {label: float(label == "section") for label in LinkLabel}
    link = Link(
        f"http://a.example/{path}", text, LinkLabel.SECTION, 1.0, scores, "nav/ul/li/a", menu=True
    )
    found_on = RequestContext(
        "http://a.example/", Role.SECTION if depth else Role.START, depth=depth
    )
    page = Page(found_on.url, parse(f'<a href="/{path}">{text}</a>', found_on.url).root)
    LinkIntake(pages, plan).take([link], page=page, context=found_on, kind=PageKind.LISTING)
    assert [context.named for context in plan.frontier.waiting()] == [named]


def test_the_next_page_that_a_head_names_is_one_of_its_listing(tmp_path: Path) -> None:
    plan = planner(tmp_path)
    intake = LinkIntake(SitePages.of(plan.arguments.start, "site"), plan)
    section_page = RequestContext("http://a.example/news/", Role.SECTION, depth=1)
    page = Page(section_page.url, parse("<p>News</p>", section_page.url).root)
    intake.guess(
        ["http://a.example/news/page/2/index.html", "http://a.example/b/"],
        page=page,
        context=section_page,
        kind=HintKind.SHOWN,
    )
    pager, other = plan.frontier.waiting()
    assert (pager.role, other.role) == (Role.PAGINATION, Role.MAYBE)
    assert pager.listing > other.listing


@pytest.mark.parametrize("seed", range(30))
def test_pages_come_in_the_order_of_a_fresh_ranking(seed: int) -> None:
    """The ranking is kept between answers. A copy of the frontier that ranks its pages anew before
    each choice chooses the same ones."""
    random, kept = Random(seed), Frontier()
    fresh, found, opened = Frontier(), 0, list[RequestContext]()
    for _ in range(200):
        act = random.random()
        if act < 0.4:
            name = f"{random.choice('abcdef')}/page/{(found := found + 1)}"
            page = section(name, random.choice((0.2, 0.5, 0.9)), named=random.random() < 0.1)
            page = page.again(
                group=random.choice("xyz"), section=f"http://a.example/{random.choice('abc')}/"
            )
            for frontier in (kept, fresh):
                frontier.add(page)
        elif act < 0.8 or not opened:
            least = random.choice((0.05, 1.0, 5.0))
            fresh._ranked = None
            page = kept.pop(least, probes=True)
            assert page == fresh.pop(least, probes=True)
            opened += [page] if page else []
        else:
            links, new = random.choice(((0, 0), (10, 0), (10, 8)))
            context = opened.pop(random.randrange(len(opened)))
            for frontier in (kept, fresh):
                frontier.record(context, links, new=new)
    assert found


def test_pages_of_one_group_of_links_bring_alike() -> None:
    """A cloud of tags: what its pages brought tells of the next one, wherever that lies; it tells
    less of the entries of a menu."""
    frontier = Frontier()
    for n in range(20):
        frontier.record(section(f"topic{n}/tag").again(group="aside/a"), 10, new=0)
    assert expected(frontier, section("far/away").again(group="aside/a")) < 0.5 * expected(
        frontier, section("far/away").again(group="nav/ul/li/a")
    )


def test_barren_pages_of_a_list_count_once() -> None:
    """A cloud of tags after forty sections with an article each: four barren ones do not end it,
    though role, group, family and list all hold them."""
    frontier, home = Frontier(), "http://a.example/"
    for n in range(40):
        frontier.record(section(f"sport/{'x' * n}").again(group="nav/a", section=home), 20, new=1)
    tried = 0
    for n in range(30):
        frontier.add(section(f"tag/t{'x' * n}").again(group="aside/a", section=home))
        if (tag := frontier.pop(0.05)) is not None:
            frontier.record(tag, 20, new=0)
            tried += 1
    assert 5 <= tried < 20


def maybe(path: str, listing: float = 0.002) -> RequestContext:
    return RequestContext(f"http://a.example/{path}", Role.MAYBE, 0.002, listing)


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
        known = completeness(plan)
        assert known.unopened == 60 - asked[effort]
    assert asked["quick"] < asked["normal"] < asked["full"] == 60


def test_only_a_few_listing_pages_are_in_progress_and_none_while_articles_are_many(
    tmp_path: Path,
) -> None:
    plan = planner(tmp_path)
    for n in range(20):
        plan.frontier.add(section(f"tag/t{'x' * n}"))
    opened = []
    while (context := plan.next_listing()) is not None:
        sent(plan, context)
        opened.append(context)
    assert 1 <= len(opened) < 20
    plan.ledger.record(Lesson(Fact.ANSWERED, opened[0]))
    assert plan.next_listing() is not None
    plan.ledger.in_progress = {str(n): Role.ARTICLE for n in range(10)}
    assert plan.next_listing() is None


def test_a_full_frontier_counts_what_it_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    frontier = Frontier(size=50_000)
    frontier.add(section("one"))
    assert (frontier.rejected, list(frontier.waiting())) == (1, [])


# ---- what a site's articles have in common
def story(number: int) -> str:
    headline = f"The bridge over the river is {number} years old"
    return (
        f'<html><body><nav><a href="/">Home</a></nav><article><h1>{headline}</h1>'
        f'<time datetime="2024-05-{number % 28 + 1:02d}">{number % 28 + 1} May 2024</time>'
        f"<div class='text'><p>Report number {number} of {number * 7} pages.</p>{TEXT}</div></article></body></html>"
    )


def story_link(number: int) -> str:
    title = f"The bridge over the river is {number} years old and still holds"
    return f'<li><h2><a href="/2024/05/the-bridge-is-{number}-years-old.html">{title}</a></h2><time>2024-05-{number + 1:02d}</time></li>'


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
        pages[path] = (
            f"<html><body>{menu}<main><ul>{rows}</ul></main><div class='cloud'>{cloud}</div></body></html>"
        )
    crawl = Crawl.of(Network(pages), tmp_path)
    crawl.run()
    assert len(crawl.feed) == 30
    asked = Counter(path.split("/")[1] for path in crawl.network.asked)
    assert asked["tag"] < len(tags)


def test_links_that_a_site_has_forgotten_are_left_alone(tmp_path: Path) -> None:
    """Sixty links of one pattern lead nowhere: some twenty of them tell."""
    old = "".join(
        f"<li><a href='/archive/{n}.html'>How the mill was built, part {n}</a></li>"
        for n in range(60)
    )
    new = "".join(
        f"<li><a href='/news/{n}.html'>The bridge over the river is {n} years old</a></li>"
        for n in range(12)
    )
    pages: Pages = {f"/news/{n}.html": story(n) for n in range(12)}
    crawl = crawled(
        pages | {"/": f"<html><body><ul>{new}</ul><ul>{old}</ul></body></html>"}, tmp_path
    )
    assert crawl.paths == sorted(f"/news/{n}.html" for n in range(12))
    dead = sum("/archive/" in path for path in crawl.network.asked)
    assert 8 <= dead <= 30
    left = (
        crawl.counts["traps/dead"] + crawl.counts["traps/barren"]
    )  # promised as articles, or as listing pages
    assert left == 60 - dead


def test_links_that_a_site_has_forgotten_are_left_alone_after_kills(tmp_path: Path) -> None:
    old = "".join(
        f"<h3><a href='/archive/{n}.html'>How the mill was built, part {n}</a></h3>"
        for n in range(60)
    )
    new = "".join(story_link(n) for n in range(12))
    pages: Pages = {f"/2024/05/the-bridge-is-{n}-years-old.html": story(n) for n in range(12)}
    network = Network(pages | {"/": f"<html><body><ul>{new}</ul><div>{old}</div></body></html>"})
    for _ in range(3):
        killed = Crawl.of(network, tmp_path)
        for _ in islice(killed.steps(), 12):
            pass
        killed.kill()
    before = sum("/archive/" in path for path in network.asked)
    last = Crawl.of(network, tmp_path, killed.feed)
    last.run()
    assert len(last.feed) == 12
    assert 16 <= before <= sum("/archive/" in path for path in network.asked) <= before + 8


def test_a_page_lists_what_others_lack(tmp_path: Path) -> None:
    """Links of one tag path: the sixty of the start page lead nowhere, the twelve of another page
    exist."""
    home, best = (
        f"<nav><a href='/best/'>Best stories</a></nav><ul>{''.join(map(story_link, of))}</ul>"
        for of in (range(12, 72), range(12))
    )
    pages: Pages = {f"/2024/05/the-bridge-is-{n}-years-old.html": story(n) for n in range(12)}
    crawl = crawled(
        pages | {"/": f"<body>{home}</body>", "/best/": f"<body>{best}</body>"}, tmp_path
    )
    assert len(crawl.feed) == 12
    assert crawl.counts["traps/dead"] > 20


def test_a_page_left_out_beside_dead_links_is_requested_where_another_place_lists_it(
    tmp_path: Path,
) -> None:
    """Twelve of the seventy-two links of the start page exist, and another list shows them without
    the dead ones."""
    rows, there = "".join(map(story_link, range(72))), range(40, 52)
    best = "".join(f"<div><p>{story_link(number)[4:-5]}</p></div>" for number in there)
    pages: Pages = {f"/2024/05/the-bridge-is-{n}-years-old.html": story(n) for n in there}
    home = f"<body><nav><a href='/best/'>Best stories</a></nav><ul>{rows}</ul></body>"
    crawl = crawled(pages | {"/": home, "/best/": f"<body><main>{best}</main></body>"}, tmp_path)
    assert crawl.paths == sorted(pages)
    assert crawl.counts["pages/lost/the_server_answered_404"] < 40, (
        "the others are left out as before"
    )


def test_links_to_missing_pages_do_not_stop_their_namesakes(tmp_path: Path) -> None:
    """Links between posts lead nowhere, and share the URL pattern of the threads that one long
    thread lists."""

    def listing(numbers: range) -> str:
        links = (
            f"<li><h2><a href='/news/{n}.html'>The bridge over the river is {n} years old</a></h2></li>"
            for n in numbers
        )
        return f"<ul>{''.join(links)}</ul>"

    pages: Pages = {"/": f"<html><body><main>{listing(range(40))}</main></body></html>"}
    for number in range(60):
        missing = (
            f"<p>Asked by <a href='/news/{number + 1000}.html'>the clerk</a> of the town hall</p>"
        )
        listed = listing(range(40, 60)) if number == 10 else ""
        pages[f"/news/{number}.html"] = story(number).replace(
            "</body>", f"{missing}{listed}</body>"
        )
    crawl = crawled(pages, tmp_path)
    assert crawl.paths == sorted(f"/news/{number}.html" for number in range(60))
    assert 10 <= sum(len(path) == len("/news/1000.html") for path in crawl.network.asked) <= 40
