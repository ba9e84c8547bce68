"""Texts that stand on all pages of a site are no text of an article, whatever the extractor thinks of
them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import sitecrawl
from sitecrawl.dom.parse import parse
from sitecrawl.extract.ensemble import selection
from sitecrawl.extract.single import Extraction
from sitecrawl.templates.aligned_pages import align_pages

NOUNS = "harbour gauge larch choir lighthouse beekeeper mushroom railway cellar bridge".split()
VERBS = "keeps mends paints carries measures forgets repairs follows counts lends".split()
PLACES = "quay valley market attic mill orchard ferry tower tunnel island".split()
MADE = [
    f"The {noun} of {place} {verb} what nobody in the {other} had asked for, said a {witness}."
    for noun, place, verb, other, witness in zip(
        NOUNS * 3,
        PLACES * 3,
        [*VERBS, *VERBS[3:], *VERBS[:3], *VERBS[5:], *VERBS[:5]],
        [*PLACES[4:], *PLACES[:4], *PLACES[7:], *PLACES[:7], *PLACES],
        [*NOUNS[2:], *NOUNS[:2], *NOUNS[6:], *NOUNS[:6], *NOUNS],
        strict=True,
    )
]
Dress = Callable[[int, list[str]], str]


def page_of(number: int, dress: Dress) -> str:
    """An article of five paragraphs, dressed by its site."""
    own = [
        f"<p>{MADE[(5 * number + k) % 30]} {MADE[(7 * number + 3 * k) % 30]}</p>" for k in range(5)
    ]
    return (
        f"<html><head><meta charset=utf-8><title>{NOUNS[number]} news</title></head><body><main><article>"
        f"<h1>The {NOUNS[number]} that {VERBS[number]}</h1><time>1{number} May 2024</time>"
        f"<div class=text>{dress(number, own)}</div></article></main></body></html>"
    )


def body_on(dress: Dress) -> str:
    """The body of the sixth article of a site, by the template of the first five."""
    site = sitecrawl.SiteModel()
    urls = [f"https://site.example/2024/{NOUNS[number]}" for number in range(6)]
    pages = [page_of(number, dress) for number in range(6)]
    learned = zip(pages[:5], urls[:5], strict=True)
    site.learn([sitecrawl.RawPage(html.encode(), url) for html, url in learned])
    article = site.extract(html=pages[5], url=urls[5])
    assert article.provenance.method == "template"
    return article.articleBody


@pytest.mark.parametrize(
    "notice",
    [
        "This article contains links to shops. If you buy there, we may get a commission; you pay the same.",
        "Dieser Beitrag enthält Partnerlinks. Wer darüber bestellt, zahlt nicht mehr, der Verlag verdient mit.",
        "本文所载内容仅代表作者本人的看法，与本站的立场没有任何关系，转载时请注明文章的出处和作者。",
        "Los enlaces de esta página pueden dejar a la redacción una pequeña comisión que no cambia el precio.",
    ],
)
@pytest.mark.parametrize("place", [0, 3, 5])
def test_a_notice_among_the_paragraphs_of_all_pages_leaves_the_body(
    notice: str, place: int
) -> None:
    def dress(number: int, own: list[str]) -> str:
        return "".join([*own[:place], f"<p>{notice}</p>", *own[place:]])

    body = body_on(dress)
    assert body.count("said a") == 10
    assert notice[:30] not in body


@pytest.mark.parametrize(
    "lines",
    [
        ["PUBLICIDAD", "Sigue leyendo tras el anuncio"],
        ["Advertisement", "Article continues below this ad"],
        ["Artikkelen fortsetter under annonsen", "Annonse"],
        ["広告", "記事は広告の後に続きます"],
        ["Реклама", "Продолжение после рекламы"],
    ],
)
def test_lines_about_advertising_on_some_pages_leave_the_body(lines: list[str]) -> None:
    def dress(number: int, own: list[str]) -> str:
        parts = list(own)
        if number % 2:
            parts.insert(2, f"<p>{lines[0]}</p>")
        if number in (0, 3, 5):
            parts.insert(4, f"<p>{lines[1]}</p>")
        return "".join(parts)

    body = body_on(dress)
    assert body.count("said a") == 10
    assert not any(line in body for line in lines)


def test_headings_that_authors_repeat_stay() -> None:
    def dress(number: int, own: list[str]) -> str:
        return "".join([*own[:4], "<h2>What we learned</h2>", own[4]])

    assert "What we learned" in body_on(dress)


def test_sentences_of_a_form_that_its_author_fills_in_stay() -> None:
    standing = (
        "The new tariff applies to all customers of the network from the first day of the month."
    )

    def dress(number: int, own: list[str]) -> str:
        price = f"<p>The price of a unit will be {number}3.{number} cents in the month of 0{number}/2024.</p>"
        unit = f"<p>The adjustment of unit {number} is {number}.7 cents, and {number}1 cents with tax.</p>"
        return "".join([own[0], price, f"<p>{standing}</p>", unit])

    assert standing in body_on(dress)


@pytest.mark.parametrize(
    ("begin", "between", "end"),
    [("", "<br><br>", ""), ("<p>", "<br>", "</p>"), ("<span>", "</span><br><span>", "</span>")],
)
@pytest.mark.parametrize(
    "notice",
    [
        "Nothing on these pages may be copied without asking us before.",
        "Die Redaktion haftet nicht für Inhalte fremder Seiten.",
        "未经本站书面同意不得转载。",
    ],
)
def test_a_line_that_all_pages_have_between_line_breaks_leaves(
    notice: str, begin: str, between: str, end: str
) -> None:
    def dress(_: int, own: list[str]) -> str:
        texts = [paragraph[3:-4] for paragraph in own]
        return begin + between.join([*texts, notice]) + end

    body = body_on(dress)
    assert body.count("said a") == 10
    assert notice not in body


PEOPLE = [f"{first} {last}" for first, last in zip(NOUNS, PLACES, strict=True)]
PEOPLE = [name.title() for name in PEOPLE]


@pytest.mark.parametrize(
    "line",
    [
        "<p>责编：{0}　审核：{1}</p>",
        "<p>（编辑：{0}）</p><p>校对：{1}</p>",
        "<p>Redaktion: {0}</p>",
        "<p><em>Edición: {0}</em></p>",
        "<p>Редактор: {0}. Корректор: {1}</p>",
        "<p>编辑 {0} 校对 {1}</p>",
        "<p>編集：{0}</p><p>写真：{1}</p>",
    ],
)
def test_lines_that_name_the_staff_at_the_end_leave_the_body(line: str) -> None:
    def dress(number: int, own: list[str]) -> str:
        return "".join([*own, line.format(PEOPLE[number], PEOPLE[number + 3])])

    body = body_on(dress)
    assert body.count("said a") == 10
    assert PEOPLE[5] not in body


def test_a_label_that_all_pages_have_names_the_staff_if_the_same_people_come_again() -> None:
    def dress(number: int, own: list[str]) -> str:
        return "".join([*own, f"<p>Toimitti: {PEOPLE[number % 3]}</p>"])

    assert "Toimitti" not in body_on(dress)


@pytest.mark.parametrize("line", ["<p>Price: {0}4 Euro</p>", "<p>Place: {1}</p>"])
def test_facts_behind_a_label_stay(line: str) -> None:
    def dress(number: int, own: list[str]) -> str:
        return "".join([*own, line.format(number, PEOPLE[number])])

    assert line[3:8] in body_on(dress)


@pytest.mark.parametrize(
    "line",
    [
        "<p><strong>Lea también: <a href='{0}'>{1}</a></strong></p>",
        "<p>Mehr dazu: <a href='https://site.example{0}'>{1}</a></p>",
        "<div>延伸阅读：<a href='{0}'>{1}</a></div>",
        "<p>【延伸阅读】<a href='{0}'>{1}</a></p>",
        "<div><a href='{0}'>İlgili: {1}</a></div>",
        "<p>▶ Читайте нас: <a href='{0}'>{1}</a> | <a href='{0}?b'>{1}</a></p>",
    ],
)
def test_links_to_other_articles_behind_a_label_leave_the_body(line: str) -> None:
    def dress(number: int, own: list[str]) -> str:
        other = (number + 3) % 10
        link = line.format(f"/2024/{NOUNS[other]}", f"The {NOUNS[other]} that came back in May")
        return "".join([*own[:2], link, *own[2:]])

    body = body_on(dress)
    assert body.count("said a") == 10
    assert "came back" not in body


def test_sources_on_other_sites_and_files_stay() -> None:
    def dress(number: int, own: list[str]) -> str:
        source = f"<p>Source: <a href='https://other.example/{number}'>The report of {NOUNS[number]}</a></p>"
        file = f"<p>Download: <a href='/files/{number}.pdf'>The tables of {NOUNS[number]}</a></p>"
        said = f"<p>What came before this part of the long story: <a href='/2024/{number}'>The part that was told of {NOUNS[number]} in May</a></p>"
        return "".join([*own[:2], source, said, *own[2:4], file, own[4]])

    body = body_on(dress)
    assert "The report of" in body
    assert "The tables of" in body
    assert "The part that was told of" in body


def test_paragraphs_of_links_without_a_text_are_no_labels() -> None:
    def dress(number: int, own: list[str]) -> str:
        link = f"<p>Next: <a href='/x/{number}'><img src=a.png></a><a href='/y'>{PEOPLE[number]}</a></p>"
        return "".join([*own, link])

    assert body_on(dress).count("said a") == 10


def test_a_fixed_text_leaves_though_blanks_stand_between_its_elements() -> None:
    def dress(number: int, own: list[str]) -> str:
        return "".join([*own, "<p><a href=#>回复</a> <a href=#>支持</a> <a href=#>反对</a></p>"])

    assert "支持" not in body_on(dress)


@pytest.mark.parametrize(
    "head",
    [
        "<div class=post-head><span class=post-author>{0}</span> <span class=post-date>{1}</span></div>",
        "<p><b class=nick>{0}</b> <time datetime={1}>{1}</time></p>",
    ],
)
def test_who_wrote_the_posts_of_a_thread_and_when_is_no_text(head: str) -> None:
    def page(number: int) -> str:
        posts = "".join(
            f"<article class=post>{head.format(PEOPLE[k], f'2024-05-1{k} 10:1{number}')}"
            f"<div class=post-body><p>{' '.join(MADE[(7 * number + 4 * k + j) % 30] for j in range(4))}</p></div>"
            f"<p>Joined: 0{k + 1} May 2003</p><p>Posts: {k}7</p></article>"
            for k in range(5)
        )
        return f"<html><head><meta charset=utf-8></head><body><h1>{NOUNS[number]} and more</h1><main>{posts}</main></body></html>"

    site = sitecrawl.SiteModel()
    urls = [f"https://site.example/forum/topic/{number}-{NOUNS[number]}" for number in range(7)]
    learned = [sitecrawl.RawPage(page(number).encode(), urls[number]) for number in range(6)]
    site.learn(learned)
    article = site.extract(html=page(6), url=urls[6])
    assert article.provenance.method == "template"
    assert article.articleBody.count("said a") == 20
    assert not any(name in article.articleBody for name in PEOPLE)
    assert "20" not in article.articleBody
    assert "Posts:" not in article.articleBody
    assert [comment.author for comment in article.comments] == PEOPLE[1:5]


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        (
            "<table class=info><tr><td>Day: {0} May</td><td>Section: {1}</td><td>Replies: {2}</td></tr></table>",
            "Replies",
        ),
        ("<p class=hits>Популярность: {2} %</p>", "Популярность"),
        ("<div class=row><span class=n>阅读 {2} 次</span></div>", "阅读"),
    ],
)
def test_a_line_of_facts_that_most_pages_reject_is_the_template_s(facts: str, told: str) -> None:
    """On one page in four the extractor takes it for text."""
    pages = list[Extraction]()
    for number in range(8):
        line = facts.format(number + 1, PLACES[number], 3 * number + 1)
        html = page_of(number, lambda _, own: "".join(own)).replace("<p>", f"{line}<p>", 1)
        guess = Extraction(parse(html.encode(), f"https://site.example/{number}"))
        is_fact = np.array([told in text or "Section" in text for text in guess.blocks.texts])
        scores = np.where(is_fact & (number > 1), 0.1, 0.9)
        found = selection(guess.page, scores, kept=scores > 0.5)
        vars(guess).update(network=found, selection=found)
        pages.append(guess)
    for page in align_pages(pages):
        kept = [text for at, text in enumerate(page.blocks.texts) if page.keep[at] > 0.5]
        assert not any(told in text for text in kept)
        assert any(MADE[0][:20] in text or len(text) > 100 for text in kept)
