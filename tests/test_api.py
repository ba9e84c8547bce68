"""The Python interface of one page and of one site, as a user without Scrapy meets it."""

from __future__ import annotations

import subprocess
import sys

import pytest

import sitecrawl
from tests.pages import article_page, listing_page


def test_extract_gives_the_article() -> None:
    article = sitecrawl.extract(article_page(3), "http://news.example/2024/05/a-3.html")
    assert article.headline == "Harbour bridge number 3 opens to cyclists"
    assert (article.datePublished or "").startswith("2024-05-04")
    assert "third paragraph of story 3" in article.articleBody
    assert "All rights reserved" not in article.articleBody
    assert set(article.to_dict()) >= {"url", "headline", "articleBody", "articleBodyHtml", "provenance", "comments"}


@pytest.mark.parametrize("html", ["", b"", "<p>", b"\x89PNG\r\n\x1a\n\x00\x00", "{}"])
def test_extract_never_raises(html: str | bytes) -> None:
    assert sitecrawl.extract(html).to_dict()["articleBody"] is not None


def test_classify_links_finds_the_articles_in_document_order() -> None:
    links = sitecrawl.classify_links(listing_page(range(12)), "http://news.example/city/")
    articles = [link.url for link in links if link.label == "article"]
    assert articles == [f"http://news.example/2024/05/a-{n}.html" for n in range(12)]
    assert all(0 <= link.score <= 1 for link in links)
    assert {link.label for link in links if link.text in ("Politics", "Sport")} == {"section"}


def test_a_learned_site_answers_from_its_template() -> None:
    site = sitecrawl.SiteModel()
    pages = [(f"http://news.example/2024/05/a-{n}.html", article_page(n)) for n in range(9)]
    site.learn(pages[:8])
    article = site.extract(*reversed(pages[8]))
    assert article.provenance.method == "template"
    assert article.headline == "Harbour bridge number 8 opens to cyclists"
    assert "third paragraph of story 8" in article.articleBody
    assert "Subscribe to our newsletter" not in article.articleBody
    again = sitecrawl.Template.from_dict(site.templates[0].to_dict())
    assert again.to_dict() == site.templates[0].to_dict()


def test_importing_sitecrawl_is_cheap_and_loads_no_training_library() -> None:
    code = "import sys, sitecrawl; sitecrawl.extract('<p>x'); print(sorted({'sklearn', 'scrapy', 'twisted'} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
