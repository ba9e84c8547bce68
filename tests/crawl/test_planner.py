"""When a site is known, which links go on trial, and what an undated page of a dating site is."""

from __future__ import annotations

from pathlib import Path

from sitecrawl.crawl.desk import Wanted
from sitecrawl.crawl.frontier import Frontier
from sitecrawl.crawl.trials import Trials
from sitecrawl.site.conventions import ClassHabit, DateHabit
from sitecrawl.site.model import SiteModel
from sitecrawl.urls.canonical import url_pattern
from tests.crawl.runner import Answer, crawl, served

TEXT = (
    "<p>" + "The council met on the first floor of the town hall, and after two hours it had agreed on the bridge. " * 8
)
ABOUT = "<html><body><h1>Our town hall seen from floor {n}</h1><p>Floor {n} of the house.</p>{text}</body></html>"


def link(number: int, promise: float = 0.6) -> Wanted:
    return Wanted(f"http://example.com/tags/name{'x' * number}/", "article", {"article": promise})


def test_a_few_of_a_new_pattern_are_tried_and_the_rest_waits() -> None:
    trials = Trials({})
    assert [trials.admits(link(n)) for n in range(6)] == [True] * 4 + [False] * 2
    assert trials.admits(link(7, 0.97))


def test_the_rest_follows_when_the_first_was_an_article() -> None:
    tallies: dict[str, list[int]] = {}
    trials = Trials(tallies)
    for n in range(6):
        trials.admits(link(n))
    tallies[url_pattern(link(0).url)] = [0, 1]
    assert trials.passed(link(0).url) == [link(4), link(5)]
    assert trials.admits(link(8))


def test_the_rest_is_left_when_the_first_were_none() -> None:
    tallies = {url_pattern(link(0).url): [4, 0]}
    trials = Trials(tallies)
    for n in range(6):
        trials.admits(link(n))
    assert trials.failed(link(0).url) == [link(4), link(5)]
    assert list(trials.more()) == []


def test_a_trial_without_an_end_goes_on() -> None:
    trials = Trials({})
    for n in range(10):
        trials.admits(link(n))
    assert len(list(trials.more())) == 4
    assert len(list(trials.more())) == 2


def test_known_articles_again_and_again_prove_that_a_site_is_known() -> None:
    frontier = Frontier()
    frontier.record("http://example.com/", 20)
    frontier.add("http://example.com/contact/", "section", 0.9, 1)
    for n in range(4):
        frontier.record(f"http://example.com/tag/{n}x/", 0, {f"article {n} {k}" for k in range(5)})
    assert frontier.exhausted
    assert frontier.pop() is None
    frontier.record("http://example.com/tag/9x/", 1)
    assert frontier.pop() is not None


def test_a_side_bar_proves_nothing() -> None:
    frontier = Frontier()
    frontier.record("http://example.com/", 20)
    for n in range(8):
        frontier.record(f"http://example.com/tag/{n}x/", 0, {"article 1", "article 2"})
    assert not frontier.exhausted


def story(number: int) -> str:
    headline = f"The bridge over the river is {number} years old"
    return (
        f'<html><body><nav><a href="/">Home</a></nav><article><h1>{headline}</h1>'
        f'<time datetime="2024-05-{number % 28 + 1:02d}">{number % 28 + 1} May 2024</time>'
        f"<div class='text'><p>Report number {number} of {number * 7} pages.</p>{TEXT}</div></article></body></html>"
    )


def test_an_undated_page_of_a_dating_site_is_no_article(tmp_path: Path) -> None:
    links = [
        f"<li><a href='/2024/05/the-bridge-is-{n}-years-old.html'>The bridge over the river is {n}</a></li>"
        for n in range(25)
    ]
    links += [
        f"<li><a href='/house/our-town-hall-from-floor-{n}.html'>Our town hall seen from floor {n}</a></li>"
        for n in range(3)
    ]
    pages = {f"/2024/05/the-bridge-is-{n}-years-old.html": story(n).encode() for n in range(25)}
    pages |= {f"/house/our-town-hall-from-floor-{n}.html": ABOUT.format(n=n, text=TEXT).encode() for n in range(3)}
    pages["/"] = f"<html><body><main><ul>{''.join(links)}</ul></main></body></html>".encode()
    with served(pages) as site:
        run = crawl(f"{site.url}/", tmp_path / "out.jsonl", "-a", "scope=site")
    assert len(run.items) == 25
    assert all("/2024/" in item["url"] for item in run.items)


def test_the_habit_is_kept() -> None:
    site = SiteModel("example.com")
    site.habits.dates.record(True, True, 0.99)
    site.habits.dates.record(False, True, 0.5)
    assert SiteModel.from_dict(site.to_dict()).habits.dates == DateHabit(dated=1, undated=0, marked=1)


def test_one_listing_page_tells_what_lacks_every_class_of_articles() -> None:
    habit = ClassHabit()
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


def test_pages_of_another_kind_wait_and_stay(tmp_path: Path) -> None:
    """What is dated like a story but classed unlike all stories, and met first, is no article."""
    stories, others = range(20), range(4)
    menu = "".join(
        f'<li><a href="/house/our-hall-from-floor-{n}.html">Our hall as it looks from its floor {n}</a></li>'
        for n in others
    )
    parts = [f"/stories/page/{n}/" for n in range(1, 5)]
    pages: dict[str, bytes | Answer] = {
        f"/2024/05/the-bridge-is-{n}-years-old.html": classed("single", story(n)) for n in stories
    }
    pages |= {f"/house/our-hall-from-floor-{n}.html": classed("page", story(n + 50)) for n in others}
    for at, path in enumerate(("/", *parts)):
        shown = "".join(story_link(n) for n in stories if n // 4 == at)
        more = f'<a class="next" href="{parts[at]}">Older posts</a>' if at < 4 else ""
        pages[path] = classed("archive", f"<body><ul>{menu}</ul><main><ul>{shown}</ul>{more}</main></body>")
    with served(pages) as server:
        run = crawl(f"{server.url}/", tmp_path / "out.jsonl", "-a", "scope=site")
        assert any(path.startswith("/house/") for path in server.asked)
    assert len(run.items) == 20
    assert all("/2024/" in item["url"] for item in run.items)


def classed(name: str, page: str) -> bytes:
    return page.replace("<body>", f'<body class="{name} wide">').encode()


def story_link(number: int) -> str:
    title = f"The bridge over the river is {number} years old and still holds"
    return f'<li><h2><a href="/2024/05/the-bridge-is-{number}-years-old.html">{title}</a></h2><time>2024-05-{number + 1:02d}</time></li>'


def test_a_manual_beside_a_blog_is_left_alone(tmp_path: Path) -> None:
    """Its pages look like articles, but neither date nor mark says so: once that is plain, the rest is not asked for."""
    mark = '<head><meta property="article:published_time" content="2024-05-{:02d}T08:00:00Z"></head><body>'
    chapters = [f"/manual/how-to-repair-the-old-bridge-part-{n}.html" for n in range(60)]
    pages: dict[str, bytes | Answer] = {
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
    with served(pages) as server:
        run = crawl(f"{server.url}/", tmp_path / "out.jsonl", "-a", "scope=site", "-s", "CONCURRENT_REQUESTS=2")
    assert sorted(item["url"].split("/")[-3] for item in run.items) == ["2024"] * 20
    assert len({path for path in server.asked if path.startswith("/manual/")}) < 40
