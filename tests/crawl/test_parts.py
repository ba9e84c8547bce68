"""Articles over several pages come out as one, also after a kill, and leave what comes alone
alone."""

from __future__ import annotations

import random
import re
import signal
from collections import Counter
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from sitecrawl.crawl.records import RequestContext, Role
from sitecrawl.dom.parse import parse
from sitecrawl.items.kinds import PageKind
from sitecrawl.urls.canonical import url_key
from tests.crawl.driver import HOME, Crawl, Network, crawled
from tests.crawl.runner import Answer, command, crawl, items_of, served
from tests.crawl.test_interrupt import run_for

STORIES, PARTS = 12, {3: 3, 7: 2}
"""Number of stories, and of the parts of those that have several."""
TOPICS = "harbour library tram market school park museum bridge station".split()


def path(story: int, part: int = 1) -> str:
    name = f"/news/2024/{TOPICS[story % 9]}-story-{story}"
    return f"{name}.html" if part == 1 else f"{name}_{part}.html"


def page(story: int, part: int = 1) -> bytes:
    prose = "".join(
        f"<p>Paragraph {k} of part {part} of story {story}: how the {TOPICS[(story + k) % 9]} came to be, and who paid for it all.</p>"
        for k in range(4)
    )
    parts = range(1, PARTS.get(story, 1) + 1)
    pager = " ".join(
        f'<a href="{path(story, n)}">{n}</a>' if n != part else f"<b>{n}</b>" for n in parts
    )
    pager += f' <a href="{path(story, part + 1)}">Next page</a>' if part < len(parts) else ""
    other = f'<a class="after" href="{path((story + 1) % STORIES)}">Next</a>'
    return f"""<html><head><title>Story {story} of the {TOPICS[story % 9]} - The Example</title></head><body><div class="nav"><a href="/news/">News</a></div>
<div class="story"><h1>Story {story} of the {TOPICS[story % 9]}</h1><p class="date">2024-05-{story + 1:02d}</p><div class="text">{prose}</div>
<div class="pager">{pager if len(parts) > 1 else ""}</div>{other}</div><div class="foot">The Example, a newspaper</div></body></html>""".encode()


def site() -> dict[str, bytes | Answer]:
    links = "".join(
        f'<li><a href="{path(n)}">Story {n} of the {TOPICS[n % 9]} and its town</a></li>'
        for n in range(STORIES)
    )
    pages: dict[str, bytes | Answer] = {
        "/news/": f"<html><head><title>News</title></head><body><h1>News</h1><ul>{links}</ul></body></html>".encode()
    }
    return pages | {
        path(n, k): page(n, k) for n in range(STORIES) for k in range(1, PARTS.get(n, 1) + 1)
    }


def paths(urls: list[str]) -> Counter[str]:
    return Counter(urlsplit(url).path for url in urls)


def test_parts_leave_as_one_article(tmp_path: Path) -> None:
    with served(site()) as server:
        run = crawl(f"{server.url}/news/", tmp_path / "out.jsonl")
        assert Counter(server.asked)[path(3, 3)] == 1
    assert paths(run.urls) == Counter(path(n) for n in range(STORIES))
    long = next(item for item in run.items if item["url"].endswith(path(3)))
    lines = long["articleBody"].split("\n")
    assert [line.split(" of story")[0] for line in lines] == [
        f"Paragraph {k} of part {n}" for n in (1, 2, 3) for k in range(4)
    ]
    assert [urlsplit(url).path for url in long["provenance"]["parts"]] == [
        path(3, n) for n in (1, 2, 3)
    ]
    assert all(
        "parts" not in item["provenance"]
        for item in run.items
        if not item["url"].endswith((path(3), path(7)))
    )


def test_parts_that_are_counted_from_0(tmp_path: Path) -> None:
    """The second part is ``?page=1``, as on Drupal, and the text of its link is 2."""

    def from_0(text: bytes) -> bytes:
        return re.sub(rb"_(\d)[.]html", lambda found: b".html?page=%d" % (int(found[1]) - 1), text)

    pages = {
        from_0(at.encode()).decode(): from_0(html)
        for at, html in site().items()
        if isinstance(html, bytes)
    }
    with served({**pages}) as server:
        run = crawl(f"{server.url}/news/", tmp_path / "out.jsonl")
    assert paths(run.urls) == Counter(path(n) for n in range(STORIES))
    parts = {
        item["url"].rpartition("-")[2]: item["articleBody"].count("Paragraph 2 of part")
        for item in run.items
    }
    assert {name: count for name, count in parts.items() if count > 1} == {"3.html": 3, "7.html": 2}


def test_a_part_that_cannot_be_fetched_leaves_the_rest(tmp_path: Path) -> None:
    pages = site()
    del pages[path(3, 3)]
    with served(pages) as server:
        run = crawl(f"{server.url}/news/", tmp_path / "out.jsonl")
    assert paths(run.urls) == Counter(path(n) for n in range(STORIES))
    long = next(item for item in run.items if item["url"].endswith(path(3)))
    assert "incomplete" in long["provenance"]["flags"]
    assert len(long["provenance"]["parts"]) == 2


def test_a_listing_that_links_to_later_parts_changes_nothing(tmp_path: Path) -> None:
    pages = site()
    listing = pages["/news/"]
    assert isinstance(listing, bytes)
    extra = f'<ul><li><a href="{path(3, 2)}">Story 3 of the market and its town</a></li>'.encode()
    with served({**pages, "/news/": listing.replace(b"<ul>", extra)}) as server:
        run = crawl(f"{server.url}/news/", tmp_path / "out.jsonl")
    assert paths(run.urls) == Counter(path(n) for n in range(STORIES))
    assert [
        len(item["provenance"]["parts"]) for item in run.items if item["url"].endswith(path(3))
    ] == [3]


def test_killed_between_parts_nothing_is_lost_and_nothing_twice(tmp_path: Path) -> None:
    moments, feed = random.Random(11), tmp_path / "out.jsonl"
    slow = ("-o", str(feed), "-s", "DOWNLOAD_DELAY=0.05", "-s", "RANDOMIZE_DOWNLOAD_DELAY=False")
    with served(site()) as server:
        for _ in range(8):
            run_for(
                moments.uniform(0.2, 0.8),
                signal.SIGKILL,
                command(f"{server.url}/news/", feed, *slow),
            )
        crawl(f"{server.url}/news/", feed, *slow)
    items = items_of(feed)
    assert paths([item["url"] for item in items]) == Counter(path(n) for n in range(STORIES))
    assert [
        len(item["provenance"]["parts"]) for item in items if item["url"].endswith(path(3))
    ] == [3]


def test_a_refreshing_run_joins_again_and_sends_what_changed(tmp_path: Path) -> None:
    pages = site()
    with served(pages) as server:
        crawl(f"{server.url}/news/", tmp_path / "out.jsonl")
        changed = pages[path(3, 2)]
        assert isinstance(changed, bytes)
        pages[path(3, 2)] = changed.replace(b"and who paid", b"and at last who paid")
        run = crawl(f"{server.url}/news/", tmp_path / "again.jsonl", "-a", "refresh=1")
    assert paths(run.urls) == Counter([path(3)])
    assert len(run.items[0]["provenance"]["parts"]) == 3
    assert "at last" in run.items[0]["articleBody"]


def test_parts_in_a_crawl_of_a_whole_site(tmp_path: Path) -> None:
    """Links of articles are followed there, and the number of a part is no page of a list."""

    def told(story: int, part: int, parts: int) -> str:
        prose = "".join(
            f"<p>Part {part} of story {story}, line {k}: what the {TOPICS[(story + k) % 9]} cost the town in all.</p>"
            for k in range(5)
        )
        numbers = " ".join(
            f'<a href="{where(story, n)}">{n}</a>' for n in range(1, parts + 1) if n != part
        )
        title = f"Story {story} of the {TOPICS[story % 9]} and its town"
        pager = f'<div class="page-links">Pages: {numbers}</div>' if parts > 1 else ""
        menu = (
            '<ul class="menu"><li><a href="/">Home</a></li><li><a href="/news/">News</a></li></ul>'
        )
        text = f'<h1>{title}</h1><time datetime="2026-03-{story + 1:02d}">then</time><div class="entry">{prose}{pager}</div>'
        return f"<html><head><title>{title} - The Example</title></head><body>{menu}<article>{text}</article></body></html>"

    def where(story: int, part: int = 1) -> str:
        return f"/2026/03/{TOPICS[story % 9]}-story-{story}/" + (f"{part}/" if part > 1 else "")

    links = "".join(
        f'<li><a href="{where(n)}">Story {n} of the {TOPICS[n % 9]} and its town</a></li>'
        for n in range(16)
    )
    lists = (
        f"<html><head><title>News</title></head><body><h1>News</h1><ul>{links}</ul></body></html>"
    )
    parts = {n: 3 if n % 4 == 0 else 1 for n in range(16)}
    pages = {where(n, k): told(n, k, parts[n]) for n in range(16) for k in range(1, parts[n] + 1)}
    run = crawled({"/": lists, "/news/": lists} | pages, tmp_path)
    assert run.paths == sorted(map(where, range(16)))
    for item in run.feed:
        number = int(item["url"].rstrip("/").rpartition("-")[2])
        found = {line[:6] for line in item["articleBody"].split("\n")}
        assert found >= {f"Part {part}" for part in range(1, parts[number] + 1)}
        assert "flags" not in item["provenance"]
    other = Crawl.of(Network({}), tmp_path / "other").session.parts
    first = parse(told(4, 1, 3), f"{HOME}{where(4)}")
    context = RequestContext(first.url, Role.ARTICLE)
    links = [replace(link, pagination=link.text.isdecimal()) for link in other.hosts.links(first)]
    other.follower.intake.take(
        links, page=first, context=context, kind=PageKind.ARTICLE, first=first.url
    )
    for part in (2, 3):
        assert not other.ledger.is_waiting(url_key(f"{HOME}{where(4, part)}"))
    assert other.ledger.is_waiting(url_key(f"{HOME}/news/"))
