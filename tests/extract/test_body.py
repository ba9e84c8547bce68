"""What the steps behind the block model keep and drop, on pages of our own."""

from __future__ import annotations

import numpy as np
import pytest

import sitecrawl
from sitecrawl.dom.page import Page
from sitecrawl.dom.parse import parse
from sitecrawl.extract.belonging import without_cards, without_comments
from sitecrawl.extract.ensemble import revise_body, selection, with_whole_parts
from sitecrawl.extract.single import Extraction

FIRST = "The bridge was opened in the morning by the mayor of the town."
SECOND = "It had been closed for years, and nobody had thought that it would open again so soon."
PROSE = f"{FIRST} {SECOND}"


def page_of(html: str) -> Page:
    return parse(f"<body>{html}</body>")


def flags(*kept: int) -> np.ndarray:
    return np.array(kept, bool)


@pytest.mark.parametrize(
    ("body", "comment", "crumb", "dropped"),
    [
        (PROSE * 2, PROSE, "en", True),
        (PROSE * 2, PROSE, "board-of-trustees", True),
        (PROSE * 2, PROSE, "forum", False),
        (FIRST, PROSE * 20, "en", False),  # an opening post with replies
    ],
)
def test_comments_below_an_article_are_dropped(
    body: str, comment: str, crumb: str, dropped: bool
) -> None:
    crumbs = f'<ol class="crumbs"><li><a href="/en/{crumb}/">Here</a></li></ol>'
    page = page_of(
        f'{crumbs}<div><p>{body}</p></div><ul class="comments"><li>{comment}</li></ul><p>{FIRST}</p>'
    )
    assert without_comments(page, flags(0, 1, 1, 1)).tolist() == [False, True, not dropped, True]


_CARD = (
    '<div class="card"><h3><a href="/story/{0}">Story {0}</a></h3><p>{1}</p><p>Ann Onym</p></div>'
)


@pytest.mark.parametrize(
    ("below", "headings", "drops"),
    [
        (_CARD, False, True),
        (_CARD, True, False),  # entries that the article itself has
        (_CARD.replace("/story/{0}", "#part{0}"), False, False),
        (_CARD.replace("/story/{0}", "http://elsewhere.example/{0}"), False, False),
        (
            _CARD.replace('class="card"', 'class="card{0}"'),
            False,
            False,
        ),  # not alike: a column and its sidebar
        (
            "<h3><a href='/story/{0}'>Story {0}</a></h3><p>{1}</p>",
            False,
            False,
        ),  # nothing says where an entry ends
    ],
)
def test_excerpts_of_other_pages_below_a_short_article_are_dropped(
    below: str, headings: bool, drops: bool
) -> None:
    cards = below.format(1, FIRST) + below.format(2, SECOND)
    html = f"<body><div><h2>Harbour</h2><p>{PROSE}</p></div><div><h2>More</h2>{cards}</div></body>"
    page = parse(html, "http://news.example/story/3")
    kept = np.array(
        [
            len(text) > 20 or (headings and text[:5] == "Story")
            for text in page.document.blocks.texts
        ]
    )
    texts = [
        text
        for text, is_kept in zip(page.document.blocks.texts, without_cards(page, kept), strict=True)
        if is_kept
    ]
    assert PROSE in texts
    assert texts.count(FIRST) + texts.count(SECOND) == (0 if drops else 2)


def test_a_page_whose_only_heading_leads_to_another_page_is_read() -> None:
    """The walk from the heading to its box must end at the root."""
    page = parse(
        f"<body><p>{PROSE}</p><div><h2><a href='/other'>Another story of the harbour</a></h2></div></body>",
        "http://a.example/1",
    )
    assert PROSE in Extraction(page).article.articleBody


def test_a_page_of_cards_alone_keeps_its_text() -> None:
    page = parse(
        f"<body><div>{_CARD.format(1, FIRST)}{_CARD.format(2, SECOND)}</div></body>",
        "http://news.example/",
    )

    assert without_cards(page, flags(0, 1, 0, 0, 1, 0)).tolist() == [
        False,
        True,
        False,
        False,
        True,
        False,
    ]


def test_comments_that_are_the_body_are_kept() -> None:
    assert without_comments(page_of(f'<p class="comment">{PROSE}</p>'), flags(1)).all()


@pytest.mark.parametrize(
    ("best", "kept"), [(0.42, [True, True, False]), (0.98, [True, False, False])]
)
def test_where_the_model_is_sure_of_nothing_it_keeps_what_it_is_half_as_sure_of(
    best: float, kept: list[bool]
) -> None:
    page = page_of(f"<p>{FIRST}</p><p>{SECOND}</p><p>Top</p>")
    found = selection(page, np.array([best, 0.42, 0.02]), kept=flags(best > 0.5, 0, 0))
    assert revise_body(page, found).kept.tolist() == kept


def test_a_page_of_one_paragraph_has_a_body() -> None:
    items = "".join(f'<li><a href="/{n}">Entry {n}</a></li>' for n in range(30))
    page = parse(
        f"<body><ul>{items}</ul><div>{PROSE} {PROSE}</div><ul>{items}</ul></body>",
        "http://example.com/a",
    )
    assert SECOND in Extraction(page).article.articleBody


@pytest.mark.parametrize(
    ("cells", "kept", "whole"),
    [
        (("Year", "Guests"), ("1998", "5,000"), True),
        (("Year", "Guests"), (), False),  # no row of the table belongs to the body
        (("Guests of the harbour in every single year " * 9, "Year"), ("1998", "5,000"), False),
        (('<a href="/a">Year</a>', '<a href="/b">Guests</a>'), ("1998", "5,000"), False),
    ],
)
def test_the_head_of_a_table_stays_with_its_rows(
    cells: tuple[str, str], kept: tuple[str, ...], whole: bool
) -> None:
    head = "".join(f"<th><p>{cell}</p></th>" for cell in cells)
    rows = "<tr><td><p>1998</p></td><td><p>5,000</p></td></tr>"
    page = page_of(
        f"<p>{FIRST}</p><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table><p>{SECOND}</p>"
    )
    before = np.array([text in (FIRST, SECOND, *kept) for text in page.document.blocks.texts])
    after = with_whole_parts(page, before * 1.0, kept=before)
    assert (after != before).tolist() == [
        whole and number in (1, 2) for number in range(len(before))
    ]


@pytest.mark.parametrize(
    ("line", "stays"),
    [
        ("Published on July 5, 2019", False),
        ("2026-03-01 来源：晨报", False),
        ("5 July 2019, at the harbour hall", True),
        (
            "Published on July 5, 2019, the new map of the harbour shows all the piers and both of the bridges.",
            True,
        ),
    ],
)
def test_the_line_of_the_date_is_no_text_of_the_article(line: str, *, stays: bool) -> None:
    """It began the body of a page alone, the first example of the guide as well. Other dates there
    are those of events."""
    prose = "The bridge, which took four years to build, was opened this morning, and hundreds of people walked across it."
    thanks = "The mayor thanked the engineers, the neighbours, and everybody who had put up with the noise."
    html = f"<html><body><h1>A bridge opens</h1><p>{line}</p><p>{prose}</p><p>{thanks}</p></body></html>"
    article = sitecrawl.extract(html)
    assert article.datePublished
    assert (line in article.articleBody) is stays
    assert prose in article.articleBody
