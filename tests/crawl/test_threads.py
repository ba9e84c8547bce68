"""Threads of forums: one item each with all posts, though the forum shows them under many URLs; and
articles that have further URLs."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path
from typing import Any

import pytest

from sitecrawl.crawl.decisions import PageFamilyGate
from sitecrawl.extras.demo import headline, paragraphs
from tests.crawl.driver import HOME, Crawl, Pages, crawled, story_of
from tests.crawl.test_session import stories, story
from tests.pages import listing_page

THREADS, POSTS, EACH = range(20, 44), 13, 10
"""Threads, posts of every third of them (the others have four), and posts of a page."""
SESSION = "&amp;sid=0a1b2c3d4e5f60718293a4b5c6d7e8f9"


def posts_of(thread: int) -> range:
    return range(POSTS if thread % 3 == 0 else 4)


def title(thread: int) -> str:
    return f"{headline(thread)} {thread}"


def text(thread: int, post: int) -> str:
    return f"Answer {post} of {thread}. {paragraphs(thread * 40 + post, 1)[0]}"


def shown(thread: int, posts: range, name: str, begin: str) -> str:
    """The page of a thread with some of its posts; ``name`` is the URL that it calls its own,
    ``begin`` what links to its first page end in."""
    rows = "".join(
        f'<div class="post" id="p{post}"><h3><a href="/topic.php?p={thread}{post:02}{SESSION}#p{post}">{"Re: " if post else ""}{escape(title(thread))}</a></h3>'
        f'<p class="author">by <a class="username" href="/member.php?u={post % 4}">Keeper{post % 4}</a> '
        f'<time datetime="2026-01-{thread % 28 + 1:02}T10:{post:02}:00+00:00">{thread % 28 + 1} January 2026</time></p>'
        f'<div class="content">{text(thread, post)}</div>'
        f'<a href="/posting.php?mode=quote&amp;p={thread}{post:02}">Quote</a></div>'
        for post in posts
    )
    starts = range(0, len(posts_of(thread)), EACH)
    numbers = (
        f'<a href="/topic.php?t={thread}{SESSION}{f"&amp;start={at}" if at else begin}">{at // EACH + 1}</a>'
        for at in starts
    )
    pager = f'<div class="pagination">{" ".join(numbers)}</div>' if len(starts) > 1 else ""
    head = f'<title>{escape(title(thread))} - Bees</title><link rel="canonical" href="{HOME}{escape(name)}">'
    return f'<html lang="en"><head>{head}</head><body><a href="/forum.php">Bees</a><h2>{escape(title(thread))}</h2>{pager}<div id="posts">{rows}</div>{pager}</body></html>'


def forum(begin: str = "") -> Pages:
    rows, pages = "", dict[str, Any]()
    for thread in THREADS:
        posts = posts_of(thread)
        name = f"/topic.php?t={thread}"
        later = (
            f' <a href="{escape(name)}{SESSION}">1</a> <a href="{escape(name)}{SESSION}&amp;start={EACH}">2</a>'
            if len(posts) > EACH
            else ""
        )
        last = f'<a href="/topic.php?p={thread}{posts[-1]:02}{SESSION}#p{posts[-1]}">latest</a>'
        rows += f'<li class="row"><a class="title" href="{escape(name)}{SESSION}">{escape(title(thread))}</a><span class="pagination">{later}</span> {len(posts)} answers {last}</li>'
        for at in range(0, len(posts), EACH):
            some, own = posts[at : at + EACH], name + (f"&start={at}" if at else "")
            pages |= dict.fromkeys(
                [own, f"{name}&start={at}", *(f"/topic.php?p={thread}{post:02}" for post in some)],
                shown(thread, some, own, begin),
            )
    return pages | {"/forum.php": f"<html><body><h2>Bees</h2><ul>{rows}</ul></body></html>"}


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Crawl:
    return crawled(forum(), tmp_path_factory.mktemp("forum"), start=f"{HOME}/forum.php")


def test_each_thread_leaves_once_with_all_its_posts(crawl: Crawl) -> None:
    found = {
        item["headline"]: [comment["text"] for comment in item["comments"]] for item in crawl.feed
    }
    assert len(crawl.feed) == len(THREADS)
    assert found == {title(n): [text(n, post) for post in posts_of(n)[1:]] for n in THREADS}


def test_a_first_page_may_have_a_number_in_later_ones(tmp_path: Path) -> None:
    crawl = crawled(forum("&amp;start=0"), tmp_path, start=f"{HOME}/forum.php")
    assert sorted(len(item["comments"]) for item in crawl.feed) == sorted(
        len(posts_of(n)) - 1 for n in THREADS
    )


def test_a_post_of_a_thread_that_is_withheld_is_no_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PageFamilyGate, "writes_at_once", lambda *_: False)
    crawl = crawled(forum(), tmp_path, start=f"{HOME}/forum.php")
    assert sorted(item["headline"] for item in crawl.feed) == sorted(map(title, THREADS))
    assert not [
        item["url"] for item in crawl.feed if "incomplete" in item["provenance"].get("flags", ())
    ]


def test_forms_for_replies_are_not_requested(crawl: Crawl) -> None:
    assert not [path for path in crawl.network.asked if "mode=quote" in path]


@pytest.mark.parametrize(
    ("url", "further"), [("/2024/05/a-{}.html", "?layout=print"), ("/show?id={}", "&page=2")]
)
def test_an_article_with_further_parameters_is_a_copy(
    tmp_path: Path, url: str, further: str
) -> None:
    """A print version that each article links to; an article under the number of the list that
    leads to it, and without it where all pages name it."""
    number = re.compile(r"/2024/05/a-(\d+)\.html")
    plain = {url.format(n): str(page) for n, page in enumerate(stories(*range(12)).values())}
    links = "".join(
        f"<p><a href='{one}{further}'>Harbour bridge number {n} opens to cyclists</a></p>"
        for n, one in enumerate(plain)
    )
    if "print" in further:
        listing = number.sub(lambda found: url.format(found[1]), listing_page(range(12)))
        pages = {
            one: page.replace(
                '<a href="#">Print', f'<a href="{one}{further}">Print version of {one}'
            )
            for one, page in plain.items()
        }
    else:
        listing = f"<html><body><h1>News</h1>{links}</body></html>"
        latest = "".join(
            f"<li><a href='{one}'>Harbour bridge number {n} opens to cyclists</a></li>"
            for n, one in enumerate(plain)
        )
        pages = {
            one: page.replace(
                '<div class="footer">', f'<ul class="latest">{latest}</ul><div class="footer">'
            )
            for one, page in plain.items()
        }
    pages |= {one + further: page for one, page in pages.items()}
    crawl = crawled(pages | {"/": listing.replace("/city/page/2/", "/")}, tmp_path)
    assert len(crawl.feed) == 12
    assert {item["headline"] for item in crawl.feed} == {
        f"Harbour bridge number {n} opens to cyclists" for n in range(12)
    }


def test_a_page_whose_text_was_written_under_another_url_that_names_it_is_a_copy(
    tmp_path: Path,
) -> None:
    pages = stories(*range(12))
    named = {
        n: str(pages[story(n)]).replace(
            "<head>", f'<head><link rel="canonical" href="{HOME}{story(n)}">'
        )
        for n in range(12)
    }
    back = "<p class='link'><a href='{}'>Link to this page</a></p></body>"
    shared = {
        story(n).replace("/2024/05/", "/2024/06/"): page.replace("</body>", back.format(story(n)))
        for n, page in named.items()
    }
    listing = (
        listing_page(range(12)).replace('"/2024/05/', '"/2024/06/').replace("/city/page/2/", "/")
    )
    crawl = crawled(
        {story(n): page for n, page in named.items()} | shared | {"/": listing}, tmp_path
    )
    assert sorted(item["canonicalUrl"] for item in crawl.feed) == sorted(
        f"{HOME}{story(n)}" for n in range(12)
    )


def test_a_list_shown_again_under_its_first_number_has_no_pages_by_script(tmp_path: Path) -> None:
    choice = (
        "<select onchange='location.href=this.value'><option>1</option><option>2</option></select>"
    )
    pager = f'<div class="pager"><a href="list_1.html">1</a> <a href="list_2.html">2</a> <a href="list_2.html">Next</a>{choice}</div>'
    lists = [
        listing_page(some).replace("</body>", f"{pager}</body>")
        for some in (range(8), range(8, 16))
    ]
    pages = stories(*range(16)) | {
        "/city/": lists[0],
        "/city/list_1.html": lists[0],
        "/city/list_2.html": lists[1],
    }
    outcome = crawled(pages, tmp_path, start=f"{HOME}/city/").session.visit
    assert "script" not in story_of(outcome)


def test_of_withheld_copies_the_page_that_they_name_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PageFamilyGate, "writes_at_once", lambda *_: False)
    named = {
        n: page.replace("<head>", f'<head><link rel="canonical" href="{HOME}/z{story(n)}">')
        for n, page in enumerate(map(str, stories(*range(12)).values()))
    }
    links = "".join(
        f"<p><a href='{at}{story(n)}'>Harbour bridge number {n} opens</a></p>"
        for n in named
        for at in ("/a", "/z")
    )
    pages = {f"{at}{story(n)}": page for n, page in named.items() for at in ("/a", "/z")}
    assert crawled(
        pages | {"/": f"<html><body><h1>News</h1>{links}</body></html>"}, tmp_path
    ).paths == sorted(f"/z{story(n)}" for n in named)


def test_bulletins_that_call_one_url_their_own_are_several_articles(tmp_path: Path) -> None:
    """They have one headline, and three of their four paragraphs in common. All but one were
    missing, and no line said so."""
    common, pages, rows = paragraphs(999, 3), dict[str, Any](), ""
    for number in range(20):
        name = "Bulletin of the harbour" if number < 8 else f"{headline(number)} {number}"
        lines = [*common, *paragraphs(number * 3, 1)] if number < 8 else paragraphs(number * 3, 4)
        body = "".join(f"<p>{line}</p>" for line in lines)
        own = f'<link rel="canonical" href="{HOME}/bulletin">' if number < 8 else ""
        day = f'<time datetime="2026-01-{number + 1:02}">{number + 1} January</time>'
        pages[f"/bulletin?nr={number}"] = (
            f"<html lang='en'><head><title>{name} - Post</title>{own}</head><body><nav><a href='/'>Home</a></nav>"
            f"<article><h1>{name}</h1>{day}<div class='text'>{body}</div></article></body></html>"
        )
        rows += (
            f"<li><h2><a href='/bulletin?nr={number}'>{name}</a></h2><p>{lines[-1][:80]}</p></li>"
        )
    pages["/"] = (
        f"<html lang='en'><head><title>Post</title></head><body><ul>{rows}</ul></body></html>"
    )
    assert len(crawled(pages, tmp_path).feed) == 20


BOARDS = ("bees", "hives", "honey")


def board_thread(thread: int, posts: range, part: int) -> str:
    """A page of a thread without a canonical URL. The headings of its posts link to the thread with
    a number, and its later page to ``?page=1``."""
    name = board_url(thread)
    rows = "".join(
        f'<div class="post" id="{thread}{post:02}"><h4><a href="{name}?post={thread}{post:02}#{thread}{post:02}">{"Re: " if post else ""}{escape(title(thread))}</a></h4>'
        f'<small>By <a href="/member/{post % 4}/">Keeper{post % 4}</a> on {thread % 28 + 1} January 2026, 10:{post:02}</small>'
        f'<div class="post-content"><p>{text(thread, post)}</p></div></div>'
        for post in posts
    )
    pager = {
        0: "",
        1: '1 <a href="?page=2">2</a>',
        2: '<a href="?page=1">First</a> <a href="?page=1">1</a> 2',
    }[part]
    return f'<html lang="en"><head><title>{escape(title(thread))}</title></head><body><a href="/">Board</a><h2>{escape(title(thread))}</h2>{rows}<p>{pager}</p></body></html>'


def board_url(thread: int) -> str:
    return f"/board/{BOARDS[thread % 3]}/topic/{re.sub(r'[^a-z]+', '-', title(thread).lower())}{thread}/"


def board() -> Pages:
    pages, latest, lists = dict[str, Any](), "", dict.fromkeys(BOARDS, "")
    for thread in THREADS:
        posts, name = posts_of(thread), board_url(thread)
        is_long = len(posts) > EACH
        pages[name] = board_thread(thread, posts[:EACH], int(is_long))
        pages |= {f"{name}?post={thread}{post:02}": pages[name] for post in posts}
        later = (
            f'<span>Go to <a href="{name}?page=1">1</a> <a href="{name}?page=2">2</a></span>'
            if is_long
            else ""
        )
        if is_long:
            pages |= {
                f"{name}?page=1": pages[name],
                f"{name}?page=2": board_thread(thread, posts[EACH:], 2),
            }
        last = f'<a href="{name}?post={thread}{posts[-1]:02}#{thread}{posts[-1]:02}">»</a>'
        latest += f'<td>Keeper{thread % 4} <a href="{name}?post={thread}{posts[-1]:02}#{thread}{posts[-1]:02}">→</a></td>'
        lists[BOARDS[thread % 3]] += (
            f'<tr><td>{later}<a href="{name}">{escape(title(thread))}</a> by Keeper0</td><td>{last}</td></tr>'
        )
    for name, rows in lists.items():
        pages[f"/board/{name}/"] = (
            f"<html><body><h2>All about {name}</h2><table>{rows}</table></body></html>"
        )
    menu = "".join(f'<h3><a href="/board/{name}/">All about {name}</a></h3>' for name in BOARDS)
    return pages | {
        "/": f"<html><body><h1>Board</h1>{menu}<table><tr>{latest}</tr></table></body></html>"
    }


def test_links_to_posts_lead_to_their_threads(tmp_path: Path) -> None:
    """The home page leads to threads by arrows alone, and lists name the later pages of a thread
    before it."""
    crawl = crawled(board(), tmp_path)
    found = {
        item["headline"]: [comment["text"] for comment in item["comments"]] for item in crawl.feed
    }
    assert found == {title(n): [text(n, post) for post in posts_of(n)[1:]] for n in THREADS}
    assert crawl.paths == sorted(map(board_url, THREADS))
    assert not [path for path in crawl.network.asked if "?post=" in path]
    for refresh in (0, 1):
        again = Crawl.of(crawl.network, tmp_path, list(crawl.feed), refresh=refresh)
        again.run()
        assert len(again.feed) == len(THREADS)
