"""The columns of a document, each a table of examples."""

from __future__ import annotations

import numpy as np
import pytest
from lxml import etree

from sitecrawl.dom.blocks import BITS, HIDDEN, ZONE
from sitecrawl.dom.document import Document
from sitecrawl.dom.parse import parse
from sitecrawl.dom.tree import runs_of
from sitecrawl.limits import LIMITS


def document(body: str) -> Document:
    return parse(f"<html><body>{body}</body></html>").document


def number(page: Document, tag: str) -> int:
    return page.tags.index(tag)


@pytest.mark.parametrize(
    ("body", "chunks"),
    [
        ("one", ["one"]),
        ("<p>one</p> <p>two</p>", ["one", "two"]),
        ("<p>one<b>two</b>three</p>four", ["one", "two", "three", "four"]),
        # tails of elements that end together: that of the innermost comes first
        ("<p>a<b>b<i>c</i>d</b>e</p>f", ["a", "b", "c", "d", "e", "f"]),
        ("<p>a<b></b>b<b></b>c</p>", ["a", "b", "c"]),
        # a silent element is silent with all that is in it, and what stands behind it is not
        ("<p>a<script>b</script>c</p>", ["a", "c"]),
        ("<noscript>a<b>b</b>c</noscript>d", ["d"]),
        ("<p>a<template><p>b</p>c</template>d</p>", ["a", "d"]),
        ("<p>\u3000</p><p>\n</p>", []),
        ("", []),
    ],
)
def test_texts_stand_in_reading_order(body: str, chunks: list[str]) -> None:
    page = document(body)
    assert [chunk.strip() for chunk in page.chunks] == chunks
    assert len(page.owners) == len(chunks)
    assert (page.first[0], page.last[0]) == (0, len(chunks))


def test_the_texts_of_a_subtree_are_a_slice() -> None:
    page = document("<ul><li>a <b>b</b> c</li><li>d</li></ul><p>e</p>")
    texts = {}
    for at, tag in enumerate(page.tags):
        inside = page.chunks[page.first[at] : page.last[at]]
        texts.setdefault(tag, []).append("".join(inside))
    assert texts["li"] == ["a b c", "d"]
    assert texts["ul"] == ["a b cd"]
    assert texts["b"] == ["b"]
    assert [page.tags[owner] for owner in page.owners] == ["li", "b", "li", "li", "p"]


def test_elements_have_a_parent_an_end_and_a_depth() -> None:
    page = document("<div class='a b' id=x><p hidden>one</p></div><p>two</p>")
    assert page.tags == ["html", "body", "div", "p", "p"]
    assert page.parents == [-1, 0, 1, 2, 1]
    assert page.ends == [5, 5, 4, 4, 5]
    assert page.depths == [0, 1, 2, 3, 2]
    assert page.classes == [None, None, "a b", None, None]
    assert page.names == ["", "", "a b x", "", ""]
    assert page.attributes["hidden"] == {3: ""}
    assert page.named == {".a": [2], ".b": [2], "#x": [2]}
    assert page.tagged("p") == [3, 4]
    assert page.tagged("p", "div") == [2, 3, 4]
    assert page.children(1) == [2, 4]
    assert page.ancestors(3) == [2, 1, 0]


@pytest.mark.parametrize(
    ("body", "paths"),
    [
        ("<p>a</p><p>b</p>", ["html", "body", "body/p", "body/p"]),
        ("<div><a>a</a></div><a>b</a>", ["html", "body", "body/div", "body/div/a", "body/a"]),
    ],
)
def test_a_tag_path_begins_at_the_body(body: str, paths: list[str]) -> None:
    page = document(body)
    assert [page.path_texts[path] for path in page.paths] == paths
    depths = [0, *[path.count("/") + 1 for path in paths[1:]]]
    assert [page.path_depths[path] for path in page.paths] == depths


@pytest.mark.parametrize(
    ("body", "own", "above"),
    [
        ("<nav><a>x</a></nav>", 0, ZONE["nav"]),
        ("<div class=comment-list><a>x</a></div>", 0, BITS["comment"]),
        ("<div id=sidebar><a>x</a></div>", 0, BITS["side"]),
        ("<div style='display: none'><a>x</a></div>", 0, HIDDEN),
        ("<div hidden><a>x</a></div>", 0, HIDDEN),
        ("<div><a class=byline>x</a></div>", BITS["meta"], BITS["meta"]),
        # a page whose body is hidden until a script runs is not hidden
        ("<div><a>x</a></div>", 0, 0),
    ],
)
def test_regions_are_those_around_an_element(body: str, own: int, above: int) -> None:
    page = document(body)
    link = number(page, "a")
    assert page.own_bits[link] == own
    assert page.above[link] == above
    assert page.bits_around(link) == above
    assert page.linked.tolist() == [tag == "a" for tag in page.tags]


def test_an_element_without_text_is_in_the_regions_around_it() -> None:
    page = document("<div class=sidebar>x<img class=photo></div>")
    image = number(page, "img")
    assert page.bits_around(image) == BITS["side"] | BITS["caption"]


@pytest.mark.parametrize(
    ("body", "texts"),
    [
        ("<p>one <b>two</b> three</p><p>four</p>", ["one two three", "four"]),
        ("<div>one<p>two</p>three</div>", ["one", "two", "three"]),
        ("<table><tr><td>one</td><td>two</td></tr></table>", ["one", "two"]),
    ],
)
def test_blocks_end_where_lines_do(body: str, texts: list[str]) -> None:
    page = document(body)
    assert page.blocks.texts == texts
    first, last = page.ranges
    assert (first[0], last[0]) == (0, len(texts))
    assert page.block_at(int(page.blocks.owner[0])) == 0


def test_counts_of_blocks_are_rows_of_one_matrix() -> None:
    blocks = document("<p>One, <a>two</a>.</p><p>1998</p>").blocks
    assert blocks.words.tolist() == [2, 1]
    assert blocks.punctuation.tolist() == [2, 0]
    assert blocks.link_chars.tolist() == [3, 0]
    assert blocks.digits.tolist() == [0, 1]
    assert np.array_equal(blocks.sums[:, -1], blocks.counts.sum(axis=1))


def test_a_page_beyond_the_bounds_is_cut_and_says_so() -> None:
    root = etree.HTML("<body>" + "<i></i>" * LIMITS.nodes)
    assert (len(Document(root)), Document(root).truncated) == (LIMITS.nodes, True)
    assert not document("<p>x</p>").truncated


@pytest.mark.parametrize(
    ("markup", "runs"),
    [
        ("<p>by <b>Ann</b> Onym</p>", ["by ", "Ann", " Onym"]),
        ("<p><style>x</style> <b> </b></p>", []),
    ],
)
def test_texts_of_a_part_need_no_document(markup: str, runs: list[str]) -> None:
    assert runs_of(etree.XML(markup)) == runs
