"""Agreement, hold-out and the sequential test."""

from __future__ import annotations

import random
from math import inf

import pytest

from sitecrawl.dom.render import Content
from sitecrawl.extract.single import Extraction
from sitecrawl.items.article import Article
from sitecrawl.templates.apply import apply
from sitecrawl.templates.induction.induce import induce
from sitecrawl.templates.template import Records, Template
from sitecrawl.templates.verify import (
    AGREES,
    Grade,
    Monitor,
    agreement,
    cross_validate,
    grade,
    is_odd,
    prose,
    word_f1,
)
from tests.pages import article_page
from tests.templates.samples import english, sample


def test_word_f1_counts_characters_of_chinese() -> None:
    assert word_f1("今天的新闻", "今天新闻") == pytest.approx(8 / 9)
    assert word_f1("", "") == 1.0
    assert word_f1("a", "") == 0.0


def test_held_out_pages_agree_on_one_template_and_not_on_none() -> None:
    template = induce(english(6))
    assert template is not None
    assert cross_validate(english(6), template) == 1.0
    assert cross_validate(english(2), template) == 0.0
    body = "".join(
        f"<p>Some quite ordinary prose, sentence number {n}, with words, commas and a full stop.</p>"
        for n in range(8)
    )
    kinds = (
        "<div id='a{0}'>",
        "<table><tr><td><ul><li>",
        "<center><b><div>",
        "<article><section><div class='x'>",
        "<dl><dd>",
        "<form><fieldset>",
    )
    foreign = [
        sample(
            f"<html><body>{'<p>x</p>' * n}{kind.format(n)}{body}</body></html>".replace(
                "number", f"n{n}"
            )
        )
        for n, kind in enumerate(kinds)
    ]
    found = induce(foreign)
    assert found is None or found.is_uncertain


def held_by(template: Template, one: Extraction) -> bool:
    return agreement(apply(template, one.page), guess=one.article.articleBody) >= AGREES


def test_a_template_does_not_agree_where_its_container_holds_something_else() -> None:
    template = induce(english(4))
    assert template is not None
    assert held_by(template, english(1, 9)[0])
    changed = sample(
        '<div id="main"><div class="text"><a href="/">Home</a></div></div>'
        + "<article>"
        + "<p>A long and quite different text of the article, in several sentences.</p>" * 9
        + "</article>"
    )
    assert not held_by(template, changed)


def test_boilerplate_does_not_count_as_prose() -> None:
    template = induce(english(4))
    assert template is not None
    line = "Subscribe to our newsletter and never miss a story."
    assert prose(template, f"Words of the day.\n{line}") == "Words of the day."


def test_the_monitor_bears_odd_pages_and_hears_a_redesign() -> None:
    chance, monitor = random.Random(7), Monitor()
    assert not any(
        monitor.record(Grade.GOOD if chance.random() > 0.04 else Grade.BAD) for _ in range(400)
    )
    assert sum(1 for _ in iter(lambda: monitor.record(Grade.BAD), True)) < 4


def test_a_page_of_which_the_extractor_makes_nothing_is_no_evidence() -> None:
    template = induce(english(4))
    assert template is not None
    page = english(1, 9)[0]
    applied = apply(template, page.page)
    assert grade(applied, guess="") is Grade.UNKNOWN
    assert grade(applied, guess=page.article.articleBody) is Grade.GOOD
    monitor = Monitor()
    assert not any(monitor.record(Grade.UNKNOWN) for _ in range(50))
    assert not monitor.uneasy


@pytest.mark.parametrize(("pages", "odd"), [(4, True), (12, False)])
def test_a_body_of_which_a_young_template_leaves_hardly_anything_is_odd(
    pages: int, odd: bool
) -> None:
    """Forms taught it to cut paragraphs. An article would have a body of one line, without a
    flag."""
    template = induce(english(4))
    assert template is not None
    assert not is_odd(apply(template, english(1, 9)[0].page))
    template.body.without.append(".//p")
    template.statistics |= {"pages": pages, "cut_high": inf}
    assert is_odd(apply(template, english(1, 9)[0].page)) == odd


def test_links_as_dense_as_in_a_menu_are_odd_where_the_rest_of_the_page_has_grown() -> None:
    template = induce(english(4))
    assert template is not None
    applied = apply(template, english(1, 9)[0].page)
    assert not is_odd(applied)
    applied.links = applied.chars / 15
    assert not is_odd(applied)
    template.statistics["rest_high"] = 0.0
    assert is_odd(applied)


def test_half_agreement_counts_against_a_body_found_by_position() -> None:
    template = induce(english(4))
    assert template is not None
    page = english(1, 9)[0]
    applied, most = apply(template, page.page), page.article.articleBody.rsplit(" ", 35)[0]
    assert grade(applied, guess=most) is Grade.GOOD
    template.body.addresses[:] = ["/html/body/div[1]/div[1]"]
    assert template.is_uncertain
    assert grade(applied, guess=most) is Grade.PARTIAL
    monitor = Monitor()
    assert [monitor.record(Grade.PARTIAL) for _ in range(9)].index(True) == 8


def test_a_body_as_long_as_the_one_before_is_looked_at() -> None:
    monitor = Monitor()
    assert [monitor.record_length(chars) for chars in (900.0, 800.0, 800.0, 700.0)] == [
        False,
        False,
        True,
        False,
    ]


LAYOUTS = {
    "cell": "<table><tr><td>{menu}</td><td>{body}</td></tr></table>",
    "second block": "<div><div>{menu}</div><div>{body}</div></div>",
    "centred": "<center><font>{menu}</font><div>{body}</div></center>",
}


def placed(layout: str, number: int, *, read: int) -> Extraction:
    """A page whose body is found by its place only, of which the extractor reads ``read`` of nine
    paragraphs."""
    menu = '<a href="/">Home</a> <a href="/news/">News</a>'
    said = [
        f"<p>Paragraph {part} of story {number} says, in so many words, what bridge {number + part} is for, and who paid.</p>"
        for part in range(9)
    ]
    html = f"<body>{LAYOUTS[layout].format(menu=menu, body=''.join(said))}</body>"
    whole = sample(html, f"http://a.example/{number}.html")
    assert isinstance(whole, Extraction)
    whole.article = Article(body=Content(tuple(whole.page.root.iter("p"))[:read]))
    return whole


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_template_whose_halves_give_the_same_bodies_holds_where_the_extractor_reads_less(
    layout: str,
) -> None:
    samples = [placed(layout, number, read=6) for number in range(8)]
    template = induce(samples)
    assert template is not None
    assert template.is_uncertain
    assert cross_validate(samples, template) == 1.0
    assert not template.is_uncertain
    assert (
        grade(apply(template, samples[0].page), guess=samples[0].article.articleBody) is Grade.GOOD
    )


@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_template_holds_where_the_extractor_reads_something_else(layout: str) -> None:
    samples = [placed(layout, number, read=3) for number in range(8)]
    template = induce(samples)
    assert template is not None
    assert cross_validate(samples, template) == 0.0


def test_lines_of_replies_are_read_with_the_comments_that_they_stand_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    template = induce(english(4))
    assert template is not None
    template.records = Records('//div[contains(concat(" ", @class, " "), " comment ")]')
    said = [f"I say {number}, and no more." for number in range(30)]
    replies = "".join(f'<div class="comment"><p>{line}</p>' for line in said) + "</div>" * len(said)
    one = sample(
        article_page(9).replace("</body>", f"{replies}</body>"),
        "http://news.example/2024/05/a-9.html",
    )
    applied, read = apply(template, one.page), list[object]()

    def counted(nodes: tuple[object, ...]) -> Content:
        read.append(nodes)
        return Content(nodes)  # type: ignore[arg-type]

    monkeypatch.setattr("sitecrawl.templates.verify.Content", counted)
    guess = "\n".join([applied.article.articleBody, *said])
    assert agreement(applied, guess=guess) == 1.0
    assert len(read) == 1
