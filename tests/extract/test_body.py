"""What the steps behind the block model keep and drop, on pages of our own."""

from __future__ import annotations

import numpy as np
import pytest

from sitecrawl.dom.parse import parse
from sitecrawl.extract.ensemble import revise_body, selection, without_comments
from sitecrawl.extract.features import View, view_of
from sitecrawl.extract.single import extract_page

FIRST = "The bridge was opened in the morning by the mayor of the town."
SECOND = "It had been closed for years, and nobody had thought that it would open again so soon."
PROSE = f"{FIRST} {SECOND}"


def view(html: str) -> View:
    return view_of(parse(f"<body>{html}</body>"))


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
def test_comments_below_an_article_are_dropped(body: str, comment: str, crumb: str, dropped: bool) -> None:
    crumbs = f'<ol class="crumbs"><li><a href="/en/{crumb}/">Here</a></li></ol>'
    page = view(f'{crumbs}<div><p>{body}</p></div><ul class="comments"><li>{comment}</li></ul><p>{FIRST}</p>')
    assert without_comments(page, flags(0, 1, 1, 1)).tolist() == [False, True, not dropped, True]


def test_comments_that_are_the_body_are_kept() -> None:
    assert without_comments(view(f'<p class="comment">{PROSE}</p>'), flags(1)).all()


@pytest.mark.parametrize(("best", "kept"), [(0.42, [True, True, False]), (0.98, [True, False, False])])
def test_where_the_model_is_sure_of_nothing_it_keeps_what_it_is_half_as_sure_of(best: float, kept: list[bool]) -> None:
    page = view(f"<p>{FIRST}</p><p>{SECOND}</p><p>Top</p>")
    found = selection(page, np.array([best, 0.42, 0.02]), flags(best > 0.5, 0, 0))
    assert revise_body(page, found).kept.tolist() == kept


def test_a_page_of_one_paragraph_has_a_body() -> None:
    items = "".join(f'<li><a href="/{n}">Entry {n}</a></li>' for n in range(30))
    page = parse(f"<body><ul>{items}</ul><div>{PROSE} {PROSE}</div><ul>{items}</ul></body>", "http://example.com/a")
    assert SECOND in extract_page(page).article.articleBody
