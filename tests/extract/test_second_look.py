"""What the second looks keep and drop, on pages of our own."""

from __future__ import annotations

import numpy as np

from sitecrawl.dom.parse import parse
from sitecrawl.extract.ensemble import (
    leads_of,
    selection,
    settled,
    with_lone_block,
    without_comments,
    without_hidden_copies,
)
from sitecrawl.extract.features import View, view_of
from sitecrawl.extract.single import extract_page

FIRST = "The bridge was opened in the morning by the mayor of the town."
SECOND = "It had been closed for years, and nobody had thought that it would open again so soon."
PROSE = f"{FIRST} {SECOND}"


def view(html: str) -> View:
    return view_of(parse(f"<body>{html}</body>"))


def flags(*kept: int) -> np.ndarray:
    return np.array(kept, bool)


def test_a_hidden_copy_is_dropped() -> None:
    page = view(f'<p>{FIRST}</p><p>{SECOND}</p><div style="display:none"><p>{PROSE}</p><p>Send it</p></div>')
    assert without_hidden_copies(page, flags(1, 1, 1, 1)).tolist() == [True, True, False, False]


def test_a_hidden_body_is_kept() -> None:
    page = view(f'<p>{FIRST}</p><div style="display:none"><p>{SECOND}</p></div>')
    assert without_hidden_copies(page, flags(1, 1)).all(), "shown by script"
    assert without_hidden_copies(page, flags(0, 1)).tolist() == [False, True]


def test_a_visible_copy_is_kept() -> None:
    assert without_hidden_copies(view(f"<p>{FIRST}</p><p>{FIRST}</p>"), flags(1, 1)).all()


def commented(name: str, body: str, comment: str) -> View:
    return view(f'<div class="{name}"><p>{body}</p></div><ul class="comments"><li>{comment}</li></ul><p>{FIRST}</p>')


def test_comments_below_an_article_are_dropped() -> None:
    page = commented("article", f"{PROSE} {PROSE}", PROSE)
    assert without_comments(page, flags(1, 1, 1)).tolist() == [True, False, True], "58 words, then 29 of a comment"
    assert without_comments(page, flags(1, 0, 1)).tolist() == [True, False, True]


def test_comments_below_a_short_article_that_says_to_be_one_are_dropped() -> None:
    page = commented("article", FIRST, PROSE * 20)
    assert without_comments(page, flags(1, 1, 1)).all(), "it may be a thread"
    page.page.metadata.meta["og:type"] = "article"
    assert without_comments(page, flags(1, 1, 1)).tolist() == [True, False, True]


def test_the_word_post_alone_makes_no_thread() -> None:
    assert without_comments(commented("post", PROSE * 2, PROSE), flags(1, 1, 1)).tolist() == [True, False, True]
    assert without_comments(commented("post topic", PROSE * 2, PROSE), flags(1, 1, 1)).all()


def test_comments_that_are_the_body_are_kept() -> None:
    assert without_comments(commented("article", PROSE, PROSE), flags(1, 1, 1)).all(), "29 words are no article"
    assert without_comments(commented("article", PROSE * 2, PROSE * 20), flags(1, 1, 1)).all(), "an opening post"
    assert without_comments(commented("forum", PROSE * 2, PROSE), flags(1, 1, 1)).all(), "a thread"
    assert without_comments(view(f'<p class="comment">{PROSE}</p>'), flags(1)).all()
    html = f'<div><p>{PROSE} {PROSE}</p></div><ul class="comments"><li>{PROSE}</li></ul>'
    crumbs = '<ol class="crumbs"><li><a href="/en/{}/">Here</a></li></ol>'
    for section, kept in (("forum", True), ("board-of-trustees", False)):
        assert bool(without_comments(view(crumbs.format(section) + html), flags(0, 1, 1))[2]) is kept, section


def test_a_lone_block_is_the_body_where_nothing_else_is() -> None:
    page = view(f"<ul><li>Tags</li></ul><div><p>{PROSE}</p><p>{FIRST}</p><p>Top</p></div><p>{PROSE}</p>")
    scores = np.array([0.9, 0.4, 0.2, 0.1, 0.3])
    found = with_lone_block(page, scores, flags(1, 0, 0, 0, 0))
    assert found.tolist() == [False, True, True, False, False], "29 words by .4 are 11.6 expected, its kin need .12"


def test_no_lone_block_where_a_body_is_or_too_little_is_expected() -> None:
    page = view(f"<p>{FIRST}</p><p>{PROSE}</p>")
    assert with_lone_block(page, np.array([0.9, 0.4]), flags(1, 0)).tolist() == [True, False], "13 words are kept"
    assert not with_lone_block(page, np.array([0.1, 0.25]), flags(0, 0)).any(), "29 words by .25 are 7.25 expected"
    linked = view(f'<p><a href="/a">{PROSE}</a></p>')
    assert not with_lone_block(linked, np.array([0.5]), flags(0)).any(), "a link is no prose"
    assert with_lone_block(view(""), np.zeros(0), np.zeros(0, bool)).tolist() == []


def test_a_page_of_one_paragraph_has_a_body() -> None:
    items = "".join(f'<li><a href="/{n}">Entry {n}</a></li>' for n in range(30))
    page = parse(f"<body><ul>{items}</ul><div>{PROSE} {PROSE}</div><ul>{items}</ul></body>", "http://example.com/a")
    assert SECOND in extract_page(page).article.articleBody


def test_where_the_model_is_sure_of_nothing_it_keeps_what_it_is_half_as_sure_of() -> None:
    page = view(f"<p>{FIRST}</p><p>{SECOND}</p><p>Top</p>")
    doubted = selection(page, np.array([0.42, 0.44, 0.02]), flags(0, 0, 0))
    assert settled(page, doubted, leads_of(page)).kept.tolist() == [True, True, False]
    certain = selection(page, np.array([0.98, 0.42, 0.02]), flags(1, 0, 0))
    assert settled(page, certain, leads_of(page)).kept.tolist() == [True, False, False]


def test_what_is_no_text_of_any_language_is_no_body() -> None:
    assert extract_page(parse(b"\x00\xff\xfe" * 3000)).article.articleBody == ""
    code = extract_page(
        parse(f"<article><h1>Dump</h1><p>{PROSE}</p><pre>{'0x7f,' * 200}</pre><p>{PROSE}</p></article>")
    )
    assert "0x7f" in (code.article.articleBody or ""), "a line of code may be as long"
