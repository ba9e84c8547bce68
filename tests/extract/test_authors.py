"""Authors of whole pages: what is marked, what the metadata name, and what the by-line says."""

from __future__ import annotations

import json
from typing import Any

import pytest

import sitecrawl

PROSE = "".join(
    f"<p>The bridge over the harbour, opened in year {at}, carries ships, trams and people.</p>"
    for at in range(8)
)
RELATED = "<section class='related'><ul>{}</ul></section>"


def names_of(
    *, head: str = "", top: str = "", end: str = "", url: str = "http://p.example/a"
) -> list[str]:
    """The authors of an article with ``top`` below its headline and ``end`` below its text."""
    html = f"<head>{head}</head><article><h1>A bridge opens today</h1>{top}{PROSE}{end}</article>"
    return [one["name"] for one in sitecrawl.extract(html, url).authors]


def linked(author: Any, **more: Any) -> str:
    """A script with the JSON-LD of an article by ``author``."""
    data = {"@type": "NewsArticle", "headline": "A bridge opens today", "author": author, **more}
    return f'<script type="application/ld+json">{json.dumps(data)}</script>'


@pytest.mark.parametrize(
    ("author", "names"),
    [
        ({"givenName": "Ann", "familyName": "Onym"}, ["Ann Onym"]),
        ([{"givenName": "Ann", "familyName": "Onym"}, {"name": "Bo Derr"}], ["Ann Onym", "Bo Derr"]),
        ({"@type": "Person", "additionalName": "Ann"}, ["Ann"]),
        ([{"@type": "Organization", "name": "Harbour TV"}, {"@type": "Person", "name": "Ann Onym"}], ["Ann Onym"]),
        ({"@type": "NewsMediaOrganization", "name": "Harbour TV"}, ["Harbour TV"]),
        ("Ann Onym", ["Ann Onym"]),
    ],
)  # fmt: skip
def test_people_of_json_ld(author: Any, names: list[str]) -> None:
    assert names_of(head=linked(author)) == names


@pytest.mark.parametrize(
    "line",
    [
        "<div class='byline'><span>By <a href='/people/ann'>Ann Onym</a></span></div>",
        "<p>By Ann Onym</p>",
        "<p>Von Ann Onym</p>",
        "<p>Texte : Ann Onym</p>",
        "<p>Reporter: Ann Onym</p>",
        "<p>Автор: Ann Onym</p>",
    ],
)
def test_a_person_in_the_by_line_comes_before_an_organisation_of_json_ld(line: str) -> None:
    station = {"@type": "Organization", "name": "Harbour Broadcasting"}
    assert names_of(head=linked(station), top=line) == ["Ann Onym"]


@pytest.mark.parametrize(
    ("head", "names"),
    [
        ("<meta name=author content='Ann Onym'><meta name=author content='Bo Derr'>", ["Ann Onym", "Bo Derr"]),
        ("<meta property='article:author' content='Ann Onym'><meta property='article:author' content='Bo Derr'>", ["Ann Onym", "Bo Derr"]),
        ("<meta name=byl content='By Ann Onym, Bo Derr and Cy Tate'>", ["Ann Onym", "Bo Derr", "Cy Tate"]),
        ("<meta name='parsely-author' content='Ann Onym'>", ["Ann Onym"]),
        ("<meta name=author content='name, email@mail.example'>", []),
        ("<meta name=author content='佚名'>", []),
        ("<meta name=generator content='Forumat! X3'><meta name=author content='Forumat! Team'>", []),
        ("<meta name=author content='&lt;img src=\"/a.png?d=b\"/&gt;Author Ann Onym'>", ["Ann Onym"]),
    ],
)  # fmt: skip
def test_names_in_meta_elements(head: str, names: list[str]) -> None:
    assert names_of(head=head) == names


@pytest.mark.parametrize(
    "top",
    [
        "<p>By <b class=byline>Ann Onym</b>, <b class=byline>Bo Derr</b> and <b class=byline>Cy Tate</b></p>",
        "<p>By <span>Ann Onym</span>, <span>Bo Derr</span> and <span class='last-byline'>Cy Tate</span></p>",
        "<p>Von <i>Ann Onym</i>, <i>Bo Derr</i> und <i class=author>Cy Tate</i></p>",
        "<p>Par <i class=author>Ann Onym</i>, <i>Bo Derr</i> et <i>Cy Tate</i></p>",
        "<div itemprop=author>Ann Onym</div><div itemprop=author>Bo Derr</div><div itemprop=author>Cy Tate</div>",
        "<div><a rel=author href='/1'>Ann Onym</a></div><div><a rel=author href='/2'>Bo Derr</a></div><div><a rel=author href='/3'>Cy Tate</a></div>",
        "<ul class=authors><li><a href='/author/1'>Ann Onym</a></li><li><a href='/author/2'>Bo Derr</a></li><li><a href='/author/3'>Cy Tate</a></li></ul>",
        "<aside><p><a rel=author href='/1'>Ann Onym</a>, <a rel=author href='/2'>Bo Derr</a> and <a rel=author href='/3'>Cy Tate</a></p></aside>",
    ],
)  # fmt: skip
def test_authors_that_are_marked_one_by_one_all_count(top: str) -> None:
    assert names_of(top=top) == ["Ann Onym", "Bo Derr", "Cy Tate"]


@pytest.mark.parametrize(
    ("top", "end", "names"),
    [
        ("<p>2023-07-05 10:30　石湾日报记者 王晓明</p>", "", ["王晓明"]),
        ("<p>2019年04月21日</p><p>取材・文／松川太一　撮影／岡野花</p>", "", ["松川太一"]),
        ("<p>نویسنده: مریم کاویانی | ۱۰ مرداد ۱۴۰۲ - ۱۲:۳۰</p>", "", ["مریم کاویانی"]),
        ("<p>Reporter: Naufal Idris</p><p>Editor: Heru Adi</p>", "", ["Naufal Idris"]),
        ("<p>โดย สมชาย ใจดี</p>", "", ["สมชาย ใจดี"]),
        ("<p>Muhabir: Ayşe Kaya</p><p>Editör: Ali Demir</p>", "", ["Ayşe Kaya"]),
        ("<p>Szerző: Kovács Anna</p><p>Fotó: Bo Derr</p>", "", ["Kovács Anna"]),
        ("<p>बिजली | रिपोर्टर: राम शर्मा</p>", "", ["राम शर्मा"]),
        ("<p>입력 2023.07.05 10:30</p>", "<p>김도현 기자 dohyun@paper.example</p>", ["김도현"]),
        ("<p>입력 2023.07.05 10:30</p>", "<p class=byline>김도현 기자</p>", ["김도현"]),
        ("<p>Foto: Bo Derr</p><p>4 May 2021</p>", "", []),
        ("<p>翻译：李四</p><p>2021年5月4日</p>", "", []),
        ("<p>4 May 2021</p>", "<p>责任编辑：陈立群</p>", []),
    ],
)
def test_labels_of_authors_and_of_others(top: str, end: str, names: list[str]) -> None:
    assert names_of(top=top, end=end) == names


@pytest.mark.parametrize("hidden", ["style='display:none'", "hidden", "style='visibility:hidden'"])
def test_hidden_by_lines_of_other_stories_name_nobody(hidden: str) -> None:
    card = f"<li><a href='/s'>A pier closes</a><div {hidden}>2 hours ago by <a rel=author href='/j'>Jon Rudd</a></div></li>"
    line = "<div class=byline>Posted <time>Sep 5, 2017</time> by <a rel=author href='/d'>Ann Onym</a> (<a href='/x'>@ann</a>)</div>"
    assert names_of(top=line, end=RELATED.format(card * 3)) == ["Ann Onym"]


def test_the_name_of_the_site_in_a_meta_element_comes_after_a_person() -> None:
    head = "<meta property='og:site_name' content='石湾在线'><meta name=author content='石湾在线'>"
    assert names_of(head=head, top="<p>2023-07-05 10:30　石湾日报记者 王晓明</p>") == ["王晓明"]
    assert names_of(head=head) == ["石湾在线"]


@pytest.mark.parametrize(
    ("head", "top", "names"),
    [
        # an organisation in the metadata
        ("<meta name=author content='Harbour News'>", "<p>by Ann Onym</p>", ["Ann Onym"]),
        ("<meta name=author content='Bridge Team'>", "<p>by Ann Onym, Tech Collective</p>", ["Ann Onym"]),
        ("<meta name=author content='Hafen Redaktion'>", "<p>Von Ann Onym</p>", ["Ann Onym"]),
        ("<meta name=author content='Redacción Puerto'>", "<p>Por Ana García</p>", ["Ana García"]),
        ("<meta name=author content='港口新闻网'>", "<p>记者 王小明 2024-05-06</p>", ["王小明"]),
        ("<meta name=author content='항구일보'>", "<p>김도현 기자</p>", ["김도현"]),
        ("<meta name=author content='Harbour News'>", "<p>6 May 2024</p>", ["Harbour News"]),
        ("<meta name=author content='HTV'>", "<p>by Dr. Ann Onym, PhD and Bo Derr, MPH | Harbour</p>", ["Dr. Ann Onym", "Bo Derr"]),
        ("<meta name=author content='Ann Onym'>", "<p class=author>Reuters Legal</p>", ["Ann Onym"]),
        # the name with which somebody logs in
        ("<meta name=author content='ann.onym'>", "<div class=author-info>Ann Onym</div>", ["Ann Onym"]),
        ("<meta name=author content='aonym'>", "<p>By Ann Onym</p>", ["Ann Onym"]),
        ("<meta name=author content='ann.onym'>", "", ["ann.onym"]),
        # links to networks
        ("", "<p>6 May 2024 <a rel=author href='http://g.example/1'>Google +</a></p>", []),
        ("", "<p><a rel=author href='/me'>Facebook</a></p><p>Por Ana García</p>", ["Ana García"]),
        # somebody with another task is marked as well
        ("", "<p>Peer reviewed by <a href='/authors/bo'>Bo Derr</a></p><p>By Ann Onym</p>", ["Ann Onym"]),
        ("", "<p>Foto: <b class=author>Bo Derr</b></p><p>Von Ann Onym</p>", ["Ann Onym"]),
        ("", "<p>Vložil/a mila99, 23 Září, 2009 - 15:49</p>", ["mila99"]),
    ],
)  # fmt: skip
def test_a_person_comes_before_what_stands_for_nobody(
    head: str, top: str, names: list[str]
) -> None:
    assert names_of(head=head, top=top) == names


@pytest.mark.parametrize(
    ("top", "name"),
    [
        ("<p>By Wanda Alex, April 1, 2020 in Introductions</p>", "Wanda Alex"),
        ("<p>By Wanda Alex, April 1 in Introductions</p>", "Wanda Alex"),
        ("<p>Submitted by mila99 on Fri, 07/06/2013 - 02:16</p>", "mila99"),
        ("<p>Escrito por mila99 el 6 de mayo de 2020</p>", "mila99"),
        ("<p>lee Says: Sat, Jun 18, 2005</p>", "lee"),
        ("<p>mila99 schrieb: 6. Mai 2020</p>", "mila99"),
        ("<p>本帖最后由 独木舟 于 2021-4-23 01:19 编辑</p>", "独木舟"),
    ],
)
def test_the_opener_of_a_thread_is_its_author(top: str, name: str) -> None:
    box = "<div class=recent><span class=username>kaz</span></div>"
    found = names_of(top=top, end=box * 2, url="http://p.example/forum/viewtopic.php?t=5")
    assert found == [name]


POST = "<div class=message><div class='{part}'><span class=username>{name}</span></div><div class=text>{text}</div></div>"


@pytest.mark.parametrize("part", ["postmenu-box", "user-sidebar", "footer", "comment-author"])
def test_the_first_poster_of_a_thread_is_its_author_wherever_a_post_names_him(part: str) -> None:
    names = ("mila99", "kaz", "独木舟")
    posts = [POST.format(part=part, name=name, text=PROSE * 2) for name in names]
    html = f"<h1>A bridge opens today</h1><div class=posts>{''.join(posts)}</div>"
    found = sitecrawl.extract(html, "http://p.example/forum/showthread.php?t=5")
    assert [one["name"] for one in found.authors] == ["mila99"]


@pytest.mark.parametrize(
    "said", ["发表于", "Posted", "Veröffentlicht", "Publicado", "Опубликовано"]
)
def test_the_opener_stands_in_a_card_beside_the_posts(said: str) -> None:
    reply = "<table><tr><td><div class=authi>{}</div><div class=authi>{} 2021-04-17 10:0{}</div></td></tr><tr><td>{}</td></tr></table>"
    replies = "".join(reply.format(name, said, at, PROSE) for at, name in enumerate(("kaz", "lee")))
    card = "<div class=side><div class=card><p class=user_name>mila99</p></div></div>"
    html = (
        f"<h1>A bridge opens today</h1><div class=authi>{said} 2021-04-16 15:02</div>"
        f"<div class=text>{PROSE * 2}</div>{replies}{card}"
    )
    found = sitecrawl.extract(html, "http://p.example/forum/thread-5-1-1.html")
    assert [one["name"] for one in found.authors] == ["mila99"]


@pytest.mark.parametrize("said", ["Latest post", "Neuester Beitrag", "Последнее сообщение", "最近"])
def test_words_in_the_head_of_a_thread_name_nobody(said: str) -> None:
    top = f"<p>{said} 6.05.2020</p>"
    assert names_of(top=top, url="http://p.example/forum/viewtopic.php?t=5") == []


@pytest.mark.parametrize(
    ("declared", "names"),
    [("Mcj", ["Ann Onym"]), ("HTV", ["Ann Onym"]), ("Mila", ["Mila"]), ("Ann Mcj", ["Ann Mcj"])],
)
def test_one_word_of_the_metadata_that_is_no_person(declared: str, names: list[str]) -> None:
    head = f"<meta name=author content='{declared}'>"
    found = names_of(
        head=head, top="<p>by Ann Onym, Tech Collective</p>", url="http://mcj.example/a"
    )
    assert found == names


def test_an_author_who_signs_in_the_last_line_is_found_by_template_as_well() -> None:
    pages = [
        sitecrawl.RawPage(
            f"<div class=top><p class=author>账号</p></div><div class=main><h1>新桥今天通车 {at}</h1>"
            f"<p>2024-05-0{at} 08:30</p><div class=text>{'<p>港口的桥已经开放，行人很多，船也很多。</p>' * 6}"
            f"<p>第{at}座桥也在今天开放。</p><p>本文来源：港口晚报 作者：{name}</p></div></div>",
            f"http://p.example/news/{at}.html",
        )
        for at, name in enumerate(
            ["王小明", "李建国", "张晓红", "赵大海", "陈立群", "周文"], start=1
        )
    ]
    site = sitecrawl.SiteModel()
    site.learn(pages[:5])
    found = site.extract(html=pages[5].html, url=pages[5].url)
    assert [one["name"] for one in found.authors] == ["周文"]
