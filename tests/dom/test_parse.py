"""The one parser: encodings, lies about encodings, depth, and pages that are hardly pages."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from sitecrawl.dom.document import Document
from sitecrawl.dom.encoding import decode
from sitecrawl.dom.parse import parse
from sitecrawl.limits import LIMITS

CHINESE = (
    "今日本市召开新闻发布会，介绍了公共交通改造工程的进展情况。第一阶段已经完成，第二阶段将于明年春天开始。"
    * 4
)
TAIWANESE = (
    "今日本市召開新聞發布會，介紹公共交通改造工程的進展情況。第一階段已經完成，第二階段將於明年春天開始。"
    * 4
)
JAPANESE = (
    "本日、市は記者会見を開き、公共交通の改修工事の進み具合を説明しました。第一段階は終わりました。"
    * 4
)
RUSSIAN = (
    "Сегодня город рассказал о ходе ремонта общественного транспорта. Первый этап уже закончен. "
    * 4
)


def page(text: str, charset: str | None) -> str:
    meta = f'<meta charset="{charset}">' if charset else ""
    return f"<html><head>{meta}<title>t</title></head><body><p>{text}</p></body></html>"


def text_of(html: str | bytes, content_type: str | None = None) -> str:
    return parse(html, content_type=content_type).document.text(0)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (CHINESE, "gbk"),
        (CHINESE, "gb18030"),
        (TAIWANESE, "big5"),
        (JAPANESE, "euc-jp"),
        (JAPANESE, "shift_jis"),
        (RUSSIAN, "windows-1251"),
        (CHINESE, "utf-8"),
    ],
)
def test_declared_encodings(text: str, encoding: str) -> None:
    assert text_of(page(text, encoding).encode(encoding)) == text.strip()


@pytest.mark.parametrize(
    ("declared", "real"), [("utf-8", "gbk"), ("gbk", "utf-8"), ("gb2312", "utf-8")]
)
def test_a_declaration_that_lies_is_overruled(declared: str, real: str) -> None:
    assert text_of(page(CHINESE, declared).encode(real)) == CHINESE


def test_a_header_that_lies_is_overruled() -> None:
    assert text_of(page(CHINESE, "gbk").encode("gbk"), "text/html; charset=utf-8") == CHINESE


def test_a_meta_element_cannot_declare_wide_characters() -> None:
    assert text_of(page(CHINESE, "utf-16").encode("utf-8")) == CHINESE


def test_encodings_in_seven_bits_are_read_as_declared() -> None:
    assert text_of(page(JAPANESE, "iso-2022-jp").encode("iso-2022-jp")) == JAPANESE


def test_a_few_bytes_above_ascii_are_read_as_declared() -> None:
    assert text_of(page("café", "utf-8").encode("utf-8")) == "café"
    assert text_of(page("café", "windows-1252").encode("cp1252")) == "café"


def test_undeclared_encodings_are_guessed() -> None:
    assert text_of(page(CHINESE, None).encode("gb18030")) == CHINESE
    assert text_of(page(RUSSIAN, None).encode("utf-8")) == RUSSIAN.strip()


def test_byte_order_mark_beats_declaration() -> None:
    assert text_of(b"\xef\xbb\xbf" + page(CHINESE, "gbk").encode("utf-8")) == CHINESE
    assert text_of(page(CHINESE, "gbk").encode("utf-16")) == CHINESE


def test_xml_declaration_in_text_is_no_error() -> None:
    assert text_of('<?xml version="1.0" encoding="gb2312"?>' + page(CHINESE, None)) == CHINESE


def test_fifteen_hundred_nested_elements_are_kept() -> None:
    deep = parse("<div>" * 1500 + "bottom" + "</div>" * 1500)
    assert deep.document.text(0) == "bottom"
    assert max(deep.document.depths) >= 1500
    assert not deep.truncated


def test_content_that_the_parser_drops_is_said() -> None:
    assert parse("<div>" * 3000 + "bottom").truncated


@pytest.mark.parametrize("head", ["<!doctype html><HTML>", "<body class=a>"])
@pytest.mark.parametrize(
    ("rest", "is_early"),
    [
        ("<div>one", True),
        ("<p>one</p><a href=/", True),
        ("<table><tr><td>one", True),
        ("<script>let a = '", True),
        ("<div>one</div><p>two<ul><li>three</ul>", False),  # other ends may be left out
        ("<div><div>one</div></body>", False),
        ("<div><div>one</div></HTML >" + "<!-- made in .3 s -->" * 100, False),
    ],
)
def test_a_document_without_its_end_is_told_from_one_that_leaves_out_tags(
    head: str, rest: str, is_early: bool
) -> None:
    assert parse(head + rest).ends_early == is_early
    assert parse((head + rest).encode("utf-16")).ends_early == is_early
    assert not parse(
        rest.partition("</body>")[0] if is_early else rest
    ).ends_early  # a part of a page, as callers give it
    assert not parse(
        head + "<div>" + "<i></i>" * (LIMITS.tags + 10)
    ).ends_early  # which is cut, and says so


def test_too_many_elements_are_cut_and_said() -> None:
    document = parse("<i></i>" * (LIMITS.nodes + 10)).document
    assert document.truncated
    assert len(document) == LIMITS.nodes
    assert document.ends[0] == LIMITS.nodes


@pytest.mark.parametrize(
    "html", ["", b"", " \n", "\x00", b"\xff\xfe", "<!-- only a comment -->", "<", "\ud800"]
)
def test_next_to_nothing_gives_an_empty_page(html: str | bytes) -> None:
    empty = parse(html, "http://example.com/")
    assert empty.root.tag == "html"
    assert empty.document.text(0).strip("<\ufffd?") == ""


def test_comments_and_scripts_are_no_text() -> None:
    document = parse(
        "<p>one<!-- c --> two<script>var x = 'three'</script> four<?php x ?></p>"
    ).document
    assert document.text(0) == "one two four"


def test_a_root_of_another_parser_with_comments_gives_the_same_tree() -> None:
    html = "<div><!-- c --><p>one <b>two</b></p><!-- d --></div><p>three</p>"
    foreign, own = Document(etree.HTML(html)), parse(html).document
    assert (foreign.tags, foreign.parents, foreign.ends) == (own.tags, own.parents, own.ends)
    assert (foreign.chunks, foreign.owners, foreign.first, foreign.last) == (
        own.chunks,
        own.owners,
        own.first,
        own.last,
    )


def test_base_url() -> None:
    assert (
        parse('<base href="/a/"><p>x', "http://example.com/b/c").base_url == "http://example.com/a/"
    )
    assert (
        parse('<base href="http://[bad"><p>x', "http://example.com/b").base_url
        == "http://example.com/b"
    )
    assert parse("<p>x", "http://example.com/b").base_url == "http://example.com/b"


@given(st.binary(max_size=400))
@settings(max_examples=150, deadline=None)
def test_any_bytes_give_a_page(body: bytes) -> None:
    text, encoding = decode(body)
    assert isinstance(text, str)
    assert encoding
    assert len(parse(body).document) >= 1


@given(st.text(alphabet="<>/abdivp \"'=&;!-\x00\u4e2d", max_size=200))
@settings(max_examples=200, deadline=None)
def test_any_markup_gives_a_consistent_tree(html: str) -> None:
    document = parse(html).document
    for number in range(len(document)):
        assert number < document.ends[number] <= len(document)
        assert document.first[number] <= document.last[number] <= len(document.chunks)
        if number:
            parent = document.parents[number]
            assert parent < number < document.ends[parent]
            assert document.ends[number] <= document.ends[parent]
            assert document.depths[number] == document.depths[parent] + 1
    assert [
        document.owners[k] for k in range(document.first[0], document.last[0])
    ] == document.owners


@pytest.mark.costs(3)
def test_a_tag_with_very_many_attributes_loses_them() -> None:
    crowd = " ".join(f"a{at}='{at} > 1'" for at in range(100_000))
    page = parse(f"<p class='x'>one</p><div {crowd}>two</div>")
    assert page.truncated
    assert page.root.find(".//p").attrib == {"class": "x"}
    assert page.root.findtext(".//div") == "two"
    assert not page.root.find(".//div").attrib


def test_a_page_told_in_a_noscript_is_read_and_a_notice_in_one_is_not() -> None:
    post = (
        "<p>The bridge was painted by the people of the street, who had waited long enough.</p>" * 6
    )
    shell = '<div id="app">Loading</div>'
    page = parse(f"<body>{shell}<noscript data-path='/t/1'>{post}</noscript></body>")
    assert sum("bridge" in chunk for chunk in page.document.chunks) == 6
    page = parse(f"<body>{shell}{post}<noscript>{post}</noscript></body>")
    assert sum("bridge" in chunk for chunk in page.document.chunks) == 6
    notice = "<style>" + "p {color: red} " * 60 + "</style><p>Please turn scripts on.</p>"
    assert "scripts" not in " ".join(
        parse(f"<body>{shell}<noscript>{notice}</noscript></body>").document.chunks
    )


def test_what_stands_behind_the_end_of_the_page_is_kept() -> None:
    page = parse(
        "<html><head><title>t</title></head></html><body class='b'><h1>One</h1><p>two</p></body></html>three"
    )
    assert page.document.tags == ["html", "head", "title", "body", "h1", "p"]
    assert page.document.chunks == ["One", "two", "three"]
    assert page.root.find("body").attrib == {"class": "b"}
    page = parse(
        "<html><body id=a><p>one</p></body></html><html lang=fr><head><title>u</title></head><body id=b>two"
    )
    assert [node.tag for node in page.root] == ["head", "body"]
    assert (page.document.chunks, page.metadata.language, page.metadata.title) == (
        ["one", "two"],
        "fr",
        "u",
    )
    assert page.root.getnext() is None
    assert page.root.find("body").get("id") == "a"


def test_half_a_character_in_metadata_can_be_written() -> None:
    data = r'{"@type": "NewsArticle", "author": "Ann \ud83d\ude00", "description": "\/ a river \ud83d", "url": "\\ud83d\ude00"}'
    linked = parse(f'<script type="application/ld+json">{data}</script>').metadata.linked
    assert linked["author"] == "Ann \U0001f600"
    assert linked["description"] == "/ a river \ufffd"
    assert linked["url"] == "\\ud83d\ufffd"


ARTICLE = {"@type": "NewsArticle", "headline": "A bridge opens", "datePublished": "2019-07-05"}
WRITTEN = json.dumps(ARTICLE, indent=2)
SCRIPTS = {
    "quotes that are not escaped": WRITTEN.replace("A bridge", 'The "old" bridge "X"').replace(
        "opens", 'is "open"'
    ),
    "quotes and a comma": WRITTEN.replace("A bridge", '"A" bridge').replace('05"', '05",'),
    "a CDATA section": f"//<![CDATA[\n{WRITTEN}\n//]]>",
    "a comment": f"<!-- {WRITTEN} -->",
    "two documents": f"{WRITTEN}\n{WRITTEN};",
    "a list": f"[{WRITTEN}]",
}


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS)
def test_json_ld_as_it_is_written_by_hand(script: str) -> None:
    linked = parse(f'<script type="application/ld+json">{script}</script>').metadata.linked
    assert linked["datePublished"] == "2019-07-05"


def test_blanks_behind_a_text_of_broken_json_ld_take_linear_time() -> None:
    """They took minutes: its expression tried each way to divide the blanks."""
    script = WRITTEN.replace('opens",', f'opens"{" " * 300_000}//,')
    assert parse(f'<script type="application/ld+json">{script}</script>').metadata.linked == {}


def test_the_json_ld_of_the_page_s_own_article_counts() -> None:
    """Reviews, job advertisements and other stories may come before it."""
    other = ARTICLE | {"headline": "A tunnel closes", "datePublished": "2018-01-01"}
    given = [
        {"@type": "Review", "author": "Bo"},
        {"@type": "JobPosting", "title": "Driver"},
        other,
        ARTICLE,
    ]
    for scripts in ([given], given):
        html = "".join(
            f'<script type="application/ld+json">{json.dumps(script)}</script>'
            for script in scripts
        )
        assert parse(f"<title>A bridge opens | News</title>{html}").metadata.linked == ARTICLE
        assert parse(html).metadata.linked == other


def test_authors_that_a_list_names_by_their_ids() -> None:
    people = [{"@id": f"#{name}", "@type": "Person", "name": name} for name in ("Ann", "Bo")]
    graph = [ARTICLE | {"author": [{"@id": "#Bo"}, {"@id": "#none"}, {"@id": "#Ann"}]}, *people]
    linked = parse(
        f'<script type="application/ld+json">{json.dumps({"@graph": graph})}</script>'
    ).metadata.linked
    assert [one.get("name") for one in linked["author"]] == ["Bo", None, "Ann"]


def test_metadata_of_comments_is_none_of_the_page() -> None:
    comment = '<div itemprop="comment" itemscope><p><meta itemprop="datePublished" content="2021-01-01"></p></div>'
    review = '<li itemprop=review itemscope><meta itemprop="author" content="Bo"></li>'
    own = '<div itemscope><meta itemprop="dateModified" content="2019-07-05"></div>'
    assert parse(f"<body>{comment}{review}{own}").metadata.meta == {"datemodified": "2019-07-05"}


@pytest.mark.parametrize("name", ["xml:lang", ":class", "@click", "<a", '"', "a&b;", "\x01"])
def test_attribute_names_that_cannot_be_written(name: str) -> None:
    """An open paragraph is ended before a section: its attributes go to another element. Vue writes
    names like these."""
    found = parse(
        f"<p class=x {name}=y>one<section>two</section></html><html class=z {name}=y>three"
    )
    assert found.document.chunks == ["one", "two", "three"]
    assert [node.get("class") for node in found.root.iter("p", "html")][:2] == ["z", "x"]


@pytest.mark.parametrize(
    "html",
    [
        "<p>one\x1f<section>two",
        "<p>one&#31;<section>two",
        "<title>t</title>\x01<main>one\x1f</main>\x02two",
    ],
)
def test_control_characters_cannot_be_written_either(html: str) -> None:
    """lxml reads them, and refuses them where text is moved."""
    found = parse(html)
    assert "one" in found.document.text(0)
    assert "two" in found.document.text(0)


def test_long_attributes_of_a_large_page_are_shortened() -> None:
    data = "A" * 300_000
    found = parse(
        f"<img alt=b src='data:image/png;base64,{data}' title=\"c\"><p class={data} id=d>text</p><a href=/a>more"
    )
    image, text, link = (next(found.root.iter(tag)) for tag in ("img", "p", "a"))
    assert (
        len(image.get("src") or "")
        < len(text.get("class") or "") + 10
        <= LIMITS.attribute_chars + 10
    )
    assert (image.get("alt"), image.get("title"), text.get("id"), link.get("href")) == (
        "b",
        "c",
        "d",
        "/a",
    )
    assert found.document.chunks == ["text", "more"]
    assert not found.is_cut


def test_text_without_end() -> None:
    found = parse("".join(f"<p>{'word ' * 190_000}</p>" for _ in range(9)))
    assert found.is_cut
    assert len(found.document.chunks) == 9
    assert sum(map(len, found.document.chunks)) < LIMITS.text_chars + LIMITS.chunk_chars


def test_blanks_before_a_text_are_not_all_that_is_kept_of_it() -> None:
    """A text without characters broke the extraction of such a page."""
    assert parse(f"<p>{' ' * LIMITS.chunk_chars}some words").document.chunks == ["some words"]


@pytest.mark.parametrize("hyphen", ["\xad", "&shy;", "&#173;", "&#xad;", "&#xAD;", "\0"])
@pytest.mark.parametrize("more", ["", "<p>more</p>" * 20_000])
def test_soft_hyphens_are_no_part_of_a_word(hyphen: str, more: str) -> None:
    html = page(f"Ver{hyphen}walt{hyphen}ung &amp; &#174;{more}", "utf-8")
    assert "Verwaltung & ®" in parse(html).document.chunks
    assert "Verwaltung & ®" in parse(html.encode()).document.chunks
