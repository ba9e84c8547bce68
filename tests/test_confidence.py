"""Confidence: a probability that falls where a body is doubtful; templates that leave the body to
the extractor."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

from sitecrawl.dom.parse import parse
from sitecrawl.extract.confidence import page_confidence
from sitecrawl.extract.single import Extraction
from sitecrawl.items.kinds import UNSURE_BELOW, Flag
from sitecrawl.site.assurance import template_confidence
from sitecrawl.site.model import SiteModel
from sitecrawl.templates.apply import apply
from sitecrawl.templates.verify import word_f1
from tests.redesigns import body_of, page


def learned(count: int) -> SiteModel:
    model = SiteModel()
    model.learn([(f"http://news.example/{n}.html", page(n)) for n in range(count)])
    return model


def test_a_page_is_sure_where_its_blocks_are() -> None:
    guess = Extraction(parse(page(1), "http://news.example/1.html"))
    sure = page_confidence(guess.blocks, guess.selection)
    vague = replace(guess.selection, scores=np.where(guess.kept, 0.6, 0.4))
    nothing = replace(guess.selection, kept=np.zeros(len(guess.kept), bool))
    assert 1 >= sure > page_confidence(guess.blocks, vague) > 0
    assert page_confidence(guess.blocks, nothing) == 0
    assert guess.article.provenance.confidence == sure


def test_a_page_without_a_body_is_flagged() -> None:
    article = Extraction(parse("<p>Hello</p>")).article
    assert article.provenance.confidence < UNSURE_BELOW
    assert Flag.UNSURE in article.provenance.flags


@pytest.mark.parametrize(("confidence", "is_flagged"), [(0.4, True), (0.6, False)])
def test_a_body_that_is_more_likely_wrong_than_right_is_flagged(
    confidence: float, is_flagged: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = sys.modules[
        Extraction.__module__
    ]  # `sitecrawl.extract` is the function as well as the package
    monkeypatch.setattr(module, "page_confidence", lambda blocks, selection: confidence)
    flags = Extraction(parse(page(1), "http://news.example/1.html")).article.provenance.flags
    assert (Flag.UNSURE in flags) == is_flagged


def test_an_answer_by_template_is_less_sure_where_its_body_is_full_of_links() -> None:
    model, plain = learned(8), page(20)
    links = "<a href='/a'>More</a> " * 60
    found = [
        template_confidence(apply(model.templates[0], parse(html, "http://news.example/20.html")))
        for html in (
            plain,
            plain.replace('<div class="text">', f'<div class="text"><p>{links}</p>'),
        )
    ]
    assert 1 >= found[0] > found[1] > 0
    assert model.extract(plain, "http://news.example/20.html").provenance.confidence == found[0]


def test_a_template_of_three_pages_answers_with_its_own_body() -> None:
    model = learned(3)
    assert not model.templates[0].is_whole_page
    article = model.extract(page(9), "http://news.example/9.html")
    assert article.provenance.method == "template"
    assert article.provenance.fields["articleBody"] == model.templates[0].body.addresses[0]
    assert word_f1(body_of(9), article.articleBody) == 1


def test_the_element_that_gave_the_headline_is_no_body() -> None:
    def inside(number: int) -> str:
        headline = f"The story {number} of the harbour"
        html = page(number).replace(
            '<div class="text">', f'<div class="text"><div class="name">{headline}</div>'
        )
        return html.replace(html[html.index("<h1") : html.index("</h1>") + 5], "").replace(
            html[html.index("<title>") : html.index("</title>")], f"<title>{headline} - The Example"
        )

    model = SiteModel()
    model.learn([(f"http://news.example/{n}.html", inside(n)) for n in range(8)])
    article = model.extract(inside(20), "http://news.example/20.html")
    assert article.headline == "The story 20 of the harbour"
    assert "The story 20 of the harbour" not in article.articleBody
