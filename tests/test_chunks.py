"""`sitecrawl.chunks`: the parts of an article by heading, with ids that stay."""

from __future__ import annotations

from typing import Any

import pytest

import sitecrawl


def item(html: str, **values: Any) -> dict[str, Any]:
    return {"url": "http://a.example/1", "headline": "A", "articleBodyHtml": html} | values


@pytest.mark.parametrize(
    ("html", "headings"),
    [
        ("<p>b</p>", ["A"]),
        ("<p>b</p><h2>C</h2><p>d</p><h3>E</h3><p>f</p>", ["A", "C", "E"]),
        ("<h2>C</h2><p>d</p><h2>C</h2><p>e</p>", ["A", "C", "C"]),
        ("<pre><code># no heading\n## none</code></pre><h2>C</h2><p>d</p>", ["A", "C"]),
        ("", ["A"]),
    ],
)
def test_an_article_is_cut_at_its_headings(html: str, headings: list[str]) -> None:
    found = list(sitecrawl.chunks(item(html)))
    assert [chunk.heading for chunk in found] == headings
    assert len({chunk.id for chunk in found}) == len(found)


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (item("<p>x</p><h2>C</h2><p>changed</p>"), 2),
        (item("<p>b</p><h2>D</h2><p>d</p>"), 1),
        (item("<p>b</p><h2>C</h2><p>d</p>", url="http://a.example/2"), 0),
    ],
)
def test_ids_stay_while_article_and_heading_do(other: dict[str, Any], same: int) -> None:
    one = item("<p>b</p><h2>C</h2><p>d</p>")
    ids = {chunk.id for chunk in sitecrawl.chunks(one)}
    assert len(ids & {chunk.id for chunk in sitecrawl.chunks(other)}) == same


def test_an_article_and_its_item_give_the_same_chunks() -> None:
    html = "<article><h1>A bridge</h1><p>It opened this morning, after four years of work.</p></article>"
    article = sitecrawl.extract(html, "http://a.example/1")
    assert list(sitecrawl.chunks(article)) == list(sitecrawl.chunks(article.to_dict()))


def test_completion_shows_the_public_names() -> None:
    assert {*dir(sitecrawl)} == {*sitecrawl.__all__, "__version__"}
    for name in dir(sitecrawl):
        assert getattr(sitecrawl, name) is not None
