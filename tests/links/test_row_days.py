"""Rows of a listing page: a day belongs to the article whose row it stands in, and to no other."""

from __future__ import annotations

import pytest

from sitecrawl.dom.parse import parse
from sitecrawl.links.classify import Link
from sitecrawl.links.row_days import days_of

HOME = "http://a.example"


def days(html: str) -> dict[str, bool]:
    """Whether each article of a page has a day; links to ``/n`` paths are articles."""
    page = parse(html.encode(), f"{HOME}/")
    hrefs = [anchor.get("href") or "" for anchor in page.root.iter("a")]
    links = [Link(HOME + href, "", "article" if href.startswith("/n") else "other", 0.9) for href in hrefs]
    return {url.removeprefix(HOME): day for url, day in days_of(page.tree, links).items()}


@pytest.mark.parametrize(
    ("rows", "dated"),
    [
        ("<li><a href='/n1'>One</a><i>2024-01-02</i></li><li><a href='/n2'>Two</a></li>", {"/n1": True, "/n2": False}),
        ("<li>2024年1月2日<a href='/n1'>One</a></li><li><a href='/n2'>Two</a></li>", {"/n1": True, "/n2": False}),
        ("<li><a href='/n1'>One</a><time>today</time></li><li><a href='/n2'>Two</a></li>", {"/n1": True, "/n2": False}),
        ("<li><a href='/n1'>One 2024-01-02</a></li><li><a href='/n2'>Two</a></li>", {"/n1": True, "/n2": False}),
        # a picture and a headline of one article, a category beside the day
        (
            "<li><a href='/n1'><img></a><p><a href='/n1'>One</a></p><p><a href='/c'>City</a> 2024-01-02</p></li>"
            "<li><a href='/n2'>Two</a></li>",
            {"/n1": True, "/n2": False},
        ),
        # one row of several has a day
        ("<li><a href='/n1'>One</a></li><li><a href='/n2'>Two</a></li><li><a href='/n1'>One</a> 2024-01-02</li>",
         {"/n1": True, "/n2": False}),
        # prose tells of a day
        (f"<li><a href='/n1'>One</a><p>{'They met, ' * 30} on 2024-01-02.</p></li><li><a href='/n2'>Two</a></li>",
         {"/n1": False, "/n2": False}),
        ("<li><a href='/c'>City</a> 2024-01-02</li>", {}),
    ],
)  # fmt: skip
def test_a_day_belongs_to_its_row(rows: str, dated: dict[str, bool]) -> None:
    assert days(f"<meta charset=utf-8><h1>All</h1><ul>{rows}</ul>") == dated


def test_a_heading_with_a_day_dates_no_row() -> None:
    assert days("<h2>2024-01-02</h2><ul><li><a href='/n1'>One</a></li><li><a href='/n2'>Two</a></li></ul>") == {
        "/n1": False,
        "/n2": False,
    }
