"""Whole crawls without Scrapy: what a session asks for, what is written, and what is still there
after a kill."""

from __future__ import annotations

import json
import random
import shutil
from collections import Counter
from hashlib import sha1
from pathlib import Path
from typing import Any

import pytest

from sitecrawl.crawl.last_lines import lines_of
from sitecrawl.crawl.records import FailedPage
from sitecrawl.crawl.store import RunEnd, Stores
from sitecrawl.extras.demo import article_paths, site_pages
from sitecrawl.items.feed_items import identity
from tests.crawl.driver import HOME, Crawl, Network, Pages, Reply, crawled, story_of
from tests.crawl.test_parts import PARTS
from tests.crawl.test_parts import path as part_path
from tests.crawl.test_parts import site as parts_site
from tests.pages import article_page, listing_page


def story(number: int) -> str:
    return f"/2024/05/a-{number}.html"


def stories(*numbers: int) -> Pages:
    return {story(n): article_page(n) for n in numbers}


def town(count: int = 12) -> Pages:
    """Articles on two listing pages."""
    half = count // 2
    second = listing_page(range(half, count)).replace("/city/page/2/", "/")
    return stories(*range(count)) | {"/": listing_page(range(half)), "/city/page/2/": second}


def demo() -> Pages:
    return {path: Reply(body, kind="text/html") for path, body in site_pages().items()}


def listed(*numbers: int, more: str = "") -> str:
    """A listing page that is the last of its kind."""
    return (
        listing_page(numbers)
        .replace("/city/page/2/", "/")
        .replace('<div class="pager">', f'{more}<div class="pager">')
    )


# ---- begin, end, and what is asked for
def test_the_demonstration_site(tmp_path: Path) -> None:
    crawl = crawled(demo(), tmp_path)
    assert crawl.paths == sorted(article_paths())
    assert max(Counter(crawl.network.asked).values()) == 1
    assert story_of(crawl.session.visit).startswith(f"{len(article_paths())} articles from ")


def test_a_section_keeps_to_its_folder(tmp_path: Path) -> None:
    crawl = crawled(demo(), tmp_path, start=f"{HOME}/city/", scope="section")
    assert crawl.paths == sorted(path for path in article_paths() if path.startswith("/city/"))
    assert {item["sectionUrl"].partition("/city/")[1] for item in crawl.feed} == {"/city/"}


def test_a_verb_writes_down_what_it_returns_and_nothing_else_is_in_progress(tmp_path: Path) -> None:
    crawl = Crawl.of(Network(town()), tmp_path)
    for _ in crawl.steps():
        assert not crawl.session.state.db.connection.in_transaction()
        in_progress = {context.key for _, context in crawl.session.state.pages.in_turn("sent")}
        assert in_progress >= {planned.context.key for planned in crawl.waiting}


def test_no_more_requests_are_in_progress_than_the_window_holds(tmp_path: Path) -> None:
    crawl = Crawl.of(Network(demo()), tmp_path, window=5)
    assert max(len(crawl.waiting) for _ in crawl.steps()) == 5


def test_what_was_read_in_an_error_is_rolled_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawl = Crawl.of(Network(town()), tmp_path)
    steps = crawl.steps()
    next(steps)
    before = crawl.session.state.pages.in_turn("queued")
    with monkeypatch.context() as patch:
        patch.setattr(type(crawl.session.parts.schedule), "brought", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            next(steps)
    assert crawl.session.state.pages.in_turn("queued") == before
    assert not crawl.session.state.db.connection.in_transaction()


def test_a_slash_that_a_site_adds_is_asked_for(tmp_path: Path) -> None:
    whole = "".join(listed(*range(30)))
    for n in range(30):
        whole = whole.replace(f'"{story(n)}"', f'"/news/{n}"')
    pages: Pages = (
        {"/": whole}
        | {f"/news/{n}/": article_page(n) for n in range(29)}
        | {"/news/29": article_page(29)}
    )
    pages |= {f"/news/{n}": Reply(to=f"/news/{n}/") for n in range(29)}
    crawl = crawled(pages, tmp_path, window=4)
    assert crawl.paths == sorted(
        path for path, page in pages.items() if path != "/" and not isinstance(page, Reply)
    )
    redirected = [path for path in crawl.network.asked if isinstance(pages.get(path), Reply)]
    assert len(redirected) <= 5


def test_dead_links_of_a_site_that_adds_slashes_are_soon_requested_once(tmp_path: Path) -> None:
    links = "".join(
        f'<li><a href="/news/{n}">The town opens bridge number {n}</a></li>' for n in range(60)
    )
    pages: Pages = {"/": f"<html><body><h1>News</h1><ul>{links}</ul></body></html>"}
    pages |= {f"/news/{n}/": article_page(n) for n in range(0, 60, 2)}
    pages |= {f"/news/{n}": Reply(to=f"/news/{n}/") for n in range(0, 60, 2)}
    crawl = crawled(pages, tmp_path, window=4)
    assert len(crawl.paths) == 30
    twice = [
        path
        for path in crawl.network.asked
        if path not in pages and f"{path}/" in crawl.network.asked
    ]
    assert 1 <= len(twice) <= 12


def test_a_start_page_on_another_host_widens_the_site(tmp_path: Path) -> None:
    other = "http://www.other.example"
    pages: Pages = {"/": Reply(to=f"{other}/"), f"{other}/": listed(*range(6))}
    pages |= {f"{other}{story(n)}": article_page(n) for n in range(6)}
    crawl = crawled(pages, tmp_path)
    assert [item["url"] for item in sorted(crawl.feed, key=lambda item: item["url"])] == [
        f"{other}{story(n)}" for n in range(6)
    ]


def test_an_empty_page_sends_its_readers_on(tmp_path: Path) -> None:
    pages = stories(*range(6)) | {"/home/": listed(*range(6))}
    pages["/"] = (
        '<html><head><meta http-equiv="refresh" content="0; url=/home/"></head><body></body></html>'
    )
    assert crawled(pages, tmp_path).paths == [story(n) for n in range(6)]


def test_a_start_page_that_is_none_is_told(tmp_path: Path) -> None:
    for name, reply, words in (
        ("missing", Reply(status=404), "the server answered 404"),
        ("down", Reply(status=0), "cannot be reached (refused)"),
        (
            "pdf",
            Reply(b"%PDF-1.4", kind="application/pdf"),
            "not HTML (application/pdf): start from a page that lists",
        ),
        ("empty", Reply(b" "), "the page is empty"),
    ):
        outcome = crawled({"/": reply}, tmp_path / name).session.visit
        assert (outcome.code, len(lines_of(outcome))) == (1, 1)
        assert words in lines_of(outcome)[0]


def test_an_article_that_is_a_file_is_told_without_the_advice_for_a_start_page(
    tmp_path: Path,
) -> None:
    """It was "not HTML (text/html): start from a page that lists articles"."""
    visit = crawled(town() | {story(3): Reply(b"%PDF-1.4")}, tmp_path).session.visit
    failed = {loss.why: loss.failed for loss in visit.lost}
    assert failed["not HTML (a binary file)"] == {"article": 1}


def test_a_page_that_is_gone_spoils_nothing(tmp_path: Path) -> None:
    pages = town()
    pages[story(3)] = Reply(status=410)
    crawl = crawled(pages, tmp_path)
    assert crawl.paths == sorted(story(n) for n in range(12) if n != 3)
    assert crawl.counts["pages/lost/the_server_answered_410"] == 1


# ---- kills
def exactly_once(feed: list[dict[str, Any]], expected: list[str]) -> None:
    found = Counter((item["url"].removeprefix(HOME), item["revision"]) for item in feed)
    assert found == Counter((path, 1) for path in expected)


def test_killed_at_every_moment_nothing_is_lost_and_nothing_twice(tmp_path: Path) -> None:
    """Whether what the last verb returned reached the feed or did not."""
    expected = sorted(story(n) for n in range(12))
    at, ended = 0, False
    while not ended:
        feed: list[dict[str, Any]] = []
        crawl = Crawl.of(Network(town()), tmp_path / str(at), feed)
        ended, kept = True, 0
        for number, _ in enumerate(crawl.steps()):
            if number == at:
                ended = False
                break
            kept = len(feed)
        crawl.kill()
        lost = [] if ended else feed[:kept]
        shutil.copytree(tmp_path / str(at), tmp_path / f"{at} lost")
        for folder, had in ((f"{at}", feed), (f"{at} lost", lost))[: 2 - ended]:
            Crawl.of(Network(town()), tmp_path / folder, had).run()
            exactly_once(had, expected)
        at += 1
    assert at > 12


@pytest.mark.parametrize("seed", range(6))
def test_killed_again_and_again(tmp_path: Path, seed: int) -> None:
    """With parts of articles, templates that are young, and a feed that may lose what the last
    verbs returned."""
    moments, feed, pages = random.Random(seed), [], demo() | {"/news/": parts_site()["/news/"]}  # type: ignore[var-annotated]
    pages |= {path: page for path, page in parts_site().items() if path != "/news/"}
    for _ in range(9):
        crawl = Crawl.of(Network(pages), tmp_path, feed, start=f"{HOME}/,{HOME}/news/")
        kept = len(feed)
        for _ in zip(range(moments.randint(1, 12)), crawl.steps(), strict=False):
            kept = len(feed) if moments.random() < 0.8 else kept
        del feed[kept:]
        crawl.kill()
    crawl = Crawl.of(Network(pages), tmp_path, feed, start=f"{HOME}/,{HOME}/news/")
    crawl.run()
    exactly_once(feed, sorted({*article_paths(), *(part_path(n) for n in range(12))}))
    assert [
        len(item["provenance"]["parts"]) for item in feed if item["url"].endswith(part_path(3))
    ] == [PARTS[3]]


def test_a_feed_that_could_not_be_written_gets_its_articles_again(tmp_path: Path) -> None:
    first = Crawl.of(Network(town()), tmp_path)
    assert first.run(written=False).code == 1
    again = Crawl.of(Network(town()), tmp_path)
    again.run()
    assert again.paths == first.paths
    assert {identity(item) for item in again.feed} == {identity(item) for item in first.feed}


def test_an_interrupted_page_is_not_lost(tmp_path: Path) -> None:
    crawl = Crawl.of(Network(town()), tmp_path)
    steps = crawl.steps()
    next(steps), next(steps)
    planned = crawl.waiting.popleft()
    outcome = crawl.session.failed(
        FailedPage(planned.context, "not fetched: interrupted", interrupted=True)
    )
    assert not outcome
    crawl.session.close("shutdown")
    crawl.session.ended(written=True, finished=False)
    again = Crawl.of(Network(town()), tmp_path, crawl.feed)
    again.run()
    exactly_once(again.feed, sorted(story(n) for n in range(12)))


def test_kills_and_limits_by_turns_lose_no_article_and_no_part(tmp_path: Path) -> None:
    parts = parts_site()
    pages = town() | {"/news/": parts.pop("/news/")} | parts
    expected = sorted([*(story(n) for n in range(12)), *(part_path(n) for n in range(12))])
    for seed in range(6):
        feed: list[dict[str, Any]] = []
        moments, folder = random.Random(seed), tmp_path / str(seed)
        for _ in range(12):
            limit = {moments.choice(["max_articles", "max_pages"]): moments.randint(2, 8)}
            crawl = Crawl.of(
                Network(dict(pages)), folder, feed, start=f"{HOME}/,{HOME}/news/", **limit
            )
            if moments.random() < 0.5:
                crawl.run()
                continue
            for _ in zip(range(moments.randint(1, 20)), crawl.steps(), strict=False):
                pass
            crawl.kill()
        for _ in range(2):
            Crawl.of(Network(dict(pages)), folder, feed, start=f"{HOME}/,{HOME}/news/").run()
        exactly_once(feed, expected)
        joined = {
            item["url"].removeprefix(HOME): len(item["provenance"].get("parts", ()))
            for item in feed
        }
        assert (joined[part_path(3)], joined[part_path(7)]) == (PARTS[3], PARTS[7]), seed


# ---- limits, days, revisits
@pytest.mark.parametrize(
    "limit", [{"max_articles": 5}, {"max_articles": 1}, {"max_pages": 6}, {"max_pages": 3}]
)
def test_a_limited_crawl_goes_on_until_there_is_no_more(
    tmp_path: Path, limit: dict[str, int]
) -> None:
    feed: list[dict[str, Any]] = []
    for _ in range(60):
        before, network = len(feed), Network(town())
        outcome = Crawl.of(network, tmp_path, feed, **limit).run()
        assert len(feed) - before <= limit.get("max_articles", 99)
        assert len(network.asked) <= limit.get("max_pages", 99)
        if outcome.reason == "finished":
            break
    exactly_once(feed, sorted(story(n) for n in range(12)))


def test_a_limit_holds_for_a_run_however_often_it_is_killed(tmp_path: Path) -> None:
    feed: list[dict[str, Any]] = []
    for _ in range(3):
        crawl = Crawl.of(Network(town()), tmp_path, feed, max_articles=7)
        for _ in zip(range(5), crawl.steps(), strict=False):
            pass
        crawl.kill()
    Crawl.of(Network(town()), tmp_path, feed, max_articles=7).run()
    assert len(feed) == 7


def test_since_leaves_out_what_is_older(tmp_path: Path) -> None:
    crawl = crawled(town(), tmp_path, since="2024-05-08")
    assert crawl.paths == sorted(story(n) for n in range(7, 12))
    assert crawl.counts["items/dropped/since"] == 7


def test_a_depth_keeps_to_the_first_steps(tmp_path: Path) -> None:
    """The last line tells it: it said no more than the number of articles."""
    crawl = crawled(town(), tmp_path, depth=1)
    assert crawl.paths == sorted(story(n) for n in range(6))
    assert "the links of 1 listing page were not followed, for depth=" in story_of(
        crawl.session.visit
    )
    assert "not followed" not in story_of(
        crawled(town(), tmp_path / "whole", depth=9).session.visit
    )


def test_a_second_run_asks_for_no_article_again(tmp_path: Path) -> None:
    pages = town()
    crawled(pages, tmp_path)
    pages |= {story(20): article_page(20), "/": listing_page([20, *range(6)])}
    again = crawled(pages, tmp_path)
    assert again.paths == [story(20)]
    assert [path for path in again.network.asked if path.startswith("/2024/05")] == [story(20)]


def refreshed(pages: Pages, folder: Path, **more: Any) -> Crawl:
    crawl = Crawl.of(Network(pages, etags=True), folder, **more)
    crawl.run()
    return crawl


def test_a_refresh_is_answered_by_not_modified_and_what_changed_leaves_again(
    tmp_path: Path,
) -> None:
    pages = town()
    refreshed(pages, tmp_path)
    quiet = refreshed(pages, tmp_path, refresh=1)
    assert quiet.feed == []
    assert sorted(quiet.network.spared) == sorted(
        [*(story(n) for n in range(12)), "/", "/city/page/2/"]
    )
    assert quiet.counts["pages/unchanged"] == 12
    assert (quiet.counts["revisits/asked"], quiet.counts["revisits/unchanged"]) == (14, 14)
    pages[story(4)] = pages[story(4)].replace(
        "the first paragraph", "the mended and much longer first paragraph"
    )
    changed = refreshed(pages, tmp_path, refresh=1)
    assert [(item["url"], item["revision"]) for item in changed.feed] == [(f"{HOME}{story(4)}", 2)]


def test_a_refresh_without_validators_compares_bytes(tmp_path: Path) -> None:
    pages = town()
    crawled(pages, tmp_path)
    again = crawled(pages, tmp_path, refresh=1)
    assert (again.feed, again.counts["pages/unchanged"]) == ([], 12)


def test_a_refresh_asks_for_what_no_listing_names_any_more(tmp_path: Path) -> None:
    pages = town()
    refreshed(pages, tmp_path)
    pages["/"] = listed(0, 1)
    pages[story(9)] = pages[story(9)].replace(
        "the first paragraph", "the mended and much longer first paragraph"
    )
    again = refreshed(pages, tmp_path, refresh=1)
    assert again.paths == [story(9)]
    old = refreshed(pages, tmp_path, refresh=1, since="2024-05-11")
    assert len([path for path in old.network.asked if path.startswith("/2024")]) < 12


def test_rewrite_sends_what_earlier_runs_found(tmp_path: Path) -> None:
    first = crawled(town(), tmp_path)
    again = crawled(town(), tmp_path, rewrite=True)
    assert again.paths == first.paths
    assert again.session.visit.resumed.rewritten == len(first.paths)
    assert crawled(town(), tmp_path, rewrite=True, since="2024-05-11").paths == sorted(
        story(n) for n in (10, 11)
    )


def test_a_later_run_fetches_what_the_server_refused(tmp_path: Path) -> None:
    down = {story(2): Reply(status=503), story(3): Reply(status=404)}
    first = crawled(town() | down, tmp_path)
    visit = first.session.visit
    assert (visit.completeness.unread, visit.share) == (1, round(10 / 11, 4))
    later = town() | {"/": listed(20)} | stories(20)  # no page links to the two any more
    again = crawled(later, tmp_path)
    assert again.paths == sorted([story(2), story(20)])
    assert story(3) not in again.network.asked


def departments(*, news: int | None = None, each: int = 10) -> Pages:
    """A site whose departments publish for themselves, one of them some ``news``."""
    links = "".join(f"<li><a href='/{name}/'>{name.title()}</a></li>" for name in DEPARTMENTS)
    pages: Pages = {
        "/": f"<html><body><h1>The town</h1><main><ul>{links}</ul></main></body></html>"
    }
    for number, name in enumerate(DEPARTMENTS):
        own = [*[1_000] * (number == news), *range(each * number, each * (number + 1))]
        pages |= stories(*own) | {f"/{name}/": listed(*own)}
    return pages


DEPARTMENTS = "airport archive bridges cemetery elections fire gardens harbour housing library market museum parks police roads schools sport streets theatre water".split()


@pytest.mark.parametrize("number", [0, 10, 19])
def test_a_later_run_opens_each_list_that_brings_articles(tmp_path: Path, number: int) -> None:
    """However many others have no news."""
    assert {*map(story, range(200))} <= {*crawled(departments(), tmp_path).paths}
    assert crawled(departments(news=number), tmp_path).paths == [story(1_000)]


def test_a_later_run_opens_a_page_that_looks_like_an_article_and_lists_others(
    tmp_path: Path,
) -> None:
    def pages(count: int) -> Pages:
        links = "".join(
            f"<li><a href='{story(n)}'>Harbour bridge number {n} opens</a></li>"
            for n in range(count)
        )
        board = article_page(90).replace(
            '<div class="share">', f'<ul>{links}</ul><div class="share">'
        )
        return {"/": listed(90)} | stories(*range(count)) | {story(90): board}

    assert {*crawled(pages(12), tmp_path).paths} == {*map(story, [*range(12), 90])}
    assert crawled(pages(13), tmp_path).paths == [story(12)]


def test_standard_answers_of_earlier_runs_tell_nothing_of_new_articles(tmp_path: Path) -> None:
    """They are requested in each run, and six of them made all URLs of their form look like those
    of one answer."""
    notices = dict.fromkeys(map(story, range(12, 20)), article_page(99))
    pages = town() | notices | {"/": listed(*range(20))}
    assert len(crawled(pages, tmp_path).feed) == 12
    more = listed(20, 21, 22).replace("City", "Sport")
    assert crawled(pages | stories(20, 21, 22) | {"/sport/": more}, tmp_path).paths == [
        *map(story, (20, 21, 22))
    ]


def test_an_article_that_is_opened_for_its_links_is_not_written_again(tmp_path: Path) -> None:
    def page(text: str) -> str:
        links = "".join(
            f"<li><a href='{story(n)}'>Harbour bridge number {n} opens</a></li>" for n in range(12)
        )
        return (
            article_page(90)
            .replace('<div class="share">', f'<ul>{links}</ul><div class="share">')
            .replace("long", text)
        )

    pages = {"/": listed(90)} | stories(*range(12))
    assert len(crawled(pages | {story(90): page("long")}, tmp_path).feed) == 13
    again = crawled(pages | {story(90): page("short")}, tmp_path)
    assert (again.paths, story(90) in again.network.asked) == ([], True)
    assert crawled(pages | {story(90): page("short")}, tmp_path, refresh=1).paths == [story(90)]


def test_dead_links_are_asked_for_less_and_less(tmp_path: Path) -> None:
    pages = town() | {story(2): Reply(status=404)}
    runs = [crawled(pages, tmp_path).network.asked.count(story(2)) for _ in range(8)]
    assert runs == [1, 1, 0, 1, 0, 0, 1, 0]
    assert crawled(pages, tmp_path, refresh=1).network.asked.count(story(2)) == 1
    assert crawled(town(), tmp_path, refresh=1).paths == [story(2)]


def test_links_that_were_dead_before_hide_no_new_ones(tmp_path: Path) -> None:
    dead = dict.fromkeys(map(story, range(30, 90)), Reply(status=404))
    crawled(stories(*range(30)) | dead | {"/": listed(*range(90))}, tmp_path)
    assert crawled(stories(90) | dead | {"/": listed(*range(91))}, tmp_path).paths == [story(90)]


def test_a_standard_answer_is_known_to_later_runs(tmp_path: Path) -> None:
    notice = article_page(99)
    pages = town() | dict.fromkeys([story(n) for n in (1, 2, 7)], notice)
    assert len(crawled(pages, tmp_path).feed) == 9
    again = crawled(pages | {story(1): article_page(1)}, tmp_path)
    assert (again.paths, again.counts["items/dropped/repeat"]) == ([story(1)], 2)


def test_what_cannot_be_fetched_is_asked_for_by_five_later_runs(tmp_path: Path) -> None:
    pages = town() | {story(2): Reply(status=503)}
    crawled(pages, tmp_path)
    runs = [
        crawled(pages | {"/": listed(3)}, tmp_path).network.asked.count(story(2)) for _ in range(6)
    ]
    assert runs == [1, 1, 1, 1, 1, 0]
    dead = crawled({"/": Reply(status=503)}, tmp_path)
    assert dead.network.asked == ["/"]


# ---- articles
def test_a_later_run_completes_an_article_and_no_run_shortens_one(tmp_path: Path) -> None:
    pages, given = dict(parts_site()), {"start": f"{HOME}/news/"}
    broken = pages | {part_path(3, 3): Reply(status=500)}
    assert len(crawled(broken, tmp_path, **given).feed) == 12
    assert crawled(broken, tmp_path, **given).feed == []
    (whole,) = crawled(pages, tmp_path, **given).feed
    assert (
        len(whole["provenance"]["parts"]),
        whole["revision"],
        "flags" in whole["provenance"],
    ) == (3, 2, False)
    assert crawled(broken, tmp_path, refresh=1, **given).feed == []


def test_parts_of_an_article_leave_as_one(tmp_path: Path) -> None:
    crawl = crawled(dict(parts_site()), tmp_path, start=f"{HOME}/news/")
    assert crawl.paths == sorted(part_path(n) for n in range(12))
    long = next(item for item in crawl.feed if item["url"].endswith(part_path(3)))
    assert [url.removeprefix(HOME) for url in long["provenance"]["parts"]] == [
        part_path(3, n) for n in (1, 2, 3)
    ]


def test_a_part_that_is_missing_is_told(tmp_path: Path) -> None:
    pages = dict(parts_site())
    del pages[part_path(3, 3)]
    crawl = crawled(pages, tmp_path, start=f"{HOME}/news/")
    long = next(item for item in crawl.feed if item["url"].endswith(part_path(3)))
    assert "incomplete" in long["provenance"]["flags"]


def test_a_later_part_that_comes_first_waits_for_the_others(tmp_path: Path) -> None:
    pages = dict(parts_site())
    pages["/news/"] = pages["/news/"].replace(part_path(3).encode(), part_path(3, 2).encode())
    crawl = crawled(pages, tmp_path, start=f"{HOME}/news/")
    assert crawl.paths == sorted(part_path(n) for n in range(12))


def test_a_refresh_joins_again_what_changed_in_one_part(tmp_path: Path) -> None:
    pages = dict(parts_site())
    start = f"{HOME}/news/"
    crawled(pages, tmp_path, start=start)
    changed = pages[part_path(3, 2)]
    assert isinstance(changed, bytes)
    pages[part_path(3, 2)] = changed.replace(b"and who paid", b"and at last who paid")
    again = crawled(pages, tmp_path, start=start, refresh=1)
    assert again.paths == [part_path(3)]
    assert len(again.feed[0]["provenance"]["parts"]) == PARTS[3]
    assert "at last" in again.feed[0]["articleBody"]


def test_a_later_part_of_an_article_that_left_is_dropped(tmp_path: Path) -> None:
    pages = dict(parts_site())
    pages["/extra/"] = (
        f'<html><body><h1>More</h1><ul><li><a href="{part_path(3, 4)}">Story 3 of the market, more</a></li></ul></body></html>'
    )
    last = pages[part_path(3, 3)]
    assert isinstance(last, bytes)
    pages[part_path(3, 4)] = last.replace(b"part 3", b"part 4")
    first = crawled(pages, tmp_path, start=f"{HOME}/news/,{HOME}/extra/")
    assert sum(path.startswith(part_path(3)[:-5]) for path in first.paths) == 1


def test_soft_errors_are_no_articles(tmp_path: Path) -> None:
    pages = town()
    start, end = pages[story(3)].index("<h1>"), pages[story(3)].index('<div class="share">')
    missing = "<h1>Page not found</h1><p>The page you asked for does not exist. Try the search.</p>"
    pages[story(3)] = pages[story(3)][:start] + missing + pages[story(3)][end:]
    crawl = crawled(pages, tmp_path)
    assert story(3) not in crawl.paths
    assert len(crawl.feed) == 11
    assert crawl.counts["pages/fake/missing"] == 1


def test_one_text_under_every_address_is_no_article(tmp_path: Path) -> None:
    def same(url: str) -> Reply:
        return Reply(article_page(3).replace("8:30", f"8:{len(url)}").encode())

    crawl = crawled({"/": listing_page(range(12)), "*": same}, tmp_path)
    assert len(crawl.feed) <= 2
    assert crawl.counts["items/dropped/repeat"]


def test_a_refusal_with_a_number_of_its_own_is_no_article(tmp_path: Path) -> None:
    def refuses(url: str) -> Reply:
        number = sha1(url.encode()).hexdigest()
        said = "Your requests are too frequent. To protect its readers, the service has blocked this request for a while."
        text = f"<p>{said} Please write to the editors if you need help. Request {number[:8]}-{number[8:12]}, 2026-01-31 10:02:{int(number[:4], 16) % 60:02}.</p>"
        return Reply(
            f"<title>Checking</title><body><h1>Checking your requests</h1>{text}</body>".encode()
        )

    front = {"/": listing_page(range(40))}
    assert crawled(front | {"*": refuses}, tmp_path).feed == []
    assert len(crawled(front | stories(*range(40)), tmp_path).feed) == 40


def test_a_list_that_the_site_refuses_is_told(tmp_path: Path) -> None:
    refused = Reply(b"<title>Busy</title><body><p>Please wait.</p></body>")
    lines = lines_of(crawled(town() | {"/city/page/2/": refused}, tmp_path).session.visit)
    assert (
        f"1 listing page has no links ({HOME}/city/page/2/): the site refused the request"
        in "; ".join(lines)
    )
    told = story_of(crawled(town(), tmp_path).session.visit)
    assert "no links" not in told
    assert "6 articles" in told


def test_a_start_page_that_is_an_article_is_told_in_the_first_run_and_later(tmp_path: Path) -> None:
    """Nothing but the pages that it leads to shows that it is one."""
    pages = {"/": listing_page(range(12))} | stories(*range(12))
    for start, is_told in ((story(3), True), (story(3), True), ("/", False)):
        line = story_of(crawled(pages, tmp_path, start=HOME + start).session.visit)
        assert ("the start page is an article itself" in line) == is_told


@pytest.mark.parametrize(
    ("told", "dated"),
    [("", False), ("Request {}.", False), ("", True), ("One month costs 9.99 now.", True)],
)
def test_the_day_of_what_was_requested_does_not_make_a_refusal_an_article(
    tmp_path: Path, *, told: str, dated: bool
) -> None:
    """On sites with days in their URLs, the same answer of each day passed for an article; so did
    that of pages that say their days in the head."""

    def path(n: int) -> str:
        return f"/2026/01/{n:02}/the-bridge-{n}.html"

    def refuses(n: int) -> str:
        said = f"This service has too many readers now. Please come back in a while, or write to us. {told.format(n)}"
        head = f"<meta property='article:published_time' content='2026-01-{n:02}'>" if dated else ""
        return f"<html><head><title>Wait</title>{head}</head><body><h1>Please wait</h1><p>{said}</p></body></html>"

    links = "".join(
        f"<li><a href='{path(n)}'>The town opens a new bridge, number {n}</a></li>"
        for n in range(1, 28)
    )
    pages = {path(n): refuses(n) for n in range(1, 28)}
    assert crawled({"/": f"<h1>News</h1><ul>{links}</ul>"} | pages, tmp_path).feed == []


def test_bulletins_that_differ_in_their_numbers_are_articles(tmp_path: Path) -> None:
    def bulletin(n: int) -> str:
        readings = "".join(f"<p>Gauge {k}: {n * k % 97} cm at {k % 24}:00.</p>" for k in range(12))
        return f"<title>Levels</title><body><div class='menu'><a href='/'>Home</a></div><h1>Levels of the river</h1>{readings}</body>"

    pages = {story(n): Reply(bulletin(n).encode()) for n in range(20)}
    assert len(crawled({"/": listing_page(range(20))} | pages, tmp_path).feed) == 20


def test_a_site_behind_a_login_is_told(tmp_path: Path) -> None:
    form = "<html><head><title>Sign in</title></head><body><h1>Please log in</h1><form><input type='password'></form></body></html>"
    outcome = crawled({"/": listed(*range(8)), "*": form}, tmp_path).session.visit
    assert outcome.code == 1
    assert lines_of(outcome) == ["the site asks for a login; nothing was written"]


@pytest.mark.parametrize(
    "headline",
    [
        "Bridge {} opens to cyclists",
        "Town hall {} lets people log in",
        "Post {} of the mayor was removed",
    ],
)
def test_short_articles_about_errors_or_beside_a_login_form_are_read(
    tmp_path: Path, headline: str
) -> None:
    form = "<div><h2>User login</h2><form><label>Name</label><input><input type='password'></form></div>"

    def short(n: int) -> str:
        name, text = (
            headline.format(n),
            f"The mayor cut the ribbon on Monday, and {n} people came to see it.",
        )
        said = f"<h1>{name}</h1><p>2024-05-{n:02}</p><p>{text} They stayed until noon, and {n * 7} of them sang.</p>"
        return f"<html><head><title>{name} | The Example</title></head><body>{form}{said}</body></html>"

    links = "".join(f"<li><a href='{story(n)}'>{headline.format(n)}</a></li>" for n in range(1, 13))
    front = f"<html><head><title>The Example</title></head><body>{form}<h1>News</h1><ul>{links}</ul></body></html>"
    crawl = crawled({"/": front} | {story(n): short(n) for n in range(1, 13)}, tmp_path)
    assert len(crawl.feed) == 12


def test_a_login_form_with_much_text_around_it_is_no_article(tmp_path: Path) -> None:
    pages = town()
    form = "<form><label>Name</label><input><input type='password'></form>"
    foot = "".join(
        f"<p>Office {n} of the paper is open on work days from nine to five o'clock.</p>"
        for n in range(12)
    )
    wall = f"<div><h1>Log in</h1><p>Members read all stories.</p>{form}</div><div id='foot'>{foot}</div>"
    pages[story(3)] = (
        f"<html><head><title>Log in - The Example</title></head><body>{wall}</body></html>"
    )
    renamed = pages[story(4)].replace(
        "Harbour bridge number 4 opens to cyclists", "Town hall lets people log in"
    )
    pages[story(4)] = renamed.replace("<body>", f"<body><div><h2>Log in</h2>{form}</div>")
    crawl = crawled(pages, tmp_path)
    assert story(3) not in crawl.paths
    assert story(4) in crawl.paths
    assert crawl.counts["pages/fake/login"] == 1


def test_an_article_under_two_addresses_leaves_once(tmp_path: Path) -> None:
    pages = town()
    own = f'<link rel="canonical" href="{story(2)}"></head>'
    pages[story(2)] = pages[story(2)].replace("</head>", own)
    pages["/print/a-2.html"] = pages[story(2)]
    pages["/"] = pages["/"].replace(f'"{story(1)}"', '"/print/a-2.html"')
    crawl = crawled(pages, tmp_path)
    assert sum("number 2 " in (item["headline"] or "") for item in crawl.feed) == 1


def test_a_page_that_waited_and_fails_holds_nothing_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawl = Crawl.of(Network(town()), tmp_path)
    join, failed = crawl.session.parts.articles.join, []

    def stumble(chain: Any) -> Any:
        if not failed:
            failed.append(chain[0].record.url)
            raise ValueError("a page nobody expected")
        return join(chain)

    monkeypatch.setattr(crawl.session.parts.articles, "join", stumble)
    crawl.run()
    assert len(crawl.feed) == 11
    assert crawl.counts["items/dropped/failed"] == 1
    again = crawled(town(), tmp_path)
    assert [f"{HOME}{path}" for path in again.paths] == failed


def test_more_pages_than_may_be_held_leave_at_once(tmp_path: Path) -> None:
    crawl = crawled(town(), tmp_path, hold=0)
    assert crawl.paths == sorted(story(n) for n in range(12))
    assert crawl.counts["items/waiting"] == 0


# ---- browser
SHELL = '<html><head><title>The Example</title></head><body><div id="root"></div><script>draw()</script></body></html>'


def test_a_site_that_scripts_draw_goes_through_a_browser(tmp_path: Path) -> None:
    drawn = stories(*range(8)) | {"/": listed(*range(8))}
    network = Network(dict.fromkeys(drawn, SHELL), drawn)
    crawl = Crawl.of(network, tmp_path, js="auto")
    crawl.run()
    assert crawl.paths == sorted(story(n) for n in range(8))
    assert network.asked.count("/") == network.rendered.count("/") == 1
    assert max(Counter(network.rendered).values()) == 1
    later = Network(dict.fromkeys(drawn, SHELL), drawn)
    Crawl.of(later, tmp_path, js="auto").run()
    assert later.asked == []


def test_a_plain_site_with_scripts_needs_no_browser(tmp_path: Path) -> None:
    pages = {
        path: page.replace("</body>", "<script>count()</script></body>")
        for path, page in town().items()
    }
    crawl = crawled(pages, tmp_path, js="auto")
    assert crawl.paths == sorted(story(n) for n in range(12))
    assert len(crawl.network.rendered) <= 1


def test_a_browser_that_fails_costs_no_page(tmp_path: Path) -> None:
    pages = {
        path: page.replace("</body>", "<script>count()</script></body>")
        for path, page in town().items()
    }
    network = Network(pages, dict.fromkeys(pages, Reply(status=0)))
    crawl = Crawl.of(network, tmp_path, js="always")
    crawl.run()
    assert crawl.feed == []
    drawn = dict.fromkeys(pages, SHELL)
    crawl = Crawl.of(
        Network(drawn, dict.fromkeys(pages, Reply(status=0))), tmp_path / "auto", js="auto"
    )
    outcome = crawl.run()
    assert crawl.counts["js/failed"]
    assert outcome.pages
    assert "the browser failed on 1 page: articles that scripts show may be missing" in lines_of(
        outcome
    )
    assert crawl.session.may_need_browser is False


def test_a_browser_that_adds_nothing_is_left_alone(tmp_path: Path) -> None:
    empty = {story(n): SHELL for n in range(8)} | {"/": listed(*range(8))}
    crawl = Crawl.of(Network(empty), tmp_path, js="auto")
    crawl.run()
    articles = [path for path in crawl.network.rendered if path.startswith("/2024")]
    assert len(articles) == 3
    assert crawl.feed == []


# ---- discovery
def sitemap(paths: list[str], day: str = "2024-05-20") -> Reply:
    rows = "".join(f"<url><loc>{HOME}{path}</loc><lastmod>{day}</lastmod></url>" for path in paths)
    return Reply(f"<urlset>{rows}</urlset>".encode(), kind="application/xml")


def test_a_sitemap_leads_to_what_no_page_links_to(tmp_path: Path) -> None:
    pages = stories(*range(12)) | {
        "/": listed(0, 1, 2),
        "/sitemap.xml": sitemap([story(n) for n in range(12)]),
    }
    assert crawled(pages, tmp_path / "links").paths == sorted(story(n) for n in range(3))
    crawl = crawled(pages, tmp_path / "all", discover="links,sitemap")
    assert crawl.paths == sorted(story(n) for n in range(12))
    assert crawl.network.asked[0] == "/" or crawl.network.asked[0] == "/robots.txt"
    assert crawl.counts["hints/files"] == 2


def test_robots_name_the_sitemap_and_damaged_files_cost_nothing(tmp_path: Path) -> None:
    pages = stories(*range(8)) | {
        "/": listed(0, 1),
        "/news.xml": sitemap([story(n) for n in range(8)]),
    }
    pages["/robots.txt"] = Reply(
        b"Sitemap: /news.xml\nSitemap: /broken.xml\nSitemap: /gone.xml\n", kind="text/plain"
    )
    pages["/broken.xml"] = Reply(b"<urlset><url", kind="application/xml")
    crawl = crawled(pages, tmp_path, discover="links,sitemap")
    assert crawl.paths == sorted(story(n) for n in range(8))
    assert crawl.counts["hints/failed"] == 1


def test_a_feed_leads_to_articles_of_its_section(tmp_path: Path) -> None:
    link = '<link rel="alternate" type="application/rss+xml" href="/feed.xml"></head>'
    items = "".join(f"<item><link>{story(n)}</link></item>" for n in (1, 7, 8))
    pages = stories(*range(9)) | {"/": listed(0, 1).replace("</head>", link)}
    pages["/feed.xml"] = Reply(
        f"<rss><channel>{items}</channel></rss>".encode(), kind="application/rss+xml"
    )
    crawl = crawled(pages, tmp_path, discover="links,feeds")
    assert crawl.paths == sorted(story(n) for n in (0, 1, 7, 8))
    assert {item["sectionUrl"] for item in crawl.feed} == {f"{HOME}/"}
    only = crawled(pages, tmp_path / "only", discover="feeds")
    assert only.paths == sorted(story(n) for n in (1, 7, 8))


# ---- two at a time
def test_two_crawls_at_once_know_nothing_of_one_another(tmp_path: Path) -> None:
    other = {path: page.replace("Harbour", "Mountain") for path, page in town(8).items()}
    one, two = (
        Crawl.of(Network(town()), tmp_path / "one"),
        Crawl.of(Network(other), tmp_path / "two"),
    )
    for _ in zip(one.steps(), two.steps(), strict=False):
        pass
    one.kill()
    two.kill()
    rest = [
        Crawl.of(one.network, tmp_path / "one", one.feed),
        Crawl.of(two.network, tmp_path / "two", two.feed),
    ]
    for crawl in rest:
        crawl.run()
    assert [len(crawl.feed) for crawl in rest] == [12, 8]
    assert all("Mountain" in item["headline"] for item in two.feed)
    assert not any("Mountain" in item["headline"] for item in one.feed)


def test_a_finished_run_is_followed_by_a_new_one(tmp_path: Path) -> None:
    crawl = crawled(town(), tmp_path)
    store = Stores(tmp_path).crawl(crawl.session.state.site)
    (task, run, ended), *more = store.db.rows("SELECT task, run, ended FROM tasks")
    assert (run, ended, more) == (1, RunEnd.FINISHED, [])
    assert json.loads(task)[0] == [f"{HOME}/"]
    assert store.pages.in_turn("queued") == []


@pytest.mark.parametrize("steps", [7, 11, 30])
def test_a_kill_leaves_what_pages_have_taught(tmp_path: Path, steps: int) -> None:
    """Each page that waits is a sample of its family, before and after the kill: families would
    come out otherwise if some were judged anew."""
    crawl = Crawl.of(Network(dict(site_pages())), tmp_path)
    for _, _ in zip(range(steps), crawl.steps(), strict=False):
        pass
    families = crawl.session.parts.articles.site.families
    samples = {sample.page.url for family in families for sample in family.samples}
    collected = [(family.name, family.collected) for family in families if family.collected]
    assert samples
    crawl.kill()
    again = Crawl.of(crawl.network, tmp_path, crawl.feed)
    model = again.sites.model("news.example")
    again.session.begin()
    assert samples <= {
        page["url"] for pages in model.to_dict()["samples"].values() for page in pages
    }
    for _ in range(2):
        assert [
            (family.name, family.collected) for family in model.families if family.collected
        ] == collected
        again.session.begin()  # which judges none of them again
    again.kill()


def test_articles_that_lead_to_the_front_page_are_gone_and_told(tmp_path: Path) -> None:
    pages = {"/": "".join(listed(*range(12)))} | {story(n): article_page(n) for n in range(8)}
    pages |= {story(n): Reply(to="/") for n in range(8, 12)}  # type: ignore[dict-item]
    start = f"{HOME}/news/"
    crawl = crawled(pages | {"/news/": pages["/"]}, tmp_path, start=start)
    assert crawl.paths == sorted(story(n) for n in range(8))
    assert "they lead to the front page" in story_of(crawl.session.visit)
