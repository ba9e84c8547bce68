"""Sites that refuse requests for a while: what they refused is told, and comes in a later run, also
if no listing names it any more."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitecrawl.crawl.last_lines import lines_of
from tests.crawl.driver import HOME, Crawl, Network, Pages, Reply, crawled, story_of
from tests.pages import article_page, listing_page

_PAGE = "<html><head><title>{0}</title></head><body><h1>{0}</h1><p>{1}</p></body></html>"
REFUSALS = {
    "forbidden": Reply(b"", 403),
    "busy": Reply(b"", 503),
    "one text": _PAGE.format(
        "Sorry", "So many of your requests came today that you have to come back tomorrow."
    ),
    "check": _PAGE.format("Just a moment...", "We look whether you are a reader."),
    "check in Chinese": _PAGE.format("请稍候", "正在检查您的浏览器。"),
    "no links": "<html><head></head><body>No.</body></html>",
}
_NEXT_RUN = "(the next run continues with them)"


def story(number: int) -> str:
    return f"/2024/05/a-{number}.html"


def paper(count: int, first: int = 0) -> Pages:
    """The articles of a site, of which its listing shows those from the ``first`` on."""
    listing = listing_page(range(first, count)).replace("/city/page/2/", "/")
    return {story(number): article_page(number) for number in range(count)} | {"/": listing}


@pytest.mark.parametrize("refusal", REFUSALS)
def test_what_a_site_refuses_is_told_and_comes_later(tmp_path: Path, refusal: str) -> None:
    """After some refusals the rest was taken for dead links, or for one page under many URLs: it
    was neither requested nor told, and was lost once the listing had moved on."""
    crawled(paper(5), tmp_path)
    refused = Crawl.of(
        Network(paper(65) | {story(number): REFUSALS[refusal] for number in range(5, 65)}), tmp_path
    )
    told = story_of(refused.run())
    assert refused.feed == []
    assert f"60 articles were not opened {_NEXT_RUN}" in told
    assert len(refused.network.asked) < 60
    assert crawled(paper(70, first=65), tmp_path).paths == sorted(map(story, range(5, 70)))


@pytest.mark.parametrize("refusal", REFUSALS)
def test_a_refusal_in_place_of_some_articles(tmp_path: Path, refusal: str) -> None:
    """Up to two pages with the text of a refusal were written as articles, and pages without a link
    were forgotten."""
    crawled(paper(2), tmp_path)
    refused = {story(number): REFUSALS[refusal] for number in (3, 5, 8)}
    crawl = Crawl.of(Network(paper(30) | refused), tmp_path)
    assert f"3 articles were not opened {_NEXT_RUN}" in story_of(crawl.run())
    assert len(crawl.feed) == 25
    assert crawled(paper(40, first=30), tmp_path).paths == sorted(
        {*map(story, range(30, 40)), *refused}
    )


def test_a_site_that_goes_on_refusing_is_not_asked_for_each_article(tmp_path: Path) -> None:
    refused = {story(number): Reply(b"", 403) for number in range(200)}
    crawled(paper(200) | refused, tmp_path)
    again = crawled(paper(200, first=190) | refused, tmp_path)
    assert len(again.network.asked) < 100
    assert "not requested (the site refused such requests)" in story_of(again.session.visit)


def test_a_start_page_that_checks_its_readers_fails(tmp_path: Path) -> None:
    outcome = crawled({"/": REFUSALS["check"]}, tmp_path).session.visit
    assert outcome.code == 1
    assert lines_of(outcome) == [f"{HOME}/: refused with status 200"]


def test_an_article_about_a_refusal_is_written(tmp_path: Path) -> None:
    title = "Access denied to the old harbour"
    pages = paper(12) | {
        story(3): _PAGE.format(
            title, "The old harbour is closed to cyclists and walkers until the end of May. " * 4
        )
    }
    pages["/"] = pages["/"].replace("Harbour bridge number 3 opens to cyclists", title)
    assert len(crawled(pages, tmp_path).feed) == 12


def test_notices_of_removal_hide_no_articles(tmp_path: Path) -> None:
    """Most articles of a site were gone, and its pages said so with status 200: the others were
    taken for pages of a kind that are no articles."""
    gone = {story(number) for number in range(60) if number % 5}
    notice = _PAGE.format("This page was removed", "Its author asked for it.")
    crawl = crawled(paper(60) | dict.fromkeys(gone, notice), tmp_path)
    assert crawl.paths == sorted({*map(story, range(60))} - gone)
    assert "(mostly: the page says that it does not exist)" in story_of(crawl.session.visit)


def _moved_on(kept: int) -> Pages:
    """A section whose further pages and articles stand elsewhere; one page of its listing shows ten
    articles from ``kept`` on."""
    pages = paper(60)
    pages["/news/"] = listing_page(range(10)).replace("/city/page/2/", "/list/2.html")
    pages["/list/2.html"] = listing_page(range(kept, kept + 10)).replace(
        "/city/page/2/", "/list/2.html"
    )
    pages |= {
        "/moved/": Reply(to="/all/"),
        "/all/": pages["/list/2.html"].replace("/list/2.html", "/all/"),
    }
    frame = '<html><frameset cols="*"><frame src="/list/2.html"></frameset></html>'
    return pages | {
        "/sport/": listing_page(range(50, 60)).replace("/city/page/2/", "/sport/"),
        "/framed/": frame,
    }


@pytest.mark.parametrize("start", ["/news/", "/framed/", "/moved/"])
def test_a_lost_article_of_a_listing_outside_the_section_is_requested_again(
    tmp_path: Path, start: str
) -> None:
    """The last line promised it, and it never was."""
    given = {"start": f"{HOME}{start}", "scope": "section"}
    lost = story(12)
    crawled(_moved_on(10) | {lost: Reply(b"", 503)}, tmp_path, **given)
    assert lost in crawled(_moved_on(20), tmp_path, **given).paths
    other = {"start": f"{HOME}/sport/", "scope": "section"}
    assert set(crawled(_moved_on(20), tmp_path, **other).paths) == set(map(story, range(50, 60)))
    rewritten = crawled(_moved_on(20), tmp_path, **given, rewrite=True)
    assert {story(number) for number in range(10, 30)} <= set(rewritten.paths)
    assert story(55) not in rewritten.paths


def test_lost_articles_of_another_section_stay_there(tmp_path: Path) -> None:
    sport, news = ({"start": f"{HOME}/{name}/", "scope": "section"} for name in ("sport", "news"))
    crawled(_moved_on(10) | {story(55): Reply(b"", 503)}, tmp_path, **sport)
    assert story(55) not in crawled(_moved_on(10), tmp_path, **news).paths


def test_a_killed_run_requests_again_what_earlier_ones_lost(tmp_path: Path) -> None:
    """Once the listings were read, a run that went on after a kill counted no page, as if the site
    were down."""
    crawled(paper(30) | {story(3): Reply(b"", 503)}, tmp_path)
    killed = Crawl.of(Network(paper(40, first=30)), tmp_path)
    for _ in killed.steps():
        if not killed.waiting:
            break
    killed.kill()
    again = Crawl.of(killed.network, tmp_path, killed.feed)
    again.run()
    assert story(3) in again.paths
