"""jusText against classes worked out by hand, in English, Chinese, Japanese and Korean."""

from __future__ import annotations

import numpy as np
import pytest

from sitecrawl.dom.page import Page
from sitecrawl.dom.parse import parse
from sitecrawl.extract.single import Extraction
from sitecrawl.extras.papers.justext import (
    BAD,
    GOOD,
    KOREAN,
    NEAR,
    PROFILES,
    SHORT,
    UNLISTED,
    Measures,
    StopwordProfile,
    choose_profile,
    context_free,
    extract_justext,
    measure,
    revise,
    standard_tokens,
)

ENGLISH = PROFILES["en"]
SENTENCE = "The bridge that was closed to all of us in the spring is open again, and it will be so for years. "
CHINESE = (
    "这座大桥在春天的时候关闭了，现在已经重新开放，我们都可以从桥上走过去，也可以把车开到对岸。"
)
JAPANESE = "この橋は春から閉まっていましたが、きのうまた開いたので、みんなで歩いて川の向こうへ行くことができます。"


def page_of(html: str) -> Page:
    return parse(f"<body>{html}</body>")


def tokens_of(page: Page) -> list[list[str]]:
    return [standard_tokens(text.casefold()) for text in page.document.blocks.texts]


def measures(lengths: list[int], headings: tuple[int, ...] = ()) -> Measures:
    count = len(lengths)
    return Measures(
        np.array(lengths, np.float64),
        np.zeros(count),
        np.zeros(count),
        np.zeros(count, bool),
        np.isin(np.arange(count), headings),
    )


def test_thresholds_for_english_are_the_published_ones() -> None:
    assert (ENGLISH.length_low, ENGLISH.length_high, ENGLISH.heading_distance) == (70, 200, 200)
    assert (ENGLISH.stops_low, ENGLISH.stops_high, ENGLISH.link_density) == (0.30, 0.32, 0.2)


def test_measures_by_hand() -> None:
    page = page_of("<h2>To <b>be</b></h2><p>The <a>cat</a> sat</p><p>© of it</p>")
    found = measure(page, tokens_of(page), profile=ENGLISH)
    assert found.length.tolist() == [5, 11, 7]
    assert found.links.tolist() == pytest.approx([0, 3 / 9, 0]), (
        "of 3 + 3 + 3 characters without blanks between runs"
    )
    assert found.stops.tolist() == pytest.approx([1, 1 / 3, 1])
    assert found.barred.tolist() == [False, False, True]
    assert found.heading.tolist() == [True, False, False]


@pytest.mark.parametrize(
    ("length", "links", "stops", "barred", "expected"),
    [
        (69, 0.0, 0.9, False, SHORT),
        (69, 0.1, 0.9, False, BAD),
        (201, 0.0, 0.32, False, GOOD),
        (200, 0.0, 0.32, False, NEAR),
        (201, 0.0, 0.31, False, NEAR),
        (201, 0.0, 0.29, False, BAD),
        (201, 0.21, 0.9, False, BAD),
        (201, 0.2, 0.9, False, GOOD),
        (201, 0.0, 0.9, True, BAD),
    ],
)
def test_context_free_classes(
    length: float, links: float, stops: float, barred: bool, expected: int
) -> None:
    one = Measures(
        np.array([length]),
        np.array([links]),
        np.array([stops]),
        np.array([barred]),
        np.array([False]),
    )
    assert context_free(one, ENGLISH).tolist() == [expected]


@pytest.mark.parametrize(
    ("classes", "final"),
    [
        ([GOOD, SHORT, GOOD], [GOOD, GOOD, GOOD]),
        ([BAD, SHORT, SHORT, BAD], [BAD, BAD, BAD, BAD]),
        ([SHORT, GOOD, SHORT], [BAD, GOOD, BAD]),
        ([GOOD, SHORT, BAD], [GOOD, BAD, BAD]),
        ([GOOD, SHORT, NEAR, BAD], [GOOD, GOOD, GOOD, BAD]),
        ([BAD, NEAR, SHORT, GOOD], [BAD, GOOD, GOOD, GOOD]),
        ([BAD, SHORT, NEAR, GOOD], [BAD, BAD, GOOD, GOOD]),
        ([BAD, NEAR, NEAR, BAD], [BAD, BAD, BAD, BAD]),
        ([NEAR, GOOD, BAD, NEAR], [GOOD, GOOD, BAD, BAD]),
    ],
)
def test_classes_in_context(classes: list[int], final: list[int]) -> None:
    assert (
        revise(np.array(classes), measures([50] * len(classes)), profile=ENGLISH).tolist() == final
    )


def test_a_heading_follows_the_good_block_below_it() -> None:
    classes = np.array([BAD, SHORT, SHORT, GOOD])
    assert (
        revise(classes, measures([300, 20, 200, 300], headings=(1,)), profile=ENGLISH).tolist()[1]
        == GOOD
    )
    assert (
        revise(classes, measures([300, 20, 201, 300], headings=(1,)), profile=ENGLISH).tolist()[1]
        == BAD
    ), "too far"
    assert revise(classes, measures([300, 20, 200, 300]), profile=ENGLISH).tolist()[1] == BAD, (
        "no heading"
    )
    assert (
        revise(
            np.array([BAD, BAD, GOOD]), measures([9, 9, 300], headings=(1,)), profile=ENGLISH
        ).tolist()[1]
        == BAD
    )


def test_lengths_in_cjk_are_tokens() -> None:
    page = page_of("<p>橋がOpenした カタカナ</p>")
    assert measure(page, tokens_of(page), profile=PROFILES["ja"]).length.tolist() == [6]
    assert measure(page, tokens_of(page), profile=ENGLISH).length.tolist() == [13]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (SENTENCE, ENGLISH),
        (
            "Die Brücke ist seit dem Frühjahr wieder offen, und sie wird es auch bleiben.",
            PROFILES["de"],
        ),
        (CHINESE, PROFILES["zh"]),
        (JAPANESE, PROFILES["ja"]),
        ("다리는 봄부터 닫혀 있었지만 어제 다시 열렸다", KOREAN),
        ("Η γέφυρα άνοιξε ξανά την άνοιξη", UNLISTED),
        ("for row in table: print(row) " * 3 + CHINESE, PROFILES["zh"]),
        ("", UNLISTED),
    ],
)
def test_the_profile_is_that_of_the_text(text: str, expected: StopwordProfile) -> None:
    assert choose_profile([standard_tokens(text.casefold())], np.zeros(1)) == expected


@pytest.mark.parametrize("sentence", [SENTENCE, CHINESE, JAPANESE])
def test_prose_is_kept_and_menus_are_not(sentence: str) -> None:
    menu = "".join(f'<li><a href="/{n}">栏目 entry {n}</a></li>' for n in range(9))
    page = parse(
        f"<body><ul>{menu}</ul><h2>1</h2><p>{sentence * 3}</p><p>2</p><p>{sentence * 3}</p><ul>{menu}</ul>"
    )
    body = Extraction(page, "justext").article.articleBody
    assert body.count(sentence.strip()) == 6
    assert "entry" not in body
    assert body.splitlines()[0] == "1"
    assert "2" in body.splitlines(), "a short block between good ones"


def test_a_page_of_nothing_but_short_blocks_costs_no_more_than_it_should() -> None:
    page = page_of("<p>x</p>" * 20_000)
    assert not extract_justext(page).kept.any()
    assert not extract_justext(page_of("")).kept.any()


def test_a_long_chinese_block_needs_no_function_word() -> None:
    """Chinese by hand: short below 5 tokens, long above 15, in doubt between, links up to a
    tenth."""
    chinese = PROFILES["zh"]
    assert context_free(measures([4, 5, 15, 16]), chinese).tolist() == [SHORT, NEAR, NEAR, GOOD]
    linked = Measures(
        np.array([30.0, 30.0]),
        np.array([0.1, 0.11]),
        np.zeros(2),
        np.zeros(2, bool),
        np.zeros(2, bool),
    )
    assert context_free(linked, chinese).tolist() == [GOOD, BAD]
