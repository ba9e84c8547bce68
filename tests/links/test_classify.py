"""Classification end to end on pages written here, Chinese and English, and on junk."""

from __future__ import annotations

import numpy as np
import pytest

from sitecrawl.dom.parse import parse
from sitecrawl.limits import LIMITS
from sitecrawl.links.classify import LABELS, Profile, classify
from tests.pages import listing_page

URL = "http://www.example.org/city/"


def labels(html: str | bytes, url: str = URL) -> dict[str, str]:
    return {link.url: link.label for link in classify(parse(html, url))}


def chinese_page() -> bytes:
    items = "".join(
        f'<li><a href="/news/{1000 + n}.html" title="市图书馆第{n}期读书活动报名开始">市图书馆第{n}期读书活动报名开始</a><span>2019-07-{n:02d}</span></li>'
        for n in range(1, 16)
    )
    pager = '<div class="page"><a href="/news/index_2.html">2</a><a href="/news/index_3.html">3</a><a href="/news/index_2.html">下一页</a></div>'
    menu = '<ul class="nav"><li><a href="/">首页</a></li><li><a href="/news/">新闻中心</a></li><li><a href="/notice/">通知公告</a></li></ul>'
    html = f'<html><head><meta charset="gbk"><title>新闻</title></head><body>{menu}<div class="list"><ul>{items}</ul>{pager}</div></body></html>'
    return html.encode("gbk")


def test_articles_of_an_english_section() -> None:
    found = labels(listing_page(range(1, 13)))
    articles = [url for url in found if "/2024/05/a-" in url]
    assert len(articles) == 12
    assert sum(found[url] == "article" for url in articles) >= 11
    assert found["http://www.example.org/city/page/2/"] == "section"


def test_articles_of_a_chinese_section_in_gbk() -> None:
    found = labels(chinese_page(), "http://www.example.cn/news/")
    assert (
        sum(
            label == "article"
            for url, label in found.items()
            if url.endswith(".html") and "index" not in url
        )
        == 15
    )
    assert found["http://www.example.cn/news/index_2.html"] == "section"


def test_document_order_and_probabilities() -> None:
    links = classify(parse(chinese_page(), "http://www.example.cn/news/"))
    assert [link.text for link in links[:3]] == ["首页", "新闻中心", "通知公告"]
    for link in links:
        assert link.label in LABELS
        assert sum(link.scores.values()) == pytest.approx(1.0, abs=1e-4)
        assert link.score == max(link.scores.values())
        assert link.group.endswith("/a")


def test_links_to_one_target_share_a_label() -> None:
    html = "".join(
        f'<div class="post"><a href="/2020/01/0{n}/a-{n}-day/"><img src="x"></a><h2><a href="/2020/01/0{n}/a-{n}-day/">A long day number {n} in the harbour</a></h2>'
        f'<p>Summary</p><a href="/2020/01/0{n}/a-{n}-day/#more">Read more</a></div>'
        for n in range(1, 8)
    )
    links = classify(parse(html, URL))
    for n in range(0, len(links), 3):
        assert len({link.label for link in links[n : n + 3]}) == 1
    assert links[0].label == "article"


def test_links_to_no_page_are_other() -> None:
    html = (
        '<a href="#top">Up we go to the very top</a><a href="javascript:;">Click</a><a href="mailto:a@example.org">Mail</a>'
        '<a href="">x</a><a href="http://[bad">bad</a><a href="/f.pdf">A long report about the harbour bridge</a>'
        '<a href="http://other.example.net/2020/01/a-long-story-of-the-day.html">A long story of the day elsewhere</a>'
    )
    assert {link.label for link in classify(parse(html, URL))} == {"other"}


def test_pagination_is_marked() -> None:
    links = classify(parse(listing_page(range(1, 13)), URL))
    assert [link.url for link in links if link.pagination] == [
        "http://www.example.org/city/page/2/"
    ]


@pytest.mark.parametrize(
    "html", ["", "<p>no links</p>", "<a name=x>no href</a>", b"\x00\xff<a href", "<a href='/x'>"]
)
def test_poor_pages(html: str | bytes) -> None:
    assert len(classify(parse(html, URL))) <= 1


def test_a_page_without_address() -> None:
    links = classify(
        parse(
            '<a href="/x/a-long-story.html">A long story about the harbour</a><a href="http://a.org/y">y</a>',
            None,
        )
    )
    assert len(links) == 2


def test_bounded_number_of_links() -> None:
    html = (
        "<ul>"
        + "".join(
            f'<li><a href="/thread/{n}.html">Thread number {n}</a>'
            for n in range(LIMITS.links + 50)
        )
        + "</ul>"
    )
    assert len(classify(parse(html, URL))) == LIMITS.links


def test_deep_pages_are_no_problem() -> None:
    html = (
        "<div>" * 1500
        + '<a href="/news/a-story-of-depth.html">A story of depth</a>'
        + "</div>" * 1500
    )
    assert len(classify(parse(html, URL))) == 1


def test_a_profile_turns_a_wrong_guess() -> None:
    page = parse(listing_page(range(1, 13)), URL)
    before = [link for link in classify(page) if "/2024/05/a-" in link.url]
    assert before[0].label == "article"
    profile = Profile()
    for link in before[:4]:
        profile.record(link.url, link.group, kind="listing", guess=link.guess)
    after = classify(page, profile=profile)
    assert sum(link.label == "section" for link in after if "/2024/05/a-" in link.url) >= 10
    again = classify(page, profile=Profile.from_dict(profile.to_dict()))
    assert np.allclose([a.score for a in after], [b.score for b in again])
