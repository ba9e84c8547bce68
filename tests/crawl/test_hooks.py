"""A user's own steps: URL patterns, filters of pages and links, pipelines of items."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import sitecrawl
from sitecrawl.crawl.config import CrawlArguments
from sitecrawl.crawl.events import ArticleWritten, CrawlEvent
from sitecrawl.crawl.hooks import HookError, Hooks, StepError, url_pattern_of
from sitecrawl.crawl.records import RequestContext
from sitecrawl.crawl.visit import Visit
from sitecrawl.dom.page import Page
from sitecrawl.extract import single
from sitecrawl.extract.ensemble import Selection
from sitecrawl.items.feed_items import item_of
from sitecrawl.site.inputs import page_of_html
from sitecrawl.site.page_families import Choice
from tests.crawl.driver import HOME, Crawl, Network, story_of
from tests.crawl.test_page_kinds import shop, shopped
from tests.crawl.test_session import story, town
from tests.links.models import credulous
from tests.pages import article_page


@pytest.mark.parametrize(
    ("pattern", "url", "matches"),
    [
        ("/news/*", "http://a.org/news/1.html", True),
        ("/news/*", "http://a.org/old/news/1.html", False),
        ("*print=1", "http://a.org/a?print=1", True),
        ("http://a.org/a?b=[1]*", "http://a.org/a?b=[1]2", True),
        (r"/\d{4}/\d\d/", "http://a.org/2024/05/x", True),
        (r"/^https:/", "http://a.org/", False),
    ],
)
def test_a_url_pattern_is_a_glob_or_a_regular_expression(
    pattern: str, url: str, matches: bool
) -> None:
    assert (url_pattern_of(pattern).search(url) is not None) is matches


@pytest.mark.parametrize("pattern", ["/(/", "*" * 3_000, ",".join(f"/{n}*" for n in range(101))])
def test_patterns_are_bounded_and_checked_at_the_start(pattern: str) -> None:
    with pytest.raises(HookError):
        CrawlArguments.parse({"start": "http://a.org/", "exclude": pattern})


def test_several_patterns_are_separated_by_commas() -> None:
    arguments = CrawlArguments.parse(
        {"start": "http://a.org/", "include": r"/news/*, /x{1,2}/,*.htm"}
    )
    assert arguments.include == ("/news/*", "/x{1,2}/", "*.htm")


def test_only_articles_that_match_are_requested_while_listing_pages_need_not(
    tmp_path: Path,
) -> None:
    crawl = Crawl.of(Network(town()), tmp_path, include="/2024/05/a-1*.html")
    crawl.run()
    assert crawl.paths == [story(n) for n in (1, 10, 11)]
    assert crawl.counts["links/filtered"] >= 9
    assert "/city/page/2/" in crawl.network.asked


def test_what_is_excluded_is_never_requested(tmp_path: Path) -> None:
    crawl = Crawl.of(Network(town()), tmp_path, exclude=r"/city/*, /a-[3-5]\.html/")
    crawl.run()
    assert crawl.paths == [story(n) for n in (0, 1, 2)]
    assert not {"/city/page/2/", story(3)} & set(crawl.network.asked)


def test_a_page_filter_leaves_pages_unread(tmp_path: Path) -> None:
    hooks = Hooks(page_filters=(lambda page, context: "number 3 " not in page.metadata.title,))
    crawl = Crawl.of(Network(town()), tmp_path, hooks=hooks)
    crawl.run()
    assert crawl.paths == sorted(story(n) for n in range(12) if n != 3)
    assert crawl.counts["pages/filtered"] == 1
    assert "1 page was left out by a page filter" in story_of(crawl.session.visit)


def test_a_link_filter_sees_what_a_page_would_be_requested_as(tmp_path: Path) -> None:
    hooks = Hooks(link_filters=(lambda context: "number 4 " not in context.anchor,))
    crawl = Crawl.of(Network(town()), tmp_path, hooks=hooks)
    crawl.run()
    assert crawl.paths == sorted(story(n) for n in range(12) if n != 4)


def test_an_item_pipeline_changes_or_drops_items_before_they_are_saved(tmp_path: Path) -> None:
    hooks = Hooks(
        item_pipelines=(
            lambda item: item | {"source": "Ours"} if "a-7" not in item["url"] else None,
        )
    )
    crawl = Crawl.of(Network(town()), tmp_path, hooks=hooks)
    crawl.run()
    assert crawl.paths == sorted(story(n) for n in range(12) if n != 7)
    assert {item["source"] for item in crawl.feed} == {"Ours"}
    assert crawl.counts["items/dropped/filtered"] == 1
    again = Crawl.of(crawl.network, tmp_path, rewrite=True)
    again.run()
    assert {item["source"] for item in again.feed} == {"Ours"}


def test_an_article_whose_text_a_pipeline_changes_has_no_new_revision_until_the_page_changes(
    tmp_path: Path,
) -> None:
    """Each refresh wrote all articles again where other parts of their pages had changed: the text
    of the page was compared with that of the item."""
    hooks = Hooks(
        item_pipelines=(
            lambda item: item | {"articleBody": item["articleBody"] + "\nRead more at Ours."},
        )
    )
    Crawl.of(Network(town()), tmp_path, hooks=hooks).run()
    pages = {path: page.replace("Most read", "Much read") for path, page in town().items()}
    pages[story(3)] = pages[story(3)].replace("residents", "neighbours")
    again = Crawl.of(Network(pages), tmp_path, hooks=hooks, refresh=1)
    again.run()
    assert [(item["url"], item["revision"]) for item in again.feed] == [(f"{HOME}{story(3)}", 2)]
    assert again.counts["items/dropped/unchanged"] == 11


def test_a_link_filter_that_fails_on_one_link_costs_no_other(tmp_path: Path) -> None:
    """All links of the listing page or sitemap were lost; of a sitemap no line said so."""

    def fails(context: RequestContext) -> bool:
        if context.url.endswith(story(3)):
            raise KeyError
        return True

    crawl = Crawl.of(Network(town()), tmp_path, hooks=Hooks(link_filters=(fails,)))
    crawl.run()
    again = Crawl.of(Network(town()), tmp_path)
    again.run()
    assert story(3) not in crawl.paths
    assert len(crawl.feed) == 11
    assert crawl.counts["pages/lost/error_in_a_step:_KeyError"] == 1
    assert again.paths == [story(3)]


def test_hooks_are_named_by_dotted_paths() -> None:
    hooks = Hooks.load(links=["operator.truth"])
    assert hooks.link_filters[-1](None) is False  # type: ignore[arg-type]
    with pytest.raises(HookError, match=r"nowhere\.filter cannot be loaded"):
        Hooks.load(pages=["nowhere.filter"])


def test_a_recorder_that_fails_keeps_no_article_from_the_feed(tmp_path: Path) -> None:
    """Its article counted as written, but no feed got it."""

    class Failing:
        def take(self, event: CrawlEvent) -> None:
            if isinstance(event, ArticleWritten):
                raise ConnectionError

        def begin(self) -> None: ...
        def finish(self, visit: Visit) -> None: ...

    crawl = Crawl.of(Network(town()), tmp_path)
    crawl.session.recorders.append(Failing())
    crawl.run()
    assert len(crawl.feed) == 12


def test_an_extractor_of_a_package_that_cannot_read_its_files_is_not_told_as_an_error_of_the_state(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The crawl ended, and its last line asked for another SITECRAWL_DATA_DIR."""

    def fails(page: Page) -> Selection:
        raise FileNotFoundError

    monkeypatch.setattr(single, "_plugged_in", lambda method: fails)
    with pytest.raises(RuntimeError, match="the extractor theirs failed"):
        _ = single.Extraction(page_of_html(article_page(1), HOME), "theirs").article


def lacks(name: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda item: {field: value for field, value in item.items() if field != name}


def puts(**fields: object) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda item: item | fields


@pytest.mark.parametrize(
    "returns",
    [
        lacks("url"),
        lacks("sectionUrl"),
        puts(articleBody=None),
        puts(headline=7),
        str,
        lambda item: [item],
        exit,
        puts(score=float("nan")),
        puts(seen=datetime.now(UTC)),
    ],
)
def test_an_item_pipeline_that_returns_no_item_or_ends_the_process_has_failed(
    returns: Callable[..., Any],
) -> None:
    """Without its URL an article counted as written, but no feed got it; so it was with None for
    its text, and all later runs of the site ended at once; with sys.exit() a crawl did not end; NaN
    came into feeds, which is no JSON."""
    item = item_of(sitecrawl.extract(article_page(1), f"{HOME}{story(1)}"), None)
    assert Hooks(item_pipelines=(lacks("comments"),)).piped(item)
    with pytest.raises(StepError):
        Hooks(item_pipelines=(returns,)).piped(item)


@pytest.mark.parametrize("path", ["asyncio.sleep", "os.fwalk", "os.path", "os.sep"])
def test_a_hook_with_async_or_yield_or_that_is_no_function_is_refused(path: str) -> None:
    """As a filter it accepted everything, and no line said so."""
    with pytest.raises(HookError, match="without async and yield"):
        Hooks.load(links=[path])


class Collector:
    """An item pipeline as Scrapy has them."""

    def process_item(self, item: dict[str, Any]) -> dict[str, Any]:
        return item


def test_a_step_that_cannot_take_what_it_gets_is_refused_at_the_start() -> None:
    """It failed on each page, and no article was written."""
    with pytest.raises(HookError, match=r"Collector cannot be called with \(item\)"):
        Hooks.load(items=[f"{__name__}.Collector"])
    with pytest.raises(HookError, match=r"fails_on cannot be called with \(page, context\)"):
        Hooks.load(pages=[f"{__name__}.fails_on"])


def test_a_link_on_which_a_filter_fails_is_told_and_a_crawl_with_other_articles_has_not_failed(
    tmp_path: Path,
) -> None:
    outcome = Crawl.of(Network(town()), tmp_path, hooks=Hooks(link_filters=(fails_on(3),))).run()
    assert (outcome.written, outcome.code) == (11, 0)
    assert "1 article could not be read (error in a step: KeyError)" in story_of(outcome)


def fails_on(number: int) -> Callable[[RequestContext], bool]:
    """A link filter that fails on one link."""

    def fails(context: RequestContext) -> bool:
        if context.url.endswith(story(number)):
            raise KeyError
        return True

    return fails


def test_a_link_on_which_a_filter_fails_was_not_left_out_by_it_and_is_requested_though_no_page_links_to_it_any_more(
    tmp_path: Path,
) -> None:
    crawl = Crawl.of(Network(town()), tmp_path, hooks=Hooks(link_filters=(fails_on(3),)))
    crawl.run()
    assert crawl.counts["links/filtered"] == 0
    moved_on = {path: page.replace(story(3), story(4)) for path, page in town().items()}
    again = Crawl.of(Network(moved_on), tmp_path)
    again.run()
    assert again.paths == [story(3)]


def test_a_link_filter_that_looks_at_the_link_sees_it_whenever_it_is_asked(tmp_path: Path) -> None:
    """It was asked a second time without anchor and depth, so that no article was written."""
    hooks = Hooks(
        link_filters=(lambda context: context.depth == 1 and "Harbour" in context.anchor,)
    )
    crawl = Crawl.of(Network(town()), tmp_path, hooks=hooks)
    crawl.run()
    assert crawl.paths == sorted(story(n) for n in range(6))


def test_a_step_that_fails_on_an_item_of_a_family_costs_no_other(tmp_path: Path) -> None:
    """The crawl ended in a traceback at its end, and what else had waited was lost."""
    shopped(tmp_path)
    found = []
    for hooks in (
        Hooks(link_filters=(lambda context: 1 / ("/shop/3." not in context.url) > 0,)),
        Hooks(),
    ):
        crawl = Crawl.of(
            Network(shop()), tmp_path, hooks=hooks, link_model=str(credulous(tmp_path))
        )
        (site,) = crawl.sites.models.values()
        site.choices["/shop/#.html product undated"] = Choice.KEEP
        crawl.run()
        found.append((len(crawl.feed), crawl.counts["items/dropped/failed"]))
    assert found == [(7, 1), (1, 0)]
