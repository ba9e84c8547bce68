"""What a template finds beside the known fields: named values, tags, breadcrumbs, source; and what
it leaves alone."""

from __future__ import annotations

import json

import pytest

from sitecrawl.extras.overrides.template_edits import put
from sitecrawl.site.model import SiteModel
from sitecrawl.templates.induction.induce import induce
from sitecrawl.templates.induction.labelled_values import MOST_VALUES, shared_ends
from sitecrawl.templates.template import Template
from tests.templates.samples import THINGS, sample

TOPICS = ("harbour", "library", "tram", "market", "school", "park", "museum", "bridge", "station")


def english_page(number: int) -> str:
    """An article with views, a category, a label in a row of its own, tags; and much beside it that
    is none of its fields."""
    topic, other = TOPICS[number % 9], TOPICS[(number + 4) % 9]
    prose = "".join(
        f"<p>Paragraph {k} of story {number}, on how the {topic} came to be, who paid for it, and what was left out.</p>"
        for k in range(5)
    )
    related = "".join(
        f'<li class="item"><a href="/{number + k}.html">Older story about the {TOPICS[(number + k) % 9]}</a><time>2023-05-0{k + 1}</time></li>'
        for k in range(4)
    )
    return f"""<html><head><title>The {topic} of number {number}</title></head><body>
<div class="crumbs">You are here: <a href="/">Home</a> <a href="/{topic}/">All about the {topic}</a></div>
<div class="story"><h1>The {topic} of number {number}</h1>
<p class="line">Posted on 2024-05-{number + 1:02d} in <a class="cat" href="/c/{topic}/">{topic.title()}</a></p>
<span class="post-views">{number * 31 + 7} views</span><dl><dt>Location</dt><dd>{other.title()} Street {number}</dd></dl>
<div class="text">{prose}</div><p class="tags"><a href="/t/{topic}">{topic}</a> <a href="/t/{other}">{other}</a></p>
<a class="prev" href="/{number - 1}.html">How the {other} was built in {number} days</a></div>
<div class="related"><h3>Related</h3><ul>{related}</ul></div>
<div class="sidebar"><span class="quote">Quote of the day {number}: {other} it is</span></div></body></html>"""


def chinese_page(number: int) -> str:
    thing = THINGS[number % len(THINGS)]
    prose = "".join(
        f"<p>这是第{number}号报道的第{k}段，说明了{thing}是怎样规划的，由谁出资，以及居民为什么等了这么久。</p>"
        for k in range(5)
    )
    return f"""<html><head><title>{thing}今日开通第{number}期</title></head><body>
<div class="wz">当前位置：<a href="/">首页</a> &gt; <a href="/n/">新闻</a> &gt; <a href="/n/{number % 2}/">{thing}</a></div>
<div class="main"><h1>{thing}今日开通第{number}期</h1>
<div class="info">发布时间：2019-05-{number + 1:02d} 来源：示例日报 作者：王小明 点击：{number * 31 + 7} 次</div>
<div id="zoom">{prose}</div><div class="page">上一篇：<a href="/{number}.htm">另一则新闻</a></div></div></body></html>"""


def learned(page: object, count: int = 8) -> SiteModel:
    model = SiteModel()
    model.learn([(f"http://news.example/{n}.html", page(n)) for n in range(count)])  # type: ignore[operator]
    return model


def test_what_has_a_printed_label_beside_the_body() -> None:
    article = learned(english_page).extract(english_page(11), "http://news.example/11.html")
    assert article.extra == {
        "views": "348",
        "location": "Museum Street 11",
    }  # the category has a class, no label
    assert article.to_dict()["extra"] == article.extra


def test_one_line_with_several_labels() -> None:
    article = learned(chinese_page).extract(chinese_page(11), "http://cn.example/11.html")
    assert article.extra == {"views": "348 次"}
    assert article.source == "示例日报"
    assert [crumb["name"] for crumb in article.breadcrumbs] == ["首页", "新闻", "电车线路"]


def test_tags_and_breadcrumbs_have_addresses() -> None:
    model = learned(english_page)
    assert next(iter(model.templates[0].fields["tags"].sources)).endswith("//a")
    article = model.extract(english_page(11), "http://news.example/11.html")
    assert article.tags == ["tram", "museum"]
    assert article.breadcrumbs[1] == {
        "name": "All about the tram",
        "url": "http://news.example/tram/",
    }


def test_a_person_renames_and_the_name_stays() -> None:
    model = learned(english_page)
    edited = json.loads(json.dumps(model.templates[0].to_dict()).replace('"views"', '"klicks"'))
    put(model, Template.from_dict(edited))
    assert model.extract(english_page(11), "http://news.example/11.html").extra["klicks"] == "348"
    family = model.families[0]
    family.drift()
    family.samples = [sample(english_page(n)) for n in range(6)]
    again = family.induce("news.example")
    assert again is not None
    assert "klicks" in again.extra


def test_extra_fields_are_few() -> None:
    rows = "".join(f"<dt>Row {k}</dt><dd>{k} #</dd>" for k in "abcdefghijklmn")
    pages = [english_page(n).replace("<dl>", "<dl>" + rows.replace("#", f"x{n}")) for n in range(8)]
    template = induce([sample(page) for page in pages])
    assert template is not None
    assert len(template.extra) == MOST_VALUES
    assert "views" in template.extra


def test_two_pages_are_too_few_to_tell() -> None:
    template = induce([sample(english_page(n)) for n in range(2)])
    assert template is not None
    assert template.extra == {}


def test_a_page_without_an_extra_field_leaves_it_out() -> None:
    html = english_page(11).replace('<span class="post-views">348 views</span>', "")
    assert "views" not in learned(english_page).extract(html, "http://news.example/11.html").extra


@pytest.mark.parametrize(
    ("values", "ends"),
    [([], ("", "")), (["a b", "a b"], ("", "")), (["12 views", "7 views"], ("", " views")), (["in A", "in B"], ("in ", ""))],
)  # fmt: skip
def test_whole_words_only_are_cut(values: list[str], ends: tuple[str, str]) -> None:
    assert shared_ends(values) == ends


def test_what_is_read_late_holds_on_to_the_page_only() -> None:
    model = learned(english_page)
    article = model.observe(english_page(9), "http://news.example/9.html", 0.95).article
    assert article is not None
    assert article.extra["location"] == "School Street 9"
