"""Articles that left by a template which turned out to be wrong leave again as revisions, once, whatever kills the crawl."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sitecrawl.items.feed_items import identity
from sitecrawl.templates.verify import word_f1
from tests.crawl.driver import Crawl, Network, Pages, Reply
from tests.pages import TOPICS, article_page, listing_page

REDESIGNED = 12
"""Number of the first story in the new design."""


def body_of(number: int) -> str:
    return "\n".join(
        f"In part {part} of story {number} the council tells how the {TOPICS[(number + part) % len(TOPICS)]} was paid for, and "
        f"what {number * 13 + part} families in district {number * 7 + part} think of it, after a year of waiting for an answer."
        for part in range(5)
    )


def story_page(number: int, nth: int) -> str:
    """A story, the ``nth`` that was asked for; in the new design its body stands elsewhere, and offers where it stood.

    Beside the first stories stands so much else that the length of a page says nothing.
    """
    old, body = article_page(number), "".join(f"<p>{line}</p>" for line in body_of(number).split("\n"))
    head, rest = old.split('<div class="text">')
    end, side = '<div class="share">' + rest.partition('<div class="share">')[2], '<div class="side">'
    if nth < REDESIGNED:
        aside = "".join(f"<p><a href='/x{n}/'>Read what happened in the year {1950 + n}</a></p>" for n in range(60))
        return f'{head}<div class="text">{body}</div>{end}'.replace(side, side + aside * (nth < 8))
    offers = "".join(
        f"<p><a href='/y{n}/'>Offer {number * 31 + n} of our partners</a></p>" for n in range(12 + nth % 3)
    )
    return f'{head}<div class="text">{offers}</div>{end}'.replace(side, f'<div class="story">{body}</div>{side}')


def path(number: int) -> str:
    return f"/2024/05/a-{number}.html"


def site(count: int = 30) -> Pages:
    """A site that is redesigned while it is crawled."""
    asked: list[int] = []

    def story(number: int) -> str:
        if number not in asked:
            asked.append(number)
        return story_page(number, asked.index(number))

    listing = listing_page(range(count)).replace("/city/page/2/", "/")
    return {path(n): lambda url, n=n: Reply(story(n).encode()) for n in range(count)} | {"/": listing}


def right(item: dict[str, Any]) -> bool:
    number = int(item["url"].rpartition("-")[2].removesuffix(".html"))
    return word_f1(body_of(number), item["articleBody"]) > 0.9


def latest(feed: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The last revision of every item."""
    return list({item["url"]: item for item in sorted(feed, key=lambda item: item["revision"])}.values())


def once(feed: list[dict[str, Any]]) -> bool:
    return len({identity(item) for item in feed}) == len(feed)


def test_what_a_wrong_template_gave_leaves_again(tmp_path: Path) -> None:
    crawl = Crawl.of(Network(site()), tmp_path)
    crawl.run()
    wrong = [item["url"] for item in crawl.feed if not right(item)]
    assert wrong
    assert sorted(wrong) == sorted(item["url"] for item in crawl.feed if item["revision"] > 1)
    assert len(latest(crawl.feed)) == 30
    assert all(map(right, latest(crawl.feed)))
    assert once(crawl.feed)
    assert crawl.counts["items/revised"] == len(wrong)
    again = Crawl.of(crawl.network, tmp_path)
    assert not list(again.session.state.waiting.answered())


@pytest.mark.parametrize("lost", [False, True])
@pytest.mark.parametrize("at", range(14, 29, 2))
def test_a_kill_loses_no_revision_and_sends_none_twice(tmp_path: Path, at: int, lost: bool) -> None:
    """``lost``: what the last verb returned did not reach the feed."""
    feed: list[dict[str, Any]] = []
    crawl, kept = Crawl.of(Network(site()), tmp_path, feed), 0
    for number, _ in enumerate(crawl.steps()):
        if number == at:
            break
        kept = len(feed)
    del feed[kept if lost else len(feed) :]
    crawl.kill()
    Crawl.of(crawl.network, tmp_path, feed).run()
    assert once(feed)
    assert len(latest(feed)) == 30
    assert all(map(right, latest(feed)))


def test_revisions_are_no_articles_more(tmp_path: Path) -> None:
    crawl = Crawl.of(Network(site()), tmp_path)
    crawl.run()
    again = Crawl.of(Network(site()), tmp_path / "limited", max_articles=25)
    assert again.run().articles == len(latest(again.feed)) == 25
