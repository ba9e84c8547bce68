"""Comments and posts as records."""

from __future__ import annotations

from sitecrawl.dom.align import Names
from sitecrawl.templates.reading import read_records, without_date
from sitecrawl.templates.records import records_of
from sitecrawl.templates.sheet import Sample, sheets_of
from sitecrawl.templates.template import Records
from tests.pages import article_page
from tests.templates.samples import sample

NAMES = ("Ann", "Bo", "Cy", "Di", "Ed", "Flo", "Gus")


def with_comments(number: int, count: int) -> str:
    comments = "".join(
        f'<li class="comment"><p class="by">Written by <b class="author">{NAMES[k]}</b> on 2024-06-{k + 1:02d} 10:0{k}</p>'
        f'<div class="comment-text"><p>I have been to district {number * 9 + k} myself, and it was rather nice, number {k}.</p></div></li>'
        for k in range(count)
    )
    return article_page(number).replace('<div class="side">', f'<ol class="comments">{comments}</ol><div class="side">')


def learn(samples: list[Sample]) -> Records | None:
    names = Names([one.page.tree for one in samples])
    return records_of(sheets_of(samples, names), names)


def test_comments_have_author_date_and_text() -> None:
    records = learn([sample(with_comments(n, 2 + n % 3)) for n in range(5)])
    assert records is not None
    found = read_records(records, sample(with_comments(20, 3)).page.root, "")
    assert [comment.author for comment in found] == ["Ann", "Bo", "Cy"]
    assert [comment.datePublished for comment in found] == [f"2024-06-0{k + 1}T10:0{k}:00" for k in range(3)]
    assert found[1].text == "I have been to district 181 myself, and it was rather nice, number 1."
    assert read_records(records, sample(article_page(3)).page.root, "") == []


def test_one_page_is_enough_where_there_is_no_doubt() -> None:
    records = learn([sample(with_comments(1, 4))])
    assert records is not None
    assert len(read_records(records, sample(with_comments(2, 7)).page.root, "")) == 7


def test_teasers_of_other_articles_are_no_comments() -> None:
    teasers = "".join(
        f'<article class="post"><time>2024-05-{k + 1:02d}</time><h4><a href="/{k}">Another story about something else, number {k}</a></h4></article>'
        for k in range(4)
    )
    assert (
        learn(
            [
                sample(
                    article_page(n).replace(
                        '<div class="side">', f'<div class="more">{teasers}</div><div class="side">'
                    )
                )
                for n in range(5)
            ]
        )
        is None
    )


def test_pages_without_repetition_have_no_records() -> None:
    assert learn([sample(article_page(n)) for n in range(4)]) is None


def test_a_byline_without_its_date() -> None:
    assert without_date("王小明 2019年7月5日 10:30 发表") == "王小明 发表"
