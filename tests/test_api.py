"""The Python interface of one page and of one site, as a user without Scrapy meets it."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

import sitecrawl
from tests.pages import article_page, listing_page

NAMES = ("Ada Stone", "Ben Marsh", "Cleo Ford")


def test_extract_gives_the_article() -> None:
    article = sitecrawl.extract(article_page(3), "http://news.example/2024/05/a-3.html")
    assert article.headline == "Harbour bridge number 3 opens to cyclists"
    assert (article.datePublished or "").startswith("2024-05-04")
    assert "third paragraph of story 3" in article.articleBody
    assert "All rights reserved" not in article.articleBody
    assert set(article.to_dict()) >= {
        "url",
        "headline",
        "articleBody",
        "articleBodyHtml",
        "provenance",
        "comments",
    }


@pytest.mark.parametrize("html", ["", b"", "<p>", b"\x89PNG\r\n\x1a\n\x00\x00", "{}"])
def test_extract_never_raises(html: str | bytes) -> None:
    assert sitecrawl.extract(html).to_dict()["articleBody"] is not None


def test_one_page_gives_its_comments() -> None:
    said = [
        f"Reader {n} finds that the bridge number {n} is far too steep for a loaded bicycle."
        for n in range(3)
    ]
    shown = (
        f"<li class='comment'><cite>{NAMES[n]}</cite> <time>2024-06-0{n + 1} 10:00</time><p>{text}</p></li>"
        for n, text in enumerate(said)
    )
    page = article_page(3).replace(
        '<div class="side">', f"<ol class='comments'>{''.join(shown)}</ol><div class='side'>"
    )
    article = sitecrawl.extract(page, "http://news.example/2024/05/a-3.html")
    assert [(one.author, one.text) for one in article.comments] == [
        (NAMES[n], text) for n, text in enumerate(said)
    ]
    assert not any(text in article.articleBody for text in said)


def test_a_page_without_text_is_not_sure() -> None:
    for html in ("", "<h1>Members</h1>"):
        article = sitecrawl.extract(html)
        assert (article.provenance.confidence, article.provenance.flags) == (0, ["unsure"])


def test_classify_links_finds_the_articles_in_document_order() -> None:
    links = sitecrawl.classify_links(listing_page(range(12)), "http://news.example/city/")
    articles = [link.url for link in links if link.label == "article"]
    assert articles == [f"http://news.example/2024/05/a-{n}.html" for n in range(12)]
    assert all(0 <= link.score <= 1 for link in links)
    assert {link.label for link in links if link.text in ("Politics", "Sport")} == {"section"}


def test_a_learned_site_answers_from_its_template() -> None:
    site = sitecrawl.SiteModel()
    pages = [
        sitecrawl.RawPage(article_page(n), f"http://news.example/2024/05/a-{n}.html")
        for n in range(9)
    ]
    site.learn(pages[:4])
    site.learn((page.url, page.html) for page in pages[4:8])  # type: ignore[misc]
    article = site.extract(html=pages[8].html, url=pages[8].url)
    assert article.provenance.method == "template"
    assert article.headline == "Harbour bridge number 8 opens to cyclists"
    assert "third paragraph of story 8" in article.articleBody
    assert "Subscribe to our newsletter" not in article.articleBody
    again = sitecrawl.Template.from_dict(site.templates[0].to_dict())
    assert again.to_dict() == site.templates[0].to_dict()


def test_importing_sitecrawl_is_cheap_and_loads_no_training_library() -> None:
    code = "import sys, sitecrawl; sitecrawl.extract('<p>x'); print(sorted({'scrapy', 'twisted'} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


HTML, URL = article_page(1), "http://news.example/2024/05/a-1.html"


def observe(html: Any, url: Any) -> object:
    return sitecrawl.SiteModel().observe(html=html, url=url, promise=0.9)


CALLS: list[Callable[[Any, Any], object]] = [
    sitecrawl.extract,
    sitecrawl.classify_links,
    lambda html, url: sitecrawl.SiteModel().extract(html, url),
    lambda html, url: sitecrawl.SiteModel().learn([(url, html)]),
    lambda html, url: sitecrawl.SiteModel().learn([sitecrawl.RawPage(html, url)]),
    observe,
]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    ("html", "url", "told"),
    [
        (URL, HTML, "swapped"),
        (URL, HTML.encode(), "swapped"),
        (URL, URL, "html is a URL"),
        (URL, None, "html is a URL"),
        (HTML, HTML, "url holds HTML"),
        (HTML, b"http://news.example/", "url holds HTML"),
        (None, URL, "html is str or bytes, not NoneType"),
        (None, None, "html is str or bytes, not NoneType"),
        (HTML, 7, "url is str or None, not int"),
    ],
)
def test_a_mistaken_argument_is_named(
    call: Callable[[Any, Any], object], html: Any, url: Any, told: str
) -> None:
    with pytest.raises(TypeError, match=told):
        call(html, url)


@pytest.mark.parametrize(
    "pages", ["ab", ["ab"], [{"url": URL, "html": HTML}], [(URL, HTML, 1)], sitecrawl.RawPage("ab")]
)
def test_what_is_no_page_is_named(pages: Any) -> None:
    """Also what falls apart into two: a text of two letters, a dictionary of two keys."""
    with pytest.raises(TypeError, match="a page is a RawPage or a pair"):
        sitecrawl.SiteModel().learn(pages)


@pytest.mark.parametrize("promise", [-0.1, 90, float("nan")])
def test_a_promise_is_a_probability(promise: float) -> None:
    with pytest.raises(ValueError, match="promise is a probability"):
        sitecrawl.SiteModel().observe(HTML, URL, promise)


def test_text_that_an_http_client_decoded_as_latin_1_is_decoded_anew() -> None:
    html = "<h1>Мост открыт</h1><p>Сегодня утром мост открыли, и сотни людей прошли по нему. Мэр поблагодарил инженеров.</p>"
    for given in (html, html.encode(), html.encode().decode("latin-1")):
        assert sitecrawl.extract(given, URL).headline == "Мост открыт"


_TOLD = "It took four years, and nobody knows yet who is to pay for it. "


def test_a_few_words_in_the_json_ld_are_an_unsure_text() -> None:
    told = json.dumps(
        {
            "@type": "NewsArticle",
            "headline": "A bridge opens",
            "articleBody": "If a<b, the bridge opens.",
        }
    )
    article = sitecrawl.extract(
        f'<script type="application/ld+json">{told}</script><h1>A bridge opens</h1>', URL
    )
    assert (article.articleBody, article.provenance.flags) == (
        "If a<b, the bridge opens.",
        ["unsure"],
    )


@pytest.mark.parametrize(
    ("shown", "is_told"),
    [("", True), ("<h1>A bridge opens</h1>", True), (f"<main>{HTML}</main>", False)],
)
def test_a_page_whose_text_a_script_draws_has_the_text_of_its_json_ld(
    shown: str, is_told: bool
) -> None:
    told = {
        "@type": "NewsArticle",
        "headline": "A bridge opens",
        "articleBody": f"{(4 * _TOLD).strip()}\nThe mayor was <b>pleased</b>.",
    }
    html = f'<script type="application/ld+json">{json.dumps(told)}</script><nav><a href="/">News</a></nav>{shown}'
    article = sitecrawl.extract(html, URL)
    assert (article.articleBody == f"{(4 * _TOLD).strip()}\nThe mayor was pleased.") is is_told
    assert (article.provenance.fields["articleBody"] == "json-ld") is is_told
    assert article.provenance.flags == []
    assert article.provenance.confidence > 0.5


@pytest.mark.parametrize(
    "html", [HTML, HTML.encode(), bytearray(HTML.encode()), memoryview(HTML.encode())]
)
def test_html_is_text_or_bytes(html: Any) -> None:
    assert sitecrawl.extract(html, URL).headline == "Harbour bridge number 1 opens to cyclists"


@pytest.mark.parametrize("url", [None, "", "/a.html", "http://[::1", "not a url"])
def test_a_url_may_be_missing_or_invalid(url: str | None) -> None:
    assert sitecrawl.extract("Plain words.", url).url == (url or None)


def test_observe_says_what_a_page_is() -> None:
    site = sitecrawl.SiteModel()
    verdict = site.observe(html=HTML, url=URL, promise=0.95)
    assert (verdict.kind, verdict.waits, verdict.events) == ("article", True, [])
    assert verdict.article is not None
    assert verdict.article.headline == "Harbour bridge number 1 opens to cyclists"
    listing = site.observe(listing_page(range(12)).encode(), "http://news.example/city/", 0.05)
    assert (listing.kind, listing.article, listing.waits) == ("listing", None, False)


@pytest.mark.parametrize("learned", [False, True])
def test_an_article_goes_round_through_pickle(learned: bool) -> None:
    site = sitecrawl.SiteModel()
    if learned:
        site.learn(
            [(f"http://news.example/2024/05/a-{n}.html", article_page(n)) for n in range(2, 9)]
        )
    article = site.extract(HTML, URL)
    again = pickle.loads(pickle.dumps(article))  # noqa: S301
    assert again.to_dict() == site.extract(HTML, URL).to_dict()
    assert again.articleBodyMarkdown == article.articleBodyMarkdown
    method = "template" if learned else "fallback"
    assert repr(again) == f"<Article 'Harbour bridge number 1 opens to cyclists' {URL} by {method}>"


def test_a_repr_computes_nothing() -> None:
    article = sitecrawl.Article()
    article.find_comments_by(lambda: 1 / 0)  # type: ignore[arg-type, return-value]
    assert repr(article) == "<Article None without URL by fallback>"


def test_a_site_model_goes_round_through_pickle_and_dictionaries() -> None:
    site = sitecrawl.SiteModel("news.example")
    site.learn([(f"http://news.example/2024/05/a-{n}.html", article_page(n)) for n in range(2, 8)])
    for again in (pickle.loads(pickle.dumps(site)), sitecrawl.SiteModel.from_dict(site.to_dict())):  # noqa: S301
        assert again.extract(HTML, URL).to_dict() == site.extract(HTML, URL).to_dict()
        assert repr(again) == "<SiteModel 'news.example': 1 families of pages, 1 templates>"


def test_no_form_of_a_body_steers_a_terminal() -> None:
    """``sitecrawl extract --format markdown`` printed what a page wrote."""
    html = "<article><h1>A bridge</h1><p>It \x1b]0;name\x07 opens \x1b[31mtoday, and many people walk across it.</p></article>"
    found = sitecrawl.extract(html)
    assert "opens [31mtoday" in found.articleBody
    assert not set(found.articleBody + found.articleBodyHtml + found.articleBodyMarkdown) & set(
        "\x1b\x07"
    )
