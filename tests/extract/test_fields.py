"""Headline, dates, authors and the lesser fields from pages of many kinds."""

from __future__ import annotations

import json
from html import escape

import pytest

import sitecrawl
from sitecrawl.dom.blocks import BITS, hint_bits
from sitecrawl.dom.parse import parse
from sitecrawl.extract.candidates import candidates_of, titles_of
from sitecrawl.extract.single import Extraction
from sitecrawl.items.feed_items import item_of
from sitecrawl.templates.field_values import read

PROSE = "".join(
    f"<p>Paragraph {n} of the report, long enough to be read as prose, with commas, and a full stop.</p>"
    for n in range(5)
)


def page(head: str = "", top: str = "", lang: str = "en") -> str:
    return f'<html lang="{lang}"><head>{head}</head><body><div class="site"><a href="/">The Example</a></div><div>{top}{PROSE}</div></body></html>'


@pytest.mark.parametrize(
    ("head", "top", "headline"),
    [
        (
            "<title>A bridge opens - The Example</title>",
            "<h1>A bridge opens</h1>",
            "A bridge opens",
        ),
        (
            "<title>The Example | A bridge opens</title>",
            "<h2>A bridge opens</h2>",
            "A bridge opens",
        ),
        (
            "<title>The Example</title>",
            '<h1 class="logo"><a href="/">The Example</a></h1><h2>A bridge opens</h2>',
            "A bridge opens",
        ),
        (
            '<meta property="og:title" content="A bridge opens"><title>x</title>',
            "",
            "A bridge opens",
        ),
        (
            "<title>大桥今日通车_港口晚报</title>",
            '<div class="bt">大桥今日通车</div>',
            "大桥今日通车",
        ),
        ("<title>A bridge opens :: The Example</title>", "", "A bridge opens"),
        ("<title>A bridge opens</title>", "", "A bridge opens"),
        ("<title>The Example - News</title>", "<h1>A bridge opens</h1>", "A bridge opens"),
        (
            "<title>江口区林业局</title>",
            '<div class="t1"><font style="FONT-SIZE: 22pt">大桥今日通车市民步行参观</font></div><div>发布时间：2024-05-06</div>',
            "大桥今日通车市民步行参观",
        ),
        (
            "<title>The Example</title>",
            '<div class="subject">A bridge opens <span>2024-05-06</span> <a href="/tags/river/">river</a></div>',
            "A bridge opens",
        ),
        (
            "<title>Bridge - 6 May 2024 - Blog - The Example</title>",
            '<div class="headtitle"><div>3:59 PM</div>Bridge</div>',
            "Bridge",
        ),
        ("", "<h1><a class=header-anchor href='#b'>#</a> A bridge opens</h1>", "A bridge opens"),
        ("", "<h1>A bridge opens<a class=headerlink href='#b'>#</a></h1>", "A bridge opens"),
        ("", "<h1>A bridge in C#</h1>", "A bridge in C#"),
    ],
)
def test_headline(head: str, top: str, headline: str) -> None:
    assert sitecrawl.extract(page(head, top), "http://example.com/news/1.html").headline == headline


@pytest.mark.parametrize(
    ("head", "top", "day"),
    [
        (
            '<meta property="article:published_time" content="2024-05-06T07:08:09+02:00">',
            "",
            "2024-05-06T07:08:09+02:00",
        ),
        ("", '<h1>T</h1><time datetime="2024-05-06">May</time>', "2024-05-06"),
        ("", "<h1>T</h1><p>发布时间：2024年5月6日 10:30 来源：港口晚报</p>", "2024-05-06T10:30:00"),
        ("", "<h1>T</h1><p>Veröffentlicht am 6. Mai 2024</p>", "2024-05-06"),
        ("", "<h1>T</h1><p>Publié le 6 mai 2024 à 08:15</p>", "2024-05-06T08:15:00"),
        ("", "<h1>T</h1><p>6 мая 2024</p>", "2024-05-06"),
        ("", "<h1>T</h1><p>2024년 5월 6일</p>", "2024-05-06"),
        ("", "<h1>T</h1><p>May 6th, 2024</p>", "2024-05-06"),
    ],
)
def test_date_published(head: str, top: str, day: str) -> None:
    assert sitecrawl.extract(page(head, top), "http://example.com/a").datePublished == day


@pytest.mark.parametrize(
    ("stamp", "printed", "day"),
    [
        ("2024-05-07T01:10:00+00:00", "May 6, 2024", "2024-05-06"),
        ("2024-05-07T01:10:00Z", "by Ann<b>May 7, 2024</b><i>May 6, 2024</i>", "2024-05-07"),
        ("2024-05-07T01:10:00+02:00", "May 6, 2024", "2024-05-07"),
        ("2024-05-07T01:10:00Z", "May 5, 2024", "2024-05-07"),
        ("2024-05-07T01:10:00Z", "The bridge was closed on May 6, 2024.", "2024-05-07"),
        ("2024-05-07T01:10:00Z", "Last updated: May 8, 2024", "2024-05-07"),
        ("2024-05-07", "<b>Updated</b> <i>May 8, 2024</i>", "2024-05-07"),
        ("2024-05-07", "Updated: May 8, 2024 | Published: May 7, 2024", "2024-05-07"),
        ("2024-05-07", "Updated: May 8, 2024 | Published: May 6, 2024", "2024-05-06"),
        ("", "Updated 8 May 2024, published 7 May 2024", "2024-05-07"),
    ],
)
def test_the_day_that_the_page_prints(stamp: str, printed: str, day: str) -> None:
    """A stamp in universal time gives way to the day before or after, where a line below the
    headline prints that alone."""
    html = page(
        f'<meta property="article:published_time" content="{stamp}">',
        f"<h1>A bridge opens</h1><p>{printed}</p>",
    )
    assert (sitecrawl.extract(html, "http://example.com/a").datePublished or "")[:10] == day


def test_the_text_of_the_link_that_led_here_is_evidence() -> None:
    top = "<div>What the mayor said</div><div>A bridge opens at last</div>"
    found = Extraction(
        parse(page("<title>The Example</title>", top), "http://example.com/a"),
        anchor="A bridge opens at last",
    )
    assert found.article.headline == "A bridge opens at last"


@pytest.mark.parametrize(
    "top",
    [
        "<table><tr><td>发布日期</td><td>2024-05-06</td></tr><tr><td>成文日期</td><td>2024-05-02</td></tr></table><h1>T</h1>",
        "<table><tr><td>发布日期：</td><td>2024-05-06</td><td>生效日期：</td><td>2024-07-01</td></tr></table><h1>T</h1>",
        "<h1>T</h1><dl><dt>Effective date</dt><dd>1 July 2024</dd><dt>Published</dt><dd>6 May 2024</dd></dl>",
        "<h1>T</h1><div>生成日期：2024-05-02　发布日期：2024-05-06　有效性：有效</div>",
    ],
)
def test_of_labelled_days_the_announced_one_counts(top: str) -> None:
    assert sitecrawl.extract(page("", top), "http://example.com/a").datePublished == "2024-05-06"


def test_date_in_the_url_when_the_page_says_nothing() -> None:
    assert (
        sitecrawl.extract(page(), "http://example.com/2024/05/06/a.html").datePublished
        == "2024-05-06"
    )
    assert (
        sitecrawl.extract(page(), "http://example.com/201705/t20170520_2092.html").datePublished
        == "2017-05-20"
    )


def test_copyright_and_side_dates_are_no_dates_of_the_article() -> None:
    side = '<div class="sidebar"><p>2019-01-01 Older story</p></div><div class="footer">Copyright 2020-01-01</div>'
    found = sitecrawl.extract(
        page(top="<h1>T</h1><span>2024-05-06</span>") + side, "http://example.com/a"
    )
    assert (found.datePublished or "")[:10] == "2024-05-06"


def linked(**values: object) -> str:
    data = {
        "@graph": [{"@type": "WebSite", "name": "The Example"}, {"@type": "NewsArticle", **values}]
    }
    return f'<script type="application/ld+json">{json.dumps(data)}</script>'


def test_json_ld_graph() -> None:
    head = linked(
        headline="A bridge opens",
        datePublished="2024-05-06",
        dateModified="2024-05-07",
        author=[{"name": "Ann Onym"}, {"name": "Bo Derr"}],
    )
    found = sitecrawl.extract(page(head), "http://example.com/a")
    assert found.headline == "A bridge opens"
    assert (found.datePublished, found.dateModified) == ("2024-05-06", "2024-05-07")
    assert found.authors == [{"name": "Ann Onym"}, {"name": "Bo Derr"}]
    assert found.provenance.fields["datePublished"] == "json-ld"


@pytest.mark.parametrize(
    "script",
    [
        "{",
        '{"@type": "NewsArticle", "headline": "A", }',
        "[" * 5000,
        '"text"',
        "null",
        '{"@graph": 5}',
    ],
)
def test_damaged_json_ld_is_survived(script: str) -> None:
    found = sitecrawl.extract(
        page(f'<script type="application/ld+json">{script}</script><title>A</title>'),
        "http://example.com/a",
    )
    assert found.headline == "A"


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("By the end of this tutorial, you will know bridges.", []),
        ("By Ann Onym, our correspondent", [{"name": "Ann Onym"}]),
        ("by ann, who knows bridges", []),
    ],
)
def test_a_written_name_begins_with_a_capital(line: str, names: list[dict[str, str]]) -> None:
    found = sitecrawl.extract(page(top=f"<h1>A bridge opens</h1><p>{line}</p>")).authors
    assert [{"name": author["name"]} for author in found] == names
    assert [author["nameRaw"] for author in found] == [line] * len(names)


def test_source_and_author_in_chinese() -> None:
    found = sitecrawl.extract(
        page(top="<h1>T</h1><p>2024-05-06 来源：港口晚报 作者：林晓东</p>", lang="zh"),
        "http://example.com/a",
    )
    assert found.source == "港口晚报"
    assert [author["name"] for author in found.authors] == ["林晓东"]


def test_names_in_the_head_of_chinese_authorities() -> None:
    found = sitecrawl.extract(
        page(
            '<meta name="SiteName" content="某市"><meta name="ContentSource" content="某报">',
            "<h1>T</h1>",
        )
    )
    assert (found.siteName, found.source) == ("某市", "某报")


def test_canonical_url_tags_and_images_are_absolute_and_safe() -> None:
    head = '<link rel="canonical" href="/a"><meta name="keywords" content="bridge, city"><meta property="og:image" content="/i.jpg">'
    top = '<p>Picture: <img src="/p.png" alt="The bridge"><img src="javascript:alert(1)"></p>'
    found = sitecrawl.extract(page(head, top), "http://example.com/b?x=1")
    assert found.canonicalUrl == "http://example.com/a"
    assert found.tags == ["bridge", "city"]
    assert found.mainImage == {"url": "http://example.com/i.jpg"}


def test_metadata_that_was_escaped_twice_is_plain_text() -> None:
    linked = {
        "@type": "NewsArticle",
        "headline": "Bridge &amp; tram",
        "articleSection": "Town &#038; harbour",
    }
    linked |= {
        "author": {"@type": "Person", "name": "Ann O&#8217;Nym"},
        "keywords": ["R&amp;D", "river"],
    }
    described = "&lt;p&gt;It opens&amp;hellip; &lt;br /&gt;on Monday, if a &lt; b.&lt;/p&gt;"
    head = f'<script type="application/ld+json">{json.dumps(linked)}</script><meta name="description" content="{described}">'
    article = sitecrawl.extract(
        page(head, "<h1>Bridge &amp; tram</h1>"), "http://example.com/a?b=1"
    )
    assert (article.headline, article.articleSection) == ("Bridge & tram", "Town & harbour")
    assert ([one["name"] for one in article.authors], article.tags) == (
        ["Ann O’Nym"],
        ["R&D", "river"],
    )
    assert article.description == "It opens… on Monday, if a < b."


def test_urls_and_titles_that_were_escaped_twice_are_plain() -> None:
    linked = {"@type": "NewsArticle", "image": "http://example.com/i?a=1&amp;b=2"}
    linked["video"] = {"contentUrl": "http://example.com/v?a=1&amp;b=2"}
    head = f'<script type="application/ld+json">{json.dumps(linked)}</script><title>Bridge &amp;amp; &amp;quot;tram&amp;quot;</title>'
    head += '<link rel="canonical" href="http://example.com/a?x=1&amp;amp;y=2">'
    article = sitecrawl.extract(page(head, "<p>It opens.</p>"), "http://example.com/a?x=1&y=2")
    assert article.canonicalUrl == "http://example.com/a?x=1&y=2"
    assert article.mainImage == {"url": "http://example.com/i?a=1&b=2"}
    assert article.videos == [{"url": "http://example.com/v?a=1&b=2"}]
    assert article.headline == 'Bridge & "tram"'
    parsed = parse(page(head, "<h1>1 &amp;amp; 2</h1>"), "http://example.com/")
    assert read("/html/head/title", parsed) == 'Bridge & "tram"'
    assert read("//h1", parsed) == "1 &amp; 2"


def test_a_description_that_speaks_of_elements_names_them() -> None:
    told = "When to use the <b> element, and when a <span>"
    head = f'<meta name="description" content="{escape(told)}">'
    assert sitecrawl.extract(page(head, "<h1>Bold text</h1>")).description == told


def test_tags_of_the_whole_site_are_none_of_the_article() -> None:
    cloud = "".join(f'<a rel="tag" href="/t/{n}">topic {n}</a>' for n in range(40))
    body = page(
        "",
        f'<h1>A bridge opens</h1><p class="post-tags"><a rel="tag" href="/t/1">topic 1</a></p>{PROSE}',
    )
    for beside in (
        "<aside>{}</aside>",
        '<div class="sidebar">{}</div>',
        '<div class="tag-cloud">{}</div>',
    ):
        html = body.replace("</body>", beside.format(cloud) + "</body>")
        assert sitecrawl.extract(html, "http://example.com/a").tags == ["topic 1"]
        html = html.replace('<p class="post-tags"><a rel="tag"', "<p><a")
        assert sitecrawl.extract(html, "http://example.com/a").tags == []


def test_all_tags_of_the_metadata_count() -> None:
    head = "".join(
        f'<meta property="article:tag" content="{tag}">' for tag in ("bridge", "city, river", "C#")
    )
    assert sitecrawl.extract(page(head), "http://example.com/a").tags == [
        "bridge",
        "city",
        "river",
        "C#",
    ]
    head = """<meta name="keywords" content='["bridge","city"]'>"""
    assert sitecrawl.extract(page(head), "http://example.com/a").tags == ["bridge", "city"]


def test_hostile_pages_are_survived() -> None:
    deep = sitecrawl.extract("<div>" * 100_000 + "x", "http://example.com/")
    assert "truncated" in deep.provenance.flags
    assert sitecrawl.extract("<p>" + "a " * 500_000, "http://example.com/").articleBody is not None
    assert sitecrawl.extract("<a href=x>" * 3000, "http://[bad").headline is None


def test_authors_have_their_pages_and_the_text_they_were_read_from() -> None:
    line = '<p class="byline">By <a rel="author" href="/people/ann">Ann Onym</a></p>'
    found = sitecrawl.extract(
        page(top=f"<h1>A bridge opens</h1>{line}"), "http://news.example/a.html"
    ).authors
    assert found[0]["name"] == "Ann Onym"
    assert found[0]["url"] == "http://news.example/people/ann"
    mail = line.replace("/people/ann", "mailto:ann@news.example")
    assert (
        "url"
        not in sitecrawl.extract(
            page(top=f"<h1>T</h1>{mail}"), "http://news.example/a.html"
        ).authors[0]
    )
    assert (
        sitecrawl.extract(page(top=f"<h1>T</h1>{line}")).authors[0]["url"] == "/people/ann"
    )  # a page without URL


def test_videos_and_audios_of_the_body_and_the_metadata() -> None:
    inside = (
        '<video poster="/p.jpg"><source src="/a.mp4" type="video/mp4"><source src="/a.webm"></video>'
        '<iframe src="https://films.example/embed/7" width="560"></iframe><audio src="/talk.mp3"></audio>'
        '<iframe src="https://ads.example/banner"></iframe>'
    )
    html = page(
        top="<h1>A bridge opens</h1>",
        head='<meta property="og:audio" content="http://news.example/more.mp3">',
    )
    html = html.replace("</p>", f"</p>{inside}", 1)
    found = sitecrawl.extract(html, "http://news.example/a.html").to_dict()
    assert [one["url"] for one in found["videos"]] == [
        "http://news.example/a.mp4",
        "https://films.example/embed/7",
    ]
    assert [one["url"] for one in found["audios"]] == [
        "http://news.example/talk.mp3",
        "http://news.example/more.mp3",
    ]


def test_an_id_is_that_of_the_page_not_of_one_url() -> None:
    urls = (
        "https://www.news.example/a/?utm_source=x",
        "http://news.example/a",
        "http://news.example/b",
    )
    first, second, third = (sitecrawl.extract(page(), url).id for url in urls)
    assert first == second != third
    assert sitecrawl.extract(page()).id is None


def test_tags_in_one_string_are_split() -> None:
    head = '<script type="application/ld+json">{"@type": "Article", "keywords": ["bridge; harbour; 城市"]}</script>'
    assert sitecrawl.extract(page(head=head)).tags == ["bridge", "harbour", "城市"]


def test_the_last_change_as_it_was_written() -> None:
    found = sitecrawl.extract(
        page(head='<meta property="article:modified_time" content="5 July 2026">')
    )
    assert (found.dateModified, found.dateModifiedRaw) == ("2026-07-05", "5 July 2026")


@pytest.mark.parametrize(
    ("line", "day"),
    [
        ("انتشار: ۱۴۰۳/۰۵/۱۲", "2024-08-02"),
        ("نُشر في ١٢ مايو ٢٠٢٤", "2024-05-12"),
        ("5 กรกฎาคม 2562", "2019-07-05"),
        ("掲載日：平成30年7月5日", "2018-07-05"),
        ("令和元年7月5日", "2019-07-05"),
        ("發布日期：民國108年7月5日", "2019-07-05"),
        ("५ जुलाई २०१९", "2019-07-05"),
        ("二〇一九年七月五日", "2019-07-05"),
        ("05-Jul-19 by Ann", "2019-07-05"),
        ("Hull, 25.07.19", "2019-07-25"),
        ("Opublikowano: 5.07.19 10:30", "2019-07-05T10:30:00"),
        ("Updated: Nov 27,2019", "2019-11-27"),
        ("le 5 juillet 2019 à 10h30", "2019-07-05T10:30:00"),
        ("Mis en ligne le 5 juillet 2019 (10h30)", "2019-07-05T10:30:00"),
        ("5 июля 2019 года в 10:30", "2019-07-05T10:30:00"),
        ("公告日期：108-07-05", "2019-07-05"),
        ("上網時間：108/7/5 點閱 12", "2019-07-05"),
        ("公布 108年7月5日", "2019-07-05"),
        ("R元年7月5日 更新", "2019-07-05"),
        ("2019（令和元）年7月5日（金）", "2019-07-05"),
        ("令和元年7月5日（金）10時30分", "2019-07-05T10:30:00"),
        ("ลงวันที่ 5 ก.ค. 62", "2019-07-05"),
        ("۱۴ تیر\u200cماه ۱۳۹۸", "2019-07-05"),
        ("Porto | 5 Jul 19", "2019-07-05"),
        ("</p><p class='title_foot'>기사입력 2019-07-05 03:00:00", "2019-07-05T03:00:00"),
        ("<span>Ann Onym</span><span>05-Jul-19</span><span>4 min</span>", "2019-07-05"),
        ("<img src='/a.png'> <b>Cy Tate</b> <i>July 5, 2019</i> <i>2 likes</i>", "2019-07-05"),
        ("5 июля 2019 г. в 10:30", "2019-07-05T10:30:00"),
        ('发表于 <span title="2021-4-28 11:50">昨天 11:50</span>', "2021-04-28T11:50:00"),
    ],
)
def test_the_date_line_below_the_headline_in_any_calendar(line: str, day: str) -> None:
    """It also beats the day of another date in the URL, and one that the prose tells."""
    text = "The old bridge was closed by the town on 2 February 2017."
    html = page(top=f"<h1>A bridge opens today</h1><p>{line}</p><p>{text}</p>")
    for url in ("http://example.com/a", "http://example.com/t20200101_17.html"):
        assert sitecrawl.extract(html, url).datePublished == day


@pytest.mark.parametrize("shown", ["25 八月 '25", "3mo", "8-25"])
def test_a_short_line_may_have_its_date_in_a_tool_tip(shown: str) -> None:
    html = page(
        top=f'<h1>A bridge opens today</h1><ul><li title="2025年8月25日 10:23">{shown}</li></ul>'
    )
    assert sitecrawl.extract(html, "http://example.com/a").datePublished == "2025-08-25T10:23:00"


@pytest.mark.parametrize("tip", ["The fair of 3 April 2011", "3 April 2011: the fair"])
def test_a_tool_tip_that_names_what_a_link_leads_to_dates_no_article(tip: str) -> None:
    html = page(
        top=f'<h1>A bridge opens today</h1><p><a href="/fair" title="{tip}">The fair</a></p>'
    )
    assert sitecrawl.extract(html=html, url="http://example.com/a").datePublished is None


def test_a_heading_behind_a_box_with_a_day_is_a_candidate_of_its_own() -> None:
    own = parse(
        page(top="<header class=title><p>6 May 2024</p><h1>Bridge</h1></header>"),
        "http://example.com/a",
    )

    found = candidates_of(own, titles_of(own))
    assert [candidate.source for candidate in found if candidate.text == "Bridge"] == ["h1"]


@pytest.mark.parametrize(
    ("stamp", "line", "day"),
    [
        ("2020-09-26 02:48:49", "发布时间：2019-05-06 浏览次数：", "2019-05-06"),
        ("2020-09-26T02:48:49+01:00", "Published on May 6, 2019 by Ann", "2019-05-06"),
        ("2019-12-15T15:00:03+09:00", "投稿日: 2019-12-16", "2019-12-16"),
        ("2019-12-15T15:00:03+09:00", "Deadline: 2019-12-16", "2019-12-15"),
        ("2020-09-26T02:48:49+01:00", "更新：2019-05-06 发布", "2020-09-26"),
        ("2020-09-26T02:48:49+01:00", "日期：2019-05-06 点击：7", "2019-05-06"),
        ("2020-09-26T02:48:49+01:00", "时间：2019-05-06 10:00 — 2019-05-08 12:00", "2020-09-26"),
        ("2019-12-15T22:10:00-05:00", "Dec 16, 2019", "2019-12-16"),
        ("2019-12-15T17:00:00", "16.12.2019", "2019-12-16"),
        ("2019-12-15T03:00:00+02:00", "16.12.2019", "2019-12-15"),
        ("2019-05-06T10:00:00+01:00", "Posted 8 May 2019", "2019-05-06"),
    ],
)
def test_an_announced_day_beats_a_stamp_of_an_import(stamp: str, line: str, day: str) -> None:
    html = page(
        f'<meta name="pubdate" content="{stamp}">', f"<h1>A bridge opens</h1><div>{line}</div>"
    )
    assert (sitecrawl.extract(html, "http://example.com/a").datePublished or "")[:10] == day


@pytest.mark.parametrize(
    ("path", "day"),
    [
        ("/2011/10/20-years-later.html", None),
        ("/2011-10-20-bridge", "2011-10-20"),
        ("/2011/10/20/b", "2011-10-20"),
    ],
)
def test_a_number_that_begins_a_name_in_the_url_is_no_day(path: str, day: str | None) -> None:
    assert sitecrawl.extract(page(), "http://example.com" + path).datePublished == day


@pytest.mark.parametrize(
    ("line", "day"),
    [
        ("Posted 3 hours ago", "2024-05-05T22:00:00+00:00"),
        ("vor 2 Tagen", "2024-05-04"),
        ("前天 10:30", "2024-05-04T10:30:00"),
        ("сегодня, 9:15", "2024-05-06T09:15:00"),
        ("昨天 10:30", "2024-05-05T10:30:00"),
        ("发表于 5分钟前", "2024-05-06T00:55:00+00:00"),
        ("вчера, 9:15", "2024-05-05T09:15:00"),
        ("2 years ago", None),
    ],
)
def test_a_time_told_from_now_is_dated_when_the_time_of_the_fetch_is_known(
    line: str, day: str | None
) -> None:
    found = sitecrawl.extract(page(top=f"<h1>A bridge</h1><p>{line}</p>"), "http://example.com/a")
    assert (found.datePublished, found.datePublishedRaw) == (None, line)
    assert item_of(found, None, fetched="2024-05-06T01:00:00+00:00").get("datePublished") == day


def test_the_day_of_a_side_box_is_none_of_the_article() -> None:
    side = '<div class="sidebar"><p>An older story that many have read <b>2017-03-04</b></p></div>'
    assert (
        sitecrawl.extract(
            page(top="<h1>A bridge opens</h1>") + side, "http://example.com/a"
        ).datePublished
        is None
    )


COMMENTS = "".join(
    f"<li><time datetime=2017-03-0{day}>March {day}</time><p>I liked the bridge.</p></li>"
    for day in (1, 2)
)
BOXES = {
    "comments": f"<ol class=commentlist>{COMMENTS}</ol>",
    "comments without times": f"<ol class=commentlist>{COMMENTS.replace('time', 'b').replace('March 1', '1 March 2017')}</ol>",
    "recent stories": "<aside class=sidebar><ul><li><a href=/b>Older story</a> <time>2017-03-04</time></ul></aside>",
    "related stories": "<div class=related><p><a href=/b>Older story</a></p><time itemprop=datePublished>2017-03-04</time></div>",
}


@pytest.mark.parametrize("box", BOXES.values(), ids=BOXES)
def test_days_of_comments_and_of_other_stories_are_none_of_the_article(box: str) -> None:
    undated = page(top="<h1>A bridge opens</h1>").replace("</body>", "") + box
    assert sitecrawl.extract(undated, "http://example.com/a").datePublished is None
    dated = undated.replace("</h1>", "</h1><p>6 May 2024</p>")
    assert sitecrawl.extract(dated, "http://example.com/a").datePublished == "2024-05-06"


def test_a_layout_with_a_side_column_is_no_side_column() -> None:
    html = page(top="<div class='layout right-sidebar'><h1>A bridge opens</h1><p>6 May 2024</p>")
    assert sitecrawl.extract(html, "http://example.com/2024/05/04/a").datePublished == "2024-05-06"


def test_a_date_that_cannot_be_read_hides_no_other() -> None:
    head = '<meta property="article:published_time" content="-0001-11-30"><meta name="pubdate" content="2019-07-05">'
    head += '<meta name="og:updated_time" content="now"><meta name="lastmod" content="2019-07-06">'
    found = sitecrawl.extract(page(head, "<h1>A bridge opens</h1>"), "http://example.com/a")
    assert (found.datePublished, found.dateModified) == ("2019-07-05", "2019-07-06")


def test_a_day_that_prose_tells_is_none_beside_a_time_told_from_now() -> None:
    top = "<h1>A bridge opens</h1><p>3 hours ago</p><p>The old bridge was closed on 2 February 2017 by the town.</p>"
    found = sitecrawl.extract(page(top=top), "http://example.com/a")
    assert (found.datePublished, found.datePublishedRaw) == (None, "3 hours ago")


def test_the_text_of_a_date_has_no_blanks_around_it() -> None:
    page = "<h1>A bridge opens</h1><p>Published <span>2024-05-04 08:30</span> by <a href='/staff/'>Ann Onym</a></p>"
    prose = "<p>The bridge was opened this morning, and many came to see it.</p>" * 4
    found = sitecrawl.extract(f"<body>{page}{prose}")
    assert (found.datePublished, found.datePublishedRaw) == (
        "2024-05-04T08:30:00",
        "2024-05-04 08:30",
    )


@pytest.mark.parametrize(
    "name",
    [
        "published_at",
        "article:published_at",
        "publishTime",
        "rnews:datePublished",
        "citation_date",
        "og:pubdate",
    ],
)
def test_names_of_dates_in_the_head(name: str) -> None:
    head = f'<meta {"property" if ":" in name else "name"}="{name}" content="2019-07-05T10:30:00+08:00">'
    found = sitecrawl.extract(page(head, "<h1>A bridge opens</h1>"), "http://example.com/a")
    assert found.datePublished == "2019-07-05T10:30:00+08:00"


AUTHOR_BOX = f"<div class='author-box'><h4>{{}}</h4><p>{PROSE}</p></div>"


@pytest.mark.parametrize(
    ("top", "end", "names"),
    [
        ("", '<footer>Filed by <a href="/u/mila" rel="author">mila</a></footer>', ["mila"]),
        (
            "",
            '<p class="entry-footer"><a href="/u/5" rel="author">Ann Onym</a> in News</p>',
            ["Ann Onym"],
        ),
        (
            '<p><a href="/u"><img class="avatar" src="/1.png"></a> <b>Cy Tate</b> <i>5 May</i></p>',
            "",
            ["Cy Tate"],
        ),
        (
            '<ul><li><img src="https://example.com/avatar/5"> Dee Lake</li><li>Tokyo</li></ul>',
            "",
            ["Dee Lake"],
        ),
        (
            '<p><img src="/1.png" alt=""><b>Cy Tate</b> · <i>5 May 2024</i> · <i>7 min read</i></p>',
            "",
            ["Cy Tate"],
        ),
        (
            '<p><img src="/1.png" alt=""><b>王小明</b>·<i>2024年5月5日</i>·<i>阅读约 3 分钟</i></p>',
            "",
            ["王小明"],
        ),
        ('<p><img src="/1.png" alt=""><b>Harbour News</b> · <i>5 May 2024</i></p>', "", []),
        (
            '<p><img src="/1.png" alt="A pier"><b>Harbour News</b> · <i>5 May</i> · <i>7 min read</i></p>',
            "",
            [],
        ),
        (
            '<div class="author"><img src="/p.png"><b>By</b> <b>Bo Derr</b><i>Editor</i></div>',
            "",
            ["Bo Derr"],
        ),
        ("<p>2019-07-05 <span>作者：</span><span>浏览次数：</span>5</p>", "", []),
        ("<p class='author'>本文作者：王小明</p>", "", ["王小明"]),
        (
            "<p class='byline'>Mar 24 <b>Written By</b> <a href='/u/7'>Ann Onym</a></p>",
            "",
            ["Ann Onym"],
        ),
        ("<p class='author'>View all posts by Ann Onym</p>", "", ["Ann Onym"]),
        (
            "<p><span class='author'>Written by</span> <a href='/author/ann/'>Ann Onym</a></p>",
            "",
            ["Ann Onym"],
        ),
        (
            "<div class='post-author'><i>L'auteur est</i> <a rel='author'>La Chouette</a></div>",
            "",
            ["La Chouette"],
        ),
        ("<p class='byline'>By Ann Onym, Lisbon</p>", "", ["Ann Onym"]),
        ("<p class='byline'>By Ann Onym and Cher</p>", "", ["Ann Onym", "Cher"]),
        (
            "<p class='author-note'>Photo by Cy Tate, public domain</p><p>By Ann Onym</p>",
            "",
            ["Ann Onym"],
        ),
        ("<p class='author'>Photos: Cy Tate</p>", "", []),
        (
            "<p>by Ann Onym</p><p><a href='/author/7'>More from this author</a></p>",
            "",
            ["Ann Onym"],
        ),
        ("<p><a href='/authors/7'>bo derr</a></p>", "", ["bo derr"]),
        ("<p class='author'>作者：王小明 责任编辑：李四</p>", "", ["王小明"]),
        ("<p class='author'>作者：佚名</p>", "", []),
        ("<div class='author'><a href='/'>Home</a> > <a href='/news/'>City News</a></div>", "", []),
        (
            "<b class='authorized'>Your browser has agreed</b><p class='byline'>Bo Derr</p>",
            "",
            ["Bo Derr"],
        ),
        ("<small>توسط <span property='author'>Ann Onym</span></small>", "", ["Ann Onym"]),
        ("<p class='byline'>by <a rel='author'>admin</a></p>", "", ["admin"]),
        ("<p class='byline'>by <a rel='author'>admin</a></p><p>By Ann Onym</p>", "", ["Ann Onym"]),
        (
            "<p class='byline'>von <a rel='author'>Redaktion</a></p><p>Von Ann Onym</p>",
            "",
            ["Ann Onym"],
        ),
        ("<p>Posted by admin</p>", "", ["admin"]),
        ("<p class='byline'><a rel='author'>管理员</a></p><p>作者：王小明</p>", "", ["王小明"]),
        ("<p>Submitted by mila on 5 May 2024</p>", "", ["mila"]),
        ("<p>Dec 08, 2019 by Ann Onym in <a href='/growth'>Growth</a></p>", "", ["Ann Onym"]),
        ("<small>WRITTEN BY</small><p>Bo Derr</p>", "", ["Bo Derr"]),
        ("<ul><li>作者</li><li>王小明</li></ul>", "", ["王小明"]),
        ("<p>By</p><p>the end of the day, all was quiet</p>", "", []),
        ("", AUTHOR_BOX.format("Cy Tate"), ["Cy Tate"]),
        ("", AUTHOR_BOX.format("Cy Tate") + AUTHOR_BOX.format("Dee Lake"), []),
        ("<p class='author'>4m Read</p>", "", []),
        (
            "<div class='inside no-sidebar'><h1>A bridge</h1><b class='author'>Bo Derr</b></div>",
            "",
            ["Bo Derr"],
        ),
        (
            "<b>Ann Onym</b> <a href='mailto:list'>ann at harbour.example</a><br><i>Thu Oct 27 18:47:35 2011</i>",
            "",
            ["Ann Onym"],
        ),
        ("<p>Ann Onym ann@harbour.example 5 May 2024</p>", "", ["Ann Onym"]),
        ("<p>Harbour News 5 May 2024</p>", "", []),
        (
            "<p>Par Jean Le Goff et Anne d'Arc - Publié le 5 mars 2024 à 18h40</p>",
            "",
            ["Jean Le Goff", "Anne d'Arc"],
        ),
        ("<p>BY ANN ONYM AND BO DERR</p>", "", ["ANN ONYM", "BO DERR"]),
        ("<p>Posted on 5 March 2024 by Ann Onym in City</p>", "", ["Ann Onym"]),
        ("<p class='byline'>Interview: Ann Onym</p>", "", ["Ann Onym"]),
        ("<p class='author'>بقلم: أحمد سالم</p>", "", ["أحمد سالم"]),
        ("<p>記者　山田太郎</p>", "", ["山田太郎"]),
        ("<p>記者 李小明／台北報導 2024-03-05</p>", "", ["李小明"]),
        (
            "<p>By <a href='/authors/ann'>Ann Onym</a> and <a href='/authors/bo'>Bo Derr</a></p>",
            "",
            ["Ann Onym", "Bo Derr"],
        ),
        (
            "<i class='author'>Ann Onym</i> <i class='author'>Bo Derr</i> <i class='author'>Views: 5</i>",
            "",
            ["Ann Onym"],
        ),
        (
            "<ul><li><b class='author'>Ann Onym</b></li><li><b class='author'>Bo Derr</b></li></ul>",
            "",
            ["Ann Onym", "Bo Derr"],
        ),
        (
            "<p><a href='/authors/ann'>Ann Onym</a> | <a href='/authors/ann'>More stories</a></p>",
            "",
            ["Ann Onym"],
        ),
        (
            "<p><a href='/authors/ann'>Ann Onym</a>, <a href='/news/'>City News</a></p>",
            "",
            ["Ann Onym"],
        ),
        (
            "<p><a href='/authors/ann'>Ann Onym</a> about <a href='/authors/bo'>Bo Derr</a></p>",
            "",
            ["Ann Onym"],
        ),
        ("<p>作者：记者 王小明来源：港口晚报时间：2020-08-26</p>", "", ["王小明"]),
        ("<p>记者日前在港口看到，新桥已经开放，行人很多。</p>", "", []),
    ],
)
def test_authors_by_the_article(top: str, end: str, names: list[str]) -> None:
    html = f"<article><h1>A bridge opens today</h1>{top}{PROSE}{end}</article><footer><a rel=author>Theme Co</a></footer>"
    assert [one["name"] for one in sitecrawl.extract(html, "http://example.com/a").authors] == names


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("By Ann Onym | 6 Nov 2023 10:15", "Ann Onym"),
        ("By Ann Onym November 6, 2023", "Ann Onym"),
        ("作者：林晓东 2023-11-06 10:15", "林晓东"),
        ("2023-11-06 来源：港口晚报 作者：林晓东责任编辑：王五", "林晓东"),
    ],
)
def test_the_byline_below_the_headline_is_surer_than_a_card_with_an_author(
    line: str, name: str
) -> None:
    cards = "".join(
        f"<div><h3><a href='/story/{at}'>Another story of the harbour</a></h3><span class='author'>Bo Derr</span></div>"
        for at in range(3)
    )
    html = f"<h1>A bridge opens today</h1><p>{line}</p>{PROSE}<div>{cards}</div>"
    assert [one["name"] for one in sitecrawl.extract(html, "http://example.com/a").authors] == [
        name
    ]


def test_a_marked_author_below_the_headline_is_surer_than_the_byline_of_a_comment() -> None:
    said = "<div><p>Posted by Bo Derr at 7 Nov 2023 10:15</p><p>So it was.</p></div>"
    html = f"<article><h1>A bridge opens today</h1><span class='byline'>Ann Onym</span> <time>2023-11-06</time>{PROSE * 4}</article>{said}"
    assert [one["name"] for one in sitecrawl.extract(html, "http://example.com/a").authors] == [
        "Ann Onym"
    ]


@pytest.mark.parametrize("prose", [PROSE, PROSE * 6])
@pytest.mark.parametrize(
    ("top", "end", "names"),
    [
        ("", "<p>本文来源：港口晚报 作者：林晓东</p><div>分享到：</div>", ["林晓东"]),
        ("<span class='byline'>Ann Onym</span>", "<p>作者：林晓东</p>", ["Ann Onym"]),
        ("", "<p>作者：林晓东 2023-11-06 10:15</p><p>So it was.</p>", ["Account"]),
        ("", "<div class='comments'><p>作者：林晓东</p><p>So it was.</p></div>", ["Account"]),
        ("", "<h3>2 Comments</h3><div><p>作者：林晓东</p><p>So it was.</p></div>", ["Account"]),
    ],
)
def test_the_signature_below_an_article_is_surer_than_a_marked_element_far_from_it(
    prose: str, top: str, end: str, names: list[str]
) -> None:
    login = (
        "<ul>"
        + "<li><a href='/a'>Harbour</a></li>" * 15
        + "</ul><div class='author-name'>Account</div>"
    )
    html = f"<article><h1>A bridge opens today</h1>{top}{prose}</article>{end}{login}"
    assert [one["name"] for one in sitecrawl.extract(html, "http://example.com/a").authors] == names


@pytest.mark.parametrize("prose", [PROSE, PROSE * 6])
@pytest.mark.parametrize("named", ["", "Ann Onym"])
@pytest.mark.parametrize(
    "said", ["<div class='comments'>{}</div>", "<h3>2 Comments</h3><div>{}</div>"]
)
def test_comments_name_no_author_of_the_article(prose: str, named: str, said: str) -> None:
    comment = said.format("<p>Posted by Bo Derr at 7 Nov 2023 10:15</p><p>So it was.</p>")
    html = f"<meta name='author' content='{named}'><article><h1>A bridge opens today</h1>{prose}</article>{comment}"
    assert [one["name"] for one in sitecrawl.extract(html, "http://example.com/a").authors] == [
        named
    ] * bool(named)


@pytest.mark.parametrize(
    "text", ["作者认为，新桥会改变这座城市的交通。", "作者用大量例子说明这个问题。"]
)
def test_prose_about_an_author_is_no_byline(text: str) -> None:
    for body in (f"<p>{text}</p>{PROSE}", f"{PROSE * 6}<p>{text}</p>"):
        html = (
            f"<meta name='author' content='林晓东'><article><h1>新桥今天通车</h1>{body}</article>"
        )
        assert [one["name"] for one in sitecrawl.extract(html, "http://example.com/a").authors] == [
            "林晓东"
        ]


def test_people_are_the_authors_where_the_metadata_names_the_site() -> None:
    named = '{"@type": "NewsArticle", "author": {"name": "Harbour News"}, "publisher": {"name": "Harbour News"}}'
    html = f"<script type='application/ld+json'>{named}</script><h1>A bridge</h1><p>By Ann Onym and Bo Derr</p>{PROSE}"
    assert [one["name"] for one in sitecrawl.extract(html).authors] == ["Ann Onym", "Bo Derr"]


@pytest.mark.parametrize(
    "line",
    ["Posted by Ann Onym at 10:30", "posted by Ann Onym | 3 comments", "Written by Ann Onym"],
)
def test_old_blogs_sign_an_article_below_it(line: str) -> None:
    def names(end: str) -> list[str]:
        found = sitecrawl.extract(
            f"<h1>A bridge opens today</h1>{PROSE * 3}{end}", "http://example.com/a"
        ).authors
        return [one["name"] for one in found]

    assert (
        names(f"<p>{line}</p>")
        == names(f"<div>Filed under: Harbour</div><div>{line}</div>")
        == ["Ann Onym"]
    )
    far = "".join(
        f"<div class='related'><a href='/{n}'>Another story, {n}</a></div>" for n in range(9)
    )
    assert names(f"{far}<div class='related'>{line}</div>") == []


def test_authors_of_a_paper() -> None:
    head = "".join(
        f'<meta name="citation_author" content="{name}">' for name in ("Onym, Ann", "Bo Derr")
    )
    found = sitecrawl.extract(page(head, "<h1>A bridge opens</h1>"), "http://example.com/a")
    assert [one["name"] for one in found.authors] == ["Ann Onym", "Bo Derr"]


@pytest.mark.parametrize(
    ("keywords", "tags"),
    [
        ("福彩 责任 宁夏", ["福彩", "责任", "宁夏"]),
        ("東京　大阪", ["東京", "大阪"]),
        ("教育_学校", ["教育", "学校"]),
        ("#bridge #tram line", ["bridge", "tram line"]),
        ("Windows 系统", ["Windows 系统"]),
        ("new york", ["new york"]),
        ("서울 시장", ["서울 시장"]),
    ],
)
def test_tags_that_blanks_part(keywords: str, tags: list[str]) -> None:
    assert sitecrawl.extract(page(head=f'<meta name="keywords" content="{keywords}">')).tags == tags


@pytest.mark.parametrize(
    "line",
    [
        "Vložil/a {}",
        "Publié par {}",
        "Geschrieben von {}",
        "Scritto da {}",
        "Napisał(a) {}",
        "Автор: {}",
    ],
)
def test_marked_by_lines_in_other_languages(line: str) -> None:
    for name in ("Ann Onym", "Leonardo da Vinci"):
        top = f'<h1>A bridge opens</h1><p class="author">{line.format(name)}</p>'
        assert [one["name"] for one in sitecrawl.extract(page(top=top)).authors] == [name]


@pytest.mark.parametrize(
    "line",
    """Автор: {0}|Door {0}|Av {0}|Af {0}|Oleh: {0}|Yazar: {0}|Tekst: {0}|Szerző: {0}|Tác giả: {0}|Συντάκτης: {0}|Auteur : {0}
    |Escrito por {0}|بقلم: {0}""".split("|"),
)
def test_by_lines_that_nothing_marks(line: str) -> None:
    for name in ("Ann Onym", "Иван Иванов"):
        top = f"<h1>A bridge opens</h1><p>{line.format(name)}</p>"
        assert [one["name"] for one in sitecrawl.extract(page(top=top)).authors] == [name]


@pytest.mark.parametrize(
    "line",
    "AV Club|AF Group|Oleh Onym|著者紹介|執筆者募集|執筆を終えて|作者简介|作者について|撰稿人招募|记者站／公告".split(
        "|"
    ),
)
def test_lines_that_only_begin_like_by_lines(line: str) -> None:
    assert not sitecrawl.extract(page(top=f"<h1>A bridge opens</h1><p>{line}</p>")).authors


@pytest.mark.parametrize(
    "line", ["著者：王小明", "執筆：王小明", "文：王小明", "文／王小明", "記者王小明／台北報導"]
)
def test_by_lines_in_japan_and_taiwan(line: str) -> None:
    found = sitecrawl.extract(page(top=f"<h1>A bridge opens</h1><p>{line}</p>"))
    assert [one["name"] for one in found.authors] == ["王小明"]


@pytest.mark.parametrize(
    ("head", "top", "names"),
    [
        ('<meta name="author" content="The Example">', "<p>By Ann Onym</p>", ["Ann Onym"]),
        (
            '<meta name="author" content="the-example">',
            "<aside><a rel='author'>Ann Onym</a></aside>",
            ["Ann Onym"],
        ),
        (
            '<meta name="author" content="news.example">',
            "<p>By The Example, Ottery</p>",
            ["news.example"],
        ),
        ('<meta name="author" content="The Example">', "<p>By agencies</p>", ["The Example"]),
        ('<meta name="author" content="Ann Onym">', "<p>By Bo Derr</p>", ["Ann Onym"]),
        (
            '<meta name="author" content="Ann Onym, Bo Derr, The Example">',
            "",
            ["Ann Onym", "Bo Derr"],
        ),
    ],
)
def test_a_person_comes_before_the_name_of_the_site(head: str, top: str, names: list[str]) -> None:
    head += '<meta property="og:site_name" content="The Example">'
    found = sitecrawl.extract(
        page(head, top=f"<h1>A bridge opens</h1>{top}"), "http://news.example/a"
    ).authors
    assert [one["name"] for one in found] == names


@pytest.mark.parametrize("box", ["<aside>{}</aside>", '<div class="widget">{}</div>', "<p>{}</p>"])
def test_an_author_beside_the_headline_counts_in_any_box(box: str) -> None:
    top = "<h1>A bridge opens</h1>" + box.format('<a rel="author" href="/u/7">Ann Onym</a>')
    assert [one["name"] for one in sitecrawl.extract(page(top=top)).authors] == ["Ann Onym"]


@pytest.mark.parametrize("name", ["relative", "position-relative", "inside", "group relative flex"])
def test_names_of_layout_do_not_make_a_side_column(name: str) -> None:
    assert not hint_bits(name) & BITS["side"]
    assert all(
        hint_bits(side) & BITS["side"]
        for side in ("related", "sidebar", "side", "aside", "relatedPosts")
    )


def test_the_url_of_an_author_names_them_where_nothing_else_does() -> None:
    head = '<meta property="article:author" content="https://example.com/{}">'
    for url, names in (
        ("author/ann-onym/", ["ann onym"]),
        ("authors/%C3%A9mile", ["émile"]),
        ("harbour", []),
    ):
        found = sitecrawl.extract(
            page(head.format(url), "<h1>A bridge opens</h1>"), "http://example.com/a"
        )
        assert [one["name"] for one in found.authors] == names


def test_a_graph_names_the_author_apart_from_the_article() -> None:
    graph = [
        {"@type": "Person", "@id": "#1", "name": "Bo Derr"},
        {"@type": "Person", "@id": "#2", "name": "Ann Onym"},
    ]
    article = {"@type": "BlogPosting", "headline": "A bridge opens", "author": {"@id": "#2"}}
    script = (
        f'<script type="application/ld+json">{json.dumps({"@graph": [article, *graph]})}</script>'
    )
    assert sitecrawl.extract(page(script), "http://example.com/a").authors == [{"name": "Ann Onym"}]


@pytest.mark.parametrize(
    "post",
    [
        '<td><span class="name"><b>mila99</b></span><br>Joined: 22 Aug 2005</td><td>{}</td>',
        '<td><a class="bigusername" href="/m/5">mila99</a></td><td>{}</td>',
        '<td><div class="authi"><a href="/5">mila99</a> 2015-4-28</div>{}</td>',
        '<td><ul class="authi"><li><em>楼主</em> <b>mila99</b></li></ul>{}</td>',
        '<td><b itemprop="name">Bridges</b><p class="author"><b>mila99</b> 发表于 2015-4-28 10:00:00</p>{}</td>',
        "<td><p>#165951 - mila99 - Wed Jan 14, 2009 6:56 am</p>{}</td>",
    ],
)
def test_who_began_a_thread_wrote_it(post: str) -> None:
    thread = f"<h1>A bridge opens today</h1><table><tr>{post.format(PROSE)}</tr></table>"
    html = f"<title>A bridge opens today</title>{thread}"
    found = sitecrawl.extract(html, "http://example.com/forum/viewtopic.php?t=5").authors
    assert [one["name"] for one in found] == ["mila99"]
    is_marked = "author" in post
    assert bool(sitecrawl.extract(html, "http://example.com/a").authors) is is_marked


def test_cards_that_say_who_wrote_name_the_author() -> None:
    cards = (
        '<meta name="twitter:label1" content="{}"><meta name="twitter:data1" content="Ann Onym">'
    )
    for label, names in (
        ("Written by", ["Ann Onym"]),
        ("Verfasst von", ["Ann Onym"]),
        ("Price", []),
    ):
        found = sitecrawl.extract(
            page(cards.format(label), "<h1>A bridge opens</h1>"), "http://example.com/a"
        )
        assert [one["name"] for one in found.authors] == names


@pytest.mark.parametrize(
    "head",
    [
        '<meta name="twitter:image:src" content="/i.jpg">',
        '<meta property="og:image:secure_url" content="/i.jpg">',
        '<meta itemprop="image" content="/i.jpg">',
        '<link rel="image_src" href="/i.jpg">',
        linked(image={"@type": "ImageObject", "name": "A bridge", "contentUrl": "/i.jpg"}),
        linked(image=[{"@type": "ImageObject", "url": ["/i.jpg"]}]),
        linked(image={"@id": "#7"}) + '<meta property="og:image" content="/i.jpg">',
    ],
)
def test_the_main_image_in_any_form(head: str) -> None:
    assert sitecrawl.extract(page(head), "http://example.com/a").mainImage == {
        "url": "http://example.com/i.jpg"
    }


@pytest.mark.parametrize(
    "name", ["i/blank.jpg", "img/social_placeholder.png?v=2", "img/news-placeholder-3.png"]
)
def test_a_picture_that_stands_for_a_missing_one_is_none(name: str) -> None:
    head = '<meta property="og:image" content="/{}">'
    assert sitecrawl.extract(page(head.format(name)), "http://example.com/a").mainImage is None
    assert (
        sitecrawl.extract(page(head.format("blank-page.jpg")), "http://example.com/a").mainImage
        is not None
    )


@pytest.mark.costs(1.0)
def test_a_hostile_url_of_a_picture_costs_little() -> None:
    linked = {
        "@type": "NewsArticle",
        "headline": "A",
        "image": "/" + "placeholder" * 10_000 + "/a.jpg",
    }
    html = page(f'<script type="application/ld+json">{json.dumps(linked)}</script>')
    assert sitecrawl.extract(html, "http://example.com/a").mainImage is not None


@pytest.mark.parametrize("tag", ["time", "h2", "div itemprop=datePublished"])
@pytest.mark.costs(2.0)
def test_a_text_in_many_nested_elements_is_not_read_whole_for_each(tag: str) -> None:
    html = page(top=f"<{tag}>" * 1_900 + "Some words, and more. " * 40_000)
    assert len(sitecrawl.extract(html, "http://example.com/a").articleBody) > 800_000


@pytest.mark.parametrize(
    "head",
    [
        '<meta name="news_keywords" content="bridge, city">',
        '<meta name="parsely-tags" content="bridge,city">',
        linked(keywords=[{"@type": "DefinedTerm", "name": "bridge"}, "city"]),
    ],
)
def test_keywords_under_other_names(head: str) -> None:
    assert sitecrawl.extract(page(head)).tags == ["bridge", "city"]


@pytest.mark.parametrize(
    "trail",
    [
        '<div><a class="crumbs" href="/">Home</a> &gt; <a class="crumbs" href="/n">News</a></div>',
        '<p><span itemtype="http://example.org/Breadcrumb"><a href="/">Home</a></span> / '
        '<span itemtype="http://example.org/Breadcrumb"><a href="/n">News</a></span></p>',
        '<p itemprop="breadcrumb"><a href="/">Home</a> <span class="crumb"><a href="/n">News</a></span></p>',
    ],
)
def test_breadcrumbs_that_are_named_one_by_one(trail: str) -> None:
    found = sitecrawl.extract(
        page(top=f"{trail}<h1>A bridge opens</h1>"), "http://example.com/a"
    ).breadcrumbs
    assert [crumb["name"] for crumb in found] == ["Home", "News"]


def test_breadcrumbs_that_are_named_by_their_type() -> None:
    trail = '<ol itemscope itemtype="https://schema.org/BreadcrumbList"><li><a href="/">Home</a><li><a href="/n">News</a></ol>'
    found = sitecrawl.extract(
        page(top=f"{trail}<h1>A bridge opens</h1>"), "http://example.com/a"
    ).breadcrumbs
    assert [one["name"] for one in found] == ["Home", "News"]


def test_a_question_that_json_ld_names_belongs_to_a_forum() -> None:
    script = '{"@type": "QAPage", "mainEntity": {"@type": "Question", "name": "Which bridge?"}}'
    html = f'<script type="application/ld+json">{script}</script><p>Which bridge?</p>'
    assert parse(html, "http://example.com/a").is_forum
    assert not parse(html.replace("QAPage", "FAQPage"), "http://example.com/a").is_forum


@pytest.mark.parametrize(
    ("line", "source", "names"),
    [
        ("来源： 作者： 发布时间：2024-05-06", None, []),
        ("来源：发布日期：2024-05-06", None, []),
        ("发布时间：2024-05-06 来源： 人气：123", None, []),
        ("来源：http://example.com/a", None, []),
        ("来源：港口晚报作者：王小明", "港口晚报", []),
        ("来源：<a>港口晚报</a> <a>举报</a>", "港口晚报", []),
        ("来源：<b>港口晚报</b> <b>调整字体</b>", "港口晚报", []),
        ("来源：打印世界", "打印世界", []),
        ("供稿：办公室 撰稿：王小明 来源：港口晚报", "港口晚报", ["王小明"]),
    ],
)
def test_a_label_behind_an_empty_one_is_no_value(
    line: str, source: str | None, names: list[str]
) -> None:
    found = sitecrawl.extract(
        page(top=f"<h1>A bridge opens</h1><p>{line}</p>"), "http://example.com/a"
    )
    assert (found.source, [one["name"] for one in found.authors]) == (source, names)


def test_a_license_among_other_relations() -> None:
    html = page(
        top="<h1>A bridge opens</h1><a rel='noopener license' href='http://license.example/by/4.0/'>CC</a>"
    )
    assert (
        sitecrawl.extract(html, "http://example.com/a").license == "http://license.example/by/4.0/"
    )


@pytest.mark.parametrize(
    "title",
    [
        "Von Hamburg nach Berlin",
        "Di Maria Returns",
        "Door County Votes",
        "By Design Only",
        "作者已死",
    ],
)
def test_a_headline_that_begins_as_a_by_line_is_none(title: str) -> None:
    found = sitecrawl.extract(page(f"<title>{title}</title>", f"<h1>{title}</h1><p>6 May 2024</p>"))
    assert (found.headline, found.authors) == (title, [])
    found = sitecrawl.extract(
        page(f"<title>{title}</title>", f"<h1>{title}</h1><p>By Ann Onym</p>")
    )
    assert [one["name"] for one in found.authors] == ["Ann Onym"]
