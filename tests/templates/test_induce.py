"""Templates induced from synthetic pages find what a person would point at."""

from __future__ import annotations

import random

import pytest

from sitecrawl.extract.single import Extraction
from sitecrawl.templates.address import find, specificity
from sitecrawl.templates.aligned_pages import align_pages
from sitecrawl.templates.apply import apply
from sitecrawl.templates.induction.container import Container, ExclusionRule, _cover, agreement_of
from sitecrawl.templates.induction.induce import induce
from sitecrawl.templates.template import NO_CUT
from tests.pages import article_page
from tests.templates.samples import chinese, chinese_page, english, sample


def test_body_headline_and_date_of_a_page_that_did_not_induce_it() -> None:
    template = induce(english(4), "news.example")
    assert template is not None
    article = apply(
        template, sample(article_page(8), "http://news.example/2024/05/a-8.html").page
    ).article
    assert article.headline == "Harbour bridge number 8 opens to cyclists"
    assert (article.datePublished or "").startswith("2024-05-09T08:30")
    lines = article.articleBody.split("\n")
    assert len(lines) == 3
    assert all("paragraph of story 8" in line for line in lines)


@pytest.mark.parametrize("count", [2, 3, 8])
def test_two_pages_are_enough(count: int) -> None:
    template = induce(english(count))
    assert template is not None
    assert (
        "third paragraph of story 20"
        in apply(template, sample(article_page(20)).page).article.articleBody
    )


def test_one_page_is_not() -> None:
    assert induce(english(1)) is None
    assert induce([]) is None


def test_chinese_gbk_byline_share_words_and_editor_go() -> None:
    template = induce(chinese(6), "cn.example")
    assert template is not None
    article = apply(template, sample(chinese_page(11), "http://cn.example/11.html").page).article
    assert article.headline == "电车线路今日开通第11期"
    assert article.datePublished == "2019-12-12"
    assert article.articleBody.count("\n") == 4
    for boilerplate in ("分享到", "发布时间", "版权所有"):
        assert boilerplate not in article.articleBody


def test_the_order_of_pages_does_not_matter() -> None:
    samples = english(8)
    bodies = set()
    for seed in range(3):
        random.Random(seed).shuffle(samples)
        template = induce(samples)
        assert template is not None
        bodies.add(apply(template, sample(article_page(30)).page).article.articleBody)
    assert len(bodies) == 1


def test_one_foreign_page_spoils_nothing() -> None:
    foreign = sample(
        "<html><body><table><tr><td>"
        + "<p>Other words of another kind of page altogether.</p>" * 9
        + "</td></tr></table></body></html>"
    )
    template = induce([*english(3), foreign, *english(3, 3)])
    assert template is not None
    assert (
        "first paragraph of story 40"
        in apply(template, sample(article_page(40)).page).article.articleBody
    )


@pytest.mark.parametrize(("odd", "kept"), [(1, 1), (2, 2), (8, 2)])
def test_a_rule_must_remove_something_new_on_enough_pages(odd: int, kept: int) -> None:
    """The named by-line stands in the first box of eight pages, and on ``odd`` of them other words
    do: the first box goes if these are two or more."""
    named = ExclusionRule('.//p[@id="by"]', bad=80, elements={(at, 5) for at in range(8)})
    others = {(at, 7) for at in range(odd)}
    first = ExclusionRule("./div[1]", bad=86, elements={*named.elements, *others})
    wanted = dict.fromkeys(named.elements, 10.0) | dict.fromkeys(others, 6.0)
    assert _cover([first, named], wanted, pages=8) == [named.address, first.address][:kept]


def test_fixed_text_inside_the_body_goes() -> None:
    pages = [
        article_page(n).replace(
            '<div class="text">', '<div class="text"><p>Read more in our app</p>'
        )
        for n in range(6)
    ]
    template = induce([sample(html) for html in pages[:5]])
    assert template is not None
    body = apply(template, sample(pages[5]).page).article.articleBody
    assert "first paragraph of story 5" in body
    assert "in our app" not in body


def test_an_added_class_and_a_shifted_sibling_do_no_harm() -> None:
    template = induce(english(6))
    assert template is not None
    html = (
        article_page(9)
        .replace('class="text"', 'class="text wide post-991"')
        .replace('<div id="main">', '<div class="note">New!</div><div id="main">')
    )
    assert "first paragraph of story 9" in apply(template, sample(html).page).article.articleBody


def test_a_page_without_the_container_has_no_fit() -> None:
    template = induce(english(4))
    assert template is not None
    applied = apply(template, sample("<html><body><p>Something else.</p></body></html>").page)
    assert applied.fit == 0
    assert "articleBody" in applied.missing


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ('.//div[@id="x"]', 0),
        (".//h1", 1),
        ('.//div[contains(concat(" ", @class, " "), " a ")]/p', 2),
        ("./p[1]", 3),
    ],
)
def test_rules_with_names_rank_first(address: str, expected: int) -> None:
    assert specificity(address) == expected


def test_a_vague_rule_never_eats_the_body() -> None:
    template = induce(english(4))
    assert template is not None
    template.body.without.append("./p[1]")
    one = '<html><body><div id="main"><h1>T</h1><div class="text"><p>The only paragraph, which is the whole of the body here.</p></div></div></body></html>'
    assert "whole of the body" in apply(template, sample(one).page).article.articleBody


def test_a_second_source_answers_where_the_first_holds_no_date() -> None:
    template = induce(english(6))
    assert template is not None
    dated = template.fields["datePublished"]
    dated.sources = {"//h1": NO_CUT} | dated.sources
    assert apply(template, english(1, 9)[0].page).article.datePublished == "2024-05-10T08:30:00"


NOTICE = '<table><tr><td><a href="/app">Sale of the week</a></td></tr><tr><td>Get the app</td></tr></table>'


def noticed(number: int, doubted: bool = True) -> Extraction:
    """A page with a notice between two paragraphs, which the extractor leaves out where it is
    ``doubted``."""
    parts = article_page(number).split("</p>\n<p>")
    parts[number % 3] += f"</p>{NOTICE}<p>"
    one = sample("</p>\n<p>".join(parts).replace("<p></p>\n<p>", "<p>"))
    for at, text in enumerate(one.blocks.texts):
        if text in ("Sale of the week", "Get the app"):
            one.selection.scores[at] = 0.1 if doubted else 0.9
            one.selection.kept[at] = not doubted
    return one


def test_a_notice_that_no_rule_finds_goes_by_its_words() -> None:
    template = induce([*english(6, 20), noticed(3), noticed(7)])
    assert template is not None
    assert template.body.fixed_texts == ["Sale of the week", "Get the app"]
    body = apply(template, noticed(13).page).article.articleBody
    assert "third paragraph of story 13" in body
    assert "Sale" not in body
    assert "Get the app" not in body


def test_words_that_are_body_on_one_page_are_no_notice() -> None:
    template = induce([*english(6, 20), noticed(3), noticed(7), noticed(11, doubted=False)])
    assert template is not None
    assert template.body.fixed_texts == []


def test_a_page_without_the_container_counts_as_one_for_the_extractors() -> None:
    samples = english(5)
    pages = align_pages(samples)
    nodes = [find('id("main")/div', page.page.root)[0] for page in pages]
    assert agreement_of(pages, Container([], [*nodes[:4], None]), rules=[]) == pytest.approx(
        0.92
    ), "four at 1.0, one at .6"
