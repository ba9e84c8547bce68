"""The last lines of a crawl: what it wrote, what it left out, and what to type for the rest; all
views of the one record of a visit, into which the events of the crawl fold."""

from __future__ import annotations

from dataclasses import replace
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
    ListingRead,
    PageDropped,
    PageRead,
    RequestFailed,
)
from sitecrawl.crawl.last_lines import findings_of, lines_of
from sitecrawl.crawl.reasons import VisitReason
from sitecrawl.crawl.records import Drop, Role
from sitecrawl.crawl.visit import FamilyNote, Gaps, Loss, Seen, Visit
from sitecrawl.crawl.visit_fold import VisitFold
from sitecrawl.dom.parse import parse
from sitecrawl.items.kinds import PageKind
from sitecrawl.records_json import from_document, to_document
from sitecrawl.site.judge import FamilyVerdict
from sitecrawl.site.page_families import PageFamily
from tests.crawl.driver import story_of

SHOP = "http://a.example/shop/"
ALL = Visit(written=48, pages=57, reason="finished")
NOTHING = Visit(pages=1, reason="finished")


def after(*happened: CrawlEvent, known: Visit = ALL) -> Visit:
    """A visit into which some events fold, and of which else this is known."""
    fold = VisitFold(Visit("a.example"))
    for event in happened:
        fold.take(event)
    found = fold.visit()
    written = known.written + found.written
    return replace(found, written=written, pages=known.pages, reason=known.reason)


def ended(**known: Any) -> CrawlEnded:
    usual = {"nothing_found": False, "crowded_out": 0, "listings": (), "elsewhere": {}}
    return CrawlEnded("finished", 3, 1, **usual | known)


def family(name: str, withheld: int, *, is_written: bool, doubtful: bool = False) -> FamilyJudged:
    pages = PageFamily(name, PageKind.ARTICLE, pages=8, withheld=withheld)
    verdict = FamilyVerdict(is_written, "by a narrow margin", doubtful=doubtful)
    return FamilyJudged("a.example", pages, verdict)


EXAMPLES: dict[str, tuple[Visit, list[str]]] = {
    "nothing was left out": (ALL, []),
    "an interrupted crawl says how to continue": (
        replace(ALL, reason="shutdown"),
        ["stopped: run the same command again to continue"],
    ),
    "the second Ctrl-C ends a crawl without a reason": (
        replace(ALL, reason=""),
        ["stopped: run the same command again to continue"],
    ),
    "listing pages that were never opened": (
        replace(ALL, completeness=Completeness(found=97, expected=3.0, unopened=12, opened=12)),
        [
            "about 97 % of the articles that listing pages lead to (97 of some 100): 12 listing"
            " pages were not opened (-a effort=full opens them)"
        ],
    ),
    "without enough listing pages the counts stand alone": (
        replace(ALL, completeness=Completeness(found=97, expected=3.0, unopened=12, opened=11)),
        ["12 listing pages were not opened (-a effort=full opens them)"],
    ),
    "a limit ended it": (
        replace(
            ALL,
            reason="max_pages",
            completeness=Completeness(found=20, expected=60.0, unopened=12, opened=20),
        ),
        [
            "about 25 % of the articles that listing pages lead to (20 of some 80): 12 listing"
            " pages were not opened (the next run continues with them)"
        ],
    ),
    "known articles that were not fetched": (
        replace(ALL, reason="max_articles", completeness=Completeness(found=80, unread=60)),
        [
            "about 25 % of the articles that listing pages lead to (20 of 80): 60 articles were"
            " not opened (the next run continues with them)"
        ],
    ),
    "one of each": (
        replace(
            ALL,
            reason="max_pages",
            completeness=Completeness(found=2, expected=6.0, unopened=3, unread=1, opened=8),
        ),
        [
            "about 12 % of the articles that listing pages lead to (1 of some 8): 3 listing pages"
            " and 1 article were not opened (the next run continues with them)"
        ],
    ),
    "a run without news": (
        replace(NOTHING, completeness=Completeness(found=12, shown=12)),
        ["no article is new (-O FILE -s SITECRAWL_REWRITE=1 writes those of earlier runs again)"],
    ),
    "articles of earlier runs were written again": (
        replace(
            NOTHING,
            completeness=Completeness(found=12, shown=12),
            resumed=CrawlBegan(rewritten=72),
        ),
        ["72 articles of earlier runs were written again"],
    ),
    "no link to an article": (
        NOTHING,
        [
            "no link looks like an article: start from a page that lists articles"
            " (sitecrawl links URL shows the links of a page)"
        ],
    ),
    "a lost listing page": (
        replace(
            ALL,
            lost=(Loss("the server answered 404", SHOP, failed={"listing page": 1}),),
        ),
        ["1 listing page could not be fetched (the server answered 404)"],
    ),
    "losses of two reasons": (
        after(
            RequestFailed("http://a.example/1", "no answer in time", Role.ARTICLE),
            RequestFailed("http://a.example/2", "no answer in time", Role.ARTICLE),
            RequestFailed("http://a.example/3", "the server answered 500", Role.ARTICLE),
        ),
        ["3 articles could not be fetched (mostly: no answer in time)"],
    ),
    "a start page that is an article": (
        after(PageRead("http://a.example/fair.html", PageKind.ARTICLE, Role.START, 1.0)),
        ["the start page is an article itself: start from a page that lists articles"],
    ),
    "a start page that is a list": (
        after(PageRead("http://a.example/news/", PageKind.LISTING, Role.START, 1.0)),
        [],
    ),
    "families that are withheld, and doubtful ones": (
        after(
            family("/shop/# product undated", 8, is_written=False),
            family("/case/# dated", 0, is_written=True, doubtful=True),
        ),
        [
            "8 items of other kinds were left out (8 of /shop/# product undated by model):"
            " sitecrawl families a.example",
            "1 family is doubtful (8 items): sitecrawl families a.example",
        ],
    ),
    "more pages left alone than articles found": (
        replace(ALL, completeness=Completeness(found=48, others=90)),
        ["90 pages that are probably not articles were not opened (-a effort=full opens them)"],
    ),
    "fewer pages left alone than articles found": (
        replace(ALL, completeness=Completeness(found=48, others=10)),
        [],
    ),
    "after a limit most pages wait for the next run": (
        replace(ALL, reason="max_pages", completeness=Completeness(unopened=1, others=90)),
        ["1 listing page was not opened (the next run continues with them)"],
    ),
    "a link beside dead ones": (
        after(Counted("http://a.example/news/old.html", "traps/dead")),
        ["1 link like those that lead nowhere was not followed (-a effort=full follows them)"],
    ),
    "repeats": (
        after(*[PageDropped("http://a.example/1", Drop.REPEAT)] * 9),
        ["9 pages that repeat the text of others were left out"],
    ),
    "another host has more than was found": (
        replace(ALL, gaps=Gaps(elsewhere=Seen(60, "b.example"))),
        [
            "60 links that may be articles lead to b.example: if it belongs to the site, add"
            " http://b.example/ to start="
        ],
    ),
    "another host has less than was found": (
        replace(ALL, gaps=Gaps(elsewhere=Seen(5, "b.example"))),
        [],
    ),
    "promises that many links broke": (
        replace(ALL, counts={"unkept": 5}),
        [
            "5 pages looked like articles by their links, but are not"
            " (sitecrawl why URL explains one)"
        ],
    ),
    "promises that few links broke": (replace(ALL, counts={"unkept": 4}), []),
    "lists that end at one length": (
        after(
            *[ListingRead(f"http://a.example/{n}/", shown=10, pager="") for n in range(3)],
            ended(completeness=Completeness(found=30)),
        ),
        [
            "3 listing pages end at 10 articles each and link to no further page: a script may"
            " load more (if articles are missing: -a discover=links,feeds,sitemap)"
        ],
    ),
    "old articles": (
        after(PageDropped("http://a.example/1", Drop.SINCE), known=NOTHING),
        ["1 article that is older than since= was left out"],
    ),
    "links that the user filters": (
        after(Counted("http://a.example/2", "links/filtered"), known=NOTHING),
        ["1 link was left out by include=, exclude= or a hook"],
    ),
    "articles that an item pipeline filters": (
        after(PageDropped("http://a.example/4", Drop.FILTERED), known=NOTHING),
        ["1 article was left out by include=, exclude= or a hook"],
    ),
    "the gravest comes first": (
        after(
            PageDropped("http://a.example/1", Drop.REPEAT),
            RequestFailed("http://a.example/2", "the server answered 500", Role.ARTICLE),
            PageDropped("http://a.example/3", Drop.FAILED),
        ),
        [
            "1 article was not written because of an error"
            " (the log has it; the next run tries again)",
            "1 article could not be fetched (the server answered 500)",
            "1 page that repeats the text of others was left out",
        ],
    ),
}
"""What is known of a visit, and the facts that its last lines tell after the summary."""


@pytest.mark.parametrize("case", EXAMPLES)
def test_the_facts_of_a_visit(case: str) -> None:
    visit, facts = EXAMPLES[case]
    summary, *told = lines_of(visit)
    assert told == facts
    assert summary == visit.summary
    assert story_of(visit) == "; ".join([summary, *facts])
    assert from_document(Visit, to_document(visit)) == visit


def test_without_advice_no_line_says_what_to_type() -> None:
    visit, _ = EXAMPLES["a link beside dead ones"]
    *_, line = lines_of(visit, advises=False)
    assert line == "1 link like those that lead nowhere was not followed"


def test_every_reason_has_a_sentence_of_its_own() -> None:
    assert len({one.sentence for one in VisitReason}) == len(VisitReason)
    visit, _ = EXAMPLES["the gravest comes first"]
    assert next(findings_of(visit)).reason is VisitReason.ERRED


def test_pages_on_which_the_browser_failed_are_told() -> None:
    """Unless the request without the browser failed, too: such a page is told as lost."""
    visit = after(
        Counted("http://a.example/news/", "js/failed"),
        Counted(SHOP, "js/failed"),
        RequestFailed(SHOP, "the server answered 404", Role.SECTION),
        ended(),
    )
    failed = "the browser failed on 1 page: articles that scripts show may be missing"
    assert lines_of(visit)[0] == failed


@pytest.mark.parametrize(("kind", "is_told"), [(PageKind.ARTICLE, False), (PageKind.OTHER, True)])
def test_an_article_behind_a_link_to_a_list_is_no_list_without_links(
    kind: PageKind, *, is_told: bool
) -> None:
    page = parse("<p>The bridge is open.</p>", "http://a.example/bridge/")
    visit = after(PageRead(page.url, kind, Role.SECTION, 0.1, page))
    assert ("has no links" in story_of(visit)) == is_told


def test_social_networks_shops_and_code_hosts_are_never_told_as_another_host() -> None:
    links = {"de-de.facebook.com": 25, "github.com": 20, "b.example": 12}
    visit = after(ended(elsewhere=links))
    assert visit.gaps.elsewhere == Seen(12, "b.example")


def test_a_crawl_that_is_stopped_at_once_has_not_failed_and_what_was_written_counts() -> None:
    stopped = Visit(reason="shutdown")
    assert exit_code(stopped) is Exit.INTERRUPTED
    assert "run the same command again" in story_of(stopped)
    item = {"url": "http://a.example/1", "provenance": {}, "headline": "", "articleBody": ""}
    killed = after(ArticleWritten(item, is_new=True), known=Visit(pages=3))
    assert story_of(killed).startswith("1 article from 3 pages (shutdown)")


def test_only_families_that_tell_something_are_kept() -> None:
    judged = [family("/a/", 3, is_written=True), family("/b/", 3, is_written=False)]
    assert after(*judged).families == (FamilyNote("/b/", 8, 3, by="model"),)
