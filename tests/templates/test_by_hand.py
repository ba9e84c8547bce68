"""Templates as a person writes them."""

from __future__ import annotations

import json

import pytest

from sitecrawl.dom.parse import parse
from sitecrawl.errors import TemplateError
from sitecrawl.extras.overrides.by_hand import address_of, document_text, template_of
from sitecrawl.extras.overrides.template_edits import put, set_field, take_in
from sitecrawl.items.kinds import TemplateState
from sitecrawl.site.model import SiteModel
from sitecrawl.templates.apply import apply
from sitecrawl.templates.family import TemplateFamily
from sitecrawl.templates.template import Template
from sitecrawl.templates.verify import word_f1
from tests.redesigns import body_of, page

SHORT = {
    "site": "news.example",
    "body": "div.text",
    "fields": {"title": "h1.headline", "date": "span.date"},
}


@pytest.mark.parametrize(
    ("written", "address"),
    [
        ("h1", "//h1"),
        ("#zoom", '//*[@id="zoom"]'),
        ("div#a > p:nth-of-type(2)", '//div[@id="a"]/p[2]'),
        ("p.x:first-of-type", '//p[1][contains(concat(" ", @class, " "), " x ")]'),
        ("meta[name=author]::attr(content)", '//meta[@name="author"]/@content'),
        ("a[href^='/x'] ~ b", '//a[starts-with(@href, "/x")]/following-sibling::b'),
        ("//div[@class='x y']/text()", '//div[@class="x y"]'),
        ("json-ld:headline", "json-ld:headline"),
    ],
)
def test_css_and_xpath_become_addresses(written: str, address: str) -> None:
    assert address_of(written) == address


@pytest.mark.parametrize(
    "written",
    [
        "",
        "h1, h2",
        "p + p",
        "a:hover",
        "div:not(.a)",
        ":first-of-type",
        "((",
        "//p[contains(., 'x')]",
    ],
)
def test_what_templates_cannot_say_is_refused(written: str) -> None:
    with pytest.raises(TemplateError, match="docs/templates"):
        address_of(written)


def test_a_short_document_answers_in_a_crawl() -> None:
    model = SiteModel("news.example")
    put(model, template_of(SHORT))
    for number in range(6):
        verdict = model.observe(page(number), f"http://news.example/{number}.html", 0.95)
        assert verdict.article is not None
        assert verdict.article.provenance.templateId == "news.example/by-hand"
        assert word_f1(body_of(number), verdict.article.articleBody) > 0.99
    assert len(model.families) == 1


@pytest.mark.parametrize("first", [0, 1])
def test_a_short_document_answers_on_pages_of_every_layout(first: int) -> None:
    def wide(html: str) -> str:
        menu = "".join(
            f"<nav class='menu-{k}'><ul class='list-{k}'><li>To {k}</li></ul></nav>"
            for k in "abcdefgh"
        )
        return html.replace(
            '<div id="page"', f'<header>{menu}</header><main class="wide"><div id="sheet"'
        )

    model = SiteModel("news.example")
    put(model, template_of(SHORT))
    for number in range(8):
        html = wide(page(number)) if number % 2 == first else page(number)
        verdict = model.observe(html, f"http://news.example/{number}.html", 0.95)
        assert verdict.article is not None
        assert verdict.article.provenance.templateId == "news.example/by-hand"
    assert len(model.families) == 1


def test_a_short_document_answers_instead_of_what_was_learned_before() -> None:
    model = SiteModel("news.example")
    model.learn([(f"http://news.example/{n}.html", page(n)) for n in range(8)])
    for number in range(16, 32):
        model.extract(page(number), f"http://news.example/{number}.html")
    put(model, template_of(SHORT))
    for number in range(8, 16):
        url = f"http://news.example/{number}.html"
        verdict = model.observe(page(number), url, 0.95)
        assert verdict.article is not None
        assert verdict.article.provenance.templateId == "news.example/by-hand"
        assert model.extract(page(number), url).provenance.templateId == "news.example/by-hand"


@pytest.mark.parametrize("optional", [[], ["datePublished"]])
def test_a_short_document_answers_without_what_is_optional(optional: list[str]) -> None:
    model = SiteModel("news.example")
    put(model, template_of(SHORT | {"optional": optional}))
    verdict = model.observe(page(1).replace('class="date"', ""), "http://news.example/1.html", 0.95)
    assert (verdict.family == "by-hand") is bool(optional)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"body": []}, "no address says where the body is"),
        ({"fields": {"comments": "div.comment"}}, "do not read 'comments'"),
        ({"fields": {"text": "div.text"}}, "do not read .articleBody."),
        (
            {
                "fields": {
                    "headline": {"sources": ["h1", "title"], "cuts": [["", " - The Example"]]}
                }
            },
            "2 sources and 1 cuts",
        ),
        ({"fields": {"tags": []}}, "0 sources"),
        ({"site": ""}, "the site is a host"),
    ],
)
def test_a_document_that_could_not_answer_is_refused(change: dict[str, object], told: str) -> None:
    with pytest.raises(TemplateError, match=told):
        template_of(SHORT | change)
    without_body = {name: value for name, value in SHORT.items() if name != "body"}
    with pytest.raises(TemplateError, match="no address says where the body is"):
        template_of(without_body)


def test_the_site_of_a_document_is_called_as_a_crawl_calls_it() -> None:
    assert template_of(SHORT | {"site": "www.News.example"}).site == "news.example"


def test_the_address_that_found_the_body_is_told() -> None:
    template = template_of(SHORT | {"body": ["div.prose", "div.text"]})
    model = SiteModel("news.example")
    put(model, template)
    article = model.extract(page(1), "http://news.example/1.html")
    assert article.provenance.fields["articleBody"] == template.body.addresses[1]


def test_headings_that_repeat_the_headline_or_reply_to_it_are_no_text() -> None:
    posts = "".join(
        f"<h3>{title}</h3><p>Text {n} of a thread.</p>"
        for n, title in enumerate(("A mill", "Re: A mill", "Re: Another mill"))
    )
    html = f"<h1 class='headline'>A mill</h1><span class='date'>2026-01-02</span><div class='text'>{posts}</div>"
    article = apply(template_of(SHORT), parse(html, "http://news.example/a")).article
    assert article.articleBody.split("\n") == [
        "Text 0 of a thread.",
        "Text 1 of a thread.",
        "Re: Another mill",
        "Text 2 of a thread.",
    ]


def test_a_document_reads_back_from_its_text() -> None:
    document = template_of(SHORT).to_dict()
    text = document_text(document)
    assert json.loads(text) == document
    assert len(text.splitlines()) < 40


def test_a_new_place_of_the_body_forgets_rules_by_position() -> None:
    template = template_of(
        SHORT | {"body": {"addresses": ["div.text"], "without": ["./p[1]", "div.share"]}}
    )
    edited = set_field(template, "text", source="div.story")
    assert edited.body.addresses == [address_of("div.story")]
    assert edited.body.without == [".//" + address_of("div.share")[2:]]


def versions(*states: str) -> list[Template]:
    whole = template_of(SHORT).to_dict()
    return [
        Template.from_dict(whole | {"version": n + 1, "state": state, "created": str(n)})
        for n, state in enumerate(states)
    ]


def test_history_travels_with_its_states() -> None:
    model = SiteModel("news.example")
    for number, template in enumerate(versions("replaced", "trusted", "candidate")):
        template.body.without = [f".//p[{number + 1}]"]
        assert take_in(model, template)
        assert not take_in(model, Template.from_dict(template.to_dict())), "known already"
    found = [(one.version, one.state.value) for one in model.families[0].versions]
    assert found == [(1, "replaced"), (2, "trusted"), (3, "candidate")]


def test_a_version_taken_in_that_is_older_does_not_answer() -> None:
    family, (old, new) = TemplateFamily("by-hand"), versions("trusted", "trusted")
    family.take_in(new)
    family.take_in(old)
    assert [one.state for one in family.versions] == [TemplateState.REPLACED, TemplateState.TRUSTED]
    assert family.current is new


def test_tags_of_another_namespace_break_nothing() -> None:
    def odd(number: int) -> str:
        items = "".join(
            f"<tm:item><div><b>Item {k}</b><i>of {number}</i></div></tm:item>" for k in range(6)
        )
        return page(number).replace(
            '<div class="side">', f"<tm:list>{items}</tm:list><div class='side'>"
        )

    model = SiteModel()
    model.learn([(f"http://news.example/{n}.html", odd(n)) for n in range(4)])
    assert len(model.templates) == 1


def test_a_new_place_takes_the_place_of_one_with_a_label() -> None:
    labelled = {"views": {"sources": ["p.info"], "label": "Views", "stops": ["Source"]}}
    edited = set_field(template_of(SHORT | {"extra": labelled}), "views", source="span.views")
    assert [*edited.extra["views"].sources] == [address_of("span.views")]
