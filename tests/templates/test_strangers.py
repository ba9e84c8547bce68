"""Elements that no page of a template had: found by name, weighed by the extractor, settled by several pages."""

from __future__ import annotations

from collections import Counter

import pytest

from sitecrawl.dom.align import Names
from sitecrawl.dom.parse import parse
from sitecrawl.templates.apply import apply
from sitecrawl.templates.field_values import printed_day
from sitecrawl.templates.induction.induce import induce
from sitecrawl.templates.sheet import sheets_of
from sitecrawl.templates.strangers import Echoes, Tally, Weighed, strangers, weigh
from sitecrawl.templates.template import Field, line_number
from tests.pages import article_page
from tests.templates.samples import english, sample

PROSE = "<p>The council said, after a long night, that the bridge number {n} will be built by part {k} of the plan.</p>"


def body_of(number: int, inside: str = "") -> str:
    return inside + "".join(PROSE.format(n=number, k=k) for k in range(6))


def page_with(number: int, inside: str = "") -> str:
    return f'<body><h1>The bridge number {number}</h1><div id="main">{body_of(number, inside)}</div></body>'


def test_named_containers_that_no_page_had_are_strangers() -> None:
    template = induce([sample(page_with(n, '<div class="lead">Lead of the day.</div>')) for n in range(4)])
    assert template is not None
    root = parse(
        page_with(
            9,
            '<div class="promo">Twenty characters and more.</div><div class="lead">Lead.</div><table><tr><td>A bare table says nothing</td></tr></table>',
        )
    ).root
    (body,) = root.xpath('//div[@id="main"]')
    assert [node.get("class") for node in strangers(template, body)] == ["promo"]
    template.body.known = None
    assert strangers(template, body) == []


def test_lines_of_other_pages_are_no_body() -> None:
    notice = "Our partners offer hosting, from one euro a month, with a free domain, and daily backups too."
    one = sample(page_with(1, f'<div class="promo"><p>{notice}</p></div>'))
    (box,) = one.page.root.xpath('//div[@class="promo"]')
    (dropped,) = weigh(one, [box], {line_number(notice)})
    assert dropped.out == {box}
    assert set(dropped.lines) == {line_number(notice)}


def test_an_extractor_that_found_another_body_is_no_judge() -> None:
    one = sample(page_with(1))
    (main,) = one.page.root.xpath('//div[@id="main"]')
    one.guess.kept[:] = False
    one.guess.scores[:] = 0.0
    assert weigh(one, [main], set())[0].out == set()


def test_a_stranger_is_settled_by_several_pages() -> None:
    tally, settled = Tally(), list[tuple[list[str], list[str]]]()
    for number in range(6):
        box = [Weighed("div.ad", {1: 9.0, 2: 9.0}, set())] if number < 3 else []
        tally.take([*box, Weighed("div.quote", {100 + number: 20.0}, set())])
        settled.append(tally.settled({1, 2}))
    rule = './/div[contains(concat(" ", @class, " "), " ad ")]'
    assert settled == [([], []), ([], []), (["div.ad"], [rule]), ([], []), ([], []), (["div.quote"], [])]


def test_echoes_and_tally_go_round_through_documents() -> None:
    echoes, tally = Echoes(), Tally(Counter({"div.ad": 2}), {"div.ad": [(7, 9.0), (8, -3.0)]})
    echoes.meet("/1", ["A line that is long enough"])
    echoes.meet("/2", ["A line that is long enough", "Another line of that page"])
    assert Echoes.from_dict(echoes.to_dict()) == echoes
    assert Tally.from_dict(tally.to_dict()) == tally
    with pytest.raises((TypeError, IndexError)):
        Tally.from_dict({"div.ad": []})


def test_the_lines_met_last_are_remembered_longest() -> None:
    echoes = Echoes()
    for number in range(1_200):
        echoes.meet(f"/{number}", ["The notice of every page", f"A line of page number {number}"])
    assert line_number("The notice of every page") in echoes.common
    assert len(echoes.first) == 1_000


@pytest.mark.parametrize(("around", "fixed"), [("<p>Subscribe, share and follow!</p>", True), ("", False)])
def test_a_sentence_beside_other_texts_of_the_template_is_no_formula(around: str, fixed: bool) -> None:
    formula = "Thank you very much for reading, and see you again next week."
    samples = [
        sample(page_with(n).replace("</div></body>", f"<p>{formula}</p>{around}</div></body>")) for n in range(4)
    ]
    for one in samples:
        for at, text in enumerate(one.guess.blocks.texts):
            one.guess.scores[at], one.guess.kept[at] = (0.1, False) if text.startswith("Subscribe") else (0.99, True)
    sheets = sheets_of(samples, Names([one.page.tree for one in samples]))
    for sheet in sheets:
        assert bool(sheet.fixed[sheet.blocks.texts.index(formula)]) is fixed


def test_the_printed_day_wins_over_a_stamp_in_universal_time() -> None:
    rule = Field(["//time/@datetime", "//time"], [("", ""), ("", "")])
    html = '<body><time datetime="2024-05-01T23:30:00Z">{0}</time></body>'
    days = [
        printed_day(rule, parse(html.format(day)), ("2024-05-01T23:30:00Z", rule.sources[0]))
        for day in ("2024-05-02", "2024-05-01", "2024-06-01")
    ]
    assert days == ["2024-05-02", None, None]
    assert printed_day(rule, parse(html.format("2024-05-02")), ("2024-05-01T23:30:00+02:00", rule.sources[0])) is None
    assert printed_day(rule, parse(html.format("2024-05-02")), ("2024-05-01", "//time")) is None


def test_elements_left_out_are_not_rendered() -> None:
    template = induce(english(4))
    assert template is not None
    applied = apply(template, parse(article_page(9), "http://news.example/9"))
    body = applied.article.body
    first = body.node.xpath(".//p")[0]  # type: ignore[union-attr]
    body.foreign = frozenset((first,))  # type: ignore[union-attr]
    assert "".join(first.itertext()).strip() not in applied.article.articleBody
