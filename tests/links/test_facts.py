"""Facts of links on pages small enough to count by hand."""

from __future__ import annotations

import numpy as np
import pytest

from sitecrawl.dom.parse import parse
from sitecrawl.links.anchors import ATTRIBUTES, TEXT_FLAGS, text_facts
from sitecrawl.links.facts import PageFacts, page_facts
from sitecrawl.links.link_features import FEATURES, target_features
from sitecrawl.links.pagination import links_that_turn
from sitecrawl.links.regions import REGIONS

LIST = """<body><div class="nav"><a href="/">Home</a></div><ul>
<li><h2><a href="/a" rel="bookmark" title="one two">First one</a></h2><span>2019-07-05</span><img></li>
<li><a href="/b"><img alt="a grey bridge"></a></li>
<li class="meta"><a href="/c">桥梁</a></li></ul></body>"""


def facts(html: str = LIST) -> PageFacts:
    return page_facts(parse(html, "http://a.org/x/"))


def column(name: str, html: str = LIST) -> list[int]:
    return facts(html).column(name).tolist()


def test_records_are_items_of_a_list() -> None:
    assert column("list_size") == [1, 3, 3, 3]
    assert column("ordinal") == [0, 0, 1, 2]
    assert column("record_links") == [4, 1, 1, 1]
    assert column("listed") == [0, 1, 1, 1]


def test_sizes_are_bytes() -> None:
    assert facts().total == 4 + 9 + 10 + 6
    assert column("size") == [4, 9, 0, 6]
    assert column("record_size") == [29, 19, 0, 6]
    assert column("offset") == [0, 4, 23, 23]


def test_words_of_text_title_and_picture() -> None:
    assert column("words") == [1, 2, 0, 2]
    assert column("title_words") == [0, 2, 0, 0]
    assert column("other_words") == [0, 0, 3, 0]
    assert column("images") == [0, 0, 1, 0]


def test_regions_around_a_link_and_up_to_its_record() -> None:
    nav, heading, meta = (1 << REGIONS.index(name) for name in ("nav", "heading", "meta"))
    assert [mask & (nav | heading | meta) for mask in column("mask")] == [nav, heading, 0, meta]
    assert [mask & (nav | heading | meta) for mask in column("near")] == [nav, heading, 0, meta]
    assert facts().paths == ["body/div/a", "body/ul/li/h2/a", "body/ul/li/a"]


def test_attributes_are_bits() -> None:
    html = '<a href=x rel="PREV nofollow" target=_blank>x</a><a href=x rel=tag>x</a><a href=x>x</a>'
    names = [
        {name for bit, name in enumerate(ATTRIBUTES) if mask >> bit & 1}
        for mask in column("attributes", html)
    ]
    assert names == [{"rel_next", "nofollow", "blank"}, {"rel_tag"}, set()]


def test_links_that_turn_the_page() -> None:
    html = '<a href="/x/page/2/">two</a><a href="/y" rel=next>y</a><a href="/z">Next</a><a href="/7">7</a><a href="#top">2</a>'
    page = facts(f'{html}<div class="pager"><a href="/8">8</a></div>')
    assert links_that_turn(page, target_features(page)).tolist() == [
        True,
        True,
        True,
        False,
        False,
        True,
    ]
    # above most Chinese pages: the home page, through which a crawl of a section left it
    trail = facts(
        '<a href="/">首页</a> &gt; <a href="/x/">新闻</a><a href="/x/list_1.html">上一页</a>'
    )
    assert links_that_turn(trail, target_features(trail)).tolist() == [False, False, True]
    nowhere = facts('<a href="#top">2</a>')
    assert not links_that_turn(nowhere, target_features(nowhere)).any()


@pytest.mark.parametrize(
    "text",
    "下一頁 上一頁 następna další nästa neste seuraava sonraki التالي הבא trang·sau selanjutnya ถัดไป επόμενη".split(),
)
def test_words_in_other_languages_turn_the_page(text: str) -> None:
    page = facts(f'<a href="/z">{text.replace("·", " ")}</a>')
    assert links_that_turn(page, target_features(page)).tolist() == [True]


@pytest.mark.parametrize("key", "strona seite pagina sayfa pageIndex currentPage page_no".split())
def test_numbers_of_pages_in_queries(key: str) -> None:
    page = facts(f'<a href="/z?{key}=2">a</a>')
    assert links_that_turn(page, target_features(page)).tolist() == [True]


def test_a_home_page_in_traditional_chinese_turns_no_page() -> None:
    trail = facts('<a href="/">首頁</a> &gt; <a href="/x/">新聞</a>')
    assert not links_that_turn(trail, target_features(trail)).any()


def test_a_word_counts_once_however_many_say_it() -> None:
    matrix = target_features(
        facts('<a href="/tags/" rel="tag">Tags</a><a href="/tags/x/">x</a>')
    ).matrix
    assert matrix[:, FEATURES.index("says_section")].max() == 1


def test_rows_do_not_depend_on_the_order_of_links() -> None:
    items = [f'<li><a href="/a/{n}/">{"word " * n}</a></li>' for n in range(1, 9)]
    there, back = (
        target_features(facts(f"<ul>{''.join(part)}</ul>")) for part in (items, items[::-1])
    )
    same = [
        n
        for n, (a, b) in enumerate(zip(there.matrix.T, back.matrix.T, strict=True))
        if np.allclose(a, b[::-1])
    ]
    assert len(same) > 0.9 * there.matrix.shape[1]


CARDS = """<ul><li><a href="/a"></a><h3>A bridge for the town</h3><p>Text</p></li>
<li><a href="/b"><img src="b.jpg"></a><div><h3>The tram is late</h3><a href="/tag">tram</a></div></li>
<li><a href="/c"></a><h3><a href="/d">One</a></h3></li><li><a href="/e"></a><h3>Two</h3><h4>headings</h4></li></ul>"""


def test_a_link_without_words_borrows_the_only_heading_of_its_card() -> None:
    page = facts(CARDS)
    words = dict(zip(page.urls, page.column("words").tolist(), strict=True))
    assert [words[f"http://a.org/{name}"] for name in ("a", "b", "c", "e")] == [5, 4, 0, 0]
    near = dict(zip(page.urls, page.column("near").tolist(), strict=True))
    heading = 1 << REGIONS.index("heading")
    assert [bool(near[f"http://a.org/{name}"] & heading) for name in ("a", "c")] == [True, False]
    assert page.texts[0] == ""


def test_ends_of_east_asian_names() -> None:
    flags = [
        text_facts(text)[2]
        for text in ("学院简介", "校园新闻", "学校新闻网正式开通并发布第一条新闻", "News")
    ]
    fixed, listing = (1 << TEXT_FLAGS.index(name) for name in ("t_fixed", "t_listing"))
    assert [(bool(flag & fixed), bool(flag & listing)) for flag in flags] == [
        (True, False),
        (False, True),
        (False, False),
        (False, True),
    ]
