"""Series of stops and commas: the paper's worked examples (Pu 2007, section 2.4) and what ends a
text."""

from __future__ import annotations

import pytest

from sitecrawl.dom.parse import parse
from sitecrawl.extract.single import Extraction
from sitecrawl.extras.papers.punctuation import _CONTENT, _GAP, mark_count, series_score

PROSE = "The bridge was closed in spring, opened in summer, and closed again."


def body(html: str) -> str:
    return Extraction(parse(f"<body>{html}</body>"), "punctuation").article.articleBody


@pytest.mark.parametrize("words", [1, 12, 400])
def test_one_mark_is_noise_whatever_the_length(words: int) -> None:
    """The paper weighs a line with one mark .025, noise."""
    assert series_score(words, 1) < _CONTENT


def test_three_marks_are_content() -> None:
    """The paper weighs a line with three marks 4.532, content."""
    assert mark_count(PROSE) == 3
    assert series_score(len(PROSE.split()), mark_count(PROSE)) > _CONTENT
    assert series_score(20, 3) == 2 * series_score(20, 2)


def test_quotes_and_title_marks_are_no_series() -> None:
    assert mark_count("“《红楼梦》”与「平家物語」!?;:") == 0
    assert mark_count("三，四、五。 One, two.") == 5


def test_lines_with_a_mark_join_a_text_but_make_none() -> None:
    assert body("<p>Home.</p><p>About us.</p>") == ""
    assert body(f"<p>It rained.</p><p>{PROSE}</p><p>Then</p><p>It snowed.</p>").split("\n") == [
        "It rained.",
        PROSE,
        "Then",
        "It snowed.",
    ]


def test_a_gap_ends_a_text_and_links_end_it_sooner() -> None:
    plain, links = "<p>Word</p>", "<p><a href=/x>Another page</a></p>"
    short = f"<p>{PROSE}</p><p>{PROSE}</p>%s<p>One, two.</p>"
    assert "One, two." in body(short % (plain * (_GAP - 1)))
    assert "One, two." not in body(short % (plain * _GAP))
    assert "One, two." in body(short % links)
    assert "One, two." not in body(short % (links * 2))


def test_lines_of_source_and_author_at_the_end_go() -> None:
    found = body(
        f"<p>Source: the city, the press.</p><p>{PROSE}</p><p>{PROSE}</p><p>来源：新华社，人民日报。</p><p>Editor: A. Smith.</p>"
    )
    assert found.split("\n") == ["Source: the city, the press.", PROSE, PROSE], "only at the end"


def test_a_page_of_links_has_no_text() -> None:
    page = parse("<body><p><a href=/x>One, two, and three.</a></p></body>")
    assert Extraction(page, "punctuation").article.articleBody == ""
