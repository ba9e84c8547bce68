"""The table of item fields: a row and its reader are enough for a field to stand in every
output."""

from __future__ import annotations

import io
import json
import pickle
import re
import tracemalloc
from typing import Any

import pytest

import sitecrawl
from sitecrawl.errors import TemplateError
from sitecrawl.extract.fields import READERS
from sitecrawl.extras.overrides.template_edits import put, set_field
from sitecrawl.extras.sinks.json_feeds import JsonFeedExporter, feed_item
from sitecrawl.items.article import ITEM_FIELDS, Article, FieldKind, ItemField, fingerprint
from sitecrawl.items.feed_items import FIELDS, item_of
from sitecrawl.site.inputs import RawPage
from sitecrawl.site.joining import extract_parts
from sitecrawl.site.model import SiteModel
from sitecrawl.templates.template import Template
from tests.redesigns import page

URL = "http://news.example/{}.html"


def with_subtitle(number: int) -> str:
    meta = f'<meta name="subtitle" content="Subtitle {number}"><meta name="place" content="Place {number}">'
    return page(number).replace("<head>", f"<head>{meta}")


@pytest.fixture
def new_fields(monkeypatch: pytest.MonkeyPatch) -> None:
    """A text that the feed knows, and a list of which an article over several pages has all."""
    monkeypatch.setitem(ITEM_FIELDS, "subtitle", ItemField("subtitle", feed="_subtitle"))
    monkeypatch.setitem(READERS, "subtitle", lambda clues: clues.page.metadata.first("subtitle"))
    monkeypatch.setitem(
        ITEM_FIELDS, "places", ItemField("places", FieldKind.NAMES, summed=True, empty=list)
    )
    monkeypatch.setitem(
        READERS, "places", lambda clues: list(filter(None, [clues.page.metadata.first("place")]))
    )


def learned() -> SiteModel:
    model = SiteModel()
    model.learn([(URL.format(n), with_subtitle(n)) for n in range(8)])
    return model


def exported(item: dict[str, Any]) -> dict[str, Any]:
    file = io.BytesIO()
    exporter = JsonFeedExporter(file)
    exporter.start_exporting()
    exporter.export_item(item)
    exporter.finish_exporting()
    found: dict[str, Any] = json.loads(file.getvalue())["items"][0]
    return found


@pytest.mark.usefixtures("new_fields")
@pytest.mark.parametrize("method", ["fallback", "template", "joined"])
def test_a_new_field_stands_in_every_output(method: str) -> None:
    if method == "joined":
        article = extract_parts(
            learned(), [RawPage(with_subtitle(n), URL.format(n)) for n in (11, 12)]
        )
        assert article.provenance.parts
    elif method == "template":
        article = learned().extract(with_subtitle(11), URL.format(11))
        assert article.provenance.method == "template"
    else:
        article = sitecrawl.extract(with_subtitle(11), URL.format(11))
    places = ["Place 11", "Place 12"] if method == "joined" else ["Place 11"]
    item = pickle.loads(pickle.dumps(article)).to_dict()  # noqa: S301
    for found in (item, item_of(article, None)):
        assert (found["subtitle"], found["places"]) == ("Subtitle 11", places)
    feed = exported(item)
    assert (feed["_subtitle"], feed["_sitecrawl"]["places"]) == ("Subtitle 11", places)


@pytest.mark.usefixtures("new_fields")
def test_a_person_gives_a_new_field_an_address() -> None:
    model = learned()
    document = model.templates[0].to_dict()
    document["fields"]["subtitle"] = {"sources": ['id("subtitle")']}
    document["fields"]["places"] = {"sources": ['//div[@class="places"]//a']}
    put(model, Template.from_dict(document))
    given = '<body><p id="subtitle">By hand</p><div class="places"><a href="/u">Ulm</a> <a href="/b">Bonn</a></div>'
    item = model.extract(with_subtitle(20).replace("<body>", given), URL.format(20)).to_dict()
    assert (item["subtitle"], item["places"]) == ("By hand", ["Ulm", "Bonn"])
    assert item["provenance"]["fields"]["subtitle"] == 'id("subtitle")'
    item = model.extract(with_subtitle(20), URL.format(20)).to_dict()
    assert (item["subtitle"], item["provenance"]["fields"]["subtitle"]) == ("Subtitle 20", "page")


@pytest.mark.usefixtures("new_fields")
def test_an_article_made_by_hand_has_the_field_empty() -> None:
    item = Article(url="http://example.com/a").to_dict()
    assert (item["subtitle"], item["places"]) == (None, [])


def test_every_reader_has_its_row_and_every_attribute_too() -> None:
    assert set(READERS) <= set(ITEM_FIELDS)
    names = set(Article.__dataclass_fields__) - {"body"}
    assert names | {"articleBody", "articleBodyHtml", "wordCount", "fingerprint"} == set(
        ITEM_FIELDS
    )


FACTS = """<html><head><meta property="og:site_name" content="The Example"><link rel="license" href="/license">
<script type="application/ld+json">{"@type": "NewsArticle", "headline": "A bridge opens", "articleSection": ["City", "Roads"],
"isAccessibleForFree": "http://schema.org/False", "publisher": {"name": "Example Press"}}</script></head>
<body><h1>A bridge opens</h1><p>The bridge, which took four years to build, was opened this morning.</p></body></html>"""


def test_what_the_metadata_says_of_site_section_license_and_payment() -> None:
    item = sitecrawl.extract(FACTS, "https://www.example.com/bridge.html").to_dict()
    assert (item["siteName"], item["hostname"], item["articleSection"]) == (
        "The Example",
        "example.com",
        "City",
    )
    assert (item["license"], item["isAccessibleForFree"]) == (
        "https://www.example.com/license",
        False,
    )
    assert feed_item(item)["_sitecrawl"]["isAccessibleForFree"] is False
    bare = sitecrawl.extract(
        FACTS[FACTS.index("<body>") :], "https://www.example.com/bridge.html"
    ).to_dict()
    assert [
        bare[name] for name in ("siteName", "articleSection", "license", "isAccessibleForFree")
    ] == [None] * 4


def test_payment_is_known_by_template_too() -> None:
    model = SiteModel()
    paid = '<script type="application/ld+json">{"@type": "NewsArticle", "isAccessibleForFree": false}</script></head>'
    model.learn([(URL.format(n), page(n).replace("</head>", paid)) for n in range(8)])
    article = model.extract(page(11).replace("</head>", paid), URL.format(11))
    assert (article.provenance.method, article.isAccessibleForFree) == ("template", False)


@pytest.mark.parametrize("name", ["wordCount", "fingerprint", "hostname", "isAccessibleForFree"])
def test_computed_fields_have_no_place_in_a_template(name: str) -> None:
    model = learned()
    with pytest.raises(TemplateError, match="not a field that a template reads"):
        set_field(model.templates[0], name, source="h1")


def test_fingerprints_of_near_duplicates_differ_in_few_bits() -> None:
    prose = sitecrawl.extract(page(3), URL.format(3)).articleBody * 3
    others = [sitecrawl.extract(page(n), URL.format(n)).articleBody * 3 for n in range(4, 9)]
    assert bits(prose, f"{prose} Corrected.") <= 3
    assert min(bits(prose, other) for other in others) > 3
    assert fingerprint("") == ""


def test_a_fingerprint_of_a_long_text_takes_little_memory() -> None:
    text = "Some words of a long text. " * 20_000
    tracemalloc.start()
    fingerprint(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 45 * len(text)


def bits(one: str, other: str) -> int:
    return (int(fingerprint(one), 16) ^ int(fingerprint(other), 16)).bit_count()


def test_the_order_of_an_item_is_that_of_the_table() -> None:
    assert tuple(Article().to_dict()) == FIELDS
    more = {"extra": {"views": "3"}, "metadata": {"dateDownloaded": "2026-01-02T03:04:05Z"}}
    assert tuple(Article(**more).to_dict()) == tuple(ITEM_FIELDS)


def test_a_reader_that_fails_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(clues: object) -> None:
        raise AttributeError("no such thing")

    monkeypatch.setitem(READERS, "description", broken)
    with pytest.raises(AttributeError, match="no such thing"):
        sitecrawl.extract("<p>x").to_dict()
    with pytest.raises(AttributeError, match="colour"):
        _ = Article().colour


def test_a_feed_item_keeps_what_the_standard_does_not_know() -> None:
    item = {
        "url": "http://example.com/a",
        "headline": "A",
        "datePublished": "2024-05-06T07:08:09+02:00",
        "dateModified": "2024-05-07",
        "articleBody": "",
        "mainImage": {"url": "http://example.com/a.png"},
        "extra": {"views": "3"},
        "revision": 2,
        "tags": [],
    }
    assert feed_item(item) == {
        "id": "http://example.com/a",
        "url": "http://example.com/a",
        "title": "A",
        "date_published": "2024-05-06T07:08:09+02:00",
        "content_text": "",
        "image": "http://example.com/a.png",
        "_sitecrawl": {"dateModified": "2024-05-07", "extra": {"views": "3"}, "revision": 2},
    }


# ---- fields that a template does not find
def without_date(number: int, instead: str = "") -> str:
    return re.sub(
        r"<time.*?</time>", instead, re.sub(r'<span class="date">.*?</span>', instead, page(number))
    )


def test_a_date_that_the_template_misses_is_the_page_s_own_and_says_so() -> None:
    model = learned()
    assert "datePublished" in model.templates[0].fields
    html = without_date(20)
    assert "2024" not in html.replace("/2024/", "")
    html = html.replace(
        "<head>", '<head><meta property="article:published_time" content="2024-07-08T09:10:00Z">'
    )
    article = model.extract(html, URL.format(20))
    assert article.provenance.method == "template"
    assert article.datePublished == "2024-07-08T09:10:00Z"
    assert article.datePublishedRaw == "2024-07-08T09:10:00Z"
    assert article.provenance.fields["datePublished"] == "meta"


def test_nobody_looks_for_a_date_where_no_page_has_one() -> None:
    model = SiteModel()
    model.learn([(URL.format(n), without_date(n)) for n in range(8)])
    assert model.templates[0].statistics["has_datePublished"] == 0
    html = without_date(20).replace("</h1>", "</h1><p>Changed on 2024-07-08</p>")
    article = model.extract(html, URL.format(20))
    assert article.provenance.method == "template"
    assert article.datePublished is None
    assert article.datePublishedRaw is None
