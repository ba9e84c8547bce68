"""`sitecrawl show`: what was written, as a person reads it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sitecrawl.__main__ import main
from tests.crawl.driver import Crawl, Network
from tests.crawl.test_session import stories
from tests.pages import listing_page

ITEMS = [
    {
        "url": "http://a.example/1",
        "headline": "桥梁开放",
        "datePublished": "2026-03-01T10:00:00",
        "authors": [{"name": "Ann"}],
        "articleBody": "今天开放。\nAt noon.",
    },
    {"url": "http://a.example/2", "headline": None, "articleBody": ""},
]
FEEDS = {
    "a.jsonl": "".join(json.dumps(item) + "\n" for item in ITEMS),
    "a.json": json.dumps(ITEMS),
    "feed.json": json.dumps(
        {
            "version": "https://jsonfeed.org/version/1.1",
            "items": [
                {"url": item["url"], "title": item["headline"], "content_text": item["articleBody"]}
                for item in ITEMS
            ],
        },
        indent=1,
    ),
}


@pytest.fixture(autouse=True)
def _folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SCRAPY_SETTINGS_MODULE", "sitecrawl.settings")
    monkeypatch.chdir(tmp_path)
    for name, text in FEEDS.items():
        Path(name).write_text(text, encoding="utf8")


@pytest.mark.parametrize("name", FEEDS)
def test_a_feed_is_listed_an_article_a_line(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", name]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert "桥梁开放  (6 words)" in first
    assert second.split() == ["2", "no", "day", "http://a.example/2", "(0", "words)"]


def test_an_article_is_printed_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "a.jsonl", "1"]) == 0
    assert capsys.readouterr().out == (
        "headline   桥梁开放\npublished  2026-03-01T10:00:00\nauthors    Ann\n"
        "url        http://a.example/1\n\n今天开放。\nAt noon.\n"
    )


def test_a_site_is_named_by_its_host(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Crawl.of(Network({"/": listing_page(range(6))} | stories(*range(6))), tmp_path / "data").run()
    data = ["-s", f"SITECRAWL_DATA_DIR={tmp_path / 'data'}"]
    assert main(["show", "news.example", *data]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 6


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "nothing was crawled into"),
        (["none.jsonl"], "none.jsonl is no file"),
        (["a.jsonl", "9"], "no article 9: a.jsonl holds 2"),
        (["a.jsonl", "first"], "first is no number"),
        (["broken.json"], "broken.json is no feed in JSON"),
        (["news.example"], "no such site in .sitecrawl; nothing was crawled into it yet"),
    ],
)
def test_what_cannot_be_shown_is_one_line(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("broken.json").write_text("{", encoding="utf8")
    assert main(["show", *words]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert len(told.splitlines()) == 1
