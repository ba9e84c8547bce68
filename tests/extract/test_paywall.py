"""The beginning of an article that must be paid for is flagged; a whole one is not."""

from __future__ import annotations

import json

import pytest

from sitecrawl.api import extract

SENTENCES = {
    "en": "The gauge at the bridge has reported the height of the river for years.",
    "el": "Ο μετρητής στη γέφυρα αναφέρει το ύψος του ποταμού εδώ και χρόνια.",
    "ja": "橋のそばの水位計は何年ものあいだ十五分ごとに川の高さを知らせてきたのである。",
    "zh": "桥边的水位计多年来每十五分钟报告一次河水的高度。",
}
WALLED = {"@type": "NewsArticle", "headline": "A gauge", "isAccessibleForFree": False}
PART = {
    "hasPart": {"@type": "WebPageElement", "isAccessibleForFree": False, "cssSelector": "div.rest"}
}
CASES = {
    "a beginning": (WALLED, 2, "", True),
    "a beginning with its part": (WALLED | PART, 2, "<div class=rest></div>", True),
    "words are told": (WALLED | {"wordCount": 900}, 12, "", True),
    "as text": (WALLED | {"isAccessibleForFree": "http://schema.org/False"}, 2, "", True),
    "the part is there": (WALLED | PART, 2, "<div class=rest>{}</div>", False),
    "as long as told": (WALLED | {"wordCount": "30"}, 4, "", False),
    "long": (WALLED, 60, "", False),
    "free": (WALLED | {"isAccessibleForFree": True}, 2, "", False),
    "nothing said": ({"@type": "NewsArticle", "headline": "A gauge"}, 2, "", False),
    "only a part is said": (PART | {"@type": "NewsArticle", "headline": "A gauge"}, 2, "<div class=rest></div>", True),
    "microdata": ({"@type": "WebSite"}, 2, "<meta itemprop=isAccessibleForFree content=False>", True),
    "a tier": ({"@type": "WebSite"}, 2, "<meta property='article:content_tier' content=locked>", True),
    "a free tier": ({"@type": "WebSite"}, 2, "<meta property='article:content_tier' content=free>", False),
    "no number": (WALLED | {"wordCount": "9" * 50}, 2, "", True),
}  # fmt: skip


@pytest.mark.parametrize("language", SENTENCES)
@pytest.mark.parametrize("name", CASES)
def test_only_a_beginning_is_flagged(name: str, language: str) -> None:
    linked, paragraphs, rest, is_flagged = CASES[name]
    prose = "".join(f"<p>{SENTENCES[language]}</p>" for _ in range(paragraphs))
    html = (
        f"<html><head><script type=application/ld+json>{json.dumps(linked)}</script></head><body>"
        f"<article><h1>A gauge</h1>{prose}{rest.format(SENTENCES[language] * 20)}</article></body></html>"
    )
    article = extract(html, "http://a.example/gauge")
    assert ("paywalled" in article.provenance.flags) is is_flagged
