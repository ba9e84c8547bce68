"""Elements that no page of a template had: found by name, weighed by the extractor, settled by
several pages."""

from __future__ import annotations

from collections import Counter

import pytest

from sitecrawl.dom.parse import parse
from sitecrawl.templates.aligned_pages import align_pages
from sitecrawl.templates.apply import apply
from sitecrawl.templates.field_values import printed_day
from sitecrawl.templates.induction.induce import induce
from sitecrawl.templates.template import NO_CUT, Field, line_digest
from sitecrawl.templates.unknown_elements import (
    RepeatedTexts,
    UnknownElementCounts,
    WeighedElement,
    unknown_elements,
    weigh_elements,
    without_prose,
)
from tests.pages import article_page
from tests.templates.samples import english, sample

PROSE = "<p>The council said, after a long night, that the bridge number {n} will be built by part {k} of the plan.</p>"


def body_of(number: int, inside: str = "") -> str:
    return inside + "".join(PROSE.format(n=number, k=k) for k in range(6))


def page_with(number: int, inside: str = "") -> str:
    return f'<body><h1>The bridge number {number}</h1><div id="main">{body_of(number, inside)}</div></body>'


def test_named_containers_that_no_page_had_are_unknown() -> None:
    template = induce(
        [sample(page_with(n, '<div class="lead">Lead of the day.</div>')) for n in range(4)]
    )
    assert template is not None
    root = parse(
        page_with(
            9,
            '<div class="promo">Twenty characters and more.</div><div class="lead">Lead.</div><table><tr><td>A bare table says nothing</td></tr></table>',
        )
    ).root
    (body,) = root.xpath('//div[@id="main"]')
    assert [node.get("class") for node in unknown_elements(template, body)] == ["promo"]
    template.body.known = None
    assert unknown_elements(template, body) == []


def test_lines_of_other_pages_are_no_body() -> None:
    notice = "Our partners offer hosting, from one euro a month, with a free domain, and daily backups too."
    one = sample(page_with(1, f'<div class="promo"><p>{notice}</p></div>'))
    (box,) = one.page.root.xpath('//div[@class="promo"]')
    (dropped,) = weigh_elements(one, [box], repeated={line_digest(notice)})
    assert dropped.out == {box}
    assert set(dropped.lines) == {line_digest(notice)}


def test_an_extractor_that_found_another_body_is_no_judge() -> None:
    one = sample(page_with(1))
    (main,) = one.page.root.xpath('//div[@id="main"]')
    one.kept[:] = False
    one.scores[:] = 0.0
    assert weigh_elements(one, [main], repeated=set())[0].out == set()


def test_an_unknown_element_is_settled_by_several_pages() -> None:
    counts, settled = UnknownElementCounts(), list[tuple[list[str], list[str]]]()
    for number in range(6):
        box = [WeighedElement("div.ad", {1: 9.0, 2: 9.0}, set())] if number < 3 else []
        counts.add([*box, WeighedElement("div.quote", {100 + number: 20.0}, set())])
        settled.append(counts.settle({1, 2}))
    rule = './/div[contains(concat(" ", @class, " "), " ad ")]'
    assert settled == [
        ([], []),
        ([], []),
        (["div.ad"], [rule]),
        ([], []),
        ([], []),
        (["div.quote"], []),
    ]


def test_echoes_and_tally_go_round_through_documents() -> None:
    repeated, counts = (
        RepeatedTexts(),
        UnknownElementCounts(Counter({"div.ad": 2}), {"div.ad": [(7, 9.0), (8, -3.0)]}),
    )
    repeated.add("/1", ["A line that is long enough"])
    repeated.add("/2", ["A line that is long enough", "Another line of that page"])
    assert RepeatedTexts.from_dict(repeated.to_dict()) == repeated
    assert UnknownElementCounts.from_dict(counts.to_dict()) == counts
    with pytest.raises((TypeError, IndexError)):
        UnknownElementCounts.from_dict({"div.ad": []})


def test_the_lines_met_last_are_remembered_longest() -> None:
    repeated = RepeatedTexts()
    for number in range(1_200):
        repeated.add(f"/{number}", ["The notice of every page", f"A line of page number {number}"])
    assert line_digest("The notice of every page") in repeated.repeated
    assert len(repeated.first) == 1_000


FORMULA = "Thank you very much for reading, and see you again next week."
RITE = [
    f"In verse {k} of the rite the people answer aloud, as they have done every Sunday for many years."
    for k in range(12)
]


@pytest.mark.parametrize(
    ("standing", "inside", "fixed"),
    [
        ([FORMULA], "", False),
        ([FORMULA, "Subscribe, share and follow!"], "", True),
        (
            [*RITE[:6], "R. Amen."],
            "",
            False,
        ),  # one line that the extractor drops among many that it keeps
        ([*RITE, "R. Amen."], "", False),  # long, among the author's own paragraphs
        ([*RITE, "R. Amen."], "div", True),  # long, in a box of its own
        ([*RITE[:6]], "div", False),
        (["Subscribe, share and follow!", *RITE[:1]], "section", True),
    ],
)
def test_what_the_author_writes_each_time_is_no_text_of_the_template(
    standing: list[str], inside: str, fixed: bool
) -> None:
    run = "".join(f"<p>{text}</p>" for text in standing)
    run = f"<{inside}>{run}</{inside}>" if inside else run
    samples = [
        sample(page_with(n).replace("</div></body>", f"{run}</div></body>")) for n in range(4)
    ]
    for one in samples:
        for at, text in enumerate(one.blocks.texts):
            is_foreign = text.startswith(("Subscribe", "R. "))
            one.scores[at], one.kept[at] = (0.1, False) if is_foreign else (0.99, True)
    for page in align_pages(samples):
        assert {bool(page.fixed[page.blocks.texts.index(text)]) for text in standing} == {fixed}


def test_the_printed_day_wins_over_a_stamp_in_universal_time() -> None:
    rule = Field(dict.fromkeys(["//time/@datetime", "//time"], NO_CUT))
    html = '<body><time datetime="2024-05-01T23:30:00Z">{0}</time></body>'
    days = [
        printed_day(
            rule, parse(html.format(day)), value="2024-05-01T23:30:00Z", source="//time/@datetime"
        )
        for day in ("2024-05-02", "2024-05-01", "2024-06-01")
    ]
    assert days == ["2024-05-02", None, None]
    page = parse(html.format("2024-05-02"))
    assert (
        printed_day(rule, page, value="2024-05-01T12:30:00+02:00", source="//time/@datetime")
        is None
    )
    late = "2024-05-01T23:30:00+02:00"  # the next day where the offset was added twice
    assert printed_day(rule, page, value=late, source="//time/@datetime") == "2024-05-02"
    assert printed_day(rule, page, value="2024-05-01", source="//time") is None
    for label, day in (
        ("Updated: ", None),
        ("Published: ", "2024-05-02"),
        ("Published or updated: ", "2024-05-02"),
    ):
        page = parse(html.format(f"{label}2024-05-02"))
        assert (
            printed_day(rule, page, value="2024-05-01T23:30:00Z", source="//time/@datetime") == day
        )


def test_elements_left_out_are_not_rendered() -> None:
    template = induce(english(4))
    assert template is not None
    applied = apply(template, parse(article_page(9), "http://news.example/9"))
    body = applied.body
    assert body is not None
    first = body.node.xpath(".//p")[0]
    body.foreign = frozenset((first,))
    assert "".join(first.itertext()).strip() not in applied.article.articleBody


def test_prose_that_two_rules_find_stays_once() -> None:
    one = english(1)[0]
    paragraphs = list(one.page.root.iter("p"))
    text = [node for node in paragraphs if "paragraph of story" in (node.text or "")]
    left = without_prose(one, [*paragraphs, *paragraphs])
    assert text
    assert left.isdisjoint(text)
    assert left | set(text) == set(paragraphs)
