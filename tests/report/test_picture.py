"""Pictures of pages: what a template takes is marked, nothing of a hostile page gets through, and
the size is bounded."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lxml import etree

from sitecrawl.crawl.store import Stores
from sitecrawl.dom.page import Page
from sitecrawl.dom.parse import parse
from sitecrawl.extras.report.fleet import fleet_of
from sitecrawl.extras.report.html_file import site_html
from sitecrawl.extras.report.picture import Picture, picture_of
from sitecrawl.site.model import SiteModel
from sitecrawl.templates.template import Template
from tests.report.fleets import make_fleet, story

HOSTILE = """<script>document.title = "caught"; fetch("http://news.example/steal")</script><img src=x onerror="top.x=1" alt='"><script>1</script>'>
<iframe src="http://news.example/frame"></iframe><style>@import url(http://news.example/s.css); body{display:none}</style><svg onload="1"><a href="javascript:1">x</a></svg>
<p style="background:url(http://news.example/b.png)" onclick="1">&lt;script&gt;top.y=2&lt;/script&gt;&lt;/iframe&gt;"'</p><base href="http://news.example/"><meta http-equiv=refresh content="0;url=http://news.example/go">
<a href="javascript:alert(1)">click</a><object data="http://news.example/o"></object><form action="http://news.example/f"><button>go</button></form>"""


@pytest.fixture(scope="module")
def model() -> SiteModel:
    model = SiteModel("design.example")
    for number in range(12):
        model.observe(story(number, 1), f"http://design.example/a-{number}.html", 0.95)
    model.settle()
    return model


@pytest.fixture(scope="module")
def template(model: SiteModel) -> Template:
    return model.templates[0]


def drawn(template: Template, html: str) -> Picture:
    return picture_of(
        template, parse(html.encode(), "http://design.example/a-3.html", "text/html; charset=utf-8")
    )


def test_a_page_of_every_template_is_kept(model: SiteModel, template: Template) -> None:
    again = SiteModel.from_dict(model.to_dict())
    page = again.page_for(template.name)
    assert isinstance(page, Page)
    assert page.url.startswith("http://design.example/a-")
    assert (
        picture_of(template, page).html == picture_of(template, model.page_for(template.name)).html
    )  # type: ignore[arg-type]


def test_what_a_template_takes_is_marked(template: Template) -> None:
    picture = drawn(template, story(3, 1))
    root = etree.HTML(picture.html)
    marked = {
        kind: root.xpath(f'//*[contains(@class, "m {kind}")]')
        for kind in ("headline", "date", "author", "body", "comment", "removed")
    }
    texts = {
        kind: " ".join("".join(node.itertext()) for node in nodes) for kind, nodes in marked.items()
    }
    assert len(marked["comment"]) == 3
    assert "part 3" in texts["headline"]
    assert "2026-11-04" in texts["date"]
    assert "Okabe" in texts["author"]
    assert "earn money soon" in texts["body"]
    assert "Share this" in texts["removed"]
    assert "Subscribe" not in " ".join(texts.values())
    assert "Subscribe" in picture.html
    assert marked["headline"][0].get("aria-label").endswith("h1.title")
    assert {"headline", "datePublished", "articleBody", "comments"} <= {
        found.name for found in picture.legend
    }


def test_nothing_of_a_hostile_page_gets_through(template: Template) -> None:
    picture = drawn(template, story(3, 1).replace("<p>", f"{HOSTILE}<p>"))
    root = etree.HTML(picture.html)
    assert {node.tag for node in root.iter()} == {
        "html",
        "head",
        "meta",
        "style",
        "title",
        "body",
        "div",
        "span",
    }
    used = {name for node in root.find("body").iter() for name in node.attrib}
    assert used <= {"class", "tabindex", "role", "aria-label", "aria-hidden"}
    assert "news.example" not in picture.html
    assert "default-src 'none'" in picture.html
    assert len(root.findall(".//style")) == 1


def test_a_page_that_a_template_does_not_fit_says_so(template: Template) -> None:
    picture = drawn(template, "<h2>Another page</h2><p>that looks like nothing known.</p>")
    assert [found.where[:9] for found in picture.legend if found.name == "articleBody"] == [
        "not found"
    ]
    assert "looks like nothing known" in picture.html


@pytest.mark.parametrize(
    "flood",
    [
        "<p>word</p>" * 30_000,
        "<div>a" * 1_500,
        f"<p>{'long ' * 50_000}</p>",
        "<nav><a href=#>x y z</a></nav>" * 9_000,
    ],
)
def test_pictures_are_bounded(template: Template, flood: str) -> None:
    picture = drawn(
        template, story(3, 1).replace('<div class="text">', f'{flood}<div class="text">{flood}')
    )
    assert len(picture.html) < 120_000
    assert not re.search(r"(?:<div[^>]*>){60}", picture.html)


def test_a_redesign_is_shown_before_and_after(tmp_path: Path) -> None:
    spread = make_fleet(tmp_path, 20)
    for row in fleet_of(Stores(tmp_path)).sites:
        root = etree.HTML(site_html(row, ""))
        titles = root.xpath("//iframe/@title")
        if spread.get(row.site) != "drifting":
            assert not any("Before" in title for title in titles)
            continue
        assert titles == [
            f"{what}, on a page of template-1"
            for what in ("Before: what version 2 takes", "Now: what version 2 takes")
        ]
        cells = root.xpath("//tr[th='articleBody'][td/code]/td")
        before, now = ("".join(cell.itertext()) for cell in cells)
        assert now.startswith("We keep small files")
        assert not before.startswith("We keep small files")
        assert before.endswith("div.text")
