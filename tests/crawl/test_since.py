"""``since=`` writes what is known to be as new as its day, and only articles."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.crawl.driver import Pages, crawled, story_of
from tests.pages import FOOTER, article_page

_FIXED = {
    "donate": "Donate to the club and help us to keep the lights on in winter",
    "directions": "How to find us by train and tram from the central station",
    "pgp-key": "Our public key and how to write to us without a reader between",
    "statutes": "Statutes of the club as they were agreed by its members",
}
_POSTS = 24
_SINCE = "2024-05-20"


def club(*, fixed_day: str = "", posts: int = _POSTS) -> Pages:
    """A site with a post a day of May 2024, and fixed pages that teasers of every page praise."""
    teasers = "".join(
        f'<div class="teaser"><h2><a href="/2024/05/a-{n}.html">Harbour bridge number {n} opens to'
        f" cyclists</a></h2><p>How it was planned and paid for.</p></div>"
        for n in range(posts)
    )
    praise = "".join(
        f'<div class="teaser"><h2><a href="/{name}">{title}</a></h2></div>'
        for name, title in _FIXED.items()
    )
    pages: Pages = {f"/2024/05/a-{n}.html": article_page(n) for n in range(posts)}
    pages |= {f"/{name}": _fixed(title, fixed_day) for name, title in _FIXED.items()}
    pages["/"] = _page("Club", f"<h1>Club</h1>{teasers}{praise}")
    return pages


def _fixed(title: str, day: str) -> str:
    prose = "".join(
        f"<p>{title}, point {n}: whoever wants to take part finds here at some length what there is"
        f" to know, whom to ask for the keys, and why we need so many hands to do it.</p>"
        for n in range(4)
    )
    told = f'<p class="meta">Published <span class="date">{day}</span></p>' if day else ""
    return _page(title, f"<h1>{title}</h1>{told}<div>{prose}</div>")


def _page(title: str, content: str) -> str:
    head = f"<html lang=en><head><title>{title} - The Club</title></head>"
    return f'{head}<body><div id="main">{content}</div>{FOOTER}</body></html>'


def wordpress(html: str, kind: str) -> str:
    """A page with the classes by which its content management system tells its type."""
    names = {
        "post": "post-template-default single single-post",
        "page": "page-template-default page",
    }
    return html.replace("<body", f'<body class="{names[kind]}"', 1)


def typed(pages: Pages) -> Pages:
    """The same site as WordPress serves it: it names what is a post and what is a page."""
    posts = {path: wordpress(html, "post") for path, html in pages.items() if "/a-" in path}
    fixed = {f"/{name}": wordpress(pages[f"/{name}"], "page") for name in _FIXED}
    return pages | posts | fixed


SITES = {
    "pages without a day": club(),
    "pages as new as the posts": typed(club(fixed_day="2024-05-30")),
    "pages of another type, without a day": typed(club()),
    "few new posts": typed(club(fixed_day="2024-05-23", posts=21)),
}


@pytest.mark.parametrize("site", SITES)
def test_what_is_no_article_does_not_become_one_by_a_day(tmp_path: Path, site: str) -> None:
    pages = SITES[site]
    crawl = crawled(pages, tmp_path, since=_SINCE)
    posts = [path for path in pages if "/a-" in path]
    assert crawl.paths == sorted(path for path in posts if int(path[11:-5]) >= 19)
    whole = crawled(pages, tmp_path / "whole")
    assert len(crawl.network.asked) == len(whole.network.asked)


def test_an_article_without_a_day_is_told_and_comes_without_since(tmp_path: Path) -> None:
    pages = club()
    crawl = crawled(pages, tmp_path, since=_SINCE)
    said = story_of(crawl.session.visit)
    assert "4 articles were left out that have no day to compare with since=" in said
    again = crawled(pages, tmp_path, since="2024-05-10")
    asked = {path for path in again.network.asked if path.strip("/") in _FIXED}
    assert not asked  # they still have no day
    whole = crawled(pages, tmp_path)
    assert {f"/{name}" for name in _FIXED} <= set(whole.paths)


def test_items_of_earlier_visits_are_written_again_by_their_day(tmp_path: Path) -> None:
    first = crawled(club(), tmp_path)
    assert len(first.paths) == _POSTS + len(_FIXED)
    again = crawled(club(), tmp_path, rewrite=True, since=_SINCE)
    assert len(again.paths) == 5
