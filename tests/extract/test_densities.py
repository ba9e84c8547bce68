"""The densities and the content they find against values worked out by hand on trees small enough
to count."""

from __future__ import annotations

from math import e, log

import pytest

from sitecrawl.dom.page import Page
from sitecrawl.dom.parse import parse
from sitecrawl.extract.single import Extraction, methods
from sitecrawl.extras.papers.densities import (
    block_density,
    composite_density,
    content_elements,
    counts_of,
    density_sum,
    point_density,
    text_density,
)

# body: 24 characters, 12 of them in one link, 3 tags below it; div: 18 characters, 6 linked, 2
# tags, 2 marks
PAGE = "<body><div><p>abc, def.</p>gh<a>123456</a></div><a>654321</a></body>"


@pytest.fixture
def page() -> Page:
    return parse(PAGE)


def number(page: Page, tag: str) -> int:
    return page.document.tags.index(tag)


def test_counts(page: Page) -> None:
    counts, div, body = counts_of(page), number(page, "div"), number(page, "body")
    assert (counts.chars[div], counts.tags[div], counts.link_chars[div], counts.link_tags[div]) == (
        17,
        2,
        6,
        1,
    )
    assert (
        counts.chars[body],
        counts.tags[body],
        counts.link_chars[body],
        counts.link_tags[body],
    ) == (23, 4, 12, 2)
    assert counts.marks[div] == 2


def test_text_density_is_characters_by_tags(page: Page) -> None:
    counts = counts_of(page)
    density = text_density(counts, number(page, "body"))
    assert density[number(page, "div")] == 17 / 2
    assert density[number(page, "p")] == 9, "no tags count as one"


def test_composite_density_is_equation_two(page: Page) -> None:
    counts, div, body = counts_of(page), number(page, "div"), number(page, "body")
    base = log(17 * 6 / 11 + 12 * 17 / 23 + e)
    expected = 17 / 2 * log(17 * 2 / (6 * 1)) / log(base)
    assert composite_density(counts, body)[div] == pytest.approx(expected)


def test_block_density_by_hand(page: Page) -> None:
    counts, div, body = counts_of(page), number(page, "div"), number(page, "body")
    p_text, p_textl, p_link = 11 / (1 + 11), 11 / (1 + 17), 1 / (1 + 2)
    assert block_density(counts, body)[div] == pytest.approx(
        p_text * p_textl * (1 - p_link) / (1 + 0.01 * 2)
    )


def test_point_density_is_marks_by_tags(page: Page) -> None:
    density = point_density(counts_of(page), number(page, "body"))
    assert density[number(page, "div")] == 2 / 2
    assert density[number(page, "p")] == 2


def test_density_sum_adds_the_children(page: Page) -> None:
    density = text_density(counts_of(page), number(page, "body"))
    parents = [max(0, parent) for parent in page.document.parents]
    total = density_sum(density, parents)  # type: ignore[arg-type]
    assert total[number(page, "div")] == 9 + 6


def test_the_whole_subtree_of_the_greatest_sum_is_content() -> None:
    """Sun 2011: a short line inside the best element is thinner than the threshold and content all
    the same."""
    line = "A line of the story that is long enough to count for something. "
    page = parse(
        f"<body><ul><li><a>Menu</a></li></ul><div id=s><p>{line * 3}</p><p><i>Oh</i></p><p>{line * 3}</p></div></body>"
    )
    document = page.document
    density = text_density(counts_of(page), number(page, "body"))
    content = content_elements(document, density)
    story = next(at for at, node in enumerate(document.nodes) if node.get("id") == "s")
    threshold = density[document.tags.index("body")]
    short = document.tags.index("i")
    assert density[short] < threshold <= density[story]
    assert content[story : document.ends[story]].all()
    assert not content[document.tags.index("ul")], (
        "thinner than the threshold, and so is not looked into"
    )


def test_other_dense_elements_are_content_as_well(page: Page) -> None:
    """Every element at least as dense as the threshold gives the best of its subtree, not the best
    of the page alone."""
    page = parse(
        "<body><div><p>aaaaaaaaaa</p><p>bbbbbbbbbb</p></div><div><p>cccccccc</p></div><div><a>x</a></div></body>"
    )

    content = content_elements(page.document, text_density(counts_of(page), number(page, "body")))
    texts = [
        chunk
        for chunk, owner in zip(page.document.chunks, page.document.owners, strict=True)
        if content[owner]
    ]
    assert texts == ["aaaaaaaaaa", "bbbbbbbbbb", "cccccccc"]


def test_nested_elements_take_linear_work() -> None:
    depth = 1_000
    page = parse(
        "<body>"
        + "<div>" * depth
        + "<p>Text, with marks.</p>" * 20_000
        + "</div>" * depth
        + "</body>"
    )

    for measure in (text_density, composite_density, point_density):
        assert content_elements(page.document, measure(counts_of(page), number(page, "body")))[-1]


@pytest.mark.parametrize("method", methods()[1:])
def test_the_densest_part_is_the_body(method: str) -> None:
    prose = "".join(
        f"<p>Sentence {n} of the story, which goes on, and on, until the paragraph is long. By then it has been read by all "
        "of those who were there, and no one of us would have any doubt that this is a text, and not one more of the menus.</p>"
        for n in range(6)
    )
    links = "".join(f'<li><a href="/{n}">Entry {n}</a></li>' for n in range(20))
    page = parse(
        f"<body><ul>{links}</ul><div id=story>{prose}</div><ul>{links}</ul></body>",
        "http://example.com/a",
    )
    found = Extraction(page, method).article
    assert "Sentence 0" in found.articleBody
    assert "Sentence 5" in found.articleBody
    assert "Entry" not in found.articleBody
    assert found.provenance.fields["articleBody"] == method


def test_an_unknown_method_is_named() -> None:
    with pytest.raises(ValueError, match="unknown extractor 'best'"):
        Extraction(parse("<p>x"), "best")
