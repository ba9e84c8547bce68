"""The last lines of a crawl: what it wrote, what it left, and what to type for the rest."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from sitecrawl.commands._alerts import Exit, exit_code
from sitecrawl.crawl.events import (
    ArticleWritten,
    Completeness,
    Counted,
    CrawlBegan,
    CrawlEnded,
    CrawlEvent,
    FamilyJudged,
    PageDropped,
    PageRead,
    RequestFailed,
)
from sitecrawl.crawl.gaps import Gaps
from sitecrawl.crawl.outcome import Outcome
from sitecrawl.crawl.records import Drop, Role
from sitecrawl.dom.parse import parse
from sitecrawl.items.kinds import PageKind
from sitecrawl.site.judge import FamilyVerdict
from sitecrawl.site.page_families import PageFamily


def test_a_crawl_that_left_nothing_says_no_more_than_its_counts() -> None:
    assert Outcome(articles=48, pages=57, reason="finished").lines() == [
        "48 articles from 57 pages (finished)"
    ]


def ended(**known: Any) -> CrawlEnded:
    usual = {"nothing_found": False, "crowded_out": 0, "listings": (), "elsewhere": {}}
    return CrawlEnded("finished", 3, 1, **usual | known)


def test_pages_on_which_the_browser_failed_are_told() -> None:
    """Unless the request without the browser failed, too: such a page is told as lost."""
    outcome, shop = Outcome(articles=3, pages=9), "http://a.example/shop/"
    for url in ("http://a.example/news/", shop):
        outcome.take(Counted(url, "js/failed"))
    outcome.take(RequestFailed(shop, "the server answered 404", Role.SECTION))
    outcome.take(ended())
    assert (
        outcome.lines()[0]
        == "the browser failed on 1 page: articles that scripts show may be missing"
    )


def test_an_interrupted_crawl_says_how_to_continue() -> None:
    for reason in ("shutdown", ""):  # the second Ctrl-C ends a crawl without a reason
        line = Outcome(articles=2, pages=1, reason=reason).story()
        assert (
            line
            == "2 articles from 1 page (shutdown); stopped: run the same command again to continue"
        )


def test_listing_pages_never_opened_are_told_with_an_estimate_and_a_remedy() -> None:
    known = Completeness(found=97, expected=3.0, unopened=12, opened=12)
    line = Outcome(articles=97, pages=120, reason="finished", completeness=known).story()
    assert line.endswith(
        "about 97 % of the articles that listing pages lead to (97 of some 100): 12 listing pages were not opened (-a effort=full opens them)"
    )


@pytest.mark.parametrize("opened", [0, 7, 11])
def test_without_enough_listing_pages_the_counts_stand_alone(opened: int) -> None:
    known = Completeness(found=97, expected=3.0, unopened=12, opened=opened)
    line = Outcome(articles=97, pages=120, reason="finished", completeness=known).story()
    assert line == (
        "97 articles from 120 pages (finished);"
        " 12 listing pages were not opened (-a effort=full opens them)"
    )


def test_a_crawl_that_came_to_a_limit_goes_on_with_what_it_left() -> None:
    known = Completeness(found=20, expected=60.0, unopened=12, opened=20)
    line = Outcome(articles=20, pages=30, reason="max_pages", completeness=known).story()
    assert "about 25 %" in line
    assert line.endswith("12 listing pages were not opened (the next run continues with them)")
    known = Completeness(found=80, unread=60)
    line = Outcome(articles=20, pages=30, reason="max_articles", completeness=known).story()
    assert line.endswith(
        "about 25 % of the articles that listing pages lead to (20 of 80): 60 articles were not opened (the next run continues with them)"
    )
    known = Completeness(found=2, expected=6.0, unopened=3, unread=1, opened=8)
    line = Outcome(articles=1, pages=1, reason="max_pages", completeness=known).story()
    assert (
        "about 12 % of the articles that listing pages lead to (1 of some 8): 3 listing pages and 1 article were not opened"
        in line
    )


def test_a_run_without_news_says_how_to_write_known_articles_again() -> None:
    known = Completeness(found=12, shown=12)
    line = Outcome(pages=1, reason="finished", completeness=known).story()
    assert line.endswith(
        "no article is new (-O FILE -s SITECRAWL_REWRITE=1 writes those of earlier runs again)"
    )
    again = CrawlBegan(rewritten=72)
    line = Outcome(pages=1, reason="finished", completeness=known, began=again).story()
    assert (
        line == "0 articles from 1 page (finished); 72 articles of earlier runs were written again"
    )
    line = Outcome(pages=1, reason="finished").story()
    assert "new" not in line
    assert "; no link looks like an article: start from a page that lists articles" in line
    one = Gaps(lost=Counter({("listing pages", "the server answered 404"): 1}))
    line = Outcome(articles=9, pages=10, reason="finished", gaps=one).story()
    assert line.endswith("; 1 listing page could not be fetched (the server answered 404)")


def test_a_start_page_that_is_an_article_is_told() -> None:
    def line(role: Role, kind: PageKind) -> str:
        outcome = Outcome(articles=1, pages=1, reason="finished")
        outcome.take(PageRead("http://a.example/news/fair.html", kind, role, 1.0))
        return outcome.story()

    assert line(Role.START, PageKind.ARTICLE).endswith(
        "; the start page is an article itself: start from a page that lists articles"
    )
    others = [line(Role.START, PageKind.LISTING), line(Role.ARTICLE, PageKind.ARTICLE)]
    assert not any("start page" in other for other in others)


@pytest.mark.parametrize(("kind", "is_told"), [(PageKind.ARTICLE, False), (PageKind.OTHER, True)])
def test_an_article_behind_a_link_to_a_list_is_no_list_without_links(
    kind: PageKind, *, is_told: bool
) -> None:
    outcome = Outcome(articles=1, pages=2, reason="finished")
    page = parse("<p>The bridge is open.</p>", "http://a.example/bridge/")
    outcome.take(PageRead(page.url, kind, Role.SECTION, 0.1, page))
    assert ("has no links" in outcome.story()) == is_told


def test_families_that_stay_and_doubtful_ones_are_told() -> None:
    stays = FamilyVerdict(False, "the site calls these pages product")
    leaves = FamilyVerdict(True, "these pages look like articles by a narrow margin", doubtful=True)
    gaps = Gaps()
    for name, verdict, withheld in (
        ("/shop/# product undated", stays, 8),
        ("/case/# dated", leaves, 0),
    ):
        gaps.take(
            FamilyJudged(
                "a.example", PageFamily(name, PageKind.ARTICLE, pages=8, withheld=withheld), verdict
            )
        )
    line = Outcome(articles=48, pages=57, reason="finished", gaps=gaps).story()
    assert (
        "; 8 items of other kinds were left out (8 of /shop/# product undated by model): sitecrawl families a.example"
        in line
    )
    assert line.endswith("; 1 family is doubtful (8 items): sitecrawl families a.example")


def test_more_pages_left_alone_than_articles_found_are_told() -> None:
    few, many = (Completeness(found=16, others=count) for count in (10, 90))
    line = Outcome(articles=16, pages=30, reason="finished", completeness=many).story()
    assert line.endswith(
        "90 pages that are probably not articles were not opened (-a effort=full opens them)"
    )
    line = Outcome(articles=16, pages=30, reason="finished", completeness=few).story()
    assert line.endswith("(finished)")


def test_pages_left_alone_are_told_beside_listing_pages() -> None:
    """Unless a limit ended the run: then most pages wait for the next one."""
    known, probably = (
        Completeness(found=16, unopened=1, others=90),
        "90 pages that are probably not articles",
    )
    line = Outcome(articles=16, pages=30, reason="finished", completeness=known).story()
    assert "1 listing page was not opened" in line
    assert probably in line
    line = Outcome(articles=16, pages=30, reason="max_pages", completeness=known).story()
    assert probably not in line


def test_links_that_were_not_followed_beside_dead_ones_are_told() -> None:
    outcome = Outcome(articles=48, pages=57, reason="finished")
    outcome.take(Counted("http://a.example/news/old.html", "traps/dead"))
    assert outcome.story().endswith(
        "; 1 link like those that lead nowhere was not followed (-a effort=full follows them)"
    )
    outcome.take(Counted("http://a.example/news/older.html", "traps/dead"))
    *_, line = outcome.lines(advises=False)
    assert line == "2 links like those that lead nowhere were not followed"


def test_repeats_are_counted() -> None:
    line = Outcome(
        articles=48, pages=57, reason="finished", gaps=Gaps(Counter({Drop.REPEAT: 9}))
    ).story()
    assert line.endswith("; 9 pages that repeat the text of others were left out")


def test_another_host_is_told_where_it_has_more_than_was_found() -> None:
    few, many = (
        Outcome(articles=8, pages=9, reason="finished", gaps=Gaps(elsewhere={"b.example": count}))
        for count in (5, 12)
    )
    assert few.lines() == ["8 articles from 9 pages (finished)"]
    assert "lead to b.example" in many.story()


def test_social_networks_shops_and_code_hosts_are_never_told_as_another_host() -> None:
    gaps = Gaps()
    gaps.take(ended(elsewhere={"de-de.facebook.com": 25, "github.com": 20, "b.example": 12}))
    assert gaps.elsewhere == {"b.example": 12}
    assert "lead to b.example" in Outcome(articles=8, pages=9, reason="finished", gaps=gaps).story()


def test_promises_of_links_that_many_pages_broke_are_told() -> None:
    few, many = (
        Outcome(articles=100, pages=130, reason="finished", gaps=Gaps(counts=Counter(unkept=count)))
        for count in (10, 11)
    )
    assert few.lines() == ["100 articles from 130 pages (finished)"]
    assert (
        "11 pages looked like articles by their links, but are not (sitecrawl why URL explains one)"
        in many.story()
    )


def test_what_the_user_left_out_is_told() -> None:
    def line(*left_out: CrawlEvent) -> str:
        outcome = Outcome(pages=3, reason="finished", completeness=Completeness(found=2))
        for event in left_out:
            outcome.take(event)
        return outcome.story()

    old, filtered = (
        PageDropped("http://a.example/1", Drop.SINCE),
        Counted("http://a.example/2", "links/filtered"),
    )
    assert "1 article that is older than since= was left out" in line(old)
    assert "no article is new" not in line(old)
    assert "1 link was left out by include=, exclude= or a hook" in line(filtered)
    dropped = line(PageDropped("http://a.example/4", Drop.FILTERED))  # by an item pipeline
    assert "1 article was left out by include=, exclude= or a hook" in dropped
    assert "no article is new" not in dropped


def test_a_crawl_that_is_stopped_at_once_has_not_failed_and_what_was_written_counts() -> None:
    outcome = Outcome(reason="shutdown")
    assert exit_code(outcome) is Exit.INTERRUPTED
    assert "run the same command again" in outcome.story()
    killed = Outcome(pages=3)
    killed.take(ArticleWritten({"provenance": {"method": "template"}}, is_new=True))
    assert killed.story().startswith("1 article from 3 pages (shutdown)")


def test_the_gravest_fact_comes_first() -> None:
    """One long line hid errors behind what is normal."""
    outcome = Outcome(articles=48, pages=57, reason="finished")
    outcome.take(PageDropped("http://a.example/1", Drop.REPEAT))
    outcome.take(RequestFailed("http://a.example/2", "the server answered 500", Role.ARTICLE))
    outcome.take(PageDropped("http://a.example/3", Drop.FAILED))
    summary, *facts = outcome.lines()
    assert summary == "48 articles from 57 pages (finished)"
    assert [fact.partition(" (")[0] for fact in facts] == [
        "1 article was not written because of an error",
        "1 article could not be fetched",
        "1 page that repeats the text of others was left out",
    ]
